//! The rules that decide which records of a log become jobs, and with which values.
//!
//! A log records what happened; a replay needs requests. The rules of P. Walker, D. Bunde and V. Leung (2010)
//! take the allocated processors, since several logs lack requests. Other rules take the request. Dropped
//! records are counted by reason.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use super::arrivals::Arrivals;
use super::shape_rule::ShapeRule;
use meshreplay_base::job::{Job, LogNumber, Logged, Shape, Time};
use meshreplay_base::prediction::Prediction;
use meshreplay_logs::status::{CANCELLED, COMPLETED, FAILED, UNKNOWN};
use meshreplay_logs::{Format, Record};

/// The choice of the fields of a record that give the processors and the run time of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleSet {
    /// The processors are the allocated ones. The run time is the recorded one, or else the CPU time. Jobs of
    /// 0 s are kept. The simulator of P. Walker, D. Bunde, V. Leung, "Faster high-quality processor
    /// allocation", 2010, converts logs in this way.
    Authors,
    /// The processors are the requested ones, or else the allocated ones. Jobs without a positive run time
    /// are left out.
    Requested,
    /// The processors are the allocated ones. Jobs without a positive run time are left out.
    Allocated,
}

/// The statuses (SWF field 11) of the records that become jobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// −1, 0 and 1, and also 5 (cancelled) if the job ran.
    Authors,
    /// 1 (completed) only.
    Completed,
    /// Every status.
    All,
}

/// The source of the estimates of run times.
#[derive(Clone, Debug, PartialEq)]
pub enum Estimate {
    /// The requested time of the log, or the run time if the requested time is unknown.
    Recorded,
    /// The run time.
    Exact,
    /// The run time multiplied by this factor.
    Factor(f64),
    /// As [`Self::Recorded`], but schedulers plan with a prediction that is made when the job arrives. It is
    /// corrected when the job outlives it.
    Predicted(Prediction),
}

/// The treatment of a job that runs longer than its estimate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overrun {
    /// The estimate is raised to the run time.
    Extend,
    /// The run time is cut to the estimate.
    Kill,
    /// Both are kept. From the time of the estimate on, schedulers expect the job to end at once.
    RunOn,
}

/// The sizes, in processors, of the jobs that are replayed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sizes {
    /// All sizes.
    All,
    /// 2 processors and more.
    Parallel,
    /// 1, 2, 4, 8 processors and so on.
    PowersOfTwo,
}

impl Sizes {
    /// Returns whether jobs of `procs` processors are replayed.
    pub fn include(self, procs: u32) -> bool {
        match self {
            Self::All => true,
            Self::Parallel => procs > 1,
            Self::PowersOfTwo => procs.is_power_of_two(),
        }
    }
}

/// The treatment of a job that asks for more processors than the machine has, or for a shape that the
/// allocator never finds, not even on an idle machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Oversize {
    /// The replay fails.
    Error,
    /// The job is left out and counted.
    Skip,
}

/// All rules that turn records into jobs.
#[derive(Clone, Debug, PartialEq)]
pub struct Rules {
    /// The choice of fields for processors and run time.
    pub set: RuleSet,
    /// The statuses that are accepted.
    pub status: Status,
    /// The source of the estimates.
    pub estimate: Estimate,
    /// The treatment of jobs that run longer than their estimate.
    pub overrun: Overrun,
    /// The sizes that are replayed.
    pub sizes: Sizes,
    /// The rule for the shape of a job if only its number of processors is known.
    pub shape: ShapeRule,
    /// The treatment of jobs that the machine cannot hold.
    pub oversize: Oversize,
    /// The submit times of the jobs.
    pub arrivals: Arrivals,
}

impl Default for Rules {
    fn default() -> Self {
        Self::defaults(RuleSet::Authors)
    }
}

/// The jobs of one log.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Workload {
    /// The jobs in the order of the log, with submit times as recorded. Replays that need no others share the
    /// list.
    pub jobs: Arc<Vec<Job>>,
    /// The numbers of records that were left out, by reason.
    pub left_out: LeftOut,
    /// The records of jobs that ran at the end of the log, which are left out unless a period ends there.
    pub open: Vec<Record>,
}

