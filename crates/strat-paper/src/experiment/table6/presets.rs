//! Table 6 under several presets: how many figures agree with the paper's, how far the others are off, and what follows.

use super::text::wrapped;
use super::{AVERAGE_ROW, Column};
use std::fmt::Write;
use strat::config::Preset;
use strat::model::Architecture::{Strat, Transformer};
use strat::result::{Cell, Verdict};

/// Figures of one kind under one preset, beside the paper's.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Agreement {
    /// Figures that the paper has.
    pub figures: usize,
    /// How many are the same, better, worse, and too uncertain to tell.
    pub verdicts: [usize; 4],
    /// Mean distance from the paper's, in percentage points.
    pub distance: f64,
}

/// What is compared: accuracies of one model, or their difference, ID and OOD, of every data set.
const KINDS: [(&str, [Column; 2]); 3] = [
    ("STRAT", [Column::Accuracy(Strat, 0), Column::Accuracy(Strat, 1)]),
    ("Transformer", [Column::Accuracy(Transformer, 0), Column::Accuracy(Transformer, 1)]),
    ("difference", [Column::Difference(0), Column::Difference(1)]),
];

impl Agreement {
    fn of(cells: &[Cell], columns: &[Column]) -> Agreement {
        let is_of = |c: &&Cell| c.row != AVERAGE_ROW && columns.iter().any(|column| *column.metric() == c.metric);
        let compared: Vec<(&Cell, f64)> = cells.iter().filter(is_of).filter_map(|c| Some((c, c.paper?))).collect();
        let count = |verdict| compared.iter().filter(|(c, _)| c.verdict == Some(verdict)).count();
        let off: f64 = compared.iter().map(|(c, paper)| 100.0 * (c.value - paper).abs()).sum();
        Agreement {
            figures: compared.len(),
            verdicts: [Verdict::Same, Verdict::Better, Verdict::Worse, Verdict::Uncertain].map(count),
            distance: off / compared.len() as f64,
        }
    }

    /// Those of both models and their difference.
    pub fn all(cells: &[Cell]) -> [Agreement; 3] {
        KINDS.map(|(_, columns)| Agreement::of(cells, &columns))
    }
}

/// A line for each preset and kind of figure, and what follows. The cells are those of [`super::cells`].
pub fn compared(presets: &[(&Preset, Vec<Cell>)]) -> String {
    let all: Vec<(&Preset, [Agreement; 3])> =
        presets.iter().map(|(p, cells)| (*p, Agreement::all(cells))).collect();
    let mut out = format!(
        "{:<14}{:<13}{:>7}{:>7}{:>8}{:>7}{:>11}{:>11}\n",
        "Preset", "figures of", "of", "same", "better", "worse", "uncertain", "points off"
    );
    for (preset, kinds) in &all {
        let mut name = preset.name;
        for (Agreement { figures, verdicts: [same, better, worse, uncertain], distance }, (kind, _)) in
            kinds.iter().zip(KINDS)
        {
            let _ = writeln!(
                out,
                "{name:<14}{kind:<13}{figures:>7}{same:>7}{better:>8}{worse:>7}{uncertain:>11}{distance:>11.1}"
            );
            name = "";
        }
    }
    out.push_str("Points off: mean distance from the paper's figures, in percentage points.\n");
    if all.len() > 1 {
        out.push_str(&follows(&all));
    }
    out
}

/// Which preset is nearest to the paper, of each kind of figure.
fn follows(all: &[(&Preset, [Agreement; 3])]) -> String {
    let mut out = String::new();
    for (i, (kind, _)) in KINDS.iter().enumerate() {
        let distance = |(_, kinds): &(&Preset, [Agreement; 3])| kinds[i].distance;
        let same = |(_, kinds): &(&Preset, [Agreement; 3])| kinds[i].verdicts[0];
        let known = || all.iter().filter(|preset| distance(preset).is_finite());
        let Some(nearest) = known().min_by(|a, b| distance(a).total_cmp(&distance(b))) else { continue };
        let others = known().filter(|other| other.0 != nearest.0);
        let each = others.map(|other| format!("{} {:.1}", other.0.name, distance(other))).collect::<Vec<_>>();
        let most = known().map(same).max().unwrap_or(0);
        out.push_str(&wrapped(&format!(
            "{kind}: nearest to the paper is {} ({:.1} points off; {}). At most {most} of {} figures are the same.",
            nearest.0.name,
            distance(nearest),
            each.join(", "),
            nearest.1[i].figures,
        )));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::table6::{Scores, cells};
    use std::collections::BTreeMap;
    use strat::model::Architecture;

    /// All learners of a model alike, on MONK-2, where the paper has 90.86 / 90.92 and 62.01 / 61.99.
    fn table(strat: [f64; 2], transformer: [f64; 2]) -> Vec<Cell> {
        let scores = |architecture: Architecture, accuracy: [f64; 2]| Scores {
            task: "monk-2".into(),
            stand_in: None,
            departs: None,
            architecture,
            by_seed: (41..=50).map(|seed| (seed, accuracy)).collect::<BTreeMap<_, _>>(),
            vote: [None; 2],
            decided: [None; 2],
        };
        cells(&[scores(Strat, strat), scores(Transformer, transformer)])
    }

    #[test]
    fn distances_are_means_over_both_test_sets() {
        let [strat, transformer, difference] = Agreement::all(&table([0.9186, 0.9292], [0.6201, 0.6199]));
        assert!((strat.distance - 1.5).abs() < 1e-9 && transformer.distance < 1e-9, "{strat:?} {transformer:?}");
        assert!((difference.distance - 1.5).abs() < 0.01);
        assert_eq!((strat.figures, strat.verdicts.iter().sum::<usize>()), (2, 2));
    }

    #[test]
    fn the_nearest_preset_is_named_and_an_exchange_of_both_exchanges_the_names() {
        let [first, second] = [&Preset::ALL[0], &Preset::ALL[1]];
        let (far, near) = (table([1.0; 2], [1.0; 2]), table([0.9086, 0.9092], [0.6201, 0.6199]));
        let text = compared(&[(first, far.clone()), (second, near.clone())]);
        assert!(text.contains(&format!("Transformer: nearest to the paper is {} (0.0", second.name)), "{text}");
        let text = compared(&[(first, near), (second, far)]);
        assert!(text.contains(&format!("Transformer: nearest to the paper is {} (0.0", first.name)), "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    }
}
