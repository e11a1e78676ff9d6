//! Topological locking (§6, Table 5): logic from ten examples.

use super::{Experiment, locking_factors};
use crate::paper::{self, LOCKING_METRICS};
use strat::baseline::linear_solve::linear_solve;
use strat::crystal::crystallize;
use strat::crystal::reading::{Equation, Reading};
use strat::engine::Isa;
use strat::metric::{self, Metric};
use strat::model::{Arithmetic, Config, Lite, ModelRecord};
use strat::result::{Cell, Check, LearnerResult, LearnerRow, Printed, Summary, Verdict};
use strat::rng::Stream;
use strat::stats::{Statistic, estimate};
use strat::sweep::{Plan, Progress, RowPlan};
use strat::task::Examples;
use strat::task::SignedSum;
use strat::train::{Adam, Anneal, Learner, Population, SumTraining, TrainError};

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
const CRYSTALLIZED: Metric = metric::CRYSTALLIZED_OOD_MAE;
/// What the row of crystals is called, after its learners' row.
const CRYSTAL_ROW: &str = ", crystallized";
/// Whether the ten sums alone determine the rule, without any network.
const SOLVED: Metric = metric::LINEAR_SOLVE;
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

/// STRAT-Lite as in the last row; what `strat bench locking` trains.
pub const STANDARD: Arithmetic = Arithmetic::Lite(Lite::STANDARD);

/// The rows' models, in the order of [`paper::LOCKING`].
pub static MODELS: [Arithmetic; 5] = [
    Arithmetic::Unityped(Config::A),
    Arithmetic::Lite(Lite::FLAT),
    Arithmetic::Lite(Lite::FLAT_TWO_HEADS),
    Arithmetic::Lite(Lite::COMPACT),
    STANDARD,
];

/// Relative cost of a learner, so that a progress bar moves evenly.
pub fn cost(model: &Arithmetic) -> u64 {
    match model {
        Arithmetic::Unityped(_) => 8,
        Arithmetic::Lite(m) => m.heads as u64,
        Arithmetic::Nac | Arithmetic::Nalu => 4000,
    }
}

/// A row: its model and how it is trained.
struct Form {
    name: String,
    model: &'static Arithmetic,
    train: SumTraining,
}

/// Table 5's rows as the paper trains them.
fn as_in_the_paper() -> Vec<Form> {
    let form = |(model, p): (_, &paper::Locking)| Form { name: p.row.into(), model, train: SumTraining::locking() };
    MODELS.iter().zip(&paper::LOCKING).map(form).collect()
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
    let (plain, annealed) = (SumTraining::locking(), SumTraining::locking().annealed());
    let quick = Adam { beta2: annealed.adam.beta2, ..plain.adam };
    let still = annealed.anneal.map(|a| Anneal { sharpness: 1.0, ..a });
    let Examples::Fixed { count, from } = plain.examples else { unreachable!("§6 has fixed sums") };
    let shuffled = Examples::Shuffled { count, from };
    let all = [
        ("Std, only β₂ 0.95", SumTraining { adam: quick, ..plain }),
        ("Std, annealed without sharpening", SumTraining { anneal: still, ..annealed }),
        (UNTRAINED, SumTraining { steps: 0, ..plain }),
        (SHUFFLED, SumTraining { examples: shuffled, ..annealed }),
    ];
    all.map(|(name, train)| Form { name: name.into(), model: &STANDARD_ROW, train }).into()
}

/// No training at all.
const UNTRAINED: &str = "Std, untrained";
/// Each sum with the answer of the next.
const SHUFFLED: &str = "Std, annealed on shuffled answers";
static STANDARD_ROW: Arithmetic = STANDARD;

/// Table 5's rows in its order; then those of STRAT-Lite annealed; then the controls.
fn forms() -> Vec<Form> {
    let lite = as_in_the_paper().into_iter().skip(1).map(annealed);
    as_in_the_paper().into_iter().chain(lite).chain(controls()).collect()
}

/// `--anneal`: every row of Table 5 annealed, the baseline too, and the controls.
pub(super) fn all_annealed() -> Plan<'static> {
    plan_of(as_in_the_paper().into_iter().map(annealed).chain(controls()).collect())
}

fn plan() -> Plan<'static> {
    plan_of(forms())
}

