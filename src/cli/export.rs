//! `meshreplay export`: schedules for other tools.

use std::io;
use std::path::PathBuf;

use anyhow::anyhow;
use clap::ValueEnum;

use super::schedule::{Input, Which};
use super::{Failure, print};
use crate::audit;
use crate::frame::{self, TEMPORARY};
use crate::trace::{SWF, Writer};

/// Write the schedule of a replay for other tools.
///
/// swf: a log with wait time, run time, allocated processors and partition of every job, which is also a schedule that
/// `audit` and `compare` read. Times are rounded to whole seconds; what our results do not know (users, memory) is -1.
///
/// evalys: the table of jobs that Batsim writes and evalys reads, with the nodes of every job; replay with --placements.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:
  meshreplay replay LOG -m 16x16 -a mc1x1 --placements -o out
  meshreplay export out --to evalys -o jobs.csv")]
pub(super) struct Args {
    /// Directory of `replay -o` or of `sweep -o --jobs`, a jobs file, or any other schedule that `audit` reads.
    #[arg(value_name = "SCHEDULE")]
    schedule: PathBuf,

    /// What to write.
    #[arg(long, value_enum, value_name = "FORMAT")]
    to: To,

    /// File to write; for swf with .gz to compress it; - is standard output.
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
pub(super) fn run(args: &Args) -> Result<(), Failure> {
    let input = Input::read(&args.schedule, args.which)?;
    match args.to {
        To::Swf => swf(args, &input),
        To::Evalys => evalys(args, &input),
    }
}

fn swf(args: &Args, input: &Input) -> Result<(), Failure> {
    let mut writer = if args.output.as_os_str() == "-" {
        Writer::to(io::stdout(), "standard output", SWF)?
    } else {
        Writer::create(&args.output, SWF, args.force)?
    };
    let jobs = &input.schedule.jobs;
    let mut comments = vec!["Version: 2.2".to_owned()];
    comments.push(format!("MaxJobs: {}", jobs.len()));
    comments.push(format!("MaxRecords: {}", jobs.len()));
    comments.push("MaxPartitions: 1".to_owned());
    comments.extend(input.machine.as_ref().map(|machine| format!("MaxNodes: {}", machine.nodes())));
    comments.extend(input.machine.as_ref().map(|machine| format!("MaxProcs: {}", machine.nodes())));
    comments.extend(input.machine.as_ref().map(|machine| format!("Partition: 1, machine {machine}")));
    comments.push(format!("Note: schedule by meshreplay {}", env!("CARGO_PKG_VERSION")));
    for (what, text) in
        [("log", &input.log), ("scheduler", &input.scheduler), ("allocator", &input.allocator)]
    {
        comments.extend(text.as_ref().map(|text| format!("Note: {what} {text}")));
    }
    for comment in comments {
        writer.comment(format!("; {}", comment.replace('\n', " ")).as_bytes())?;
    }
    for job in jobs {
        writer.record(&audit::record(job))?;
    }
    Ok(writer.finish()?)
}

fn evalys(args: &Args, input: &Input) -> Result<(), Failure> {
    let name = args.schedule.display();
    let workload = input.log.clone().unwrap_or_else(|| "log".to_owned());
    let text = audit::evalys(&input.schedule, &workload).map_err(|number| {
        anyhow!(
            "{name}: the nodes of job {number} are not known, and evalys needs them; replay with --placements"
        )
    })?;
    if args.output.as_os_str() == "-" {
        return print(&text);
    }
    if args.output.is_file() && !args.force {
        let out = args.output.display();
        return Err(anyhow!("{out} already exists; --force overwrites it").into());
    }
    Ok(frame::write_whole(&args.output, text.as_bytes(), TEMPORARY)?)
}
