//! `checkpoints/*.safetensors`: any bytes; any numbers behind a right header and checksum; a whole
//! file with changes.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;
use strat::engine::Elem;
use strat::internals::{Owner, RunId, checkpoint_bytes, read_checkpoint};
use strat::model::{Architecture, BlockConfig, BlockModel, ModelRecord};
use strat::train::State;
use strat_fuzz::meter::{bounded, most_held};

static OWNER: LazyLock<Owner> = LazyLock::new(|| Owner { run: RunId::of(b"a manifest"), row: 0, seed: 41 });

struct Form {
    model: ModelRecord,
    /// Numbers of each parameter.
    params: Vec<usize>,
    /// Memory that it takes to say what a file of this model should be, as an empty one shows.
    layout: usize,
}

/// Small ones of both forms: that of the tables, and that of SAT with its window.
static MODELS: LazyLock<[Form; 2]> = LazyLock::new(|| {
    let tables = BlockConfig {
        types: 4,
        data: 2,
        stream: 6,
        heads: 2,
        hidden: [5, 3],
        route: Some(2),
        ..BlockConfig::TABULAR
    };
    [tables, BlockConfig { layers: 1, ..BlockConfig::SAT }].map(|sizes| {
        let model = BlockModel { architecture: Architecture::Strat, sizes };
        ModelRecord::Blocks(model).check().expect("there are such models");
        let params = model.params().iter().map(|p| p.shape[0] * p.shape[1]).collect();
        let model = ModelRecord::from(model);
        let layout = most_held(|| read_checkpoint::<f32>(&model, &OWNER, &[])).1;
        Form { model, params, layout }
    })
});

fn read<E: Elem>(form: &Form, bytes: &[u8]) -> Result<State<E>, String> {
    bounded(bytes.len(), form.layout, || read_checkpoint(&form.model, &OWNER, bytes).map_err(|e| e.to_string()))
}

fn try_all<E: Elem>(form: &Form, kind: u8, rest: &[u8]) {
    if kind == 0 {
        let _ = read::<E>(form, rest);
        return;
    }
    // The input over and over is all the numbers of a state.
    let mut endless = rest.iter().copied().cycle();
    let mut word = || std::array::from_fn(|_| endless.next().unwrap_or(0));
    let [step, window, loss] = [(); 3].map(|()| u64::from_le_bytes(word()));
    let [a, b, c, d, e, f, g, h]: [u8; 8] = word();
    let numbers: Vec<E> = [a, b, c, d, e, f, g, h].chunks_exact(size_of::<E>()).map(E::read_le).collect();
    let losses = [[a, b, c, d], [e, f, g, h]].map(f32::from_le_bytes);
    let params = |n: usize| [(); 3].map(|()| numbers.iter().copied().cycle().take(n).collect());
    let state = State {
        step: step as usize,
        window: window as usize,
        last_loss: f64::from_bits(loss),
        losses: std::array::from_fn(|i| losses[i % 2]),
        params: form.params.iter().map(|&n| params(n)).collect(),
    };
    let mut bytes = checkpoint_bytes(&form.model, &OWNER, &state);
    if kind > 1 {
        // Each four bytes of the input change one of the file, or cut it.
        for &[low, middle, high, byte] in rest.as_chunks().0 {
            let at = u32::from_le_bytes([low, middle, high, 0]) as usize % (bytes.len() + 1);
            match bytes.get_mut(at) {
                Some(found) if kind == 2 => *found ^= byte,
                _ => bytes.truncate(at),
            }
        }
    }
    match read::<E>(form, &bytes) {
        // In bits, as numbers may be none.
        Ok(state) => {
            assert!(checkpoint_bytes(&form.model, &OWNER, &state) == bytes, "another file would be written")
        }
        Err(e) => assert_ne!(kind, 1, "what was written is not read: {e}"),
    }
}

fuzz_target!(|input: &[u8]| {
    let Some((&[which, kind], rest)) = input.split_first_chunk() else { return };
    let form = &MODELS[usize::from(which % 2)];
    // In the numbers of most models, and in those of NAC and NALU.
    if which / 2 % 2 == 0 { try_all::<f32>(form, kind % 4, rest) } else { try_all::<f64>(form, kind % 4, rest) }
});
