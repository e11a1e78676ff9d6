//! A trace as text, in 80 columns: how the value travels, then block by block streams, routes and gates.

use std::fmt::Write;
use strat::trace::{Array, ExampleSource, ExampleSourceError, Trace, TraceError, TracedExample};

/// Most tokens that are shown side by side; of more, one is looked at.
const MOST_TOKENS: usize = 12;
/// Most columns whose numbers are shown.
const MOST_COLUMNS: usize = 6;
/// Letters of a line.
const WIDTH: usize = 80;
/// Letters of a row of many numbers.
const SPARKS: usize = 60;

/// Which tokens are shown.
struct Shown<'a> {
    tokens: &'a [String],
    which: Vec<usize>,
}

/// One learner's way to an answer. Of long examples one token is shown, `token` or the first.
pub fn text(
    source: &ExampleSource,
    example: &TracedExample,
    trace: &Trace,
    token: Option<usize>,
) -> Result<String, ExampleSourceError> {
    let count = example.tokens.len();
    let which = match token {
        Some(token) if token >= count => return Err(ExampleSourceError::NoToken { token, count }),
        Some(token) => vec![token],
        None if count > MOST_TOKENS => vec![0],
        None => (0..count).collect(),
    };
    let shown = Shown { tokens: &example.tokens, which };
    let said = source.said(example, trace)?;
    let mut heading = format!("says {}", words(&said.words));
    if let Some(p) = said.confidence {
        let _ = write!(heading, " ({:.1} %)", 100.0 * p);
    }
    if let Some(right) = &example.right {
        let _ = write!(heading, ", right is {}", words(right));
    }
    let mut out = format!("\n{}{}", wrapped(&format!("Example {}", example.text)), wrapped(&heading));
    if shown.which.len() < count {
        let at = shown.which[0];
        let _ = writeln!(out, "  of {count} tokens, token {at} ({}); --token N shows another", example.tokens[at]);
    }
    travel(&mut out, &shown, trace)?;
    let mut block = None;
    // A stream that rests is computed once and read by every block.
    let mut names = trace.names();
    names.sort_by_key(|name| name.strip_prefix("block.").and_then(|n| n.split('.').next()?.parse::<usize>().ok()));
    for name in names {
        let parts: Vec<&str> = name.split('.').collect();
        match parts[..] {
            ["block", b, part] => {
                if block != Some(b) {
                    let _ = writeln!(out, "\nBlock {b}");
                    block = Some(b);
                }
                array(&mut out, &shown, part, &trace.array(name)?, source.columns(name));
            }
            ["token", t, part] => {
                let label = t.parse().ok().and_then(|t: usize| example.tokens.get(t)).map_or("", |l| l);
                let _ = writeln!(out, "\nToken {t} ({label}), {part}");
                numbers(&mut out, "", &trace.array(name)?.values);
            }
            _ => {}
        }
    }
    if block.is_some() {
        out.push_str("\nWhat the last block leaves\n");
        for name in trace.names().into_iter().filter(|name| ["type", "data", "stream"].contains(name)) {
            array(&mut out, &shown, name, &trace.array(name)?, source.columns(name));
        }
    }
    Ok(out)
}

/// A board row by row; anything else as it is.
fn words(said: &str) -> String {
    let letters: Vec<char> = said.chars().collect();
    let side = letters.len().isqrt();
    if side > 5 && side * side == letters.len() && !said.contains(' ') {
        letters.chunks(side).map(|row| row.iter().collect::<String>()).collect::<Vec<_>>().join(" ")
    } else {
        said.into()
    }
}

/// Words in lines of at most 80 letters.
fn wrapped(text: &str) -> String {
    let mut out = String::new();
    let mut used = WIDTH;
    for word in text.split(' ') {
        // What has no spaces is cut.
        for part in word.chars().collect::<Vec<_>>().chunks(WIDTH - 2) {
            if used + 1 + part.len() > WIDTH {
                out.push_str(if out.is_empty() { "" } else { "\n" });
                out.push(' ');
                used = 1;
            }
            out.push(' ');
            out.extend(part);
            used += 1 + part.len();
        }
    }
    out + "\n"
}

/// A learner's way to an answer as JSON: shapes and numbers by name.
pub fn json(
    source: &ExampleSource,
    example: &TracedExample,
    trace: &Trace,
) -> Result<serde_json::Value, ExampleSourceError> {
    let mut arrays = serde_json::Map::new();
    for name in trace.names() {
        let Array { shape, values } = trace.array(name)?;
        arrays.insert(name.into(), serde_json::json!({ "shape": shape, "values": values }));
    }
    let said = source.said(example, trace)?;
    Ok(serde_json::json!({ "example": example, "said": said, "arrays": arrays }))
}

