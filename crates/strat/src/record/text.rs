//! Texts that are too long to be parsed.

use super::limits::LONGEST_TEXT;

/// The line, from 1, of the first string in a JSON text that is longer than [`LONGEST_TEXT`].
///
/// Asked before the text is parsed: a parser may hold a string three times over, and an error that
/// quotes it needs up to ten bytes for one.
pub(super) fn too_long(json: &[u8]) -> Option<usize> {
    let mut string = None;
    let mut i = 0;
    while let Some(byte) = json.get(i) {
        match (string, byte) {
            (None, b'"') => string = Some(i),
            (Some(_), b'"') => string = None,
            // Whatever is escaped ends nothing.
            (Some(_), b'\\') => i += 1,
            _ => {}
        }
        i += 1;
        if let Some(start) = string
            && i - start > LONGEST_TEXT + 1
        {
            return Some(1 + json[..start].iter().filter(|b| **b == b'\n').count());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_strings_are_long() {
        let long = |n: usize| "x".repeat(n);
        let most = LONGEST_TEXT;
        assert_eq!(too_long(format!("{{\"a\": \n\"{}\"}}", long(most)).as_bytes()), None);
        assert_eq!(too_long(format!("{{\"a\": \n\"{}\"}}", long(most + 1)).as_bytes()), Some(2));
        assert_eq!(too_long(format!("\"a\" {}", long(2 * most)).as_bytes()), None, "no string");
        assert_eq!(too_long(format!("\"a\\\" {}", long(most)).as_bytes()), Some(1), "an escaped quote ends none");
        assert_eq!(too_long(format!("\"a\\\\\" {}", long(most)).as_bytes()), None, "an escaped backslash does not");
        assert_eq!(too_long(b"\"\\"), None);
    }
}
