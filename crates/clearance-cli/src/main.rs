//! The `clearance` program; all of it is in the library beside this file, which the Python package calls too.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(clearance_cli::run(std::env::args_os()))
}
