//! The playground: ten sums, taught in a real browser, without a network.

use crate::browser::{Browser, Media};
use crate::look::{nobody_is_hindered, nothing_is_cut};
use crate::microscope::{keep, text};
use crate::require::skip;
use crate::wait;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// What a web host may send at most before the page works, in bytes. All of it is one file.
const FIRST_LOAD: usize = 400_000;

/// The page, if this program has one.
fn page(folder: &Path) -> Option<PathBuf> {
    let html = folder.join("playground.html");
    let made =
        Command::new(env!("CARGO_BIN_EXE_strat")).args(["playground", "--html"]).arg(&html).output().unwrap();
    let said = String::from_utf8_lossy(&made.stderr).into_owned();
    if made.status.success() {
        return Some(html);
    }
    assert!(said.contains("built without the playground") && said.contains("web/build"), "{said}");
    assert!(!html.exists());
    skip("wasm", "no web/dist/strat.wasm.lzma when strat was built; ./check makes it (web/build)");
    None
}

/// A browser that shows it, and nothing went wrong.
fn opened(folder: &Path, hash: &str) -> Option<Browser> {
    page(folder)?;
    let browser = Browser::start()?;
    browser.offline();
    browser.size(1366, 900);
    open(&browser, folder, hash);
    wait(&browser, "document.body.dataset.ready === 'yes' && (!!$('teach').dataset.stopped || reachedByAll() > 0)");
    assert_eq!(browser.complaints(), Vec::<String>::new());
    Some(browser)
}

/// Opens the page from disk, at this address of its own.
fn open(browser: &Browser, folder: &Path, hash: &str) {
    let html = folder.join("playground.html").canonicalize().unwrap();
    browser.go(&format!("file://{}{hash}", html.display()));
}

/// Words outside of their drawing.
const OUTSIDE: &str = "[...document.querySelectorAll('svg text')].filter((e) => {
    const [own, all] = [e, e.closest('svg')].map((x) => x.getBoundingClientRect());
    return own.width && (own.left < all.left - 1 || own.right > all.right + 1 || own.bottom > all.bottom + 1);
}).map((e) => e.textContent)";

/// Nothing is cut, nobody is hindered, and words stay in their drawings at every width.
fn looks_well(browser: &Browser, name: &str) {
    nothing_is_cut(browser);
    for width in [1366, 1024, 380] {
        for media in [Media::Dark, Media::Light] {
            browser.size(width, 900);
            browser.media(media);
            // Drawings follow the width when the page hears of it.
            wait(browser, &format!("{OUTSIDE}.length === 0"));
            keep(browser, &format!("playground-{name}-{width}-{media:?}").to_lowercase());
        }
    }
    browser.size(1366, 900);
    nobody_is_hindered(browser);
}

/// Errors of a kind after the last step, bit by bit, by seed.
fn bits(browser: &Browser, kind: &str) -> Vec<u64> {
    let all = browser.value(&format!(
        "[...state.learners.{kind}].sort((a, b) => a[0] - b[0]).map(([, moments]) => moments[moments.length - 1].bits)"
    ));
    let bits = |b: &Value| u64::from_str_radix(b.as_str().unwrap(), 16).unwrap();
    all.as_array().unwrap().iter().map(bits).collect()
}

/// The same of learners that this machine trains with the command that the page gives; `also` is put behind it.
fn native(command: &str, out: &Path, also: &[&str]) -> Vec<u64> {
    let (before, rest) = command.split_once(" --sums '").unwrap();
    let (sums, rest) = rest.split_once("' ").unwrap();
    let words: Vec<&str> = before.split(' ').chain(["--sums", sums]).chain(rest.split(' ')).collect();
    let ["STRAT_ISA=portable", "strat", words @ .., "--out", _] = &words[..] else { panic!("{command}") };
    let done = Command::new(env!("CARGO_BIN_EXE_strat"))
        .env("STRAT_ISA", "portable")
        .args(words)
        .args(also)
        .arg("--out")
        .arg(out)
        .output()
        .unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let log = std::fs::read_to_string(out.join("learners.jsonl")).unwrap();
    let error = |line: &str| {
        let line: Value = serde_json::from_str(line).unwrap();
        line["metrics"]["ood_mae"].as_f64().unwrap_or(f64::NAN).to_bits()
    };
    log.lines().map(error).collect()
}

