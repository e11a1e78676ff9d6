//! `strat crystallize` on a run of a task: classifiers made simpler without changing an answer.

use crate::ExitCode;
use crate::Failure;
use crate::args::CrystallizeArgs;
use crate::certify::finite;
use crate::origin::origin;
use crate::output::{print, summary_text};
use rayon::prelude::*;
use std::fmt::Write;
use strat::crystal::{Gates, Heads, Simplified};
use strat::engine::Isa;
use strat::model::ModelRecord;
use strat::record::{Folder, Manifest};
use strat::result::{Cell, LearnerResult, Row};
use strat_paper::experiment::crystallize::{CrystallizeError, is_whole, keep_simplified};

pub fn run(args: &CrystallizeArgs, folder: &Folder, manifest: Manifest, isa: Isa) -> Result<ExitCode, Failure> {
    if args.rust.is_some() || args.python.is_some() {
        return Err(Failure::NoProgram { reason: "functions are written of STRAT-Lite alone".into() });
    }
    if args.out.is_some() {
        is_whole(folder)?;
    }
    let rows: Vec<&Row> = match &args.row {
        Some(name) => vec![folder.row(Some(name))?],
        None => folder.manifest.rows.iter().collect(),
    };
    let mut simplified = vec![];
    for row in rows {
        if !matches!(row.model, ModelRecord::Blocks(model) if Simplified::applies(&model)) {
            continue;
        }
        let (task, model, inputs) = finite(&args.record, row, &args.folder)?;
        let one = |learner: LearnerResult| {
            let simple = Simplified::of(&task, &inputs, model, &learner.weights, isa);
            (learner, simple)
        };
        let learners: Vec<(LearnerResult, Simplified)> =
            folder.learners(row, args.seed)?.into_par_iter().with_max_len(1).map(one).collect();
        if !args.json {
            print(&learners.iter().map(|(l, s)| page(&row.name, l.seed, s)).collect::<String>())?;
        }
        simplified.push((row.clone(), learners));
    }
    if simplified.is_empty() {
        return Err(CrystallizeError::NoLite(args.record.clone()).into());
    }
    if let Some(out) = &args.out {
        let summary = keep_simplified(simplified, out, manifest, &origin(rayon::current_num_threads()))?;
        print(&if args.json { Cell::json_lines(&summary.cells) } else { summary_text(&summary, isa) })?;
    }
    Ok(ExitCode::SUCCESS)
}

fn page(row: &str, seed: u64, simple: &Simplified) -> String {
    let Simplified { inputs, units, weights_left: [before, after], .. } = simple;
    let mut out = format!("{row}, seed {seed}: {after} of {before} weights are left, and all {inputs} answers\n");
    let units: Vec<String> = units.iter().map(|u| format!("{} of {} {}", u.left, u.all, u.name)).collect();
    let _ = writeln!(out, "  {}", units.join(", "));
    let Gates { constant, steps, soft } = simple.gates;
    let _ = writeln!(out, "  gates of these: {constant} constant, {steps} steps, {soft} as they were");
    let Heads { unused, mean, hard, soft } = simple.heads;
    let _ = writeln!(out, "  heads: {unused} unused, {mean} plain means, {hard} hard, {soft} as they were");
    out
}
