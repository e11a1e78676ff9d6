//! The examples that a command is asked about.

use crate::Failure;
use std::io::Read;
use std::path::Path;
use strat::task::{Probe, ProbeError, TextForm};

/// The longest text of examples that is read.
const LONGEST_TEXT: u64 = 64 << 20;

/// An example that is asked for, and how it was typed.
pub struct Asked {
    pub text: String,
    pub probe: Probe,
}

/// The example that was typed, or those of a file or of standard input: one, or a line each.
pub fn asked(form: &dyn TextForm, given: Option<&str>) -> Result<Vec<Asked>, Failure> {
    let one = |text: &str| -> Result<Asked, ProbeError> {
        Ok(Asked { text: text.trim().into(), probe: form.parse(text)? })
    };
    let (name, text) = match given {
        None | Some("-") => ("standard input", read(std::io::stdin().lock(), "standard input")?),
        Some(given) => match form.parse(given) {
            Err(_) if Path::new(given).is_file() => {
                let file = std::fs::File::open(given);
                let file = file.map_err(|source| Failure::Input { name: given.into(), source })?;
                (given, read(file, given)?)
            }
            read => return Ok(vec![Asked { text: given.trim().into(), probe: read? }]),
        },
    };
    // A board may be written on several lines.
    if form.spans_lines()
        && let Ok(whole) = one(&text)
    {
        return Ok(vec![whole]);
    }
    let lines: Vec<(usize, &str)> = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()).collect();
    match &lines[..] {
        // The whole text says best what is wrong with it.
        [] | [_] => Ok(vec![one(&text)?]),
        _ => {
            let line = |&(i, line): &(usize, &str)| {
                let fail = |source: ProbeError| Failure::Line { name: name.into(), line: i + 1, source };
                Ok(Asked { text: line.trim().into(), probe: form.parse(line).map_err(fail)? })
            };
            lines.iter().map(line).collect()
        }
    }
}

fn read(from: impl Read, name: &str) -> Result<String, Failure> {
    let fail = |source| Failure::Input { name: name.into(), source };
    let mut text = String::new();
    from.take(LONGEST_TEXT + 1).read_to_string(&mut text).map_err(fail)?;
    if text.len() as u64 > LONGEST_TEXT {
        let what = format!("at most {LONGEST_TEXT} bytes of examples are read at once, and this has more");
        return Err(fail(std::io::Error::other(what)));
    }
    Ok(text)
}
