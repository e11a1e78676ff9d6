//! `strat tasks`, `train`, `eval` and `predict`.

use super::KeepArgs;
use super::values::{at_least_one, pick, pool, presets, probability, sums, threads};
use crate::Failure;
use clap::{Args, ValueEnum};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use strat::config::{ConfigFile, ConfigFileError};
use strat::data::DataFolder;
use strat::seeds::Seeds;
use strat::task::{Pick, Split, TeachingSet};

const TRAIN_EXAMPLES: &str = "Examples:
  strat train tic-tac-toe                      ten learners, compared with the paper's Table 6
  strat train examples.jsonl --out runs/own    your own examples (docs/train-on-a-file.md)
  strat train m-of-n --set train.learning_rate=[1e-3,3e-3]
                                               a sweep: a row of learners for each value
  strat config m-of-n > m.toml                 all settings, to be changed and given with --config
  strat train m-of-n --model both --out runs/mofn
  strat train parity5 --pick random:7          other base examples
  strat train signed-sum --sums '12 + 3 - 5, 40 - 7 + 25, 8 + 8 - 1 - 2' --out runs/sums
                                               a lesson of your own for all learners
  strat train sudoku --seeds 41..41 --epochs 1250
  strat train sudoku --out runs/sudoku         run it again to continue after an interruption

A learner depends on its seed alone: the same bits for any --threads or --seeds.";

const CONFIG_EXAMPLES: &str = "Examples:
  strat config tic-tac-toe > ttt.toml          change what you like
  strat train tic-tac-toe --config ttt.toml --out runs/ttt
  strat config spect --preset sharp-start      the settings of a preset";

const EVAL_EXAMPLES: &str = "Examples:
  strat eval runs/ttt --split ood              accuracy of each learner
  strat eval runs/sudoku --data-file more.csv  on any list of puzzle,solution, or of puzzles alone
  strat eval runs/both --row transformer       one model of a run with two
  strat eval runs/mushrooms --data-file more.csv
                                               a run of strat fit: rows with the target; also the vote";

const PREDICT_EXAMPLES: &str = "Examples:
  strat predict runs/ttt xxxoobbbb             the answer of each learner
  strat predict runs/mofn '11 0011001 0' --seed 41
  strat predict runs/sudoku < puzzle.txt       81 digits, 0 or . for blank: a valid board, or none
  strat predict runs/sums '12 + 3 - 5'         a run of sums; decimals and a leading minus are read too
  strat predict runs/mofn rows.txt             many examples, a line each; also from a pipe
  strat predict runs/own more.jsonl            a run of a file: examples of a file of the same form
  strat predict runs/mushrooms more.csv > answers.csv
                                               a run of strat fit: every row with the vote and its agreement";

#[derive(Debug, Args)]
pub struct TasksArgs {
    #[command(flatten)]
    pub folder: FolderArgs,
    /// Also show the accuracy of simple rules: majority, logistic regression, nearest example
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
    /// A task of the paper (see `strat tasks`), signed-sum, grocery, or a file of examples: .jsonl, .npz or .safetensors
    #[arg(value_name = "TASK")]
    pub task: String,
    /// Which model [default: strat, or the first that the task offers]
    #[arg(long, value_name = "MODEL")]
    model: Option<ModelChoice>,
    /// What the paper leaves open, by name [default: as-specified]
    #[arg(long, value_name = "NAME", value_parser = presets())]
    pub preset: Option<String>,
    /// Settings of models and training; `strat config TASK` prints those of the paper
    #[arg(long, value_name = "FILE.toml")]
    pub config: Option<PathBuf>,
    /// One setting, as in train.learning_rate=0.003; goes before --config; can be repeated
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Seeds of the learners, both ends inclusive [default: 41..50; for sums 1..10]
    #[arg(long, value_name = "A..B")]
    pub seeds: Option<Seeds>,
    /// Number of epochs, which are steps [default: as in the paper]
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    pub epochs: Option<NonZeroUsize>,
    /// How the ten base examples are chosen: random:SEED or coverage:SEED
    #[arg(long, value_name = "PICK", value_parser = pick)]
    pub pick: Option<Pick>,
    /// With signed-sum, the sums that all learners are taught, as in '12 + 3 - 5, 7 - 7 + 1' [default: ten of each learner's
    /// own]
    #[arg(long, value_name = "SUMS", value_parser = sums)]
    pub sums: Option<TeachingSet>,
    /// Number of threads, at most four per core or 16, whichever is more [default: all cores]
    #[arg(long, value_name = "N", value_parser = threads)]
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
    /// The settings: of the file, then of --set, then of the options that stand for one.
    pub fn settings(&self) -> Result<ConfigFile, ConfigFileError> {
        let mut config = match &self.config {
            Some(path) => ConfigFile::read(path)?,
            None => ConfigFile::empty("the command line"),
        };
        self.set.iter().try_for_each(|text| config.set(text))?;
        match self.model {
            None => {}
            Some(ModelChoice::Strat) => config.set("model.kind=strat")?,
            Some(ModelChoice::Transformer) => config.set("model.kind=transformer")?,
            Some(ModelChoice::Both) => config.set("model.kind=[\"strat\", \"transformer\"]")?,
        }
        if let Some(epochs) = self.epochs {
            config.set(&format!("train.steps={epochs}"))?;
        }
        if let Some(seeds) = self.seeds {
            config.set(&format!("seeds=\"{seeds}\""))?;
        }
        Ok(config)
    }

