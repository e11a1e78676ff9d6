//! The pages that `strat` writes, in a real browser. Where there is none, these tests say so and pass.

mod browser;
mod fit;
mod look;
mod microscope;
mod playground;
mod report;
#[path = "../../../strat/tests/common/require.rs"]
mod require;

use browser::{Browser, Media};
use std::path::Path;
use std::time::{Duration, Instant};

const PAGE: &str = "<!doctype html><meta name=viewport content=width=device-width><title>t</title>
<style>p { width: 50px } p:hover { width: 60px } @media print { p { width: 70px } }
@media (prefers-color-scheme: dark) { p { width: 80px } }</style>
<p id=a>one<p>two
<a download=saved.txt href='data:text/plain;base64,aGVsbMO2'>save</a>
<button onclick=\"Object.assign(document.createElement('a'),
  { href: window.URL.createObjectURL(new Blob(['hellö'])), download: 'made.txt' }).click()\">make</button>
<script>console.error('ouch')</script>";

/// What keeps a page from giving a file to the browser: here the page's part is tested, not the browser's.
const KEEP: &str = "if (!window.given) {
  const given = window.given = {}, address = URL.createObjectURL;
  URL.createObjectURL = (blob) => { given.blob = blob; return address.call(URL, blob); };
  const take = (link) => Object.assign(given, { name: link.download, href: link.href });
  HTMLAnchorElement.prototype.click = function () { take(this); };
  document.addEventListener('click', (event) => {
    const link = event.target.closest('a[download]');
    if (link) { event.preventDefault(); take(link); }
  }, true);
}
delete window.given.name;";

/// What a page would save by its link: a blob, or an address that has the text in it.
const TEXT: &str = "const done = arguments[arguments.length - 1], { blob, href } = window.given;
const [kind, body] = [href.slice(0, href.indexOf(',')), href.slice(href.indexOf(',') + 1)];
if (href.startsWith('blob:')) blob.text().then(done);
else done(kind.endsWith(';base64') ? new TextDecoder().decode(Uint8Array.from(atob(body), (c) => c.charCodeAt(0))) : decodeURIComponent(body));";

/// Clicks on what saves a file, and gives the text that the page saves under this name. The file is written, too.
pub fn saved(browser: &Browser, selector: &str, file: &Path) -> String {
    browser.run(KEEP);
    browser.click(selector);
    wait(browser, "'name' in window.given");
    assert_eq!(browser.value("window.given.name"), file.file_name().unwrap().to_str().unwrap(), "{selector}");
    let text = browser.wait_for(TEXT).as_str().unwrap().to_string();
    std::fs::write(file, &text).unwrap();
    text
}

/// Waits for an expression to be true.
pub fn wait(browser: &Browser, expression: &str) {
    let start = Instant::now();
    while browser.value(expression) != true {
        assert!(start.elapsed() < Duration::from_secs(120), "{expression} does not come true");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// The browser itself: it draws, hears, points, and has no network; and what a page would save is caught.
#[test]
fn a_browser_draws_and_tells() {
    let Some(browser) = Browser::start() else { return };
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("page.html");
    std::fs::write(&page, PAGE).unwrap();
    browser.offline();
    browser.size(380, 800);
    browser.open(&page);
    assert_eq!((browser.count("p"), browser.value("innerWidth")), (2, 380.into()));
    let heard = browser.complaints();
    assert!(heard.len() == 1 && heard[0].contains("ouch"), "{heard:?}");

    let width = || browser.value("document.querySelector('p').offsetWidth").as_u64().unwrap();
    let seen = [Media::Light, Media::Print, Media::Dark].map(|media| {
        browser.media(media);
        width()
    });
    assert_eq!(seen, [50, 70, 80]);
    browser.media(Media::Light);
    browser.hover("#a");
    assert_eq!(width(), 60);
    for (name, selector) in [("saved.txt", "a"), ("made.txt", "button")] {
        let file = folder.path().join(name);
        assert_eq!(
            (saved(&browser, selector, &file).as_str(), std::fs::read(&file).unwrap()),
            ("hellö", "hellö".into())
        );
    }
    assert!(browser.picture().starts_with(&[0x89, b'P', b'N', b'G']));

    std::fs::write(&page, "<!doctype html><title>t</title><img src=\"http://example.org/x.png\">").unwrap();
    browser.open(&page);
    assert!(browser.complaints().iter().any(|m| m.contains("example.org")), "there is no network");
}
