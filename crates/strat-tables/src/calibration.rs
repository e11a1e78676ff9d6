//! Probabilities made right by what was said of rows left out: a temperature, and the probability that all is chance.

use crate::classifier::softmax;

/// A probability counts as no less than this: one sure mistake does not decide all.
const LEAST: f64 = 1e-3;
/// Logarithms of temperatures that are tried: this far below and above 0, in so many steps.
const TEMPERATURES: (f64, usize) = (1.0, 20);
/// The logarithm of a temperature is expected at the first of these, less the second for each factor e of rows above
/// [`MIDDLE`], within the third. Methods that are shown all rows are surer, and right, more often than when some were
/// left out; so it falls with the number of rows. Chosen on draw 0 of the tables `fresh`, on draw 13 of the made tables and, of random
/// labels, 30 to 39, which no report uses.
const EXPECTED: [f64; 3] = [-0.05, 0.12, 0.25];
const MIDDLE: f64 = 30.0;
/// How many times as likely it is that classes are drawn like a fair coin's, before any row is seen, as that there is something
/// to learn, for each row: the more rows, the more should be there to be seen.
const CHANCE: f64 = 0.07;
/// What counts against it: the [evidence](crate::evidence), and by so much what the mixture gained on rows left out. That is
/// the larger of the two by far if a simple rule happens to fit all rows, for then it fits whichever are left out: of
/// twenty rows with random labels it may be 12 nats where the evidence is 2. Of 400 settings, this one was chosen on draws 10
/// and 11 of the benchmark's tables and, of random labels, 10 to 29: the log-loss is less than with what rows left out gained
/// alone, and random labels are taken for no surer.
const GAINED: f64 = 0.5;

/// How probabilities are made right.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Calibration {
    /// Above 1 where the mixture was too sure of rows that it was not shown, below 1 where it was not sure enough.
    pub temperature: f64,
    /// The probability that classes follow from nothing: by so much, all are equally likely.
    pub chance: f64,
}

impl Calibration {
    /// By what was said of rows of these classes, not having seen them, and by the evidence that there is something to learn,
    /// in nats.
    pub fn of(labels: &[usize], said: &[Vec<f64>], evidence: f64) -> Calibration {
        let likelihood = |temperature: f64| {
            let one = |(&class, p): (&usize, &Vec<f64>)| {
                let mut p = p.clone();
                warm(&mut p, temperature);
                libm::log(at_least(p[class], p.len()))
            };
            labels.iter().zip(said).map(one).sum::<f64>()
        };
        let expected = EXPECTED[0] - EXPECTED[1] * libm::log(labels.len().max(1) as f64 / MIDDLE);
        let (most, steps) = TEMPERATURES;
        let logs: Vec<f64> = (0..=steps).map(|i| most * (2.0 * i as f64 / steps as f64 - 1.0)).collect();
        let likely = |log: &f64| {
            let off = (log - expected) / EXPECTED[2];
            likelihood(libm::exp(*log)) - off * off / 2.0
        };
        let mut weights: Vec<f64> = logs.iter().map(likely).collect();
        softmax(&mut weights);
        let temperature = libm::exp(logs.iter().zip(&weights).map(|(log, weight)| log * weight).sum());
        let classes = said.first().map_or(1, Vec::len);
        let gained = likelihood(temperature) + labels.len() as f64 * libm::log(classes as f64);
        let odds = libm::log(CHANCE * labels.len().max(1) as f64) - evidence - GAINED * gained;
        Calibration { temperature, chance: 1.0 / (1.0 + libm::exp((-odds).clamp(-700.0, 700.0))) }
    }

    /// Makes probabilities right.
    pub fn apply(&self, probabilities: &mut [f64]) {
        warm(probabilities, self.temperature);
        let equal = 1.0 / probabilities.len() as f64;
        probabilities.iter_mut().for_each(|p| *p = self.chance * equal + (1.0 - self.chance) * *p);
    }
}

/// Makes probabilities less sure by a temperature above 1, and surer by one below.
fn warm(probabilities: &mut [f64], temperature: f64) {
    probabilities.iter_mut().for_each(|p| *p = libm::log(p.max(1e-6)) / temperature);
    softmax(probabilities);
}

/// A probability that is not below the least.
pub(crate) fn at_least(p: f64, classes: usize) -> f64 {
    p.max(LEAST) / (1.0 + LEAST * classes as f64)
}

/// The mean surprise of rows' classes, in nats; a probability counts as at least 0.001.
pub fn log_loss(labels: &[usize], said: &[Vec<f64>]) -> f64 {
    let one = |(&class, p): (&usize, &Vec<f64>)| -libm::log(at_least(p[class], p.len()));
    labels.iter().zip(said).map(one).sum::<f64>() / labels.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of 50 rows of the first class.
    fn of(sure: f64, right: usize, evidence: f64) -> Calibration {
        let said = (0..50).map(|i| if i < right { vec![sure, 1.0 - sure] } else { vec![1.0 - sure, sure] });
        Calibration::of(&[0; 50], &said.collect::<Vec<_>>(), evidence)
    }

    /// Who is sure of 99 % and right on 60 % is made less sure, and who is sure of 80 % and right on all is made surer.
    #[test]
    fn the_temperature_follows_how_sure_the_mixture_was() {
        let [too_sure, not_enough, right] =
            [of(0.99, 30, 0.0), of(0.8, 50, 0.0), of(0.8, 40, 0.0)].map(|c| c.temperature);
        assert!(too_sure > 1.5 && not_enough < 0.8, "{too_sure} {not_enough}");
        assert!((0.7..1.05).contains(&right), "{right}");
        let mut p = [0.8, 0.15, 0.05];
        warm(&mut p, 1.0);
        assert!((p[0] - 0.8).abs() < 1e-12 && (p.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        warm(&mut p, 2.0);
        assert!(p[0] < 0.7 && p[0] > p[1] && p[1] > p[2], "{p:?}");
    }

    #[test]
    fn who_is_right_half_of_the_time_has_learned_nothing() {
        let [lucky, coin, skilled] = [of(0.7, 28, -1.0), of(0.7, 25, -2.0), of(0.8, 40, 6.0)].map(|c| c.chance);
        assert!(coin > 0.8 && lucky > 0.5 && skilled < 1e-2, "{coin} {lucky} {skilled}");
        // Rows left out alone say less than rows left out and the evidence.
        assert!(of(0.8, 40, 0.0).chance > 5.0 * skilled);
        let mut p = [0.9, 0.1];
        Calibration { temperature: 1.0, chance: 0.5 }.apply(&mut p);
        assert!((p[0] - 0.7).abs() < 1e-12 && (p[1] - 0.3).abs() < 1e-12, "{p:?}");
    }

    #[test]
    fn surprise_is_that_of_the_formula() {
        let loss = log_loss(&[0, 1], &[vec![0.8, 0.2], vec![1.0, 0.0]]);
        let by_hand = -((0.8f64 / 1.002).ln() + (0.001f64 / 1.002).ln()) / 2.0;
        assert!((loss - by_hand).abs() < 1e-12);
    }
}
