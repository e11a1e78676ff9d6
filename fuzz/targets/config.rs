//! A configuration: any text is read or refused, as a file and as `--set`; what is read can be trained, and is written and
//! read again the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;
use strat::config::{ConfigFile, InputFacts, Setup, TaskFacts};
use strat::model::Readout;

/// Tokens with Type and Data, with narrow Data, and sums.
static TASKS: LazyLock<[TaskFacts; 3]> = LazyLock::new(|| {
    let task = |inputs: [(&str, usize, usize); 2], tokens, readout| {
        let input = |(name, rows, width): (&str, usize, usize)| InputFacts { name: name.into(), rows, width };
        let inputs = inputs.map(input).to_vec();
        TaskFacts { name: "a task".into(), inputs, tokens, is_padded: false, readout, is_file: true }
    };
    [
        task([("type", 9, 8), ("data", 9, 3)], 9, Readout::Binary),
        task([("type", 4, 4), ("data", 4, 1)], 4, Readout::Class(3)),
        task([("kind", 5, 1), ("value", 3, 1)], 5, Readout::Number),
    ]
});

fn read(config: &ConfigFile) {
    for task in &*TASKS {
        let Ok(all) = config.resolve(task, None).map_err(|e| e.to_string()) else { continue };
        for setting in all.settings.into_iter().take(16) {
            assert!(setting.model.check().is_ok() && setting.train.check().is_ok());
            let setup = Setup::new(vec![setting.model], setting.train, all.seeds);
            let again = ConfigFile::parse("again", &setup.to_toml("again")).expect("what is written is read");
            let again = again.resolve(task, Some(&setup)).expect("what is written can be trained");
            assert_eq!((&again.settings[0].model, again.seeds), (&setup.models[0], setup.seeds));
            assert_eq!(again.settings[0].train, setup.train);
            assert!(setup.models[0].model().is_some(), "only models of the paper have settings");
        }
    }
}

fuzz_target!(|input: &[u8]| {
    let Ok(text) = std::str::from_utf8(input) else { return };
    match ConfigFile::parse("c.toml", text) {
        Ok(config) => read(&config),
        Err(e) => assert!(!e.to_string().contains('\n'), "{e}"),
    }
    // The same, line by line, as --set.
    let mut config = ConfigFile::empty("c.toml");
    if text.lines().all(|line| config.set(line).map_err(|e| e.to_string()).is_ok()) {
        read(&config);
    }
});
