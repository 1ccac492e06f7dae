//! Sums over blocks of consecutive jobs, kept for every replay for paired comparisons.

use super::super::facts::{Facts, Finished, JobRow, Trim};
use super::super::gather::{PerJob, for_each};
use super::super::registry::METRICS;

/// The most blocks of a replay.
const MOST_BLOCKS: usize = 2048;

/// The sums of a number over blocks of consecutive jobs, by arrival. Blocks differ by at most one job.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Blocks {
    /// By block: the sum over its jobs in means.
    pub sums: Vec<f64>,
    /// By block: the number of its jobs in means.
    pub counts: Vec<u32>,
}

/// The block sums of the compared numbers of a replay.
#[derive(Clone, Debug, Default)]
pub struct BlockSums {
    /// The number and a hash of the replayed jobs. Replays are comparable if both agree.
    jobs: (usize, u64),
    /// The sums by the name of the number.
    numbers: Vec<(&'static str, Blocks)>,
}

impl Blocks {
    /// Divides `values` into blocks. An entry is a value in the mean, or `None` for a job that is not in the
    /// mean.
    pub fn of(values: impl ExactSizeIterator<Item = Option<f64>>) -> Self {
        let n = values.len();
        let mut blocks = Self::empty(n);
        for (i, value) in values.enumerate() {
            blocks.add(block(i, n), value);
        }
        blocks
    }

    /// Creates the blocks of `n` jobs without values.
    fn empty(n: usize) -> Self {
        let count = n.min(MOST_BLOCKS);
        Self { sums: vec![0.0; count], counts: vec![0; count] }
    }

    fn add(&mut self, block: usize, value: Option<f64>) {
        if let Some(value) = value {
            self.sums[block] += value;
            self.counts[block] += 1;
        }
    }

    /// Returns the mean over the counted jobs, or `None` if there are none.
    pub fn mean(&self) -> Option<f64> {
        let count = self.count();
        (count > 0.0).then(|| self.sums.iter().sum::<f64>() / count)
    }

    /// Returns the number of counted jobs.
    pub fn count(&self) -> f64 {
        self.counts.iter().map(|&count| f64::from(count)).sum()
    }
}

/// The blocks of one number while jobs are added in the order of their arrival.
#[derive(Debug)]
pub struct BlockFiller {
    jobs: usize,
    at: usize,
    hash: u64,
    blocks: Blocks,
}

impl BlockFiller {
    /// Creates the blocks of `jobs` jobs.
    pub fn new(jobs: usize) -> Self {
        Self { jobs, at: 0, hash: 0, blocks: Blocks::empty(jobs) }
    }

    /// Adds the next job by its number and its value, `None` for a job that is not in the mean. Jobs beyond
    /// the declared number do not count either.
    pub fn add(&mut self, number: Option<f64>, value: Option<f64>) {
        if self.at < self.jobs {
            self.blocks.add(block(self.at, self.jobs), value);
        }
        self.hash = mix(self.hash, number.unwrap_or(f64::NAN).to_bits());
        self.at += 1;
    }

    /// Returns the number of jobs with a hash of their numbers, which identifies replays of the same jobs,
    /// and the blocks.
    pub fn finish(self) -> ((usize, u64), Blocks) {
        ((self.at, self.hash), self.blocks)
    }
}

impl BlockSums {
    /// Computes the block sums of a replay for each compared row of [`METRICS`]. O(J) for J jobs in the order
    /// of their arrival, otherwise O(J·log J).
    pub fn of(replay: &Finished<'_>) -> Self {
        let n = replay.jobs.len();
        let ranks = ranks(n, |i| replay.jobs[i].submit.as_seconds());
        let mut adder = BlockAdder::new(Some(n));
        adder.add(&Facts::new(replay), ranks.as_deref());
        adder.finish()
    }

