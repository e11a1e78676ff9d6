//! `strat report --html`: the page opens from disk without a network, and is what it should be.

use crate::browser::{Browser, Media};
use crate::look::{drawings_are_read, keyboard_reaches_every_mark, nobody_is_hindered, nothing_is_cut};
use crate::microscope::every_configuration_is_computed_here;
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
    circuits(&browser, &folder);

    let expected = marks(&folder);
    assert_eq!(browser.count("figure[id]"), expected.len());
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
    assert!(drawings_are_read(&browser) > 200);
    nobody_is_hindered(&browser);
    // And to those of the circuit that is open.
    assert!(keyboard_reaches_every_mark(&browser) > expected.iter().map(|(_, count)| *count as u64).sum());
    on_paper(&browser);
    tables(&browser, &folder);
    pointing(&browser);
    saving(&browser, dir.path(), &expected);
    assert_eq!(browser.complaints(), [""; 0]);
    every_configuration_is_computed_here(
        &browser,
        &folder.join("ablations"),
        &dir.path().join("configurations.html"),
    );
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

/// From a dot to that learner's circuit, which the page computes itself as the library does.
fn circuits(browser: &Browser, folder: &Path) {
    let run = folder.join("locking").to_str().unwrap().to_string();
    for row in ["Baseline (Config A)", "STRAT Flat MH (2D/2H)", "STRAT Std (4D/1H), annealed", "Std, untrained"] {
        // As someone clicks it.
        browser.run(&format!(
            "document.querySelector('#locking-errors [data-of=\"{row}#2\"]').dispatchEvent(new Event('click', {{ bubbles: true }}));"
        ));
        assert_eq!(browser.count("#locking-errors .circuit"), 1);
        let args =
            ["inspect", &run, "--row", row, "--seed", "2", "--json", "--example", "3100 + 2450 - 2025 + 2900"];
        let told = Command::new(env!("CARGO_BIN_EXE_strat")).args(args).output().unwrap();
        let told: Value = serde_json::from_slice(&told.stdout).unwrap();
        let here = browser.value(&format!(
            "(() => {{ const l = learnerAt('locking', '{row}', '2');
               return [...forward(l.in_page, l.weights, parseSum(FIRST_SUM).tokens).get('output').values][0] }})()"
        ));
        let (here, told) = (here.as_f64().unwrap(), told["arrays"]["output"]["values"][0].as_f64().unwrap());
        assert!((here - told).abs() <= 1e-5 * told.abs().max(6000.0), "{row}: {here}, not {told}");
        let said = browser.value("document.querySelector('#locking-errors .said').textContent");
        assert!(said.as_str().unwrap().contains("right is 6425"), "{said}");
    }
    // Its address is that of the learner.
    let address = browser.value("decodeURIComponent(location.hash)");
    assert_eq!(address, "#locking/seed=2&row=Std,+untrained");
    // Another sum; and a gate is forced with the keyboard alone.
    let said = || browser.value("document.querySelector('#locking-errors .said').textContent");
    browser.run(
        "const f = document.querySelector('.bench input'); f.value = '7 - 5'; f.dispatchEvent(new Event('input'));",
    );
    assert!(said().as_str().unwrap().contains("right is 2 "), "{}", said());
    let free = said();
    browser.run("document.querySelector('.bench .circuit').focus();");
    let tip = || browser.value("document.getElementById('tip').textContent").as_str().unwrap().to_string();
    for _ in 0..20 {
        browser.press('\u{e014}');
        if tip().contains("gate of D0") {
            break;
        }
    }
    browser.press('\u{e007}');
    assert_ne!(said(), free);
    assert_eq!(browser.count(".bench .forced"), 1);
    browser.run(
        "const g = document.querySelector('.bench input'); g.value = '7 - x'; g.dispatchEvent(new Event('input'));",
    );
    assert_eq!(
        browser.value("document.querySelector('.bench .trouble').textContent.includes('\"x\" should be a number')"),
        true
    );
}

/// On paper nothing is folded, a table stays a table that is as wide as the page at most, and no row is torn.
fn on_paper(browser: &Browser) {
    browser.run("document.querySelectorAll('details').forEach((fold) => { fold.open = false; });");
    browser.media(Media::Print);
    // A4 less its margins.
    browser.size(700, 900);
    browser.run("dispatchEvent(new Event('beforeprint'));");
    assert_eq!((browser.count("details:not([open])"), browser.count(".stack")), (0, 0));
    let wide = "[...document.querySelectorAll('table, figure, pre')].filter((e) => e.getBoundingClientRect().right > innerWidth + 1).map((e) => e.textContent.slice(0, 60))";
    assert_eq!(browser.value(wide), serde_json::json!([]));
    let torn = "[...document.querySelectorAll('tr, figure, li')].filter((e) => getComputedStyle(e).breakInside !== 'avoid').length";
    assert_eq!(browser.value(torn), 0);
    assert_eq!(browser.value("getComputedStyle(document.querySelector('.place')).display"), "none");
    browser.run("dispatchEvent(new Event('afterprint'));");
    assert!(browser.count("details:not([open])") > 4);
    browser.media(Media::Light);
    browser.size(1200, 900);
    browser.run("document.querySelectorAll('details').forEach((fold) => { fold.open = true; });");
}

/// Several runs: their learners in one figure, and what follows from it.
#[test]
fn runs_are_compared() {
    let Some(browser) = Browser::start() else { return };
    let dir = tempfile::tempdir().unwrap();
    let page = dir.path().join("report.html");
    let results = concat!(env!("CARGO_MANIFEST_DIR"), "/../../results");
    let runs = ["presets/sharp-start/m-of-n", "presets/recipe/m-of-n", "all/tasks/m-of-n"]
        .map(|run| format!("{results}/{run}"));
    strat(&["report", &runs[0], &runs[1], &runs[2], "--html", page.to_str().unwrap()]);
    browser.offline();
    browser.size(1366, 900);
    browser.open(&page);
    browser.run("document.querySelectorAll('details').forEach((fold) => { fold.open = true; });");
    let titles = browser.value("[...document.querySelectorAll('section h2')].map((h) => h.textContent)");
    assert_eq!(titles[0], "PMLB M-of-N in sharp-start/m-of-n");
    assert_eq!(titles[3], "sharp-start/m-of-n and recipe/m-of-n");
    // In and out of distribution, ten learners of two models in two runs.
    assert_eq!(browser.count("#compared-errors-1 .chart"), 2);
    assert_eq!(browser.count("#compared-errors-1 .mark"), 2 * 2 * 2 * 10);
    let caption = browser.value("document.querySelector('#compared-errors-1 figcaption').textContent");
    assert!(
        caption.as_str().unwrap().starts_with("Out of distribution the second run is better for "),
        "{caption}"
    );
    nothing_is_cut(&browser);
    nobody_is_hindered(&browser);
    drawings_are_read(&browser);
    assert_eq!(browser.complaints(), [""; 0]);
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
