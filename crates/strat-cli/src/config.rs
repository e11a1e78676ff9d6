//! `strat config`: the settings of a task as a TOML to start from.

use crate::ExitCode;
use crate::Failure;
use crate::args::ConfigArgs;
use crate::output::print;
use crate::train::{Chosen, preset};
use strat::config::ConfigFile;

pub fn run(args: ConfigArgs) -> Result<ExitCode, Failure> {
    let chosen = Chosen::open(&args.task, None, &args.folder, &ConfigFile::empty("the command line"))?;
    let (task, preset) = (chosen.task(), preset(args.preset.as_deref()));
    let what = match task.paper() {
        _ if !preset.is_specified() => format!("preset {}", preset.name),
        Some(_) => "as in the paper".into(),
        None => "settings to begin with".into(),
    };
    print(&chosen.offered(preset)?.to_toml(&format!("{}: {what}", task.name())))?;
    Ok(ExitCode::SUCCESS)
}
