//! What is read, from every form of file.

use super::*;

#[test]
fn the_target_tells_the_readout() {
    let readout =
        |target: Array, choice| ArrayTask::new("votes", with(&[("target", target)]), choice).unwrap().readout();
    assert_eq!(readout(ints(&[3], &[0.0, 0.0, 0.0]), AUTO), Readout::Class(2));
    assert_eq!(readout(ints(&[3], &[0.0, 4.0, 255.0]), AUTO), Readout::Class(256));
    assert_eq!(readout(bools(&[3], &[0.0, 1.0, 1.0]), AUTO), Readout::Binary);
    assert_eq!(readout(floats(&[3], &[0.5, 1.0, -1e9]), AUTO), Readout::Number);
    assert_eq!(readout(ints(&[3, 2], &[0.0, 1.0, 2.0, 3.0, 4.0, 8.0]), AUTO), Readout::TokenClass(9));
    assert_eq!(readout(bools(&[3, 2], &[0.0; 6]), AUTO), Readout::TokenBinary);
    let choose = |kind, classes| ReadoutChoice { kind: Some(kind), classes };
    assert_eq!(readout(ints(&[3], &[0.0; 3]), choose(ReadoutKind::Number, None)), Readout::Number);
    assert_eq!(readout(bools(&[3], &[0.0; 3]), choose(ReadoutKind::Class, Some(5))), Readout::Class(5));
    assert_eq!(readout(floats(&[3], &[0.0; 3]), choose(ReadoutKind::Class, None)), Readout::Class(2));
}

#[test]
fn examples_are_in_their_splits_and_read_by_their_names() {
    let task = ArrayTask::new("votes", with(&[("weight", floats(&[3], &[1.0, 2.0, 3.0]))]), AUTO).unwrap();
    assert_eq!((task.name(), task.tokens(), task.most_tokens(), task.channels()), ("votes", 2, 2, Some((4, 1))));
    let sets = [task.train(7, 9), task.test(Split::Id, 7), task.test(Split::Ood, 7)];
    for (i, set) in sets.iter().enumerate() {
        let [example] = &set[..] else { panic!("{set:?}") };
        assert_eq!((task.number(example), task.text(example)), (i, format!("example {i}")));
        assert_eq!(example.weight, i as f64 + 1.0);
        let batch = Batch::of_one(&task, example);
        let types: Vec<f64> = (0..8).map(|x| f64::from(x) + 8.0 * i as f64).collect();
        assert_eq!(batch.input("type"), Some(&types[..]));
        assert_eq!(batch.input("data"), Some(&[2.0 * i as f64 + 0.5, 2.0 * i as f64 + 1.5][..]));
    }
    assert_eq!(sets[2][0].target, Target::Class(1));
    assert_eq!(batch_names(&task), ["data", "type", "target"]);
    // Without splits all are trained on, and inputs may have any name; one row is for the whole example.
    let mut own = sound();
    own.remove("split");
    own.insert("whole".into(), floats(&[3, 1, 5], &[0.0; 15]));
    let task = ArrayTask::new("votes", own, AUTO).unwrap();
    assert_eq!((task.train(1, 0).len(), task.inputs(2)[2].rows, task.inputs(2)[2].width), (3, 1, 5));
}

fn batch_names(task: &ArrayTask) -> Vec<String> {
    Batch::new(task, task.tokens()).sizes().into_iter().map(|(name, _)| name.to_string()).collect()
}

#[test]
fn padding_is_zero_whatever_the_file_has_there() {
    let lengths = ("length", ints(&[3], &[1.0, 2.0, 2.0]));
    let answers = ("target", bools(&[3], &[1.0, 0.0, 1.0]));
    let task = ArrayTask::new("votes", with(&[lengths.clone(), answers]), AUTO).unwrap();
    // The only training example has one token, those of the tests two.
    assert_eq!((task.tokens(), task.most_tokens()), (1, 2));
    let batch = Batch::of(&task, 2, &*task.train(1, 0));
    assert_eq!(batch.input("data"), Some(&[0.5, 0.0][..]));
    assert_eq!(batch.input("type"), Some(&[0.0, 1.0, 2.0, 3.0, 0.0, 0.0, 0.0, 0.0][..]));
    assert!(TaskFacts::from(&task).is_padded);
    // An answer at every token: that of padding is not asked for.
    let cells = ("target", ints(&[3, 2], &[0.0, 9.0, 1.0, 2.0, 3.0, 4.0]));
    let task = ArrayTask::new("votes", with(&[lengths, cells]), AUTO).unwrap();
    assert_eq!(
        (task.tokens(), task.readout(), TaskFacts::from(&task).is_padded),
        (2, Readout::TokenClass(10), false)
    );
    let Target::Cells { scored, .. } = &task.train(1, 0)[0].target else { panic!("cells") };
    assert_eq!(scored, &[true, false]);
}

