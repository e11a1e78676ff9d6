//! The commands of docs/guide.md, pasted into an empty folder, print what the guide shows.

use std::path::Path;
use std::process::Command;

/// Stands for lines that are left out.
const MORE: &str = "…";

/// A command and what it prints.
struct Shown {
    command: String,
    output: Vec<String>,
}

/// The commands of a page's console blocks.
fn commands(page: &str) -> Vec<Shown> {
    let mut shown: Vec<Shown> = vec![];
    let (mut inside, mut typed) = (false, None::<&str>);
    for line in page.lines() {
        if let Some(end) = typed {
            let last = shown.last_mut().expect("a command was begun");
            last.command += &format!("\n{line}");
            typed = Some(end).filter(|end| line != *end);
        } else if line.starts_with("```") {
            inside = line == "```console";
        } else if let Some(command) = line.strip_prefix("$ ").filter(|_| inside) {
            typed = command.split_once("<<").map(|(_, end)| end.trim());
            shown.push(Shown { command: command.into(), output: vec![] });
        } else if inside {
            shown.last_mut().expect("output follows a command").output.push(line.into());
        }
    }
    shown
}

/// Are these the lines, where `…` stands for any?
fn agrees(shown: &[String], lines: &[&str]) -> bool {
    match shown {
        [] => lines.is_empty(),
        [first, rest @ ..] if first == MORE => (0..=lines.len()).any(|skipped| agrees(rest, &lines[skipped..])),
        [first, rest @ ..] => lines.first() == Some(&first.as_str()) && agrees(rest, &lines[1..]),
    }
}

#[test]
fn commands_of_the_guide_print_what_it_shows() {
    let page = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide.md")).unwrap();
    let commands = commands(&page);
    assert!(commands.iter().filter(|c| c.command.starts_with("strat fit")).count() >= 3, "three worked examples");
    let folder = tempfile::tempdir().unwrap();
    let strat = Path::new(env!("CARGO_BIN_EXE_strat")).parent().unwrap().to_path_buf();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths([strat].into_iter().chain(std::env::split_paths(&path))).unwrap();
    for Shown { command, output } in commands {
        let mut bash = Command::new("bash");
        let run = bash.args(["-c", &command]).current_dir(folder.path()).env("PATH", &path).env_remove("STRAT_ISA");
        let run = run.output().unwrap();
        let (out, err) = (String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr));
        assert!(run.status.success(), "{command}\n{err}");
        let lines: Vec<&str> = out.lines().collect();
        assert!(agrees(&output, &lines), "{command}\nprints\n{out}\nand not\n{}", output.join("\n"));
    }
}

#[test]
fn omissions_stand_for_any_lines() {
    let shown = |lines: &[&str]| lines.iter().map(|l| l.to_string()).collect::<Vec<_>>();
    assert!(agrees(&shown(&["a", "…", "d"]), &["a", "b", "c", "d"]));
    assert!(agrees(&shown(&["…", "b"]), &["b"]));
    assert!(!agrees(&shown(&["a", "…", "d"]), &["a", "b"]));
    assert!(!agrees(&shown(&["a"]), &["a", "b"]));
}
