//! `strat predict` and `strat eval` where a task's rule checks answers: what the learners say together.

use crate::asked::Asked;
use crate::say::say;
use serde_json::json;
use std::fmt::Write;
use std::time::{Duration, Instant};
use strat::engine::Isa;
use strat::escape::one_line;
use strat::result::LearnerResult;
use strat::task::{Example, Task, TextForm};
use strat::trace::ExampleSource;
use strat::train::{CheckedAnswer, CheckedPopulation, Found, Looks, TrainError};

/// What learners say of examples, and how long that took.
pub struct Checked {
    pub answers: Vec<CheckedAnswer>,
    took: Duration,
}

/// Asks learners together; none where the task has no check.
pub fn ask(
    source: &ExampleSource,
    learners: &[LearnerResult],
    examples: &[Example],
    isa: Isa,
) -> Result<Option<Checked>, TrainError> {
    let weights = learners.iter().map(|l| &l.weights);
    let population = CheckedPopulation::new(&*source.task, &source.model, weights, Looks::default(), isa);
    let ask = |mut population: CheckedPopulation<'_>| {
        let start = Instant::now();
        let answers = population.answers(examples)?;
        Ok(Checked { answers, took: start.elapsed() })
    };
    population.map(ask).transpose()
}

/// The valid answers, each once; where there is none, that.
pub fn predict(
    (task, form): (&dyn Task, &dyn TextForm),
    (row, learners): (&str, &[LearnerResult]),
    asked: &[Asked],
    checked: &Checked,
    as_json: bool,
) -> String {
    let mut out = String::new();
    for (Asked { text, probe }, answer) in asked.iter().zip(&checked.answers) {
        let found = answer.found.as_ref();
        let said =
            found.map(|f| form.right_answer(&Example { target: f.answer.clone(), ..probe.example().clone() }));
        if as_json {
            let right = probe.known().and_then(|known| Some(known.target.values() == found?.answer.values()));
            let line = json!({
                "task": task.name(), "row": row, "learners": learners.len(), "example": text,
                "answer": said.map(|said| said.words), "agree": found.map(|f| f.agree),
                "seed": found.map(|f| learners[f.learner].seed), "looks": found.map(|f| f.looks), "right": right,
            });
            let _ = writeln!(out, "{line}");
            continue;
        }
        if asked.len() > 1 {
            let _ = writeln!(out, "{}", one_line(text));
        }
        let _ = match said.zip(found) {
            Some((said, found)) => writeln!(out, "{said:#}\n{}", how_sure(found, learners)),
            None => writeln!(out, "unsolved: no answer of {} is valid", counted(learners.len())),
        };
    }
    if asked.len() > 1 {
        let valid = checked.answers.iter().filter(|a| a.found.is_some()).count();
        say!("{valid} of {} have a valid answer, {:.1} ms each", asked.len(), checked.milliseconds());
    }
    out
}

fn counted(learners: usize) -> String {
    if learners == 1 { "one learner".into() } else { format!("{learners} learners") }
}

fn how_sure(found: &Found, learners: &[LearnerResult]) -> String {
    let (agree, seed) = (found.agree, learners[found.learner].seed);
    match (found.looks, learners.len()) {
        (1, 1) => format!("(valid: seed {seed} says so at first sight)"),
        (1, all) => format!("(valid: {agree} of {all} learners say so at first sight)"),
        (looks, all) => format!("(valid: seed {seed} says so at look {looks}; {agree} of {all} at first sight)"),
    }
}

impl Checked {
    fn milliseconds(&self) -> f64 {
        1e3 * self.took.as_secs_f64() / self.answers.len() as f64
    }

    /// How often each learner is right alone, at first sight.
    pub fn scores(&self, examples: &[Example], learners: usize) -> Vec<f64> {
        let right = |learner: usize| self.share(examples, |e, a| is_right(e, a.first[learner].values()));
        (0..learners).map(right).collect()
    }

    fn share(&self, examples: &[Example], is: impl Fn(&Example, &CheckedAnswer) -> bool) -> f64 {
        Example::mean_score(examples, |i, example| f64::from(u8::from(is(example, &self.answers[i]))))
    }

    /// What learners are together: lines for a person, or one of JSON.
    pub fn eval(
        &self,
        (task, row, name): (&str, &str, &str),
        examples: &[Example],
        learners: usize,
        json: bool,
    ) -> String {
        let share = |is: &dyn Fn(&Example, &CheckedAnswer) -> bool| self.share(examples, is);
        let vote = share(&|e, a| is_right(e, a.vote.values()));
        let found = |e: &Example, a: &CheckedAnswer, most: usize| {
            a.found.as_ref().is_some_and(|f| f.looks <= most && is_right(e, f.answer.values()))
        };
        let (at_first, again) = (share(&|e, a| found(e, a, 1)), share(&|e, a| found(e, a, usize::MAX)));
        let unsolved = self.answers.iter().filter(|a| a.found.is_none()).count();
        let is_wrong =
            |(e, a): &(&Example, &CheckedAnswer)| a.found.as_ref().is_some_and(|f| !is_right(e, f.answer.values()));
        let wrong = examples.iter().zip(&self.answers).filter(is_wrong).count();
        let milliseconds = self.milliseconds();
        if json {
            let line = json!({
                "task": task, "row": row, "learners": learners, "examples": name, "count": examples.len(),
                "vote": vote, "checked_at_first_sight": at_first, "checked": again, "unsolved": unsolved,
                "wrong": wrong, "milliseconds": milliseconds,
            });
            return format!("{line}\n");
        }
        let percent = |x: f64| format!("{:>6.2} %", 100.0 * x);
        let all = examples.len();
        format!(
            "\nTogether, {}\n  vote                      {}\n  valid at first sight      {}\n  valid, looking again      {}\n  \
             unsolved                  {unsolved:>6} of {all}\n  valid, but not the right  {wrong:>6} of {all}\n  \
             time                      {milliseconds:>6.1} ms an example\n",
            counted(learners),
            percent(vote),
            percent(at_first),
            percent(again)
        )
    }
}

/// Whether values give the right answer wherever one is asked for.
fn is_right(example: &Example, values: &[u8]) -> bool {
    example.target.scored().all(|(place, right)| values[place] == right)
}
