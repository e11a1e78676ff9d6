//! Settings from TOML: what is read, what is refused and in which words, and the way back.

use proptest::prelude::*;
use strat::config::{
    ConfigFile, ConfigFileError, InputFacts, ReadoutChoice, ReadoutKind, ResolvedConfig, Setup, TaskFacts,
};
use strat::internals::MOST_SETTINGS;
use strat::model::{
    Architecture, AttentionMask, BlockConfig, BlockModel, BlockOptions, Init, Lite, ModelRecord, Readout, Start,
    Types, Unit, Unityped,
};
use strat::seeds::Seeds;
use strat::task::Entry;
use strat::train::{Adam, Anneal, Schedule, TrainConfig};

fn facts(inputs: &[(&str, usize, usize)], tokens: usize, readout: Readout) -> TaskFacts {
    let input = |&(name, rows, width): &(&str, usize, usize)| InputFacts { name: name.into(), rows, width };
    let inputs = inputs.iter().map(input).collect();
    TaskFacts { name: "votes.jsonl".into(), inputs, tokens, is_padded: false, readout, is_file: true }
}

/// Nine tokens of 8 + 3 channels, in one of two classes.
fn table() -> TaskFacts {
    facts(&[("data", 9, 3), ("type", 9, 8)], 9, Readout::Class(2))
}

fn sums() -> TaskFacts {
    facts(&[("kind", 5, 1), ("value", 3, 1)], 5, Readout::Number)
}

/// The settings for a table of one's own; texts after the first are those of `--set`.
fn resolve(task: &TaskFacts, texts: &[&str]) -> Result<ResolvedConfig, ConfigFileError> {
    let mut config = ConfigFile::parse("c.toml", texts[0])?;
    texts[1..].iter().try_for_each(|text| config.set(text))?;
    config.resolve(task, None)
}

fn block_of(model: &ModelRecord) -> &BlockModel {
    match model {
        ModelRecord::Blocks(model) => model,
        other => panic!("{other:?}"),
    }
}

