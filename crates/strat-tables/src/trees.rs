//! The Bayesian mean over small decision trees.
//!
//! Every tree whose nodes ask [questions](crate::Question) counts, by how well it explains the rows and by how simple it is:
//! a node stops with probability ½, or asks one of the questions, each with its prior. A leaf's answers are Dirichlet
//! distributed around the classes' shares. Subtrees are independent given the rows that reach them, so
//! that evidence and mean are recursions over sets of rows and no tree is ever drawn.
//!
//! All pairs of questions are tried at the root, so that two columns that tell something only together are found; deeper,
//! the questions that tell most alone.

use crate::classifier::{Classifier, entropy};
use crate::frame::Frame;
use crate::question::{Question, questions};

/// Probability that a node asks nothing.
const STOP: f64 = 0.5;
/// Questions on the longest way to a leaf.
const DEPTH: usize = 3;
/// First questions that are followed to the full depth, and second ones that are followed at all.
const FOLLOWED: [usize; 2] = [12, 40];
/// With more questions than these, pairs are not all tried.
const MOST_PAIRED: usize = 1000;
/// How much is asked and kept.
pub(crate) struct Limits {
    /// Thresholds of a column of numbers.
    pub thresholds: usize,
    /// Questions of the root, and of a node below it, that are kept for the mean, if these do not reach [`COVERED`] of it.
    pub kept: [usize; 3],
}

/// Those of the mean.
const USUAL: Limits = Limits { thresholds: 12, kept: [30, 11, 4] };
/// The share of the posterior that is enough.
const COVERED: f64 = 0.995;

/// What rows that reach a node say: an answer at once, or one that depends on questions, each with its posterior
/// probability.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// The probability that nothing is asked.
    pub stops: f64,
    /// The probability of each class then.
    pub answer: Vec<f64>,
    /// Questions by number, with their probabilities, and what follows from yes and from no.
    pub asks: Vec<(usize, f64, Node, Node)>,
}

/// A mean over trees.
#[derive(Clone, Debug)]
pub struct Trees {
    /// What can be asked.
    pub questions: Vec<Question>,
    /// The first node.
    pub root: Node,
}

impl Trees {
    /// Learns from rows. With a small `spread`, leaves are expected to have one class; with a larger one, to be mixed.
    pub fn fit(frame: &Frame, spread: f64) -> Trees {
        Trees::within(frame, spread, &USUAL).0.of_asked()
    }

    /// The log evidence of rows: how likely the mean over trees makes their classes. Unlike what is said of rows left out, it
    /// is seldom large by luck: if the classes are drawn by chance, it is K times as likely as chance with a probability
    /// of at most one in K.
    pub fn evidence(frame: &Frame, spread: f64) -> f64 {
        let (questions, priors): (Vec<Question>, Vec<f64>) = questions(frame, USUAL.thresholds).into_iter().unzip();
        let search = Search::new(frame, &questions, &priors, spread);
        search.node(&search.everything, DEPTH, 0, &[0; 3]).1
    }

    /// Without the questions that no tree asks: each costs time for every row.
    fn of_asked(mut self) -> Trees {
        let mut numbers = vec![None; self.questions.len()];
        self.root.renumber(&mut numbers, &mut 0);
        let mut kept: Vec<(usize, Question)> = numbers
            .iter()
            .zip(self.questions)
            .filter_map(|(number, question)| Some(((*number)?, question)))
            .collect();
        kept.sort_by_key(|(number, _)| *number);
        self.questions = kept.into_iter().map(|(_, question)| question).collect();
        self
    }

    /// The same within other limits, and the log evidence of the rows.
    pub(crate) fn within(frame: &Frame, spread: f64, limits: &Limits) -> (Trees, f64) {
        let (questions, priors): (Vec<Question>, Vec<f64>) =
            questions(frame, limits.thresholds).into_iter().unzip();
        let search = Search::new(frame, &questions, &priors, spread);
        let (root, evidence) = search.node(&search.everything, DEPTH, 0, &limits.kept);
        (Trees { root, questions }, evidence)
    }
}

