//! A task and an architecture that this repository does not have, through public functions alone: trained, killed and
//! taken up again, merged from shards, traced, patched, shown, exported.

mod common;
#[path = "../../strat/tests/common/require.rs"]
mod require;

use common::{Sitting, files, manifest, nowhere};
use serde::Serialize;
use std::borrow::Cow;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;
use strat::engine::Isa;
use strat::export::{TORCH, export};
use strat::metric::{Better, Metric, Unit};
use strat::model::{Built, Layers, Model, Readout, Spec};
use strat::result::TaskRecord;
use strat::rng::{RandomStream, Stream};
use strat::sweep::{Plan, RowPlan};
use strat::task::{Batch, Entry, Example, Input, Inputs, Split, Target, Task};
use strat::trace::{ExampleSource, Trace};
use strat::train::{Adam, Predictor, TrainConfig};
use strat_paper::experiment::{merge, open};
use strat_paper::microscope::{Learner, PageData, page};
use strat_paper::report::{collect::collect, document::Report, html};

/// Four numbers, some of which count: Type says which, and the answer is their sum.
#[derive(Debug)]
struct Counted;

impl Task for Counted {
    fn name(&self) -> &str {
        "counted"
    }
    fn tokens(&self) -> usize {
        4
    }
    fn readout(&self) -> Readout {
        Readout::Number
    }
    fn inputs(&self, tokens: usize) -> Vec<Input> {
        vec![Input::new("type", tokens, 2), Input::new("data", tokens, 1)]
    }
    fn encode(&self, example: &Example, inputs: &mut Inputs<'_>) {
        for (i, (&counts, &x)) in example.input.iter().zip(&example.values).enumerate() {
            inputs.set("type", i, counts.into(), 1.0);
            inputs.set("data", i, 0, x);
        }
    }
    fn train(&self, seed: u64, step: u32) -> Cow<'_, [Example]> {
        draw(16, 1.0, RandomStream::new(seed, Stream::Train, step)).into()
    }
    fn test(&self, split: Split, seed: u64) -> Cow<'_, [Example]> {
        let (stream, largest) = if split == Split::Id { (Stream::TestId, 1.0) } else { (Stream::TestOod, 50.0) };
        draw(40, largest, RandomStream::new(seed, stream, 0)).into()
    }
}

/// The same, scored by how often an answer is near: a metric that this repository does not have.
#[derive(Debug)]
struct Near;

impl Task for Near {
    fn name(&self) -> &str {
        "near"
    }
    fn tokens(&self) -> usize {
        Counted.tokens()
    }
    fn readout(&self) -> Readout {
        Counted.readout()
    }
    fn inputs(&self, tokens: usize) -> Vec<Input> {
        Counted.inputs(tokens)
    }
    fn encode(&self, example: &Example, inputs: &mut Inputs<'_>) {
        Counted.encode(example, inputs);
    }
    fn train(&self, seed: u64, step: u32) -> Cow<'_, [Example]> {
        draw(16, 1.0, RandomStream::new(seed, Stream::Train, step)).into()
    }
    fn test(&self, split: Split, seed: u64) -> Cow<'_, [Example]> {
        if split == Split::Id { self.train(seed, u32::MAX) } else { Cow::Borrowed(&[]) }
    }
    fn score(&self, example: &Example, output: &[f64]) -> f64 {
        f64::from(u8::from(Counted.score(example, output) < 0.5))
    }
    fn metric(&self) -> Metric {
        Metric::new("near", "near answers", Unit::Share, Better::Higher)
    }
}

fn draw(count: usize, largest: f64, mut draws: RandomStream) -> Vec<Example> {
    let one = |_| {
        let input: Vec<u8> = (0..4).map(|_| draws.below(2) as u8).collect();
        let values: Vec<f64> = (0..4).map(|_| largest * f64::from(draws.below(100)) / 100.0).collect();
        let sum = input.iter().zip(&values).map(|(&counts, x)| f64::from(counts) * x).sum();
        Example { values, ..Example::new(input, Target::Number(sum)) }
    };
    (0..count).map(one).collect()
}

/// A gate that Type decides, and what it lets pass, summed.
#[derive(Debug, Serialize)]
struct Gated {
    width: usize,
}

impl Model for Gated {
    fn spec(&self) -> Spec {
        Spec::new("gated", self)
    }
    fn build(&self, tokens: usize) -> Built {
        let mut l = Layers::new();
        let (types, data) = (l.input("type", tokens, 2), l.input("data", tokens, 1));
        let types = l.norm("norm", types);
        let gate = l.linear("gate", types, self.width, true);
        let gate = l.sigmoid(gate);
        l.name("gate", gate);
        let value = l.linear("value", data, self.width, false);
        let written = l.mul(gate, value);
        let ones = l.constant(tokens, 1, &vec![1.0; tokens]);
        let sum = l.sum_rows(written, ones);
        let output = l.linear("head", sum, 1, true);
        l.finish(Readout::Number, output)
    }
}

fn model() -> Arc<Gated> {
    Arc::new(Gated { width: 3 })
}

