//! The two weight sets printed in Appendix C: they give the errors that the
//! specification verified, so mask, scale and readout are read as the authors meant them.

#[path = "common/appendix_c.rs"]
mod appendix_c;

use appendix_c::{LITE, mirror, standard};
use strat::engine::Isa;
use strat::engine::reference::Arrays;
use strat::model::Arithmetic;
use strat::rng::Stream;
use strat::task::SignedSum;
use strat::train::mean_absolute_error;

const MODEL: Arithmetic = Arithmetic::Lite(LITE);

/// Mean absolute error on 10,000 sums.
fn mae(weights: &Arrays, task: SignedSum, stream: Stream) -> f64 {
    let isa = Isa::detect().unwrap();
    mean_absolute_error::<f32>(&MODEL, isa, (1, weights), task.into(), stream, 10_000)
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
