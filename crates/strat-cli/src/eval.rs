//! `strat eval`: how often the learners of a run are right, or how far off they are.

use crate::ExitCode;
use crate::Failure;
use crate::args::EvalArgs;
use crate::checked;
use crate::chosen::{Chosen, open};
use crate::fitted::Fitted;
use crate::output::print;
use crate::predict_file::form_of;
use rayon::prelude::*;
use std::borrow::Cow;
use std::fmt::Write;
use std::sync::Arc;
use strat::engine::Isa;
use strat::model::{ModelRecord, Readout};
use strat::result::LearnerResult;
use strat::stats::standard_error;
use strat::task::{ArrayTask, Entry, Example, Split, Task};
use strat::train::{Ballot, Predictor, TrainError};

pub fn run(args: EvalArgs) -> Result<ExitCode, Failure> {
    let isa = Isa::detect()?;
    if let Some(file) = &args.data_file {
        let folder = strat_paper::experiment::open(&args.record)?;
        let row = folder.row(args.chosen.row.as_deref())?;
        if let (Some(form), Some(model)) = (form_of(row), row.model.model()) {
            let task = Arc::new(ArrayTask::read_for(file, &form)?);
            strat::train::Population::check(&*task, &*model)?;
            let learners = folder.learners(row, args.chosen.seed)?;
            let (name, examples) = (file.display().to_string(), task.asked());
            let tested = Tested { task, name, examples: Some(examples), split: Split::Id, stand_in: None };
            let found =
                tested.scores(&learners, |weights| Predictor::new(&*tested.task, model.clone(), weights, isa))?;
            return tested.show(&row.name, &learners, &found, None, (String::new(), args.json));
        }
    }
    let Chosen { source, data, row, learners } = open(&args.record, &args.chosen)?;
    if let (Some(own), Some(task), ModelRecord::Blocks(model)) = (row.table(), &data, &row.model) {
        if args.split.is_some() {
            return Err(Failure::NoSplits { task: task.name().into() });
        }
        let fitted = Fitted::new((task, own), &row, *model, (&learners, args.chosen.seed), isa);
        return fitted.eval(args.data_file.as_deref(), args.json);
    }
    let (name, examples) = match (&args.data_file, &data) {
        (Some(path), Some(task)) => (path.display().to_string(), Some(task.read_file(path)?)),
        (Some(_), None) => return Err(Failure::NotATask(args.record)),
        (None, _) => (if args.split() == Split::Id { "ID" } else { "OOD" }.into(), None),
    };
    // A file's examples are no stand-in.
    let stand_in = data.as_ref().and_then(|task| task.stand_in()).filter(|_| examples.is_none());
    let tested = Tested { task: source.task.clone(), name, examples, split: args.split(), stand_in };
    let taught_with = row.data().and_then(|data| data.stand_in.clone());
    let asked = source.task.rule().map(|_| tested.examples(learners.first().map_or(1, |l| l.seed)));
    let checked = asked.as_ref().map(|asked| checked::ask(&source, &learners, asked, isa)).transpose()?.flatten();
    let (found, together) = match asked.zip(checked) {
        Some((asked, checked)) => {
            let about = (source.task.name(), &*row.name, &*tested.name);
            (
                Found { scores: checked.scores(&asked, learners.len()), vote: None },
                checked.eval(about, &asked, learners.len(), args.json),
            )
        }
        None => {
            let predictor = |weights: &_| Predictor::new(&*source.task, source.model.clone(), weights, isa);
            (tested.scores(&learners, predictor)?, String::new())
        }
    };
    tested.show(&row.name, &learners, &found, taught_with, (together, args.json))
}

/// What learners score, each and together.
struct Found {
    scores: Vec<f64>,
    /// How often their vote is right; none if there is nothing to vote on.
    vote: Option<f64>,
}

/// What learners are tested on.
struct Tested {
    task: Arc<dyn Task>,
    /// What it is called.
    name: String,
    /// The examples, if they are not those of the split.
    examples: Option<Vec<Example>>,
    split: Split,
    stand_in: Option<&'static str>,
}

