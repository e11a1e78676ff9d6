//! `strat inspect`

use crate::Failure;
use crate::args::InspectArgs;
use crate::output::print;
use std::process::ExitCode;
use strat::inspect::finding::Finding;
use strat::record::Folder;
use strat::report::learner::{json, list, ood_mae, page};

pub fn run(args: InspectArgs) -> Result<ExitCode, Failure> {
    let folder = Folder::open(&args.record)?;
    let row = folder.row(args.row.as_deref())?;
    let mut learners = vec![];
    for learner in folder.learners(row, args.seed)? {
        let finding = Finding::of(&row.model, &learner.weights, ood_mae(&learner));
        learners.push((learner, finding));
    }
    let text: String = match (args.json, args.seed) {
        (true, _) => learners.iter().map(|(l, f)| json(row, l, f)).collect(),
        (false, Some(_)) => learners.iter().map(|(l, f)| page(row, l, f)).collect(),
        (false, None) => list(row, &learners),
    };
    print(&text)?;
    Ok(ExitCode::SUCCESS)
}
