//! Percentiles and bootstrap intervals.

use crate::rng::{Draws, Stream};

/// Resamples behind an interval.
const RESAMPLES: u32 = 2000;

/// A figure of a sample that can be read off its sorted values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Figure {
    /// The value below which this share lies, interpolated between neighbours.
    Quantile(f64),
    /// The share of values below a threshold.
    ShareBelow(f64),
    /// The mean.
    Mean,
}

impl Figure {
    /// Of values in their order, at least one.
    pub(crate) fn of_sorted(self, sorted: &[f64]) -> f64 {
        match self {
            Figure::Quantile(q) => {
                let at = q * (sorted.len() - 1) as f64;
                let (low, high) = (sorted[at.floor() as usize], sorted[at.ceil() as usize]);
                if low == high { low } else { low + (high - low) * at.fract() }
            }
            Figure::Mean => sorted.iter().sum::<f64>() / sorted.len() as f64,
            Figure::ShareBelow(x) => sorted.partition_point(|v| *v < x) as f64 / sorted.len() as f64,
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

/// A figure with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// On the sample itself.
    pub value: f64,
    /// 2.5 % of resamples lie below.
    pub low: f64,
    /// 2.5 % of resamples lie above.
    pub high: f64,
}

/// Each figure of `sample` with its bootstrap percentile interval. NaN counts as infinite:
/// a learner that diverged is as wrong as can be.
///
/// # Panics
/// If the sample is empty.
pub fn estimate(sample: &[f64], figures: &[Figure]) -> Vec<Estimate> {
    assert!(!sample.is_empty(), "no sample, no figure");
    let mut sorted: Vec<f64> = sample.iter().map(|x| if x.is_nan() { f64::INFINITY } else { *x }).collect();
    sorted.sort_by(f64::total_cmp);
    let n = sorted.len();
    let mut resampled: Vec<Vec<f64>> = vec![vec![]; figures.len()];
    let (mut counts, mut again) = (vec![0u32; n], Vec::with_capacity(n));
    for r in 0..RESAMPLES {
        // Drawing ranks and counting them keeps the resample sorted without sorting.
        let mut draws = Draws::new(n as u64, Stream::Bootstrap, r);
        counts.fill(0);
        (0..n).for_each(|_| counts[draws.below(n as u32) as usize] += 1);
        again.clear();
        for (x, &c) in sorted.iter().zip(&counts) {
            again.extend(std::iter::repeat_n(*x, c as usize));
        }
        for (f, out) in figures.iter().zip(&mut resampled) {
            out.push(f.of_sorted(&again));
        }
    }
    let one = |(f, mut r): (&Figure, Vec<f64>)| {
        r.sort_by(f64::total_cmp);
        let at = |q| Figure::Quantile(q).of_sorted(&r);
        Estimate { value: f.of_sorted(&sorted), low: at(0.025), high: at(0.975) }
    };
    figures.iter().zip(resampled).map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_of_a_known_sample() {
        let sample: Vec<f64> = (1..=5).rev().map(f64::from).collect();
        let figures = [Figure::Quantile(0.5), Figure::Quantile(0.1), Figure::ShareBelow(3.0)];
        let e = estimate(&sample, &figures);
        assert_eq!(e[0].value, 3.0);
        assert!((e[1].value - 1.4).abs() < 1e-12); // as numpy.percentile
        assert_eq!(e[2].value, 0.4);
    }

    /// Of a share p over n the interval is close to p ± 1.96 √(p(1−p)/n).
    #[test]
    fn interval_of_a_share_has_the_textbook_width() {
        let sample: Vec<f64> = (0..400).map(|i| f64::from(i % 10)).collect();
        let e = estimate(&sample, &[Figure::ShareBelow(3.0)])[0];
        let half = 1.96 * (0.3f64 * 0.7 / 400.0).sqrt();
        assert!((e.low - (0.3 - half)).abs() < 0.01 && (e.high - (0.3 + half)).abs() < 0.01, "{e:?}");
    }

    #[test]
    fn mean_and_its_error() {
        let sample = [0.9, 0.95, 1.0, 0.95];
        let e = estimate(&sample, &[Figure::Mean])[0];
        assert!((e.value - 0.95).abs() < 1e-12 && e.low < 0.95 && e.high > 0.95);
        assert!((standard_error(&sample) - (0.005f64 / 3.0 / 4.0).sqrt()).abs() < 1e-12);
        assert!((standard_deviation(&sample) - (0.005f64 / 3.0).sqrt()).abs() < 1e-12);
        assert!(standard_error(&[1.0]).is_nan());
    }

    #[test]
    fn diverged_learners_count_as_infinitely_wrong() {
        let e = estimate(&[1.0, f64::NAN, f64::NAN], &[Figure::Quantile(0.5), Figure::ShareBelow(2.0)]);
        assert_eq!(e[0].value, f64::INFINITY);
        assert!((e[1].value - 1.0 / 3.0).abs() < 1e-12);
    }
}
