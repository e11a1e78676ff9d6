//! Runs that were damaged, changed by hand or forged. Every reader refuses them with the name of the file, or says what
//! it said before: no other result, no panic, no end of waiting, no memory beyond twice the file.
//!
//! A sample of all places here; every byte with `STRAT_SWEEP=all cargo test --release -p strat --test damage`.

mod flips;
mod folders;
mod harness;
mod kept;
mod leaves;
#[allow(dead_code, reason = "the limits are others here")]
#[path = "../../../../fuzz/src/meter.rs"]
mod meter;
mod readers;
#[path = "../../../strat/tests/common/reseal.rs"]
mod reseal;