impl Classifier for Trees {
    fn probabilities(&self, row: &[f64]) -> Vec<f64> {
        let answers: Vec<bool> = self.questions.iter().map(|question| question.ask(row)).collect();
        let mut out = vec![0.0; self.root.answer.len()];
        self.root.add(&answers, 1.0, &mut out);
        out
    }

    fn doubt_of_parts(&self, row: &[f64]) -> f64 {
        let answers: Vec<bool> = self.questions.iter().map(|question| question.ask(row)).collect();
        self.root.doubt(&answers)
    }
}

impl Node {
    fn add(&self, answers: &[bool], weight: f64, out: &mut [f64]) {
        out.iter_mut().zip(&self.answer).for_each(|(o, a)| *o += weight * self.stops * a);
        for (question, probability, yes, no) in &self.asks {
            (if answers[*question] { yes } else { no }).add(answers, weight * probability, out);
        }
    }
}

impl Node {
    /// Gives its questions new numbers, in the order in which they are asked first.
    fn renumber(&mut self, numbers: &mut [Option<usize>], next: &mut usize) {
        for (question, _, yes, no) in &mut self.asks {
            *question = *numbers[*question].get_or_insert_with(|| {
                *next += 1;
                *next - 1
            });
            yes.renumber(numbers, next);
            no.renumber(numbers, next);
        }
    }

    /// The mean doubt of all trees.
    fn doubt(&self, answers: &[bool]) -> f64 {
        let asks = self.asks.iter().map(|(question, probability, yes, no)| {
            probability * if answers[*question] { yes } else { no }.doubt(answers)
        });
        self.stops * entropy(&self.answer) + asks.sum::<f64>()
    }
}

/// Sets of rows are bits.
struct Search {
    words: usize,
    everything: Vec<u64>,
    /// Rows that answer yes, question by question.
    yes: Vec<u64>,
    /// Rows of a class, class by class.
    classes: Vec<u64>,
    /// ln Γ(k + a) − ln Γ(a) for each class's a, and for their sum.
    gamma: Vec<Vec<f64>>,
    log_priors: Vec<f64>,
    shares: Vec<f64>,
    spread: f64,
}

fn and(a: &[u64], b: &[u64]) -> Vec<u64> {
    a.iter().zip(b).map(|(x, y)| x & y).collect()
}

fn and_not(a: &[u64], b: &[u64]) -> Vec<u64> {
    a.iter().zip(b).map(|(x, y)| x & !y).collect()
}

fn log_sum(terms: &[f64]) -> f64 {
    let most = terms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if most == f64::NEG_INFINITY {
        return most;
    }
    // What is e³⁰ times less likely changes nothing.
    most + libm::log(terms.iter().filter(|t| **t > most - 30.0).map(|t| libm::exp(t - most)).sum())
}

impl Search {
    fn new(frame: &Frame, questions: &[Question], priors: &[f64], spread: f64) -> Search {
        let n = frame.rows.len();
        let words = n.div_ceil(64);
        let set = |holds: &dyn Fn(usize) -> bool| {
            let mut set = vec![0u64; words];
            (0..n).filter(|&i| holds(i)).for_each(|i| set[i / 64] |= 1 << (i % 64));
            set
        };
        let shares = frame.shares();
        let sums = |a: f64| {
            let mut sums = vec![0.0];
            (0..n).for_each(|k| sums.push(sums[k] + libm::log(k as f64 + a)));
            sums
        };
        Search {
            words,
            everything: set(&|_| true),
            yes: questions.iter().flat_map(|question| set(&|i| question.ask(&frame.rows[i]))).collect(),
            classes: (0..frame.classes).flat_map(|class| set(&|i| frame.labels[i] == class)).collect(),
            gamma: shares.iter().map(|share| sums(share * spread)).chain([sums(spread)]).collect(),
            log_priors: priors.iter().map(|prior| libm::log(*prior)).collect(),
            shares,
            spread,
        }
    }

    fn yes(&self, question: usize) -> &[u64] {
        &self.yes[question * self.words..(question + 1) * self.words]
    }

    fn class(&self, class: usize) -> &[u64] {
        &self.classes[class * self.words..(class + 1) * self.words]
    }

