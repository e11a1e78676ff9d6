//! Threads that help each other: some teach machines, and those with nothing left to do take parts of the others' work.
//!
//! A machine cuts a step of its work into parts that write to different places, so that no number depends on who did
//! which part, nor on how many helped. It waits for nobody who has not begun: what nobody has taken, it does itself. So
//! on a busy machine, or one with a single core, help that comes late costs nothing.

mod bell;
mod board;

use board::Board;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

pub(crate) use board::MOST_PARTS;

/// Threads that train machines and help each other.
///
/// ```
/// use strat_engine::Crew;
/// let crew = Crew::new();
/// std::thread::scope(|threads| {
///     threads.spawn(|| crew.work(|| ())); // Has nothing to do, so that it helps …
///     crew.work(|| ()); // … while this one trains machines that know the crew, `machine.join_crew(&crew)`.
/// });
/// ```
#[derive(Debug, Default)]
pub struct Crew {
    roll: Mutex<Roll>,
    changed: Condvar,
}

/// Who is there.
#[derive(Debug, Default)]
struct Roll {
    /// Threads at work of their own.
    working: usize,
    /// Where machines post what they have to do.
    boards: Vec<Arc<Board>>,
}

impl Crew {
    /// Of threads that will come.
    pub fn new() -> Arc<Crew> {
        Arc::default()
    }

    /// Does a thread's own work; then this thread helps others until all who have begun are done with theirs. Not to be
    /// called within itself: it would wait for its own end.
    pub fn work<T>(&self, work: impl FnOnce() -> T) -> T {
        self.roll().working += 1;
        let own = OwnWork(self);
        let done = work();
        drop(own);
        self.help();
        done
    }

    fn roll(&self) -> MutexGuard<'_, Roll> {
        self.roll.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn help(&self) {
        let mut roll = self.roll();
        while roll.working > 0 {
            // Where fewest help.
            let board = roll.boards.iter().filter(|b| b.helpers() + 1 < MOST_PARTS).min_by_key(|b| b.helpers());
            match board.cloned() {
                Some(board) => {
                    let seat = board.sit_down();
                    drop(roll);
                    board.serve(&seat);
                    roll = self.roll();
                    board.stand_up();
                }
                None => roll = self.changed.wait(roll).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }
}

/// A thread's own work, which has ended when this is dropped.
struct OwnWork<'a>(&'a Crew);

impl Drop for OwnWork<'_> {
    fn drop(&mut self) {
        let mut roll = self.0.roll();
        roll.working -= 1;
        if roll.working == 0 {
            // Nobody trains now, though machines may still be there.
            roll.boards.iter().for_each(|board| board.dismiss());
            self.0.changed.notify_all();
        }
    }
}

/// A machine and those who help it.
pub struct Team {
    board: Arc<Board>,
    crew: Option<Arc<Crew>>,
    parts: usize,
}

impl Team {
    /// The machine alone.
    pub fn alone() -> Team {
        Team { board: Arc::default(), crew: None, parts: 1 }
    }

    /// From now on, those of a crew may help.
    pub fn join(&mut self, crew: &Arc<Crew>) {
        self.leave();
        self.board = Arc::default();
        crew.roll().boards.push(self.board.clone());
        crew.changed.notify_all();
        self.crew = Some(crew.clone());
    }

    fn leave(&mut self) {
        if let Some(crew) = self.crew.take() {
            crew.roll().boards.retain(|board| !Arc::ptr_eq(board, &self.board));
            self.board.dismiss();
        }
    }

    /// Into how many parts work is cut until this is called again: one for everybody who is there.
    pub fn muster(&mut self) -> usize {
        self.parts = (self.board.helpers() + 1).min(MOST_PARTS);
        self.parts
    }

    /// What [`Team::muster`] said.
    pub fn parts(&self) -> usize {
        self.parts
    }

    /// Runs some tasks, at most as many as parts, at the same time. Panics if one does.
    pub fn each<T: Send>(&mut self, mut tasks: impl Iterator<Item = T>, run: impl Fn(T) + Sync) {
        if self.parts == 1 {
            return tasks.for_each(run);
        }
        let mut count = 0;
        let slots: [Mutex<Option<T>>; MOST_PARTS] = std::array::from_fn(|_| {
            let task = tasks.next();
            count += usize::from(task.is_some());
            Mutex::new(task)
        });
        assert!(tasks.next().is_none(), "more tasks than {MOST_PARTS}");
        if count > 0 {
            self.board.run(count, &|part| {
                let task = lock(&slots[part]).take();
                run(task.expect("a part is done once"));
            });
        }
    }

    /// Parts that others than the machine's own thread have done so far.
    pub fn helped(&self) -> u64 {
        self.board.helped()
    }
}

impl Drop for Team {
    fn drop(&mut self) {
        self.leave();
    }
}

fn lock<T>(slot: &Mutex<T>) -> MutexGuard<'_, T> {
    slot.lock().unwrap_or_else(PoisonError::into_inner)
}
