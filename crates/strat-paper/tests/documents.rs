//! Documents say what is there: every relative link and anchor leads somewhere, every table of results is the one of the
//! kept run, and boards are legal.
//!
//! A table stands below a line `<!-- kept: NAME -->`, in a block of text. `STRAT_WRITE=1 cargo test -p strat --test documents`
//! writes these blocks anew.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use strat::config::Preset;
use strat::result::{Cell, Verdict};
use strat_paper::experiment::table6;
use strat_paper::report::collect::{Run, collect};
use strat_paper::table;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// Every document of the repository.
fn documents() -> Vec<PathBuf> {
    let (mut found, mut folders) = (vec![], vec![root()]);
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()) {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.is_dir() && name != "target" && !name.starts_with('.') {
                folders.push(path);
            } else if name.ends_with(".md") {
                found.push(path);
            }
        }
    }
    found
}

/// Lines outside of blocks of code.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut inside = false;
    text.lines().filter(move |line| {
        let fence = line.trim_start().starts_with("```");
        inside ^= fence;
        !inside && !fence
    })
}

/// Where links lead: `[words](target)`, and reference definitions.
fn targets(text: &str) -> Vec<String> {
    let mut found = vec![];
    for line in prose(text) {
        // What stands between backticks is no link.
        let plain: String = line.split('`').step_by(2).collect::<Vec<_>>().join("");
        found.extend(plain.split("](").skip(1).filter_map(|rest| Some(rest.split_once(')')?.0.to_string())));
        if let Some((name, target)) = plain.split_once("]: ")
            && name.starts_with('[')
        {
            found.push(target.trim().into());
        }
    }
    found
}

/// The anchors of a document's headings, as GitHub makes them.
fn anchors(text: &str) -> Vec<String> {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let headings = prose(text).filter(|line| line.starts_with('#'));
    headings
        .map(|line| {
            let words = line.trim_start_matches('#').trim().to_lowercase();
            let kept = words.chars().filter(|c| c.is_alphanumeric() || "-_ ".contains(*c));
            let slug: String = kept.map(|c| if c == ' ' { '-' } else { c }).collect();
            let times = seen.entry(slug.clone()).or_default();
            *times += 1;
            if *times == 1 { slug } else { format!("{slug}-{}", *times - 1) }
        })
        .collect()
}

/// The links of a document that lead nowhere.
fn dead(document: &Path, text: &str) -> Vec<String> {
    let leads = |target: &String| {
        let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
        if file.is_empty() {
            return anchors(text).contains(&anchor.to_string());
        }
        let path = document.parent().unwrap().join(file);
        let has =
            || std::fs::read_to_string(&path).is_ok_and(|other| anchors(&other).contains(&anchor.to_string()));
        path.exists() && (anchor.is_empty() || has())
    };
    let relative = |target: &String| !["https://", "http://", "mailto:"].iter().any(|s| target.starts_with(s));
    targets(text).into_iter().filter(relative).filter(|t| !leads(t)).collect()
}

#[test]
fn no_link_is_dead() {
    let all = documents();
    assert!(all.iter().any(|p| p.ends_with("README.md")) && all.len() > 8, "{all:?}");
    let mut links = 0;
    for path in all {
        let text = std::fs::read_to_string(&path).unwrap();
        links += targets(&text).len();
        assert_eq!(dead(&path, &text), [""; 0], "{}", path.display());
    }
    assert!(links > 50, "{links}");
}

#[test]
fn dead_links_are_found() {
    let text = "# One\n## The data-set tasks (§7, Table 6)\n## One\n[a](#one-1) [b](#the-data-set-tasks-7-table-6) [c](README.md)\n\
                [d](#two) [e](NO.md) [f](README.md#nowhere) `[g](code)`\n```\n[h](block)\n```\n[i]: none.md\n";
    assert_eq!(dead(&root().join("x.md"), text), ["#two", "NO.md", "README.md#nowhere", "none.md"]);
}

