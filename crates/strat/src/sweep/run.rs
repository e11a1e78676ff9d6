//! The runner of a plan: learners dealt out to threads in their order, and kept in it, so that a run
//! can be left at any moment and taken up again.

use super::learn::{Job, learn};
use super::pace::Pace;
use super::{Plan, Progress, RowPlan};
use crate::engine::{Crew, Elem, Isa};
use crate::record::{ReadError, RecordError, RunFolder};
use crate::result::{LearnerResult, LearnerRow, Outcome, Summary};
use crate::seeds::{Seeds, Shard, SweepOrder};
use crate::train::{State, TrainError};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How a plan is run; none of it changes what comes out.
#[derive(Clone, Copy)]
pub struct RunOptions<'a> {
    /// The instruction set.
    pub isa: Isa,
    /// Hears of work done.
    pub progress: Progress<'a>,
    /// Set by others when work should be saved and stop.
    pub stop: &'a AtomicBool,
    /// How much work may be unsaved. It may be more if saving would take longer than about a tenth of the time.
    /// With 0, every step is saved, however long that takes.
    pub save_every: Duration,
}

/// Why a plan was not run to its end.
#[derive(Debug, thiserror::Error)]
pub enum Interrupted {
    /// Somebody said so.
    #[error("stopped")]
    Stopped,
    /// It could not be saved.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// The model cannot be trained on the task.
    #[error(transparent)]
    Train(#[from] TrainError),
}

impl From<ReadError> for Interrupted {
    fn from(e: ReadError) -> Self {
        Interrupted::Record(e.into())
    }
}

/// What learners have at hand while they are trained.
pub(super) struct TrainContext<'a> {
    /// The instruction set.
    pub isa: Isa,
    /// Hears of work done.
    pub progress: Progress<'a>,
    options: &'a RunOptions<'a>,
    /// Set when one of the others could not go on.
    halt: &'a AtomicBool,
    folder: Option<&'a RunFolder>,
    /// Threads that have no learners left help those that have.
    pub(super) crew: &'a Arc<Crew>,
}

impl TrainContext<'_> {
    /// Whether it is time to save and stop.
    pub fn stopped(&self) -> bool {
        self.options.stop.load(Ordering::Relaxed) || self.halt.load(Ordering::Relaxed)
    }

    /// For learners that are about to be trained.
    pub(super) fn pace(&self) -> Pace {
        Pace::new(self.options.save_every)
    }

    /// Whether learners should be saved.
    pub(super) fn is_due(&self, pace: &Pace) -> bool {
        self.folder.is_some() && pace.is_due()
    }

    /// Saves a learner in training, if this run is kept.
    pub fn save<E: Elem>(&self, job: &Job, state: &State<E>) -> Result<(), Interrupted> {
        Ok(self.folder.map_or(Ok(()), |f| f.save(job.row, job.seed, state))?)
    }

    /// A learner that was saved in training.
    pub fn saved<E: Elem>(&self, job: &Job) -> Result<Option<State<E>>, Interrupted> {
        Ok(self.folder.map_or(Ok(None), |f| f.saved(job.row, job.seed))?)
    }
}

impl Plan {
    /// How much work a run is, and how much of it `done` learners are, in the units of progress.
    pub fn work(&self, order: SweepOrder, done: usize) -> [u64; 2] {
        let cost = |(i, row): (usize, &RowPlan)| {
            let of_row = order.of_row(i);
            [of_row.len(), done.clamp(of_row.start, of_row.end) - of_row.start].map(|n| row.work() * n as u64)
        };
        let rows = self.rows.iter().enumerate().map(cost);
        rows.fold([0, 0], |[all, done], [a, d]| [all + a, done + d])
    }

    /// Does it on the current thread pool, in memory.
    pub fn run(&self, seeds: Seeds, isa: Isa, progress: Progress<'_>) -> Outcome {
        let stop = AtomicBool::new(false);
        let options = RunOptions { isa, progress, stop: &stop, save_every: Duration::MAX };
        self.run_with(seeds, &options).unwrap_or_else(|e| unreachable!("nobody stops it, nothing is saved: {e}"))
    }

    /// The same, unless it is told to stop.
    pub fn run_with(&self, seeds: Seeds, options: &RunOptions<'_>) -> Result<Outcome, Interrupted> {
        let order = SweepOrder::new(self.rows.len(), seeds, Shard::WHOLE);
        let rows = self.in_rows(order, self.learn(order, options, None)?);
        Ok(Outcome { summary: self.shown(&rows, options.isa)?, rows })
    }

    /// What all learners show together, whose weights are at hand.
    fn shown(&self, rows: &[LearnerRow], isa: Isa) -> Result<Summary, TrainError> {
        let mut summary = (self.summary)(rows);
        for (plan, row) in self.rows.iter().zip(rows) {
            if let Some(more) = &plan.more {
                summary.cells.extend(more(&row.learners, isa)?);
            }
        }
        Ok(summary)
    }

