//! Which program this is and which machine it runs on, for the records.

use std::ffi::OsString;
use std::sync::OnceLock;
use strat::record::Origin;

/// Of the program.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
/// Of its source, or `unknown`.
pub const COMMIT: &str = env!("STRAT_COMMIT");

static COMMAND: OnceLock<String> = OnceLock::new();

/// Notes what was asked for, once.
pub(crate) fn set_command(args: &[OsString]) {
    let arguments: Vec<_> = args.iter().skip(1).map(|a| a.to_string_lossy().into_owned()).collect();
    COMMAND.get_or_init(|| format!("strat {}", arguments.join(" ")));
}

/// Of this process, at work on so many threads.
pub(crate) fn origin(threads: usize) -> Origin {
    origin_of(COMMAND.get().cloned().unwrap_or_default(), threads)
}

/// The same of a command in other words.
pub fn origin_of(command: String, threads: usize) -> Origin {
    Origin { command, cpu: cpu(), cores: std::thread::available_parallelism().map_or(1, usize::from), threads }
}

/// Linux tells the processor's name; elsewhere its architecture must do.
fn cpu() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    name.map_or_else(|| std::env::consts::ARCH.into(), |(_, name)| name.trim().into())
}
