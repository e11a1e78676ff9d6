//! Learners that become exact programs, and those that do not.

#[path = "common/appendix_c.rs"]
mod appendix_c;
#[path = "common/require.rs"]
mod require;

use appendix_c::{LITE, mirror, standard};
use rayon::prelude::*;
use std::process::Command;
use strat::crystal::check::{Flaw, check};
use strat::crystal::reading::{Equation, Reading};
use strat::crystal::rule::Undetermined;
use strat::crystal::{Crystal, Obstacle, crystallize, from_equations, program};
use strat::engine::Isa;
use strat::engine::reference::Arrays;
use strat::eval::{mean_absolute_error, predictions};
use strat::experiment::locking::MODELS;
use strat::inspect::attractor::Attractor;
use strat::model::{Arithmetic, Lite, Types};
use strat::population::Population;
use strat::rng::{Draws, Stream};
use strat::task::{Grocery, SignedSum, Sum, grocery};
use strat::train::TrainConfig;

fn isa() -> Isa {
    Isa::detect().unwrap()
}

/// Mean absolute error on 10,000 sums out of distribution, and on sums of 50 terms with values to a million.
fn errors(lite: Lite, seed: u64, weights: &Arrays) -> [f64; 2] {
    let model = Arithmetic::Lite(lite);
    let ood = SignedSum::OOD.into();
    let short = mean_absolute_error::<f32>(&model, isa(), &[(seed, weights)], ood, Stream::TestOod, 10_000)[0];
    let mut draws = Draws::new(seed, Stream::TestOod, 1);
    let large = SignedSum { low: 0, high: 1_000_000 };
    let sums: Vec<Sum> = (0..32).map(|_| large.draw_long(50, &mut draws)).collect();
    let answers = predictions::<f64>(&model, isa(), weights, &sums);
    let long = answers.iter().zip(&sums).map(|(y, sum)| (y - sum.answer() as f64).abs()).sum::<f64>();
    [short, long / sums.len() as f64]
}

/// All forms of Table 5, a hundred seeds each: what crystallizes is exact, and nearly all does.
#[test]
fn nearly_all_locking_learners_crystallize_exactly() {
    let seeds: Vec<u64> = (1..=100).collect();
    for model in &MODELS[1..] {
        let Arithmetic::Lite(lite) = *model else { unreachable!() };
        let learners = Population::<f32>::new(*model, TrainConfig::locking(), isa()).train(&seeds, &|_| {});
        let exact = learners.par_iter().filter(|l| {
            let Ok(crystal) = crystallize(lite, &l.weights, &TrainConfig::locking(), l.seed) else { return false };
            assert_eq!(crystal.rule.coefficients, [1, 1, -1], "seed {}", l.seed);
            assert_ne!(crystal.attractor(lite), Some(Attractor::Neither), "seed {}", l.seed);
            assert_eq!(errors(lite, l.seed, &crystal.weights), [0.0; 2], "{lite:?}, seed {}", l.seed);
            true
        });
        let exact = exact.count();
        assert!(exact >= 95, "{lite:?}: {exact} of 100");
    }
}

#[test]
fn appendix_c_becomes_exact() {
    for (weights, attractor) in [(standard(), Attractor::Standard), (mirror(), Attractor::Mirror)] {
        let crystal = crystallize(LITE, &weights, &TrainConfig::ablation(), 42).unwrap();
        assert_eq!(crystal.rule.to_string(), "y = Σ +x if bound to nothing or +; −x if bound to −");
        assert_eq!(crystal.attractor(LITE), Some(attractor));
        assert!(crystal.moved().is_empty(), "rounding the learned coefficients is enough");
        assert_eq!(errors(LITE, 1, &crystal.weights), [0.0; 2]);
    }
}

#[test]
fn grocery_lists_become_exact() {
    let lite = Lite { width: 4, heads: 1, types: Types::Items };
    let model = Arithmetic::Lite(lite);
    let train = TrainConfig::grocery();
    let learners = Population::<f32>::new(model, train, isa()).train(&[1, 2, 3, 4, 5, 6, 7, 8], &|_| {});
    for l in &learners {
        let Crystal { rule, weights, .. } = crystallize(lite, &l.weights, &train, l.seed).unwrap();
        let counts = |id| i64::from(grocery::Category::of(id) == grocery::Category::Target);
        assert_eq!(rule.coefficients, (1..=grocery::ITEMS).map(counts).collect::<Vec<_>>());
        let lists = Grocery::OOD.into();
        let error = mean_absolute_error::<f32>(&model, isa(), &[(l.seed, &weights)], lists, Stream::TestOod, 5000);
        assert_eq!(error, [0.0], "seed {}", l.seed);
    }
}

/// Where examples leave the rule open, it is said what they lack.
#[test]
fn nothing_is_guessed() {
    let all = Equation::of_training(Reading::Sums, &TrainConfig::ablation(), 42);
    let without = |context: usize| -> Vec<Equation> {
        all.iter().filter(|e| e.totals[context] == 0).take(40).cloned().collect()
    };
    let obstacle = |equations: &[Equation]| from_equations(LITE, &standard(), equations).unwrap_err();
    assert_eq!(obstacle(&without(2)), Obstacle::Undetermined(Undetermined::Missing(vec!["−".into()])));
    assert_eq!(obstacle(&without(1)), Obstacle::Undetermined(Undetermined::Missing(vec!["+".into()])));
    let both: Vec<Equation> = all.iter().filter(|e| e.totals.iter().all(|&t| t != 0)).take(2).cloned().collect();
    let collinear = Undetermined::Collinear { rank: 2, contexts: 3 };
    assert_eq!(obstacle(&both), Obstacle::Undetermined(collinear));
    // Weights that see nothing cannot be sharpened.
    let mut blind = standard();
    blind.get_mut("gate.weight").unwrap().fill(0.0);
    blind.get_mut("type_value.weight").unwrap().fill(0.0);
    assert!(matches!(from_equations(LITE, &blind, &all), Err(Obstacle::Blunt(_))));
}

