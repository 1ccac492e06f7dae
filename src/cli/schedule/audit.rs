//! `meshreplay audit`: checks whether a schedule is possible.

use std::path::PathBuf;

use super::{Covered, Which, conclude};
use crate::audit::Policy;
use crate::cli::reading::Reading;
use crate::cli::{Failure, one_of};
use crate::inspect::{self, Input, Question};
use crate::machine::Mesh;

/// Check a schedule of any tool: whether a machine can carry it out, and whether it keeps what FCFS or EASY
/// promises.
///
/// What is checked: No job starts before it arrives or ends before it starts. Never are more processors in
/// use than the machine has. Where nodes are known, no node belongs to two jobs at once, and every placement
/// has at least as many nodes as its job asks for; jobs with more are counted. The first violation in time is
/// printed, and the exit code is then 1.
///
/// With --against fcfs: no job starts while a job waits that arrived before it, and the oldest waiting job
/// always asks for more processors than are free. With --against easy: the oldest waiting job always asks for
/// more processors than are free, and it starts by its shadow time. The shadow time is computed when the job
/// becomes the oldest: it is the first expected end (start plus estimate) of a running job at which enough
/// processors would be free. If a job runs longer than estimated, the promise is void. Schedulers with an
/// order= other than arrival promise something else.
///
/// Inside a period, the jobs that waited or ran in it are checked, policies from its beginning on, and up to
/// its end.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:
  meshreplay replay LOG -m 16x16 -s easy -a mc1x1 \\
    --placements -o out && meshreplay audit out --against easy
  meshreplay audit batsim_jobs.csv --machine 256
  meshreplay audit schedule.swf --machine 128 --against fcfs")]
pub(in crate::cli) struct Args {
    /// Directory of `replay -o` or of `sweep -o --jobs`, a jobs file, a log with wait times (.swf, .swf.gz),
    /// or Batsim's table of jobs.
    #[arg(value_name = "SCHEDULE")]
    schedule: PathBuf,

    /// Machine [default: that of the summary in the directory].
    #[arg(short, long, value_name = "MACHINE")]
    machine: Option<Mesh>,

    /// Policy that the schedule must follow.
    #[arg(long, value_parser = one_of(&[("fcfs", Policy::Fcfs), ("easy", Policy::Easy)]))]
    against: Option<Policy>,

    /// Accept waiting jobs despite enough free processors, because the allocator may refuse. Then only the
    /// order of fcfs is checked. Directories of results know whether their allocator may refuse.
    #[arg(long, requires = "against")]
    may_refuse: bool,

    #[command(flatten)]
    reading: Reading,

    #[command(flatten)]
    covered: Covered,

    #[command(flatten)]
    which: Which,
}

/// Prints the first violation, or how much was checked. A schedule that cannot be read is another exit code
/// than a violation.
pub(in crate::cli) fn run(args: &Args) -> Result<(), Failure> {
    audited(args).map_err(super::as_unread)
}

fn audited(args: &Args) -> Result<(), Failure> {
    let options = args.reading.options().map_err(Failure::Usage)?;
    let input =
        super::read(&args.schedule, &[], args.which.selection(), &options, args.covered.period.as_ref())?;
    Input::check_partition(&options, &[&input])?;
    let question =
        Question { machine: args.machine.clone(), against: args.against, may_refuse: args.may_refuse };
    conclude(&inspect::audit(&input, &question)?)
}
