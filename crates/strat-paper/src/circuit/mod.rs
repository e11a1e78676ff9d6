//! The circuit of a learner that reads sums, drawn by pages that compute it themselves: no server is needed for so few
//! weights. The scripts stand in `page/`; this is what they are given.

use crate::sheet::encode::base64;
use serde::Serialize;
use strat::engine::reference::Arrays;
use strat::model::{Lite, ModelRecord, Types, Unityped};

/// What the drawings look like.
pub(crate) const STYLE: &str = include_str!("page/circuit.css");

/// An array in few letters.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Packed {
    /// As [`Array::shape`](strat::trace::Array::shape).
    pub shape: Vec<usize>,
    /// The numbers.
    #[serde(flatten)]
    pub numbers: Numbers,
}

/// Numbers as little-endian bytes in base 64.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Numbers {
    /// Rounded to `f32`.
    F32(String),
    /// Of a large array, from which only a picture is made: each a whole number of this unit.
    I16 {
        /// The largest is 32,767 of it.
        unit: f64,
        /// The whole numbers.
        letters: String,
    },
}

/// Arrays with more numbers are rounded to 16 bits: two learners on a Sudoku fit into a page only so.
const LARGE: usize = 4096;

impl Packed {
    /// Of an array.
    pub fn of(shape: Vec<usize>, values: &[f64]) -> Packed {
        let largest = values.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        if values.len() <= LARGE || !values.iter().all(|x| x.is_finite()) {
            return Packed { shape, numbers: Numbers::F32(letters(values)) };
        }
        let unit = if largest == 0.0 { 1.0 } else { largest / f64::from(i16::MAX) };
        let bytes: Vec<u8> = values.iter().flat_map(|x| ((x / unit).round() as i16).to_le_bytes()).collect();
        Packed { shape, numbers: Numbers::I16 { unit, letters: base64(&bytes) } }
    }
}

/// Numbers, rounded to `f32`, as little-endian bytes in base 64.
pub(crate) fn letters(values: &[f64]) -> String {
    base64(&values.iter().flat_map(|&x| (x as f32).to_le_bytes()).collect::<Vec<u8>>())
}

/// Which forward pass a page is to compute.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Forward {
    /// STRAT-Lite that reads sums.
    Lite {
        /// Dimensions of Type.
        width: usize,
        /// Attention heads.
        heads: usize,
    },
    /// Config A and its relatives.
    Unityped {
        /// Dimensions of its stream.
        width: usize,
        /// What values are multiplied by.
        scale: f64,
        /// What is fetched is multiplied by this, where that is not learned.
        gain: f64,
        /// Whether there is LayerNorm.
        norm: bool,
    },
}

impl Forward {
    /// Of a model, if pages can compute it.
    pub fn of(model: &ModelRecord) -> Option<Forward> {
        match *model {
            ModelRecord::Lite(Lite { width, heads, types: Types::Fixed | Types::Latent }) => {
                Some(Forward::Lite { width, heads })
            }
            ModelRecord::Unityped(model) => Some(Forward::Unityped {
                width: 6,
                scale: if model.config == Unityped::As { 1.0 / 5000.0 } else { 1.0 },
                gain: if model.config == Unityped::Csb { 100.0 } else { 1.0 },
                norm: model.config == Unityped::Aln,
            }),
            _ => None,
        }
    }
}

/// A learner that the page computes itself.
#[derive(Clone, Debug, Serialize)]
pub struct InPage {
    /// How.
    #[serde(flatten)]
    pub forward: Forward,
    /// Parameters by name, by moment of its training.
    pub weights: Vec<Vec<(String, Packed)>>,
}

impl InPage {
    /// Of a model with these weights, if pages can compute it.
    pub fn of<'a>(model: &ModelRecord, moments: impl IntoIterator<Item = &'a Arrays>) -> Option<InPage> {
        let forward = Forward::of(model)?;
        let packed = |(name, values): (&String, &Vec<f64>)| (name.clone(), Packed::of(vec![values.len()], values));
        Some(InPage { forward, weights: moments.into_iter().map(|w| w.iter().map(packed).collect()).collect() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_arrays_take_half_the_room() {
        let values: Vec<f64> = (0..5000).map(|i| f64::from(i) / 5000.0).collect();
        let Numbers::I16 { unit, letters } = Packed::of(vec![5000], &values).numbers else { panic!("{LARGE}") };
        assert!((unit * 32767.0 - values[4999]).abs() < 1e-12);
        assert_eq!(letters.len(), (2 * 5000_usize).div_ceil(3) * 4);
        let exact = |values: &[f64]| matches!(Packed::of(vec![values.len()], values).numbers, Numbers::F32(_));
        assert!(exact(&values[..LARGE]), "small ones stay as they are");
        assert!(exact(&[&values[..], &[f64::NAN]].concat()), "and those that have no unit");
        assert!(!exact(&[0.0; 5000]));
    }
}