fn plan() -> Plan {
    let train = TrainConfig { steps: 300, adam: Adam::new(0.02), ..TrainConfig::default() };
    Plan::own("own", vec![RowPlan::new("Gated", model(), Arc::new(Counted), train).unwrap()])
}

/// Works on a hundred learners until `budget` units of progress are made; true if they are done.
fn work(path: &Path, shard: Option<&str>, budget: u64) -> bool {
    let plan = plan();
    let sitting = Sitting { threads: 2, save_every: Duration::from_millis(100), budget };
    common::work(&plan, path, manifest(&plan, "1..100", shard), &sitting)
}

#[test]
fn a_hundred_learners_are_left_resumed_merged_and_shown() {
    let dir = tempfile::tempdir().unwrap();
    let [whole, torn, joined] = ["whole", "torn", "joined"].map(|name| dir.path().join(name));
    assert!(work(&whole, None, u64::MAX));
    let mut sittings = 1;
    while !work(&torn, None, 4000) {
        sittings += 1;
    }
    assert!(sittings > 4, "{sittings}");
    assert!(files(&whole) == files(&torn));

    let shard = |i: usize| -> PathBuf {
        let path = dir.path().join(format!("shard-{i}"));
        assert!(work(&path, Some(&format!("{i}/3")), u64::MAX));
        path
    };
    merge(&[shard(1), shard(2), shard(3)], &joined, &nowhere()).unwrap();
    assert!(files(&whole) == files(&joined));

    // They have learned something that no untrained one knows.
    let folder = open(&whole).unwrap();
    let row = folder.row(None).unwrap();
    let learners = folder.learners(row, None).unwrap();
    let right = learners.iter().filter(|l| l.score("ood_mae") < 5.0).count();
    assert!(learners.len() == 100 && right > 90, "{right}");
    let isa = Isa::detect().unwrap();
    let error = Predictor::new(&Counted, model(), &model().init(1), isa).test(Split::Ood, 1).unwrap();
    assert!(error > 20.0, "{error}");

    let report = html::render(&Report::of(&collect(std::slice::from_ref(&whole)).unwrap()).unwrap());
    assert!(report.contains("Gated") && report.contains("OOD MAE"));
    let source = ExampleSource::new(model(), Arc::new(Counted));
    let examples = vec![source.read("base:1").unwrap(), source.read("ood:2").unwrap()];
    let seen = Learner::of(&folder.manifest, row, &source, &learners[0], &examples, None).unwrap();
    assert!(page("own", &PageData { examples, learners: vec![seen] }).unwrap().contains("gate"));
    assert!(source.read("ood:41").unwrap_err().to_string().contains("40"));
}

/// A run keeps what its task says of its metric, and tables and reports show it; a run with a metric of ours has no word of it.
#[test]
fn a_metric_of_ones_own_keeps_its_heading_unit_and_direction() {
    let dir = tempfile::tempdir().unwrap();
    let [own, ours] = ["own", "ours"].map(|name| dir.path().join(name));
    let train = TrainConfig { steps: 2, adam: Adam::new(0.02), ..TrainConfig::default() };
    let sitting = Sitting { threads: 1, save_every: Duration::from_secs(60), budget: u64::MAX };
    let tasks: [(&Path, Arc<dyn Task>); 2] = [(&own, Arc::new(Near)), (&ours, Arc::new(Counted))];
    for (path, task) in tasks {
        let plan = Plan::own("own", vec![RowPlan::new("Gated", model(), task, train).unwrap()]);
        assert!(common::work(&plan, path, manifest(&plan, "1..6", None), &sitting));
    }

    let folder = open(&own).unwrap();
    let cells = folder.summary().unwrap().unwrap().cells;
    let [cell] = &cells[..] else { panic!("one score: {cells:?}") };
    let Metric { name, heading, unit, better } = &cell.metric;
    assert_eq!((&**name, &**heading, *unit, *better), ("id_near", "ID near answers", Unit::Share, Better::Higher));
    let text = fs::read_to_string(own.join("manifest.json")).unwrap();
    assert!(text.contains("near answers") && text.contains("\"unit\": \"share\""), "{text}");
    let report = html::render(&Report::of(&collect(std::slice::from_ref(&own)).unwrap()).unwrap());
    assert!(report.contains("<th scope=\"col\">ID near answers</th>"));
    let table = strat_paper::table::render(&cells);
    assert!(table.contains("ID near answers") && table.contains(" %"), "{table}");

    assert!(!fs::read_to_string(ours.join("manifest.json")).unwrap().contains("\"metric\""));
    // It cannot pass for one of ours.
    let mut false_name = folder.manifest.clone();
    let Some(TaskRecord::Own(task)) = false_name.rows[0].setup.as_mut().map(|setup| &mut setup.task) else {
        panic!("a task of one's own")
    };
    task.metric.as_mut().unwrap().name = "accuracy".into();
    let refused = strat_paper::experiment::start(&dir.path().join("other"), false_name).unwrap_err().to_string();
    assert!(refused.contains("metric.name is accuracy"), "{refused}");
}

