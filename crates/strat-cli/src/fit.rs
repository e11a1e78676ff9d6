//! `strat fit`: a rule from a table of the user's own.

use crate::Failure;
use crate::args::FitArgs;
use crate::learned::{Tested, comparison, json, page};
use crate::output::{Progress, print};
use crate::runner::Runner;
use crate::say::say;
use serde_json::Value;
use std::num::NonZeroUsize;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use strat::engine::reference::Arrays;
use strat::escape::one_line;
use strat::fit;
use strat::fit::held_out;
use strat::fit::learned::Learned;
use strat::fit::run::{LEARNERS, plan};
use strat::model::ModelRecord;
use strat::seeds::Seeds;
use strat::task::table::Header;
use strat::task::table::{LabelledTable, Sheet, Symmetries, SymmetriesError, TableTask, TableTaskError};
use strat::train::{TrainConfig, TrainError};

/// What is unusual about a table, in lines: more nobody reads.
const MOST_NOTES: usize = 100;
/// Letters of a table's name: a run keeps it, and its readers take no long ones.
const LONGEST_NAME: usize = 40;

pub fn run(args: FitArgs) -> Result<ExitCode, Failure> {
    let irrelevant: Vec<String> = args.irrelevant.iter().map(|name| name.trim().to_string()).collect();
    let named: Vec<&str> = irrelevant.iter().chain([&args.target]).map(String::as_str).collect();
    let header = if args.no_header { Header::Absent } else { Header::Unknown(&named) };
    let sheet = Sheet::read(&args.table, header)?;
    let path = args.table.display().to_string();
    let note = |what: &str| say!("{}: {what}", one_line(&path));
    if !sheet.header && !args.no_header {
        note("the first row is taken for a row, not for names of columns");
    }
    let known = Symmetries {
        interchangeable: lists(&sheet, &args.interchangeable),
        cyclic: lists(&sheet, &args.cyclic),
        flip_together: lists(&sheet, &args.flip_together),
    };
    let labelled = LabelledTable::of(&sheet, &args.target, &irrelevant, &known)?;
    labelled.notes.iter().take(MOST_NOTES).for_each(|said| note(&said.to_string()));
    if labelled.notes.len() > MOST_NOTES {
        note(&format!("and {} more of that kind", labelled.notes.len() - MOST_NOTES));
    }
    let own = TableTask::new(labelled, known);
    let name = name_of(&args.table);
    let task = Arc::new(own.task(&name).map_err(strat::task::TaskError::from)?);
    let config = fit::config();
    let config = TrainConfig { steps: args.epochs.map_or(config.steps, NonZeroUsize::get), ..config };
    let checked = config.check().map_err(TrainError::from)?;
    let seeds = Seeds::to(args.learners.map_or(LEARNERS, |n| n.get() as u64));

    let mut work = Runner::new(&name, args.pool()?, &args.keep(), true, args.json)?;
    let job = work.job(plan(&task, &own, config)?, seeds, None)?;
    let Some(outcome) = work.run(job)? else { return Ok(ExitCode::SUCCESS) };
    let row = &outcome.rows[0];
    let ModelRecord::Blocks(model) = row.model else { unreachable!("a table is learned by blocks") };
    // Of a run that was finished before, the weights are in its folder.
    let kept = match &args.keep().out {
        Some(out) if row.learners.iter().any(|l| l.weights.is_empty()) => {
            Some(strat_paper::experiment::open(out)?.learners(&row.row, None)?)
        }
        _ => None,
    };
    let learners: Vec<Arrays> = kept.as_ref().unwrap_or(&row.learners).iter().map(|l| l.weights.clone()).collect();
    let (isa, pool) = (work.isa(), work.pool());
    let learned = pool.install(|| Learned::of(&task, &own, model, &learners, isa));
    let known = |e: SymmetriesError| strat::task::TaskError::from(TableTaskError::from(e));
    let parts = if args.no_held_out { None } else { held_out::parts(&own).map_err(known)? };
    let tested = match parts {
        None => None,
        Some(parts) => {
            let work = parts.len() as u64 * held_out::LEARNERS * config.steps as u64;
            let progress = Progress::new(work, 0, "on rows left out");
            let heard = |done| progress.inc(done);
            let tested = pool.install(|| held_out::held_out(&own, &parts, checked, isa, &heard));
            progress.finish();
            Some(tested.map_err(known)?)
        }
    };
    if args.json {
        print(&format!("{}\n", Value::Object(json(&own.schema, &learned, tested.as_ref()))))?;
    } else {
        // A rule never stands without what is known of how good it is.
        let known = match &tested {
            Some(tested) => Tested::On(tested),
            None if args.no_held_out => Tested::Not,
            None => Tested::TooFew,
        };
        let compared = tested.as_ref().map(comparison).unwrap_or_default();
        print(&(page(&own.schema, "the population", &learned, &known) + &compared))?;
    }
    work.finish()?;
    Ok(ExitCode::SUCCESS)
}

/// What a table is called: its file's name, if that is short.
fn name_of(path: &Path) -> String {
    let stem = path.file_stem().unwrap_or(path.as_os_str()).to_string_lossy();
    one_line(&stem).chars().take(LONGEST_NAME).collect()
}

/// `a,b,c` as a list of names; `#2` is that of the second column.
fn lists(sheet: &Sheet, given: &[String]) -> Vec<Vec<String>> {
    let name = |name: &str| sheet.column(name.trim()).map_or(name.trim().into(), |i| sheet.names[i].clone());
    given.iter().map(|list| list.split(',').map(name).collect()).collect()
}
