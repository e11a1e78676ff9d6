//! Forests of random trees.

use crate::classifier::{Classifier, Random};
use crate::frame::{Frame, Kind};
use rayon::prelude::*;

/// Questions on the longest way to a leaf.
const DEEPEST: usize = 40;

/// A question of a tree, or a leaf. What follows from yes stands behind it.
#[derive(Clone, Copy, Debug)]
struct Step {
    at: f64,
    asks: Asks,
    /// Where what follows from no begins; of a leaf, where its shares do.
    next: u32,
}

/// Whether a column is this value, or at least this large.
#[derive(Clone, Copy, Debug)]
enum Asks {
    Is(u16),
    AtLeast(u16),
    Nothing,
}

/// One after the other in memory: a forest is asked about many rows.
#[derive(Clone, Debug, Default)]
struct Tree {
    steps: Vec<Step>,
    shares: Vec<f32>,
}

/// Trees that each saw other rows or other thresholds.
#[derive(Clone, Debug)]
pub struct Forest {
    trees: Vec<Tree>,
    classes: usize,
}

impl Forest {
    /// Extremely randomized trees: all rows, and one random threshold of each column that is tried.
    pub fn extra(frame: &Frame, trees: u32, random: Random<'_>) -> Forest {
        Forest::grow(frame, trees, true, random)
    }

    /// A random forest: rows drawn with replacement, and the best threshold of each column that is tried.
    pub fn bootstrap(frame: &Frame, trees: u32, random: Random<'_>) -> Forest {
        Forest::grow(frame, trees, false, random)
    }

    fn grow(frame: &Frame, trees: u32, extra: bool, random: Random<'_>) -> Forest {
        let n = frame.rows.len();
        let tree = |tree: u32| {
            let mut words = random(tree);
            let mut below = |n: usize| ((u64::from(words()) * n as u64) >> 32) as usize;
            let rows = if extra { (0..n).collect() } else { (0..n).map(|_| below(n)).collect() };
            let mut tree = Tree::default();
            tree.grow(frame, rows, extra, &mut below, 0);
            tree
        };
        Forest { trees: (0..trees).into_par_iter().map(tree).collect(), classes: frame.classes }
    }
}

impl Classifier for Forest {
    fn probabilities(&self, row: &[f64]) -> Vec<f64> {
        let mut sum = vec![0.0; self.classes];
        for tree in &self.trees {
            sum.iter_mut().zip(tree.shares_of(row)).for_each(|(sum, share)| *sum += f64::from(*share));
        }
        sum.into_iter().map(|sum| sum / self.trees.len() as f64).collect()
    }
}

fn holds(x: f64, at: f64, is: bool) -> bool {
    if is { x == at } else { x >= at }
}

/// How often two draws from these differ, times their number.
fn impurity(counts: &[f64]) -> f64 {
    let n: f64 = counts.iter().sum();
    if n == 0.0 { 0.0 } else { n - counts.iter().map(|c| c * c).sum::<f64>() / n }
}

impl Tree {
    /// The shares of the leaf that a row reaches, and what stands behind them.
    fn shares_of(&self, row: &[f64]) -> &[f32] {
        let mut at = 0;
        loop {
            let step = self.steps[at];
            let yes = match step.asks {
                Asks::Nothing => return &self.shares[step.next as usize..],
                Asks::Is(column) => row[usize::from(column)] == step.at,
                Asks::AtLeast(column) => row[usize::from(column)] >= step.at,
            };
            at = if yes { at + 1 } else { step.next as usize };
        }
    }

