//! A model that reads kinds of token is the model that reads Type and Data.

use strat::data::DataFolder;
use strat::engine::reference::{Arrays, evaluate};
use strat::model::{Architecture, Param};
use strat::rng::{RandomStream, Stream};
use strat::task::{Batch, Entry};

#[test]
fn kinds_say_all_that_type_and_data_say() {
    let folder = DataFolder::find(Some("no such folder".into()));
    for name in ["m-of-n", "monk-2", "led24", "threeof9", "spect", "parity5"] {
        let entry = Entry::named(name).unwrap();
        let task = entry.load(&folder, None).unwrap();
        let kinds = task.kinds().unwrap();
        assert_eq!(kinds.of.len(), task.shape().tokens);
        for architecture in Architecture::ALL {
            let model = entry.model(architecture);
            // Larger weights than those that learners start with, so that all parts matter.
            let mut draws = RandomStream::new(3, Stream::Init, 0);
            let weights: Arrays = Param::initial(&model.params(), 1)
                .into_iter()
                .map(|(n, w)| (n, w.iter().map(|x| x + draws.uniform() - 0.5).collect()))
                .collect();
            let (plain, by_kind) = (model.build(kinds.of.len()), model.build_of_kinds(&kinds));
            for example in &task.bases()[..4] {
                let mut inputs = Batch::of_one(&task, example).arrays();
                let want = evaluate(&plain.graph, &weights, &inputs)[plain.output.index()].clone();
                let numbers = kinds.numbers(&example.input).map(|k| (k + 1) as f64).collect();
                inputs.insert("kind".into(), numbers);
                let got = &evaluate(&by_kind.graph, &weights, &inputs)[by_kind.output.index()];
                let near = got.iter().zip(&want).all(|(a, b)| (a - b).abs() < 1e-12 * (1.0 + b.abs()));
                assert!(near, "{name}, {architecture:?}: {got:?} instead of {want:?}");
            }
        }
    }
}
