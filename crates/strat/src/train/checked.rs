//! Answers that a task's rule can check: the first valid one of a population counts.
//!
//! There is no search and no solver: every answer is what a learner says. At first sight each learner answers once. Where
//! none of these answers is valid, each looks again: the places that it is most certain of are given to it, as if they stood
//! in the example, and it answers the rest. What it says then is checked against the example as it was. So an answer
//! is either valid or not given at all.

use super::{Learner, Population, Predictor, TrainError};
use crate::engine::Isa;
use crate::engine::reference::Arrays;
use crate::model::{Model, Readout};
use crate::task::{Example, Rule, Target, Task, largest};
use rayon::prelude::*;
use std::sync::Arc;

/// Examples that are worked on at a time: what all learners say of each is kept meanwhile.
const AT_ONCE: usize = 512;

/// How often learners look at an example, and how much they take for certain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Looks {
    /// How often a learner looks at an example at most; 1 is at first sight alone.
    pub most: usize,
    /// The part of the open places that it takes for certain after a look, the most likely ones; at least one place.
    pub certain: f64,
}

impl Default for Looks {
    /// Fixed before any learner was asked (docs/sudoku.md).
    fn default() -> Looks {
        Looks { most: 24, certain: 0.25 }
    }
}

/// What a population says of an example.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckedAnswer {
    /// The first valid answer; none if no learner found one.
    pub found: Option<Found>,
    /// What each learner says at first sight, valid or not.
    pub first: Vec<Target>,
    /// What they say together at first sight, valid or not: everywhere the value with the highest mean probability.
    pub vote: Target,
}

/// A valid answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// The answer.
    pub answer: Target,
    /// Which learner gave it, by its place in the population: the first of those that found one at the same look.
    pub learner: usize,
    /// How often that learner had looked.
    pub looks: usize,
    /// How many learners say the same at first sight.
    pub agree: usize,
}

/// Learners of one model whose answers are checked.
pub struct CheckedPopulation<'a> {
    rule: &'a dyn Rule,
    readout: Readout,
    learners: Vec<Predictor<'a>>,
    looks: Looks,
}

impl<'a> CheckedPopulation<'a> {
    /// Of the weights of each learner. None if there are none, if the task has no
    /// [rule](Task::rule), or if its answers are numbers.
    pub fn new<'w>(
        task: &'a dyn Task,
        model: &Arc<dyn Model>,
        weights: impl IntoIterator<Item = &'w Arrays>,
        looks: Looks,
        isa: Isa,
    ) -> Option<Self> {
        let (rule, readout) = (task.rule()?, task.readout());
        let learners: Vec<_> = weights.into_iter().map(|w| Predictor::new(task, model.clone(), w, isa)).collect();
        (readout != Readout::Number && !learners.is_empty()).then_some(CheckedPopulation {
            rule,
            readout,
            learners,
            looks,
        })
    }

    /// What it says of each example, in order. Of the examples it reads what is given alone, not their targets.
    pub fn answers(&mut self, examples: &[Example]) -> Result<Vec<CheckedAnswer>, TrainError> {
        let mut answers = vec![];
        for some in examples.chunks(AT_ONCE) {
            answers.extend(self.answer_some(some)?);
        }
        Ok(answers)
    }

    fn answer_some(&mut self, examples: &[Example]) -> Result<Vec<CheckedAnswer>, TrainError> {
        let rule = self.rule;
        // Each learner's own copy of every open example, with what it took for certain.
        let mut views: Vec<Vec<Example>> = vec![examples.to_vec(); self.learners.len()];
        let mut open: Vec<usize> = (0..examples.len()).collect();
        let mut said = self.look(&views)?;
        let at_first_sight = |&i: &usize| {
            let first = said.iter().map(|said| said[i].answer(rule, &examples[i], &examples[i])).collect();
            let each: Vec<&Said> = said.iter().map(|said| &said[i]).collect();
            let vote = Said::mean(&each).answer(rule, &examples[i], &examples[i]);
            CheckedAnswer { found: None, first, vote }
        };
        let mut answers: Vec<CheckedAnswer> = open.iter().map(at_first_sight).collect();
        for looks in 1.. {
            for (at, &i) in open.iter().enumerate() {
                let valid = |learner: usize| {
                    let answer = said[learner][at].answer(rule, &views[learner][at], &examples[i]);
                    let checked = Example { target: answer, ..examples[i].clone() };
                    let agree = answers[i].first.iter().filter(|first| **first == checked.target).count();
                    rule.holds(&checked).then_some(Found { answer: checked.target, learner, looks, agree })
                };
                answers[i].found = (0..views.len()).find_map(valid);
            }
            let unsolved: Vec<usize> = (0..open.len()).filter(|&at| answers[open[at]].found.is_none()).collect();
            open = unsolved.iter().map(|&at| open[at]).collect();
            if open.is_empty() || looks >= self.looks.most {
                break;
            }
            let mut gave = false;
            for (views, said) in views.iter_mut().zip(&said) {
                let mut again = |&at: &usize| {
                    let mut view = views[at].clone();
                    gave |= said[at].give(rule, &mut view, self.looks.certain);
                    view
                };
                *views = unsolved.iter().map(&mut again).collect();
            }
            if !gave {
                break;
            }
            said = self.look(&views)?;
        }
        Ok(answers)
    }

    /// What each learner says of its examples.
    fn look(&mut self, examples: &[Vec<Example>]) -> Result<Vec<Vec<Said>>, TrainError> {
        let readout = self.readout;
        let one = |(learner, examples): (&mut Predictor<'a>, &Vec<Example>)| {
            let outputs = learner.outputs(examples)?;
            Ok(outputs.iter().map(|output| Said::of(readout, output)).collect())
        };
        self.learners.par_iter_mut().with_max_len(1).zip(examples).map(one).collect()
    }
}

