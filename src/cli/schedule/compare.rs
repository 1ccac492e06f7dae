//! `meshreplay compare`: finds the first difference of two schedules of the same jobs.

use std::path::PathBuf;

use super::{Covered, Which, conclude};
use crate::cli::Failure;
use crate::cli::reading::Reading;
use crate::frame::Selection;
use crate::inspect::{self, Input};
use crate::machine::Mesh;

/// Compare two schedules of the same jobs: the first moment that differs, the state of both at that moment,
/// and the differences between starts.
///
/// Nodes are compared if both schedules have them. The exit code is 0 if the schedules are equal, 1 if they
/// differ, and 2 if they are not schedules of the same jobs.
///
/// Inside a period, the jobs submitted before its end are compared; starts and ends before or after count as
/// if they were at its beginning or end.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:
  meshreplay compare fcfs easy
  meshreplay compare out other_simulator.swf --machine 16x8")]
pub(in crate::cli) struct Args {
    /// Directory of `replay -o` or of `sweep -o --jobs`, a jobs file, a log with wait times (.swf, .swf.gz),
    /// or Batsim's table of jobs.
    #[arg(value_name = "A")]
    first: PathBuf,

    /// The other schedule.
    #[arg(value_name = "B")]
    second: PathBuf,

    /// Machine, for the number of free processors [default: that of the summary of A].
    #[arg(short, long, value_name = "MACHINE")]
    machine: Option<Mesh>,

    /// Compare only times, not nodes.
    #[arg(long)]
    times_only: bool,

    /// How logs are read, A and B alike. A directory or a table of results is read as ever.
    #[command(flatten)]
    reading: Reading,

    #[command(flatten)]
    covered: Covered,

    #[command(flatten)]
    which: Which,

    /// Number of the replay in B, if it differs from that in A.
    #[arg(long, value_name = "N")]
    other_replay: Option<u32>,
}

/// Prints the comparison. As in `diff`, files that cannot be compared are another exit code than differences.
pub(in crate::cli) fn run(args: &Args) -> Result<(), Failure> {
    compared(args).map_err(super::as_unread)
}

fn compared(args: &Args) -> Result<(), Failure> {
    let selection = args.which.selection();
    let other = Selection { replay: args.other_replay.or(selection.replay), ..selection };
    let period = args.covered.period.as_ref();
    let options = args.reading.options().map_err(Failure::Usage)?;
    let first = super::read(&args.first, &[&args.second], selection, &options, period)?;
    let second = super::read(&args.second, &[&args.first], other, &options, period)?;
    Input::check_partition(&options, &[&first, &second])?;
    conclude(&inspect::compare(&first, &second, args.machine.as_ref(), args.times_only)?)
}
