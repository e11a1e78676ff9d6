//! A sum from a line that someone types.

use super::Sum;
use crate::data::clip;
use std::str::FromStr;

/// Most literals of a sum that is typed: every two of its tokens have a route.
const MOST_TERMS: usize = 64;
/// The largest number of a sum that is typed.
const LARGEST: f64 = 1e12;

/// Why a text is no sum.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SumError {
    /// A part that should be a number.
    #[error("{0:?} should be a number without a sign, such as 12 or 0.5, of at most 1e12")]
    Literal(String),
    /// A number that the sums of a set do not have.
    #[error("{0} should be a whole number up to 4294967295")]
    Whole(String),
    /// More than anyone meant.
    #[error("{found} numbers, but a sum should have at most {MOST_TERMS}")]
    Long {
        /// How many there are.
        found: usize,
    },
}

/// Numbers, and whether each is subtracted, from numbers with + and - (or −) between them; spaces do not matter. A sign
/// before the first number stands after a zero: `-5 + 3` is `0 - 5 + 3`.
pub(in crate::task) fn terms(text: &str) -> Result<(Vec<f64>, Vec<bool>), SumError> {
    let mut text: String = text.split_whitespace().collect();
    let is_operator = |c: char| matches!(c, '+' | '-' | '−');
    if text.starts_with(is_operator) {
        text.insert(0, '0');
    }
    let found = 1 + text.chars().filter(|&c| is_operator(c)).count();
    if found > MOST_TERMS {
        return Err(SumError::Long { found });
    }
    let literal = |part: &str| {
        // `1e5`, `inf` and `+5` are numbers to Rust, but parts have digits and one point here.
        let is_plain = part.bytes().all(|b| b.is_ascii_digit() || b == b'.');
        let number = part.parse().ok().filter(|&x: &f64| is_plain && x <= LARGEST);
        number.ok_or_else(|| SumError::Literal(clip(part)))
    };
    let values = text.split(is_operator).map(literal).collect::<Result<_, _>>()?;
    let minus = text.chars().filter(|&c| is_operator(c)).map(|c| c != '+');
    Ok((values, std::iter::once(false).chain(minus).collect()))
}

impl FromStr for Sum {
    type Err = SumError;

    /// Whole numbers with + and - (or −) between them; spaces do not matter.
    fn from_str(text: &str) -> Result<Sum, SumError> {
        let (values, minus) = terms(text)?;
        let whole = |&x: &f64| {
            let fits = x.fract() == 0.0 && x <= f64::from(u32::MAX);
            if fits { Ok(x as u32) } else { Err(SumError::Whole(x.to_string())) }
        };
        Ok(Sum { values: values.iter().map(whole).collect::<Result<_, _>>()?, minus })
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
    fn decimals_and_a_leading_sign_are_read() {
        assert_eq!(terms("1.5 - .25 + 2."), Ok((vec![1.5, 0.25, 2.0], vec![false, true, false])));
        assert_eq!(terms("-5 + 3"), terms("0 - 5 + 3"));
        assert_eq!(terms("+5"), Ok((vec![0.0, 5.0], vec![false, false])));
        assert_eq!("-5".parse::<Sum>(), Ok(Sum { values: vec![0, 5], minus: vec![false, true] }));
        assert_eq!("1.5".parse::<Sum>(), Err(SumError::Whole("1.5".into())));
        assert_eq!("1 + 4294967296".parse::<Sum>(), Err(SumError::Whole("4294967296".into())));
    }

    #[test]
    fn what_is_no_sum_is_refused() {
        let literal = |text: &str| Err(SumError::Literal(text.into()));
        assert_eq!("".parse::<Sum>(), literal(""));
        assert_eq!("1 + two".parse::<Sum>(), literal("two"));
        for wrong in ["1e5", "1.2.3", ".", "inf", "NaN", "1000000000001", "0x1", "3,5"] {
            assert_eq!(terms(wrong), Err(SumError::Literal(wrong.into())), "{wrong}");
        }
        assert_eq!(terms("3 - -5"), Err(SumError::Literal(String::new())));
        assert_eq!("1+".repeat(64).parse::<Sum>(), Err(SumError::Long { found: 65 }));
    }
}
