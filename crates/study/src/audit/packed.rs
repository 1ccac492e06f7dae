//! Jobs as bytes, for temporary files in which they are sorted.

use std::io;

use super::ScheduledJob;
use meshreplay_base::disk::{SortKey, Sorted, Sorter};
use meshreplay_base::job::Time;

/// What stands for the number of intervals of nodes that are not known.
const NOT_KNOWN: u64 = u64::MAX;

/// Bytes of jobs that are sorted in memory. More are sorted in temporary files.
pub(super) const IN_MEMORY: usize = 64 << 20;

/// Appends a job, and its position in its file, to `bytes`.
pub(super) fn pack(job: &ScheduledJob, position: u64, bytes: &mut Vec<u8>) {
    let ScheduledJob { row, number, submit, start, end, estimate, procs, asked, allocated, nodes, moved } =
        job;
    // A job asks for at least one processor.
    let asked = asked.map_or(0, u64::from);
    let [submit, start, end, estimate] =
        [submit, start, end, estimate].map(|time| time.as_micros().cast_unsigned());
    let [procs, allocated, moved] = [u64::from(*procs), u64::from(*allocated), u64::from(*moved)];
    let intervals = nodes.as_ref().map_or(NOT_KNOWN, |nodes| nodes.len() as u64);
    let fixed = [
        position,
        *row,
        number.cast_unsigned(),
        submit,
        start,
        end,
        estimate,
        procs,
        asked,
        allocated,
        moved,
        intervals,
    ];
    let nodes = nodes.iter().flatten().map(|&(first, last)| u64::from(first) << 32 | u64::from(last));
    bytes.extend(fixed.into_iter().chain(nodes).flat_map(u64::to_le_bytes));
}

/// Returns the job, and its position, that [`pack`] has made bytes of. Fails if they are none.
pub(super) fn unpack(bytes: &[u8]) -> io::Result<(u64, ScheduledJob)> {
    let mut numbers = bytes.chunks_exact(8).map(|bytes| {
        let mut number = [0; 8];
        number.copy_from_slice(bytes);
        u64::from_le_bytes(number)
    });
    let mut next = || numbers.next().ok_or(io::ErrorKind::UnexpectedEof);
    let (position, row, number) = (next()?, next()?, next()?.cast_signed());
    let mut time = || next().map(|micros| Time::from_micros(micros.cast_signed()));
    let (submit, start, end, estimate) = (time()?, time()?, time()?, time()?);
    let (procs, asked) = (low(next()?), Some(low(next()?)).filter(|&asked| asked > 0));
    let (allocated, moved) = (low(next()?), next()? > 0);
    let is_known = next()? != NOT_KNOWN;
    let nodes = is_known.then(|| numbers.map(|both| (low(both >> 32), low(both))).collect());
    let job =
        ScheduledJob { row, number, submit, start, end, estimate, procs, asked, allocated, nodes, moved };
    Ok((position, job))
}

/// Returns the lower half of a number.
fn low(number: u64) -> u32 {
    u32::try_from(number & u64::from(u32::MAX)).unwrap_or_default()
}

/// Returns jobs, each with its position among them, in the order of a key. Jobs with equal keys keep their
/// order. At most `in_memory` bytes of them are in memory.
pub(super) fn sorted<K: SortKey, E: From<io::Error>>(
    jobs: impl Iterator<Item = Result<ScheduledJob, E>>,
    in_memory: usize,
    key: impl Fn(&ScheduledJob) -> K,
) -> Result<Jobs<K>, E> {
    let (mut sorter, mut bytes) = (Sorter::of_pieces(in_memory), Vec::new());
    for (job, position) in jobs.zip(0..) {
        let job = job?;
        bytes.clear();
        pack(&job, position, &mut bytes);
        sorter.add(key(&job), &bytes)?;
    }
    Ok(Jobs(sorter.sorted()?))
}

/// Jobs in an order, each with its position.
pub(super) struct Jobs<K>(Sorted<K>);

impl<K: SortKey> Iterator for Jobs<K> {
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
            let mut bytes = Vec::new();
            pack(&job, position, &mut bytes);
            assert!(unpack(&bytes[..80]).is_err());
            assert_eq!(unpack(&bytes)?, (position, job));
        }
        Ok(())
    }
}