/// What the kept run shows, by name: the table as the command prints it, and its checks.
fn kept() -> BTreeMap<String, String> {
    let runs = collect(&[root().join("results/all")]).unwrap();
    let (tasks, others): (Vec<&Run>, Vec<&Run>) = runs.iter().partition(|run| run.is_of_tasks());
    let shown = |run: &&Run| {
        let summary = run.summary.as_ref().expect("it is complete");
        let checks = table::checks(&summary.checks);
        let text = format!("{}\n\n{}{checks}", summary.title, table::render(&summary.cells));
        (run.folder.manifest.experiment.clone(), text)
    };
    let scores: Vec<_> = tasks.iter().flat_map(|run| &run.rows).filter_map(table6::Scores::of).collect();
    let table = table6::cells(&scores);
    let cells = others.iter().filter_map(|run| run.summary.as_ref()).flat_map(|s| &s.cells).chain(&table);
    let tally = Verdict::tally(cells.filter_map(|c| c.verdict));
    let more = [("tasks".to_string(), table6::render(&table)), ("tally".to_string(), tally)];
    let all = others.iter().map(shown).chain(more).chain(parts(&others)).chain(presets(&scores));
    all.chain(ablations()).chain([attractors()]).collect()
}

/// Table 6 under each preset on the data sets of `results/presets`, and how the presets compare. What is as specified is
/// that of `results/all`.
fn presets(specified: &[table6::Scores]) -> Vec<(String, String)> {
    let of = |name: &str| -> Vec<table6::Scores> {
        let runs = collect(&[root().join("results/presets").join(name)]).unwrap();
        runs.iter().flat_map(|run| &run.rows).filter_map(table6::Scores::of).collect()
    };
    let others = ["sharp-start", "recipe"].map(|name| (name, of(name)));
    let is_there = |scores: &&table6::Scores| others[0].1.iter().any(|other| other.task == scores.task);
    let specified = ("as-specified", specified.iter().filter(is_there).cloned().collect());
    let tables = [specified].into_iter().chain(others).map(|(name, scores)| {
        let preset = Preset::ALL.iter().find(|preset| preset.name == name).expect("it has this name");
        (preset, table6::cells(&scores))
    });
    let tables: Vec<(&Preset, Vec<Cell>)> = tables.collect();
    let each = tables.iter().map(|(preset, cells)| (format!("tasks, {}", preset.name), table6::render(cells)));
    each.chain([("presets".to_string(), table6::compared(&tables))]).collect()
}

/// What the ablations come to, as specified and with PyTorch's start and clipped gradients.
fn ablations() -> [(String, String); 2] {
    [("ablations, tally", "results/all/ablations"), ("clipped", "results/clipped")].map(|(name, folder)| {
        let runs = collect(&[root().join(folder)]).unwrap();
        let cells = &runs[0].summary.as_ref().expect("it is complete").cells;
        (name.into(), Verdict::tally(cells.iter().filter_map(|c| c.verdict)))
    })
}

/// Rows that the paper has, and those that it does not have, where a run has both.
fn parts(runs: &[&Run]) -> Vec<(String, String)> {
    let mut parts = vec![];
    for run in runs {
        let (name, summary) = (&run.folder.manifest.experiment, run.summary.as_ref().expect("it is complete"));
        let (paper, ours): (Vec<Cell>, Vec<Cell>) = summary.cells.iter().cloned().partition(|c| c.paper.is_some());
        parts
            .push((format!("{name}, the paper's rows"), format!("{}\n\n{}", summary.title, table::render(&paper))));
        parts.push((format!("{name}, other rows"), table::render(&ours)));
    }
    parts
}

/// What the gates of a thousand learners do.
fn attractors() -> (String, String) {
    let runs = collect(&[root().join("results/lite-1000")]).unwrap();
    let summary = runs[0].summary.as_ref().expect("it is complete");
    let kinds = summary.notes.split("\n\n").next().unwrap_or_default();
    ("attractors".into(), format!("{}\n\n{}\n{kinds}\n", summary.title, table::render(&summary.cells)))
}

