//! The audit of a schedule that is longer than memory: its jobs are read as they are needed.
//!
//! They are needed in the order of their first events, which most schedules have. Only if another job turns
//! up out of order, they are sorted, in temporary files if they are many, and the audit begins again.

use std::io;

use super::checks::follow;
use super::packed::{IN_MEMORY, sorted};
use super::{Checked, Promised, ScheduledJob, Violation};
use meshreplay_base::job::Time;
use meshreplay_machine::machine::Mesh;

/// The jobs of a schedule while they are read, in the order of their file.
pub type Walk<'w, E> = Box<dyn Iterator<Item = Result<ScheduledJob, E>> + 'w>;

/// The position of the first of the runs beside the jobs of a schedule, which are fewer.
const BESIDE: u64 = 1 << 63;

/// Audits the jobs that `walk` reads, from the first to the last each time, and the runs in `beside`, on the
/// machine `mesh`, and against a policy if `promised` is given. Returns how much was checked, or the first
/// violation. Fails if a job cannot be read, whatever else is wrong.
///
/// Memory holds the jobs that wait or run, and those beside.
pub fn audit_walk<'w, E: From<io::Error>>(
    walk: &mut dyn FnMut() -> Result<Walk<'w, E>, E>,
    beside: &[ScheduledJob],
    mesh: &Mesh,
    promised: Option<Promised<'_>>,
) -> Result<Result<Checked, Violation>, E> {
    audit_within(IN_MEMORY, walk, beside, mesh, promised)
}

/// Audits as [`audit_walk`] does, with at most `in_memory` bytes of jobs that are sorted in memory.
fn audit_within<'w, E: From<io::Error>>(
    in_memory: usize,
    walk: &mut dyn FnMut() -> Result<Walk<'w, E>, E>,
    beside: &[ScheduledJob],
    mesh: &Mesh,
    mut promised: Option<Promised<'_>>,
) -> Result<Result<Checked, Violation>, E> {
    let mut beside: Vec<(u64, ScheduledJob)> = (BESIDE..).zip(beside.iter().cloned()).collect();
    beside.sort_by_key(|(_, job)| job.first_event());
    let jobs = merged(in_order(walk()?), beside.clone());
    match follow(jobs, mesh, &mut promised) {
        Ok(found) => return Ok(found),
        Err(Problem::Jobs(error)) => return Err(error),
        Err(Problem::Order) => {}
    }
    let jobs = sorted(walk()?, in_memory, |job| job.first_event().as_micros())?.map(|job| Ok::<_, E>(job?));
    follow(merged(jobs, beside), mesh, &mut promised)
}

/// Why jobs cannot be followed as they are read.
enum Problem<E> {
    /// A job is not in the order of first events.
    Order,
    /// A job cannot be read.
    Jobs(E),
}

/// Returns the jobs with their positions, or an error where one is out of order.
fn in_order<E>(walk: Walk<'_, E>) -> impl Iterator<Item = Result<(u64, ScheduledJob), Problem<E>>> {
    let mut last: Option<Time> = None;
    (0..).zip(walk).map(move |(position, job)| {
        let job = job.map_err(Problem::Jobs)?;
        let event = job.first_event();
        if last.replace(event).is_some_and(|last| event < last) {
            Err(Problem::Order)
        } else {
            Ok((position, job))
        }
    })
}

/// Returns the jobs of both in the order of their first events. Both are in that order.
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
