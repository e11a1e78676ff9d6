//! `strat export`: one learner for PyTorch.

use crate::Failure;
use crate::args::ExportArgs;
use crate::origin::VERSION;
use crate::output::{write_bytes, write_file};
use crate::say::say;
use serde_json::{Map, json};
use std::process::ExitCode;
use strat::export::{TORCH, export};
use strat::trace::ExampleSource;

/// The module that loads what is written.
const MODULE: &str = "strat_torch.py";

pub fn run(args: ExportArgs) -> Result<ExitCode, Failure> {
    let folder = strat_paper::experiment::open(&args.record)?;
    let row = folder.row(args.row.as_deref())?;
    let ExampleSource { model, task } = ExampleSource::of(row, &args.folder.open()?)?;
    let tokens = task.most_tokens();
    let tokens = args.tokens.map_or(tokens, |tokens| tokens.get());
    if !model.reads(tokens) {
        return Err(Failure::Tokens { row: row.name.clone(), tokens });
    }
    let learners = folder.learners(row, Some(args.seed))?;
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
    let (weights, config) = (args.out.with_extension("safetensors"), args.out.with_extension("json"));
    let module = args.out.with_file_name(MODULE);
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
