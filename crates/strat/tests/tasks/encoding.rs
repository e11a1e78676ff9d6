//! Encodings, channel by channel, as the paper's appendix and `docs/tasks.md` describe them.

use crate::TASKS;
use strat::internals::Encoded;
use strat::model::Shape;
use strat::task::{Example, Split, TextForm};

/// Type and Data of a token: the channels that are not zero, and their values.
type Token = (Vec<(usize, f32)>, Vec<(usize, f32)>);

fn one(channels: impl IntoIterator<Item = usize>) -> Vec<(usize, f32)> {
    channels.into_iter().map(|c| (c, 1.0)).collect()
}

/// Classification token, then a token for each value with its group, identity and value channels.
fn table(input: &[u8], group: impl Fn(usize) -> Vec<usize>, value: usize) -> Vec<Token> {
    let cell = |(i, &v): (usize, &u8)| {
        let v = usize::from(v);
        (one(group(i).into_iter().chain([value + v])), one([v]))
    };
    [(one([0]), vec![])].into_iter().chain(input.iter().enumerate().map(cell)).collect()
}

fn expected(name: &str, input: &[u8], tokens: usize) -> Vec<Token> {
    match name {
        "sudoku" => (0..81)
            .map(|c| {
                let place = [c / 9, 9 + c % 9, 18 + c / 27 * 3 + c % 9 / 3];
                let digit = (input[c] > 0).then(|| usize::from(input[c]) - 1);
                let given = digit.into_iter().flat_map(|d| [27, 28 + d]);
                (one(place.into_iter().chain(given)), one(digit))
            })
            .collect(),
        "life" => input.iter().map(|&a| (one([usize::from(a)]), one((a == 1).then_some(0)))).collect(),
        "satbench" | "satlib" => (0..tokens)
            .map(|i| {
                let token = input.get(i).copied().unwrap_or(7);
                let value = [(0, 1.0), (0, -1.0)].get(usize::from(token)).copied();
                (one([usize::from(token)]), value.into_iter().collect())
            })
            .collect(),
        "tic-tac-toe" => {
            let lines = ["012", "345", "678", "036", "147", "258", "048", "246"];
            let cell = |c: usize| {
                let diagonals = (0..2).filter(|d| lines[6 + d].contains(&c.to_string())).map(|d| 9 + d);
                let mark = usize::from(input[c]);
                let types = [1, 3 + c / 3, 6 + c % 3].into_iter().chain(diagonals).chain([11 + mark]);
                (one(types), one((0..4).flat_map(|r| [8 * r + mark, 8 * r + 7])))
            };
            let line = |(l, cells): (usize, &str)| {
                let members = cells.bytes().map(|b| 22 + usize::from(b - b'0'));
                (one([2, 14 + l].into_iter().chain(members)), vec![])
            };
            let lines = lines.into_iter().enumerate().map(line);
            [(one([0]), vec![])].into_iter().chain((0..9).map(cell)).chain(lines).collect()
        }
        "parity5" => {
            let mut tokens = table(input, |i| vec![1 + i / 5], 3);
            tokens[0].0 = one([0, 1]);
            tokens
        }
        "m-of-n" => table(input, |i| vec![if (2..9).contains(&i) { 1 } else { 2 }, 3 + i], 13),
        "monk-2" => table(input, |i| vec![1 + i], 7),
        "led24" => table(input, |i| vec![if i < 7 { 1 } else { 2 }, 3 + i], 27),
        "threeof9" | "spect" => table(input, |i| vec![1 + i], 10),
        name => panic!("no encoding of {name}"),
    }
}

fn shape(name: &str) -> Option<Shape> {
    let (tokens, types, data) = match name {
        "sudoku" => (81, 64, 18),
        "life" => (36, 32, 32),
        "tic-tac-toe" => (18, 32, 32),
        "parity5" | "m-of-n" => (11, 32, 32),
        "monk-2" => (7, 32, 32),
        "led24" => (25, 32, 32),
        "threeof9" | "spect" => (10, 32, 32),
        _ => return None,
    };
    Some(Shape { tokens, types, data })
}

fn set(channels: &[f32]) -> Vec<(usize, f32)> {
    channels.iter().copied().enumerate().filter(|(_, value)| *value != 0.0).collect()
}

#[test]
fn encodings_set_the_documented_channels_and_no_others() {
    for task in TASKS.iter() {
        let Shape { tokens, types, data } = task.shape();
        match shape(task.name()) {
            Some(shape) => assert_eq!(task.shape(), shape),
            None => assert_eq!((types, data), (8, 3)),
        }
        // What was there before must not matter.
        let mut out = Encoded { types: vec![9.0; 5], data: vec![9.0; 100_000], real: 3 };
        let epoch = task.epoch(43, 2).into_owned();
        let some = |set: &[Example]| set.iter().step_by(set.len().div_ceil(50)).cloned().collect::<Vec<_>>();
        for example in [some(&epoch), some(task.split(Split::Id)), some(task.split(Split::Ood))].concat() {
            task.encode(&example, &mut out);
            assert_eq!((out.types.len(), out.data.len()), (tokens * types, tokens * data));
            let real = if shape(task.name()).is_some() { tokens } else { example.input.len() };
            assert_eq!(out.real, real);
            let got = out.types.chunks(types).map(set).zip(out.data.chunks(data).map(set));
            assert_eq!(got.collect::<Vec<_>>(), expected(task.name(), &example.input, tokens), "{}", task.name());
        }
    }
}

/// A word for every token, short enough to stand beside a row.
#[test]
fn every_token_has_a_label() {
    let mut one = Encoded::default();
    for task in TASKS.iter() {
        for example in task.bases().iter().chain(task.split(Split::Id).iter().take(20)) {
            task.encode(example, &mut one);
            let labels = task.token_names(example);
            assert_eq!(labels.len(), one.real, "{}", task.name());
            assert!(labels.iter().all(|l| (1..=10).contains(&l.chars().count())), "{}: {labels:?}", task.name());
        }
    }
}