/// With its gates open for what does not count, a learner adds everything.
#[test]
fn a_learner_is_traced_and_patched() {
    let isa = Isa::detect().unwrap();
    let outcome = plan().run("7..7".parse().unwrap(), isa, &|_| {});
    let weights = &outcome.rows[0].learners[0].weights;
    let example =
        Example { values: vec![0.5, 0.25, 0.75, 0.0], ..Example::new(vec![1, 0, 1, 0], Target::Number(1.25)) };
    let trace = Trace::of_example(&*model(), weights, &Counted, &example).unwrap();
    let gates = trace.array("gate").unwrap();
    assert_eq!(gates.shape, [4, 3]);
    let output = |trace: &Trace| trace.array("output").unwrap().values[0];
    assert!((output(&trace) - 1.25).abs() < 0.1, "{}", output(&trace));
    let open: Vec<f64> = gates.values[..3].iter().copied().cycle().take(12).collect();
    let patched = trace.with("gate", &open).unwrap();
    assert!((output(&patched) - 1.5).abs() < 0.1, "{}", output(&patched));
    assert!(trace.with("gates", &open).unwrap_err().to_string().contains("gate"));
    // The engine and the trace agree.
    let answer = Predictor::new(&Counted, model(), weights, isa).outputs(&[example]).unwrap();
    assert!((answer[0][0] - output(&trace)).abs() < 1e-5);
}

/// `strat_torch.py` gives the same answers, for models of one's own and of the paper.
#[test]
fn pytorch_gives_the_same_answers() {
    let has_torch = Command::new("python3").args(["-c", "import torch, safetensors"]).output();
    if !has_torch.is_ok_and(|found| found.status.success()) {
        return require::skip("torch", "no PyTorch with safetensors in python3");
    }
    use strat::model::{Architecture, Lite, Unit, Unityped};
    use strat::task::SumTask;
    let mut sources: Vec<(Arc<dyn Model>, Arc<dyn Task>)> = vec![
        (model(), Arc::new(Counted)),
        (Arc::new(Lite::STANDARD), Arc::new(SumTask::LOCKING)),
        (Arc::new(Unityped::Aln), Arc::new(SumTask::LOCKING)),
        (Arc::new(Unit::Nac), Arc::new(SumTask::LOCKING)),
        (Arc::new(Unit::Nalu), Arc::new(SumTask::LOCKING)),
    ];
    for name in ["parity5", "life", "satbench", "sudoku"] {
        let nowhere = strat::data::DataFolder::find(Some("/nonexistent".into()));
        let entry = Entry::named(name).unwrap();
        let task = Arc::new(entry.load(&nowhere, None).unwrap());
        for architecture in Architecture::ALL {
            let mut model = entry.model(architecture);
            model.sizes.layers = model.sizes.layers.min(2);
            sources.push((Arc::new(model), task.clone()));
        }
    }
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("strat_torch.py"), TORCH).unwrap();
    let mut expected = vec![];
    for (i, (model, task)) in sources.iter().enumerate() {
        let example = &task.train(1, 0)[0];
        let batch = Batch::of_one(&**task, example);
        let built = model.with_window(batch.tokens()).unwrap_or(model.clone()).build(batch.tokens());
        let weights = model.init(3);
        let exported = export(&built, &model.params(), &weights, Default::default()).unwrap();
        fs::write(dir.path().join(format!("{i}.safetensors")), &exported.weights).unwrap();
        fs::write(dir.path().join(format!("{i}.json")), &exported.config).unwrap();
        fs::write(dir.path().join(format!("{i}.inputs")), serde_json::to_string(&batch.arrays()).unwrap()).unwrap();
        let trace = Trace::of_example(&**model, &weights, &**task, example).unwrap();
        expected.push(trace.array("output").unwrap().values);
    }
    let script = "
import json, sys, torch
from strat_torch import Strat
for i in range(int(sys.argv[1])):
    model = Strat.load(f'{i}.safetensors', torch.float64)
    read = {n['name'] for n in model.config['nodes'] if n['op'] == 'input'}
    inputs = {k: torch.tensor(v, dtype=torch.float64)[None] for k, v in json.load(open(f'{i}.inputs')).items() if k in read}
    print(json.dumps(model(**inputs).flatten().tolist()))
";
    let mut python = Command::new("python3");
    let out = python.args(["-c", script, &sources.len().to_string()]).current_dir(dir.path()).output().unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let answers = String::from_utf8(out.stdout).unwrap();
    assert_eq!(answers.lines().count(), sources.len());
    for (((model, _), line), ours) in sources.iter().zip(answers.lines()).zip(expected) {
        let theirs: Vec<f64> = serde_json::from_str(line).unwrap();
        assert_eq!(theirs.len(), ours.len(), "{model:?}");
        for (a, b) in theirs.iter().zip(&ours) {
            assert!((a - b).abs() <= 1e-5 * (1.0 + b.abs()), "{model:?}: {a} instead of {b}");
        }
    }
}
