//! Inputs that someone types, and answers in words.

use crate::{TASKS, stand_in, stand_ins};
use proptest::prelude::*;
use strat::internals::{Column, Tabular};
use strat::task::{AnswerError, DataTask, Example, Split, Target, TextForm};

/// An input as someone would type it; formulas are not kept, so they have no text.
fn typed(name: &str, input: &[u8]) -> Option<String> {
    let map = |names: &str| input.iter().map(|&s| names.chars().nth(s.into()).unwrap()).collect();
    Some(match name {
        "sudoku" => map(".123456789"),
        "life" => map(".*"),
        "tic-tac-toe" => map("xob"),
        "monk-2" => map("1234").chars().map(|c| format!("{c} ")).collect(),
        "satbench" | "satlib" => return None,
        _ => map("01"),
    })
}

/// As models give them to a task.
fn wide(logits: &[f32]) -> Vec<f64> {
    logits.iter().map(|&x| f64::from(x)).collect()
}

/// The instance at the end of a form.
fn instance(task: &DataTask) -> String {
    let form = task.form();
    let (_, instance) = form.split_once("such as `").unwrap_or_else(|| panic!("no instance in {form:?}"));
    instance.strip_suffix('`').expect("the instance ends the form").into()
}

fn tests(task: &DataTask) -> impl Iterator<Item = &Example> {
    [Split::Id, Split::Ood].into_iter().flat_map(|split| task.split(split).iter().take(40))
}

#[test]
fn every_form_shows_what_can_be_typed() {
    for task in TASKS.iter() {
        let probe = task.parse(&instance(task)).unwrap_or_else(|e| panic!("{e}"));
        let known = probe.known().expect("the instance has an answer");
        assert_eq!(task.label_by_rule(&known.input), Some(known.target.clone()));
        assert!(!task.form().contains('\n') && !task.file_form().is_empty());
    }
}

#[test]
fn test_examples_can_be_typed() {
    for task in TASKS.iter() {
        for example in tests(task) {
            let Some(text) = typed(task.name(), &example.input) else { continue };
            let probe = task.parse(&text).unwrap_or_else(|e| panic!("{text}: {e}"));
            let known = probe.known().expect("test examples have answers");
            assert_eq!((&known.input, &known.target), (&example.input, &example.target));
        }
    }
}

#[test]
fn people_may_write_as_they_like() {
    let input = |name: &str, text: &str| {
        let probe = stand_in(name).parse(text).unwrap_or_else(|e| panic!("{e}"));
        probe.example().input.clone()
    };
    assert_eq!(input("m-of-n", "1100110 010"), [1, 1, 0, 0, 1, 1, 0, 0, 1, 0]);
    assert_eq!(input("m-of-n", "1,1,0,0,1,1,0,0,1,0"), input("m-of-n", " 1 1 0 0 1\n1 0 0 1 0 "));
    assert_eq!(input("parity5", "10110 1"), [1, 0, 1, 1, 0, 1, 1, 1, 1, 1]);
    assert_eq!(input("parity5", "10110 01010"), [1, 0, 1, 1, 0, 0, 1, 0, 1, 0]);
    assert_eq!(input("monk-2", "1, 3, 2, 1, 4, 2"), [0, 2, 1, 0, 3, 1]);
    assert_eq!(input("spect", "1111000001111111111111"), [1, 1, 1, 1, 0, 0, 0, 0, 0]);
    assert_eq!(input("tic-tac-toe", "Xx.\nO_-\nobb"), [0, 0, 2, 1, 2, 2, 1, 2, 2]);
    assert_eq!(input("life", &"0*.1 ".repeat(9))[..6], [0, 1, 0, 1, 0, 1]);
    let dimacs = "c one/two\np cnf 3 2\n1 -2 0\n2\n3 0\nv 1 2\nv -3 0\n";
    assert_eq!(input("satlib", dimacs), input("satlib", "1 -2 0 2 3 0 / 1 2 -3"));
    assert_eq!(input("satlib", "1 -2 0 2 3 / 1 2 -3 0"), [4, 0, 2, 1, 5, 3, 4, 0, 2, 1, 5, 6]);
    assert_eq!(input("satlib", "2000000000 / 2000000000"), [4, 0, 5, 6]);
}