    /// A thread pool of the size asked for.
    pub fn pool(&self) -> Result<rayon::ThreadPool, Failure> {
        pool(self.threads)
    }
}

#[derive(Debug, Args)]
#[command(after_help = CONFIG_EXAMPLES)]
pub struct ConfigArgs {
    /// A task of the paper, signed-sum, grocery, or a file of examples
    #[arg(value_name = "TASK")]
    pub task: String,
    /// The settings of this preset [default: as-specified]
    #[arg(long, value_name = "NAME", value_parser = presets())]
    pub preset: Option<String>,
    #[command(flatten)]
    pub folder: FolderArgs,
}

/// Which of the two models, or both.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum ModelChoice {
    /// STRAT: Type and Data in separate streams
    Strat,
    /// The Transformer baseline: the same fields in one stream
    Transformer,
    /// Both, on the same examples
    Both,
}

#[derive(Debug, Args)]
#[command(after_help = EVAL_EXAMPLES)]
pub struct EvalArgs {
    /// A run, written by `strat train --out` or `strat fit --out`
    #[arg(value_name = "DIR")]
    pub record: PathBuf,
    /// Which test set [default: id; for a table, its training rows]
    #[arg(long, conflicts_with = "data_file")]
    pub split: Option<SplitChoice>,
    /// Test on this file instead; its format is that of the task's public file, or its columns are those of the table
    #[arg(long, value_name = "FILE")]
    pub data_file: Option<PathBuf>,
    #[command(flatten)]
    pub chosen: ChosenArgs,
    /// Print one JSON line per learner; for a table and where answers can be checked, also one for all together
    #[arg(long)]
    pub json: bool,
}

