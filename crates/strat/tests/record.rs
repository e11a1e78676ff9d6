//! Records: what is written is read back, and what is not a record is refused with its reason.

use proptest::prelude::*;
use safetensors::tensor::{Dtype, TensorView};
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use strat::experiment::locking::STANDARD;
use strat::experiment::{LearnerRow, Outcome, Record, Summary};
use strat::inspect::finding::Finding;
use strat::model::{Arithmetic, Config};
use strat::record::{Folder, Keep, Origin, ReadError, Run, Staging, WeightsError, WeightsFile};
use strat::train::{Learner, TrainConfig};

const UNITYPED: Arithmetic = Arithmetic::Unityped(Config::Aln);
const SEEDS: [u64; 3] = [7, 8, 11];

/// Untrained learners: `f32` values in one row, `f64` in the other.
fn outcome() -> Outcome {
    let row = |name, model: Arithmetic, single: bool| {
        let learner = |seed| {
            let mut weights = model.init(seed);
            if single {
                weights.values_mut().flatten().for_each(|x| *x = f64::from(*x as f32));
            }
            let learner = Learner { seed, weights, final_loss: f64::NAN };
            Record::new(learner, [("ood_mae", 6000.5 + seed as f64)])
        };
        let learners = SEEDS.map(learner).into();
        let train = Some(TrainConfig::locking());
        LearnerRow { name, model: model.into(), train, course: None, learners }
    };
    Outcome {
        experiment: "test",
        summary: Summary::default(),
        rows: vec![row("STRAT Std (4D/1H)", STANDARD, true), row("A_ln", UNITYPED, false)],
    }
}

fn written(dir: &Path) -> PathBuf {
    let folder = dir.join("record");
    let origin = Origin {
        command: "strat reproduce test".into(),
        version: "0".into(),
        commit: "unknown".into(),
        isa: "portable".into(),
        cpu: "a \"quoted\" name".into(),
        cores: 2,
        threads: 1,
    };
    let run = Run { outcome: outcome(), seconds: 1.5 };
    Staging::new(&folder).unwrap().finish(&[run], &origin, Keep::Weights).unwrap();
    folder
}

#[test]
fn what_is_written_is_read_back() {
    let dir = tempfile::tempdir().unwrap();
    let folder = Folder::open(&written(dir.path())).unwrap();
    assert_eq!((folder.manifest.seconds, folder.manifest.origin.cores), (1.5, 2));
    assert_eq!(folder.manifest.origin.cpu, "a \"quoted\" name");
    for (row, was) in folder.manifest.rows.iter().zip(outcome().rows) {
        assert_eq!((row.name.as_str(), row.model), (was.name, was.model));
        let read = folder.learners(row, None).unwrap();
        assert_eq!(read.len(), SEEDS.len());
        for (read, was) in read.iter().zip(&was.learners) {
            assert_eq!((read.seed, &read.weights), (was.seed, &was.weights));
            assert_eq!(read.metrics["ood_mae"], was.metrics["ood_mae"]);
            assert!(read.metrics["final_loss"].is_nan());
        }
        let [one] = &folder.learners(row, Some(8)).unwrap()[..] else { panic!("not one learner") };
        assert_eq!((one.seed, &one.weights), (8, &read[1].weights));
    }
}

#[test]
fn rows_are_found_by_a_part_of_their_name() {
    let dir = tempfile::tempdir().unwrap();
    let folder = Folder::open(&written(dir.path())).unwrap();
    assert_eq!(folder.row(Some("4d")).unwrap().model, STANDARD.into());
    assert_eq!(folder.row(Some("A_ln")).unwrap().model, UNITYPED.into());
    // "a" is in both names.
    for name in ["nac", "a"] {
        assert!(matches!(folder.row(Some(name)), Err(ReadError::NoRow { row, .. }) if row == name));
    }
    assert!(matches!(folder.row(None), Err(ReadError::ChooseRow { rows, .. }) if rows.len() == 2));
    let none = folder.learners(&folder.manifest.rows[0], Some(9));
    assert!(matches!(none, Err(ReadError::NoSeed { seed: 9, count: 3, first: 7, last: 11, .. })));
}