/// Cut, paste, sum: what becomes of each token's number on its way into the answer.
fn travel(out: &mut String, shown: &Shown<'_>, trace: &Trace) -> Result<(), TraceError> {
    let names = trace.names();
    if !names.contains(&"contributions") {
        return Ok(());
    }
    let parts = trace.array("contributions")?.values;
    let largest = parts.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    out.push_str("\nHow the value travels: cut, paste, sum\n");
    let lite = names.contains(&"block.0.data");
    if lite {
        let [data, gate, written] =
            ["data", "gate", "written"].map(|part| trace.array(&format!("block.0.{part}")).map(|a| a.values));
        let (data, gate, written) = (data?, gate?, written?);
        out.push_str("               D0      gate D0   cut: D0      gate D5 paste: D5       adds\n");
        for &t in &shown.which {
            let g = [gate[2 * t], gate[2 * t + 1]];
            let _ = writeln!(
                out,
                "  {:<6}{} {} {:.4}{} {} {:.4}{}{} {}",
                clip(&shown.tokens[t], 6),
                number(data[2 * t], 9),
                bar(g[0], 5),
                g[0],
                number(written[2 * t], 10),
                bar(g[1], 5),
                g[1],
                number(written[2 * t + 1], 10),
                number(parts[t], 11),
                bar(parts[t].abs() / largest, 5).trim_end(),
            );
        }
    } else {
        for &t in &shown.which {
            let label = clip(&shown.tokens[t], 10);
            let share = bar(parts[t].abs() / largest, 20);
            let _ = writeln!(out, "  {label:<10} adds{} {}", number(parts[t], 12), share.trim_end());
        }
    }
    let _ = writeln!(out, "  {:<6}{}", "sum", number(trace.array("output")?.values[0], if lite { 66 } else { 21 }));
    Ok(())
}

fn array(out: &mut String, shown: &Shown<'_>, part: &str, array: &Array, names: Option<Vec<String>>) {
    match array.shape[..] {
        [heads, queries, keys] => {
            for head in 0..heads {
                let of_head = &array.values[head * queries * keys..][..queries * keys];
                routes(out, shown, (heads > 1).then_some(head), of_head, keys);
            }
        }
        [rows, columns] if rows == shown.tokens.len() => {
            let _ = writeln!(out, "  {}", part.replace('_', " "));
            if columns <= MOST_COLUMNS {
                let names = names.unwrap_or_else(|| (0..columns).map(|c| c.to_string()).collect());
                let heads: String = names.iter().map(|n| format!(" {n:>10}")).collect();
                let _ = writeln!(out, "    {:<8}{heads}", "");
            }
            for &t in &shown.which {
                let row = &array.values[t * columns..(t + 1) * columns];
                let label = clip(&shown.tokens[t], 8);
                match (columns <= MOST_COLUMNS, part.ends_with("gate")) {
                    (true, _) => numbers(out, &label, row),
                    (false, true) => {
                        let mean = row.iter().sum::<f64>() / columns as f64;
                        let _ = writeln!(out, "    {label:<8} {} {mean:.4}", sparks(row));
                    }
                    (false, false) => {
                        let length = row.iter().map(|x| x * x).sum::<f64>().sqrt();
                        let all = array.values.chunks_exact(columns);
                        let longest = all.map(|r| r.iter().map(|x| x * x).sum::<f64>().sqrt()).fold(0.0, f64::max);
                        let share = bar(length / longest, 40);
                        let line = format!("    {label:<8} length{} {share}", number(length, 11));
                        let _ = writeln!(out, "{}", line.trim_end());
                    }
                }
            }
        }
        _ => {}
    }
}

/// Who fetches from whom: a table of few tokens; of many, from where one fetches most.
fn routes(out: &mut String, shown: &Shown<'_>, head: Option<usize>, routes: &[f64], keys: usize) {
    let head = head.map_or(String::new(), |h| format!(", head {h}"));
    let _ = writeln!(out, "  routes{head}");
    if keys <= MOST_TOKENS {
        let names: String = shown.tokens.iter().map(|t| format!(" {:>5}", clip(t, 5))).collect();
        let _ = writeln!(out, "    {:<4}{names}", "");
    }
    for &t in &shown.which {
        let row = &routes[t * keys..(t + 1) * keys];
        if keys <= MOST_TOKENS {
            // What rounds to nothing is a dot, so that the rest is seen.
            let cell = |&x: &f64| if x < 0.0005 { "     ·".into() } else { format!(" {x:.3}") };
            let cells: String = row.iter().map(cell).collect();
            let _ = writeln!(out, "    {:<4}{cells}", clip(&shown.tokens[t], 4));
            continue;
        }
        let mut order: Vec<usize> = (0..keys).collect();
        order.sort_by(|&a, &b| row[b].total_cmp(&row[a]).then(a.cmp(&b)));
        for &k in &order[..4] {
            let _ = writeln!(out, "    {:<8} {} {:.4}", clip(&shown.tokens[k], 8), bar(row[k], 40), row[k]);
        }
    }
}

