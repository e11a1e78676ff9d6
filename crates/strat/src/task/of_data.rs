//! The eleven data sets and tables of one's own, through the door for tasks.

use super::door::{Changes, Input, Inputs, Task};
use super::example::Encoded;
use super::text::TextForm;
use super::{Example, Rule, Split};
use crate::config::Setup;
use crate::model::{Kinds, Readout, Spec};
use std::borrow::Cow;
use std::cell::RefCell;

impl Task for super::DataTask {
    fn name(&self) -> &str {
        super::DataTask::name(self)
    }

    fn inputs(&self, tokens: usize) -> Vec<Input> {
        let shape = self.shape();
        vec![Input::new("type", tokens, shape.types), Input::new("data", tokens, shape.data)]
    }

    /// Augmentation makes no example longer.
    fn tokens(&self) -> usize {
        self.bases().iter().map(|example| super::DataTask::length(self, example)).max().unwrap_or(0)
    }

    fn most_tokens(&self) -> usize {
        self.shape().tokens
    }

    fn readout(&self) -> Readout {
        super::DataTask::readout(self)
    }

    fn train(&self, seed: u64, step: u32) -> Cow<'_, [Example]> {
        self.epoch(seed, step)
    }

    fn bases(&self) -> Cow<'_, [Example]> {
        Cow::Borrowed(super::DataTask::bases(self))
    }

    fn changes(&self) -> Changes {
        if self.is_fixed() { Changes::Never } else { Changes::ByStep }
    }

    fn test(&self, split: Split, _seed: u64) -> Cow<'_, [Example]> {
        Cow::Borrowed(self.split(split))
    }

    fn length(&self, example: &Example) -> usize {
        super::DataTask::length(self, example)
    }

    fn encode(&self, example: &Example, inputs: &mut Inputs<'_>) {
        thread_local! {
            static ENCODED: RefCell<Encoded> = RefCell::default();
        }
        ENCODED.with_borrow_mut(|encoded| {
            super::DataTask::encode(self, example, encoded);
            for (name, channels) in [("type", &encoded.types), ("data", &encoded.data)] {
                for (to, &x) in inputs.array(name).iter_mut().zip(channels) {
                    *to = f64::from(x);
                }
            }
        });
    }

    fn kinds(&self) -> Option<Kinds> {
        super::DataTask::kinds(self)
    }

    fn spec(&self) -> Spec {
        Spec::named(super::DataTask::name(self))
    }

    fn paper(&self) -> Option<Setup> {
        self.setup.clone()
    }

    fn fingerprint(&self) -> Option<String> {
        Some(super::DataTask::fingerprint(self))
    }

    fn text(&self) -> Option<&dyn TextForm> {
        Some(self)
    }

    fn rule(&self) -> Option<&dyn Rule> {
        self.domain.rule()
    }

    fn decided(&self, split: Split) -> Option<f64> {
        super::DataTask::decided(self, split)
    }

    fn all_inputs(&self) -> Option<Vec<Example>> {
        super::DataTask::inputs(self)
    }
}
