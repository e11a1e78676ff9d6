use super::*;
use strat::result::Verdict;

fn scores(task: &str, architecture: Architecture, by_seed: &[(u64, [f64; 2])]) -> Scores {
    let stand_in = (task == "satlib").then(|| "drawn formulas instead of the paper's".to_string());
    let by_seed = by_seed.iter().copied().collect();
    let [vote, decided] = [[None; 2]; 2];
    Scores { task: task.into(), stand_in, departs: None, architecture, by_seed, vote, decided }
}

fn find<'a>(cells: &'a [Cell], row: &str, metric: &str) -> &'a Cell {
    cells.iter().find(|c| c.row == row && c.metric.name == metric).unwrap_or_else(|| panic!("no {metric} of {row}"))
}

fn near(a: f64, b: f64) {
    assert!((a - b).abs() < 1e-9, "{a}, not {b}");
}

/// Accuracies 0.9, 0.8, 1.0 have the mean 0.9 and the error 0.1/√3. Against 0.5, 0.6, 0.4 the differences are 0.4,
/// 0.2 and 0.6: 0.4 ± 0.2/√3. Were they not paired, the error would be 0.1 · √2/√3.
#[test]
fn errors_are_those_of_pairs() {
    let strat = [(41, [0.9, 0.7]), (42, [0.8, 0.7]), (43, [1.0, 0.7])];
    // Another order and one seed more: neither matters.
    let transformer = [(43, [0.4, 0.1]), (44, [0.0, 0.0]), (41, [0.5, 0.1]), (42, [0.6, 0.1])];
    let cells = cells(&[scores("life", Transformer, &transformer), scores("life", Strat, &strat)]);
    let metrics: Vec<&str> = cells.iter().map(|c| &*c.metric.name).collect();
    assert_eq!(
        metrics,
        [
            "strat_id_accuracy",
            "strat_ood_accuracy",
            "strat_ood_less_id",
            "transformer_id_accuracy",
            "transformer_ood_accuracy",
            "transformer_ood_less_id",
            "difference_id_accuracy",
            "difference_ood_accuracy",
        ]
    );
    let id = find(&cells, "Game of Life", "strat_id_accuracy");
    near(id.value, 0.9);
    near(id.error.unwrap(), 0.1 / 3f64.sqrt());
    near(id.paper.unwrap(), 0.8871);
    near(id.paper_error.unwrap(), 0.0272);
    // Three seeds are too few for an interval.
    assert_eq!((id.n, id.verdict, id.interval()), (3, Some(Verdict::Uncertain), None));
    assert_eq!(id.departs.as_deref(), Some("3 learners, the paper has 10 learners"));
    let difference = find(&cells, "Game of Life", "difference_id_accuracy");
    near(difference.value, 0.4);
    near(difference.error.unwrap(), 0.2 / 3f64.sqrt());
    assert_eq!((difference.n, difference.verdict), (3, Some(Verdict::Uncertain)));
    near(find(&cells, "Game of Life", "transformer_id_accuracy").value, 0.375);
    near(find(&cells, "Game of Life", "strat_ood_less_id").value, -0.2);
    assert_eq!(cells.iter().filter(|c| c.row == "Average").count(), 0, "one task is no average");
}

