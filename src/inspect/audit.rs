//! Whether a schedule can be true, in words.

use super::error::InspectError;
use super::finding::Finding;
use super::input::{Input, StartRule};
use crate::audit::{self, Checked, Fits, Policy, Promised, ScheduledJob, Violation};
use crate::machine::{Machine, Mesh};
use crate::text::grouped;

/// What is asked of a schedule.
#[derive(Clone, Debug, Default)]
pub struct Question {
    /// The machine; `None` for the one that the summary beside the schedule has.
    pub machine: Option<Mesh>,
    /// The policy that it is checked against; `None` for none.
    pub against: Option<Policy>,
    /// Whether the allocator may refuse jobs although enough processors are free.
    pub may_refuse: bool,
}

/// Returns the first violation in time, or how much was checked.
pub fn audit(input: &Input, question: &Question) -> Result<Finding, InspectError> {
    let machine = input.machine(question.machine.as_ref())?;
    let rule = match input.start_rule(&machine) {
        StartRule::Counts if question.may_refuse => {
            StartRule::Unknown("the allocator may refuse jobs although enough processors are free")
        }
        rule => rule,
    };
    let unchecked = match (&rule, question.against) {
        (StartRule::Unknown(why), Some(_)) => Some(*why),
        _ => None,
    };
    // Nothing is left of EASY where nobody knows what can start; of FCFS the order is.
    let policy = question.against.filter(|policy| *policy == Policy::Fcfs || unchecked.is_none());
    let name = &input.name;
    Ok(match follow(input, &machine, policy, rule) {
        Ok(checked) => {
            let mut lines = extent(&checked, policy);
            let left_out = input.schedule.left_out;
            if left_out > 0 {
                lines.push(format!("not checked: {left_out} records of jobs that never ran"));
            }
            lines.extend(unchecked.map(|why| format!("not checked: what the policy promises, as {why}")));
            let text = format!("{name}: no violation on {machine}\n  {}\n", lines.join("\n  "));
            Finding { text, is_good: true }
        }
        Err(violation) => Finding { text: format!("{name}: {violation}\n"), is_good: false },
    })
}

/// Follows the schedule under `policy`, in which `rule` says what can start.
fn follow(
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

/// Returns how much was checked, one line each.
fn extent(checked: &Checked, policy: Option<Policy>) -> Vec<String> {
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
