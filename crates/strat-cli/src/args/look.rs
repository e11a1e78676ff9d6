//! `strat inspect`, `microscope` and `serve`.

use super::FolderArgs;
use super::values::at_least_one;
use clap::Args;
use std::num::NonZeroUsize;
use std::path::PathBuf;

const INSPECT_EXAMPLES: &str = "Examples:
  strat reproduce lite --out runs/lite         make a run
  strat inspect runs/lite                      its learners: attractor and OOD error
  strat inspect runs/lite --seed 7             one of them: cut, paste, trigger, coefficients
  strat inspect runs/lite --seed 7 --example '12 + 3 - 5'
                                               how it comes to its answer, token by token
  strat inspect runs/ttt --seed 41 --example 'xxo oxb obx' --json
                                               the same of a task's learner, every number
  strat inspect runs/ablations --row C_bi      why the runs of a row fail
  strat inspect runs/locking --row 4D --json   one JSON line per learner";

const MICROSCOPE_EXAMPLES: &str = "Examples:
  strat microscope runs/lite --seed 7 --html lite.html
  strat microscope runs/lite --seed 7 --seed 9 --html two.html
                                               two learners side by side
  strat microscope runs/lite --seed 7 --example '12 + 3 - 5' --snapshots 40 --html lite.html
                                               and how it came to be so
  strat microscope runs/ttt --row STRAT --row Transformer --seed 41 --html ttt.html

Snapshots are not kept: the learner is trained again, and its last weights must be those of
the run, bit by bit. The page is one file, needs no network and has at most 5 MB.";

const SERVE_EXAMPLES: &str = "Examples:
  strat serve runs/lite                        prints an address; open it on this machine
  strat serve runs/ttt --port 8080

It answers on 127.0.0.1 alone, to those who know the random token in the address, and writes
nothing. Ctrl-C ends it.";

#[derive(Debug, Args)]
#[command(after_help = INSPECT_EXAMPLES)]
pub struct InspectArgs {
    /// A run: what `strat reproduce NAME --out DIR` or `strat train --out DIR` wrote
    #[arg(value_name = "DIR")]
    pub record: PathBuf,
    /// Which row of the table, by its name or a part of it [default: the only one]
    #[arg(long, value_name = "NAME")]
    pub row: Option<String>,
    /// Which learner [default: all, a line each]
    #[arg(long, value_name = "S")]
    pub seed: Option<u64>,
    /// Show how the learner comes to its answer to this example
    #[arg(long, value_name = "EXAMPLE", requires = "seed", allow_hyphen_values = true)]
    pub example: Option<String>,
    /// Of a long example, look at this token [default: the first, 0]
    #[arg(long, value_name = "N", requires = "example")]
    pub token: Option<usize>,
    #[command(flatten)]
    pub folder: FolderArgs,
    /// Print one JSON line per learner
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = MICROSCOPE_EXAMPLES)]
pub struct MicroscopeArgs {
    /// A run: what `strat reproduce NAME --out DIR` or `strat train --out DIR` wrote
    #[arg(value_name = "DIR")]
    pub record: PathBuf,
    #[command(flatten)]
    pub learners: LearnerArgs,
    /// An example to show; give it again for more [default: a few of the task's]
    #[arg(long, value_name = "EXAMPLE", allow_hyphen_values = true)]
    pub example: Vec<String>,
    /// Show as many moments of the training, which is done again
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    pub snapshots: Option<NonZeroUsize>,
    #[command(flatten)]
    pub folder: FolderArgs,
    /// Where to write the page
    #[arg(long, value_name = "FILE")]
    pub html: PathBuf,
}

/// Learners to look at.
#[derive(Debug, Args)]
pub struct LearnerArgs {
    /// Learners of this row, by its name or a part of it; give it again for more [default: the only one]
    #[arg(long, value_name = "NAME")]
    pub row: Vec<String>,
    /// The learner of this seed; give it again for more [default: the first]
    #[arg(long, value_name = "S")]
    pub seed: Vec<u64>,
}

#[derive(Debug, Args)]
#[command(after_help = SERVE_EXAMPLES)]
pub struct ServeArgs {
    /// A run: what `strat reproduce NAME --out DIR` or `strat train --out DIR` wrote
    #[arg(value_name = "DIR")]
    pub record: PathBuf,
    #[command(flatten)]
    pub learners: LearnerArgs,
    /// The port on 127.0.0.1; 0 is any that is free
    #[arg(long, value_name = "N", default_value = "0")]
    pub port: u16,
    #[command(flatten)]
    pub folder: FolderArgs,
}
