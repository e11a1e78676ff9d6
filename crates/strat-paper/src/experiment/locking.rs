//! Topological locking (§6, Table 5): logic from ten examples.

use super::{Experiment, is_published, locking_factors, paper_train, row_of_sums};
use crate::paper::{self, LOCKING_METRICS};
use strat::baseline::linear_solve;
use strat::crystal::{Crystal, Equation, Reading};
use strat::metric::Metric;
use strat::model::{Lite, ModelRecord, Unityped};
use strat::result::{Cell, Check, LearnerRow, Printed, Summary, Verdict};
use strat::rng::Stream;
use strat::stats::{Statistic, estimate};
use strat::sweep::{Plan, Scores};
use strat::task::{Examples, SignedSum, SumTask};
use strat::train::{Adam, Anneal, Learner, Predictor, TrainConfig, TrainError};

pub(super) const NAME: &str = "locking";
/// Learners a row in the paper.
pub const LEARNERS: u64 = 400;
/// For the list of experiments.
pub(super) const EXPERIMENT: Experiment = Experiment {
    name: NAME,
    about: "Topological locking: logic from ten examples (§6, Table 5)",
    learners: LEARNERS,
    plan,
};
/// The error after crystallization; as before where there is no crystal.
const CRYSTALLIZED: Metric = Metric::CRYSTALLIZED_OOD_MAE;
/// What the row of crystals is called, after its learners' row.
const CRYSTAL_ROW: &str = ", crystallized";
/// Whether the ten sums alone determine the rule, without any network.
const SOLVED: Metric = Metric::LINEAR_SOLVE;
/// OOD sums each learner is tested on.
pub const TEST_SUMS: usize = 1000;

/// What Table 5 and Appendix F tell of the OOD error: percentiles, and the shares that find the logic.
pub(crate) const OOD_FIGURES: [Statistic; 5] = [
    Statistic::Quantile(0.1),
    Statistic::Quantile(0.25),
    Statistic::Quantile(0.5),
    Statistic::ShareBelow(20.0),
    Statistic::ShareBelow(100.0),
];

/// The rows' models, in the order of [`paper::LOCKING`].
fn models() -> [ModelRecord; 5] {
    let [flat, two_heads, compact, standard] = Lite::ALL.map(ModelRecord::Lite);
    [Unityped::A.into(), flat, two_heads, compact, standard]
}

/// Relative cost of a learner's step, so that a progress bar moves evenly.
fn cost(model: &ModelRecord) -> u64 {
    match model {
        ModelRecord::Lite(m) => m.heads as u64,
        _ => 8,
    }
}

/// A row: its model, its sums, and how it is trained.
struct Form {
    name: String,
    model: ModelRecord,
    task: SumTask,
    train: TrainConfig,
}

/// Table 5's rows as the paper trains them.
fn as_in_the_paper() -> Vec<Form> {
    let train = paper_train(&SumTask::LOCKING);
    let form = |(model, p): (_, &paper::Locking)| Form { name: p.row.into(), model, task: SumTask::LOCKING, train };
    models().into_iter().zip(&paper::LOCKING).map(form).collect()
}

/// The same with gates annealed toward steps.
fn annealed(form: Form) -> Form {
    Form { name: annealed_name(&form.name), train: form.train.annealed(), ..form }
}

fn annealed_name(row: &str) -> String {
    format!("{row}, annealed")
}

