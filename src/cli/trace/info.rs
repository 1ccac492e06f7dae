//! `meshreplay trace info`: prints a profile of a log.

use clap::ValueEnum;

use super::{Failure, Input};
use crate::cli::print;
use crate::cli::terminal::screen;
use crate::trace::Profile;

/// Print a summary of a log: jobs, machine, span, load, sizes, run times, missing fields and irregularities
///
/// All of it describes the log as recorded, before any rule selects jobs. The size of a job is its
/// allocated processors or, if unknown, the requested ones. The offered load is the work (size × run time)
/// divided by the capacity of the machine between the first and the last submit time. Quantiles are by
/// nearest rank.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    input: Input,

    /// How to print it
    #[arg(long, value_enum, default_value_t = Style::Table)]
    format: Style,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Style {
    Table,
    Json,
}

/// Prints the profile of the log.
pub(super) fn run(args: &Args) -> Result<(), Failure> {
    let profile = Profile::of(&args.input.log, args.input.options()?)?;
    match args.format {
        Style::Table => print(&screen().hanging(&profile.text(), 15)),
        Style::Json => print(&format!("{}\n", serde_json::to_string_pretty(&profile)?)),
    }
}
