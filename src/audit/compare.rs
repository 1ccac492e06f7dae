//! The comparison of two schedules of the same jobs: where they differ first, the state of both at that moment, and how
//! far their starts differ.

use std::collections::HashMap;

use super::{Schedule, ScheduledJob};
use crate::job::Time;

/// The reason for which two schedules cannot be compared.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}; compare schedules of the same jobs")]
pub struct NotSameJobs(String);

/// The differences between two schedules of the same jobs.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// The number of jobs.
    pub jobs: usize,
    /// The earliest difference; `None` if the schedules are equal.
    pub first: Option<Divergence>,
    /// The differences of the starts in seconds, second schedule minus first, over the jobs with different starts.
    pub starts: Spread,
    /// The number of jobs with different run times.
    pub runs: usize,
    /// The number of jobs that start at the same time on different nodes, or on different numbers of nodes.
    pub places: usize,
}

/// Statistics of a list of differences, in seconds. All are 0 for an empty list.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spread {
    /// The number of differences.
    pub count: usize,
    /// The mean of the signed differences.
    pub mean_s: f64,
    /// The median of the absolute differences.
    pub p50_s: f64,
    /// The 99th percentile of the absolute differences.
    pub p99_s: f64,
    /// The largest absolute difference.
    pub max_s: f64,
}

/// The kind of the first difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// A job starts at this time in one schedule and not in the other.
    Start,
    /// A job starts in both schedules, but on different nodes.
    Place,
    /// A job ends at this time in one schedule and not in the other.
    End,
}

/// The first moment at which two schedules differ.
#[derive(Clone, Debug, PartialEq)]
pub struct Divergence {
    /// The moment.
    pub at: Time,
    /// The log's number of the job.
    pub number: i64,
    /// The kind of difference.
    pub what: What,
    /// The job in each schedule.
    pub jobs: [ScheduledJob; 2],
    /// The state of each schedule at the moment.
    pub sides: [Side; 2],
}

/// The state of a schedule at a moment. Jobs that end at the moment have ended. Jobs that start at the moment have not
/// started yet.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Side {
    /// The number of nodes in use.
    pub used: u32,
    /// The number of running jobs.
    pub running: usize,
    /// The waiting jobs, in the order of arrival.
    pub waiting: Vec<WaitingJob>,
    /// The numbers of the waiting jobs that start at the moment.
    pub started: Vec<i64>,
}

/// A waiting job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WaitingJob {
    /// The log's number of the job.
    pub number: i64,
    /// The number of processors that it asks for.
    pub procs: u32,
    /// The time of its arrival.
    pub submit: Time,
    /// Its estimated run time.
    pub estimate: Time,
}

/// Compares two schedules. Jobs are matched by number if the numbers are unique, otherwise by position. Fails if the
/// schedules do not have the same jobs. O(J log J) for J jobs.
pub fn compare(a: &Schedule, b: &Schedule) -> Result<Comparison, NotSameJobs> {
    let pairs = pairs(a, b)?;
    let mut differences: Vec<f64> = Vec::new();
    let (mut runs, mut places) = (0, 0);
    let mut first: Option<(Time, What, (&ScheduledJob, &ScheduledJob))> = None;
    for &(x, y) in &pairs {
        let elsewhere =
            x.allocated != y.allocated || (x.nodes.is_some() && y.nodes.is_some() && x.nodes != y.nodes);
        runs += usize::from(x.end - x.start != y.end - y.start);
        let found = if x.start != y.start {
            differences.push((y.start - x.start).as_seconds());
            (x.start.min(y.start), What::Start)
        } else if elsewhere {
            places += 1;
            (x.start, What::Place)
        } else if x.end != y.end {
            (x.end.min(y.end), What::End)
        } else {
            continue;
        };
        if first.is_none_or(|(at, ..)| found.0 < at) {
            first = Some((found.0, found.1, (x, y)));
        }
    }
    let first = first.map(|(at, what, (x, y))| Divergence {
        at,
        number: x.number,
        what,
        jobs: [x.clone(), y.clone()],
        sides: [side(a, at), side(b, at)],
    });
    Ok(Comparison { jobs: pairs.len(), first, starts: spread(&differences), runs, places })
}

/// Returns the pairs of matching jobs. Fails if a job has no partner that arrives at the same time and asks for the
/// same number of processors.
fn pairs<'a>(
    a: &'a Schedule,
    b: &'a Schedule,
) -> Result<Vec<(&'a ScheduledJob, &'a ScheduledJob)>, NotSameJobs> {
    if a.jobs.len() != b.jobs.len() {
        return Err(NotSameJobs(format!("{} jobs and {}", a.jobs.len(), b.jobs.len())));
    }
    let by_number: HashMap<i64, &ScheduledJob> = b.jobs.iter().map(|job| (job.number, job)).collect();
    let unique = by_number.len() == b.jobs.len();
    let mut pairs = Vec::with_capacity(a.jobs.len());
    for (x, beside) in a.jobs.iter().zip(&b.jobs) {
        let y = if unique { by_number.get(&x.number).copied() } else { Some(beside) };
        let Some(y) = y.filter(|y| y.number == x.number) else {
            return Err(NotSameJobs(format!("job {} is in the first only", x.number)));
        };
        if (x.submit, x.procs) != (y.submit, y.procs) {
            let of = |job: &ScheduledJob| format!("{} processors at {}", job.procs, job.submit);
            return Err(NotSameJobs(format!("job {} asks for {} and for {}", x.number, of(x), of(y))));
        }
        pairs.push((x, y));
    }
    Ok(pairs)
}

