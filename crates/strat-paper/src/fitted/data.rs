//! All that the page of a table shows, as data. `strat fit` keeps it in the folder of its run, so that a report needs no
//! training.

use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use strat::fit::Vote;
use strat::fit::held_out::{Tally, Tested};
use strat::fit::learned::{Learned, all_inputs};
use strat::fit::mixture::Answerer;
use strat::stats::{Statistic, estimate};
use strat::task::table::{Field, TableRow, TableTask};
use strat::train::TrainError;

/// What the file in a run's folder is called.
pub const KEPT: &str = "learned.json";
/// The largest such file that is read.
const LARGEST: u64 = 4_500_000;
/// Rows, changes and questions that a page has room for.
const MOST: usize = 200;
/// Probabilities from which on rows left out are counted together.
const STEPS: [f64; 5] = [0.0, 0.6, 0.8, 0.9, 0.98];

/// Why a kept file cannot be shown.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say what the fields are")]
#[non_exhaustive]
pub enum FitDataError {
    #[error("{}: {source}", path.display())]
    Io { path: PathBuf, source: std::io::Error },
    #[error("{}: {size} bytes, but what strat fit keeps has at most {LARGEST}", path.display())]
    Large { path: PathBuf, size: u64 },
    #[error("{}: not what strat fit keeps: {source}; fit the table again", path.display())]
    Form { path: PathBuf, source: serde_json::Error },
}

/// For each input there is, the probability of each class in ten-thousandths; the last column's value changes first.
pub type Answers = Vec<Vec<u16>>;

/// What was learned from a table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FitData {
    /// The table.
    pub name: String,
    /// The column that was learned.
    pub target: String,
    /// Its values.
    pub classes: Vec<String>,
    /// The other columns.
    pub columns: Vec<PageColumn>,
    /// Rows of the table.
    pub rows: usize,
    /// Learners of the population.
    pub learners: usize,
    /// The rule that is told.
    pub rule: Option<PageRule>,
    /// Why none is told.
    pub why_no_rule: Option<String>,
    /// How many inputs were asked for, and whether these are all there are.
    pub inputs: usize,
    /// See `inputs`.
    pub exact: bool,
    /// None if there are too many inputs.
    pub answers: Option<Answers>,
    /// Of each column: how often another value of it alone changes the answer.
    pub matters: Vec<f64>,
    /// The smallest changes that change an answer.
    pub changes: Vec<PageChange>,
    /// What to ask next.
    pub questions: Vec<PageQuestion>,
    /// Rows that are answered otherwise than the table says.
    pub wrong: Vec<PageRow>,
    /// The test on rows left out.
    pub held_out: Option<PageTest>,
    /// What is unusual about the table.
    pub notes: Vec<String>,
}

/// A column of the form.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PageColumn {
    /// Its name.
    pub name: String,
    /// Its values: words, or ranges of numbers, and what is missing.
    pub values: Vec<String>,
    /// Where its ranges of numbers begin, but for the first; none if it has words.
    pub cuts: Option<Vec<f64>>,
    /// A typical number of each range.
    pub typical: Vec<f64>,
    /// What its numbers are counted in; empty if that is nothing.
    pub unit: String,
    /// Whether its numbers are days since 1970.
    pub date: bool,
}

/// The rule that is told.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PageRule {
    /// In words, a line, or one for each case.
    pub lines: Vec<String>,
    /// The share of the posterior that agrees with it.
    pub support: f64,
    /// How often it is right on rows left out, if it is sought without them.
    pub accuracy: f64,
}

/// A change that changes an answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PageChange {
    /// The row's number.
    pub row: usize,
    /// Columns with their new values.
    pub set: Vec<(String, String)>,
    /// The class that is answered then.
    pub class: String,
    /// Its probability.
    pub probability: f64,
}

/// A row to ask about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PageQuestion {
    /// A cell for every column.
    pub cells: Vec<String>,
    /// The class that is answered now.
    pub class: String,
    /// Its probability.
    pub probability: f64,
    /// What the right answer would tell, in nats.
    pub tells: Option<f64>,
}

/// A row of the table and a class that it does not have.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PageRow {
    /// Its number.
    pub row: usize,
    /// The class.
    pub class: String,
    /// Its probability.
    pub probability: f64,
}