/// By seed the averages of 0.6 and 1.0 are 0.7 and 0.9: 0.8 ± 0.1.
#[test]
fn averages_are_taken_seed_by_seed_over_common_seeds() {
    let rows = [
        scores("satlib", Strat, &[(41, [0.6, 0.5]), (42, [0.8, 0.5]), (43, [0.0, 0.0])]),
        scores("sudoku", Strat, &[(41, [0.8, 0.4]), (42, [1.0, 0.4])]),
    ];
    let cells = cells(&rows);
    assert_eq!(cells[0].row, "SATNet Sudoku", "the paper's order");
    let average = find(&cells, "Average", "strat_id_accuracy");
    near(average.value, 0.8);
    near(average.error.unwrap(), 0.1);
    assert_eq!(average.n, 2);
    // The paper has 86.58 ± 1.08 and 99.98 ± 0.02 on these two.
    near(average.paper.unwrap(), 0.9328);
    near(average.paper_error.unwrap(), (0.0108f64.powi(2) + 0.0002f64.powi(2)).sqrt() / 2.0);
    assert!(average.stand_in.as_ref().is_some_and(|s| s.contains("SATLIB") && !s.contains("Sudoku")));
    let of_strat = [Metric::STRAT_ID_ACCURACY, Metric::STRAT_OOD_ACCURACY, Metric::STRAT_OOD_LESS_ID];
    assert!(cells.iter().all(|c| of_strat.contains(&c.metric)));
}

/// The paper's own figures, spread so that they have its errors.
fn papers() -> Vec<Scores> {
    let of = |row: &TaskRow, architecture| {
        let [id, ood] = row.accuracy(architecture);
        // Ten seeds at ± three times the error have that error.
        let at = |seed: u64| {
            let sign = if seed.is_multiple_of(2) { 3.0 } else { -3.0 };
            (seed, [id, ood].map(|f| f.mean.value + sign * f.error.unwrap()))
        };
        scores(row.task, architecture, &(41..=50).map(at).collect::<Vec<_>>())
    };
    TASKS.iter().flat_map(|row| Architecture::ALL.map(|a| of(row, a))).collect()
}

#[test]
fn the_papers_figures_are_not_unlike_themselves() {
    let cells = cells(&papers());
    assert_eq!(cells.len(), 12 * 8);
    // OOD less ID was taken before rounding: from rounded figures it need not come out to the digit.
    let is_shift = |c: &&Cell| [Metric::STRAT_OOD_LESS_ID, Metric::TRANSFORMER_OOD_LESS_ID].contains(&c.metric);
    let (shifts, others): (Vec<&Cell>, Vec<&Cell>) = cells.iter().partition(is_shift);
    assert!(shifts.iter().all(|c| (c.value - c.paper.unwrap()).abs() < 1.5e-4), "{shifts:?}");
    // Those whose errors allow it are the same, the others uncertain, none better or worse.
    for c in &others {
        let both = c.error.unwrap().hypot(c.paper_error.unwrap());
        let expected = if 2.27 * both < 0.0195 { Verdict::Same } else { Verdict::Uncertain };
        assert_eq!(c.verdict, Some(expected), "{c:?}");
    }
    assert!(others.iter().any(|c| c.verdict == Some(Verdict::Same)));
    let average = |metric| find(&cells, "Average", metric).paper.unwrap();
    near(average("difference_ood_accuracy"), 0.3536);
    near(average("transformer_ood_less_id"), -0.1175);
}

#[test]
fn the_text_has_every_row_beside_the_papers_in_80_columns() {
    let text = render(&cells(&papers()));
    assert!(text.lines().all(|l| l.chars().count() <= 80), "{text}");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "Right answers in %                     STRAT       Transformer        difference");
    assert_eq!(lines[1], "SATNet Sudoku       ID         86.58 ±  1.08     27.92 ±  4.97    +58.66 ±  3.89");
    assert_eq!(lines[2], "                     95 %     84.14 to 89.02    16.68 to 39.16  +49.86 to +67.46");
    assert_eq!(lines[3], "                     paper   ? 86.58 ±  1.08   ? 27.92 ±  4.97  ? +58.66 ±  5.22");
    let average = lines.iter().position(|l| l.starts_with("Average*")).expect("an average with a stand-in");
    assert!(lines[average + 8].contains("−2.39") && lines[average + 8].contains("−11.75"), "{text}");
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("of 96 figures are the same as the paper's, 0 better, 0 worse,"), "{text}");
    assert!(text.contains("* SATLIB is a stand-in: drawn") && !text.contains('†'), "{text}");
    assert!(text.contains("OOD: STRAT leads on 11 (SATNet Sudoku,") && text.contains("to tell none."), "{text}");
}

