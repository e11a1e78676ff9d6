//! The paper's tables as data: what it says, where it says it.

/// A printed figure; it stands for every number that rounds to it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Printed {
    /// As printed (shares between 0 and 1).
    pub value: f64,
    /// The last printed digit's unit.
    pub unit: f64,
}

impl Printed {
    /// The numbers that would be printed so.
    pub fn range(&self) -> (f64, f64) {
        (self.value - self.unit / 2.0, self.value + self.unit / 2.0)
    }
}

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
        let [p10, p25, median] = self.ood_mae.map(|value| Printed { value, unit: 1.0 });
        let [strict, logic] = self.percent.map(|p| Printed { value: p / 100.0, unit: 0.01 });
        [p10, p25, median, strict, logic]
    }
}

/// Columns of Table 5.
pub const LOCKING_METRICS: [&str; 5] = ["ood_mae_p10", "ood_mae_p25", "ood_mae_median", "strict", "logic"];