#[test]
fn a_text_that_is_no_input_is_refused_in_words() {
    let refused = |name: &str, text: &str, wanted: &str| {
        let task = stand_in(name);
        let message = task.parse(text).expect_err(text).to_string();
        assert_eq!(message, format!("{name}: {wanted}; give {}", task.form()));
    };
    refused("sudoku", &"0".repeat(80), "80 characters, but there should be 81");
    refused("sudoku", "12x", "character 3 is \"x\", but should be a digit, or 0 or . for blank");
    refused("tic-tac-toe", "xxooxx", "6 characters, but there should be 9");
    refused("life", "..2", "character 3 is \"2\", but should be . or *");
    refused("m-of-n", "1100110 0102", "11 values, but there should be 10");
    refused("m-of-n", "1100110 012", "Bit-9 is \"2\", but should be a whole number from 0 to 1");
    refused("monk-2", "1 1 3 1 1 1", "attribute#3 is \"3\", but should be a whole number from 1 to 2");
    refused("monk-2", "1 1 1", "3 values, but there should be 6");
    refused("parity5", "10110", "5 values, but there should be 6 or 10");
    refused("satlib", "1 2 0", "no assignment after the formula");
    refused("satlib", "1 2 0 / 1", "variable 2 occurs in the formula, but has no value in the assignment");
    refused("satlib", "1 0 / 1 -1", "variable 1 is both true and false in the assignment");
    refused("satlib", "1 a 0 / 1", "a literal is \"a\", but should be a whole number of 32 bits, such as 3 or -3");
    refused("satlib", "p cnf 1 2\n1 0\nv 1", "the formula:1: 2 clauses are announced, but there are 1");
    let long = "1 ".repeat(500) + "/ 1";
    let refused = stand_in("satlib").parse(&long).unwrap_err().to_string();
    assert!(refused.contains("1002 tokens, but an example of this task has at most"), "{refused}");
}

#[test]
fn what_the_rule_does_not_decide_is_not_known() {
    let sudoku = stand_in("sudoku");
    // No clues; two equal clues in a row; a search that would take too long.
    let long = ".....5.8....6.1.43..........1.5........1.6...3.......553.....61........4.........";
    for text in [".".repeat(81), "11".to_string() + &".".repeat(79), long.into()] {
        let probe = sudoku.parse(&text).unwrap();
        assert_eq!(probe.known(), None);
        sudoku.encode(probe.example(), &mut Default::default());
    }
}

/// Logits that give an answer: so much for what it says, nothing for the rest.
fn logits(task: &DataTask, target: &Target, strength: f32) -> Vec<f32> {
    let one_hot = |value: u8, of| (0..of).map(move |v| if v == usize::from(value) { strength } else { 0.0 });
    let sign = |yes: bool| if yes { strength } else { -strength };
    let values = task.readout().logits(task.shape().tokens) / task.shape().tokens;
    match target {
        Target::Class(class) => one_hot(*class, 2).collect(),
        Target::Verdict(yes) => vec![sign(*yes)],
        Target::Cells { values: bits, .. } if values == 1 => bits.iter().map(|&b| sign(b == 1)).collect(),
        Target::Cells { values: digits, .. } => digits.iter().flat_map(|&d| one_hot(d, values)).collect(),
        other => panic!("no data set has {other:?}"),
    }
}

#[test]
fn answers_are_in_the_tasks_words() {
    let says = |name: &str, text: &str| {
        let task = stand_in(name);
        let probe = task.parse(text).unwrap();
        let known = probe.known().unwrap();
        let answer = task.answer(known, &wide(&logits(task, &known.target, 3.0))).unwrap();
        assert_eq!((&answer.target, &answer.words), (&known.target, &task.right_answer(known).words));
        answer
    };
    // Softmax of [3, 0] and the sigmoid of 3.
    assert_eq!(says("tic-tac-toe", "xxx oo. ...").to_string(), "x wins (95.3 %)");
    assert_eq!(says("tic-tac-toe", "xxo oo. ...").to_string(), "x does not win (95.3 %)");
    assert_eq!(says("parity5", "10110 1").to_string(), "odd (95.3 %)");
    assert_eq!(says("parity5", "10100 1").to_string(), "even (95.3 %)");
    assert_eq!(says("spect", "111100000").to_string(), "positive (95.3 %)");
    assert_eq!(says("led24", "111110111111111111111111").to_string(), "positive (95.3 %)");
    assert_eq!(says("threeof9", "111100000").to_string(), "negative (95.3 %)");
    assert_eq!(says("satlib", "1 -2 0 2 3 0 / 1 2 -3").to_string(), "satisfied (95.3 %)");
    assert_eq!(says("satbench", "1 -2 0 2 3 0 / -1 2 -3").to_string(), "violated (95.3 %)");
    let blinker = says("life", "...... ...... ..***. ...... ...... ......");
    assert_eq!(blinker.to_string(), ".........*.....*.....*.............. (95.3 %, least certain cell)");
    let board = "......\n...*..\n...*..\n...*..\n......\n......";
    assert_eq!(format!("{blinker:#}"), format!("{board}\n(95.3 %, least certain cell)"));
    let solved = says("sudoku", &instance(stand_in("sudoku")));
    let digits = "534678912672195348198342567859761423426853791713924856961537284287419635345286179";
    assert_eq!(solved.words, digits);
    let drawn = format!("{solved:#}");
    assert!(drawn.starts_with("5 3 4  6 7 8  9 1 2\n6 7 2") && drawn.contains("5 6 7\n\n8 5 9"), "{drawn}");
    // A board that was drawn can be typed.
    let typed = stand_in("sudoku").parse(solved.board.as_ref().unwrap()).unwrap();
    assert_eq!(stand_in("sudoku").right_answer(typed.known().unwrap()).words, digits);
}