/// Collects the jobs of a log from its records, one by one.
#[derive(Clone, Debug)]
pub struct WorkloadBuilder {
    rules: Rules,
    jobs: Vec<Job>,
    left_out: LeftOut,
    open: Vec<Record>,
}

impl WorkloadBuilder {
    /// Makes a builder without jobs.
    pub fn new(rules: Rules) -> Self {
        Self { rules, jobs: Vec::new(), left_out: LeftOut::default(), open: Vec::new() }
    }

    /// Adds the next record of the log: to the list, if it is a job, which is returned, or to the counts of
    /// records that were left out.
    pub fn add(&mut self, record: &Record) -> Option<Job> {
        let job = self.job(record)?;
        self.keep(job);
        Some(job)
    }

    /// Returns the job of the next record of the log, and does not add it to the list; `None` if there is
    /// none, and the record is counted as left out.
    pub fn job(&mut self, record: &Record) -> Option<Job> {
        let job = self.rules.job(record).map_err(|reason| self.left_out.add(reason, 1)).ok();
        let runs = record.status == UNKNOWN && record.run_s == -1 && record.wait_s >= 0;
        if job.is_none() && runs && record.submit_s >= 0 {
            self.open.push(*record);
        }
        job
    }

    /// Adds a job to the list.
    pub fn keep(&mut self, job: Job) {
        self.jobs.push(job);
    }

    /// Returns the jobs collected so far.
    pub fn jobs(&self) -> &[Job] {
        &self.jobs
    }

    /// Takes the jobs collected so far.
    pub fn take_jobs(&mut self) -> Vec<Job> {
        std::mem::take(&mut self.jobs)
    }

    /// Returns the jobs. `malformed` is the number of lines of the log that were skipped; they are counted as
    /// left out.
    pub fn finish(mut self, malformed: u64) -> Workload {
        self.left_out.add(Reason::Malformed, malformed);
        Workload { jobs: Arc::new(self.jobs), left_out: self.left_out, open: self.open }
    }
}

/// Returns the record for the rules. A job of a site without a time limit never ends for schedulers; in other
/// logs the rules decide.
pub fn with_limit<'a>(record: &'a Record, format: &Format) -> Cow<'a, Record> {
    if record.requested_time_s > 0 || !format.is_of_site() {
        return Cow::Borrowed(record);
    }
    let never_s = Job::NEVER_ENDS.as_micros() / 1_000_000;
    Cow::Owned(Record { requested_time_s: never_s, ..*record })
}

