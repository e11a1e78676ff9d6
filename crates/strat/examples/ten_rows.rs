//! Ten rows of four tables, learned by a population, by one learner and by ordinary classifiers: the table of the guide.
//!
//! `cargo run --release -p strat --example ten_rows [PICKS [LEARNERS [TASK [DECAY]]]]`, where `-` as TASK means all four and DECAY is the weight
//! decay if not that of `strat fit`.

use std::ops::Range;
use strat::data::DataFolder;
use strat::engine::Isa;
use strat::fit::competitors::Competitor;
use strat::fit::{self, answers, model_of, teach, vote};
use strat::model::Architecture;
use strat::rng::{RandomStream, Stream};
use strat::task::table::{Field, LabelledRow, LabelledTable, Schema, Symmetries, TableTask};
use strat::task::{Entry, Example, Split, Target};
use strat::train::ValidConfig;

/// Rows that are shown.
const ROWS: usize = 10;
/// Columns of the result.
const COLUMNS: [&str; 6] = ["vote", "single", "tree", "logistic", "nearest", "majority"];

fn class(e: &Example) -> u8 {
    match e.target {
        Target::Class(class) => class,
        _ => unreachable!("tables have classes"),
    }
}

/// A table with all its rows, and what a user would know of it.
struct Case {
    name: &'static str,
    schema: Schema,
    known: Symmetries,
    rows: Vec<Example>,
}

impl Case {
    fn new(name: &'static str, folder: &DataFolder) -> Case {
        let task = Entry::named(name).unwrap().load(folder, None).unwrap();
        // All inputs there are, or those of the test set.
        let tested = || task.bases().iter().chain(task.split(Split::Id)).cloned().collect();
        let mut rows: Vec<Example> = task.inputs().unwrap_or_else(tested);
        rows.sort_by(|a, b| a.input.cmp(&b.input));
        rows.dedup_by(|a, b| a.input == b.input);
        let columns = rows[0].input.len();
        let names: Vec<String> = (1..=columns).map(|i| format!("c{i}")).collect();
        let some = |range: Range<usize>| vec![names[range].to_vec()];
        let group = |of: &[usize]| of.iter().map(|&i| names[i].clone()).collect::<Vec<_>>();
        let (known, irrelevant): (Symmetries, &[usize]) = match name {
            "m-of-n" => (Symmetries { cyclic: some(2..9), ..Symmetries::default() }, &[0, 1, 9]),
            "led24" => {
                (Symmetries { cyclic: some(0..7), flip_together: some(7..24), ..Symmetries::default() }, &[])
            }
            "monk-2" => (
                Symmetries { interchangeable: vec![group(&[0, 1, 3]), group(&[2, 5])], ..Symmetries::default() },
                &[],
            ),
            _ => (Symmetries::default(), &[]),
        };
        let kept: Vec<usize> = (0..columns).filter(|i| !irrelevant.contains(i)).collect();
        let field = |&i: &usize| {
            let most = rows.iter().map(|r| r.input[i]).max().unwrap();
            Field { name: names[i].clone(), values: (0..=most).map(|v| v.to_string()).collect() }
        };
        let fields = kept.iter().map(field).collect();
        let schema = Schema { fields, target: "y".into(), classes: vec!["0".into(), "1".into()] };
        let only_kept = |e: &Example| Example::new(kept.iter().map(|&i| e.input[i]).collect(), e.target.clone());
        let rows = rows.iter().map(only_kept).collect();
        Case { name, schema, known, rows }
    }

    /// Ten rows, among them both classes.
    fn pick(&self, pick: u64) -> Vec<usize> {
        let draw = |attempt| {
            let mut order: Vec<usize> = (0..self.rows.len()).collect();
            RandomStream::new(pick, Stream::Pick, attempt).shuffle(&mut order);
            order.truncate(ROWS);
            order
        };
        let both = |o: &Vec<usize>| [0, 1].iter().all(|&c| o.iter().any(|&i| class(&self.rows[i]) == c));
        (0..).map(draw).find(both).unwrap()
    }

    /// Shares of right answers on all rows that neither are shown nor follow from those by what is known.
    fn scores(&self, pick: u64, learners: u64, config: ValidConfig, isa: Isa) -> [f64; 6] {
        let row = |i: usize| LabelledRow { row: i, input: self.rows[i].input.clone(), class: class(&self.rows[i]) };
        let rows = self.pick(pick).into_iter().map(row).collect();
        let own =
            TableTask::new(LabelledTable { schema: self.schema.clone(), rows, notes: vec![] }, self.known.clone());
        let images = own.images().unwrap();
        let new = |r: &&Example| images.iter().all(|i| i.0 != r.input);
        let asked: Vec<Example> = self.rows.iter().filter(new).cloned().collect();
        let right = |given: &dyn Fn(usize) -> u8| {
            (0..asked.len()).filter(|&i| given(i) == class(&asked[i])).count() as f64 / asked.len() as f64
        };
        let task = own.task(self.name).unwrap();
        let (model, seeds) = (model_of(&task, Architecture::Strat), (1..=learners).collect::<Vec<_>>());
        let learners = teach(&task, model, config, &seeds, isa, &|_| {});
        let said = answers(&task, model, &learners, &asked, isa);
        let by_vote = right(&|i| vote(said.iter().map(|l| l[i]), 2).class);
        let single = said.iter().map(|l| right(&|i| l[i])).sum::<f64>() / said.len() as f64;
        let values: Vec<usize> = self.schema.fields.iter().map(|f| f.values.len()).collect();
        let competitor =
            |r: Competitor| r.answers(&images, &asked, &values).map_or(0.0, |given| right(&|i| given[i]));
        let [tree, logistic, nearest] = Competitor::ALL.map(competitor);
        let scores = [by_vote, single, tree, logistic, nearest, right(&|_| 0).max(right(&|_| 1))];
        eprintln!("{}, pick {pick}: {} images, {scores:.3?}", self.name, images.len());
        scores
    }
}

fn main() {
    let number = |n: usize, default: u64| std::env::args().nth(n).map_or(default, |a| a.parse().expect("a number"));
    let (picks, learners) = (number(1, 20), number(2, 32));
    let only = std::env::args().nth(3).filter(|task| task != "-");
    let mut config = fit::config();
    if let Some(decay) = std::env::args().nth(4) {
        config.adam.weight_decay = decay.parse().expect("a number");
    }
    let config = config.check().expect("a weight decay from 0 to 1");
    let (isa, folder) = (Isa::detect().expect("an instruction set"), DataFolder::find(None));
    println!("{:<10}{}", "", COLUMNS.map(|c| format!("{c:>10}")).concat());
    for name in ["m-of-n", "led24", "monk-2", "threeof9"] {
        if only.as_ref().is_none_or(|o| o == name) {
            let case = Case::new(name, &folder);
            let all: Vec<[f64; 6]> = (0..picks).map(|pick| case.scores(pick, learners, config, isa)).collect();
            let mean = |k: usize| 100.0 * all.iter().map(|t| t[k]).sum::<f64>() / all.len() as f64;
            println!("{name:<10}{}", (0..6).map(|k| format!("{:>10.1}", mean(k))).collect::<String>());
        }
    }
}
