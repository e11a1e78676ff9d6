//! A report says what the records say: every number of the page is read back and compared with the file that
//! it comes from.

#[path = "../../strat/tests/common/reseal.rs"]
mod reseal;

use reseal::reseal;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use strat::record::ReadError;
use strat::result::Cell;
use strat_paper::report::collect::collect;
use strat_paper::report::document::Report;
use strat_paper::report::{html, plain};

/// The runs that are kept in the repository.
fn kept() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../results/all")
}

fn report(folders: &[PathBuf]) -> Report {
    Report::of(&collect(folders).unwrap()).unwrap()
}

/// The attributes of every element that begins so, and the text up to its end.
fn elements<'a>(page: &'a str, start: &str, end: &str) -> Vec<(BTreeMap<String, String>, &'a str)> {
    let one = |rest: &'a str| {
        let (tag, after) = rest.split_once('>').unwrap();
        let mut attributes = BTreeMap::new();
        let mut tag = tag;
        while let Some((name, rest)) = tag.split_once("=\"") {
            let (value, rest) = rest.split_once('"').unwrap();
            let entities = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&")];
            let value = entities.iter().fold(value.to_string(), |v, (from, to)| v.replace(from, to));
            attributes.insert(name.trim_start_matches(['/', ' ']).to_string(), value);
            tag = rest;
        }
        (attributes, after.split(end).next().unwrap())
    };
    page.split(start).skip(1).map(one).collect()
}

fn recorded(folder: &Path) -> Vec<Cell> {
    let text = std::fs::read_to_string(folder.join("cells.jsonl")).unwrap();
    text.lines().map(|l| serde_json::from_str(l).unwrap()).collect()
}

/// The first number of a text, as a person reads it, and what its last digit is worth.
fn read(text: &str) -> (f64, f64) {
    let number: String = text.chars().take_while(|c| "+−0123456789.,".contains(*c)).filter(|c| *c != ',').collect();
    let number = number.replace('−', "-");
    let digits = number.split_once('.').map_or(0, |(_, d)| d.len());
    let scale = if text.contains('%') { 0.01 } else { 1.0 };
    (number.parse::<f64>().unwrap() * scale, scale * 0.1f64.powi(digits as i32))
}

#[test]
fn every_cell_is_the_records() {
    // Those of Table 6 are put together from eleven runs.
    let folders =
        ["alu", "ablations", "lite", "latent", "locking", "arithmetic-baselines"].map(|name| kept().join(name));
    let page = html::render(&report(&folders));
    let cells = elements(&page, "<td ", "</td>");
    let cells: Vec<_> = cells.iter().filter(|(a, _)| a.contains_key("data-value")).collect();
    let expected: Vec<Cell> = folders.iter().flat_map(|folder| recorded(folder)).collect();
    assert_eq!(cells.len(), expected.len());
    for ((shown, text), was) in cells.iter().zip(&expected) {
        // A number's text is its shortest, and reads back as the same bits.
        let number = |name: &str| shown[name].parse::<f64>().unwrap();
        let place = ["experiment", "row", "metric"].map(|name| shown[&format!("data-{name}")].as_str());
        assert_eq!(place, [&*was.experiment, &*was.row, &*was.metric.name]);
        assert_eq!(number("data-value"), was.value);
        let ends = ["data-low", "data-high"].map(|name| shown[name].parse::<f64>().ok());
        assert_eq!(ends, [was.interval().map(|i| i[0]), was.interval().map(|i| i[1])]);
        assert_eq!(shown.get("data-paper").map(|x| x.parse().unwrap()), was.paper);
        let verdict = was.verdict.map(|v| v.word().to_string());
        assert_eq!(shown.get("data-verdict").cloned(), verdict);
        // What is seen is the same number, rounded to what is seen of it.
        let seen = text.split_once("<span class=\"ours\">").unwrap().1;
        if was.value.is_finite() {
            let (value, unit) = read(seen);
            assert!((value - was.value).abs() <= 0.5001 * unit, "{place:?}: {seen} is not {}", was.value);
        }
        if let Some(paper) = was.paper {
            let (value, unit) = read(text.split_once("</b> ").unwrap().1);
            assert!((value - paper).abs() <= 0.5001 * unit, "{place:?}: the paper's is not {paper}");
        }
    }
}

