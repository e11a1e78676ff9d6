//! Latent types (§5.4, Tables 3 and 4, Figure 3): nobody says what plus, minus or an item is,
//! and the model finds out.

pub mod figure;
mod geometry;

use super::{Experiment, paper_train, row_of_sums};
use crate::chart::Drawing;
use crate::paper;
use geometry::{centroid, distance, norm};
use std::fmt::Write;
use strat::inspect::{Pca, cosine, gate_ratio, learned_types};
use strat::metric::Metric;
use strat::model::{Lite, ModelRecord, Types};
use strat::result::{Cell, Check, LearnerResult, LearnerRow, Summary};
use strat::rng::{RandomStream, Stream};
use strat::stats::{Statistic, estimate};
use strat::sweep::{Plan, Scores};
use strat::task::{Category, Example, Grocery, SignedSum, SumTask, Sums, Target};
use strat::train::{Learner, Predictor, TrainError};

const NAME: &str = "latent";
/// Learners a row in the paper.
const LEARNERS: u64 = 10;
/// For the list of experiments.
pub(super) const EXPERIMENT: Experiment = Experiment {
    name: NAME,
    about: "Latent types: plus, minus and items find their geometry (§5.4, Tables 3 and 4, Figure 3)",
    learners: LEARNERS,
    plan,
};
/// Rows, and the relative cost of a learner.
const ROWS: [(&str, u64); 2] = [("Arithmetic", 1), ("Grocery list", 2)];
/// Sums or lists each learner is tested on.
const TEST_SUMS: usize = 1000;
/// Dimensions D1–D4.
const WIDTH: usize = 4;
/// A learner with a smaller OOD MAE solves the signed sum.
const SOLVED: f64 = 100.0;
/// Plus and minus are antipodal below this cosine.
const ANTIPODAL: f64 = -0.8;

fn plan() -> Plan {
    let [(arithmetic, one), (grocery, other)] = ROWS;
    let row =
        |name, types, task: SumTask, cost| row_of_sums(name, &model(types), task, paper_train(&task)).costing(cost);
    let rows = vec![
        row(arithmetic, Types::Latent, SumTask::ABLATION, one).scored_by(score_sums),
        row(grocery, Types::Items, SumTask::GROCERY, other).scored_by(score_lists),
    ];
    Plan { name: NAME, rows, summary }
}

fn summary(rows: &[LearnerRow]) -> Summary {
    let [arithmetic, grocery] = ROWS;
    let (sums, lists) = (&rows[0].learners, &rows[1].learners);
    let solving = solving(sums);
    let all: Vec<&LearnerResult> = sums.iter().collect();
    let items: Vec<&LearnerResult> = lists.iter().collect();
    let median = Statistic::Quantile(0.5);
    let mut cells = vec![];
    let mut cell = |row, learners: &[&LearnerResult], scored: &Metric, metric: &Metric, figure, paper| {
        let sample: Vec<f64> = learners.iter().map(|l| l.score(scored)).collect();
        // Where no learner solves the task there is nothing to say about those that do.
        if !sample.is_empty() {
            let estimate = estimate(&sample, &[figure])[0];
            cells.push(Cell::new(NAME, row, metric, estimate, sample.len(), paper));
        }
    };
    let row = arithmetic.0;
    // The paper prints no error of these learners, only that it is that of learners with fixed types.
    cell(row, &all, &Metric::OOD_MAE, &Metric::OOD_MAE_P25, Statistic::Quantile(0.25), None);
    cell(row, &all, &Metric::OOD_MAE, &Metric::OOD_MAE_MEDIAN, median, None);
    cell(row, &all, &Metric::OOD_MAE, &Metric::LOGIC, Statistic::ShareBelow(SOLVED), None);
    cell(row, &solving, &Metric::COSINE_PLUS_MINUS, &Metric::COSINE_PLUS_MINUS, median, None);
    cell(row, &solving, &Metric::COSINE_PLUS_MINUS, &Metric::ANTIPODAL, Statistic::ShareBelow(ANTIPODAL), None);
    cell(row, &solving, &Metric::GATE_RATIO, &Metric::OPPOSED_AT_GATE, Statistic::ShareBelow(0.0), None);
    cell(row, &solving, &Metric::LITERAL_DISTANCE, &Metric::LITERAL_DISTANCE, median, None);
    let row = grocery.0;
    cell(row, &items, &Metric::ID_ACCURACY, &Metric::ID_ACCURACY, median, None);
    cell(row, &items, &Metric::OOD_ACCURACY, &Metric::OOD_ACCURACY, median, Some(paper::GROCERY_ACCURACY));
    cell(row, &items, &Metric::DISTRACTOR_DISTANCE, &Metric::DISTRACTOR_DISTANCE, median, None);
    cell(row, &items, &Metric::DISTRACTOR_RATIO, &Metric::DISTRACTOR_RATIO, median, None);

    let (notes, figures) = match (shown_sum(sums), shown_list(lists)) {
        (Some(sum), Some(list)) if has_weights(sum) && has_weights(list) => {
            let figure = Drawing::beside(&figure::draw(rows)).standalone();
            (format!("{}\n{}", sum_notes(sum), list_notes(list)), vec![("latent-types.svg".to_string(), figure)])
        }
        _ => Default::default(),
    };
    let title = format!(
        "Latent types (§5.4): {} learners a row, 2,000 steps of 64 fresh sums or lists, tested on {TEST_SUMS} of \
         2000..5000;\ncosines and |literal| are of learners that solve the signed sum (OOD MAE < {SOLVED})",
        sums.len()
    );
    let checks = checks(&cells);
    Summary { title, cells, checks, notes, figures }
}