    /// Computes the same block sums from saved jobs, in the order of the replay. `numbers` has the names of
    /// compared numbers, each with its value for every job.
    pub fn of_saved(jobs: &[JobRow], trim: Trim, numbers: &[(&'static str, Vec<f64>)]) -> Self {
        let n = jobs.len();
        let ranks = ranks(n, |i| jobs[i].submit_s);
        let kept = trim.kept(n, |i| jobs[i].submit_s, |i| jobs[i].start_s);
        let sums = |(name, values): &(&'static str, Vec<f64>)| {
            let mut blocks = Blocks::empty(n);
            for &i in &kept {
                let rank = ranks.as_ref().map_or(i, |ranks| ranks[i]);
                blocks.add(block(rank, n), values.get(i).copied());
            }
            (*name, blocks)
        };
        let hashed = jobs.iter().map(|job| (job.submit_s, job.number, job.procs));
        Self { jobs: (n, hash(0, hashed)), numbers: numbers.iter().map(sums).collect() }
    }

    /// Returns the block sums of the named number, or `None` if it is not compared.
    pub fn get(&self, name: &str) -> Option<&Blocks> {
        self.numbers.iter().find(|(other, _)| *other == name).map(|(_, blocks)| blocks)
    }

    /// Returns whether the other replay has the same jobs.
    pub fn is_of_same_jobs(&self, other: &Self) -> bool {
        self.jobs == other.jobs
    }

    /// Returns whether the same number of jobs of each block is in the means of the other replay.
    pub fn counts_same_jobs(&self, other: &Self) -> bool {
        let is_alike =
            |(name, of): &(&'static str, Blocks)| other.get(name).is_none_or(|by| of.counts == by.counts);
        self.numbers.iter().all(is_alike)
    }
}

/// The block sums of a replay while jobs are added.
#[derive(Debug)]
pub(in crate::metrics) struct BlockAdder {
    /// The number of added jobs.
    at: usize,
    hash: u64,
    /// The compared numbers with their functions of jobs and their sums.
    numbers: Vec<(&'static str, PerJob<f64>, BlockState)>,
}

/// The state of a compared number.
#[derive(Debug)]
enum BlockState {
    /// The sums over blocks of this number of jobs.
    Sums(usize, Blocks),
    /// The added values, because blocks are equal shares of an unknown number of jobs.
    Values(Vec<f64>),
}

impl BlockState {
    /// Returns the sums over blocks after all `n` jobs.
    fn finish(self, n: usize) -> Blocks {
        match self {
            Self::Sums(_, blocks) => blocks,
            Self::Values(values) => {
                let mut blocks = Blocks::empty(n);
                for (i, value) in values.into_iter().enumerate() {
                    blocks.add(block(i, n), Some(value));
                }
                blocks
            }
        }
    }
}

impl BlockAdder {
    /// Creates the sums before the first of `n` jobs. `None` for a number known only in the end; then all
    /// jobs must be in means.
    pub(in crate::metrics) fn new(n: Option<usize>) -> Self {
        let compared = METRICS.iter().filter(|metric| metric.is_compared);
        let nothing =
            || n.map_or_else(|| BlockState::Values(Vec::new()), |n| BlockState::Sums(n, Blocks::empty(n)));
        let numbers = compared.filter_map(|metric| Some((metric.name(), metric.of_job()?, nothing())));
        Self { at: 0, hash: 0, numbers: numbers.collect() }
    }

    /// Adds the jobs of `part`, the next ones in the order of the log. `ranks` has their positions in the
    /// order of arrival, or is `None` if that is the order of the log, as required if the number of jobs is
    /// unknown.
    pub(in crate::metrics) fn add(&mut self, part: &Facts<'_>, ranks: Option<&[usize]>) {
        for (_, value, state) in &mut self.numbers {
            match state {
                BlockState::Sums(n, blocks) => {
                    let mut kept = part.kept.iter();
                    for_each(*value, part, &part.kept, |value| {
                        let Some(&i) = kept.next() else { return };
                        let rank = ranks.map_or(self.at + i, |ranks| ranks[i]);
                        blocks.add(block(rank, *n), Some(value));
                    });
                }
                BlockState::Values(values) => value(part, &part.kept, values),
            }
        }
        let jobs = part.replay.jobs;
        self.hash = hash(self.hash, jobs.iter().map(|job| (job.submit.as_seconds(), job.number, job.procs)));
        self.at += jobs.len();
    }

    /// Returns the block sums of all jobs.
    pub(in crate::metrics) fn finish(self) -> BlockSums {
        let n = self.at;
        let numbers = self.numbers.into_iter().map(|(name, _, state)| (name, state.finish(n)));
        BlockSums { jobs: (n, self.hash), numbers: numbers.collect() }
    }
}

/// Returns the block of the job at position `i` of `n`.
fn block(i: usize, n: usize) -> usize {
    if n <= MOST_BLOCKS { i } else { (i as u64 * MOST_BLOCKS as u64 / n as u64) as usize }
}

/// Returns the position of each of `n` jobs in the order of arrival, or `None` if the jobs already have that
/// order. The sort is stable, so simultaneous arrivals keep the order of the log. `submit_s` returns the
/// arrival of a job.
fn ranks(n: usize, submit_s: impl Fn(usize) -> f64) -> Option<Vec<usize>> {
    if (1..n).all(|i| submit_s(i - 1) <= submit_s(i)) {
        return None;
    }
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&a, &b| submit_s(a).total_cmp(&submit_s(b)));
    let mut ranks = vec![0; n];
    for (rank, i) in order.into_iter().enumerate() {
        ranks[i] = rank;
    }
    Some(ranks)
}

/// Hashes the arrivals (in seconds), numbers and sizes of jobs, by multiplication and rotation. `before` is
/// the hash of earlier jobs, initially 0.
fn hash(before: u64, jobs: impl Iterator<Item = (f64, i64, u32)>) -> u64 {
    jobs.fold(before, |hash, (submit_s, number, procs)| {
        mix(mix(mix(hash, submit_s.to_bits()), number as u64), u64::from(procs))
    })
}

/// Adds a value to a hash.
fn mix(hash: u64, value: u64) -> u64 {
    const ODD: u64 = 0x9E37_79B9_7F4A_7C15;
    (hash.rotate_left(5) ^ value).wrapping_mul(ODD)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_differ_by_at_most_one_job_and_keep_every_sum() {
        for n in [0, 1, 5, MOST_BLOCKS, MOST_BLOCKS + 1, 3 * MOST_BLOCKS - 1, 122_057] {
            let blocks = Blocks::of((0..n).map(|i| Some(i as f64)));
            assert_eq!(blocks.sums.len(), n.min(MOST_BLOCKS));
            let (least, most) = (blocks.counts.iter().min(), blocks.counts.iter().max());
            assert!(most.copied().unwrap_or(0) <= least.copied().unwrap_or(0) + 1, "{n}");
            assert_eq!(blocks.mean(), (n > 0).then(|| (n as f64 - 1.0) / 2.0));
        }
        let values = |i: usize| (!i.is_multiple_of(3)).then_some(i as f64);
        for n in [0, 1, MOST_BLOCKS + 1, 100_000] {
            let mut filler = BlockFiller::new(n);
            (0..n).for_each(|i| filler.add(Some(i as f64), values(i)));
            let ((jobs, _), blocks) = filler.finish();
            assert_eq!((jobs, blocks), (n, Blocks::of((0..n).map(values))));
        }
        let some = Blocks::of([Some(4.0), None, Some(2.0)].into_iter());
        assert_eq!((some.mean(), some.counts), (Some(3.0), vec![1, 0, 1]));
    }
}
