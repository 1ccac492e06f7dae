//! `meshreplay audit`: checks whether a schedule is possible.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};

use super::{Which, conclude};
use crate::audit::Policy;
use crate::cli::Failure;
use crate::inspect::{self, Input, Question};
use crate::machine::Mesh;

/// Check a schedule of any tool: whether a machine can carry it out, and whether it is FCFS or EASY.
///
/// No job starts before it arrives or ends before it starts; no more processors are in use than there are; no node
/// belongs to two jobs at once, where nodes are known; every placement has the size that it should have. The first
/// violation in time is named, and the exit code is 1.
///
/// Against fcfs: no job starts while one waits that arrived before it, and the oldest waiting job asks for more
/// processors than are free. Against easy: the same of the oldest waiting job; and it starts by its shadow time, the
/// first expected end (start and estimate) of a running job at which, as it became the oldest, enough processors were
/// to be free. A job that runs longer than estimated voids the promise. Schedulers with another order= than arrival
/// promise something else.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:
  meshreplay replay LOG -m 16x16 -s easy -a mc1x1 --placements -o out && meshreplay audit out --against easy
  meshreplay audit batsim_jobs.csv --machine 256
  meshreplay audit schedule.swf --machine 128 --against fcfs")]
pub(in crate::cli) struct Args {
    /// Directory of `replay -o` or of `sweep -o --jobs`, a jobs file, a log with wait times (.swf, .swf.gz), or
    /// Batsim's table of jobs.
    #[arg(value_name = "SCHEDULE")]
    schedule: PathBuf,

    /// Machine; by default what the summary in the directory says.
    #[arg(short, long, value_name = "MACHINE")]
    machine: Option<Mesh>,

    /// Check against a policy too.
    #[arg(long, value_parser = policy_parser())]
    against: Option<Policy>,

    /// The allocator may refuse jobs although enough processors are free: of the policies only the order of fcfs is
    /// checked. For directories the summary says so.
    #[arg(long, requires = "against")]
    may_refuse: bool,

    #[command(flatten)]
    which: Which,
}

/// Returns the parser of the name of a policy.
fn policy_parser() -> impl TypedValueParser<Value = Policy> {
    PossibleValuesParser::new(["fcfs", "easy"])
        .map(|name| if name == "fcfs" { Policy::Fcfs } else { Policy::Easy })
}

/// Prints the first violation, or how much was checked.
pub(in crate::cli) fn run(args: &Args) -> Result<(), Failure> {
    let input = Input::read(&args.schedule, args.which.selection())?;
    let question =
        Question { machine: args.machine.clone(), against: args.against, may_refuse: args.may_refuse };
    conclude(&inspect::audit(&input, &question)?)
}
