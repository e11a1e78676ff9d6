//! Who answers for a table: a population of STRAT and other classifiers, by the weights that rows left out have decided.

use super::held_out::{Tested, shares};
use super::learned::Learned;
use super::next::{Next, candidates, chosen};
use super::rule::{self, Answers};
use super::{Vote, most, random, softmax, temper};
use crate::engine::Isa;
use crate::engine::reference::Arrays;
use crate::model::BlockModel;
use crate::task::table::{LabelledRow, Part, SymmetriesError, TableRow, TableTask, UNKNOWN, Weighted};
use crate::task::{DataTask, Example, Target};
use crate::train::{Predictor, TrainError};
use rayon::prelude::*;
use std::cell::RefCell;
use std::sync::Arc;
use strat_tables::{Classifier, Frame, Method, Mixture, entropy};

/// What is said about a row.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The probability of each class.
    pub probabilities: Vec<f64>,
    /// The most probable class.
    pub class: u8,
    /// The share of the mixture whose own answer is this class: learners by their part of STRAT's weight, others by theirs.
    /// It is no probability.
    pub agreement: f64,
    /// The doubt of the mixture before its probabilities are made right, in nats.
    pub doubt: f64,
    /// The mean doubt of STRAT's learners, each for itself, in nats.
    pub learners_doubt: f64,
}

impl Answer {
    /// The probability of the class that is given.
    pub fn probability(&self) -> f64 {
        self.probabilities[usize::from(self.class)]
    }
}

/// Those who answer.
pub struct Answerer<'a> {
    own: &'a TableTask,
    usual: Vec<u8>,
    shares: Vec<f64>,
    /// STRAT's weight, the others', and these.
    strat: f64,
    others: f64,
    mixture: Mixture,
    frame: Frame,
    /// For each row of the frame, that of the table that it comes from.
    origins: Vec<usize>,
    predictors: Vec<Predictor<'a>>,
}

/// The weight decay of the population of STRAT that is trained on all rows: that of the largest weight.
pub fn decay(weights: &[Weighted]) -> f64 {
    let strat = |w: &Weighted| if let Part::Strat(decay) = w.part { Some((decay, w.weight)) } else { None };
    let first = (1.0, f64::NEG_INFINITY);
    weights.iter().filter_map(strat).fold(first, |best, next| if next.1 > best.1 { next } else { best }).0
}

impl<'a> Answerer<'a> {
    /// Teaches the other classifiers with the table; the population has learned. Without a mixture the population answers
    /// alone.
    pub fn new(
        (task, own): (&'a DataTask, &'a TableTask),
        model: BlockModel,
        learners: &[Arrays],
        isa: Isa,
    ) -> Result<Self, SymmetriesError> {
        let is_strat = |w: &&Weighted| matches!(w.part, Part::Strat(_));
        let strat: f64 = own.mixture.iter().filter(is_strat).map(|w| w.weight).sum();
        let strat = if own.mixture.is_empty() { 1.0 } else { strat };
        let weight = |method: &Method| {
            let found = own.mixture.iter().find(|w| w.part == Part::Other(*method));
            found.map_or(0.0, |w| w.weight)
        };
        let weights: Vec<f64> = Method::ALL.iter().map(|(method, _)| weight(method)).collect();
        let others = if weights.iter().sum::<f64>() > 0.0 { 1.0 - strat } else { 0.0 };
        let (frame, origins) = own.frame()?;
        let mixture = Mixture::fit(&frame, &weights, &random);
        let predictors = if strat > 0.0 {
            learners.iter().map(|weights| Predictor::new(task, Arc::new(model), weights, isa)).collect()
        } else {
            vec![]
        };
        Ok(Answerer {
            own,
            usual: own.usual(),
            shares: shares(own),
            strat,
            others,
            mixture,
            frame,
            origins,
            predictors,
        })
    }

    /// What they have learned. Without a test on rows left out no rule is told.
    pub fn learned(mut self, tested: Option<&Tested>) -> Result<Learned, TrainError> {
        let own = self.own;
        let (frame, origins) = (self.frame.clone(), self.origins.clone());
        let told = rule::told(own, (&frame, &origins), tested, &mut |rows| {
            let mixture = self.answer(rows)?.iter().map(|answer| answer.class).collect();
            Ok::<_, TrainError>(Answers { mixture, strat: self.population(rows)? })
        })?;
        let wrong = self.wrong()?;
        let questions = self.questions()?;
        let answerer = RefCell::new(self);
        let failed = RefCell::new(None);
        let learned = Learned::by(own, &|inputs| {
            let rows: Vec<TableRow> = inputs.iter().map(|input| own.typical(input)).collect();
            let said = answerer.borrow_mut().answer(&rows).unwrap_or_else(|e| {
                failed.replace(Some(e));
                vec![]
            });
            let nothing = Vote { class: 0, agreement: 0.0 };
            let votes = said.iter().map(|a| Vote { class: a.class, agreement: a.probability() });
            votes.chain(std::iter::repeat(nothing)).take(inputs.len()).collect()
        });
        match failed.into_inner() {
            Some(error) => Err(error),
            None => Ok(Learned { told: Some(told), wrong, questions, ..learned }),
        }
    }

