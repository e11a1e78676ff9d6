//! `strat fit`: a rule from a table of the user's own.

use crate::Failure;
use crate::args::FitArgs;
use crate::carry_out::Work;
use crate::output::{Progress, print, say};
use serde_json::{Map, Value, json};
use std::fmt::Write;
use std::num::NonZeroUsize;
use std::process::ExitCode;
use strat::engine::reference::Arrays;
use strat::fit::held_out::{self, HeldOut};
use strat::fit::learned::{Asked, Change, Learned};
use strat::fit::run::{LEARNERS, plan};
use strat::fit::{self, Vote};
use strat::model::Model;
use strat::record::Folder;
use strat::seeds::Seeds;
use strat::table::sheet::Header;
use strat::table::{Known, KnownError, Lesson, OwnError, OwnTable, Schema, Sheet};

/// Columns, changes and questions that a person is shown.
const SHOWN: usize = 12;

pub fn run(args: FitArgs) -> Result<ExitCode, Failure> {
    let irrelevant: Vec<String> = args.irrelevant.iter().map(|name| name.trim().to_string()).collect();
    let named: Vec<&str> = irrelevant.iter().chain([&args.target]).map(String::as_str).collect();
    let header = if args.no_header { Header::Absent } else { Header::Unknown(&named) };
    let sheet = Sheet::read(&args.table, header)?;
    if !sheet.header && !args.no_header {
        say!("{}: the first row is taken for a row, not for names of columns", args.table.display());
    }
    let known = Known {
        interchangeable: lists(&sheet, &args.interchangeable),
        cyclic: lists(&sheet, &args.cyclic),
        flip_together: lists(&sheet, &args.flip_together),
    };
    let lesson = Lesson::of(&sheet, &args.target, &irrelevant, &known)?;
    for note in &lesson.notes {
        say!("{}: {note}", args.table.display());
    }
    let own = OwnTable::new(lesson, known);
    let name = args.table.file_stem().map_or_else(|| "table".into(), |s| s.to_string_lossy().into_owned());
    let task = own.task(&name).map_err(strat::task::TaskError::from)?;
    let mut lessons = fit::lessons();
    lessons.epochs = args.epochs.map_or(lessons.epochs, NonZeroUsize::get);
    let seeds = Seeds::to(args.learners.map_or(LEARNERS, |n| n.get() as u64));

    let mut work = Work::new(&name, args.pool()?, &args.keep(), true, args.json)?;
    let job = work.job(plan(&task, &own, lessons), seeds, None)?;
    let Some(outcome) = work.carry_out(job)? else { return Ok(ExitCode::SUCCESS) };
    let row = &outcome.rows[0];
    let Model::Blocks(model) = row.model else { unreachable!("a table is learned by blocks") };
    // Of a run that was finished before, the weights are in its folder.
    let kept = match &args.keep().out {
        Some(out) if row.learners.iter().any(|l| l.weights.is_empty()) => {
            Some(Folder::open(out)?.learners(&row.row(), None)?)
        }
        _ => None,
    };
    let learners: Vec<Arrays> = kept.as_ref().unwrap_or(&row.learners).iter().map(|l| l.weights.clone()).collect();
    let (isa, pool) = (work.isa(), work.pool());
    let learned = pool.install(|| Learned::of(&task, &own, model, &learners, isa));
    if !args.json {
        // Before what takes longer.
        print(&page(&own, &learned))?;
    }
    let known = |e: KnownError| strat::task::TaskError::from(OwnError::from(e));
    let parts = if args.no_held_out { None } else { held_out::parts(&own).map_err(known)? };
    let tested = match parts {
        None => None,
        Some(parts) => {
            let work = parts.len() as u64 * held_out::LEARNERS * lessons.epochs as u64;
            let progress = Progress::new(work, 0, "on rows left out");
            let heard = |done| progress.inc(done);
            let tested = pool.install(|| held_out::held_out(&own, &parts, lessons, isa, &heard));
            progress.finish();
            Some(tested.map_err(known)?)
        }
    };
    match (&tested, args.json) {
        (_, true) => print(&format!("{}\n", json(&own, &learned, tested.as_ref())))?,
        (Some(tested), false) => print(&comparison(tested))?,
        (None, false) if !args.no_held_out => print(&format!(
            "\nWith fewer than {} different rows none are left out, so how good it is on others is not known.\n",
            held_out::LEAST_ROWS
        ))?,
        (None, false) => {}
    }
    work.finish()?;
    Ok(ExitCode::SUCCESS)
}

/// `a,b,c` as a list of names; `#2` is that of the second column.
fn lists(sheet: &Sheet, given: &[String]) -> Vec<Vec<String>> {
    let name = |name: &str| sheet.column(name.trim()).map_or(name.trim().into(), |i| sheet.names[i].clone());
    given.iter().map(|list| list.split(',').map(name).collect()).collect()
}

fn cells(schema: &Schema, input: &[u8]) -> String {
    let cell =
        |(field, &v): (&strat::table::Field, &u8)| format!("{}={}", field.name, field.values[usize::from(v)]);
    schema.fields.iter().zip(input).map(cell).collect::<Vec<_>>().join(", ")
}

