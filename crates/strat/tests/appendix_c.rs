//! The two weight sets printed in Appendix C: they give the errors that the
//! specification verified, so mask, scale and readout are read as the authors meant them.

#[path = "common/appendix_c.rs"]
mod appendix_c;

use appendix_c::{LITE, mirror, standard};
use std::sync::Arc;
use strat::engine::Isa;
use strat::engine::reference::Arrays;
use strat::rng::Stream;
use strat::task::{SignedSum, SumTask};
use strat::train::Predictor;

/// Mean absolute error on 10,000 sums.
fn mae(weights: &Arrays, sums: SignedSum, stream: Stream) -> f64 {
    let mut predictor = Predictor::new(&SumTask::ABLATION, Arc::new(LITE), weights, Isa::detect().unwrap());
    predictor.error_on(sums, (1, stream), 10_000).unwrap()
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
