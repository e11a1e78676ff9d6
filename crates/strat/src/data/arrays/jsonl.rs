//! JSON lines: an object for each example, its arrays by name. Examples may differ in their number of tokens.

use super::{Array, ArraysFault, MOST_NUMBERS, NamedArrays, NumberKind, numbers};
use serde_json::{Map, Value};

/// Names of splits, which are numbers in other files.
const SPLITS: [&str; 3] = ["train", "id", "ood"];

/// One array of one example.
struct Part {
    shape: Vec<usize>,
    kind: NumberKind,
    values: Vec<f64>,
}

pub(super) fn parse(bytes: &[u8]) -> Result<NamedArrays, ArraysFault> {
    let mut columns: Vec<(String, Vec<Part>)> = vec![];
    let mut lines = vec![];
    let mut total = 0;
    for (line, text) in (1..).zip(bytes.split(|&b| b == b'\n')) {
        if text.trim_ascii().is_empty() {
            continue;
        }
        let fault = |reason: String| ArraysFault::Line { line, reason };
        let example: Map<String, Value> =
            serde_json::from_slice(text).map_err(|e| fault(format!("not a JSON object: {e}")))?;
        if lines.is_empty() {
            columns = example.keys().map(|name| (name.clone(), vec![])).collect();
        }
        if let Some(name) = example.keys().find(|name| columns.iter().all(|c| c.0 != **name)) {
            return Err(fault(format!("{name:?} is here, but not in the first example")));
        }
        for (name, parts) in &mut columns {
            let value = example.get(name).ok_or_else(|| fault(format!("{name:?} is missing")))?;
            let part = Part::of(name, value).map_err(|reason| fault(format!("{name:?}: {reason}")))?;
            total += part.values.len();
            if total > MOST_NUMBERS {
                let (found, most) = (total as u64, MOST_NUMBERS as u64);
                return Err(ArraysFault::TooLarge { what: "numbers", found, most });
            }
            if let Some(first) = parts.first()
                && (first.shape.len(), first.shape.get(1)) != (part.shape.len(), part.shape.get(1))
            {
                let (found, expected) = (&part.shape, &first.shape);
                return Err(fault(format!("{name:?} has shape {found:?}, but in the first example {expected:?}")));
            }
            parts.push(part);
        }
        lines.push(line);
    }
    let mut arrays = NamedArrays::new();
    let tokens =
        |parts: &[Part]| -> Vec<usize> { parts.iter().map(|p| p.shape.first().copied().unwrap_or(1)).collect() };
    // What says how long examples are: the longest of them is no padding.
    let named = |name: &str| columns.iter().find(|c| c.0 == name).map(|c| tokens(&c.1));
    let lengths = named("type").or_else(|| named("kind"));
    for (name, parts) in columns {
        arrays.insert(name.clone(), padded(&name, parts)?);
    }
    if let Some(lengths) = lengths.filter(|l| l.windows(2).any(|pair| pair[0] != pair[1]))
        && !arrays.contains_key("length")
    {
        let values = lengths.iter().map(|&n| n as f64).collect();
        arrays.insert("length".into(), Array { shape: vec![lengths.len()], kind: NumberKind::Int, values });
    }
    Ok(arrays)
}

/// The parts of all examples, short ones filled up with zeros.
fn padded(name: &str, parts: Vec<Part>) -> Result<Array, ArraysFault> {
    let Some(mut shape) = parts.first().map(|p| p.shape.clone()) else { return Err(ArraysFault::Empty) };
    if let Some(axis) = shape.first_mut() {
        *axis = parts.iter().map(|p| p.shape[0]).max().unwrap_or(0);
    }
    let each: usize = shape.iter().product();
    shape.insert(0, parts.len());
    let mut values = Vec::with_capacity(numbers(name, &shape)?);
    // Of 1 and 0.5 both are measured values.
    let kind = parts.iter().map(|p| p.kind).max().unwrap_or(NumberKind::Int);
    for part in parts {
        let end = values.len() + each;
        values.extend(part.values);
        values.resize(end, 0.0);
    }
    Ok(Array { shape, kind, values })
}

impl Part {
    fn of(name: &str, value: &Value) -> Result<Part, String> {
        if let (Value::String(split), "split") = (value, name) {
            let number = SPLITS.iter().position(|known| known == split);
            let number = number.ok_or_else(|| format!("{split:?} should be one of {}", SPLITS.join(", ")))?;
            return Ok(Part { shape: vec![], kind: NumberKind::Int, values: vec![number as f64] });
        }
        let mut part = Part { shape: vec![], kind: NumberKind::Bool, values: vec![] };
        match value {
            Value::Array(rows) if rows.iter().any(Value::is_array) => {
                let width = rows[0].as_array().map_or(0, Vec::len);
                part.shape = vec![rows.len(), width];
                for (r, row) in rows.iter().enumerate() {
                    let row = row.as_array().filter(|row| row.len() == width);
                    let row =
                        row.ok_or_else(|| format!("row {r} should be a list of {width} numbers, as the first is"))?;
                    row.iter().try_for_each(|x| part.push(x))?;
                }
            }
            Value::Array(numbers) => {
                part.shape = vec![numbers.len()];
                numbers.iter().try_for_each(|x| part.push(x))?;
            }
            number => part.push(number)?,
        }
        Ok(part)
    }

    fn push(&mut self, value: &Value) -> Result<(), String> {
        let (kind, x) = match value {
            Value::Bool(yes) => (NumberKind::Bool, f64::from(u8::from(*yes))),
            Value::Number(n) if n.is_f64() => (NumberKind::Float, n.as_f64().unwrap_or(f64::NAN)),
            Value::Number(n) => (NumberKind::Int, n.as_f64().unwrap_or(f64::NAN)),
            other => return Err(format!("{} should be a number, true or false", shortened(&other.to_string()))),
        };
        self.kind = self.kind.max(kind);
        self.values.push(x);
        Ok(())
    }
}

fn shortened(text: &str) -> String {
    if text.chars().count() <= 40 { text.into() } else { text.chars().take(40).chain(['…']).collect() }
}
