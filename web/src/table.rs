//! A rule from a table that someone pastes: what `strat fit` does, with fewer and shorter trained learners, since a page has
//! one thread for it and no vectors of eight.

use crate::Answered;
use serde_json::{Map, Value, json};
use std::cell::RefCell;
use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use strat::engine::Isa;
use strat::fit::mixture::{Answerer, decay};
use strat::fit::{self, held_out};
use strat::model::Architecture;
use strat::task::DataTask;
use strat::task::table::{Header, LabelledTable, Sheet, Symmetries, TableTask, Told};
use strat::train::TrainConfig;

/// Learners of STRAT that answer; `strat fit` has 32.
pub const LEARNERS: u64 = 8;
/// Epochs of each; `strat fit` has 400.
pub const EPOCHS: usize = 100;
/// The most rows and columns: more would take minutes.
const MOST_ROWS: usize = 200;
const MOST_COLUMNS: usize = 30;

/// This module's table.
static TABLE: OnceLock<(DataTask, TableTask)> = OnceLock::new();

thread_local! {
    static ANSWERER: RefCell<Option<Answerer<'static>>> = const { RefCell::new(None) };
}

/// Learns the column `target` from the others.
pub fn fit(text: &str, target: &str, progress: &(dyn Fn(f64) + Sync)) -> Answered {
    let path = Path::new("the table");
    let said = |e: &dyn std::fmt::Display| e.to_string();
    let sheet = Sheet::parse(path, text.as_bytes(), Header::Unknown(&[target])).map_err(|e| said(&e))?;
    if sheet.rows.len() > MOST_ROWS || sheet.names.len() > MOST_COLUMNS {
        let (rows, columns) = (sheet.rows.len(), sheet.names.len());
        return Err(format!(
            "the table has {rows} rows and {columns} columns, and this page takes at most {MOST_ROWS} and {MOST_COLUMNS}; \
             `strat fit` has no such limit"
        ));
    }
    let known = Symmetries::default();
    let labelled = LabelledTable::of(&sheet, target, &Told::default(), &known).map_err(|e| said(&e))?;
    let notes: Vec<String> = labelled.notes.iter().map(ToString::to_string).collect();
    let mut own = TableTask::new(labelled, known);
    let isa = Isa::Portable;
    let all = held_out::work(&own, EPOCHS).map_err(|e| said(&e))? + LEARNERS * EPOCHS as u64;
    let done = AtomicU64::new(0);
    let heard = |more| progress((done.fetch_add(more, Ordering::Relaxed) + more) as f64 / all as f64);
    let tested = held_out::held_out(&own, EPOCHS, isa, &heard).map_err(|e| said(&e))?;
    tested.apply_to(&mut own);
    let task = own.task("table").map_err(|e| said(&e))?;
    let model = fit::model_of(&task, Architecture::Strat);
    let config = TrainConfig { steps: EPOCHS, ..fit::config(decay(&own.mixture)) }.check().map_err(|e| said(&e))?;
    let seeds: Vec<u64> = (1..=LEARNERS).collect();
    let learners = fit::teach(&task, model, config, &seeds, isa, &heard);
    if TABLE.set((task, own)).is_err() {
        return Err("this module has learned another table already".into());
    }
    let (task, own) = TABLE.get().expect("it was just set");
    let answerer = || Answerer::new((task, own), model, &learners, isa).map_err(|e| said(&e));
    let learned = answerer()?.learned(Some(&tested)).map_err(|e| said(&e))?;
    ANSWERER.set(Some(answerer()?));

    let schema = &own.schema;
    let fields = schema.fields.iter().zip(&learned.matters).map(|(f, matters)| {
        json!({ "name": f.name, "values": if f.has_numbers() { &[][..] } else { &f.values[..] }, "matters": matters })
    });
    let class = |class: u8| &schema.classes[usize::from(class)];
    let question = |next: &fit::next::Next| json!({ "cells": next.cells, "answer": class(next.vote.class), "probability": next.vote.agreement });
    let rule = learned.told.as_ref().and_then(|told| told.as_ref().ok());
    let mut parts = Map::new();
    for w in &tested.weights {
        let before = parts.get(w.part.title()).and_then(Value::as_f64).unwrap_or(0.0);
        parts.insert(w.part.title().into(), json!(before + w.weight));
    }
    Ok(json!({
        "target": schema.target,
        "classes": schema.classes,
        "rows": own.rows.len(),
        "notes": notes,
        "rule": rule.map(|rule| &rule.lines),
        "right": rule.map(|rule| rule.accuracy),
        "why": learned.told.as_ref().and_then(|told| told.as_ref().err()),
        "mixture": tested.mixture.accuracy,
        "majority": tested.shares.accuracy,
        "better": tested.is_better(),
        "parts": parts,
        "fields": fields.collect::<Vec<_>>(),
        "questions": learned.questions.iter().map(question).collect::<Vec<_>>(),
        "learners": LEARNERS,
        "epochs": EPOCHS,
    }))
}

/// The answer to a row: a cell for every column but the learned one.
pub fn row(cells: &[String]) -> Answered {
    let (_, own) = TABLE.get().ok_or("no table is learned yet")?;
    if cells.len() != own.schema.fields.len() {
        return Err(format!("a row has {} cells, but there are {}", own.schema.fields.len(), cells.len()));
    }
    let cells: Vec<&str> = cells.iter().map(|cell| cell.trim()).collect();
    ANSWERER.with(|answerer| {
        let mut answerer = answerer.borrow_mut();
        let answerer = answerer.as_mut().ok_or("no table is learned yet")?;
        let said = answerer.answer(&[own.schema.read(&cells)]).map_err(|e| e.to_string())?;
        let answer = said.first().ok_or("no answer")?;
        let class = &own.schema.classes[usize::from(answer.class)];
        Ok(json!({ "answer": class, "probability": answer.probability(), "probabilities": answer.probabilities }))
    })
}
