//! Numbers accumulated from a stream of jobs, without a list of all jobs.
//!
//! Sums of floats depend on the order of their terms. Terms are added in the order of the log, so a number is
//! the same to the last bit for any division of the jobs into parts.
//! Numbers that are needed twice are in a list that spills to disk.

use std::io::{self, BufReader, Read, Write};

use crate::metrics::Dispersal;
use crate::metrics::cost::Cost;
use crate::metrics::facts::{Facts, Part, Totals, Trim};
use crate::metrics::finished_job::FinishedJob;
use crate::metrics::recorder::Recording;
use meshreplay_base::disk::Scratch;
use meshreplay_machine::machine::{Levels, Mesh};
use meshreplay_machine::yardstick::PairwiseBound;

/// A number of a summary of a replay.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// A count.
    Count(u64),
    /// Any other number.
    Real(f64),
}

impl Number {
    /// Returns the number as a float. Counts above 2^53 are rounded.
    pub fn as_f64(self) -> f64 {
        match self {
            Self::Count(count) => count as f64,
            Self::Real(real) => real,
        }
    }
}

/// Appends the values of the jobs at these positions. A loop in each such function is faster than a call for
/// each job. [`per_job`] creates it from the value of one job.
pub(super) type PerJob<T> = fn(&[FinishedJob], &[usize], &mut Vec<T>);

/// Creates the [`PerJob`] of an expression for the value of a [`FinishedJob`], given as `|job| value`.
macro_rules! per_job {
    (|$job:ident| $value:expr) => {
        |jobs: &[crate::metrics::FinishedJob], positions, values| {
            values.extend(positions.iter().map(|&i| {
                let $job = &jobs[i];
                $value
            }))
        }
    };
}
pub(super) use per_job;

/// Jobs per batch of values, which then fit the first-level cache.
const JOBS_AT_ONCE: usize = 1 << 10;

