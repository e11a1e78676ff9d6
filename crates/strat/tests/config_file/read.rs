//! What a configuration means.

use super::*;

#[test]
fn nothing_given_is_a_table_like_strat_as_wide_as_the_examples() {
    let all = resolve(&table(), &[""]).unwrap();
    assert_eq!((all.seeds.to_string(), all.settings.len()), ("41..50".into(), 1));
    assert_eq!((&*all.settings[0].name, all.settings[0].train), ("STRAT", TrainConfig::default()));
    let sizes = BlockConfig { types: 8, data: 3, stream: 12, route: Some(8), ..BlockConfig::TABULAR };
    assert_eq!(block_of(&all.settings[0].model).sizes, sizes);
    // As many heads as divide the width of Type.
    for (types, heads) in [(1, 1), (2, 2), (3, 1), (4, 4), (6, 2), (12, 4)] {
        let task = facts(&[("data", 9, 3), ("type", 9, types)], 9, Readout::Class(2));
        let settings = resolve(&task, &[""]).unwrap().settings;
        assert_eq!(block_of(&settings[0].model).sizes.heads, heads, "{types}");
    }
    // Where examples differ in length, padding is not seen.
    let padded = TaskFacts { readout: Readout::Binary, is_padded: true, ..table() };
    let sizes = block_of(&resolve(&padded, &[""]).unwrap().settings[0].model).sizes;
    assert_eq!((sizes.mask, sizes.heads, sizes.stream), (AttentionMask::Causal(64), 1, 11));
    let lite = |types| ModelRecord::from(Lite { types, ..Lite::STANDARD });
    assert_eq!(resolve(&sums(), &[""]).unwrap().settings[0].model, lite(Types::Latent));
    let items = facts(&[("kind", 5, 1), ("value", 5, 1)], 5, Readout::Number);
    assert_eq!(resolve(&items, &[""]).unwrap().settings[0].model, lite(Types::Items));
}

#[test]
fn lists_are_a_sweep_in_a_fixed_order() {
    let text = "[train]\nweight_decay = [0, 0.1]\nlearning_rate = [1e-3, 3e-3]\nsteps = [10, 20]\n\
                [model]\nkind = [\"transformer\", \"strat\"]\nhidden = [[8], [8, 8]]";
    let names = |texts: &[&str]| -> Vec<String> {
        resolve(&table(), texts).unwrap().settings.into_iter().map(|s| s.name).collect()
    };
    let all = names(&[text]);
    assert_eq!(all.len(), 32);
    assert_eq!(
        all[..5],
        [
            "Transformer, hidden [8], steps 10, learning_rate 0.001, weight_decay 0",
            "Transformer, hidden [8], steps 10, learning_rate 0.001, weight_decay 0.1",
            "Transformer, hidden [8], steps 10, learning_rate 0.003, weight_decay 0",
            "Transformer, hidden [8], steps 10, learning_rate 0.003, weight_decay 0.1",
            "Transformer, hidden [8], steps 20, learning_rate 0.001, weight_decay 0",
        ]
    );
    assert_eq!(all[31], "STRAT, hidden [8, 8], steps 20, learning_rate 0.003, weight_decay 0.1");
    // Learners that one machine can train are neighbours.
    let settings = resolve(&table(), &[text]).unwrap().settings;
    let groups = settings.chunk_by(|a, b| a.model == b.model && a.train.steps == b.train.steps).count();
    assert_eq!(groups, 8);
    // --set goes before the file, and a list of one is no sweep.
    assert_eq!(
        names(&[text, "train.steps=[5]", "train.learning_rate=0.01", "train.weight_decay=0", "model.kind=strat"]),
        ["STRAT, hidden [8]", "STRAT, hidden [8, 8]"]
    );
}

#[test]
fn a_key_counts_only_where_it_has_an_effect() {
    let binary = TaskFacts { readout: Readout::Binary, ..table() };
    let text = "[model]\nmask = [\"full\", \"causal\", \"torus\"]\nwindow = [2, 3]\n[train]\nschedule = [\"constant\", \
                \"cosine\"]\nwarmup = [1, 2]";
    let settings = resolve(&binary, &[text]).unwrap().settings;
    let names: Vec<&str> = settings.iter().map(|s| &*s.name).collect();
    assert_eq!(names.len(), 4 * 3);
    assert_eq!(names[0], "STRAT, mask full, schedule constant");
    assert_eq!(names[5], "STRAT, mask causal, window 2, schedule cosine, warmup 2");
    assert_eq!(block_of(&settings[9].model).sizes.mask, AttentionMask::Torus(3));
    assert_eq!(settings[5].train.schedule, Schedule::Cosine { warmup: 2 });
    let mixed = "[model]\nkind = [\"lite\", \"unityped\"]\nwidth = [2, 4]\nconfig = [\"A\", \"A_ln\"]";
    let settings = resolve(&sums(), &[mixed]).unwrap().settings;
    let names: Vec<&str> = settings.iter().map(|s| &*s.name).collect();
    assert_eq!(names, ["STRAT-Lite, width 2", "STRAT-Lite, width 4", "Config A", "Config A_ln"]);
    // Off and on.
    let text = "[model]\nroute = [4, false]\n[train]\nclip = [false, 2]\nanneal = [false, { rate = 0.5 }]";
    let settings = resolve(&table(), &[text]).unwrap().settings;
    assert_eq!(settings[7].name, "STRAT, route false, clip 2, anneal {rate = 0.5}");
    assert_eq!(settings[7].train.anneal, Some(Anneal { from: 0.6, sharpness: 4.0, rate: 0.5 }));
    assert_eq!((settings[0].train.clip, block_of(&settings[7].model).sizes.route), (None, None));
}

