//! Examples from files of arrays: what is read, what is refused and in which words, and that models learn from them.

use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use strat::config::{ConfigFile, ReadoutChoice, ReadoutKind, Setup, TaskFacts};
use strat::data::{Array, NumberKind};
use strat::engine::Isa;
use strat::internals::parse_arrays;
use strat::model::{Architecture, BlockConfig, BlockModel, Lite, ModelRecord, Param, Readout};
use strat::seeds::Seeds;
use strat::task::{ArrayTask, Batch, Entry, Split, Target, Task};
use strat::train::{Population, Predictor, TrainConfig};

const AUTO: ReadoutChoice = ReadoutChoice { kind: None, classes: None };

type NamedArrays = BTreeMap<String, Array>;

fn array(kind: NumberKind, shape: &[usize], values: &[f64]) -> Array {
    Array { shape: shape.to_vec(), kind, values: values.to_vec() }
}

fn ints(shape: &[usize], values: &[f64]) -> Array {
    array(NumberKind::Int, shape, values)
}

fn floats(shape: &[usize], values: &[f64]) -> Array {
    array(NumberKind::Float, shape, values)
}

fn bools(shape: &[usize], values: &[f64]) -> Array {
    array(NumberKind::Bool, shape, values)
}

fn named(arrays: &[(&str, Array)]) -> NamedArrays {
    arrays.iter().map(|(name, array)| (name.to_string(), array.clone())).collect()
}

/// Three examples of two tokens: 4 + 1 channels, classes 0, 1, 1, one in each split.
fn sound() -> NamedArrays {
    let types: Vec<f64> = (0..24).map(f64::from).collect();
    named(&[
        ("type", floats(&[3, 2, 4], &types)),
        ("data", floats(&[3, 2], &[0.5, 1.5, 2.5, 3.5, 4.5, 5.5])),
        ("target", ints(&[3], &[0.0, 1.0, 1.0])),
        ("split", ints(&[3], &[0.0, 1.0, 2.0])),
    ])
}

fn with(changes: &[(&str, Array)]) -> NamedArrays {
    let mut arrays = sound();
    arrays.extend(named(changes));
    arrays
}

fn message(arrays: NamedArrays, choice: ReadoutChoice) -> String {
    ArrayTask::new("votes", arrays, choice).map(|_| String::from("none")).unwrap_or_else(|e| e.to_string())
}

