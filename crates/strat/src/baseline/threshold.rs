//! A rule that knows one number: yes from some size on, or no from there on.

/// A size with an answer, and how often.
pub(super) struct Measured {
    pub size: usize,
    pub yes: bool,
    pub count: f64,
}

/// The answer from a size on; below it the other one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Threshold {
    from: usize,
    yes: bool,
}

impl Threshold {
    /// The rule that is right most often. It stands halfway between two sizes that occur; of equally good ones the first
    /// is taken, so that a constant answer, and that no, goes before all others. None without examples.
    pub(super) fn fit(mut examples: Vec<Measured>) -> Option<Threshold> {
        examples.sort_by_key(|e| e.size);
        let mut sizes: Vec<usize> = examples.iter().map(|e| e.size).collect();
        sizes.dedup();
        let between = sizes.windows(2).map(|pair| pair[0] + (pair[1] - pair[0]).div_ceil(2));
        let rules =
            [0].into_iter().chain(between).flat_map(|from| [false, true].map(|yes| Threshold { from, yes }));
        let right = |rule: &Threshold| -> f64 {
            examples.iter().filter(|e| rule.says_yes(e.size) == e.yes).map(|e| e.count).sum()
        };
        let scored = rules.map(|rule| (right(&rule), rule));
        let best = scored.reduce(|best, next| if next.0 > best.0 { next } else { best });
        best.filter(|_| !examples.is_empty()).map(|(_, rule)| rule)
    }

    pub(super) fn says_yes(&self, size: usize) -> bool {
        (size >= self.from) == self.yes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fit(examples: &[(usize, bool)]) -> Option<Threshold> {
        Threshold::fit(examples.iter().map(|&(size, yes)| Measured { size, yes, count: 1.0 }).collect())
    }

    #[test]
    fn it_stands_halfway_between_what_it_separates() {
        assert_eq!(fit(&[(110, false), (91, true), (91, true)]), Some(Threshold { from: 101, yes: false }));
        let long = fit(&[(4, false), (7, true), (50, true)]).unwrap();
        assert!(!long.says_yes(5) && long.says_yes(6) && long.says_yes(1000));
    }

    #[test]
    fn without_a_difference_the_answer_is_constant() {
        assert_eq!(fit(&[(91, true), (91, false)]), Some(Threshold { from: 0, yes: false }));
        assert_eq!(fit(&[(91, true), (91, false), (91, true)]), Some(Threshold { from: 0, yes: true }));
        assert_eq!(fit(&[]), None);
    }

    #[test]
    fn examples_count_as_often_as_they_came() {
        let sized = |size, yes, count| Measured { size, yes, count };
        let fitted = Threshold::fit(vec![sized(1, false, 3.0), sized(2, true, 2.0), sized(3, false, 9.0)]);
        assert_eq!(fitted, Some(Threshold { from: 0, yes: false }));
    }
}
