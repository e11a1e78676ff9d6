//! Files that somebody asked for: whole, or as they were.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use strat::record::write_file;

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn a_file_is_made_or_replaced_and_nothing_else_is_left() {
    let dir = tempfile::tempdir().unwrap();
    let page = dir.path().join("page.html");
    write_file(&page, b"one").unwrap();
    fs::set_permissions(&page, fs::Permissions::from_mode(0o640)).unwrap();
    write_file(&page, b"two").unwrap();
    assert_eq!(fs::read(&page).unwrap(), b"two");
    assert_eq!(fs::metadata(&page).unwrap().permissions().mode() & 0o777, 0o640);
    assert_eq!(names(dir.path()), ["page.html"]);
    assert!(write_file(&dir.path().join("no/such/folder"), b"").is_err());
    assert!(write_file(dir.path(), b"").is_err());
}

#[test]
fn a_link_stays_one_and_a_link_to_nothing_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    fs::create_dir(at("elsewhere")).unwrap();
    fs::write(at("elsewhere/page"), "old").unwrap();
    symlink("elsewhere/page", at("link")).unwrap();
    write_file(&at("link"), b"new").unwrap();
    assert!(at("link").is_symlink());
    assert_eq!(fs::read(at("elsewhere/page")).unwrap(), b"new");
    assert_eq!(names(&at("elsewhere")), ["page"]);

    symlink("nowhere", at("dangling")).unwrap();
    assert!(write_file(&at("dangling"), b"new").is_err());
    assert!(!at("nowhere").exists());
    // What somebody put where we write before is not followed.
    fs::write(at("victim"), "theirs").unwrap();
    symlink(at("victim"), at(&format!(".strat-{}.tmp", std::process::id()))).unwrap();
    write_file(&at("page"), b"ours").unwrap();
    assert_eq!(fs::read(at("victim")).unwrap(), b"theirs");
    assert_eq!(fs::read(at("page")).unwrap(), b"ours");
}

#[test]
fn what_is_no_file_is_written_to_and_stays() {
    write_file(Path::new("/dev/null"), b"nothing").unwrap();
    assert!(!fs::metadata("/dev/null").unwrap().is_file());
}