impl Rules {
    /// Returns the option that can leave out jobs that ran; `None` if neither of the two is given.
    pub fn leaves_out_runs(&self) -> Option<&'static str> {
        if self.status == Status::Completed {
            Some("--status completed")
        } else {
            (self.sizes != Sizes::All).then_some("--sizes")
        }
    }

    /// Returns the rules of `set` with every other rule at its default.
    pub fn defaults(set: RuleSet) -> Self {
        let status = match set {
            RuleSet::Authors => Status::Authors,
            RuleSet::Requested | RuleSet::Allocated => Status::All,
        };
        Self {
            set,
            status,
            estimate: Estimate::Recorded,
            overrun: Overrun::Extend,
            sizes: Sizes::All,
            shape: ShapeRule::default(),
            oversize: Oversize::Error,
            arrivals: Arrivals::Recorded,
        }
    }

    /// Returns the prediction with which schedulers plan; `None` if they plan with the estimates of the jobs.
    pub fn prediction(&self) -> Option<&Prediction> {
        match &self.estimate {
            Estimate::Predicted(prediction) => Some(prediction),
            Estimate::Recorded | Estimate::Exact | Estimate::Factor(_) => None,
        }
    }

    /// Returns the job of a record, or the reason why it has none.
    pub fn job(&self, record: &Record) -> Result<Job, Reason> {
        let (procs, run_s) = self.accept(record)?;
        if record.submit_s < 0 {
            return Err(Reason::NoSubmitTime);
        }
        // A number of processors beyond 32 bits is beyond every machine. It stays too large when it is cut.
        let procs = u32::try_from(procs).unwrap_or(u32::MAX);
        if !self.sizes.include(procs) {
            return Err(Reason::Size);
        }
        let requested_s = Some(record.requested_time_s).filter(|&requested_s| requested_s > 0);
        let (run_s, estimate_s) = self.run_and_estimate(run_s, requested_s);
        let [submit, run, estimate] = [record.submit_s, run_s, estimate_s].map(Time::from_seconds);
        // The sides of the record count only if their product is the number of processors. Other sides would
        // change the size of the job.
        let size = |sides: [u32; 3]| sides.into_iter().map(u128::from).product::<u128>();
        let own = record.sides.filter(|&sides| size(sides) == u128::from(procs)).map(Shape::Sides);
        let shape = own.unwrap_or_else(|| self.shape.shape(record.job, procs));
        let logged = Logged {
            wait: (record.wait_s >= 0).then(|| Time::from_seconds(record.wait_s)),
            user: LogNumber::of(record.user),
            submit,
            group: LogNumber::of(record.group),
            queue: LogNumber::of(record.queue),
            partition: LogNumber::of(record.partition),
            status: LogNumber::of(record.status),
            reason: LogNumber::of(record.reason),
            nodes: record.nodes,
        };
        Ok(Job { number: record.job, submit, run, estimate, procs, shape, logged })
    }

    /// Returns the processors and the run time (in seconds) that the rule set takes from a record, or the
    /// reason why the record is left out. The processors are at least 1 and the run time is at least 0.
    /// Submit time and size are not checked.
    pub fn accept(&self, record: &Record) -> Result<(i64, i64), Reason> {
        if record.status == CANCELLED
            && record.wait_s == -1
            && record.run_s == 0
            && record.allocated_procs <= 0
        {
            return Err(Reason::CancelledEarly);
        }
        let procs = match self.set {
            RuleSet::Requested if record.requested_procs > 0 => record.requested_procs,
            _ => record.allocated_procs,
        };
        if procs <= 0 {
            return Err(Reason::NoProcessors);
        }
        let run_s = match self.set {
            // `round` rounds half seconds away from zero.
            RuleSet::Authors if record.run_s == -1 => record.average_cpu_s.round() as i64,
            _ => record.run_s,
        };
        let is_accepted = match self.status {
            Status::Authors => {
                matches!(record.status, UNKNOWN | FAILED | COMPLETED)
                    || record.status == CANCELLED && run_s > 0
            }
            Status::Completed => record.status == COMPLETED,
            Status::All => true,
        };
        if !is_accepted {
            return Err(Reason::Status);
        }
        if run_s < 0 || run_s == 0 && self.set != RuleSet::Authors {
            return Err(Reason::NoRunTime);
        }
        Ok((procs, run_s))
    }

    /// Applies the rules to a job of a workload model and returns it, or the reason why it is left out. Only
    /// the rules about sizes, estimates and overruns matter, and those about shapes if the model has none. As
    /// a model has no recorded estimates, the estimate is the run time or a multiple of it.
    pub fn drawn(&self, job: Job) -> Result<Job, Reason> {
        if !self.sizes.include(job.procs) {
            return Err(Reason::Size);
        }
        let (run, estimate) = self.run_and_estimate(job.run.as_micros(), None);
        let shape = match job.shape {
            Shape::Sides(_) => job.shape,
            _ => self.shape.shape(job.number, job.procs),
        };
        Ok(Job { run: Time::from_micros(run), estimate: Time::from_micros(estimate), shape, ..job })
    }

    /// Returns the run time and the estimate by the rules about estimates and overruns. Both have the unit of
    /// `run`; a multiple is rounded to a whole number. `requested` is the estimate of the log; `None` if it
    /// has none.
    pub(super) fn run_and_estimate(&self, run: i64, requested: Option<i64>) -> (i64, i64) {
        let estimate = match self.estimate {
            Estimate::Recorded | Estimate::Predicted(_) => requested.unwrap_or(run),
            Estimate::Exact => run,
            Estimate::Factor(factor) => (run as f64 * factor).round() as i64,
        };
        match self.overrun {
            Overrun::Extend => (run, estimate.max(run)),
            Overrun::Kill => (run.min(estimate), estimate),
            Overrun::RunOn => (run, estimate),
        }
    }
}