/// How long clicks on one dot and then another take until the circuit is the other's.
fn clicks(browser: &Browser, count: usize) -> Vec<Duration> {
    let click = |seed: usize| {
        let millis = browser.value(&format!(
            "new Promise((done) => {{
                const mark = swarm.marks.get('strat {seed}');
                const sent = performance.timeOrigin + performance.now();
                setTimeout(() => {{
                    mark.dispatchEvent(new MouseEvent('click', {{ bubbles: true }}));
                    requestAnimationFrame(() => setTimeout(() => done(performance.timeOrigin + performance.now() - sent)));
                }});
            }})"
        ));
        assert!(text(browser, "#strat h3").contains(&format!("learner {seed}")));
        Duration::from_secs_f64(millis.as_f64().unwrap() / 1e3)
    };
    (0..count).map(|i| click(1 + i % 2)).collect()
}

#[test]
fn the_first_load_is_small() {
    let folder = tempfile::tempdir().unwrap();
    let Some(html) = page(folder.path()) else { return };
    let text = std::fs::read_to_string(&html).unwrap();
    // It is all that is ever loaded: nothing in it names another file.
    assert!(!text.contains(" src=") && !text.contains(" href=") && !text.contains("import("));
    // The program itself, which packs as web hosts do.
    let packed = Command::new("gzip").args(["-9", "--stdout"]).arg(&html).output().unwrap();
    assert!(packed.status.success());
    let size = packed.stdout.len();
    assert!(size < FIRST_LOAD, "{size} bytes with gzip; what to do about it stands in docs/playground.md");
    println!("{size} bytes with gzip, {} without", text.len());
}