#[test]
fn mistakes_are_told_with_array_index_and_value() {
    let without = |name: &str| {
        let mut arrays = sound();
        arrays.remove(name);
        arrays
    };
    let kinds =
        |kind: Array, value: Array| named(&[("kind", kind), ("value", value), ("target", floats(&[1], &[1.0]))]);
    let mistakes = [
        (NamedArrays::new(), "votes: it has no examples"),
        (
            without("target"),
            "votes: there is no array \"target\" with the right answers; there are data, split, type",
        ),
        (
            named(&[("target", ints(&[1], &[0.0]))]),
            "votes: there is no input; beside \"target\" there should be \"type\" and \"data\", \"kind\" and \"value\", or what your model reads",
        ),
        (
            with(&[("split", ints(&[3], &[1.0, 1.0, 2.0]))]),
            "votes: no example has split 0 (train), so that there is nothing to learn from",
        ),
        (
            with(&[("split", ints(&[3], &[0.0, 3.0, 2.0]))]),
            "votes: array \"split\" is 3 at index [1], but should be 0 (train), 1 (id) or 2 (ood)",
        ),
        (
            with(&[("split", floats(&[3], &[0.0, 0.5, 2.0]))]),
            "votes: array \"split\" is 0.5 at index [1], but should be 0 (train), 1 (id) or 2 (ood)",
        ),
        (
            with(&[("split", ints(&[3, 1], &[0.0; 3]))]),
            "votes: array \"split\" has shape [3, 1], but should have one axis, a number for each example",
        ),
        (
            with(&[("target", ints(&[3], &[0.0, -1.0, 1.0]))]),
            "votes: array \"target\" is -1 at index [1], but should be a class, a whole number from 0 to 1",
        ),
        (
            with(&[("target", ints(&[3], &[0.0, 256.0, 1.0]))]),
            "votes: array \"target\" is 256 at index [1], but should be a class, a whole number from 0 to 255",
        ),
        (
            with(&[("target", floats(&[3, 2], &[0.0; 6]))]),
            "votes: array \"target\" holds floats of shape [3, 2]; it should have a number for each example, or integers or bools for every token",
        ),
        (
            with(&[("target", ints(&[3, 2, 1], &[0.0; 6]))]),
            "votes: array \"target\" holds integers of shape [3, 2, 1]; it should have a number for each example, or integers or bools for every token",
        ),
        (
            with(&[("target", ints(&[3, 3], &[0.0; 9]))]),
            "votes: array \"target\" has shape [3, 3], but should have the axes [examples, tokens], 2 tokens as the inputs have",
        ),
        (
            with(&[("target", ints(&[2], &[0.0; 2]))]),
            "votes: array \"target\" has 2 examples, but array \"data\" has 3",
        ),
        (with(&[("target", ints(&[3], &[0.0; 2]))]), "votes: array \"target\" has shape [3], but 2 numbers"),
        (
            with(&[("data", floats(&[3, 3], &[0.0; 9]))]),
            "votes: array \"data\" has 3 tokens, but array \"type\" has 2",
        ),
        (
            with(&[("data", floats(&[3, 1], &[0.0; 3]))]),
            "votes: array \"data\" has 1 tokens, but array \"type\" has 2",
        ),
        (
            with(&[("extra", floats(&[3, 5], &[0.0; 15]))]),
            "votes: array \"extra\" has 5 tokens, but array \"type\" has 2",
        ),
        (
            with(&[("data", floats(&[3], &[0.0; 3]))]),
            "votes: array \"data\" has shape [3], but should have the axes [examples, tokens] or [examples, tokens, width], none of them 0",
        ),
        (
            with(&[("data", floats(&[3, 2, 0], &[]))]),
            "votes: array \"data\" has shape [3, 2, 0], but should have the axes [examples, tokens] or [examples, tokens, width], none of them 0",
        ),
        (
            with(&[("data", floats(&[3, 2, 1, 1], &[0.0; 6]))]),
            "votes: array \"data\" has shape [3, 2, 1, 1], but should have 1 to 3 axes, the first of them the examples",
        ),
        (
            with(&[("data", floats(&[3, 2], &[0.0, 0.0, 0.0, f64::NAN, 0.0, 0.0]))]),
            "votes: array \"data\" is NaN at index [1, 1]; every number should be finite",
        ),
        (
            with(&[("length", ints(&[3], &[1.0, 2.0, 3.0]))]),
            "votes: array \"length\" is 3 at index [2], but should be a whole number from 1 to 2, the tokens there are",
        ),
        (
            with(&[("length", ints(&[3], &[1.0, 0.0, 2.0]))]),
            "votes: array \"length\" is 0 at index [1], but should be a whole number from 1 to 2, the tokens there are",
        ),
        (
            with(&[("weight", floats(&[3], &[1.0, -0.5, 1.0]))]),
            "votes: array \"weight\" is -0.5 at index [1], but should be at least 0",
        ),
        (
            with(&[("weight", floats(&[3], &[0.0, 0.0, 1.0]))]),
            "votes: all examples of split 1 have weight 0, so that they have no score",
        ),
        (
            with(&[("scored", bools(&[3, 2], &[1.0; 6]))]),
            "votes: array \"scored\" says which tokens are asked for, but there is one answer for each example; leave it out",
        ),
        (
            with(&[
                ("target", ints(&[3, 2], &[0.0; 6])),
                ("scored", ints(&[3, 2], &[1.0, 1.0, 0.0, 0.0, 1.0, 1.0])),
            ]),
            "votes: array \"scored\" asks for no token of example 1; at least one should be 1",
        ),
        (
            with(&[
                ("target", ints(&[3, 2], &[0.0; 6])),
                ("scored", ints(&[3, 2], &[1.0, 2.0, 0.0, 0.0, 1.0, 1.0])),
            ]),
            "votes: array \"scored\" is 2 at index [0, 1], but should be 0 or 1",
        ),
        (
            with(&[("target", ints(&[3, 2], &[0.0; 6])), ("scored", ints(&[3], &[1.0; 3]))]),
            "votes: array \"scored\" has shape [3], but should have the axes [examples, tokens], 2 tokens as the inputs have",
        ),
        (
            with(&[("share", floats(&[3, 2], &[0.0; 6]))]),
            "votes: an input cannot be called \"share\", because models read under this name what a real token weighs in the mean of all; rename it",
        ),
        (
            kinds(ints(&[1, 3], &[1.0, -2.0, 1.0]), floats(&[1, 2], &[1.0; 2])),
            "votes: array \"kind\" is -2 at index [0, 1], but should be a whole number, 0 for padding",
        ),
        (
            kinds(floats(&[1, 3], &[1.0, 2.5, 1.0]), floats(&[1, 2], &[1.0; 2])),
            "votes: array \"kind\" is 2.5 at index [0, 1], but should be a whole number, 0 for padding",
        ),
        (
            kinds(ints(&[1, 5], &[1.0; 5]), floats(&[1, 2], &[1.0; 2])),
            "votes: array \"value\" has 2 tokens, but array \"kind\" has 5",
        ),
        (
            kinds(ints(&[1, 3, 2], &[1.0; 6]), floats(&[1, 2], &[1.0; 2])),
            "votes: array \"kind\" has shape [1, 3, 2], but should have the axes [examples, tokens]",
        ),
    ];
    let mut wrong = 0;
    let count = mistakes.len();
    for (arrays, expected) in mistakes {
        let found = message(arrays, AUTO);
        if found != expected {
            println!("  expected {expected}\n  found    {found}");
            wrong += 1;
        }
    }
    assert_eq!(wrong, 0, "of {count} mistakes");
    assert!(count > 30);
}

