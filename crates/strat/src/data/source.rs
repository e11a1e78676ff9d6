//! Where every data set comes from: one table.

/// A public data set.
#[derive(Debug)]
pub struct Source {
    /// What `strat data fetch` calls it: as `strat train` calls the task.
    pub name: &'static str,
    /// What it is, in a few words.
    pub about: &'static str,
    /// The public file, as it is called in the data folder.
    pub file: &'static str,
    /// Files that hold the same in another form; read where `file` is not there.
    pub instead: &'static [&'static str],
    /// Where `file` comes from.
    pub url: &'static str,
    /// Its terms, as far as its home states them.
    pub licence: &'static str,
    /// SHA-256 of `file`; `None` where its home may repack it, so that only its content counts.
    pub sha256: Option<&'static str>,
    /// SHA-256 of the rows as text, in any form of the file; `None` where that is not known.
    pub content: Option<&'static str>,
    /// Fewest and most rows.
    pub rows: (usize, usize),
    /// Most bytes of a file.
    pub cap: u64,
    pub(super) kind: Kind,
}

/// How a source is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Sudoku,
    TicTacToe,
    Life,
    Pmlb,
    Spect,
    Satlib,
    Satbench,
}

const MIB: u64 = 1 << 20;

const fn pmlb(
    name: &'static str,
    about: &'static str,
    [file, url]: [&'static str; 2],
    rows: usize,
    [sha256, content]: [&'static str; 2],
) -> Source {
    Source {
        name,
        about,
        file,
        instead: &[],
        url,
        licence: "MIT (PMLB)",
        sha256: Some(sha256),
        content: Some(content),
        rows: (rows, rows),
        cap: MIB,
        kind: Kind::Pmlb,
    }
}

/// File and address of a PMLB table.
macro_rules! table {
    ($name:literal) => {
        [
            concat!("pmlb/", $name, ".tsv.gz"),
            concat!("https://github.com/EpistasisLab/pmlb/raw/master/datasets/", $name, "/", $name, ".tsv.gz"),
        ]
    };
}

/// All of them.
pub(crate) static SOURCES: [Source; 11] = [
    Source {
        name: "sudoku",
        about: "SATNet's Sudoku",
        file: "satnet-test.csv.xz",
        instead: &["satnet-sudoku-1100.csv"],
        url: "https://raw.githubusercontent.com/toulbar2/CFN-learn/f02969d987f015ab3bb13a56cacc594349b18295/\
              Sudoku/test-sets/satnet-test.csv.xz",
        licence: "MIT (SATNet)",
        sha256: Some("35d4b391e36d6f7f88cc6b6fb58eb00f589cc26d52256c1851490a82b40ebdef"),
        content: Some("c218b35a0d0f553896f7b599b8cc65d7600b68a3cfb87f3b9c946d0466b1b3e5"),
        rows: (1100, 1100),
        cap: 8 * MIB,
        kind: Kind::Sudoku,
    },
    Source {
        name: "tic-tac-toe",
        about: "UCI Tic-Tac-Toe Endgame",
        file: "tic+tac+toe+endgame.zip",
        instead: &["tic-tac-toe.data"],
        url: "https://archive.ics.uci.edu/static/public/101/tic+tac+toe+endgame.zip",
        licence: "CC BY 4.0",
        sha256: None,
        content: Some("a996a756484d0cf8cbad1680d823aadbfcff8ae2d78c450e6999362d580301c5"),
        rows: (958, 958),
        cap: MIB,
        kind: Kind::TicTacToe,
    },
    Source {
        name: "life",
        about: "Game of Life, 6x6, one step",
        file: "gameoflife.jsonl",
        instead: &["gameoflife-6x6-767.csv"],
        url: "https://huggingface.co/datasets/neoneye/gameoflife-v1/resolve/\
              a128929a7ebc48020e46f3d46ba3cf122426c50d/gameoflife.jsonl",
        licence: "MIT",
        sha256: None,
        // The public file and the regenerated one may differ by a row; every row keeps the rule.
        content: None,
        rows: (760, 775),
        cap: 64 * MIB,
        kind: Kind::Life,
    },
    pmlb(
        "parity5",
        "PMLB parity of 5 bits",
        table!("parity5"),
        32,
        [
            "54388a6fba767cc75f6fd07a0e20339fe9fa3eb4ce9fca3e621f26b00b426d74",
            "f2ec01afbfbccb372dd0e330e44d6880bd998cfd1fc7243c22dab6d166a621f2",
        ],
    ),
    pmlb(
        "threeof9",
        "PMLB three of 9 bits",
        table!("threeOf9"),
        512,
        [
            "1577e301436bbe13551966ddf2e6e9f5ace42bccfe60a1af387dc6700831fa8e",
            "65840b0beffc60ebdd82aaf9f38596e4193c27bf0daf21860377d060fa83da8e",
        ],
    ),
    pmlb(
        "m-of-n",
        "PMLB 3 of 7 bits among 10",
        table!("mofn_3_7_10"),
        1324,
        [
            "86e18c1aa7247f824f7097219d75d29f8dcba3034bc89e1ee92c7778aa31bd9c",
            "b6846f966f0c5f6c37850a21b9ad38178fd364a1fb3c84419c0cb52b7e98615e",
        ],
    ),
    pmlb(
        "monk-2",
        "PMLB MONK's second problem",
        table!("monk2"),
        601,
        [
            "34fd665457403f66db49a4d012c59d7c387f99a35597c8f0f0e31d40ada255f8",
            "dcd8ed085970ac5971c31ccd885db372e33b8378a86947100a7620710339c23b",
        ],
    ),
    pmlb(
        "led24",
        "PMLB seven segments, 17 nuisances",
        table!("led24"),
        3200,
        [
            "cc1015b08f7b19dbf2c32637d62d9da821ff6bd48a0778f7bf7e71e043a5c26c",
            "6fc32cac1f2f08b9495ee4d5f01fcea2cc4f0eebc2024860f48ff3a4c6227979",
        ],
    ),
    Source {
        name: "spect",
        about: "UCI SPECT Heart",
        file: "spect+heart.zip",
        instead: &["SPECT.train", "SPECT.test"],
        url: "https://archive.ics.uci.edu/static/public/95/spect+heart.zip",
        licence: "CC BY 4.0",
        sha256: None,
        content: Some("4b144f7fbfbb80201247ed48d8f3b017981dd73eecb059f7d43f055f97f27cc0"),
        rows: (267, 267),
        cap: MIB,
        kind: Kind::Spect,
    },
    Source {
        name: "satlib",
        about: "SATLIB uf20-91, satisfiable",
        file: "uf20-91.tar.gz",
        instead: &[],
        url: "https://www.cs.ubc.ca/~hoos/SATLIB/Benchmarks/SAT/RND3SAT/uf20-91.tar.gz",
        licence: "none stated",
        sha256: None,
        content: Some("421c110ad1f8475c16ab80288b3614f19e8890f795ec4f0a2212375081ff0a2e"),
        rows: (1000, 1000),
        cap: 8 * MIB,
        kind: Kind::Satlib,
    },
    Source {
        name: "satbench",
        about: "SATBench formulas",
        file: "SATBench-problems.jsonl",
        instead: &[],
        url: "https://huggingface.co/datasets/LLM4Code/SATBench/resolve/main/SATBench-problems.jsonl",
        licence: "Apache-2.0",
        sha256: Some("d32ee8ca8ccee4ee3dcb322e174d4cbe5ffebbd1b76dcdb702d397afd34294b5"),
        content: None,
        rows: (2100, 2100),
        cap: 64 * MIB,
        kind: Kind::Satbench,
    },
];

impl Source {
    /// All of them, in the order of the paper's tables.
    pub fn all() -> &'static [Source] {
        &SOURCES
    }

    /// The one of that name ([`same_name`]), or of that public file.
    pub fn named(name: &str) -> Option<&'static Source> {
        source(name)
    }

    /// What its public file is called, without what tells its form: another name that people know it by.
    pub fn stem(&self) -> &'static str {
        let file = self.file.rsplit('/').next().unwrap_or(self.file);
        file.split('.').next().unwrap_or(file)
    }
}

/// The source of that name, or of that public file.
pub(crate) fn source(name: &str) -> Option<&'static Source> {
    SOURCES.iter().find(|s| same_name(s.name, name) || same_name(s.stem(), name))
}

/// Whether two spellings are of one name of a data set or task: letters in any case, with or without dashes.
///
/// ```
/// assert!(strat::data::same_name("threeOf9", "three-of-9"));
/// assert!(!strat::data::same_name("monk-2", "monk-3"));
/// ```
pub fn same_name(a: &str, b: &str) -> bool {
    let letters = |name: &str| -> String {
        name.chars().filter(|c| !matches!(c, '-' | '_' | ' ')).flat_map(char::to_lowercase).collect()
    };
    letters(a) == letters(b)
}
