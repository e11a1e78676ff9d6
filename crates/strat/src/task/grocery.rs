//! The grocery list (§5.4, selective summation): items with values, of which only those of
//! the target category count. Which items they are must be found out from the answers.
//!
//! The paper gives the items and their categories. How long a list is and how large its
//! values are is our choice: as in the signed sum of the same section.

mod text;

pub(super) use text::{ItemError, parse};

use super::signed_sum::{MAX_TERMS, MIN_TERMS};
use super::{Example, Target};
use crate::model::ITEMS;
use crate::rng::RandomStream;
use serde::{Deserialize, Serialize};

/// What an item is for. Nobody tells the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Category {
    /// Its value counts.
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
    /// From 1 to [`Grocery::ITEMS`].
    pub id: usize,
    /// What it costs.
    pub value: u32,
}

/// The sum of the target items' values.
pub(super) fn answer(list: &[Item]) -> i64 {
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
    /// Different items; their ids are `1..=ITEMS`.
    pub const ITEMS: usize = ITEMS;
    /// Training range.
    pub const TRAINING: Grocery = Grocery { low: 1, high: 100 };
    /// Out of distribution.
    pub const OOD: Grocery = Grocery { low: 2000, high: 5000 };

    /// Items of one list, and how many; always thirteen words of `draws`.
    pub(super) fn draw_items(&self, draws: &mut RandomStream) -> ([Item; MAX_TERMS], usize) {
        let count = MIN_TERMS + draws.below((MAX_TERMS - MIN_TERMS + 1) as u32) as usize;
        let mut item = || Item {
            id: 1 + draws.below(ITEMS as u32) as usize,
            value: self.low + draws.below(self.high - self.low + 1),
        };
        (std::array::from_fn(|_| item()), count)
    }

    /// One list.
    pub fn draw(&self, draws: &mut RandomStream) -> Vec<Item> {
        let (items, count) = self.draw_items(draws);
        items[..count].to_vec()
    }
}

/// A list as an example: its items and their values.
pub(crate) fn example(list: &[Item]) -> Example {
    let (input, values) = list.iter().map(|item| (item.id as u8, f64::from(item.value))).unzip();
    Example { values, ..Example::new(input, Target::Number(answer(list) as f64)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Stream;
    use crate::task::{Batch, SumTask};

    #[test]
    fn only_target_items_count_and_padding_trails() {
        let list = [(5, 30), (6, 7), (15, 80), (1, 12)].map(|(id, value)| Item { id, value });
        assert_eq!(answer(&list), 42);
        let inputs = Batch::of(&SumTask::GROCERY, MAX_TERMS, [&example(&list)]).arrays();
        assert_eq!(inputs["kind"], [5., 6., 15., 1., 0., 0.]);
        assert_eq!(inputs["value"], [30., 7., 80., 12., 0., 0.]);
        assert_eq!(inputs["target"], [42.]);
    }

    #[test]
    fn five_items_a_category() {
        for (c, category) in Category::ALL.into_iter().enumerate() {
            let ids: Vec<usize> = (1..=ITEMS).filter(|&id| Category::of(id) == category).collect();
            assert_eq!(ids, (5 * c + 1..=5 * c + 5).collect::<Vec<_>>());
        }
    }

    #[test]
    fn draws_stay_in_range_and_use_every_length_and_item() {
        let mut draws = RandomStream::new(9, Stream::TestOod, 0);
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
