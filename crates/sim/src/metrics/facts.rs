//! The facts of a replay that the numbers of a summary are computed from.

use super::backlog::Backlog;
use super::dispersal::Dispersal;
use super::finished_job::{FinishedJob, Measures};
use super::groups::WaitQuantiles;
use super::recorder::{OutageRecord, Recording};
use super::why::JobWhy;
use crate::engine::Record;
use crate::execution::Traffic;
use meshreplay_base::job::{Job, Origin, Period, Time};
use meshreplay_machine::machine::Mesh;

/// A finished job of a replay, the common type for readers of saved jobs. Times are in seconds. A number that
/// was not read, or is missing, is 0.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct JobRow {
    /// The number of the job in the log.
    pub number: i64,
    /// Arrival.
    pub submit_s: f64,
    /// The start.
    pub start_s: f64,
    /// The end.
    pub end_s: f64,
    /// Requested processors.
    pub procs: u32,
    /// Nodes held.
    pub allocated: u32,
    /// Sum of the distances of all pairs of these nodes, in hops.
    pub pairwise_sum: u64,
    /// Waiting time by cause; `None` without.
    pub why: Option<JobWhy>,
}

impl From<&JobRow> for FinishedJob {
    /// Returns a job with the numbers of the row; others are 0.
    fn from(row: &JobRow) -> Self {
        let time = |seconds: f64| Time::from_micros((seconds * 1e6).round() as i64);
        let job = Job { number: row.number, submit: time(row.submit_s), procs: row.procs, ..Job::default() };
        let (start, end) = (time(row.start_s), time(row.end_s));
        let record = Record { start, end, allocated: row.allocated, ..Record::default() };
        let (pairwise_sum, nodes) = (row.pairwise_sum, row.allocated);
        let dispersal = Dispersal { pairwise_sum, nodes, ..Dispersal::default() };
        let mut measures = Measures { dispersal, ..Measures::default() };
        if row.why.is_some() {
            measures.more_mut().why = row.why;
        }
        Self { job, record, measures }
    }
}

impl JobRow {
    /// Returns arrival, start and end.
    pub fn times_s(&self) -> [f64; 3] {
        [self.submit_s, self.start_s, self.end_s]
    }
}

/// The rule for jobs left out of means, to exclude the empty machine at the start and the draining machine at
/// the end of a replay. It depends on submissions alone, so means of all replays of a log cover the same
/// jobs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Trim {
    /// The percentage of the period of submissions that means leave out at each end, below 50. `None` keeps
    /// all jobs.
    pub percent: Option<f64>,
    /// The period that numbers cover: means are over the jobs submitted in it, waits and use count inside it.
    /// `None` for the whole log.
    pub period: Option<Period>,
}

/// What is known about a finished replay besides its jobs.
#[derive(Clone, Copy, Debug)]
pub struct ReplayTotals<'a> {
    /// The measurements that do not belong to single jobs.
    pub recording: &'a Recording,
    /// The traffic, `None` without a network.
    pub traffic: Option<&'a Traffic>,
    /// The machine.
    pub mesh: &'a Mesh,
    /// The jobs in means, and the period that numbers cover.
    pub trim: Trim,
    /// Records of the log that were not replayed.
    pub skipped: u64,
    /// Of these, jobs without any possible placement on the idle machine.
    pub never_fit: u64,
    /// The wall-clock time of the replay in seconds, excluding waits for the reader and for the sums and
    /// files of results. 0 if not measured.
    pub wall_s: f64,
}

/// Consecutive jobs of a replay.
#[derive(Debug)]
pub(super) struct Part<'a> {
    pub(super) jobs: &'a [FinishedJob],
    /// The positions of the jobs in means.
    pub(super) kept: Vec<usize>,
    /// The positions of jobs from before the period, whose waits inside it count.
    pub(super) earlier: Vec<usize>,
    pub(super) trim: Trim,
}

impl Part<'_> {
    /// Returns the positions of the jobs in means with at least two nodes.
    pub(super) fn parallel(&self) -> impl Iterator<Item = usize> {
        self.kept.iter().copied().filter(|&i| self.jobs[i].measures.dispersal.nodes > 1)
    }
}

