//! The two weight sets printed in Appendix C, typed in: they give the errors that the
//! specification verified, so mask, scale and readout are read as the authors meant them.

use strat::engine::Isa;
use strat::engine::reference::Arrays;
use strat::eval::mean_absolute_error;
use strat::model::{Arithmetic, Lite, Types};
use strat::rng::Stream;
use strat::task::SignedSum;

const MODEL: Arithmetic = Arithmetic::Lite(Lite { width: 4, heads: 1, types: Types::Fixed });

/// Run 1, the Standard attractor (seed 42).
fn standard() -> Arrays {
    weights([
        ("readout.weight", &[1.0005, -0.0149, -0.0123, -0.2240, 0.2774, 1.1755]),
        ("gate.weight", &[-0.7223, -2.7710, 2.8255, 2.6739, -0.5233, -3.3227, 2.4424, 2.5473]),
        ("gate.bias", &[0.0483, -0.1033]),
        ("value.weight", &[-1.0120, -0.0112, -0.8460, 0.0017]),
        (
            "query.weight",
            &[
                0.4299, -0.8417, -1.4502, -1.3617, //
                0.3148, -0.9022, -1.1602, -1.1371, //
                0.8778, -1.7965, -0.1897, -1.1168, //
                0.9766, -1.0427, -0.0547, -0.7767,
            ],
        ),
        (
            "key.weight",
            &[
                -0.2308, -0.5511, 0.5377, 0.7437, //
                -0.6876, -0.9046, 0.4638, 0.7889, //
                -0.7544, -2.5763, 0.3965, 0.0591, //
                -0.2349, -2.4472, 0.9284, -0.1426,
            ],
        ),
        (
            "type_value.weight",
            &[
                0.8222, 0.1646, -0.2627, 0.0101, //
                1.6802, 0.8191, -1.0734, -1.0369, //
                -1.3298, -0.2486, 0.9975, 1.2483, //
                -1.2396, -0.7179, 1.3799, 0.9310,
            ],
        ),
    ])
}

/// Run 2, the Mirror attractor (seed 1000).
fn mirror() -> Arrays {
    weights([
        ("readout.weight", &[-1.0025, 0.1690, 0.5371, 0.0803, 0.6230, -1.0771]),
        ("gate.weight", &[1.6707, -2.4147, 1.8345, 1.6123, 1.5939, -2.1411, 1.8549, 1.7351]),
        ("gate.bias", &[0.8002, 0.7962]),
        ("value.weight", &[-0.8788, 0.0005, -1.0361, -0.0021]),
        (
            "query.weight",
            &[
                -1.2564, -0.6667, 0.2862, -0.6111, //
                -0.7708, 0.4338, -1.2994, -0.4427, //
                1.0786, 0.7103, 0.5763, 0.7327, //
                -0.8597, -0.4932, -0.6717, -0.9511,
            ],
        ),
        (
            "key.weight",
            &[
                0.9547, -1.3567, -0.3891, -1.2468, //
                0.2952, -0.3929, -1.2440, -1.1796, //
                -1.1966, 0.9828, 0.8603, 1.0142, //
                0.7991, -0.5533, -0.7871, -1.2244,
            ],
        ),
        (
            "type_value.weight",
            &[
                -0.0692, 1.2879, -1.2549, -1.0564, //
                -0.8868, -2.3064, 1.0775, 0.6756, //
                0.4572, 0.8875, -0.7919, -0.0625, //
                0.8125, 1.2767, -0.2441, -1.2211,
            ],
        ),
    ])
}

fn weights<const N: usize>(list: [(&str, &[f64]); N]) -> Arrays {
    list.into_iter().map(|(name, w)| (name.to_string(), w.to_vec())).collect()
}

/// Mean absolute error on 10,000 sums.
fn mae(weights: &Arrays, task: SignedSum, stream: Stream) -> f64 {
    let isa = Isa::detect().unwrap();
    mean_absolute_error::<f32>(&MODEL, isa, &[(1, weights)], task.into(), stream, 10_000)[0]
}

#[test]
fn the_standard_attractor_errs_as_published() {
    let w = standard();
    let (id, ood) = (mae(&w, SignedSum::ABLATION, Stream::TestId), mae(&w, SignedSum::OOD, Stream::TestOod));
    assert!(id < 0.5, "ID {id}");
    assert!((ood - 26.0).abs() <= 2.0, "OOD {ood}");
}

#[test]
fn the_mirror_attractor_errs_as_published() {
    let ood = mae(&mirror(), SignedSum::OOD, Stream::TestOod);
    assert!((ood - 82.0).abs() <= 6.0, "OOD {ood}");
}
