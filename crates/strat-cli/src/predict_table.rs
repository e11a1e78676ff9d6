//! `strat predict` of learners that were taught with a table: any number of rows, one after the other.

use crate::Failure;
use crate::args::OnUnknown;
use rayon::prelude::*;
use serde_json::Value;
use std::collections::HashMap;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use strat::engine::Isa;
use strat::fit::{Vote, vote};
use strat::model::BlockModel;
use strat::result::LearnerResult;
use strat::task::table::{Schema, SheetError, TableTask, open};
use strat::task::table::{Stream, Streamed};
use strat::task::{DataTask, Example, Target};
use strat::train::{Predictor, TrainError};

/// Rows worked on at a time.
const ROWS: usize = 8192;
/// Bytes of rows worked on at a time: long rows are fewer.
const BYTES: usize = 16 << 20;
/// Answers that are remembered.
const REMEMBERED: usize = 1 << 17;

/// Reads a file, or standard input, and writes every row with the vote and its agreement.
pub fn run(
    (task, own): (&DataTask, &TableTask),
    (model, learners): (BlockModel, &[LearnerResult]),
    file: Option<&str>,
    (on_unknown, json): (OnUnknown, bool),
    isa: Isa,
) -> Result<(), Failure> {
    let (path, source): (PathBuf, Box<dyn Read + Send>) = match file {
        None | Some("-") => ("standard input".into(), Box::new(io::stdin())),
        Some(path) => {
            let path = Path::new(path);
            let source = open(path).map_err(|e| SheetError { path: path.into(), fault: e.into() })?;
            (path.into(), source)
        }
    };
    let schema = &own.schema;
    let mut stream = Stream::new(&path, source, schema)?;
    let mut out = Writer::new(&stream, json)?;
    let mut predictors: Vec<Predictor<'_>> =
        learners.iter().map(|l| Predictor::new(task, Arc::new(model), &l.weights, isa)).collect();
    let mut known = HashMap::<Vec<u8>, Vote>::new();
    let mut batch = Batch::read(&mut stream, schema, on_unknown);
    loop {
        // Answers that could be given do not wait for rows that have not come.
        let ahead = batch.end.is_none() && !stream.waits();
        let (next, asked) = rayon::join(
            || ahead.then(|| Batch::read(&mut stream, schema, on_unknown)),
            || ask(&mut predictors, &mut known, &batch.rows, schema.classes.len()),
        );
        asked?;
        for row in &batch.rows {
            let vote = row.input.as_ref().ok().map(|input| &known[input]);
            out.row(row, vote.map(|v| (&*schema.classes[usize::from(v.class)], v.agreement)))?;
        }
        out.flush()?;
        if let Some(end) = batch.end {
            return end;
        }
        batch = next.unwrap_or_else(|| Batch::read(&mut stream, schema, on_unknown));
    }
}

/// Rows that are answered together.
#[derive(Default)]
struct Batch {
    rows: Vec<Streamed>,
    /// How the table ended, if these were the last.
    end: Option<Result<(), Failure>>,
}

impl Batch {
    /// The next rows: those that have come, and at least one.
    fn read(stream: &mut Stream, schema: &Schema, on_unknown: OnUnknown) -> Batch {
        let (mut batch, mut bytes) = (Batch::default(), 0);
        let full = |rows: usize, bytes: usize| rows == ROWS || bytes > BYTES;
        while batch.end.is_none() && !full(batch.rows.len(), bytes) && (batch.rows.is_empty() || !stream.waits()) {
            match stream.next(schema) {
                Ok(Some(Streamed { input: Err(unknown), .. })) if on_unknown == OnUnknown::Fail => {
                    batch.end = Some(Err(Failure::Unknown(unknown)));
                }
                Ok(Some(row)) => {
                    bytes += row.cells.iter().map(|cell| cell.len() + size_of::<String>()).sum::<usize>();
                    batch.rows.push(row);
                }
                Ok(None) => batch.end = Some(Ok(())),
                Err(e) => batch.end = Some(Err(e.into())),
            }
        }
        batch
    }
}

/// Rows as they were, with the answers: in the table's own form, or as JSON.
enum Writer {
    Table(Box<csv::Writer<io::StdoutLock<'static>>>),
    Json(Vec<String>, io::BufWriter<io::StdoutLock<'static>>),
}

impl Writer {
    fn new(stream: &Stream, json: bool) -> Result<Writer, Failure> {
        let mut names = stream.names.clone();
        for header in ["prediction", "agreement"] {
            let mut header = header.to_string();
            while names.contains(&header) {
                header += " (strat)";
            }
            names.push(header);
        }
        let stdout = io::stdout().lock();
        if json {
            return Ok(Writer::Json(names, io::BufWriter::new(stdout)));
        }
        let mut out = csv::WriterBuilder::new().delimiter(stream.delimiter).from_writer(stdout);
        out.write_record(&names).map_err(written)?;
        Ok(Writer::Table(Box::new(out)))
    }

    fn row(&mut self, row: &Streamed, answer: Option<(&str, f64)>) -> Result<(), Failure> {
        match self {
            Writer::Table(out) => {
                let (class, agreement) =
                    answer.map_or(("", String::new()), |(class, a)| (class, format!("{a:.3}")));
                out.write_record(row.cells.iter().map(String::as_str).chain([class, &agreement])).map_err(written)
            }
            Writer::Json(names, out) => {
                let (class, agreement) = answer.unzip();
                let values = row.cells.iter().map(|c| Value::from(&**c)).chain([class.into(), agreement.into()]);
                let line = Value::Object(names.iter().cloned().zip(values).collect());
                writeln!(out, "{line}").map_err(Failure::Output)
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Writer::Table(out) => out.flush(),
            Writer::Json(_, out) => out.flush(),
        }
    }
}

/// Asks for all that is not known yet.
fn ask(
    predictors: &mut [Predictor<'_>],
    known: &mut HashMap<Vec<u8>, Vote>,
    rows: &[Streamed],
    classes: usize,
) -> Result<(), TrainError> {
    if known.len() > REMEMBERED {
        known.clear();
    }
    let mut new: Vec<&Vec<u8>> =
        rows.iter().filter_map(|r| r.input.as_ref().ok()).filter(|i| !known.contains_key(*i)).collect();
    new.sort();
    new.dedup();
    let examples: Vec<Example> = new.iter().map(|i| Example::new((*i).clone(), Target::Class(0))).collect();
    let said: Result<Vec<Vec<u8>>, TrainError> = predictors.par_iter_mut().map(|p| p.classes(&examples)).collect();
    let said = said?;
    for (i, input) in new.into_iter().enumerate() {
        known.insert(input.clone(), vote(said.iter().map(|l| l[i]), classes));
    }
    Ok(())
}

fn written(error: csv::Error) -> Failure {
    match error.into_kind() {
        csv::ErrorKind::Io(e) => Failure::Output(e),
        other => Failure::Output(io::Error::other(format!("{other:?}"))),
    }
}
