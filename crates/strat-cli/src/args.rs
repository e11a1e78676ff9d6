//! The command line. Values are checked here, once, into types that prove it.

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::str::FromStr;
use strat::data::{DataFolder, SOURCES, Source};
use strat::experiment::{GROUPS, all};
use strat::model::Architecture;
use strat::task::{Pick, Split};

const EXAMPLES: &str = "Examples:
  strat reproduce locking                      Table 5 beside the paper's, in seconds
  strat reproduce locking --json > cells.jsonl one line per cell
  strat inspect runs/lite --seed 7             what that learner has learned
  strat bench locking                          learners per second, share of peak
  strat tasks                                  the eleven data-set tasks, one line each
  strat train tic-tac-toe --seeds 41..50 --out runs/ttt
  strat eval runs/ttt --split ood              how often its learners are right
  strat data fetch                             get the public data sets

Exit codes: 0 done, 1 a check failed (--check, data verify), 2 bad usage or input.";

const REPRODUCE_EXAMPLES: &str = "Examples:
  strat reproduce locking                      400 learners a row, as in the paper
  strat reproduce locking --learners 4000      narrower intervals
  strat reproduce locking --seeds 401..800     other learners
  strat reproduce locking --out runs/locking   keep every learner and its weights
  strat reproduce arithmetic --out runs/all    every experiment on arithmetic, a folder each
  strat reproduce arithmetic --out runs/all --no-weights
                                               the same without weights, small enough to keep
  strat reproduce locking --check              exit with 1 if a stated check fails

A learner depends on its seed alone: the same bits for any --threads or --learners.";

const INSPECT_EXAMPLES: &str = "Examples:
  strat reproduce lite --out runs/lite         make a record
  strat inspect runs/lite                      its learners: attractor and OOD error
  strat inspect runs/lite --seed 7             one of them: cut, paste, trigger, coefficients
  strat inspect runs/ablations --row C_bi      why the runs of a row fail
  strat inspect runs/locking --row 4D --json   one JSON line per learner";

const BENCH_EXAMPLES: &str = "Examples:
  strat bench locking                          on all cores
  strat bench locking --threads 1 --json       one line, in the form of its peers

STRAT_ISA=avx2 (or avx512, neon, portable) chooses the instruction set.";

const TRAIN_EXAMPLES: &str = "Examples:
  strat train tic-tac-toe                      ten learners, beside the paper's Table 6
  strat train m-of-n --model both --out runs/mofn
  strat train parity5 --pick random:7          other base examples
  strat train sudoku --seeds 41..41 --epochs 1250

A learner depends on its seed alone: the same bits for any --threads or --seeds.";

const EVAL_EXAMPLES: &str = "Examples:
  strat eval runs/ttt --split ood              share of right answers, by learner
  strat eval runs/sudoku --data-file more.csv  on any list of puzzle,solution
  strat eval runs/both --row transformer       one model of a run with two";

const PREDICT_EXAMPLES: &str = "Examples:
  strat predict runs/ttt xxxoob_o_             what each learner says
  strat predict runs/mofn '11 0011001 0' --seed 41
  strat predict runs/sudoku < puzzle.txt       81 digits, 0 or . for blank";

const DATA_EXAMPLES: &str = "Examples:
  strat data list                              what is there, what is missing, from where
  strat data fetch                             all that is missing, each file checked
  strat data fetch sudoku spect                only these
  strat data verify                            compare what is there with what it should be

The folder is --data, else STRAT_DATA, else the platform's cache (~/.cache/strat on Linux).
Exit codes: 0 done, 1 a file is not what it should be, 2 bad usage, no connection, or no permission.";

