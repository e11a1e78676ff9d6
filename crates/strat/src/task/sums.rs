//! Sums and lists as a task: where they come from, and which of them a learner sees.

mod text;

use super::batch::Batch;
use super::door::{Changes, Input, Inputs, Task};
use super::grocery::{self, Item};
use super::signed_sum::TeachingSet;
use super::signed_sum::{MAX_TERMS, TOKENS};
use super::text::TextForm;
use super::{Example, Grocery, SignedSum, Split, Sum, Target};
use crate::config::{Adam, Setup, TrainConfig};
use crate::engine::reference::Arrays;
use crate::model::{Kind, Lite, ModelRecord, Readout, Spec, Types, Unityped};
use crate::rng::{RandomStream, Stream};
use crate::seeds::Seeds;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Where examples come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Sums {
    /// `12 + 3 - 5`
    Signed(SignedSum),
    /// Items with values, of which some count.
    Grocery(Grocery),
}

impl From<SignedSum> for Sums {
    fn from(task: SignedSum) -> Sums {
        Sums::Signed(task)
    }
}

impl From<Grocery> for Sums {
    fn from(task: Grocery) -> Sums {
        Sums::Grocery(task)
    }
}

/// Which examples a step sees.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[expect(clippy::large_enum_variant, reason = "a few hundred bytes, copied once for a group of learners")]
#[non_exhaustive]
pub enum Examples {
    /// The same few at every step, full batch (§6).
    Fixed {
        /// How many.
        count: usize,
        /// Where they come from.
        from: Sums,
    },
    /// The same, but each sum with the answer of the next: a control, since no rule gives such answers.
    Shuffled {
        /// How many.
        count: usize,
        /// Where they come from.
        from: Sums,
    },
    /// These at every step, for every learner.
    Chosen {
        /// Which.
        sums: TeachingSet,
    },
    /// New ones at every step (§4, §5).
    Fresh {
        /// How many a step.
        batch: usize,
        /// Where they come from.
        from: Sums,
    },
    /// New ones at every step, from a range that grows: the first until a quarter of the
    /// steps, the second until half of them, then the third (App. B, A_curr).
    Curriculum {
        /// How many a step.
        batch: usize,
        /// Where they come from, stage by stage.
        stages: [SignedSum; 3],
    },
}

/// Test examples of a learner, in each of the two ranges.
const TESTS: usize = 1000;

/// Sums or lists, drawn for each learner.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SumTask {
    /// Which of them a step sees.
    pub examples: Examples,
    /// All steps, of which a curriculum has its stages.
    pub steps: usize,
    /// What is tested in distribution.
    pub id: Sums,
    /// What is tested out of distribution.
    pub ood: Sums,
}

impl Examples {
    /// The name of the task that has them.
    pub fn name(&self) -> &'static str {
        match self.ranges().0 {
            Sums::Signed(_) => "signed-sum",
            Sums::Grocery(_) => "grocery",
        }
    }

    /// How many a step sees.
    pub fn batch(&self) -> usize {
        match *self {
            Examples::Fixed { count, .. } | Examples::Shuffled { count, .. } => count,
            Examples::Chosen { sums } => sums.count(),
            Examples::Fresh { batch, .. } | Examples::Curriculum { batch, .. } => batch,
        }
    }

    /// What learners of them are tested on, in distribution and out of it.
    fn ranges(&self) -> (Sums, Sums) {
        let id = match *self {
            Examples::Fixed { from, .. } | Examples::Shuffled { from, .. } | Examples::Fresh { from, .. } => from,
            Examples::Chosen { .. } => Sums::Signed(SignedSum::LOCKING),
            Examples::Curriculum { stages, .. } => Sums::Signed(stages[2]),
        };
        match id {
            Sums::Signed(_) => (id, Sums::Signed(SignedSum::OOD)),
            Sums::Grocery(_) => (id, Sums::Grocery(Grocery::OOD)),
        }
    }
}

impl SumTask {
    /// Ten fixed sums, as in §6.
    pub const LOCKING: SumTask = SumTask {
        examples: Examples::Fixed { count: 10, from: Sums::Signed(SignedSum::LOCKING) },
        steps: 2000,
        id: Sums::Signed(SignedSum::LOCKING),
        ood: Sums::Signed(SignedSum::OOD),
    };
    /// 64 fresh sums a step, as in §4.1 and §5.3.
    pub const ABLATION: SumTask = SumTask {
        examples: Examples::Fresh { batch: 64, from: Sums::Signed(SignedSum::ABLATION) },
        id: Sums::Signed(SignedSum::ABLATION),
        ..SumTask::LOCKING
    };
    /// Lists as in §5.4.
    pub const GROCERY: SumTask = SumTask {
        examples: Examples::Fresh { batch: 64, from: Sums::Grocery(Grocery::TRAINING) },
        steps: 2000,
        id: Sums::Grocery(Grocery::TRAINING),
        ood: Sums::Grocery(Grocery::OOD),
    };

    /// These examples, for learners of so many steps.
    pub fn new(examples: Examples, steps: usize) -> SumTask {
        let (id, ood) = examples.ranges();
        SumTask { examples, steps, id, ood }
    }

