//! A learner in training, on disk: all that its next epoch depends on.
//!
//! Randomness needs no state of its own: what an epoch draws follows from the seed and the
//! epoch's number ([`crate::rng`]), so a resumed learner repeats no batch and misses none.

use super::WeightsError;
use super::weights::{compare, header};
use crate::model::{Blocks, Param};
use crate::train::losses::POINTS;
use crate::train::task::State;
use safetensors::tensor::Dtype;

/// Numbers of the tensor `state`: epochs done, window, the loss's bits, checksum of all but itself.
const STATE: usize = 4;

fn layout(model: &Blocks) -> (Vec<u8>, Vec<Param>) {
    let params = model.params();
    let tensor = |p: &Param| {
        [".weight", ".first_moment", ".second_moment"]
            .map(|part| (format!("{}{part}", p.name), Dtype::F32, p.shape.to_vec()))
    };
    let state = ("state".to_string(), Dtype::U64, vec![STATE]);
    let losses = ("losses".to_string(), Dtype::F32, vec![POINTS]);
    let tensors = [state, losses].into_iter().chain(params.iter().flat_map(tensor));
    (header(&(*model).into(), tensors), params)
}

/// Checksum of the facts and the numbers.
fn checksum(facts: &[u8], content: &[u8]) -> u32 {
    let mut crc = crc32fast::Hasher::new();
    crc.update(facts);
    crc.update(content);
    crc.finalize()
}

/// The file of a learner of this model.
pub fn encode(model: &Blocks, state: &State) -> Vec<u8> {
    let facts = [state.epoch as u64, state.window as u64, state.last_loss.to_bits()];
    let facts: Vec<u8> = facts.iter().flat_map(|x| x.to_le_bytes()).collect();
    let numbers = state.params.iter().flatten();
    let mut content = Vec::with_capacity((POINTS + numbers.clone().map(Vec::len).sum::<usize>()) * 4);
    state.losses.iter().chain(numbers.flatten()).for_each(|x| content.extend_from_slice(&x.to_le_bytes()));
    let crc = u64::from(checksum(&facts, &content)).to_le_bytes();
    [&layout(model).0, &facts, &crc[..], &content].concat()
}

/// What such a file holds.
pub fn decode(model: &Blocks, bytes: &[u8]) -> Result<State, WeightsError> {
    let (header, params) = layout(model);
    let sizes: Vec<usize> = params.iter().map(|p| p.shape[0] * p.shape[1]).collect();
    let expected = (header.len() + STATE * 8 + (POINTS + sizes.iter().sum::<usize>() * 3) * 4) as u64;
    if bytes.len() as u64 != expected {
        return Err(WeightsError::Length { expected, found: bytes.len() as u64 });
    }
    compare(&header, bytes)?;
    let (facts, content) = bytes[header.len()..].split_at(STATE * 8);
    let numbers: Vec<u64> = facts.as_chunks().0.iter().map(|b| u64::from_le_bytes(*b)).collect();
    let [epoch, window, loss, found] = numbers[..] else { unreachable!("so many facts were split off") };
    let expected = checksum(&facts[..(STATE - 1) * 8], content);
    if u64::from(expected) != found {
        return Err(WeightsError::Checksum { expected, found: found as u32 });
    }
    let mut numbers = content.as_chunks().0.iter().map(|b| f32::from_le_bytes(*b));
    let losses = std::array::from_fn(|_| numbers.next().unwrap_or(f32::NAN));
    let params = sizes.iter().map(|&n| [(); 3].map(|()| numbers.by_ref().take(n).collect())).collect();
    Ok(State { epoch: epoch as usize, window: window as usize, last_loss: f64::from_bits(loss), losses, params })
}
