//! PyTorch's outputs, gradients and optimizer steps for the same weights and inputs.
//!
//! The files are read from `STRAT_GOLDEN` if it is set, else from `tests/golden`.

use safetensors::{Dtype, SafeTensors};
use std::path::PathBuf;
use strat::engine::{Elem, Isa, Machine, Source, compile};
use strat::model::{Arithmetic, Config, Lite, Types};
use strat::optim::Adam;

struct Golden {
    bytes: Vec<u8>,
    name: &'static str,
}

impl Golden {
    fn open(name: &'static str) -> Self {
        let own = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
        let folder = std::env::var_os("STRAT_GOLDEN").map_or_else(own, PathBuf::from);
        let path = folder.join(format!("{name}.safetensors"));
        let bytes = std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        Golden { bytes, name }
    }

    fn get(&self, tensor: &str) -> Vec<f64> {
        let file = SafeTensors::deserialize(&self.bytes).unwrap();
        let t = file.tensor(tensor).unwrap_or_else(|e| panic!("{} {tensor}: {e}", self.name));
        let d = t.data();
        match t.dtype() {
            Dtype::F32 => d.chunks_exact(4).map(|b| f32::from_le_bytes(b.try_into().unwrap()).into()).collect(),
            Dtype::F64 => d.chunks_exact(8).map(|b| f64::from_le_bytes(b.try_into().unwrap())).collect(),
            Dtype::I64 => d.chunks_exact(8).map(|b| i64::from_le_bytes(b.try_into().unwrap()) as f64).collect(),
            other => panic!("{} {tensor}: {other:?}", self.name),
        }
    }

    fn numbers<E: Elem>(&self, tensor: &str) -> Vec<E> {
        self.get(tensor).into_iter().map(E::of).collect()
    }

    fn param_count(&self) -> usize {
        let (_, meta) = SafeTensors::read_metadata(&self.bytes).unwrap();
        meta.metadata().as_ref().unwrap()["params"].parse().unwrap()
    }
}

/// Largest difference relative to the largest number of the expected array.
fn worst<E: Elem>(got: &[E], want: &[f64]) -> f64 {
    assert_eq!(got.len(), want.len());
    let size = want.iter().fold(1e-30, |m: f64, w| m.max(w.abs()));
    got.iter().zip(want).fold(0.0, |m: f64, (&g, w)| m.max((g.f64() - w).abs() / size))
}

/// How close is close: outputs and losses; gradients and weights.
struct Tolerance(f64, f64);
const F32: Tolerance = Tolerance(1e-5, 1e-4);
const F64: Tolerance = Tolerance(1e-10, 1e-10);

fn check<E: Elem>(model: Arithmetic, name: &'static str, rate: f64, clip: Option<f64>, tolerance: Tolerance) {
    let golden = Golden::open(name);
    let params = model.params();
    let count: usize = params.iter().map(|p| p.shape[0] * p.shape[1]).sum();
    assert_eq!(count, golden.param_count(), "{name}: number of parameters");
    let built = model.build(6);
    let batch = golden.get("target").len();
    let source = Source { graph: &built.graph, output: built.output, loss: built.loss, batch, frozen: &[] };
    for isa in Isa::all_available() {
        let mut m = compile::<E>(source, isa);
        m.set_clip(clip);
        let literals: Vec<E> =
            golden.numbers("input.value").chunks(11).flat_map(|row| row.iter().step_by(2)).copied().collect();
        let set_weights = |m: &mut Box<dyn Machine<E>>| {
            for lane in 0..m.lanes() {
                for p in &params {
                    m.set_param(lane, p.name, &golden.numbers(&format!("param.{}", p.name)));
                }
            }
        };
        for lane in 0..m.lanes() {
            m.set_input(lane, "kind", &golden.numbers("input.kind"));
            m.set_input(lane, "value", &literals);
            m.set_input(lane, "target", &golden.numbers("target"));
        }
        set_weights(&mut m);
        m.load();
        m.gradients();
        let last = m.lanes() - 1;
        let e = worst(&m.output(last), &golden.get("output"));
        assert!(e < tolerance.0, "{name} {isa}: output differs by {e:e}");
        let e = worst(&[m.loss(last)], &golden.get("loss"));
        assert!(e < tolerance.0, "{name} {isa}: loss differs by {e:e}");
        for p in &params {
            let e = worst(&m.gradient(last, p.name), &golden.get(&format!("grad.{}", p.name)));
            assert!(e < tolerance.1, "{name} {isa}: gradient of {} differs by {e:e}", p.name);
        }
        set_weights(&mut m);
        let mut losses = vec![];
        let adam = Adam::new(rate);
        for step in 0..5 {
            m.step(adam.at(step));
            losses.push(m.loss(last));
        }
        let e = worst(&losses, &golden.get("losses"));
        assert!(e < tolerance.0, "{name} {isa}: losses of five steps differ by {e:e}");
        for p in &params {
            let e = worst(&m.param(last, p.name), &golden.get(&format!("after.{}", p.name)));
            assert!(e < tolerance.1, "{name} {isa}: {} after five steps differs by {e:e}", p.name);
        }
    }
}

fn lite(width: usize, heads: usize) -> Arithmetic {
    Arithmetic::Lite(Lite { width, heads, types: Types::Latent })
}

#[test]
fn lite_4d() {
    check::<f32>(lite(4, 1), "lite_4d", 5e-3, None, F32);
}

#[test]
fn lite_3d() {
    check::<f32>(lite(3, 1), "lite_3d", 5e-3, None, F32);
}

#[test]
fn lite_2d() {
    check::<f32>(lite(2, 1), "lite_2d", 5e-3, None, F32);
}

#[test]
fn lite_2d_two_heads() {
    check::<f32>(lite(2, 2), "lite_2d_2heads", 5e-3, None, F32);
}

#[test]
fn config_a() {
    check::<f32>(Arithmetic::Unityped(Config::A), "config_a", 1e-2, None, F32);
}

#[test]
fn nac_lstm() {
    check::<f64>(Arithmetic::Nac, "nac_lstm", 3e-2, Some(1.0), F64);
}

#[test]
fn nalu_lstm() {
    check::<f64>(Arithmetic::Nalu, "nalu_lstm", 1e-2, Some(1.0), F64);
}