#[test]
fn given_cells_are_copied_and_do_not_count() {
    let task = stand_in("sudoku");
    let probe = task.parse(&instance(task)).unwrap();
    let example = probe.known().unwrap();
    let Target::Cells { scored, .. } = &example.target else { panic!() };
    let mut logits = logits(task, &example.target, 3.0);
    for (cell, logits) in logits.chunks_mut(9).enumerate() {
        if scored[cell] {
            logits.iter_mut().for_each(|l| *l *= if cell == 80 { 1.0 } else { 10.0 })
        } else {
            logits.rotate_right(1)
        }
    }
    let answer = task.answer(example, &wide(&logits)).unwrap();
    assert_eq!(answer.target, example.target);
    // All but given cells are certain.
    assert!(answer.confidence.unwrap() > 0.999_999, "{answer}");
    logits[2 * 9..][..9].fill(0.0);
    assert!((task.answer(example, &wide(&logits)).unwrap().confidence.unwrap() - 1.0 / 9.0).abs() < 1e-12);
}

#[test]
fn logits_that_are_no_answer_are_refused() {
    let task = stand_in("parity5");
    let example = &task.split(Split::Id)[0];
    let count = AnswerError::Count { task: "parity5".into(), found: 3, wanted: 2 };
    assert_eq!(task.answer(example, &[0.0; 3]), Err(count));
    let nan = AnswerError::NotANumber { task: "parity5".into(), at: 2, of: 2 };
    assert_eq!(task.answer(example, &[0.0, f64::NAN]), Err(nan));
    let confidence = |logits: [f32; 2]| task.answer(example, &wide(&logits)).unwrap().confidence;
    assert_eq!(confidence([f32::INFINITY, 0.0]), Some(1.0));
    assert_eq!(confidence([f32::NEG_INFINITY; 2]), Some(0.5));
}

/// A table of one's own, without a rule: shades of two sizes.
fn own() -> DataTask {
    let column = |(name, values): (&str, usize)| Column { name: name.into(), group: 0, values };
    let table = Tabular::new([("size", 2), ("shade", 3)].map(column).into(), 3);
    DataTask::of_table("own", table, vec![Example::new(vec![1, 2], Target::Class(2))], vec![], vec![])
}

#[test]
fn a_table_of_ones_own_is_read_and_answered() {
    let task = own();
    assert_eq!(task.form(), "2 values from 0 on, at most 1, 2 in turn, such as `0 1`");
    let probe = task.parse("1 2").unwrap();
    assert_eq!((&probe.example().input[..], probe.known()), (&[1, 2][..], None));
    let answer = task.answer(probe.example(), &[0.0, 0.0, 9.0]).unwrap();
    assert_eq!(answer.words, "class 2");
    let read = |text: &str| task.read("own.tsv", text.as_bytes()).map_err(|e| e.to_string());
    assert_eq!(read("size\tshade\ttarget\n0\t2\t1\n").unwrap(), [Example::new(vec![0, 2], Target::Class(1))]);
    let message = read("size\tshade\ttarget\n\n0\t2\t3\n").unwrap_err();
    assert!(message.starts_with("own: own.tsv:3: target is 3, but should be from 0 to 2; this task reads "));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_read_or_refused(
        noise in "\\PC{0,100}",
        piece in "[-0-9a-z/.*\n, ]{0,12}",
        at: prop::sample::Index,
        cut in 0usize..4,
    ) {
        for task in stand_ins() {
            let mut text: Vec<char> = instance(task).chars().collect();
            let at = at.index(text.len());
            text.splice(at..(at + cut).min(text.len()), piece.chars());
            for text in [&noise, &text.into_iter().collect()] {
                match task.parse(text) {
                    Ok(probe) => task.encode(probe.example(), &mut Default::default()),
                    Err(e) => prop_assert!(e.to_string().starts_with(task.name()) && e.to_string().len() < 600),
                }
            }
        }
    }

    #[test]
    fn an_answer_is_the_right_one_exactly_if_it_is_correct(
        at: prop::sample::Index,
        strength in prop::sample::select(vec![-2.0f32, 0.0, 2.0]),
        changed: prop::sample::Index,
        to in -3.0f32..3.0,
    ) {
        for task in stand_ins() {
            let examples: Vec<&Example> = tests(task).collect();
            let example = examples[at.index(examples.len())];
            let mut logits = logits(task, &example.target, strength);
            let changed = changed.index(logits.len());
            logits[changed] = to;
            let answer = task.answer(example, &wide(&logits)).unwrap();
            prop_assert_eq!(answer.target == example.target, task.is_correct(example, &logits));
            prop_assert!((0.0..=1.0).contains(&answer.confidence.unwrap()));
        }
    }
}