/// The test on rows left out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PageTest {
    /// How many rows were left out.
    pub rows: usize,
    /// Whether the mixture is better than the most frequent class, and not by luck.
    pub better: bool,
    /// The probability that all is chance.
    pub chance: f64,
    /// The mixture, its parts, and the classes' shares.
    pub competitors: Vec<Competitor>,
    /// Rows by the probability of their answers: from which on, how many, the mean probability, and how many are right.
    pub reliability: Vec<(f64, usize, f64, usize)>,
    /// Rows that look mislabelled.
    pub doubtful: Vec<PageRow>,
}

/// Who answers rows left out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Competitor {
    /// In words.
    pub name: String,
    /// The share of right answers.
    pub accuracy: f64,
    /// Its 95 % interval; none for fewer than five rows.
    pub interval: Option<[f64; 2]>,
    /// The mean surprise, in nats.
    pub log_loss: f64,
    /// Its weight in the mixture, if it is a part.
    pub weight: Option<f64>,
}

impl FitData {
    /// The answers to all inputs, if these are few.
    pub fn answers(own: &TableTask, answerer: &mut Answerer<'_>) -> Result<Option<Answers>, TrainError> {
        let Some(inputs) = all_inputs(&own.schema) else { return Ok(None) };
        let rows: Vec<TableRow> = inputs.iter().map(|input| own.typical(input)).collect();
        let said = answerer.answer(&rows)?;
        let share = |p: &f64| (p.clamp(0.0, 1.0) * 10_000.0).round() as u16;
        Ok(Some(said.iter().map(|answer| answer.probabilities.iter().map(share).collect()).collect()))
    }

    /// What a mixture has learned.
    pub fn of(
        name: &str,
        own: &TableTask,
        (learned, tested): (&Learned, Option<&Tested>),
        answers: Option<Answers>,
        learners: usize,
        notes: &[String],
    ) -> FitData {
        let schema = &own.schema;
        let class = |vote: &Vote| schema.classes[usize::from(vote.class)].clone();
        let change = |c: &strat::fit::learned::Change| PageChange {
            row: c.row,
            set: c
                .columns
                .iter()
                .map(|&i| {
                    let field = &schema.fields[i];
                    (field.name.clone(), field.values[usize::from(c.to.input[i])].clone())
                })
                .collect(),
            class: class(&c.to.vote),
            probability: c.to.vote.agreement,
        };
        let question = |next: &strat::fit::next::Next| PageQuestion {
            cells: next.cells.clone(),
            class: class(&next.vote),
            probability: next.vote.agreement,
            tells: next.tells,
        };
        let (rule, why_no_rule) = match &learned.told {
            Some(Ok(told)) => {
                let lines = told.lines.clone();
                (Some(PageRule { lines, support: told.support, accuracy: told.accuracy }), None)
            }
            Some(Err(why)) => (None, Some(why.clone())),
            None => (None, Some("no rows were left out to test it".into())),
        };
        FitData {
            name: name.into(),
            target: schema.target.clone(),
            classes: schema.classes.clone(),
            columns: schema.fields.iter().map(PageColumn::of).collect(),
            rows: own.rows.len(),
            learners,
            rule,
            why_no_rule,
            inputs: learned.inputs,
            exact: learned.exact,
            answers,
            matters: learned.matters.clone(),
            changes: learned.changes.iter().take(MOST).map(change).collect(),
            questions: learned.questions.iter().take(MOST).map(question).collect(),
            wrong: learned
                .wrong
                .iter()
                .take(MOST)
                .map(|(row, vote)| PageRow { row: *row, class: class(vote), probability: vote.agreement })
                .collect(),
            held_out: tested.map(|tested| PageTest::of(own, tested)),
            notes: notes.iter().take(MOST).cloned().collect(),
        }
    }

    /// As a run keeps it.
    pub fn to_text(&self) -> String {
        serde_json::to_string(self).expect("plain data") + "\n"
    }
}

/// What a run's folder keeps; none if it has no such file.
pub fn kept(folder: &Path) -> Result<Option<FitData>, FitDataError> {
    let path = folder.join(KEPT);
    let fail = |source| FitDataError::Io { path: path.clone(), source };
    let size = match std::fs::metadata(&path) {
        Ok(found) => found.len(),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(e) => return Err(fail(e)),
    };
    if size > LARGEST {
        return Err(FitDataError::Large { path, size });
    }
    let text = std::fs::read(&path).map_err(fail)?;
    serde_json::from_slice(&text).map(Some).map_err(|source| FitDataError::Form { path, source })
}