impl EvalArgs {
    /// The test set asked for.
    pub fn split(&self) -> Split {
        match self.split {
            None | Some(SplitChoice::Id) => Split::Id,
            Some(SplitChoice::Ood) => Split::Ood,
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
pub enum SplitChoice {
    /// In distribution
    Id,
    /// Out of distribution
    Ood,
}

/// What to do with a value that is unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum OnUnknown {
    /// Answer by the other columns
    Answer,
    /// Stop with an error that says where it is
    Fail,
    /// Give no prediction for the row
    Abstain,
}

const FIT_EXAMPLES: &str = "Examples:
  strat fit mushrooms.csv --target edible --out runs/mushrooms
  strat predict runs/sums '12 + 3 - 5'         a run of sums; decimals and a leading minus are read too
  strat predict runs/mofn rows.txt             many examples, a line each; also from a pipe
  strat predict runs/own more.jsonl            a run of a file: examples of a file of the same form
  strat predict runs/mushrooms more.csv > answers.csv
  strat fit votes.csv --target passed --interchangeable ann,bob,cid
  strat fit lights.csv --target alarm --cyclic n,e,s,w --irrelevant day,name

Columns are categories: yes and no, words, small numbers; at most 32 different values each. Anything
unusual in the table is reported, with what was done about it. --out saves a normal run:
predict, eval, inspect, certify, export --as, microscope, serve and report read it.";

#[derive(Debug, Args)]
#[command(after_help = FIT_EXAMPLES)]
pub struct FitArgs {
    /// The table: CSV or TSV, optionally compressed with gzip; - is standard input
    #[arg(value_name = "FILE")]
    pub table: PathBuf,
    /// The column to learn: its name, or # and its number
    #[arg(long, value_name = "COLUMN")]
    pub target: String,
    /// The table has no header: its first row is data
    #[arg(long)]
    pub no_header: bool,
    /// Any order of these columns gives the same answer; can be repeated
    #[arg(long, value_name = "A,B,…")]
    pub interchangeable: Vec<String>,
    /// Any rotation of these columns gives the same answer
    #[arg(long, value_name = "A,B,…")]
    pub cyclic: Vec<String>,
    /// Swapping the two values in all of these columns at once gives the same answer
    #[arg(long, value_name = "A,B,…")]
    pub flip_together: Vec<String>,
    /// Ignore these columns
    #[arg(long, value_name = "A,B,…", value_delimiter = ',')]
    pub irrelevant: Vec<String>,
    /// The numbers in these columns are names, such as codes; also columns of names that would be left out
    #[arg(long, value_name = "A,B,…", value_delimiter = ',')]
    pub words: Vec<String>,
    /// A column that says how many rows each row counts for: whole numbers from 1 to 1000
    #[arg(long, value_name = "COLUMN")]
    pub weight: Option<String>,
    /// Number of learners in the population [default: 32; 8 if the mixture is without them]
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    pub learners: Option<NonZeroUsize>,
    /// Number of epochs [default: 400]
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    pub epochs: Option<NonZeroUsize>,
    /// Skip the test on rows left out, which takes longer than training: STRAT answers alone
    #[arg(long)]
    pub no_held_out: bool,
    /// Number of threads, at most four per core or 16, whichever is more [default: all cores]
    #[arg(long, value_name = "N", value_parser = threads)]
    threads: Option<NonZeroUsize>,
    /// Save the population in this folder; if the folder has this run already, continue it
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// If the folder of --out exists, start over in a new folder beside it, for example after a change of the table;
    /// nothing is deleted
    #[arg(long, requires = "out")]
    fresh: bool,
    /// Also write a page: the rule, a form that answers, what matters, what to ask next
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Print the result as JSON, in the last line
    #[arg(long)]
    pub json: bool,
}

impl FitArgs {
    /// A thread pool of the size asked for.
    pub fn pool(&self) -> Result<rayon::ThreadPool, Failure> {
        pool(self.threads)
    }

    /// Where the population is kept.
    pub fn keep(&self) -> KeepArgs {
        KeepArgs {
            out: self.out.clone(),
            fresh: self.fresh,
            shard: None,
            save_every: std::time::Duration::from_secs(20),
        }
    }
}

#[derive(Debug, Args)]
#[command(after_help = PREDICT_EXAMPLES)]
pub struct PredictArgs {
    /// A run, written by `strat train --out` or `strat fit --out`
    #[arg(value_name = "DIR")]
    pub record: PathBuf,
    /// The example, or a file with one in each line; for a table, a file of rows [default: standard input]
    #[arg(value_name = "EXAMPLE", allow_hyphen_values = true)]
    pub example: Option<String>,
    /// For a table: what to do with a row that has a value which the table of training has not
    #[arg(long, value_name = "WHAT", default_value = "answer")]
    pub on_unknown: OnUnknown,
    /// For a table: also the probability of every class
    #[arg(long)]
    pub probabilities: bool,
    /// For a table: no prediction where its probability is less, from 0 to 1
    #[arg(long, value_name = "P", value_parser = probability)]
    pub at_least: Option<f64>,
    #[command(flatten)]
    pub chosen: ChosenArgs,
    /// Where answers can be checked, as Sudokus: print what each learner says, valid or not, instead of a valid answer
    #[arg(long)]
    pub unchecked: bool,
    /// Print one JSON line per learner; for a table, per row; where answers are checked, per example
    #[arg(long)]
    pub json: bool,
}