/// Replaces one text in a file by another.
fn edit(file: &Path, from: &str, to: &str) {
    let text = fs::read_to_string(file).unwrap();
    assert!(text.contains(from), "no {from:?} in {text}");
    fs::write(file, text.replacen(from, to, 1)).unwrap();
}

#[test]
fn manifests_that_cannot_be_are_refused() {
    type Refused = fn(&ReadError) -> bool;
    let cases: [(&str, &str, Refused); 6] = [
        ("\"format\": 2", "\"format\": 1", |e| matches!(e, ReadError::Format { found: 1, .. })),
        ("\"format\": 2", "\"format\": 99999999999", |e| matches!(e, ReadError::Format { .. })),
        ("\"heads\": 1", "\"heads\": 0", |e| matches!(e, ReadError::Model { .. })),
        ("\"width\": 4", "\"width\": 4000000000", |e| matches!(e, ReadError::Model { .. })),
        ("\"A_ln\"\n", "\"A_xy\"\n", |e| matches!(e, ReadError::Json { .. })),
        ("\"width\"", "\"wdith\"", |e| matches!(e, ReadError::Json { .. })),
    ];
    for (from, to, refused) in cases {
        let dir = tempfile::tempdir().unwrap();
        let folder = written(dir.path());
        edit(&folder.join("manifest.json"), from, to);
        let error = Folder::open(&folder).unwrap_err();
        assert!(refused(&error), "{to}: {error}");
        assert!(error.to_string().contains("manifest.json"), "{error}");
    }
}

#[test]
fn a_learner_without_scores_and_a_line_that_is_none_are_named() {
    let dir = tempfile::tempdir().unwrap();
    let path = written(dir.path());
    let folder = Folder::open(&path).unwrap();
    let lines = path.join("learners.jsonl");
    edit(&lines, "\"seed\":8", "\"seed\":88");
    let row = &folder.manifest.rows[0];
    assert!(matches!(folder.learners(row, None), Err(ReadError::NoScores { seed: 8, .. })));
    edit(&lines, "\"seed\":88", "\"seed\":eight");
    assert!(matches!(folder.learners(row, None), Err(ReadError::Json { line: 2, .. })));
    fs::write(&lines, " ".repeat(100_000)).unwrap();
    assert!(matches!(folder.learners(row, None), Err(ReadError::TooLong { .. })));
}

/// A file of weights in which one tensor is of another shape or type, or has another name.
fn weights_with(name: &str, shape: &[usize], dtype: Dtype) -> Vec<u8> {
    let params = STANDARD.params();
    let data: Vec<(&str, Vec<usize>, Dtype)> = params
        .iter()
        .map(|p| match &*p.name {
            "embed" => (if name == "other" { name } else { "embed" }, shape.to_vec(), dtype),
            other => (other, vec![3, p.shape[0], p.shape[1]], Dtype::F32),
        })
        .collect();
    let zeros = vec![0; 4096];
    let tensors = data.iter().map(|(name, shape, dtype)| {
        let bytes = shape.iter().product::<usize>() * dtype.bitsize() / 8;
        (*name, TensorView::new(*dtype, shape.clone(), &zeros[..bytes]).unwrap())
    });
    let model = serde_json::to_string(&STANDARD).unwrap();
    safetensors::serialize(tensors, Some(HashMap::from([("model".to_string(), model)]))).unwrap()
}

fn opened(bytes: &[u8]) -> Result<WeightsFile, WeightsError> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("weights-0.safetensors");
    fs::write(&path, bytes).unwrap();
    WeightsFile::open(&path, &STANDARD.into(), SEEDS.len())
}

