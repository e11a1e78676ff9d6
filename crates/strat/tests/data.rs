//! The real files parse, and hold what the paper counts.

mod common;

use common::folder;
use common::require::skip;
use strat::data::{DataError, DataFolder, Source};
use strat::internals::Mark;

/// The rows, or `None` where the file is not there.
fn there<T>(what: &str, read: impl Fn(&DataFolder) -> Result<Option<T>, DataError>) -> Option<T> {
    let folder = folder()?;
    let rows = read(&folder).unwrap_or_else(|e| panic!("{e}"));
    if rows.is_none() {
        skip("data", format_args!("{what} is not in {}", folder.root().display()));
    }
    rows
}

#[test]
fn sudoku_is_the_papers() {
    let Some(pairs) = there("sudoku", DataFolder::sudoku) else { return };
    assert_eq!(pairs.len(), 1100);
    let clues: usize = pairs.iter().map(|p| p.puzzle.iter().filter(|&&d| d > 0).count()).sum();
    assert_eq!(clues, 39_830); // 36.21 a puzzle, as the paper says
}

#[test]
fn tic_tac_toe_has_626_won_boards() {
    let Some(boards) = there("tic-tac-toe", DataFolder::tic_tac_toe) else { return };
    assert_eq!(boards.len(), 958);
    assert_eq!(boards.iter().filter(|b| b.1).count(), 626);
    use Mark::{O, X};
    assert_eq!(boards[0], ([X, X, X, X, O, O, X, O, O], true));
}

#[test]
fn life_keeps_its_rule() {
    let Some(pairs) = there("life", DataFolder::life) else { return };
    // The parser checks the rule; the public file may differ from the local one by a row.
    assert!(pairs.len().abs_diff(767) <= 1, "{}", pairs.len());
}

#[test]
fn pmlb_tables_have_their_sizes() {
    let sizes = [("parity5", 32, 5), ("threeOf9", 512, 9), ("mofn_3_7_10", 1324, 10), ("monk2", 601, 6)];
    for (name, rows, columns) in sizes.into_iter().chain([("led24", 3200, 24)]) {
        let Some(table) = there(name, |f| f.pmlb(name)) else { continue };
        assert_eq!((table.rows.len(), table.target.len(), table.columns.len()), (rows, rows, columns), "{name}");
        assert!(table.rows.iter().all(|r| r.len() == columns), "{name}");
    }
    let Some(table) = there("parity5", |f| f.pmlb("parity5")) else { return };
    assert!(table.rows.iter().zip(&table.target).all(|(r, t)| r.iter().sum::<i32>() % 2 == *t));
}

#[test]
fn mofn_is_three_of_bits_2_to_8() {
    let Some(table) = there("mofn_3_7_10", |f| f.pmlb("mofn_3_7_10")) else { return };
    assert!(table.rows.iter().zip(&table.target).all(|(r, t)| i32::from(r[2..9].iter().sum::<i32>() >= 3) == *t));
}

#[test]
fn spect_has_80_and_187_rows() {
    let Some(split) = there("spect", DataFolder::spect) else { return };
    assert_eq!((split.train.len(), split.test.len()), (80, 187));
}

#[test]
fn satlib_has_1000_formulas_of_91_clauses() {
    let Some(formulas) = there("satlib", DataFolder::satlib) else { return };
    assert_eq!(formulas.len(), 1000);
    for f in &formulas {
        assert_eq!((f.variables, f.clauses.len()), (20, 91));
        assert!(f.clauses.iter().all(|c| c.len() == 3));
    }
    assert_eq!(formulas[0].clauses[0], [4, -18, 19]); // uf20-01.cnf
}

#[test]
fn an_empty_folder_has_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let folder = DataFolder::find(Some(dir.path().into()));
    assert!(folder.sudoku().unwrap().is_none());
    assert!(folder.spect().unwrap().is_none());
    assert!(folder.pmlb("led24").unwrap().is_none());
    assert!(folder.pmlb("no such table").unwrap().is_none());
    std::fs::write(dir.path().join("SPECT.train"), "").unwrap();
    let half = folder.spect().unwrap_err().to_string();
    assert!(half.contains("SPECT.test"), "{half}");
}

#[test]
fn every_file_that_is_there_verifies() {
    let Some(folder) = folder() else { return };
    for source in Source::all() {
        match folder.verify(source).unwrap_or_else(|e| panic!("{e}")) {
            Some(content) => assert!(content.rows >= source.rows.0, "{}", source.name),
            // The tests above need all but SATBench, which few machines have.
            None => eprintln!("{} is not there", source.name),
        }
    }
}
