//! Examples of a task as the inputs of a machine.

use crate::engine::Machine;
use crate::engine::reference::Arrays;
use crate::model::{Kinds, Readout};
use crate::task::{Encoded, Example, Target, Task};
use std::borrow::Cow;

/// A batch of encoded examples, all of the same number of tokens.
#[derive(Clone, Debug)]
pub struct Feed {
    tokens: usize,
    readout: Readout,
    count: usize,
    /// Where there are kinds, their numbers say what Type and Data would be.
    kinds: Option<Kinds>,
    /// Numbers of the tokens' kinds, from 1 on.
    kind: Vec<f32>,
    types: Vec<f32>,
    data: Vec<f32>,
    /// One-hot rows for classes and values, else bits.
    target: Vec<f32>,
    /// For answers at every token: what each weighs in the mean over all that are scored.
    weight: Vec<f32>,
    /// For verdicts: one over the number of real tokens.
    share: Vec<f32>,
    one: Encoded,
}

impl Feed {
    /// For examples of at most `tokens` tokens.
    pub fn new(task: &Task, tokens: usize) -> Feed {
        let [types, data, kind, target, weight, share] = [const { vec![] }; 6];
        let (one, kinds) = (Encoded::default(), task.kinds().filter(|kinds| kinds.of.len() == tokens));
        Feed { tokens, readout: task.readout(), count: 0, types, data, kind, kinds, target, weight, share, one }
    }

    /// One example without its padding.
    pub fn of_one(task: &Task, example: &Example) -> Feed {
        let mut feed = Feed::new(task, task.length(example));
        feed.fill(task, [example]);
        feed
    }

    /// The tokens that there can be, where these are few.
    pub fn kinds(&self) -> Option<&Kinds> {
        self.kinds.as_ref()
    }

    /// Tokens of an example.
    pub fn tokens(&self) -> usize {
        self.tokens
    }

    /// Examples in the batch.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Is there none?
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Replaces the batch.
    pub fn fill<'a>(&mut self, task: &Task, examples: impl IntoIterator<Item = &'a Example>) {
        let Feed { types, data, kind, target, weight, share, .. } = self;
        [types, data, kind, target, weight, share].into_iter().for_each(Vec::clear);
        self.count = 0;
        let shape = task.shape();
        let mut scored = 0;
        for example in examples {
            let real = task.length(example);
            assert!(real <= self.tokens, "{real} tokens, room for {}", self.tokens);
            if let Some(kinds) = &self.kinds {
                self.kind.extend(kinds.numbers(&example.input).map(|kind| (kind + 1) as f32));
            } else {
                task.encode(example, &mut self.one);
                self.types.extend_from_slice(&self.one.types[..self.tokens * shape.types]);
                self.data.extend_from_slice(&self.one.data[..self.tokens * shape.data]);
            }
            scored += self.answer(&example.target, real);
            self.count += 1;
        }
        // Each example's loss is averaged over the batch, so that the sum over its cells must be
        // scaled to make every scored cell of the batch count the same.
        let each = self.count as f32 / scored.max(1) as f32;
        self.weight.iter_mut().for_each(|w| *w *= each);
    }

    /// Appends the right answer to an example of `real` tokens; how many cells it scores.
    fn answer(&mut self, target: &Target, real: usize) -> usize {
        let mut one_hot = |value: u8, of: usize| self.target.extend((0..of).map(|v| bit(v == usize::from(value))));
        match (target, self.readout) {
            (Target::Class(class), Readout::Class(of)) => one_hot(*class, of),
            (Target::Verdict(yes), Readout::Verdict) => {
                self.target.push(bit(*yes));
                let share = 1.0 / real as f32;
                self.share.extend((0..self.tokens).map(|t| if t < real { share } else { 0.0 }));
            }
            (Target::Cells { values, .. }, Readout::Values(of)) => values.iter().for_each(|&v| one_hot(v, of)),
            (Target::Cells { values, .. }, Readout::Bits) => {
                self.target.extend(values.iter().map(|&v| f32::from(v)))
            }
            _ => panic!("a readout of {:?} does not answer {target:?}", self.readout),
        }
        let Target::Cells { scored, .. } = target else { return 0 };
        self.weight.extend(scored.iter().map(|&s| bit(s)));
        scored.iter().filter(|&&s| s).count()
    }

    /// Gives the batch to a learner of a machine that was made for as many examples and tokens, which is to be loaded then.
    pub fn set(&self, m: &mut dyn Machine<f32>, lane: usize) {
        let by_kind = m.has_input("kind");
        let mut set = |name: &str, numbers: &[f32]| {
            m.set_input(lane, name, numbers).expect("examples fit the machine that was made for them");
        };
        if by_kind {
            set("kind", &self.kind);
        } else {
            self.tokens_by_name().iter().for_each(|(name, numbers)| set(name, numbers));
        }
        self.answers_by_name().for_each(|(name, numbers)| set(name, numbers));
    }

    /// The batch as the reference reads it, which takes one example.
    pub fn arrays(&self) -> Arrays {
        let numbers = |x: &[f32]| x.iter().copied().map(f64::from).collect();
        let tokens = self.tokens_by_name();
        let inputs = tokens.iter().map(|(name, x)| (*name, &x[..])).chain(self.answers_by_name());
        inputs.map(|(name, x)| (name.to_string(), numbers(x))).collect()
    }

    /// What a model reads.
    fn tokens_by_name(&self) -> [(&'static str, Cow<'_, [f32]>); 2] {
        let Some(kinds) = &self.kinds else {
            return [("type", Cow::Borrowed(&self.types)), ("data", Cow::Borrowed(&self.data))];
        };
        [("type", &kinds.types), ("data", &kinds.data)].map(|(name, rows)| {
            let width = rows.len() / kinds.count();
            let row = |&kind: &f32| rows[(kind as usize - 1) * width..][..width].iter().map(|&x| x as f32);
            (name, self.kind.iter().flat_map(row).collect())
        })
    }

    /// What it should answer, and how that counts.
    fn answers_by_name(&self) -> impl Iterator<Item = (&'static str, &[f32])> {
        let own = match self.readout {
            Readout::Class(_) | Readout::Number => None,
            Readout::Verdict => Some(("share", &self.share[..])),
            Readout::Values(_) | Readout::Bits => Some(("weight", &self.weight[..])),
        };
        [("target", &self.target[..])].into_iter().chain(own)
    }
}

fn bit(yes: bool) -> f32 {
    f32::from(u8::from(yes))
}
