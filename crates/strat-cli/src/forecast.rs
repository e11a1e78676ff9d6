//! `strat predict` of learners that were taught with a table: any number of rows, one after the other.

use crate::Failure;
use crate::args::OnUnknown;
use rayon::prelude::*;
use serde_json::Value;
use std::collections::HashMap;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use strat::engine::Isa;
use strat::experiment::Record;
use strat::fit::{Vote, vote};
use strat::model::Blocks;
use strat::score::Answerer;
use strat::table::sheet;
use strat::table::stream::{Stream, Streamed};
use strat::table::{OwnTable, SheetError};
use strat::task::{Example, Target, Task};

/// Rows worked on at a time.
const ROWS: usize = 8192;
/// Bytes of rows worked on at a time: long rows are fewer.
const BYTES: usize = 16 << 20;
/// Answers that are remembered.
const REMEMBERED: usize = 1 << 17;

/// Reads a file, or standard input, and writes every row with the vote and its agreement.
pub fn run(
    (task, own): (&Task, &OwnTable),
    (model, learners): (Blocks, &[Record]),
    file: Option<&str>,
    (on_unknown, json): (OnUnknown, bool),
    isa: Isa,
) -> Result<(), Failure> {
    let (path, source): (PathBuf, Box<dyn Read>) = match file {
        None | Some("-") => ("standard input".into(), Box::new(io::stdin())),
        Some(path) => {
            let path = Path::new(path);
            let source = sheet::open(path).map_err(|e| SheetError { path: path.into(), fault: e.into() })?;
            (path.into(), source)
        }
    };
    let schema = &own.schema;
    let mut stream = Stream::new(&path, source, schema)?;
    let mut out = Writer::new(&stream, json)?;
    let mut answerers: Vec<Answerer<'_>> =
        learners.iter().map(|l| Answerer::new(task, model, &l.weights, isa)).collect();
    let mut known = HashMap::<Vec<u8>, Vote>::new();
    let mut rows: Vec<Streamed> = vec![];
    let mut bytes = 0;
    loop {
        let next = stream.next(schema);
        let end = !matches!(next, Ok(Some(_)));
        let mut failed = None;
        match next {
            Ok(Some(row)) => match &row.input {
                Err(unknown) if on_unknown == OnUnknown::Fail => failed = Some(Failure::Unknown(unknown.clone())),
                _ => {
                    bytes += row.cells.iter().map(|cell| cell.len() + size_of::<String>()).sum::<usize>();
                    rows.push(row);
                }
            },
            Ok(None) => {}
            Err(e) => failed = Some(e.into()),
        }
        if end || failed.is_some() || rows.len() == ROWS || bytes > BYTES {
            ask(&mut answerers, &mut known, &rows, schema.classes.len());
            for row in rows.drain(..) {
                let vote = row.input.as_ref().ok().map(|input| &known[input]);
                out.row(&row, vote.map(|v| (&*schema.classes[usize::from(v.class)], v.agreement)))?;
            }
            out.flush()?;
            bytes = 0;
        }
        match failed {
            Some(failure) => return Err(failure),
            None if end => return Ok(()),
            None => {}
        }
    }
}

/// Rows as they were, with the answers: in the table's own form, or as JSON.
enum Writer {
    Table(Box<csv::Writer<io::StdoutLock<'static>>>),
    Json(Vec<String>, io::BufWriter<io::StdoutLock<'static>>),
}

impl Writer {
    fn new(stream: &Stream, json: bool) -> Result<Writer, Failure> {
        let said = |header: &str| {
            if stream.names.iter().any(|n| n == header) { format!("{header} (strat)") } else { header.into() }
        };
        let names: Vec<String> =
            stream.names.iter().cloned().chain([said("prediction"), said("confidence")]).collect();
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
fn ask(answerers: &mut [Answerer<'_>], known: &mut HashMap<Vec<u8>, Vote>, rows: &[Streamed], classes: usize) {
    if known.len() > REMEMBERED {
        known.clear();
    }
    let mut new: Vec<&Vec<u8>> =
        rows.iter().filter_map(|r| r.input.as_ref().ok()).filter(|i| !known.contains_key(*i)).collect();
    new.sort();
    new.dedup();
    let examples: Vec<Example> = new.iter().map(|i| Example::new((*i).clone(), Target::Class(0))).collect();
    let said: Vec<Vec<u8>> = answerers.par_iter_mut().map(|a| a.classes(&examples)).collect();
    for (i, input) in new.into_iter().enumerate() {
        known.insert(input.clone(), vote(said.iter().map(|l| l[i]), classes));
    }
}

fn written(error: csv::Error) -> Failure {
    match error.into_kind() {
        csv::ErrorKind::Io(e) => Failure::Output(e),
        other => Failure::Output(io::Error::other(format!("{other:?}"))),
    }
}
