//! Jobs as bytes, for external sorting.

use std::io;

use super::ScheduledJob;
use meshreplay_base::disk::{Sorted, Sorter};
use meshreplay_base::job::Time;

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
mod tests {
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