    /// Rows of the table that are answered otherwise, asked with their own numbers.
    fn wrong(&mut self) -> Result<Vec<(usize, Vote)>, TrainError> {
        let own = self.own;
        let row = |row: &LabelledRow| TableRow { input: row.input.clone(), numbers: row.numbers.clone() };
        let said = self.answer(&own.rows.iter().map(row).collect::<Vec<_>>())?;
        let wrong = own.rows.iter().zip(&said).filter(|(row, answer)| row.class != answer.class);
        let vote = |a: &Answer| Vote { class: a.class, agreement: a.probability() };
        let mut wrong: Vec<(usize, Vote)> = wrong.map(|(row, answer)| (row.row, vote(answer))).collect();
        wrong.dedup_by_key(|row| row.0);
        Ok(wrong)
    }

    /// Rows whose answers would tell most.
    fn questions(&mut self) -> Result<Vec<Next>, TrainError> {
        let own = self.own;
        let rows = candidates(own);
        let said = self.answer(&rows)?;
        let doubts = said.iter().zip(&rows).map(|(answer, row)| {
            let others = if self.others > 0.0 { self.mixture.doubt_of_parts(&own.asked(row)) } else { 0.0 };
            let parts = self.strat * answer.learners_doubt + self.others * others;
            // By how much all is chance, no answer tells anything of others.
            (1.0 - own.chance) * (answer.doubt - parts).max(0.0)
        });
        let tells: Vec<f64> = doubts.collect();
        let votes: Vec<Vote> = said.iter().map(|a| Vote { class: a.class, agreement: a.probability() }).collect();
        Ok(chosen(&own.schema, &rows, &tells, &votes))
    }

    /// What the population alone answers to each of some rows without unknown values; none if it has no say.
    fn population(&mut self, rows: &[TableRow]) -> Result<Option<Vec<u8>>, TrainError> {
        let examples: Vec<Example> =
            rows.iter().map(|row| Example::new(row.input.clone(), Target::Class(0))).collect();
        let said: Vec<Vec<Vec<f64>>> =
            self.predictors.par_iter_mut().map(|p| p.outputs(&examples)).collect::<Result<_, _>>()?;
        let class = |i: usize| {
            let mut sum = vec![0.0; self.own.schema.classes.len()];
            let learned = said.iter().filter_map(|outputs| softmax(&outputs[i]));
            learned.for_each(|p| sum.iter_mut().zip(p).for_each(|(sum, p)| *sum += p));
            most(&sum) as u8
        };
        Ok((!said.is_empty()).then(|| (0..rows.len()).map(class).collect()))
    }

    /// What they say about each of some rows.
    pub fn answer(&mut self, rows: &[TableRow]) -> Result<Vec<Answer>, TrainError> {
        let classes = self.own.schema.classes.len();
        // STRAT has no kind of token for a value that is unknown: it reads the usual one.
        let known = |row: &TableRow| {
            let values = row.input.iter().zip(&self.usual);
            let input = values.map(|(&value, &usual)| if value == UNKNOWN { usual } else { value }).collect();
            Example::new(input, Target::Class(0))
        };
        let examples: Vec<Example> = rows.iter().map(known).collect();
        let said: Vec<Vec<Vec<f64>>> =
            self.predictors.par_iter_mut().map(|p| p.outputs(&examples)).collect::<Result<_, _>>()?;
        let (own, mixture, shares) = (self.own, &self.mixture, &self.shares);
        let (strat, others) = (self.strat, self.others);
        let one = |(i, row): (usize, &TableRow)| {
            let mut probabilities = vec![0.0; classes];
            let mut for_class = vec![0.0; classes];
            let mut give = |weight: f64, p: &[f64]| {
                probabilities.iter_mut().zip(p).for_each(|(sum, p)| *sum += weight * p);
                for_class[most(p)] += weight;
            };
            let learned: Vec<Vec<f64>> = said.iter().filter_map(|outputs| softmax(&outputs[i])).collect();
            let mut learners_doubt = 0.0;
            for mut p in learned.iter().cloned() {
                temper(&mut p, own.rows.len(), shares);
                learners_doubt += entropy(&p) / learned.len() as f64;
                give(strat / learned.len() as f64, &p);
            }
            if others > 0.0 {
                let cells = own.asked(row);
                mixture.parts().for_each(|(weight, part)| give(others * weight, &part.probabilities(&cells)));
            }
            let all: f64 = probabilities.iter().sum();
            let mut doubt = 0.0;
            if all > 0.0 {
                probabilities.iter_mut().for_each(|p| *p /= all);
                doubt = entropy(&probabilities);
                own.calibration().apply(&mut probabilities);
            }
            let class = most(&probabilities);
            Answer {
                agreement: for_class[class] / f64::max(all, f64::MIN_POSITIVE),
                class: class as u8,
                probabilities,
                doubt,
                learners_doubt,
            }
        };
        Ok(rows.par_iter().enumerate().map(one).collect())
    }
}