#[test]
fn a_choice_that_the_target_does_not_fit_is_told() {
    let choose = |kind, classes| ReadoutChoice { kind: Some(kind), classes };
    let integers = || with(&[("target", ints(&[3], &[0.0, 1.0, 2.0]))]);
    let halves = || with(&[("target", floats(&[3], &[0.0, 0.5, 2.0]))]);
    for (arrays, choice, expected) in [
        (
            integers(),
            choose(ReadoutKind::TokenClass, None),
            "votes: the readout token-class needs a target of one number for every token, but array \"target\" holds integers of shape [3]",
        ),
        (
            integers(),
            choose(ReadoutKind::Class, Some(2)),
            "votes: array \"target\" is 2 at index [2], but should be a class, a whole number from 0 to 1",
        ),
        (
            integers(),
            choose(ReadoutKind::Binary, None),
            "votes: array \"target\" is 2 at index [2], but should be 0 or 1",
        ),
        (
            halves(),
            choose(ReadoutKind::Class, None),
            "votes: array \"target\" is 0.5 at index [1], but should be a class, a whole number from 0 to 2",
        ),
        (
            halves(),
            ReadoutChoice { kind: None, classes: Some(4) },
            "votes: classes is 4, but the answers are no classes: the readout is number",
        ),
    ] {
        assert_eq!(message(arrays, choice), expected);
    }
}

#[test]
fn the_target_tells_the_readout() {
    let readout =
        |target: Array, choice| ArrayTask::new("votes", with(&[("target", target)]), choice).unwrap().readout();
    assert_eq!(readout(ints(&[3], &[0.0, 0.0, 0.0]), AUTO), Readout::Class(2));
    assert_eq!(readout(ints(&[3], &[0.0, 4.0, 255.0]), AUTO), Readout::Class(256));
    assert_eq!(readout(bools(&[3], &[0.0, 1.0, 1.0]), AUTO), Readout::Binary);
    assert_eq!(readout(floats(&[3], &[0.5, 1.0, -1e9]), AUTO), Readout::Number);
    assert_eq!(readout(ints(&[3, 2], &[0.0, 1.0, 2.0, 3.0, 4.0, 8.0]), AUTO), Readout::TokenClass(9));
    assert_eq!(readout(bools(&[3, 2], &[0.0; 6]), AUTO), Readout::TokenBinary);
    let choose = |kind, classes| ReadoutChoice { kind: Some(kind), classes };
    assert_eq!(readout(ints(&[3], &[0.0; 3]), choose(ReadoutKind::Number, None)), Readout::Number);
    assert_eq!(readout(bools(&[3], &[0.0; 3]), choose(ReadoutKind::Class, Some(5))), Readout::Class(5));
    assert_eq!(readout(floats(&[3], &[0.0; 3]), choose(ReadoutKind::Class, None)), Readout::Class(2));
}

#[test]
fn examples_are_in_their_splits_and_read_by_their_names() {
    let task = ArrayTask::new("votes", with(&[("weight", floats(&[3], &[1.0, 2.0, 3.0]))]), AUTO).unwrap();
    assert_eq!((task.name(), task.tokens(), task.most_tokens(), task.channels()), ("votes", 2, 2, Some((4, 1))));
    let sets = [task.train(7, 9), task.test(Split::Id, 7), task.test(Split::Ood, 7)];
    for (i, set) in sets.iter().enumerate() {
        let [example] = &set[..] else { panic!("{set:?}") };
        assert_eq!((task.number(example), task.text(example)), (i, format!("example {i}")));
        assert_eq!(example.weight, i as f64 + 1.0);
        let batch = Batch::of_one(&task, example);
        let types: Vec<f64> = (0..8).map(|x| f64::from(x) + 8.0 * i as f64).collect();
        assert_eq!(batch.input("type"), Some(&types[..]));
        assert_eq!(batch.input("data"), Some(&[2.0 * i as f64 + 0.5, 2.0 * i as f64 + 1.5][..]));
    }
    assert_eq!(sets[2][0].target, Target::Class(1));
    assert_eq!(batch_names(&task), ["data", "type", "target"]);
    // Without splits all are trained on, and inputs may have any name; one row is for the whole example.
    let mut own = sound();
    own.remove("split");
    own.insert("whole".into(), floats(&[3, 1, 5], &[0.0; 15]));
    let task = ArrayTask::new("votes", own, AUTO).unwrap();
    assert_eq!((task.train(1, 0).len(), task.inputs(2)[2].rows, task.inputs(2)[2].width), (3, 1, 5));
}