    /// Does in a folder what is not yet done there. A shard shows nothing until it is merged. Of a run that was complete, the
    /// learners' weights are not read, so that one of an earlier program shows what it did. Nothing is cleared before the log
    /// is known to have all learners and what they show to be theirs.
    pub fn run_in(&self, folder: &RunFolder, options: &RunOptions<'_>) -> Result<Option<Outcome>, Interrupted> {
        if let Some(summary) = folder.shown()?.filter(|_| folder.is_complete()) {
            folder.clear()?;
            return Ok(Some(Outcome { summary, rows: folder.folder().scores()? }));
        }
        let manifest = &folder.folder().manifest;
        let rows = self.in_rows(manifest.order(), self.learn(manifest.order(), options, Some(folder))?);
        // Weights that will not be kept are still there: they are removed when all is written.
        let summary = manifest.shard.is_none().then(|| self.shown(&rows, options.isa)).transpose()?;
        folder.finish(&rows, summary.as_ref())?;
        Ok(summary.map(|summary| Outcome { summary, rows }))
    }

    fn in_rows(&self, order: SweepOrder, records: Vec<LearnerResult>) -> Vec<LearnerRow> {
        let mut records = records.into_iter();
        let rows = self.rows.iter().enumerate();
        let row = |(i, plan): (usize, &RowPlan)| {
            let learners = records.by_ref().take(order.of_row(i).len()).collect();
            LearnerRow { row: plan.row().clone(), learners }
        };
        rows.map(row).collect()
    }

    /// Every learner in its order: those that the folder has, and the others trained on the current
    /// thread pool, whole groups on each thread.
    fn learn(
        &self,
        order: SweepOrder,
        options: &RunOptions<'_>,
        folder: Option<&RunFolder>,
    ) -> Result<Vec<LearnerResult>, Interrupted> {
        let records = folder.map_or(Ok(vec![]), RunFolder::records)?;
        let groups = self.groups(order, records.len(), options.isa);
        let halt = AtomicBool::new(false);
        let next = AtomicUsize::new(0);
        let crew = Crew::new();
        let saved = records.len();
        let pace = Pace::new(options.save_every);
        let ledger = Ledger { folder, records, waiting: BTreeMap::new(), saved, pace };
        let ledger = Mutex::new(ledger);
        let work = || -> Result<(), Interrupted> {
            while let Some(group) = groups.get(next.fetch_add(1, Ordering::Relaxed)) {
                let progress = options.progress;
                let context =
                    TrainContext { isa: options.isa, progress, options, halt: &halt, folder, crew: &crew };
                if context.stopped() {
                    return Err(Interrupted::Stopped);
                }
                let job = |place: usize| {
                    let (row, seed) = order.at(place);
                    Job { row, config: self.rows[row].config(), seed }
                };
                let jobs: Vec<Job> = group.clone().map(job).collect();
                let RowPlan { task, model, score, cost, .. } = &self.rows[jobs[0].row];
                let learners = learn(&**task, model, &jobs, &context, (score, *cost))?;
                locked(&ledger).accept(group.start, learners)?;
            }
            Ok(())
        };
        let ended = rayon::broadcast(|_| crew.work(|| work().inspect_err(|_| halt.store(true, Ordering::Relaxed))));
        let mut ledger = ledger.into_inner().unwrap_or_else(PoisonError::into_inner);
        // What keeps from saving is worth more words than that the others stopped for it.
        let mut ended: Vec<Interrupted> = ended.into_iter().filter_map(Result::err).collect();
        ended.sort_by_key(|e| matches!(e, Interrupted::Stopped));
        match ended.into_iter().next() {
            Some(e @ Interrupted::Record(_)) => Err(e),
            Some(stopped) => {
                ledger.save()?;
                Err(stopped)
            }
            // The last ones are saved with what they show.
            None => Ok(ledger.records),
        }
    }
}

impl Plan {
    /// Places in the order, from the first that is not done, in groups that are trained at once: as many as a machine
    /// holds, of one row or of several that may share it.
    fn groups(&self, order: SweepOrder, done: usize, isa: Isa) -> Vec<Range<usize>> {
        let mut groups = vec![];
        let mut first = 0;
        while first < self.rows.len() {
            let is_like = |row: &&RowPlan| row.together.is_some() && row.together == self.rows[first].together;
            let rows = 1 + self.rows[first + 1..].iter().take_while(is_like).count();
            let (start, end) = (order.of_row(first).start.max(done), order.of_row(first + rows - 1).end);
            if start < end {
                let size = self.rows[first].at_once(isa);
                groups.extend((start..end).step_by(size).map(|at| at..end.min(at + size)));
            }
            first += rows;
        }
        groups
    }
}

fn locked<T>(ledger: &Mutex<T>) -> MutexGuard<'_, T> {
    ledger.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Finished learners in their order. One that finishes before its turn waits.
struct Ledger<'a> {
    folder: Option<&'a RunFolder>,
    records: Vec<LearnerResult>,
    waiting: BTreeMap<usize, LearnerResult>,
    /// How many are in the folder.
    saved: usize,
    pace: Pace,
}

impl Ledger<'_> {
    fn accept(&mut self, first: usize, learners: Vec<LearnerResult>) -> Result<(), Interrupted> {
        self.waiting.extend((first..).zip(learners));
        while let Some(next) = self.waiting.remove(&self.records.len()) {
            self.records.push(next);
        }
        if self.pace.is_due() { self.save() } else { Ok(()) }
    }

    fn save(&mut self) -> Result<(), Interrupted> {
        if let Some(folder) = self.folder
            && self.saved < self.records.len()
        {
            self.pace.save(|| folder.append(&self.records[self.saved..]))?;
        }
        self.saved = self.records.len();
        Ok(())
    }
}
