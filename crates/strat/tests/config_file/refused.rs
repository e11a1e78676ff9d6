//! What is refused, and in which words.

use super::*;

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
