//! Gradient boosting: small trees, each for what those before it have left.

use crate::classifier::{Classifier, softmax};
use crate::frame::Frame;
use crate::question::{Question, of_column};

/// Trees for each class.
const ROUNDS: usize = 80;
/// How much of a tree's answer counts.
const RATE: f64 = 0.15;
/// Questions on the way to a leaf.
const DEPTH: usize = 3;
/// The least sum of second derivatives in a leaf, and what is added to it.
const LEAST: f64 = 0.5;
const PENALTY: f64 = 1.0;
/// Thresholds of a column of numbers.
const THRESHOLDS: usize = 32;
/// Rows that are learned from; of more rows, evenly spaced ones.
const MOST: usize = 20_000;

#[derive(Clone, Debug)]
enum Node {
    Leaf(f64),
    Ask(usize, Box<[Node; 2]>),
}

/// Sums of small trees' answers.
#[derive(Clone, Debug)]
pub struct Boosting {
    questions: Vec<Question>,
    start: Vec<f64>,
    /// A tree for each class, round by round.
    trees: Vec<Vec<Node>>,
}

impl Boosting {
    /// Learns from rows.
    pub fn fit(frame: &Frame) -> Boosting {
        let some: Vec<usize> = (0..frame.rows.len()).step_by(frame.rows.len().div_ceil(MOST).max(1)).collect();
        let frame = &frame.select(&some);
        let n = frame.rows.len();
        let questions: Vec<Question> = (0..frame.kinds.len())
            .flat_map(|column| {
                let distinct = frame.distinct(column);
                of_column(frame, column, &distinct, frame.has_few(column, &distinct), THRESHOLDS)
            })
            .collect();
        let answers: Vec<Vec<bool>> =
            questions.iter().map(|question| frame.rows.iter().map(|row| question.ask(row)).collect()).collect();
        let start: Vec<f64> = frame.shares().into_iter().map(libm::log).collect();
        let mut scores: Vec<Vec<f64>> = vec![start.clone(); n];
        let mut trees = vec![];
        for _ in 0..ROUNDS {
            let said: Vec<Vec<f64>> = scores
                .iter()
                .map(|scores| {
                    let mut p = scores.clone();
                    softmax(&mut p);
                    p
                })
                .collect();
            let of_class = |class: usize| {
                let slopes: Vec<[f64; 2]> = (0..n)
                    .map(|i| {
                        let p = said[i][class];
                        [f64::from(u8::from(frame.labels[i] == class)) - p, p * (1.0 - p)]
                    })
                    .collect();
                grow(&answers, &slopes, (0..n).collect(), DEPTH)
            };
            let round: Vec<Node> = (0..frame.classes).map(of_class).collect();
            for (i, scores) in scores.iter_mut().enumerate() {
                for (score, tree) in scores.iter_mut().zip(&round) {
                    *score += RATE * tree.value(&|question| answers[question][i]);
                }
            }
            trees.push(round);
        }
        Boosting { questions, start, trees }
    }
}

impl Node {
    fn value(&self, ask: &dyn Fn(usize) -> bool) -> f64 {
        match self {
            Node::Leaf(value) => *value,
            Node::Ask(question, behind) => behind[usize::from(ask(*question))].value(ask),
        }
    }
}

/// What a leaf gains, and its answer.
fn leaf([slope, curve]: [f64; 2]) -> [f64; 2] {
    [slope * slope / (curve + PENALTY), slope / (curve + PENALTY)]
}

fn grow(answers: &[Vec<bool>], slopes: &[[f64; 2]], rows: Vec<usize>, depth: usize) -> Node {
    let sum = |rows: &mut dyn Iterator<Item = usize>| {
        rows.fold([0.0; 2], |[a, b], i| [a + slopes[i][0], b + slopes[i][1]])
    };
    let all = sum(&mut rows.iter().copied());
    let [alone, answer] = leaf(all);
    if depth == 0 || all[1] < 2.0 * LEAST {
        return Node::Leaf(answer);
    }
    let mut best = (1e-9, None);
    for (question, answers) in answers.iter().enumerate() {
        let yes = sum(&mut rows.iter().copied().filter(|&i| answers[i]));
        let no = [all[0] - yes[0], all[1] - yes[1]];
        if yes[1] < LEAST || no[1] < LEAST {
            continue;
        }
        let gain = leaf(yes)[0] + leaf(no)[0] - alone;
        if gain > best.0 {
            best = (gain, Some(question));
        }
    }
    let Some(question) = best.1 else { return Node::Leaf(answer) };
    let (yes, no): (Vec<usize>, Vec<usize>) = rows.into_iter().partition(|&i| answers[question][i]);
    Node::Ask(question, Box::new([no, yes].map(|rows| grow(answers, slopes, rows, depth - 1))))
}

impl Classifier for Boosting {
    fn probabilities(&self, row: &[f64]) -> Vec<f64> {
        let answers: Vec<bool> = self.questions.iter().map(|question| question.ask(row)).collect();
        let mut p = self.start.clone();
        for round in &self.trees {
            for (p, tree) in p.iter_mut().zip(round) {
                *p += RATE * tree.value(&|question| answers[question]);
            }
        }
        softmax(&mut p);
        p
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::Kind;

    /// Numbers between two bounds; and the control, that a column without anything to tell is not asked about.
    #[test]
    fn an_interval_is_learned_by_its_own_column() {
        let row = |i: usize| vec![(i * 37 % 100) as f64, (i * 61 % 89) as f64];
        let label = |row: &[f64]| usize::from(row[0] > 30.0 && row[0] < 60.0);
        let rows: Vec<Vec<f64>> = (0..80).map(row).collect();
        let labels = rows.iter().map(|row| label(row)).collect();
        let learned = Boosting::fit(&Frame { kinds: vec![Kind::Numbers; 2], rows, labels, classes: 2 });
        let right = (80..180).filter(|&i| learned.probabilities(&row(i))[label(&row(i))] > 0.5).count();
        assert!(right > 92, "{right}");
        let [low, high] = [5.0, 85.0].map(|other| learned.probabilities(&[45.0, other])[1]);
        assert!(low > 0.8 && high > 0.8, "{low} {high}");
    }
}
