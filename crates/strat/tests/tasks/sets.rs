//! Boards and formulas: the paper's numbers, from the real files.

use crate::{TASKS, distinct, folder, inputs, is_positive, load, nowhere, real, skip, stand_in};
use std::collections::HashSet;
use strat::internals::Mark;
use strat::task::{Example, Pick, Split, Target};

const TRUE: u8 = 0;
const FALSE: u8 = 1;
const OR: u8 = 2;
const AND: u8 = 3;
const START: u8 = 4;
const END: u8 = 5;

/// Clue counts of the bands and of the stacks.
fn thirds(puzzle: &[u8]) -> [Vec<usize>; 2] {
    let clues = |cells: &dyn Fn(usize) -> bool| (0..81).filter(|&c| cells(c) && puzzle[c] != 0).count();
    [
        (0..3).map(|third| clues(&|c| c / 27 == third)).collect(),
        (0..3).map(|third| clues(&|c| c % 9 / 3 == third)).collect(),
    ]
}

fn imbalance(puzzle: &[u8]) -> usize {
    thirds(puzzle).iter().map(|t| t.iter().max().unwrap() - t.iter().min().unwrap()).max().unwrap()
}

fn clues(puzzle: &[u8]) -> usize {
    puzzle.iter().filter(|d| **d != 0).count()
}

#[test]
fn sudoku() {
    let Some(task) = real("sudoku", None) else { return };
    let (bases, id, ood) = (task.bases(), task.split(Split::Id), task.split(Split::Ood));
    assert_eq!((bases.len(), id.len(), ood.len()), (10, 1090, 500));
    let all: Vec<&[u8]> = inputs(bases).into_iter().chain(inputs(id)).collect();
    let mean = |f: &dyn Fn(&[u8]) -> usize| all.iter().map(|p| f(p)).sum::<usize>() as f64 / 1100.0;
    assert_eq!(format!("{:.2} {:.2}", mean(&clues), mean(&imbalance)), "36.21 3.10");
    assert_eq!(format!("{:.1}", 100.0 * mean(&|p| usize::from(imbalance(p) <= 5))), "97.1");
    assert_eq!(bases.iter().map(|b| imbalance(&b.input)).max(), Some(5));
    let sources = inputs(id).into_iter().filter(|p| clues(p) == 35 && (6..=7).contains(&imbalance(p)));
    assert_eq!(sources.count(), 8);
    sudoku_ood(ood);
}

fn sudoku_ood(ood: &[Example]) {
    assert_eq!((ood.len(), distinct(ood)), (500, 500));
    for puzzle in inputs(ood) {
        let [bands, _] = thirds(puzzle);
        assert!(clues(puzzle) == 35 && (6..=7).contains(&imbalance(puzzle)));
        assert!(bands[2] == *bands.iter().max().unwrap(), "the densest band is at the bottom: {bands:?}");
    }
}

#[test]
fn sudoku_stand_in() {
    let task = stand_in("sudoku");
    assert_eq!((task.bases().len(), task.split(Split::Id).len()), (10, 1090));
    assert_eq!(distinct(task.split(Split::Id)), 1090);
    assert!(task.bases().iter().all(|b| imbalance(&b.input) <= 5));
    let mean = task.split(Split::Id).iter().map(|e| clues(&e.input)).sum::<usize>() as f64 / 1090.0;
    assert!((36.0..36.4).contains(&mean), "{mean}");
    sudoku_ood(task.split(Split::Ood));
}

/// Marks of each kind in the centre, the corners, the edges.
fn regions(board: &[u8]) -> Vec<f64> {
    let counts = [vec![4], vec![0, 2, 6, 8], vec![1, 3, 5, 7]];
    let count = |cells: &Vec<usize>, mark| cells.iter().filter(|c| board[**c] == mark).count() as f64;
    counts.iter().flat_map(|cells| (0..3).map(|mark| count(cells, mark))).collect()
}

