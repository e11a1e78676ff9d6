//! Which scores the learners of an experiment must have, so that a log without them is refused where it is
//! read and not missed where a table is made of it.

use super::{crystallize, tasks, teaching};
use strat::fit;
use strat::metric::*;

/// What the summary of an experiment, by its name in a manifest, asks of every learner of a row.
pub fn demanded(experiment: &str, row: &str) -> &'static [Metric] {
    match experiment {
        "alu" => &[ID_MAE, OOD_MAE, ID_MAE_WORST, OOD_MAE_WORST, LONG_RELATIVE_WORST],
        "ablations" => &[
            ID_MAE,
            ID_MAE_1_100,
            OOD_MAE,
            ERROR_RATIO,
            LINEAR_R2,
            OPENNESS,
            SATURATION,
            GRADIENT_PASSED,
            OPERATOR_DEPENDENCE,
            VALUE_DEPENDENCE,
            SWITCH_KEPT,
            PAYLOAD_GROWTH,
        ],
        "lite" | "arithmetic-baselines" => &[ID_MAE, OOD_MAE],
        "latent" if row == "Arithmetic" => &[OOD_MAE, COSINE_PLUS_MINUS, GATE_RATIO, LITERAL_DISTANCE],
        "latent" => &[ID_ACCURACY, OOD_ACCURACY, OOD_MAE, DISTRACTOR_DISTANCE, DISTRACTOR_RATIO],
        // Table 5's baseline cannot be crystallized.
        "locking" if row.starts_with("Baseline") => &[OOD_MAE],
        "locking" => &[OOD_MAE, CRYSTALLIZED_OOD_MAE],
        teaching::NAME => &[OOD_MAE],
        tasks::NAME => &[ID_ACCURACY, OOD_ACCURACY],
        fit::run::NAME => &[TAUGHT_ACCURACY],
        crystallize::NAME => &[OOD_MAE, CRYSTALLIZED, DISTANCE, LEARNED_OOD_MAE],
        // Of another program; nothing here makes a table of it.
        _ => &[],
    }
}