    fn grow(
        &mut self,
        frame: &Frame,
        rows: Vec<usize>,
        extra: bool,
        below: &mut dyn FnMut(usize) -> usize,
        depth: usize,
    ) {
        let mut counts = vec![0.0; frame.classes];
        rows.iter().for_each(|&i| counts[frame.labels[i]] += 1.0);
        let is_leaf = depth == DEEPEST || counts.iter().filter(|c| **c > 0.0).count() < 2;
        let Some((column, at, is)) = (if is_leaf { None } else { split(frame, &rows, &counts, extra, below) })
        else {
            self.steps.push(Step { at: 0.0, asks: Asks::Nothing, next: self.shares.len() as u32 });
            self.shares.extend(counts.iter().map(|c| (c / rows.len() as f64) as f32));
            return;
        };
        let (yes, no): (Vec<usize>, Vec<usize>) = rows.iter().partition(|&&i| holds(frame.rows[i][column], at, is));
        drop(rows);
        let place = self.steps.len();
        let asks = if is { Asks::Is(column as u16) } else { Asks::AtLeast(column as u16) };
        self.steps.push(Step { at, asks, next: 0 });
        self.grow(frame, yes, extra, below, depth + 1);
        self.steps[place].next = self.steps.len() as u32;
        self.grow(frame, no, extra, below, depth + 1);
    }
}

/// The best question of those that are tried: a column, and what it is compared with.
fn split(
    frame: &Frame,
    rows: &[usize],
    counts: &[f64],
    extra: bool,
    below: &mut dyn FnMut(usize) -> usize,
) -> Option<(usize, f64, bool)> {
    let mut columns: Vec<usize> = (0..frame.kinds.len()).collect();
    let wanted = (columns.len() as f64).sqrt().ceil() as usize;
    let (mut best, mut tried): (Option<(f64, usize, f64, bool)>, usize) = (None, 0);
    while !columns.is_empty() && (tried < wanted || best.is_none()) {
        let column = columns.swap_remove(below(columns.len()));
        let found = if extra {
            random_cut(frame, rows, counts, column, below)
        } else {
            best_cut(frame, rows, counts, column)
        };
        if let Some((score, at, is)) = found {
            tried += 1;
            if best.is_none_or(|b| score < b.0) {
                best = Some((score, column, at, is));
            }
        }
    }
    best.map(|(_, column, at, is)| (column, at, is))
}

/// The impurity that a question leaves; none if it does not divide the rows.
fn left(frame: &Frame, rows: &[usize], counts: &[f64], column: usize, (at, is): (f64, bool)) -> Option<f64> {
    let mut yes = vec![0.0; frame.classes];
    for &i in rows.iter().filter(|&&i| holds(frame.rows[i][column], at, is)) {
        yes[frame.labels[i]] += 1.0;
    }
    let n: f64 = yes.iter().sum();
    let no: Vec<f64> = counts.iter().zip(&yes).map(|(all, yes)| all - yes).collect();
    (n > 0.0 && n < rows.len() as f64).then(|| impurity(&yes) + impurity(&no))
}

fn random_cut(
    frame: &Frame,
    rows: &[usize],
    counts: &[f64],
    column: usize,
    below: &mut dyn FnMut(usize) -> usize,
) -> Option<(f64, f64, bool)> {
    let there = || rows.iter().map(|&i| frame.rows[i][column]).filter(|x| !x.is_nan());
    let gaps = there().count() < rows.len();
    let cut = match frame.kinds[column] {
        Kind::Words(_) => {
            let mut values: Vec<f64> = there().collect();
            values.sort_by(f64::total_cmp);
            values.dedup();
            let missing = usize::from(gaps);
            match values.len() + missing {
                0 | 1 => return None,
                n => values.get(below(n)).map_or((f64::NEG_INFINITY, false), |v| (*v, true)),
            }
        }
        Kind::Numbers => {
            let (low, high) = there().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)));
            if gaps && (low >= high || below(4) == 0) {
                (f64::NEG_INFINITY, false)
            } else if low < high {
                let share = (below(1 << 30) as f64 + 0.5) / f64::from(1 << 30);
                (low + (high - low) * share, false)
            } else {
                return None;
            }
        }
    };
    Some((left(frame, rows, counts, column, cut)?, cut.0, cut.1))
}