impl Tested {
    /// What the learner of a seed is tested on.
    fn examples(&self, seed: u64) -> Cow<'_, [Example]> {
        self.examples.as_deref().map_or_else(|| self.task.test(self.split, seed), Cow::Borrowed)
    }

    fn scores<'a>(
        &self,
        learners: &[LearnerResult],
        predictor: impl Fn(&strat::engine::reference::Arrays) -> Predictor<'a> + Sync,
    ) -> Result<Found, Failure> {
        let answer = |l: &LearnerResult| {
            let examples = self.examples(l.seed);
            let outputs = predictor(&l.weights).outputs(&examples)?;
            let score = Example::mean_score(&examples, |i, example| self.task.score(example, &outputs[i]));
            Ok((score, Ballot::of(self.task.readout(), &outputs)))
        };
        let all = learners.par_iter().with_max_len(1).map(answer).collect::<Result<Vec<_>, TrainError>>()?;
        let (scores, ballots): (Vec<f64>, Vec<Option<Ballot>>) = all.into_iter().unzip();
        // Those who are asked the same can vote.
        let same = |l: &LearnerResult| {
            learners.first().is_some_and(|first| self.examples(l.seed) == self.examples(first.seed))
        };
        let ballots = ballots.into_iter().collect::<Option<Vec<_>>>();
        let ballots = ballots.filter(|ballots| ballots.len() > 1 && learners.iter().all(same));
        let vote = ballots.map(|ballots| Ballot::score(&ballots, &self.examples(learners[0].seed)));
        Ok(Found { scores, vote })
    }

    fn show(
        &self,
        row: &str,
        learners: &[LearnerResult],
        Found { scores, vote }: &Found,
        taught_with: Option<String>,
        (together, json): (String, bool),
    ) -> Result<ExitCode, Failure> {
        let (task, name) = (self.task.name(), &self.name);
        let seed = learners.first().map_or(1, |l| l.seed);
        let count = self.examples(seed).len();
        let is_error = self.task.readout() == Readout::Number;
        let metric = if is_error { "mean_absolute_error" } else { "accuracy" };
        let mut out = String::new();
        if json {
            for (l, score) in learners.iter().zip(scores) {
                let line = serde_json::json!({
                    "task": task, "row": row, "seed": l.seed, "examples": name, "count": count,
                    metric: score, "vote": vote, "stand_in": self.stand_in, "trained_on_stand_in": taught_with,
                });
                let _ = writeln!(out, "{line}");
            }
            print(&(out + &together))?;
            return Ok(ExitCode::SUCCESS);
        }
        let shown = |x: f64| if is_error { format!("{x:>10.3}") } else { format!("{:>6.2} %", 100.0 * x) };
        let title = Entry::named(task).map_or(task, |entry| entry.title);
        let what = if is_error { ", mean absolute error" } else { "" };
        let _ = writeln!(out, "{row} on {title}, {name}: {count} examples{what}\n");
        for (l, score) in learners.iter().zip(scores) {
            let _ = writeln!(out, "  seed {:<6} {}", l.seed, shown(*score));
        }
        let mean = scores.iter().sum::<f64>() / scores.len() as f64;
        let _ = write!(out, "  mean        {}", shown(mean));
        if scores.len() > 1 {
            let error = standard_error(scores) * if is_error { 1.0 } else { 100.0 };
            let _ = write!(out, " ± {error:.2} (standard error)");
        }
        out.push('\n');
        if let Some(vote) = vote {
            let _ = writeln!(
                out,
                "  vote        {} (more learners give the right answer than any other)",
                shown(*vote)
            );
        }
        out += &together;
        if let Some(stand_in) = self.stand_in {
            let _ = writeln!(out, "\nStand-in: {stand_in}.");
        }
        if let Some(taught_with) = taught_with.filter(|t| self.stand_in != Some(t)) {
            let _ = writeln!(out, "\nTrained on a stand-in: {taught_with}.");
        }
        print(&out)?;
        Ok(ExitCode::SUCCESS)
    }
}