impl Population {
    /// What trained learners say together of each example, where the task has a [rule](Task::rule) that checks answers.
    pub fn answer_checked(
        &self,
        learners: &[Learner],
        examples: &[Example],
        looks: Looks,
    ) -> Result<Option<Vec<CheckedAnswer>>, TrainError> {
        let weights = learners.iter().map(|learner| &learner.weights);
        let population = CheckedPopulation::new(self.task(), self.model(), weights, looks, self.isa());
        population.map(|mut population| population.answers(examples)).transpose()
    }
}

/// How likely each value is at each place, to a learner or to several.
struct Said {
    readout: Readout,
    places: Vec<Vec<f64>>,
}

impl Said {
    fn of(readout: Readout, output: &[f64]) -> Said {
        let softmax = |logits: &[f64]| {
            let most = logits.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            // Equal ones apart, so that infinity is not subtracted from itself.
            let shares = logits.iter().map(|&l| if l == most { 1.0 } else { libm::exp(l - most) });
            let shares: Vec<f64> = shares.collect();
            let all: f64 = shares.iter().sum();
            shares.iter().map(|share| share / all).collect()
        };
        let places = match readout {
            Readout::Class(n) | Readout::TokenClass(n) => output.chunks_exact(n).map(softmax).collect(),
            Readout::Binary | Readout::TokenBinary => output.iter().map(|&l| softmax(&[0.0, l])).collect(),
            Readout::Number => unreachable!("populations whose answers are numbers are not checked"),
        };
        Said { readout, places }
    }

    /// Of at least one.
    fn mean(all: &[&Said]) -> Said {
        let mean = |place: usize, value: usize| {
            all.iter().map(|said| said.places[place][value]).sum::<f64>() / all.len() as f64
        };
        let places = all[0].places.iter().enumerate();
        let places = places.map(|(place, p)| (0..p.len()).map(|value| mean(place, value)).collect()).collect();
        Said { readout: all[0].readout, places }
    }

    /// The most likely values where a view of an example gives none; what the example itself gives is not scored. A
    /// place whose likelihoods are NaN has a value that there is not.
    fn answer(&self, rule: &dyn Rule, view: &Example, example: &Example) -> Target {
        let value = |(place, p): (usize, &Vec<f64>)| {
            rule.given(view, place).unwrap_or_else(|| largest(p).unwrap_or(p.len()) as u8)
        };
        let values: Vec<u8> = self.places.iter().enumerate().map(value).collect();
        match self.readout {
            Readout::Class(_) => Target::Class(values[0]),
            Readout::Binary => Target::Verdict(values[0] == 1),
            _ => {
                let scored = (0..values.len()).map(|place| rule.given(example, place).is_none()).collect();
                Target::Cells { values, scored }
            }
        }
    }

    /// Gives a view of an example the values of the most certain places; false if nothing can be given.
    fn give(&self, rule: &dyn Rule, view: &mut Example, part: f64) -> bool {
        // How likely all other values are together tells more than how near to 1 the most likely one is.
        let doubt = |(place, p): (usize, &Vec<f64>)| {
            let best = largest(p).filter(|_| rule.given(view, place).is_none())?;
            let others = p.iter().enumerate().filter(|(value, _)| *value != best);
            Some((others.map(|(_, p)| p).sum::<f64>(), place, best as u8))
        };
        let mut open: Vec<(f64, usize, u8)> = self.places.iter().enumerate().filter_map(doubt).collect();
        open.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let count = ((part * open.len() as f64) as usize).max(1);
        // All are tried, whatever the first ones say.
        open.iter().take(count).fold(false, |gave, &(_, place, value)| rule.give(view, place, value) || gave)
    }
}
