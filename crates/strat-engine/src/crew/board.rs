//! Where a machine's thread posts a job in parts, and helpers take them.

use super::bell::Bell;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// The most parts of a job, and threads that work on one machine.
pub(crate) const MOST_PARTS: usize = 8;

/// The parts that nobody has taken, a bit for each; above them the number of the job.
const PARTS: u64 = (1 << MOST_PARTS) - 1;

/// A function of a part's number, whose type is forgotten.
struct Job {
    function: *const (),
    call: unsafe fn(*const (), usize),
}

/// Apart from what other threads write.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Apart<T>(T);

#[derive(Debug, Default)]
pub(super) struct Board {
    /// See [`PARTS`].
    open_parts: Apart<AtomicU64>,
    job: AtomicPtr<Job>,
    /// How often all helpers were sent away.
    dismissals: AtomicU64,
    helpers: AtomicUsize,
    posted: Bell,
    /// Parts of the job that helpers have done, and of all jobs.
    done: Apart<AtomicUsize>,
    helped: AtomicU64,
    finished: Bell,
    /// What a helper's part panicked with.
    panic: Mutex<Option<Box<dyn Any + Send>>>,
}

/// A helper's place.
pub(super) struct Seat {
    /// What it takes if it can, so that it finds in its cache what it has just written.
    part: usize,
    /// Before it came.
    dismissals: u64,
}

impl Board {
    /// Threads that help.
    pub fn helpers(&self) -> usize {
        self.helpers.load(Ordering::Relaxed)
    }

    /// Parts that helpers have done.
    pub fn helped(&self) -> u64 {
        self.helped.load(Ordering::Relaxed)
    }

    /// One helper more.
    pub fn sit_down(&self) -> Seat {
        let part = self.helpers.fetch_add(1, Ordering::Relaxed) + 1;
        Seat { part, dismissals: self.dismissals.load(Ordering::SeqCst) }
    }

    /// One less.
    pub fn stand_up(&self) {
        self.helpers.fetch_sub(1, Ordering::Relaxed);
    }

    /// Sends all helpers away who have sat down.
    pub fn dismiss(&self) {
        self.dismissals.fetch_add(1, Ordering::SeqCst);
        self.posted.ring();
    }

    /// Calls `function` with each number below `parts`, on this thread and those of helpers. To be called by one thread
    /// at a time.
    pub fn run<F: Fn(usize) + Sync>(&self, parts: usize, function: &F) {
        assert!((1..=MOST_PARTS).contains(&parts));
        /// `function` has to be an `F` that is still there.
        unsafe fn call<F: Fn(usize)>(function: *const (), part: usize) {
            // SAFETY: the caller says so.
            unsafe { (*function.cast::<F>())(part) }
        }
        let mut job = Job { function: (&raw const *function).cast(), call: call::<F> };
        let open = &self.open_parts.0;
        let number = (open.load(Ordering::Relaxed) >> MOST_PARTS) + 1;
        self.done.0.store(0, Ordering::Relaxed);
        self.job.store(&raw mut job, Ordering::Relaxed);
        open.store(number << MOST_PARTS | (((1 << parts) - 1) & !1), Ordering::SeqCst);
        self.posted.ring();
        // Nothing may unwind from here before all helpers are done: they use what lies on this stack.
        let mut ended = catch_unwind(AssertUnwindSafe(|| function(0)));
        let mut own = 1;
        for part in 1..parts {
            if open.fetch_and(!(1 << part), Ordering::SeqCst) & 1 << part != 0 {
                own += 1;
                ended = ended.and_then(|()| catch_unwind(AssertUnwindSafe(|| function(part))));
            }
        }
        self.finished.wait_until(|| self.done.0.load(Ordering::SeqCst) == parts - own);
        self.job.store(null_mut(), Ordering::Relaxed);
        self.helped.fetch_add((parts - own) as u64, Ordering::Relaxed);
        let of_helper = self.panic.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(payload) = ended.err().or(of_helper) {
            resume_unwind(payload);
        }
    }

    /// Takes parts of jobs, its own if nobody else has taken it, until it is dismissed.
    pub fn serve(&self, seat: &Seat) {
        let open = &self.open_parts.0;
        let is_dismissed = || self.dismissals.load(Ordering::SeqCst) != seat.dismissals;
        loop {
            self.posted.wait_until(|| open.load(Ordering::SeqCst) & PARTS != 0 || is_dismissed());
            if is_dismissed() {
                return;
            }
            let seen = open.load(Ordering::SeqCst);
            let part = match seen & PARTS {
                0 => continue,
                parts if parts >> seat.part & 1 != 0 => seat.part,
                parts => parts.trailing_zeros() as usize,
            };
            let job = self.job.load(Ordering::Relaxed);
            let taken = seen & !(1 << part);
            if open.compare_exchange(seen, taken, Ordering::SeqCst, Ordering::Relaxed).is_err() {
                continue;
            }
            // SAFETY: the exchange says that the job with this number still had an open part, so `job`, loaded after the
            // number was seen, is that job: a new one is only stored when all parts of the one before are done. And
            // `run` does not return, nor unwind, before this part is done.
            let ended = catch_unwind(AssertUnwindSafe(|| unsafe { ((*job).call)((*job).function, part) }));
            if let Err(payload) = ended {
                *self.panic.lock().unwrap_or_else(PoisonError::into_inner) = Some(payload);
            }
            self.done.0.fetch_add(1, Ordering::SeqCst);
            self.finished.ring();
        }
    }
}