fn model(types: Types) -> ModelRecord {
    ModelRecord::Lite(Lite { width: WIDTH, heads: 1, types })
}

/// The row `Arithmetic`.
fn score_sums(l: &Learner, predictor: &mut Predictor<'_>) -> Result<Scores, TrainError> {
    let error = predictor.error_on(SignedSum::OOD, (l.seed, Stream::TestOod), TEST_SUMS)?;
    let types = learned_types(&l.weights, WIDTH);
    let [literal, plus, minus] = &types[..] else { unreachable!("three kinds of token") };
    Ok(vec![
        (Metric::OOD_MAE, error),
        (Metric::COSINE_PLUS_MINUS, cosine(plus, minus)),
        (Metric::GATE_RATIO, gate_ratio(&l.weights, plus, minus)),
        (Metric::LITERAL_DISTANCE, norm(literal)),
        (Metric::PLUS_DISTANCE, norm(plus)),
        (Metric::MINUS_DISTANCE, norm(minus)),
        (Metric::PC1_VARIANCE, Pca::of(&types).explained[0]),
    ])
}

/// The row `Grocery list`.
fn score_lists(l: &Learner, predictor: &mut Predictor<'_>) -> Result<Scores, TrainError> {
    let mut accuracy = |lists: Grocery, stream| -> Result<f64, TrainError> {
        let examples = Sums::Grocery(lists).draw_many(TEST_SUMS, RandomStream::new(l.seed, stream, 0));
        let outputs = predictor.outputs(&examples)?;
        Ok(Example::mean_score(&examples, |i, example| within_a_hundredth(example, &outputs[i])))
    };
    let id = accuracy(Grocery::TRAINING, Stream::TestId)?;
    let ood = accuracy(Grocery::OOD, Stream::TestOod)?;
    let error = predictor.error_on(Grocery::OOD, (l.seed, Stream::TestOod), TEST_SUMS)?;
    let types = learned_types(&l.weights, WIDTH);
    let [target, a, b] = centroids(&types);
    let apart = distance(&a, &b);
    Ok(vec![
        (Metric::ID_ACCURACY, id),
        (Metric::OOD_ACCURACY, ood),
        (Metric::OOD_MAE, error),
        (Metric::DISTRACTOR_DISTANCE, apart),
        (Metric::DISTRACTOR_RATIO, apart / distance(&target, &a).min(distance(&target, &b))),
        (Metric::PC1_VARIANCE, Pca::of(&types).explained[0]),
    ])
}

/// 1 if an answer is off by less than 1 % of all the values in the list, else 0 (§5.4).
pub fn within_a_hundredth(example: &Example, output: &[f64]) -> f64 {
    let Target::Number(right) = example.target else { unreachable!("lists are answered by numbers") };
    f64::from((output[0] - right).abs() < 0.01 * example.values.iter().sum::<f64>())
}

/// The five items of each category.
fn categories(types: &[Vec<f64>]) -> [&[Vec<f64>]; 3] {
    Category::ALL.map(|category| {
        let first = (1..=Grocery::ITEMS).position(|id| Category::of(id) == category).expect("no category is empty");
        &types[first..first + Grocery::ITEMS / Category::ALL.len()]
    })
}

fn centroids(types: &[Vec<f64>]) -> [Vec<f64>; 3] {
    categories(types).map(centroid)
}

/// Of a run without weights only scores can be told.
fn has_weights(l: &LearnerResult) -> bool {
    !l.weights.is_empty()
}

/// Those that solve the signed sum.
fn solving(sums: &[LearnerResult]) -> Vec<&LearnerResult> {
    sums.iter().filter(|l| l.score(Metric::OOD_MAE) < SOLVED).collect()
}

