//! `strat microscope`, and what it has in common with `strat serve`.

use crate::ExitCode;
use crate::Failure;
use crate::args::{FolderArgs, LearnerArgs, MicroscopeArgs};
use crate::output::{print, write_file};
use std::num::NonZeroUsize;
use std::path::Path;
use strat::record::Folder;
use strat::result::Row;
use strat::trace::ExampleSource;
use strat_paper::microscope::{self, Learner, PageData};

/// Most learners of a page.
pub const MOST_LEARNERS: usize = 4;

/// Rows of a run with what their learners read.
pub struct Bench {
    folder: Folder,
    rows: Vec<(Row, ExampleSource)>,
}

impl Bench {
    /// The rows asked for, or the only one.
    pub fn open(record: &Path, names: &[String], data: &FolderArgs) -> Result<Bench, Failure> {
        let (folder, data) = (strat_paper::experiment::open(record)?, data.open()?);
        let names = if names.is_empty() { vec![None] } else { names.iter().map(|n| Some(&**n)).collect() };
        let mut rows = vec![];
        for name in names {
            let row = folder.row(name)?;
            rows.push((row.clone(), ExampleSource::of(row, &data)?));
        }
        Ok(Bench { folder, rows })
    }

    /// All rows.
    pub fn open_all(record: &Path, data: &FolderArgs) -> Result<Bench, Failure> {
        let names: Vec<String> =
            strat_paper::experiment::open(record)?.manifest.rows.iter().map(|r| r.name.clone()).collect();
        Bench::open(record, &names, data)
    }

    /// The finished learners: row and seeds.
    pub fn learners(&self) -> Result<Vec<(String, Vec<u64>)>, Failure> {
        let known = |name: &str| self.rows.iter().any(|(row, _)| row.name == name);
        let rows = self.folder.scores()?.into_iter().filter(|row| known(&row.name) && !row.learners.is_empty());
        Ok(rows.map(|row| (row.name.clone(), row.learners.iter().map(|l| l.seed).collect())).collect())
    }

    /// The learners asked for, or the first of each row.
    pub fn chosen(&self, args: &LearnerArgs) -> Result<Vec<(String, u64)>, Failure> {
        let all = self.learners()?;
        let mut chosen = vec![];
        for (row, _) in &self.rows {
            let first = all.iter().find(|(name, _)| *name == row.name).and_then(|(_, seeds)| seeds.first());
            let seeds = if args.seed.is_empty() { first.copied().into_iter().collect() } else { args.seed.clone() };
            chosen.extend(seeds.into_iter().map(|seed| (row.name.clone(), seed)));
        }
        Ok(chosen)
    }

    /// What the first row's learners read.
    pub fn source(&self) -> &ExampleSource {
        &self.rows[0].1
    }

    /// These learners on these examples.
    pub fn page_data(
        &self,
        learners: &[(String, u64)],
        examples: &[String],
        snapshots: Option<NonZeroUsize>,
    ) -> Result<PageData, Failure> {
        if learners.len() > MOST_LEARNERS {
            return Err(Failure::Learners { found: learners.len() });
        }
        let mut page_data = PageData { examples: vec![], learners: vec![] };
        for (name, seed) in learners {
            let row = self.folder.row(Some(name))?;
            let Some((_, source)) = self.rows.iter().find(|(r, _)| r.name == row.name) else { continue };
            if page_data.examples.is_empty() {
                let read = |text: &String| source.read(text);
                page_data.examples = examples.iter().map(read).collect::<Result<_, _>>()?;
            }
            for record in self.folder.learners(row, Some(*seed))? {
                let count = snapshots.map(NonZeroUsize::get);
                let manifest = &self.folder.manifest;
                page_data.learners.push(Learner::of(manifest, row, source, &record, &page_data.examples, count)?);
            }
        }
        Ok(page_data)
    }

    /// For the page's head.
    pub fn title(&self) -> String {
        let folder = self.folder.path().file_name().unwrap_or_default().to_string_lossy();
        match &*self.folder.manifest.experiment {
            experiment if experiment == folder => format!("Under the microscope: {folder}"),
            experiment => format!("Under the microscope: {experiment}, {folder}"),
        }
    }
}

pub fn run(args: MicroscopeArgs) -> Result<ExitCode, Failure> {
    let bench = Bench::open(&args.record, &args.learners.row, &args.folder)?;
    let by_default = args.example.is_empty();
    let examples = if by_default { bench.source().examples() } else { args.example };
    let mut page_data = bench.page_data(&bench.chosen(&args.learners)?, &examples, args.snapshots)?;
    let mut page = microscope::page(&bench.title(), &page_data);
    // Of our own examples one will do.
    if by_default && page.is_err() {
        page_data.examples.truncate(1);
        page_data.learners.iter_mut().for_each(|l| l.frames.truncate(1));
        page = microscope::page(&bench.title(), &page_data);
    }
    let page = page?;
    write_file(&args.html, &page)?;
    let plural = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
    print(&format!(
        "{}: {} on {}, {:.0} kB\n",
        args.html.display(),
        plural(page_data.learners.len(), "learner"),
        plural(page_data.examples.len(), "example"),
        page.len() as f64 / 1e3
    ))?;
    Ok(ExitCode::SUCCESS)
}
