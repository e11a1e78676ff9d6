//! A classifier of few inputs, made simpler without changing an answer.
//!
//! Units that no answer needs are removed, gates become constants or steps, heads become means or choices. Each change is
//! tried on *every* input of the task and taken back if one answer changes, so what comes out is the same function. It
//! is an ordinary learner: what was removed has weights of zero.

use crate::engine::reference::Arrays;
use crate::engine::{Isa, Machine};
use crate::model::{Architecture, BlockModel};
use crate::task::{Batch, DataTask, Example, class};
use crate::train::machine;
use std::collections::BTreeMap;

/// A gate's weights times this make a step of it.
const STEEP: f32 = (1 << 24) as f32;
/// A gate that does not depend on anything has this bias, or its negative.
const CONSTANT: f32 = 128.0;
/// A head's queries times this make it look at one token only.
const PEAKED: f32 = (1 << 12) as f32;

/// Units of a kind, and how many are left.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Units {
    /// In words.
    pub name: &'static str,
    /// How many there were.
    pub all: usize,
    /// How many are left.
    pub left: usize,
}

/// What gates became.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Gates {
    /// Always open or always closed.
    pub constant: usize,
    /// Open or closed, depending on Type.
    pub steps: usize,
    /// As they were.
    pub soft: usize,
}

/// What heads became.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Heads {
    /// Nothing that they fetch is used.
    pub unused: usize,
    /// A plain mean over all tokens.
    pub mean: usize,
    /// They look at one token, or at several with the same score.
    pub hard: usize,
    /// As they were.
    pub soft: usize,
}

/// A simpler learner with the same answers.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Simplified {
    /// Its weights.
    pub weights: Arrays,
    /// Inputs on which its answers were compared: all there are.
    pub inputs: usize,
    /// Units of each kind, and how many of them are left.
    pub units: Vec<Units>,
    /// Gates of units that are left.
    pub gates: Gates,
    /// Attention heads.
    pub heads: Heads,
    /// Weights that are not zero, before and after.
    pub weights_left: [usize; 2],
}

impl Simplified {
    /// Whether a model can be simplified: STRAT classifiers whose Data travels.
    pub fn applies(model: &BlockModel) -> bool {
        let s = &model.sizes;
        model.architecture == Architecture::Strat
            && s.route.is_some()
            && matches!(s.readout, crate::model::Readout::Class(_))
    }

    /// Simplifies a learner; `inputs` are all of its task's.
    ///
    /// # Panics
    /// If [`Simplified::applies`] is false.
    pub fn of(task: &DataTask, inputs: &[Example], model: BlockModel, weights: &Arrays, isa: Isa) -> Simplified {
        assert!(Simplified::applies(&model), "{model:?} is no STRAT classifier");
        let mut trial = Trial::new(task, inputs, model, weights, isa);
        let before = trial.count_weights();
        let mut units = trial.remove_units(&model);
        let heads = trial.heads(&model);
        let gates = trial.gates(&model);
        // With hard gates, some more may not be needed.
        for (units, again) in units.iter_mut().zip(trial.remove_units(&model)) {
            units.left = again.left;
        }
        trial.sweep(&model);
        let weights_left = [before, trial.count_weights()];
        let numbers = |w: &Vec<f32>| w.iter().map(|&x| f64::from(x)).collect();
        let weights = trial.weights.iter().map(|(name, w)| (name.clone(), numbers(w))).collect();
        Simplified { weights, inputs: inputs.len(), units, gates, heads, weights_left }
    }
}

/// A learner with all inputs of its task.
struct Trial {
    machine: Box<dyn Machine<f32>>,
    weights: BTreeMap<String, Vec<f32>>,
    /// Rows and columns of each.
    shapes: BTreeMap<String, [usize; 2]>,
    classes: usize,
    answers: Vec<u8>,
}

/// The numbers of a matrix that belong to one of its rows or columns.
#[derive(Clone, Copy)]
enum Line {
    Row(usize),
    Column(usize),
}

impl Trial {
    fn new(task: &DataTask, inputs: &[Example], model: BlockModel, weights: &Arrays, isa: Isa) -> Trial {
        let mut batch = Batch::new(task, task.shape().tokens);
        batch.fill(task, inputs);
        let size = (batch.len(), false);
        let machine = machine(&model, batch.kinds(), batch.tokens(), size, isa);
        let mut machine: Box<dyn Machine<f32>> = machine.expect("the model is one of this task");
        batch.set(&mut *machine, 0, &mut vec![]).expect("the inputs are of this task");
        machine.load();
        let weights: BTreeMap<String, Vec<f32>> =
            weights.iter().map(|(n, w)| (n.clone(), w.iter().map(|&x| x as f32).collect())).collect();
        weights.iter().for_each(|(name, w)| machine.set_param(0, name, w));
        let shapes = model.params().into_iter().map(|p| (p.name.to_string(), p.shape)).collect();
        let mut trial = Trial { machine, weights, shapes, classes: task.readout().logits(1), answers: vec![] };
        trial.answers = trial.ask();
        trial
    }

