//! `strat predict` of learners that were taught with a table: any number of rows, one after the other.

use crate::Failure;
use crate::args::OnUnknown;
use serde_json::Value;
use std::collections::HashMap;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use strat::engine::Isa;
use strat::engine::reference::Arrays;
use strat::fit::mixture::{Answer, Answerer};
use strat::model::BlockModel;
use strat::result::LearnerResult;
use strat::task::table::{Schema, SheetError, Stream, Streamed, TableRow, TableTask, TableTaskError, open};
use strat::task::{DataTask, TaskError};
use strat::train::TrainError;

/// Rows worked on at a time.
const ROWS: usize = 8192;
/// Bytes of rows worked on at a time: long rows are fewer.
const BYTES: usize = 16 << 20;
/// Answers that are remembered.
const REMEMBERED: usize = 1 << 17;
/// After so many rows, nothing is remembered any more if fewer than one in so many was known.
const TRIED: usize = 1 << 15;
const WORTH: usize = 8;

/// What a user wants of the answers.
#[derive(Clone, Copy)]
pub struct Wanted {
    pub on_unknown: OnUnknown,
    /// The probability of every class.
    pub probabilities: bool,
    /// No prediction below this probability.
    pub at_least: f64,
    pub json: bool,
}

/// Reads a file, or standard input, and writes every row with the answer, its probability and the agreement.
pub fn run(
    (task, own): (&DataTask, &TableTask),
    (model, learners): (BlockModel, &[LearnerResult]),
    file: Option<&str>,
    wanted: Wanted,
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
    let mut out = Writer::new(&stream, schema, wanted)?;
    let weights: Vec<Arrays> = learners.iter().map(|l| l.weights.clone()).collect();
    let known = |e| TaskError::from(TableTaskError::Symmetries(e));
    let mut answerer = Answerer::new((task, own), model, &weights, isa).map_err(known)?;
    let mut memory = Memory::default();
    let mut batch = Batch::read(&mut stream, schema, wanted.on_unknown);
    loop {
        // Answers that could be given do not wait for rows that have not come.
        let ahead = batch.end.is_none() && !stream.waits();
        let (next, asked) = rayon::join(
            || ahead.then(|| Batch::read(&mut stream, schema, wanted.on_unknown)),
            || memory.ask(&mut answerer, &mut batch.rows),
        );
        for (row, answer) in batch.rows.iter().zip(&asked?) {
            let answered = row.unknown.is_none() || wanted.on_unknown == OnUnknown::Answer;
            out.row(row, answered.then_some(answer), schema)?;
        }
        out.flush()?;
        if let Some(end) = batch.end {
            return end;
        }
        batch = next.unwrap_or_else(|| Batch::read(&mut stream, schema, wanted.on_unknown));
    }
}

/// What tells rows apart: values and numbers, bit by bit.
type Key = (Vec<u8>, Vec<Option<u64>>);

fn key(row: &TableRow) -> Key {
    (row.input.clone(), row.numbers.iter().map(|x| x.map(f64::to_bits)).collect())
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
                Ok(Some(Streamed { unknown: Some(unknown), .. })) if on_unknown == OnUnknown::Fail => {
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
struct Writer {
    form: Form,
    wanted: Wanted,
}

enum Form {
    Table(Box<csv::Writer<io::StdoutLock<'static>>>),
    Json(Vec<String>, io::BufWriter<io::StdoutLock<'static>>),
}

impl Writer {
    fn new(stream: &Stream, schema: &Schema, wanted: Wanted) -> Result<Writer, Failure> {
        let mut names = stream.names.clone();
        let classes = schema.classes.iter().filter(|_| wanted.probabilities).map(|class| format!("p({class})"));
        for mut header in ["prediction", "probability", "agreement"].map(String::from).into_iter().chain(classes) {
            while names.contains(&header) {
                header += " (strat)";
            }
            names.push(header);
        }
        let stdout = io::stdout().lock();
        if wanted.json {
            return Ok(Writer { form: Form::Json(names, io::BufWriter::new(stdout)), wanted });
        }
        let mut out = csv::WriterBuilder::new().delimiter(stream.delimiter).from_writer(stdout);
        out.write_record(&names).map_err(written)?;
        Ok(Writer { form: Form::Table(Box::new(out)), wanted })
    }

    /// A row without an answer has its cells alone; one whose answer is not sure enough has no prediction.
    fn row(&mut self, row: &Streamed, answer: Option<&Answer>, schema: &Schema) -> Result<(), Failure> {
        let Wanted { at_least, probabilities, .. } = self.wanted;
        let sure = answer.filter(|a| a.probability() >= at_least);
        let class = sure.map(|a| &*schema.classes[usize::from(a.class)]);
        let numbers = [answer.map(Answer::probability), answer.map(|a| a.agreement)];
        let shown = if probabilities { schema.classes.len() } else { 0 };
        let each = (0..shown).map(|class| answer.map(|a| a.probabilities[class]));
        let numbers = numbers.into_iter().chain(each);
        match &mut self.form {
            Form::Table(out) => {
                let numbers: Vec<String> =
                    numbers.map(|x| x.map_or(String::new(), |x| format!("{x:.4}"))).collect();
                let added = [class.unwrap_or("")].into_iter().chain(numbers.iter().map(String::as_str));
                out.write_record(row.cells.iter().map(String::as_str).chain(added)).map_err(written)
            }
            Form::Json(names, out) => {
                let cells = row.cells.iter().map(|c| Value::from(&**c));
                let values = cells.chain([class.into()]).chain(numbers.map(Value::from));
                let line = Value::Object(names.iter().cloned().zip(values).collect());
                writeln!(out, "{line}").map_err(Failure::Output)
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.form {
            Form::Table(out) => out.flush(),
            Form::Json(_, out) => out.flush(),
        }
    }
}

/// Answers that were given. Rows that are the same are answered once, as long as there are enough of them.
#[derive(Default)]
struct Memory {
    known: HashMap<Key, Answer>,
    asked: usize,
    found: usize,
}

impl Memory {
    /// The answer to each row. What is read of a row is taken from it.
    fn ask(&mut self, answerer: &mut Answerer<'_>, rows: &mut [Streamed]) -> Result<Vec<Answer>, TrainError> {
        let mut rows: Vec<TableRow> = rows.iter_mut().map(|row| std::mem::take(&mut row.read)).collect();
        if self.asked >= TRIED && self.found * WORTH < self.asked {
            self.known = HashMap::new();
            return answerer.answer(&rows);
        }
        if self.known.len() > REMEMBERED {
            self.known.clear();
        }
        let keys: Vec<Key> = rows.iter().map(key).collect();
        let mut new = HashMap::<&Key, usize>::new();
        let mut each = keys.iter();
        rows.retain(|_| {
            let (key, next) = (each.next().expect("a key for each row"), new.len());
            !self.known.contains_key(key) && *new.entry(key).or_insert(next) == next
        });
        self.asked += keys.len();
        self.found += keys.len() - rows.len();
        let said = answerer.answer(&rows)?;
        for (key, place) in new {
            self.known.insert(key.clone(), said[place].clone());
        }
        Ok(keys.iter().map(|key| self.known[key].clone()).collect())
    }
}

fn written(error: csv::Error) -> Failure {
    match error.into_kind() {
        csv::ErrorKind::Io(e) => Failure::Output(e),
        other => Failure::Output(io::Error::other(format!("{other:?}"))),
    }
}
