//! Puzzles that nobody has seen, with their solutions, for `strat eval RUN --data-file FILE`: images of the test puzzles, digits
//! renamed, rows, columns, bands and stacks exchanged.
//!
//!     cargo run --release -p strat --example sudoku_images -- COUNT [SEED] > FILE
//!
//! A `puzzle,solution` line each; the same count and seed give the same lines. None is a base, a test puzzle or another line.
//! `STRAT_DATA` or the platform's folder has the puzzles, else they are a stand-in's.

use std::collections::HashSet;
use strat::data::DataFolder;
use strat::task::{Entry, Split, Target};

/// As one line has it; 0 is an empty cell.
fn digits(cells: impl Iterator<Item = u8>) -> String {
    cells.map(|digit| char::from(b'0' + digit)).collect()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let numbers = std::env::args().skip(1).map(|word| word.parse::<u64>()).collect::<Result<Vec<_>, _>>();
    let (count, seed) = match numbers.as_deref() {
        Ok(&[count]) => (count, 1),
        Ok(&[count, seed]) => (count, seed),
        _ => return Err("give how many images, and a seed if not the first".into()),
    };
    let task = Entry::named("sudoku")?.load(&DataFolder::find(None), None)?;
    let tests = task.split(Split::Id).to_vec();
    let known = task.bases().iter().chain(&tests).chain(task.split(Split::Ood));
    let mut known: HashSet<Vec<u8>> = known.map(|example| example.input.clone()).collect();
    // A task that is taught the test puzzles draws an image of each in every epoch.
    let images = task.with_bases(tests)?;
    let new = (0..).flat_map(|epoch| images.epoch(seed, epoch).into_owned());
    let new = new.filter(|example| known.insert(example.input.clone()));
    for example in new.take(usize::try_from(count)?) {
        let Target::Cells { values, .. } = &example.target else {
            return Err("a Sudoku is answered by cells".into());
        };
        println!("{},{}", digits(example.input.iter().copied()), digits(values.iter().map(|value| value + 1)));
    }
    Ok(())
}
