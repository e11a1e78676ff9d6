//! `strat report --html`: the page opens from disk without a network, and is what it should be.

use crate::browser::{Browser, Media};
use crate::look::{nobody_is_hindered, nothing_is_cut};
use crate::{saved, wait};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

fn strat(args: &[&str]) {
    let out = Command::new(env!("CARGO_BIN_EXE_strat")).args(args).env_remove("STRAT_ISA").output().unwrap();
    assert!(out.status.success(), "{args:?}: {}", String::from_utf8_lossy(&out.stderr));
}

/// Lines of JSON.
fn lines(file: &Path) -> Vec<Value> {
    std::fs::read_to_string(file).unwrap().lines().map(|l| serde_json::from_str(l).unwrap()).collect()
}

/// Small runs of everything that has a figure, as `strat reproduce all` lays them out.
fn runs(folder: &Path) {
    let out = |name: &str| folder.join(name).to_str().unwrap().to_string();
    strat(&["reproduce", "locking", "--learners", "6", "--out", &out("locking")]);
    strat(&["reproduce", "latent", "--learners", "3", "--out", &out("latent")]);
    strat(&["reproduce", "ablations", "--learners", "1", "--out", &out("ablations")]);
    strat(&["reproduce", "params", "--out", &out("params")]);
    let tasks = ["parity5", "threeof9"];
    let short = ["--epochs", "80", "--learners", "2", "--out", &out("tasks")];
    strat(&[&["reproduce", "tasks", "--only"], &tasks[..], &short].concat());
}

/// Marks of every figure, by its id: what the records have.
fn marks(folder: &Path) -> Vec<(&'static str, usize)> {
    let cells = |run: &str, metric: &str| {
        let all = lines(&folder.join(run).join("cells.jsonl"));
        let such = all.iter().filter(|c| c["metric"] == metric);
        such.map(|c| 1 + usize::from(!c["paper"].is_null())).sum::<usize>()
    };
    let sums = lines(&folder.join("latent/learners.jsonl"));
    let solving =
        sums.iter().filter(|l| l["row"] == "Arithmetic" && l["metrics"]["ood_mae"].as_f64() < Some(100.0));
    vec![
        ("locking-errors", 13 * 6),
        // The untrained have no losses.
        ("locking-losses", 12 * 40),
        // Three kinds of token of every learner that solves the task, or of the best; fifteen items.
        ("latent-types", 3 * solving.count().max(1) + 15),
        ("latent-errors", 2 * 3),
        ("latent-losses", 2 * 40),
        ("ablations-medians", cells("ablations", "id_mae_median") + cells("ablations", "ood_mae_median")),
        ("ablations-losses", 12 * 40),
        // Two tasks, in and out of distribution, ours and the paper's; then of two models each.
        ("tasks-lead", 2 * 2 * 2),
        ("tasks-accuracy", 2 * 2 * 2 * 2),
        ("tasks-shift", 2 * 2 * 2),
        ("tasks-losses", 2 * 2 * 40),
    ]
}

/// Words of figures that stand outside of their drawing.
const CUT: &str = "[...document.querySelectorAll('svg.chart')].flatMap((svg) => {
  const room = svg.getBoundingClientRect();
  const cut = (text) => {
    const box = text.getBoundingClientRect();
    return box.left < room.left - 1 || box.right > room.right + 1 || box.top < room.top - 1 || box.bottom > room.bottom + 1;
  };
  return [...svg.querySelectorAll('text')].filter(cut).map((text) => text.textContent);
})";

#[test]
fn a_report_opens_from_disk() {
    let Some(browser) = Browser::start() else { return };
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("runs");
    runs(&folder);
    let page = dir.path().join("report.html");
    strat(&["report", folder.to_str().unwrap(), "--html", page.to_str().unwrap()]);
    browser.offline();
    browser.size(1200, 900);
    browser.media(Media::Light);
    browser.open(&page);
    assert_eq!(browser.value("performance.getEntriesByType('resource').length"), 0);
    opening(&browser);

    let expected = marks(&folder);
    assert_eq!(browser.count("figure"), expected.len());
    for (id, count) in &expected {
        assert_eq!(browser.count(&format!("#{id} .mark")), *count, "{id}");
    }
    for (width, media) in [(1200, Media::Light), (380, Media::Light), (380, Media::Dark), (720, Media::Print)] {
        browser.size(width, 900);
        browser.media(media);
        let cut = browser.value(CUT);
        assert_eq!(cut.as_array().unwrap().len(), 0, "{width} px, {media:?}: {cut}");
    }
    browser.size(1200, 900);
    browser.media(Media::Light);

    nothing_is_cut(&browser);
    nobody_is_hindered(&browser);
    tables(&browser, &folder);
    pointing(&browser);
    saving(&browser, dir.path(), &expected);
    assert_eq!(browser.complaints(), [""; 0]);
}

