//! The metrics of this project, in one list.

use super::{Better, Metric, Unit};
use std::borrow::Cow;

/// A constant for each, and all of them in a list.
macro_rules! metrics {
    ($($(#[$doc:meta])+ $constant:ident: $name:literal, $heading:literal, $unit:ident, $better:ident;)+) => {
        /// The metrics of this project.
        impl Metric {
            // Not made by a function, so that `&[Metric::ID_MAE, Metric::OOD_MAE]` may be `'static`.
            $($(#[$doc])+ pub const $constant: Metric = Metric {
                name: Cow::Borrowed($name),
                heading: Cow::Borrowed($heading),
                unit: Unit::$unit,
                better: Better::$better,
            };)+
        }
        /// In the order in which they stand here.
        pub(super) static ALL: &[Metric] = &[$(Metric::$constant),+];
    };
}

metrics! {
    // What a task's learners are scored by; `Split::metric` says on which examples.
    /// The share of right answers.
    ACCURACY: "accuracy", "accuracy", Share, Higher;
    /// How far off answers are, on average.
    MAE: "mae", "MAE", Error, Lower;

    // Scores of learners.
    /// Right answers in distribution.
    ID_ACCURACY: "id_accuracy", "ID accuracy", Share, Higher;
    /// Right answers out of distribution.
    OOD_ACCURACY: "ood_accuracy", "OOD accuracy", Share, Higher;
    /// Right answers of the vote in distribution.
    ID_VOTE: "id_vote", "ID vote", Share, Higher;
    /// Right answers of the vote out of distribution.
    OOD_VOTE: "ood_vote", "OOD vote", Share, Higher;
    /// The share of the test in distribution that the base examples decide.
    ID_DECIDED: "id_decided", "ID decided", Share, Neither;
    /// The share of the test out of distribution that they decide.
    OOD_DECIDED: "ood_decided", "OOD decided", Share, Neither;
    /// Training rows that are answered as the table does.
    TAUGHT_ACCURACY: "taught_accuracy", "training accuracy", Share, Higher;
    /// The error in distribution.
    ID_MAE: "id_mae", "ID MAE", Error, Lower;
    /// The error on sums of 1 to 100, where the training range ends elsewhere.
    ID_MAE_1_100: "id_mae_1_100", "ID MAE, 1..100", Error, Lower;
    /// The error out of distribution.
    OOD_MAE: "ood_mae", "OOD MAE", Error, Lower;
    /// The largest error in distribution.
    ID_MAE_WORST: "id_mae_worst", "ID error, worst", Error, Lower;
    /// The largest error out of distribution.
    OOD_MAE_WORST: "ood_mae_worst", "OOD error, worst", Error, Lower;
    /// The largest error of long sums, as a part of all that is added.
    LONG_RELATIVE_WORST: "long_relative_worst", "relative error of long sums, worst", Number, Lower;
    /// The loss of the last batch.
    FINAL_LOSS: "final_loss", "final loss", Number, Lower;

    // Statistics of these over learners.
    /// A quarter of the learners has a smaller error in distribution.
    ID_MAE_P25: "id_mae_p25", "ID MAE P25", Error, Lower;
    /// Half of the learners has.
    ID_MAE_MEDIAN: "id_mae_median", "ID MAE median", Error, Lower;
    /// Three quarters have.
    ID_MAE_P75: "id_mae_p75", "ID MAE P75", Error, Lower;
    /// A tenth of the learners has a smaller error out of distribution.
    OOD_MAE_P10: "ood_mae_p10", "OOD MAE P10", Error, Lower;
    /// A quarter has.
    OOD_MAE_P25: "ood_mae_p25", "OOD MAE P25", Error, Lower;
    /// Half has.
    OOD_MAE_MEDIAN: "ood_mae_median", "OOD MAE median", Error, Lower;
    /// Three quarters have.
    OOD_MAE_P75: "ood_mae_p75", "OOD MAE P75", Error, Lower;
    /// Half has a smaller error on the sums that it was trained on.
    TRAIN_MAE_MEDIAN: "train_mae_median", "training MAE median", Error, Lower;
    /// Learners with an OOD error below 20: they add without fault.
    STRICT: "strict", "strict (<20)", Share, Higher;
    /// Learners with an OOD error below 100: they have found the logic.
    LOGIC: "logic", "logic (<100)", Share, Higher;
    /// The least accuracy in distribution over choices of base examples.
    ID_ACCURACY_LEAST: "id_accuracy_least", "ID accuracy, least", Share, Higher;
    /// The one in the middle.
    ID_ACCURACY_MEDIAN: "id_accuracy_median", "ID accuracy, median", Share, Higher;
    /// The largest.
    ID_ACCURACY_MOST: "id_accuracy_most", "ID accuracy, most", Share, Higher;
    /// How far they are apart: the standard deviation.
    ID_ACCURACY_DEVIATION: "id_accuracy_deviation", "ID accuracy, deviation", Share, Neither;
    /// The least accuracy out of distribution over choices of base examples.
    OOD_ACCURACY_LEAST: "ood_accuracy_least", "OOD accuracy, least", Share, Higher;
    /// The one in the middle.
    OOD_ACCURACY_MEDIAN: "ood_accuracy_median", "OOD accuracy, median", Share, Higher;
    /// The largest.
    OOD_ACCURACY_MOST: "ood_accuracy_most", "OOD accuracy, most", Share, Higher;
    /// How far they are apart: the standard deviation.
    OOD_ACCURACY_DEVIATION: "ood_accuracy_deviation", "OOD accuracy, deviation", Share, Neither;

    // Table 6: two models, and their difference.
    /// STRAT in distribution.
    STRAT_ID_ACCURACY: "strat_id_accuracy", "STRAT, ID", Share, Higher;
    /// STRAT out of distribution.
    STRAT_OOD_ACCURACY: "strat_ood_accuracy", "STRAT, OOD", Share, Higher;
    /// What STRAT loses out of distribution.
    STRAT_OOD_LESS_ID: "strat_ood_less_id", "STRAT, OOD − ID", Difference, Higher;
    /// The Transformer in distribution.
    TRANSFORMER_ID_ACCURACY: "transformer_id_accuracy", "Transformer, ID", Share, Higher;
    /// The Transformer out of distribution.
    TRANSFORMER_OOD_ACCURACY: "transformer_ood_accuracy", "Transformer, OOD", Share, Higher;
    /// What the Transformer loses out of distribution.
    TRANSFORMER_OOD_LESS_ID: "transformer_ood_less_id", "Transformer, OOD − ID", Difference, Higher;
    /// STRAT less the Transformer, in distribution.
    DIFFERENCE_ID_ACCURACY: "difference_id_accuracy", "difference, ID", Difference, Higher;
    /// STRAT less the Transformer, out of distribution.
    DIFFERENCE_OOD_ACCURACY: "difference_ood_accuracy", "difference, OOD", Difference, Higher;

    /// STRAT's vote in distribution.
    STRAT_ID_VOTE: "strat_id_vote", "STRAT, ID, vote", Share, Higher;
    /// STRAT's vote out of distribution.
    STRAT_OOD_VOTE: "strat_ood_vote", "STRAT, OOD, vote", Share, Higher;
    /// The Transformer's vote in distribution.
    TRANSFORMER_ID_VOTE: "transformer_id_vote", "Transformer, ID, vote", Share, Higher;
    /// The Transformer's vote out of distribution.
    TRANSFORMER_OOD_VOTE: "transformer_ood_vote", "Transformer, OOD, vote", Share, Higher;

    // Table 11.
    /// Trainable parameters of STRAT.
    STRAT_PARAMETERS: "STRAT parameters", "STRAT parameters", Count, Equal;
    /// Trainable parameters of the Transformer.
    TRANSFORMER_PARAMETERS: "Transformer parameters", "Transformer parameters", Count, Equal;

    // What gates do (App. C): shares of learners.
    /// As in the paper's first example.
    STANDARD: "standard", "standard", Share, Neither;
    /// As in its second.
    MIRROR: "mirror", "mirror", Share, Neither;
    /// One operator does nothing, in another way than these.
    ONE_RESTS: "one_rests", "one_rests", Share, Neither;
    /// Both operators do something.
    BOTH_ACT: "both_act", "both_act", Share, Neither;
    /// Operators make no difference.
    NO_SIGN_RULE: "no_sign_rule", "no_sign_rule", Share, Neither;

    // Learned types (§5.4).
    /// The cosine of the types of plus and minus.
    COSINE_PLUS_MINUS: "cosine_plus_minus", "cosine(+, −)", Number, Neither;
    /// Learners whose plus and minus are opposite.
    ANTIPODAL: "antipodal", "cosine < −0.8", Share, Neither;
    /// Learners whose plus and minus are on two sides of the gate.
    OPPOSED_AT_GATE: "opposed_at_gate", "opposed at gate", Share, Neither;
    /// What the gate sees of plus, as a part of what it sees of minus.
    GATE_RATIO: "gate_ratio", "gate: + / −", Number, Neither;
    /// How far the type of literals is from 0.
    LITERAL_DISTANCE: "literal_distance", "|literal|", Number, Neither;
    /// How far the type of plus is from 0.
    PLUS_DISTANCE: "plus_distance", "|plus|", Number, Neither;
    /// How far the type of minus is from 0.
    MINUS_DISTANCE: "minus_distance", "|minus|", Number, Neither;
    /// How much of the types' variance one direction explains.
    PC1_VARIANCE: "pc1_variance", "PC1 variance", Share, Neither;
    /// How far the distractors' types are apart.
    DISTRACTOR_DISTANCE: "distractor_distance", "|A − B|", Number, Neither;
    /// The same as a part of their distance to the target.
    DISTRACTOR_RATIO: "distractor_ratio", "… / |A − target|", Number, Neither;

    // Crystals.
    /// Learners that became exact programs.
    CRYSTALLIZED: "crystallized", "crystallized", Share, Higher;
    /// The OOD error after crystallization; as before where there is no crystal.
    CRYSTALLIZED_OOD_MAE: "crystallized_ood_mae", "OOD MAE, crystallized", Error, Lower;
    /// The OOD error before it.
    LEARNED_OOD_MAE: "learned_ood_mae", "OOD MAE, learned", Error, Lower;
    /// How far coefficients were from whole numbers.
    DISTANCE: "distance", "distance", Number, Lower;
    /// Learners whose sums determine the rule without any network.
    LINEAR_SOLVE: "linear_solve", "linear solve", Share, Neither;
    /// Weights that a simplified classifier still has.
    WEIGHTS_LEFT: "weights_left", "weights left", Count, Lower;
    /// Its gates that are not open or shut.
    SOFT_GATES: "soft_gates", "soft gates", Count, Lower;
    /// Its heads that look at more than one place.
    SOFT_HEADS: "soft_heads", "soft heads", Count, Lower;

    // What a diagnosis of §4 is made of; `inspect::measures` says how.
    /// Mean error over that of the best linear map.
    ERROR_RATIO: "error_ratio", "error ratio", Number, Neither;
    /// Share of the answers' variance that a linear map explains.
    LINEAR_R2: "linear_r2", "linear R²", Number, Neither;
    /// Mean gate.
    OPENNESS: "openness", "openness", Number, Neither;
    /// How far gates are open or shut, not half open.
    SATURATION: "saturation", "saturation", Number, Neither;
    /// How much of the gradient gets through the gates.
    GRADIENT_PASSED: "gradient_passed", "gradient passed", Number, Neither;
    /// Change of the gates with the operators.
    OPERATOR_DEPENDENCE: "operator_dependence", "operator dependence", Number, Neither;
    /// Change of the gates with the values.
    VALUE_DEPENDENCE: "value_dependence", "value dependence", Number, Neither;
    /// How much of the change with the operators is left at OOD values.
    SWITCH_KEPT: "switch_kept", "switch kept", Number, Neither;
    /// Growth of the payload with the values, relative to proportional growth.
    PAYLOAD_GROWTH: "payload_growth", "payload growth", Number, Neither;
}
