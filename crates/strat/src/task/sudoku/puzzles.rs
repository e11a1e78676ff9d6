//! Solving Sudokus, and drawing them where there is no file.

use super::{CELLS, NAME, SIDE, box_of, clues, imbalance};
use crate::rng::{RandomStream, Stream};
use crate::task::dataset::task_draws;
use crate::task::pick::BASES;

type Puzzle = [u8; CELLS];

/// A grid with the digits that its rows, columns and boxes have, a bit each.
struct Search {
    cells: Puzzle,
    rows: [u16; SIDE],
    columns: [u16; SIDE],
    boxes: [u16; SIDE],
    /// The first solution found.
    solution: Puzzle,
    found: usize,
    /// Cells that may still be tried.
    steps: usize,
}

/// Most cells that are tried, in seconds. SATNet's puzzles need at most 50, and puzzles with 17 clues some thousands; but someone
/// may ask for one without a solution, which can take hours to prove.
const STEPS: usize = 1 << 21;

/// Row, column or box by number, and the cell in it.
fn cell_of(unit: usize, i: usize) -> usize {
    match (unit / SIDE, unit % SIDE) {
        (0, row) => row * SIDE + i,
        (1, column) => i * SIDE + column,
        (_, r#box) => (r#box / 3 * 3 + i / 3) * SIDE + r#box % 3 * 3 + i % 3,
    }
}

impl Search {
    /// None if a digit is no digit or stands twice in a row, column or box.
    fn new(puzzle: &Puzzle) -> Option<Search> {
        let mut search = Search {
            cells: [0; CELLS],
            rows: [0; SIDE],
            columns: [0; SIDE],
            boxes: [0; SIDE],
            solution: [0; CELLS],
            found: 0,
            steps: STEPS,
        };
        for (cell, &digit) in puzzle.iter().enumerate().filter(|(_, d)| **d > 0) {
            if digit > 9 || search.free(cell) >> digit & 1 == 0 {
                return None;
            }
            search.toggle(cell, digit);
        }
        Some(search)
    }

    /// Digits that a cell can have, a bit each.
    fn free(&self, cell: usize) -> u16 {
        0b11_1111_1110 & !(self.rows[cell / SIDE] | self.columns[cell % SIDE] | self.boxes[box_of(cell)])
    }

    /// Puts a digit or takes it away.
    fn toggle(&mut self, cell: usize, digit: u8) {
        self.cells[cell] ^= digit;
        self.rows[cell / SIDE] ^= 1 << digit;
        self.columns[cell % SIDE] ^= 1 << digit;
        self.boxes[box_of(cell)] ^= 1 << digit;
    }

    /// The most constrained cell without a digit, and how many digits it can have; one that is forced is as good as any.
    fn tightest(&self) -> Option<(u32, usize)> {
        let empty = (0..CELLS).filter(|&c| self.cells[c] == 0);
        let mut best = None;
        for cell in empty {
            let options = self.free(cell).count_ones();
            if best.is_none_or(|(fewest, _)| options < fewest) {
                best = Some((options, cell));
                if options <= 1 {
                    break;
                }
            }
        }
        best
    }

    /// The row, column or box, and a digit missing there, that has the fewest places; their number, the digit and the places,
    /// a bit for each cell of the unit.
    fn narrowest(&self) -> Option<(u32, usize, u8, u16)> {
        let mut best: Option<(u32, usize, u8, u16)> = None;
        for unit in 0..3 * SIDE {
            let mut places = [0_u16; 10];
            let mut missing = 0b11_1111_1110_u16;
            for i in 0..SIDE {
                let cell = cell_of(unit, i);
                if self.cells[cell] > 0 {
                    missing &= !(1 << self.cells[cell]);
                    continue;
                }
                let free = self.free(cell);
                (1..=9).filter(|d| free >> d & 1 == 1).for_each(|d| places[d] |= 1 << i);
            }
            for digit in (1..=9).filter(|d| missing >> d & 1 == 1) {
                let count = places[digit].count_ones();
                if best.is_none_or(|(fewest, ..)| count < fewest) {
                    best = Some((count, unit, digit as u8, places[digit]));
                    if count <= 1 {
                        return best;
                    }
                }
            }
        }
        best
    }

    /// Keeps what is full now.
    fn keep(&mut self) {
        if self.found == 0 {
            self.solution = self.cells;
        }
        self.found += 1;
    }

    /// Puts a digit, goes on with `next`, and takes it away.
    fn with(&mut self, cell: usize, digit: u8, next: impl FnOnce(&mut Search)) {
        self.toggle(cell, digit);
        next(self);
        self.toggle(cell, digit);
    }

    /// Counts solutions up to two, while there are steps. Besides the digits of the tightest cell it tries the places of a digit
    /// in a unit, whatever is fewer: so it is faster than [`Search::run`], which keeps the order in which grids are drawn.
    fn count(&mut self) {
        if self.steps == 0 || self.found >= 2 {
            return;
        }
        self.steps -= 1;
        let Some((options, cell)) = self.tightest() else { return self.keep() };
        if options >= 2
            && let Some((count, unit, digit, places)) = self.narrowest()
            && count < options
        {
            for i in (0..SIDE).filter(|i| places >> i & 1 == 1) {
                self.with(cell_of(unit, i), digit, Search::count);
            }
            return;
        }
        let free = self.free(cell);
        for digit in (1..=9).filter(|d| free >> d & 1 == 1) {
            self.with(cell, digit, Search::count);
        }
    }

    /// Counts solutions up to `limit`, trying the digits of a cell in a given order, while there are steps.
    fn run(&mut self, limit: usize, order: &[u8; 9]) {
        if self.steps == 0 {
            return;
        }
        self.steps -= 1;
        let Some((_, cell)) = self.tightest() else { return self.keep() };
        let free = self.free(cell);
        for &digit in order.iter().filter(|&&d| free >> d & 1 == 1) {
            self.with(cell, digit, |search| search.run(limit, order));
            if self.found >= limit {
                return;
            }
        }
    }
}

/// The solution, if there is exactly one and the search for others is not too long.
pub fn solve(puzzle: &Puzzle) -> Option<Puzzle> {
    // Fewer clues than 17 never suffice, and the search would be long.
    let mut search = Search::new(puzzle).filter(|_| clues(puzzle) >= 17)?;
    search.count();
    (search.found == 1 && search.steps > 0).then_some(search.solution)
}

/// Whether a full grid has the puzzle's clues and every digit once in each row, column and box.
pub fn is_solution(puzzle: &Puzzle, solution: &Puzzle) -> bool {
    let extends = puzzle.iter().zip(solution).all(|(&p, &s)| s > 0 && (p == 0 || p == s));
    extends && Search::new(solution).is_some()
}

/// A random full grid: the diagonal boxes at random, then the first solution in a random order
/// of digits.
fn full_grid(draws: &mut RandomStream) -> Puzzle {
    let mut grid = [0; CELLS];
    for corner in [0, 3 * SIDE + 3, 6 * SIDE + 6] {
        for (i, digit) in draws.permutation::<9>().into_iter().enumerate() {
            grid[corner + i / 3 * SIDE + i % 3] = digit as u8 + 1;
        }
    }
    let order = draws.permutation::<9>().map(|d| d as u8 + 1);
    let mut search = Search::new(&grid).expect("boxes on the diagonal do not meet");
    search.run(1, &order);
    search.solution
}

/// How many of SATNet's 1,100 puzzles have 32, 33, … 41 clues.
const CLUES: [u32; 10] = [5, 20, 90, 231, 304, 254, 135, 48, 12, 1];

/// A puzzle with one solution: clues are taken from a full grid in random order while it
/// remains the only one. None if that ends with more clues than were asked for.
fn puzzle(wanted: usize, draws: &mut RandomStream) -> Option<(Puzzle, Puzzle)> {
    let solution = full_grid(draws);
    let mut puzzle = solution;
    let mut left = CELLS;
    for cell in draws.permutation::<CELLS>() {
        if left == wanted {
            return Some((puzzle, solution));
        }
        puzzle[cell] = 0;
        match solve(&puzzle) {
            Some(_) => left -= 1,
            None => puzzle[cell] = solution[cell],
        }
    }
    None
}

/// 1,100 puzzles with as many clues as SATNet's; the first ten no more uneven than the paper's.
pub fn stand_in() -> Vec<(Puzzle, Puzzle)> {
    let draw = |n: u32| {
        let mut draws = task_draws(NAME, Stream::StandIn, n);
        let mut rank = draws.below(CLUES.iter().sum());
        let mut wanted = 32;
        for count in CLUES {
            if rank < count {
                break;
            }
            rank -= count;
            wanted += 1;
        }
        std::iter::repeat_with(|| puzzle(wanted, &mut draws))
            .flatten()
            .find(|(puzzle, _)| n as usize >= BASES || imbalance(puzzle) <= 5)
            .expect("an endless search ends when it succeeds")
    };
    (0..CLUES.iter().sum()).map(draw).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(text: &str) -> Puzzle {
        let digits: Vec<u8> = text.bytes().map(|b| b - b'0').collect();
        digits.try_into().unwrap()
    }

    const PUZZLE: &str = "530070000600195000098000060800060003400803001700020006060000280000419005000080079";
    const SOLUTION: &str = "534678912672195348198342567859761423426853791713924856961537284287419635345286179";

    #[test]
    fn a_known_puzzle_is_solved() {
        assert_eq!(solve(&grid(PUZZLE)), Some(grid(SOLUTION)));
        assert!(is_solution(&grid(PUZZLE), &grid(SOLUTION)));
    }

    #[test]
    fn what_has_no_unique_solution_is_told_apart() {
        let mut wrong = grid(PUZZLE);
        wrong[2] = 5; // twice in its row
        assert_eq!(solve(&wrong), None);
        let mut open = grid(SOLUTION);
        // The 7s and 2s of two columns and two rows can change places.
        let cells: Vec<usize> = (0..CELLS).filter(|&c| [1, 2, 3, 4, 5].contains(&open[c])).collect();
        cells.iter().for_each(|&c| open[c] = 0);
        assert_eq!(solve(&open), None);
        let mut swapped = grid(SOLUTION);
        swapped.swap(0, 1);
        assert!(!is_solution(&[0; CELLS], &swapped));
        assert!(!is_solution(&grid(PUZZLE), &[0; CELLS]));
        let mut digit_too_large = grid(PUZZLE);
        digit_too_large[2] = 12;
        assert_eq!(solve(&digit_too_large), None);
    }

    #[test]
    fn a_search_ends() {
        // Made to be hard for searches that try small digits first.
        let hard = "..............3.85..1.2.......5.7.....4...1...9.......5......73..2.1........4...9";
        assert_eq!(solve(&grid(&hard.replace('.', "0"))).unwrap()[..9], [9, 8, 7, 6, 5, 4, 3, 2, 1]);
        // Has no solution, which a good solver took 24 minutes to prove.
        let endless = ".....5.8....6.1.43..........1.5........1.6...3.......553.....61........4.........";
        assert_eq!(solve(&grid(&endless.replace('.', "0"))), None);
    }

    /// The slow search, digit by digit, finds the same.
    #[test]
    fn both_searches_count_the_same() {
        let mut unique = 0;
        for n in 0..300 {
            let mut draws = RandomStream::new(n, Stream::StandIn, 1);
            let mut holes = full_grid(&mut draws);
            draws.permutation::<CELLS>()[..36 + n as usize % 14].iter().for_each(|&cell| holes[cell] = 0);
            let [mut fast, mut slow] = [(); 2].map(|()| Search::new(&holes).unwrap());
            fast.count();
            slow.run(2, &[1, 2, 3, 4, 5, 6, 7, 8, 9]);
            assert_eq!(fast.found, slow.found, "{holes:?}");
            if fast.found == 1 {
                unique += 1;
                assert_eq!(fast.solution, slow.solution);
            }
        }
        assert!((30..270).contains(&unique), "{unique} of both kinds");
    }

    #[test]
    fn few_clues_are_enough() {
        let few = "................12..3.45...........6..61..4...7...2......3......5..6....2.....58.";
        assert!(is_solution(&grid(&few.replace('.', "0")), &solve(&grid(&few.replace('.', "0"))).unwrap()));
    }

    #[test]
    fn drawn_puzzles_have_one_solution_and_as_many_clues_as_asked() {
        for n in 0..20 {
            let mut draws = RandomStream::new(n, Stream::StandIn, 0);
            let Some((puzzle, solution)) = puzzle(36, &mut draws) else { continue };
            assert_eq!((clues(&puzzle), solve(&puzzle)), (36, Some(solution)));
        }
    }
}
