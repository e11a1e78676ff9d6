//! Which scores the learners of an experiment must have, so that a log without them is refused where it is
//! read and not missed where a table is made of it.

use super::{crystallize, tasks, teaching};
use strat::fit;
use strat::metric::Metric;

/// What the summary of an experiment, by its name in a manifest, asks of every learner of a row.
pub fn demanded(experiment: &str, row: &str) -> &'static [Metric] {
    match experiment {
        "alu" => &[
            Metric::ID_MAE,
            Metric::OOD_MAE,
            Metric::ID_MAE_WORST,
            Metric::OOD_MAE_WORST,
            Metric::LONG_RELATIVE_WORST,
        ],
        "ablations" => &[
            Metric::ID_MAE,
            Metric::ID_MAE_1_100,
            Metric::OOD_MAE,
            Metric::ERROR_RATIO,
            Metric::LINEAR_R2,
            Metric::OPENNESS,
            Metric::SATURATION,
            Metric::GRADIENT_PASSED,
            Metric::OPERATOR_DEPENDENCE,
            Metric::VALUE_DEPENDENCE,
            Metric::SWITCH_KEPT,
            Metric::PAYLOAD_GROWTH,
        ],
        "lite" | "arithmetic-baselines" => &[Metric::ID_MAE, Metric::OOD_MAE],
        "latent" if row == "Arithmetic" => {
            &[Metric::OOD_MAE, Metric::COSINE_PLUS_MINUS, Metric::GATE_RATIO, Metric::LITERAL_DISTANCE]
        }
        "latent" => &[
            Metric::ID_ACCURACY,
            Metric::OOD_ACCURACY,
            Metric::OOD_MAE,
            Metric::DISTRACTOR_DISTANCE,
            Metric::DISTRACTOR_RATIO,
        ],
        // Table 5's baseline cannot be crystallized.
        "locking" if row.starts_with("Baseline") => &[Metric::OOD_MAE],
        "locking" => &[Metric::OOD_MAE, Metric::CRYSTALLIZED_OOD_MAE],
        teaching::NAME => &[Metric::OOD_MAE],
        tasks::NAME => &[Metric::ID_ACCURACY, Metric::OOD_ACCURACY],
        fit::run::NAME => &[Metric::TAUGHT_ACCURACY],
        crystallize::NAME => &[Metric::OOD_MAE, Metric::CRYSTALLIZED, Metric::DISTANCE, Metric::LEARNED_OOD_MAE],
        // Of another program; nothing here makes a table of it.
        _ => &[],
    }
}