/// It opens with sentences and a figure; sections are folded until they are asked for, and learners have addresses.
fn opening(browser: &Browser) {
    assert_eq!(browser.count(".findings p"), 3);
    assert_eq!(browser.value("document.querySelector('main figure').id"), "tasks-lead");
    assert_eq!(browser.count("section > details[open]"), 0);
    let address = browser.value("location.href");
    browser.go(&format!("{}#locking/seed=2", address.as_str().unwrap()));
    wait(browser, "document.getElementById('tip').textContent.includes(', seed 2: ')");
    let tip = browser.value("document.getElementById('tip').textContent");
    let place = browser.value("document.querySelector('#locking-errors .place').textContent");
    assert!(place.as_str().unwrap().contains("--seed 2 --html"), "{place}");
    assert_eq!(browser.count("section > details[open]"), 1);
    // The keyboard goes from mark to mark.
    browser.press('\u{e014}');
    let next = browser.value("document.getElementById('tip').textContent");
    assert_ne!(next, tip);
    browser.run("document.querySelectorAll('details').forEach((fold) => { fold.open = true; });");
}

/// Runs without weights: the figure that was drawn when they were made is shown as an image.
#[test]
fn kept_runs_open_too() {
    let Some(browser) = Browser::start() else { return };
    let dir = tempfile::tempdir().unwrap();
    let page = dir.path().join("report.html");
    let runs = concat!(env!("CARGO_MANIFEST_DIR"), "/../../results/all");
    strat(&["report", runs, "--html", page.to_str().unwrap()]);
    browser.offline();
    browser.size(380, 800);
    browser.open(&page);
    browser.run("document.querySelectorAll('details').forEach((fold) => { fold.open = true; });");
    nothing_is_cut(&browser);
    browser.size(380, 800);
    assert_eq!((browser.count("section"), browser.count("#locking-errors .mark")), (8, 5200));
    assert_eq!(browser.value("document.querySelector('#latent-types img').naturalWidth > 100"), true);
    assert_eq!(browser.value("document.documentElement.scrollWidth"), 380);
    browser.downloads(dir.path());
    let kept = std::fs::read_to_string(Path::new(runs).join("latent/latent-types.svg")).unwrap();
    assert!(saved(&browser, "#latent-types .save", &dir.path().join("latent-types.svg")) == kept);
    assert_eq!(browser.complaints(), [""; 0]);
}

/// Table 6 has the means of the learners' scores.
fn tables(browser: &Browser, folder: &Path) {
    for (task, title) in [("parity5", "PMLB Parity5"), ("threeof9", "PMLB ThreeOf9")] {
        for (row, name) in [("STRAT", "strat"), ("Transformer", "transformer")] {
            for split in ["id_accuracy", "ood_accuracy"] {
                let learners = lines(&folder.join("tasks").join(task).join("learners.jsonl"));
                let such = learners.iter().filter(|l| l["row"] == row);
                let scores: Vec<f64> = such.map(|l| l["metrics"][split].as_f64().unwrap()).collect();
                assert_eq!(scores.len(), 2);
                let cell = format!("td[data-row=\"{title}\"][data-metric=\"{name}_{split}\"]");
                let shown = browser.value(&format!("document.querySelector('{cell}').dataset.value"));
                let shown: f64 = shown.as_str().unwrap().parse().unwrap();
                assert_eq!(shown, (scores[0] + scores[1]) / 2.0, "{cell}");
            }
        }
    }
}

/// Pointing at a mark says what it is, and the picture changes.
fn pointing(browser: &Browser) {
    for mark in ["#locking-errors .mark", "#tasks-accuracy .mark", "#ablations-medians circle.mark"] {
        browser.hover("h1");
        assert_eq!(browser.value("document.getElementById('tip').hidden"), true);
        let look = format!("getComputedStyle(document.querySelector('{mark}')).stroke");
        let before = browser.value(&look);
        browser.hover(mark);
        assert_ne!(browser.value(&look), before, "{mark}");
        let tip = browser.value("document.getElementById('tip').innerText");
        let said = browser.value(&format!("document.querySelector('{mark}').dataset.tip"));
        assert!(!said.as_str().unwrap().is_empty() && tip == said, "{mark}: {tip}");
    }
    browser.hover("h1");
}

/// Every figure is saved as a file of its own that has all its marks.
fn saving(browser: &Browser, folder: &Path, figures: &[(&str, usize)]) {
    browser.downloads(folder);
    for (id, count) in figures {
        let text = saved(browser, &format!("#{id} .save"), &folder.join(format!("{id}.svg")));
        assert_eq!(text.matches("<title>").count(), *count, "{id}: every mark says what it is");
        assert!(!text.contains("var(") && !text.contains("class="), "{id}: it brings its looks along");
    }
    for (id, _) in figures {
        browser.open(&folder.join(format!("{id}.svg")));
        let drawn =
            browser.value("document.documentElement.tagName + document.querySelectorAll('parsererror').length");
        assert_eq!(drawn, "svg0", "{id}");
        let size = browser.value("document.documentElement.getBoundingClientRect().height > 100");
        assert_eq!(size, true, "{id}");
    }
}
