//! How the loss of a learner went, in a few numbers.

/// Most losses of a learner that are kept.
pub const POINTS: usize = 40;

/// Steps between two losses that are kept, the first of them that of step 0.
pub fn every(steps: usize) -> usize {
    steps.div_ceil(POINTS).max(1)
}

/// The losses of a learner as far as it is trained.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Losses {
    /// Those of steps that were not reached are 0.
    points: [f32; POINTS],
    steps: usize,
}

impl Losses {
    /// Of a learner that will take so many steps.
    pub fn new(steps: usize) -> Self {
        Losses { points: [0.0; POINTS], steps }
    }

    /// The same, in part written before.
    pub fn resumed(steps: usize, points: [f32; POINTS]) -> Self {
        Losses { points, steps }
    }

    /// Whether the loss of a step is kept.
    pub fn is_sampled(&self, step: usize) -> bool {
        step < self.steps && step.is_multiple_of(every(self.steps))
    }

    /// Keeps it, if it is, with four digits: more would be noise, and take room in every log.
    pub fn record(&mut self, step: usize, loss: f64) {
        if self.is_sampled(step) {
            let rounded = format!("{loss:.3e}").parse().unwrap_or(f32::NAN);
            self.points[step / every(self.steps)] = if f32::is_finite(rounded) { rounded } else { f32::NAN };
        }
    }

    /// All of them, as they are saved.
    pub fn points(&self) -> [f32; POINTS] {
        self.points
    }

    /// Those of the first so many steps.
    pub fn until(&self, step: usize) -> &[f32] {
        &self.points[..step.min(self.steps).div_ceil(every(self.steps))]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn at_most_so_many_evenly_from_the_first() {
        for (steps, count) in [(0, 0), (1, 1), (39, 39), (40, 40), (41, 21), (2000, 40), (6000, 40), (50, 25)] {
            let mut losses = Losses::new(steps);
            (0..steps).for_each(|step| losses.record(step, step as f64));
            let expected: Vec<f32> = (0..steps).step_by(every(steps)).map(|s| s as f32).collect();
            assert_eq!(losses.until(steps), expected, "{steps} steps");
            assert_eq!(expected.len(), count);
        }
    }

    #[test]
    fn four_digits_and_one_kind_of_number_that_is_none() {
        let mut losses = Losses::new(4);
        [28.530942, f64::INFINITY, 0.000123456, 1e300].iter().enumerate().for_each(|(i, x)| losses.record(i, *x));
        assert_eq!((losses.until(4)[0], losses.until(4)[2]), (28.53, 0.0001235));
        assert!(losses.until(4)[1].is_nan() && losses.until(4)[3].is_nan());
        assert_eq!(losses.until(1), [28.53]);
    }
}