    /// The examples of such a task, if this names one.
    pub fn of_spec(spec: &Spec) -> Option<Examples> {
        let examples: Examples = spec.settings_of(&spec.kind)?;
        (examples.name() == spec.kind).then_some(examples)
    }

    fn of(&self, step: usize) -> (Sums, usize) {
        match self.examples {
            Examples::Fixed { count, from } | Examples::Shuffled { count, from } => (from, count),
            Examples::Fresh { batch, from } => (from, batch),
            Examples::Chosen { sums } => (self.id, sums.count()),
            Examples::Curriculum { batch, stages } => {
                let stage = if 4 * step < self.steps { 0 } else { 1 + usize::from(2 * step >= self.steps) };
                (Sums::Signed(stages[stage]), batch)
            }
        }
    }

    fn draws(&self, seed: u64, step: u32) -> RandomStream {
        let step = if self.changes() == Changes::ByStep { step } else { 0 };
        RandomStream::new(seed, Stream::Train, step)
    }
}

impl Sums {
    /// One of them.
    pub fn draw(&self, draws: &mut RandomStream) -> Example {
        match self {
            Sums::Signed(sums) => sums.draw(draws).example(),
            Sums::Grocery(lists) => grocery::example(&lists.draw(draws)),
        }
    }

    /// Adds so many of them to a batch, without keeping them.
    pub fn draw_into(&self, count: usize, draws: &mut RandomStream, batch: &mut Batch) {
        for _ in 0..count {
            match self {
                Sums::Signed(sums) => {
                    let (values, minus, n) = sums.draw_terms(draws);
                    push_sum(batch, &values[..n], &minus[..n]);
                }
                Sums::Grocery(lists) => {
                    let (items, n) = lists.draw_items(draws);
                    push_list(batch, &items[..n]);
                }
            }
        }
    }

    /// So many of them.
    pub fn draw_many(&self, count: usize, mut draws: RandomStream) -> Vec<Example> {
        (0..count).map(|_| self.draw(&mut draws)).collect()
    }
}

impl Task for SumTask {
    fn name(&self) -> &str {
        self.examples.name()
    }

    fn inputs(&self, tokens: usize) -> Vec<Input> {
        let values = if let Sums::Signed(_) = self.id { tokens.div_ceil(2) } else { tokens };
        vec![Input::new("kind", tokens, 1), Input::new("value", values, 1)]
    }

    fn tokens(&self) -> usize {
        if let Sums::Signed(_) = self.id { TOKENS } else { MAX_TERMS }
    }

    fn readout(&self) -> Readout {
        Readout::Number
    }

    fn changes(&self) -> Changes {
        match self.examples {
            Examples::Fixed { .. } | Examples::Shuffled { .. } => Changes::BySeed,
            Examples::Chosen { .. } => Changes::Never,
            Examples::Fresh { .. } | Examples::Curriculum { .. } => Changes::ByStep,
        }
    }

    fn train(&self, seed: u64, step: u32) -> Cow<'_, [Example]> {
        if let Examples::Chosen { sums } = self.examples {
            return sums.sums().iter().map(Sum::example).collect();
        }
        let (from, count) = self.of(step as usize);
        let mut draws = self.draws(seed, step);
        let mut examples: Vec<Example> = (0..count).map(|_| from.draw(&mut draws)).collect();
        if let Examples::Shuffled { .. } = self.examples {
            let mut targets: Vec<Target> = examples.iter().map(|e| e.target.clone()).collect();
            targets.rotate_left(1);
            examples.iter_mut().zip(targets).for_each(|(e, target)| e.target = target);
        }
        examples.into()
    }

    fn test(&self, split: Split, seed: u64) -> Cow<'_, [Example]> {
        let (from, stream) = match split {
            Split::Id => (self.id, Stream::TestId),
            Split::Ood => (self.ood, Stream::TestOod),
        };
        from.draw_many(TESTS, RandomStream::new(seed, stream, 0)).into()
    }

    fn length(&self, example: &Example) -> usize {
        example.input.len()
    }

    fn encode(&self, example: &Example, inputs: &mut Inputs<'_>) {
        for (to, &kind) in inputs.array("kind").iter_mut().zip(&example.input) {
            *to = f64::from(kind);
        }
        inputs.array("value")[..example.values.len()].copy_from_slice(&example.values);
    }

    /// Without keeping them.
    fn fill(&self, seed: u64, step: u32, batch: &mut Batch) {
        let (from, count) = self.of(step as usize);
        batch.clear();
        let mut draws = self.draws(seed, step);
        match self.examples {
            Examples::Chosen { sums } => sums.terms().for_each(|(values, minus)| push_sum(batch, values, minus)),
            _ => from.draw_into(count, &mut draws, batch),
        }
        if let Examples::Shuffled { .. } = self.examples {
            batch.rotate_targets();
        }
    }

    fn spec(&self) -> Spec {
        Spec::new(self.name(), self.examples)
    }

    /// §6 for fixed sums: 2,000 full-batch steps of Adam at 0.005. §4.1, §5.3 and §5.4 for fresh ones: Adam at 0.01.
    fn paper(&self) -> Option<Setup> {
        let is_fixed = self.changes() != Changes::ByStep;
        let adam = Adam::new(if is_fixed { 0.005 } else { 0.01 });
        let models = match self.id {
            Sums::Grocery(_) => vec![Lite { types: Types::Items, ..Lite::STANDARD }.into()],
            Sums::Signed(_) if is_fixed => {
                let lite = [Lite::STANDARD, Lite::COMPACT, Lite::FLAT, Lite::FLAT_TWO_HEADS];
                lite.into_iter().map(ModelRecord::from).chain([Unityped::A.into()]).collect()
            }
            Sums::Signed(_) => vec![Lite { types: Types::Fixed, ..Lite::STANDARD }.into(), Unityped::A.into()],
        };
        let train = TrainConfig { steps: self.steps, adam, clip: None, ..TrainConfig::default() };
        Some(Setup::new(models, train, Seeds::to(10)))
    }

    fn text(&self) -> Option<&dyn TextForm> {
        Some(self)
    }
}

