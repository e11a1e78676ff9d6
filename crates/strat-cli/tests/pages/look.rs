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

/// Short words that are broken, as their column has become narrower than they are.
const BROKEN: &str = "(() => {
  const found = [], range = document.createRange();
  const hidden = (e) => Boolean(e) && (getComputedStyle(e).clipPath !== 'none' || hidden(e.parentElement));
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let at = walker.nextNode(); at; at = walker.nextNode()) {
    if (at.parentElement.closest('script, svg, option, noscript, pre, code') || hidden(at.parentElement)) continue;
    for (const { 0: word, index } of at.data.matchAll(/(?<!\\S)[A-Za-z]{2,10}(?!\\S)/g)) {
      range.setStart(at, index);
      range.setEnd(at, index + word.length);
      if (new Set([...range.getClientRects()].map((r) => Math.round(r.top))).size > 1) found.push(word);
    }
  }
  return found;
})()";

/// Words in drawings whose contrast with what they stand on is below 4.5, and how many words there are. What they stand on is
/// computed where they begin, in their middle and where they end: the page, and every shape that was drawn there before.
const FAINT: &str = "(() => {
  const parse = (text) => { const [r, g, b, a] = text.match(/[\\d.]+/g).map(Number); return [[r, g, b], a ?? 1]; };
  const light = (rgb) => rgb.map((x) => (x / 255 <= 0.04045 ? x / 255 / 12.92 : ((x / 255 + 0.055) / 1.055) ** 2.4))
    .reduce((sum, x, i) => sum + x * [0.2126, 0.7152, 0.0722][i], 0);
  const over = (under, [rgb, a], share) => under.map((x, i) => rgb[i] * a * share + x * (1 - a * share));
  const page = (element) => {
    const grounds = [];
    for (let e = element; e; e = e.parentElement) grounds.unshift(parse(getComputedStyle(e).backgroundColor));
    return grounds.reduce((under, found) => over(under, found, 1), parse(getComputedStyle(document.body).backgroundColor)[0]);
  };
  const found = [0, []];
  for (const svg of document.querySelectorAll('svg')) {
    const all = [...svg.querySelectorAll('rect, circle, path, polygon, text')].map((e) => ({ e, box: e.getBoundingClientRect(), style: getComputedStyle(e) }));
    const ground = page(svg.parentElement);
    all.forEach(({ e, box, style }, at) => {
      if (e.tagName !== 'text' || !e.textContent.trim() || !box.width || Number(style.opacity) === 0) return;
      found[0] += 1;
      const y = (box.top + box.bottom) / 2, worst = [0.1, 0.5, 0.9].map((t) => {
        const x = box.left + t * box.width;
        const covers = ({ e, box, style }) => {
          if (e.tagName === 'text' || style.fill === 'none' || x < box.left || x > box.right || y < box.top || y > box.bottom) return false;
          return e.isPointInFill(new DOMPoint(x, y).matrixTransform(e.getScreenCTM().inverse()));
        };
        const under = all.slice(0, at).filter(covers).reduce((rgb, { style }) => over(rgb, parse(style.fill), Number(style.fillOpacity) * Number(style.opacity)), ground);
        const own = over(under, parse(style.fill), Number(style.fillOpacity) * Number(style.opacity));
        const [a, b] = [light(own), light(under)];
        return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
      }).reduce((a, b) => Math.min(a, b));
      if (worst < 4.5) found[1].push(`${e.textContent} (${worst.toFixed(2)}, ${e.getAttribute('class')})`);
    });
  }
  return found;
})()";