fn batch_names(task: &ArrayTask) -> Vec<String> {
    Batch::new(task, task.tokens()).sizes().into_iter().map(|(name, _)| name.to_string()).collect()
}

#[test]
fn padding_is_zero_whatever_the_file_has_there() {
    let lengths = ("length", ints(&[3], &[1.0, 2.0, 2.0]));
    let answers = ("target", bools(&[3], &[1.0, 0.0, 1.0]));
    let task = ArrayTask::new("votes", with(&[lengths.clone(), answers]), AUTO).unwrap();
    // The only training example has one token, those of the tests two.
    assert_eq!((task.tokens(), task.most_tokens()), (1, 2));
    let batch = Batch::of(&task, 2, &*task.train(1, 0));
    assert_eq!(batch.input("data"), Some(&[0.5, 0.0][..]));
    assert_eq!(batch.input("type"), Some(&[0.0, 1.0, 2.0, 3.0, 0.0, 0.0, 0.0, 0.0][..]));
    assert!(TaskFacts::from(&task).is_padded);
    // An answer at every token: that of padding is not asked for.
    let cells = ("target", ints(&[3, 2], &[0.0, 9.0, 1.0, 2.0, 3.0, 4.0]));
    let task = ArrayTask::new("votes", with(&[lengths, cells]), AUTO).unwrap();
    assert_eq!(
        (task.tokens(), task.readout(), TaskFacts::from(&task).is_padded),
        (2, Readout::TokenClass(10), false)
    );
    let Target::Cells { scored, .. } = &task.train(1, 0)[0].target else { panic!("cells") };
    assert_eq!(scored, &[true, false]);
}

#[test]
fn a_changed_number_changes_the_fingerprint() {
    let print = |arrays| ArrayTask::new("votes", arrays, AUTO).unwrap().fingerprint().to_string();
    let first = print(sound());
    assert!(first.starts_with("sha256:") && first.len() == 71);
    assert_eq!(first, print(sound()));
    let mut others = vec![
        print(with(&[("target", ints(&[3], &[0.0, 1.0, 0.0]))])),
        print(with(&[("split", ints(&[3], &[0.0, 2.0, 2.0]))])),
        print(with(&[("data", floats(&[3, 2, 1], &[0.5, 1.5, 2.5, 3.5, 4.5, 5.5]))])),
        print(with(&[("split", floats(&[3], &[0.0, 1.0, 2.0]))])),
        print(with(&[("more", floats(&[3, 2], &[0.0; 6]))])),
        first,
    ];
    others.sort();
    others.dedup();
    assert_eq!(others.len(), 6);
}

/// A file of this text in a folder of its own.
fn file(name: &str, bytes: &[u8]) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    (folder, path)
}

/// Is there more of the first kind? Tokens have the kinds 0 and 1; the first is to read the answer at.
fn votes(count: usize) -> String {
    let line = |i: usize| {
        let kinds: Vec<usize> = (0..5).map(|t| (i >> t) & 1).collect();
        let row = |kind: usize| format!("[{}, {}, 0, 0]", 1 - kind, kind);
        let rows: Vec<String> = ["[0, 0, 1, 0]".into()].into_iter().chain(kinds.iter().map(|&k| row(k))).collect();
        let target = usize::from(kinds.iter().sum::<usize>() >= 3);
        let split = ["train", "id", "ood"][usize::from(i % 8 == 3) + 2 * usize::from(i % 8 == 5)];
        let (rows, data) = (rows.join(", "), [[0.0, 0.5, 0.0, 0.0]; 6]);
        format!("{{\"type\": [{rows}], \"data\": {data:?}, \"target\": {target}, \"split\": \"{split}\"}}\n")
    };
    (0..count).map(line).collect()
}