#[test]
fn a_changed_number_changes_the_fingerprint() {
    let print = |arrays| ArrayTask::new("votes", arrays, AUTO).unwrap().fingerprint().to_string();
    let first = print(sound());
    assert!(first.starts_with("sha256:") && first.len() == 71);
    assert_eq!(first, print(sound()));
    let mut others = vec![
        print(with(&[("target", ints(&[3], &[0.0, 1.0, 0.0]))])),
        print(with(&[("split", ints(&[3], &[0.0, 2.0, 2.0]))])),
        print(with(&[("data", floats(&[3, 2, 1], &[0.5, 1.5, 2.5, 3.5, 4.5, 5.5]))])),
        print(with(&[("split", floats(&[3], &[0.0, 1.0, 2.0]))])),
        print(with(&[("more", floats(&[3, 2], &[0.0; 6]))])),
        first,
    ];
    others.sort();
    others.dedup();
    assert_eq!(others.len(), 6);
}

/// The blocks of a language on the page about files.
fn blocks(language: &str) -> Vec<String> {
    let page = include_str!("../../../../docs/train-on-a-file.md");
    let parts = page.split("```").skip(1).step_by(2);
    parts.filter_map(|part| Some(part.strip_prefix(language)?.strip_prefix('\n')?.to_string())).collect()
}

#[test]
fn the_page_about_files_is_right() {
    let examples = blocks("json");
    assert_eq!(examples.len(), 2);
    let tasks = [("votes.jsonl", &examples[0]), ("sums.jsonl", &examples[1])].map(|(name, text)| {
        let arrays = parse_arrays(Path::new(name), text.as_bytes()).unwrap();
        ArrayTask::new(name, arrays, AUTO).unwrap()
    });
    assert_eq!(tasks.each_ref().map(|t| t.readout()), [Readout::Class(2), Readout::Number]);
    assert_eq!(tasks[0].test(Split::Ood, 1).len(), 1);
    let settings = blocks("toml");
    let resolve = |text: &str| ConfigFile::parse("c.toml", text)?.resolve(&TaskFacts::from(&tasks[0]), None);
    assert_eq!((settings.len(), resolve(&settings[0]).unwrap().settings.len()), (2, 1));
    let sweep = resolve(&settings[1]).unwrap().settings;
    assert_eq!((sweep.len(), &*sweep[0].name), (8, "STRAT, hidden [32], learning_rate 0.001"));
    // The mistake that it shows.
    let shown = blocks("text").remove(0);
    let wrong = "[model]\nlayers = 2\n\n\n[train]\nepochs = 3";
    assert_eq!(resolve(wrong).unwrap_err().to_string(), shown.trim_end());
    // Three rows of masks, where the answer is not a class.
    let binary = TaskFacts { readout: Readout::Binary, ..TaskFacts::from(&tasks[0]) };
    let masks = "[model]\nmask = [\"full\", \"causal\"]\nwindow = [8, 16]";
    let masks = ConfigFile::parse("c.toml", masks).unwrap().resolve(&binary, None).unwrap();
    assert_eq!(masks.settings.len(), 3);
    let lite = ConfigFile::empty("c.toml").resolve(&TaskFacts::from(&tasks[1]), None).unwrap();
    assert_eq!(lite.settings[0].name, "STRAT-Lite");
}

