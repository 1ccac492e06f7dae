//! `meshreplay audit`: whether a schedule can be true.

use std::path::PathBuf;

use clap::ValueEnum;

use super::schedule::{Input, StartRule, Which};
use super::{Failure, print};
use crate::audit::{self, Checked, Fits, Policy, Promised, ScheduledJob, Violation};
use crate::machine::{Machine, Mesh};
use crate::text::grouped;

/// Check a schedule of any tool: whether a machine can carry it out, and whether it is FCFS or EASY.
///
/// No job starts before it arrives or ends before it starts; no more processors are in use than there are; no node belongs
/// to two jobs at once, where nodes are known; every placement has the size that it should have. The first violation in time
/// is named, and the exit code is 1.
///
/// Against fcfs: no job starts while one waits that arrived before it, and the oldest waiting job asks for more processors
/// than are free. Against easy: the same of the oldest waiting job; and it starts by its shadow time, the first expected end
/// (start and estimate) of a running job at which, as it became the oldest, enough processors were to be free. A job that
/// runs longer than estimated voids the promise. Schedulers with another order= than arrival promise something else.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:
  meshreplay replay LOG -m 16x16 -s easy -a mc1x1 --placements -o out && meshreplay audit out --against easy
  meshreplay audit batsim_jobs.csv --machine 256
  meshreplay audit schedule.swf --machine 128 --against fcfs")]
pub(super) struct Args {
    /// Directory of `replay -o` or of `sweep -o --jobs`, a jobs file, a log with wait times (.swf, .swf.gz), or Batsim's
    /// table of jobs.
    #[arg(value_name = "SCHEDULE")]
    schedule: PathBuf,

    /// Machine; by default what the summary in the directory says.
    #[arg(short, long, value_name = "MACHINE")]
    machine: Option<Mesh>,

    /// Check against a policy too.
    #[arg(long, value_enum)]
    against: Option<Against>,

    /// The allocator may refuse jobs although enough processors are free: of the policies only the order of fcfs is checked.
    /// For directories the summary says so.
    #[arg(long, requires = "against")]
    may_refuse: bool,

    #[command(flatten)]
    which: Which,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Against {
    Fcfs,
    Easy,
}

/// Prints the first violation, or how much was checked.
pub(super) fn run(args: &Args) -> Result<(), Failure> {
    let input = Input::read(&args.schedule, args.which)?;
    let machine = input.machine(args.machine.as_ref(), &args.schedule)?;
    let rule = match input.start_rule(&machine) {
        StartRule::Counts if args.may_refuse => {
            StartRule::Unknown("the allocator may refuse jobs although enough processors are free")
        }
        rule => rule,
    };
    let unchecked = match (&rule, args.against) {
        (StartRule::Unknown(why), Some(_)) => Some(*why),
        _ => None,
    };
    let policy = match args.against {
        Some(Against::Fcfs) => Some(Policy::Fcfs),
        Some(Against::Easy) if unchecked.is_none() => Some(Policy::Easy),
        Some(Against::Easy) | None => None,
    };
    let name = args.schedule.display();
    match audited(&input, &machine, policy, rule) {
        Ok(checked) => {
            let mut lines = told(&checked, policy);
            if input.schedule.left_out > 0 {
                lines
                    .push(format!("not checked: {} records of jobs that never ran", input.schedule.left_out));
            }
            lines.extend(unchecked.map(|why| format!("not checked: what the policy promises, as {why}")));
            print(&format!("{name}: no violation on {machine}\n  {}\n", lines.join("\n  ")))
        }
        Err(violation) => {
            print(&format!("{name}: {violation}\n"))?;
            Err(Failure::Reported)
        }
    }
}

/// Audits the schedule against `policy`, in which `rule` says what can start.
fn audited(
    input: &Input,
    machine: &Mesh,
    policy: Option<Policy>,
    rule: StartRule,
) -> Result<Checked, Violation> {
    let checked = |fits: Fits<'_>| {
        let promised = policy.map(|policy| Promised { policy, fits });
        audit::audit(&input.schedule, machine.nodes(), promised)
    };
    match rule {
        StartRule::Counts => checked(Fits::Counts),
        StartRule::Unknown(_) => checked(Fits::Unknown),
        StartRule::Places(mut places) => {
            let mut has_place = |job: &ScheduledJob, machine: &Machine| places.has_place(job, machine);
            checked(Fits::Places(Machine::new(machine.clone()), &mut has_place))
        }
    }
}

/// How much was checked, one line each.
fn told(checked: &Checked, policy: Option<Policy>) -> Vec<String> {
    let count = |count: u64| grouped(count as f64, 0);
    let [jobs, instants, peak] = [checked.jobs, checked.instants, u64::from(checked.peak)].map(count);
    let mut lines = vec![format!("{jobs} jobs at {instants} instants, at most {peak} processors in use")];
    lines.push(match (checked.placed, checked.moved) {
        (0, 0) => "nodes: not known".to_owned(),
        (placed, 0) => format!("nodes: followed of {} jobs", count(placed)),
        (placed, moved) => {
            format!("nodes: followed of {} jobs, not of {} that were moved", count(placed), count(moved))
        }
    });
    let decisions = count(checked.decisions);
    lines.extend(policy.map(|policy| match policy {
        Policy::Fcfs => format!("fcfs: {decisions} instants at which jobs waited"),
        Policy::Easy => {
            let (promises, void) = (count(checked.promises), count(checked.void));
            format!("easy: {decisions} instants at which jobs waited; {promises} shadow times, {void} void")
        }
    }));
    lines
}
