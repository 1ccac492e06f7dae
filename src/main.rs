//! The `meshreplay` command.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    meshreplay::cli::main()
}
