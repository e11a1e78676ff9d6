//! STRAT
pub mod engine;
pub mod eval;
pub mod model;
pub mod optim;
pub mod population;
pub mod rng;
pub mod task;
pub mod train;
