//! What tests need from a machine beside the toolchain. Without it they say that they are skipped; with
//! `STRAT_REQUIRE=data,browser,slurm` that is a failure, for machines that should have it.

use std::fmt::Display;

/// What can be required: the real files, Chromium, Slurm (`docs/slurm/check`), python3, Node.js, a disk of our own, the
/// linters of `.ci/lint`, PyTorch with safetensors, the Python wheel
/// (`python/check`), axe-core (`.ci/axe`), the playground's module (`web/build`).
const NEEDS: [&str; 11] =
    ["data", "browser", "slurm", "python", "node", "mount", "lint", "torch", "wheel", "axe", "wasm"];

/// Says that a test, or a part of it, is skipped; fails if what is missing is required.
pub fn skip(need: &str, why: impl Display) {
    let required = std::env::var("STRAT_REQUIRE").unwrap_or_default();
    match is_required(&required, need) {
        Ok(false) => eprintln!("skipped: {why}"),
        Ok(true) => panic!("{why}; STRAT_REQUIRE={required} makes that a failure"),
        Err(problem) => panic!("{problem}"),
    }
}

/// Whether a list has this word. Others than the known ones are slips, and would require nothing.
pub fn is_required(list: &str, need: &str) -> Result<bool, String> {
    assert!(NEEDS.contains(&need), "{need}: no test needs that");
    let words: Vec<&str> = list.split(',').map(str::trim).filter(|word| !word.is_empty()).collect();
    match words.iter().find(|word| !NEEDS.contains(word)) {
        Some(word) => Err(format!("STRAT_REQUIRE has {word:?}; it knows {}", NEEDS.join(", "))),
        None => Ok(words.contains(&need)),
    }
}
