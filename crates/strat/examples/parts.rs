//! What every part of a table's mixture says of rows left out and of test rows: for choosing priors, weights and how
//! probabilities are made right without learning again.
//!
//!     cargo run --release -p strat --example parts -- FOLDER …
//!
//! Each folder has `train.csv` and `test.csv` of `benchsuite/tables/splits.py`, the last column the class. A line of JSON for
//! each: the folder, the evidence, the parts with weights and calibration that follow, classes and folds of the training rows,
//! classes of the test rows (those that no training row has come last), and by part, row and class the probabilities, held out and on the test rows. Choose on draws that no report
//! uses.

use rayon::prelude::*;
use serde_json::json;
use std::path::Path;
use std::sync::Arc;
use strat::engine::Isa;
use strat::fit::held_out::{self, LEARNERS};
use strat::fit::mixture::Answerer;
use strat::fit::{config, model_of, teach};
use strat::model::Architecture;
use strat::task::table::{
    Header, LabelledTable, Part, Sheet, Stream, Symmetries, TableRow, TableTask, Told, Weighted, open,
};

/// A row of test rows: what is read, and its class.
fn tests(path: &Path, own: &TableTask) -> (Vec<TableRow>, Vec<usize>) {
    let schema = &own.schema;
    let mut stream = Stream::new(path, open(path).expect("a file"), schema).expect("a table");
    let target = stream.names.iter().position(|name| *name == schema.target).expect("the target");
    let (mut rows, mut labels, mut classes) = (vec![], vec![], schema.classes.clone());
    while let Some(row) = stream.next(schema).expect("a row") {
        let name = row.cells[target].trim().to_string();
        let class = classes.iter().position(|class| *class == name).unwrap_or_else(|| {
            classes.push(name);
            classes.len() - 1
        });
        rows.push(row.read);
        labels.push(class);
    }
    (rows, labels)
}

fn line(folder: &str) -> String {
    let isa = Isa::detect().expect("an instruction set");
    let sheet = Sheet::read(&Path::new(folder).join("train.csv"), Header::Present).expect("a table");
    let target = sheet.names.last().expect("columns").clone();
    let labelled = LabelledTable::of(&sheet, &target, &Told::default(), &Symmetries::default()).expect("a table");
    let mut own = TableTask::new(labelled, Symmetries::default());
    let task = own.task("parts").expect("a task");
    let model = model_of(&task, Architecture::Strat);
    let tested = held_out::held_out(&own, config(1.0).steps, isa, &|_| {}).expect("no symmetries");
    let (rows, test_labels) = tests(&Path::new(folder).join("test.csv"), &own);
    let seeds: Vec<u64> = (1..=LEARNERS).collect();
    let mut said = |part: Part| {
        let learners = match part {
            Part::Strat(decay) => {
                teach(&task, model, config(decay).check().expect("sound settings"), &seeds, isa, &|_| {})
            }
            _ => vec![],
        };
        // The part alone, as it is.
        (own.mixture, own.temperature, own.chance) = (vec![Weighted { part, weight: 1.0 }], 1.0, 0.0);
        let task = Arc::new(own.task("parts").expect("a task"));
        let mut answerer = Answerer::new((&task, &own), model, &learners, isa).expect("no symmetries");
        let said = answerer.answer(&rows).expect("rows fit the model");
        said.into_iter().map(|answer| answer.probabilities).collect::<Vec<_>>()
    };
    let test: Vec<Vec<Vec<f64>>> = tested.weights.iter().map(|w| said(w.part)).collect();
    let labels: Vec<u8> = tested.rows.iter().map(|&i| own.rows[i].class).collect();
    let round = |said: &[Vec<Vec<f64>>]| {
        let short = |p: &f64| (p * 1e5).round() / 1e5;
        let rows = |rows: &Vec<Vec<f64>>| rows.iter().map(|p| p.iter().map(short).collect()).collect();
        said.iter().map(rows).collect::<Vec<Vec<Vec<f64>>>>()
    };
    json!({
        "evidence": tested.evidence,
        "folder": folder,
        "part_names": tested.weights.iter().map(|w| w.part).collect::<Vec<_>>(),
        "weights": tested.weights.iter().map(|w| w.weight).collect::<Vec<_>>(),
        "temperature": tested.calibration.temperature,
        "chance": tested.calibration.chance,
        "labels": labels,
        "parts": tested.folds,
        "test_labels": test_labels,
        "held_out": round(&tested.by_part),
        "test": round(&test),
    })
    .to_string()
}

fn main() {
    let folders: Vec<String> = std::env::args().skip(1).collect();
    folders.par_iter().with_max_len(1).for_each(|folder| println!("{}", line(folder)));
}
