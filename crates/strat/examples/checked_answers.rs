//! Answers that can be checked: fill the holes of a 4 × 4 square so that every row and column has 0, 1, 2 and 3.
//!
//! [`Rule::holds`] is all that a task adds. A learner that is wrong is then not believed, others are asked, and if none has a
//! valid answer, there is none. `cargo run --release --example checked_answers`

use std::borrow::Cow;
use std::sync::Arc;
use strat::engine::Isa;
use strat::model::{Architecture, BlockConfig, BlockModel, Readout};
use strat::rng::{RandomStream, Stream};
use strat::task::{Example, Input, Inputs, Rule, Split, Target, Task};
use strat::train::{Looks, Population, TrainConfig};

/// Cells in a row, and different digits.
pub const SIDE: usize = 4;
const CELLS: usize = SIDE * SIDE;
/// How a hole is written.
pub const HOLE: u8 = SIDE as u8;

/// Squares with so many holes, for training and for tests.
#[derive(Debug)]
pub struct Squares {
    /// Holes of a square in training, and in tests.
    pub holes: [usize; 2],
}

impl Squares {
    /// Rows, columns and digits of a square in a random order, some cells empty.
    fn draw(count: usize, holes: usize, mut draws: RandomStream) -> Vec<Example> {
        let one = |_| {
            let [rows, columns, digits] = [0; 3].map(|_| draws.permutation::<SIDE>());
            let cell = |c: usize| digits[(rows[c / SIDE] + columns[c % SIDE]) % SIDE] as u8;
            let values: Vec<u8> = (0..CELLS).map(cell).collect();
            let (mut input, mut scored) = (values.clone(), vec![false; CELLS]);
            for &hole in &draws.permutation::<CELLS>()[..holes] {
                (input[hole], scored[hole]) = (HOLE, true);
            }
            Example::new(input, Target::Cells { values, scored })
        };
        (0..count).map(one).collect()
    }

    /// As small as a learner of it can be.
    pub fn model() -> BlockModel {
        let sizes = BlockConfig {
            types: 16,
            data: 8,
            stream: 24,
            heads: 4,
            layers: 4,
            hidden: [32, 0],
            updates_type: false,
            route: Some(16),
            readout: Readout::TokenClass(SIDE),
            ..BlockConfig::TABULAR
        };
        BlockModel { architecture: Architecture::Strat, sizes }
    }
}

impl Task for Squares {
    fn name(&self) -> &str {
        "squares"
    }

    fn tokens(&self) -> usize {
        CELLS
    }

    fn readout(&self) -> Readout {
        Readout::TokenClass(SIDE)
    }

    fn inputs(&self, tokens: usize) -> Vec<Input> {
        vec![Input::new("type", tokens, 16), Input::new("data", tokens, 8)]
    }

    fn encode(&self, example: &Example, inputs: &mut Inputs<'_>) {
        for (cell, &digit) in example.input.iter().enumerate() {
            inputs.set("type", cell, cell / SIDE, 1.0);
            inputs.set("type", cell, SIDE + cell % SIDE, 1.0);
            if digit != HOLE {
                inputs.set("type", cell, 2 * SIDE, 1.0);
                inputs.set("type", cell, 2 * SIDE + 1 + usize::from(digit), 1.0);
                inputs.set("data", cell, digit.into(), 1.0);
            }
        }
    }

    fn train(&self, seed: u64, step: u32) -> Cow<'_, [Example]> {
        Squares::draw(16, self.holes[0], RandomStream::new(seed, Stream::Train, step)).into()
    }

    /// The same for every learner, so that several can be asked together.
    fn test(&self, _: Split, _: u64) -> Cow<'_, [Example]> {
        Squares::draw(200, self.holes[1], RandomStream::new(0, Stream::TestId, 0)).into()
    }

    fn rule(&self) -> Option<&dyn Rule> {
        Some(self)
    }
}

impl Rule for Squares {
    fn holds(&self, example: &Example) -> bool {
        let Target::Cells { values, .. } = &example.target else { return false };
        let kept = example.input.iter().zip(values).all(|(&given, &value)| given == HOLE || given == value);
        let all = |line: &dyn Fn(usize) -> u8| (0..SIDE as u8).all(|digit| (0..SIDE).any(|i| line(i) == digit));
        kept && (0..SIDE).all(|n| all(&|i| values[SIDE * n + i]) && all(&|i| values[SIDE * i + n]))
    }

    fn given(&self, example: &Example, cell: usize) -> Option<u8> {
        Some(example.input[cell]).filter(|&digit| digit != HOLE)
    }

    fn give(&self, example: &mut Example, cell: usize, value: u8) -> bool {
        example.input[cell] = value;
        true
    }
}

/// Learners after so many steps.
pub fn population(task: &Arc<Squares>, steps: usize) -> strat::Result<Population> {
    let config = TrainConfig { steps, ..TrainConfig::default() };
    Ok(Population::new(task.clone(), Arc::new(Squares::model()), config, Isa::detect()?)?)
}

#[allow(dead_code)] // the test of this example has its own
fn main() -> strat::Result<()> {
    let task = Arc::new(Squares { holes: [8, 10] });
    let population = population(&task, 1000)?;
    let learners = population.train(&[1, 2, 3, 4], &|_| {})?;
    let examples = task.test(Split::Id, 1).into_owned();
    let answers = population.answer_checked(&learners, &examples, Looks::default())?.expect("the task has a rule");
    for (i, learner) in learners.iter().enumerate() {
        let valid = |(e, a): (&Example, &strat::train::CheckedAnswer)| {
            task.holds(&Example { target: a.first[i].clone(), ..e.clone() })
        };
        let valid = examples.iter().zip(&answers).filter(|&pair| valid(pair)).count();
        println!("seed {}: {valid} of {} answers are valid", learner.seed, examples.len());
    }
    let within = |looks| answers.iter().flat_map(|a| &a.found).filter(|found| found.looks <= looks).count();
    println!("together: {}, and {} after looking again", within(1), within(usize::MAX));
    Ok(())
}
