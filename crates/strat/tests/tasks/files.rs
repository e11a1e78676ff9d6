//! Examples from other files than a task's own.

use crate::samples::{self, gzip, tar, xz, zip};
use crate::{folder, load, real, skip, stand_in, stand_ins};
use proptest::prelude::*;
use std::fmt::Write;
use std::path::PathBuf;
use strat::task::{DataTask, Example, Split, Target};

fn read(task: &DataTask, name: &str, bytes: &[u8]) -> Vec<Example> {
    task.read(name, bytes).unwrap_or_else(|e| panic!("{e}"))
}

fn refused(name: &str, bytes: &[u8], wanted: &str) {
    let task = stand_in(name);
    let message = task.read("f", bytes).expect_err(wanted).to_string();
    assert_eq!(message, format!("{name}: {wanted}; this task reads {}", task.file_form()));
}

/// The examples of a real file; `None` says why and skips.
fn file(task: &DataTask, name: &str) -> Option<Vec<Example>> {
    let path: PathBuf = folder()?.root().join(name);
    if !path.is_file() {
        skip("data", format_args!("no {}", path.display()));
        return None;
    }
    Some(task.read_file(&path).unwrap_or_else(|e| panic!("{e}")))
}

/// A table of PMLB, in which every target is one answer.
fn table(rows: &[&[u8]], target: impl Fn(&[u8]) -> u8) -> String {
    let mut text: String = (0..rows[0].len()).map(|i| format!("c{i}\t")).collect::<String>() + "target\n";
    for row in rows {
        row.iter().for_each(|v| write!(text, "{v}\t").unwrap());
        writeln!(text, "{}", target(row)).unwrap();
    }
    text
}

#[test]
fn real_files_give_the_tasks_examples() {
    // Bases, then the ID set.
    let whole = [("sudoku", "satnet-sudoku-1100.csv"), ("life", "gameoflife-6x6-767.csv")];
    for (name, path) in whole {
        let Some(task) = real(name, None) else { continue };
        let Some(examples) = file(&task, path) else { continue };
        assert_eq!(examples, [task.bases(), task.split(Split::Id)].concat(), "{name}");
    }
    if let Some(task) = real("satlib", None)
        && let Some(examples) = file(&task, "uf20-91.tar.gz")
    {
        assert_eq!(examples, [task.bases(), &task.split(Split::Id)[..990]].concat());
    }
    // Everything in the ID set is in the file, with the same answer.
    let parts = [
        ("tic-tac-toe", "tic-tac-toe.data", 958),
        ("parity5", "pmlb/parity5.tsv.gz", 5 * 32),
        ("threeof9", "pmlb/threeOf9.tsv.gz", 512),
        ("m-of-n", "pmlb/mofn_3_7_10.tsv.gz", 1324),
        ("monk-2", "pmlb/monk2.tsv.gz", 601),
        ("led24", "pmlb/led24.tsv.gz", 3200),
        ("spect", "SPECT.test", 187),
    ];
    for (name, path, rows) in parts {
        let Some(folder) = folder() else { continue };
        let task = load(name, &folder, None);
        let Some(examples) = file(&task, path) else { continue };
        assert_eq!(examples.len(), rows, "{name}");
        assert!(task.split(Split::Id).iter().all(|example| examples.contains(example)), "{name}");
    }
}

#[test]
fn any_number_of_sudokus_packed_or_not() {
    let task = stand_in("sudoku");
    let line = samples::sudoku();
    let many = line.repeat(1780);
    let examples = read(task, "s.csv", many.as_bytes());
    assert_eq!(examples.len(), 8900);
    assert_eq!(read(task, "s", &xz(many.as_bytes())), examples);
    assert_eq!(read(task, "s", &gzip(many.as_bytes())), examples);
    let wrong = format!("puzzle,solution\n\n{}", line.replacen(',', "0,", 1));
    let message = task.read("s.csv", wrong.as_bytes()).unwrap_err().to_string();
    assert!(message.starts_with("sudoku: s.csv:3: puzzle is \"1"), "{message}");
    refused("sudoku", b"puzzle,solution\n", "f: no example");
}