#[test]
fn tic_tac_toe() {
    for pick in (0..3).map(Pick::random).chain((0..5).map(Pick::coverage)) {
        let task = load("tic-tac-toe", &nowhere(), Some(pick));
        assert_eq!(task.stand_in(), None);
        let training = task.epoch(1, 0);
        let (id, ood) = (task.split(Split::Id), task.split(Split::Ood));
        assert_eq!((training.len(), distinct(&training), id.len(), distinct(id)), (76, 76, 882, 882));
        let known: HashSet<&[u8]> = inputs(&training).into_iter().collect();
        assert!(inputs(id).iter().all(|b| !known.contains(b)));
        assert!(task.bases().iter().all(|b| known.contains(&b.input[..])));

        let mean = |positive: bool| {
            let boards: Vec<&Example> = training.iter().filter(|e| is_positive(e) == positive).collect();
            let sum = |i: usize| boards.iter().map(|e| regions(&e.input)[i]).sum::<f64>() / boards.len() as f64;
            (0..9).map(sum).collect::<Vec<f64>>()
        };
        let (positive, negative) = (mean(true), mean(false));
        let score = |e: &Example| -> f64 {
            regions(&e.input).iter().zip(positive.iter().zip(&negative)).map(|(r, (p, n))| r * (p - n)).sum()
        };
        let misleads = |e: &&Example| if is_positive(e) { score(e) < -1e-9 } else { score(e) > 1e-9 };
        assert!(ood.iter().all(|e| misleads(&e)));
        assert_eq!((distinct(ood), ood.iter().filter(|e| is_positive(e)).count()), (224, 112));
        let held_out: HashSet<&[u8]> = inputs(id).into_iter().collect();
        assert!(inputs(ood).iter().all(|b| held_out.contains(b)));
        if pick == Pick::random(pick.seed) {
            let bases: HashSet<&[u8]> = inputs(task.bases()).into_iter().collect();
            let test = || id.iter().chain(training.iter().filter(|e| !bases.contains(&e.input[..])));
            assert_eq!(test().count(), 948);
            let split = |e: Vec<&Example>| {
                let positive = e.iter().filter(|e| is_positive(e)).count();
                (positive, e.len() - positive)
            };
            assert_eq!(split(test().filter(misleads).collect()), (216, 119));
            assert_eq!(split(id.iter().filter(misleads).collect()), (195, 112));
        }
    }
}

#[test]
fn tic_tac_toe_is_the_file() {
    let Some(folder) = folder() else { return };
    let Some(file) = folder.tic_tac_toe().unwrap() else { return skip("data", "no tic-tac-toe.data") };
    let symbol = |mark: &Mark| match mark {
        Mark::X => 0,
        Mark::O => 1,
        Mark::Blank => 2,
    };
    let task = stand_in("tic-tac-toe");
    let training = task.epoch(1, 0).into_owned();
    let rows: Vec<Example> = file
        .iter()
        .map(|(marks, won)| Example::new(marks.iter().map(symbol).collect(), Target::Class(u8::from(*won))))
        .collect();
    let (seen, rest): (Vec<Example>, Vec<Example>) = rows.into_iter().partition(|row| training.contains(row));
    assert_eq!(seen.len(), 76);
    assert_eq!(rest, task.split(Split::Id), "in the file's order");
}

/// Live cells, and pairs of them that touch on the torus.
fn population(board: &[u8]) -> (usize, usize) {
    let live: Vec<(i32, i32)> = (0..36).filter(|c| board[*c as usize] == 1).map(|c| (c / 6, c % 6)).collect();
    let near = |a: i32, b: i32| matches!((a - b).rem_euclid(6), 0 | 1 | 5);
    let touch =
        |(i, a): (usize, &(i32, i32))| live[..i].iter().filter(|b| near(a.0, b.0) && near(a.1, b.1)).count();
    (live.len(), live.iter().enumerate().map(touch).sum())
}

fn life_ood(ood: &[Example], source: &HashSet<&[u8]>) {
    assert_eq!((ood.len(), distinct(ood)), (500, 500));
    for kind in [8, 9] {
        assert_eq!(inputs(ood).into_iter().filter(|b| population(b) == (7, kind)).count(), 250);
    }
    for example in ood {
        assert!(!source.contains(&example.input[..]));
        let Target::Cells { values, .. } = &example.target else { panic!() };
        assert!(values.contains(&1));
    }
}