#[test]
fn a_strat_learns_from_a_file() {
    let (_folder, path) = file("votes.jsonl", votes(32).as_bytes());
    let config = ConfigFile::parse("c.toml", "[train]\nsteps = 150\nlearning_rate = 0.01").unwrap();
    let task = Arc::new(ArrayTask::read(&path, config.readout().unwrap()).unwrap());
    assert_eq!((task.name(), task.train(1, 0).len()), ("votes.jsonl", 24));
    let all = config.resolve(&TaskFacts::from(&*task), None).unwrap();
    let ModelRecord::Blocks(model) = all.settings[0].model else { panic!("blocks") };
    let isa = Isa::detect().unwrap();
    let population = Population::new(task.clone(), Arc::new(model), all.settings[0].train, isa).unwrap();
    let learners = population.train(&[41, 42], &|_| {}).unwrap();
    for learner in &learners {
        let mut predictor = Predictor::new(&*task, Arc::new(model), &learner.weights, isa);
        for split in [Split::Id, Split::Ood] {
            assert_eq!(predictor.test(split, 41).unwrap(), 1.0, "{split:?}");
        }
    }
    // More examples without answers, in another order of keys and with a name that nobody reads.
    let lines: Vec<String> = votes(32).lines().map(|l| l.replace("\"split\"", "\"name\"")).collect();
    let lines = lines.iter().map(|l| {
        let l = l.replace("\"train\"", "[1]").replace("\"id\"", "[1]").replace("\"ood\"", "[1]");
        let (head, tail) = l.split_once("\"target\": ").unwrap();
        format!("{head}{}", &tail[3..])
    });
    let text = lines.collect::<Vec<_>>().join("\n");
    let (_folder, more) = file("more.jsonl", text.as_bytes());
    let form = ArrayTask::form_of(&task.spec()).unwrap();
    assert_eq!(form, task.form());
    let asked = ArrayTask::read_for(&more, &form).unwrap();
    assert!(!asked.is_answered() && task.is_answered());
    let mut first = Predictor::new(&*task, Arc::new(model), &learners[0].weights, isa);
    let mut second = Predictor::new(&asked, Arc::new(model), &learners[0].weights, isa);
    assert_eq!(first.outputs(&task.asked()).unwrap(), second.outputs(&asked.asked()).unwrap());
}

#[test]
fn examples_that_a_model_was_not_trained_on_are_refused() {
    let form = ArrayTask::new("votes", sound(), AUTO).unwrap().form();
    let refused = |arrays| ArrayTask::new_for("more", arrays, &form).unwrap_err().to_string();
    assert_eq!(
        refused(named(&[("type", floats(&[1, 2, 4], &[0.0; 8]))])),
        "more: array \"data\" is missing, which the model was trained on; there are type"
    );
    assert_eq!(
        refused(with(&[("data", floats(&[3, 2, 2], &[0.0; 12]))])),
        "more: array \"data\" has 2 numbers for every token, but the model was trained on 1"
    );
    let longer = named(&[("type", floats(&[1, 7, 4], &[0.0; 28])), ("data", floats(&[1, 7], &[0.0; 7]))]);
    assert_eq!(ArrayTask::new_for("more", longer, &form).unwrap().tokens(), 7);
}

#[test]
fn sums_from_a_file_feed_the_arithmetic_models() {
    let mut text = String::new();
    for i in 0..12 {
        let (a, b, plus) = (f64::from(i % 5), f64::from(i % 3), i % 2 == 0);
        let (kind, target) = if plus { (2, a + b) } else { (3, a - b) };
        let split = if i < 9 { "train" } else { "ood" };
        text += &format!(
            "{{\"kind\": [1, {kind}, 1], \"value\": [{a:?}, {b:?}], \"target\": {target:?}, \"split\": \"{split}\"}}\n"
        );
    }
    let (_folder, path) = file("sums.jsonl", text.as_bytes());
    let task = Arc::new(ArrayTask::read(&path, AUTO).unwrap());
    let text = "[model]\nkind = [\"lite\", \"unityped\", \"nac\", \"nalu\"]\n[train]\nsteps = 20";
    let config = ConfigFile::parse("c.toml", text).unwrap();
    let all = config.resolve(&TaskFacts::from(&*task), None).unwrap();
    assert_eq!(all.settings.len(), 4);
    let isa = Isa::detect().unwrap();
    for setting in &all.settings {
        let model = setting.model.model().unwrap();
        let population = Population::new(task.clone(), model.clone(), setting.train, isa).unwrap();
        let learners = population.train(&[1], &|_| {}).unwrap();
        let mut predictor = Predictor::new(&*task, model, &learners[0].weights, isa);
        assert!(predictor.test(Split::Ood, 1).unwrap().is_finite(), "{}", setting.name);
    }
    // A kind that there is not is refused by the engine, with its place.
    let wrong = named(&[
        ("kind", ints(&[1, 3], &[1.0, 7.0, 1.0])),
        ("value", floats(&[1, 2], &[1.0; 2])),
        ("target", floats(&[1], &[1.0])),
    ]);
    let task = Arc::new(ArrayTask::new("sums", wrong, AUTO).unwrap());
    let model = Arc::new(Lite::STANDARD);
    let population = Population::new(task, model, TrainConfig { steps: 1, ..TrainConfig::default() }, isa);
    let failed = population.and_then(|p| p.train(&[1], &|_| {})).unwrap_err().to_string();
    assert!(failed.contains("kind") && failed.contains('7'), "{failed}");
}

