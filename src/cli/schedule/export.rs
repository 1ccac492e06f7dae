//! `meshreplay export`: writes schedules for other tools.

use std::io;
use std::path::PathBuf;

use anyhow::anyhow;
use clap::ValueEnum;

use super::Which;
use crate::cli::{Failure, print};
use crate::disk::TEMPORARY;
use crate::frame::write_text;
use crate::inspect::{self, InspectError};
use crate::study::PeriodChoice;
use crate::trace::{Format, ReadOptions, SWF, Writer};

/// Write the schedule of a replay for other tools.
///
/// swf is a log with the wait time, run time, allocated processors and partition of every job; `audit` and
/// `compare` read it as a schedule. Times are rounded to whole seconds. Each job counts as completed, and all
/// other fields, such as users and memory, are -1.
///
/// evalys is the table of jobs that Batsim writes and evalys reads, with the nodes of every job. It needs a
/// replay with --placements.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:
  meshreplay replay LOG -m 16x16 -a mc1x1 --placements -o out
  meshreplay export out --to evalys -o jobs.csv")]
pub(in crate::cli) struct Args {
    /// Directory of `replay -o` or of `sweep -o --jobs`, a jobs file, or any other schedule that `audit`
    /// reads.
    #[arg(value_name = "SCHEDULE")]
    schedule: PathBuf,

    /// Format of the file.
    #[arg(long, value_enum, value_name = "FORMAT")]
    to: To,

    /// File to write. - is standard output. A name that ends in .gz is compressed, for swf only.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,

    /// Overwrite the file if it exists.
    #[arg(long)]
    force: bool,

    #[command(flatten)]
    which: Which,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum To {
    Swf,
    Evalys,
}

/// Writes the schedule.
pub(in crate::cli) fn run(args: &Args) -> Result<(), Failure> {
    let input = super::read(
        &args.schedule,
        &[],
        args.which.selection(),
        &ReadOptions::default(),
        Some(&PeriodChoice::Off),
    )?;
    let to_stdout = args.output.as_os_str() == "-";
    match args.to {
        To::Swf => {
            // Readers recognise the format by the name.
            if Format::of_path(&args.output).is_some_and(|format| format != SWF) {
                return Err(Failure::Usage(anyhow!(
                    "'{}' is the name of another format; expected NAME.swf, NAME.swf.gz, or - for standard \
                         output",
                    args.output.display()
                )));
            }
            let writer = if to_stdout {
                Writer::to(io::stdout(), "standard output", SWF)?
            } else {
                Writer::create(&args.output, SWF, args.force)?
            };
            Ok(inspect::write_swf(&input, writer)?)
        }
        To::Evalys => {
            if to_stdout {
                return inspect::write_evalys(&input, &mut print);
            }
            if args.output.is_file() && !args.force {
                let out = args.output.display();
                return Err(anyhow!("{out} already exists; --force overwrites it").into());
            }
            Ok(write_text::<InspectError>(&args.output, TEMPORARY, &|put| {
                inspect::write_evalys(&input, put)
            })?)
        }
    }
}
