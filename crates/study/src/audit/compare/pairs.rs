//! The pairs of matching jobs of two schedules.

use std::io;

use super::differences::Differences;
use super::{NotSameJobs, Walk};
use crate::audit::ScheduledJob;
use crate::audit::packed::{self, pack, unpack};
use meshreplay_base::disk::Sorter;
use meshreplay_base::job::Time;
use meshreplay_base::words::counted;

/// What two schedules are that are read in step.
pub(super) struct InStep {
    /// The number of jobs of each.
    pub(super) counts: [u64; 2],
    /// Whether the jobs of each are in the order of their first events.
    pub(super) is_ordered: [bool; 2],
    /// The differences between jobs at the same position, or the first reason why these are not pairs.
    pub(super) differences: Result<Differences, Apart>,
}

/// Why jobs at one position of two schedules are no pair.
pub(super) enum Apart {
    /// They have one number and are not the same job.
    NotSame(NotSameJobs),
    /// The job with this number in the first schedule has another number in the second one.
    Order(i64),
}

/// Reads two schedules in step, to their ends.
pub(super) fn in_step<E: From<io::Error>>(
    [mut a, mut b]: [Walk<'_, E>; 2],
    in_memory: usize,
) -> Result<InStep, E> {
    let (mut counts, mut is_ordered, mut last) = ([0; 2], [true; 2], [None::<Time>; 2]);
    let mut differences = Ok(Differences::none(in_memory));
    loop {
        let x = a.next().transpose()?;
        let y = match b.next() {
            Some(Err(error)) => {
                // What is wrong with the first schedule is told before.
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
                    Err(problem) => Apart::NotSame(problem),
                }
            } else {
                Apart::Order(x.number)
            };
            differences = Err(apart);
        }
    }
}

/// Adds a job with the same number in both schedules, unless it asks for something else in the other one.
fn add(known: &mut Differences, x: ScheduledJob, y: ScheduledJob) -> io::Result<Result<(), NotSameJobs>> {
    // A log of the Standard Workload Format has both what a job got and what it asked for, which is less
    // where blocks are whole.
    let asks = |job: &ScheduledJob, procs: u32| job.procs == procs || job.asked == Some(procs);
    let is_same = asks(&x, y.procs) || y.asked.is_some_and(|asked| asks(&x, asked));
    if x.submit != y.submit || !is_same {
        let of = |job: &ScheduledJob| format!("{} at {}", counted(job.procs, "processor"), job.submit);
        return Ok(Err(NotSameJobs(format!("job {} asks for {} and for {}", x.number, of(&x), of(&y)))));
    }
    known.add(x, y).map(Ok)
}

/// Returns the differences of two schedules whose jobs are matched by number. `apart` is the number of the
/// first job of the first schedule at whose position the second one has another number. If a number comes
/// twice in the second schedule, jobs are matched by position, so that this job has no partner.
pub(super) fn by_number<E: From<io::Error>>(
    [a, b]: [Walk<'_, E>; 2],
    apart: i64,
    in_memory: usize,
) -> Result<Result<Differences, NotSameJobs>, E> {
    let alone = |number: i64| NotSameJobs(format!("job {number} is in the first only"));
    let xs = packed::sorted(a, in_memory, |job| job.number)?;
    let mut ys = packed::sorted(b, in_memory, |job| job.number)?;
    // Each job of the first schedule and then its partner, by the position of the first one.
    let mut pairs: Sorter<u64> = Sorter::of_pieces(in_memory);
    let (mut y, mut bytes) = (ys.next().transpose()?, Vec::new());
    let mut is_unique = true;
    let mut next = |y: &Option<(u64, ScheduledJob)>| -> io::Result<Option<(u64, ScheduledJob)>> {
        let next = ys.next().transpose()?;
        let number = |of: &Option<(u64, ScheduledJob)>| of.as_ref().map(|(_, job)| job.number);
        is_unique &= next.is_none() || number(&next) != number(y);
        Ok(next)
    };
    for x in xs {
        let (position, x) = x?;
        while y.as_ref().is_some_and(|(_, y)| y.number < x.number) {
            y = next(&y)?;
        }
        bytes.clear();
        bytes.extend([0; 8]);
        pack(&x, position, &mut bytes);
        let length = bytes.len() as u64;
        bytes[..8].copy_from_slice(&length.to_le_bytes());
        if let Some((_, y)) = y.as_ref().filter(|(_, y)| y.number == x.number) {
            pack(y, position, &mut bytes);
        }
        pairs.add(position, &bytes)?;
    }
    while y.is_some() {
        y = next(&y)?;
    }
    if !is_unique {
        return Ok(Err(alone(apart)));
    }
    let (mut pairs, mut known) = (pairs.sorted()?, Differences::none(in_memory));
    while let Some((_, both)) = pairs.next()? {
        let (x, y) = both.split_at(length_of(both).min(both.len()));
        let (_, x) = unpack(x.get(8..).unwrap_or_default())?;
        if y.is_empty() {
            return Ok(Err(alone(x.number)));
        }
        let (_, y) = unpack(y)?;
        if let Err(problem) = add(&mut known, x, y)? {
            return Ok(Err(problem));
        }
    }
    Ok(Ok(known))
}

/// Returns the length that the first eight bytes tell.
fn length_of(bytes: &[u8]) -> usize {
    let length = bytes.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
    usize::try_from(length).unwrap_or(usize::MAX)
}