/// The same as [`page`] and [`comparison`], whole.
fn json(own: &OwnTable, learned: &Learned, tested: Option<&HeldOut>) -> Value {
    let schema = &own.schema;
    let class = |vote: &Vote| &schema.classes[usize::from(vote.class)];
    let named = |input: &[u8], columns: &mut dyn Iterator<Item = usize>| -> Value {
        let cell = |c: usize| {
            let field = &schema.fields[c];
            (field.name.clone(), Value::from(&*field.values[usize::from(input[c])]))
        };
        Value::Object(columns.map(cell).collect())
    };
    let columns = schema.fields.iter().zip(&learned.matters);
    let change = |c: &Change| {
        let set = named(&c.to.input, &mut c.columns.iter().copied());
        json!({"row": c.row, "set": set, "prediction": class(&c.to.vote), "confidence": c.to.vote.agreement})
    };
    let question = |a: &Asked| {
        let input = named(&a.input, &mut (0..schema.fields.len()));
        json!({"input": input, "prediction": class(&a.vote), "confidence": a.vote.agreement})
    };
    let held_out = tested.map(|t| {
        let rivals: Map<String, Value> =
            t.rivals.iter().map(|(r, share)| (r.title().into(), json!(share))).collect();
        json!({"rows": t.rows, "vote": t.vote, "single": t.single, "rivals": rivals,
               "majority": t.majority})
    });
    json!({
        "target": schema.target,
        "inputs": learned.inputs,
        "exact": learned.exact,
        "rule": (!learned.rule.is_empty()).then(|| learned.rule.join("\n")),
        "wrong": learned.wrong.iter().map(|(row, v)| json!({"row": row, "prediction": class(v)})).collect::<Vec<_>>(),
        "matters": columns.map(|(f, share)| (f.name.clone(), json!(share))).collect::<Map<String, Value>>(),
        "changes": learned.changes.iter().map(change).collect::<Vec<_>>(),
        "questions": learned.questions.iter().map(question).collect::<Vec<_>>(),
        "held_out": held_out,
    })
}

fn page(own: &OwnTable, learned: &Learned) -> String {
    let schema = &own.schema;
    let mut out = String::new();
    let which = match learned.exact {
        true => format!("all {} inputs there are", learned.inputs),
        false => format!("{} inputs, those of the table and others drawn", learned.inputs),
    };
    let _ = writeln!(out, "What the population has learned (its vote on {which})");
    let told = if learned.exact { "its rule" } else { "its rule, as far as these tell" };
    match &learned.rule[..] {
        [] => {}
        [line] => {
            let _ = writeln!(out, "  {told}: {line}");
        }
        lines => {
            let _ = writeln!(out, "  {told}:");
            for line in lines {
                let _ = writeln!(out, "    {line}");
            }
        }
    }
    for (row, vote) in learned.wrong.iter().take(SHOWN / 2) {
        let _ = writeln!(
            out,
            "  row {row} is answered {}, not as in the table",
            schema.classes[usize::from(vote.class)]
        );
    }
    if learned.wrong.len() > SHOWN / 2 {
        let _ = writeln!(out, "  and so are {} more", learned.wrong.len() - SHOWN / 2);
    }
    let mut order: Vec<usize> = (0..schema.fields.len()).collect();
    order.sort_by(|&a, &b| learned.matters[b].total_cmp(&learned.matters[a]));
    let _ = writeln!(out, "\nColumns by how often another value of one changes the answer");
    for &column in order.iter().take(SHOWN) {
        let _ = writeln!(out, "  {:>5.1} %  {}", 100.0 * learned.matters[column], schema.fields[column].name);
    }
    if order.len() > SHOWN {
        let _ = writeln!(out, "  and {} more that matter less", order.len() - SHOWN);
    }
    if !learned.changes.is_empty() {
        let _ = writeln!(out, "\nThe smallest changes that change an answer");
    }
    for change in learned.changes.iter().take(SHOWN / 2) {
        let value = |&c: &usize| {
            let field = &schema.fields[c];
            format!("{} to {}", field.name, field.values[usize::from(change.to.input[c])])
        };
        let changed: Vec<String> = change.columns.iter().map(value).collect();
        let class = &schema.classes[usize::from(change.to.vote.class)];
        let _ = writeln!(out, "  row {}: {} makes it {class}", change.row, changed.join(", "));
    }
    if !learned.questions.is_empty() {
        let _ = writeln!(out, "\nAsk about these next: the learners disagree most");
    }
    for asked in &learned.questions {
        let class = &schema.classes[usize::from(asked.vote.class)];
        let _ =
            writeln!(out, "  {}: {class}, say {:.0} %", cells(schema, &asked.input), 100.0 * asked.vote.agreement);
    }
    out
}

fn comparison(tested: &HeldOut) -> String {
    let mut out = format!(
        "\nRight answers on the {} rows, a fifth of them left out at a time (those that are the same together)\n",
        tested.rows
    );
    let mut line = |name: &str, share: Option<f64>| {
        let share = share.map_or("  –".into(), |s| format!("{:>5.1} %", 100.0 * s));
        let _ = writeln!(out, "  {share}  {name}");
    };
    line("the vote", Some(tested.vote));
    line("a single learner", Some(tested.single));
    tested.rivals.iter().for_each(|(rival, share)| line(rival.title(), *share));
    line("always the most frequent class", Some(tested.majority));
    out
}
