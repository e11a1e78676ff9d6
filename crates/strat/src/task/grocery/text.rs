//! A list from a line that someone types.

use super::Item;
use crate::data::clip;
use crate::model::ITEMS;

/// Most items of a list that is typed: every two of them have a route.
const MOST_ITEMS: usize = 64;

/// Why a text is no list.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ItemError {
    /// A part that should be an item.
    #[error("{0:?} should be an item from 1 to {ITEMS}, a colon and its value; a list is such as `3:45 12:7`")]
    Item(String),
    /// More than anyone meant.
    #[error("{found} items, but a list should have from 1 to {MOST_ITEMS}")]
    Count {
        /// How many there are.
        found: usize,
    },
}

/// Items with their values, `3:45 12:7`.
pub(crate) fn parse(text: &str) -> Result<Vec<Item>, ItemError> {
    let found = text.split_whitespace().count();
    if !(1..=MOST_ITEMS).contains(&found) {
        return Err(ItemError::Count { found });
    }
    let item = |word: &str| {
        let (id, value) = word.split_once(':')?;
        let (id, value) = (id.parse().ok()?, value.parse().ok()?);
        (1..=ITEMS).contains(&id).then_some(Item { id, value })
    };
    text.split_whitespace().map(|word| item(word).ok_or_else(|| ItemError::Item(clip(word)))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read_and_the_rest_refused() {
        assert_eq!(parse(" 3:45  12:7"), Ok(vec![Item { id: 3, value: 45 }, Item { id: 12, value: 7 }]));
        assert_eq!(parse(""), Err(ItemError::Count { found: 0 }));
        for wrong in ["16:1", "0:1", "3", "3:", "3:-1"] {
            assert_eq!(parse(wrong), Err(ItemError::Item(wrong.into())), "{wrong}");
        }
    }
}