    fn counts(&self, set: &[u64]) -> Vec<usize> {
        let count = |class| set.iter().zip(self.class(class)).map(|(x, y)| (x & y).count_ones() as usize).sum();
        (0..self.shares.len()).map(count).collect()
    }

    /// Log evidence of rows whose answers have no more to tell.
    fn leaf(&self, counts: &[usize]) -> f64 {
        let n: usize = counts.iter().sum();
        counts.iter().zip(&self.gamma).map(|(&k, sums)| sums[k]).sum::<f64>() - self.gamma[counts.len()][n]
    }

    /// Log evidence of every question with leaves behind it.
    fn one_question(&self, set: &[u64], counts: &[usize]) -> Vec<f64> {
        let n: usize = counts.iter().sum();
        let classes: Vec<Vec<u64>> = (0..counts.len()).map(|class| and(set, self.class(class))).collect();
        let total = &self.gamma[counts.len()];
        let evidence = |question: usize| {
            let yes = self.yes(question);
            let (mut all, mut sum) = (0, 0.0);
            for (class, (rows, sums)) in classes.iter().zip(&self.gamma).enumerate() {
                let k: usize = rows.iter().zip(yes).map(|(x, y)| (x & y).count_ones() as usize).sum();
                all += k;
                sum += sums[k] + sums[counts[class] - k];
            }
            let divides = all != 0 && all != n;
            if divides { sum - total[all] - total[n - all] + self.log_priors[question] } else { f64::NEG_INFINITY }
        };
        (0..self.log_priors.len()).map(evidence).collect()
    }

    /// Log evidence of every first question, with trees of at most this depth, and how deep it was looked.
    fn first_questions(&self, set: &[u64], counts: &[usize], depth: usize, is_root: bool) -> Vec<(f64, usize)> {
        let mut out: Vec<(f64, usize)> = self.one_question(set, counts).into_iter().map(|z| (z, 1)).collect();
        for depth in 2..=depth {
            let mut order: Vec<usize> = (0..out.len()).filter(|&q| out[q].0.is_finite()).collect();
            if depth > 2 || !is_root || order.len() > MOST_PAIRED {
                order.sort_by(|&a, &b| out[b].0.total_cmp(&out[a].0));
                order.truncate(FOLLOWED[usize::from(depth == 2)]);
            }
            for question in order {
                let (yes, no) = (and(set, self.yes(question)), and_not(set, self.yes(question)));
                let z = self.evidence(&yes, depth - 1) + self.evidence(&no, depth - 1);
                out[question] = (self.log_priors[question] + z, depth);
            }
        }
        out
    }

    /// Log evidence of rows by all trees of at most this depth.
    fn evidence(&self, set: &[u64], depth: usize) -> f64 {
        let counts = self.counts(set);
        let leaf = self.leaf(&counts);
        if depth == 0 || counts.iter().sum::<usize>() < 2 {
            return leaf;
        }
        // Rows of one class gain nothing by a question.
        if counts.iter().filter(|k| **k > 0).count() < 2 {
            return leaf + libm::log(STOP);
        }
        let asks = libm::log(1.0 - STOP);
        let mut terms: Vec<f64> =
            self.first_questions(set, &counts, depth, false).into_iter().map(|(z, _)| z + asks).collect();
        terms.push(leaf + libm::log(STOP));
        log_sum(&terms)
    }

