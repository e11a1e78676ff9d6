//! A learner in training, on disk: all that its next epoch depends on.
//!
//! Randomness needs no state of its own: what an epoch draws follows from the seed and the
//! epoch's number ([`crate::rng`]), so a resumed learner repeats no batch and misses none.

use super::weights::{compare, header};
use super::{RunId, WeightsError};
use crate::engine::Elem;
use crate::model::{ModelRecord, Param};
use crate::train::State;
use crate::train::losses::POINTS;
use safetensors::tensor::Dtype;

/// Numbers of the tensor `state`: epochs done, window, the loss's bits, checksum of all but itself.
const STATE: usize = 4;

/// Whose file it is: another's does not check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Owner {
    /// The run.
    pub run: RunId,
    /// Number of the row.
    pub row: usize,
    /// The learner.
    pub seed: u64,
}

/// The header, the parameters, and how long the file is.
fn layout<E: Elem>(model: &ModelRecord) -> (Vec<u8>, Vec<Param>, usize) {
    let params = model.params();
    let tensor = |p: &Param| {
        [".weight", ".first_moment", ".second_moment"]
            .map(|part| (format!("{}{part}", p.name), E::DTYPE, p.shape.to_vec()))
    };
    let state = ("state".to_string(), Dtype::U64, vec![STATE]);
    let losses = ("losses".to_string(), Dtype::F32, vec![POINTS]);
    let tensors = [state, losses].into_iter().chain(params.iter().flat_map(tensor));
    let header = header(model, tensors);
    let numbers: usize = params.iter().map(|p| p.shape[0] * p.shape[1]).sum();
    let length = header.len() + STATE * 8 + POINTS * 4 + numbers * 3 * size_of::<E>();
    (header, params, length)
}

/// How many bytes the file of a learner of this model has.
pub(super) fn length<E: Elem>(model: &ModelRecord) -> u64 {
    layout::<E>(model).2 as u64
}

/// Checksum of the owner, the facts and the numbers.
fn checksum(owner: &Owner, facts: &[u8], content: &[u8]) -> u32 {
    let mut crc = owner.run.hasher();
    crc.update(&(owner.row as u64).to_le_bytes());
    crc.update(&owner.seed.to_le_bytes());
    crc.update(facts);
    crc.update(content);
    crc.finalize()
}

/// The file of a learner of this model.
pub fn encode<E: Elem>(model: &ModelRecord, owner: &Owner, state: &State<E>) -> Vec<u8> {
    let facts = [state.step as u64, state.window as u64, state.last_loss.to_bits()];
    let facts: Vec<u8> = facts.iter().flat_map(|x| x.to_le_bytes()).collect();
    let numbers = state.params.iter().flatten();
    let mut content =
        Vec::with_capacity(POINTS * 4 + numbers.clone().map(Vec::len).sum::<usize>() * size_of::<E>());
    state.losses.iter().for_each(|x| content.extend_from_slice(&x.to_le_bytes()));
    numbers.flatten().for_each(|x| x.write_le(&mut content));
    let crc = u64::from(checksum(owner, &facts, &content)).to_le_bytes();
    [&layout::<E>(model).0, &facts, &crc[..], &content].concat()
}

/// What such a file holds.
pub fn decode<E: Elem>(model: &ModelRecord, owner: &Owner, bytes: &[u8]) -> Result<State<E>, WeightsError> {
    let (header, params, length) = layout::<E>(model);
    if bytes.len() != length {
        return Err(WeightsError::Length { expected: length as u64, found: bytes.len() as u64 });
    }
    compare(&header, bytes)?;
    let (facts, content) = bytes[header.len()..].split_at(STATE * 8);
    let numbers: Vec<u64> = facts.as_chunks().0.iter().map(|b| u64::from_le_bytes(*b)).collect();
    let [step, window, loss, found] = numbers[..] else { unreachable!("so many facts were split off") };
    let expected = checksum(owner, &facts[..(STATE - 1) * 8], content);
    if u64::from(expected) != found {
        return Err(WeightsError::Checksum { expected, found: found as u32 });
    }
    let (losses, content) = content.split_at(POINTS * 4);
    let mut points = losses.as_chunks().0.iter().map(|b| f32::from_le_bytes(*b));
    let losses = std::array::from_fn(|_| points.next().unwrap_or(f32::NAN));
    let mut numbers = content.chunks_exact(size_of::<E>()).map(E::read_le);
    let sizes = params.iter().map(|p| p.shape[0] * p.shape[1]);
    let params = sizes.map(|n| [(); 3].map(|()| numbers.by_ref().take(n).collect())).collect();
    Ok(State { step: step as usize, window: window as usize, last_loss: f64::from_bits(loss), losses, params })
}
