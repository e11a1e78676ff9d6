//! The command line. Values are checked here, once, into types that prove it: those of the task
//! commands in [`task`], of those that look at learners in [`look`], what they are read with in [`values`].

mod look;
mod task;
mod values;

pub use look::{InspectArgs, LearnerArgs, MicroscopeArgs, PlaygroundArgs, ServeArgs};
pub use task::{
    ChosenArgs, ConfigArgs, EvalArgs, FitArgs, FolderArgs, OnUnknown, PredictArgs, TasksArgs, TrainArgs,
};

use clap::{Args, Parser, Subcommand, ValueEnum};
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;
use std::time::Duration;
use strat::seeds::{Seeds, Shard};
pub use values::check_variable;
use values::{at_least_one, experiments, mirror, pool, presets, seconds, sources, tasks, threads};

const EXAMPLES: &str = "Examples:
  strat reproduce locking                      Table 5 beside the paper's
  strat reproduce locking --json > cells.jsonl one line per cell
  strat report runs/all --html report.html     runs beside the paper, with figures
  strat inspect runs/lite --seed 7             what that learner has learned
  strat microscope runs/lite --seed 7 --html lite.html
                                               a page that shows how that learner computes
  strat bench locking                          learners per second, share of peak
  strat tasks                                  the eleven data-set tasks, one line each
  strat train tic-tac-toe --seeds 41..50 --out runs/ttt
  strat eval runs/ttt --split ood              the accuracy of its learners
  strat data fetch                             download the public data sets

Exit codes: 0 done, 1 a check failed (--check, data verify), 2 bad usage or input,
130 stopped by Ctrl-C or a signal (after saving).";

const REPRODUCE_EXAMPLES: &str = "Examples:
  strat reproduce locking                      400 learners per row, as in the paper
  strat reproduce locking --learners 4000      narrower intervals
  strat reproduce locking --seeds 401..800     other learners
  strat reproduce locking --out runs/locking   keep every learner and its weights; run it again
                                               to continue after any interruption
  strat reproduce arithmetic --out runs/all    every experiment on arithmetic, one folder each
  strat reproduce arithmetic --out runs/all --no-weights
                                               the same without weights, small enough to keep
  strat reproduce tasks --out runs/tasks       Table 6: both models on the eleven data sets
  strat reproduce tasks --only life --picks 5  how much depends on the ten base examples
  strat reproduce tasks --preset as-specified sharp-start --out runs/presets
                                               Table 6 under both, and how far each is from the paper
  strat reproduce ablations --preset clipped   Table 2 with PyTorch's start and short gradients
  strat reproduce all --out runs/all           everything in the paper
  strat reproduce lite --learners 1000 --anneal  gates annealed toward steps in the last half
  strat reproduce locking --check              exit with 1 if one of its checks fails

A learner depends on its seed alone: the same bits for any --threads or --learners.";

const MERGE_EXAMPLES: &str = "Examples:
  strat reproduce locking --shard 1/3 --out runs/locking-1    on one machine
  strat reproduce locking --shard 2/3 --out runs/locking-2    on another
  strat reproduce locking --shard 3/3 --out runs/locking-3    on a third
  strat merge runs/locking-* --out runs/locking               the same files as from one machine

All shards of one sweep are needed, each exactly once and finished.";

const REPORT_EXAMPLES: &str = "Examples:
  strat reproduce all --out runs/all           make runs
  strat report runs/all --html report.html     one file, with figures; opens without a network
  strat report runs/locking --markdown         its table, for a README
  strat report runs/all --csv > cells.csv      every figure with all its digits

Each folder is a run or contains runs. Nothing is trained. Of an unfinished run, the finished part is shown.";

const BENCH_EXAMPLES: &str = "Examples:
  strat bench locking                          on all cores
  strat bench locking --threads 1 --json       one JSON line per model
  strat bench sudoku --threads 1               an epoch of STRAT and of the Transformer
  strat bench sudoku --threads 2 --learners 1  the same of one learner that both threads work on
  strat bench growth --threads 1               the cost of twice the layers, width or tokens

STRAT_ISA=avx2 (or avx512, neon, portable) chooses the instruction set.";

const CRYSTALLIZE_EXAMPLES: &str = "Examples:
  strat reproduce locking --out runs/locking
  strat crystallize runs/locking --row 4D             one line per learner
  strat crystallize runs/locking --row 4D --seed 1    its rule, as text, Rust and Python
  strat crystallize runs/locking --out runs/exact     all learners; strat inspect and report read that folder

