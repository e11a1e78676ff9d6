//! Checksums that every reader checks, and that bind the files of a run to its manifest.
//!
//! A document ends in the SHA-256 of all before it. That of the manifest is the run's identity, as
//! long as it is because nothing else tells two runs apart. Lines, tables, figures and learners in training
//! have CRC-32s, which find every flipped bit, read gigabytes in a second, and begin with the run's identity or stand in
//! a document that names it: what belongs to another run does not check.

use sha2::{Digest, Sha256};
use std::fmt;

/// What stands before and behind the checksum at a document's end.
const BEFORE: &str = ",\n  \"sha256\": \"";
const BEHIND: &str = "\"\n}\n";
/// Hexadecimal digits of a SHA-256.
const DIGITS: usize = 64;

/// Which run a file is of: the checksum of its manifest.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct RunId([u8; 32]);

impl RunId {
    /// Of a text.
    pub fn of(text: &[u8]) -> RunId {
        RunId(Sha256::digest(text).into())
    }

    /// A CRC-32 that has heard of the run.
    pub(super) fn hasher(&self) -> crc32fast::Hasher {
        let mut crc = crc32fast::Hasher::new();
        crc.update(&self.0);
        crc
    }

    /// Checksum of a text of this run.
    pub fn crc(&self, text: &[u8]) -> u32 {
        let mut crc = self.hasher();
        crc.update(text);
        crc.finalize()
    }
}

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RunId({self})")
    }
}

/// A JSON object with the checksum of what stands before it as its last field.
///
/// # Panics
/// If the text is no object with a field.
pub fn seal(json: &str) -> String {
    let body = json.trim_end().strip_suffix('}').expect("a document is an object").trim_end();
    format!("{body}{BEFORE}{}{BEHIND}", RunId::of(body.as_bytes()))
}

/// A document that is not as it was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("does not end in the checksum of its content; it was changed, damaged or cut off")]
pub struct SealError;

/// The JSON object in a sealed document, without the checksum, and the checksum.
pub(super) fn unseal(mut document: Vec<u8>) -> Result<(Vec<u8>, RunId), SealError> {
    let length = document.len().checked_sub(BEFORE.len() + DIGITS + BEHIND.len()).ok_or(SealError)?;
    let (body, end) = document.split_at(length);
    let id = RunId::of(body);
    let found = end.strip_prefix(BEFORE.as_bytes()).and_then(|end| end.strip_suffix(BEHIND.as_bytes()));
    // As text: there is one way to write it.
    if found != Some(id.to_string().as_bytes()) {
        return Err(SealError);
    }
    document.truncate(length);
    document.push(b'}');
    Ok((document, id))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_flipped_bit_and_every_cut_is_found() {
        let text = seal("{\n  \"a\": [1, 2],\n  \"b\": \"c\"\n}\n");
        assert!(serde_json::from_str::<serde_json::Value>(&text).unwrap()["sha256"].is_string(), "{text}");
        let (body, id) = unseal(text.clone().into_bytes()).unwrap();
        assert_eq!(body, b"{\n  \"a\": [1, 2],\n  \"b\": \"c\"}");
        assert_eq!(id, RunId::of(&body[..body.len() - 1]));
        for at in 0..text.len() {
            for bit in 0..8 {
                let mut changed = text.clone().into_bytes();
                changed[at] ^= 1 << bit;
                assert_eq!(unseal(changed), Err(SealError), "byte {at}, bit {bit}");
            }
            assert_eq!(unseal(text.as_bytes()[..at].to_vec()), Err(SealError));
        }
    }

    #[test]
    fn a_text_checks_in_its_own_run_only() {
        let [a, b] = ["a", "b"].map(|text| RunId::of(text.as_bytes()));
        assert_ne!(a.crc(b"text"), b.crc(b"text"));
        assert_eq!(a.to_string().len(), DIGITS);
    }
}
