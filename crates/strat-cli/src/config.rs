//! `strat config`: the settings of a task as a TOML to start from.

use crate::Failure;
use crate::args::ConfigArgs;
use crate::output::print;
use crate::train::Chosen;
use std::process::ExitCode;
use strat::config::{ConfigFile, ResolvedConfig, Setup};

pub fn run(args: ConfigArgs) -> Result<ExitCode, Failure> {
    let nothing = ConfigFile::empty("the command line");
    let chosen = Chosen::open(&args.task, None, &args.folder, &nothing)?;
    let task = chosen.task();
    let (setup, title) = match task.paper() {
        Some(setup) => (setup, format!("{}: as in the paper", task.name())),
        None => {
            // A file is offered nothing: what would be trained is what comes of no settings at all.
            let ResolvedConfig { settings, seeds, .. } = chosen.resolve(&nothing)?;
            let models = settings.iter().map(|setting| setting.model.clone()).collect();
            let train = settings.first().map_or(Default::default(), |setting| setting.train);
            (Setup::new(models, train, seeds), format!("{}: settings to begin with", task.name()))
        }
    };
    print(&setup.to_toml(&title))?;
    Ok(ExitCode::SUCCESS)
}
