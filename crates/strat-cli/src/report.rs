//! `strat report`

use crate::ExitCode;
use crate::Failure;
use crate::args::ReportArgs;
use crate::output::{print, write_file};
use strat_paper::fitted;
use strat_paper::report::collect::collect;
use strat_paper::report::document::Report;
use strat_paper::report::{html, plain};

pub fn run(args: ReportArgs) -> Result<ExitCode, Failure> {
    let runs = collect(&args.folders)?;
    let report = Report::of(&runs)?;
    if let Some(path) = args.html {
        // A table of one's own alone has a page of its own.
        let fitted = match &runs[..] {
            [run] if run.is_of_table() => fitted::kept(run.folder.path())?,
            _ => None,
        };
        write_file(&path, &fitted.map_or_else(|| html::render(&report), |data| fitted::page(&data)))?;
    }
    if args.markdown {
        print(&plain::markdown(&report))?;
    }
    if args.csv {
        print(&plain::csv(&report))?;
    }
    Ok(ExitCode::SUCCESS)
}