    /// A node with what follows, and the log evidence of the rows that reach it.
    fn node(&self, set: &[u64], depth: usize, level: usize, limits: &[usize; 3]) -> (Node, f64) {
        let counts = self.counts(set);
        let n: usize = counts.iter().sum();
        let share = |(k, share): (&usize, &f64)| (*k as f64 + self.spread * share) / (n as f64 + self.spread);
        let answer: Vec<f64> = counts.iter().zip(&self.shares).map(share).collect();
        if depth == 0 || n < 2 || counts.iter().filter(|k| **k > 0).count() < 2 {
            return (Node { stops: 1.0, answer, asks: vec![] }, self.leaf(&counts));
        }
        let first = self.first_questions(set, &counts, depth, level == 0);
        let asks = libm::log(1.0 - STOP);
        let leaf = self.leaf(&counts) + libm::log(STOP);
        let terms: Vec<f64> = first.iter().map(|(z, _)| z + asks).chain([leaf]).collect();
        let all = log_sum(&terms);
        let mut order: Vec<usize> = (0..first.len()).filter(|&q| first[q].0.is_finite()).collect();
        order.sort_by(|&a, &b| first[b].0.total_cmp(&first[a].0));
        let stops = libm::exp(leaf - all);
        let (mut kept, mut asked) = (stops, vec![]);
        for question in order.into_iter().take(limits[level.min(2)]) {
            let probability = libm::exp(first[question].0 + asks - all);
            let behind = |set: Vec<u64>| self.node(&set, first[question].1 - 1, level + 1, limits).0;
            let (yes, no) = (and(set, self.yes(question)), and_not(set, self.yes(question)));
            asked.push((question, probability, behind(yes), behind(no)));
            kept += probability;
            if kept > COVERED {
                break;
            }
        }
        asked.iter_mut().for_each(|ask| ask.1 /= kept);
        (Node { stops: stops / kept, answer, asks: asked }, all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::Kind;

    fn bits(n: usize, columns: usize, rule: impl Fn(&[f64]) -> usize) -> Frame {
        let rows: Vec<Vec<f64>> =
            (0..n).map(|i| (0..columns).map(|c| ((i * 7919 + 13) >> c & 1) as f64).collect()).collect();
        let labels = rows.iter().map(|row| rule(row)).collect();
        Frame { kinds: vec![Kind::Numbers; columns], rows, labels, classes: 2 }
    }

    fn right(frame: &Frame, rule: impl Fn(&[f64]) -> usize) -> f64 {
        let trees = Trees::fit(frame, 0.1);
        let columns = frame.kinds.len();
        let inputs: Vec<Vec<f64>> =
            (0..1 << columns).map(|i| (0..columns).map(|c| (i >> c & 1) as f64).collect()).collect();
        let good = inputs.iter().filter(|row| {
            let p = trees.probabilities(row);
            assert!((p.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            usize::from(p[1] > 0.5) == rule(row)
        });
        good.count() as f64 / inputs.len() as f64
    }

    #[test]
    fn two_columns_that_decide_only_together_are_found() {
        let rule = |row: &[f64]| (row[1] != row[4]) as usize;
        assert!(right(&bits(24, 7, rule), rule) > 0.99);
    }

    #[test]
    fn a_majority_is_found_from_a_dozen_rows() {
        let rule = |row: &[f64]| usize::from(row.iter().sum::<f64>() >= 4.0);
        assert!(right(&bits(14, 7, rule), rule) > 0.99);
    }

    /// On rows whose classes follow from nothing it says the classes' shares, not what happened to fit.
    #[test]
    fn random_labels_leave_it_in_doubt() {
        let mut frame = bits(24, 7, |_| 0);
        frame.labels.iter_mut().enumerate().for_each(|(i, l)| *l = ((i * 2_654_435_761) >> 7) & 1);
        let trees = Trees::fit(&frame, 0.5);
        let sure = (0..128).map(|i| {
            let row: Vec<f64> = (0..7).map(|c| (i >> c & 1) as f64).collect();
            trees.probabilities(&row).into_iter().fold(0.0, f64::max)
        });
        assert!(sure.sum::<f64>() / 128.0 < 0.75);
    }

    #[test]
    fn questions_that_no_tree_asks_are_forgotten_and_nothing_else_changes() {
        let frame = bits(40, 7, |row| usize::from(row[2] == 1.0 && row[5] == 0.0));
        let (all, _) = Trees::within(&frame, 0.1, &USUAL);
        let few = Trees::fit(&frame, 0.1);
        assert!((1..all.questions.len()).contains(&few.questions.len()));
        for row in &frame.rows {
            assert_eq!(
                (few.probabilities(row), few.doubt_of_parts(row)),
                (all.probabilities(row), all.doubt_of_parts(row))
            );
        }
    }

    #[test]
    fn rows_of_one_class_are_answered_by_it() {
        let trees = Trees::fit(&bits(5, 3, |_| 1), 0.1);
        assert!(trees.probabilities(&[0.0, 1.0, 0.0])[1] > 0.9);
    }
}
