//! Trains learners of a task, or of a file of examples, and writes their weights to standard output: learner by learner and
//! matrix by matrix, as little-endian `f64`.
//!
//! `cargo run --release --example weights -- signed-sum model.kind=\"lite\" seeds=\"1..=4\" train.steps=100 > weights.bin`
//!
//! The settings are those of `strat train --set`. A test compares the bytes with those of the command and of the Python package.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use strat::Result;
use strat::config::{ConfigFile, ReadoutChoice, TaskFacts};
use strat::data::DataFolder;
use strat::engine::Isa;
use strat::task::{ArrayTask, Entry, SumTask, Task};
use strat::train::Population;

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let name = arguments.next().expect("the name of a task, or a file of examples");
    let mut config = ConfigFile::empty("the arguments");
    arguments.try_for_each(|setting| config.set(&setting))?;

    let (task, facts): (Arc<dyn Task>, TaskFacts) = if name == SumTask::LOCKING.examples.name() {
        (Arc::new(SumTask::LOCKING), TaskFacts::of(&SumTask::LOCKING))
    } else if let Ok(entry) = Entry::named(&name) {
        let task = entry.load(&DataFolder::find(None), None)?;
        let facts = TaskFacts::of(&task);
        (Arc::new(task), facts)
    } else {
        let task = ArrayTask::read(Path::new(&name), ReadoutChoice::default())?;
        let facts = TaskFacts::from(&task);
        (Arc::new(task), facts)
    };
    let isa = Isa::detect()?;
    let resolved = config.resolve(&facts, task.paper().as_ref())?;
    let mut out = std::io::stdout().lock();
    for setting in &resolved.settings {
        let model = setting.model.model().expect("a configuration names models of the paper");
        let params = model.params();
        let seeds: Vec<u64> = resolved.seeds.iter().collect();
        for learner in Population::new(task.clone(), model, setting.train, isa)?.train(&seeds, &|_| {})? {
            for number in params.iter().flat_map(|p| &learner.weights[&*p.name]) {
                out.write_all(&number.to_le_bytes()).expect("standard output is open");
            }
        }
    }
    Ok(())
}
