//! Pairing of the jobs of two schedules.

use std::io;

use super::differences::Differences;
use super::{Limits, NotSameJobs, ScheduleStream};
use crate::audit::ScheduledJob;
use crate::audit::packed::{pack, unpack};
use meshreplay_base::disk::Sorter;
use meshreplay_base::job::Time;
use meshreplay_base::words::counted;

/// The result of reading two schedules in step.
pub(super) struct InStep {
    /// Jobs of each schedule.
    pub(super) counts: [u64; 2],
    /// Whether each schedule is sorted by first events.
    pub(super) is_ordered: [bool; 2],
    /// Differences between jobs at equal positions, or the first reason why these are not pairs.
    pub(super) differences: Result<Differences, Mismatch>,
}

/// The reason why two jobs at one position are not a pair.
pub(super) enum Mismatch {
    /// Their numbers are equal, but not their requests.
    NotSame(NotSameJobs),
    /// Their numbers differ. This is the number in the first schedule.
    Order(i64),
}

/// Reads two schedules in step, to their ends.
pub(super) fn in_step<E: From<io::Error>>(
    [mut a, mut b]: [ScheduleStream<'_, E>; 2],
    limits: Limits,
) -> Result<InStep, E> {
    let (mut counts, mut is_ordered, mut last) = ([0; 2], [true; 2], [None::<Time>; 2]);
    let mut differences = Ok(Differences::none(limits));
    loop {
        let x = a.next().transpose()?;
        let y = match b.next() {
            Some(Err(error)) => {
                // An error of the first schedule takes precedence.
                a.try_for_each(|job| job.map(drop))?;
                return Err(error);
            }
            y => y.transpose()?,
        };
        if x.is_none() && y.is_none() {
            return Ok(InStep { counts, is_ordered, differences });
        }
        for (i, job) in [&x, &y].into_iter().enumerate() {
            let Some(event) = job.as_ref().map(ScheduledJob::first_event) else { continue };
            counts[i] = counts[i].saturating_add(1);
            is_ordered[i] &= last[i].replace(event).is_none_or(|last| last <= event);
        }
        if let (Ok(known), Some(x), Some(y)) = (&mut differences, x, y) {
            let apart = if x.number == y.number {
                match add(known, x, y)? {
                    Ok(()) => continue,
                    Err(problem) => Mismatch::NotSame(problem),
                }
            } else {
                Mismatch::Order(x.number)
            };
            differences = Err(apart);
        }
    }
}

/// Adds a job with the same number in both schedules. Fails if the requests differ.
fn add(known: &mut Differences, x: ScheduledJob, y: ScheduledJob) -> io::Result<Result<(), NotSameJobs>> {
    // A log in the Standard Workload Format has both the allocated and the requested processors. The latter
    // are fewer where blocks are whole.
    let asks = |job: &ScheduledJob, procs: u32| job.procs == procs || job.asked == Some(procs);
    let is_same = asks(&x, y.procs) || y.asked.is_some_and(|asked| asks(&x, asked));
    if x.submit != y.submit || !is_same {
        let request = |job: &ScheduledJob| format!("{} at {}", counted(job.procs, "processor"), job.submit);
        let (first, second) = (request(&x), request(&y));
        return Ok(Err(NotSameJobs(format!("job {} asks for {first} and for {second}", x.number))));
    }
    known.add(x, y).map(Ok)
}

/// Sort order of the two jobs of a pair.
const FIRST: u64 = 0;
const SECOND: u64 = 1;

/// Returns the differences of two schedules whose jobs are matched by number: a merge join of the sorted
/// schedules, and a second sort that restores the order of the first schedule. `apart` is the number of its
/// first job that has another number at the same position of the second schedule. If a number occurs twice in
/// the second schedule, jobs are matched by position, so `apart` has no partner.
pub(super) fn by_number<E: From<io::Error>>(
    [a, b]: [ScheduleStream<'_, E>; 2],
    apart: i64,
    limits: Limits,
) -> Result<Result<Differences, NotSameJobs>, E> {
    let alone = |number: i64| Ok(Err(NotSameJobs(format!("job {number} is in the first only"))));
    // Of equal numbers, the job of the second schedule comes first, so that the partner is known.
    let mut jobs = Sorter::of_pieces(limits.in_memory);
    for (schedule, order) in [(a, SECOND), (b, FIRST)] {
        for (job, position) in schedule.zip(0..) {
            let job = job?;
            jobs.add((job.number, order), &pack(&job, position))?;
        }
    }
    // Pairs in the order of the first schedule, whose jobs come first.
    let (mut jobs, mut pairs) = (jobs.sorted()?, Sorter::of_pieces(limits.in_memory));
    let mut partner: Option<(i64, Vec<u8>)> = None;
    while let Some(((number, order), job)) = jobs.next()? {
        let same = partner.as_ref().filter(|(other, _)| *other == number);
        if order == FIRST {
            if same.is_some() {
                return alone(apart);
            }
            partner = Some((number, job.to_vec()));
            continue;
        }
        let (position, _) = unpack(job)?;
        pairs.add((position.cast_signed(), FIRST), job)?;
        if let Some((_, partner)) = same {
            pairs.add((position.cast_signed(), SECOND), partner)?;
        }
    }
    let (mut pairs, mut known) = (pairs.sorted()?, Differences::none(limits));
    let mut waiting: Option<ScheduledJob> = None;
    while let Some(((_, order), job)) = pairs.next()? {
        let (_, job) = unpack(job)?;
        match (waiting.take(), order) {
            (Some(x), SECOND) => {
                if let Err(problem) = add(&mut known, x, job)? {
                    return Ok(Err(problem));
                }
            }
            (Some(x), _) => return alone(x.number),
            (None, _) => waiting = Some(job),
        }
    }
    waiting.map_or(Ok(Ok(known)), |x| alone(x.number))
}
