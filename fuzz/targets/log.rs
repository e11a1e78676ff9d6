//! `learners.jsonl`: any bytes, and any lines behind right checksums.
#![no_main]

use libfuzzer_sys::fuzz_target;
use strat::internals::{Line, Log, Misfit, RunId};
use strat::metric::{Better, Metric, Unit};
use strat_fuzz::{grown, limits, meter::bounded};

/// What some lines lack.
static LACKED: Metric = Metric::new("y", "y", Unit::Number, Better::Neither);

/// The run of the seeds.
fn run() -> RunId {
    RunId::of(b"a manifest")
}

/// The lines of a text with the checksum that each should have.
fn sealed(text: &[u8]) -> Vec<u8> {
    let mut out = vec![];
    for line in text.split(|b| *b == b'\n') {
        let crc = run().crc(line);
        out.extend_from_slice(line);
        out.extend_from_slice(format!(",\"crc\":\"{crc:08x}\"}}\n").as_bytes());
    }
    out
}

fn read(text: Vec<u8>) {
    let length = text.len();
    let belongs = |i: usize, line: &Line| match line.metrics.contains_key("x") {
        true => Err(Misfit::NoScore(&LACKED)),
        false if line.seed == i as u64 + 1 => Err(Misfit::Order),
        false => Ok(()),
    };
    let run = run();
    let log = bounded(length, limits::LOG, || Log::read(text, &run, belongs).map_err(|e| e.to_string()));
    if let Ok(log) = log {
        assert!(log.bytes() <= length as u64);
        (0..log.len()).for_each(|i| assert_eq!(belongs(i, &log.line(i)), Ok(())));
    }
}

fuzz_target!(|input: &[u8]| {
    let text = grown(input);
    read(sealed(&text));
    read(text);
});
