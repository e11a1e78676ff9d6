//! `strat certify`

use crate::ExitCode;
use crate::Failure;
use crate::args::{CertifyArgs, FolderArgs};
use crate::chosen::{OfTable, of_table};
use crate::fitted::Fitted;
use crate::output::print;
use rayon::prelude::*;
use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;
use strat::baseline::linear_solve;
use strat::certify::{Certificate, Control, certify, error_bound};
use strat::crystal::{Equation, Flaw, Reading, Rule};
use strat::engine::Isa;
use strat::model::{BlockModel, Lite, Model, ModelRecord};
use strat::record::Folder;
use strat::result::{LearnerResult, Row};
use strat::task::{DataTask, Example, SumTask, Target};

/// Counterexamples that a person is shown.
const SHOWN: usize = 4;
/// Tasks whose inputs are few.
const FINITE: &str = "parity5, monk-2, threeof9, spect, tic-tac-toe and m-of-n";

pub fn run(args: CertifyArgs) -> Result<ExitCode, Failure> {
    let isa = Isa::detect()?;
    let folder = strat_paper::experiment::open(&args.record)?;
    let rows = match &args.row {
        Some(name) => vec![folder.row(Some(name))?],
        None => folder.manifest.rows.iter().collect(),
    };
    let mut correct = true;
    for row in rows {
        if let (ModelRecord::Lite(lite), Some(task)) = (&row.model, row.sums()) {
            correct &= exact(&folder, row, (*lite, &task), &args)?;
            continue;
        }
        let OfTable { task, model, own } = task_of(&args.record, row, &args.folder)?;
        let learners = folder.learners(row, args.seed)?;
        if !args.json {
            let controls = Control::all(&model.build(task.shape().tokens).graph);
            print(&format!("{}: {}\n", row.name, Control::words(&controls)))?;
        }
        if let Some(own) = own {
            let fitted = Fitted::new((&task, own), row, model, (&learners, args.seed), isa);
            correct &= fitted.certify(args.json)?;
            continue;
        }
        let inputs = inputs_of(&task)?;
        let certificate = |l: &LearnerResult| certify(&*task, &inputs, Arc::new(model), &l.weights, isa);
        let certificates: Vec<Certificate> =
            learners.par_iter().with_max_len(1).map(certificate).collect::<Result<_, _>>()?;
        for (learner, c) in learners.iter().zip(&certificates) {
            correct &= c.is_correct();
            print(&if args.json {
                json(&task, &row.name, learner.seed, c)
            } else {
                page(&task, &row.name, learner.seed, c)
            })?;
        }
    }
    Ok(if correct { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

/// The task of a row of blocks, its model, and all inputs there are.
pub fn finite(
    record: &Path,
    row: &Row,
    folder: &FolderArgs,
) -> Result<(Arc<DataTask>, BlockModel, Vec<Example>), Failure> {
    let OfTable { task, model, .. } = task_of(record, row, folder)?;
    let inputs = inputs_of(&task)?;
    Ok((task, model, inputs))
}

/// The task of a row of blocks, and its model.
fn task_of<'a>(record: &Path, row: &'a Row, folder: &FolderArgs) -> Result<OfTable<'a>, Failure> {
    of_table(row, folder)?.ok_or_else(|| Failure::NotATask(record.into()))
}

/// All inputs of a task.
fn inputs_of(task: &DataTask) -> Result<Vec<Example>, Failure> {
    task.inputs().ok_or_else(|| Failure::Endless { task: task.name().into(), known: FINITE })
}

/// Whether all learners of STRAT-Lite are exact programs, by a routine that reads the files alone.
fn exact(folder: &Folder, row: &Row, of: (Lite, &SumTask), args: &CertifyArgs) -> Result<bool, Failure> {
    let (lite, task) = of;
    let learners = folder.learners(row, args.seed)?;
    if !args.json {
        let controls = Control::all(&lite.build(3).graph);
        print(&format!("{}: {}\n", row.name, Control::words(&controls)))?;
    }
    let reading = Reading::of(lite.types);
    let (terms, largest) = (args.terms.get(), f64::from(args.values.get()));
    let checked = learners.par_iter().map(|l| {
        let rule = linear_solve(reading, &Equation::of_training(reading, task, l.seed));
        let off = rule.ok().map(|rule| error_bound(lite, &l.weights, &rule, terms, largest));
        (Rule::check(lite, &l.weights, task, l.seed), off)
    });
    let checked: Vec<_> = checked.collect();
    let mut exact = 0;
    for (learner, (checked, off)) in learners.iter().zip(checked) {
        exact += usize::from(checked.is_ok());
        let line = match (args.json, checked) {
            (true, said) => {
                let open = matches!(said, Err(Flaw::Soft { .. }));
                let (rule, flaw) =
                    said.map_or_else(|flaw| (None, Some(flaw.to_string())), |rule| (Some(rule.to_string()), None));
                let (row, seed, exact) = (&row.name, learner.seed, flaw.is_none());
                // Where it is exact, it is not off at all.
                let off = off.filter(|_| !exact).map(|off| {
                    serde_json::json!({
                        "terms": terms, "values": largest, "low": off.low, "high": off.high
                    })
                });
                serde_json::json!({
                    "row": row, "seed": seed, "exact": exact, "open": open, "rule": rule, "flaw": flaw, "off": off
                })
                .to_string()
            }
            (false, Ok(rule)) => {
                format!("{}, seed {}: exact on inputs of any length\n  {rule}", row.name, learner.seed)
            }
            (false, Err(flaw)) => {
                let verdict = if let Flaw::Soft { .. } = flaw { "left open" } else { "not exact" };
                let off = off.map_or_else(String::new, |off| format!(
                    "\n  its answer to any input of at most {terms} values up to {largest} is off by {:+.1} to {:+.1}",
                    off.low, off.high
                ));
                format!("{}, seed {}: {verdict}\n  {flaw}{off}", row.name, learner.seed)
            }
        };
        print(&(line + "\n"))?;
    }
    if !args.json && args.seed.is_none() {
        print(&format!("{}: {exact} of {} learners are shown to be exact\n", row.name, learners.len()))?;
    }
    Ok(exact == learners.len())
}

fn words(task: &DataTask, class: u8) -> String {
    if class == u8::MAX { "no class".into() } else { task.words(&Target::Class(class)) }
}

fn symbols(task: &DataTask, input: &[u8]) -> String {
    input.iter().map(|&s| task.symbol(s)).collect::<Vec<_>>().join(" ")
}

/// The rule by which it answers, in words.
fn rule(task: &DataTask, certificate: &Certificate, places: &[String]) -> Option<String> {
    let rule = certificate.rule.as_ref()?;
    Some(rule.words(places, &task.symbol(rule.value), &words(task, 1)))
}

fn places(task: &DataTask) -> Vec<String> {
    task.places(task.bases().first().map_or(0, |b| b.input.len()))
}

fn page(task: &DataTask, row: &str, seed: u64, c: &Certificate) -> String {
    let mut out = if c.is_correct() {
        format!("{row}, seed {seed}: right on all {} inputs\n", c.inputs)
    } else {
        format!("{row}, seed {seed}: wrong on {} of {} inputs\n", c.wrong.len(), c.inputs)
    };
    for w in c.wrong.iter().take(SHOWN) {
        let (given, right) = (words(task, w.given), words(task, w.right));
        let _ = writeln!(out, "  {}: {given}, should be {right}", symbols(task, &w.input));
    }
    if c.wrong.len() > SHOWN {
        let _ = writeln!(out, "  and {} more (--json has all)", c.wrong.len() - SHOWN);
    }
    let places = places(task);
    match rule(task, c, &places) {
        Some(rule) => drop(writeln!(out, "  its rule: {rule}")),
        None if c.relevant.len() < places.len() => {
            let names: Vec<&str> = c.relevant.iter().map(|&i| places[i].as_str()).collect();
            let _ = writeln!(out, "  decided by {} alone", names.join(", "));
        }
        None => {}
    }
    out
}

fn json(task: &DataTask, row: &str, seed: u64, c: &Certificate) -> String {
    let places = places(task);
    let wrong = |w: &strat::certify::Counterexample| {
        let input: Vec<String> = w.input.iter().map(|&s| task.symbol(s)).collect();
        serde_json::json!({ "input": input, "given": words(task, w.given), "right": words(task, w.right) })
    };
    let relevant: Vec<&str> = c.relevant.iter().map(|&i| places[i].as_str()).collect();
    let line = serde_json::json!({
        "task": task.name(), "row": row, "seed": seed, "inputs": c.inputs, "correct": c.is_correct(),
        "wrong": c.wrong.iter().map(wrong).collect::<Vec<_>>(), "relevant": relevant, "rule": rule(task, c, &places),
        "trained_on_stand_in": task.stand_in(),
    });
    format!("{line}\n")
}
