//! Numbers that are gathered from jobs one after the other, so that no list of all jobs is needed.
//!
//! Sums of floats depend on the order of their terms. All are added in the order of the log, so a number is
//! the same to the last bit whether its jobs come all at once or in parts.

use super::number::Number;
use super::values::Values;
use crate::metrics::cost::Cost;
use crate::metrics::facts::Facts;
use crate::metrics::recorder::Recording;
use meshreplay_machine::yardstick::PairwiseBound;

/// A function that appends the values of the jobs at these positions. A loop in each such function takes less
/// time than a call for each job. [`per_job`] makes it of the value of one job.
pub(in crate::metrics) type PerJob<T> = fn(&Facts<'_>, &[usize], &mut Vec<T>);

/// Returns the [`PerJob`] of an expression for the value of a job, given as `|of, i| value` for the job at
/// position `i` of the facts `of`.
macro_rules! per_job {
    (|$of:ident, $i:ident| $value:expr) => {
        |$of, positions, values| values.extend(positions.iter().map(|&$i| $value))
    };
}
pub(in crate::metrics) use per_job;

/// The number of jobs whose values are computed together. They fit the cache next to the processor.
const TOGETHER: usize = 1 << 10;

/// How a number is gathered: from totals at the end, or from the jobs one after the other. Jobs are given by
/// their positions. A function of totals returns `None` if a replay has no such number.
#[derive(Clone, Copy, Debug)]
pub(in crate::metrics) enum Compute {
    /// A count that follows from totals.
    Count(fn(&Facts<'_>) -> Option<u64>),
    /// Any other number that follows from totals.
    Real(fn(&Facts<'_>) -> Option<f64>),
    /// The sum of a count over all jobs. The first function says whether a replay has the number.
    Sum(IsThere, PerJob<u64>),
    /// The mean of a value over the jobs that count in means.
    Mean(PerJob<f64>),
    /// The same, where the first function says whether a replay has the number.
    MeanIf(IsThere, PerJob<f64>),
    /// The mean of a value over the jobs that count in means and have at least two nodes.
    ParallelMean(PerJob<f64>),
    /// The mean, over the same jobs, of the pairwise sum divided by its lower bound. It is 1 if every
    /// placement has the best shape. The bound is computed once for each job size.
    ParallelMeanToBound,
    /// The variance of a value over the jobs that count in means. It needs their mean first, so the values
    /// are kept.
    Variance(PerJob<f64>),
    /// A duration of the calls of one kind, in nanoseconds. The first function selects the calls and the
    /// second one the statistic.
    Duration(fn(&Recording) -> &Cost, fn(&Cost) -> u64),
}

/// A function that returns whether a replay has a number.
pub(in crate::metrics) type IsThere = fn(&Facts<'_>) -> bool;

/// What is known of a number while jobs are added.
#[derive(Debug)]
pub(in crate::metrics) enum Partial {
    /// Nothing: the number follows from totals at the end.
    Nothing,
    /// The sum of a count over all jobs.
    Sum(u64),
    /// The sum of values over the jobs that count, and their number.
    Mean(f64, u64),
    /// The same, of values divided by the least pairwise sum of so many nodes.
    ToBound(f64, u64, Box<PairwiseBound>),
    /// The sum of values over the jobs that count, and the values themselves, as a variance needs the mean
    /// first.
    Spread(f64, Values),
}

/// The number of values of a variance, or of waits, that are in memory, 4 MB; further ones are in a temporary
/// file.
pub(in crate::metrics) const MOST_VALUES: usize = 1 << 19;

impl Partial {
    /// Returns what is known of a number of this kind before the first job. `of` tells the machine.
    pub(in crate::metrics) fn new(compute: &Compute, of: &Facts<'_>, spills: bool) -> Self {
        match compute {
            Compute::Count(_) | Compute::Real(_) | Compute::Duration(..) => Self::Nothing,
            Compute::Sum(..) => Self::Sum(0),
            Compute::Mean(_) | Compute::MeanIf(..) | Compute::ParallelMean(_) => Self::Mean(0.0, 0),
            Compute::ParallelMeanToBound => {
                Self::ToBound(0.0, 0, Box::new(PairwiseBound::new(of.replay.mesh)))
            }
            Compute::Variance(_) => {
                Self::Spread(0.0, Values::new(if spills { MOST_VALUES } else { usize::MAX }))
            }
        }
    }

    /// Adds the jobs of `part`, which follow those added before in the order of the log.
    pub(in crate::metrics) fn add(&mut self, compute: &Compute, part: &Facts<'_>) {
        match (self, compute) {
            (Self::Sum(sum), Compute::Sum(is_there, value)) if is_there(part) => {
                let all: Vec<usize>;
                let jobs = part.replay.jobs.len();
                // Those that count in means are mostly all, and whole numbers have the same sum in any order.
                let positions = if part.kept.len() == jobs {
                    &part.kept
                } else {
                    all = (0..jobs).collect();
                    &all
                };
                for_each(*value, part, positions, |value| *sum += value);
            }
            (Self::Mean(sum, count), Compute::Mean(value)) => {
                add_mean((sum, count), *value, part, &part.kept);
            }
            (Self::Mean(sum, count), Compute::MeanIf(is_there, value)) if is_there(part) => {
                add_mean((sum, count), *value, part, &part.kept);
            }
            (Self::Mean(sum, count), Compute::ParallelMean(value)) => {
                let parallel: Vec<usize> = part.parallel().collect();
                add_mean((sum, count), *value, part, &parallel);
            }
            (Self::ToBound(sum, count, bound), Compute::ParallelMeanToBound) => {
                part.parallel().for_each(|job| {
                    let dispersal = part.dispersal(job);
                    let least = bound.of(dispersal.nodes);
                    *sum += dispersal.pairwise_sum as f64 / least as f64;
                    *count += 1;
                });
            }
            (Self::Spread(sum, values), Compute::Variance(value)) => {
                for_each(*value, part, &part.kept, |value| {
                    *sum += value;
                    values.push(value);
                });
            }
            _ => {}
        }
    }

    /// Returns the number; `None` if the replay has no such number. `whole` has the totals of the replay.
    pub(in crate::metrics) fn finish(
        self,
        compute: &Compute,
        whole: &Facts<'_>,
    ) -> std::io::Result<Option<Number>> {
        let mean = |sum: f64, count: u64| (count > 0).then(|| Number::Real(sum / count as f64));
        Ok(match (self, compute) {
            (_, Compute::Count(value)) => value(whole).map(Number::Count),
            (_, Compute::Real(value)) => value(whole).map(Number::Real),
            (_, Compute::Duration(calls, value)) => Some(Number::Count(value(calls(whole.replay.recording)))),
            (Self::Sum(sum), Compute::Sum(is_there, _)) => is_there(whole).then_some(Number::Count(sum)),
            (Self::Mean(sum, count) | Self::ToBound(sum, count, _), _) => mean(sum, count),
            (Self::Spread(sum, values), _) => {
                let count = values.count();
                let mean_of = sum / count as f64;
                let mut squares = 0.0;
                values.for_each(|value| squares += (value - mean_of).powi(2))?;
                mean(squares, count)
            }
            _ => None,
        })
    }
}

/// Calls `visit` with the value of the job at each of these positions, in their order.
pub(in crate::metrics) fn for_each<T: Copy>(
    value: PerJob<T>,
    of: &Facts<'_>,
    positions: &[usize],
    mut visit: impl FnMut(T),
) {
    let mut values = Vec::with_capacity(positions.len().min(TOGETHER));
    for positions in positions.chunks(TOGETHER) {
        values.clear();
        value(of, positions, &mut values);
        values.iter().copied().for_each(&mut visit);
    }
}

/// Adds the values of the jobs at these positions to their sum and their number.
fn add_mean((sum, count): (&mut f64, &mut u64), value: PerJob<f64>, of: &Facts<'_>, positions: &[usize]) {
    // A local sum stays in a register.
    let mut sum_now = *sum;
    for_each(value, of, positions, |value| sum_now += value);
    (*sum, *count) = (sum_now, *count + positions.len() as u64);
}
