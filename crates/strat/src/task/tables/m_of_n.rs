//! PMLB M-of-N (3, 7, 10): at least three of seven relevant bits; three more do not matter.
//!
//! Type: 0 classification token · 1 relevant · 2 nuisance · 3–12 feature · 13–14 value.
//!
//! The paper prints 70 training inputs, 1,231 rows left, and 494 of them (378 different) with
//! two or three relevant bits set. As the file has all 1,024 inputs, 448 of them with two or three,
//! 378 = 448 − 70 says that *all* of the paper's ten have two or three: they stand at the decision
//! boundary. A random pick is therefore drawn until it gives these four numbers; a coverage pick
//! until it gives 70 inputs. The OOD set has every input once: a mean of 78.23 % over ten
//! seeds is a multiple of 1/3,780 and not of 1/4,940.

use super::{Source, TableSets, active, bits, choose, digits, distinct, rows_by_orbit, symbols, unseen};
use crate::config::{Repeats, TrainConfig};
use crate::data::DataFolder;
use crate::model::BlockConfig;
use crate::rng::Stream;
use crate::task::dataset::{DataTask, TaskError, task_draws};
use crate::task::list::{Entry, Load};
use crate::task::pick::{Pick, PickKind};
use crate::task::symmetry::{Orbits, shifts};
use crate::task::tabular::{Column, Tabular, Written};
use std::ops::Range;

pub(in crate::task) const ENTRY: Entry = Entry {
    name: "m-of-n",
    title: "PMLB M-of-N",
    sizes: BlockConfig::TABULAR,
    train: TrainConfig::DEFAULT,
    repeats: Repeats::Always,
    load: Load::Picked(load),
};
const NAME: &str = ENTRY.name;
const FEATURES: usize = 10;
/// Bit-2 to Bit-8 of the file.
pub(super) const RELEVANT: Range<usize> = 2..9;

pub(super) fn rule(input: &[u8]) -> bool {
    active(&input[RELEVANT]) >= 3
}

fn is_at_boundary(input: &[u8]) -> bool {
    matches!(active(&input[RELEVANT]), 2 | 3)
}

fn columns() -> Vec<Column> {
    bits((0..FEATURES).map(|i| (format!("Bit-{i}"), usize::from(!RELEVANT.contains(&i)))))
}

fn table() -> Tabular {
    Tabular::with_rule(columns(), rule, Written::PMLB).counting(|input| active(&input[RELEVANT]), true)
}

fn source(folder: &DataFolder) -> Result<Source, TaskError> {
    if let Some(table) = folder.pmlb(NAME)? {
        return Ok(Source { rows: symbols(NAME, &table, &columns(), 0, Some(rule))?, stand_in: None });
    }
    // The file is 300 different inputs, then all 1,024.
    let all: Vec<Vec<u8>> = (0..1024).map(|n| digits(n, FEATURES)).collect();
    let mut first = all.clone();
    task_draws(NAME, Stream::StandIn, 0).shuffle(&mut first);
    first.truncate(300);
    let stand_in = Some("all 1,024 inputs and 300 drawn ones instead of the file's 1,324 rows");
    Ok(Source { rows: [first, all].concat(), stand_in })
}

fn load(folder: &DataFolder, pick: Pick) -> Result<DataTask, TaskError> {
    let Source { rows, stand_in } = source(folder)?;
    let orbits = Orbits::new(rows.iter().map(|r| &r[..]), &shifts(RELEVANT, FEATURES, 2));
    let in_orbit = rows_by_orbit(&orbits, rows.iter().enumerate());
    let boundary = rows.iter().filter(|r| is_at_boundary(r)).count();
    let picked = choose(NAME, &rows, rule, false, pick, |picked| {
        let training = orbits.of_all(picked);
        let sum = |count: &dyn Fn(usize) -> usize| training.iter().map(|&o| count(o)).sum::<usize>();
        if sum(&|o| orbits.members[o].len()) != 70 {
            return false;
        }
        if pick.kind == PickKind::Coverage {
            return true;
        }
        let seen = sum(&|o| in_orbit[o]);
        // 378 different inputs at the boundary are left when all of the 70 were there.
        picked.iter().all(|&i| is_at_boundary(&rows[i]))
            && (stand_in.is_some() || (rows.len() - seen == 1231 && boundary - seen == 494))
    })?;
    let training = orbits.images(&picked);
    let id = unseen(&rows, &training);
    let ood = distinct(&id.iter().filter(|r| is_at_boundary(r)).cloned().collect());
    let sets = TableSets { bases: picked.iter().map(|&i| rows[i].clone()).collect(), training, id, ood };
    Ok(sets.task(&ENTRY, table(), pick, stand_in))
}