#[test]
fn parts_of_a_table_and_bare_words_can_be_set() {
    let sets = ["train.anneal.rate=0.2", "seeds=3..4", "model.kind=transformer", "train.anneal.from=0.7"];
    let texts: Vec<&str> = ["[train]\nanneal = { rate = 0.5, sharpness = 2 }"].into_iter().chain(sets).collect();
    let all = resolve(&table(), &texts).unwrap();
    assert_eq!(all.settings[0].train.anneal, Some(Anneal { from: 0.7, sharpness: 2.0, rate: 0.2 }));
    assert_eq!((all.seeds, &*all.settings[0].name), (Seeds::new(3, 4).unwrap(), "Transformer"));
}

#[test]
fn options_of_blocks_are_read_and_kept_in_records() {
    let text = "[model]\nstart_routes = \"xavier\"\nscale_scores = false";
    let sharp = resolve(&table(), &[text]).unwrap();
    let model = *block_of(&sharp.settings[0].model);
    assert_eq!(model.sizes.options, BlockOptions::SHARP_START);
    // Queries and keys alone start larger: of a square matrix, √3 times as large as PyTorch's.
    let bound = |name: &str| match model.params().iter().find(|p| p.name == name).unwrap().init {
        Init::Uniform(bound) => bound * (model.sizes.types as f64).sqrt(),
        other => panic!("{name} starts as {other:?}"),
    };
    assert!((bound("block.0.query.weight") - 3f64.sqrt()).abs() < 1e-12);
    assert!((bound("block.0.type_value.weight") - 1.0).abs() < 1e-12);
    let record = serde_json::to_string(&sharp.settings[0].model).unwrap();
    assert!(record.contains("options"), "{record}");
    assert_eq!(serde_json::from_str::<ModelRecord>(&record).unwrap(), sharp.settings[0].model);
    // Where nothing is chosen, records stay as they were.
    let specified = resolve(&table(), &["[model]\nnorm_routes = true"]).unwrap();
    assert!(!serde_json::to_string(&specified.settings[0].model).unwrap().contains("options"));
    // What a Transformer has not cannot be chosen.
    let error =
        resolve(&table(), &["[model]\nkind = \"transformer\"\nnorm_routes = false"]).unwrap_err().to_string();
    assert!(error.contains("model.norm_routes") && error.contains("model.kind = \"strat\""), "{error}");
}

#[test]
fn dropout_and_starts_are_read_and_bounded() {
    let text = "[model]\ndropout = 0.2\nstart_head = \"zero\"\nstart_routes = \"kaiming\"";
    let model = *block_of(&resolve(&table(), &[text]).unwrap().settings[0].model);
    assert_eq!((model.sizes.options.dropout, model.sizes.options.start_head), (0.2, Start::Zero));
    let init = |name: &str| model.params().iter().find(|p| p.name == name).unwrap().init;
    assert_eq!(init("head.weight"), Init::Constant(0.0));
    let kaiming = (6.0 / model.sizes.types as f64).sqrt();
    assert_eq!(init("block.0.query.weight"), Init::Uniform(kaiming));
    let wrong = |text: &str| resolve(&table(), &[text]).unwrap_err().to_string();
    assert!(wrong("[model]\ndropout = 1").contains("a number from 0 to 0.99"), "{}", wrong("[model]\ndropout = 1"));
    assert!(wrong("[model]\ndropout = nan").contains("a number from 0 to 0.99"));
    assert!(wrong("[model]\nstart_offsets = 0.2").contains("model.mask = \"torus\""));
    let lite = resolve(&sums(), &["[model]\nkind = \"lite\"\ndropout = 0.1"]).unwrap_err().to_string();
    assert!(lite.contains("model.dropout") && lite.contains("model.kind"), "{lite}");
}

/// An unityped model that starts otherwise is another model in records; one as specified keeps its name.
#[test]
fn unityped_models_start_as_they_are_told() {
    let of = |text: &str| resolve(&sums(), &[text]).unwrap().settings[0].model.clone();
    let kind = "[model]\nkind = \"unityped\"\nconfig = \"A\"\n";
    let specified = of(kind);
    assert_eq!(serde_json::to_string(&specified).unwrap(), "{\"unityped\":\"A\"}");
    assert_eq!(of(&format!("{kind}start = \"xavier\"")), specified);
    let other = of(&format!("{kind}start = \"pytorch\""));
    let record = serde_json::to_string(&other).unwrap();
    assert_eq!(record, "{\"unityped\":{\"config\":\"A\",\"start\":\"pytorch\"}}");
    assert_eq!(serde_json::from_str::<ModelRecord>(&record).unwrap(), other);
    let gate = |model: &ModelRecord| model.params().iter().find(|p| p.name == "gate.weight").unwrap().init;
    assert_eq!([gate(&specified), gate(&other)], [Init::Uniform(0.5f64.sqrt()), Init::Uniform(1.0 / 6f64.sqrt())]);
}

#[test]
fn a_readout_is_chosen() {
    let choice = |text: &str| ConfigFile::parse("c.toml", text).unwrap().readout().unwrap();
    assert_eq!(choice(""), ReadoutChoice::default());
    let chosen = ReadoutChoice { kind: Some(ReadoutKind::TokenClass), classes: Some(5) };
    assert_eq!(choice("[task]\nreadout = \"token-class\"\nclasses = 5"), chosen);
}
