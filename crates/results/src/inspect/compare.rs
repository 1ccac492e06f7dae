//! Compares two schedules of the same jobs. The answer is text.

use std::cell::Cell;

use super::input::CoveredPeriod;
use super::{Finding, Input, InspectError};
use crate::text::grouped;
use meshreplay_base::words::counted;
use meshreplay_machine::machine::{Mesh, format_intervals};
use meshreplay_study::audit::{
    self, Comparison, Divergence, DivergenceKind, ScheduleStream, ScheduledJob, Side,
};

/// The largest number of waiting jobs, of starts and of nodes that are listed. Further ones are only counted.
const LISTED: usize = 5;

/// Returns the first difference of two schedules of the same jobs, the state of both at that time, and how
/// far the starts of jobs differ. The number of free processors is given if the machine is known: `machine`,
/// or else that of the schedule, or else that of the other one. Nodes are not compared if `times_only`. Fails
/// if the schedules are not of the same jobs.
pub fn compare(
    first: &Input,
    second: &Input,
    machine: Option<&Mesh>,
    times_only: bool,
) -> Result<Finding, InspectError> {
    let inside = common_period(first, second)?;
    let drops_ended = [first, second].iter().any(|input| {
        let of_replay = input.period.as_ref().filter(|own| own.is_of_replay);
        of_replay.is_some_and(|own| inside.is_some_and(|inside| inside.period == own.period))
    });
    let has_any = Cell::new(inside.is_none());
    let is_compared = &|job: &ScheduledJob| {
        let Some(CoveredPeriod { period, .. }) = inside else { return true };
        let is_in = job.is_in(*period);
        has_any.set(has_any.get() || is_in);
        if drops_ended { is_in } else { job.submit < period.to }
    };
    let read = |input| move || jobs_of(input, times_only, is_compared);
    let period = inside.map(|inside| inside.period);
    let found = audit::compare([&mut read(first), &mut read(second)], period)?.map_err(|problem| {
        InspectError::NotComparable { first: first.name.clone(), second: second.name.clone(), problem }
    })?;
    if let (false, Some(inside)) = (has_any.get(), inside) {
        let names = format!("{} and {}", first.name, second.name);
        return Err(InspectError::NoJobs { names, period: inside.words.clone() });
    }
    let mesh = |own: &Input, other: &Input| {
        let mesh = machine.or(own.machine.as_ref()).or(other.machine.as_ref());
        mesh.map(Mesh::available)
    };
    let nodes = [mesh(first, second), mesh(second, first)];
    let text = match &found.first {
        None => {
            let jobs = counted(grouped(found.jobs as f64, 0), "job");
            format!("{} and {} are equal: {jobs}\n", first.name, second.name)
        }
        Some(divergence) => first_difference(divergence, [first, second], nodes) + "\n" + &differing(&found),
    };
    let heading =
        inside.map(|inside| format!("from {}: what differs outside does not count\n", inside.words));
    let text = heading.unwrap_or_default() + &text + &killed([first, second]);
    Ok(Finding { text, is_good: found.first.is_none() })
}

/// Returns the period of both schedules, or that of the only one with one. Fails if they cover two.
fn common_period<'a>(first: &'a Input, second: &'a Input) -> Result<Option<&'a CoveredPeriod>, InspectError> {
    match (&first.period, &second.period) {
        (Some(one), Some(other)) if one.period != other.period => Err(InspectError::Periods {
            first: first.name.clone(),
            covered: one.words.clone(),
            second: second.name.clone(),
            other: other.words.clone(),
        }),
        // A log has dates.
        (Some(one), Some(other)) if one.is_of_replay => Ok(Some(other)),
        (one, other) => Ok(one.as_ref().or(other.as_ref())),
    }
}

