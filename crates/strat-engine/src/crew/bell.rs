//! Waiting for something that other threads do: awake for a moment, then asleep.

use std::hint::spin_loop;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread::yield_now;

/// How often a thread looks again before it lets others run: some ten microseconds, which is longer than most parts of a
/// step take.
const LOOKS: usize = 500;
/// How often it lets others run before it sleeps: with nobody there, longer than what a machine does between two steps.
const YIELDS: usize = 500;

/// What those who sleep hear.
#[derive(Debug, Default)]
pub(super) struct Bell {
    sleepers: AtomicUsize,
    lock: Mutex<()>,
    rung: Condvar,
}

impl Bell {
    /// Waits until something is so, which somebody makes so before they ring. Both are sequentially consistent: either it
    /// is seen here before sleep, or who rings sees that somebody sleeps.
    pub fn wait_until(&self, is_so: impl Fn() -> bool) {
        for _ in 0..LOOKS {
            if is_so() {
                return;
            }
            spin_loop();
        }
        for _ in 0..YIELDS {
            if is_so() {
                return;
            }
            yield_now();
        }
        self.sleepers.fetch_add(1, Ordering::SeqCst);
        let mut guard = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        while !is_so() {
            guard = self.rung.wait(guard).unwrap_or_else(PoisonError::into_inner);
        }
        drop(guard);
        self.sleepers.fetch_sub(1, Ordering::SeqCst);
    }

    /// Wakes those who sleep.
    pub fn ring(&self) {
        if self.sleepers.load(Ordering::SeqCst) > 0 {
            // Whoever has seen that it is not so yet is asleep once this is free.
            drop(self.lock.lock().unwrap_or_else(PoisonError::into_inner));
            self.rung.notify_all();
        }
    }
}
