//! The microscope's page: learners at work, from disk and live.

use crate::browser::{Browser, Media};
use crate::saved;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

fn strat(args: &[&str]) -> String {
    let done = Command::new(env!("CARGO_BIN_EXE_strat")).args(args).output().unwrap();
    assert!(done.status.success(), "{args:?}: {}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).unwrap()
}

/// Waits for an expression to be true.
fn wait(browser: &Browser, expression: &str) {
    let start = Instant::now();
    while browser.value(expression) != true {
        assert!(start.elapsed() < Duration::from_secs(120), "{expression} does not come true");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Moves a slider as the keyboard does.
fn page_data(browser: &Browser, id: &str, to: usize) {
    let set = format!("r.value = {to}; r.dispatchEvent(new Event('input', {{ bubbles: true }}))");
    browser.value(&format!("(() => {{ const r = document.getElementById('{id}'); {set}; return true }})()"));
}

fn text(browser: &Browser, selector: &str) -> String {
    let found = browser.value(&format!("document.querySelector({}).textContent", json!(selector)));
    found.as_str().unwrap().to_string()
}

fn no_sideways_scroll(browser: &Browser) {
    let [wide, room] =
        ["scrollWidth", "clientWidth"].map(|w| browser.value(&format!("document.documentElement.{w}")));
    assert_eq!(wide, room, "no horizontal scroll");
}

/// Where `STRAT_SCREENSHOTS` names a folder, what is seen is kept there.
fn keep(browser: &Browser, name: &str) {
    if let Some(folder) = std::env::var_os("STRAT_SCREENSHOTS") {
        std::fs::write(Path::new(&folder).join(format!("{name}.png")), browser.picture()).unwrap();
    }
}

#[test]
fn two_learners_side_by_side() {
    let Some(browser) = Browser::start() else { return };
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
    let (run, html) = (at("lite"), at("page.html"));
    strat(&["reproduce", "lite", "--learners", "2", "--out", &run]);
    let examples = ["--example", "12 + 3 - 5", "--example", "40 - 7"];
    let learners = ["--seed", "1", "--seed", "2", "--snapshots", "9"];
    strat(&[&["microscope", &run, "--html", &html][..], &examples, &learners].concat());
    browser.offline();
    browser.size(1400, 1000);
    browser.open(Path::new(&html));
    assert_eq!(browser.complaints(), Vec::<String>::new());

    // Of five tokens: the table has six columns; then nine moments; Type 4, Data 2, routes 5 and gates 2 wide; both
    // streams again; and what is fetched, held back and written.
    let marks = 5 * 6 + 9 + 5 * (4 + 2) + 5 * 5 + 5 * 2 + 5 * (4 + 2) + 5 * (4 + 2 + 2);
    assert_eq!((browser.count(".learner"), browser.count(".learner:first-child .cell")), (2, marks));
    let figures = browser.count("figure");
    assert_eq!((browser.count("figure button"), browser.count("figure svg")), (figures, figures));
    keep(&browser, "two");

    // Numbers are those of the record.
    let line = strat(&["inspect", &run, "--seed", "1", "--example", "12 + 3 - 5", "--json"]);
    let inspected: Value = serde_json::from_str(&line).unwrap();
    assert!(text(&browser, ".said").contains(inspected["said"]["words"].as_str().unwrap()));
    for (name, array) in inspected["arrays"].as_object().unwrap() {
        let shown =
            browser.value(&format!("[...unpack(data.learners[0].frames[0][8]).get({}).values]", json!(name)));
        for (shown, value) in shown.as_array().unwrap().iter().zip(array["values"].as_array().unwrap()) {
            assert_eq!(shown.as_f64().unwrap() as f32, value.as_f64().unwrap() as f32, "{name}");
        }
    }
    let route = inspected["arrays"]["block.0.routes"]["values"][23].as_f64().unwrap();
    let picture = ".learner svg[aria-label^=Routes]";
    assert_eq!(browser.value("document.getElementById('tip').hidden"), true);
    browser.hover(&format!("{picture} [data-i='23']"));
    assert_eq!(text(&browser, "#tip"), format!("block.0.routes · 5 fetches from −: {route:.4}"));
    assert!(browser.count("svg .lit") > 2 && browser.count(&format!("{picture} .hit")) == 1);

    // Training, scrubbed.
    let before =
        (text(&browser, ".said"), browser.value(&format!("document.querySelector('{picture}').outerHTML")));
    page_data(&browser, "moment", 0);
    let after = (text(&browser, ".said"), browser.value(&format!("document.querySelector('{picture}').outerHTML")));
    assert!(before.0 != after.0 && before.1 != after.1);
    assert_eq!(text(&browser, "#moment + output"), "step 0");
    browser.click("#moment");
    page_data(&browser, "moment", 8);
    assert_eq!(text(&browser, ".said"), before.0);

    // Another example.
    let choose = "(() => { const e = document.getElementById('example'); e.value = 1; \
                  e.dispatchEvent(new Event('change')); return true })()";
    browser.value(choose);
    assert!(text(&browser, ".said").contains("right is 33"));
    assert_eq!(browser.count(&format!(".learner:first-child {} .cell", "svg[aria-label^=Routes]")), 9);

    // A picture as a file.
    browser.downloads(folder.path());
    browser.click("figure button");
    let file = folder.path().join("how-the-value-travels-cut-paste-sum.svg");
    let svg = saved(&file);
    assert!(!svg.contains("var(") && svg.contains("xmlns="), "it stands for itself");
    browser.open(&file);
    assert_eq!(browser.value("document.documentElement.tagName"), "svg");
    assert_eq!((browser.count("parsererror"), browser.count(".cell")), (0, 18));

    // On a phone, and in the dark.
    browser.open(Path::new(&html));
    let light = browser.value("getComputedStyle(document.body).backgroundColor");
    browser.size(380, 800);
    browser.media(Media::Dark);
    no_sideways_scroll(&browser);
    assert_ne!(browser.value("getComputedStyle(document.body).backgroundColor"), light);
    keep(&browser, "phone");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn both_models_of_a_task() {
    let Some(browser) = Browser::start() else { return };
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
    let (run, html) = (at("parity5"), at("page.html"));
    strat(&["train", "parity5", "--model", "both", "--seeds", "41..41", "--epochs", "20", "--out", &run]);
    strat(&["microscope", &run, "--row", "STRAT", "--row", "Transformer", "--snapshots", "4", "--html", &html]);
    browser.offline();
    browser.size(1400, 1000);
    browser.open(Path::new(&html));
    assert_eq!(browser.complaints(), Vec::<String>::new());
    // Four heads of eleven tokens each.
    let routes = ".learner:first-child svg[aria-label^=Routes]";
    assert_eq!((browser.count(routes), browser.count(&format!("{routes} .cell"))), (4, 4 * 11 * 11));
    let before = browser.value(&format!("document.querySelector('{routes}').outerHTML"));
    page_data(&browser, "block", 1);
    assert_ne!(browser.value(&format!("document.querySelector('{routes}').outerHTML")), before);
    assert_eq!(text(&browser, "#block + output"), "1 of 0–1");
    keep(&browser, "task");
    browser.size(380, 800);
    no_sideways_scroll(&browser);
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn live_examples() {
    let Some(browser) = Browser::start() else { return };
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("lite").to_str().unwrap().to_string();
    strat(&["reproduce", "lite", "--learners", "3", "--out", &run]);
    let mut server =
        Command::new(env!("CARGO_BIN_EXE_strat")).args(["serve", &run]).stdout(Stdio::piped()).spawn().unwrap();
    let mut address = String::new();
    BufReader::new(server.stdout.take().unwrap()).read_line(&mut address).unwrap();
    browser.size(1400, 1000);
    browser.go(address.trim());
    assert_eq!(browser.count(".learner"), 1);

    let look = |typed: &str| {
        browser.value(&format!(
            "(() => {{ document.getElementById('text').value = {}; return true }})()",
            json!(typed)
        ));
        browser.click("#typed button");
    };
    look("100 - 58");
    wait(&browser, "document.querySelector('.said').textContent.includes('right is 42')");
    assert_eq!(browser.count("#example option"), 4);
    browser.value(
        "(() => { const r = document.getElementById('right'); r.value = 2; r.dispatchEvent(new Event('change')); return true })()",
    );
    wait(&browser, "document.querySelectorAll('.learner').length === 2");
    assert!(text(&browser, ".learner:nth-child(2) h2").contains("seed 3"));
    keep(&browser, "live");
    assert_eq!(browser.complaints(), Vec::<String>::new());

    look("100 - many");
    wait(&browser, "!document.getElementById('trouble').hidden");
    assert!(text(&browser, "#trouble").contains("\"many\" should be a number"));
    assert_eq!(browser.count(".learner"), 2, "what was there stays");
    server.kill().unwrap();
    server.wait().unwrap();
}