/// Returns the state of a schedule at a moment.
fn side(schedule: &Schedule, at: Time) -> Side {
    let mut side = Side::default();
    let mut waiting: Vec<&ScheduledJob> = Vec::new();
    for job in &schedule.jobs {
        if job.start < at && job.end > at {
            side.used = side.used.saturating_add(job.allocated);
            side.running += 1;
        }
        if job.submit <= at && job.start >= at {
            waiting.push(job);
        }
    }
    waiting.sort_by_key(|job| job.submit);
    side.started = waiting.iter().filter(|job| job.start == at).map(|job| job.number).collect();
    side.waiting = waiting
        .into_iter()
        .map(|&ScheduledJob { number, procs, submit, estimate, .. }| WaitingJob {
            number,
            procs,
            submit,
            estimate,
        })
        .collect();
    side
}

/// Returns the statistics of the differences. Percentiles are values of the list, by the nearest-rank method.
fn spread(differences: &[f64]) -> Spread {
    let mut sizes: Vec<f64> = differences.iter().map(|difference| difference.abs()).collect();
    sizes.sort_by(f64::total_cmp);
    let Some(&max_s) = sizes.last() else { return Spread::default() };
    let count = sizes.len();
    let rank = |percent: usize| sizes[(count * percent).div_ceil(100).max(1) - 1];
    let mean_s = differences.iter().sum::<f64>() / count as f64;
    Spread { count, mean_s, p50_s: rank(50), p99_s: rank(99), max_s }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::job;
    use super::*;

    fn schedule(jobs: &[ScheduledJob]) -> Schedule {
        Schedule { jobs: jobs.to_vec(), left_out: 0 }
    }

    #[test]
    fn the_first_difference_is_found_with_what_both_knew() -> Result<(), NotSameJobs> {
        let a = [job(1, [0, 0, 100], 6), job(2, [0, 100, 150], 8), job(3, [5, 150, 155], 2)];
        let b = [job(1, [0, 0, 100], 6), job(2, [0, 101, 151], 8), job(3, [5, 5, 10], 2)];
        assert_eq!(compare(&schedule(&a), &schedule(&a))?.first, None);
        // The rows of one file may be in another order.
        let turned = [b[2].clone(), b[1].clone(), b[0].clone()];
        let found = compare(&schedule(&a), &schedule(&turned))?;
        let first = found.first.ok_or_else(|| NotSameJobs("equal".to_owned()))?;
        assert_eq!((first.at, first.number, first.what), (Time::from_seconds(5), 3, What::Start));
        let numbers = |side: &Side| side.waiting.iter().map(|job| job.number).collect::<Vec<_>>();
        assert_eq!(first.sides.each_ref().map(numbers), [[2, 3], [2, 3]]);
        assert_eq!(first.sides.each_ref().map(|side| side.started.clone()), [vec![], vec![3]]);
        assert_eq!(first.sides.map(|side| (side.used, side.running)), [(6, 1), (6, 1)]);
        let starts = Spread { count: 2, mean_s: -72.0, p50_s: 1.0, p99_s: 145.0, max_s: 145.0 };
        assert_eq!((found.starts, found.runs, found.places), (starts, 0, 0));
        Ok(())
    }

    #[test]
    fn places_and_ends_count_too() -> Result<(), NotSameJobs> {
        let a = [job(1, [0, 0, 100], 6), job(2, [0, 0, 150], 2)];
        let on =
            |nodes: (u32, u32), job: &ScheduledJob| ScheduledJob { nodes: Some(vec![nodes]), ..job.clone() };
        let [x, y] = [on((0, 5), &a[0]), on((1, 6), &a[0])];
        let found = compare(&schedule(&[x, a[1].clone()]), &schedule(&[y, job(2, [0, 0, 151], 2)]))?;
        assert_eq!((found.runs, found.places, found.starts.count), (1, 1, 0));
        assert_eq!(found.first.map(|first| (first.number, first.what)), Some((1, What::Place)));
        Ok(())
    }

    #[test]
    fn other_jobs_are_refused() {
        let [a, b, c] = [job(1, [0, 0, 9], 6), job(2, [0, 0, 9], 6), job(1, [0, 0, 9], 5)];
        for (x, y, problem) in [
            (vec![a.clone()], vec![], "1 jobs and 0"),
            (vec![a.clone()], vec![b], "job 1 is in the first only"),
            (vec![a], vec![c], "job 1 asks for 6 processors at 0 s and for 5 processors at 0 s"),
        ] {
            let found = compare(&schedule(&x), &schedule(&y)).expect_err("other jobs").to_string();
            assert_eq!(found, format!("{problem}; compare schedules of the same jobs"));
        }
    }
}