/// A finished replay with values that several numbers need.
#[derive(Debug)]
pub(super) struct Facts<'a> {
    /// The results.
    pub(super) replay: &'a ReplayTotals<'a>,
    /// Totals over all jobs.
    pub(super) totals: Totals,
    /// First arrival to last end, in seconds.
    pub(super) makespan_s: f64,
    /// Node-seconds of the nodes that were up or in use, from the first arrival to the last end.
    pub(super) available_node_s: f64,
}

/// Totals over jobs.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Totals {
    /// The number of jobs.
    pub(super) jobs: u64,
    /// The number of jobs in means.
    pub(super) in_means: u64,
    /// The first arrival, `None` without jobs.
    pub(super) first: Option<Time>,
    /// The last end, `None` without jobs.
    pub(super) last: Option<Time>,
    /// Node-seconds of completed runs.
    pub(super) busy_s: f64,
    /// Node-seconds of nodes beyond the requested number.
    pub(super) unasked_s: f64,
    /// Requested node-seconds of the jobs submitted in the period; 0 without a period.
    pub(super) offered_s: f64,
    /// The number of jobs that ran at the beginning of the period and found no place then, and their
    /// node-seconds inside the period.
    pub(super) refused: u64,
    pub(super) refused_s: f64,
    /// The last submission, `None` before all jobs are added.
    pub(super) last_submission: Option<Time>,
    /// The work that waited then.
    pub(super) backlog: Backlog,
    /// Requested node-seconds of the jobs in means, and their sum weighted by waits in seconds.
    pub(super) work_s: f64,
    pub(super) waited_work_s2: f64,
    /// Quantiles of the waits of the jobs in means, known once all jobs are added.
    pub(super) waits: WaitQuantiles,
}

impl Totals {
    /// Adds `part`, the next jobs in the order of the log.
    pub(super) fn add(&mut self, part: &Part<'_>) {
        self.jobs += part.jobs.len() as u64;
        self.in_means += part.kept.len() as u64;
        for job in part.kept.iter().map(|&i| &part.jobs[i]) {
            let work_s = job.service_s() * f64::from(job.job.procs);
            self.work_s += work_s;
            self.waited_work_s2 += part.trim.wait_s(job) * work_s;
        }
        for FinishedJob { job, record, .. } in part.jobs {
            self.first = Some(self.first.map_or(job.submit, |first| first.min(job.submit)));
            self.last = Some(self.last.map_or(record.end, |last| last.max(record.end)));
            let whole_s = (record.end - record.start).as_seconds();
            let service_s = part.trim.inside_s(record.start, record.end);
            if let Some(period) = part.trim.period {
                if period.contains(job.submit) {
                    self.offered_s += whole_s * f64::from(job.procs);
                }
                if period.origin(job) == Origin::Carried && record.start > period.from {
                    self.refused += 1;
                    self.refused_s += service_s * f64::from(record.allocated);
                }
            }
            self.busy_s += service_s * f64::from(record.allocated);
            self.unasked_s += service_s * f64::from(record.allocated.saturating_sub(job.procs));
        }
    }
}

impl<'a> Facts<'a> {
    /// Returns the facts of a replay with these totals.
    pub(super) fn new(replay: &'a ReplayTotals<'a>, totals: Totals) -> Self {
        let first = totals.first.unwrap_or(Time::ZERO);
        let last = totals.last.unwrap_or(first);
        // The last run may have ended by a kill, and the first job may never have run.
        let outages = replay.recording.outages.as_ref();
        let first = outages.map_or(first, |outages| outages.first);
        let last = outages.and_then(|outages| outages.last_kill).map_or(last, |kill| kill.max(last));
        let first = replay.trim.period.map_or(first, |period| period.from);
        let makespan_s = (last - first).as_seconds();
        // Node time is counted inside the period.
        let last = replay.trim.period.map_or(last, |period| period.to);
        let covered_s = (last - first).as_seconds();
        let available_node_s = outages.map_or(covered_s * f64::from(replay.mesh.available()), |outages| {
            outages.available_node_s(first, last)
        });
        Self { replay, totals, makespan_s, available_node_s }
    }

    /// Returns the outages, or `None` if all nodes are always up.
    pub(super) fn outages(&self) -> Option<&OutageRecord> {
        self.replay.recording.outages.as_ref()
    }

