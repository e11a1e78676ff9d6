//! Gradient boosting: small trees, each for what those before it have left.

use crate::classifier::{Classifier, softmax};
use crate::frame::Frame;
use crate::question::{Question, of_column};
use std::collections::BTreeMap;

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

/// A column of rows that are learned from: rows that answer all of its questions alike have the same code.
struct Coded {
    codes: Vec<u16>,
    count: usize,
    /// Its questions by number, each with the codes that answer yes.
    questions: Vec<(usize, Vec<u16>)>,
}

impl Coded {
    fn of(frame: &Frame, questions: &[Question], first: usize) -> Coded {
        let mut known = BTreeMap::<Vec<bool>, u16>::new();
        let code = |row: &Vec<f64>| {
            let answers: Vec<bool> = questions.iter().map(|question| question.ask(row)).collect();
            let next = known.len() as u16;
            *known.entry(answers).or_insert(next)
        };
        let codes = frame.rows.iter().map(code).collect();
        let yes = |q: usize| known.iter().filter(|(answers, _)| answers[q]).map(|(_, code)| *code).collect();
        let questions = (0..questions.len()).map(|q| (first + q, yes(q))).collect();
        Coded { codes, count: known.len(), questions }
    }
}

impl Boosting {
    /// Learns from rows.
    pub fn fit(frame: &Frame) -> Boosting {
        let some: Vec<usize> = (0..frame.rows.len()).step_by(frame.rows.len().div_ceil(MOST).max(1)).collect();
        let frame = &frame.select(&some);
        let n = frame.rows.len();
        let (mut questions, mut columns) = (vec![], vec![]);
        for column in 0..frame.kinds.len() {
            let distinct = frame.distinct(column);
            let own = of_column(frame, column, &distinct, frame.has_few(column, &distinct), THRESHOLDS);
            columns.push(Coded::of(frame, &own, questions.len()));
            questions.extend(own);
        }
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
                grow((&columns, &questions), frame, &slopes, (0..n).collect(), DEPTH)
            };
            let round: Vec<Node> = (0..frame.classes).map(of_class).collect();
            for (row, scores) in frame.rows.iter().zip(&mut scores) {
                for (score, tree) in scores.iter_mut().zip(&round) {
                    *score += RATE * tree.value(&questions, row);
                }
            }
            trees.push(round);
        }
        Boosting { questions, start, trees }
    }
}

impl Node {
    fn value(&self, questions: &[Question], row: &[f64]) -> f64 {
        match self {
            Node::Leaf(value) => *value,
            Node::Ask(question, behind) => behind[usize::from(questions[*question].ask(row))].value(questions, row),
        }
    }
}

/// What a leaf gains, and its answer.
fn leaf([slope, curve]: [f64; 2]) -> [f64; 2] {
    [slope * slope / (curve + PENALTY), slope / (curve + PENALTY)]
}

fn plus(a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
    [a[0] + b[0], a[1] + b[1]]
}

fn grow(
    (columns, questions): (&[Coded], &[Question]),
    frame: &Frame,
    slopes: &[[f64; 2]],
    rows: Vec<usize>,
    depth: usize,
) -> Node {
    let all = rows.iter().fold([0.0; 2], |sum, &i| plus(sum, slopes[i]));
    let [alone, answer] = leaf(all);
    if depth == 0 || all[1] < 2.0 * LEAST {
        return Node::Leaf(answer);
    }
    let mut best = (1e-9, None);
    for column in columns {
        // Sums of each code once, instead of sums of rows for each question.
        let mut by_code = vec![[0.0; 2]; column.count];
        for &i in &rows {
            let sum = &mut by_code[usize::from(column.codes[i])];
            *sum = plus(*sum, slopes[i]);
        }
        for (question, codes) in &column.questions {
            let yes = codes.iter().fold([0.0; 2], |sum, code| plus(sum, by_code[usize::from(*code)]));
            let no = [all[0] - yes[0], all[1] - yes[1]];
            if yes[1] < LEAST || no[1] < LEAST {
                continue;
            }
            let gain = leaf(yes)[0] + leaf(no)[0] - alone;
            if gain > best.0 {
                best = (gain, Some(*question));
            }
        }
    }
    let Some(question) = best.1 else { return Node::Leaf(answer) };
    let (yes, no): (Vec<usize>, Vec<usize>) =
        rows.into_iter().partition(|&i| questions[question].ask(&frame.rows[i]));
    Node::Ask(question, Box::new([no, yes].map(|rows| grow((columns, questions), frame, slopes, rows, depth - 1))))
}

impl Classifier for Boosting {
    fn probabilities(&self, row: &[f64]) -> Vec<f64> {
        let mut p = self.start.clone();
        for round in &self.trees {
            for (p, tree) in p.iter_mut().zip(round) {
                *p += RATE * tree.value(&self.questions, row);
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

    /// Sums by code are those of the rows, question by question.
    #[test]
    fn codes_answer_as_their_rows() {
        let rows: Vec<Vec<f64>> =
            (0..70).map(|i| vec![if i % 9 == 0 { f64::NAN } else { f64::from(i * 37 % 61) }]).collect();
        let frame = Frame { kinds: vec![Kind::Numbers], labels: vec![0; 70], rows, classes: 2 };
        let questions = of_column(&frame, 0, &frame.distinct(0), false, THRESHOLDS);
        let coded = Coded::of(&frame, &questions, 5);
        assert_eq!((coded.questions.len(), coded.questions[0].0), (33, 5));
        for ((_, yes), question) in coded.questions.iter().zip(&questions) {
            for (row, code) in frame.rows.iter().zip(&coded.codes) {
                assert_eq!(yes.contains(code), question.ask(row), "{question:?} of {row:?}");
            }
        }
    }
}
