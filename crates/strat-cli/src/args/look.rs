//! `strat inspect`, `microscope`, `serve` and `playground`.

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
                                               how it computes its answer, token by token
  strat inspect runs/ttt --seed 41 --example 'xxo oxb obx' --json
                                               the same for a learner of a task, with every number
  strat inspect runs/ablations --row C_bi      why the runs of a row fail
  strat inspect runs/locking --row 4D --json   one JSON line per learner";

const MICROSCOPE_EXAMPLES: &str = "Examples:
  strat microscope runs/lite --seed 7 --html lite.html
  strat microscope runs/lite --seed 7 --seed 9 --html two.html
                                               two learners side by side
  strat microscope runs/lite --seed 7 --example '12 + 3 - 5' --snapshots 40 --html lite.html
                                               also how it changed during training
  strat microscope runs/ttt --row STRAT --row Transformer --seed 41 --html ttt.html

Snapshots are not saved. The learner is trained again, and its last weights must equal those of
the run, bit for bit. The page is one file of at most 5 MB and needs no network.";

const SERVE_EXAMPLES: &str = "Examples:
  strat serve runs/lite                        prints an address; open it on this machine
  strat serve runs/ttt --port 8080

It offers the playground too, at an address that it prints, if this program has it (strat playground --help).

It listens on 127.0.0.1 only, answers requests with the random token of the address, and writes
no files. Ctrl-C ends it.";

#[derive(Debug, Args)]
#[command(after_help = INSPECT_EXAMPLES)]
pub struct InspectArgs {
    /// A run, written by `strat reproduce NAME --out DIR` or `strat train --out DIR`
    #[arg(value_name = "DIR")]
    pub record: PathBuf,
    /// Which row of the table, by its name or a part of it [default: the only one]
    #[arg(long, value_name = "NAME")]
    pub row: Option<String>,
    /// Which learner [default: all, one line each]
    #[arg(long, value_name = "S")]
    pub seed: Option<u64>,
    /// Show how the learner computes its answer to this example
    #[arg(long, value_name = "EXAMPLE", requires = "seed", allow_hyphen_values = true)]
    pub example: Option<String>,
    /// In a long example, the token to look at [default: 0, the first]
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
    /// A run, written by `strat reproduce NAME --out DIR` or `strat train --out DIR`
    #[arg(value_name = "DIR")]
    pub record: PathBuf,
    #[command(flatten)]
    pub learners: LearnerArgs,
    /// An example to show; can be repeated [default: a few of the task's]
    #[arg(long, value_name = "EXAMPLE", allow_hyphen_values = true)]
    pub example: Vec<String>,
    /// Show N moments of the training, which is repeated for this
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
    /// Learners of this row, by its name or a part of it; can be repeated [default: the only one]
    #[arg(long, value_name = "NAME")]
    pub row: Vec<String>,
    /// The learner with this seed; can be repeated [default: the first]
    #[arg(long, value_name = "S")]
    pub seed: Vec<u64>,
}

const PLAYGROUND_EXAMPLES: &str = "Examples:
  strat playground --html playground.html      one file for any browser or web host; it needs no network

The page trains 64 learners of STRAT-Lite and 64 Transformers on ten sums that you choose. Its bits are those
of STRAT_ISA=portable.";

#[derive(Debug, Args)]
#[command(after_help = PLAYGROUND_EXAMPLES)]
pub struct PlaygroundArgs {
    /// Where to write the page
    #[arg(long, value_name = "FILE")]
    pub html: PathBuf,
}

#[derive(Debug, Args)]
#[command(after_help = SERVE_EXAMPLES)]
pub struct ServeArgs {
    /// A run, written by `strat reproduce NAME --out DIR` or `strat train --out DIR`
    #[arg(value_name = "DIR")]
    pub record: PathBuf,
    #[command(flatten)]
    pub learners: LearnerArgs,
    /// The port on 127.0.0.1; 0 means any free port
    #[arg(long, value_name = "N", default_value = "0")]
    pub port: u16,
    #[command(flatten)]
    pub folder: FolderArgs,
}