Exit codes: 0 done, 1 no learner became a program, 2 bad usage or input.";

const EXPORT_EXAMPLES: &str = "Examples:
  strat reproduce lite --learners 4 --out runs/lite
  strat export runs/lite --seed 1 --out lite.safetensors
  python3 -c 'from strat_torch import Strat; print(Strat.load(\"lite.safetensors\"))'

Three files are written: the weights, with PyTorch's names and shapes; the operations of the forward pass
as JSON, with the same name; and strat_torch.py, a short PyTorch module that loads both.

  strat fit votes.csv --target passed --out committee
  strat export committee --as python --out committee.py
  strat export committee --as sql              to standard output

--as writes what `strat fit` has learned from a table of at most 4,096 inputs as a function without dependencies:
the same answers and probabilities as `strat predict` gives. Numbers are looked up by their range.";

const CERTIFY_EXAMPLES: &str = "Examples:
  strat train threeof9 --model both --out runs/threeof9
  strat certify runs/threeof9                  right on all 512 inputs, or the inputs that are wrong
  strat certify runs/threeof9 --row strat --seed 41 --json

  strat certify runs/exact                     a run of strat crystallize: exact on inputs of any length, or why not

Works for tasks with few inputs (parity5, monk-2, threeof9, spect, tic-tac-toe, m-of-n), and for STRAT-Lite.
Exit codes: 0 every learner is right on every input, 1 at least one is wrong, 2 bad usage or input.";

const DATA_EXAMPLES: &str = "Examples:
  strat data list                              what is present, what is missing, and the sources
  strat data fetch                             everything that is missing; each file is checked
  strat data fetch sudoku spect                only these
  strat data verify                            compare the files with their checksums or rows

The folder is --data, or STRAT_DATA, or the platform's cache (~/.cache/strat on Linux).
Exit codes: 0 done, 1 a file has the wrong content, 2 bad usage, no connection, or no permission.";

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
    /// Join the shards of a sweep
    Merge(MergeArgs),
    /// Show runs beside the paper: tables and figures from saved results, without training
    Report(ReportArgs),
    /// Show what the learners of a run have learned, and how they compute an answer
    Inspect(InspectArgs),
    /// Turn trained learners into exact programs
    Crystallize(CrystallizeArgs),
    /// Test learners on every possible input
    Certify(CertifyArgs),
    /// Write a page that shows learners at work, token by token and layer by layer
    Microscope(MicroscopeArgs),
    /// Serve that page on this machine, for examples that you type in
    Serve(ServeArgs),
    /// Write a page on which anyone can teach learners ten sums and see how they compute
    Playground(PlaygroundArgs),
    /// List the data-set tasks
    Tasks(TasksArgs),
    /// Train learners on a data-set task and test them
    Train(Box<TrainArgs>),
    /// Print the settings of a task, as a TOML file to start from
    Config(ConfigArgs),
    /// Learn a rule from your own table of ten to a few hundred rows
    Fit(FitArgs),
    /// Test the learners of a run on a test set or a file
    Eval(EvalArgs),
    /// Ask the learners of a run for an answer
    Predict(PredictArgs),
    /// Write one learner for PyTorch, or what was learned from a table as a function
    Export(ExportArgs),
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
    /// Only these tasks
    #[arg(long, value_name = "TASK", value_parser = tasks(), num_args = 1..)]
    pub only: Vec<String>,
    /// Repeat each task with N choices of its ten base examples, including the one of the table
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    pub picks: Option<NonZeroUsize>,
    /// What the paper leaves open, by name (tasks and ablations); several are compared with each other [default: as-specified]
    #[arg(long, value_name = "NAME", value_parser = presets(), num_args = 1..)]
    pub preset: Vec<String>,
    /// Anneal gates toward steps in the last part of training (locking and lite)
    #[arg(long)]
    pub anneal: bool,
    /// Number of epochs for the tasks [default: as in the paper]
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    pub epochs: Option<NonZeroUsize>,
    #[command(flatten)]
    pub folder: FolderArgs,
    #[command(flatten)]
    pub keep: KeepArgs,
    /// Save scores only, without the weights of the learners
    #[arg(long, requires = "out")]
    pub no_weights: bool,
    /// Print one JSON line per table cell instead of the table
    #[arg(long)]
    pub json: bool,
    /// Exit with 1 if one of the stated checks fails
    #[arg(long)]
    pub check: bool,
}

