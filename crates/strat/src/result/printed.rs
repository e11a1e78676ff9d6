//! Figures that are printed somewhere, to be compared with.

/// A printed figure; it stands for every number that rounds to it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Printed {
    /// As printed (shares between 0 and 1).
    pub value: f64,
    /// The last printed digit's unit.
    pub unit: f64,
    /// Learners behind it; 0 of what does not depend on learners.
    pub n: usize,
}

impl Printed {
    /// A number that no learner can change.
    pub fn exact(value: f64, unit: f64) -> Printed {
        Printed { value, unit, n: 0 }
    }

    /// The numbers that would be printed so.
    pub fn range(&self) -> (f64, f64) {
        (self.value - self.unit / 2.0, self.value + self.unit / 2.0)
    }
}

/// A printed mean.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PrintedMean {
    /// The mean.
    pub mean: Printed,
    /// Its standard error, if that is printed.
    pub error: Option<f64>,
}
