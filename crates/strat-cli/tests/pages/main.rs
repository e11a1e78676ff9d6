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
<a download=saved.txt href='data:,hello'>save</a>
<script>console.error('ouch')</script>";

/// Clicks on what saves a file, and reads it. A busy browser drops a download now and then; a person clicks again, so this
/// does, twice at most.
pub fn saved(browser: &Browser, selector: &str, file: &Path) -> String {
    let text = saved_if_at_all(browser, selector, file);
    text.unwrap_or_else(|| panic!("{} is not saved after three clicks and two minutes", file.display()))
}

fn saved_if_at_all(browser: &Browser, selector: &str, file: &Path) -> Option<String> {
    for _ in 0..3 {
        browser.click(selector);
        for _ in 0..800 {
            match std::fs::read_to_string(file) {
                Ok(text) if !text.is_empty() => return Some(text),
                _ => std::thread::sleep(Duration::from_millis(50)),
            }
        }
    }
    None
}

/// Waits for an expression to be true.
pub fn wait(browser: &Browser, expression: &str) {
    let start = Instant::now();
    while browser.value(expression) != true {
        assert!(start.elapsed() < Duration::from_secs(120), "{expression} does not come true");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// The browser itself: it draws, hears, points, saves, and has no network.
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
    let file = folder.path().join("saved.txt");
    let save = |browser: &Browser| {
        browser.downloads(folder.path());
        saved_if_at_all(browser, "a", &file)
    };
    // A browser that began on a busy machine was once seen to save nothing at all. Then another one has to.
    let text = save(&browser).or_else(|| {
        let other = Browser::start()?;
        other.offline();
        other.open(&page);
        save(&other)
    });
    assert_eq!(text.as_deref(), Some("hello"));
    assert!(browser.picture().starts_with(&[0x89, b'P', b'N', b'G']));

    std::fs::write(&page, "<!doctype html><title>t</title><img src=\"http://example.org/x.png\">").unwrap();
    browser.open(&page);
    assert!(browser.complaints().iter().any(|m| m.contains("example.org")), "there is no network");
}
