//! A reader, watched.

use crate::meter::most_held;
use crate::readers::{Reader, Said};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Once;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Beyond this nobody waits. Ten seconds are asked for; a machine with much else to do may need more.
const PATIENCE: u64 = 180;

/// Readers that have ended.
static ENDED: AtomicU64 = AtomicU64::new(0);

/// Ends the test if no reader ends for long.
fn watch() {
    static WATCH: Once = Once::new();
    WATCH.call_once(|| {
        std::thread::spawn(|| {
            loop {
                let before = ENDED.load(Ordering::Relaxed);
                std::thread::sleep(Duration::from_secs(PATIENCE));
                if ENDED.load(Ordering::Relaxed) == before {
                    eprintln!("a reader has not ended for {PATIENCE} s");
                    std::process::abort();
                }
            }
        });
    });
}

/// What a reader says, and the most memory that it held; on one thread, so that all of it is counted.
pub fn listen(reader: &Reader, folder: &Path, what: &str) -> (Said, usize) {
    watch();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let said = pool.install(|| {
        let (said, held) = most_held(|| catch_unwind(AssertUnwindSafe(|| (reader.read)(folder))));
        (said.unwrap_or_else(|_| panic!("{what}: {} panics", reader.name)), held)
    });
    ENDED.fetch_add(1, Ordering::Relaxed);
    said
}

/// Whether all places are to be tried.
pub fn is_whole_sweep() -> bool {
    std::env::var_os("STRAT_SWEEP").is_some_and(|all| all == "all")
}