#[test]
fn a_lesson_is_taught() {
    let folder = tempfile::tempdir().unwrap();
    let Some(browser) = opened(folder.path(), "") else { return };
    // Untrained learners are there, and know nothing.
    assert!(text(&browser, "#count").starts_with("STRAT: 0 of 64 find the logic"));
    browser.click("#preset-good");
    wait(&browser, "reachedByAll() === 1");
    let begun = Instant::now();
    browser.click("#teach");
    wait(&browser, "going");
    // While workers train, the page answers. How soon is printed: others may use the machine, too.
    let mut waited = clicks(&browser, 12);
    assert_eq!(browser.value("going"), true, "this was asked during the training");
    waited.sort();
    wait(&browser, "!going && reachedByAll() === MOMENTS.length");
    println!("taught after {:.1} s, clicks answered after {waited:.0?}", begun.elapsed().as_secs_f64());

    // The same bits as on this machine, by the command that the page gives.
    let command = text(&browser, "#command");
    assert_eq!(bits(&browser, "strat"), native(&command, &folder.path().join("strat"), &[]));
    let few = command.replace("1..64", "1..16");
    let config_a = ["--set", "model.kind=unityped", "--set", "model.config=A"];
    let transformers = bits(&browser, "transformer");
    assert_eq!(transformers[..16], native(&few, &folder.path().join("transformer"), &config_a));
    assert_eq!((transformers.len(), bits(&browser, "strat").len()), (64, 64));

    // A number that grows moves no valve of STRAT, and those of the Transformer.
    let moved = |kind: &str| {
        browser.value(&format!("Number(document.querySelector('#{kind} .meter').dataset.moved)")).as_f64().unwrap()
    };
    let drag = |to: usize| {
        browser.value(&format!(
            "(() => {{ const d = $('drag'); d.value = {to}; d.dispatchEvent(new Event('input', {{ bubbles: true }})); return true }})()"
        ))
    };
    drag(1000);
    assert!(text(&browser, "#strat svg").contains("1,000,000"));
    assert_eq!(moved("strat"), 0.0);
    assert!(moved("transformer") > 0.1, "{}", moved("transformer"));
    keep(&browser, "playground-dragged");

    // A flipped sign; a forced valve changes the answer.
    let said = || text(&browser, "#strat .said");
    browser.value("setText('12 + 3 - 5', false)");
    let before = said();
    assert!(before.contains("right: 10"), "{before}");
    browser.click("#strat [data-flip='3']");
    assert!(said().contains("right: 20"), "{}", said());
    browser.click("#strat [data-flip='3']");
    assert_eq!(said(), before);
    // Open, then shut: one of both is what it was not.
    let forced = [0, 1].map(|_| {
        browser.click("#strat [data-token='4'][data-gate='1']");
        said()
    });
    assert!(forced.iter().any(|said| *said != before), "{forced:?}");
    browser.click("#free");
    assert_eq!(said(), before);

    // Training, scrubbed; and what it comes to.
    browser.value("(() => { to(0); return true })()");
    assert!(text(&browser, "#count").starts_with("STRAT: 0 of 64"));
    browser.value("(() => { to(MOMENTS.length - 1); state.chosen.strat = false; show(); return true })()");
    wait(&browser, "document.querySelector('#exact pre') !== null");
    assert!(text(&browser, "#exact").contains("def evaluate(numbers, operators):"));
    assert!(text(&browser, "#why").contains("it has found the logic"), "{}", text(&browser, "#why"));

    looks_well(&browser, "taught");
    keyboard(&browser);

    // A link is a proof: another page computes the same.
    let hash = browser.value("location.hash").as_str().unwrap().to_string();
    assert!(hash.contains("&step=2000") && hash.contains("sums=19+40-56-69,"), "{hash}");
    let (strat, count) = (bits(&browser, "strat"), text(&browser, "#count"));
    browser.go("about:blank");
    open(&browser, folder.path(), &hash);
    wait(&browser, "!going && reachedByAll() === MOMENTS.length && state.moment === MOMENTS.length - 1");
    assert_eq!((bits(&browser, "strat"), bits(&browser, "transformer")), (strat, transformers));
    assert_eq!(text(&browser, "#count"), count);
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

/// Every mark can be reached and used without a mouse, and says what it is.
fn keyboard(browser: &Browser) {
    let nameless = "[...document.querySelectorAll('[tabindex], button, input, select, textarea, a')]
        .filter((e) => e.getClientRects().length)
        .filter((e) => !(e.getAttribute('aria-label') || e.textContent.trim() || (e.labels && e.labels.length)))
        .map((e) => e.outerHTML.slice(0, 90))";
    assert_eq!(browser.value(nameless), json!([]));
    // From dot to dot: the next worse one, and back.
    browser.value("(() => { document.querySelector('.strat .dot[aria-checked=true]').focus(); return true })()");
    let seed = || browser.value("document.activeElement.dataset.seed");
    let first = seed();
    browser.press('\u{e014}');
    let second = seed();
    assert_ne!(first, second);
    browser.press('\u{e012}');
    assert_eq!(seed(), first);
    assert_eq!(browser.value("state.seed.strat"), first.as_str().unwrap().parse::<u64>().unwrap());
    // With Tab to every operator and every valve, and Enter works there.
    let marks = browser.count("#strat [tabindex='0'], #transformer [tabindex='0']");
    browser.value("(() => { $('drag').focus(); return true })()");
    let mut reached = std::collections::BTreeSet::new();
    for _ in 0..marks + 3 {
        browser.press('\u{e004}');
        if let Some(key) = browser.value("document.activeElement.dataset.key || null").as_str() {
            reached.insert(key.to_string());
        }
    }
    assert_eq!(reached.len(), marks, "{reached:?}");
    browser.value("(() => { document.querySelector('#strat [data-flip]').focus(); return true })()");
    let before = text(browser, "#strat .said");
    browser.press('\u{e007}');
    assert_ne!(text(browser, "#strat .said"), before);
    let focus = "document.activeElement.dataset.flip !== undefined && getComputedStyle(document.activeElement.firstChild).strokeWidth";
    assert_eq!(browser.value(focus), "4px", "focus stays where it was and is seen");
    browser.press('\u{e007}');
}

/// An address with a lesson of which one sum cannot be read.
const LESSON: &str = "#sums=1+2-3,4+,5+6,7+8,9+10,1+1,2+2,3+3,4+4,5+5&sum=7-2";

#[test]
fn sums_that_tell_too_little_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let Some(browser) = opened(folder.path(), LESSON) else { return };
    let answer = |i: usize| text(&browser, &format!("#lines li:nth-child({i}) output"));
    assert_eq!(answer(1), "= 0");
    assert!(answer(2).contains("should be a number"), "{}", answer(2));
    assert_eq!(browser.value("$('teach').disabled"), true);
    let write = |i: usize, sum: &str| {
        browser.value(&format!(
            "(() => {{ const e = $('sum-{i}'); e.value = {}; e.dispatchEvent(new Event('input', {{ bubbles: true }})); return true }})()",
            json!(sum)
        ))
    };
    // Without a minus anywhere, nothing says what it means; with + and − that cancel, nothing tells one from the other.
    write(0, "1 + 2 + 3");
    write(1, "4 + 1");
    assert!(text(&browser, "#verdict").contains("no training example has a value with context −"));
    browser.click("#preset-gap");
    assert!(text(&browser, "#verdict").contains("only 2 of 3 combinations"), "{}", text(&browser, "#verdict"));
    browser.click("#preset-random");
    assert!(text(&browser, "#verdict").starts_with("✓"));
    browser.click("#preset-bad");
    assert!(text(&browser, "#verdict").starts_with("✓"), "one rule fits the misleading sums");
    assert_eq!(browser.value("state.sums.length"), 10);
    wait(&browser, "reachedByAll() === 1 && !$('teach').disabled");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn two_minutes_show_it() {
    let folder = tempfile::tempdir().unwrap();
    let Some(browser) = opened(folder.path(), "") else { return };
    let taught = |name: &str| {
        browser.click(&format!("#tour-{name}"));
        wait(&browser, "going");
        wait(&browser, "!going && reachedByAll() === MOMENTS.length");
        let said = text(&browser, &format!("[data-lesson={name}]"));
        let number =
            |text: &str| text.split_whitespace().next().unwrap().trim_end_matches('.').parse::<u32>().unwrap();
        (number(&said), number(said.split_once("Transformers: ").unwrap().1))
    };
    // The sums that stand there are the first that are taught.
    let sums = browser.value("state.sums");
    let (random, none) = taught("random");
    assert_eq!(browser.value("state.sums"), sums);
    browser.click("#tour-drag");
    let moved = text(&browser, "#tour-moved");
    assert!(moved.starts_with("STRAT’s valves move by 0.00, the Transformer’s by up to"), "{moved}");
    assert!(!moved.contains("up to 0.00"), "{moved}");
    let (good, _) = taught("good");
    let (bad, _) = taught("bad");
    assert!(good >= 60 && (5..60).contains(&random) && bad <= 1 && none == 0, "{good} {random} {bad} {none}");
    // What most of them do instead.
    assert!(text(&browser, "#strat h3").contains("in the middle"));
    wait(&browser, "$('why').textContent.includes('ignores numbers after −')");
    looks_well(&browser, "tour");
    assert_eq!(browser.complaints(), Vec::<String>::new());
}

#[test]
fn a_table_gives_its_rule() {
    let folder = tempfile::tempdir().unwrap();
    let Some(browser) = opened(folder.path(), "") else { return };
    browser.click("#tab-table");
    browser.click("#fit");
    wait(&browser, "document.querySelector('#row-said b') !== null");
    keep(&browser, "playground-table");
    looks_well(&browser, "table");
    assert!(text(&browser, "#found .rule").contains("wind"), "{}", text(&browser, "#found"));
    assert_eq!(browser.complaints(), Vec::<String>::new());
}
