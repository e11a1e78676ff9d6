//! How good a population is on rows that it was not shown, beside ordinary classifiers.

use super::competitors::Competitor;
use super::{answers, model_of, teach, vote};
use crate::config::ValidConfig;
use crate::engine::Isa;
use crate::model::Architecture;
use crate::rng::{RandomStream, Stream};
use crate::sweep::Progress;
use crate::task::table::{LabelledRow, SymmetriesError, TableTask};
use crate::task::{Example, Target};
use std::collections::BTreeMap;

/// Fewer rows than these are not split, those that are the same by what is known counted once.
pub const LEAST_ROWS: usize = 20;
/// Parts that rows are split into; each is left out once.
const PARTS: usize = 5;
/// Learners of each split.
pub const LEARNERS: u64 = 16;

/// Shares of right answers on rows that were left out.
#[derive(Clone, Debug, PartialEq)]
pub struct HeldOut {
    /// Rows that were asked for, each once.
    pub rows: usize,
    /// The vote's.
    pub vote: f64,
    /// A single learner's.
    pub single: f64,
    /// Those of ordinary classifiers, taught with the same; none where one cannot learn from them.
    pub competitors: Vec<(Competitor, Option<f64>)>,
    /// That of always giving the class that is the most frequent of all rows, those left out included.
    pub majority: f64,
    /// Rows that the vote alone has right, and those that the most frequent class alone has.
    pub differ: [usize; 2],
}