/// A document with its blocks as they should be, and how many it has.
fn with_tables(text: &str, kept: &BTreeMap<String, String>) -> (String, usize) {
    let mut parts = text.split("<!-- kept: ");
    let (mut out, mut blocks) = (parts.next().unwrap_or_default().to_string(), 0);
    for part in parts {
        let (name, rest) = part.split_once(" -->").expect("the comment ends");
        let table = kept.get(name).unwrap_or_else(|| panic!("there is no {name} among the kept runs"));
        let (_, rest) = rest.split_once("```text\n").expect("a block follows");
        // A block may be empty.
        let (_, rest) = rest.split_once("```").expect("the block ends");
        out += &format!("<!-- kept: {name} -->\n\n```text\n{}\n```{rest}", table.trim_end());
        blocks += 1;
    }
    (out, blocks)
}

#[test]
fn tables_are_those_of_the_kept_run() {
    let (kept, mut blocks) = (kept(), 0);
    for path in documents() {
        let text = std::fs::read_to_string(&path).unwrap();
        let (expected, count) = with_tables(&text, &kept);
        blocks += count;
        if text != expected && std::env::var_os("STRAT_WRITE").is_some() {
            std::fs::write(&path, &expected).unwrap();
        } else if text != expected {
            let differs = text.lines().zip(expected.lines()).find(|(a, b)| a != b);
            panic!("{}: {differs:?}\nSTRAT_WRITE=1 writes the tables of the kept run", path.display());
        }
    }
    assert!(blocks >= 7, "{blocks} tables");
}

#[test]
fn a_changed_digit_is_seen() {
    let kept = BTreeMap::from([("a".to_string(), "27.5 %\n".to_string())]);
    let good = "x\n<!-- kept: a -->\n\n```text\n27.5 %\n```\ny\n";
    assert_eq!(with_tables(good, &kept), (good.to_string(), 1));
    assert_ne!(with_tables(&good.replace("27.5", "27.6"), &kept).0, good.replace("27.5", "27.6"));
    let empty = "x\n<!-- kept: a -->\n\n```text\n```\ny\n```rust\n```\n";
    assert_eq!(with_tables(empty, &kept).0, format!("{good}```rust\n```\n"));
}

/// Whether a game can have come to this board: x begins, nobody moves after the end.
fn is_legal(board: &str) -> bool {
    const LINES: [[usize; 3]; 8] =
        [[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8], [2, 4, 6]];
    let cells: Vec<char> = board.chars().collect();
    let count = |who| cells.iter().filter(|c| **c == who).count();
    let wins = |who| LINES.iter().any(|line| line.iter().all(|&i| cells[i] == who));
    let (x, o) = (count('x'), count('o'));
    cells.len() == 9
        && match (wins('x'), wins('o')) {
            (true, true) => false,
            (true, false) => x == o + 1,
            (false, true) => x == o,
            (false, false) => x == o || x == o + 1,
        }
}

#[test]
fn boards_are_legal() {
    // What once stood there: x has won and there are five of them beside three o, and another was a mixture.
    assert!(!is_legal("xxxoob_o_") && !is_legal("xxxooo___") && !is_legal("xxx______") && is_legal("xxxoo____"));
    let mut boards = 0;
    for path in documents() {
        let text = std::fs::read_to_string(&path).unwrap();
        for word in text.split([' ', '\n', '`', '"', '\'']) {
            let like = word.len() == 9 && word.chars().all(|c| "xob_.".contains(c)) && word.contains('x');
            if like && word.contains('o') {
                boards += 1;
                assert!(is_legal(&word.replace(['.', '_'], "b")), "{}: {word}", path.display());
            }
        }
    }
    assert!(boards > 0);
}
