//! `strat data`

use crate::ExitCode;
use crate::Failure;
use crate::args::{DataAction, DataArgs};
use crate::hint::fetch_with_hint;
use crate::output::{download, print};
use crate::say::say;
use serde_json::{Value, json};
use std::path::PathBuf;
use strat::data::{DataFolder, FetchError, Fetched, Source, fetch};

pub fn run(args: DataArgs) -> Result<ExitCode, Failure> {
    let folder = DataFolder::find(args.data);
    match args.action {
        DataAction::List => list(&folder, args.json),
        DataAction::Fetch { names, mirror } => fetch_all(&folder, &named(&names), mirror.as_deref(), args.json),
        DataAction::Verify { names } => verify(&folder, &named(&names), !names.is_empty(), args.json),
    }
}

/// Those asked for in the table's order, or all.
fn named(names: &[String]) -> Vec<&'static Source> {
    Source::all().iter().filter(|s| names.is_empty() || names.iter().any(|n| n == s.name)).collect()
}

fn list(folder: &DataFolder, json: bool) -> Result<ExitCode, Failure> {
    let mut out = String::new();
    let mut rows = vec![["name", "state", "file", "rows", "licence", "from"].map(String::from)];
    for source in Source::all() {
        let files = folder.files(source);
        let names: Vec<String> = files.iter().map(|f| f.display().to_string()).collect();
        let state = if files.is_empty() { "missing" } else { "there" };
        if json {
            let line = json!({
                "name": source.name, "about": source.about, "state": state, "files": names, "file": source.file,
                "url": source.url, "licence": source.licence, "sha256": source.sha256, "content": source.content,
                "rows": source.rows,
            });
            out.push_str(&format!("{line}\n"));
        }
        let short = |f: &PathBuf| f.strip_prefix(folder.root()).unwrap_or(f).display().to_string();
        let shown = match &files[..] {
            [] => source.file.to_string(),
            found => found.iter().map(short).collect::<Vec<_>>().join(", "),
        };
        let count = match source.rows {
            (least, most) if least == most => least.to_string(),
            (least, most) => format!("{least}-{most}"),
        };
        rows.push([source.name.into(), state.into(), shown, count, source.licence.into(), source.url.into()]);
    }
    if !json {
        let missing = rows.iter().filter(|r| r[1] == "missing").count();
        out = format!("Data folder: {}\n\n{}", folder.root().display(), aligned(&rows));
        if missing > 0 {
            out.push_str(&format!("\n{missing} missing; `strat data fetch` gets them.\n"));
        }
    }
    print(&out)?;
    Ok(ExitCode::SUCCESS)
}

/// Columns two spaces apart, the last as long as it likes.
fn aligned<const N: usize>(rows: &[[String; N]]) -> String {
    let width = |c: usize| rows.iter().map(|r| r[c].chars().count()).max().unwrap_or(0);
    let mut out = String::new();
    for row in rows {
        let cell = |c: usize| if c + 1 < N { format!("{:<1$}", row[c], width(c) + 2) } else { row[c].clone() };
        out.push_str((0..N).map(cell).collect::<String>().trim_end());
        out.push('\n');
    }
    out
}

/// One line per data set: its name, a word for what came of it, and more for people or for programs.
fn said(json: bool, source: &Source, state: &str, text: &str, more: Value) -> Result<(), Failure> {
    let line = if json {
        let mut line = json!({ "name": source.name, "state": state });
        if let (Value::Object(line), Value::Object(more)) = (&mut line, more) {
            line.extend(more);
        }
        line.to_string()
    } else {
        format!("{:<13}{state:<15}{text}", source.name).trim_end().to_string()
    };
    Ok(print(&(line + "\n"))?)
}

fn verify(folder: &DataFolder, sources: &[&Source], named: bool, json: bool) -> Result<ExitCode, Failure> {
    let mut failed = false;
    for source in sources {
        match folder.verify(source) {
            Ok(Some(c)) => {
                let more = json!({ "rows": c.rows, "fingerprint": c.fingerprint });
                said(json, source, "ok", &format!("{} rows", c.rows), more)?;
            }
            Ok(None) => {
                failed |= named;
                said(json, source, "missing", &format!("`strat data fetch {}` gets it", source.name), json!({}))?;
            }
            Err(e) => {
                failed = true;
                let text = format!("{e}; `strat data fetch {}` gets the right one", source.name);
                said(json, source, "wrong", &text, json!({ "error": e.to_string() }))?;
            }
        }
    }
    Ok(ExitCode::from(u8::from(failed)))
}

fn fetch_all(
    folder: &DataFolder,
    sources: &[&'static Source],
    mirror: Option<&str>,
    json: bool,
) -> Result<ExitCode, Failure> {
    let mut code = 0;
    for source in sources {
        let bar = download(source.name);
        let progress = |have, total: Option<u64>| {
            total.into_iter().for_each(|t| bar.set_length(t));
            bar.set_position(have);
        };
        let done = fetch(folder, source, mirror, &progress);
        bar.finish_and_clear();
        let ok = |state, rows| said(json, source, state, &format!("{rows} rows"), json!({ "rows": rows }));
        match done {
            Ok(Fetched::New(c)) => ok("fetched", c.rows)?,
            Ok(Fetched::AlreadyThere(c)) => ok("already there", c.rows)?,
            // The others may fare better.
            Err(e) => {
                code = code.max(if matches!(e, FetchError::Wrong { .. }) { 1 } else { 2 });
                say!("error: {}: {}", source.name, fetch_with_hint(&e));
                if json {
                    said(json, source, "failed", "", json!({ "error": e.to_string() }))?;
                }
            }
        }
    }
    Ok(ExitCode::from(code))
}