impl HeldOut {
    /// Whether the vote is better than the most frequent class, and not by luck: by a sign test on the rows that only one
    /// of them has right, at 5 %.
    pub fn is_better(&self) -> bool {
        let [won, lost] = self.differ;
        chance_of(won, won + lost) < 0.05
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

/// The table's rows in five parts; none if there are too few. Rows that are the same but for a symmetry are in the
/// same part: shown the one, a learner would know the other.
pub fn parts(own: &TableTask) -> Result<Option<Vec<Vec<&LabelledRow>>>, SymmetriesError> {
    let mut same = BTreeMap::<Vec<u8>, Vec<&LabelledRow>>::new();
    for row in &own.rows {
        let images = TableTask { rows: vec![row.clone()], ..own.clone() }.images()?;
        let first = images.into_iter().map(|image| image.0).min().unwrap_or_default();
        same.entry(first).or_default().push(row);
    }
    if same.len() < LEAST_ROWS {
        return Ok(None);
    }
    let mut groups: Vec<Vec<&LabelledRow>> = same.into_values().collect();
    RandomStream::new(0, Stream::Pick, 0).shuffle(&mut groups);
    let part = |i: usize| groups.iter().skip(i).step_by(PARTS).flatten().copied().collect();
    Ok(Some((0..PARTS).map(part).collect()))
}

/// Leaves out each of the [`parts`] of a table in turn. `progress` hears of epochs of learners.
pub fn held_out(
    own: &TableTask,
    parts: &[Vec<&LabelledRow>],
    config: ValidConfig,
    isa: Isa,
    progress: Progress<'_>,
) -> Result<HeldOut, SymmetriesError> {
    let classes = own.schema.classes.len();
    let values: Vec<usize> = own.schema.fields.iter().map(|f| f.values.len()).collect();
    // Of all rows: where classes are equally frequent, leaving some out would make the wrong one the more frequent.
    let most = vote(own.rows.iter().map(|r| r.class), classes).class;
    // Right answers: the vote's, all learners', the competitors', the most frequent class's.
    let (mut by_vote, mut by_one, mut by_majority, mut differ) = (0, 0, 0, [0, 0]);
    let mut by_competitor = [const { Some(0) }; Competitor::ALL.len()];
    for (i, asked) in parts.iter().enumerate() {
        let taught = parts.iter().enumerate().filter(|(other, _)| *other != i).flat_map(|(_, part)| part);
        let shown = TableTask { rows: taught.map(|&row| row.clone()).collect(), ..own.clone() };
        let images = shown.images()?;
        let asked: Vec<Example> =
            asked.iter().map(|r| Example::new(r.input.clone(), Target::Class(r.class))).collect();
        let right = |given: &dyn Fn(usize) -> u8| {
            (0..asked.len()).filter(|&i| asked[i].target == Target::Class(given(i))).count()
        };
        let task = shown.task_of("held out", images.clone());
        let model = model_of(&task, Architecture::Strat);
        let seeds: Vec<u64> = (1..=LEARNERS).collect();
        let learners = teach(&task, model, config, &seeds, isa, progress);
        let said = answers(&task, model, &learners, &asked, isa);
        let voted: Vec<u8> = (0..asked.len()).map(|i| vote(said.iter().map(|l| l[i]), classes).class).collect();
        by_vote += right(&|i| voted[i]);
        by_one += said.iter().map(|l| right(&|i| l[i])).sum::<usize>();
        for (sum, competitor) in by_competitor.iter_mut().zip(Competitor::ALL) {
            let given = competitor.answers(&images, &asked, &values);
            *sum = sum.zip(given).map(|(sum, given)| sum + right(&|i| given[i]));
        }
        by_majority += right(&|_| most);
        let both = (0..asked.len()).filter(|&i| voted[i] == most && asked[i].target == Target::Class(most)).count();
        differ[0] += right(&|i| voted[i]) - both;
        differ[1] += right(&|_| most) - both;
    }
    let rows = parts.iter().map(Vec::len).sum();
    let share = |right: usize| right as f64 / rows as f64;
    Ok(HeldOut {
        rows,
        vote: share(by_vote),
        single: share(by_one) / LEARNERS as f64,
        competitors: Competitor::ALL.into_iter().zip(by_competitor.map(|right| right.map(share))).collect(),
        majority: share(by_majority),
        differ,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::task::table::sheet::Header;
    use crate::task::table::{LabelledTable, Sheet, Symmetries};
    use std::path::Path;

    #[test]
    fn luck_is_told_from_skill() {
        let better = |won, lost| {
            let nothing =
                HeldOut { rows: 0, vote: 0.0, single: 0.0, competitors: vec![], majority: 0.0, differ: [0, 0] };
            HeldOut { differ: [won, lost], ..nothing }.is_better()
        };
        assert!((chance_of(8, 10) - 56.0 / 1024.0).abs() < 1e-12 && (chance_of(0, 3) - 1.0).abs() < 1e-12);
        assert!(!better(0, 0) && !better(4, 0) && better(5, 0) && !better(8, 2) && better(9, 1) && !better(1, 9));
        assert!(better(6_000, 4_000) && !better(5_000, 5_000));
    }

    #[test]
    fn rows_that_are_the_same_by_what_is_known_stay_together() {
        // All 32 rows of five bits, each twice; by rotation they are eight.
        let bits = |n: u32| (0..5).map(|i| (n >> i & 1).to_string()).collect::<Vec<_>>();
        let row = |n: u32| format!("{},{}\n", bits(n).join(","), if n.count_ones() > 2 { "p" } else { "n" });
        let text: String = ["a,b,c,d,e,y\n".to_string()].into_iter().chain((0..64).map(|n| row(n % 32))).collect();
        let sheet = Sheet::parse(Path::new("t"), text.as_bytes(), Header::Present).unwrap();
        let labelled = LabelledTable::of(&sheet, "y", &[], &Symmetries::default()).unwrap();
        let own = TableTask::new(labelled.clone(), Symmetries::default());
        let parts = super::parts(&own).unwrap().unwrap();
        assert_eq!(parts.iter().map(Vec::len).sum::<usize>(), 64);
        for (i, part) in parts.iter().enumerate() {
            let elsewhere = |row: &&LabelledRow| parts.iter().enumerate().any(|(j, p)| j != i && p.contains(row));
            let input = |row: &&LabelledRow| parts.iter().skip(i + 1).flatten().any(|r| r.input == row.input);
            assert!(!part.iter().any(|row| elsewhere(row) || input(row)));
        }
        let known = Symmetries {
            cyclic: vec![["a", "b", "c", "d", "e"].map(String::from).into()],
            ..Symmetries::default()
        };
        assert!(super::parts(&TableTask::new(labelled, known)).unwrap().is_none(), "eight are too few");
    }
}