/// Intervals and verdicts of the kept run are those of the program as it is, not as it once was. (Those of STRAT-Lite's
/// mechanisms need weights, which are not kept.)
#[test]
fn kept_cells_are_what_their_learners_show() {
    let runs = collect(&[kept()]).unwrap();
    let mut compared = 0;
    for run in runs.iter().filter(|run| !["lite", "locking"].contains(&&*run.folder.manifest.experiment)) {
        let summarize = strat_paper::experiment::summarize(&run.folder.manifest.experiment).unwrap();
        let cells = strat::result::Cell::json_lines(&summarize(&run.rows).cells);
        assert_eq!(cells, strat::result::Cell::json_lines(&run.summary.as_ref().unwrap().cells));
        compared += 1;
    }
    assert_eq!(compared, 5 + 11);
}

/// What is drawn in a figure.
fn figure<'a>(page: &'a str, id: &str) -> &'a str {
    page.split(&format!("<figure id=\"{id}\">")).nth(1).unwrap().split("</figure>").next().unwrap()
}

#[test]
fn every_dot_is_a_learners() {
    let page = html::render(&report(&[kept()]));
    let dots = elements(figure(&page, "locking-errors"), "<circle ", "/>");
    let mut shown: Vec<(String, f64)> =
        dots.into_iter().map(|(a, _)| (a["data-of"].clone(), a["data-value"].parse().unwrap())).collect();
    let log = std::fs::read_to_string(kept().join("locking/learners.jsonl")).unwrap();
    let learner = |line: &str| {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        let of = format!("{}#{}", line["row"].as_str().unwrap(), line["seed"]);
        (of, line["metrics"]["ood_mae"].as_f64().unwrap_or(f64::INFINITY))
    };
    let mut expected: Vec<(String, f64)> = log.lines().map(learner).collect();
    shown.sort_by(|a, b| a.0.cmp(&b.0));
    expected.sort_by(|a, b| a.0.cmp(&b.0));
    assert_eq!(expected.len(), 5200);
    assert!(shown == expected);
}

#[test]
fn every_line_of_csv_is_a_cell() {
    let text = plain::csv(&report(&[kept().join("locking")]));
    let lines: Vec<_> = csv::Reader::from_reader(text.as_bytes()).into_records().map(Result::unwrap).collect();
    let cells = recorded(&kept().join("locking"));
    assert_eq!(lines.len(), cells.len());
    for (line, cell) in lines.iter().zip(&cells) {
        assert_eq!((&line[3], &line[4], line[5].parse()), (&*cell.row, &*cell.metric.name, Ok(cell.value)));
    }
    let markdown = plain::markdown(&report(&[kept().join("locking")]));
    assert!(markdown.contains("| STRAT Std (4D/1H) | 36.1 (29.1 – 43.3) ? 33 |"), "{markdown}");
}

#[test]
fn one_small_file_without_a_network() {
    let page = html::render(&report(&[kept()]));
    assert!(page.len() < 5_000_000);
    for word in ["http://", "https://", "@import", "url(", "src=", "<link"] {
        let known = |at: usize| {
            page[at..].starts_with("http://www.w3.org/2000/svg")
                || page[at..].starts_with("src=\"data:image/svg+xml;")
        };
        let found = page.match_indices(word).find(|(at, _)| !known(*at));
        assert!(found.is_none(), "{word}: {:?}", &page[found.unwrap().0..][..100]);
    }
}

/// A copy of a kept run to do harm to.
fn copy(name: &str) -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let to = dir.path().join(name);
    std::fs::create_dir(&to).unwrap();
    for entry in std::fs::read_dir(kept().join(name)).unwrap() {
        let path = entry.unwrap().path();
        std::fs::copy(&path, to.join(path.file_name().unwrap())).unwrap();
    }
    (dir, to)
}

#[test]
fn an_unfinished_run_is_shown_as_far_as_it_is() {
    let (dir, run) = copy("locking");
    std::fs::remove_file(run.join("summary.json")).unwrap();
    let log = std::fs::read_to_string(run.join("learners.jsonl")).unwrap();
    let some: String = log.split_inclusive('\n').take(450).collect();
    std::fs::write(run.join("learners.jsonl"), some).unwrap();
    let page = html::render(&report(&[dir.path().into()]));
    assert!(page.contains("Not finished: 450 of 5200 learners"), "it says so");
    assert_eq!(figure(&page, "locking-errors").matches("class=\"mark dot\"").count(), 450);
    std::fs::remove_file(run.join("learners.jsonl")).unwrap();
    assert!(html::render(&report(&[dir.path().into()])).contains("0 of 5,200 learners"));
}

