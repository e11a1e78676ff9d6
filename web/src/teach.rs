//! Learners of a few sums: what is said of them while they are trained.

use crate::Answered;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};
use strat::baseline::linear_solve;
use strat::crystal::{Equation, Reading};
use strat::engine::Isa;
use strat::model::{Lite, Model, Unityped};
use strat::rng::Stream;
use strat::task::{Examples, SignedSum, Sum, SumTask, Task, TeachingSet};
use strat::train::{Predictor, Trainer};

/// Sums of thousands that a learner is tested on, as in the paper.
const TESTS: usize = 1000;

/// The two kinds of learner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// STRAT-Lite with types of four dimensions, the paper's standard form.
    Strat,
    /// Config A, the paper's simplified Transformer.
    Transformer,
}

impl Kind {
    /// Its architecture.
    pub fn model(self) -> Arc<dyn Model> {
        match self {
            Kind::Strat => Arc::new(Lite::STANDARD),
            Kind::Transformer => Arc::new(Unityped::A),
        }
    }
}

/// Learners that are trained side by side.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wish {
    kind: Kind,
    seeds: Vec<u64>,
}

/// The sums of this module's learners.
static TASK: OnceLock<SumTask> = OnceLock::new();

thread_local! {
    /// Its learners.
    static GROUPS: RefCell<Vec<Group>> = const { RefCell::new(vec![]) };
    /// Those who are asked, one for each kind.
    static TESTED: RefCell<BTreeMap<Kind, Predictor<'static>>> = const { RefCell::new(BTreeMap::new()) };
}

struct Group {
    wish: Wish,
    trainer: Trainer<'static>,
}

/// The task of these sums.
pub(crate) fn task(sums: Vec<String>) -> Result<SumTask, String> {
    let sums = TeachingSet::try_from(sums).map_err(|e| e.to_string())?;
    Ok(SumTask { examples: Examples::Chosen { sums }, ..SumTask::LOCKING })
}

/// The sums that the paper's learner of a seed draws.
pub fn draw(seed: u64) -> Value {
    let sums = SignedSum::LOCKING.draw_many(10, strat::rng::RandomStream::new(seed, Stream::Train, 0));
    json!({ "sums": sums.iter().map(Sum::to_string).collect::<Vec<_>>() })
}

/// Each sum with its answer or what is wrong with it, and whether together they leave but one rule.
pub fn check(lines: &[String]) -> Value {
    let one = |line: &String| match TeachingSet::try_from(vec![line.clone()]) {
        Ok(set) => json!({ "text": set.sums()[0].to_string(), "answer": set.sums()[0].answer() }),
        Err(e) => json!({ "error": without_number(&e.to_string()) }),
    };
    let set = task(lines.to_vec());
    let equations = set.as_ref().map(|task| Equation::of_training(Reading::Sums, task, 0)).unwrap_or_default();
    let solved = linear_solve(Reading::Sums, &equations);
    json!({
        "sums": lines.iter().map(one).collect::<Vec<_>>(),
        "error": set.err(),
        "rule": solved.as_ref().ok().map(ToString::to_string),
        "undetermined": solved.err().map(|e| e.to_string()),
        "totals": equations.iter().map(|e| &e.totals).collect::<Vec<_>>(),
    })
}

/// A mistake in a line that stands beside it.
fn without_number(error: &str) -> &str {
    let said = error.strip_prefix("sum 1 of a teaching set");
    said.map_or(error, |said| said.trim_start_matches(':').trim_start())
}

/// Learners at their start.
pub fn begin(sums: Vec<String>, groups: &[Wish]) -> Answered {
    let given = task(sums)?;
    let task = TASK.get_or_init(|| given);
    if *task != given {
        return Err("this module teaches other sums already".into());
    }
    let train = task.paper().expect("the paper trains on sums").train.check().map_err(|e| e.to_string())?;
    let begun = groups.iter().map(|wish| {
        let trainer = Trainer::new(task, wish.kind.model(), train, Isa::Portable, &wish.seeds);
        Ok(Group {
            wish: Wish { kind: wish.kind, seeds: wish.seeds.clone() },
            trainer: trainer.map_err(|e| e.to_string())?,
        })
    });
    let begun = begun.collect::<Result<Vec<_>, String>>()?;
    GROUPS.with(|groups| *groups.borrow_mut() = begun);
    let lanes = Trainer::<f32>::learners_per_machine(task, &*Kind::Strat.model(), Isa::Portable);
    Ok(json!({ "steps": task.steps, "together": lanes }))
}

/// A group's learners after so many steps: weights, and the mean error on sums of thousands.
pub fn advance(group: usize, step: usize) -> Answered {
    let task = TASK.get().ok_or("nothing is taught yet")?;
    GROUPS.with(|groups| {
        let mut groups = groups.borrow_mut();
        let Group { wish, trainer } = groups.get_mut(group).ok_or("there is no such group")?;
        while trainer.steps_done() < step && trainer.step().map_err(|e| e.to_string())? {}
        let mut learners = vec![];
        for (lane, &seed) in wish.seeds.iter().enumerate() {
            let weights = trainer.weights(lane);
            let error = TESTED.with(|tested| {
                let mut tested = tested.borrow_mut();
                let new = || Predictor::new(task, wish.kind.model(), &weights, Isa::Portable);
                let predictor = tested.entry(wish.kind).or_insert_with(new);
                predictor.set_weights(&weights);
                predictor.error_on(SignedSum::OOD, (seed, Stream::TestOod), TESTS)
            });
            let error = error.map_err(|e| e.to_string())?;
            let bits = format!("{:016x}", error.to_bits());
            learners.push(json!({ "seed": seed, "error": error, "bits": bits, "weights": weights }));
        }
        Ok(json!({ "kind": wish.kind, "step": trainer.steps_done(), "learners": learners }))
    })
}