/// A column as a run's manifest has it, as far as a form needs it.
#[derive(Deserialize)]
struct Kept {
    #[serde(default)]
    scale: Option<KeptScale>,
}

/// How its numbers become values.
#[derive(Deserialize)]
struct KeptScale {
    form: serde_json::Value,
    cuts: Vec<f64>,
    typical: Vec<f64>,
}

impl PageColumn {
    fn of(field: &Field) -> PageColumn {
        let kept = serde_json::to_value(field).and_then(serde_json::from_value::<Kept>);
        let scale = kept.ok().and_then(|kept| kept.scale);
        let unit = scale.as_ref().and_then(|scale| scale.form["number"]["unit"]["text"].as_str());
        PageColumn {
            name: field.name.clone(),
            values: field.values.clone(),
            unit: unit.unwrap_or_default().into(),
            date: scale.as_ref().is_some_and(|scale| !scale.form["date"].is_null()),
            typical: scale.as_ref().map_or(vec![], |scale| scale.typical.clone()),
            cuts: scale.map(|scale| scale.cuts),
        }
    }
}

impl PageTest {
    fn of(own: &TableTask, tested: &Tested) -> PageTest {
        let labels: Vec<usize> = tested.rows.iter().map(|&i| usize::from(own.rows[i].class)).collect();
        let most = |p: &[f64]| (0..p.len()).reduce(|best, c| if p[c] > p[best] { c } else { best }).unwrap_or(0);
        let one = |name: &str, tally: &Tally, weight: Option<f64>| {
            // The interval of a share: so many rows right, the others not.
            let right = (tally.accuracy * labels.len() as f64).round() as usize;
            let sample: Vec<f64> = (0..labels.len()).map(|i| f64::from(u8::from(i >= right))).collect();
            let interval = estimate(&sample, &[Statistic::ShareBelow(0.5)])[0].interval;
            Competitor { name: name.into(), accuracy: tally.accuracy, interval, log_loss: tally.log_loss, weight }
        };
        let mut parts: Vec<Competitor> = vec![];
        // Those of one kind together, by the best of them.
        for (w, tally) in tested.weights.iter().zip(&tested.parts) {
            match parts.iter_mut().find(|part| part.name == w.part.title()) {
                Some(part) => {
                    let weight = part.weight.unwrap_or(0.0) + w.weight;
                    if tally.log_loss < part.log_loss {
                        *part = one(w.part.title(), tally, None);
                    }
                    part.weight = Some(weight);
                }
                None => parts.push(one(w.part.title(), tally, Some(w.weight))),
            }
        }
        parts.sort_by(|a, b| b.weight.unwrap_or(0.0).total_cmp(&a.weight.unwrap_or(0.0)));
        let mut competitors = vec![one("The mixture", &tested.mixture, None)];
        competitors.extend(parts);
        competitors.push(one("Shares of classes", &tested.shares, None));
        let said: Vec<(f64, bool)> =
            tested.said.iter().zip(&labels).map(|(p, label)| (p[most(p)], most(p) == *label)).collect();
        let ends = STEPS.iter().skip(1).chain([&f64::INFINITY]);
        let step = |(from, to): (&f64, &f64)| {
            let inside: Vec<&(f64, bool)> = said.iter().filter(|(p, _)| (*from..*to).contains(p)).collect();
            let right = inside.iter().filter(|(_, right)| *right).count();
            let mean = inside.iter().map(|(p, _)| p).sum::<f64>() / inside.len().max(1) as f64;
            (!inside.is_empty()).then_some((*from, inside.len(), mean, right))
        };
        PageTest {
            rows: labels.len(),
            better: tested.is_better(),
            chance: tested.calibration.chance,
            competitors,
            reliability: STEPS.iter().zip(ends).filter_map(step).collect(),
            doubtful: tested
                .doubtful(own)
                .into_iter()
                .take(MOST)
                .map(|(row, class, probability)| PageRow {
                    row,
                    class: own.schema.classes[class].clone(),
                    probability,
                })
                .collect(),
        }
    }
}