/// Where a run is kept.
#[derive(Debug, Args)]
pub struct KeepArgs {
    /// Save the table and every learner in this folder; if the folder has this run already, continue it
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// If the folder of --out exists, start over in a new folder beside it; nothing is deleted
    #[arg(long, requires = "out")]
    pub fresh: bool,
    /// Do only part I of N; each part needs its own folder, and strat merge joins them
    #[arg(long, value_name = "I/N", requires = "out")]
    pub shard: Option<Shard>,
    /// Save every SECONDS, so that a crash loses no more work; later if saving would take more than a tenth of the time. 0 saves
    /// every step, however long that takes
    #[arg(long, value_name = "SECONDS", value_parser = seconds, default_value = "20")]
    pub save_every: Duration,
}

#[derive(Debug, Args)]
#[command(after_help = MERGE_EXAMPLES)]
pub struct MergeArgs {
    /// The folders of all shards of a sweep
    #[arg(value_name = "DIR", required = true)]
    pub shards: Vec<PathBuf>,
    /// The folder for the merged run
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    #[command(flatten)]
    pub folder: FolderArgs,
    /// Print one JSON line per table cell instead of the table
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = CRYSTALLIZE_EXAMPLES)]
pub struct CrystallizeArgs {
    /// A run with STRAT-Lite learners (locking, lite, latent, teaching-sets), or of a task with few inputs
    #[arg(value_name = "DIR")]
    pub record: PathBuf,
    /// The learners of this row [default: the only one, or all of a task's]
    #[arg(long, value_name = "NAME", conflicts_with = "out")]
    pub row: Option<String>,
    /// Only the learner of this seed, with its program
    #[arg(long, value_name = "S", conflicts_with = "out")]
    pub seed: Option<u64>,
    /// Save all of them in this folder, as a normal run
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Write the program of --seed as a Rust function to this file
    #[arg(long, value_name = "FILE", requires = "seed")]
    pub rust: Option<PathBuf>,
    /// Write the program of --seed as a Python function to this file
    #[arg(long, value_name = "FILE", requires = "seed")]
    pub python: Option<PathBuf>,
    /// Print one JSON line per table cell instead of the table
    #[arg(long, requires = "out")]
    pub json: bool,
    #[command(flatten)]
    pub folder: FolderArgs,
}

/// What a function is written in.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum FunctionLanguage {
    /// A module with `predict(row)`, row being a dict of columns
    Python,
    /// A module with `predict(row)`, row being an object of columns
    #[value(alias = "js")]
    Javascript,
    /// `Row { … }.predict()`
    Rust,
    /// A query that adds the columns prediction and probability to a table
    Sql,
}

#[derive(Debug, Args)]
#[command(after_help = EXPORT_EXAMPLES)]
pub struct ExportArgs {
    /// A run with weights
    #[arg(value_name = "DIR")]
    pub record: PathBuf,
    /// The row [default: the only one]
    #[arg(long, value_name = "NAME")]
    pub row: Option<String>,
    /// The learner of this seed; with --as, it answers alone
    #[arg(long, value_name = "S", required_unless_present = "language")]
    pub seed: Option<u64>,
    /// What `strat fit` has learned, as a function of this language
    #[arg(long = "as", value_name = "LANGUAGE")]
    pub language: Option<FunctionLanguage>,
    /// Where to write it: FILE.safetensors, FILE.json, and strat_torch.py in the same folder; with --as, FILE [default:
    /// standard output]
    #[arg(long, value_name = "FILE", required_unless_present = "language")]
    pub out: Option<PathBuf>,
    /// Tokens of an example, with padding [default: as in training, or the most that the task has]
    #[arg(long, value_name = "N", conflicts_with = "language")]
    pub tokens: Option<NonZeroUsize>,
    #[command(flatten)]
    pub folder: FolderArgs,
}

