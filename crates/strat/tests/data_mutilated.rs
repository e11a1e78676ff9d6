//! Every parser on damaged files: sound rows or an error that says where; no panic, and no more memory
//! than the input explains.

mod samples;

use proptest::prelude::*;
use proptest::sample::Index;
use samples::*;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::LazyLock;
use strat::data::DataError;
use strat::internals::{dimacs, life, pmlb, satbench, spect, sudoku, tic_tac_toe};

/// Counts this thread's bytes.
struct Counting;

thread_local! {
    static LIVE: Cell<isize> = const { Cell::new(0) };
    static PEAK: Cell<isize> = const { Cell::new(0) };
}

fn count(bytes: isize) {
    let live = LIVE.get() + bytes;
    LIVE.set(live);
    PEAK.set(PEAK.get().max(live));
}

// SAFETY: hands everything to the system's allocator; counting allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: the caller's promises are passed on.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        // SAFETY: as above.
        unsafe { System.dealloc(ptr, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// What `work` needs at most beyond what there was.
fn peak<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let before = LIVE.get();
    PEAK.set(before);
    let done = work();
    (done, (PEAK.get() - before) as usize)
}

/// One parser, with the rows only counted.
struct Parser {
    name: &'static str,
    sample: Vec<u8>,
    packed: bool,
    parse: fn(&str, &[u8]) -> Result<usize, DataError>,
}

/// All of them, made once.
fn parsers() -> &'static [Parser] {
    static ALL: LazyLock<Vec<Parser>> = LazyLock::new(all_parsers);
    &ALL
}

fn all_parsers() -> Vec<Parser> {
    let plain = |name, sample: String, parse| Parser { name, sample: sample.into_bytes(), packed: false, parse };
    let packed = |name, sample, parse| Parser { name, sample, packed: true, parse };
    let boards = tic_tac_toe();
    let few_boards = &boards[..boards.match_indices('\n').nth(20).unwrap().0];
    let (cnf, heart) = (dimacs(), spect());
    let formulas = tar(&[("./uf20-010.cnf", cnf.as_bytes()), ("./uf20-02.cnf", cnf.as_bytes())]);
    let hearts = zip(&[("SPECT.train", heart.as_bytes()), ("SPECT.test", heart.as_bytes())]);
    vec![
        plain("s.csv", sudoku(), |f, b| sudoku::parse(f, b).map(|r| r.len())),
        plain("t.data", few_boards.into(), |f, b| tic_tac_toe::parse(f, b).map(|r| r.len())),
        plain("l.csv", life_csv(), |f, b| life::parse(f, b).map(|r| r.len())),
        plain("l.jsonl", life_jsonl(), |f, b| life::parse(f, b).map(|r| r.len())),
        plain("p.tsv", pmlb(), |f, b| pmlb::parse(f, b).map(|r| r.rows.len())),
        plain("h.train", spect(), |f, b| spect::parse(f, b).map(|r| r.len())),
        plain("f.cnf", dimacs(), |f, b| dimacs::parse(f, b).map(|f| f.variables + f.clauses.len())),
        plain("b.jsonl", satbench(), |f, b| satbench::parse(f, b).map(|r| r.len())),
        packed("s.csv.xz", xz(sudoku().as_bytes()), |f, b| sudoku::parse(f, b).map(|r| r.len())),
        packed("p.tsv.gz", gzip(pmlb().as_bytes()), |f, b| pmlb::parse(f, b).map(|r| r.rows.len())),
        packed("t.zip", zip(&[("a/tic-tac-toe.data", few_boards.as_bytes())]), |f, b| {
            tic_tac_toe::parse(f, b).map(|r| r.len())
        }),
        packed("h.zip", hearts, |f, b| spect::parse_zip(f, b).map(|s| s.train.len() + s.test.len())),
        packed("u.tar", formulas.clone(), |f, b| dimacs::parse_archive(f, b).map(|r| r.len())),
        packed("u.tar.gz", gzip(&formulas), |f, b| dimacs::parse_archive(f, b).map(|r| r.len())),
    ]
}