/// Returns the jobs with their submit times multiplied by `factor` and rounded to whole seconds, half a
/// second away from zero.
pub fn scaled(jobs: &[Job], factor: f64) -> Vec<Job> {
    jobs.iter().map(|job| Job { submit: scaled_submit(job.submit, factor), ..*job }).collect()
}

/// Returns a submit time multiplied by `factor`, as [`scaled`] does it.
pub fn scaled_submit(submit: Time, factor: f64) -> Time {
    // Most arrivals are neither scaled nor rounded.
    if factor.to_bits() == 1_f64.to_bits() && submit.as_micros() % 1_000_000 == 0 {
        return submit;
    }
    Time::from_seconds((submit.as_seconds() * factor).round() as i64)
}

/// The reason why a record is not replayed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The job was cancelled while it waited: it has no wait, no run time and no processors.
    CancelledEarly,
    /// The record has no positive number of processors.
    NoProcessors,
    /// The record has no run time, or one that the rules do not accept.
    NoRunTime,
    /// The rules do not accept the status of the record.
    Status,
    /// The record has no submit time, or a negative one.
    NoSubmitTime,
    /// The job needs more processors than the machine has.
    Oversize,
    /// The allocator never finds the shape of the job, not even on an idle machine.
    NeverFits,
    /// The rules leave out jobs with this number of processors.
    Size,
    /// The job is in another partition, or in none.
    Partition,
    /// The line does not follow the format. Lenient reading skipped it.
    Malformed,
}

/// All reasons, in the order of the enum, in words that follow a count.
const REASONS: [(Reason, &str); 10] = [
    (Reason::CancelledEarly, "cancelled before they started"),
    (Reason::NoProcessors, "without processors"),
    (Reason::NoRunTime, "without a run time"),
    (Reason::Status, "of another status"),
    (Reason::NoSubmitTime, "without a submit time, or with a negative one"),
    (Reason::Oversize, "larger than the machine"),
    (Reason::NeverFits, "that never fit"),
    (Reason::Size, "of another size"),
    (Reason::Partition, "of another partition"),
    (Reason::Malformed, "malformed"),
];

impl Reason {
    /// Returns the reason in words that follow a count.
    pub fn words(self) -> &'static str {
        REASONS[self as usize].1
    }
}

/// The numbers of records that were left out, by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LeftOut {
    counts: [u64; REASONS.len()],
}

impl LeftOut {
    /// Adds `records` to the count of `reason`.
    pub fn add(&mut self, reason: Reason, records: u64) {
        self.counts[reason as usize] += records;
    }

    /// Returns the counts without `records` of `reason`, which are replayed after all.
    #[must_use]
    pub fn without(mut self, reason: Reason, records: u64) -> Self {
        self.counts[reason as usize] = self.counts[reason as usize].saturating_sub(records);
        self
    }

    /// Returns the number of records that were left out for this reason.
    pub fn count(&self, reason: Reason) -> u64 {
        self.counts[reason as usize]
    }

    /// Returns the number of records that were left out for any reason.
    pub fn total(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Returns the reasons that occurred, with their counts, in the order of [`Reason`]; nothing if no
    /// record was left out.
    pub fn iter(&self) -> impl Iterator<Item = (Reason, u64)> + '_ {
        let counted = REASONS.into_iter().zip(self.counts).map(|((reason, _), count)| (reason, count));
        counted.filter(|(_, count)| *count > 0)
    }
}

