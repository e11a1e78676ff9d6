//! `strat export --as`: functions of other languages answer as `strat predict` does, whatever a table has in it.

use super::{out, require, strat};
use serde_json::{Value, json};
use std::fmt::Write;
use std::process::Command;
use std::sync::LazyLock;
use tempfile::TempDir;

/// What would end a text, a comment or a name in one of the languages, or be taken for something else.
const HOSTILE: [&str; 6] = [
    "a\"b'c`${d}\\",
    "x\n\r\t*/ -- '); DROP TABLE t; #",
    "\u{1b}[31m\u{202e}\u{2028}ü日😀",
    "constructor",
    "\"\"\"\\",
    "'''",
];
/// Names of columns: no identifiers, keywords, and names that clash.
const NAMES: [&str; 4] = ["class", "Class\"'\n\\", "__proto__", "größe in \u{202e} %"];

/// All inputs of the hostile table, by cells.
fn hostile_inputs() -> Vec<[&'static str; 4]> {
    let mut all = vec![];
    for a in [HOSTILE[0], HOSTILE[1]] {
        for b in [HOSTILE[2], HOSTILE[3], HOSTILE[4]] {
            for c in [HOSTILE[5], "?", "plain"] {
                all.extend(["1.5 kg", "-2 kg", "7 kg"].map(|d| [a, b, c, d]));
            }
        }
    }
    all
}

fn csv(names: &[&str], rows: &[Vec<&str>]) -> String {
    let cell = |cell: &&str| format!("\"{}\"", cell.replace('"', "\"\""));
    let line = |row: &[&str]| row.iter().map(cell).collect::<Vec<_>>().join(",") + "\n";
    line(names) + &rows.iter().map(|row| line(row)).collect::<String>()
}

/// A folder with the run `hostile`, whose inputs are in `all.csv`.
static FITTED: LazyLock<TempDir> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let inputs = hostile_inputs();
    let classes = ["ja\"'\n\\", "\u{202e}no", "None"];
    let class = |i: usize| classes[usize::from(inputs[i][0] == HOSTILE[0]) + usize::from(inputs[i][3] == "7 kg")];
    let rows: Vec<Vec<&str>> =
        (0..inputs.len()).step_by(2).map(|i| [&inputs[i][..], &[class(i)]].concat()).collect();
    std::fs::write(at.join("odd.csv"), csv(&[&NAMES[..], &["y"]].concat(), &rows)).unwrap();
    let all: Vec<Vec<&str>> = inputs.iter().map(|input| input.to_vec()).collect();
    std::fs::write(at.join("all.csv"), csv(&NAMES, &all)).unwrap();
    out(at, &["fit", "odd.csv", "--target", "y", "--epochs", "60", "--learners", "2", "--out", "hostile"]);
    folder
});

/// Every input as an object, numbers as numbers and gaps as null, and what `strat predict` says.
fn asked() -> Vec<(Value, Value)> {
    let said = out(FITTED.path(), &["predict", "hostile", "all.csv", "--json"]);
    let said: Vec<Value> = said.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let number = |cell: &str| cell.trim_end_matches(" kg").parse::<f64>().unwrap();
    let row = |i: &[&str; 4]| {
        let gap = if i[2] == "?" { Value::Null } else { i[2].into() };
        json!({NAMES[0]: i[0], NAMES[1]: i[1], NAMES[2]: gap, NAMES[3]: number(i[3])})
    };
    assert_eq!(said.len(), 54);
    hostile_inputs().iter().map(row).zip(said).collect()
}

fn exported(language: &str, file: &str) -> String {
    let at = FITTED.path();
    let text = out(at, &["export", "hostile", "--as", language]);
    out(at, &["export", "hostile", "--as", language, "--out", file]);
    assert_eq!(std::fs::read_to_string(at.join(file)).unwrap(), text);
    text
}

