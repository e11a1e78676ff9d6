//! No ordinary classifiers: they need the feature `baselines`.

use crate::task::Example;

/// There is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Competitor {}

impl Competitor {
    /// None.
    pub const ALL: [Competitor; 0] = [];

    /// Of none.
    pub fn title(self) -> &'static str {
        match self {}
    }

    /// Of none.
    pub fn answers(self, _: &[(Vec<u8>, u8)], _: &[Example], _: &[usize]) -> Option<Vec<u8>> {
        match self {}
    }
}
