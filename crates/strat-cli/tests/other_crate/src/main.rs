//! `other-crate train DIR [I/N]` trains a hundred learners, or a shard of them; given again, it goes on.
//! `other-crate look DIR OUT` traces, patches and certifies one of them, and writes a page and files for PyTorch.

mod own;

use own::{GatedCount, ThreeOfFour};
use std::error::Error;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use strat::certify::certify;
use strat::engine::Isa;
use strat::export::{TORCH, export};
use strat::model::Model;
use strat::record::{Folder, Manifest, RunFolder};
use strat::sweep::{Plan, RowPlan, RunOptions};
use strat::task::Task;
use strat::trace::ExampleSource;
use strat::train::{Adam, TrainConfig};
use strat_paper::microscope::{Learner, PageData, page};

fn model() -> Arc<GatedCount> {
    Arc::new(GatedCount { width: 4 })
}

fn train(dir: &Path, shard: Option<&str>) -> Result<(), Box<dyn Error>> {
    let config = TrainConfig { steps: 2000, adam: Adam::new(0.02), ..TrainConfig::default() };
    let plan = Plan::own("own", vec![RowPlan::new("Gated count", model(), Arc::new(ThreeOfFour), config)?]);
    let (isa, stop) = (Isa::detect()?, AtomicBool::new(false));
    let shard = shard.map(str::parse).transpose()?;
    let manifest = Manifest { shard, ..plan.manifest("1..100".parse()?, isa) };
    let folder = RunFolder::open(dir, manifest, |_, _| &[])?;
    let options = RunOptions { isa, progress: &|_| {}, stop: &stop, save_every: Duration::from_millis(50) };
    plan.run_in(&folder, &options)?;
    Ok(())
}

fn look(dir: &Path, out: &Path) -> Result<(), Box<dyn Error>> {
    let folder = Folder::open(dir)?;
    let row = folder.row(None)?;
    let learner = &folder.learners(row, Some(7))?[0];
    let source = ExampleSource::new(model(), Arc::new(ThreeOfFour));

    // With the gates of the first token everywhere, nothing counts any more as it did.
    let example = source.read("id:16")?;
    let trace = source.trace(&learner.weights, &example)?;
    let gates = trace.array("gate")?;
    let shut: Vec<f64> = gates.values[..4].iter().copied().cycle().take(20).collect();
    let patched = trace.with("gate", &shut)?;
    println!("shape {:?}", gates.shape);
    println!("sum {:?}", trace.array("sum")?.values);
    println!("patched {:?}", patched.array("sum")?.values);

    let inputs = ThreeOfFour.all_inputs().ok_or("they are few")?;
    let certificate = certify(&ThreeOfFour, &inputs, model(), &learner.weights, Isa::detect()?)?;
    println!("wrong on {} of {}; rule {:?}", certificate.wrong.len(), certificate.inputs, certificate.rule);

    let shown = Learner::of(&folder.manifest, row, &source, learner, std::slice::from_ref(&example), None)?;
    std::fs::write(out.join("page.html"), page("own", &PageData { examples: vec![example], learners: vec![shown] })?)?;
    let exported = export(&model().build(5), &model().params(), &learner.weights, Default::default())?;
    std::fs::write(out.join("learner.safetensors"), &exported.weights)?;
    std::fs::write(out.join("learner.json"), &exported.config)?;
    std::fs::write(out.join("strat_torch.py"), TORCH)?;
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [_, "train", dir] => train(Path::new(dir), None),
        [_, "train", dir, shard] => train(Path::new(dir), Some(shard)),
        [_, "look", dir, out] => look(Path::new(dir), Path::new(out)),
        _ => Err("train DIR [I/N], or look DIR OUT".into()),
    }
}
