//! Values on the command line: what is accepted, and what to say of the rest.

use crate::Failure;
use clap::builder::{PossibleValue, PossibleValuesParser};
use std::num::NonZeroUsize;
use std::time::Duration;
use strat::data::{SOURCES, Source};
use strat::experiment::{GROUPS, all};
use strat::seeds::MOST_LEARNERS;
use strat::task::Pick;

/// As many threads as asked for, or cores.
pub fn pool(threads: Option<NonZeroUsize>) -> Result<rayon::ThreadPool, Failure> {
    let threads = threads.map_or(0, NonZeroUsize::get);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.map_err(|source| Failure::Threads { threads, source })
}

pub fn tasks() -> PossibleValuesParser {
    strat::task::ALL.iter().map(|e| PossibleValue::new(e.name).help(e.title)).collect::<Vec<_>>().into()
}

pub fn pick(text: &str) -> Result<Pick, String> {
    let form = || "should be random:SEED or coverage:SEED, as in coverage:1".to_string();
    let (kind, seed) = text.split_once(':').ok_or_else(form)?;
    let seed = seed.parse().map_err(|_| form())?;
    match kind {
        "random" => Ok(Pick::random(seed)),
        "coverage" => Ok(Pick::coverage(seed)),
        _ => Err(form()),
    }
}

pub fn experiments() -> PossibleValuesParser {
    let single = all().map(|e| (e.name, e.about));
    let groups = GROUPS.iter().map(|g| (g.name, g.about));
    single.chain(groups).map(|(name, about)| PossibleValue::new(name).help(about)).collect::<Vec<_>>().into()
}

pub fn sources() -> PossibleValuesParser {
    let value = |s: &'static Source| PossibleValue::new(s.name).help(s.about);
    SOURCES.iter().map(value).collect::<Vec<_>>().into()
}

pub fn mirror(text: &str) -> Result<String, String> {
    let is_web = ["http://", "https://"].iter().any(|scheme| text.len() > scheme.len() && text.starts_with(scheme));
    is_web.then(|| text.into()).ok_or_else(|| "should be an address that starts with https:// or http://".into())
}

pub fn at_least_one(text: &str) -> Result<NonZeroUsize, String> {
    let n: u64 = text.parse().map_err(|_| "should be a whole number from 1 on".to_string())?;
    if n > MOST_LEARNERS {
        return Err(format!("should be at most {MOST_LEARNERS}"));
    }
    NonZeroUsize::new(n as usize).ok_or_else(|| "should be at least 1; leave the option out for the default".into())
}

/// A time, to the millisecond.
pub fn seconds(text: &str) -> Result<Duration, String> {
    let form = || "should be a number of seconds from 0 to 86400, as in 20 or 0.5".to_string();
    let seconds: f64 = text.parse().map_err(|_| form())?;
    (0.0..=86400.0).contains(&seconds).then(|| Duration::from_secs_f64(seconds)).ok_or_else(form)
}