/// How a number is computed: from totals at the end, or from a stream of jobs. A function of totals returns
/// `None` if a replay has no such number.
#[derive(Clone, Copy, Debug)]
pub(super) enum Compute {
    /// A count computed from totals.
    Count(fn(&Facts<'_>) -> Option<u64>),
    /// Any other number computed from totals.
    Real(fn(&Facts<'_>) -> Option<f64>),
    /// A quantile or a weighted mean of the waits of the jobs in means, from totals.
    OfWaits(fn(&Totals) -> Option<f64>),
    /// The sum of a count over all jobs.
    Sum(PerJob<u64>),
    /// The mean of a value over the jobs in means.
    Mean(PerJob<f64>),
    /// The mean over the jobs in means of the part of a time that is inside the period, in seconds, or `None`
    /// for a job without one. Times of jobs from before the period are in the sum.
    MeanTime(fn(&FinishedJob, Trim) -> Option<f64>),
    /// The mean of a value over the jobs in means with at least two nodes.
    ParallelMean(PerJob<f64>),
    /// The mean over the same jobs of the pairwise sum divided by its lower bound. It is 1 if every placement
    /// has the best shape. The bound is computed once for each job size.
    ParallelMeanToBound,
    /// The mean of a value of placements on a tree of switches, from the nodes of a leaf, over the jobs in
    /// means that have one. No replay on another machine has it.
    TreeMean(fn(&Dispersal, u32) -> Option<f64>),
    /// The variance of a value over the jobs in means. The values are stored, because their mean is needed
    /// first.
    Variance(PerJob<f64>),
    /// A duration of one kind of calls, in nanoseconds. The functions select the calls and the statistic.
    Duration(fn(&Recording) -> &Cost, fn(&Cost) -> u64),
}

/// The state of a number while jobs are added.
#[derive(Debug)]
pub(super) enum Accumulator {
    /// Nothing: the number is computed from totals at the end.
    Nothing,
    /// The sum of a count over all jobs.
    Sum(u64),
    /// The sum of values over the counted jobs, and their number.
    Mean(f64, u64),
    /// The same for values divided by the least pairwise sum of as many nodes.
    ToBound(f64, u64, Box<PairwiseBound>),
    /// The sum of values and their number, with the nodes of a leaf; `None` if the machine is not a tree.
    Tree(f64, u64, Option<u32>),
    /// The sum of values over the counted jobs, and the values themselves, because a variance needs the mean
    /// first.
    Spread(f64, SpillingList),
}

/// The most values of a variance, or of waits, in memory, 4 MB. Further values go into a temporary file.
pub(super) const MOST_VALUES: usize = 1 << 19;

impl Accumulator {
    /// Creates the state of a number of a replay on `mesh` before the first job.
    pub(super) fn new(compute: &Compute, mesh: &Mesh) -> Self {
        match compute {
            Compute::Count(_) | Compute::Real(_) | Compute::OfWaits(_) | Compute::Duration(..) => {
                Self::Nothing
            }
            Compute::Sum(_) => Self::Sum(0),
            Compute::Mean(_) | Compute::MeanTime(_) | Compute::ParallelMean(_) => Self::Mean(0.0, 0),
            Compute::ParallelMeanToBound => Self::ToBound(0.0, 0, Box::new(PairwiseBound::new(mesh))),
            Compute::TreeMean(_) => Self::Tree(0.0, 0, mesh.levels().map(Levels::leaf)),
            Compute::Variance(_) => Self::Spread(0.0, SpillingList::new(MOST_VALUES)),
        }
    }

    /// Adds the jobs of `part`, the next ones in the order of the log. Calls `visit` with the position of
    /// each job in a mean, and its value.
    pub(super) fn add(&mut self, compute: &Compute, part: &Part<'_>, mut visit: impl FnMut(usize, f64)) {
        match (self, compute) {
            (Self::Sum(sum), Compute::Sum(value)) => {
                let all: Vec<usize>;
                let jobs = part.jobs.len();
                // The jobs in means are mostly all, and whole numbers have the same sum in any order.
                let positions = if part.kept.len() == jobs {
                    &part.kept
                } else {
                    all = (0..jobs).collect();
                    &all
                };
                for_each(*value, part.jobs, positions, |value| *sum += value);
            }
            (Self::Mean(sum, count), Compute::Mean(value)) => {
                add_mean((sum, count), *value, part.jobs, &part.kept, visit);
            }
            (Self::Mean(sum, count), Compute::MeanTime(value)) => {
                for (jobs, counted) in [(&part.kept, 1), (&part.earlier, 0)] {
                    for &job in jobs {
                        let Some(time_s) = value(&part.jobs[job], part.trim) else { continue };
                        *sum += time_s;
                        *count += counted;
                        visit(job, time_s);
                    }
                }
            }
            (Self::Mean(sum, count), Compute::ParallelMean(value)) => {
                let parallel: Vec<usize> = part.parallel().collect();
                add_mean((sum, count), *value, part.jobs, &parallel, visit);
            }
            (Self::ToBound(sum, count, bound), Compute::ParallelMeanToBound) => {
                part.parallel().for_each(|job| {
                    let dispersal = &part.jobs[job].measures.dispersal;
                    let least = bound.of(dispersal.nodes);
                    let ratio = dispersal.pairwise_sum as f64 / least as f64;
                    *sum += ratio;
                    *count += 1;
                    visit(job, ratio);
                });
            }
            (Self::Tree(sum, count, Some(leaf)), Compute::TreeMean(value)) => {
                for &job in &part.kept {
                    if let Some(value) = value(&part.jobs[job].measures.dispersal, *leaf) {
                        *sum += value;
                        *count += 1;
                        visit(job, value);
                    }
                }
            }
            (Self::Spread(sum, values), Compute::Variance(value)) => {
                for_each(*value, part.jobs, &part.kept, |value| {
                    *sum += value;
                    values.push(value);
                });
            }
            _ => {}
        }
    }

    /// Returns the number, or `None` if the replay has no such number. `whole` has the totals of the replay.
    pub(super) fn finish(self, compute: &Compute, whole: &Facts<'_>) -> std::io::Result<Option<Number>> {
        Ok(match (self, compute) {
            (_, Compute::Count(value)) => value(whole).map(Number::Count),
            (_, Compute::Real(value)) => value(whole).map(Number::Real),
            (_, Compute::OfWaits(value)) => value(&whole.totals).map(Number::Real),
            (_, Compute::Duration(calls, value)) => Some(Number::Count(value(calls(whole.replay.recording)))),
            (Self::Sum(sum), _) => Some(Number::Count(sum)),
            (Self::Spread(sum, values), _) => {
                let count = values.count();
                let mean_of = sum / count as f64;
                let mut squares = 0.0;
                values.for_each(|value| squares += (value - mean_of).powi(2))?;
                Self::Mean(squares, count).mean()
            }
            (mean, _) => mean.mean(),
        })
    }

    /// Returns a mean; `None` over no jobs.
    pub(super) fn mean(self) -> Option<Number> {
        match self {
            Self::Mean(sum, count) | Self::ToBound(sum, count, _) | Self::Tree(sum, count, _)
                if count > 0 =>
            {
                Some(Number::Real(sum / count as f64))
            }
            _ => None,
        }
    }
}

/// Calls `visit` with the values of the jobs at these positions, in order.
pub(super) fn for_each<T: Copy>(
    value: PerJob<T>,
    jobs: &[FinishedJob],
    positions: &[usize],
    mut visit: impl FnMut(T),
) {
    let mut values = Vec::with_capacity(positions.len().min(JOBS_AT_ONCE));
    for positions in positions.chunks(JOBS_AT_ONCE) {
        values.clear();
        value(jobs, positions, &mut values);
        values.iter().copied().for_each(&mut visit);
    }
}

/// Adds the values of the jobs at these positions to a sum and a count, and shows each to `visit`.
fn add_mean(
    (sum, count): (&mut f64, &mut u64),
    value: PerJob<f64>,
    jobs: &[FinishedJob],
    positions: &[usize],
    mut visit: impl FnMut(usize, f64),
) {
    // A local sum stays in a register.
    let mut sum_now = *sum;
    let mut visited = positions.iter();
    for_each(value, jobs, positions, |value| {
        sum_now += value;
        if let Some(&job) = visited.next() {
            visit(job, value);
        }
    });
    (*sum, *count) = (sum_now, *count + positions.len() as u64);
}

/// Numbers per write.
const CHUNK: usize = 1 << 13;

/// A list of numbers. Beyond a given length it is in an unnamed temporary file, which vanishes with the
/// process.
#[derive(Debug)]
pub(super) struct SpillingList {
    /// The last numbers.
    recent: Vec<f64>,
    /// The most numbers in memory.
    most: usize,
    /// The earlier numbers, eight bytes each, or `None` if all are in memory.
    file: Option<Scratch>,
    count: u64,
    /// The reason why numbers were lost.
    error: Option<io::Error>,
}

impl SpillingList {
    /// Creates an empty list with at most `most` numbers in memory.
    pub(in crate::metrics) fn new(most: usize) -> Self {
        Self { recent: Vec::new(), most, file: None, count: 0, error: None }
    }

    /// Appends a number. If it is lost, [`Self::for_each`] fails.
    pub(in crate::metrics) fn push(&mut self, value: f64) {
        self.recent.push(value);
        self.count += 1;
        if self.recent.len() >= self.most {
            // After an error further numbers are dropped, because they are useless and take memory.
            if self.error.is_none() {
                self.error = self.spill().err();
            }
            self.recent.clear();
        }
    }

    /// Appends the numbers in memory to the file.
    fn spill(&mut self) -> io::Result<()> {
        let mut file = match self.file.take() {
            Some(file) => file,
            None => Scratch::create()?,
        };
        let mut bytes = Vec::with_capacity(size_of::<f64>() * CHUNK);
        for values in self.recent.chunks(CHUNK) {
            bytes.clear();
            bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
            file.write_all(&bytes)?;
        }
        self.file = Some(file);
        Ok(())
    }

    /// Returns the number of appended numbers.
    pub(in crate::metrics) fn count(&self) -> u64 {
        self.count
    }

    /// Calls `visit` with each number in order. Fails if numbers were lost or cannot be read back.
    pub(in crate::metrics) fn for_each(self, mut visit: impl FnMut(f64)) -> io::Result<()> {
        let Self { recent, file, count, error, .. } = self;
        if let Some(error) = error {
            return Err(error);
        }
        if let Some(file) = file {
            let mut file = BufReader::with_capacity(1 << 16, file.into_reader()?);
            let mut bytes = [0; 8];
            for _ in 0..count - recent.len() as u64 {
                file.read_exact(&mut bytes)?;
                visit(f64::from_le_bytes(bytes));
            }
        }
        recent.into_iter().for_each(visit);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::path::Path;

    use super::*;
    use meshreplay_base::disk::{Double, Operation, interpose};

    thread_local! {
        /// Remaining operations on files of this thread before failure, `None` for no failure.
        static LEFT: Cell<Option<usize>> = const { Cell::new(None) };
    }

    /// A disk that is full after some operations.
    struct SmallDisk;

    impl Double for SmallDisk {
        fn before(&self, _: Operation, _: &Path, bytes: usize) -> io::Result<usize> {
            match LEFT.get() {
                None => Ok(bytes),
                Some(0) => Err(io::ErrorKind::StorageFull.into()),
                Some(left) => {
                    LEFT.set(Some(left - 1));
                    // Writes are short, too.
                    Ok(bytes.min(13))
                }
            }
        }
    }

    /// Any operation on the temporary file may fail. Then no numbers are returned.
    #[test]
    fn numbers_that_cannot_be_kept_are_an_error() {
        assert!(interpose(Box::new(SmallDisk)), "another unit test has a double already");
        let mut done = 0;
        for left in 0.. {
            let mut values = SpillingList::new(7);
            LEFT.set(Some(left));
            (0..30).for_each(|i| values.push(f64::from(i)));
            assert!(values.recent.len() < 7);
            let mut found = Vec::new();
            let result = values.for_each(|value| found.push(value));
            let is_full = LEFT.replace(None) == Some(0);
            if result.is_ok() {
                assert_eq!(found, (0..30).map(f64::from).collect::<Vec<_>>());
                if !is_full {
                    break;
                }
            } else {
                assert_eq!(
                    (result.map_err(|error| error.kind()), found.len()),
                    (Err(io::ErrorKind::StorageFull), 0)
                );
                done += 1;
            }
        }
        // One is making the file, and 28 numbers of eight bytes take more than 17 writes of 13 bytes.
        assert!(done > 18, "{done}");
    }

    #[test]
    fn numbers_come_back_in_their_order() -> io::Result<()> {
        for count in [0, 1, 6, 7, 8, 20, 21] {
            let mut values = SpillingList::new(7);
            let given: Vec<f64> = (0..count).map(|i| f64::from(i) / 3.0).collect();
            for &value in &given {
                values.push(value);
            }
            assert_eq!(values.count(), given.len() as u64);
            let mut found = Vec::new();
            values.for_each(|value| found.push(value))?;
            assert!(found.iter().map(|value| value.to_bits()).eq(given.iter().map(|value| value.to_bits())));
        }
        Ok(())
    }
}