/// The same numbers are the same task, whatever the form of the file.
#[cfg(feature = "archives")]
#[test]
fn three_forms_are_one_task() {
    let types: Vec<f64> = (0..12).map(|i| f64::from(i) + 0.5).collect();
    let data: Vec<f64> = (0..9).map(|i| f64::from(i) - 0.25).collect();
    let target = [0i64, 1, 1];
    let rows = |i: usize| format!("[{:?}]", &types[4 * i..4 * i + 4]);
    let line = |i: usize| {
        let data = &data[3 * i..3 * i + 3];
        format!("{{\"type\": {}, \"data\": [{data:?}], \"target\": {}}}\n", rows(i), target[i])
    };
    let lines: String = (0..3).map(line).collect();
    let bytes = |values: &[f64]| values.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
    let (types, data) = (bytes(&types), bytes(&data));
    let target: Vec<u8> = target.iter().flat_map(|x| x.to_le_bytes()).collect();
    let all = [
        ("type", "f8", vec![3, 1, 4], &types),
        ("data", "f8", vec![3, 1, 3], &data),
        ("target", "i8", vec![3], &target),
    ];

    let dtype = |name: &str| if name == "i8" { safetensors::Dtype::I64 } else { safetensors::Dtype::F64 };
    let views = all.iter().map(|(name, number, shape, bytes)| {
        (*name, safetensors::tensor::TensorView::new(dtype(number), shape.clone(), bytes).unwrap())
    });
    let tensors = safetensors::serialize(views, None).unwrap();

    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(vec![]));
    for (name, number, shape, bytes) in &all {
        let shape: String = shape.iter().map(|axis| format!("{axis}, ")).collect();
        let header = format!("{{'descr': '<{number}', 'fortran_order': False, 'shape': ({shape}), }}\n");
        archive.start_file(format!("{name}.npy"), zip::write::SimpleFileOptions::default()).unwrap();
        let start = [b"\x93NUMPY\x01\x00", &(header.len() as u16).to_le_bytes()[..], header.as_bytes()].concat();
        std::io::Write::write_all(&mut archive, &[&start, &bytes[..]].concat()).unwrap();
    }
    let npz = archive.finish().unwrap().into_inner();

    let mut prints = BTreeSet::new();
    for (name, bytes) in [("x.jsonl", lines.as_bytes()), ("x.safetensors", &tensors), ("x.npz", &npz)] {
        let (_folder, path) = file(name, bytes);
        let task = ArrayTask::read(&path, AUTO).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!((task.name(), task.channels(), task.train(1, 0).len()), (name, Some((4, 3)), 3));
        prints.insert(task.fingerprint().to_string());
    }
    assert_eq!(prints.len(), 1, "{prints:?}");
}

proptest! {
    #[test]
    fn no_file_makes_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..300), at in any::<usize>()) {
        let whole = votes(4);
        let at = at % whole.len();
        let mut changed = whole.clone().into_bytes();
        changed[at] = bytes.first().copied().unwrap_or(0);
        for name in ["x.jsonl", "x.npz", "x.safetensors"] {
            for bytes in [&bytes[..], &whole.as_bytes()[..at], &changed] {
                let (_folder, path) = file(name, bytes);
                let _ = ArrayTask::read(&path, AUTO).map_err(|e| e.to_string());
            }
        }
    }

    #[test]
    fn arrays_of_any_shape_are_a_task_or_refused(
        shapes in prop::collection::vec((0usize..8, 0usize..3, prop::collection::vec(0usize..4, 0..4)), 1..6),
        numbers in prop::collection::vec(prop::sample::select(vec![0.0, 1.0, 2.0, -1.0, 0.5, 300.0, 1e300]), 64),
        kind in prop::sample::select(vec![None, Some(ReadoutKind::Class), Some(ReadoutKind::TokenBinary)]),
    ) {
        let names = ["type", "data", "target", "split", "length", "scored", "kind", "value"];
        let kinds = [NumberKind::Bool, NumberKind::Int, NumberKind::Float];
        let mut arrays = NamedArrays::new();
        for (name, number_kind, shape) in shapes {
            let count: usize = shape.iter().product();
            let values = numbers.iter().copied().cycle().take(count).collect();
            arrays.insert(names[name].into(), Array { shape, kind: kinds[number_kind], values });
        }
        if let Ok(task) = ArrayTask::new("any", arrays, ReadoutChoice { kind, classes: None }) {
            // Every example can be encoded, alone and in a batch.
            for example in &task.asked() {
                prop_assert_eq!(Batch::of_one(&task, example).len(), 1);
            }
            let all = task.asked();
            prop_assert_eq!(Batch::of(&task, task.most_tokens(), &all).len(), all.len());
            let _ = ConfigFile::empty("c").resolve(&TaskFacts::from(&task), None).map_err(|e| e.to_string());
        }
    }
}
