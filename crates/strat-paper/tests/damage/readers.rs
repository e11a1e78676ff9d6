//! What the commands do with a run, without the command line.

use crate::folders::{latent, of_table, table, work};
use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;
use strat::certify::certify;
use strat::data::DataFolder;
use strat::engine::Isa;
use strat::engine::reference::Arrays;
use strat::fit::learned::Learned;
use strat::inspect::Finding;
use strat::model::{BlockModel, ModelRecord};
use strat::sweep::Interrupted;
use strat::task::{DataTask, TextForm};
use strat::trace::ExampleSource;
use strat::train::Predictor;
use strat_paper::experiment::crystallize::{of_row, rows};
use strat_paper::experiment::merge;
use strat_paper::microscope::{self, Learner, PageData};
use strat_paper::report::collect::collect;
use strat_paper::report::document::Report;
use strat_paper::report::learner::list;
use strat_paper::report::{html, plain};

/// What is printed, or why nothing is.
pub type Said = Result<String, String>;

pub struct Reader {
    pub name: &'static str,
    pub read: fn(&Path) -> Said,
    /// Whether it also writes.
    pub writes: bool,
}

fn reader(name: &'static str, read: fn(&Path) -> Said) -> Reader {
    Reader { name, read, writes: false }
}

/// Those of any run.
pub fn of_any() -> Vec<Reader> {
    vec![reader("report", report), reader("inspect", inspect), reader("microscope", under_microscope)]
}

/// Those of sums and lists.
pub fn of_latent() -> Vec<Reader> {
    let resume = |path: &Path| resumed(work(&latent(), path, None, u64::MAX), path);
    let resume = Reader { name: "resume", read: resume, writes: true };
    of_any().into_iter().chain([reader("crystallize", crystallize), resume]).collect()
}

/// Those of a table.
pub fn of_fit() -> Vec<Reader> {
    let resume = |path: &Path| {
        let (own, task) = table();
        resumed(work(&of_table(&own, &task), path, None, u64::MAX), path)
    };
    let resume = Reader { name: "resume", read: resume, writes: true };
    let asked = [reader("eval", eval), reader("predict", predict), reader("certify", certified)];
    of_any().into_iter().chain(asked).chain([resume]).collect()
}

pub fn nowhere() -> DataFolder {
    DataFolder::find(Some("/nonexistent".into()))
}

fn said<T, E: ToString>(result: Result<T, E>) -> Result<T, String> {
    result.map_err(|e| e.to_string())
}

fn report(path: &Path) -> Said {
    let report = said(Report::of(&said(collect(&[path.into()]))?))?;
    Ok(html::render(&report) + &plain::markdown(&report) + &plain::csv(&report))
}

fn inspect(path: &Path) -> Said {
    let folder = said(strat_paper::experiment::open(path))?;
    let mut out = String::new();
    for row in &folder.manifest.rows {
        let learners = said(folder.learners(row, None))?;
        let found = learners.into_iter().map(|l| {
            let finding = Finding::of(&row.model, &l.weights, l.score("ood_mae"));
            (l, finding)
        });
        out += &list(row, &found.collect::<Vec<_>>());
    }
    Ok(out)
}

fn under_microscope(path: &Path) -> Said {
    let folder = said(strat_paper::experiment::open(path))?;
    let mut out = String::new();
    for row in &folder.manifest.rows {
        let source = said(ExampleSource::of(row, &nowhere()))?;
        let text = if row.data().is_some() { "base:1".into() } else { source.examples().remove(0) };
        let examples = vec![said(source.read(&text))?];
        let record = said(folder.learners(row, None))?.remove(0);
        let learner = said(Learner::of(&folder.manifest, row, &source, &record, &examples, None))?;
        out += &said(microscope::page("t", &PageData { examples, learners: vec![learner] }))?;
    }
    Ok(out)
}