#[test]
fn examples_of_unequal_length_are_trained_under_a_causal_mask() {
    let mut text = String::new();
    for i in 0..16usize {
        let rows = vec![format!("[{}, {}]", i % 2, 1 - i % 2); 1 + i % 4];
        let data: Vec<String> = (0..rows.len()).map(|t| format!("[{}.5, {}, 1]", i % 7, t)).collect();
        let (rows, data, target) = (rows.join(", "), data.join(", "), i % 2 == 0);
        text += &format!("{{\"type\": [{rows}], \"data\": [{data}], \"target\": {target}}}\n");
    }
    let (_folder, path) = file("signs.jsonl", text.as_bytes());
    let task = Arc::new(ArrayTask::read(&path, AUTO).unwrap());
    let config =
        ConfigFile::parse("c.toml", "[model]\nkind = [\"strat\", \"transformer\"]\n[train]\nsteps = 5").unwrap();
    let isa = Isa::detect().unwrap();
    for setting in config.resolve(&TaskFacts::from(&*task), None).unwrap().settings {
        let ModelRecord::Blocks(model) = setting.model else { panic!("blocks") };
        let population = Population::new(task.clone(), Arc::new(model), setting.train, isa).unwrap();
        let learner = population.train(&[1], &|_| {}).unwrap().remove(0);
        // Padding does not change an answer, and the answers are not all the same.
        let mut predictor = Predictor::new(&*task, Arc::new(model), &learner.weights, isa);
        let padded = predictor.outputs(&task.asked()).unwrap();
        assert!((padded[0][0] - padded[4][0]).abs() > 1e-4, "{}: {padded:?}", setting.name);
        for (example, data) in [(0, [0.5, 0.0, 1.0]), (4, [4.5, 0.0, 1.0])] {
            let types = floats(&[1, 1, 2], &[0.0, 1.0]);
            let alone = named(&[("type", types), ("data", floats(&[1, 1, 3], &data))]);
            let alone = ArrayTask::new_for("alone", alone, &task.form()).unwrap();
            let mut predictor = Predictor::new(&alone, Arc::new(model), &learner.weights, isa);
            let (bare, padded) = (predictor.outputs(&alone.asked()).unwrap()[0][0], padded[example][0]);
            assert!((bare - padded).abs() < 1e-5, "{}: {bare} {padded}", setting.name);
        }
    }
}

/// What an untrained STRAT answers to eight examples: with narrow Data as it is, with columns of zeros that a
/// configuration adds, and with the same columns in the file.
#[test]
fn narrow_data_gets_columns_of_zeros_because_the_answer_would_not_depend_on_it() {
    let isa = Isa::detect().unwrap();
    let types: Vec<f64> = (0..8 * 12).map(|i| f64::from(i * 7919 % 13) / 13.0).collect();
    let task = |data: &[f64]| {
        let arrays = named(&[
            ("type", floats(&[8, 3, 4], &types)),
            ("data", floats(&[8, 3, data.len() / 24], data)),
            ("target", ints(&[8], &[0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0])),
        ]);
        ArrayTask::new("narrow", arrays, AUTO).unwrap()
    };
    let answers = |task: &ArrayTask, model: BlockModel| {
        let weights = Param::initial(&model.params(), 41);
        Predictor::new(task, Arc::new(model), &weights, isa).outputs(&task.asked()).unwrap()
    };
    let different = |outputs: &[Vec<f64>]| {
        outputs.iter().map(|output| format!("{:.5}", output[0])).collect::<BTreeSet<String>>().len()
    };
    let resolved = |task: &ArrayTask, text: &str| {
        let config = ConfigFile::parse("c.toml", text).unwrap();
        let mut settings = config.resolve(&TaskFacts::from(task), None).unwrap().settings;
        let ModelRecord::Blocks(model) = settings.remove(0).model else { panic!("blocks") };
        model
    };
    for (width, as_it_is) in [(1, 1), (2, 2), (3, 8), (4, 8)] {
        let data: Vec<f64> = (0..24 * width).map(|i| (i * 104_729 % 17) as f64).collect();
        let given = task(&data);
        let model = resolved(&given, "");
        assert_eq!((model.sizes.data, model.sizes.zeros), (width.max(3), 3 - width.min(3)));
        let bare = BlockConfig { data: width, zeros: 0, ..model.sizes };
        assert_eq!(different(&answers(&given, BlockModel { sizes: bare, ..model })), as_it_is, "of width {width}");
        let outputs = answers(&given, model);
        // The sizes of two numbers beside zeros may look alike.
        assert!(different(&outputs) > 5, "of width {width}");

        let widened = data.chunks(width).flat_map(|row| (0..width.max(3)).map(|i| *row.get(i).unwrap_or(&0.0)));
        let widened = task(&widened.collect::<Vec<_>>());
        let same = resolved(&widened, "");
        assert_eq!((same.sizes, same.sizes.zeros), (BlockConfig { zeros: 0, ..model.sizes }, 0));
        assert_eq!(outputs, answers(&widened, same), "of width {width}");
        // Who reads Data without a LayerNorm of its own needs none.
        for other in ["[model]\nroute = false", "[model]\nkind = \"transformer\""] {
            assert_eq!(resolved(&given, other).sizes.zeros, 0, "{other}");
        }
        // Examples to be answered have the width of those trained on.
        assert_eq!(given.form().inputs["data"], width);
    }
}

