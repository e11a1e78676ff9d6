//! One learner as text, in 80 columns: its scores, what was found in it, and, for STRAT-Lite,
//! its weights as Appendix C prints them.

use std::fmt::Write;
use strat::engine::reference::Arrays;
use strat::inspect::Finding;
use strat::metric::Metric;
use strat::model::ModelRecord;
use strat::result::{LearnerResult, Row};

/// Everything about one learner.
pub fn page(row: &Row, learner: &LearnerResult, finding: &Finding) -> String {
    let mut out = format!("{}, seed {}\n\n", row.name, learner.seed);
    match finding {
        Finding::Mechanism { mechanism, cosine, .. } => {
            let _ = write!(out, "{mechanism}");
            if let Some(cosine) = cosine {
                let _ = writeln!(out, "  cosine(+, −) of the learned types {cosine:+.4}");
            }
        }
        Finding::Failure { diagnosis, measures } => {
            let _ = write!(out, "{diagnosis}: {}\n{measures}", diagnosis.meaning());
        }
        Finding::Items { .. } => out.push_str("It reads lists; the learned types of the items stand last.\n"),
        _ => out.push_str("No reading of this model is offered.\n"),
    }
    let shown = match finding {
        Finding::Failure { measures, .. } => measures.scores().map(|(name, _)| name).to_vec(),
        _ => vec![],
    };
    out.push_str("\nScores\n");
    for (name, x) in learner.metrics.iter().filter(|(name, _)| !shown.contains(&name.as_str())) {
        let _ = writeln!(out, "  {name:<24} {x:>14.4}");
    }
    if let ModelRecord::Lite(lite) = row.model {
        lite_weights(&mut out, lite.width, &learner.weights);
    }
    out
}

/// One line per learner: seed, what was found, error outside of the training range.
pub fn list(row: &Row, learners: &[(LearnerResult, Finding)]) -> String {
    // Learners of a task answer right or wrong; the others err by so much.
    let metric = if row.data().is_some() { Metric::OOD_ACCURACY } else { Metric::OOD_MAE };
    let (heading, scale) = if metric.unit.is_percent() {
        (format!("{} %", metric.heading), 100.0)
    } else {
        (metric.heading.to_string(), 1.0)
    };
    let mut out = format!("{}: {} learners\n\n  seed  found {heading:>38}\n", row.name, learners.len());
    for (l, finding) in learners {
        let score = scale * l.score(&metric);
        let _ = writeln!(out, "{:>6}  {:<30} {score:>13.1}", l.seed, finding.name());
    }
    out
}

/// One line of JSON, with whatever else is known of the learner.
pub fn json(row: &Row, learner: &LearnerResult, finding: &Finding, more: Option<serde_json::Value>) -> String {
    let mut line = serde_json::json!({
        "row": row.name, "seed": learner.seed, "model": row.model, "metrics": learner.metrics,
    });
    let found = serde_json::to_value(finding).expect("plain data");
    for part in std::iter::once(found).chain(more) {
        if let (Some(line), serde_json::Value::Object(part)) = (line.as_object_mut(), part) {
            line.extend(part);
        }
    }
    format!("{line}\n")
}

fn lite_weights(out: &mut String, width: usize, weights: &Arrays) {
    let types: Vec<String> = (1..=width).map(|d| format!("D{d}")).collect();
    let data = ["D0".to_string(), "D5".to_string()];
    let all: Vec<String> = [&data[..1], &types, &data[1..]].concat();
    matrix(out, "Readout (W_out)", &["y".into()], &all, &weights["readout.weight"], &[]);
    matrix(out, "Logic gates (W_gate)", &data, &types, &weights["gate.weight"], &weights["gate.bias"]);
    matrix(out, "Value routing (W_val)", &data, &data, &weights["value.weight"], &[]);
    for (title, name) in
        [("Query (W_q)", "query.weight"), ("Key (W_k)", "key.weight"), ("Value (W_v)", "type_value.weight")]
    {
        matrix(out, title, &types, &types, &weights[name], &[]);
    }
    if let Some(embed) = weights.get("embed") {
        let kinds: Vec<String> = match embed.len() / width {
            3 => ["literal", "plus", "minus"].map(String::from).into(),
            n => (1..=n).map(|id| format!("item {id}")).collect(),
        };
        matrix(out, "Learned types", &kinds, &types, embed, &[]);
    }
}

/// Rows are what is written to, columns what is read from.
fn matrix(out: &mut String, title: &str, rows: &[String], columns: &[String], cells: &[f64], bias: &[f64]) {
    let heads: String = columns.iter().map(|c| format!(" {c:>8}")).collect();
    let _ = writeln!(out, "\n{title}\n  {:<7}{heads}{}", "", if bias.is_empty() { "" } else { "     bias" });
    for (i, (name, row)) in rows.iter().zip(cells.chunks_exact(columns.len())).enumerate() {
        let numbers: String = row.iter().chain(bias.get(i)).map(|x| format!(" {x:>8.4}")).collect();
        let _ = writeln!(out, "  {name:<7}{numbers}");
    }
}
