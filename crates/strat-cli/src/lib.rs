//! `strat`: parse, validate, run, exit code. The only place that prints.
//!
//! Exit codes: 0 done, 1 a stated check failed, 2 bad usage or input, 130 stopped by the user.
//!
//! A library, so that others can ship the command: the Python package does.

// A standard stream that is full or closed must not end in a panic: `output::print` and `say!` instead.
#![deny(clippy::print_stdout, clippy::print_stderr)]

mod args;
mod asked;
mod bench;
mod certify;
mod checked;
mod chosen;
mod config;
mod crystallize;
mod data;
mod eval;
mod export;
mod fit;
mod fitted;
mod hint;
mod inspect;
mod learned;
mod merge;
mod microscope;
pub mod origin;
mod output;
mod playground;
mod predict;
mod predict_file;
mod predict_table;
mod report;
mod reproduce;
mod runner;
mod say;
mod serve;
mod simplify;
mod stop;
mod tasks;
mod train;

use args::{Cli, Command};
use clap::Parser;
pub use microscope::MOST_LEARNERS;
use say::say;
use std::ffi::OsString;

/// What can go wrong outside of the arguments' syntax.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    Isa(#[from] strat::engine::UnknownIsa),
    #[error(transparent)]
    Record(#[from] strat::record::RecordError),
    #[error(transparent)]
    Read(#[from] strat::record::ReadError),
    #[error(transparent)]
    Train(#[from] strat::train::TrainError),
    #[error(transparent)]
    Crystallize(#[from] strat_paper::experiment::crystallize::CrystallizeError),
    #[error(
        "{task}: has too many inputs to ask for all of them, or no rule that answers them; certify learners of {known}"
    )]
    Endless { task: String, known: &'static str },
    #[error(
        "{task}: a table of more than {most} inputs, too many to ask for all of them. `strat inspect` says what its \
         learners have learned, `strat eval --data-file FILE` how often they are right on rows of a file"
    )]
    ManyInputs { task: String, most: usize },
    #[error(
        "{task}: a table of more than {most} inputs, too many to write the answers to all of them. Leave columns out with \
         `strat fit --irrelevant`, or ask `strat predict`"
    )]
    NoFunction { task: String, most: usize },
    #[error("{}: its learners were taught no table, so that there is no function to write. Give a run that `strat fit --out` wrote, or leave --as out", .0.display())]
    NotFitted(std::path::PathBuf),
    #[error(
        "{path}: what was learned from a table becomes one program, not a run. Leave --out out, or write the program with \
         `strat export {path} --as python` or another language",
        path = .0.display()
    )]
    OfTable(std::path::PathBuf),
    #[error("{task}: learners of a table have no test sets; leave --split out, or give rows with --data-file FILE")]
    NoSplits { task: String },
    #[error(transparent)]
    NoSuchValue(strat::task::table::Unknown),
    #[error("there is no program to write: {reason}")]
    NoProgram { reason: String },
    #[error(transparent)]
    FitData(#[from] strat_paper::fitted::FitDataError),
    #[error(transparent)]
    Merge(#[from] strat::record::MergeError),
    #[error("{0}")]
    Stopped(runner::Kept),
    #[error("cannot start {threads} threads: {source}; try fewer with --threads")]
    Threads { threads: usize, source: rayon::ThreadPoolBuildError },
    #[error("RAYON_NUM_THREADS is {found}, but at most {most} threads are started here: four for each core, or 16")]
    ThreadsVariable { found: usize, most: usize },
    #[error("{}: --data is no folder. Name one that is there, or leave it out", .0.display())]
    NoFolder(std::path::PathBuf),
    #[error(transparent)]
    Task(#[from] strat::task::TaskError),
    #[error("{}: its learners were not taught a task. Give a run that `strat train TASK --out DIR` wrote", .0.display())]
    NotATask(std::path::PathBuf),
    #[error("{task}: the paper says which examples are the bases, so there is nothing to pick; leave --pick out")]
    NoPick { task: &'static str },
    #[error(
        "--only, --picks and --epochs are about the data-set tasks; give them with `strat reproduce tasks` or `all`"
    )]
    NoTasks,
    #[error("--anneal is offered for `strat reproduce locking` and `strat reproduce lite`, not for {0}")]
    NoAnneal(String),
    #[error("--preset {preset} is for other models than those of {of}")]
    NoPreset {
        /// Its name.
        preset: &'static str,
        /// The task or experiment.
        of: String,
    },
    #[error("--preset is offered for `strat reproduce tasks` and `strat reproduce ablations`, not for {0}")]
    NoPresets(String),
    #[error(transparent)]
    Sheet(#[from] strat::task::table::SheetError),
    #[error(transparent)]
    Schema(#[from] strat::task::table::SchemaError),
    #[error("{0}. Or give --on-unknown abstain")]
    Unknown(strat::task::table::Unknown),
    #[error(transparent)]
    Examples(#[from] strat::task::ReadError),
    #[error(transparent)]
    Probe(#[from] strat::task::ProbeError),
    #[error(transparent)]
    Answer(#[from] strat::task::AnswerError),
    #[error(transparent)]
    ExampleSource(#[from] strat::trace::ExampleSourceError),
    #[error(transparent)]
    PageData(#[from] strat_paper::microscope::PageDataError),
    #[error(transparent)]
    Large(#[from] strat_paper::microscope::PageError),
    #[error(
        "{found} learners, but a page shows at most {}; give fewer --row and --seed",
        microscope::MOST_LEARNERS
    )]
    Learners { found: usize },
    #[error("cannot listen on 127.0.0.1:{port}: {source}; choose another --port, or leave it out")]
    Listen { port: u16, source: std::io::Error },
    #[error("the system gives no random numbers for the token: {0}")]
    Random(getrandom::Error),
    #[error(transparent)]
    Config(#[from] strat::config::ConfigFileError),
    #[error(transparent)]
    Arrays(#[from] strat::task::ArrayTaskError),
    #[error("{name:?} is no task and no file; tasks are {known}, files end in .jsonl, .npz or .safetensors")]
    NoTask { name: String, known: String },
    #[error("--sums is about signed sums; leave it out for {0}, or train signed-sum")]
    NoSums(String),
    #[error(
        "this program was built without the playground. In a clone of the repository, `rustup target add \
         wasm32-unknown-unknown`, then `web/build`, then `cargo install --path crates/strat-cli` build one that has it; \
         programs of a release have it too"
    )]
    NoModule,
    #[error("--pick is about the paper's data sets; leave it out for {0}")]
    NothingToPick(String),
    #[error(
        "{}: its learners read examples of a file, so give a file: `strat predict DIR more.jsonl`, with {inputs}",
        .path.display()
    )]
    NoFile { path: std::path::PathBuf, inputs: String },
    #[error(transparent)]
    Export(#[from] strat::export::ExportError),
    #[error("row {row:?}: its model cannot read {tokens} tokens; leave --tokens out, or give another number")]
    Tokens { row: String, tokens: usize },
    #[error("{name}: cannot read examples: {source}")]
    Input { name: String, source: std::io::Error },
    #[error("{name}:{line}: {source}")]
    Line { name: String, line: usize, source: strat::task::ProbeError },
    #[error("{}: cannot write the file: {source}. What was there before is as it was; mend this, or name another file", .path.display())]
    File { path: std::path::PathBuf, source: std::io::Error },
    #[error("cannot write to standard output: {0}")]
    Output(#[from] std::io::Error),
}

/// How the command ended, as a shell sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExitCode(u8);

impl ExitCode {
    const SUCCESS: ExitCode = ExitCode(0);
}

impl From<u8> for ExitCode {
    fn from(code: u8) -> ExitCode {
        ExitCode(code)
    }
}

impl From<ExitCode> for u8 {
    fn from(code: ExitCode) -> u8 {
        code.0
    }
}

/// Does what the arguments say, the first of which is the command's own name. From here on Ctrl-C is this command's.
pub fn main_from(args: impl IntoIterator<Item = OsString>) -> ExitCode {
    let args: Vec<OsString> = args.into_iter().collect();
    origin::set_command(&args);
    stop::listen();
    match Cli::try_parse_from(args).map_or_else(|asked| usage(&asked), |cli| run(cli.command)) {
        Ok(code) => code,
        // Whoever read our output has seen enough: not an error.
        Err(Failure::Output(e)) if e.kind() == std::io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(Failure::Stopped(kept)) => {
            say!("Stopped: {kept}.");
            ExitCode::from(stop::INTERRUPTED)
        }
        Err(e) => {
            say!("error: {}", hint::with_hint(&e));
            ExitCode::from(2)
        }
    }
}

/// Help and version on standard output; what is wrong with the arguments on standard error.
fn usage(asked: &clap::Error) -> Result<ExitCode, Failure> {
    let printed = asked.print();
    if asked.use_stderr() {
        return Ok(ExitCode::from(2));
    }
    printed?;
    Ok(ExitCode::SUCCESS)
}

fn run(command: Command) -> Result<ExitCode, Failure> {
    args::check_variable()?;
    match command {
        Command::Reproduce(args) => reproduce::run(args),
        Command::Merge(args) => merge::run(args),
        Command::Report(args) => report::run(args),
        Command::Inspect(args) => inspect::run(args),
        Command::Certify(args) => certify::run(args),
        Command::Crystallize(args) => crystallize::run(args),
        Command::Microscope(args) => microscope::run(args),
        Command::Serve(args) => serve::run(args),
        Command::Playground(args) => playground::run(args),
        Command::Tasks(args) => tasks::run(args),
        Command::Train(args) => train::run(*args),
        Command::Config(args) => config::run(args),
        Command::Fit(args) => fit::run(args),
        Command::Eval(args) => eval::run(args),
        Command::Predict(args) => predict::run(args),
        Command::Export(args) => export::run(args),
        Command::Bench(args) => bench::run(args),
        Command::Data(args) => data::run(args),
    }
}
