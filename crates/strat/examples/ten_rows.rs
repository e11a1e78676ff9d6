//! Ten rows of four tables, learned by a population, by one learner and by ordinary classifiers: the table of the guide.
//!
//! `cargo run --release --example ten_rows [PICKS] [LEARNERS]`

use rayon::prelude::*;
use strat::data::DataFolder;
use strat::engine::Isa;
use strat::fit::rivals::Rival;
use strat::fit::{answers, model_of, teach, vote};
use strat::model::Architecture;
use strat::rng::{Draws, Stream};
use strat::table::{Field, Known, Lesson, Schema, Taught, task_of};
use strat::task::{self, Example, Split, Target};
use strat::train::task::Lessons;

fn class(e: &Example) -> u8 {
    match e.target {
        Target::Class(class) => class,
        _ => unreachable!("tables have classes"),
    }
}

fn main() {
    let number = |n: usize, default: u64| std::env::args().nth(n).map_or(default, |a| a.parse().expect("a number"));
    let (picks, count) = (number(1, 20), number(2, 32));
    let only = std::env::args().nth(3);
    let isa = Isa::detect().expect("an instruction set");
    let folder = DataFolder::find(None);
    for name in ["m-of-n", "led24", "monk-2", "threeof9"] {
        if only.as_ref().is_some_and(|o| o != name) {
            continue;
        }
        let task = task::entry(name).unwrap().load(&folder, None).unwrap();
        // All inputs there are, or those of the test set.
        let tested = || task.bases().iter().chain(task.split(Split::Id)).cloned().collect();
        let mut rows: Vec<Example> = task.inputs().unwrap_or_else(tested);
        rows.sort_by(|a, b| a.input.cmp(&b.input));
        rows.dedup_by(|a, b| a.input == b.input);
        let columns = rows[0].input.len();
        let values: Vec<usize> =
            (0..columns).map(|i| rows.iter().map(|r| usize::from(r.input[i]) + 1).max().unwrap()).collect();
        let names: Vec<String> = (0..columns).map(|i| format!("c{}", i + 1)).collect();
        let some = |range: std::ops::Range<usize>| vec![names[range].to_vec()];
        let (known, irrelevant): (Known, &[usize]) = match name {
            "m-of-n" => (Known { cyclic: some(2..9), ..Known::default() }, &[0, 1, 9]),
            "led24" => (Known { cyclic: some(0..7), flip_together: some(7..24), ..Known::default() }, &[]),
            "monk-2" => {
                let group = |of: &[usize]| of.iter().map(|&i| names[i].clone()).collect::<Vec<_>>();
                (Known { interchangeable: vec![group(&[0, 1, 3]), group(&[2, 5])], ..Known::default() }, &[])
            }
            _ => (Known::default(), &[]),
        };
        let kept: Vec<usize> = (0..columns).filter(|i| !irrelevant.contains(i)).collect();
        let schema = Schema {
            fields: kept
                .iter()
                .map(|&i| Field { name: names[i].clone(), values: (0..values[i]).map(|v| v.to_string()).collect() })
                .collect(),
            target: "y".into(),
            classes: vec!["0".into(), "1".into()],
        };
        let only_kept = |e: &Example| Example::new(kept.iter().map(|&i| e.input[i]).collect(), e.target.clone());
        let rows: Vec<Example> = rows.iter().map(only_kept).collect();
        let values: Vec<usize> = kept.iter().map(|&i| values[i]).collect();
        let mut table: Vec<[f64; 6]> = vec![];
        for pick in 0..picks {
            let chosen = (0..)
                .map(|attempt| {
                    let mut order: Vec<usize> = (0..rows.len()).collect();
                    Draws::new(pick, Stream::Pick, attempt).shuffle(&mut order);
                    order.truncate(10);
                    order
                })
                .find(|o| o.iter().any(|&i| class(&rows[i]) == 1) && o.iter().any(|&i| class(&rows[i]) == 0))
                .unwrap();
            let taught: Vec<Taught> = chosen
                .iter()
                .map(|&i| Taught { row: i, input: rows[i].input.clone(), class: class(&rows[i]) })
                .collect();
            let lesson = Lesson { schema: schema.clone(), rows: taught, notes: vec![] };
            let images = known.images(&lesson).unwrap();
            let asked: Vec<Example> =
                rows.iter().filter(|r| images.iter().all(|i| i.0 != r.input)).cloned().collect();
            let own = task_of(name, &schema, images.clone());
            let model = model_of(&own, Architecture::Strat);
            let seeds: Vec<u64> = (1..=count).collect();
            let learners = teach(&own, model, Lessons::paper("table"), &seeds, isa, &|_| {});
            let said = answers(&own, model, &learners, &asked, isa);
            let share = |right: &dyn Fn(usize) -> bool| {
                (0..asked.len()).filter(|&i| right(i)).count() as f64 / asked.len() as f64
            };
            let by_vote = share(&|i| vote(said.iter().map(|l| l[i]), 2).class == class(&asked[i]));
            let single: f64 =
                said.iter().map(|l| share(&|i| l[i] == class(&asked[i]))).sum::<f64>() / said.len() as f64;
            let rivals: Vec<f64> = Rival::ALL
                .par_iter()
                .map(|r| {
                    r.answers(&images, &asked, &values)
                        .map_or(0.0, |a| (0..asked.len()).filter(|&i| a[i] == class(&asked[i])).count() as f64)
                        / asked.len() as f64
                })
                .collect();
            let ones = asked.iter().filter(|e| class(e) == 1).count() as f64 / asked.len() as f64;
            table.push([by_vote, single, rivals[0], rivals[1], rivals[2], ones.max(1.0 - ones)]);
            eprintln!("{name} pick {pick}: images {} {:.3?}", images.len(), table.last().unwrap());
        }
        let mean: Vec<f64> =
            (0..6).map(|k| 100.0 * table.iter().map(|t| t[k]).sum::<f64>() / table.len() as f64).collect();
        println!(
            "{name}: vote {:.1}, single {:.1}, tree {:.1}, logistic {:.1}, nearest {:.1}, majority {:.1}",
            mean[0], mean[1], mean[2], mean[3], mean[4], mean[5]
        );
    }
}
