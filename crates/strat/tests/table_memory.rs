//! Tables that would need many times their length in memory, and do not: what is too much is counted while it is read.

#[expect(dead_code, reason = "what is bounded here is not twice the file")]
#[path = "../../../fuzz/src/meter.rs"]
mod meter;

use flate2::Compression;
use flate2::write::GzEncoder;
use meter::most_held;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use strat::fit::{config, run};
use strat::internals::{MOST_CELLS, MOST_TABLE_ROWS, MOST_VALUES};
use strat::record::{Folder, Manifest, RunFolder};
use strat::seeds::Seeds;
use strat::task::table::{Field, LabelledRow, LabelledTable, Schema, Sheet, Symmetries, TableTask, Told};
use strat::task::table::{Header, SheetFault};

const MB: usize = 1 << 20;

/// A file of a head and as many copies of a part as 66 MB have, packed.
fn packed(folder: &Path, head: &[u8], part: &[u8]) -> std::path::PathBuf {
    let mut gzip = GzEncoder::new(vec![], Compression::fast());
    gzip.write_all(head).unwrap();
    let block = part.repeat((MB / part.len()).max(1));
    for _ in 0..66 {
        gzip.write_all(&block).unwrap();
    }
    let path = folder.join("table.csv.gz");
    std::fs::write(&path, gzip.finish().unwrap()).unwrap();
    path
}

#[test]
fn a_small_file_that_unpacks_to_much_takes_little() {
    let folder = tempfile::tempdir().unwrap();
    let wide = [b"1".as_slice(), &b",1".repeat(511), b"\n"].concat();
    let long = [b"1,".as_slice(), &[b'x'; 900], b"\n"].concat();
    type Expected = fn(&SheetFault) -> bool;
    type Bomb<'a> = (&'a str, &'a [u8], &'a [u8], Expected, usize);
    let bombs: [Bomb<'_>; 5] = [
        ("rows", b"a,b\n", b"1,0\n", |f| matches!(f, SheetFault::ManyRows), 40 * MB),
        ("cells", b"", &wide, |f| matches!(f, SheetFault::ManyCells), 40 * MB),
        ("columns", b"a,b\n", b",", |f| matches!(f, SheetFault::LongRow { row: 2 }), 24 * MB),
        ("one cell", b"a,b\n1,\"", b"x\n", |f| matches!(f, SheetFault::LongRow { row: 2 }), 24 * MB),
        ("text", b"a,b\n", &long, |f| matches!(f, SheetFault::Large), 100 * MB),
    ];
    for (name, head, part, expected, most) in bombs {
        let path = packed(folder.path(), head, part);
        let length = std::fs::metadata(&path).unwrap().len() as usize;
        assert!(length < MB, "{name}: {length} bytes");
        let (read, held) = most_held(|| Sheet::read(&path, Header::Present));
        let error = read.map(drop).unwrap_err();
        assert!(expected(&error.fault), "{name}: {error}");
        assert!(held < most, "{name}: {held} bytes held");
    }
}

/// The largest table that is read, every cell of it different.
#[test]
fn the_largest_table_is_looked_at_in_little_memory() {
    let columns = MOST_CELLS / (MOST_TABLE_ROWS + 1);
    let mut text: Vec<u8> = (0..columns).map(|c| format!("c{c}")).collect::<Vec<_>>().join(",").into_bytes();
    for row in 0..MOST_TABLE_ROWS {
        text.push(b'\n');
        for column in 0..columns - 1 {
            write!(text, "{},", row * columns + column).unwrap();
        }
        write!(text, "{}", row % 2).unwrap();
    }
    let target = format!("c{}", columns - 1);
    let (learned, held) = most_held(|| {
        let sheet = Sheet::parse(Path::new("t"), &text, Header::Present).unwrap();
        assert_eq!(sheet.rows.len(), MOST_TABLE_ROWS);
        LabelledTable::of(&sheet, &target, &Told::default(), &Symmetries::default())
    });
    let schema = learned.unwrap().schema;
    assert!(schema.fields.len() == columns - 1 && schema.fields.iter().all(Field::has_numbers));
    assert!(held < 160 * MB, "{held} bytes held");
}

/// What `strat fit` accepts, every reader of its run accepts: the longest manifest.
#[test]
fn a_run_with_the_largest_table_can_be_read() {
    let columns = MOST_CELLS / MOST_TABLE_ROWS;
    let values: Vec<String> = (0..MOST_VALUES).map(|v| v.to_string()).collect();
    let field = |c: usize| Field::of_words(format!("c{c}"), values.clone());
    let classes = vec!["no".into(), "yes".into()];
    let schema = Schema { fields: (0..columns).map(field).collect(), target: "y".into(), classes };
    // The highest numbers have two digits; the first columns tell rows apart.
    let value = |row: usize, c: usize| if c < 4 { (row >> (5 * c) & 31) as u8 } else { MOST_VALUES as u8 - 1 };
    let taught = |row: usize| LabelledRow {
        row: row + 2,
        input: (0..columns).map(|c| value(row, c)).collect(),
        numbers: vec![],
        class: u8::from(row % 2 == 1),
    };
    let own = TableTask {
        schema,
        known: Symmetries::default(),
        rows: (0..MOST_TABLE_ROWS).map(taught).collect(),
        mixture: vec![],
        temperature: 1.0,
        chance: 0.0,
    };
    let task = Arc::new(own.task("t").unwrap());
    let plan = run::plan(&task, &own, config(1.0)).unwrap();
    let manifest = Manifest {
        format: Manifest::FORMAT,
        experiment: plan.name.into(),
        version: "1".into(),
        commit: "unknown".into(),
        isa: "avx2".into(),
        weights: true,
        seeds: Seeds::to(1),
        shard: None,
        preset: None,
        rows: plan.rows.iter().map(|r| r.row().clone()).collect(),
    };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    drop(RunFolder::open(&path, manifest.clone(), |_, _| &[]).unwrap());
    assert!(Folder::open(&path).unwrap().manifest == manifest);
    // One row more is refused before anything is learned.
    let more = TableTask { rows: (0..=MOST_TABLE_ROWS).map(taught).collect(), ..own };
    assert!(more.task("t").unwrap_err().to_string().contains("100001 rows"));
}