/// The program's lines, each `[prediction, probability]`, are those of `strat predict`.
fn agree(lines: &str, asked: &[(Value, Value)]) {
    let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), asked.len());
    for (line, (row, said)) in lines.iter().zip(asked) {
        assert_eq!(line[0], said["prediction"], "{row}");
        let distance = (line[1].as_f64().unwrap() - said["probability"].as_f64().unwrap()).abs();
        assert!(distance < 0.000_051, "{row}: {line}, {said}");
    }
}

fn run(command: &mut Command) -> String {
    let ran = command.current_dir(FITTED.path()).output().unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    String::from_utf8(ran.stdout).unwrap()
}

fn has(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|ran| ran.status.success())
}

fn rows_of(asked: &[(Value, Value)], file: &str) {
    let rows: Vec<&Value> = asked.iter().map(|(row, _)| row).collect();
    std::fs::write(FITTED.path().join(file), serde_json::to_string(&rows).unwrap()).unwrap();
}

#[test]
fn python_answers_alike() {
    if !has("python3") {
        return require::skip("python", "no python3");
    }
    let text = exported("python", "odd.py");
    assert!(!text.contains(|c: char| c.is_control() && c != '\n' || c == '\u{202e}'), "{text:?}");
    let asked = asked();
    rows_of(&asked, "python.json");
    let ask = "import json, odd\nfor row in json.load(open('python.json')): print(json.dumps(odd.predict(row)))\n\
               row['class'] = 'new'; assert odd.predict(row) == (None, None), row\n\
               row = json.load(open('python.json'))[0]; row[list(row)[3]] = float('inf')\n\
               assert odd.predict(row) == (None, None) and odd.predict({}) == (None, None)";
    agree(&run(Command::new("python3").args(["-B", "-c", ask])), &asked);
}

#[test]
fn javascript_answers_alike() {
    if !has("node") {
        return require::skip("node", "no node");
    }
    let text = exported("javascript", "odd.mjs");
    assert!(!text.contains(|c: char| c.is_control() && c != '\n' || c == '\u{202e}'), "{text:?}");
    let asked = asked();
    rows_of(&asked, "javascript.json");
    let ask = "import { predict } from './odd.mjs'; import { readFileSync } from 'node:fs';\n\
               const rows = JSON.parse(readFileSync('javascript.json', 'utf8'));\n\
               for (const row of rows) { const a = predict(row); \
               console.log(JSON.stringify([a.prediction, a.probability])); }\n\
               if (predict({...rows[0], class: 'toString'}).prediction !== null) throw 'known';\n\
               if (predict({}).probability !== null) throw 'nothing is known';";
    std::fs::write(FITTED.path().join("ask.mjs"), ask).unwrap();
    agree(&run(Command::new("node").arg("ask.mjs")), &asked);
}

#[test]
fn sql_answers_alike() {
    if !has("python3") {
        return require::skip("python", "no python3");
    }
    exported("sql", "odd.sql");
    let asked = asked();
    rows_of(&asked, "sql.json");
    let ask = r#"
import json, sqlite3
rows = json.load(open("sql.json"))
quoted = lambda name: '"' + name.replace('"', '""') + '"'
names = list(rows[0])
db = sqlite3.connect(":memory:")
db.execute(f"CREATE TABLE odd ({', '.join(map(quoted, names))})")
db.executemany("INSERT INTO odd VALUES (?, ?, ?, ?)", [[row[n] for n in names] for row in rows])
query = open("odd.sql", newline="").read()
for row in db.execute(query): print(json.dumps(row[-2:]))
db.execute(f"CREATE VIEW answered AS {query}")
db.execute("INSERT INTO odd VALUES ('new', 'new', 'new', 1)")
assert list(db.execute("SELECT count(*), count(prediction), count(probability) FROM answered")) == [(55, 54, 54)]
"#;
    agree(&run(Command::new("python3").args(["-c", ask])), &asked);
}

