//! Audit of schedules that are longer than memory.
//!
//! Jobs are read in the order of their first events, which most schedules have. When a job turns up out of
//! order, the schedule is sorted externally, and the audit begins again.

use std::io;

use super::checks::follow;
use super::packed::{IN_MEMORY, sorted};
use super::{AuditCounts, PolicyCheck, ScheduledJob, Violation};
use meshreplay_base::job::{Period, Time};
use meshreplay_machine::machine::Mesh;

/// The jobs of a schedule, in the order of their file.
pub type ScheduleStream<'w, E> = Box<dyn Iterator<Item = Result<ScheduledJob, E>> + 'w>;

/// Positions of the additional runs, after all jobs.
const BESIDE: u64 = 1 << 63;

/// Audits the jobs that `read` returns, from the first to the last on each call, and the additional runs in
/// `beside`, on the machine `mesh`, and against a policy if `promised` is given. Returns counts of what was
/// checked, or the first violation. Fails if a job cannot be read, whatever else is wrong.
///
/// With a period, `read` leaves out jobs outside, see [`ScheduledJob::is_in`]. The policy is checked from its
/// beginning on, and instants are counted and checked up to its end.
///
/// Memory holds the waiting and running jobs and the additional runs.
pub fn audit_stream<'w, E: From<io::Error>>(
    read: &mut dyn FnMut() -> Result<ScheduleStream<'w, E>, E>,
    beside: &[ScheduledJob],
    mesh: &Mesh,
    promised: Option<PolicyCheck<'_>>,
    period: Option<Period>,
) -> Result<Result<AuditCounts, Violation>, E> {
    audit_within(IN_MEMORY, read, beside, mesh, promised, period)
}

/// Audits like [`audit_stream`], and sorts at most `in_memory` bytes of jobs in memory.
fn audit_within<'w, E: From<io::Error>>(
    in_memory: usize,
    read: &mut dyn FnMut() -> Result<ScheduleStream<'w, E>, E>,
    beside: &[ScheduledJob],
    mesh: &Mesh,
    mut promised: Option<PolicyCheck<'_>>,
    period: Option<Period>,
) -> Result<Result<AuditCounts, Violation>, E> {
    let mut beside: Vec<(u64, ScheduledJob)> = (BESIDE..).zip(beside.iter().cloned()).collect();
    beside.sort_by_key(|(_, job)| job.first_event());
    beside.retain(|(_, job)| period.is_none_or(|period| job.is_in(period)));
    let jobs = merged(in_order(read()?), beside.clone());
    match follow(jobs, mesh, &mut promised, period) {
        Ok(found) => return Ok(found),
        Err(Problem::Jobs(error)) => return Err(error),
        Err(Problem::Order) => {}
    }
    let jobs = sorted(read()?, in_memory, |job| job.first_event().as_micros())?.map(|job| Ok::<_, E>(job?));
    follow(merged(jobs, beside), mesh, &mut promised, period)
}

/// The reason why a schedule cannot be audited in file order.
enum Problem<E> {
    /// A job is out of order.
    Order,
    /// A job cannot be read.
    Jobs(E),
}

/// Returns the jobs with their positions, or an error at the first job out of order.
fn in_order<E>(
    schedule: ScheduleStream<'_, E>,
) -> impl Iterator<Item = Result<(u64, ScheduledJob), Problem<E>>> {
    let mut last: Option<Time> = None;
    (0..).zip(schedule).map(move |(position, job)| {
        let job = job.map_err(Problem::Jobs)?;
        let event = job.first_event();
        if last.replace(event).is_some_and(|last| event < last) {
            Err(Problem::Order)
        } else {
            Ok((position, job))
        }
    })
}

/// Merges two lists that are sorted by first events.
fn merged<E>(
    jobs: impl Iterator<Item = Result<(u64, ScheduledJob), E>>,
    beside: Vec<(u64, ScheduledJob)>,
) -> impl Iterator<Item = Result<(u64, ScheduledJob), E>> {
    let (mut jobs, mut beside) = (jobs.peekable(), beside.into_iter().peekable());
    std::iter::from_fn(move || {
        let is_beside = match (jobs.peek(), beside.peek()) {
            (Some(Ok((_, job))), Some((_, other))) => other.first_event() < job.first_event(),
            (next, _) => next.is_none(),
        };
        if is_beside { beside.next().map(Ok) } else { jobs.next() }
    })
}

#[cfg(test)]
mod tests;
