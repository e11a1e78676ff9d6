//! `strat fit`: a rule from a table of the user's own.

use crate::ExitCode;
use crate::Failure;
use crate::args::FitArgs;
use crate::learned::{comparison, json, page};
use crate::output::{Progress, print, write_file};
use crate::runner::Runner;
use crate::say::say;
use serde_json::Value;
use std::cell::RefCell;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use strat::config::Preset;
use strat::engine::reference::Arrays;
use strat::escape::one_line;
use strat::fit;
use strat::fit::learned::Learned;
use strat::fit::mixture::{self, Answerer};
use strat::fit::run::{learners, plan};
use strat::fit::{estimate, held_out};
use strat::metric::Metric;
use strat::model::ModelRecord;
use strat::result::LearnerResult;
use strat::seeds::Seeds;
use strat::task::table::Header;
use strat::task::table::{LabelledTable, Sheet, Symmetries, SymmetriesError, TableTask, TableTaskError, Told};
use strat::train::TrainConfig;
use strat_paper::fitted::{self, FitData};

/// What is unusual about a table, in lines: more nobody reads.
const MOST_NOTES: usize = 100;
/// Letters of a table's name: a run keeps it, and its readers take no long ones.
const LONGEST_NAME: usize = 40;

pub fn run(args: FitArgs) -> Result<ExitCode, Failure> {
    let irrelevant: Vec<String> = args.irrelevant.iter().map(|name| name.trim().to_string()).collect();
    let named: Vec<&str> =
        irrelevant.iter().chain([&args.target]).chain(&args.weight).map(String::as_str).collect();
    let header = if args.no_header { Header::Absent } else { Header::Unknown(&named) };
    let table = if args.table == Path::new("-") { Path::new("standard input") } else { &args.table };
    let sheet = if args.table == Path::new("-") {
        Sheet::read_from(table, std::io::stdin(), header)?
    } else {
        Sheet::read(table, header)?
    };
    let path = table.display().to_string();
    // All that is said on standard error, for --json.
    let said = RefCell::new(vec![]);
    let note = |what: &str| {
        say!("{}: {what}", one_line(&path));
        said.borrow_mut().push(what.to_string());
    };
    if !sheet.header && !args.no_header {
        note("the first row is taken for a row, not for names of columns");
    }
    let known = Symmetries {
        interchangeable: lists(&sheet, &args.interchangeable),
        cyclic: lists(&sheet, &args.cyclic),
        flip_together: lists(&sheet, &args.flip_together),
    };
    let words = args.words.iter().map(|name| name.trim().to_string()).collect();
    let told = Told { irrelevant, words, weight: args.weight.as_ref().map(|name| name.trim().to_string()) };
    let labelled = LabelledTable::of(&sheet, &args.target, &told, &known)?;
    labelled.notes.iter().take(MOST_NOTES).for_each(|said| note(&said.to_string()));
    if labelled.notes.len() > MOST_NOTES {
        say!("{}: and {} more of that kind (--json has all)", one_line(&path), labelled.notes.len() - MOST_NOTES);
        said.borrow_mut().extend(labelled.notes[MOST_NOTES..].iter().map(ToString::to_string));
    }
    let mut own = TableTask::new(labelled, known);
    let name = name_of(table);
    let task = Arc::new(own.task(&name).map_err(strat::task::TaskError::from)?);
    let wanted = args.learners.map(|n| n.get() as u64);
    let epochs = args.epochs.map_or(fit::config(1.0).steps, NonZeroUsize::get);
    let mut work = Runner::new(&name, args.pool()?, &args.keep(), true, args.json)?;
    let isa = work.isa();
    let known = |e: SymmetriesError| strat::task::TaskError::from(TableTaskError::from(e));
    let (mut tested, mut estimated) = (None, None);
    if !args.no_held_out {
        let spent = work.pool().install(|| estimate::estimate(&own, (wanted, epochs), isa)).map_err(known)?;
        say!("{}: this will take about {}", one_line(&path), in_words(spent));
        estimated = Some(spent.as_secs_f64());
        if !own.is_taught_whole() {
            note(&format!(
                "STRAT is taught a sample of 512 of the {} rows; the other classifiers all of them",
                own.rows.len()
            ));
        }
        let progress = Progress::new(held_out::work(&own, epochs).map_err(known)?, 0, "on rows left out");
        let heard = |done| progress.inc(done);
        let found = work.pool().install(|| held_out::held_out(&own, epochs, isa, &heard)).map_err(known)?;
        progress.finish();
        found.apply_to(&mut own);
        tested = Some(found);
    }
    let config = TrainConfig { steps: epochs, ..fit::config(mixture::decay(&own.mixture)) };
    let seeds = Seeds::to(wanted.unwrap_or_else(|| learners(&own)));

    let job = work.job(plan(&task, &own, config)?, seeds, &Preset::SPECIFIED, None)?;
    let out = job.path();
    let Some(outcome) = work.run(job)? else { return Ok(ExitCode::SUCCESS) };
    let row = &outcome.rows[0];
    let ModelRecord::Blocks(model) = row.model else { unreachable!("a table is learned by blocks") };
    // Of a run that was finished before, the weights are in its folder.
    let kept = match &out {
        Some(out) if row.learners.iter().any(|l| l.weights.is_empty()) => {
            Some(strat_paper::experiment::open(out)?.learners(&row.row, None)?)
        }
        _ => None,
    };
    let weights: Vec<Arrays> = kept.as_ref().unwrap_or(&row.learners).iter().map(|l| l.weights.clone()).collect();
    let (learned, answers) = work.pool().install(|| -> Result<(Learned, _), Failure> {
        let mut answerer = Answerer::new((&task, &own), model, &weights, isa).map_err(known)?;
        let answers = FitData::answers(&own, &mut answerer)?;
        Ok((answerer.learned(tested.as_ref())?, answers))
    })?;
    let data = FitData::of(&name, &own, (&learned, tested.as_ref()), answers, weights.len(), &said.borrow());
    if let Some(out) = &out {
        write_file(&out.join(fitted::KEPT), &data.to_text())?;
    }
    if let Some(path) = &args.html {
        write_file(path, &fitted::page(&data))?;
    }
    if args.json {
        let mut found = json(&own, &learned, tested.as_ref());
        found.insert("rows".into(), own.rows.len().into());
        let taught = |l: &&LearnerResult| l.metrics.get(&*Metric::TAUGHT_ACCURACY.name) == Some(&1.0);
        found.insert("learners".into(), weights.len().into());
        found.insert("learners_right_on_every_row".into(), row.learners.iter().filter(taught).count().into());
        found.insert("notes".into(), said.into_inner().into());
        found.insert("estimated_seconds".into(), estimated.into());
        print(&format!("{}\n", Value::Object(found)))?;
    } else {
        let who = if tested.is_some() { "The mixture" } else { "The population" };
        let compared = tested.as_ref().map(|tested| comparison(&own, tested)).unwrap_or_default();
        print(&(page(&own, who, &learned, tested.as_ref()) + &compared))?;
    }
    work.finish()?;
    Ok(ExitCode::SUCCESS)
}

/// `3 seconds`, `2 minutes`
fn in_words(time: Duration) -> String {
    match time.as_secs_f64() {
        s if s < 1.5 => "a second".into(),
        s if s < 90.0 => format!("{s:.0} seconds"),
        s => format!("{:.0} minutes", s / 60.0),
    }
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