/// Returns the jobs of a schedule that are compared one by one, without nodes if `times_only`.
fn jobs_of<'a>(
    input: &'a Input,
    times_only: bool,
    is_compared: &'a dyn Fn(&ScheduledJob) -> bool,
) -> Result<ScheduleStream<'a, InspectError>, InspectError> {
    let jobs = input.jobs.walk()?.filter(move |job| job.as_ref().map_or(true, is_compared));
    if !times_only {
        return Ok(Box::new(jobs));
    }
    Ok(Box::new(jobs.map(|job| Ok(ScheduledJob { nodes: None, ..job? }))))
}

/// Returns a line with the number of killed runs, which are not compared; empty if no nodes went down.
fn killed(inputs: [&Input; 2]) -> String {
    if inputs.iter().all(|input| !input.has_outages) {
        return String::new();
    }
    let count = |input: &Input| match &input.outages {
        Some(outages) => format!("{} in {}", grouped(outages.killed.len() as f64, 0), input.name),
        None if input.has_outages => format!("unknown in {}", input.name),
        None => format!("0 in {}", input.name),
    };
    let [first, second] = inputs.map(count);
    format!(
        "only last runs are compared; runs in which jobs were killed as nodes went down: {first}, {second}\n"
    )
}

/// Returns in words the first difference and the state of both schedules at that time.
fn first_difference(divergence: &Divergence, inputs: [&Input; 2], nodes: [Option<u32>; 2]) -> String {
    let Divergence { at, number, kind, jobs, sides } = divergence;
    let mut lines = vec![format!("first difference: at {at}, job {number}\n")];
    for (((Input { name, .. }, job), side), available) in inputs.into_iter().zip(jobs).zip(sides).zip(nodes) {
        let did = match kind {
            DivergenceKind::Start if job.start == *at => "starts it".to_owned(),
            DivergenceKind::Start => format!("starts it at {}", job.start),
            DivergenceKind::End => format!("ends it at {}", job.end),
            DivergenceKind::Place => {
                let nodes = job.nodes.iter().flatten().copied();
                let left = nodes.clone().count().saturating_sub(LISTED);
                let more =
                    if left > 0 { format!(" and {} more", counted(left, "interval")) } else { String::new() };
                let named = format_intervals(nodes.take(LISTED));
                format!("places it on {} {named}{more}", counted(job.allocated, "node"))
            }
        };
        lines.push(format!("  {name} {did}; {}\n", state(side, available)));
    }
    lines.concat()
}

/// Returns in words the machine and the queue before any job starts, and the jobs that then start.
fn state(side: &Side, nodes: Option<u32>) -> String {
    let in_use = match nodes {
        Some(nodes) => format!("{} of {nodes} processors free", nodes.saturating_sub(side.used)),
        None => format!("{} in use", counted(side.used, "processor")),
    };
    let list = |words: Vec<String>| match words.len() {
        0 => "nobody".to_owned(),
        count if count > LISTED => format!("{} and {} more", words[..LISTED].join(", "), count - LISTED),
        _ => words.join(", "),
    };
    let waits = |job: &ScheduledJob| {
        format!("{} ({}, {})", job.number, counted(job.procs, "processor"), job.estimate)
    };
    format!(
        "{in_use}; running: {}; waiting: {}; starting: {}",
        counted(side.running, "job"),
        list(side.waiting.iter().map(waits).collect()),
        list(side.started.iter().map(ToString::to_string).collect())
    )
}

/// Returns in words how many starts, run times and placements differ, and by how much the starts do.
fn differing(found: &Comparison) -> String {
    let share = |count: usize| format!("{} of {}", grouped(count as f64, 0), grouped(found.jobs as f64, 0));
    let audit::Spread { count, mean_s, p50_s, p99_s, max_s } = found.starts;
    let by = match count {
        0 => String::new(),
        _ => format!(
            "; mean difference {mean_s:.3} s (second minus first); absolute differences: median {p50_s} s, \
             p99 {p99_s} s, max {max_s} s"
        ),
    };
    format!(
        "starts that differ: {}{by}\nrun times that differ: {}\nplacements that differ, starts being equal: \
             {}\n",
        share(count),
        share(found.runs),
        share(found.places)
    )
}
