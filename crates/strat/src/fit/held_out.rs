//! What every part of the mixture says about rows that it was not shown, and what follows: weights, and how good the whole is.

use super::{config, model_of, probabilities, teach, temper};
use crate::engine::Isa;
use crate::model::Architecture;
use crate::rng::{RandomStream, Stream};
use crate::sweep::Progress;
use crate::task::table::frame::DECAYS;
use crate::task::table::{LabelledRow, Part, SymmetriesError, TableTask, TableTaskError, Weighted};
use crate::train::TrainConfig;
use rayon::prelude::*;
use std::collections::BTreeMap;
use strat_tables::{Calibration, Frame, HeldOut, Method, evidence, folds, log_loss};

/// Learners of each population that is tested: a vector of them.
pub const LEARNERS: u64 = 8;
/// What populations of STRAT weigh before any row is seen, by decay; the others' weights are in [`Method::ALL`].
const PRIORS: [f64; 2] = [1.5, 0.5];
/// The most parts of the rows; each is left out once. With more rows than [`MANY`] fewer are enough.
const PARTS: usize = 10;
const FEWER_PARTS: usize = 5;
const MANY: usize = 40;
/// With more rows than these, one part is left out and the others are not.
const MOST_IN_TURN: usize = 1000;
/// With no more rows than these a simple rule may fit all by luck.
const MOST_LUCKY: usize = 200;
/// After this share of the parts, and after all, a population that weighs less than the second of these is dropped: the other
/// classifiers learn in a hundredth of the time.
const JUDGED: usize = 3;
const LEAST_WEIGHT: f64 = 0.025;
/// With more rows than [`MANY`] the others know most of what can be known; then populations must make the mixture better by
/// so many nats a row, or all are dropped: a row is answered twenty times as fast without them.
const LEAST_GAIN: f64 = 0.02;

/// The test on rows left out.
#[derive(Clone, Debug)]
pub struct Tested {
    /// The parts of the mixture with the weights that follow.
    pub weights: Vec<Weighted>,
    /// How probabilities of the mixture are made right.
    pub calibration: Calibration,
    /// The evidence that there is something to learn, in nats; none of many rows, which need none.
    pub evidence: Option<f64>,
    /// Rows that were left out, by their places among the table's.
    pub rows: Vec<usize>,
    /// The fold of each: rows of one were left out together.
    pub folds: Vec<usize>,
    /// What each part says of each: the probability of each class.
    pub by_part: Vec<Vec<Vec<f64>>>,
    /// What the mixture says of each, with weights chosen without it: the probability of each class.
    pub said: Vec<Vec<f64>>,
    /// Each part's own test.
    pub parts: Vec<Tally>,
    /// The mixture's.
    pub mixture: Tally,
    /// That of the shares of classes.
    pub shares: Tally,
    /// Rows that the mixture alone has right, and those that the most frequent class alone has.
    pub differ: [usize; 2],
}

/// How good answers were.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tally {
    /// The share of right ones.
    pub accuracy: f64,
    /// The mean surprise, in nats.
    pub log_loss: f64,
}

impl Tally {
    fn of(labels: &[usize], said: &[Vec<f64>]) -> Tally {
        let right = labels.iter().zip(said).filter(|(class, p)| super::most(p) == **class).count();
        Tally { accuracy: right as f64 / labels.len().max(1) as f64, log_loss: log_loss(labels, said) }
    }
}

impl Tested {
    /// Lets a table's task answer by what was found: weights and calibration.
    pub fn apply_to(&self, own: &mut TableTask) {
        own.mixture.clone_from(&self.weights);
        own.temperature = self.calibration.temperature;
        own.chance = self.calibration.chance;
    }

    /// Whether the mixture is better than the most frequent class, and not by luck: by a sign test on the rows that only
    /// one of them has right, at 5 %.
    pub fn is_better(&self) -> bool {
        let [won, lost] = self.differ;
        chance_of(won, won + lost) < 0.05
    }

    /// Rows of the table that look mislabelled, by number, with the class that the others speak for and its probability.
    /// None if the mixture is no better than luck: then it is no judge of rows.
    pub fn doubtful(&self, own: &TableTask) -> Vec<(usize, usize, f64)> {
        const DOUBT: f64 = 0.9;
        if !self.is_better() {
            return vec![];
        }
        let rows = self.rows.iter().zip(&self.said).map(|(&i, said)| (&own.rows[i], super::most(said), said));
        let mut found: Vec<(usize, usize, f64)> = rows
            .filter(|(row, most, said)| *most != usize::from(row.class) && said[*most] >= DOUBT)
            .map(|(row, most, said)| (row.row, most, said[most]))
            .collect();
        found.sort_by(|a, b| b.2.total_cmp(&a.2).then(a.0.cmp(&b.0)));
        found.dedup_by_key(|row| row.0);
        found
    }
}