/// STRAT: learn logic from ten examples, thousands of learners at once.
#[derive(Debug, Parser)]
#[command(name = "strat", version, after_help = EXAMPLES)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run an experiment of the paper and print its table beside the paper's
    Reproduce(ReproduceArgs),
    /// Say what the learners of a record have learned
    Inspect(InspectArgs),
    /// List the data-set tasks
    Tasks(TasksArgs),
    /// Train learners on a data-set task and test them
    Train(TrainArgs),
    /// Test the learners of a run on a test set or a file
    Eval(EvalArgs),
    /// Ask the learners of a run for an answer
    Predict(PredictArgs),
    /// Measure speed
    Bench(BenchArgs),
    /// List, fetch and verify the public data sets
    Data(DataArgs),
}

#[derive(Debug, Args)]
#[command(after_help = REPRODUCE_EXAMPLES)]
pub struct ReproduceArgs {
    /// Which experiment
    #[arg(value_name = "NAME", value_parser = experiments())]
    pub experiment: String,
    #[command(flatten)]
    pub population: PopulationArgs,
    /// Keep the table and every learner in this new folder
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Keep scores only; without it every learner's weights are kept too
    #[arg(long, requires = "out")]
    pub no_weights: bool,
    /// Print one JSON line per table cell instead of the table
    #[arg(long)]
    pub json: bool,
    /// Exit with 1 if one of the stated checks fails
    #[arg(long)]
    pub check: bool,
}

#[derive(Debug, Args)]
#[command(after_help = INSPECT_EXAMPLES)]
pub struct InspectArgs {
    /// A folder that `strat reproduce NAME --out DIR` has written
    #[arg(value_name = "DIR")]
    pub record: PathBuf,
    /// Which row of the table, by its name or a part of it [default: the only one]
    #[arg(long, value_name = "NAME")]
    pub row: Option<String>,
    /// Which learner [default: all, a line each]
    #[arg(long, value_name = "S")]
    pub seed: Option<u64>,
    /// Print one JSON line per learner
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct TasksArgs {
    #[command(flatten)]
    pub folder: FolderArgs,
    /// Print one JSON line per task
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct FolderArgs {
    /// The data folder [default: STRAT_DATA, else the platform's cache]
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
}

impl FolderArgs {
    /// The folder; one that was named must be there, or a slip would quietly mean stand-ins.
    pub fn open(&self) -> Result<DataFolder, super::Failure> {
        match &self.data {
            Some(path) if !path.is_dir() => Err(super::Failure::NoFolder(path.clone())),
            _ => Ok(DataFolder::find(self.data.clone())),
        }
    }
}

#[derive(Debug, Args)]
#[command(after_help = TRAIN_EXAMPLES)]
pub struct TrainArgs {
    /// Which task
    #[arg(value_name = "TASK", value_parser = tasks())]
    pub task: String,
    /// Which model
    #[arg(long, value_name = "MODEL", default_value = "strat")]
    model: ModelChoice,
    /// Seeds of the learners, first and last included
    #[arg(long, value_name = "A..B", default_value = "41..50")]
    seeds: Seeds,
    /// Epochs [default: as in the paper]
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    pub epochs: Option<NonZeroUsize>,
    /// How the ten base examples are chosen: random:SEED or coverage:SEED
    #[arg(long, value_name = "PICK", value_parser = pick)]
    pub pick: Option<Pick>,
    /// Threads [default: all cores]
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    threads: Option<NonZeroUsize>,
    #[command(flatten)]
    pub folder: FolderArgs,
    /// Keep the scores and the weights of every learner in this new folder
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Print one JSON line per table cell instead of the table
    #[arg(long)]
    pub json: bool,
}

impl TrainArgs {
    /// The models asked for.
    pub fn models(&self) -> &'static [Architecture] {
        match self.model {
            ModelChoice::Strat => &Architecture::ALL[..1],
            ModelChoice::Transformer => &Architecture::ALL[1..],
            ModelChoice::Both => &Architecture::ALL,
        }
    }

    /// The seeds asked for.
    pub fn seeds(&self) -> Vec<u64> {
        (self.seeds.first..=self.seeds.last).collect()
    }

    /// A thread pool of the size asked for.
    pub fn pool(&self) -> Result<rayon::ThreadPool, super::Failure> {
        pool(self.threads)
    }
}

/// Which of the two models, or both.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum ModelChoice {
    /// Type and Data in separate streams
    Strat,
    /// The same fields in one stream
    Transformer,
    /// Both, on the same examples
    Both,
}

