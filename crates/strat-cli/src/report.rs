//! `strat report`

use crate::Failure;
use crate::args::ReportArgs;
use crate::output::print;
use std::process::ExitCode;
use strat::report::collect::collect;
use strat::report::document::Report;
use strat::report::{html, plain};

pub fn run(args: ReportArgs) -> Result<ExitCode, Failure> {
    let report = Report::of(&collect(&args.folders)?)?;
    if let Some(path) = args.html {
        std::fs::write(&path, html::render(&report)).map_err(|source| Failure::Page { path, source })?;
    }
    if args.markdown {
        print(&plain::markdown(&report))?;
    }
    if args.csv {
        print(&plain::csv(&report))?;
    }
    Ok(ExitCode::SUCCESS)
}