    fn ask(&mut self) -> Vec<u8> {
        self.machine.forward();
        self.machine.output(0).chunks_exact(self.classes).map(class).collect()
    }

    /// Makes a change if it changes no answer.
    fn accepts(&mut self, change: &[(&str, Vec<f32>)]) -> bool {
        change.iter().for_each(|(name, w)| self.machine.set_param(0, name, w));
        let same = self.ask() == self.answers;
        for (name, w) in change {
            if same {
                drop(self.weights.insert(name.to_string(), w.clone()))
            } else {
                self.machine.set_param(0, name, &self.weights[*name])
            }
        }
        same
    }

    fn indices(&self, name: &str, line: Line) -> impl Iterator<Item = usize> + use<> {
        let [rows, columns] = self.shapes[name];
        let (start, step, count) = match line {
            Line::Row(i) => (i * columns, 1, columns),
            Line::Column(j) => (j, columns, rows),
        };
        (0..count).map(move |i| start + i * step)
    }

    /// A matrix with one of its lines times a number.
    fn scaled(&self, name: &str, lines: impl IntoIterator<Item = Line>, by: f32) -> Vec<f32> {
        let mut w = self.weights[name].clone();
        for line in lines {
            self.indices(name, line).for_each(|i| w[i] *= by);
        }
        w
    }

    fn is_zero(&self, name: &str, line: Line) -> bool {
        self.indices(name, line).all(|i| self.weights[name][i] == 0.0)
    }

    fn count_weights(&self) -> usize {
        self.weights.values().flatten().filter(|w| **w != 0.0).count()
    }

    /// Removes what no answer needs, the weakest first.
    fn remove_units(&mut self, model: &BlockModel) -> Vec<Units> {
        let mut all = vec![];
        for (kind, name, matrix, lines) in self.kinds(model) {
            let strength = |line: &Line| -> f32 {
                self.indices(&matrix, *line).map(|i| self.weights[&matrix][i].powi(2)).sum()
            };
            let mut order: Vec<(f32, Line)> = lines.iter().map(|l| (strength(l), *l)).collect();
            order.sort_by(|a, b| a.0.total_cmp(&b.0));
            for (strength, line) in order {
                if strength > 0.0 {
                    let without = self.scaled(&matrix, [line], 0.0);
                    self.accepts(&[(&matrix, without)]);
                }
            }
            let left = lines.iter().filter(|l| !self.is_zero(&matrix, **l)).count();
            if all.len() <= kind {
                all.push(Units { name, all: 0, left: 0 });
            }
            all[kind].all += lines.len();
            all[kind].left += left;
        }
        all
    }

    /// Kinds of unit: number, name, the matrix through which they are used, and their lines in it.
    fn kinds(&self, model: &BlockModel) -> Vec<(usize, &'static str, String, Vec<Line>)> {
        let columns = |name: &str| (0..self.shapes[name][1]).map(Line::Column).collect();
        let rows = |name: &str| (0..self.shapes[name][0]).map(Line::Row).collect();
        let mut kinds = vec![(0, "Data channels that the answer is read from", "head.weight".to_string())];
        for b in 0..model.sizes.layers {
            let at = |part: &str| format!("block.{b}.{part}.weight");
            kinds.push((1, "hidden units", at("glu_out")));
            if self.shapes.contains_key(&at("glu_hidden")) {
                kinds.push((1, "hidden units", at("glu_hidden")));
            }
            kinds.push((2, "fetched Data channels", at("data_out")));
            kinds.push((3, "fetched Type channels", at("type_value")));
            kinds.push((4, "written Data channels", at("data_out")));
        }
        kinds.sort_by_key(|k| k.0);
        let kinds = kinds.into_iter().filter(|k| self.shapes.contains_key(&k.2));
        let with_lines = |(kind, name, matrix): (usize, &'static str, String)| {
            let lines = if kind >= 3 { rows(&matrix) } else { columns(&matrix) };
            (kind, name, matrix, lines)
        };
        kinds.map(with_lines).collect()
    }

