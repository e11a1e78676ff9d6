//! Answers that are checked: valid or none, whatever learners say, for a task of one's own and for Sudoku.

#[path = "../examples/checked_answers.rs"]
mod squares;

use squares::{HOLE, SIDE, Squares, population};
use std::sync::{Arc, LazyLock};
use strat::engine::Isa;
use strat::model::{Architecture, BlockConfig, BlockModel, Model};
use strat::task::{Entry, Example, Rule, Split, Target, Task};
use strat::train::{CheckedAnswer, CheckedPopulation, Learner, Looks};

const LOOK_ONCE: Looks = Looks { most: 1, certain: 0.25 };

/// A task, its test, and three learners that have seen little.
struct Taught {
    task: Arc<Squares>,
    examples: Vec<Example>,
    learners: Vec<Learner>,
}

static TAUGHT: LazyLock<Taught> = LazyLock::new(|| {
    let task = Arc::new(Squares { holes: [8, 10] });
    let learners = population(&task, 300).unwrap().train(&[1, 2, 3], &|_| {}).unwrap();
    let examples = task.test(Split::Id, 1).into_owned();
    Taught { task, examples, learners }
});

fn answers(task: &Arc<Squares>, learners: &[Learner], examples: &[Example], looks: Looks) -> Vec<CheckedAnswer> {
    population(task, 1).unwrap().answer_checked(learners, examples, looks).unwrap().unwrap()
}

fn solved(answers: &[CheckedAnswer]) -> usize {
    answers.iter().filter(|a| a.found.is_some()).count()
}

fn is_valid(rule: &dyn Rule, example: &Example, answer: &Target) -> bool {
    rule.holds(&Example { target: answer.clone(), ..example.clone() })
}

#[test]
fn only_valid_answers_are_given_and_more_looks_and_learners_find_more() {
    let Taught { task, examples, learners } = &*TAUGHT;
    let [once, again] = [LOOK_ONCE, Looks::default()].map(|looks| answers(task, learners, examples, looks));
    let one = answers(task, &learners[..1], examples, LOOK_ONCE);
    for (example, answer) in examples.iter().zip(&again) {
        if let Some(found) = &answer.found {
            assert!(is_valid(&**task, example, &found.answer));
            assert_eq!(found.agree, answer.first.iter().filter(|first| **first == found.answer).count());
            assert!(found.looks == 1 || found.agree == 0, "what is seen at first sight is no later find");
        }
    }
    let untaught = population(task, 0).unwrap().train(&[1, 2, 3], &|_| {}).unwrap();
    let untaught = answers(task, &untaught, examples, Looks::default());
    let found = [&one, &once, &again, &untaught].map(|answers| solved(answers));
    println!(
        "one learner {}, three {}, looking again {}, untaught {} of 200",
        found[0], found[1], found[2], found[3]
    );
    assert!(found[0] < found[1] && found[1] < found[2] && found[2] > 100 && found[3] < 20, "{found:?}");
    // The control of the control: learners that are not checked are often wrong.
    let wrong = examples.iter().zip(&again).filter(|(e, a)| !is_valid(&**task, e, &a.first[0])).count();
    assert!(wrong > 20, "{wrong}");
}

#[test]
fn right_answers_are_not_looked_at() {
    let Taught { task, examples, learners } = &*TAUGHT;
    let nothing = Target::Cells { values: vec![0; SIDE * SIDE], scored: vec![true; SIDE * SIDE] };
    let blank: Vec<Example> = examples.iter().map(|e| Example { target: nothing.clone(), ..e.clone() }).collect();
    let [seen, unseen] = [examples, &blank].map(|e| answers(task, learners, e, Looks::default()));
    assert_eq!(seen, unseen);
}