#[test]
fn a_task_of_the_paper_takes_settings_too() {
    let task = strat::task::by_name("parity5").unwrap();
    let models = Architecture::ALL.map(|a| Entry::named("parity5").unwrap().model(a).into()).to_vec();
    let setup = Setup::new(models, TrainConfig::default(), Seeds::new(41, 50).unwrap());
    let mut config = ConfigFile::parse("c.toml", &setup.to_toml("parity5")).unwrap();
    config.set("train.learning_rate=[1e-3, 3e-3]").unwrap();
    let all = config.resolve(&TaskFacts::of(&task), Some(&setup)).unwrap();
    assert_eq!(all.settings.len(), 2);
    assert!(all.settings.iter().all(|s| s.model == setup.models[0]));
}

/// The blocks of a language on the page about files.
fn blocks(language: &str) -> Vec<String> {
    let page = include_str!("../../../docs/train-on-a-file.md");
    let parts = page.split("```").skip(1).step_by(2);
    parts.filter_map(|part| Some(part.strip_prefix(language)?.strip_prefix('\n')?.to_string())).collect()
}

#[test]
fn the_page_about_files_is_right() {
    let examples = blocks("json");
    assert_eq!(examples.len(), 2);
    let tasks = [("votes.jsonl", &examples[0]), ("sums.jsonl", &examples[1])].map(|(name, text)| {
        let arrays = parse_arrays(Path::new(name), text.as_bytes()).unwrap();
        ArrayTask::new(name, arrays, AUTO).unwrap()
    });
    assert_eq!(tasks.each_ref().map(|t| t.readout()), [Readout::Class(2), Readout::Number]);
    assert_eq!(tasks[0].test(Split::Ood, 1).len(), 1);
    let settings = blocks("toml");
    let resolve = |text: &str| ConfigFile::parse("c.toml", text)?.resolve(&TaskFacts::from(&tasks[0]), None);
    assert_eq!((settings.len(), resolve(&settings[0]).unwrap().settings.len()), (2, 1));
    let sweep = resolve(&settings[1]).unwrap().settings;
    assert_eq!((sweep.len(), &*sweep[0].name), (8, "STRAT, hidden [32], learning_rate 0.001"));
    // The mistake that it shows.
    let shown = blocks("text").remove(0);
    let wrong = "[model]\nlayers = 2\n\n\n[train]\nepochs = 3";
    assert_eq!(resolve(wrong).unwrap_err().to_string(), shown.trim_end());
    // Three rows of masks, where the answer is not a class.
    let binary = TaskFacts { readout: Readout::Binary, ..TaskFacts::from(&tasks[0]) };
    let masks = "[model]\nmask = [\"full\", \"causal\"]\nwindow = [8, 16]";
    let masks = ConfigFile::parse("c.toml", masks).unwrap().resolve(&binary, None).unwrap();
    assert_eq!(masks.settings.len(), 3);
    let lite = ConfigFile::empty("c.toml").resolve(&TaskFacts::from(&tasks[1]), None).unwrap();
    assert_eq!(lite.settings[0].name, "STRAT-Lite");
}

