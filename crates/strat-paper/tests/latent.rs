//! Latent types: the experiment through the library, and the grocery list's model by hand.

use std::sync::Arc;
use strat::engine::Isa;
use strat::model::{Lite, Model, Precision, Types};
use strat::rng::{RandomStream, Stream};
use strat::seeds::{Seeds, Shard, SweepOrder};
use strat::task::{Grocery, SumTask, Sums, Task};
use strat::train::{Learner, Population};
use strat_paper::experiment::all;
use strat_paper::experiment::latent::within_a_hundredth;

#[test]
fn two_learners_give_a_whole_outcome() {
    let experiment = all().find(|e| e.name == "latent").unwrap();
    let done = std::sync::atomic::AtomicU64::new(0);
    let heard = |n| {
        done.fetch_add(n, std::sync::atomic::Ordering::Relaxed);
    };
    let plan = (experiment.plan)();
    let outcome = plan.run(Seeds::to(2), Isa::detect().unwrap(), &heard);
    assert_eq!(done.into_inner(), plan.work(SweepOrder::new(plan.rows.len(), Seeds::to(2), Shard::WHOLE), 0)[0]);

    let cell = |row: &str, metric: &str| {
        let cells =
            outcome.summary.cells.iter().filter(|c| c.row == row && c.metric.name == metric).collect::<Vec<_>>();
        assert_eq!(cells.len(), 1, "{row}, {metric}");
        cells[0]
    };
    for c in &outcome.summary.cells {
        // Two learners have no intervals.
        assert!(c.value.is_finite() && c.interval().is_none(), "{c:?}");
    }
    assert_eq!(cell("Arithmetic", "ood_mae_median").n, 2);
    for share in ["logic", "antipodal", "opposed_at_gate"] {
        assert!((0.0..=1.0).contains(&cell("Arithmetic", share).value));
    }
    assert!((-1.0..=1.0).contains(&cell("Arithmetic", "cosine_plus_minus").value));
    assert!(cell("Arithmetic", "literal_distance").value > 0.0);
    // Both learn the grocery list, as 96 % of seeds do, and the distractors become one.
    assert!(cell("Grocery list", "ood_accuracy").value > 0.99);
    assert!(cell("Grocery list", "distractor_ratio").value < 0.1);

    assert_eq!(
        outcome.rows.iter().map(|r| (&*r.name, r.learners.len())).collect::<Vec<_>>(),
        [("Arithmetic", 2), ("Grocery list", 2)]
    );
    for row in &outcome.rows {
        for p in &row.model.params() {
            assert!(
                row.learners.iter().all(|l| l.weights[&*p.name].len() == p.shape[0] * p.shape[1]),
                "{}",
                p.name
            );
        }
    }
    for name in ["Literal", "Plus", "Minus", "Target", "Distractor A", "Distractor B", "PC1 explains"] {
        assert!(outcome.summary.notes.contains(name), "no {name} in the notes");
    }
    let [(name, svg)] = &outcome.summary.figures[..] else { panic!("not one figure") };
    assert_eq!(name, "latent-types.svg");
    assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n"));
    // Left one point a kind, right five items a category.
    assert_eq!(svg.matches("class=\"mark point\"").count(), 3 + 3 * 5);
    assert!(!svg.contains("NaN"));
}

/// Weights that spell out the rule: the gate opens for distractors, and what it lets through
/// takes their value away.
#[test]
fn a_model_that_knows_the_categories_answers_exactly() {
    let model = Lite { width: 4, heads: 1, types: Types::Items };
    let mut weights = model.init(1);
    let mut set = |name: &str, values: &[f64]| {
        let w = weights.get_mut(name).unwrap();
        assert_eq!(w.len(), values.len());
        w.copy_from_slice(values);
    };
    let embed: Vec<f64> = (1..=15).flat_map(|id| [if id <= 5 { -1.0 } else { 1.0 }, 0.0, 0.0, 0.0]).collect();
    set("embed", &embed);
    set("type_value.weight", &[0.0; 16]);
    set("gate.weight", &[100.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    set("gate.bias", &[0.0; 2]);
    set("value.weight", &[-1.0, 0.0, 0.0, 0.0]);
    set("readout.weight", &[1.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    let (task, isa) = (SumTask::GROCERY, Isa::detect().unwrap());
    let population = Population::new(Arc::new(task), Arc::new(model), task.paper().unwrap().train, isa);
    let population = population.unwrap().with_precision(Precision::F64);
    let mut learner = Learner { seed: 1, weights, final_loss: 0.0, losses: vec![] };
    let scores = |l: &Learner| {
        let l = std::slice::from_ref(l);
        let lists =
            |seed: u64| Sums::Grocery(Grocery::OOD).draw_many(500, RandomStream::new(seed, Stream::TestOod, 0));
        let accuracy = population.scores(l, lists, within_a_hundredth).unwrap();
        (population.errors(l, Grocery::OOD, Stream::TestOod, 500).unwrap()[0], accuracy[0])
    };
    let (error, accuracy) = scores(&learner);
    assert!(error < 1e-9, "{error}");
    assert_eq!(accuracy, 1.0);
    // One distractor mistaken for a target: about a quarter of the lists have it.
    learner.weights.get_mut("embed").unwrap()[5 * 4] = -1.0;
    let (error, accuracy) = scores(&learner);
    assert!(error > 100.0 && (0.6..0.85).contains(&accuracy), "{error} {accuracy}");
}