#[test]
fn mistakes_are_told_with_place_key_value_and_remedy() {
    let mistakes: &[(&[&str], &str)] = &[
        // TOML
        (
            &["[train]\nsteps = \n"],
            "c.toml: line 2: this is not TOML: string values must be quoted, expected literal string",
        ),
        (&["[train\n"], "c.toml: line 1: this is not TOML: unclosed table, expected `]`"),
        (&["[train]\nsteps = 1\nsteps = 2"], "c.toml: line 3: this is not TOML: the key steps is there twice"),
        (&["[train]\n[model]\n[train]"], "c.toml: line 3: this is not TOML: the key train is there twice"),
        // Keys
        (&["[train]\nepochs = 10"], "c.toml: line 2: there is no key train.epochs; did you mean train.steps?"),
        (
            &["\n[train]\nlearning_rat = 1"],
            "c.toml: line 3: there is no key train.learning_rat; did you mean train.learning_rate?",
        ),
        (&["[train]\nlr = 1"], "c.toml: line 2: there is no key train.lr; did you mean train.learning_rate?"),
        (&["steps = 1"], "c.toml: line 1: there is no key steps; did you mean train.steps?"),
        (&["[trian]\nsteps = 1"], "c.toml: line 2: there is no key trian.steps; did you mean train.steps?"),
        (&["[train]\nheads = 1"], "c.toml: line 2: there is no key train.heads; did you mean model.heads?"),
        (&["seed = 1"], "c.toml: line 1: there is no key seed; did you mean seeds?"),
        (&["\"train.steps\" = 1"], "c.toml: line 1: there is no key \"train.steps\"; did you mean train.steps?"),
        (
            &["[optimizer]"],
            "c.toml: line 1: there is no key optimizer; there are seeds, [task], [model] and [train]",
        ),
        (
            &["[model]\n\"\\u001b[31m\" = 1"],
            "c.toml: line 2: there is no key model.\\u001b[31m; there are model.kind, model.layers, model.mask, model.window, model.side, model.heads, model.hidden, model.route, model.updates_type, model.biases, model.start_routes, model.start_values, model.start_gates, model.start_hidden, model.start_head, model.start_offsets, model.scale_scores, model.norm_routes, model.dropout, model.start, model.width, model.types and model.config",
        ),
        (
            &["[model]\nstream = 64"],
            "c.toml: line 2: model.stream is not a setting, because the task decides it; leave it out",
        ),
        (&["model = 3"], "c.toml: line 1: model is 3, but should be a table: a line [model] with its keys below"),
        (
            &["[[model]]\nlayers = 1"],
            "c.toml: line 1: model is [[model]], but should be a table: a line [model] with its keys below",
        ),
        // Keys without effect
        (
            &["[model]\nwidth = 4"],
            "c.toml: line 2: model.width would have no effect; it needs model.kind = \"lite\"",
        ),
        (
            &["[model]\ntypes = 8"],
            "c.toml: line 2: model.types would have no effect; it needs model.kind = \"lite\"; other models have Type as wide as the examples",
        ),
        (
            &["[model]\nwindow = 4"],
            "c.toml: line 2: model.window would have no effect; it needs model.mask = \"causal\"",
        ),
        (
            &["[model]\nside = 3"],
            "c.toml: line 2: model.side would have no effect; it needs model.mask = \"torus\"",
        ),
        (
            &["[train]\nwarmup = 3"],
            "c.toml: line 2: train.warmup would have no effect; it needs train.schedule = \"linear\" or \"cosine\"",
        ),
        (
            &["[task]\nreadout = \"number\"\nclasses = 3"],
            "c.toml: line 3: task.classes would have no effect; it needs task.readout = \"class\" or \"token-class\"",
        ),
        // Values
        (&["seeds = 41"], "c.toml: line 1: seeds is 41, but should be a text as in \"41..=50\""),
        (&["seeds = \"50..41\""], "c.toml: line 1: seeds: \"50..41\" runs backwards; did you mean 41..50?"),
        (
            &["seeds = \"many\""],
            "c.toml: line 1: seeds: \"many\" should be two whole numbers A..B, first and last seed, as in 1..400",
        ),
        (
            &["[task]\nreadout = \"classes\""],
            "c.toml: line 2: task.readout is \"classes\", but should be class, binary, token-class, token-binary or number",
        ),
        (&["[task]\nclasses = 1"], "c.toml: line 2: task.classes is 1, but should be a whole number from 2 to 256"),
        (
            &["[model]\nkind = \"stratt\""],
            "c.toml: line 2: model.kind is \"stratt\", but should be strat, transformer, lite, unityped, nac or nalu",
        ),
        (&["[model]\nlayers = 0"], "c.toml: line 2: model.layers is 0, but should be a whole number from 1 to 64"),
        (
            &["[model]\nlayers = -1"],
            "c.toml: line 2: model.layers is -1, but should be a whole number of at least 1",
        ),
        (
            &["[model]\nlayers = 99999999999999999999"],
            "c.toml: line 2: model.layers is 99999999999999999999, but should be a whole number of at least 1",
        ),
        (
            &["[model]\nlayers = 1979-05-27"],
            "c.toml: line 2: model.layers is 1979-05-27, but should be a whole number of at least 1",
        ),
        (
            &["[model]\nhidden = 68"],
            "c.toml: line 2: model.hidden is 68, but should be a list of one or two widths, as in [68, 68], or a list of such lists",
        ),
        (
            &["[model]\nhidden = [68, [32]]"],
            "c.toml: line 2: model.hidden is [68, [32]], but should be a list of one or two widths, as in [68, 68], or a list of such lists",
        ),
        (
            &["[model]\nroute = true"],
            "c.toml: line 2: model.route is true, but should be a whole number of at least 1, or false",
        ),
        (&["[model]\nbiases = 1"], "c.toml: line 2: model.biases is 1, but should be true or false"),
        (
            &["[model]\nmask = \"local\""],
            "c.toml: line 2: model.mask is \"local\", but should be full, causal or torus",
        ),
        (
            &["[train]\nsteps = 2e3"],
            "c.toml: line 2: train.steps is 2e3, but should be a whole number of at least 0",
        ),
        (
            &["[train]\nsteps = 10_000_000"],
            "c.toml: line 2: train.steps is 10_000_000, but should be from 0 to 1000000",
        ),
        (
            &["[train]\nlearning_rate = \"fast\""],
            "c.toml: line 2: train.learning_rate is \"fast\", but should be a number",
        ),
        (
            &["[train]\nlearning_rate = nan"],
            "c.toml: line 2: train.learning_rate is nan, but should be above 0 and at most 1",
        ),
        (
            &["[train]\nweight_decay = -0.1"],
            "c.toml: line 2: train.weight_decay is -0.1, but should be from 0 to 1",
        ),
        (&["[train]\nbeta2 = 1"], "c.toml: line 2: train.beta2 is 1, but should be from 0 to below 1"),
        (&["[train]\nclip = true"], "c.toml: line 2: train.clip is true, but should be a number or false"),
        (
            &["[train]\nschedule = \"step\""],
            "c.toml: line 2: train.schedule is \"step\", but should be constant, linear or cosine",
        ),
        (
            &["[train]\nsteps = 10\nschedule = \"cosine\"\nwarmup = 11"],
            "c.toml: line 4: train.warmup: schedule.warmup is 11, but should be from 0 to 10, which is steps",
        ),
        (
            &["[train]\nanneal = true"],
            "c.toml: line 2: train.anneal is true, but should be { from, sharpness, rate } or false",
        ),
        (
            &["[train.anneal]\nfrom = 0.5\nspeed = 1"],
            "c.toml: line 3: there is no key train.anneal.speed; there are from, sharpness and rate",
        ),
        (
            &["[train]\nanneal = { rate = 2 }"],
            "c.toml: line 2: train.anneal.rate is 2, but should be above 0 and at most 1",
        ),
        // Values that do not go together
        (
            &["[model]\nheads = 3"],
            "c.toml: line 2: model.heads: heads should divide the width of Type, which the examples make 8, but there are 3",
        ),
        (&["[model]\nroute = 30"], "c.toml: line 2: model.route: heads should divide route, but they are 4 and 30"),
        (
            &["[model]\nroute = false\nupdates_type = false"],
            "c.toml: line 3: model.updates_type: where Data does not travel (route = false), updates_type should be true",
        ),
        (
            &["[model]\nmask = \"causal\""],
            "c.toml: line 2: model.mask: a class is read at the first token, which sees only itself under a causal mask; use full",
        ),
        (
            &["[model]\nmask = \"torus\"\nside = 4"],
            "c.toml: line 3: model.side: a torus of side 4 has 16 tokens, but the examples have 9",
        ),
        (
            &["[model]\nkind = \"nac\""],
            "c.toml: line 2: model.kind: \"nac\" reads kind, and value of every second token, for an answer that is a number; votes.jsonl has data, type",
        ),
        // Lists
        (
            &["seeds = [\"1..2\", \"3..4\"]"],
            "c.toml: line 1: seeds cannot be a list; it is one for the whole run, as in \"41..=50\"",
        ),
        (
            &["[task]\nreadout = [\"class\", \"number\"]"],
            "c.toml: line 2: task.readout cannot be a list; it is one for the whole run, as in \"class\"",
        ),
        (
            &["[train]\nlearning_rate = []"],
            "c.toml: line 2: train.learning_rate is an empty list; name at least one value, or leave the key out",
        ),
        (
            &["[train]\nlearning_rate = [1e-3, 0.1, 0.001]"],
            "c.toml: line 2: train.learning_rate has 0.001 twice; every value of a list is a row of its own",
        ),
        (
            &["[model]\nhidden = [[8], [8, 8], [8]]"],
            "c.toml: line 2: model.hidden has [8] twice; every value of a list is a row of its own",
        ),
        (
            &["[train]\nlearning_rate = [\n  1e-3,\n  \"x\",\n]"],
            "c.toml: line 4: train.learning_rate is \"x\", but should be a number",
        ),
        (
            &["[train]\nsteps = [[1, 2], [3]]"],
            "c.toml: line 2: train.steps is [1, 2], but should be a whole number of at least 0",
        ),
        (
            &["[model]\nstart_routes = \"Xavier\""],
            "c.toml: line 2: model.start_routes is \"Xavier\", but should be pytorch, xavier, kaiming or zero",
        ),
        (&["[model]\nscale_scores = 1"], "c.toml: line 2: model.scale_scores is 1, but should be true or false"),
        // --set
        (&["", "train.steps"], "setting 1: \"train.steps\" should be KEY=VALUE, as in train.learning_rate=0.003"),
        (&["", "train.steps="], "setting 1: \"train.steps=\" should be KEY=VALUE, as in train.learning_rate=0.003"),
        (
            &["", "train.steps=1\nseeds=2"],
            "setting 1: \"train.steps=1\\nseeds=2\" should be KEY=VALUE, as in train.learning_rate=0.003",
        ),
        (
            &["", "train.steps=7", "train.stepz=3"],
            "setting 2: there is no key train.stepz; did you mean train.steps?",
        ),
        (
            &["", "train.steps=7", "train.steps=3"],
            "setting 2: train.steps is given twice, first at setting 1; keep one of them",
        ),
        (
            &["", "train.anneal.rate=0.1", "train.anneal.rate=0.2"],
            "setting 2: train.anneal.rate is given twice, first at setting 1; keep one of them",
        ),
        (&["", "train.learning_rate=[1e-3"], "setting 1: this is not TOML: unclosed array, expected `]`"),
        (&["", "train.learning_rate=fast"], "setting 1: train.learning_rate is \"fast\", but should be a number"),
        (
            &["", "model=lite"],
            "setting 1: model is \"lite\", but should be a table: a line [model] with its keys below",
        ),
    ];
    let mut wrong = 0;
    for (texts, expected) in mistakes {
        let found = resolve(&table(), texts).map(|_| ()).map_err(|e| e.to_string());
        if found.as_ref().err().map(String::as_str) != Some(expected) {
            println!("{texts:?}\n  expected {expected}\n  found    {found:?}");
            wrong += 1;
        }
    }
    assert_eq!(wrong, 0, "of {} mistakes", mistakes.len());
    assert!(mistakes.len() > 60);
}

