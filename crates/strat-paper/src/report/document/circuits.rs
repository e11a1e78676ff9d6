//! What a page needs to draw the circuit of a learner whose dot is clicked: its weights.

use crate::circuit::{Forward, letters};
use crate::report::collect::Run;
use serde::Serialize;
use std::collections::BTreeMap;
use strat::record::ReadError;

/// Bytes that the weights of all learners of a page may take. Of more learners, the page has the command that shows them.
pub(super) const ROOM: usize = 2_400_000;

/// The learners of one row that the page can compute.
#[derive(Clone, Debug, Serialize)]
pub struct Circuits {
    /// How.
    #[serde(flatten)]
    forward: Forward,
    /// Parameters with their sizes, in the order in which the numbers stand.
    params: Vec<(String, usize)>,
    /// By seed, all numbers as `f32` in base 64.
    learners: BTreeMap<u64, String>,
}

/// Of every row of a run whose weights are kept, as long as there is room.
pub(super) fn of(run: &Run, room: &mut usize) -> Result<BTreeMap<String, Circuits>, ReadError> {
    let mut found = BTreeMap::new();
    let rows = run.rows.iter().filter(|row| run.folder.manifest.weights && !row.learners.is_empty());
    for row in rows {
        let Some(forward) = Forward::of(&row.model) else { continue };
        let (mut params, mut learners) = (vec![], BTreeMap::new());
        for learner in run.folder.learners(row, None)? {
            let numbers = letters(&learner.weights.values().flatten().copied().collect::<Vec<_>>());
            let size = numbers.len() + 12;
            if size > *room {
                break;
            }
            *room -= size;
            params = learner.weights.iter().map(|(name, values)| (name.clone(), values.len())).collect();
            learners.insert(learner.seed, numbers);
        }
        found.insert(row.name.clone(), Circuits { forward, params, learners });
    }
    Ok(found)
}