#[test]
fn life() {
    let Some(task) = real("life", None) else { return };
    let (bases, id) = (task.bases(), task.split(Split::Id));
    assert_eq!((bases.len(), id.len()), (10, 757));
    let live: Vec<usize> = bases.iter().map(|b| population(&b.input).0).collect();
    assert_eq!((live.iter().min(), live.iter().max()), (Some(&7), Some(&32)));
    assert!(bases.iter().all(|b| population(&b.input).1 >= 10));
    assert_eq!(inputs(id).into_iter().filter(|b| matches!(population(b), (7, 8 | 9))).count(), 7);
    life_ood(task.split(Split::Ood), &inputs(bases).into_iter().chain(inputs(id)).collect());
}

#[test]
fn life_stand_in() {
    let task = stand_in("life");
    let (bases, id) = (task.bases(), task.split(Split::Id));
    assert_eq!((bases.len(), id.len(), distinct(id)), (10, 757, 757));
    assert!(bases.iter().all(|b| population(&b.input).1 >= 10 && (7..=32).contains(&population(&b.input).0)));
    life_ood(task.split(Split::Ood), &inputs(bases).into_iter().chain(inputs(id)).collect());
}

fn clause_count(example: &Example) -> usize {
    example.input.iter().filter(|&&t| t == AND).count() + 1
}

fn positives(examples: &[Example]) -> usize {
    examples.iter().filter(|e| is_positive(e)).count()
}

/// How many examples, how many of them positive, and their clause counts.
fn sizes(examples: &[Example]) -> (usize, usize, Vec<usize>) {
    let counts: std::collections::BTreeSet<usize> = examples.iter().map(clause_count).collect();
    (examples.len(), positives(examples), counts.into_iter().collect())
}

#[test]
fn satlib() {
    for task in TASKS.iter().filter(|t| t.name() == "satlib") {
        let (id, ood) = (task.split(Split::Id), task.split(Split::Ood));
        assert_eq!(sizes(task.bases()), (10, 10, vec![91]));
        assert_eq!(sizes(id), (1990, 990, vec![91, 110]));
        assert_eq!(sizes(ood), (500, 250, vec![100]));
        assert!(id.iter().all(|e| (clause_count(e) == 91) == is_positive(e)));
        assert_eq!(task.shape().tokens, 880);
        assert!(task.stand_in().is_some());
        // The tail of an OOD formula is its beginning again: 8 tokens a clause, the last without AND.
        for (n, example) in ood.iter().enumerate() {
            assert_eq!(example.input[..9 * 8 - 1], example.input[91 * 8..799]);
            if n % 2 == 0 {
                assert_eq!(example.input[..727], id[n / 2].input[..727], "the test set's formula and assignment");
                let flipped = &ood[n + 1].input;
                // A variable of twenty stands in about 14 of 273 literals.
                let changed = example.input.iter().zip(flipped).filter(|(a, b)| a != b).count();
                assert!((1..40).contains(&changed), "{changed}");
            }
        }
    }
}

#[test]
fn satbench() {
    for task in TASKS.iter().filter(|t| t.name() == "satbench") {
        let (id, ood) = (task.split(Split::Id), task.split(Split::Ood));
        assert_eq!((task.bases().len(), id.len(), positives(id)), (10, 2090, 1040));
        assert_eq!(sizes(ood), (500, 250, vec![100]));
        let clauses = sizes(task.bases()).2;
        assert_eq!((clauses[0], clauses[clauses.len() - 1]), (4, 50));
        if task.stand_in().is_some() {
            let counts = sizes(id).2;
            assert_eq!((counts.len(), counts[0], counts[14]), (15, 4, 50));
            let literals = |clause: &[u8]| clause.iter().filter(|&&t| t <= 1).count();
            let clauses = id.iter().flat_map(|e| e.input.split(|&t| t == AND));
            assert!(clauses.into_iter().all(|c| (1..=3).contains(&literals(c))));
        }
    }
}

