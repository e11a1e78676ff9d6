//! The nearest training example.

use super::rule::first_largest;
use crate::task::Example;

/// Symbols that differ; those that only the longer input has count too.
fn distance(a: &[u8], b: &[u8]) -> usize {
    a.iter().zip(b).filter(|(a, b)| a != b).count() + a.len().abs_diff(b.len())
}

/// The answer to the example that differs in the fewest symbols. Of several, each votes as often as it was seen, place
/// by place.
pub(super) fn nearest(seen: &[(Example, f64)], values: usize, input: &[u8]) -> Vec<u8> {
    let distances: Vec<usize> = seen.iter().map(|(example, _)| distance(&example.input, input)).collect();
    let least = distances.iter().min();
    let mut votes: Vec<Vec<f64>> = vec![];
    for ((example, count), _) in seen.iter().zip(&distances).filter(|(_, d)| Some(*d) == least) {
        let answer = example.target.values();
        votes.resize(answer.len(), vec![0.0; values]);
        votes.iter_mut().zip(answer).for_each(|(votes, &value)| votes[usize::from(value)] += count);
    }
    votes.iter().map(|votes| first_largest(votes)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::task::Target;

    fn seen(examples: &[(&[u8], u8, f64)]) -> Vec<(Example, f64)> {
        examples.iter().map(|&(i, class, n)| (Example::new(i.to_vec(), Target::Class(class)), n)).collect()
    }

    #[test]
    fn the_fewest_different_symbols_decide() {
        let seen = seen(&[(&[0, 0, 0], 2, 9.0), (&[1, 1, 1], 1, 1.0)]);
        assert_eq!(nearest(&seen, 3, &[0, 1, 1]), [1]);
        assert_eq!(nearest(&seen, 3, &[0, 2, 0]), [2]);
    }

    #[test]
    fn equally_near_ones_vote_and_the_smallest_of_a_draw_is_taken() {
        let even: [(&[u8], u8, f64); 3] = [(&[0, 0], 1, 1.0), (&[1, 1], 0, 2.0), (&[2, 0], 1, 1.0)];
        assert_eq!(nearest(&seen(&even), 2, &[1, 0]), [0]);
        let odd: [(&[u8], u8, f64); 3] = [(&[0, 0], 1, 1.5), (&[1, 1], 0, 2.0), (&[2, 0], 1, 1.0)];
        assert_eq!(nearest(&seen(&odd), 2, &[1, 0]), [1]);
    }

    #[test]
    fn what_only_one_has_is_a_difference() {
        assert_eq!(distance(&[1, 2, 3], &[1, 9]), 2);
        assert_eq!(distance(&[1, 2], &[1, 2, 3, 4, 5]), 3);
    }
}
