//! A task of your own: five numbers lie on two piles; is the first pile worth more?
//!
//! Type says on which pile a number lies, Data is the number. `cargo run --release --example own_task`

use std::borrow::Cow;
use std::sync::Arc;
use strat::engine::Isa;
use strat::model::{Architecture, BlockConfig, BlockModel, Readout};
use strat::rng::{RandomStream, Stream};
use strat::task::{Example, Input, Inputs, Split, Target, Task};
use strat::train::{Population, TrainConfig};

#[derive(Debug)]
struct Piles;

impl Piles {
    /// Numbers up to `largest`, each on pile 0 or 1.
    fn draw(count: usize, largest: f64, mut draws: RandomStream) -> Vec<Example> {
        let one = |_| {
            let input: Vec<u8> = (0..5).map(|_| draws.below(2) as u8).collect();
            let values: Vec<f64> = (0..5).map(|_| largest * draws.uniform()).collect();
            let worth = |pile: u8| -> f64 { (0..5).filter(|&i| input[i] == pile).map(|i| values[i]).sum() };
            let target = Target::Class(u8::from(worth(0) > worth(1)));
            Example { values, ..Example::new(input, target) }
        };
        (0..count).map(one).collect()
    }
}

impl Task for Piles {
    fn name(&self) -> &str {
        "piles"
    }

    /// One to read the answer at, and the five numbers.
    fn tokens(&self) -> usize {
        6
    }

    fn readout(&self) -> Readout {
        Readout::Class(2)
    }

    fn inputs(&self, tokens: usize) -> Vec<Input> {
        vec![Input::new("type", tokens, 4), Input::new("data", tokens, 4)]
    }

    fn encode(&self, example: &Example, inputs: &mut Inputs<'_>) {
        inputs.set("type", 0, 2, 1.0);
        for (i, (&pile, &x)) in example.input.iter().zip(&example.values).enumerate() {
            inputs.set("type", i + 1, pile.into(), 1.0);
            inputs.set("data", i + 1, 0, x);
        }
    }

    fn train(&self, seed: u64, step: u32) -> Cow<'_, [Example]> {
        Piles::draw(32, 1.0, RandomStream::new(seed, Stream::Train, step)).into()
    }

    fn test(&self, split: Split, seed: u64) -> Cow<'_, [Example]> {
        match split {
            Split::Id => Piles::draw(500, 1.0, RandomStream::new(seed, Stream::TestId, 0)).into(),
            Split::Ood => Piles::draw(500, 2.0, RandomStream::new(seed, Stream::TestOod, 0)).into(),
        }
    }
}

fn main() -> strat::Result<()> {
    let isa = Isa::detect()?;
    let sizes = BlockConfig {
        types: 4,
        data: 4,
        stream: 8,
        heads: 1,
        hidden: [16, 0],
        route: Some(4),
        ..BlockConfig::TABULAR
    };
    let model = Arc::new(BlockModel { architecture: Architecture::Strat, sizes });
    let config = TrainConfig { steps: 300, ..TrainConfig::default() };
    let population = Population::new(Arc::new(Piles), model, config, isa)?;
    let learners = population.train(&[1, 2, 3, 4], &|_| {})?;
    let (id, ood) = (population.test(&learners, Split::Id)?, population.test(&learners, Split::Ood)?);
    for ((learner, id), ood) in learners.iter().zip(id).zip(ood) {
        let [id, ood] = [100.0 * id, 100.0 * ood];
        println!("seed {}: {id:.1} % right, {ood:.1} % with numbers twice as large", learner.seed);
    }
    Ok(())
}
