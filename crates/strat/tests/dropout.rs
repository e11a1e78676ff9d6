//! Dropout: the same bits whoever is trained beside a learner and wherever it was stopped; none when it answers.

use std::sync::Arc;
use strat::engine::Isa;
use strat::model::{Architecture, BlockConfig, BlockModel, BlockOptions, Model};
use strat::task::by_name;
use strat::train::{Learner, Population, Predictor, TrainConfig, Trainer};

fn model(architecture: Architecture, dropout: f64) -> BlockModel {
    let options = BlockOptions { dropout, ..BlockOptions::SPECIFIED };
    BlockModel { architecture, sizes: BlockConfig { options, ..BlockConfig::TABULAR } }
}

fn train() -> TrainConfig {
    TrainConfig { steps: 6, ..TrainConfig::DEFAULT }
}

fn trained(architecture: Architecture, dropout: f64, seeds: &[u64]) -> Vec<Learner> {
    let task = Arc::new(by_name("threeof9").unwrap());
    let model = Arc::new(model(architecture, dropout));
    let population = Population::new(task, model, train(), Isa::detect().unwrap()).unwrap();
    population.train(seeds, &|_| {}).unwrap()
}

#[test]
fn a_learner_is_the_same_alone_and_with_others() {
    for architecture in Architecture::ALL {
        let together = trained(architecture, 0.3, &[1, 2, 3]);
        for learner in &together {
            assert_eq!(trained(architecture, 0.3, &[learner.seed])[0].weights, learner.weights);
        }
        assert_ne!(trained(architecture, 0.0, &[1])[0].weights, together[0].weights);
        assert_ne!(trained(architecture, 0.2, &[1])[0].weights, together[0].weights);
    }
}

#[test]
fn a_learner_goes_on_where_it_stopped() {
    let task = by_name("threeof9").unwrap();
    let config = train().check().unwrap();
    let new = || {
        let model = Arc::new(model(Architecture::Strat, 0.3));
        Trainer::<f32>::new(&task, model, config, Isa::detect().unwrap(), &[7]).unwrap()
    };
    let mut whole = new();
    while whole.step().unwrap() {}
    let mut first = new();
    for _ in 0..3 {
        first.step().unwrap();
    }
    let mut second = new();
    second.resume(&[first.state(0)]).unwrap();
    while second.step().unwrap() {}
    assert_eq!(second.weights(0), whole.weights(0));
}

#[test]
fn nothing_is_dropped_of_an_answer() {
    let task = by_name("threeof9").unwrap();
    let learner = &trained(Architecture::Strat, 0.3, &[5])[0];
    let examples = task.bases();
    let answers = |dropout| {
        let model: Arc<dyn Model> = Arc::new(model(Architecture::Strat, dropout));
        Predictor::new(&task, model, &learner.weights, Isa::detect().unwrap()).outputs(examples).unwrap()
    };
    assert_eq!(answers(0.3), answers(0.0));
    assert_eq!(task.readout(), model(Architecture::Strat, 0.3).sizes.readout);
}
