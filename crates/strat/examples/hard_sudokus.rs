//! Other base examples for a task of the paper: what ten hard Sudokus teach.
//!
//!     cargo run --release -p strat --example hard_sudokus -- LEARNERS EPOCHS FILE …
//!
//! Files have a puzzle a line, and `#` before remarks. The bases are ten of the first file, evenly spread; their solutions come from
//! a solver, as those of SATNet's come from its file. Learners are asked for up to 500 others of each file, and for the task's own
//! test set (`STRAT_DATA` or the platform's folder has it, else a stand-in). None of their answers is looked for by a solver.

use std::sync::Arc;
use strat::data::DataFolder;
use strat::engine::Isa;
use strat::model::Architecture;
use strat::task::{DataTask, Entry, Example, Split, Task};
use strat::train::{Learner, Looks, Population, TrainConfig};

/// Puzzles of a file that are asked for.
const MOST: usize = 500;

fn puzzles(task: &DataTask, path: &str) -> Result<Vec<Example>, Box<dyn std::error::Error>> {
    let text = std::fs::read_to_string(path).map_err(|e| format!("{path}: {e}"))?;
    let lines: Vec<&str> = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).collect();
    Ok(task.read(path, (lines.join("\n") + "\n").as_bytes())?)
}

/// So many of them, from the first to the last.
fn spread(examples: &[Example], count: usize) -> Vec<Example> {
    let count = count.min(examples.len());
    (0..count).map(|i| examples[i * examples.len() / count].clone()).collect()
}

/// A trained population of a task.
struct Taught {
    task: Arc<DataTask>,
    population: Population,
    learners: Vec<Learner>,
}

fn ask(Taught { task, population, learners }: &Taught, name: &str, examples: &[Example]) -> strat::Result<()> {
    let rule = task.rule().expect("a Sudoku can be checked");
    let answers = population.answer_checked(learners, examples, Looks::default())?.expect("it has a rule");
    let alone = |i: usize| {
        let said = examples.iter().zip(&answers).map(|(e, a)| Example { target: a.first[i].clone(), ..e.clone() });
        100.0 * said.filter(|e| rule.holds(e)).count() as f64 / examples.len() as f64
    };
    let each: Vec<String> = (0..learners.len()).map(|i| format!("{:.2}", alone(i))).collect();
    let found = |looks| answers.iter().flat_map(|a| &a.found).filter(|f| f.looks <= looks).count();
    println!(
        "{name}: {} puzzles; alone {} %; valid at first sight {}, looking again {}",
        examples.len(),
        each.join(", "),
        found(1),
        found(usize::MAX)
    );
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [learners, epochs, files @ ..] = &args[..] else { return Err("LEARNERS EPOCHS FILE …".into()) };
    let (learners, steps): (u64, usize) = (learners.parse()?, epochs.parse()?);
    let entry = Entry::named("sudoku")?;
    let task = entry.load(&DataFolder::find(None), None)?;
    let first = files.first().ok_or("a file of puzzles")?;
    let bases = spread(&puzzles(&task, first)?, 10);
    let task = Arc::new(task.with_bases(bases.clone())?);
    let config = TrainConfig { steps, ..entry.train };
    let model = Arc::new(entry.model(Architecture::Strat));
    let population = Population::new(task.clone(), model, config, Isa::detect()?)?;
    let seeds: Vec<u64> = (41..41 + learners).collect();
    let learners = population.train(&seeds, &|_| {})?;
    println!("{} learners, {steps} epochs on ten of {first}", learners.len());
    let taught = Taught { task, population, learners };
    ask(&taught, "the bases themselves", &bases)?;
    for path in files {
        let others: Vec<Example> =
            puzzles(&taught.task, path)?.into_iter().filter(|e| !bases.contains(e)).collect();
        ask(&taught, path, &spread(&others, MOST))?;
    }
    ask(&taught, "the task's own, ID", taught.task.split(Split::Id))?;
    Ok(())
}
