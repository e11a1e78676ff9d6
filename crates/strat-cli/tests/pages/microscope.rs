//! The microscope's page: learners at work, from disk and live.

use crate::browser::{Browser, Media};
use crate::look::{drawings_are_read, keyboard_reaches_every_mark, nobody_is_hindered, nothing_is_cut};
use crate::{saved, wait};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

fn strat(args: &[&str]) -> String {
    let done = Command::new(env!("CARGO_BIN_EXE_strat")).args(args).output().unwrap();
    assert!(done.status.success(), "{args:?}: {}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).unwrap()
}

/// Moves a slider as the keyboard does.
fn page_data(browser: &Browser, id: &str, to: usize) {
    let set = format!("r.value = {to}; r.dispatchEvent(new Event('input', {{ bubbles: true }}))");
    browser.value(&format!("(() => {{ const r = document.getElementById('{id}'); {set}; return true }})()"));
}

pub fn text(browser: &Browser, selector: &str) -> String {
    let found = browser.value(&format!("document.querySelector({}).textContent", json!(selector)));
    found.as_str().unwrap().to_string()
}

/// Where `STRAT_SCREENSHOTS` names a folder, what is seen is kept there.
pub fn keep(browser: &Browser, name: &str) {
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

    circuit(&browser);
    browser.click("#arrays");
    // Of five tokens, without the circuit: the table has six columns; then nine moments; Type 4, Data 2, routes 5 and gates 2 wide; both
    // streams again; and what is fetched, held back and written.
    let marks = 5 * 6 + 9 + 5 * (4 + 2) + 5 * 5 + 5 * 2 + 5 * (4 + 2) + 5 * (4 + 2 + 2);
    let drawn = browser.count(".learner:first-child .cell") - browser.count(".learner:first-child .circuit .cell");
    assert_eq!((browser.count(".learner"), drawn), (2, marks));
    // Two of Type, two of Data, gates, what is fetched, held back and written have their numbers on them.
    assert_eq!(browser.count("rect.cell + text.number[style]"), 2 * 5 * (2 * (4 + 2) + 2 + 4 + 2 + 2));
    assert!(drawings_are_read(&browser) > 200);
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
    let file = folder.path().join("the-circuit.svg");
    let svg = saved(&browser, "figure button", &file);
    assert!(!svg.contains("var(") && svg.contains("xmlns="), "it stands for itself");
    browser.open(&file);
    assert_eq!(browser.value("document.documentElement.tagName"), "svg");
    assert_eq!((browser.count("parsererror"), browser.count(".circuit")), (0, 1));

    // On a phone, and in the dark.
    browser.open(Path::new(&html));
    let light = browser.value("getComputedStyle(document.body).backgroundColor");
    browser.click("#arrays");
    assert!(keyboard_reaches_every_mark(&browser) > 200);
    nothing_is_cut(&browser);
    nobody_is_hindered(&browser);
    browser.size(380, 800);
    browser.media(Media::Dark);
    assert_ne!(browser.value("getComputedStyle(document.body).backgroundColor"), light);
    keep(&browser, "phone");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

/// What the page computes itself is what the library computed: in f32, with sums in another order, so that the last digits may
/// differ (in A_s, which reads in units of 5,000, a few more). Gives how many passes were compared.
fn computed_here(browser: &Browser) -> u64 {
    let found = browser.value(
        "(() => {
          let [count, apart] = [0, []];
          for (const l of data.learners) data.examples.forEach((example, e) => l.frames[e].forEach((frame, m) => {
            const here = forward(l.in_page, ownWeights(l, m), example.tokens);
            count += 1;
            for (const [name, { values }] of unpack(frame)) {
              const most = values.reduce((a, x) => Math.max(a, Math.abs(x)), 1);
              const off = Math.max(...values.map((x, i) => Math.abs(x - here.get(name).values[i]))) / most;
              if (!(off < 1e-4)) apart.push(`${l.row}, ${example.text}, ${name}: ${off}`);
            }
          }));
          return [count, apart];
        })()",
    );
    assert!(found[1].as_array().unwrap().is_empty(), "{found:#}");
    found[0].as_u64().unwrap()
}

/// Types a sum that the page computes itself.
fn type_sum(browser: &Browser, sum: &str) {
    browser.run(&format!(
        "const t = document.getElementById('text'); t.value = {}; t.dispatchEvent(new Event('input', {{ bubbles: true }}));",
        json!(sum)
    ));
}

