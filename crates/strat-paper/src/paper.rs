//! The paper's tables as data: what it says, where it says it.

mod tasks;

pub use tasks::{AVERAGE, Average, TASKS, TaskRow};

use strat::metric::Metric;
use strat::result::Printed;

/// A row of Table 5 (topological locking, N = 10, 400 seeds).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Locking {
    /// The row's name in the table.
    pub row: &'static str,
    /// P10, P25 and median of the OOD MAE.
    pub ood_mae: [f64; 3],
    /// Shares with OOD MAE below 20 and below 100, in percent.
    pub percent: [f64; 2],
}

/// Table 5.
pub const LOCKING: [Locking; 5] = [
    Locking { row: "Baseline (Config A)", ood_mae: [5072.0, 6268.0, 9046.0], percent: [0.0, 0.0] },
    Locking { row: "STRAT Flat (2D/1H)", ood_mae: [33.0, 80.0, 293.0], percent: [5.0, 31.0] },
    Locking { row: "STRAT Flat MH (2D/2H)", ood_mae: [38.0, 97.0, 314.0], percent: [2.0, 27.0] },
    Locking { row: "STRAT Compact (3D/1H)", ood_mae: [34.0, 77.0, 266.0], percent: [3.0, 31.0] },
    Locking { row: "STRAT Std (4D/1H)", ood_mae: [33.0, 77.0, 258.0], percent: [4.0, 31.0] },
];

impl Locking {
    /// The five figures in the order of [`LOCKING_METRICS`].
    pub fn figures(&self) -> [Printed; 5] {
        let [p10, p25, median] = self.ood_mae.map(|value| Printed { value, unit: 1.0, n: 400 });
        let [strict, logic] = self.percent.map(|p| Printed { value: p / 100.0, unit: 0.01, n: 400 });
        [p10, p25, median, strict, logic]
    }
}

/// Columns of Table 5.
pub const LOCKING_METRICS: [Metric; 5] =
    [Metric::OOD_MAE_P10, Metric::OOD_MAE_P25, Metric::OOD_MAE_MEDIAN, Metric::STRICT, Metric::LOGIC];

/// A row of Table 2 (the failure taxonomy, 50 seeds).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Failure {
    /// The row's name in the table.
    pub row: &'static str,
    /// P25, median and P75 of the ID MAE.
    pub id_mae: [f64; 3],
    /// Median and P75 of the OOD MAE.
    pub ood_mae: [f64; 2],
    /// The paper's diagnosis.
    pub diagnosis: &'static str,
}

/// Table 2, without the hand-coded reference, in its order.
pub const FAILURES: [Failure; 12] = [
    Failure { row: "A", id_mae: [3.5, 15.5, 38.2], ood_mae: [5977.0, 10809.0], diagnosis: "Linear Trap" },
    Failure { row: "A_s", id_mae: [97.1, 98.7, 100.1], ood_mae: [6202.0, 6265.0], diagnosis: "Linear Trap" },
    Failure { row: "A_ln", id_mae: [9.6, 16.9, 25.9], ood_mae: [8378.0, 9856.0], diagnosis: "Feature Collapse" },
    Failure { row: "A_curr", id_mae: [212.2, 600.3, 1736.1], ood_mae: [2306.0, 2682.0], diagnosis: "Linear Trap" },
    Failure { row: "B_fl", id_mae: [25.9, 58.7, 69.2], ood_mae: [5949.0, 6715.0], diagnosis: "Gradient Wall" },
    Failure { row: "B_fa", id_mae: [4.9, 6.2, 8.7], ood_mae: [11817.0, 13060.0], diagnosis: "Magnitude Leak" },
    Failure { row: "B_ortho", id_mae: [2.3, 9.8, 35.2], ood_mae: [9750.0, 12088.0], diagnosis: "Linear Trap" },
    Failure { row: "C_g", id_mae: [4.9, 13.5, 36.1], ood_mae: [7997.0, 12036.0], diagnosis: "Gradient Wall" },
    Failure { row: "C_sb", id_mae: [10.8, 45.5, 49.3], ood_mae: [5613.0, 7228.0], diagnosis: "Gradient Wall" },
    Failure { row: "B_c", id_mae: [12.7, 46.5, 48.2], ood_mae: [5611.0, 9677.0], diagnosis: "Gradient Wall" },
    Failure {
        row: "C_b",
        id_mae: [1.2, 1.8, 2.9],
        ood_mae: [11916.0, 12221.0],
        diagnosis: "Operating Point Overfit",
    },
    Failure { row: "C_bi", id_mae: [3.1, 12.7, 37.4], ood_mae: [8471.0, 11815.0], diagnosis: "Open gate trap" },
];

