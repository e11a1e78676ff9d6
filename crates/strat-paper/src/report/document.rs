//! A report as plain data: sections with tables, figures, notes, and where they come from. What it looks like
//! is decided by [`html`](super::html) and [`plain`](super::plain).

mod circuits;
mod compared;
mod figures;
mod findings;
mod sections;

pub use circuits::Circuits;

use super::collect::Run;
use crate::chart::Drawing;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use strat::record::{Event, ReadError};
use strat::result::{Cell, Check, Verdict};

/// Figures that a report may open with, the first that there is.
const MAIN: [&str; 5] = ["tasks-lead", "locking-errors", "lite-errors", "latent-errors", "ablations-medians"];

/// Everything that runs show, in the order of the paper.
#[derive(Clone, Debug)]
pub struct Report {
    /// What it shows, in a few sentences.
    pub findings: Vec<String>,
    /// The figure that shows most, by its place: of which section, and there which.
    pub main: Option<[usize; 2]>,
    /// Its parts.
    pub sections: Vec<Section>,
}

/// One experiment, or the data-set tasks of one folder.
#[derive(Clone, Debug, Default)]
pub struct Section {
    /// Unlike that of any other section; letters, digits and hyphens.
    pub id: String,
    /// Its heading.
    pub title: String,
    /// What the paper says there, and where.
    pub about: String,
    /// One line that says what was done, or what is missing.
    pub lead: String,
    /// Tables: title and cells.
    pub tables: Vec<(String, Vec<Cell>)>,
    /// Pictures that stand below the tables.
    pub figures: Vec<Figure>,
    /// Learners whose circuits the page can draw, by row.
    pub circuits: BTreeMap<String, Circuits>,
    /// Statements that should hold.
    pub checks: Vec<Check>,
    /// What else there is to say, as lines of text with a heading each.
    pub notes: Vec<(String, String)>,
    /// Where it comes from.
    pub sources: Vec<Provenance>,
}

/// A picture.
#[derive(Clone, Debug)]
pub struct Figure {
    /// Unlike that of any other figure.
    pub id: String,
    /// Below it.
    pub caption: String,
    /// What is seen.
    pub picture: Picture,
}

/// What is seen.
#[derive(Clone, Debug)]
pub enum Picture {
    /// Drawn from the record.
    Drawn(Vec<Drawing>),
    /// Drawn when the run was made, from weights that were not kept: an SVG file, not to be trusted.
    Kept(String),
}

/// Where numbers come from.
#[derive(Clone, Debug)]
pub struct Provenance {
    /// The run's folder.
    pub folder: String,
    /// Learners that are finished, and all.
    pub learners: [usize; 2],
    /// Of the program.
    pub version: String,
    /// Of its source.
    pub commit: String,
    /// The instruction set.
    pub isa: String,
    /// Of every row.
    pub seeds: String,
    /// Which part of them, if not all.
    pub shard: Option<String>,
    /// Commands that made it, each once.
    pub commands: Vec<String>,
    /// Processors with cores and threads, each once.
    pub machines: Vec<String>,
    /// Whether it keeps the learners' weights.
    pub weights: bool,
    /// When it was first begun, in seconds since 1970.
    pub started: Option<u64>,
}

impl Provenance {
    fn of(run: &Run) -> Provenance {
        let manifest = &run.folder.manifest;
        let (mut commands, mut machines) = (vec![], vec![]);
        for session in &run.sessions {
            if let Event::Started(origin) = &session.event {
                let cores = if origin.cores == 1 { "core" } else { "cores" };
                let threads = if origin.threads == 1 { "thread" } else { "threads" };
                let machine = format!("{}, {} {cores}, {} {threads}", origin.cpu, origin.cores, origin.threads);
                commands.push(origin.command.clone());
                machines.push(machine);
            }
        }
        for all in [&mut commands, &mut machines] {
            let mut seen = std::collections::BTreeSet::new();
            all.retain(|x| seen.insert(x.clone()));
        }
        Provenance {
            folder: run.folder.path().display().to_string(),
            learners: [run.done(), run.total()],
            version: manifest.version.clone(),
            commit: manifest.commit.clone(),
            isa: manifest.isa.clone(),
            seeds: manifest.seeds.to_string(),
            shard: manifest.shard.map(|s| s.to_string()),
            commands,
            machines,
            weights: manifest.weights,
            started: run.sessions.first().map(|s| s.time),
        }
    }