fn numbers(out: &mut String, label: &str, row: &[f64]) {
    let cells: String = row.iter().map(|&x| format!(" {}", number(x, 10))).collect();
    let _ = writeln!(out, "    {label:<8}{cells}");
}

/// A number in so many letters.
fn number(x: f64, width: usize) -> String {
    match x.abs() {
        size if size >= 1e6 || (size != 0.0 && size < 5e-5) => format!("{x:>width$.1e}"),
        _ => format!("{x:>width$.4}"),
    }
}

/// A share of so many letters, in eighths.
fn bar(share: f64, letters: usize) -> String {
    const EIGHTHS: [char; 8] = [' ', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];
    let eighths =
        if share.is_finite() { (share.clamp(0.0, 1.0) * 8.0 * letters as f64).round() as usize } else { 0 };
    let mut out = "█".repeat(eighths / 8);
    if eighths % 8 > 0 {
        out.push(EIGHTHS[eighths % 8]);
    }
    format!("{out:<letters$}")
}

/// Numbers from 0 to 1, a letter each; of many, their means side by side.
fn sparks(row: &[f64]) -> String {
    let each = row.len().div_ceil(SPARKS);
    let spark = |part: &[f64]| {
        let mean = part.iter().sum::<f64>() / part.len() as f64;
        let level = if mean.is_finite() { (mean.clamp(0.0, 1.0) * 7.0).round() as u32 } else { 0 };
        char::from_u32('▁' as u32 + level).unwrap_or(' ')
    };
    row.chunks(each).map(spark).collect()
}

fn clip(text: &str, letters: usize) -> String {
    text.chars().take(letters).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use strat::engine::reference::Arrays;
    use strat::model::{Architecture, Lite, Model, Types, Unit, Unityped};
    use strat::task::{Entry, SumTask, Task};

    #[test]
    fn bars_have_eighths_and_never_overflow() {
        assert_eq!((bar(0.5, 4), bar(1.0, 2), bar(9.0, 2)), ("██  ".into(), "██".into(), "██".into()));
        assert_eq!((bar(1.0 / 16.0, 2), bar(f64::NAN, 2)), ("▏ ".into(), "  ".into()));
        assert_eq!(sparks(&[0.0, 0.5, 1.0]), "▁▅█");
        assert_eq!(sparks(&[1.0; 128]).chars().count(), 43);
    }

    #[test]
    fn boards_are_wrapped_by_rows() {
        assert_eq!(words("123456789012345678901234567890123456"), "123456 789012 345678 901234 567890 123456");
        assert_eq!((words("x does not win"), words("9.98")), ("x does not win".into(), "9.98".into()));
        assert_eq!(wrapped("says 5"), "  says 5\n");
        let long = wrapped(&"1234567 ".repeat(30));
        assert!(long.lines().count() == 4 && long.lines().all(|l| l.len() <= 80 && l.starts_with("  1")), "{long}");
        assert!(wrapped(&"x".repeat(500)).lines().all(|l| l.len() <= 80));
    }

    fn sources() -> Vec<(ExampleSource, Arrays)> {
        let lite = Lite { width: 4, heads: 2, types: Types::Latent };
        let lists = Lite { width: 3, heads: 1, types: Types::Items };
        let mut all: Vec<(Arc<dyn Model>, Arc<dyn Task>)> = vec![
            (Arc::new(lite), Arc::new(SumTask::ABLATION)),
            (Arc::new(Unityped::A), Arc::new(SumTask::ABLATION)),
            (Arc::new(Unit::Nalu), Arc::new(SumTask::ABLATION)),
            (Arc::new(lists), Arc::new(SumTask::GROCERY)),
        ];
        for name in ["tic-tac-toe", "parity5", "life"] {
            let task = Arc::new(strat::task::by_name(name).unwrap());
            for architecture in Architecture::ALL {
                let model = Entry::named(name).unwrap().model(architecture);
                all.push((Arc::new(model), task.clone()));
            }
        }
        let of = |(model, task): (Arc<dyn Model>, _)| {
            let weights = model.init(1);
            (ExampleSource::new(model, task), weights)
        };
        all.into_iter().map(of).collect()
    }

    /// Every model on its examples, in 80 columns, and every number of a small one is there.
    #[test]
    fn every_model_fits_a_terminal() {
        for (source, weights) in sources() {
            let numbered = ["base:1", "id:1", "ood:1"].map(String::from);
            for example in source.examples().into_iter().chain(numbered) {
                let example = source.read(&example).unwrap();
                let trace = source.trace(&weights, &example).unwrap();
                let text = text(&source, &example, &trace, None).unwrap();
                for line in text.lines() {
                    assert!(line.chars().count() <= 80, "{line}");
                }
                assert!(text.contains("says "), "{text}");
                if let Ok(parts) = trace.array("contributions") {
                    for x in parts.values {
                        assert!(text.contains(number(x, 0).trim()), "{x} in {text}");
                    }
                }
            }
        }
    }
}
