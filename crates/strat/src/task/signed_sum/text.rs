//! A sum from a line that someone types.

use super::Sum;
use crate::data::clip;
use std::str::FromStr;

/// Most literals of a sum that is typed: every two of its tokens have a route.
const MOST_TERMS: usize = 64;

/// Why a text is no sum.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SumError {
    /// A part that should be a number.
    #[error("{0:?} should be a whole number up to 4294967295; a sum is such as `12 + 3 - 5`")]
    Literal(String),
    /// More than anyone meant.
    #[error("{found} numbers, but a sum should have at most {MOST_TERMS}")]
    Long {
        /// How many there are.
        found: usize,
    },
}

impl FromStr for Sum {
    type Err = SumError;

    /// Numbers with + and - (or −) between them; spaces do not matter.
    fn from_str(text: &str) -> Result<Sum, SumError> {
        let text: String = text.split_whitespace().collect();
        let is_operator = |c: char| matches!(c, '+' | '-' | '−');
        let found = 1 + text.chars().filter(|&c| is_operator(c)).count();
        if found > MOST_TERMS {
            return Err(SumError::Long { found });
        }
        let literal = |part: &str| {
            // `+5` is a number to Rust, but parts have no signs here.
            let digits = part.bytes().all(|b| b.is_ascii_digit());
            part.parse().ok().filter(|_| digits).ok_or_else(|| SumError::Literal(clip(part)))
        };
        let values = text.split(is_operator).map(literal).collect::<Result<_, _>>()?;
        let minus = text.chars().filter(|&c| is_operator(c)).map(|c| c != '+');
        Ok(Sum { values, minus: std::iter::once(false).chain(minus).collect() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{RandomStream, Stream};
    use crate::task::SignedSum;

    #[test]
    fn what_is_printed_is_read() {
        for sum in SignedSum::OOD.draw_many(100, RandomStream::new(4, Stream::TestOod, 0)) {
            assert_eq!(sum.to_string().parse(), Ok(sum));
        }
        assert_eq!("12+ 3 − 5".parse(), Ok(Sum { values: vec![12, 3, 5], minus: vec![false, false, true] }));
        assert_eq!("7".parse(), Ok(Sum { values: vec![7], minus: vec![false] }));
    }

    #[test]
    fn what_is_no_sum_is_refused() {
        let literal = |text: &str| Err(SumError::Literal(text.into()));
        assert_eq!("".parse::<Sum>(), literal(""));
        assert_eq!("-5".parse::<Sum>(), literal(""));
        assert_eq!("1 + two".parse::<Sum>(), literal("two"));
        assert_eq!("1 + 4294967296".parse::<Sum>(), literal("4294967296"));
        assert_eq!("1+".repeat(64).parse::<Sum>(), Err(SumError::Long { found: 65 }));
    }
}
