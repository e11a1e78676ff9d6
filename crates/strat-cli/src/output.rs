//! Standard output for results, standard error for progress.

use indicatif::{ProgressBar, ProgressStyle};
use std::io::{self, Write};
use strat::engine::Isa;
use strat::experiment::Summary;
use strat::report::table;

/// Prints to standard output; a closed pipe is an error that `main` forgives.
pub fn print(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}

/// A bar with the time left on standard error; nothing when that is not a terminal.
pub fn progress(total: u64, what: &str) -> ProgressBar {
    let bar = ProgressBar::new(total);
    let style = ProgressStyle::with_template("{msg} {wide_bar} {percent:>3} %  {eta} left");
    bar.set_style(style.expect("the template is valid"));
    bar.set_message(what.to_string());
    bar
}

/// A bar in bytes; its length is set when the server has said it.
pub fn download(what: &'static str) -> ProgressBar {
    let bar = ProgressBar::no_length();
    let style = ProgressStyle::with_template("{msg} {wide_bar} {bytes} of {total_bytes}, {bytes_per_sec}");
    bar.set_style(style.expect("the template is valid"));
    bar.set_message(what);
    bar
}

/// What came out of an experiment, for a person.
pub fn summary_text(summary: &Summary, isa: Isa) -> String {
    let Summary { title, cells, checks, notes, .. } = summary;
    let mut out = format!("{title}\n\n{}", table::render(cells));
    if !notes.is_empty() {
        out.push('\n');
        out.push_str(notes);
    }
    if !checks.is_empty() {
        out.push_str("\nChecks:\n");
    }
    for c in checks {
        out.push_str(&format!("  [{}] {}\n", if c.holds { "ok" } else { "no" }, c.statement));
    }
    out.push_str(&format!("\nComputed with {isa}; the same seeds give the same bits on it.\n\n"));
    out
}