#[test]
fn an_answer_depends_on_its_example_alone() {
    let Taught { task, examples, learners } = &*TAUGHT;
    let all = answers(task, learners, examples, Looks::default());
    for (example, answer) in examples.iter().zip(&all).step_by(23) {
        let alone = answers(task, learners, std::slice::from_ref(example), Looks::default());
        assert_eq!(alone[0], *answer);
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    assert_eq!(pool.install(|| answers(task, learners, examples, Looks::default())), all);
}

/// A learner that is broken finds nothing, and nothing else happens.
#[test]
fn broken_learners_have_no_answer() {
    let Taught { task, examples, learners } = &*TAUGHT;
    let mut broken = learners[0].clone();
    broken.weights.iter_mut().for_each(|(_, w)| w.fill(f64::NAN));
    let alone = answers(task, std::slice::from_ref(&broken), &examples[..20], Looks::default());
    assert_eq!(solved(&alone), 0);
    let [with, without] = [vec![broken, learners[1].clone()], vec![learners[1].clone()]]
        .map(|learners| answers(task, &learners, &examples[..20], Looks::default()));
    let found = |answers: &[CheckedAnswer]| -> Vec<Option<Target>> {
        answers.iter().map(|a| a.found.as_ref().map(|f| f.answer.clone())).collect()
    };
    assert_eq!(found(&with), found(&without));
}

#[test]
fn tasks_without_a_check_have_no_checked_population() {
    let entry = Entry::named("parity5").unwrap();
    let task = strat::task::by_name("parity5").unwrap();
    let model: Arc<dyn Model> = Arc::new(entry.model(Architecture::Strat));
    let weights = entry.model(Architecture::Strat).init(1);
    let isa = Isa::detect().unwrap();
    assert!(CheckedPopulation::new(&task, &model, [&weights], Looks::default(), isa).is_none());
}

#[test]
fn a_sudoku_is_valid_if_it_is_complete_keeps_the_rules_and_the_givens() {
    let task = strat::task::by_name("sudoku").unwrap();
    let rule = task.rule().unwrap();
    let example = &task.split(Split::Id)[0];
    let Target::Cells { values, scored } = &example.target else { panic!("a board") };
    let with = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut values = values.clone();
        change(&mut values);
        is_valid(rule, example, &Target::Cells { values, scored: scored.clone() })
    };
    assert!(with(&|_| {}));
    for cell in 0..81 {
        for value in (0..=10).chain([254, 255]).filter(|&value| value != values[cell]) {
            assert!(!with(&|values| values[cell] = value), "cell {cell} with {value}");
        }
    }
    // Valid as a board, but not of this puzzle: two digits change names.
    let (a, b) = (values[scored.iter().position(|scored| !scored).unwrap()], values[0]);
    let b = if a == b { (b + 1) % 9 } else { b };
    let renamed = |v: &u8| {
        if *v == a {
            b
        } else if *v == b {
            a
        } else {
            *v
        }
    };
    assert!(!with(&|values| *values = values.iter().map(renamed).collect()));
    let empty = Example { input: vec![0; 81], ..example.clone() };
    let other = Target::Cells { values: values.iter().map(renamed).collect(), scored: scored.clone() };
    assert!(is_valid(rule, &empty, &other), "the same board is valid where nothing is given");
    assert!(!with(&|values| values.truncate(80)) && !with(&|values| values.push(1)));
    assert!(!is_valid(rule, example, &Target::Class(1)));
}

/// Untrained learners solve no Sudoku, and no wrong board is given.
#[test]
fn untrained_learners_solve_no_sudoku() {
    let task = strat::task::by_name("sudoku").unwrap();
    let sizes = BlockConfig { layers: 2, ..BlockConfig::SUDOKU };
    let model = BlockModel { architecture: Architecture::Strat, sizes };
    let weights = [1, 2].map(|seed| model.init(seed));
    let (isa, model): (_, Arc<dyn Model>) = (Isa::detect().unwrap(), Arc::new(model));
    let mut population = CheckedPopulation::new(&task, &model, &weights, Looks::default(), isa).unwrap();
    let mut examples = task.split(Split::Id)[..10].to_vec();
    let answers = population.answers(&examples).unwrap();
    assert_eq!(solved(&answers), 0);
    assert!(answers.iter().all(|answer| answer.first.len() == 2));
    // The control: where all but a cell is given, guesses succeed at times, and then they are right.
    let Target::Cells { values, .. } = examples[0].target.clone() else { panic!("a board") };
    let nearly = |hole: usize| {
        let input = (0..81).map(|cell| if cell == hole { 0 } else { values[cell] + 1 }).collect();
        Example { input, ..examples[0].clone() }
    };
    examples = (0..81).map(nearly).collect();
    let answers = population.answers(&examples).unwrap();
    let found = solved(&answers);
    assert!((1..60).contains(&found), "{found}");
    assert!(answers.iter().flat_map(|a| &a.found).all(|found| *found.answer.values() == values[..]));
}

#[test]
fn holes_are_no_digits() {
    let task = Squares { holes: [8, 10] };
    let example = &task.test(Split::Id, 1)[0];
    assert!(task.holds(example));
    assert!(!is_valid(&task, example, &Target::Cells { values: example.input.clone(), scored: vec![true; 16] }));
    assert_eq!(example.input.iter().filter(|&&digit| digit == HOLE).count(), 10);
}
