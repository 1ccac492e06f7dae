//! `meshreplay trace validate`: reports errors and oddities in a log.

use super::{Failure, Input};
use crate::cli::terminal::screen;
use crate::cli::{complain, print};
use crate::trace::{self, Severity};

/// The number of findings of one defect that are shown with their lines.
const SHOWN: usize = 20;

/// Report everything that is wrong or odd in a log, with its line; fails if there is any error
///
/// An error is what would stop a replay or make it wrong; everything else is a warning. With --lenient,
/// malformed lines are warnings, because reading leniently skips them.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    input: Input,

    /// Show every finding, not only the first 20 of each kind
    #[arg(long)]
    all: bool,
}

/// Validates the log and prints the findings.
pub(super) fn run(args: &Args) -> Result<(), Failure> {
    let shown_max = if args.all { usize::MAX } else { SHOWN };
    let validation = trace::validate(&args.input.log, args.input.options()?, shown_max)?;
    for note in &validation.summary.facts.notes {
        complain(&format!("{}: {note}", args.input.log.display()));
    }
    print(&screen().hanging(&validation.text(), 4))?;
    if validation.count(Severity::Error) > 0 { Err(Failure::Reported) } else { Ok(()) }
}
