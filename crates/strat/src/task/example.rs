//! What a model is given and what it should say.

use crate::engine::Elem;
use crate::metric::Metric;
use crate::model::{Readout, Shape};

/// The right answer. Fingerprints of tasks hash its `Debug` form, so that its names are part of the format of runs.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Target {
    /// Number of the class ([`Readout::Class`]).
    Class(u8),
    /// Yes or no ([`Readout::Binary`]).
    Verdict(bool),
    /// An answer for every token ([`Readout::TokenClass`], [`Readout::TokenBinary`]).
    Cells {
        /// Number of the value, or 0 and 1 for bits.
        values: Vec<u8>,
        /// Tokens that must be answered; the others are given.
        scored: Vec<bool>,
    },
    /// A number ([`Readout::Number`]).
    Number(f64),
}

impl Target {
    /// In words, where a task has none of its own.
    pub fn words(&self) -> String {
        match self {
            Target::Number(x) => x.to_string(),
            Target::Class(class) => format!("class {class}"),
            Target::Verdict(yes) => (if *yes { "yes" } else { "no" }).into(),
            Target::Cells { values, .. } => values.iter().map(u8::to_string).collect::<Vec<_>>().join(" "),
        }
    }

    /// The answer as symbols: one for a class or a verdict (1 is yes), one for every token, none for a number.
    pub fn values(&self) -> &[u8] {
        match self {
            Target::Class(class) => std::slice::from_ref(class),
            Target::Verdict(yes) => {
                if *yes {
                    &[1]
                } else {
                    &[0]
                }
            }
            Target::Cells { values, .. } => values,
            Target::Number(_) => &[],
        }
    }

    /// Those numbers that must be answered, with their places.
    pub fn scored(&self) -> impl Iterator<Item = (usize, u8)> {
        let asked = move |&(place, _): &(usize, u8)| match self {
            Target::Class(_) | Target::Verdict(_) | Target::Number(_) => true,
            Target::Cells { scored, .. } => scored[place],
        };
        self.values().iter().copied().enumerate().filter(asked)
    }

    /// Whether logits of a model, as [`Readout::logits`] counts them, give this answer. Of
    /// values with the same logit the first counts; a logit that is NaN is never right. A number must round to the
    /// right one.
    pub fn is_answered_by<E: Elem>(&self, readout: Readout, logits: &[E]) -> bool {
        let sign = |logit: E, yes: bool| if yes { logit > E::default() } else { logit <= E::default() };
        match (self, readout) {
            (Target::Class(class), Readout::Class(_)) => largest(logits) == Some(usize::from(*class)),
            (Target::Verdict(yes), Readout::Binary) => sign(logits[0], *yes),
            (Target::Cells { values, scored }, Readout::TokenClass(n)) => {
                let mut cells = logits.chunks_exact(n).zip(values).zip(scored);
                cells.all(|((cell, &value), &scored)| !scored || largest(cell) == Some(usize::from(value)))
            }
            (Target::Cells { values, scored }, Readout::TokenBinary) => {
                let mut cells = logits.iter().zip(values).zip(scored);
                cells.all(|((&logit, &value), &scored)| !scored || sign(logit, value == 1))
            }
            (Target::Number(right), Readout::Number) => (logits[0].f64() - right).abs() < 0.5,
            _ => panic!("a readout of {readout:?} does not answer {self:?}"),
        }
    }
}

/// Position of the first largest number; none if any is NaN. The one way to an answer: for scores, certificates and
/// baselines alike. Zeros of both signs are equal.
pub(crate) fn largest<T: PartialOrd>(scores: &[T]) -> Option<usize> {
    // Only NaN is not equal to itself.
    if scores.iter().any(|x| x.partial_cmp(x).is_none()) {
        return None;
    }
    (0..scores.len()).reduce(|best, i| if scores[i] > scores[best] { i } else { best })
}

/// The class with the largest logit, as [`DataTask::is_correct`] reads it; one that there is not, if a logit is no number.
pub(crate) fn class<T: PartialOrd>(logits: &[T]) -> u8 {
    largest(logits).map_or(u8::MAX, |class| class as u8)
}

/// One example: symbols and the answer. What a symbol means is the task's affair.
#[derive(Clone, Debug, PartialEq)]
pub struct Example {
    /// Symbols, in the order of the task's tokens.
    pub input: Vec<u8>,
    /// Numbers, where symbols are not all.
    pub values: Vec<f64>,
    /// The right answer.
    pub target: Target,
    /// How much it counts when a set is scored: 1 unless the task weighs its examples.
    pub weight: f64,
}

impl Example {
    /// An example of weight 1.
    pub fn new(input: Vec<u8>, target: Target) -> Example {
        Example { input, values: vec![], target, weight: 1.0 }
    }

