//! Symmetries of an input: cells change places, values change names.
//!
//! Every augmentation of the paper is of this form: rotations of a board, cyclic shifts of
//! features, permutations of attributes and of their values, automorphisms of Sudoku.

use std::collections::{BTreeSet, HashMap};

/// Maps an input to another one: `out[i] = rename[i][input[from[i]]]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symmetry {
    from: Vec<usize>,
    /// `[cells, values]`
    rename: Vec<u8>,
    values: usize,
}

impl Symmetry {
    /// Moves cells only: cell `i` receives what stands in cell `from[i]`. Symbols are below
    /// `values`.
    pub fn moving(from: Vec<usize>, values: usize) -> Symmetry {
        let rename = from.iter().flat_map(|_| 0..values as u8).collect();
        Symmetry { from, rename, values }
    }

    /// Changes nothing.
    pub fn identity(cells: usize, values: usize) -> Symmetry {
        Symmetry::moving((0..cells).collect(), values)
    }

    /// Also renames the values of a cell, after moving: `v` becomes `names[v]`.
    pub fn renaming(mut self, cell: usize, names: &[u8]) -> Symmetry {
        for value in &mut self.rename[cell * self.values..][..self.values] {
            *value = names.get(usize::from(*value)).copied().unwrap_or(*value);
        }
        self
    }

    /// This one, then `next`.
    pub fn then(&self, next: &Symmetry) -> Symmetry {
        let from = next.from.iter().map(|&i| self.from[i]).collect();
        let rename = (0..next.from.len() * next.values).map(|at| {
            let (i, v) = (at / next.values, at % next.values);
            next.name(i, self.name(next.from[i], v as u8))
        });
        Symmetry { from, rename: rename.collect(), values: next.values }
    }

    /// The image of an input.
    pub fn apply(&self, input: &[u8]) -> Vec<u8> {
        self.from.iter().enumerate().map(|(i, &from)| self.name(i, input[from])).collect()
    }

    fn name(&self, cell: usize, value: u8) -> u8 {
        self.rename[cell * self.values + usize::from(value)]
    }
}

/// Every symmetry of `first` followed by every one of `second`.
pub fn combine(first: &[Symmetry], second: &[Symmetry]) -> Vec<Symmetry> {
    first.iter().flat_map(|a| second.iter().map(|b| a.then(b))).collect()
}

/// The cyclic shifts of some cells; the others stay.
pub fn shifts(shifted: std::ops::Range<usize>, cells: usize, values: usize) -> Vec<Symmetry> {
    let (start, n) = (shifted.start, shifted.len());
    let shift =
        |by| (0..cells).map(|i| if shifted.contains(&i) { start + (i - start + by) % n } else { i }).collect();
    (0..n).map(|by| Symmetry::moving(shift(by), values)).collect()
}

/// All orders of some cells; the others stay.
pub fn orders(ordered: &[usize], cells: usize, values: usize) -> Vec<Symmetry> {
    let mut all = vec![Symmetry::identity(cells, values)];
    for (n, &cell) in ordered.iter().enumerate() {
        let swaps: Vec<Symmetry> = ordered[..=n]
            .iter()
            .map(|&other| {
                let mut from: Vec<usize> = (0..cells).collect();
                from.swap(cell, other);
                Symmetry::moving(from, values)
            })
            .collect();
        all = combine(&all, &swaps);
    }
    all
}

/// Inputs sorted into orbits: what a group of symmetries makes of an input.
#[derive(Clone, Debug)]
pub struct Orbits {
    /// The orbit of every input, by number.
    pub of: Vec<usize>,
    /// The different inputs of every orbit, in order.
    pub members: Vec<Vec<Vec<u8>>>,
}

impl Orbits {
    /// Sorts `inputs` under `symmetries`, which must form a group.
    pub fn new<'a>(inputs: impl IntoIterator<Item = &'a [u8]>, symmetries: &[Symmetry]) -> Orbits {
        let mut known = HashMap::<Vec<u8>, usize>::new();
        let mut members: Vec<Vec<Vec<u8>>> = vec![];
        let mut orbit = |input: &[u8]| {
            known.get(input).copied().unwrap_or_else(|| {
                let images: BTreeSet<Vec<u8>> = symmetries.iter().map(|s| s.apply(input)).collect();
                known.extend(images.iter().map(|image| (image.clone(), members.len())));
                members.push(images.into_iter().collect());
                members.len() - 1
            })
        };
        Orbits { of: inputs.into_iter().map(&mut orbit).collect(), members }
    }

    /// The different orbits of some inputs, in order of their first appearance.
    pub fn of_all(&self, inputs: &[usize]) -> Vec<usize> {
        let mut orbits: Vec<usize> = vec![];
        for &i in inputs {
            if !orbits.contains(&self.of[i]) {
                orbits.push(self.of[i]);
            }
        }
        orbits
    }

    /// The different images of some inputs, in order of the inputs.
    pub fn images(&self, inputs: &[usize]) -> Vec<Vec<u8>> {
        self.of_all(inputs).into_iter().flat_map(|o| self.members[o].clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shifts_move_a_range_only() {
        let images: Vec<Vec<u8>> = shifts(1..4, 5, 10).iter().map(|s| s.apply(&[9, 1, 2, 3, 8])).collect();
        assert_eq!(images, [[9, 1, 2, 3, 8], [9, 2, 3, 1, 8], [9, 3, 1, 2, 8]]);
    }

    #[test]
    fn orders_are_all_different() {
        let images: BTreeSet<Vec<u8>> = orders(&[0, 1, 3], 4, 10).iter().map(|s| s.apply(&[5, 6, 7, 8])).collect();
        assert_eq!(images.len(), 6);
        assert!(images.iter().all(|i| i[2] == 7));
    }

    #[test]
    fn composition_is_application_in_turn() {
        let a = Symmetry::moving(vec![1, 2, 0], 3).renaming(0, &[1, 2, 0]);
        let b = Symmetry::moving(vec![2, 1, 0], 3).renaming(2, &[2, 0, 1]).renaming(2, &[0, 2, 1]);
        for code in 0..27 {
            let input = [code / 9, code / 3 % 3, code % 3];
            assert_eq!(a.then(&b).apply(&input), b.apply(&a.apply(&input)));
        }
    }

    #[test]
    fn orbits_are_found_once() {
        let inputs: [&[u8]; 4] = [&[0, 0, 1], &[1, 1, 1], &[1, 0, 0], &[0, 1, 1]];
        let orbits = Orbits::new(inputs, &shifts(0..3, 3, 2));
        assert_eq!(orbits.of, [0, 1, 0, 2]);
        assert_eq!(orbits.images(&[2, 0]), [[0, 0, 1], [0, 1, 0], [1, 0, 0]]);
    }
}