#[derive(Debug, Args)]
#[command(after_help = EVAL_EXAMPLES)]
pub struct EvalArgs {
    /// A run: what `strat train --out` wrote
    #[arg(value_name = "DIR")]
    pub record: PathBuf,
    /// Which test set
    #[arg(long, default_value = "id", conflicts_with = "data_file")]
    split: SplitChoice,
    /// Test on this file instead, of the form of the task's public file
    #[arg(long, value_name = "FILE")]
    pub data_file: Option<PathBuf>,
    #[command(flatten)]
    pub chosen: ChosenArgs,
    /// Print one JSON line per learner
    #[arg(long)]
    pub json: bool,
}

impl EvalArgs {
    /// The test set asked for.
    pub fn split(&self) -> Split {
        match self.split {
            SplitChoice::Id => Split::Id,
            SplitChoice::Ood => Split::Ood,
        }
    }
}

#[derive(Debug, Args)]
pub struct ChosenArgs {
    /// Only the learners of this row [default: the only one]
    #[arg(long, value_name = "NAME")]
    pub row: Option<String>,
    /// Only the learner of this seed
    #[arg(long, value_name = "S")]
    pub seed: Option<u64>,
    #[command(flatten)]
    pub folder: FolderArgs,
}

/// A test set.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum SplitChoice {
    /// In distribution
    Id,
    /// Out of distribution
    Ood,
}

#[derive(Debug, Args)]
#[command(after_help = PREDICT_EXAMPLES)]
pub struct PredictArgs {
    /// A run: what `strat train --out` wrote
    #[arg(value_name = "DIR")]
    pub record: PathBuf,
    /// The example [default: read from standard input]
    #[arg(value_name = "EXAMPLE", allow_hyphen_values = true)]
    pub example: Option<String>,
    #[command(flatten)]
    pub chosen: ChosenArgs,
    /// Print one JSON line per learner
    #[arg(long)]
    pub json: bool,
}

/// Something to measure.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Work {
    /// STRAT-Lite 4D, ten sums, 2,000 steps, then 1,000 test sums, per learner
    Locking,
}

#[derive(Debug, Args)]
#[command(after_help = BENCH_EXAMPLES)]
pub struct BenchArgs {
    /// What to measure
    #[arg(value_name = "NAME")]
    pub work: Work,
    #[command(flatten)]
    pub population: PopulationArgs,
    /// Print one JSON line
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = DATA_EXAMPLES)]
pub struct DataArgs {
    #[command(subcommand)]
    pub action: DataAction,
    /// The data folder [default: STRAT_DATA, else the platform's cache]
    #[arg(long, value_name = "DIR", global = true)]
    pub data: Option<PathBuf>,
    /// Print one JSON line per data set
    #[arg(long, global = true)]
    pub json: bool,
}

#[derive(Debug, Subcommand)]
pub enum DataAction {
    /// Say what is there, what is missing, and where each comes from
    #[command(after_help = DATA_EXAMPLES)]
    List,
    /// Download what is missing or wrong; a download that broke off is resumed
    #[command(after_help = DATA_EXAMPLES)]
    Fetch {
        /// Which data sets [default: all]
        #[arg(value_name = "NAME", value_parser = sources())]
        names: Vec<String>,
        /// Fetch from this address instead, under the names of the files in the folder
        #[arg(long, value_name = "URL", value_parser = mirror)]
        mirror: Option<String>,
    },
    /// Compare what is there with what it should be
    #[command(after_help = DATA_EXAMPLES)]
    Verify {
        /// Which data sets [default: those that are there]
        #[arg(value_name = "NAME", value_parser = sources())]
        names: Vec<String>,
    },
}