/// What would overturn the annealed rows, or show what part of the training does it.
fn controls() -> Vec<Form> {
    let plain = paper_train(&SumTask::LOCKING);
    let annealed = plain.annealed();
    let quick = Adam { beta2: annealed.adam.beta2, ..plain.adam };
    let still = annealed.anneal.map(|a| Anneal { sharpness: 1.0, ..a });
    let Examples::Fixed { count, from } = SumTask::LOCKING.examples else { unreachable!("§6 has fixed sums") };
    let shuffled = SumTask { examples: Examples::Shuffled { count, from }, ..SumTask::LOCKING };
    // Stages are shares of the steps, so a task knows how many there are.
    let unseen = SumTask { steps: 0, ..SumTask::LOCKING };
    let all = [
        ("Std, only β₂ 0.95", SumTask::LOCKING, TrainConfig { adam: quick, ..plain }),
        ("Std, annealed without sharpening", SumTask::LOCKING, TrainConfig { anneal: still, ..annealed }),
        (UNTRAINED, unseen, TrainConfig { steps: 0, ..plain }),
        (SHUFFLED, shuffled, annealed),
    ];
    let form = |(name, task, train): (&str, _, _)| Form {
        name: name.into(),
        model: ModelRecord::Lite(Lite::STANDARD),
        task,
        train,
    };
    all.map(form).into()
}

/// No training at all.
const UNTRAINED: &str = "Std, untrained";
/// Each sum with the answer of the next.
const SHUFFLED: &str = "Std, annealed on shuffled answers";

/// Table 5's rows in its order; then those of STRAT-Lite annealed; then the controls.
fn forms() -> Vec<Form> {
    let lite = as_in_the_paper().into_iter().skip(1).map(annealed);
    as_in_the_paper().into_iter().chain(lite).chain(controls()).collect()
}

/// `--anneal`: every row of Table 5 annealed, the baseline too, and the controls.
pub(super) fn all_annealed() -> Plan {
    plan_of(as_in_the_paper().into_iter().map(annealed).chain(controls()).collect())
}

fn plan() -> Plan {
    plan_of(forms())
}

/// The same seed means the same ten examples in every row.
fn plan_of(forms: Vec<Form>) -> Plan {
    let row = |Form { name, model, task, train }: Form| {
        let lite = if let ModelRecord::Lite(lite) = model { Some(lite) } else { None };
        let score = move |learner: &Learner, predictor: &mut Predictor<'_>| scores(lite, &task, learner, predictor);
        row_of_sums(name, &model, task, train).costing(cost(&model)).scored_by(score)
    };
    Plan { name: NAME, rows: forms.into_iter().map(row).collect(), summary }
}

/// The error on large sums. Of STRAT-Lite also what it errs after [crystallization](strat::crystal): nothing, or as before
/// where there is no crystal; and whether its ten sums determine the rule without it.
fn scores(
    lite: Option<Lite>,
    task: &SumTask,
    learner: &Learner,
    predictor: &mut Predictor<'_>,
) -> Result<Scores, TrainError> {
    let error = |predictor: &mut Predictor<'_>| {
        predictor.error_on(SignedSum::OOD, (learner.seed, Stream::TestOod), TEST_SUMS)
    };
    let mut scores = vec![(Metric::OOD_MAE, error(predictor)?)];
    let Some(lite) = lite else { return Ok(scores) };
    if let Ok(crystal) = Crystal::of(lite, &learner.weights, task, learner.seed) {
        predictor.set_weights(&crystal.weights);
    }
    scores.push((CRYSTALLIZED, error(predictor)?));
    let equations = Equation::of_training(Reading::Sums, task, learner.seed);
    let is_solved = linear_solve(Reading::Sums, &equations).is_ok();
    scores.push((SOLVED, f64::from(u8::from(is_solved))));
    Ok(scores)
}

