//! Detection of logs that are a window of a site's history, such as the dump of one month.
//!
//! Such a dump has every job that ran in the month. It lacks the jobs that were submitted as early as its
//! oldest ones and ended before the month. The test counts these missing jobs: at the rate and with the
//! turnarounds of the later jobs, how many should have ended between the first submission and the first end?
#![expect(
    clippy::arithmetic_side_effects,
    reason = "jobs are counted in memory; times are differences of instants that are in range"
)]

use super::Levels;
use crate::nodes::RecordedRun;

/// Fewest jobs missing before the first end, and smallest share of jobs or node time before it, in a window.
const LEAST_MISSING: f64 = 10.0;
const LEAST_SHARE: f64 = 0.002;

/// Least number of jobs after the first end. The rate of fewer jobs says nothing.
const LEAST_LATER: u64 = 10;

/// Least number of jobs that wait at the beginning of a dump of the jobs that started in a window.
const LEAST_QUEUE: usize = 10;

/// The beginning of a window of a site's history.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SiteWindow {
    /// First instant with all running and waiting jobs in the log.
    pub start: i64,
    /// Jobs submitted before the first end.
    pub carried: u64,
    /// Whether the log has the jobs that started in the window, so that the instant is an estimate.
    pub is_by_start: bool,
}

impl SiteWindow {
    /// Returns the window; `None` if `runs` are a whole log. Runs with unknown times do not count; the others
    /// must be sorted by start. O(n·log n) for n runs.
    pub(crate) fn find(runs: &[RecordedRun]) -> Option<Self> {
        let known = || runs.iter().filter(|run| run.is_known());
        let first_end = known().filter(|run| run.end > run.start).map(|run| run.end).min()?;
        let (mut first, mut before, mut jobs) = (i64::MAX, 0_u64, 0_u64);
        let (mut work, mut early_work) = (0_i128, 0_i128);
        for run in known() {
            first = first.min(run.submit);
            before += u64::from(run.submit < first_end);
            jobs += 1;
            let node_time = run.length() * i128::from(run.procs);
            work += node_time;
            early_work += if run.start < first_end { node_time } else { 0 };
        }
        let share = f64::max(before as f64 / jobs as f64, early_work as f64 / work as f64);
        let missing = missing_ends(first, first_end, known().map(|run| (run.submit, run.end)));
        (missing >= LEAST_MISSING && share >= LEAST_SHARE).then(|| {
            let start = start_of_starts(first_end, runs);
            Self { start: start.unwrap_or(first_end), carried: before, is_by_start: start.is_some() }
        })
    }
}

/// Returns the expected number of ends between `first` and `first_end`, if earlier jobs were like the later
/// ones. A job is given by its beginning and its end. 0 with fewer than [`LEAST_LATER`] of them.
fn missing_ends(first: i64, first_end: i64, jobs: impl Iterator<Item = (i64, i64)>) -> f64 {
    let (mut sum, mut last, mut later) = (0.0, first_end, 0_u64);
    for (begin, end) in jobs.filter(|(begin, _)| *begin >= first_end) {
        later += 1;
        last = last.max(begin);
        sum += f64::max(0.0, (first_end - first) as f64 - (end - begin) as f64);
    }
    if later < LEAST_LATER {
        return 0.0;
    }
    // The rate of beginnings times the mean over as many jobs.
    sum / (last - first_end).max(1) as f64
}

/// Returns the first instant at which no run is missing in a dump of the jobs that started in a window: the
/// first start plus the longest run. `None` for other dumps, in which the machine is as full at the first end
/// as later, or jobs started long before it.
fn start_of_starts(first_end: i64, runs: &[RecordedRun]) -> Option<i64> {
    let lasting = || runs.iter().filter(|run| run.is_known() && run.end > run.start);
    let first_start = lasting().map(|run| run.start).min()?;
    let (peak, _) = Levels::new(lasting().map(RecordedRun::usage)).peak();
    let used: u64 = lasting().filter(|run| run.start < first_end).map(|run| u64::from(run.procs)).sum();
    let queue = lasting().filter(|run| run.submit < first_end && run.start >= first_end).count();
    let missing = missing_ends(first_start, first_end, lasting().map(|run| (run.start, run.end)));
    let longest = lasting().map(|run| run.end - run.start).max()?;
    let is_by_start = 2 * used < peak && queue >= LEAST_QUEUE && missing < LEAST_MISSING;
    is_by_start.then(|| first_start.saturating_add(longest))
}
