//! Which of a machine's inputs say what kind tokens are of, and whether what is given is such a kind.
//!
//! Kernels skip the kinds that a row cannot be of, and rules rely on that; a kind that is none would be trained on in
//! silence. Other numbers may be anything: what follows from them shows in the loss.

use super::error::InputError;
use super::graph::{Graph, Op, Reach};
use super::simd::Number;

/// The kinds that the rows of an input can be of.
pub struct Kinds {
    name: String,
    reach: Reach,
    total: bool,
}

/// All such inputs of a graph as it was written.
pub(crate) fn kinds_of(graph: &Graph) -> Vec<Kinds> {
    let of = |op: &Op| {
        let Op::OneHot { index, reach, total } = op else { return None };
        let Op::Input { name } = &graph.entry(*index).op else { return None };
        Some(Kinds { name: name.clone(), reach: reach.clone(), total: *total })
    };
    graph.entries.iter().filter_map(|e| of(&e.op)).collect()
}

/// Checks an input for a whole batch.
pub(crate) fn check<E: Number>(kinds: &[Kinds], name: &str, data: &[E]) -> Result<(), InputError> {
    for Kinds { reach, total, .. } in kinds.iter().filter(|kinds| kinds.name == name) {
        for (example, rows) in data.chunks(reach.len()).enumerate() {
            for (row, (x, &(low, high))) in rows.iter().zip(reach.iter()).enumerate() {
                let (found, padding) = (x.f64(), !total);
                // Whole, and not NaN: no call of the mathematical library, since fresh examples come at every step.
                let is_kind = low as f64 + 1.0 <= found && found <= high as f64 && (found as u32) as f64 == found;
                let is_padding = padding && found == 0.0;
                if !is_kind && !is_padding {
                    let name = name.to_string();
                    return Err(InputError::Kind { name, example, row, found, low: low + 1, high, padding });
                }
            }
        }
    }
    Ok(())
}