/// The circuit comes first; the page computes other sums itself, as the library does, and lets gates be forced.
fn circuit(browser: &Browser) {
    assert_eq!(browser.count(".circuit"), 2);
    let label = browser.value("document.querySelector('.circuit').getAttribute('aria-label')");
    assert!(label.as_str().unwrap().contains("adds"), "it has words for those who do not see it: {label}");
    assert_eq!(computed_here(browser), 2 * 2 * 9);
    assert_eq!(browser.value("data.learners[0].in_page.weights.length"), 9);
    let said = || text(browser, ".said");
    type_sum(browser, "1000 + 7 − 2.5");
    assert!(said().contains("right is 1004.5"), "{}", said());
    type_sum(browser, "1000 + x");
    assert!(text(browser, "#trouble").contains("\"x\" should be a number") && said().contains("right is 1004.5"));
    type_sum(browser, "12 + 3 - 5");
    assert!(said().contains("right is 10") && browser.value("document.getElementById('trouble').hidden") == true);

    // A gate is forced with the keyboard alone: another answer; then it is let go.
    let before = said();
    browser.run("document.querySelector('.circuit').focus();");
    let tip = || text(browser, "#tip");
    for _ in 0..40 {
        browser.press('\u{e014}');
        if tip().contains("gate of D0") {
            break;
        }
    }
    assert!(tip().contains("gate of D0"), "{}", tip());
    browser.press('\u{e007}');
    assert_ne!(said(), before);
    assert_eq!(browser.count(".circuit .forced"), 1);
    browser.click("#let-go");
    assert_eq!(said(), before);
    browser.run("const e = document.getElementById('example'); e.value = 0; e.dispatchEvent(new Event('change'));");
}