    /// The mean of a score, weighted as the examples are.
    pub fn mean_score(examples: &[Example], mut score: impl FnMut(usize, &Example) -> f64) -> f64 {
        let total: f64 = examples.iter().enumerate().map(|(i, e)| e.weight * score(i, e)).sum();
        total / examples.iter().map(|e| e.weight).sum::<f64>()
    }
}

/// Which examples are tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Split {
    /// In distribution.
    Id,
    /// Out of distribution.
    Ood,
}

impl Split {
    /// A metric on these examples: of `accuracy`, `id_accuracy` or `ood_accuracy`.
    pub fn metric(self, of: &Metric) -> Metric {
        let (name, heading) = match self {
            Split::Id => ("id", "ID"),
            Split::Ood => ("ood", "OOD"),
        };
        Metric {
            name: format!("{name}_{}", of.name).into(),
            heading: format!("{heading} {}", of.heading).into(),
            ..*of
        }
    }
}

/// An example as a model reads it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Encoded {
    /// `[tokens, types]` Type, row by row.
    pub types: Vec<f32>,
    /// `[tokens, data]` Data, row by row.
    pub data: Vec<f32>,
    /// Tokens that are no padding; padding trails.
    pub real: usize,
}

impl Encoded {
    /// All channels zero, all tokens real.
    pub(super) fn clear(&mut self, shape: Shape) {
        for (channels, width) in [(&mut self.types, shape.types), (&mut self.data, shape.data)] {
            channels.clear();
            channels.resize(shape.tokens * width, 0.0);
        }
        self.real = shape.tokens;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Both ways to say it are one metric.
    #[test]
    fn metrics_of_both_test_sets_are_built_in() {
        use crate::metric::Metric;
        let of = |metric| [Split::Id, Split::Ood].map(|split| split.metric(metric));
        let all = |m: &Metric| (m.name.clone(), m.heading.clone(), m.unit, m.better);
        assert_eq!(
            of(&Metric::ACCURACY).each_ref().map(all),
            [Metric::ID_ACCURACY, Metric::OOD_ACCURACY].each_ref().map(all)
        );
        assert_eq!(of(&Metric::MAE).each_ref().map(all), [Metric::ID_MAE, Metric::OOD_MAE].each_ref().map(all));
    }

    #[test]
    fn answers_are_numbers_and_given_cells_are_not_asked_for() {
        let scored = |target: Target| target.scored().collect::<Vec<_>>();
        assert_eq!(scored(Target::Class(3)), [(0, 3)]);
        assert_eq!((scored(Target::Verdict(true)), scored(Target::Verdict(false))), (vec![(0, 1)], vec![(0, 0)]));
        let cells = Target::Cells { values: vec![7, 8, 9], scored: vec![true, false, true] };
        assert_eq!((cells.values(), scored(cells.clone())), (&[7, 8, 9][..], vec![(0, 7), (2, 9)]));
    }

    #[test]
    fn the_first_largest_counts() {
        assert_eq!(largest(&[1.0f32, 3.0, 2.0, 3.0]), Some(1));
        for zeros in [[-0.0f32, 0.0], [0.0, -0.0], [0.0, 0.0], [-0.0, -0.0]] {
            assert_eq!(largest(&zeros), Some(0), "{zeros:?}");
        }
        assert_eq!(largest(&[f32::NEG_INFINITY, f32::NEG_INFINITY, -1.0]), Some(2));
        for broken in [[f32::NAN, 1.0], [1.0, f32::NAN], [f32::NAN, f32::NAN], [f32::NAN, f32::INFINITY]] {
            assert_eq!(largest(&broken), None, "{broken:?}");
        }
        assert_eq!(largest::<f64>(&[]), None);
    }

    #[test]
    fn answers_are_read_from_logits() {
        let class = |logits: &[f32]| Target::Class(1).is_answered_by(Readout::Class(2), logits);
        assert!(class(&[0.1, 0.2]) && !class(&[0.2, 0.1]) && !class(&[0.0, 0.0]) && !class(&[f32::NAN, 1.0]));
        let verdict = |yes, logit| Target::Verdict(yes).is_answered_by(Readout::Binary, &[logit]);
        assert!(verdict(true, 0.1) && verdict(false, 0.0) && !verdict(true, 0.0) && !verdict(true, f32::NAN));
        assert!(!verdict(false, f32::NAN));
        let cells = Target::Cells { values: vec![0, 1, 1], scored: vec![true, true, false] };
        assert!(cells.is_answered_by(Readout::TokenBinary, &[-1.0, 2.0, -3.0]));
        assert!(!cells.is_answered_by(Readout::TokenBinary, &[1.0, 2.0, 3.0]));
        assert!(cells.is_answered_by(Readout::TokenClass(2), &[1.0, 0.0, 0.0, 1.0, 1.0, 0.0]));
        assert!(!cells.is_answered_by(Readout::TokenClass(2), &[1.0, 0.0, 1.0, 0.0, 0.0, 1.0]));
    }
}