/// How likely so many of `all` coins, or more, show heads.
fn chance_of(heads: usize, all: usize) -> f64 {
    // By logarithms: half to the power of thousands is nothing.
    let log = |n: usize| (n as f64).ln();
    let (mut ways, mut sum) = (-(all as f64) * std::f64::consts::LN_2, 0.0);
    for k in 0..=all {
        if k >= heads {
            sum += ways.exp();
        }
        ways += log(all - k) - log(k + 1);
    }
    sum
}

/// The part of each row. Rows that are the same but for a symmetry are in the same part, and so is a row that counts for
/// several: shown the one, a learner would know the other.
pub(super) fn parts(own: &TableTask) -> Result<Vec<usize>, SymmetriesError> {
    let mut same = BTreeMap::<Vec<u8>, Vec<usize>>::new();
    for (i, row) in own.rows.iter().enumerate() {
        let first = if own.known.is_empty() {
            row.row.to_be_bytes().to_vec()
        } else {
            let one = TableTask { rows: vec![row.clone()], ..own.clone() };
            one.images()?.into_iter().map(|image| image.input).min().unwrap_or_default()
        };
        same.entry(first).or_default().push(i);
    }
    let groups: Vec<Vec<usize>> = same.into_values().collect();
    let labels: Vec<usize> = groups.iter().map(|group| usize::from(own.rows[group[0]].class)).collect();
    let mut order: Vec<usize> = (0..groups.len()).collect();
    RandomStream::new(0, Stream::Pick, 0).shuffle(&mut order);
    let count = if groups.len() > MANY { FEWER_PARTS } else { PARTS.min(groups.len()) };
    let part_of = folds(&labels, count, &order);
    let mut out = vec![0; own.rows.len()];
    for (group, part) in groups.iter().zip(part_of) {
        group.iter().for_each(|&i| out[i] = part);
    }
    Ok(out)
}

/// Epochs of learners that [`held_out`] needs at the most.
pub fn work(own: &TableTask, epochs: usize) -> Result<u64, SymmetriesError> {
    Ok(turns(own, &parts(own)?) as u64 * DECAYS.len() as u64 * LEARNERS * epochs as u64)
}

/// After how many parts populations are judged first.
pub(super) fn judged(turns: usize) -> usize {
    turns.div_ceil(JUDGED)
}

/// How many parts are left out in turn.
pub(super) fn turns(own: &TableTask, parts: &[usize]) -> usize {
    if own.rows.len() > MOST_IN_TURN { 1 } else { parts.iter().max().map_or(0, |most| most + 1) }
}

/// Leaves out some rows at a time and asks about them. Populations are trained for `epochs`. `progress` hears of epochs of learners.
pub fn held_out(
    own: &TableTask,
    epochs: usize,
    isa: Isa,
    progress: Progress<'_>,
) -> Result<Tested, SymmetriesError> {
    let part = parts(own)?;
    let turns = turns(own, &part);
    let asked: Vec<usize> = (0..own.rows.len()).filter(|&i| part[i] < turns).collect();
    let labels: Vec<usize> = asked.iter().map(|&i| usize::from(own.rows[i].class)).collect();
    let (frame, origins) = own.frame()?;
    let random = super::random;
    let of_frame: Vec<usize> = origins.iter().map(|&i| part[i]).collect();
    let mut tested = HeldOut::of(&frame, of_frame, turns, &random);
    tested.keep(&asked);

    let mut populations =
        Populations { said: vec![vec![vec![]; own.rows.len()]; DECAYS.len()], kept: (0..DECAYS.len()).collect() };
    for some in [0..judged(turns), judged(turns)..turns] {
        let each: Vec<(usize, usize)> =
            some.clone().flat_map(|turn| populations.kept.iter().map(move |&d| (turn, d))).collect();
        let taught: Vec<Population> = each
            .par_iter()
            .map(|&(turn, d)| population(own, &part, turn, (DECAYS[d], epochs), isa, progress))
            .collect::<Result<_, _>>()?;
        for ((_, d), population) in each.into_iter().zip(taught) {
            population.into_iter().for_each(|(row, p)| populations.said[d][row] = p);
        }
        let so_far: Vec<usize> = (0..asked.len()).filter(|&at| part[asked[at]] < some.end).collect();
        populations.judge(&tested, (&asked, own.rows.len()), &so_far, &labels);
    }
    populations.join(&mut tested, &asked);
    let decays = populations.kept.iter().map(|&d| Part::Strat(DECAYS[d]));
    let all: Vec<Part> = Method::ALL.iter().map(|(m, _)| Part::Other(*m)).chain(decays).collect();
    let weights = tested.weights(&labels);
    let evidence = evidence_of(own, &frame, &origins);
    // Without it, of many rows, what rows left out gained is enough: no simple rule fits so many by luck.
    let calibration = tested.calibration(&labels, evidence.unwrap_or(0.0));
    let mut said = tested.mixture(&labels);
    said.iter_mut().for_each(|p| calibration.apply(p));
    let shares = shares(own);
    let most = super::most(&shares);
    let mut differ = [0, 0];
    // A row that counts for several is evidence once.
    let mut last = None;
    for ((&class, p), &i) in labels.iter().zip(&said).zip(&asked) {
        if last.replace(own.rows[i].row) == Some(own.rows[i].row) {
            continue;
        }
        match (super::most(p) == class, most == class) {
            (true, false) => differ[0] += 1,
            (false, true) => differ[1] += 1,
            _ => {}
        }
    }
    Ok(Tested {
        weights: all.iter().zip(&weights).map(|(part, weight)| Weighted { part: *part, weight: *weight }).collect(),
        calibration,
        evidence,
        parts: tested.said.iter().map(|said| Tally::of(&labels, said)).collect(),
        mixture: Tally::of(&labels, &said),
        shares: Tally::of(&labels, &vec![shares; labels.len()]),
        rows: asked,
        folds: tested.parts,
        by_part: tested.said,
        said,
        differ,
    })
}