#[derive(Clone, Debug)]
enum Damage {
    Truncate(Index),
    Flip(Index, u8),
    Insert(Index, Vec<u8>),
    Remove(Index, usize),
    Repeat(Index, usize),
    /// A run of digits becomes this number.
    Number(Index, &'static str),
    Crlf,
    NoFinalNewline,
}

fn damage() -> impl Strategy<Value = Damage> {
    let at = any::<Index>;
    const NUMBERS: [&str; 7] =
        ["0", "-1", "2147483648", "-2147483648", "99999999999999999999999", "18446744073709551615", "1e999"];
    prop_oneof![
        1 => at().prop_map(Damage::Truncate),
        3 => (at(), any::<u8>()).prop_map(|(i, b)| Damage::Flip(i, b)),
        2 => (at(), prop::collection::vec(any::<u8>(), 1..20)).prop_map(|(i, b)| Damage::Insert(i, b)),
        2 => (at(), "[ -~\n\t]{1,12}").prop_map(|(i, text)| Damage::Insert(i, text.into_bytes())),
        1 => (at(), 1usize..40).prop_map(|(i, n)| Damage::Remove(i, n)),
        1 => (at(), 1usize..200).prop_map(|(i, n)| Damage::Repeat(i, n)),
        2 => (at(), prop::sample::select(&NUMBERS[..])).prop_map(|(i, n)| Damage::Number(i, n)),
        1 => Just(Damage::Crlf),
        1 => Just(Damage::NoFinalNewline),
    ]
}

fn apply(bytes: &mut Vec<u8>, damage: &Damage) {
    if bytes.is_empty() {
        return;
    }
    let len = bytes.len();
    match damage {
        Damage::Truncate(i) => bytes.truncate(i.index(len)),
        Damage::Flip(i, b) => bytes[i.index(len)] ^= b,
        Damage::Insert(i, new) => drop(bytes.splice(i.index(len)..i.index(len), new.iter().copied())),
        Damage::Remove(i, n) => drop(bytes.drain(i.index(len)..(i.index(len) + n).min(len))),
        Damage::Repeat(i, n) => {
            let part = bytes[i.index(len)..(i.index(len) + n).min(len)].to_vec();
            drop(bytes.splice(i.index(len)..i.index(len), part));
        }
        Damage::Number(i, number) => {
            let is_digit = |b: &u8| b.is_ascii_digit();
            let Some(start) = (i.index(len)..len).find(|&k| is_digit(&bytes[k])) else { return };
            let run = bytes[start..].iter().take_while(|b| is_digit(b)).count();
            drop(bytes.splice(start..start + run, number.bytes()));
        }
        Damage::Crlf => *bytes = String::from_utf8_lossy(bytes).replace('\n', "\r\n").into_bytes(),
        Damage::NoFinalNewline => bytes.truncate(bytes.trim_ascii_end().len()),
    }
}

/// Most memory for these bytes: rows are a few times their text; what is unpacked has a limit of its
/// own (twice 16 MiB while a vector grows) and so has the memory of xz.
fn allowed(bytes: &[u8]) -> usize {
    let packed = MAGIC.iter().any(|magic| bytes.starts_with(magic));
    if packed { 120 << 20 } else { (64 << 10) + 64 * bytes.len() }
}

/// How gzip, xz and zip files begin.
const MAGIC: [&[u8]; 3] = [b"\x1f\x8b", b"\xfd7zXZ\0", b"PK\x03\x04"];

fn check(parser: &Parser, bytes: &[u8]) {
    let name = parser.name;
    let (done, needed) = peak(|| (parser.parse)(name, bytes));
    assert!(needed <= allowed(bytes), "{name}: {needed} bytes of memory for {} bytes", bytes.len());
    match done {
        // A formula may announce some variables that it does not use.
        Ok(rows) => assert!(parser.packed || rows <= bytes.len() + 1024, "{name}: {rows} rows"),
        Err(e) => {
            let message = e.to_string();
            assert!(message.starts_with(name) && message.len() < 600, "{message}");
            if let Some(line) = e.line_number() {
                let lines = bytes.split(|&b| b == b'\n').count();
                assert!(line >= 1 && (parser.packed || line <= lines), "{message}: of {lines} lines");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn damaged_files_are_read_or_refused(damages in prop::collection::vec(damage(), 1..5)) {
        for parser in parsers() {
            let mut bytes = parser.sample.clone();
            damages.iter().for_each(|d| apply(&mut bytes, d));
            check(parser, &bytes);
        }
    }

    #[test]
    fn damaged_content_in_sound_archives_is_read_or_refused(damages in prop::collection::vec(damage(), 1..4)) {
        let damaged = |mut bytes: Vec<u8>| {
            damages.iter().for_each(|d| apply(&mut bytes, d));
            bytes
        };
        let (cnf, heart) = (damaged(dimacs().into()), damaged(spect().into()));
        for parser in parsers().iter().filter(|p| p.packed) {
            let bytes = match parser.name {
                "s.csv.xz" => xz(&damaged(sudoku().into())),
                "p.tsv.gz" => gzip(&damaged(pmlb().into())),
                "h.zip" => zip(&[("SPECT.train", &heart), ("SPECT.test", &heart)]),
                "u.tar.gz" => gzip(&tar(&[("uf20-01.cnf", &cnf)])),
                _ => continue,
            };
            check(parser, &bytes);
        }
    }

    #[test]
    fn noise_is_read_or_refused(noise in prop::collection::vec(any::<u8>(), 0..400), start in 0usize..4) {
        let bytes = [MAGIC.get(start).unwrap_or(&&b""[..]), &noise[..]].concat();
        parsers().iter().for_each(|p| check(p, &bytes));
    }
}

#[test]
fn line_ends_change_nothing() {
    for parser in parsers().iter().filter(|p| !p.packed) {
        let rows = (parser.parse)(parser.name, &parser.sample).unwrap();
        assert!(rows > 0, "{}", parser.name);
        for change in [Damage::Crlf, Damage::NoFinalNewline] {
            let mut bytes = parser.sample.clone();
            apply(&mut bytes, &change);
            assert_eq!((parser.parse)(parser.name, &bytes).unwrap(), rows, "{}: {change:?}", parser.name);
        }
    }
    assert!(parsers().iter().filter(|p| p.packed).all(|p| (p.parse)(p.name, &p.sample).unwrap() > 0));
}

#[test]
fn bombs_are_refused() {
    let zeros = vec![b'0'; 17 << 20];
    let bombs = [
        ("s.csv.xz", xz(&zeros)),
        ("p.tsv.gz", gzip(&zeros)),
        ("t.zip", zip(&[("tic-tac-toe.data", &zeros)])),
        ("u.tar.gz", gzip(&tar(&[("uf20-01.cnf", &zeros)]))),
    ];
    for (name, bomb) in bombs {
        let parser = parsers().iter().find(|p| p.name == name).unwrap();
        let (done, needed) = peak(|| (parser.parse)(name, &bomb));
        let message = done.unwrap_err().to_string();
        assert!(message.contains("when unpacked"), "{message}");
        assert!(needed < 60 << 20, "{name}: {needed} bytes");
    }
}