/// Writes a list such as `5,669 without processors, 12 of another status`; nothing if no record was left out.
impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, (reason, count)) in self.iter().enumerate() {
            write!(f, "{}{count} {}", if i == 0 { "" } else { ", " }, reason.words())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RECORD: Record = Record {
        job: 7,
        submit_s: 5,
        run_s: 100,
        allocated_procs: 4,
        requested_procs: 8,
        requested_time_s: 60,
        status: 1,
        ..Record::UNKNOWN
    };

    fn job(rules: &Rules, record: Record) -> Result<(u32, f64, f64), Reason> {
        rules.job(&record).map(|job| (job.procs, job.run.as_seconds(), job.estimate.as_seconds()))
    }

    #[test]
    fn the_authors_take_what_was_allocated_and_raise_estimates() {
        let rules = Rules::default();
        assert_eq!(job(&rules, RECORD), Ok((4, 100.0, 100.0)));
        assert_eq!(job(&rules, Record { requested_time_s: 300, ..RECORD }), Ok((4, 100.0, 300.0)));
        assert_eq!(job(&rules, Record { allocated_procs: -1, ..RECORD }), Err(Reason::NoProcessors));
        assert_eq!(job(&rules, Record { run_s: -1, average_cpu_s: 2.5, ..RECORD }), Ok((4, 3.0, 60.0)));
        assert_eq!(job(&rules, Record { run_s: -1, ..RECORD }), Err(Reason::NoRunTime));
        assert_eq!(job(&rules, Record { run_s: 0, ..RECORD }), Ok((4, 0.0, 60.0)));
        assert_eq!(job(&rules, Record { submit_s: -1, ..RECORD }), Err(Reason::NoSubmitTime));
    }

    #[test]
    fn the_authors_take_cancelled_jobs_only_if_they_ran() {
        let rules = Rules::default();
        for (status, run_s, taken) in
            [(-1, 0, true), (0, 0, true), (5, 1, true), (5, 0, false), (2, 9, false)]
        {
            let found = job(&rules, Record { run_s, status, ..RECORD });
            assert_eq!(found.err(), (!taken).then_some(Reason::Status), "status {status}, {run_s} s");
        }
    }

    #[test]
    fn of_a_log_for_the_authors_simulator_nothing_changes_but_unknown_run_times() {
        let kept = |record: Record| Rules::default().accept(&record);
        let job = Record { allocated_procs: 4, run_s: 10, status: 1, ..Record::UNKNOWN };
        for status in [-1, 0, 1, 5] {
            assert_eq!(kept(Record { status, ..job }), Ok((4, 10)));
        }
        for status in [-2, 2, 3, 4, 6, 126] {
            assert_eq!(kept(Record { status, ..job }), Err(Reason::Status));
        }
        assert_eq!(kept(Record { status: 5, run_s: 0, ..job }), Err(Reason::Status));
        assert_eq!(kept(Record { run_s: 0, ..job }), Ok((4, 0)));
        assert_eq!(kept(Record { run_s: -1, average_cpu_s: 2.5, ..job }), Ok((4, 3)));
        assert_eq!(kept(Record { run_s: -1, ..job }), Err(Reason::NoRunTime));
        assert_eq!(kept(Record { allocated_procs: 0, requested_procs: 8, ..job }), Err(Reason::NoProcessors));
        let waited = Record { status: 5, wait_s: -1, run_s: 0, allocated_procs: -1, ..job };
        assert_eq!(kept(waited), Err(Reason::CancelledEarly));
        assert_eq!(kept(Record { status: 0, ..waited }), Err(Reason::NoProcessors));
    }

    #[test]
    fn requests_count_where_they_are_known() {
        let rules = Rules {
            set: RuleSet::Requested,
            status: Status::All,
            overrun: Overrun::Kill,
            ..Rules::default()
        };
        assert_eq!(job(&rules, RECORD), Ok((8, 60.0, 60.0)));
        assert_eq!(job(&rules, Record { requested_procs: -1, status: 265, ..RECORD }), Ok((4, 60.0, 60.0)));
        assert_eq!(job(&rules, Record { run_s: 0, ..RECORD }), Err(Reason::NoRunTime));
        let allocated = Rules::defaults(RuleSet::Allocated);
        assert_eq!(job(&allocated, Record { status: 3, ..RECORD }), Ok((4, 100.0, 100.0)));
        assert_eq!(job(&allocated, Record { run_s: 0, ..RECORD }), Err(Reason::NoRunTime));
    }

    #[test]
    fn jobs_bring_their_shape_if_the_log_has_one_of_their_size() {
        let shape = |sides| {
            let rules = Rules { shape: ShapeRule::Each(Shape::Row), ..Rules::default() };
            rules.job(&Record { sides, ..RECORD }).map(|job| job.shape)
        };
        assert_eq!(shape(Some([2, 2, 1])), Ok(Shape::Sides([2, 2, 1])));
        assert_eq!(shape(Some([4, 2, 1])), Ok(Shape::Row));
        assert_eq!(shape(None), Ok(Shape::Row));
    }

    #[test]
    fn sizes_can_be_left_out() {
        let taken = |sizes| {
            let rules = Rules { sizes, ..Rules::default() };
            let is_taken = |&procs: &i64| match job(&rules, Record { allocated_procs: procs, ..RECORD }) {
                Ok(_) => true,
                Err(reason) => {
                    assert_eq!(reason, Reason::Size);
                    false
                }
            };
            (1..=9).filter(is_taken).collect::<Vec<i64>>()
        };
        assert_eq!(taken(Sizes::All).len(), 9);
        assert_eq!(taken(Sizes::Parallel), [2, 3, 4, 5, 6, 7, 8, 9]);
        assert_eq!(taken(Sizes::PowersOfTwo), [1, 2, 4, 8]);
    }

    #[test]
    fn drawn_jobs_follow_sizes_and_estimates() {
        let run = Time::from_micros(1_500_000);
        let job = Job {
            number: 1,
            submit: Time::ZERO,
            run,
            estimate: run,
            procs: 6,
            shape: Shape::Sides([3, 2, 1]),
            ..Job::default()
        };
        let with = |text: &str| text.parse::<Rules>().map(|rules| rules.drawn(job));
        assert_eq!(with("authors"), Ok(Ok(job)));
        assert_eq!(with("authors:sizes=powers-of-two"), Ok(Err(Reason::Size)));
        let half = Time::from_micros(750_000);
        let cut = Job { run: half, estimate: half, ..job };
        assert_eq!(with("authors:estimate=factor=0.5,overrun=kill"), Ok(Ok(cut)));
        assert_eq!(with("authors:estimate=factor=0.5"), Ok(Ok(job)));
        let late = Job { estimate: half, ..job };
        assert_eq!(with("authors:estimate=factor=0.5,overrun=run-on"), Ok(Ok(late)));
    }

    #[test]
    fn estimates_can_be_replaced() {
        let with = |estimate, overrun| job(&Rules { estimate, overrun, ..Rules::default() }, RECORD);
        assert_eq!(with(Estimate::Exact, Overrun::RunOn), Ok((4, 100.0, 100.0)));
        assert_eq!(with(Estimate::Factor(2.0), Overrun::RunOn), Ok((4, 100.0, 200.0)));
        assert_eq!(with(Estimate::Recorded, Overrun::RunOn), Ok((4, 100.0, 60.0)));
        assert_eq!("factor=1.5".parse(), Ok(Estimate::Factor(1.5)));
        assert!("factor=0".parse::<Estimate>().is_err() && "guess".parse::<Estimate>().is_err());
    }

    #[test]
    fn arrivals_are_rounded_half_away_from_zero() {
        let jobs: Vec<Job> =
            (0..4).filter_map(|i| Rules::default().job(&Record { submit_s: i, ..RECORD }).ok()).collect();
        let submits: Vec<f64> = scaled(&jobs, 0.5).iter().map(|job| job.submit.as_seconds()).collect();
        assert!(submits.iter().zip([0.0, 1.0, 1.0, 2.0]).all(|(a, b)| (a - b).abs() < 1e-9), "{submits:?}");
    }
}
