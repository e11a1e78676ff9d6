//! Tables 6 and 11: the eleven data sets of §7.

use strat::model::Architecture;
use strat::result::{Printed, PrintedMean};

/// A row of Table 6 (eleven data sets, seeds 41 to 50) and of Table 11.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TaskRow {
    /// The task's name on the command line.
    pub task: &'static str,
    /// Accuracy of STRAT in percent with its standard error: ID, OOD.
    pub strat: [(f64, f64); 2],
    /// The same of the Transformer.
    pub transformer: [(f64, f64); 2],
    /// STRAT less the Transformer, seed by seed, in percentage points with its standard error: ID, OOD.
    pub difference: [(f64, f64); 2],
    /// OOD less ID in percentage points: STRAT, Transformer. Taken before rounding, so that the last digit may not
    /// be that of the printed accuracies.
    pub shift: [f64; 2],
    /// Trainable parameters of STRAT and of the Transformer.
    pub parameters: [usize; 2],
}

/// Tables 6 and 11.
pub const TASKS: [TaskRow; 11] = [
    TaskRow {
        task: "sudoku",
        strat: [(86.58, 1.08), (83.80, 1.30)],
        transformer: [(27.92, 4.97), (10.18, 2.36)],
        difference: [(58.66, 5.22), (73.62, 3.24)],
        shift: [-2.78, -17.74],
        parameters: [396_335, 805_349],
    },
    TaskRow {
        task: "satbench",
        strat: [(92.33, 1.36), (90.50, 2.15)],
        transformer: [(65.64, 5.38), (64.48, 5.40)],
        difference: [(26.69, 5.58), (26.02, 5.54)],
        shift: [-1.83, -1.16],
        parameters: [1_648, 5_310],
    },
    TaskRow {
        task: "satlib",
        strat: [(99.98, 0.02), (99.96, 0.04)],
        transformer: [(62.67, 5.58), (56.18, 4.91)],
        difference: [(37.31, 5.58), (43.78, 4.91)],
        shift: [-0.02, -6.49],
        parameters: [1_648, 5_310],
    },
    TaskRow {
        task: "tic-tac-toe",
        strat: [(98.19, 0.00), (94.64, 0.00)],
        transformer: [(80.91, 2.53), (60.49, 5.47)],
        difference: [(17.28, 2.53), (34.15, 5.47)],
        shift: [-3.54, -20.42],
        parameters: [33_474, 58_498],
    },
    TaskRow {
        task: "life",
        strat: [(88.71, 2.72), (79.26, 12.99)],
        transformer: [(80.54, 2.64), (69.08, 12.89)],
        difference: [(8.16, 3.61), (10.18, 17.94)],
        shift: [-9.45, -11.46],
        parameters: [17_993, 30_761],
    },
    TaskRow {
        task: "parity5",
        strat: [(96.94, 0.06), (97.12, 0.25)],
        transformer: [(84.56, 2.48), (44.81, 10.13)],
        difference: [(12.38, 2.49), (52.31, 10.19)],
        shift: [0.19, -39.75],
        parameters: [35_314, 60_594],
    },
    TaskRow {
        task: "m-of-n",
        strat: [(100.00, 0.00), (100.00, 0.00)],
        transformer: [(86.65, 4.14), (78.23, 5.24)],
        difference: [(13.35, 4.14), (21.77, 5.24)],
        shift: [0.00, -8.42],
        parameters: [17_722, 30_426],
    },
    TaskRow {
        task: "monk-2",
        strat: [(90.86, 3.04), (90.92, 3.07)],
        transformer: [(62.01, 5.13), (61.99, 5.22)],
        difference: [(28.84, 7.17), (28.93, 7.29)],
        shift: [0.06, -0.03],
        parameters: [17_722, 30_426],
    },
    TaskRow {
        task: "led24",
        strat: [(100.00, 0.00), (100.00, 0.00)],
        transformer: [(56.01, 2.14), (45.76, 6.06)],
        difference: [(43.99, 2.14), (54.24, 6.06)],
        shift: [0.00, -10.25],
        parameters: [17_722, 30_426],
    },
    TaskRow {
        task: "threeof9",
        strat: [(80.18, 0.57), (73.12, 0.88)],
        transformer: [(59.30, 2.17), (51.18, 5.03)],
        difference: [(20.88, 2.14), (21.94, 5.39)],
        shift: [-7.05, -8.12],
        parameters: [17_722, 30_426],
    },
    TaskRow {
        task: "spect",
        strat: [(94.91, 1.05), (93.05, 0.15)],
        transformer: [(76.50, 2.63), (71.04, 1.35)],
        difference: [(18.40, 2.37), (22.01, 1.34)],
        shift: [-1.86, -5.46],
        parameters: [17_722, 30_426],
    },
];