#[test]
fn boards_in_every_form() {
    let task = stand_in("tic-tac-toe");
    let boards = samples::tic_tac_toe();
    let examples = read(task, "t", boards.as_bytes());
    assert_eq!(examples.iter().filter(|e| e.target == Target::Class(1)).count(), 626);
    assert_eq!(read(task, "t", &zip(&[("tic-tac-toe.data", boards.as_bytes())])), examples);
    refused(
        "tic-tac-toe",
        b"\nx,x,x,o,o,b,b,b,b,negative",
        "f:2: class is \"negative\", but should be positive: x has a line",
    );
    let life = stand_in("life");
    let [csv, json] = [samples::life_csv(), samples::life_jsonl()].map(|text| read(life, "l", text.as_bytes()));
    assert_eq!((csv.len(), &csv), (2, &json));
}

#[test]
fn a_kept_target_must_follow_the_rule_and_a_replaced_one_need_not() {
    let m_of_n: [&[u8]; 2] = [&[0, 0, 1, 1, 1, 0, 0, 0, 0, 0], &[1, 1, 1, 1, 0, 0, 0, 0, 0, 1]];
    let task = stand_in("m-of-n");
    let right = table(&m_of_n, |row| u8::from(row[4] == 1));
    let classes: Vec<Target> = read(task, "m", &gzip(right.as_bytes())).into_iter().map(|e| e.target).collect();
    assert_eq!(classes, [Target::Class(1), Target::Class(0)]);
    let wrong = table(&m_of_n, |_| 1).replacen('\n', "\n\n", 1);
    refused("m-of-n", wrong.as_bytes(), "f:4: target is 1, but by the task's rule it is 0");
    refused("m-of-n", table(&m_of_n, |_| 7).as_bytes(), "f:2: target is 7, but should be from 0 to 1");
    refused("m-of-n", table(&[&[0; 9]], |_| 0).as_bytes(), "f:2: 9 columns, but there should be 10");
    refused("m-of-n", table(&[&[2; 10]], |_| 0).as_bytes(), "f:2: Bit-0 is 2, but should be from 0 to 1");
    refused(
        "monk-2",
        table(&[&[1, 1, 1, 1, 0, 1]], |_| 0).as_bytes(),
        "f:2: attribute#5 is 0, but should be from 1 to 4",
    );
    for (name, width) in [("threeof9", 9), ("led24", 24), ("spect", 9), ("spect", 22)] {
        let row = vec![1; width];
        let examples = read(stand_in(name), "f.tsv", table(&[&row], |_| 9).as_bytes());
        assert_eq!((examples.len(), &examples[0].target), (1, &Target::Class(1)), "{name}");
    }
    let heart = samples::spect();
    let split = zip(&[("SPECT.train", heart.as_bytes()), ("SPECT.test", heart.as_bytes())]);
    let spect = stand_in("spect");
    assert_eq!(read(spect, "h.zip", &split), read(spect, "SPECT.train", heart.repeat(2).as_bytes()));
}

#[test]
fn a_row_of_parity5_is_what_the_id_set_makes_of_it() {
    let task = stand_in("parity5");
    let examples = read(task, "p", table(&[&[1, 0, 1, 1, 0]], |_| 1).as_bytes());
    let nuisance: Vec<u8> = examples.iter().map(|e| e.input[9]).collect();
    assert_eq!(nuisance, [1, 1, 1, 1, 0]);
    let whole = [1, 0, 1, 1, 0, 0, 0, 0, 0, 0];
    let read = read(task, "p", table(&[&whole], |_| 1).as_bytes());
    assert_eq!(read, [Example::new(whole.to_vec(), Target::Class(1))]);
}

