//! Random numbers differ between libraries; how they are distributed must not.

use super::Golden;
use strat::model::{Architecture, BlockConfig, BlockModel, BlockOptions, Param, Start};

/// What PyTorch's draws and ours have in common: their quantiles.
struct Starts {
    golden: Golden,
    levels: Vec<f64>,
}

impl Starts {
    /// How many numbers we draw of each.
    const DRAWS: usize = 20_000;

    fn of(&self, start: &str, [outs, ins]: [usize; 2]) -> Vec<f64> {
        self.golden.get(&format!("{start}.{outs}x{ins}"))
    }

    /// Quantiles of what many learners draw.
    fn drawn(&self, param: &Param) -> Vec<f64> {
        let learners = Self::DRAWS.div_ceil(param.shape[0] * param.shape[1]) as u64;
        let draw = |seed| Param::initial(std::slice::from_ref(param), seed).remove(&*param.name).unwrap();
        let mut drawn: Vec<f64> = (0..learners).flat_map(draw).collect();
        drawn.sort_by(f64::total_cmp);
        let at = |level: &f64| drawn[(level * (drawn.len() - 1) as f64).round() as usize];
        self.levels.iter().map(at).collect()
    }

    /// Are they as near as draws of one distribution? Five standard errors, and 20 draws at the ends.
    fn agree(&self, got: &[f64], want: &[f64]) -> bool {
        let width = want[want.len() - 1] - want[0];
        let each = 1.0 / Self::DRAWS as f64 + 1.0 / self.golden.get("draws")[0];
        let near = |((got, want), p): ((&f64, &f64), &f64)| {
            (got - want).abs() <= width * (5.0 * (p * (1.0 - p) * each).sqrt() + 20.0 * each)
        };
        assert_eq!((got.len(), want.len()), (self.levels.len(), self.levels.len()));
        got.iter().zip(want).zip(&self.levels).all(near)
    }
}

/// Every matrix starts as PyTorch's do that are told the same, and as no other start; biases start as PyTorch's always do.
#[test]
fn starts() {
    if Golden::came_later("starts") {
        return;
    }
    let golden = Golden::open("starts");
    let starts = Starts { levels: golden.get("levels"), golden };
    for turn in 0..Start::ALL.len() {
        // Each class has another, so that one that reads the option of its neighbour is seen.
        let [start_routes, start_values, start_gates, start_hidden] =
            std::array::from_fn(|class| Start::ALL[(turn + class) % Start::ALL.len()]);
        let start_head = start_values;
        let options = BlockOptions {
            start_routes,
            start_values,
            start_gates,
            start_hidden,
            start_head,
            ..BlockOptions::SPECIFIED
        };
        for architecture in [Architecture::Strat, Architecture::Transformer] {
            let sizes = BlockConfig { options, ..BlockConfig::TABULAR };
            let params = BlockModel { architecture, sizes }.params();
            for matrix in params.iter().filter(|p| !p.is_vector) {
                let layer = matrix.name.trim_start_matches("block.0.").trim_end_matches(".weight");
                let told = match layer {
                    "query" | "key" => start_routes,
                    "type_value" | "data_value" | "data_out" | "value" | "out" => start_values,
                    "write_gate" | "glu_gate" => start_gates,
                    "head" => start_head,
                    _ => start_hidden,
                };
                let drawn = starts.drawn(matrix);
                for start in Start::ALL {
                    let agrees = starts.agree(&drawn, &starts.of(start.name(), matrix.shape));
                    assert_eq!(
                        agrees,
                        start == told,
                        "{} {told:?}: {drawn:?} and PyTorch's {start:?}",
                        matrix.name
                    );
                }
                let [outs, ins] = matrix.shape;
                if let [68, 32] | [32, 68] = matrix.shape {
                    let turned = starts.agree(&drawn, &starts.of(told.name(), [ins, outs]));
                    let knows_no_ins = matches!(told, Start::Xavier | Start::Zero);
                    assert_eq!(turned, knows_no_ins, "{} {told:?}: ins and outs", matrix.name);
                }
                let bias = format!("{}.bias", matrix.name.trim_end_matches(".weight"));
                if let Some(bias) = params.iter().find(|p| p.name == bias) {
                    let drawn = starts.drawn(bias);
                    assert!(starts.agree(&drawn, &starts.of("bias", matrix.shape)), "{}: {drawn:?}", bias.name);
                }
            }
        }
    }
}
