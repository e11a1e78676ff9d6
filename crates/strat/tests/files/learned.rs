//! Models learn from them.

use super::*;

#[test]
fn a_strat_learns_from_a_file() {
    let (_folder, path) = file("votes.jsonl", votes(32).as_bytes());
    let config = ConfigFile::parse("c.toml", "[train]\nsteps = 150\nlearning_rate = 0.01").unwrap();
    let task = Arc::new(ArrayTask::read(&path, config.readout().unwrap()).unwrap());
    assert_eq!((task.name(), task.train(1, 0).len()), ("votes.jsonl", 24));
    let all = config.resolve(&TaskFacts::from(&*task), None).unwrap();
    let ModelRecord::Blocks(model) = all.settings[0].model else { panic!("blocks") };
    let isa = Isa::detect().unwrap();
    let population = Population::new(task.clone(), Arc::new(model), all.settings[0].train, isa).unwrap();
    let learners = population.train(&[41, 42], &|_| {}).unwrap();
    for learner in &learners {
        let mut predictor = Predictor::new(&*task, Arc::new(model), &learner.weights, isa);
        for split in [Split::Id, Split::Ood] {
            assert_eq!(predictor.test(split, 41).unwrap(), 1.0, "{split:?}");
        }
    }
    // More examples without answers, in another order of keys and with a name that nobody reads.
    let lines: Vec<String> = votes(32).lines().map(|l| l.replace("\"split\"", "\"name\"")).collect();
    let lines = lines.iter().map(|l| {
        let l = l.replace("\"train\"", "[1]").replace("\"id\"", "[1]").replace("\"ood\"", "[1]");
        let (head, tail) = l.split_once("\"target\": ").unwrap();
        format!("{head}{}", &tail[3..])
    });
    let text = lines.collect::<Vec<_>>().join("\n");
    let (_folder, more) = file("more.jsonl", text.as_bytes());
    let form = ArrayTask::form_of(&task.spec()).unwrap();
    assert_eq!(form, task.form());
    let asked = ArrayTask::read_for(&more, &form).unwrap();
    assert!(!asked.is_answered() && task.is_answered());
    let mut first = Predictor::new(&*task, Arc::new(model), &learners[0].weights, isa);
    let mut second = Predictor::new(&asked, Arc::new(model), &learners[0].weights, isa);
    assert_eq!(first.outputs(&task.asked()).unwrap(), second.outputs(&asked.asked()).unwrap());
}

#[test]
fn examples_that_a_model_was_not_trained_on_are_refused() {
    let form = ArrayTask::new("votes", sound(), AUTO).unwrap().form();
    let refused = |arrays| ArrayTask::new_for("more", arrays, &form).unwrap_err().to_string();
    assert_eq!(
        refused(named(&[("type", floats(&[1, 2, 4], &[0.0; 8]))])),
        "more: array \"data\" is missing, which the model was trained on; there are type"
    );
    assert_eq!(
        refused(with(&[("data", floats(&[3, 2, 2], &[0.0; 12]))])),
        "more: array \"data\" has 2 numbers for every token, but the model was trained on 1"
    );
    let longer = named(&[("type", floats(&[1, 7, 4], &[0.0; 28])), ("data", floats(&[1, 7], &[0.0; 7]))]);
    assert_eq!(ArrayTask::new_for("more", longer, &form).unwrap().tokens(), 7);
}