    /// Sets weights to zero that only what was removed had used.
    fn sweep(&mut self, model: &BlockModel) {
        for b in 0..model.sizes.layers {
            let at = |part: &str| format!("block.{b}.{part}");
            let two = self.shapes.contains_key(&at("glu_hidden.weight"));
            // Where a unit is used, by row or column, and what only it uses, by row.
            let uses: [(&str, bool, &[&str]); 5] = [
                ("glu_out", false, if two { &["glu_hidden"] } else { &["glu_value", "glu_gate"] }),
                (if two { "glu_hidden" } else { "glu_out" }, false, &["glu_value", "glu_gate"]),
                ("data_out", false, &["data_value"]),
                ("data_out", true, &["write_gate"]),
                ("query", true, &["key"]),
            ];
            for (used, by_row, makes) in uses {
                let used = at(&format!("{used}.weight"));
                let count = self.shapes[&used][usize::from(!by_row)];
                let line = |i| if by_row { Line::Row(i) } else { Line::Column(i) };
                let dead: Vec<usize> = (0..count).filter(|&i| self.is_zero(&used, line(i))).collect();
                for make in makes {
                    let (weight, bias) = (at(&format!("{make}.weight")), at(&format!("{make}.bias")));
                    let mut change =
                        vec![(&*weight, self.scaled(&weight, dead.iter().map(|&i| Line::Row(i)), 0.0))];
                    if self.shapes.contains_key(&bias) {
                        change.push((&bias, self.scaled(&bias, dead.iter().map(|&i| Line::Column(i)), 0.0)));
                    }
                    self.accepts(&change);
                }
            }
        }
    }

    /// Gates of units that are used become constants, else steps.
    fn gates(&mut self, model: &BlockModel) -> Gates {
        let mut gates = Gates::default();
        for b in 0..model.sizes.layers {
            // A write gate is used if something is fetched into its channel, a GLU gate if its hidden unit is read.
            let next = if self.shapes.contains_key(&format!("block.{b}.glu_hidden.weight")) {
                "glu_hidden"
            } else {
                "glu_out"
            };
            for (gate, used_by, row) in [("write_gate", "data_out", true), ("glu_gate", next, false)] {
                let [weight, bias] = ["weight", "bias"].map(|part| format!("block.{b}.{gate}.{part}"));
                let used_by = format!("block.{b}.{used_by}.weight");
                for i in 0..self.shapes[&weight][0] {
                    let line = if row { Line::Row(i) } else { Line::Column(i) };
                    if self.is_zero(&used_by, line) {
                        continue;
                    }
                    let with_bias = |value: f32| {
                        let mut b = self.weights[&bias].clone();
                        b[i] = value;
                        b
                    };
                    let own = self.weights[&bias][i];
                    let none = self.scaled(&weight, [Line::Row(i)], 0.0);
                    let steep = self.scaled(&weight, [Line::Row(i)], STEEP);
                    let [closed, open, step] = [-CONSTANT, CONSTANT, STEEP * own].map(with_bias);
                    if self.accepts(&[(&weight, none.clone()), (&bias, closed)])
                        || self.accepts(&[(&weight, none), (&bias, open)])
                    {
                        gates.constant += 1;
                    } else if self.accepts(&[(&weight, steep), (&bias, step)]) {
                        gates.steps += 1;
                    } else {
                        gates.soft += 1;
                    }
                }
            }
        }
        gates
    }

    /// Heads become means, else look at one token.
    fn heads(&mut self, model: &BlockModel) -> Heads {
        let mut heads = Heads::default();
        let count = model.sizes.heads;
        for b in 0..model.sizes.layers {
            let at = |part: &str| format!("block.{b}.{part}");
            for head in 0..count {
                let of_head = |width: usize| head * width / count..(head + 1) * width / count;
                let fetches_type = self.shapes.get(&at("type_value.weight")).is_some_and(|[rows, _]| {
                    of_head(*rows).any(|i| !self.is_zero(&at("type_value.weight"), Line::Row(i)))
                });
                let channels = self.shapes[&at("data_out.weight")][1];
                let fetches_data =
                    of_head(channels).any(|j| !self.is_zero(&at("data_out.weight"), Line::Column(j)));
                if !fetches_type && !fetches_data {
                    heads.unused += 1;
                    continue;
                }
                let query = at("query.weight");
                let lines = || of_head(model.sizes.types).map(Line::Row);
                let (mean, peaked) = (self.scaled(&query, lines(), 0.0), self.scaled(&query, lines(), PEAKED));
                // Biases of queries belong to models whose routes are not asked here.
                if self.accepts(&[(&query, mean)]) {
                    heads.mean += 1;
                } else if self.accepts(&[(&query, peaked)]) {
                    heads.hard += 1;
                } else {
                    heads.soft += 1;
                }
            }
        }
        heads
    }
}
