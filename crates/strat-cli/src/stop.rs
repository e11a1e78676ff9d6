//! Ctrl-C, and what a batch system sends before it kills: every command ends with 130.

use crate::say::say;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// What a shell calls the end of a program that was interrupted.
pub const INTERRUPTED: u8 = 130;

static STOP: AtomicBool = AtomicBool::new(false);
/// Whether there are learners that would be lost.
static LEARNING: AtomicBool = AtomicBool::new(false);
/// Held while a file is put into its place.
static PUTTING: Mutex<()> = Mutex::new(());

/// From here on a signal ends the program: at once, or after saving if learners are in training. A second one ends
/// it at once.
pub fn listen() {
    let heard = || {
        let again = STOP.swap(true, Ordering::Relaxed);
        if !again && LEARNING.load(Ordering::Relaxed) {
            say!("\nSaving; once more to stop at once.");
            return;
        }
        // A file that is being written is a matter of moments; a disk that hangs is not waited for.
        for _ in 0..200 {
            match PUTTING.try_lock() {
                Err(std::sync::TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(10)),
                _ => break,
            }
        }
        end()
    };
    // A program that cannot be asked to stop can still be killed.
    let _ = ctrlc::set_handler(heard);
}

fn end() -> ! {
    say!("Stopped.");
    std::process::exit(INTERRUPTED.into())
}

/// Set when the program should save and end.
pub fn signal() -> &'static AtomicBool {
    &STOP
}

/// Does what learners would be lost of: a signal is only noted meanwhile, in [`signal`].
pub fn saving<T>(learn: impl FnOnce() -> T) -> T {
    LEARNING.store(true, Ordering::Relaxed);
    let done = learn();
    LEARNING.store(false, Ordering::Relaxed);
    done
}

/// Does what a signal waits for, and then ends if there was one.
pub fn after<T>(put: impl FnOnce() -> T) -> T {
    let done = {
        let _putting = PUTTING.lock().unwrap_or_else(PoisonError::into_inner);
        put()
    };
    if STOP.load(Ordering::Relaxed) {
        end();
    }
    done
}