/// The last row of Table 6: means over the data sets, without errors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Average {
    /// Accuracy of STRAT in percent: ID, OOD.
    pub strat: [f64; 2],
    /// The same of the Transformer.
    pub transformer: [f64; 2],
    /// STRAT less the Transformer: ID, OOD.
    pub difference: [f64; 2],
    /// OOD less ID: STRAT, Transformer.
    pub shift: [f64; 2],
}

/// Macro averages over all eleven.
pub const AVERAGE: Average = Average {
    strat: [93.51, 91.13],
    transformer: [67.52, 55.77],
    difference: [26.00, 35.36],
    shift: [-2.39, -11.75],
};

/// Learners of a model on a data set: seeds 41 to 50.
pub const SEEDS: usize = 10;

/// Percent with two digits as a share.
fn share(percent: f64) -> Printed {
    Printed { value: percent / 100.0, unit: 1e-4, n: SEEDS }
}

fn mean((percent, error): (f64, f64)) -> PrintedMean {
    PrintedMean { mean: share(percent), error: Some(error / 100.0) }
}

impl TaskRow {
    /// The row of a task.
    pub fn of(task: &str) -> Option<&'static TaskRow> {
        TASKS.iter().find(|row| row.task == task)
    }

    /// The printed accuracies of a model, ID and OOD, as shares.
    pub fn accuracy(&self, architecture: Architecture) -> [PrintedMean; 2] {
        match architecture {
            Architecture::Strat => self.strat.map(mean),
            Architecture::Transformer => self.transformer.map(mean),
        }
    }

    /// STRAT less the Transformer, ID and OOD, as shares.
    pub fn difference(&self) -> [PrintedMean; 2] {
        self.difference.map(mean)
    }

    /// OOD less ID of a model, as a share.
    pub fn shift(&self, architecture: Architecture) -> Printed {
        match architecture {
            Architecture::Strat => share(self.shift[0]),
            Architecture::Transformer => share(self.shift[1]),
        }
    }
}

impl Average {
    /// The averages of a model, ID and OOD, as shares.
    pub fn accuracy(&self, architecture: Architecture) -> [Printed; 2] {
        match architecture {
            Architecture::Strat => self.strat.map(share),
            Architecture::Transformer => self.transformer.map(share),
        }
    }

    /// STRAT less the Transformer, ID and OOD, as shares.
    pub fn difference(&self) -> [Printed; 2] {
        self.difference.map(share)
    }

    /// OOD less ID of a model, as a share.
    pub fn shift(&self, architecture: Architecture) -> Printed {
        match architecture {
            Architecture::Strat => share(self.shift[0]),
            Architecture::Transformer => share(self.shift[1]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Figures that follow from each other, as far as two digits let them: a slip of the pen would show.
    #[test]
    fn the_table_adds_up() {
        let near = |a: f64, b: f64, what: &str| assert!((a - b).abs() < 0.0151, "{what}: {a}, but {b} is printed");
        for row in &TASKS {
            for i in 0..2 {
                near(row.strat[i].0 - row.transformer[i].0, row.difference[i].0, row.task);
            }
            near(row.strat[1].0 - row.strat[0].0, row.shift[0], row.task);
            near(row.transformer[1].0 - row.transformer[0].0, row.shift[1], row.task);
        }
        let over = |figure: &dyn Fn(&TaskRow) -> f64| TASKS.iter().map(figure).sum::<f64>() / 11.0;
        for i in 0..2 {
            near(over(&|r| r.strat[i].0), AVERAGE.strat[i], "average of STRAT");
            near(over(&|r| r.transformer[i].0), AVERAGE.transformer[i], "average of the Transformer");
            near(over(&|r| r.difference[i].0), AVERAGE.difference[i], "average difference");
            near(over(&|r| r.shift[i]), AVERAGE.shift[i], "average shift");
        }
    }

    #[test]
    fn figures_are_shares_of_their_model() {
        let life = TaskRow::of("life").unwrap();
        let [_, ood] = life.accuracy(Architecture::Transformer);
        let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{a}, not {b}");
        near(ood.mean.value, 0.6908);
        near(ood.error.unwrap(), 0.1289);
        near(life.shift(Architecture::Strat).value, -0.0945);
        near(AVERAGE.accuracy(Architecture::Strat)[1].value, 0.9113);
        assert_eq!(TaskRow::of("chess"), None);
    }
}
