//! Helpers take parts of a job, each once; what goes wrong in one is told, and nobody waits for ever.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use strat_engine::Crew;
use strat_engine::internals::Team;

/// A team of this thread and two helpers.
fn with_helpers(test: impl FnOnce(&mut Team)) {
    let crew = Crew::new();
    std::thread::scope(|threads| {
        crew.work(|| {
            let mut team = Team::alone();
            team.join(&crew);
            for _ in 0..2 {
                threads.spawn(|| crew.work(|| ()));
            }
            while team.muster() < 3 {
                std::thread::yield_now();
            }
            test(&mut team);
        });
    });
}

#[test]
fn every_task_is_done_once() {
    with_helpers(|team| {
        for round in 0..2000 {
            let mut numbers = [round; 3];
            team.each(numbers.iter_mut().take(round % 4), |x| *x += 1);
            assert_eq!(numbers, std::array::from_fn(|i| round + usize::from(i < round % 4)));
        }
    });
}

#[test]
fn a_panic_of_any_part_is_told_once_all_are_done() {
    with_helpers(|team| {
        for bad in 0..3 {
            let done = [(); 3].map(|()| AtomicBool::new(false));
            let each = |team: &mut Team| {
                team.each(0..3, |i| {
                    assert_ne!(i, bad, "part {i}");
                    done[i].store(true, Ordering::Relaxed);
                });
            };
            let payload = catch_unwind(AssertUnwindSafe(|| each(team))).unwrap_err();
            assert!(payload.downcast_ref::<String>().is_some_and(|text| text.contains(&format!("part {bad}"))));
        }
        // And it goes on.
        team.each(0..3, |_| ());
    });
}

#[test]
fn helpers_come_back_to_a_machine_that_stays() {
    let crew = Crew::new();
    let mut team = Team::alone();
    team.join(&crew);
    for _ in 0..3 {
        std::thread::scope(|threads| {
            crew.work(|| {
                threads.spawn(|| crew.work(|| ()));
                while team.muster() < 2 {
                    std::thread::yield_now();
                }
                team.each(0..2, |_| ());
            });
        });
    }
}

#[test]
fn a_panic_of_own_work_lets_helpers_go() {
    let crew = Crew::new();
    std::thread::scope(|threads| {
        let own = || crew.work(|| -> () { panic!("own work") });
        assert!(catch_unwind(AssertUnwindSafe(own)).is_err());
        threads.spawn(|| crew.work(|| ()));
    });
}