    /// Whether another differs in nothing but its folder, how far it is, and when it was begun.
    pub fn is_alike(&self, other: &Provenance) -> bool {
        let facts =
            |p: &Provenance| (p.version.clone(), p.commit.clone(), p.isa.clone(), p.seeds.clone(), p.shard.clone());
        facts(self) == facts(other) && self.commands == other.commands && self.machines == other.machines
    }
}

impl Report {
    /// What some runs show. Reads the weights that figures need, where they are kept.
    pub fn of(runs: &[Run]) -> Result<Report, ReadError> {
        let mut sections = sections::all(runs)?;
        // What is said twice needs to say of which folder.
        let titles: Vec<String> = sections.iter().map(|s| s.title.clone()).collect();
        let folders: Vec<PathBuf> = sections.iter().map(Section::folder).collect();
        for (i, section) in sections.iter_mut().enumerate() {
            let alike = |j: &usize| titles[*j] == section.title;
            let of = (0..titles.len()).filter(alike).map(|j| folders[j].as_path()).collect::<Vec<_>>();
            if of.len() > 1 {
                section.title = format!("{} in {}", section.title, tail(&folders[i], &of));
                section.id = format!("{}-{}", section.id, i + 1);
                section.figures.iter_mut().for_each(|f| f.id = format!("{}-{}", f.id, i + 1));
            }
        }
        sections.extend(compared::of(runs));
        let rank = |f: &Figure| MAIN.iter().position(|name| f.id.starts_with(name));
        let all = sections.iter().enumerate().flat_map(|(s, section)| {
            section.figures.iter().enumerate().filter_map(move |(f, figure)| Some((rank(figure)?, [s, f])))
        });
        let main = all.min().map(|(_, place)| place);
        Ok(Report { findings: findings::of(&sections), main, sections })
    }
}

/// The end of a path, as short as it can be to be unlike the others.
fn tail(path: &Path, all: &[&Path]) -> String {
    let last = |path: &Path, n: usize| {
        let parts: Vec<_> = path.components().collect();
        parts[parts.len().saturating_sub(n)..].iter().collect::<PathBuf>()
    };
    let most = path.components().count();
    let unlike = |n: &usize| all.iter().filter(|other| last(other, *n) == last(path, *n)).count() <= 1;
    last(path, (1..=most).find(unlike).unwrap_or(most)).display().to_string()
}

impl Section {
    /// The folder of its runs: their own, or that in which all of them are.
    fn folder(&self) -> PathBuf {
        match &self.sources[..] {
            [source] => source.folder.clone().into(),
            [source, ..] => Path::new(&source.folder).parent().unwrap_or(Path::new("")).into(),
            [] => PathBuf::new(),
        }
    }

    /// All cells of all tables.
    pub fn cells(&self) -> impl Iterator<Item = &Cell> {
        self.tables.iter().flat_map(|(_, cells)| cells)
    }

    /// How many figures compare so with the paper's.
    pub fn count(&self, verdict: Verdict) -> usize {
        self.cells().filter(|c| c.verdict == Some(verdict)).count()
    }

    /// Learners that are finished, and all.
    pub fn learners(&self) -> [usize; 2] {
        self.sources.iter().fold([0, 0], |[done, all], s| [done + s.learners[0], all + s.learners[1]])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_told_apart_by_their_ends() {
        let all = ["runs/a/tasks/m-of-n", "runs/b/tasks/m-of-n", "other/b/tasks/m-of-n"].map(Path::new);
        assert_eq!(all.map(|p| tail(p, &all)), ["a/tasks/m-of-n", "runs/b/tasks/m-of-n", "other/b/tasks/m-of-n"]);
        assert_eq!(tail(Path::new("x/one"), &[Path::new("x/one"), Path::new("x/two")]), "one");
        assert_eq!(tail(Path::new("x"), &[Path::new("x"), Path::new("x")]), "x", "the same folder twice");
    }
}