#[test]
fn what_cannot_be_read_is_named() {
    let empty = tempfile::tempdir().unwrap();
    assert!(matches!(collect(&[empty.path().into()]), Err(ReadError::NotARun(path)) if path == empty.path()));
    assert!(
        matches!(collect(&[empty.path().join("none")]), Err(ReadError::Io { path, .. }) if path.ends_with("none"))
    );
    let unread = |file: &str, change: &dyn Fn(String) -> String| {
        let (dir, run) = copy("lite");
        let text = std::fs::read_to_string(run.join(file)).unwrap();
        std::fs::write(run.join(file), change(text)).unwrap();
        // As it is, and with the checksums that it should have.
        [(); 2].map(|()| {
            let error = collect(&[dir.path().into()]).unwrap_err().to_string();
            reseal(&run);
            assert!(error.contains(file), "{error}");
            error
        })
    };
    let [changed, anew] = unread("cells.jsonl", &|_| "{}\n".into());
    assert!(changed.contains("3 bytes with checksum") && anew.contains("line 1"), "{changed}\n{anew}");
    let [changed, anew] = unread("summary.json", &|text| text.replacen("title", "titel", 1));
    assert!(changed.contains("checksum") && anew.contains("titel"), "{changed}\n{anew}");
    let [changed, anew] = unread("learners.jsonl", &|text| text.replacen("ood_mae", "ood_max", 1));
    assert!(changed.contains("line 1 is not as it was written"), "{changed}");
    assert!(anew.contains("line 1: seed 1 of row \"STRAT-Lite (fixed types)\" has no score \"ood_mae\""), "{anew}");
    let (dir, run) = copy("lite");
    std::fs::write(run.join("manifest.json"), "{").unwrap();
    let error = collect(&[dir.path().into()]).unwrap_err().to_string();
    assert!(error.contains("manifest.json") && error.contains("line 1"), "{error}");
}

/// Two runs of an experiment are compared seed by seed, and where they were made otherwise is said.
#[test]
fn runs_of_one_experiment_are_compared() {
    let (dir, run) = copy("lite");
    let manifest = run.join("manifest.json");
    let text = std::fs::read_to_string(&manifest).unwrap();
    std::fs::write(&manifest, text.replacen("\"steps\": 2000", "\"steps\": 1999", 1)).unwrap();
    let log = run.join("learners.jsonl");
    let text = std::fs::read_to_string(&log).unwrap();
    // Every error twice as large: so is the factor, without any spread.
    let double = |line: &str| {
        let (before, after) = line.split_once("\"ood_mae\":").unwrap();
        let (number, rest) = after.split_at(after.find([',', '}']).unwrap());
        format!("{before}\"ood_mae\":{}{rest}\n", 2.0 * number.parse::<f64>().unwrap())
    };
    std::fs::write(&log, text.lines().map(double).collect::<String>()).unwrap();
    reseal(&run);
    let report = report(&[kept().join("lite"), dir.path().into()]);
    let compared = report.sections.iter().find(|s| s.id == "compared-1").unwrap();
    let cell = compared.cells().find(|c| &*c.metric.name == "paired_ood_mae").unwrap();
    assert!((cell.value - 2.0).abs() < 1e-9 && cell.n == 50, "{cell:?}");
    let same = compared.cells().find(|c| &*c.metric.name == "paired_id_mae").unwrap();
    assert!((same.value - 1.0).abs() < 1e-9, "{same:?}");
    assert!(compared.notes[0].1.contains("1999"), "{:?}", compared.notes);
    let page = html::render(&report);
    assert_eq!(figure(&page, "compared-errors-1").matches("class=\"mark dot\"").count(), 100);
}

/// Names and notes come from files, and are no part of the page's code.
#[test]
fn nothing_in_a_file_becomes_markup() {
    let (dir, run) = copy("lite");
    let nasty = "<script>alert(1)</script>";
    for file in ["cells.jsonl", "summary.json"] {
        let text = std::fs::read_to_string(run.join(file)).unwrap();
        let changed = text.replace("STRAT-Lite", nasty).replace("OOD median", nasty);
        assert!(changed.contains(nasty), "{file}");
        std::fs::write(run.join(file), changed).unwrap();
    }
    reseal(&run);
    let report = report(&[dir.path().into()]);
    let page = html::render(&report);
    assert_eq!(page.matches("<script").count(), 1);
    assert!(page.contains("&lt;script&gt;alert(1)"));
    assert!(!plain::markdown(&report).contains(nasty));
}
