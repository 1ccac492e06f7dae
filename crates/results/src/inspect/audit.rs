//! Audits a schedule: checks whether it is possible on its machine, and whether it follows a scheduling
//! policy. The answer is text.

use super::input::StartRule;
use super::{Finding, Input, InspectError};
use crate::text::grouped;
use meshreplay_base::words::counted;
use meshreplay_machine::machine::{Machine, Mesh};
use meshreplay_study::audit::{
    self, AuditCounts, Fits, Policy, PolicyCheck, ScheduleStream, ScheduledJob, Violation,
};

/// The question that an audit answers about a schedule.
#[derive(Clone, Debug, Default)]
pub struct Question {
    /// The machine. `None` takes it from the summary of the schedule.
    pub machine: Option<Mesh>,
    /// The policy that the schedule is checked against. `None` if only its feasibility is checked.
    pub against: Option<Policy>,
    /// Whether the allocator may refuse jobs although enough processors are free.
    pub may_refuse: bool,
}

/// Returns the first violation in time, or how much was checked if there is none. Fails if the machine is not
/// known.
pub fn audit(input: &Input, question: &Question) -> Result<Finding, InspectError> {
    let machine = input.machine(question.machine.as_ref())?;
    let rule = match input.start_rule(&machine)? {
        StartRule::Counts if question.may_refuse => {
            StartRule::Unknown("the allocator may refuse jobs although enough processors are free")
        }
        rule => rule,
    };
    let unchecked = match (&rule, question.against) {
        (StartRule::Unknown(why), Some(_)) => Some(*why),
        _ => None,
    };
    // EASY cannot be checked at all if it is not known which jobs can start. Under FCFS the order of starts
    // can still be checked. Jobs that were killed have started before, so that their last starts may be in
    // another order.
    let has_order = |policy: &Policy| *policy == Policy::Fcfs && !input.has_outages;
    let policy = question.against.filter(|policy| has_order(policy) || unchecked.is_none());
    let name = &input.name;
    let found = follow(input, &machine, policy, rule)?;
    if let (Ok(AuditCounts { jobs: 0, .. }), Some(inside)) = (&found, &input.period) {
        return Err(InspectError::NoJobs { names: name.clone(), period: inside.words.clone() });
    }
    Ok(match found {
        Ok(checked) => {
            let mut lines = extent(&checked, policy);
            if let Some(outages) = &input.outages {
                let killed = grouped(outages.killed.len() as f64, 0);
                lines.push(format!(
                    "outages: {killed} of these are runs in which a job was killed; no run starts on a node \
                         that is down"
                ));
            }
            let left_out = input.jobs.left_out();
            if left_out > 0 {
                lines.push(format!(
                    "not checked: {} of jobs that never ran, or whose run time is unknown",
                    counted(left_out, "record")
                ));
            }
            let outside = input.jobs.count().saturating_sub(checked.jobs);
            if input.period.is_some() && outside > 0 {
                lines.push(format!(
                    "not checked: {} outside this time",
                    counted(grouped(outside as f64, 0), "job")
                ));
            }
            let waiting = input.jobs.first_waiting().filter(|_| policy.is_some());
            lines.extend(waiting.map(|time| {
                format!(
                    "not checked: what the policy promises from {time} on, as jobs that arrived then still \
                     waited at the end"
                )
            }));
            // Of first come, first served the order is checked all the same.
            let what = match policy {
                Some(_) => "whether jobs could have started earlier",
                None => "what the policy promises",
            };
            lines.extend(unchecked.map(|why| format!("not checked: {what}, as {why}")));
            let inside = input.period.as_ref().map(|inside| format!(" from {}", inside.words));
            let inside = inside.unwrap_or_default();
            let text = format!("{name}: no violation on {machine}{inside}\n  {}\n", lines.join("\n  "));
            Finding { text, is_good: true }
        }
        Err(violation) => Finding { text: format!("{name}: {violation}\n"), is_good: false },
    })
}

/// Audits the schedule against `policy`, or only for feasibility if it is `None`. `rule` decides which jobs
/// can start.
fn follow(
    input: &Input,
    machine: &Mesh,
    policy: Option<Policy>,
    rule: StartRule,
) -> Result<Result<AuditCounts, Violation>, InspectError> {
    let period = input.period.as_ref().map(|inside| inside.period);
    let is_inside = move |job: &ScheduledJob| period.is_none_or(|period| job.is_in(period));
    let mut walk = || -> Result<ScheduleStream<'_, InspectError>, InspectError> {
        Ok(Box::new(input.jobs.walk()?.filter(move |job| job.as_ref().map_or(true, is_inside))))
    };
    if let Some(outages) = &input.outages {
        // No policy is checked, so which jobs can start does not matter.
        return audit::audit_outages(&mut walk, outages, machine, period);
    }
    let mut checked = |fits: Fits<'_>| {
        let promised = policy.map(|policy| PolicyCheck { policy, fits, known: input.known_queue() });
        audit::audit_stream(&mut walk, &[], machine, promised, period)
    };
    match rule {
        StartRule::Counts => checked(Fits::Counts),
        StartRule::Unknown(_) => checked(Fits::Unknown),
        StartRule::Places(mut places) => {
            let mut has_place = |job: &ScheduledJob, machine: &Machine| places.has_place(job, machine);
            checked(Fits::Places(&mut has_place))
        }
    }
}

/// Returns how much was checked, as lines of text.
fn extent(checked: &AuditCounts, policy: Option<Policy>) -> Vec<String> {
    let count = |count: u64| grouped(count as f64, 0);
    let [jobs, instants, peak] = [checked.jobs, checked.instants, u64::from(checked.peak)].map(count);
    let [jobs, instants, peak] =
        [(jobs, "job"), (instants, "instant"), (peak, "processor")].map(|(count, noun)| counted(count, noun));
    let mut lines = vec![format!("{jobs} at {instants}, at most {peak} in use")];
    lines.push(match (checked.placed, checked.moved) {
        (0, 0) => "nodes: not known".to_owned(),
        (placed, 0) => format!("nodes: followed of {}", counted(count(placed), "job")),
        (placed, moved) => {
            let placed = counted(count(placed), "job");
            format!("nodes: followed of {placed}, not of {} that were moved", count(moved))
        }
    });
    if checked.larger > 0 {
        lines
            .push(format!("sizes: {} with more nodes than asked for", counted(count(checked.larger), "job")));
    }
    let decisions = counted(count(checked.decisions), "instant");
    lines.extend(policy.map(|policy| match policy {
        Policy::Fcfs => format!("fcfs: {decisions} at which jobs waited"),
        Policy::Easy => {
            let (promises, void) = (counted(count(checked.promises), "shadow time"), count(checked.void));
            format!("easy: {decisions} at which jobs waited; {promises}, {void} void")
        }
    }));
    lines
}
