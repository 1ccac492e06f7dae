//! Numbers accumulated from a stream of jobs, without a list of all jobs.
//!
//! Sums of floats depend on the order of their terms. Terms are added in the order of the log, so a number is
//! the same to the last bit for any division of the jobs into parts.

mod values;

pub(super) use values::SpillingList;

use crate::metrics::Dispersal;
use crate::metrics::cost::Cost;
use crate::metrics::facts::{Facts, Part, Totals, Trim};
use crate::metrics::finished_job::FinishedJob;
use crate::metrics::recorder::Recording;
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
    /// The mean of a value of placements on a tree of switches, from the nodes of a leaf, over the jobs in means
    /// that have one. No replay on another machine has it.
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