#[test]
fn sums_from_a_file_feed_the_arithmetic_models() {
    let mut text = String::new();
    for i in 0..12 {
        let (a, b, plus) = (f64::from(i % 5), f64::from(i % 3), i % 2 == 0);
        let (kind, target) = if plus { (2, a + b) } else { (3, a - b) };
        let split = if i < 9 { "train" } else { "ood" };
        text += &format!(
            "{{\"kind\": [1, {kind}, 1], \"value\": [{a:?}, {b:?}], \"target\": {target:?}, \"split\": \"{split}\"}}\n"
        );
    }
    let (_folder, path) = file("sums.jsonl", text.as_bytes());
    let task = Arc::new(ArrayTask::read(&path, AUTO).unwrap());
    let text = "[model]\nkind = [\"lite\", \"unityped\", \"nac\", \"nalu\"]\n[train]\nsteps = 20";
    let config = ConfigFile::parse("c.toml", text).unwrap();
    let all = config.resolve(&TaskFacts::from(&*task), None).unwrap();
    assert_eq!(all.settings.len(), 4);
    let isa = Isa::detect().unwrap();
    for setting in &all.settings {
        let model = setting.model.model().unwrap();
        let population = Population::new(task.clone(), model.clone(), setting.train, isa).unwrap();
        let learners = population.train(&[1], &|_| {}).unwrap();
        let mut predictor = Predictor::new(&*task, model, &learners[0].weights, isa);
        assert!(predictor.test(Split::Ood, 1).unwrap().is_finite(), "{}", setting.name);
    }
    // A kind that there is not is refused by the engine, with its place.
    let wrong = named(&[
        ("kind", ints(&[1, 3], &[1.0, 7.0, 1.0])),
        ("value", floats(&[1, 2], &[1.0; 2])),
        ("target", floats(&[1], &[1.0])),
    ]);
    let task = Arc::new(ArrayTask::new("sums", wrong, AUTO).unwrap());
    let model = Arc::new(Lite::STANDARD);
    let population = Population::new(task, model, TrainConfig { steps: 1, ..TrainConfig::default() }, isa);
    let failed = population.and_then(|p| p.train(&[1], &|_| {})).unwrap_err().to_string();
    assert!(failed.contains("kind") && failed.contains('7'), "{failed}");
}

#[test]
fn examples_of_unequal_length_are_trained_under_a_causal_mask() {
    let mut text = String::new();
    for i in 0..16usize {
        let rows = vec![format!("[{}, {}]", i % 2, 1 - i % 2); 1 + i % 4];
        let data: Vec<String> = (0..rows.len()).map(|t| format!("[{}.5, {}, 1]", i % 7, t)).collect();
        let (rows, data, target) = (rows.join(", "), data.join(", "), i % 2 == 0);
        text += &format!("{{\"type\": [{rows}], \"data\": [{data}], \"target\": {target}}}\n");
    }
    let (_folder, path) = file("signs.jsonl", text.as_bytes());
    let task = Arc::new(ArrayTask::read(&path, AUTO).unwrap());
    let config =
        ConfigFile::parse("c.toml", "[model]\nkind = [\"strat\", \"transformer\"]\n[train]\nsteps = 5").unwrap();
    let isa = Isa::detect().unwrap();
    for setting in config.resolve(&TaskFacts::from(&*task), None).unwrap().settings {
        let ModelRecord::Blocks(model) = setting.model else { panic!("blocks") };
        let population = Population::new(task.clone(), Arc::new(model), setting.train, isa).unwrap();
        let learner = population.train(&[1], &|_| {}).unwrap().remove(0);
        // Padding does not change an answer, and the answers are not all the same.
        let mut predictor = Predictor::new(&*task, Arc::new(model), &learner.weights, isa);
        let padded = predictor.outputs(&task.asked()).unwrap();
        assert!((padded[0][0] - padded[4][0]).abs() > 1e-4, "{}: {padded:?}", setting.name);
        for (example, data) in [(0, [0.5, 0.0, 1.0]), (4, [4.5, 0.0, 1.0])] {
            let types = floats(&[1, 1, 2], &[0.0, 1.0]);
            let alone = named(&[("type", types), ("data", floats(&[1, 1, 3], &data))]);
            let alone = ArrayTask::new_for("alone", alone, &task.form()).unwrap();
            let mut predictor = Predictor::new(&alone, Arc::new(model), &learner.weights, isa);
            let (bare, padded) = (predictor.outputs(&alone.asked()).unwrap()[0][0], padded[example][0]);
            assert!((bare - padded).abs() < 1e-5, "{}: {bare} {padded}", setting.name);
        }
    }
}