#[test]
fn rust_answers_alike() {
    let text = exported("rust", "odd.rs");
    assert!(!text.contains(|c: char| c.is_control() && c != '\n' || c == '\u{202e}'), "{text:?}");
    let asked = asked();
    let mut main = String::from("#![deny(warnings)]\nmod odd;\nuse odd::Row;\nfn main() {\n");
    for (row, _) in &asked {
        let word = |name: &str| row[name].as_str().map(|word| word.to_string());
        let number = row[NAMES[3]].as_f64();
        let [a, b, c] = [NAMES[0], NAMES[1], NAMES[2]].map(word);
        let _ = writeln!(main, "show(Row {{ class: {a:?}, class_2: {b:?}, proto: {c:?}, gr_e_in: {number:?} }});");
    }
    main += "assert!(Row::default().predict().is_none());\n}\nfn show(row: Row) {\nlet (class, p) = row.predict().unwrap();\n\
             println!(\"{}\\t{p}\", class.escape_unicode());\n}\n";
    std::fs::write(FITTED.path().join("main.rs"), main).unwrap();
    run(Command::new("rustc").args(["--edition", "2021", "main.rs", "-o", "asked"]));
    let lines = run(&mut Command::new(FITTED.path().join("asked")));
    let unescape = |text: &str| -> String {
        let code = |part: &str| char::from_u32(u32::from_str_radix(part, 16).unwrap()).unwrap();
        text.split("\\u{").skip(1).map(|part| code(part.trim_end_matches('}'))).collect()
    };
    let lines: String = lines
        .lines()
        .map(|line| line.split_once('\t').unwrap())
        .map(|(class, p)| format!("{}\n", json!([unescape(class), p.parse::<f64>().unwrap()])))
        .collect();
    agree(&lines, &asked);
}

/// The rule, where it holds, and how often numbers are answered as they are by themselves.
#[test]
fn the_code_says_what_it_is() {
    let text = exported("python", "said.py");
    let comment: Vec<&str> = text.lines().take_while(|line| line.starts_with('#')).collect();
    let comment = comment.join("\n");
    assert!(comment.contains("\"y\" of the table \"odd\"") && comment.contains("from 27 rows"), "{comment}");
    assert!(comment.contains("of the 27 rows, 100.0 % get the answer of `strat predict`"), "{comment}");
    assert!(comment.contains("is a number in kg"), "{comment}");
}

#[test]
fn what_is_no_small_table_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let header: String = (0..13).map(|i| format!("c{i},")).collect();
    let row = |n: usize| format!("{}{}\n", format!("{},", ["off", "on"][n % 2]).repeat(13), ["p", "n"][n % 2]);
    std::fs::write(at.join("wide.csv"), format!("{header}y\n{}", (0..4).map(row).collect::<String>())).unwrap();
    let quick = ["--epochs", "2", "--learners", "1", "--no-held-out", "--out", "wide"];
    out(at, &[&["fit", "wide.csv", "--target", "y"], &quick[..]].concat());
    out(at, &["reproduce", "lite", "--learners", "1", "--out", "lite"]);
    let refused = |args: &[&str], words: &[&str]| {
        let said = strat(at, args);
        let error = String::from_utf8(said.stderr).unwrap();
        assert!(said.status.code() == Some(2) && words.iter().all(|w| error.contains(w)), "{args:?}: {error}");
    };
    refused(&["export", "wide", "--as", "sql"], &["more than 4096 inputs", "--irrelevant", "strat predict"]);
    refused(&["export", "lite", "--as", "python"], &["taught no table", "strat fit --out"]);
    refused(&["export", "wide", "--as", "cobol"], &["cobol", "python"]);
    refused(&["export", "wide"], &["--seed"]);
    let small = FITTED.path().join("hostile").display().to_string();
    refused(&["export", &small, "--as", "rust", "--out", "no/folder/x.rs"], &["no/folder"]);
}