/// Columns of Table 2.
pub const FAILURE_METRICS: [Metric; 5] =
    [Metric::ID_MAE_P25, Metric::ID_MAE_MEDIAN, Metric::ID_MAE_P75, Metric::OOD_MAE_MEDIAN, Metric::OOD_MAE_P75];

impl Failure {
    /// The five figures in the order of [`FAILURE_METRICS`].
    pub fn figures(&self) -> [Printed; 5] {
        let [a, b, c] = self.id_mae.map(|value| Printed { value, unit: 0.1, n: 50 });
        let [d, e] = self.ood_mae.map(|value| Printed { value, unit: 1.0, n: 50 });
        [a, b, c, d, e]
    }
}

/// §5.3: STRAT-Lite with fixed types, P25 and median of the OOD MAE over 50 seeds.
pub const LITE_OOD_MAE: [Printed; 2] =
    [Printed { value: 25.8, unit: 0.1, n: 50 }, Printed { value: 40.4, unit: 0.1, n: 50 }];

/// A row of Appendix F's table (NAC and NALU on the task of Table 5, 400 seeds).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Baseline {
    /// The row's name in the table.
    pub row: &'static str,
    /// P10, P25 and median of the OOD MAE.
    pub ood_mae: [f64; 3],
    /// Shares with OOD MAE below 20 and below 100, in percent.
    pub percent: [f64; 2],
    /// Median MAE on the ten training sums, given in the text.
    pub train_mae: f64,
}

/// The two rows that Appendix F adds to Table 5.
pub const BASELINES: [Baseline; 2] = [
    Baseline {
        row: "LSTM-controlled NAC",
        ood_mae: [4120.0, 5083.0, 5819.0],
        percent: [0.0, 0.25],
        train_mae: 0.34,
    },
    Baseline {
        row: "LSTM-controlled NALU",
        ood_mae: [4973.0, 5327.0, 5770.0],
        percent: [0.0, 0.0],
        train_mae: 4.02,
    },
];

impl Baseline {
    /// The figures in the order of [`BASELINE_METRICS`].
    pub fn figures(&self) -> [Printed; 6] {
        let [p10, p25, median] = self.ood_mae.map(|value| Printed { value, unit: 1.0, n: 400 });
        // One run of 400 is 0.25 %: shares are printed exactly.
        let [strict, logic] = self.percent.map(|p| Printed { value: p / 100.0, unit: 0.0001, n: 400 });
        [p10, p25, median, strict, logic, Printed { value: self.train_mae, unit: 0.01, n: 400 }]
    }
}

/// Columns of Appendix F's table, and the training error.
pub const BASELINE_METRICS: [Metric; 6] = [
    Metric::OOD_MAE_P10,
    Metric::OOD_MAE_P25,
    Metric::OOD_MAE_MEDIAN,
    Metric::STRICT,
    Metric::LOGIC,
    Metric::TRAIN_MAE_MEDIAN,
];

/// Table 3: learned types of one model, D1 to D4.
pub const LEARNED_TYPES: [(&str, [f64; 4]); 3] = [
    ("Literal", [0.55, -0.25, 0.06, 0.06]),
    ("Plus", [0.50, -0.59, -0.67, -0.51]),
    ("Minus", [-0.80, 0.81, 0.83, 0.79]),
];

/// Table 4: centroids of the grocery list's categories in one model, D1 to D4. The text says that
/// the distractors' are less than 0.01 apart.
pub const CENTROIDS: [(&str, [f64; 4]); 3] = [
    ("Target", [-0.15, -0.18, -0.19, 0.27]),
    ("Distractor A", [0.27, 0.29, 0.31, -0.44]),
    ("Distractor B", [0.28, 0.29, 0.30, -0.44]),
];

/// Accuracy of one model on OOD grocery lists (§5.4).
pub const GROCERY_ACCURACY: Printed = Printed { value: 0.996, unit: 0.001, n: 1 };
