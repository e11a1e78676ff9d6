//! Work that takes long: without the interpreter's lock, on its own threads, and stopped by Ctrl-C.

use crate::failure::{bug, value};
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Between two looks at signals and progress.
const LOOK: Duration = Duration::from_millis(50);
/// How long work that was told to stop is waited for. Work that does not listen ends by itself, and is forgotten.
const PATIENCE: Duration = Duration::from_millis(1500);
/// As the main thread of a program has it.
const STACK: usize = 8 << 20;

/// What work and whoever waits for it share.
#[derive(Default)]
pub struct Control {
    /// Set when the work should be saved and end.
    pub stop: AtomicBool,
    /// Work done, and all there is, in any unit.
    pub done: AtomicU64,
    /// See `done`.
    pub total: AtomicU64,
}

/// What unwinds work that has no other way to stop.
pub struct Stopped;

impl Control {
    /// Notes progress.
    pub fn advance(&self, done: u64) {
        self.done.fetch_add(done, Ordering::Relaxed);
    }

    /// The same in work that asks nobody whether to stop: this ends it.
    pub fn advance_or_unwind(&self, done: u64) {
        self.advance(done);
        if self.stop.load(Ordering::Relaxed) {
            std::panic::resume_unwind(Box::new(Stopped));
        }
    }
}

/// A pool of so many threads, or as many as there are cores.
pub fn pool(threads: Option<usize>) -> PyResult<ThreadPool> {
    let most = 4 * std::thread::available_parallelism().map_or(4, NonZeroUsize::get).max(4);
    if let Some(n) = threads.filter(|n| !(1..=most).contains(n)) {
        return Err(value(format!("threads is {n}, but should be from 1 to {most}")));
    }
    let pool = ThreadPoolBuilder::new().num_threads(threads.unwrap_or(0)).build();
    pool.map_err(|e| value(format!("cannot start {threads:?} threads: {e}")))
}

/// Does work on a thread of its own. Meanwhile signals are heeded, and `callback(done, total)` hears of progress.
pub fn run<T: Send + 'static>(
    py: Python<'_>,
    callback: Option<&Bound<'_, PyAny>>,
    work: impl FnOnce(&Control) -> PyResult<T> + Send + 'static,
) -> PyResult<T> {
    let control = Arc::new(Control::default());
    let (send, receive) = channel();
    let receive = Mutex::new(receive);
    let theirs = control.clone();
    let worker = std::thread::Builder::new().name("strat".into()).stack_size(STACK).spawn(move || {
        let done = catch_unwind(AssertUnwindSafe(|| work(&theirs)));
        // Nobody may be waiting any more.
        let _ = send.send(done);
    });
    worker.map_err(|e| value(format!("cannot start a thread: {e}")))?;
    let mut stopping: Option<(PyErr, Instant)> = None;
    loop {
        let came = py.detach(|| receive.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(LOOK));
        match (came, stopping.take()) {
            (Ok(_) | Err(RecvTimeoutError::Disconnected), Some((why, _))) => return Err(why),
            (Ok(Ok(done)), None) => {
                let total = control.total.load(Ordering::Relaxed);
                match callback {
                    // Who counts hears that all is done, however quickly that was.
                    Some(callback) if total > 0 && done.is_ok() => callback.call1((total, total))?,
                    _ => py.None().into_bound(py),
                };
                return done;
            }
            (Ok(Err(payload)), None) => return Err(bug(&*payload)),
            (Err(RecvTimeoutError::Disconnected), None) => return Err(bug(&"the worker is gone")),
            (Err(RecvTimeoutError::Timeout), Some((why, since))) if since.elapsed() > PATIENCE => return Err(why),
            (Err(RecvTimeoutError::Timeout), Some(waiting)) => stopping = Some(waiting),
            (Err(RecvTimeoutError::Timeout), None) => {
                let (done, total) = (control.done.load(Ordering::Relaxed), control.total.load(Ordering::Relaxed));
                let told = py.check_signals().and_then(|()| match callback {
                    Some(callback) if total > 0 => callback.call1((done.min(total), total)).map(drop),
                    _ => Ok(()),
                });
                if let Err(why) = told {
                    control.stop.store(true, Ordering::Relaxed);
                    stopping = Some((why, Instant::now()));
                }
            }
        }
    }
}