/// The learner of the signed sum that is told of: in the middle of those that solve it, else the best.
fn shown_sum(sums: &[LearnerResult]) -> Option<&LearnerResult> {
    let best = |l: &&LearnerResult| l.score(Metric::OOD_MAE);
    representative(&solving(sums), &Metric::COSINE_PLUS_MINUS)
        .or_else(|| sums.iter().min_by(|a, b| best(a).total_cmp(&best(b))))
}

/// The learner of the grocery list that is told of.
fn shown_list(lists: &[LearnerResult]) -> Option<&LearnerResult> {
    representative(&lists.iter().collect::<Vec<_>>(), &Metric::DISTRACTOR_RATIO)
}

/// The learner in the middle by this score.
fn representative<'a>(learners: &[&'a LearnerResult], metric: &Metric) -> Option<&'a LearnerResult> {
    let mut sorted = learners.to_vec();
    sorted.sort_by(|a, b| a.score(metric).total_cmp(&b.score(metric)));
    sorted.get(sorted.len().saturating_sub(1) / 2).copied()
}

/// Table 3 with its principal components, the paper's beside.
fn sum_notes(l: &LearnerResult) -> String {
    let types = learned_types(&l.weights, WIDTH);
    let theirs = paper::LEARNED_TYPES;
    let mut out = format!(
        "Learned types of seed {} (median cosine), cosine(+, −) {:.3}; in the paper {:.3}\n",
        l.seed,
        l.score(Metric::COSINE_PLUS_MINUS),
        cosine(&theirs[1].1, &theirs[2].1)
    );
    table(&mut out, &types, &Pca::of(&types), &theirs);
    out.replace('-', "−")
}

/// Table 4 with its principal components, the paper's beside.
fn list_notes(l: &LearnerResult) -> String {
    let types = learned_types(&l.weights, WIDTH);
    let theirs = paper::CENTROIDS;
    let mut out = format!(
        "Centroids of the items of seed {} (median ratio), distractors {:.3} apart; in the paper \"< 0.01\"\n",
        l.seed,
        l.score(Metric::DISTRACTOR_DISTANCE)
    );
    let pca = Pca::of(&types);
    let points: Vec<Vec<f64>> = pca.points.iter().map(|p| p.to_vec()).collect();
    // Projection is linear: the centroid's is the mean of its items'.
    let middle = Pca { points: centroids(&points).map(|c| [c[0], c[1]]).to_vec(), ..pca.clone() };
    table(&mut out, &centroids(&types), &middle, &theirs);
    out.push_str("Items on PC1, PC2:\n");
    for ((name, _), items) in theirs.iter().zip(categories(&points)) {
        let places: Vec<String> = items.iter().map(|p| format!("({:.3}, {:.3})", p[0], p[1])).collect();
        let _ = writeln!(out, "{name:<14} {}", places.join(" "));
    }
    out.replace('-', "−")
}

fn table(out: &mut String, ours: &[Vec<f64>], pca: &Pca, theirs: &[(&str, [f64; WIDTH])]) {
    let numbers = |row: &[f64]| row.iter().map(|x| format!("{x:>7.2}")).collect::<String>();
    let head: String = (1..=WIDTH).map(|d| format!("{:>7}", format!("D{d}"))).collect();
    let _ = writeln!(out, "{:<14}{head}  |{:>7}{:>7}  | paper{}", "", "PC1", "PC2", &head[2..]);
    for ((name, paper), (row, place)) in theirs.iter().zip(ours.iter().zip(&pca.points)) {
        let _ = writeln!(out, "{name:<14}{}  |{}  |    {}", numbers(row), numbers(place), numbers(paper));
    }
    let [first, second] = percent(pca);
    let _ = writeln!(out, "PC1 explains {first} of the variance, PC2 {second}");
}

fn percent(pca: &Pca) -> [String; 2] {
    [0, 1].map(|i| format!("{:.1} %", 100.0 * pca.explained[i]))
}

fn checks(cells: &[Cell]) -> Vec<Check> {
    // A figure that could not be had meets no expectation.
    let check = |metric: &Metric, statement: &str, holds: fn(f64) -> bool| Check {
        statement: statement.into(),
        holds: cells.iter().find(|c| c.metric == *metric).is_some_and(|c| holds(c.value)),
    };
    vec![
        check(
            &Metric::ANTIPODAL,
            "Arithmetic: cosine(+, −) below −0.8 in 8 of 10 learners that solve the task",
            |x| x >= 0.8,
        ),
        check(&Metric::OOD_ACCURACY, "Grocery list: OOD accuracy at least 99 % (median)", |x| x >= 0.99),
        check(
            &Metric::DISTRACTOR_RATIO,
            "Grocery list: distractors closer than a tenth of their distance to the target (median)",
            |x| x < 0.1,
        ),
    ]
}
