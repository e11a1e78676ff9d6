//! What the ten base examples decide, compared with every rule of a family that agrees with them.

use strat::data::DataFolder;
use strat::task::{DataTask, Entry, Example, Pick, Split, Target};

/// What a rule says of an input.
type Says = Box<dyn Fn(&[u8]) -> bool>;

fn task(name: &str, pick: Pick) -> DataTask {
    Entry::named(name).unwrap().load(&DataFolder::find(None), Some(pick)).unwrap()
}

fn is_yes(example: &Example) -> bool {
    example.target == Target::Class(1)
}

/// The share of a test set on which all rules of a family agree that are right on the base examples.
fn agreed(task: &DataTask, split: Split, rules: &[Says]) -> f64 {
    let fits = |rule: &&Says| task.bases().iter().all(|b| rule(&b.input) == is_yes(b));
    let left: Vec<_> = rules.iter().filter(fits).collect();
    assert!(!left.is_empty(), "the true rule is one of them");
    let examples = task.split(split);
    Example::mean_score(examples, |_, example| {
        let yes = left.iter().filter(|rule| rule(&example.input)).count();
        f64::from(u8::from(yes == 0 || yes == left.len()))
    })
}

fn set(bits: &[u8]) -> usize {
    bits.iter().filter(|&&bit| bit == 1).count()
}

fn picks() -> impl Iterator<Item = Pick> {
    (1..4).flat_map(|seed| [Pick::coverage(seed), Pick::random(seed)])
}

fn compared(name: &str, rules: &[Says]) -> Vec<f64> {
    let of = |pick| {
        let task = task(name, pick);
        [Split::Id, Split::Ood].map(|split| {
            let (ours, theirs) = (task.decided(split).unwrap(), agreed(&task, split, rules));
            assert!((ours - theirs).abs() < 1e-12, "{name} {pick} {split:?}: {ours}, not {theirs}");
            ours
        })
    };
    picks().flat_map(of).collect()
}

#[test]
fn of_a_threshold_all_thresholds_agree() {
    for (name, range) in [("threeof9", 0..9), ("spect", 0..9), ("m-of-n", 2..9), ("led24", 0..7)] {
        let rule = |least: usize| -> Says {
            let range = range.clone();
            Box::new(move |input| set(&input[range.clone()]) >= least)
        };
        let rules: Vec<_> = (0..=10).map(rule).collect();
        let shares = compared(name, &rules);
        assert!(shares.iter().any(|&share| share > 0.5), "{name}: {shares:?}");
    }
}

#[test]
fn of_counts_that_mean_anything_all_meanings_agree() {
    // A bit for each count says what it means.
    let rule = |means: usize| -> Says { Box::new(move |input| means >> set(&input[..5]) & 1 == 1) };
    let shares = compared("parity5", &(0..64).map(rule).collect::<Vec<_>>());
    assert!(shares.iter().any(|&share| share < 1.0), "some picks have no base with 0 or 5 ones: {shares:?}");
    let rule = |means: usize| -> Says {
        Box::new(move |input| means >> input.iter().filter(|&&value| value == 0).count() & 1 == 1)
    };
    compared("monk-2", &(0..128).map(rule).collect::<Vec<_>>());
}

/// Without a drawn game among the ten, the 16 draws are a guess: 866 of 882.
#[test]
fn draws_are_not_decided_without_a_draw() {
    let is_draw = |example: &Example| {
        !example.input.contains(&2) && {
            let has = |mark: u8| {
                const LINES: [[usize; 3]; 8] =
                    [[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8], [2, 4, 6]];
                LINES.iter().any(|line| line.iter().all(|&cell| example.input[cell] == mark))
            };
            !has(0) && !has(1)
        }
    };
    for pick in [Pick::coverage(1), Pick::coverage(2), Pick::random(1)] {
        let task = task("tic-tac-toe", pick);
        let without = |split| {
            let examples = task.split(split);
            examples.iter().filter(|e| !is_draw(e)).count() as f64 / examples.len() as f64
        };
        for split in [Split::Id, Split::Ood] {
            let expected = if task.bases().iter().any(is_draw) { 1.0 } else { without(split) };
            let decided = task.decided(split).unwrap();
            assert!((decided - expected).abs() < 1e-12, "{pick} {split:?}: {decided}, not {expected}");
        }
    }
}

#[test]
fn where_no_number_decides_nothing_is_said() {
    let sudoku = Entry::named("sudoku").unwrap().load(&DataFolder::find(None), None).unwrap();
    assert_eq!(sudoku.decided(Split::Id), None);
}
