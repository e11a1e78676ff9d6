//! Tests that are skipped where they should not be are failures.

#[path = "common/require.rs"]
mod require;

use require::{is_required, skip};

#[test]
fn a_list_requires_its_words_and_no_others() {
    assert_eq!(is_required("", "data"), Ok(false));
    assert_eq!(is_required("browser, slurm", "data"), Ok(false));
    assert_eq!(is_required("browser, data", "data"), Ok(true));
    let slip = is_required("data,brower", "data").unwrap_err();
    // And this machine's own list has no slip.
    is_required(&std::env::var("STRAT_REQUIRE").unwrap_or_default(), "data").unwrap();
    assert!(slip.contains("\"brower\"") && slip.contains("browser"), "{slip}");
}

/// Asks itself with the variable set, since tests share their environment.
#[test]
fn a_skip_is_a_failure_where_it_is_required() {
    if std::env::var_os("STRAT_REQUIRE_TESTED").is_some() {
        return skip("slurm", "as a test");
    }
    let skipped = |list: &str| {
        let mut own = std::process::Command::new(std::env::current_exe().unwrap());
        own.args(["--exact", "a_skip_is_a_failure_where_it_is_required", "--nocapture"]);
        own.env("STRAT_REQUIRE_TESTED", "1").env("STRAT_REQUIRE", list).output().unwrap()
    };
    let said = |out: &std::process::Output| String::from_utf8_lossy(&out.stderr).into_owned();
    let out = skipped("data");
    assert!(out.status.success() && said(&out).contains("skipped: as a test"), "{}", said(&out));
    let out = skipped("data,slurm");
    assert!(!out.status.success() && said(&out).contains("STRAT_REQUIRE=data,slurm"), "{}", said(&out));
}