#[derive(Debug, Args)]
#[command(after_help = CERTIFY_EXAMPLES)]
pub struct CertifyArgs {
    /// A run, written by `strat train --out`
    #[arg(value_name = "DIR")]
    pub record: PathBuf,
    /// Only the learners of this row
    #[arg(long, value_name = "NAME")]
    pub row: Option<String>,
    /// Only the learners of this seed
    #[arg(long, value_name = "S")]
    pub seed: Option<u64>,
    /// For learners that are not exact: bound the error on sums of at most N values
    #[arg(long, value_name = "N", default_value = "6", value_parser = at_least_one)]
    pub terms: NonZeroUsize,
    /// For learners that are not exact: the largest value in these sums
    #[arg(long, value_name = "X", default_value = "5000")]
    pub values: NonZeroU32,
    #[command(flatten)]
    pub folder: FolderArgs,
    /// Print one JSON line per learner
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = REPORT_EXAMPLES)]
#[command(group = clap::ArgGroup::new("form").args(["html", "markdown", "csv"]).required(true).multiple(true))]
pub struct ReportArgs {
    /// Folders that are runs or contain runs
    #[arg(value_name = "DIR", required = true)]
    pub folders: Vec<PathBuf>,
    /// Write a page with tables and figures to this file
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Print the tables as Markdown
    #[arg(long)]
    pub markdown: bool,
    /// Print every figure of the tables as CSV
    #[arg(long, conflicts_with = "markdown")]
    pub csv: bool,
}

/// Something to measure.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Runner {
    /// STRAT-Lite 4D, ten sums, 2,000 steps, then 1,000 test sums, per learner
    Locking,
    /// An epoch of both models on ten Sudokus
    Sudoku,
    /// The same on M-of-N
    #[value(alias = "mofn")]
    MOfN,
    /// The same on ten rows of ThreeOf9
    #[value(name = "threeof9", alias = "three-of-9")]
    ThreeOf9,
    /// The same on SAT formulas
    Satlib,
    /// How time and memory of an epoch grow with layers, width, tokens and learners
    Growth,
}

#[derive(Debug, Args)]
#[command(after_help = BENCH_EXAMPLES)]
pub struct BenchArgs {
    /// What to measure
    #[arg(value_name = "NAME", ignore_case = true)]
    pub work: Runner,
    #[command(flatten)]
    pub population: PopulationArgs,
    #[command(flatten)]
    pub folder: FolderArgs,
    /// Print one JSON line per model
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
    /// List what is present, what is missing, and the sources
    #[command(after_help = DATA_EXAMPLES)]
    List,
    /// Download files that are missing or wrong; a broken download is resumed
    #[command(after_help = DATA_EXAMPLES)]
    Fetch {
        /// Which data sets [default: all]
        #[arg(value_name = "NAME", value_parser = sources())]
        names: Vec<String>,
        /// Fetch from this server instead; the files have the same names there
        #[arg(long, value_name = "URL", value_parser = mirror)]
        mirror: Option<String>,
    },
    /// Compare the files with their checksums or rows
    #[command(after_help = DATA_EXAMPLES)]
    Verify {
        /// Which data sets [default: those that are present]
        #[arg(value_name = "NAME", value_parser = sources())]
        names: Vec<String>,
    },
}

#[derive(Debug, Args)]
pub struct PopulationArgs {
    /// Seeds of the learners, both ends inclusive [default: as many as in the paper, from 1]
    #[arg(long, value_name = "A..B", conflicts_with = "learners")]
    seeds: Option<Seeds>,
    /// Number of learners; their seeds start at 1
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    learners: Option<NonZeroUsize>,
    /// Number of threads, at most four per core or 16, whichever is more [default: all cores]
    #[arg(long, value_name = "N", value_parser = threads)]
    threads: Option<NonZeroUsize>,
}

impl PopulationArgs {
    /// The seeds asked for, or 1 to `default`.
    pub fn seeds(&self, default: u64) -> Seeds {
        let count = self.learners.map_or(default, |n| n.get() as u64);
        self.seeds.unwrap_or_else(|| Seeds::to(count))
    }

    /// How many learners, if it was said.
    pub fn count(&self) -> Option<usize> {
        self.seeds.as_ref().map(Seeds::count).or(self.learners.map(NonZeroUsize::get))
    }

    /// The same for the data-set tasks, which the paper trains with ten seeds from 41 on.
    pub fn task_seeds(&self) -> Seeds {
        let last = 40 + self.learners.map_or(10, |n| n.get() as u64);
        self.seeds.unwrap_or_else(|| Seeds::new(41, last).expect("at least one learner"))
    }

    /// A thread pool of the size asked for.
    pub fn pool(&self) -> Result<rayon::ThreadPool, crate::Failure> {
        pool(self.threads)
    }
}