    /// Returns the node-seconds of runs that ended by a kill.
    pub(super) fn lost_node_s(&self) -> f64 {
        self.replay.recording.outages.as_ref().map_or(0.0, |outages| outages.lost_node_s)
    }
}

/// Returns the requested work by the capacity of the machine while jobs were submitted. `None` if all jobs
/// arrive at once.
pub(super) fn offered_load(of: &Facts<'_>) -> Option<f64> {
    let Totals { first, last_submission, busy_s, unasked_s, offered_s, .. } = of.totals;
    if let Some(period) = of.replay.trim.period {
        let capacity_s = (period.to - period.from).as_seconds() * f64::from(of.replay.mesh.available());
        return Some(offered_s / capacity_s);
    }
    let submitting_s = (last_submission? - first?).as_seconds();
    let capacity_s = submitting_s * f64::from(of.replay.mesh.available());
    (capacity_s > 0.0).then(|| (busy_s - unasked_s) / capacity_s)
}

/// Returns `part / whole`, or 0 if `whole` is not above 0.
pub(super) fn share(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

/// Returns the positions of the jobs submitted in this period in seconds, among `count` jobs; of all jobs for
/// `None`.
pub(super) fn in_period(
    period_s: Option<[f64; 2]>,
    count: usize,
    submit_s: impl Fn(usize) -> f64,
) -> Vec<usize> {
    match period_s {
        None => (0..count).collect(),
        Some([from_s, to_s]) => (0..count).filter(|&i| (from_s..=to_s).contains(&submit_s(i))).collect(),
    }
}

impl Trim {
    /// Returns the first and the last submission in means of `count` jobs, in seconds. `None` if all jobs are
    /// in means. `submit_s` returns the submission of a job.
    pub(super) fn period_of(self, count: usize, submit_s: impl Fn(usize) -> f64) -> Option<[f64; 2]> {
        let ends = |(first, last): (f64, f64), i| (f64::min(first, submit_s(i)), f64::max(last, submit_s(i)));
        let (first_s, last_s) = (0..count).fold((f64::INFINITY, f64::NEG_INFINITY), ends);
        self.period_s(first_s, last_s)
    }

    /// Returns the positions of the jobs in means among `count` jobs, in the order of the log.
    pub(super) fn kept(self, count: usize, submit_s: impl Fn(usize) -> f64) -> Vec<usize> {
        in_period(self.period_of(count, &submit_s), count, &submit_s)
    }

    /// Returns the first and the last submission in means, given those of the log, in seconds. `None` if all
    /// jobs are in means.
    pub fn period_s(self, first_s: f64, last_s: f64) -> Option<[f64; 2]> {
        if !self.cuts() {
            return None;
        }
        let [first_s, last_s] = self.period.map_or([first_s, last_s], |period| {
            [first_s.max(period.from.as_seconds()), last_s.min(period.to.as_seconds())]
        });
        let cut_s = (last_s - first_s) * self.percent.unwrap_or(0.0) / 100.0;
        Some([first_s + cut_s, last_s - cut_s])
    }

    /// Returns the positions of jobs from before the period, whose waits inside it count: of `count` jobs,
    /// with these submissions in seconds. Empty if means leave out its beginning.
    pub(super) fn earlier(self, count: usize, submit_s: impl Fn(usize) -> f64) -> Vec<usize> {
        let from_s = self.period.filter(|_| self.percent.is_none()).map(|period| period.from.as_seconds());
        (0..count).filter(|&i| from_s.is_some_and(|from_s| submit_s(i) < from_s)).collect()
    }

    /// Returns whether means may leave jobs out.
    pub fn cuts(self) -> bool {
        self.percent.is_some() || self.period.is_some()
    }

    /// Returns the wait of a job inside the period, in seconds.
    pub(super) fn wait_s(self, job: &FinishedJob) -> f64 {
        self.inside_s(job.job.submit, job.record.start)
    }

    /// Returns the time from `start` to `end` inside the period, in seconds.
    pub(super) fn inside_s(self, start: Time, end: Time) -> f64 {
        self.period.map_or(end - start, |period| period.overlap(start, end)).as_seconds()
    }
}