/// The Transformer has one task less: neither model's average counts it.
#[test]
fn averages_are_over_what_both_models_have() {
    let of = |task, model, x: f64| scores(task, model, &(41..=50).map(|s| (s, [x, x])).collect::<Vec<_>>());
    let rows = [
        of("life", Strat, 0.8),
        of("life", Transformer, 0.6),
        of("sudoku", Strat, 0.6),
        of("sudoku", Transformer, 0.2),
        of("led24", Strat, 0.1),
    ];
    let all = cells(&rows);
    near(find(&all, "Average", "strat_id_accuracy").value, 0.7);
    near(find(&all, "Average", "transformer_id_accuracy").value, 0.4);
    near(find(&all, "Average", "difference_id_accuracy").value, 0.3);
    near(find(&all, "Average", "strat_id_accuracy").paper.unwrap(), (0.8871 + 0.8658) / 2.0);
    let departs = find(&all, "Average", "strat_id_accuracy").departs.as_deref();
    assert_eq!(departs, Some("over 2 of the paper's 11 data sets"));
    // One task in common is no average; without any Transformer STRAT's is over its own.
    assert!(!cells(&[rows[0].clone(), rows[1].clone(), rows[4].clone()]).iter().any(|c| c.row == "Average"));
    let alone = cells(&[rows[0].clone(), rows[4].clone()]);
    near(find(&alone, "Average", "strat_id_accuracy").value, 0.45);
}

/// By hand: 0.1 ± 0.05 · √(10/9)/√10 over ten pairs, t = 2.262.
#[test]
fn differences_have_the_interval_of_pairs() {
    let by = |middle: f64, up: f64| -> Vec<(u64, [f64; 2])> {
        (41..=50).map(|s| (s, [middle + if s % 2 == 0 { up } else { -up }; 2])).collect()
    };
    // Both rise and fall together: the difference is far surer than either.
    let all = cells(&[scores("life", Strat, &by(0.7, 0.25)), scores("life", Transformer, &by(0.6, 0.2))]);
    let lead = find(&all, "Game of Life", "difference_ood_accuracy");
    let half = 2.2622 * 0.05 / 3.0;
    let [low, high] = lead.interval().unwrap();
    assert!((low - (0.1 - half)).abs() < 1e-5 && (high - (0.1 + half)).abs() < 1e-5, "{lead:?}");
    assert!(render(&all).contains("OOD: STRAT leads on 1 (Game of Life), the Transformer on none"));
    let level = cells(&[scores("life", Strat, &by(0.7, 0.2)), scores("life", Transformer, &by(0.69, 0.2))]);
    assert!(render(&level).contains("level within 2 points 1"), "{}", render(&level));
    let [low, high] = find(&all, "Game of Life", "strat_ood_accuracy").interval().unwrap();
    assert!(high - low > 0.3);
}

#[test]
fn other_lessons_are_marked() {
    let mut short = scores("life", Strat, &[(41, [0.5, 0.5])]);
    short.departs = Some("80 epochs, the paper has 6,000".into());
    let text = render(&cells(&[short]));
    assert!(text.contains("Game of Life†") && text.contains("80 epochs, the paper has 6,000."), "{text}");
}

#[test]
fn one_learner_has_no_error_and_unknown_tasks_no_paper() {
    let text = render(&cells(&[scores("own", Strat, &[(1, [0.5, 0.25])])]));
    assert_eq!(text.lines().nth(1), Some("own                 ID         50.00"));
    assert_eq!(text.lines().nth(2), Some("                     95 %        none: n < 5"));
    assert_eq!(text.lines().nth(3), Some("                    OOD        25.00"));
}

#[test]
fn nothing_is_an_empty_table() {
    assert_eq!(cells(&[]), []);
    assert_eq!(cells(&[scores("life", Strat, &[])]), []);
}
