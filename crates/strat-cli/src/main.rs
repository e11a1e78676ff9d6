//! The `strat` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(u8::from(strat_cli::main_from(std::env::args_os())))
}
