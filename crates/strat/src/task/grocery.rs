//! The grocery list (§5.4, selective summation): items with values, of which only those of
//! the target category count. Which items they are must be found out from the answers.
//!
//! The paper gives the items and their categories. How long a list is and how large its
//! values are is our choice: as in the signed sum of the same section.

mod text;

pub use text::{ItemError, parse};

use super::signed_sum::{Batch, MAX_TERMS, MIN_TERMS};
use super::{Example, Target};
use crate::engine::Elem;
use crate::engine::reference::Arrays;
use crate::model::ITEMS;
use crate::rng::Draws;
use serde::{Deserialize, Serialize};

/// What an item is for. Nobody tells the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Category {
    /// Counts.
    Target,
    /// Does not count.
    DistractorA,
    /// Does not count either.
    DistractorB,
}

impl Category {
    /// All of them, in order of their items' ids: five items each.
    pub const ALL: [Category; 3] = [Category::Target, Category::DistractorA, Category::DistractorB];

    /// The category of an item.
    pub fn of(id: usize) -> Category {
        assert!((1..=ITEMS).contains(&id), "items are numbered from 1 to {ITEMS}, and this one {id}");
        Category::ALL[(id - 1) / (ITEMS / Category::ALL.len())]
    }
}

/// An item on a list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Item {
    /// `1..=ITEMS`
    pub id: usize,
    /// What it costs.
    pub value: u32,
}

/// The sum of the target items' values.
pub fn answer(list: &[Item]) -> i64 {
    list.iter().filter(|i| Category::of(i.id) == Category::Target).map(|i| i64::from(i.value)).sum()
}

/// Where lists come from: 3 to 6 items, any id as likely as any other, values uniform in a
/// closed range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grocery {
    /// Smallest value.
    pub low: u32,
    /// Largest value.
    pub high: u32,
}

impl Grocery {
    /// Training range.
    pub const TRAINING: Grocery = Grocery { low: 1, high: 100 };
    /// Out of distribution.
    pub const OOD: Grocery = Grocery { low: 2000, high: 5000 };

    /// Items of one list, and how many; always thirteen words of `draws`.
    pub(super) fn draw_items(&self, draws: &mut Draws) -> ([Item; MAX_TERMS], usize) {
        let count = MIN_TERMS + draws.below((MAX_TERMS - MIN_TERMS + 1) as u32) as usize;
        let mut item = || Item {
            id: 1 + draws.below(ITEMS as u32) as usize,
            value: self.low + draws.below(self.high - self.low + 1),
        };
        (std::array::from_fn(|_| item()), count)
    }

    /// One list.
    pub fn draw(&self, draws: &mut Draws) -> Vec<Item> {
        let (items, count) = self.draw_items(draws);
        items[..count].to_vec()
    }

    /// Replaces what is in `batch` by `count` lists: those that [`Grocery::draw`] gives, encoded.
    pub fn redraw<E: Elem>(&self, batch: &mut Batch<E>, count: usize, draws: &mut Draws) {
        batch.clear();
        for _ in 0..count {
            let (items, n) = self.draw_items(draws);
            encode(batch, &items[..n]);
        }
    }
}

/// A list as an example: its items and their values.
pub fn example(list: &[Item]) -> Example {
    let (input, values) = list.iter().map(|item| (item.id as u8, f64::from(item.value))).unzip();
    Example { values, ..Example::new(input, Target::Number(answer(list) as f64)) }
}

/// A list as the inputs of a model with a slot for each of its items.
pub fn inputs(list: &[Item]) -> Arrays {
    let mut batch = Batch::<f64>::new(list.len());
    encode(&mut batch, list);
    batch.arrays()
}

/// Appends a list: a kind and a value for each item.
fn encode<E: Elem>(batch: &mut Batch<E>, list: &[Item]) {
    assert!(list.len() <= batch.terms, "{} items do not fit {} slots", list.len(), batch.terms);
    for i in 0..batch.terms {
        let Item { id, value } = list.get(i).copied().unwrap_or_default();
        batch.kind.push(E::of(id as f64));
        batch.value.push(E::of(f64::from(value)));
    }
    batch.target.push(E::of(answer(list) as f64));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Stream;

    #[test]
    fn only_target_items_count_and_padding_trails() {
        let list = [(5, 30), (6, 7), (15, 80), (1, 12)].map(|(id, value)| Item { id, value });
        assert_eq!(answer(&list), 42);
        let mut batch = Batch::<f64>::new(MAX_TERMS);
        encode(&mut batch, &list);
        assert_eq!(batch.kind, [5., 6., 15., 1., 0., 0.]);
        assert_eq!(batch.value, [30., 7., 80., 12., 0., 0.]);
        assert_eq!(batch.target, [42.]);
    }

    #[test]
    fn five_items_a_category() {
        for (c, category) in Category::ALL.into_iter().enumerate() {
            let ids: Vec<usize> = (1..=ITEMS).filter(|&id| Category::of(id) == category).collect();
            assert_eq!(ids, (5 * c + 1..=5 * c + 5).collect::<Vec<_>>());
        }
    }

    #[test]
    fn redrawing_gives_the_encoded_draws() {
        let draws = Draws::new(3, Stream::TestId, 4);
        let (mut drawn, mut encoded) = (Batch::<f32>::new(MAX_TERMS), Batch::new(MAX_TERMS));
        Grocery::TRAINING.redraw(&mut drawn, 20, &mut draws.clone());
        let mut again = draws;
        (0..20).for_each(|_| encode(&mut encoded, &Grocery::TRAINING.draw(&mut again)));
        assert_eq!((&drawn.kind, &drawn.value, &drawn.target), (&encoded.kind, &encoded.value, &encoded.target));
    }

    #[test]
    fn draws_stay_in_range_and_use_every_length_and_item() {
        let mut draws = Draws::new(9, Stream::TestOod, 0);
        let lists: Vec<Vec<Item>> = (0..2000).map(|_| Grocery::OOD.draw(&mut draws)).collect();
        for n in MIN_TERMS..=MAX_TERMS {
            assert!(lists.iter().filter(|l| l.len() == n).count() > 400);
        }
        for id in 1..=ITEMS {
            let seen = lists.iter().flatten().filter(|i| i.id == id).count();
            assert!((500..700).contains(&seen), "item {id}: {seen} of about 600");
        }
        assert!(lists.iter().flatten().all(|i| (2000..=5000).contains(&i.value)));
    }
}
