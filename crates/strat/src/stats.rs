//! Figures of a sample and their 95 % intervals.
//!
//! | figure | interval |
//! |---|---|
//! | a share (also a mean of zeros and ones) | Wilson's score interval: 0 of 400 is 0 to 0.95 % |
//! | another mean, also of differences taken seed by seed | Student's t with n − 1 degrees of freedom |
//! | a quantile | percentiles of 2,000 bootstrap resamples |
//!
//! Values that are all alike have an interval without width: no spread was seen, which is not to say that there is none.
//! Fewer than [`Estimate::FEWEST`] learners have none: what they would give looks like an interval and covers far less.

use crate::rng::{RandomStream, Stream};

/// Resamples behind the interval of a quantile.
const RESAMPLES: u32 = 2000;
/// Learners that an interval takes.
pub(crate) const FEWEST: usize = 5;
/// 95 % of a normal distribution lie within so many deviations.
const NORMAL: f64 = 1.959_963_984_540_054;

/// A figure of a sample that can be read off its sorted values.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Statistic {
    /// The value below which this share lies, interpolated between neighbours.
    Quantile(f64),
    /// The share of values below a threshold.
    ShareBelow(f64),
    /// The mean.
    Mean,
}

impl Statistic {
    /// Of values in their order, at least one.
    pub fn of_sorted(self, sorted: &[f64]) -> f64 {
        match self {
            Statistic::Quantile(q) => {
                let at = q * (sorted.len() - 1) as f64;
                let (low, high) = (sorted[at.floor() as usize], sorted[at.ceil() as usize]);
                if low == high { low } else { low + (high - low) * at.fract() }
            }
            Statistic::Mean => sorted.iter().sum::<f64>() / sorted.len() as f64,
            Statistic::ShareBelow(x) => sorted.partition_point(|v| *v < x) as f64 / sorted.len() as f64,
        }
    }
}

/// Standard deviation, of n − 1; NaN for fewer than two.
pub fn standard_deviation(sample: &[f64]) -> f64 {
    let n = sample.len() as f64;
    let mean = sample.iter().sum::<f64>() / n;
    let squares: f64 = sample.iter().map(|x| (x - mean) * (x - mean)).sum();
    (squares / (n - 1.0)).sqrt()
}

/// Standard error of the mean; NaN for fewer than two.
pub fn standard_error(sample: &[f64]) -> f64 {
    standard_deviation(sample) / (sample.len() as f64).sqrt()
}

/// Wilson's 95 % score interval of a share of `n` (E. B. Wilson, 1927).
pub(crate) fn wilson(share: f64, n: usize) -> [f64; 2] {
    let (n, z) = (n as f64, NORMAL * NORMAL);
    let middle = share + z / (2.0 * n);
    let half = NORMAL * (share * (1.0 - share) / n + z / (4.0 * n * n)).sqrt();
    [middle - half, middle + half].map(|x| (x / (1.0 + z / n)).clamp(0.0, 1.0))
}

/// Half the width of the 95 % interval of a mean of `n`, in standard errors: Student's t with n − 1 degrees of freedom.
/// Infinite for fewer than two.
pub(crate) fn student(n: usize) -> f64 {
    let degrees = match n {
        0 | 1 => return f64::INFINITY,
        // No digit that is printed would change.
        n if n > 10_000 => return NORMAL,
        n => n - 1,
    };
    let [mut low, mut high] = [NORMAL, 13.0];
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        if within(middle, degrees) < 0.95 { low = middle } else { high = middle }
    }
    (low + high) / 2.0
}

/// The share of Student's t within ±t, for whole degrees of freedom (Abramowitz and Stegun, 26.7.3 and 26.7.4).
fn within(t: f64, degrees: usize) -> f64 {
    let v = degrees as f64;
    let (cos, sin) = ((v / (v + t * t)).sqrt(), t / (v + t * t).sqrt());
    let odd = degrees % 2 == 1;
    let mut term = match degrees {
        1 => 0.0,
        _ if odd => cos,
        _ => 1.0,
    };
    let mut sum = term;
    for k in (if odd { 2 } else { 1 }..degrees.saturating_sub(2)).step_by(2) {
        term *= k as f64 / (k + 1) as f64 * cos * cos;
        sum += term;
    }
    if odd { std::f64::consts::FRAC_2_PI * (libm::atan2(sin, cos) + sin * sum) } else { sin * sum }
}

/// A figure with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// On the sample itself; NaN if that is empty.
    pub value: f64,
    /// The ends of the interval; none for fewer than [`Estimate::FEWEST`].
    pub interval: Option<[f64; 2]>,
}

impl Estimate {
    /// Learners that an interval takes.
    pub const FEWEST: usize = FEWEST;
}

/// Each figure of `sample` with its interval. NaN counts as infinite: a learner that diverged is as wrong as can be.
pub fn estimate(sample: &[f64], figures: &[Statistic]) -> Vec<Estimate> {
    let mut sorted: Vec<f64> = sample.iter().map(|x| if x.is_nan() { f64::INFINITY } else { *x }).collect();
    sorted.sort_by(f64::total_cmp);
    if sorted.is_empty() {
        return vec![Estimate { value: f64::NAN, interval: None }; figures.len()];
    }
    let n = sorted.len();
    let resampled = if n < FEWEST { vec![] } else { bootstrap(&sorted, figures) };
    let one = |(i, f): (usize, &Statistic)| {
        let value = f.of_sorted(&sorted);
        let interval = || match f {
            Statistic::ShareBelow(_) => wilson(value, n),
            Statistic::Mean if sorted.iter().all(|x| [0.0, 1.0].contains(x)) => wilson(value, n),
            Statistic::Mean => {
                let half = student(n) * standard_error(&sorted);
                [value - half, value + half]
            }
            Statistic::Quantile(_) => [0.025, 0.975].map(|q| Statistic::Quantile(q).of_sorted(&resampled[i])),
        };
        // A mean with a diverged learner among them has none.
        let interval = (n >= FEWEST).then(interval).filter(|[low, high]| !low.is_nan() && !high.is_nan());
        Estimate { value, interval }
    };
    figures.iter().enumerate().map(one).collect()
}

/// The quantiles among some figures of 2,000 resamples of a sorted sample, in their order; nothing for other figures.
fn bootstrap(sorted: &[f64], figures: &[Statistic]) -> Vec<Vec<f64>> {
    let mut resampled: Vec<Vec<f64>> = vec![vec![]; figures.len()];
    let quantiles: Vec<usize> =
        (0..figures.len()).filter(|&i| matches!(figures[i], Statistic::Quantile(_))).collect();
    if quantiles.is_empty() {
        return resampled;
    }
    let n = sorted.len();
    let (mut counts, mut again) = (vec![0u32; n], Vec::with_capacity(n));
    for r in 0..RESAMPLES {
        // Drawing ranks and counting them keeps the resample sorted without sorting.
        let mut draws = RandomStream::new(n as u64, Stream::Bootstrap, r);
        counts.fill(0);
        (0..n).for_each(|_| counts[draws.below(n as u32) as usize] += 1);
        again.clear();
        for (x, &c) in sorted.iter().zip(&counts) {
            again.extend(std::iter::repeat_n(*x, c as usize));
        }
        quantiles.iter().for_each(|&i| resampled[i].push(figures[i].of_sorted(&again)));
    }
    resampled.iter_mut().for_each(|r| r.sort_by(f64::total_cmp));
    resampled
}

#[cfg(test)]
mod tests;