/// Drawings and boards in which the arrow keys do not come to every mark, with how many they come to and how many there are; and how
/// many marks there are in all.
const UNREACHED: &str = "(() => {
  const press = (on, key = 'ArrowRight') => on.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
  const found = [0, []], note = (what, seen, all) => { found[0] += all; if (seen !== all) found[1].push([what, seen, all]); };
  for (const svg of document.querySelectorAll('svg[tabindex], svg.chart')) {
    const marks = [...svg.querySelectorAll('.mark, .cell[data-i]')], seen = new Set();
    const steps = Math.max(marks.length, ...marks.map((m) => Number(m.dataset.i ?? 0) + 1));
    svg.focus();
    for (let i = 0; i < steps && document.activeElement === svg; i++) {
      press(svg);
      seen.add(svg.querySelector('.hot, .hit'));
    }
    seen.delete(null);
    note(svg.getAttribute('aria-label').slice(0, 40), seen.size, marks.length);
    svg.blur();
  }
  for (const grid of document.querySelectorAll('.grid')) {
    const cells = [...grid.querySelectorAll('button')], seen = new Set();
    cells.find((cell) => cell.tabIndex === 0)?.focus();
    for (const _ of cells) press(document.activeElement, 'ArrowLeft');
    for (const _ of cells) { seen.add(document.activeElement); press(document.activeElement); }
    note('board', seen.size, cells.length);
  }
  document.activeElement.blur();
  return found;
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

/// At the widths of a laptop, a tablet and a phone nothing is cut, and no word is broken.
pub fn nothing_is_cut(browser: &Browser) {
    for width in [1366, 1024, 380] {
        browser.size(width, 900);
        let cut = left(browser, CUT, |cut| cut.as_array().unwrap().is_empty());
        assert!(cut.as_array().unwrap().is_empty(), "{width} px: {cut:#}");
        let broken = left(browser, BROKEN, |broken| broken.as_array().unwrap().is_empty());
        assert!(broken.as_array().unwrap().is_empty(), "{width} px: broken words {broken:#}");
    }
    browser.size(1366, 900);
}

/// Every word of every drawing is read, light and dark. Gives how many there are.
pub fn drawings_are_read(browser: &Browser) -> u64 {
    let counts = [Media::Dark, Media::Light].map(|media| {
        browser.media(media);
        let found = left(browser, FAINT, |found| found[1].as_array().unwrap().is_empty());
        assert!(found[1].as_array().unwrap().is_empty(), "{media:?}: {found:#}");
        found[0].as_u64().unwrap()
    });
    counts[1]
}

/// The keyboard alone comes to every mark of every drawing. Gives how many there are.
pub fn keyboard_reaches_every_mark(browser: &Browser) -> u64 {
    let found = browser.value(UNREACHED);
    assert!(found[1].as_array().unwrap().is_empty(), "{found:#}");
    found[0].as_u64().unwrap()
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
        <div tabindex=0><p style='width: 300px'>wide</p></div><svg><rect fill='#6b3fa0' fill-opacity=1 width=60 height=20></rect>
        <text y=14 style='fill: #333333'>1.00</text><text y=34 style='fill: #333333'>2.00</text>
        <circle cx=130 cy=10 r=9 fill='#6b3fa0' fill-opacity=0.2></circle><text x=125 y=14 style='fill: #777777'>3</text>
        <text x=50 y=14 style='fill: #333333'>half</text><text y=54 style='fill: #333333; opacity: 0.4'>4.00</text></svg>
        <svg class=chart aria-label=deaf tabindex=0><circle class=mark r=9></circle></svg>
        <button></button><p style='width: 20px; overflow-wrap: anywhere'>squeezed</p></main>";
    std::fs::write(&page, text).unwrap();
    browser.open(&page);
    assert_eq!(browser.value(CUT).as_array().unwrap().len(), 1);
    assert_eq!(browser.value(BROKEN), serde_json::json!(["squeezed"]));
    // On a dark cell, half on it, on a tint, and half transparent; "2.00" is read.
    let found = browser.value(FAINT);
    let faint: Vec<&str> =
        found[1].as_array().unwrap().iter().map(|t| t.as_str().unwrap().split(' ').next().unwrap()).collect();
    assert_eq!((&found[0], faint), (&5.into(), vec!["1.00", "3", "half", "4.00"]));
    assert_eq!(browser.value(UNREACHED), serde_json::json!([1, [["deaf", 0, 1]]]));
    if let Ok(axe) = std::fs::read_to_string(
        Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap().join("axe/package/axe.min.js"),
    ) {
        browser.run(&axe);
        assert!(browser.wait_for(AXE).to_string().contains("button-name"));
    }
}