/// How many times as long as learning from all rows the evidence takes: four orders, half of the rows to five sixths.
pub(super) fn fits_for_evidence(own: &TableTask) -> f64 {
    if own.rows.len() > MOST_LUCKY { 0.0 } else { 4.0 * (0.5 + 0.67 + 0.83) }
}

/// The evidence that there is something to learn. A row that counts for several, or that symmetries make several of, is
/// evidence once. None of many rows.
fn evidence_of(own: &TableTask, frame: &Frame, origins: &[usize]) -> Option<f64> {
    if own.rows.len() > MOST_LUCKY {
        return None;
    }
    let mut once: Vec<usize> = (0..own.rows.len()).collect();
    once.dedup_by_key(|i| own.rows[*i].row);
    debug_assert!(once.iter().all(|&i| origins[i] == i), "a table's own rows come first");
    Some(evidence(&frame.select(&once), &super::random))
}

/// What populations of STRAT say of rows that were left out, by decay and row, and which of them are not dropped.
struct Populations {
    said: Vec<Vec<Vec<f64>>>,
    kept: Vec<usize>,
}

impl Populations {
    /// Adds those that are not dropped to the others' test of these rows.
    fn join(&self, tested: &mut HeldOut, asked: &[usize]) {
        for &d in &self.kept {
            tested.said.push(asked.iter().map(|&i| self.said[d][i].clone()).collect());
            tested.priors.push(PRIORS[d]);
        }
    }

    /// Drops those that weigh too little beside the others, by some of the rows that were asked about; `all` is the number of the
    /// table's rows.
    fn judge(&mut self, others: &HeldOut, (asked, all): (&[usize], usize), some: &[usize], labels: &[usize]) {
        let mut tested = others.clone();
        self.join(&mut tested, asked);
        tested.keep(some);
        let labels: Vec<usize> = some.iter().map(|&at| labels[at]).collect();
        let weights = tested.weights(&labels).split_off(others.said.len());
        let mut weights = weights.into_iter();
        self.kept.retain(|_| weights.next().is_some_and(|weight| weight >= LEAST_WEIGHT));
        if all > MANY && !self.kept.is_empty() {
            let loss = |tested: &HeldOut| log_loss(&labels, &tested.mixture(&labels));
            let (mut with, mut without) = (others.clone(), others.clone());
            self.join(&mut with, asked);
            with.keep(some);
            without.keep(some);
            if loss(&without) - loss(&with) < LEAST_GAIN {
                self.kept.clear();
            }
        }
    }
}

/// Rows that were left out, by their places, and what a population says of each.
type Population = Vec<(usize, Vec<f64>)>;