impl Sum {
    /// Its inputs to a model with room for `terms` literals.
    pub fn encode(&self, terms: usize) -> Arrays {
        Batch::of(&SumTask::LOCKING, 2 * terms - 1, [&self.example()]).arrays()
    }
}

/// Literals and operators in turn, padding at the end.
fn push_sum(batch: &mut Batch, values: &[u32], minus: &[bool]) {
    let terms = batch.tokens().div_ceil(2);
    let signed = |(&value, &minus): (&u32, &bool)| if minus { -i64::from(value) } else { i64::from(value) };
    let answer: i64 = values.iter().zip(minus).map(signed).sum();
    batch.push_number(answer as f64, |inputs| {
        let [kinds, numbers] = inputs else { unreachable!("two inputs are listed") };
        for i in 0..terms {
            let real = i < values.len();
            if i > 0 {
                let operator = if real && minus[i] { Kind::Minus } else { Kind::Plus };
                kinds.push(if real { f64::from(operator as u8) } else { 0.0 });
            }
            kinds.push(if real { f64::from(Kind::Literal as u8) } else { 0.0 });
            numbers.push(if real { f64::from(values[i]) } else { 0.0 });
        }
    });
}

/// A kind and a value for each item, padding at the end.
fn push_list(batch: &mut Batch, list: &[Item]) {
    let tokens = batch.tokens();
    batch.push_number(grocery::answer(list) as f64, |inputs| {
        let [kinds, numbers] = inputs else { unreachable!("two inputs are listed") };
        for i in 0..tokens {
            let Item { id, value } = list.get(i).copied().unwrap_or_default();
            kinds.push(id as f64);
            numbers.push(f64::from(value));
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is drawn without being kept is what is drawn and kept.
    #[test]
    fn a_filled_batch_has_the_encoded_examples() {
        let curriculum = Examples::Curriculum { batch: 9, stages: SignedSum::CURRICULUM };
        let shuffled = Examples::Shuffled { count: 10, from: Sums::Signed(SignedSum::LOCKING) };
        let tasks = [
            SumTask::LOCKING,
            SumTask::GROCERY,
            SumTask { examples: curriculum, ..SumTask::LOCKING },
            SumTask { examples: shuffled, ..SumTask::LOCKING },
        ];
        for task in tasks {
            for (seed, step) in [(3, 0), (3, 700), (4, 1500)] {
                let mut filled = Batch::new(&task, Task::tokens(&task));
                task.fill(seed, step, &mut filled);
                let encoded = Batch::of(&task, Task::tokens(&task), &*task.train(seed, step));
                assert_eq!(filled.len(), encoded.len());
                for name in ["kind", "value"] {
                    assert_eq!(filled.input(name), encoded.input(name), "{task:?}");
                }
                assert_eq!(filled.target(), encoded.target(), "{task:?}");
            }
        }
    }

    /// A curriculum's stages are parts of the steps that its learners take.
    #[test]
    fn learners_take_the_steps_that_the_task_has() {
        let task = SumTask::new(Examples::Curriculum { batch: 9, stages: SignedSum::CURRICULUM }, 500);
        assert_eq!(task.paper().unwrap().train.steps, 500);
        for paper in [SumTask::LOCKING, SumTask::ABLATION, SumTask::GROCERY] {
            assert_eq!(paper.paper().unwrap().train.steps, 2000);
        }
    }

    #[test]
    fn shuffled_answers_are_not_the_sums_own() {
        let task = SumTask {
            examples: Examples::Shuffled { count: 10, from: Sums::Signed(SignedSum::LOCKING) },
            ..SumTask::LOCKING
        };
        let (shuffled, own) = (task.train(1, 0), SumTask::LOCKING.train(1, 0));
        assert!(shuffled.iter().zip(own.iter()).all(|(a, b)| a.input == b.input && a.values == b.values));
        assert!(shuffled.iter().zip(own.iter()).filter(|(a, b)| a.target == b.target).count() < 3);
    }
}