#[test]
fn formulas_get_their_assignments() {
    let (possible, impossible) = ("p cnf 2 2\n1 2 0\n-1 0\n", "p cnf 2 2\n1 0\n-1 0\n");
    let archive = tar(&[
        ("x/f-3.cnf", impossible.as_bytes()),
        ("f-1.cnf", possible.as_bytes()),
        ("f-2.cnf", impossible.as_bytes()),
    ]);
    let row = |clauses, satisfiable| {
        format!("{{\"num_vars\": 2, \"num_clauses\": 2, \"clauses\": {clauses}, \"satisfiable\": {satisfiable}}}\n")
    };
    let json = row("[[1, 2], [-1]]", true) + &row("[[1], [-1]]", false).repeat(2);
    for name in ["satlib", "satbench"] {
        let task = stand_in(name);
        let one = read(task, "f.cnf", possible.as_bytes());
        assert_eq!((one.len(), &one[0].target), (1, &Target::Verdict(true)));
        let all = read(task, "f.tar.gz", &gzip(&archive));
        assert_eq!((all.len(), &all[0]), (3, &one[0]));
        assert!(all[1..].iter().all(|e| e.target == Target::Verdict(false)));
        assert_eq!(read(task, "f.tar", &archive), all);
        assert_eq!(read(task, "f.jsonl", json.as_bytes()), all);
        refused(
            name,
            ("\n".to_string() + &row("[[1], [-1]]", true)).as_bytes(),
            "f:2: `satisfiable` is true, but by the task's rule it is false",
        );
    }
    let long = format!("p cnf 1 1\n{}0\n", "1 ".repeat(600));
    let archive = tar(&[("long.cnf", long.as_bytes())]);
    let message = stand_in("satlib").read("f.tar", &archive).unwrap_err().to_string();
    assert!(
        message.starts_with("satlib: f.tar/long.cnf:1: 1202 tokens, but an example of this task has at most 8")
    );
}

#[test]
fn a_file_that_is_not_there_is_named() {
    let message = stand_in("life").read_file("no such file".as_ref()).unwrap_err().to_string();
    assert!(message.starts_with("life: no such file: cannot open it: "), "{message}");
}

/// A small file of every form that a task reads.
fn sound(name: &str) -> Vec<Vec<u8>> {
    let text = |text: String| vec![text.clone().into_bytes(), gzip(text.as_bytes())];
    let rows = |width: usize, target| text(table(&[&vec![1; width], &vec![1; width]], |_| target));
    match name {
        "sudoku" => vec![samples::sudoku().into_bytes(), xz(samples::sudoku().as_bytes())],
        "tic-tac-toe" => vec![samples::tic_tac_toe()[..500].into()],
        "life" => vec![samples::life_csv().into_bytes(), samples::life_jsonl().into_bytes()],
        "satlib" | "satbench" => {
            let [cnf, json] = [samples::dimacs(), samples::satbench()];
            vec![tar(&[("a.cnf", cnf.as_bytes())]), cnf.into_bytes(), json.into_bytes()]
        }
        "parity5" => rows(5, 1),
        "monk-2" => rows(6, 0),
        "m-of-n" => rows(10, 1),
        "led24" => rows(24, 8),
        "threeof9" => rows(9, 0),
        "spect" => [rows(22, 0), vec![samples::spect().into_bytes()]].concat(),
        _ => panic!("no file for {name}"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_file_is_read_or_refused(
        piece in prop::collection::vec(any::<u8>(), 0..6),
        number in prop::sample::select(vec!["", "-1", "0", "3", "255", "256", "2147483647", "-2147483648", "\n"]),
        at: prop::sample::Index,
        cut in 0usize..6,
    ) {
        for task in stand_ins() {
            for file in sound(task.name()) {
                for piece in [&piece[..], number.as_bytes()] {
                    let mut bytes = file.clone();
                    let at = at.index(bytes.len());
                    bytes.splice(at..(at + cut).min(bytes.len()), piece.iter().copied());
                    match task.read("f", &bytes) {
                        Ok(all) => all.iter().for_each(|e| task.encode(e, &mut Default::default())),
                        Err(e) => {
                            let message = e.to_string();
                            let start = format!("{}: f", task.name());
                            prop_assert!(message.starts_with(&start) && message.len() < 800, "{}", message);
                        }
                    }
                }
            }
        }
    }
}