/// Teaches a population all parts but one, and asks it about that.
fn population(
    own: &TableTask,
    part: &[usize],
    turn: usize,
    (decay, epochs): (f64, usize),
    isa: Isa,
    progress: Progress<'_>,
) -> Result<Population, SymmetriesError> {
    let (out, shown): (Vec<usize>, Vec<usize>) = (0..own.rows.len()).partition(|&i| part[i] == turn);
    let rows: Vec<LabelledRow> = shown.iter().map(|&i| own.rows[i].clone()).collect();
    let shown = TableTask { rows, ..own.clone() };
    let task = shown.task("held out").map_err(only_symmetries)?;
    let model = model_of(&task, Architecture::Strat);
    let config = TrainConfig { steps: epochs, ..config(decay) };
    let config = config.check().expect("these settings are sound");
    let seeds: Vec<u64> = (1..=LEARNERS).collect();
    let learners = teach(&task, model, config, &seeds, isa, progress);
    let inputs: Vec<Vec<u8>> = out.iter().map(|&i| own.rows[i].input.clone()).collect();
    let mut said = probabilities(&task, model, &learners, &inputs, isa);
    let shares = shares(&shown);
    said.iter_mut().for_each(|p| temper(p, shown.rows.len(), &shares));
    Ok(out.into_iter().zip(said).collect())
}

/// All else was checked when the table was made.
pub(super) fn only_symmetries(error: TableTaskError) -> SymmetriesError {
    if let TableTaskError::Symmetries(e) = error { e } else { unreachable!("rows of a table are one: {error}") }
}

/// The classes' shares of the rows.
pub(super) fn shares(own: &TableTask) -> Vec<f64> {
    let mut counts = vec![0.0; own.schema.classes.len()];
    own.rows.iter().for_each(|row| counts[usize::from(row.class)] += 1.0);
    let all: f64 = counts.iter().sum();
    counts.into_iter().map(|count| count / all).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::task::table::Told;
    use crate::task::table::sheet::Header;
    use crate::task::table::{LabelledTable, Sheet, Symmetries};
    use std::path::Path;

    #[test]
    fn luck_is_told_from_skill() {
        let better = |won, lost| chance_of(won, won + lost) < 0.05;
        assert!((chance_of(8, 10) - 56.0 / 1024.0).abs() < 1e-12 && (chance_of(0, 3) - 1.0).abs() < 1e-12);
        assert!(!better(0, 0) && !better(4, 0) && better(5, 0) && !better(8, 2) && better(9, 1) && !better(1, 9));
        assert!(better(6_000, 4_000) && !better(5_000, 5_000));
    }

    /// Of ten rows; the population is as sure of the right class as is said, the only other classifier says 0.9.
    fn kept(says: f64) -> Vec<usize> {
        let labels: Vec<usize> = (0..10).map(|i| i % 2).collect();
        let sure = |right: f64| {
            labels.iter().map(move |&l| [vec![right, 1.0 - right], vec![1.0 - right, right]][l].clone())
        };
        let others = HeldOut { said: vec![sure(0.9).collect()], priors: vec![26.0], parts: vec![0; 10] };
        let asked: Vec<usize> = (0..10).collect();
        let said = vec![sure(says).collect(), sure(0.5).collect()];
        let mut populations = Populations { said, kept: vec![0, 1] };
        populations.judge(&others, (&asked, 10), &asked[..6], &labels);
        populations.kept
    }

    #[test]
    fn a_population_is_dropped_if_the_others_are_better_and_kept_if_it_is() {
        assert_eq!((kept(0.99), kept(0.9), kept(0.5)), (vec![0], vec![0], vec![]));
    }

    #[test]
    fn rows_that_are_the_same_by_what_is_known_stay_together() {
        // All 32 rows of five bits, each twice; by rotation they are eight.
        let bits = |n: u32| (0..5).map(|i| (n >> i & 1).to_string()).collect::<Vec<_>>();
        let row = |n: u32| format!("{},{}\n", bits(n).join(","), if n.count_ones() > 2 { "p" } else { "n" });
        let text: String = ["a,b,c,d,e,y\n".to_string()].into_iter().chain((0..64).map(|n| row(n % 32))).collect();
        let sheet = Sheet::parse(Path::new("t"), text.as_bytes(), Header::Present).unwrap();
        let labelled = LabelledTable::of(&sheet, "y", &Told::default(), &Symmetries::default()).unwrap();
        let known = Symmetries {
            cyclic: vec![["a", "b", "c", "d", "e"].map(String::from).into()],
            ..Symmetries::default()
        };
        let own = TableTask::new(labelled, known);
        let part = super::parts(&own).unwrap();
        assert_eq!(part.iter().collect::<std::collections::BTreeSet<_>>().len(), 8);
        let ones = |i: usize| {
            (own.rows[i].input.iter().sum::<u8>(), own.rows[i].input.windows(2).filter(|w| w[0] != w[1]).count())
        };
        for i in 0..64 {
            assert!(
                (0..64).filter(|&j| own.rows[j].input == own.rows[i].input).all(|j| part[j] == part[i]),
                "{:?}",
                ones(i)
            );
        }
    }
}
