//! Audit of schedules that are longer than memory.
//!
//! Jobs are read in the order of their first events, which most schedules have. When a job turns up out of
//! order, the schedule is sorted externally, and the audit begins again.

use std::io;

use super::checks::follow;
use super::{AuditCounts, PolicyCheck, ScheduledJob, Violation};
use meshreplay_base::disk::{Sorted, Sorter};
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

/// Marks unknown nodes, in place of the number of intervals.
const NOT_KNOWN: u64 = u64::MAX;

/// Bytes of jobs that are sorted in memory. More are sorted in temporary files.
pub(super) const IN_MEMORY: usize = 64 << 20;

/// Returns a job and its position in its file as bytes.
pub(super) fn pack(job: &ScheduledJob, position: u64) -> Vec<u8> {
    let ScheduledJob { row, number, submit, start, end, estimate, procs, asked, allocated, nodes, moved } =
        job;
    // A job asks for at least one processor, so 0 stands for `None`.
    let counts = [*procs, asked.unwrap_or(0), *allocated, u32::from(*moved)].map(u64::from);
    let times = [submit, start, end, estimate].map(|time| time.as_micros().cast_unsigned());
    let intervals = nodes.as_ref().map_or(NOT_KNOWN, |nodes| nodes.len() as u64);
    let nodes = nodes.iter().flatten().map(|&(first, last)| u64::from(first) << 32 | u64::from(last));
    let fixed = [position, *row, number.cast_unsigned(), intervals].into_iter().chain(times).chain(counts);
    fixed.chain(nodes).flat_map(u64::to_le_bytes).collect()
}

/// Returns the job and its position from the bytes of [`pack`]. Fails if there are too few.
pub(super) fn unpack(bytes: &[u8]) -> io::Result<(u64, ScheduledJob)> {
    let (numbers, _) = bytes.as_chunks();
    let numbers: Vec<u64> = numbers.iter().map(|&number| u64::from_le_bytes(number)).collect();
    let Some((fixed, nodes)) = numbers.split_first_chunk() else {
        return Err(io::ErrorKind::UnexpectedEof.into());
    };
    let [position, row, number, intervals, times @ .., procs, asked, allocated, moved]: [u64; 12] = *fixed;
    let [submit, start, end, estimate] = times.map(|micros| Time::from_micros(micros.cast_signed()));
    let [procs, asked, allocated] = [procs, asked, allocated].map(low);
    let nodes =
        (intervals != NOT_KNOWN).then(|| nodes.iter().map(|both| (low(both >> 32), low(*both))).collect());
    let (number, asked, moved) = (number.cast_signed(), Some(asked).filter(|&asked| asked > 0), moved > 0);
    let job =
        ScheduledJob { row, number, submit, start, end, estimate, procs, asked, allocated, nodes, moved };
    Ok((position, job))
}

/// Returns the lower half of a number.
fn low(number: u64) -> u32 {
    u32::try_from(number & u64::from(u32::MAX)).unwrap_or_default()
}

/// Sorts jobs by a key, and returns each with its position before the sort. The sort is stable and keeps at
/// most `in_memory` bytes of jobs in memory.
pub(super) fn sorted<E: From<io::Error>>(
    jobs: impl Iterator<Item = Result<ScheduledJob, E>>,
    in_memory: usize,
    key: impl Fn(&ScheduledJob) -> i64,
) -> Result<SortedJobs, E> {
    let mut sorter = Sorter::of_pieces(in_memory);
    for (job, position) in jobs.zip(0..) {
        let job = job?;
        sorter.add((key(&job), 0), &pack(&job, position))?;
    }
    Ok(SortedJobs(sorter.sorted()?))
}

/// Sorted jobs, each with its position before the sort.
pub(super) struct SortedJobs(Sorted);

impl Iterator for SortedJobs {
    type Item = io::Result<(u64, ScheduledJob)>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next().and_then(|next| next.map(|(_, bytes)| unpack(bytes)).transpose()).transpose()
    }
}

#[cfg(test)]
mod packed_tests {
    use super::super::fixture::job;
    use super::*;

    #[test]
    fn jobs_come_back_as_they_were() -> io::Result<()> {
        let plain = ScheduledJob { number: -5, asked: Some(3), allocated: u32::MAX, ..job(7, [-3, 5, 9], 4) };
        let placed = ScheduledJob { nodes: Some(vec![(0, 3), (7, u32::MAX)]), moved: true, ..plain.clone() };
        let nowhere = ScheduledJob { nodes: Some(Vec::new()), ..plain.clone() };
        for (job, position) in [plain, placed, nowhere].into_iter().zip(40..) {
            let bytes = pack(&job, position);
            assert!(unpack(&bytes[..80]).is_err());
            assert_eq!(unpack(&bytes)?, (position, job));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
