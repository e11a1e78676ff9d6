//! What is refused, and in which words.

use super::*;

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
