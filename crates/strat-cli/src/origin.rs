//! Which program this is and which machine it runs on, for the records.

use strat::record::Origin;

/// Of the program.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
/// Of its source, or `unknown`.
pub const COMMIT: &str = env!("STRAT_COMMIT");

/// Of this process, at work on so many threads.
pub fn origin(threads: usize) -> Origin {
    let arguments: Vec<_> = std::env::args_os().skip(1).map(|a| a.to_string_lossy().into_owned()).collect();
    Origin {
        command: format!("strat {}", arguments.join(" ")),
        cpu: cpu(),
        cores: std::thread::available_parallelism().map_or(1, usize::from),
        threads,
    }
}

/// Linux tells the processor's name; elsewhere its architecture must do.
fn cpu() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    name.map_or_else(|| std::env::consts::ARCH.into(), |(_, name)| name.trim().into())
}
