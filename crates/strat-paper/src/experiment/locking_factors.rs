//! Why some learners lock: which properties of their ten sums go with it.

use nalgebra::{DMatrix, SVD};
use std::fmt::Write;
use strat::crystal::{Equation, Reading};
use strat::metric::Metric;
use strat::result::LearnerRow;
use strat::rng::{RandomStream, Stream};
use strat::task::{Examples, Sum, SumTask, Sums};

/// Below this OOD error a learner has found the logic.
const LOGIC: f64 = 100.0;

/// Something about a learner's examples.
struct Property {
    name: &'static str,
    of: fn(&[Sum], &[Equation]) -> f64,
}

const PROPERTIES: &[Property] = &[
    Property { name: "size of the answers (root mean square)", of: |_, e| size(e) },
    Property { name: "sums without a minus", of: |s, _| count(s, |s| !s.minus.contains(&true)) },
    Property { name: "sums without a plus", of: |s, _| count(s, |s| !s.minus[1..].contains(&false)) },
    Property { name: "sums with a minus before the last term", of: |s, _| count(s, minus_inside) },
    Property { name: "sums that end in a minus", of: |s, _| count(s, |s| s.minus.ends_with(&[true])) },
    Property { name: "minus signs, as a share of the operators", of: |s, _| share_of_minus(s) },
    Property { name: "numbers in all", of: |s, _| s.iter().map(|s| s.values.len() as f64).sum() },
    Property { name: "correlation of what is added and what is subtracted", of: |_, e| correlation(e) },
    Property { name: "collinearity (largest by smallest singular value)", of: |_, e| condition(e) },
];

fn count(sums: &[Sum], such: fn(&Sum) -> bool) -> f64 {
    sums.iter().filter(|s| such(s)).count() as f64
}

fn minus_inside(sum: &Sum) -> bool {
    sum.minus[..sum.minus.len() - 1].contains(&true)
}

fn share_of_minus(sums: &[Sum]) -> f64 {
    let operators = || sums.iter().flat_map(|s| &s.minus[1..]);
    operators().filter(|m| **m).count() as f64 / operators().count() as f64
}

fn size(equations: &[Equation]) -> f64 {
    let squares: f64 = equations.iter().map(|e| (e.answer as f64).powi(2)).sum();
    (squares / equations.len() as f64).sqrt()
}

fn correlation(equations: &[Equation]) -> f64 {
    let column = |k: usize| equations.iter().map(|e| e.totals[k] as f64).collect::<Vec<f64>>();
    correlate(&column(1), &column(2))
}

/// Pearson's; 0 where one of them is constant.
fn correlate(a: &[f64], b: &[f64]) -> f64 {
    let centred = |x: &[f64]| {
        let mean = x.iter().sum::<f64>() / x.len() as f64;
        x.iter().map(|x| x - mean).collect::<Vec<f64>>()
    };
    let (a, b) = (centred(a), centred(b));
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let scale = (dot(&a, &a) * dot(&b, &b)).sqrt();
    if scale > 0.0 { dot(&a, &b) / scale } else { 0.0 }
}

/// The largest by the smallest singular value of what an example has in each context.
pub(super) fn condition(equations: &[Equation]) -> f64 {
    let contexts = equations[0].totals.len();
    let totals = equations.iter().flat_map(|e| e.totals.iter().map(|&t| t as f64));
    let values =
        SVD::new(DMatrix::from_row_iterator(equations.len(), contexts, totals), false, false).singular_values;
    values.max() / values.min().max(f64::MIN_POSITIVE)
}

/// The sums that a learner of §6 was taught with.
fn sums(task: &SumTask, seed: u64) -> Option<Vec<Sum>> {
    match task.examples {
        Examples::Fixed { count, from: Sums::Signed(sums) } => {
            Some(sums.draw_many(count, RandomStream::new(seed, Stream::Train, 0)))
        }
        _ => None,
    }
}

