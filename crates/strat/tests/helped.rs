//! Threads that have no learner left help those that have, and change no bit of what comes out.

#[allow(dead_code)] // Here is only taught.
#[path = "../examples/checked_answers.rs"]
mod squares;

use squares::Squares;
use std::sync::Arc;
use strat::engine::{Crew, Isa, Lanes};
use strat::seeds::Seeds;
use strat::sweep::{Plan, RowPlan};
use strat::task::Task;
use strat::train::{TrainConfig, Trainer};

const TASK: Squares = Squares { holes: [8, 10] };

fn config(steps: usize) -> TrainConfig {
    TrainConfig { steps, ..TrainConfig::default() }
}

/// One learner and three, on fewer threads than learners, as many, and more.
#[test]
fn learners_are_the_same_on_any_number_of_threads() {
    let built = Squares::model().build(TASK.tokens());
    assert_eq!(Lanes::of_one_learner::<f32>(&built.graph, built.output, built.loss), Lanes::Tokens);
    for seeds in [Seeds::to(1), Seeds::to(3)] {
        let [alone, two, four] = [1, 2, 4].map(|threads| {
            let row = RowPlan::new("row", Arc::new(Squares::model()), Arc::new(TASK), config(20)).unwrap();
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let isa = Isa::detect().unwrap();
            let outcome = pool.install(|| Plan::own("helped", vec![row]).run(seeds, isa, &|_| ()));
            format!("{:?}", outcome.rows[0].learners)
        });
        assert!(alone == two && alone == four, "{} learners", seeds.count());
    }
}

/// The same of one learner, in training until it has been helped.
#[test]
fn a_trainer_is_helped() {
    let trainer = || {
        let config = config(TrainConfig::MOST_STEPS).check().unwrap();
        Trainer::<f32>::new(&TASK, Arc::new(Squares::model()), config, Isa::detect().unwrap(), &[7]).unwrap()
    };
    let (mut alone, mut helped) = (trainer(), trainer());
    let crew = Crew::new();
    helped.join_crew(&crew);
    std::thread::scope(|threads| {
        crew.work(|| {
            threads.spawn(|| crew.work(|| ()));
            while helped.machine().helped() < 100 {
                assert!(alone.step().unwrap() && helped.step().unwrap());
            }
        });
    });
    assert_eq!(alone.learner(0), helped.learner(0));
}
