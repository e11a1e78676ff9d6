//! What is written is read as the same; and whatever is read is answered.

use super::*;

/// Every model that the paper has, with training of every form.
fn setups() -> Vec<(TaskFacts, Setup)> {
    let mut all = vec![];
    let trainings = [
        TrainConfig::default(),
        TrainConfig { adam: Adam::new(1e-2), clip: None, ..TrainConfig::default() },
        TrainConfig { schedule: Schedule::Linear { warmup: 7 }, steps: 6000, ..TrainConfig::default() },
        TrainConfig {
            schedule: Schedule::Cosine { warmup: 0 },
            anneal: Some(Anneal { from: 0.6, sharpness: 4.0, rate: 0.01 }),
            ..TrainConfig::default()
        },
    ];
    let mut add = |task: &TaskFacts, model: ModelRecord| {
        for (i, train) in trainings.into_iter().enumerate() {
            let seeds = Seeds::new(41, 41 + i as u64).unwrap();
            all.push((task.clone(), Setup::new(vec![model.clone()], train, seeds)));
        }
    };
    for name in ["sudoku", "satbench", "satlib", "tic-tac-toe", "life", "parity5", "m-of-n"] {
        for architecture in Architecture::ALL {
            let model = Entry::named(name).unwrap().model(architecture);
            let s = model.sizes;
            let tokens = if let AttentionMask::Torus(side) = s.mask { side * side } else { 81 };
            let inputs = [("type", tokens, s.types), ("data", tokens, s.data)];
            let is_padded = name.starts_with("sat");
            add(&TaskFacts { is_padded, ..facts(&inputs, tokens, s.readout) }, model.into());
        }
    }
    let items = facts(&[("kind", 5, 1), ("value", 5, 1)], 5, Readout::Number);
    for lite in Lite::ALL {
        add(&sums(), lite.into());
        add(&items, Lite { types: Types::Items, ..lite }.into());
    }
    add(&sums(), Lite { types: Types::Fixed, ..Lite::STANDARD }.into());
    for config in Unityped::LEARNED.into_iter().chain([Unityped::Ref]) {
        add(&sums(), config.into());
    }
    add(&sums(), Unit::Nac.into());
    add(&sums(), Unit::Nalu.into());
    all
}

#[test]
fn what_is_written_is_read_as_the_same() {
    let setups = setups();
    for (task, setup) in &setups {
        let text = setup.to_toml("as in the paper");
        let config = ConfigFile::parse("written.toml", &text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let same = |offered: Option<&Setup>| {
            let all = config.resolve(task, offered).unwrap_or_else(|e| panic!("{e}\n{text}"));
            assert_eq!(
                (all.settings.len(), all.settings[0].train, all.seeds),
                (1, setup.train, setup.seeds),
                "{text}"
            );
            all.settings[0].model.clone()
        };
        assert_eq!(same(Some(setup)), setup.models[0], "{text}");
        // Also without the offer: the text has all that matters to this model. What is only the other's is its own.
        match (same(None), &setup.models[0]) {
            (ModelRecord::Blocks(mut found), ModelRecord::Blocks(model)) => {
                match model.architecture {
                    Architecture::Strat => found.sizes.transformer_biases = model.sizes.transformer_biases,
                    Architecture::Transformer => found.sizes.strat_biases = model.sizes.strat_biases,
                }
                assert_eq!(found, *model, "{text}");
            }
            (found, model) => assert_eq!(found, *model, "{text}"),
        }
    }
    assert_eq!(setups.len(), 4 * (14 + 8 + 1 + 13 + 2));
}

#[test]
fn a_written_file_is_commented() {
    let model = Entry::named("life").unwrap().model(Architecture::Strat);
    let setup = Setup::new(vec![model.into()], TrainConfig::default(), Seeds::new(41, 50).unwrap());
    let text = setup.to_toml("life: as in the paper");
    assert!(text.starts_with("# life: as in the paper\n# A list instead of a value"), "{text}");
    let line = "kind = \"strat\"                # strat, transformer, lite, unityped, nac or nalu\n";
    assert!(text.contains(line), "{text}");
    assert!(text.lines().all(|l| l.is_empty() || l.starts_with(['#', '[']) || l.contains("# ")), "{text}");
}

#[test]
fn what_is_offered_is_where_nothing_is_said() {
    let (task, setup) = setups().into_iter().find(|(_, s)| s.train.anneal.is_some()).unwrap();
    let mut config = ConfigFile::empty("the command line");
    let all = config.resolve(&task, Some(&setup)).unwrap();
    assert_eq!((&all.settings[0].model, all.settings[0].train), (&setup.models[0], setup.train));
    // The opponent has the same sizes.
    config.set("model.kind=transformer").unwrap();
    let model = config.resolve(&task, Some(&setup)).unwrap().settings[0].model.clone();
    let BlockModel { architecture, sizes } = *block_of(&model);
    assert_eq!((architecture, sizes), (Architecture::Transformer, block_of(&setup.models[0]).sizes));
}

/// Keys and values of a configuration, with slips.
fn texts() -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "seeds",
        "task",
        "model",
        "train",
        "kind",
        "layers",
        "heads",
        "hidden",
        "route",
        "mask",
        "window",
        "side",
        "width",
        "types",
        "config",
        "steps",
        "learning_rate",
        "schedule",
        "warmup",
        "clip",
        "anneal",
        "from",
        "readout",
        "classes",
        "[",
        "]",
        "[[",
        "]]",
        "{",
        "}",
        "=",
        ".",
        ",",
        "\n",
        "\"",
        "'",
        "#",
        "\"\"\"",
        "1",
        "-1",
        "1e-3",
        "1e999",
        "nan",
        "0x10",
        "true",
        "false",
        "\"strat\"",
        "\"lite\"",
        "\"causal\"",
        "\"41..50\"",
        "1979-05-27",
        "\u{1b}",
        "é",
        " ",
    ]);
    prop::collection::vec(word, 0..40).prop_map(|words| words.join(" "))
}

proptest! {
    #[test]
    fn no_text_makes_it_panic(text in texts(), set in texts(), bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        for text in [&*text, &String::from_utf8_lossy(&bytes)] {
            for task in [table(), sums()] {
                let _ = resolve(&task, &[text]).map_err(|e| e.to_string());
                let _ = resolve(&task, &["", text]).map_err(|e| e.to_string());
                let _ = resolve(&task, &["", &format!("train.{set}={text}")]).map_err(|e| e.to_string());
            }
        }
    }

    #[test]
    fn a_file_that_is_cut_or_changed_is_read_or_refused(which in 0usize..152, at in any::<usize>(), byte in any::<u8>()) {
        let (task, setup) = &setups()[which];
        let text = setup.to_toml("x");
        let mut changed = text.clone().into_bytes();
        let at = at % changed.len();
        changed[at] = byte;
        for text in [&text[..at], &String::from_utf8_lossy(&changed)] {
            if let Ok(all) = ConfigFile::parse("c", text).and_then(|config| config.resolve(task, Some(setup))) {
                for setting in all.settings {
                    prop_assert!(setting.model.check().is_ok() && setting.train.check().is_ok());
                }
            }
        }
    }
}