/// The same seed means the same ten examples in every row.
fn plan_of(forms: Vec<Form>) -> Plan<'static> {
    let row = |Form { name, model, train }: Form| {
        let learn = move |seeds: &[u64], isa: Isa, progress: Progress<'_>| {
            let mut learners = train_row(model, train, seeds, isa, progress)?;
            crystallized(model, train, &mut learners, isa)?;
            Ok(learners)
        };
        RowPlan::of_sums::<f32>(name, *model, Some(train), cost(model), learn)
    };
    Plan { name: NAME, rows: forms.into_iter().map(row).collect(), summary }
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
    let is_lite = |row: &LearnerRow| matches!(row.model, ModelRecord::Arithmetic(Arithmetic::Lite(_)));
    let as_published = |row: &LearnerRow| row.train == Some(SumTraining::locking());
    for row in rows {
        let paper = paper::LOCKING.iter().find(|p| p.row == row.name && as_published(row));
        push(&row.name, &row.scores(metric::OOD_MAE), paper.map(|p| p.figures()));
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

/// Trains and tests a row of Table 5.
pub fn train(
    model: &Arithmetic,
    seeds: &[u64],
    isa: Isa,
    progress: Progress<'_>,
) -> Result<Vec<LearnerResult>, TrainError> {
    train_row(model, SumTraining::locking(), seeds, isa, progress)
}

fn train_row(
    model: &Arithmetic,
    train: SumTraining,
    seeds: &[u64],
    isa: Isa,
    progress: Progress<'_>,
) -> Result<Vec<LearnerResult>, TrainError> {
    let population = Population::<f32>::of_sums(*model, train, isa);
    let learners = population.train(seeds, &|done| progress(done as u64 * cost(model)))?;
    let errors = population.errors(&learners, SignedSum::OOD, Stream::TestOod, TEST_SUMS)?;
    Ok(learners.into_iter().zip(errors).map(|(l, e)| LearnerResult::new(l, [("ood_mae", e)])).collect())
}

/// What STRAT-Lite learners err after [crystallization](strat::crystal): nothing, or as before where there is none; and
/// whether their ten sums determine the rule without them.
fn crystallized(
    model: &Arithmetic,
    train: SumTraining,
    learners: &mut [LearnerResult],
    isa: Isa,
) -> Result<(), TrainError> {
    let Arithmetic::Lite(lite) = *model else { return Ok(()) };
    let became = |l: &LearnerResult| {
        let crystal = crystallize(lite, &l.weights, &train, l.seed);
        let weights = crystal.map_or_else(|_| l.weights.clone(), |c| c.weights);
        Learner { seed: l.seed, weights, final_loss: l.metrics["final_loss"], losses: vec![] }
    };
    let became: Vec<Learner> = learners.iter().map(became).collect();
    let population = Population::<f32>::of_sums(*model, train, isa);
    let errors = population.errors(&became, SignedSum::OOD, Stream::TestOod, TEST_SUMS)?;
    for (l, error) in learners.iter_mut().zip(errors) {
        l.metrics.insert(CRYSTALLIZED.into(), error);
        let examples = Equation::of_training(Reading::Sums, &train, l.seed);
        let solved = linear_solve(Reading::Sums, &examples).is_ok();
        l.metrics.insert(SOLVED.into(), f64::from(u8::from(solved)));
    }
    Ok(())
}

/// What should hold of the rows that are there.
fn checks(cells: &[Cell]) -> Vec<Check> {
    let value = |row: &str, metric: &Metric| cells.iter().find(|c| c.row == row && c.metric == *metric);
    let mut checks = vec![];
    let mut check = |statement: String, holds: Option<bool>| {
        checks.extend(holds.map(|holds| Check { statement, holds }));
    };
    let baseline = paper::LOCKING[0].row;
    let median = value(baseline, &metric::OOD_MAE_MEDIAN);
    check(format!("{baseline}: median above 5,000"), median.map(|c| c.value > 5000.0));
    check(
        format!("{baseline}: no learner finds the logic"),
        value(baseline, &metric::LOGIC).map(|c| c.value == 0.0),
    );
    for paper in &paper::LOCKING[1..] {
        for metric in [metric::OOD_MAE_P25, metric::OOD_MAE_MEDIAN, metric::LOGIC] {
            check(
                format!("{}: {} is not worse than the paper's", paper.row, metric.name),
                value(paper.row, &metric).map(|c| c.verdict != Some(Verdict::Worse)),
            );
        }
    }
    let strict = |row: &str| value(row, &metric::STRICT).map(|c| c.value);
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
