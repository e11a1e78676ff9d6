//! Standard output for results, standard error for progress.

use crate::say::say;
use crate::{Failure, stop};
use indicatif::{HumanDuration, ProgressBar, ProgressStyle};
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, Instant};
use strat::engine::Isa;
use strat::escape::{one_line, visible};
use strat::result::Summary;
use strat_paper::table;

/// Prints to standard output; a closed pipe is an error that `main` forgives. Names of others cannot command the terminal.
pub fn print(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(visible(text).as_bytes())?;
    out.flush()
}

/// Writes a file that was asked for, whole or not at all ([`strat::record::write_file`]).
pub fn write_file(path: &Path, text: &str) -> Result<(), Failure> {
    write_bytes(path, text.as_bytes())
}

/// The same for what is no text.
pub fn write_bytes(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let written = stop::after(|| strat::record::write_file(path, bytes));
    written.map_err(|source| Failure::File { path: path.into(), source })
}

/// Between two lines about progress.
const LINE_EVERY: Duration = Duration::from_secs(60);

/// Progress on standard error, with the time left: a bar if that is a terminal, else a line a minute.
pub struct Progress {
    bar: ProgressBar,
    lines: Option<Mutex<Lines>>,
}

struct Lines {
    begun: Instant,
    /// What was done before.
    before: u64,
    /// When the last line was written.
    last: Instant,
}

impl Progress {
    /// Of work of which `before` of `total` is done already.
    pub fn new(total: u64, before: u64, what: &str) -> Progress {
        let bar = ProgressBar::new(total);
        let style = ProgressStyle::with_template("{msg} {wide_bar} {percent:>3} %  {eta} left");
        bar.set_style(style.expect("the template is valid"));
        bar.set_message(one_line(what).into_owned());
        bar.inc(before);
        bar.reset_eta();
        let now = Instant::now();
        let lines = (!io::stderr().is_terminal()).then_some(Mutex::new(Lines { begun: now, before, last: now }));
        Progress { bar, lines }
    }

    /// So much more is done.
    pub fn inc(&self, done: u64) {
        self.bar.inc(done);
        // Whoever writes a line at the moment writes it for all.
        let Some(Ok(mut lines)) = self.lines.as_ref().map(Mutex::try_lock) else { return };
        if lines.last.elapsed() >= LINE_EVERY {
            lines.last = Instant::now();
            let (done, total) = (self.bar.position(), self.bar.length().unwrap_or(0));
            let left = time_left(lines.begun.elapsed(), done.saturating_sub(lines.before), total - done.min(total));
            let percent = 100 * done / total.max(1);
            say!("{}: {percent} %, {} left", self.bar.message(), HumanDuration(left));
        }
    }

    /// All is done.
    pub fn finish(self) {
        self.bar.finish_and_clear();
    }
}

/// At the pace of what is done.
fn time_left(passed: Duration, done: u64, left: u64) -> Duration {
    passed.mul_f64(left as f64 / done.max(1) as f64)
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
    out.push_str(&table::checks(checks));
    out.push_str(&format!("\nComputed with {isa}; the same seeds give the same bits on it.\n\n"));
    out
}