/// `numbers operators`, a line each, and the answers; random sums of up to 20 terms.
fn questions() -> (String, String) {
    let mut draws = Draws::new(5, Stream::TestOod, 0);
    let (mut asked, mut answers) = (String::new(), String::new());
    for i in 0..100_000 {
        let sum = SignedSum { low: 0, high: 1_000_000 }.draw_long(1 + i % 20, &mut draws);
        let numbers: Vec<String> = sum.values.iter().map(u32::to_string).collect();
        let operators: String = sum.minus[1..].iter().map(|&m| if m { '-' } else { '+' }).collect();
        asked += &format!("{} {operators}\n", numbers.join(","));
        answers += &format!("{}\n", sum.answer());
    }
    (asked, answers)
}

const RUST_MAIN: &str = "
fn main() {
    for line in std::io::stdin().lines() {
        let line = line.unwrap();
        let (numbers, operators) = line.split_once(' ').unwrap();
        let numbers: Vec<i64> = numbers.split(',').map(|n| n.parse().unwrap()).collect();
        println!(\"{}\", evaluate(&numbers, &operators.chars().collect::<Vec<_>>()));
    }
}
";

const PYTHON_MAIN: &str = "
import sys
for line in sys.stdin:
    numbers, operators = line.rstrip('\\n').split(' ')
    print(evaluate([int(n) for n in numbers.split(',')], operators))
";

fn answers(command: &mut Command, asked: &std::path::Path) -> String {
    let out = command.stdin(std::fs::File::open(asked).unwrap()).output().unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8(out.stdout).unwrap()
}

/// The exported functions, compiled and run, agree with the crystallized model on 100,000 sums.
#[test]
fn exported_functions_agree() {
    let crystal = crystallize(LITE, &standard(), &TrainConfig::ablation(), 42).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let (asked, wanted) = questions();
    let (source, binary) = (folder.path().join("rule.rs"), folder.path().join("rule"));
    let (script, questions) = (folder.path().join("rule.py"), folder.path().join("questions"));
    std::fs::write(&questions, &asked).unwrap();
    std::fs::write(&source, program::rust(&crystal.rule) + RUST_MAIN).unwrap();
    std::fs::write(&script, program::python(&crystal.rule) + PYTHON_MAIN).unwrap();
    let built =
        Command::new("rustc").args(["--edition=2024", "-O", "-o"]).arg(&binary).arg(&source).output().unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    assert_eq!(answers(&mut Command::new(&binary), &questions), wanted);
    match Command::new("python3").arg("--version").output() {
        Ok(_) => assert_eq!(answers(Command::new("python3").arg(&script), &questions), wanted),
        Err(_) => require::skip("python", "no python3 here"),
    }
    // And so does the model.
    let mut draws = Draws::new(5, Stream::TestOod, 0);
    let drawn = (0..100_000).map(|i| SignedSum { low: 0, high: 1_000_000 }.draw_long(1 + i % 20, &mut draws));
    let sums: Vec<Sum> = drawn.collect();
    let model = predictions::<f64>(&Arithmetic::Lite(LITE), isa(), &crystal.weights, &sums);
    let model: String = model.iter().map(|y| format!("{y}\n")).collect();
    assert!(model == wanted, "the model's answers are others");
}

/// A second routine, which knows nothing of how crystals are made, agrees; and a changed weight does not pass.
#[test]
fn crystals_stand_up_to_a_second_opinion() {
    let seeds: Vec<u64> = (1..=48).collect();
    let train = TrainConfig::locking();
    for model in &MODELS[1..] {
        let Arithmetic::Lite(lite) = *model else { unreachable!() };
        let learners = Population::<f32>::new(*model, train, isa()).train(&seeds, &|_| {});
        let results: Vec<_> = learners
            .par_iter()
            .filter_map(|l| Some((l.seed, crystallize(lite, &l.weights, &train, l.seed).ok()?, l)))
            .map(|(seed, crystal, learner)| {
                assert!(check(lite, &learner.weights, &train, seed).is_err(), "a learner as it was is not exact");
                (seed, crystal.clone(), check(lite, &crystal.weights, &train, seed))
            })
            .collect();
        let soft = results.iter().filter(|r| matches!(r.2, Err(Flaw::Soft { .. }))).count();
        println!("{lite:?}: {soft} of {} are left open", results.len());
        for (seed, crystal, checked) in &results {
            match checked {
                Ok(coefficients) => assert_eq!(coefficients, &crystal.rule.coefficients),
                Err(Flaw::Soft { .. }) => {}
                Err(flaw) => panic!("{lite:?}, seed {seed}: {flaw}"),
            }
        }
        // Every weight that computes, a little different, is found out.
        let (seed, crystal, _) = results.iter().find(|r| r.2.is_ok()).expect("one that passes");
        for (name, at) in [("readout.weight", 0), ("readout.weight", 1), ("value.weight", 0), ("value.weight", 2)] {
            let mut weights = crystal.weights.clone();
            weights.get_mut(name).unwrap()[at] += 1e-6;
            assert!(check(lite, &weights, &train, *seed).is_err(), "{name}[{at}]");
        }
        let mut weights = crystal.weights.clone();
        weights.get_mut("gate.bias").unwrap().fill(1e9);
        assert!(check(lite, &weights, &train, *seed).is_err(), "gate.bias");
    }
}
