//! `meshreplay show allocation`: draws the jobs on the machine at one moment of a replay, for several
//! allocators.

use std::path::PathBuf;

use super::{Failure, Specs, flat, print};
use crate::cli::runner::options::{Flags, UnavailableArgs};
use crate::cli::terminal::Color;
use crate::figure::show::allocation::{Moment, allocation};
use crate::machine::Mesh;
use crate::spec::Spec;
use crate::workload::Oversize;

/// Draw the jobs on the machine at a moment of a replay.
///
/// Each job has a letter, and with --color a colour; # is the job that started last, and × a node that is
/// down. The highest y is the top row; a three-dimensional machine is shown layer by layer.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:
  meshreplay show allocation traces/lublin-256-10k.swf.gz --machine 16x16 \\
    --allocator gabl hilbert+bf --at 86400")]
pub(super) struct Args {
    /// Log, or a workload model such as synthetic:ratio=1.5.
    #[arg(value_name = "LOG")]
    log: PathBuf,

    /// Shape of the machine, such as 16x8, 8x8x4, 400 or torus:16x8.
    #[arg(short, long, value_name = "MACHINE")]
    machine: Mesh,

    #[command(flatten)]
    unavailable: UnavailableArgs,

    /// Scheduler.
    #[arg(short, long, default_value = "easy", value_name = "SPEC")]
    scheduler: Spec,

    /// Allocators, side by side.
    #[arg(short, long, required = true, value_name = "SPEC", num_args = 1.., visible_alias = "compare")]
    allocator: Vec<Specs>,

    /// Moment that is drawn, in seconds of the log. Starts and ends at this instant have taken place. By
    /// default the first at which most nodes are in use with the first allocator.
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    at: Option<f64>,

    #[command(flatten)]
    flags: Flags,

    /// When letters have colours.
    #[arg(long, value_enum, default_value_t, value_name = "WHEN")]
    color: Color,

    /// Seed of all random numbers.
    #[arg(long, default_value_t = 1)]
    seed: u64,

    /// Treatment of jobs that are larger than the machine, or that the allocator cannot place even on the
    /// idle machine: fail the replay (error), or leave them out (skip).
    #[arg(long, default_value = "error", value_parser = ["error", "skip"])]
    oversize: String,
}

/// Prints the drawing.
pub(super) fn run(args: &Args) -> Result<(), Failure> {
    let moment = Moment {
        log: args.log.clone(),
        machine: args.unavailable.removed_from(&args.machine)?,
        scheduler: args.scheduler.clone(),
        allocators: flat(&args.allocator),
        at_s: args.at,
        seed: args.seed,
        options: args.flags.options.clone(),
        oversize: if args.oversize == "skip" { Oversize::Skip } else { Oversize::Error },
    };
    print(&allocation(&moment, args.color.is_on())?)
}