/// Why seeds 48 and 49 end with the same 93.07 and 92.20 %: in no training formula does the satisfying assignment make the
/// third literal of the first clause the only true one, so that a formula that begins so is always violated in training.
/// Learners that answer exactly these wrong are right on 1,852 of 1,990 and 461 of 500.
#[test]
fn no_satlib_training_formula_begins_with_two_false_literals() {
    let Some(task) = real("satlib", None) else { return };
    let begins_so = |e: &&Example| e.input.starts_with(&[START, FALSE, OR, FALSE, OR, TRUE, END]);
    let [id, ood] = [Split::Id, Split::Ood].map(|split| task.split(split));
    let wrong = [task.bases(), id, ood].map(|set| set.iter().filter(|e| is_positive(e)).filter(begins_so).count());
    assert_eq!(wrong, [0, 138, 39]);
    let right = |wrong: usize, of: usize| (1e4 * (of - wrong) as f64 / of as f64).round() / 100.0;
    assert_eq!((right(wrong[1], id.len()), right(wrong[2], ood.len())), (93.07, 92.2));
    // Violated examples that begin so do occur in training.
    let trained: Vec<Example> = (0..200).flat_map(|epoch| task.epoch(48, epoch).into_owned()).collect();
    let seen: Vec<&Example> = trained.iter().filter(begins_so).collect();
    assert!(seen.len() > 20 && !seen.iter().any(|e| is_positive(e)), "{}", seen.len());
}

/// An epoch is 16 satisfying assignments and 16 violating ones of the ten formulas.
#[test]
fn sat_epochs_are_balanced_and_from_the_pool() {
    for name in ["satbench", "satlib"] {
        let task = stand_in(name);
        let skeleton = |e: &Example| e.input.iter().map(|&t| t.max(1)).collect::<Vec<u8>>();
        let pool: HashSet<Vec<u8>> = task.bases().iter().map(skeleton).collect();
        let mut used = HashSet::new();
        for epoch in 0..20 {
            let examples = task.epoch(41, epoch);
            assert_eq!((examples.len(), positives(&examples)), (32, 16));
            for example in examples.iter() {
                assert!(pool.contains(&skeleton(example)));
                used.insert(skeleton(example));
                assert!(!is_positive(example) || task.bases().contains(example));
                assert!(is_positive(example) || example.input.contains(&TRUE) || name == "satbench");
            }
        }
        assert_eq!(used.len(), pool.len(), "every formula is drawn");
    }
}

/// Other base examples: learners are taught images of these alone, and what cannot be taught is refused.
#[test]
fn bases_of_ones_own() {
    let task = stand_in("sudoku");
    let own = task.split(Split::Id)[..3].to_vec();
    let taught = task.clone().with_bases(own.clone()).unwrap();
    let sorted_clues = |e: &Example| {
        let mut counts = [0; 10];
        e.input.iter().for_each(|&digit| counts[usize::from(digit)] += 1);
        counts[1..].sort_unstable();
        counts
    };
    let epoch = taught.epoch(7, 1);
    assert_eq!(epoch.len(), 3);
    for (image, base) in epoch.iter().zip(&own) {
        assert_ne!(image, base);
        assert_eq!(sorted_clues(image), sorted_clues(base));
    }
    assert_eq!(taught.split(Split::Ood), task.split(Split::Ood));
    assert_ne!(taught.fingerprint(), task.fingerprint());

    let refused = |task: &strat::task::DataTask, bases| task.clone().with_bases(bases).unwrap_err().to_string();
    let says = refused(task, vec![]);
    assert!(says.contains("no base example"), "{says}");
    let mut wrong = own.clone();
    wrong[1].target = own[0].target.clone();
    let says = refused(task, wrong);
    assert!(says.contains("base example 2"), "{says}");
    let mut short = own.clone();
    short[2].input.truncate(80);
    let says = refused(task, short);
    assert!(says.contains("base example 3"), "{says}");
    let says = refused(stand_in("spect"), own);
    assert!(says.contains("another pick"), "{says}");
}
