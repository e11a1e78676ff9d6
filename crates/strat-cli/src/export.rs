//! `strat export`: one learner for PyTorch, or what was learned from a table as a function of another language.

use crate::ExitCode;
use crate::Failure;
use crate::args::{ChosenArgs, ExportArgs, FunctionLanguage};
use crate::chosen::{Chosen, open};
use crate::origin::VERSION;
use crate::output::{write_bytes, write_file};
use crate::say::say;
use serde_json::{Map, json};
use std::io::Write;
use std::path::Path;
use strat::engine::Isa;
use strat::engine::reference::Arrays;
use strat::export::{TORCH, export};
use strat::fit::code::{Code, Language};
use strat::fit::learned::MOST_INPUTS;
use strat::fit::mixture::Answerer;
use strat::model::ModelRecord;
use strat::task::TaskError;
use strat::task::table::{TableTask, TableTaskError};
use strat::trace::ExampleSource;

/// The module that loads what is written.
const MODULE: &str = "strat_torch.py";

pub fn run(args: ExportArgs) -> Result<ExitCode, Failure> {
    if let Some(language) = args.language {
        return function(args, language);
    }
    let (Some(seed), Some(out)) = (args.seed, &args.out) else { unreachable!("both are required without --as") };
    torch(&args, seed, out)
}

/// What the learners chosen have learned from a table, to be written as a function.
pub fn code(record: &Path, chosen: &ChosenArgs) -> Result<Code, Failure> {
    let Chosen { data, row, learners, .. } = open(record, chosen)?;
    let (Some(own), Some(task), ModelRecord::Blocks(model)) = (row.table(), &data, &row.model) else {
        return Err(Failure::NotFitted(record.into()));
    };
    // One learner answers alone.
    let alone = TableTask { mixture: vec![], ..own.clone() };
    let own = if chosen.seed.is_some() { &alone } else { own };
    let weights: Vec<Arrays> = learners.iter().map(|l| l.weights.clone()).collect();
    let known = |e| TaskError::from(TableTaskError::Symmetries(e));
    let mut answerer = Answerer::new((task, own), *model, &weights, Isa::detect()?).map_err(known)?;
    let code = Code::of(task.name(), own, &mut answerer)?;
    code.ok_or_else(|| Failure::NoFunction { task: task.name().into(), most: MOST_INPUTS })
}

/// What was learned from a table, as a function.
fn function(args: ExportArgs, language: FunctionLanguage) -> Result<ExitCode, Failure> {
    let ExportArgs { record, row, seed, out, folder, .. } = args;
    let code = code(&record, &ChosenArgs { row, seed, folder })?;
    let (language, used) = match language {
        FunctionLanguage::Python => (Language::Python, "predict({column: value, …})"),
        FunctionLanguage::Javascript => (Language::JavaScript, "predict({column: value, …})"),
        FunctionLanguage::Rust => (Language::Rust, "Row { column: value, … }.predict()"),
        FunctionLanguage::Sql => (Language::Sql, "a query over the table"),
    };
    let text = code.write(language);
    match out {
        Some(out) => {
            write_file(&out, &text)?;
            say!("{}: {used}", out.display());
        }
        // For a program, so that nothing in it may be changed.
        None => std::io::stdout().lock().write_all(text.as_bytes())?,
    }
    Ok(ExitCode::SUCCESS)
}

fn torch(args: &ExportArgs, seed: u64, out: &Path) -> Result<ExitCode, Failure> {
    let folder = strat_paper::experiment::open(&args.record)?;
    let row = folder.row(args.row.as_deref())?;
    let ExampleSource { model, task } = ExampleSource::of(row, &args.folder.open()?)?;
    let tokens = task.most_tokens();
    let tokens = args.tokens.map_or(tokens, |tokens| tokens.get());
    if !model.reads(tokens) {
        return Err(Failure::Tokens { row: row.name.clone(), tokens });
    }
    let learners = folder.learners(row, Some(seed))?;
    let [learner] = &learners[..] else { unreachable!("a seed has one learner in a row") };
    let built = model.with_window(tokens).unwrap_or_else(|| model.clone()).build(tokens);
    let about = Map::from_iter([
        ("strat".into(), json!(VERSION)),
        ("experiment".into(), json!(folder.manifest.experiment)),
        ("row".into(), json!(row.name)),
        ("seed".into(), json!(learner.seed)),
        ("model".into(), json!(row.model)),
        ("tokens".into(), json!(tokens)),
    ]);
    let exported = export(&built, &model.params(), &learner.weights, about)?;
    let (weights, config) = (out.with_extension("safetensors"), out.with_extension("json"));
    let module = out.with_file_name(MODULE);
    write_bytes(&weights, &exported.weights)?;
    write_file(&config, &exported.config)?;
    write_file(&module, TORCH)?;
    for (path, what) in [
        (&weights, "its weights, with PyTorch's names and shapes"),
        (&config, "its forward pass"),
        (&module, "a PyTorch module: Strat.load(\"….safetensors\")"),
    ] {
        say!("{}: {what}", path.display());
    }
    Ok(ExitCode::SUCCESS)
}
