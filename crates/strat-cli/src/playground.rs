//! `strat playground`: ten sums, taught and tested in a browser.

use crate::ExitCode;
use crate::Failure;
use crate::args::PlaygroundArgs;
use crate::output::{print, write_file};
use strat_paper::playground;

/// What the page computes with: what `web/build` had made when this program was built.
#[cfg(playground)]
const MODULE: Option<&[u8]> = Some(include_bytes!(env!("STRAT_MODULE")));
#[cfg(not(playground))]
const MODULE: Option<&[u8]> = None;

/// The page, if this program has it.
pub fn page() -> Result<String, Failure> {
    MODULE.map(playground::page).ok_or(Failure::NoModule)
}

pub fn run(args: PlaygroundArgs) -> Result<ExitCode, Failure> {
    let page = page()?;
    write_file(&args.html, &page)?;
    print(&format!("{}: {:.0} kB\n", args.html.display(), page.len() as f64 / 1e3))?;
    Ok(ExitCode::SUCCESS)
}