fn crystallize(path: &Path) -> Said {
    let folder = said(strat_paper::experiment::open(path))?;
    let mut out = String::new();
    for row in said(rows(&folder))? {
        for became in said(of_row(&folder, row, None))? {
            let _ = writeln!(out, "{} {:?}", became.learner.seed, became.crystal.map(|c| c.rule.to_string()));
        }
    }
    Ok(out)
}

/// The learners of every row that is of a task, with what they are asked by.
fn asked(path: &Path, mut ask: impl FnMut(&DataTask, &[(u64, Arrays)], BlockModel) -> String) -> Said {
    let folder = said(strat_paper::experiment::open(path))?;
    let mut out = String::new();
    for row in &folder.manifest.rows {
        let (&ModelRecord::Blocks(model), Some(data)) = (&row.model, row.data()) else { continue };
        let task = said(data.open(&nowhere()))?;
        if !model.fits(task.shape(), task.readout()) {
            return Err(format!("{}: the model does not fit", path.join("manifest.json").display()));
        }
        let learners: Vec<_> = said(folder.learners(row, None))?.into_iter().map(|l| (l.seed, l.weights)).collect();
        out += &ask(&task, &learners, model);
        if let Some(own) = &data.table {
            let weights: Vec<Arrays> = learners.into_iter().map(|l| l.1).collect();
            let learned = Learned::of(&task, own, model, &weights, Isa::detect().unwrap());
            let _ = writeln!(out, "{:?} {:?} {:?}", own.schema, learned.rule, learned.matters);
        }
    }
    Ok(out)
}

fn eval(path: &Path) -> Said {
    let isa = Isa::detect().unwrap();
    asked(path, |task, learners, model| {
        let one = |(seed, weights): &(u64, Arrays)| {
            let mut predictor = Predictor::new(task, Arc::new(model), weights, isa);
            format!("{seed} {}\n", predictor.mean_score(task.bases()).unwrap())
        };
        learners.iter().map(one).collect()
    })
}

fn predict(path: &Path) -> Said {
    let isa = Isa::detect().unwrap();
    asked(path, |task, learners, model| {
        let mut out = String::new();
        for example in task.bases().iter().take(2) {
            for (seed, weights) in learners {
                let mut predictor = Predictor::new(task, Arc::new(model), weights, isa);
                let logits = predictor.outputs(std::slice::from_ref(example)).unwrap().remove(0);
                let _ = writeln!(
                    out,
                    "{seed} {:?}",
                    said(TextForm::answer(task, example, &logits)).map(|a| a.to_string())
                );
            }
        }
        out
    })
}

fn certified(path: &Path) -> Said {
    let isa = Isa::detect().unwrap();
    asked(path, |task, learners, model| {
        // Of a table of one's own, the rows are what there is to be right about.
        let one = |(seed, weights): &(u64, Arrays)| {
            let c = certify(task, task.bases(), Arc::new(model), weights, isa).unwrap();
            format!("{seed} {} {:?}\n", c.inputs, c.wrong.len())
        };
        learners.iter().map(one).collect()
    })
}

/// What there is to show when a run was taken up again. Weights are not read of a run that was complete; the log has the
/// checksums of those that were written.
fn resumed(ended: Result<(), Interrupted>, path: &Path) -> Said {
    said(ended)?;
    let mut out = String::new();
    for (name, bytes) in crate::folders::files(path) {
        if name.extension().is_none_or(|e| e != "safetensors") && name != Path::new("sessions.jsonl") {
            let _ = writeln!(out, "{} {:08x}", name.display(), crc32fast::hash(&bytes));
        }
    }
    Ok(out)
}

/// Two shards in a folder, joined beside them.
pub fn merged(path: &Path) -> Said {
    let out = path.join("joined");
    let shards = [path.join("one"), path.join("two")];
    let summary = said(merge(&shards, &out, &nowhere()));
    let said = summary.and_then(|s| Ok(format!("{}\n{}", s.notes, resumed(Ok(()), &out)?)));
    if out.exists() {
        std::fs::remove_dir_all(&out).unwrap();
    }
    said
}
