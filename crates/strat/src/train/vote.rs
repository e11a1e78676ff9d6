//! What most of some learners answer.

use crate::model::Readout;
use crate::task::{Example, class};

/// What one learner answers to some examples, at every place that is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ballot(Vec<Vec<u8>>);

/// Stands for an output that is no number.
const SPOILED: u8 = u8::MAX;

impl Ballot {
    /// Of its outputs; none where an answer is a number, which nobody votes for.
    pub fn of(readout: Readout, outputs: &[Vec<f64>]) -> Option<Ballot> {
        let sign = |x: &f64| if x.is_nan() { SPOILED } else { u8::from(*x > 0.0) };
        let answer = |logits: &Vec<f64>| match readout {
            Readout::Class(_) => Some(vec![class(logits)]),
            Readout::TokenClass(values) => Some(logits.chunks_exact(values).map(class).collect()),
            Readout::Binary | Readout::TokenBinary => Some(logits.iter().map(sign).collect()),
            Readout::Number => None,
        };
        outputs.iter().map(answer).collect::<Option<_>>().map(Ballot)
    }

    /// How often the vote is right, weighted as the examples are. At every place the answer counts that more learners give
    /// than any other; an example is right if all of its places are, so that a tie is wrong.
    pub fn score(ballots: &[Ballot], examples: &[Example]) -> f64 {
        Example::mean_score(examples, |i, example| {
            let is_right = |(place, right): (usize, u8)| {
                let mut counts = [0usize; 256];
                ballots.iter().for_each(|ballot| counts[usize::from(ballot.0[i][place])] += 1);
                counts[usize::from(SPOILED)] = 0;
                let others = counts.iter().enumerate().filter(|(answer, _)| *answer != usize::from(right));
                others.map(|(_, &count)| count).max().unwrap_or(0) < counts[usize::from(right)]
            };
            f64::from(u8::from(example.target.scored().all(is_right)))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::task::Target;

    fn vote(readout: Readout, learners: &[&[f64]], target: Target) -> f64 {
        let ballots: Vec<Ballot> =
            learners.iter().map(|logits| Ballot::of(readout, &[logits.to_vec()]).unwrap()).collect();
        Ballot::score(&ballots, &[Example::new(vec![0], target)])
    }

    #[test]
    fn the_most_frequent_answer_counts_and_a_tie_is_wrong() {
        let class = |learners: &[&[f64]]| vote(Readout::Class(3), learners, Target::Class(1));
        let [no, yes, other, broken] =
            [&[1.0, 0.0, 0.0], &[0.0, 1.0, 0.0], &[0.0, 0.0, 1.0], &[f64::NAN, 0.0, 0.0]];
        assert_eq!(class(&[no, yes, yes]), 1.0);
        assert_eq!(class(&[no, yes]), 0.0);
        assert_eq!(class(&[no, other, yes, yes]), 1.0);
        assert_eq!(class(&[broken, broken, yes]), 1.0);
        assert_eq!(class(&[broken]), 0.0);
    }

    /// No learner is right at both places, and the vote is.
    #[test]
    fn places_are_voted_for_one_by_one_and_given_ones_are_not_asked() {
        let target = |scored: [bool; 3]| Target::Cells { values: vec![1, 0, 1], scored: scored.to_vec() };
        let learners: [&[f64]; 3] = [&[1.0, 1.0, -1.0], &[-1.0, -1.0, -1.0], &[1.0, -1.0, -1.0]];
        assert_eq!(vote(Readout::TokenBinary, &learners[..], target([true, true, false])), 1.0);
        assert_eq!(vote(Readout::TokenBinary, &learners[..], target([true, true, true])), 0.0);
        assert_eq!(vote(Readout::TokenBinary, &learners[..2], target([true, true, false])), 0.0);
    }

    #[test]
    fn examples_weigh_what_they_weigh_and_nobody_votes_for_numbers() {
        let examples = [Target::Class(0), Target::Class(1)].map(|target| Example::new(vec![0], target));
        let [first, second] = examples;
        let ballot = Ballot::of(Readout::Class(2), &[vec![1.0, 0.0], vec![1.0, 0.0]]).unwrap();
        assert_eq!(Ballot::score(&[ballot], &[first, Example { weight: 3.0, ..second }]), 0.25);
        assert_eq!(Ballot::of(Readout::Number, &[vec![1.0]]), None);
    }
}
