//! `strat report`

use crate::Failure;
use crate::args::ReportArgs;
use crate::output::{print, write_file};
use std::process::ExitCode;
use strat_paper::report::collect::collect;
use strat_paper::report::document::Report;
use strat_paper::report::{html, plain};

pub fn run(args: ReportArgs) -> Result<ExitCode, Failure> {
    let report = Report::of(&collect(&args.folders)?)?;
    if let Some(path) = args.html {
        write_file(&path, &html::render(&report))?;
    }
    if args.markdown {
        print(&plain::markdown(&report))?;
    }
    if args.csv {
        print(&plain::csv(&report))?;
    }
    Ok(ExitCode::SUCCESS)
}
