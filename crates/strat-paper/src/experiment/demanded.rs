//! Which scores the learners of an experiment must have, so that a log without them is refused where it is
//! read and not missed where a table is made of it.

use super::{crystallize, tasks, teaching};
use strat::fit;

/// What the summary of an experiment, by its name in a manifest, asks of every learner of a row.
pub fn demanded(experiment: &str, row: &str) -> &'static [&'static str] {
    match experiment {
        "alu" => &["id_mae", "ood_mae", "id_mae_worst", "ood_mae_worst", "long_relative_worst"],
        "ablations" => &[
            "id_mae",
            "id_mae_1_100",
            "ood_mae",
            "error_ratio",
            "linear_r2",
            "openness",
            "saturation",
            "gradient_passed",
            "operator_dependence",
            "value_dependence",
            "switch_kept",
            "payload_growth",
        ],
        "lite" | "arithmetic-baselines" => &["id_mae", "ood_mae"],
        "latent" if row == "Arithmetic" => &["ood_mae", "cosine_plus_minus", "gate_ratio", "literal_distance"],
        "latent" => &["id_accuracy", "ood_accuracy", "ood_mae", "distractor_distance", "distractor_ratio"],
        // Table 5's baseline cannot be crystallized.
        "locking" if row.starts_with("Baseline") => &["ood_mae"],
        "locking" => &["ood_mae", "crystallized_ood_mae"],
        teaching::NAME => &["ood_mae"],
        tasks::NAME => &["id_accuracy", "ood_accuracy"],
        fit::run::NAME => &[fit::run::TAUGHT],
        crystallize::NAME => &["ood_mae", "crystallized", "distance", "learned_ood_mae"],
        // Of another program; nothing here makes a table of it.
        _ => &[],
    }
}
