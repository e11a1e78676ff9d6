//! Values on the command line: what is accepted, and what to say of the rest.

use crate::Failure;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Arg, Command};
use std::ffi::OsStr;
use std::num::NonZeroUsize;
use std::time::Duration;
use strat::config::Preset;
use strat::data::{Source, same_name};
use strat::seeds::Seeds;
use strat::task::{Entry, Pick, TeachingSet};
use strat_paper::experiment::{GROUPS, all};

/// Most threads: more than a few for each core only wait for each other.
pub fn most_threads() -> usize {
    (4 * std::thread::available_parallelism().map_or(1, NonZeroUsize::get)).max(16)
}

/// A number of threads from 1 to [`most_threads`].
pub fn threads(text: &str) -> Result<NonZeroUsize, String> {
    let most = most_threads();
    let range =
        || format!("should be a whole number from 1 to {most}, which is four for each core, or 16 if that is more");
    let threads = text.parse().ok().and_then(NonZeroUsize::new).filter(|n| n.get() <= most);
    threads.ok_or_else(range)
}

/// As many threads as asked for, or as `RAYON_NUM_THREADS` says, or cores.
pub fn pool(asked: Option<NonZeroUsize>) -> Result<rayon::ThreadPool, Failure> {
    let threads = asked.map_or(0, NonZeroUsize::get);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.map_err(|source| Failure::Threads { threads, source })
}

/// Makes sure that the variable that other programs with these threads heed, too, asks for no more than an option may.
pub fn check_variable() -> Result<(), Failure> {
    let Some(text) = std::env::var_os("RAYON_NUM_THREADS") else { return Ok(()) };
    let many = |n: &usize| *n > most_threads();
    match text.to_str().and_then(|text| text.parse().ok()).filter(many) {
        Some(found) => Err(Failure::ThreadsVariable { found, most: most_threads() }),
        None => Ok(()),
    }
}

/// Names of a list, in any case and with or without dashes; what comes of them is spelled as in the list.
#[derive(Clone)]
pub struct Names(Vec<PossibleValue>);

impl TypedValueParser for Names {
    type Value = String;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, given: &OsStr) -> Result<String, clap::Error> {
        let is_it = |known: &&PossibleValue| {
            given.to_str().is_some_and(|given| known.get_name_and_aliases().any(|name| same_name(name, given)))
        };
        let name = self.0.iter().find(is_it).map_or(given, |known| OsStr::new(known.get_name()));
        PossibleValuesParser::from(self.0.clone()).parse_ref(command, arg, name)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.0.iter().cloned()))
    }
}

pub fn tasks() -> Names {
    Names(Entry::ALL.iter().map(|e| PossibleValue::new(e.name).help(e.title)).collect())
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

/// Sums with commas between them.
pub fn sums(text: &str) -> Result<TeachingSet, String> {
    TeachingSet::try_from(text.split(',').map(String::from).collect::<Vec<_>>()).map_err(|e| e.to_string())
}

pub fn experiments() -> Names {
    let single = all().map(|e| (e.name, e.about));
    let groups = GROUPS.iter().map(|g| (g.name, g.about));
    Names(single.chain(groups).map(|(name, about)| PossibleValue::new(name).help(about)).collect())
}

pub fn presets() -> Names {
    Names(Preset::ALL.iter().map(|p| PossibleValue::new(p.name).help(p.about)).collect())
}

pub fn sources() -> Names {
    let value = |s: &'static Source| PossibleValue::new(s.name).help(s.about).alias(s.stem());
    Names(Source::all().iter().map(value).collect())
}

pub fn mirror(text: &str) -> Result<String, String> {
    let is_web = ["http://", "https://"].iter().any(|scheme| text.len() > scheme.len() && text.starts_with(scheme));
    is_web.then(|| text.into()).ok_or_else(|| "should be an address that starts with https:// or http://".into())
}

pub fn at_least_one(text: &str) -> Result<NonZeroUsize, String> {
    let n: u64 = text.parse().map_err(|_| "should be a whole number from 1 on".to_string())?;
    if n > Seeds::MOST {
        return Err(format!("should be at most {}", Seeds::MOST));
    }
    NonZeroUsize::new(n as usize).ok_or_else(|| "should be at least 1; leave the option out for the default".into())
}

/// A time, to the millisecond.
pub fn seconds(text: &str) -> Result<Duration, String> {
    let form = || "should be a number of seconds from 0 to 86400, as in 20 or 0.5".to_string();
    let seconds: f64 = text.parse().map_err(|_| form())?;
    (0.0..=86400.0).contains(&seconds).then(|| Duration::from_secs_f64(seconds)).ok_or_else(form)
}

/// A number from 0 to 1.
pub fn probability(text: &str) -> Result<f64, String> {
    let found = text.parse::<f64>().ok().filter(|p| (0.0..=1.0).contains(p));
    found.ok_or_else(|| "should be a number from 0 to 1".into())
}