/// STRAT and the Transformer on the same sum, part beside part; both are computed in the page.
#[test]
fn a_transformer_beside_strat() {
    let Some(browser) = Browser::start() else { return };
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
    let (run, html) = (at("locking"), at("page.html"));
    strat(&["reproduce", "locking", "--learners", "1", "--out", &run]);
    let rows = ["STRAT Std (4D/1H)", "Baseline", "Flat MH (2D/2H), annealed"];
    strat(&[&["microscope", &run, "--html", &html][..], &rows.map(|r| ["--row", r]).concat()].concat());
    browser.offline();
    browser.size(1366, 900);
    browser.open(Path::new(&html));
    assert_eq!(browser.complaints(), Vec::<String>::new());
    assert_eq!(computed_here(&browser), 3 * 3);
    // Valves of both stand at one height, and so do the bars of what each token adds.
    let tops = |what: &str| {
        let tops = format!(
            "[...document.querySelectorAll('.circuit')].map((s) => Math.round(s.querySelector('{what}').getBoundingClientRect().top))"
        );
        let tops = browser.value(&tops);
        assert!(tops[0].is_number() && tops[0] == tops[1], "{what}: {tops}");
    };
    tops(".valve");
    tops(".lane-data");
    assert_eq!(browser.count(".circuit.one-stream"), 1);
    let notes = browser.value("[...document.querySelectorAll('.learner .note')].map((n) => n.textContent)");
    assert!(notes[0].as_str().unwrap().contains("Type alone opens"), "{notes}");
    assert!(notes[1].as_str().unwrap().contains("another number moves them"), "{notes}");

    // Another number moves no gate of STRAT, and those of the Transformer. A gate of it can be forced as well.
    let gates = || browser.value("chosen().map((l) => [...viewOf(l).arrays.get('block.0.gate').values])");
    type_sum(&browser, "12 + 3 - 5");
    let before = gates();
    type_sum(&browser, "1200 + 3 - 5");
    let after = gates();
    assert!(before[0] == after[0] && before[1] != after[1]);
    let said = || text(&browser, ".learner:nth-child(2) .said");
    let free = said();
    browser.run("document.querySelector('.one-stream .hit-area').dispatchEvent(new Event('click'));");
    assert_eq!(browser.count(".one-stream .forced"), 1);
    assert_ne!(said(), free);
    browser.click("#let-go");
    assert_eq!(said(), free);
    browser.click("#arrays");
    // Of a learner that has diverged nothing is drawn that is no number.
    browser.run(
        "globalThis.was = ownWeights(data.learners[1], 0).get('query.weight');
         ownWeights(data.learners[1], 0).set('query.weight', was.map(() => NaN));
         draw();",
    );
    assert!(said().contains("no number"), "{}", said());
    assert!(text(&browser, ".learner:nth-child(2)").contains("This learner has diverged"));
    assert_eq!(browser.complaints(), Vec::<String>::new());
    browser.run("ownWeights(data.learners[1], 0).set('query.weight', was); draw();");
    assert_eq!(said(), free);
    nothing_is_cut(&browser);
    nobody_is_hindered(&browser);
    assert!(drawings_are_read(&browser) > 200);
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

/// All relatives of Config A are computed in the page as the library computes them.
pub fn every_configuration_is_computed_here(browser: &Browser, run: &Path, html: &Path) {
    let rows = ["A", "A_s", "A_ln", "B_fl", "B_fa", "C_g", "C_sb", "B_c"];
    let [run, page] = [run, html].map(|p| p.to_str().unwrap());
    // A page has room for four.
    for rows in rows.chunks(4) {
        let rows = rows.iter().flat_map(|row| ["--row", row]).collect::<Vec<_>>();
        strat(&[&["microscope", run, "--html", page], &rows[..]].concat());
        browser.open(html);
        assert_eq!(computed_here(browser), 4 * 3);
    }
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
    // What the token that answers reads comes first; another token is chosen with the keyboard alone.
    let note = || text(&browser, ".learner .note");
    assert!(note().starts_with("Of all others, class reads ") && note().contains("Type alone opens"), "{}", note());
    assert!(!text(&browser, ".learner:nth-child(2) .note").contains("gates"), "the Transformer has none");
    assert_eq!((browser.count(".circuit"), browser.count(".circuit .cell")), (2, 2 * 11));
    browser.run("document.querySelector('.circuit').focus();");
    browser.press('\u{e015}');
    browser.press('\u{e015}');
    assert!(text(&browser, "#tip").starts_with("class reads "), "{}", text(&browser, "#tip"));
    browser.press('\u{e007}');
    assert!(!note().starts_with("Of all others, class reads "), "{}", note());
    // It is the mean of the heads of that token's row.
    let mean = browser.value(
        "(() => { const r = viewOf(data.learners[0]).arrays.get('block.0.routes').values; return [0, 1, 2, 3].reduce((s, h) => s + r[h * 121 + 11 + 3], 0) / 4 })()",
    );
    browser.press('\u{e015}');
    browser.press('\u{e015}');
    let told = format!(": {:.4} (heads ", mean.as_f64().unwrap());
    assert!(text(&browser, "#tip").contains(&told), "{} {told}", text(&browser, "#tip"));
    browser.click("#arrays");
    // The same parts stand at the same height.
    let tops = "[...document.querySelectorAll('.learner')].map((l) => [...l.children].map((p) => Math.round(p.getBoundingClientRect().top)))";
    let tops = browser.value(tops);
    assert!(tops[0] == tops[1] && tops[0].as_array().unwrap().len() > 4, "{tops}");
    assert_eq!(browser.count(".learner:first-child .shares .track"), 2, "a share for each class");
    // Four heads of eleven tokens each.
    let routes = ".learner:first-child svg[aria-label^=Routes]";
    assert_eq!((browser.count(routes), browser.count(&format!("{routes} .cell"))), (4, 4 * 11 * 11));
    let before = browser.value(&format!("document.querySelector('{routes}').outerHTML"));
    page_data(&browser, "block", 1);
    assert_ne!(browser.value(&format!("document.querySelector('{routes}').outerHTML")), before);
    assert_eq!(text(&browser, "#block + output"), "1 of 0–1");
    keep(&browser, "task");
    assert!(keyboard_reaches_every_mark(&browser) > 2 * 4 * 11 * 11);
    nothing_is_cut(&browser);
    nobody_is_hindered(&browser);
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

/// A board: what is given, answered and wrong, and what a cell reads.
#[test]
fn a_game_is_a_board() {
    let Some(browser) = Browser::start() else { return };
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_string();
    let (run, html) = (at("ttt"), at("page.html"));
    strat(&["train", "tic-tac-toe", "--seeds", "41..41", "--epochs", "5", "--out", &run]);
    strat(&["microscope", &run, "--example", "xoxoxobbx", "--html", &html]);
    browser.offline();
    browser.size(1366, 900);
    browser.open(Path::new(&html));
    assert_eq!((browser.count(".grid button"), browser.count(".head")), (9, 4));
    assert_eq!(browser.count(".grid .given"), 7);
    assert!(text(&browser, ".head figcaption").starts_with("Head 0: class reads "));
    browser.hover(".grid button:nth-child(5)");
    assert!(text(&browser, ".head figcaption").starts_with("Head 0: b2 (x) reads "));
    assert_eq!(browser.count(".grid .looked-at"), 1);
    // The keyboard goes from cell to cell.
    browser.run("document.querySelector('.grid button').focus();");
    browser.press('\u{e014}');
    browser.press('\u{e015}');
    assert!(text(&browser, ".head figcaption").starts_with("Head 0: b2 (x) reads "));
    assert_eq!(keyboard_reaches_every_mark(&browser), 9);
    assert_eq!(drawings_are_read(&browser), 4 * 7, "what stands in a cell is read on every tint");
    nothing_is_cut(&browser);
    nobody_is_hindered(&browser);
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
