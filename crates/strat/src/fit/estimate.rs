//! How long a table will take: a little of each step is tried.

use super::held_out::{LEARNERS, fits_for_evidence, judged, only_symmetries, parts, turns};
use super::learned::inputs_asked;
use super::{config, model_of, next, probabilities, rule, run, teach};
use crate::engine::Isa;
use crate::engine::reference::Arrays;
use crate::model::Architecture;
use crate::rng::{RandomStream, Stream};
use crate::task::table::frame::DECAYS;
use crate::task::table::{SymmetriesError, TableTask};
use crate::train::TrainConfig;
use rayon::prelude::*;
use std::time::{Duration, Instant};
use strat_tables::{Classifier, Method, believed};

/// Epochs that are tried.
const TRIED: [usize; 2] = [2, 12];
/// Rows that the other classifiers are tried with, and those that all are asked about.
const ROWS: usize = 400;
const ASKED: usize = 64;

/// About how long the test on rows left out, then a population, of so many learners if a number is given, and what is asked of
/// all of them take on this machine, on the current thread pool. Whether populations are dropped and whether a rule is told is
/// not known before: it is the geometric mean of the times with and without them.
pub fn estimate(
    own: &TableTask,
    (learners, epochs): (Option<u64>, usize),
    isa: Isa,
) -> Result<Duration, SymmetriesError> {
    let threads = rayon::current_num_threads();
    let task = own.task("tried").map_err(only_symmetries)?;
    let model = model_of(&task, Architecture::Strat);
    let seeds: Vec<u64> = (1..=LEARNERS).collect();
    let train = |steps| {
        let tried = TrainConfig { steps, ..config(DECAYS[0]) }.check().expect("these settings are sound");
        teach(&task, model, tried, &seeds, isa, &|_| {})
    };
    // On all threads: two that share a core are not twice as fast.
    let taught: Vec<(Vec<Arrays>, [f64; 2])> = (0..threads)
        .into_par_iter()
        .map(|_| {
            let (_, few) = best(|| train(TRIED[0]));
            let (taught, more) = best(|| train(TRIED[1]));
            (taught, [few, more])
        })
        .collect();
    let mean = |of: usize| taught.iter().map(|(_, times)| times[of]).sum::<f64>() / threads as f64;
    let (few, more) = (mean(0), mean(1));
    let epoch = (more - few).max(0.0) / ((TRIED[1] - TRIED[0]) as u64 * LEARNERS) as f64;
    let inputs: Vec<Vec<u8>> = own.rows.iter().cycle().take(ASKED).map(|row| row.input.clone()).collect();
    let (_, asked) = best(|| probabilities(&task, model, &taught[0].0, &inputs, isa));
    let by_learner = asked * threads as f64 / (ASKED as u64 * LEARNERS) as f64;

    let (frame, _) = own.frame()?;
    let n = frame.rows.len();
    let some: Vec<usize> = (0..n).step_by(n.div_ceil(ROWS)).collect();
    let tried = frame.select(&some);
    let methods = || Method::ALL.iter().map(|(method, _)| method.fit(&tried, &super::random));
    let (methods, fit) = timed(|| methods().collect::<Vec<Box<dyn Classifier>>>());
    let (_, said) = best(|| {
        for row in tried.rows.iter().cycle().take(ASKED) {
            methods.iter().for_each(|method| drop(method.probabilities(row)));
        }
    });
    let (fit, by_others) = (fit * n as f64 / some.len() as f64, said / ASKED as f64);

    let part = parts(own)?;
    let turns = turns(own, &part);
    let left_out = part.iter().filter(|&&part| part < turns).count() as f64;
    let others = fit * ((turns + 1) as f64 + fits_for_evidence(own)) + left_out * by_others;
    // Where rows are asked for a rule, STRAT's own answers are wanted too.
    let (rows, _) = rule::asked(own);
    let cells: Vec<Vec<f64>> = rows.iter().map(|row| own.asked(row)).collect();
    let mut draws = RandomStream::new(0, Stream::Pick, 1);
    let (_, sought) = timed(|| believed(&tried, &cells, &mut || draws.word()));
    let sought = sought * n as f64 / some.len() as f64;
    let all = (inputs_asked(&own.schema) + 2 * rows.len() + next::DRAWN + own.rows.len()) as f64;
    let with = |tested: usize, learners: u64, asked: f64, rules: f64| {
        let populations = (tested * DECAYS.len()) as f64;
        let taught = populations * LEARNERS as f64 + learners as f64;
        let machines = populations + (learners as f64 / LEARNERS as f64).ceil();
        let strat = taught * epochs as f64 * epoch + machines * few;
        let shared = strat + others + all * (asked * by_learner + by_others) + (rules - 1.0).max(0.0) * sought;
        // The first rule is sought by one thread.
        shared / threads as f64 + rules.min(1.0) * sought
    };
    let most = learners.unwrap_or(run::LEARNERS);
    // No rule is sought if rows left out speak against the mixture, and one for each part if it is told.
    let least = with(judged(turns), learners.unwrap_or(LEARNERS), 0.0, 0.0);
    let most = with(turns, most, most as f64, (turns + 1) as f64);
    Ok(Duration::from_secs_f64((least * most).sqrt()))
}

/// The least time of three: others may use the machine too.
fn best<T>(of: impl Fn() -> T) -> (T, f64) {
    let [first, second] = [timed(&of).1, timed(&of).1];
    let (done, third) = timed(of);
    (done, first.min(second).min(third))
}

fn timed<T>(of: impl FnOnce() -> T) -> (T, f64) {
    let begun = Instant::now();
    let done = of();
    (done, begun.elapsed().as_secs_f64())
}