/// What goes with locking, in the rows of STRAT-Lite learners that drew sums of their own, all of the same seeds.
pub(super) fn notes(rows: &[&LearnerRow]) -> Option<String> {
    let first = rows.first()?;
    let seeds: Vec<u64> = first.learners.iter().map(|l| l.seed).collect();
    let task = first.sums()?;
    let locks: Vec<Vec<bool>> =
        rows.iter().map(|row| row.scores(Metric::OOD_MAE).iter().map(|e| *e < LOGIC).collect()).collect();
    if seeds.len() < 8 || locks.iter().any(|l| l.len() != seeds.len()) {
        return None;
    }
    let examples: Option<Vec<_>> = seeds
        .iter()
        .map(|&seed| Some((sums(&task, seed)?, Equation::of_training(Reading::Sums, &task, seed))))
        .collect();
    let examples = examples?;
    // Of the forms that were taught with a seed's sums, how many lock.
    let locked: Vec<f64> = (0..seeds.len()).map(|i| locks.iter().filter(|l| l[i]).count() as f64).collect();
    let share = |of: &[usize]| of.iter().map(|&i| locked[i]).sum::<f64>() / (of.len() * locks.len()) as f64;

    let total = rows.len() * seeds.len();
    let mut out = format!("Why some of the {total} STRAT-Lite learners find the logic:\n");
    if let Some((yes, no)) = together(&locks) {
        let _ = writeln!(
            out,
            "  The sums have a say: if one form locks on them, another, which starts elsewhere, locks in {:.0} %; if not, in {:.0} %.",
            100.0 * yes,
            100.0 * no
        );
    }
    let has_minus = examples.iter().filter(|(s, _)| s.iter().any(|s| s.minus.contains(&true))).count();
    let _ = writeln!(out, "  In {has_minus} of {} sets of ten sums a minus occurs.", seeds.len());
    let _ = writeln!(out, "  Share that locks, of the quarter of learners with the least and with the most of it:");
    let mut lines: Vec<(f64, String)> = vec![];
    for property in PROPERTIES {
        let values: Vec<f64> = examples.iter().map(|(s, e)| (property.of)(s, e)).collect();
        let mut order: Vec<usize> = (0..seeds.len()).collect();
        order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
        let quarter = seeds.len() / 4;
        let (least, most) = (share(&order[..quarter]), share(&order[seeds.len() - quarter..]));
        let together = correlate(&values, &locked);
        let line =
            format!("  {:5.1} %  {:5.1} %  {together:+.2}  {}\n", 100.0 * least, 100.0 * most, property.name);
        lines.push((together.abs(), line));
    }
    lines.sort_by(|a, b| b.0.total_cmp(&a.0));
    lines.iter().for_each(|(_, line)| out.push_str(line));
    out += "  (least, most, correlation with how many of the forms lock)\n";
    Some(out)
}

/// How often a form locks where another one with the same examples does, and where it does not.
fn together(locks: &[Vec<bool>]) -> Option<(f64, f64)> {
    let mut tally = [[0usize; 2]; 2];
    for (i, a) in locks.iter().enumerate() {
        for b in locks.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, b)| b) {
            a.iter().zip(b).for_each(|(&a, &b)| tally[usize::from(a)][usize::from(b)] += 1);
        }
    }
    let share = |[no, yes]: [usize; 2]| (no + yes > 0).then(|| yes as f64 / (no + yes) as f64);
    Some((share(tally[1])?, share(tally[0])?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;
    use strat::model::Lite;
    use strat::result::{LearnerResult, Row, TaskRecord, TaskSetup};
    use strat::train::TrainConfig;

    /// Learners that lock exactly if their answers are small: the property is found, and comes first.
    #[test]
    fn what_decides_comes_first() {
        let task = SumTask::LOCKING;
        let equations = |seed| Equation::of_training(Reading::Sums, &task, seed);
        let record = |seed: u64| {
            let error = if size(&equations(seed)) < 100.0 { 50.0 } else { 500.0 };
            let metrics = BTreeMap::from([("ood_mae".to_string(), error)]);
            LearnerResult { seed, metrics, losses: vec![], weights: Default::default() }
        };
        let setup = TaskSetup { task: TaskRecord::of(&task), train: TrainConfig::DEFAULT };
        let row = Row { name: "one".into(), model: Lite::STANDARD.into(), setup: Some(setup) };
        let row = LearnerRow { row, learners: (1..=200).map(record).collect() };
        let text = notes(&[&row, &row]).unwrap();
        assert!(text.contains("locks in 100 %; if not, in 0 %"), "{text}");
        let first = text.lines().find(|l| l.contains(" %  ")).unwrap();
        assert!(first.contains("size of the answers") && first.contains("100.0 %    0.0 %"), "{text}");
        let drawn = sums(&task, 7).unwrap();
        assert!(drawn.iter().zip(equations(7)).all(|(s, e)| s.answer() == e.answer));
    }

    #[test]
    fn collinear_sums_have_a_large_condition() {
        let equation = |totals: [i64; 3]| Equation { totals: totals.to_vec(), answer: 0 };
        assert!((condition(&[equation([2, 0, 0]), equation([0, 1, 0]), equation([0, 0, 1])]) - 2.0).abs() < 1e-12);
        assert!(condition(&[equation([1, 1, 1]), equation([2, 2, 2]), equation([0, 1, 0])]) > 1e9);
    }
}