#[test]
fn weights_that_are_not_the_models_are_refused() {
    let whole = weights_with("embed", &[3, 3, 4], Dtype::F32);
    assert!(opened(&whole).is_ok());
    assert!(opened(&weights_with("embed", &[3, 3, 4], Dtype::F64)).is_ok());

    let shape = opened(&weights_with("embed", &[3, 4, 3], Dtype::F32)).unwrap_err();
    assert!(matches!(&shape, WeightsError::Shape { name, expected: [3, 3, 4], .. } if name == "embed"), "{shape}");
    assert!(shape.to_string().contains("[3, 4, 3]"), "{shape}");
    let kind = opened(&weights_with("embed", &[3, 3, 4], Dtype::I32)).unwrap_err();
    assert!(matches!(&kind, WeightsError::Type { name, found: Dtype::I32 } if name == "embed"), "{kind}");
    let name = opened(&weights_with("other", &[3, 3, 4], Dtype::F32)).unwrap_err();
    assert!(matches!(&name, WeightsError::Unknown(name) if name == "other"), "{name}");

    for short in [0, 7, 8, 100, whole.len() - 1] {
        let error = opened(&whole[..short]).unwrap_err();
        assert!(matches!(error, WeightsError::Length { found, .. } if found == short as u64), "{short}: {error}");
    }
    let long = opened(&[&whole[..], b"?"].concat()).unwrap_err();
    assert!(matches!(long, WeightsError::Length { .. }), "{long}");
    for header in [1 << 21, u64::MAX] {
        let mut huge = whole.clone();
        huge[..8].copy_from_slice(&header.to_le_bytes());
        assert!(matches!(opened(&huge).unwrap_err(), WeightsError::Header(n) if n == header));
    }

    let dir = tempfile::tempdir().unwrap();
    let folder = written(dir.path());
    let other =
        WeightsFile::open(&folder.join("weights-1.safetensors"), &STANDARD.into(), SEEDS.len()).unwrap_err();
    assert!(matches!(other, WeightsError::Model { .. }), "{other}");
}

/// Everything that `strat inspect` does.
fn inspect_all(path: &Path) -> Result<(), ReadError> {
    let folder = Folder::open(path)?;
    for row in &folder.manifest.rows {
        for l in folder.learners(row, None)? {
            Finding::of(&row.model, &l.weights, f64::NAN);
        }
    }
    Ok(())
}

/// The files of a record that are read, made once.
fn whole_record() -> &'static [(&'static str, Vec<u8>); 4] {
    static FILES: OnceLock<[(&str, Vec<u8>); 4]> = OnceLock::new();
    FILES.get_or_init(|| {
        let dir = tempfile::tempdir().unwrap();
        let folder = written(dir.path());
        inspect_all(&folder).unwrap();
        ["manifest.json", "learners.jsonl", "weights-0.safetensors", "weights-1.safetensors"]
            .map(|name| (name, fs::read(folder.join(name)).unwrap()))
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

    /// Cut, overwritten and lengthened files are read or refused; nothing panics.
    #[test]
    fn mutilated_records_never_panic(
        file in 0usize..4,
        cut in any::<prop::sample::Index>(),
        writes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
        tail in prop::collection::vec(any::<u8>(), 0..9),
        shorten in any::<bool>(),
    ) {
        let dir = tempfile::tempdir().unwrap();
        for (name, bytes) in whole_record() {
            fs::write(dir.path().join(name), bytes).unwrap();
        }
        let (name, bytes) = &whole_record()[file];
        let mut bytes = bytes.clone();
        for (at, byte) in &writes {
            let at = at.index(bytes.len());
            bytes[at] = *byte;
        }
        if shorten {
            bytes.truncate(cut.index(bytes.len()));
        }
        bytes.extend(tail);
        fs::write(dir.path().join(name), bytes).unwrap();
        let _ = inspect_all(dir.path());
    }
}