/// The same numbers are the same task, whatever the form of the file.
#[cfg(feature = "archives")]
#[test]
fn three_forms_are_one_task() {
    let types: Vec<f64> = (0..12).map(|i| f64::from(i) + 0.5).collect();
    let data: Vec<f64> = (0..9).map(|i| f64::from(i) - 0.25).collect();
    let target = [0i64, 1, 1];
    let rows = |i: usize| format!("[{:?}]", &types[4 * i..4 * i + 4]);
    let line = |i: usize| {
        let data = &data[3 * i..3 * i + 3];
        format!("{{\"type\": {}, \"data\": [{data:?}], \"target\": {}}}\n", rows(i), target[i])
    };
    let lines: String = (0..3).map(line).collect();
    let bytes = |values: &[f64]| values.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
    let (types, data) = (bytes(&types), bytes(&data));
    let target: Vec<u8> = target.iter().flat_map(|x| x.to_le_bytes()).collect();
    let all = [
        ("type", "f8", vec![3, 1, 4], &types),
        ("data", "f8", vec![3, 1, 3], &data),
        ("target", "i8", vec![3], &target),
    ];

    let dtype = |name: &str| if name == "i8" { safetensors::Dtype::I64 } else { safetensors::Dtype::F64 };
    let views = all.iter().map(|(name, number, shape, bytes)| {
        (*name, safetensors::tensor::TensorView::new(dtype(number), shape.clone(), bytes).unwrap())
    });
    let tensors = safetensors::serialize(views, None).unwrap();

    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(vec![]));
    for (name, number, shape, bytes) in &all {
        let shape: String = shape.iter().map(|axis| format!("{axis}, ")).collect();
        let header = format!("{{'descr': '<{number}', 'fortran_order': False, 'shape': ({shape}), }}\n");
        archive.start_file(format!("{name}.npy"), zip::write::SimpleFileOptions::default()).unwrap();
        let start = [b"\x93NUMPY\x01\x00", &(header.len() as u16).to_le_bytes()[..], header.as_bytes()].concat();
        std::io::Write::write_all(&mut archive, &[&start, &bytes[..]].concat()).unwrap();
    }
    let npz = archive.finish().unwrap().into_inner();

    let mut prints = BTreeSet::new();
    for (name, bytes) in [("x.jsonl", lines.as_bytes()), ("x.safetensors", &tensors), ("x.npz", &npz)] {
        let (_folder, path) = file(name, bytes);
        let task = ArrayTask::read(&path, AUTO).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!((task.name(), task.channels(), task.train(1, 0).len()), (name, Some((4, 3)), 3));
        prints.insert(task.fingerprint().to_string());
    }
    assert_eq!(prints.len(), 1, "{prints:?}");
}

proptest! {
    #[test]
    fn no_file_makes_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..300), at in any::<usize>()) {
        let whole = votes(4);
        let at = at % whole.len();
        let mut changed = whole.clone().into_bytes();
        changed[at] = bytes.first().copied().unwrap_or(0);
        for name in ["x.jsonl", "x.npz", "x.safetensors"] {
            for bytes in [&bytes[..], &whole.as_bytes()[..at], &changed] {
                let (_folder, path) = file(name, bytes);
                let _ = ArrayTask::read(&path, AUTO).map_err(|e| e.to_string());
            }
        }
    }

    #[test]
    fn arrays_of_any_shape_are_a_task_or_refused(
        shapes in prop::collection::vec((0usize..8, 0usize..3, prop::collection::vec(0usize..4, 0..4)), 1..6),
        numbers in prop::collection::vec(prop::sample::select(vec![0.0, 1.0, 2.0, -1.0, 0.5, 300.0, 1e300]), 64),
        kind in prop::sample::select(vec![None, Some(ReadoutKind::Class), Some(ReadoutKind::TokenBinary)]),
    ) {
        let names = ["type", "data", "target", "split", "length", "scored", "kind", "value"];
        let kinds = [NumberKind::Bool, NumberKind::Int, NumberKind::Float];
        let mut arrays = NamedArrays::new();
        for (name, number_kind, shape) in shapes {
            let count: usize = shape.iter().product();
            let values = numbers.iter().copied().cycle().take(count).collect();
            arrays.insert(names[name].into(), Array { shape, kind: kinds[number_kind], values });
        }
        if let Ok(task) = ArrayTask::new("any", arrays, ReadoutChoice { kind, classes: None }) {
            // Every example can be encoded, alone and in a batch.
            for example in &task.asked() {
                prop_assert_eq!(Batch::of_one(&task, example).len(), 1);
            }
            let all = task.asked();
            prop_assert_eq!(Batch::of(&task, task.most_tokens(), &all).len(), all.len());
            let _ = ConfigFile::empty("c").resolve(&TaskFacts::from(&task), None).map_err(|e| e.to_string());
        }
    }
}
