//! What is asked of every page, whatever it shows: nothing is cut, numbers are read on their cells, and nobody is hindered.

use crate::browser::{Browser, Media};
use crate::require::skip;
use serde_json::Value;
use std::path::Path;
use std::time::{Duration, Instant};

/// Boxes whose content is wider than they are, with what stands in them. What is hidden from sight alone does not count.
const CUT: &str = "[...document.querySelectorAll('*')].filter((e) => {
  const style = getComputedStyle(e);
  const clips = style.overflowX !== 'visible' || e === document.documentElement;
  return clips && style.clipPath === 'none' && e.tagName !== 'INPUT' && e.clientWidth > 0 && e.scrollWidth > e.clientWidth + 1;
}).map((e) => `${e.tagName} ${e.className}: ${e.scrollWidth} > ${e.clientWidth}: ${e.textContent.slice(0, 40)}`)";

/// The numbers in cells of pictures whose contrast is below 4.5, and how many there are in all. The cell that a number stands on
/// is drawn right before it.
const FAINT: &str = "(() => {
  const parse = (text) => text.match(/[\\d.]+/g).slice(0, 3).map(Number);
  const light = (rgb) => rgb.map((x) => (x / 255 <= 0.04045 ? x / 255 / 12.92 : ((x / 255 + 0.055) / 1.055) ** 2.4))
    .reduce((sum, x, i) => sum + x * [0.2126, 0.7152, 0.0722][i], 0);
  const ground = parse(getComputedStyle(document.body).backgroundColor);
  const texts = [...document.querySelectorAll('rect.cell + text.number')].filter((t) => !t.getAttribute('class').includes('faint') && t.style.fill);
  const bad = texts.filter((t) => {
    const cell = t.previousElementSibling, share = Number(cell.getAttribute('fill-opacity') ?? 1);
    const over = parse(getComputedStyle(cell).fill), under = ground.map((x, i) => over[i] * share + x * (1 - share));
    const [a, b] = [light(parse(getComputedStyle(t).fill)), light(under)];
    return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05) < 4.5;
  });
  return [texts.length, bad.map((t) => t.textContent)];
})()";

/// Findings of axe-core that are serious or critical, with the elements.
const AXE: &str = "const done = arguments[arguments.length - 1];
axe.run({ resultTypes: ['violations'] }).then((found) => done(found.violations.filter((v) => ['serious', 'critical'].includes(v.impact))
  .map((v) => `${v.id}: ${v.nodes.slice(0, 3).map((n) => n.html.slice(0, 200)).join(' ')}`)), (e) => done([`axe-core failed: ${e}`]))";

/// What is found when the page has drawn anew, which it does some time after it hears of another width or other colours: asks
/// until it is well, for a minute at most.
fn left(browser: &Browser, question: &str, well: fn(&Value) -> bool) -> Value {
    let start = Instant::now();
    loop {
        let found = browser.value(question);
        if well(&found) || start.elapsed() > Duration::from_secs(60) {
            return found;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// At the widths of a laptop, a tablet and a phone nothing is cut.
pub fn nothing_is_cut(browser: &Browser) {
    for width in [1366, 1024, 380] {
        browser.size(width, 900);
        let cut = left(browser, CUT, |cut| cut.as_array().unwrap().is_empty());
        assert!(cut.as_array().unwrap().is_empty(), "{width} px: {cut:#}");
    }
    browser.size(1366, 900);
}

/// Every number in a cell is read, light and dark. Gives how many there are.
pub fn numbers_are_read(browser: &Browser) -> u64 {
    let counts = [Media::Dark, Media::Light].map(|media| {
        browser.media(media);
        let found = left(browser, FAINT, |found| found[1].as_array().unwrap().is_empty());
        assert!(found[1].as_array().unwrap().is_empty(), "{media:?}: {found:#}");
        found[0].as_u64().unwrap()
    });
    counts[1]
}

/// axe-core has no serious finding, light and dark.
pub fn nobody_is_hindered(browser: &Browser) {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap().join("axe/package/axe.min.js");
    let Ok(axe) = std::fs::read_to_string(&path) else {
        skip("axe", format!("no axe-core in {}; .ci/axe gets it", path.display()));
        return;
    };
    browser.run(&axe);
    for media in [Media::Dark, Media::Light] {
        browser.media(media);
        let found = browser.wait_for(AXE);
        assert!(found.as_array().unwrap().is_empty(), "{media:?}: {found:#}");
    }
}

/// Pages with faults: what is cut, faint or without a name is found.
#[test]
fn faults_are_found() {
    let Some(browser) = Browser::start() else { return };
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("page.html");
    let text = "<!doctype html><html lang=en><meta name=viewport content='width=device-width'><title>t</title><main><h1>t</h1>
        <style>body { background: #fff } div { width: 100px; overflow-x: auto }</style>
        <div tabindex=0><p style='width: 300px'>wide</p></div><svg><rect class=cell fill='#6b3fa0' fill-opacity=1 width=9 height=9></rect>
        <text class=number style='fill: #333333'>1.00</text></svg><button></button></main>";
    std::fs::write(&page, text).unwrap();
    browser.open(&page);
    assert_eq!(browser.value(CUT).as_array().unwrap().len(), 1);
    assert_eq!(browser.value(FAINT), serde_json::json!([1, ["1.00"]]));
    if let Ok(axe) = std::fs::read_to_string(
        Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap().join("axe/package/axe.min.js"),
    ) {
        browser.run(&axe);
        assert!(browser.wait_for(AXE).to_string().contains("button-name"));
    }
}