fn summary(rows: &[LearnerRow]) -> Summary {
    let n = rows[0].learners.len();
    let mut cells = vec![];
    let mut push = |name: &str, errors: &[f64], paper: Option<[Printed; LOCKING_METRICS.len()]>| {
        let estimates = estimate(errors, &OOD_FIGURES);
        for (i, (metric, estimate)) in LOCKING_METRICS.iter().zip(estimates).enumerate() {
            cells.push(Cell::new(NAME, name, metric, estimate, errors.len(), paper.map(|p| p[i])));
        }
    };
    let is_lite = |row: &LearnerRow| matches!(row.model, ModelRecord::Lite(_));
    let as_published = |row: &LearnerRow| is_published(row, &SumTask::LOCKING);
    for row in rows {
        let paper = paper::LOCKING.iter().find(|p| p.row == row.name && as_published(row));
        push(&row.name, &row.scores(Metric::OOD_MAE), paper.map(|p| p.figures()));
        if is_lite(row) {
            push(&format!("{}{CRYSTAL_ROW}", row.name), &row.scores(CRYSTALLIZED), None);
        }
    }
    let solved = |x: f64| if x == 1.0 { 0.0 } else { f64::INFINITY };
    let standard = rows.iter().find(|r| r.learners.iter().all(|l| l.metrics.contains_key(&*SOLVED.name)));
    if let Some(standard) = standard {
        let errors: Vec<f64> = standard.scores(SOLVED).into_iter().map(solved).collect();
        push("Linear solve, no network", &errors, None);
    }
    let title = format!(
        "Topological locking (Table 5): {n} learners a row, ten sums each, tested on {TEST_SUMS} sums of 2000..5000"
    );
    let lite: Vec<&LearnerRow> = rows.iter().filter(|row| is_lite(row) && as_published(row)).collect();
    let notes = LEGEND.to_string() + &locking_factors::notes(&lite).unwrap_or_default();
    Summary { title, checks: checks(&cells), cells, notes, ..Summary::default() }
}

/// What the rows are that the paper does not have.
const LEGEND: &str = "\
crystallized: gates made steps and the learner's own coefficients rounded; no example is used but to verify it.
annealed: AdamW with β₂ 0.95; from 60 % of the steps on the rate falls and gates sharpen (docs/crystal.md).
Controls: β₂ alone; the same without sharpening; no training at all; each sum with the answer of the next.
Linear solve: the ten sums as equations. It needs no network, so it says nothing about one.

";

/// What should hold of the rows that are there.
fn checks(cells: &[Cell]) -> Vec<Check> {
    let value = |row: &str, metric: &Metric| cells.iter().find(|c| c.row == row && c.metric == *metric);
    let mut checks = vec![];
    let mut check = |statement: String, holds: Option<bool>| {
        checks.extend(holds.map(|holds| Check { statement, holds }));
    };
    let baseline = paper::LOCKING[0].row;
    let median = value(baseline, &Metric::OOD_MAE_MEDIAN);
    check(format!("{baseline}: median above 5,000"), median.map(|c| c.value > 5000.0));
    check(
        format!("{baseline}: no learner finds the logic"),
        value(baseline, &Metric::LOGIC).map(|c| c.value == 0.0),
    );
    for paper in &paper::LOCKING[1..] {
        for metric in [Metric::OOD_MAE_P25, Metric::OOD_MAE_MEDIAN, Metric::LOGIC] {
            check(
                format!("{}: {} is not worse than the paper's", paper.row, metric.name),
                value(paper.row, &metric).map(|c| c.verdict != Some(Verdict::Worse)),
            );
        }
    }
    let strict = |row: &str| value(row, &Metric::STRICT).map(|c| c.value);
    // Over the four forms, which have the same number of learners.
    let over_forms = |suffix: &str| -> Option<f64> {
        let of = |p: &paper::Locking| strict(&format!("{}{suffix}", annealed_name(p.row)));
        let all: Option<Vec<f64>> = paper::LOCKING[1..].iter().map(of).collect();
        all.map(|all| all.iter().sum::<f64>() / all.len() as f64)
    };
    check("annealed: at least 80 % below 20".into(), over_forms("").map(|x| x >= 0.8));
    check("annealed, crystallized: at least 95 % exact".into(), over_forms(CRYSTAL_ROW).map(|x| x >= 0.95));
    for control in [UNTRAINED, SHUFFLED] {
        let crystals = strict(&format!("{control}{CRYSTAL_ROW}"));
        check(format!("{control}: nothing crystallizes"), crystals.map(|x| x == 0.0));
    }
    checks
}
