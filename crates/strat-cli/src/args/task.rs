//! `strat tasks`, `train`, `eval` and `predict`.

use super::KeepArgs;
use super::values::{at_least_one, pick, pool, tasks};
use crate::Failure;
use clap::{Args, ValueEnum};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use strat::data::DataFolder;
use strat::model::Architecture;
use strat::seeds::Seeds;
use strat::task::{Pick, Split};

const TRAIN_EXAMPLES: &str = "Examples:
  strat train tic-tac-toe                      ten learners, beside the paper's Table 6
  strat train m-of-n --model both --out runs/mofn
  strat train parity5 --pick random:7          other base examples
  strat train sudoku --seeds 41..41 --epochs 1250
  strat train sudoku --out runs/sudoku         the same again goes on where it was stopped

A learner depends on its seed alone: the same bits for any --threads or --seeds.";

const EVAL_EXAMPLES: &str = "Examples:
  strat eval runs/ttt --split ood              share of right answers, by learner
  strat eval runs/sudoku --data-file more.csv  on any list of puzzle,solution
  strat eval runs/both --row transformer       one model of a run with two";

const PREDICT_EXAMPLES: &str = "Examples:
  strat predict runs/ttt xxxoob_o_             what each learner says
  strat predict runs/mofn '11 0011001 0' --seed 41
  strat predict runs/sudoku < puzzle.txt       81 digits, 0 or . for blank";

#[derive(Debug, Args)]
pub struct TasksArgs {
    #[command(flatten)]
    pub folder: FolderArgs,
    /// Also say how far simple rules get on each: majority, logistic regression, nearest example
    #[arg(long)]
    pub shortcuts: bool,
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
    pub fn open(&self) -> Result<DataFolder, Failure> {
        match &self.data {
            Some(path) if !path.is_dir() => Err(Failure::NoFolder(path.clone())),
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
    pub seeds: Seeds,
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
    #[command(flatten)]
    pub keep: KeepArgs,
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

    /// A thread pool of the size asked for.
    pub fn pool(&self) -> Result<rayon::ThreadPool, Failure> {
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
