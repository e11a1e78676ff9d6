//! Text of others on a terminal: what would move the cursor, ring the bell or turn the direction of writing is shown
//! instead of done.

use std::borrow::Cow;
use std::fmt::Write;

/// Whether a character does something instead of standing for itself.
fn acts(c: char) -> bool {
    c.is_control() || matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn escaped(text: &str, acts: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&acts) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            c if !acts(c) => out.push(c),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            // In JSON it is the same character; all of these have four digits.
            c => write!(out, "\\u{:04x}", u32::from(c)).expect("a string takes all"),
        }
    }
    Cow::Owned(out)
}

/// Lines for a terminal. Those of JSON mean the same as before.
pub fn visible(text: &str) -> Cow<'_, str> {
    escaped(text, |c| acts(c) && !['\n', '\t'].contains(&c))
}

/// The same for a name, a value or another part of a line.
pub fn one_line(text: &str) -> Cow<'_, str> {
    escaped(text, acts)
}

/// Names in a line: `a, b, c`.
pub fn list<S: AsRef<str>>(names: &[S]) -> String {
    names.iter().map(|name| one_line(name.as_ref())).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_acts_is_shown() {
        assert_eq!(visible("a\u{1b}[31mb\u{7}\tc\r\n\u{9b}d"), "a\\u001b[31mb\\u0007\tc\\r\n\\u009bd");
        assert_eq!(one_line("a\nb\tc\u{202e}"), "a\\nb\\tc\\u202e");
        assert!(matches!(visible("größer – ∑ é e\u{301} 日本\n"), Cow::Borrowed(_)));
        assert_eq!(list(&["a", "b\n"]), "a, b\\n");
    }

    #[test]
    fn lines_of_json_mean_the_same() {
        let all: String = (0..0x300).chain(0x2000..0x2100).filter_map(char::from_u32).collect();
        let line = serde_json::to_string(&all).unwrap();
        let seen = visible(&line);
        assert_eq!(serde_json::from_str::<String>(&seen).unwrap(), all);
        assert!(!seen.chars().any(acts) && seen.len() > line.len());
    }
}