#[test]
fn mistakes_that_depend_on_the_task() {
    let message = |task: &TaskFacts, text: &str| resolve(task, &[text]).unwrap_err().to_string();
    let known = TaskFacts { name: "tic-tac-toe".into(), is_file: false, ..table() };
    assert_eq!(
        message(&known, "[task]\nclasses = 3"),
        "c.toml: line 2: task.classes is for files of examples; tic-tac-toe says itself what is asked"
    );
    let padded = TaskFacts { readout: Readout::Binary, is_padded: true, ..table() };
    assert_eq!(
        message(&padded, "[model]\nmask = \"full\""),
        "c.toml: line 2: model.mask: examples differ in length, and only a causal mask keeps tokens from seeing the \
         padding; use causal, or make all examples equally long"
    );
    assert_eq!(
        message(&padded, "[model]\nheads = 2"),
        "c.toml: line 2: model.heads: a causal mask has one head, but there are 2"
    );
    let lite = |more: &str| message(&sums(), &format!("[model]\nkind = \"lite\"\n{more}"));
    assert_eq!(
        lite("width = 3\nheads = 2"),
        "c.toml: line 3: model.width: heads should divide the width 3, but is 2"
    );
    assert_eq!(lite("width = 99"), "c.toml: line 3: model.width: width should be from 1 to 64, but is 99");
    assert_eq!(
        lite("types = \"hidden\""),
        "c.toml: line 3: model.types is \"hidden\", but should be fixed, latent or items"
    );
    assert_eq!(
        message(&sums(), "[model]\nkind = \"unityped\"\nconfig = \"Z\""),
        "c.toml: line 3: model.config is \"Z\", but should be A, A_s, A_ln, A_curr, B_fl, B_fa, B_ortho, C_g, C_sb, B_c, \
         C_b, C_bi or Ref"
    );
    assert_eq!(
        message(&sums(), "[model]\nkind = [\"nac\", \"nalu\"]\nlayers = 2"),
        "c.toml: line 3: model.layers would have no effect; it needs model.kind = \"strat\" or \"transformer\""
    );
    assert_eq!(
        message(&facts(&[("image", 9, 3)], 9, Readout::Number), ""),
        "c.toml: model.kind: no model of this program reads that: votes.jsonl has image, answered as Number; give type \
         and data, a row for every token"
    );
    assert_eq!(
        message(&facts(&[("data", 9, 1), ("type", 9, 5000)], 9, Readout::Number), ""),
        "c.toml: model.kind: the examples are too large: types should be from 1 to 4096, but is 5000"
    );
}

#[test]
fn too_long_lists_and_too_many_settings_are_refused() {
    let list = |n: usize| (1..=n).map(|i| format!("{}", i as f64 / 1e4)).collect::<Vec<_>>().join(", ");
    let text = format!("[train]\nlearning_rate = [{}]", list(1001));
    assert_eq!(
        resolve(&table(), &[&text]).unwrap_err().to_string(),
        "c.toml: line 2: train.learning_rate has 1001 values, but at most 1000 are tried"
    );
    let text = format!("[train]\nlearning_rate = [{}]\nweight_decay = [{}]", list(101), list(10));
    assert_eq!(
        resolve(&table(), &[&text]).unwrap_err().to_string(),
        "c.toml: its lists make more than 1000 settings; shorten them"
    );
    let text = format!("[train]\nlearning_rate = [{}]\nweight_decay = [{}]", list(100), list(10));
    let settings = resolve(&table(), &[&text]).unwrap().settings;
    assert_eq!(settings.len(), MOST_SETTINGS);
    let names: std::collections::BTreeSet<&String> = settings.iter().map(|s| &s.name).collect();
    assert_eq!(names.len(), MOST_SETTINGS);
}

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