/// What an untrained STRAT answers to eight examples: with narrow Data as it is, with columns of zeros that a
/// configuration adds, and with the same columns in the file.
#[test]
fn narrow_data_gets_columns_of_zeros_because_the_answer_would_not_depend_on_it() {
    let isa = Isa::detect().unwrap();
    let types: Vec<f64> = (0..8 * 12).map(|i| f64::from(i * 7919 % 13) / 13.0).collect();
    let task = |data: &[f64]| {
        let arrays = named(&[
            ("type", floats(&[8, 3, 4], &types)),
            ("data", floats(&[8, 3, data.len() / 24], data)),
            ("target", ints(&[8], &[0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0])),
        ]);
        ArrayTask::new("narrow", arrays, AUTO).unwrap()
    };
    let answers = |task: &ArrayTask, model: BlockModel| {
        let weights = Param::initial(&model.params(), 41);
        Predictor::new(task, Arc::new(model), &weights, isa).outputs(&task.asked()).unwrap()
    };
    let different = |outputs: &[Vec<f64>]| {
        outputs.iter().map(|output| format!("{:.5}", output[0])).collect::<BTreeSet<String>>().len()
    };
    let resolved = |task: &ArrayTask, text: &str| {
        let config = ConfigFile::parse("c.toml", text).unwrap();
        let mut settings = config.resolve(&TaskFacts::from(task), None).unwrap().settings;
        let ModelRecord::Blocks(model) = settings.remove(0).model else { panic!("blocks") };
        model
    };
    for (width, as_it_is) in [(1, 1), (2, 2), (3, 8), (4, 8)] {
        let data: Vec<f64> = (0..24 * width).map(|i| (i * 104_729 % 17) as f64).collect();
        let given = task(&data);
        let model = resolved(&given, "");
        assert_eq!((model.sizes.data, model.sizes.zeros), (width.max(3), 3 - width.min(3)));
        let bare = BlockConfig { data: width, zeros: 0, ..model.sizes };
        assert_eq!(different(&answers(&given, BlockModel { sizes: bare, ..model })), as_it_is, "of width {width}");
        let outputs = answers(&given, model);
        // The sizes of two numbers beside zeros may look alike.
        assert!(different(&outputs) > 5, "of width {width}");

        let widened = data.chunks(width).flat_map(|row| (0..width.max(3)).map(|i| *row.get(i).unwrap_or(&0.0)));
        let widened = task(&widened.collect::<Vec<_>>());
        let same = resolved(&widened, "");
        assert_eq!((same.sizes, same.sizes.zeros), (BlockConfig { zeros: 0, ..model.sizes }, 0));
        assert_eq!(outputs, answers(&widened, same), "of width {width}");
        // Who reads Data without a LayerNorm of its own needs none.
        for other in ["[model]\nroute = false", "[model]\nkind = \"transformer\""] {
            assert_eq!(resolved(&given, other).sizes.zeros, 0, "{other}");
        }
        // Examples to be answered have the width of those trained on.
        assert_eq!(given.form().inputs["data"], width);
    }
}

#[test]
fn a_task_of_the_paper_takes_settings_too() {
    let task = strat::task::by_name("parity5").unwrap();
    let models = Architecture::ALL.map(|a| Entry::named("parity5").unwrap().model(a).into()).to_vec();
    let setup = Setup::new(models, TrainConfig::default(), Seeds::new(41, 50).unwrap());
    let mut config = ConfigFile::parse("c.toml", &setup.to_toml("parity5")).unwrap();
    config.set("train.learning_rate=[1e-3, 3e-3]").unwrap();
    let all = config.resolve(&TaskFacts::of(&task), Some(&setup)).unwrap();
    assert_eq!(all.settings.len(), 2);
    assert!(all.settings.iter().all(|s| s.model == setup.models[0]));
}
