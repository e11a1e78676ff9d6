//! A file of examples, as JSON lines and as safetensors: any bytes are examples that can be encoded, or refused.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::path::Path;
use strat::config::{ConfigFile, ReadoutChoice, TaskFacts};
use strat::internals::parse_arrays;
use strat::task::{ArrayTask, Batch, Task};

fuzz_target!(|input: &[u8]| {
    for name in ["x.jsonl", "x.safetensors"] {
        let Ok(arrays) = parse_arrays(Path::new(name), input).map_err(|e| e.to_string()) else { continue };
        let Ok(task) = ArrayTask::new(name, arrays, ReadoutChoice::default()).map_err(|e| e.to_string()) else {
            continue;
        };
        let asked = task.asked();
        assert_eq!(Batch::of(&task, task.most_tokens(), &asked).len(), asked.len());
        assert!(asked.iter().enumerate().all(|(i, example)| task.number(example) == i));
        let _ = ConfigFile::empty("c").resolve(&TaskFacts::from(&task), None).map_err(|e| e.to_string());
    }
});
