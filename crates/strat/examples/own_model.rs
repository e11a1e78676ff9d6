//! A model of your own: a gate decided by Type alone lets each number pass, reversed or not at all, and the sum is the
//! answer. It learns signed sums of the paper's §6 from ten examples. `cargo run --release --example own_model`

use serde::Serialize;
use std::sync::Arc;
use strat::engine::{Isa, Rows};
use strat::model::{Built, Init, Layers, Model, Readout, Spec};
use strat::task::{Split, SumTask, TextForm};
use strat::trace::Trace;
use strat::train::{Adam, Population, TrainConfig};

#[derive(Debug, Serialize)]
struct GatedSum {
    /// Width of a token's Type.
    width: usize,
}

impl Model for GatedSum {
    fn spec(&self) -> Spec {
        Spec::new("gated-sum", self)
    }

    /// Numbers, and operators between them.
    fn reads(&self, tokens: usize) -> bool {
        tokens % 2 == 1
    }

    fn build(&self, tokens: usize) -> Built {
        let mut l = Layers::new();
        let terms = tokens.div_ceil(2);
        // Kinds of token: 1 is a literal, 2 a plus, 3 a minus, 0 padding.
        let kind = l.input("kind", tokens, 1);
        let one_hot = l.one_hot(kind, 3, vec![(0, 3); tokens]);
        let embed = l.param("embed", [3, self.width], Init::Normal(0.5));
        let types = l.gather(one_hot, embed);
        // The operator before a number decides its gate; the first number has none before it.
        let operators = l.take(types, Rows::every(2, 1, tokens));
        let before = l.place(operators, Rows { start: 1, step: 1, count: terms - 1 }, terms);
        let gate = l.linear("gate", before, 1, true);
        let gate = l.tanh(gate);
        l.name("gate", gate);
        let values = l.input("value", terms, 1);
        let written = l.mul(gate, values);
        l.name("written", written);
        let ones = l.constant(terms, 1, &vec![1.0; terms]);
        let sum = l.sum_rows(written, ones);
        let output = l.linear("readout", sum, 1, false);
        l.finish(Readout::Number, output)
    }
}

fn main() -> strat::Result<()> {
    let (isa, task, model) = (Isa::detect()?, SumTask::LOCKING, Arc::new(GatedSum { width: 3 }));
    let config = TrainConfig { adam: Adam::new(0.01), clip: None, ..TrainConfig::default() };
    let population = Population::new(Arc::new(task), model.clone(), config, isa)?;
    let learners = population.train(&[1, 2, 3, 4], &|_| {})?;
    for (learner, error) in learners.iter().zip(population.test(&learners, Split::Ood)?) {
        println!("seed {}: mean error {error:.1} on sums of numbers from 2000 to 5000", learner.seed);
    }
    // What the first learner does with one sum, and what it would do with its gates all open.
    let sum = task.parse("12 + 3 - 5")?;
    let trace = Trace::of_example(&*model, &learners[0].weights, &task, sum.example())?;
    println!("12 + 3 - 5: gates {:.2?}, answer {:.2?}", trace.array("gate")?.values, trace.array("output")?.values);
    let open = trace.with("gate", &[1.0, 1.0, 1.0])?;
    println!("with all gates open: {:.2?}", open.array("output")?.values);
    Ok(())
}