fn best_cut(frame: &Frame, rows: &[usize], counts: &[f64], column: usize) -> Option<(f64, f64, bool)> {
    let mut values: Vec<(f64, usize)> = rows.iter().map(|&i| (frame.rows[i][column], frame.labels[i])).collect();
    values.sort_by(|a, b| a.0.total_cmp(&b.0));
    let there = values.iter().filter(|v| !v.0.is_nan()).count();
    let mut best: Option<(f64, f64, bool)> = None;
    let mut offer = |score: Option<f64>, at: f64, is: bool| {
        if let Some(score) = score.filter(|score| best.is_none_or(|b| *score < b.0)) {
            best = Some((score, at, is));
        }
    };
    if there < values.len() {
        let cut = (f64::NEG_INFINITY, false);
        offer(left(frame, rows, counts, column, cut), cut.0, cut.1);
    }
    let is = matches!(frame.kinds[column], Kind::Words(_));
    // Numbers from the largest down, so that the missing ones, which stand behind them, are always on the other side.
    let mut yes = vec![0.0; frame.classes];
    for at in (0..there).rev() {
        let (value, class) = values[at];
        yes[class] += 1.0;
        let before = at.checked_sub(1).map(|b| values[b].0);
        if before == Some(value) {
            continue;
        }
        let no: Vec<f64> = counts.iter().zip(&yes).map(|(all, yes)| all - yes).collect();
        if no.iter().any(|n| *n > 0.0) {
            let threshold = before.map_or(f64::NEG_INFINITY, |b| b + (value - b) / 2.0);
            offer(Some(impurity(&yes) + impurity(&no)), if is { value } else { threshold }, is);
        }
        if is {
            yes.fill(0.0);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::random;

    #[test]
    fn both_learn_a_threshold_and_a_word() {
        let kinds = vec![Kind::Numbers, Kind::Words(vec!["a".into(), "b".into(), "c".into()])];
        let rows: Vec<Vec<f64>> = (0..60).map(|i| vec![f64::from(i % 20), f64::from(i % 3)]).collect();
        let rule = |row: &[f64]| usize::from(row[0] >= 10.0) + usize::from(row[1] == 1.0);
        let frame = Frame { kinds, labels: rows.iter().map(|r| rule(r)).collect(), rows, classes: 3 };
        for forest in [Forest::extra(&frame, 60, &random), Forest::bootstrap(&frame, 60, &random)] {
            let right = frame.rows.iter().filter(|row| {
                let p = forest.probabilities(row);
                (0..3).all(|class| p[class] <= p[rule(row)])
            });
            assert!(right.count() >= 58);
            let p = forest.probabilities(&[f64::NAN, f64::NAN]);
            assert!((p.iter().sum::<f64>() - 1.0).abs() < 1e-6);
        }
    }

    /// The sweep over thresholds gives what trying each one gives.
    #[test]
    fn the_best_cut_is_the_best_of_all() {
        for kind in [Kind::Numbers, Kind::Words((0..9).map(|w| w.to_string()).collect())] {
            let rows: Vec<Vec<f64>> =
                (0..40).map(|i| vec![if i % 11 == 0 { f64::NAN } else { f64::from(i * 7 % 9) }]).collect();
            let labels = (0..40).map(|i| (i * i / 3) % 3).collect();
            let frame = Frame { kinds: vec![kind.clone()], rows, labels, classes: 3 };
            let all: Vec<usize> = (0..40).collect();
            let mut counts = vec![0.0; 3];
            frame.labels.iter().for_each(|&l| counts[l] += 1.0);
            let cuts = (0..9)
                .map(|v| if kind == Kind::Numbers { (f64::from(v) - 0.5, false) } else { (f64::from(v), true) });
            let cuts = cuts.chain([(f64::NEG_INFINITY, false)]);
            let tried = cuts.filter_map(|cut| left(&frame, &all, &counts, 0, cut)).fold(f64::INFINITY, f64::min);
            assert!((best_cut(&frame, &all, &counts, 0).unwrap().0 - tried).abs() < 1e-9);
        }
    }
}
