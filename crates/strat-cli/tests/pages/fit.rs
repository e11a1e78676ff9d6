//! The page of a table of one's own: the rule, a form that answers, what to ask next.

use crate::browser::Browser;
use crate::look::{drawings_are_read, nobody_is_hindered, nothing_is_cut};
use crate::saved;
use serde_json::json;
use std::path::Path;
use std::process::Command;

fn strat(folder: &Path, args: &[&str]) -> String {
    let done = Command::new(env!("CARGO_BIN_EXE_strat")).args(args).current_dir(folder).output().unwrap();
    assert!(done.status.success(), "{args:?}: {}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).unwrap()
}

/// A choice in the form, as a person makes it.
fn choose(browser: &Browser, selector: &str, value: &str) {
    let selector = json!(selector);
    browser.run(&format!(
        "const s = document.querySelector({selector}); s.value = {}; s.dispatchEvent(new Event('input', {{ bubbles: true }}));",
        json!(value)
    ));
}

fn text(browser: &Browser, selector: &str) -> String {
    let found = browser.value(&format!("document.querySelector({}).textContent", json!(selector)));
    found.as_str().unwrap().to_string()
}

/// A lamp is lit by two of three switches; the brightness is a number that says nothing.
fn lamp() -> String {
    let mut table = String::from("left,middle,\"right, <b>\",bright,lamp\n");
    let on = |x: usize| ["off", "on"][x & 1];
    for i in 0..24 {
        let lit = (i & 1) + (i >> 1 & 1) + (i >> 2 & 1) >= 2;
        table += &format!(
            "{},{},{},{} lx,{}\n",
            on(i),
            on(i >> 1),
            on(i >> 2),
            10 + i * 7 % 24,
            ["dark", "lit"][usize::from(lit)]
        );
    }
    table
}

#[test]
fn a_table_has_a_page_that_answers() {
    let Some(browser) = Browser::start() else { return };
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("lamp.csv"), lamp()).unwrap();
    let fit = [
        "fit",
        "lamp.csv",
        "--target",
        "lamp",
        "--epochs",
        "60",
        "--learners",
        "4",
        "--out",
        "run",
        "--html",
        "a.html",
    ];
    strat(dir.path(), &fit);
    // A report on the run is the same page, made from its records.
    strat(dir.path(), &["report", "run", "--html", "b.html"]);
    let page = dir.path().join("a.html");
    assert!(std::fs::read(&page).unwrap() == std::fs::read(dir.path().join("b.html")).unwrap());
    browser.offline();
    browser.size(1366, 900);
    browser.open(&page);
    assert_eq!(browser.complaints(), [""; 0]);
    assert_eq!(browser.count("form select") + browser.count("form input[type=number]"), 4);
    assert_eq!(browser.count("b"), 0, "a column's name is no markup");

    // The form answers as strat predict does, to every combination of the switches.
    for i in 0..8 {
        let on = |bit: usize| ["off", "on"][i >> bit & 1];
        for (column, bit) in [(0, 0), (1, 1), (2, 2)] {
            choose(&browser, &format!("#column-{column}"), &(i >> bit & 1).to_string());
        }
        let number = browser.value("document.getElementById('column-3').value");
        let row = format!(
            "left,middle,\"right, <b>\",bright\n{},{},{},{} lx\n",
            on(0),
            on(1),
            on(2),
            number.as_str().unwrap()
        );
        std::fs::write(dir.path().join("one.csv"), row).unwrap();
        let said = strat(dir.path(), &["predict", "run", "one.csv"]);
        let said: Vec<&str> = said.lines().nth(1).unwrap().rsplit(',').collect();
        assert_eq!(text(&browser, "#answer .said"), said[2], "{i}");
        let shown: f64 = text(&browser, "#answer .bars span:nth-child(3)").trim_end_matches(" %").parse().unwrap();
        // A number is answered as a typical one of its range.
        assert!((shown / 100.0 - said[1].parse::<f64>().unwrap()).abs() < 0.2, "{shown} beside {}", said[1]);
    }
    choose(&browser, "#column-3", "");
    assert!(text(&browser, "#answer").contains("bright needs a number"));

    // What is asked next is saved as rows of the table.
    let questions = browser.count("#next select");
    if questions > 0 {
        browser.click("#next button");
        assert!(text(&browser, "#next [role=status]").contains("Choose an answer first"));
        browser.run("document.querySelector('#next select').value = 'lit';");
        let rows = saved(&browser, "#next button", &dir.path().join("lamp-next.csv"));
        assert!(
            rows.starts_with("left,middle,\"right, <b>\",bright,lamp\n") && rows.trim_end().ends_with(",lit"),
            "{rows}"
        );
        assert_eq!(rows.lines().count(), 2);
    }
    // Everyone who had a say in the test stands beside the mixture.
    assert!(browser.count("#test tbody tr") > 4 && text(&browser, "#test").contains("The mixture"));
    nothing_is_cut(&browser);
    nobody_is_hindered(&browser);
    assert_eq!(browser.complaints(), [""; 0]);

    // The microscope calls columns and values by their whole names.
    strat(dir.path(), &["microscope", "run", "--html", "c.html"]);
    browser.open(&dir.path().join("c.html"));
    let label = browser.value("document.querySelector('.circuit').getAttribute('aria-label')");
    for name in ["class reads middle o", "class reads right, <b> o"] {
        assert!(label.as_str().unwrap().contains(name), "{label}");
    }
    let drawn = browser.value("[...document.querySelectorAll('.circuit .token')].map((t) => t.textContent)");
    assert!(drawn.as_array().unwrap().iter().any(|t| t.as_str().unwrap().starts_with("middle o")), "{drawn}");
    nothing_is_cut(&browser);
    assert!(drawings_are_read(&browser) > 10);
    assert_eq!(browser.complaints(), [""; 0]);
}

/// Too many inputs for their answers to be in the page, and nothing known of other rows: it says so.
#[test]
fn a_wide_table_has_a_page_without_answers() {
    let Some(browser) = Browser::start() else { return };
    let dir = tempfile::tempdir().unwrap();
    let names: Vec<String> = (0..13).map(|i| format!("a column called number {i}")).collect();
    let row = |n: usize| (0..13).map(|i| (n >> (i % 3) & 1).to_string()).collect::<Vec<_>>().join(",");
    let rows: String = (0..8).map(|n| format!("{},{}\n", row(n), if n > 3 { "p" } else { "n" })).collect();
    std::fs::write(dir.path().join("wide.csv"), format!("{},y\n{rows}", names.join(","))).unwrap();
    strat(
        dir.path(),
        &[
            "fit",
            "wide.csv",
            "--target",
            "y",
            "--epochs",
            "5",
            "--learners",
            "2",
            "--no-held-out",
            "--html",
            "wide.html",
        ],
    );
    browser.offline();
    browser.size(1366, 900);
    browser.open(&dir.path().join("wide.html"));
    assert!(text(&browser, "#answer").contains("more than 4,096 different inputs"));
    assert!(text(&browser, "#test").contains("nothing is known of other rows"));
    nothing_is_cut(&browser);
    nobody_is_hindered(&browser);
    assert_eq!(browser.complaints(), [""; 0]);
}