#[derive(Debug, Args)]
pub struct PopulationArgs {
    /// Seeds of the learners, first and last included [default: as many as in the paper, from 1]
    #[arg(long, value_name = "A..B", conflicts_with = "learners")]
    seeds: Option<Seeds>,
    /// How many learners, with seeds from 1 on
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    learners: Option<NonZeroUsize>,
    /// Threads [default: all cores]
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    threads: Option<NonZeroUsize>,
}

impl PopulationArgs {
    /// The seeds asked for, or 1 to `default`.
    pub fn seeds(&self, default: u64) -> Vec<u64> {
        match (self.seeds, self.learners) {
            (Some(Seeds { first, last }), _) => (first..=last).collect(),
            (None, Some(n)) => (1..=n.get() as u64).collect(),
            (None, None) => (1..=default).collect(),
        }
    }

    /// A thread pool of the size asked for.
    pub fn pool(&self) -> Result<rayon::ThreadPool, super::Failure> {
        pool(self.threads)
    }
}

/// As many threads as asked for, or cores.
fn pool(threads: Option<NonZeroUsize>) -> Result<rayon::ThreadPool, super::Failure> {
    let threads = threads.map_or(0, NonZeroUsize::get);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.map_err(|source| super::Failure::Threads { threads, source })
}

fn tasks() -> PossibleValuesParser {
    strat::task::ALL.iter().map(|e| PossibleValue::new(e.name).help(e.title)).collect::<Vec<_>>().into()
}

fn pick(text: &str) -> Result<Pick, String> {
    let form = || "should be random:SEED or coverage:SEED, as in coverage:1".to_string();
    let (kind, seed) = text.split_once(':').ok_or_else(form)?;
    let seed = seed.parse().map_err(|_| form())?;
    match kind {
        "random" => Ok(Pick::random(seed)),
        "coverage" => Ok(Pick::coverage(seed)),
        _ => Err(form()),
    }
}

fn experiments() -> PossibleValuesParser {
    let single = all().map(|e| (e.name, e.about));
    let groups = GROUPS.iter().map(|g| (g.0, g.1));
    single.chain(groups).map(|(name, about)| PossibleValue::new(name).help(about)).collect::<Vec<_>>().into()
}

fn sources() -> PossibleValuesParser {
    let value = |s: &'static Source| PossibleValue::new(s.name).help(s.about);
    SOURCES.iter().map(value).collect::<Vec<_>>().into()
}

fn mirror(text: &str) -> Result<String, String> {
    let is_web = ["http://", "https://"].iter().any(|scheme| text.len() > scheme.len() && text.starts_with(scheme));
    is_web.then(|| text.into()).ok_or_else(|| "should be an address that starts with https:// or http://".into())
}

/// Most learners of one run: enough for any sweep, few enough to count in memory.
const MOST_LEARNERS: u64 = 1_000_000;

fn at_least_one(text: &str) -> Result<NonZeroUsize, String> {
    let n: u64 = text.parse().map_err(|_| "should be a whole number from 1 on".to_string())?;
    if n > MOST_LEARNERS {
        return Err(format!("should be at most {MOST_LEARNERS}"));
    }
    NonZeroUsize::new(n as usize).ok_or_else(|| "should be at least 1; leave the option out for the default".into())
}

/// `A..B`, both included.
#[derive(Clone, Copy, Debug)]
struct Seeds {
    first: u64,
    last: u64,
}

impl FromStr for Seeds {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let form = || "should be two whole numbers A..B, first and last seed, as in 1..400".to_string();
        let (first, last) = text.split_once("..").ok_or_else(form)?;
        let last = last.strip_prefix('=').unwrap_or(last);
        let (first, last): (u64, u64) =
            (first.trim().parse().map_err(|_| form())?, last.trim().parse().map_err(|_| form())?);
        if first > last {
            return Err(format!("runs backwards; did you mean {last}..{first}?"));
        }
        if last - first >= MOST_LEARNERS {
            return Err(format!("should name at most {MOST_LEARNERS} seeds"));
        }
        Ok(Seeds { first, last })
    }
}
