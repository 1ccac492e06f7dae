//! Points in time, jobs, and the random numbers of a seed.
//!
//! A seed has a stream of random numbers for each purpose, so that more draws for one purpose do not change
//! another.

use std::fmt;
use std::ops::{Add, Sub};
use std::str::FromStr;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// A point in simulated time, or a duration, in whole microseconds.
///
/// An integer gives times a total order and makes sums exact. The range is about ±292,000 years. Sums and
/// differences beyond it are clamped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(i64);

impl Time {
    /// The origin of simulated time; as a length, 0.
    pub const ZERO: Self = Self(0);
    /// The end of the range, later than every event. As a bound it means "unbounded".
    pub const MAX: Self = Self(i64::MAX);
    /// Microseconds per second.
    const MICROSECONDS: i64 = 1_000_000;

    /// Returns the time of `seconds` whole seconds, clamped to the range.
    #[inline]
    pub const fn from_seconds(seconds: i64) -> Self {
        Self(seconds.saturating_mul(Self::MICROSECONDS))
    }

    /// Returns the time of `micros` microseconds.
    #[inline]
    pub const fn from_micros(micros: i64) -> Self {
        Self(micros)
    }

    /// Returns the time in microseconds.
    #[inline]
    pub const fn as_micros(self) -> i64 {
        self.0
    }

    /// Returns the time in seconds, rounded to the nearest `f64`.
    #[inline]
    pub fn as_seconds(self) -> f64 {
        self.0 as f64 / Self::MICROSECONDS as f64
    }
}

impl Add for Time {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl Sub for Time {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} s", self.as_seconds())
    }
}

/// The position of a job in the replayed list, which orders jobs that arrive at the same instant.
pub type JobId = u32;

/// A job that can be replayed, from a record of a log or from a workload model.
///
/// The default is a job of no processors whose facts are all unknown. It completes jobs with some fields
/// missing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Job {
    /// The log's number of the job (field 1 in the Standard Workload Format), used only as a label.
    pub number: i64,
    /// Arrival time.
    pub submit: Time,
    /// Run time once started, from the log or the workload model.
    pub run: Time,
    /// Expected run time. Schedulers plan with it unless run times are predicted.
    pub estimate: Time,
    /// Requested processors, at least 1.
    pub procs: u32,
    /// Requested shape, for allocators that look for submeshes.
    pub shape: Shape,
    /// Further facts from the log.
    pub logged: Logged,
}

/// Facts that a log records beyond the request: the submitter, the queue, and what really happened. All are
/// unknown for jobs of a workload model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Logged {
    /// Time from submission to start; `None` if unknown.
    pub wait: Option<Time>,
    /// User.
    pub user: LogNumber,
    /// Submission time, neither scaled nor redrawn.
    pub submit: Time,
    /// Group or account of the user.
    pub group: LogNumber,
    /// Queue.
    pub queue: LogNumber,
    /// Partition.
    pub partition: LogNumber,
    /// Status at the end: 1 is completed, 0 failed and 5 cancelled.
    pub status: LogNumber,
    /// Reason to wait, as the scheduler of the log gave it.
    pub reason: LogNumber,
    /// Index of the job's node list in the log; `None` if the job has no list.
    pub nodes: Option<u32>,
}

/// An optional number for a name in a log, such as that of a queue. It takes half the space of an
/// `Option<i64>`, because logs have millions of jobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogNumber(i64);

/// The default is an unknown number.
impl Default for LogNumber {
    fn default() -> Self {
        Self(-1)
    }
}

impl LogNumber {
    /// Returns the number in a field of a log, where negative numbers mean "unknown".
    #[inline]
    pub const fn of(field: i64) -> Self {
        Self(field)
    }

    /// Returns the number; `None` if it is unknown.
    #[inline]
    pub fn known(self) -> Option<i64> {
        (self.0 >= 0).then_some(self.0)
    }
}

impl Job {
    /// The estimate of a job without a time limit: for schedulers it never ends. More than 31 years.
    pub const NEVER_ENDS: Time = Time::from_seconds(1_000_000_000);

    /// Returns the estimate; `None` without a time limit.
    pub fn known_estimate(&self) -> Option<Time> {
        Some(self.estimate).filter(|&estimate| estimate < Self::NEVER_ENDS)
    }

    /// Returns the recorded start, which is the submission plus the wait. `None` if the wait is unknown.
    #[inline]
    pub fn recorded_start(&self) -> Option<Time> {
        self.logged.wait.map(|wait| self.submit + wait)
    }
}

/// The rule for the sides of the requested submesh.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Shape {
    /// The smallest submesh with at least as many nodes as processors and with sides that differ by at most a
    /// factor of two.
    #[default]
    NearSquare,
    /// A submesh of exactly as many nodes as processors, with sides as equal as possible, if one fits the
    /// machine.
    Factors,
    /// One row along the machine's longest dimension.
    Row,
    /// Like [`Shape::NearSquare`], with every side rounded up to a power of two.
    PowersOfTwo,
    /// One of the submeshes that an operator allows, with its longest side along the machine's longest
    /// dimension. It has at least as many nodes as the job has processors, unless the job is larger than
    /// every allowed submesh.
    Slice([u32; 3]),
    /// A submesh with these sides along x, y and z. Their product is the job's number of processors.
    Sides([u32; 3]),
}

/// Writes `near-square`, `factors`, `row`, `pow2`, `box 4x4x4`, or sides such as `3x2`.
impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NearSquare => f.pad("near-square"),
            Self::Factors => f.pad("factors"),
            Self::Row => f.pad("row"),
            Self::PowersOfTwo => f.pad("pow2"),
            Self::Slice([a, b, c]) => write!(f, "box {a}x{b}x{c}"),
            Self::Sides([a, b, 1]) => write!(f, "{a}x{b}"),
            Self::Sides([a, b, c]) => write!(f, "{a}x{b}x{c}"),
        }
    }
}

/// The number of nodes that a job takes, which may exceed its number of processors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodesFor {
    /// Fewest nodes. The job waits while fewer are free.
    pub least: u32,
    /// Most nodes. It differs from `least` only for allocators with blocks of different sizes.
    pub most: u32,
}

impl NodesFor {
    /// A job that always takes `nodes` nodes.
    #[inline]
    pub const fn exactly(nodes: u32) -> Self {
        Self { least: nodes, most: nodes }
    }

    /// A job that takes all nodes of a submesh with sides `sizes`; more nodes than any machine has if there
    /// is no such submesh.
    #[inline]
    pub fn of_submesh(sizes: Option<[u32; 3]>) -> Self {
        Self::exactly(sizes.map_or(u32::MAX, |sizes| sizes.iter().product()))
    }
}

/// A purpose of random numbers. The value is the number of its stream; streams are independent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub enum Draws {
    /// Gaps between arrivals of a workload model.
    Gaps = 0,
    /// Sizes and shapes of jobs of a workload model.
    Shapes = 1,
    /// Run times of jobs of a workload model.
    Services = 2,
    /// Redrawn arrivals of a log.
    Arrivals = 3,
    /// Shaken run times of a log.
    Shaking = 4,
    /// Failures and repairs of nodes.
    Failures = 0x6f75_7461_6765,
}

impl Draws {
    /// Nodes of the allocator `random`. It shares the stream of [`Self::Gaps`], because a stream of its own
    /// would change published results. The draws differ: an index here, an exponential variate there.
    pub const NODES: Self = Self::Gaps;

    /// Returns the generator for this purpose.
    pub fn of_seed(self, seed: u64) -> ChaCha8Rng {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        random.set_stream(self as u64);
        random
    }
}

/// The period of a log that results cover: from one time of the log to just before another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Period {
    /// The beginning. Jobs that ran then keep their nodes, and jobs that waited wait in their order.
    pub from: Time,
    /// The end.
    pub to: Time,
}

/// What a job did at the beginning of a period.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// It ran.
    Carried,
    /// It waited.
    Queued,
    /// It was not submitted yet.
    Submitted,
}

impl Origin {
    /// Returns the word in results.
    pub fn word(self) -> &'static str {
        match self {
            Self::Carried => "carried",
            Self::Queued => "queued",
            Self::Submitted => "submitted",
        }
    }
}

impl Period {
    /// Returns the period between these times in whole seconds; `None` if it would be empty.
    pub fn from_seconds(from_s: i64, to_s: i64) -> Option<Self> {
        let [from, to] = [from_s, to_s].map(Time::from_seconds);
        (from < to).then_some(Self { from, to })
    }

    /// Returns the period with its length multiplied by `factor`, in whole seconds, at least 1. Replays whose
    /// arrivals are scaled from the beginning on cover it.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "a cast of a number with a fraction clamps")]
    pub fn scaled(self, factor: f64) -> Self {
        let length_s = ((self.to - self.from).as_seconds() * factor).round().max(1.0);
        Self { to: self.from + Time::from_seconds(length_s as i64), ..self }
    }

    /// Returns whether the period contains `time`.
    pub fn contains(self, time: Time) -> bool {
        (self.from..self.to).contains(&time)
    }

    /// Returns how long the period and the time from `start` to `end` overlap.
    pub fn overlap(self, start: Time, end: Time) -> Time {
        (end.min(self.to) - start.max(self.from)).max(Time::ZERO)
    }

    /// Returns what a job did at the beginning.
    pub fn origin(self, job: &Job) -> Origin {
        if job.submit >= self.from {
            Origin::Submitted
        } else if job.recorded_start().is_some_and(|start| start < self.from) {
            Origin::Carried
        } else {
            Origin::Queued
        }
    }

    /// Returns whether the period has a job: it was submitted before the end and, by the log, had not ended
    /// at the beginning. A job with an unknown start has ended if it was submitted before.
    pub fn has(self, job: &Job) -> bool {
        let is_over =
            || job.recorded_start().is_none_or(|start| start < self.from && start + job.run <= self.from);
        job.submit < self.to && (job.submit >= self.from || !is_over())
    }
}

/// Writes `FROM..TO` in seconds of the log.
impl fmt::Display for Period {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..{}", self.from.as_seconds(), self.to.as_seconds())
    }
}

impl FromStr for Period {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let period = text
            .split_once("..")
            .and_then(|(from, to)| Self::from_seconds(from.parse().ok()?, to.parse().ok()?));
        period.ok_or_else(|| {
            format!("'{text}' is no period; expected FROM..TO in whole seconds, FROM below TO")
        })
    }
}

#[cfg(test)]
mod tests {
    use rand::Rng;

    use super::*;

    #[test]
    fn purposes_have_other_numbers() {
        let all =
            [Draws::Gaps, Draws::Shapes, Draws::Services, Draws::Arrivals, Draws::Shaking, Draws::Failures];
        let first = all.map(|draws| draws.of_seed(7).next_u64());
        for (i, number) in first.iter().enumerate() {
            assert!(!first[..i].contains(number), "{:?}", all[i]);
        }
        assert_eq!(Draws::NODES.of_seed(7).next_u64(), ChaCha8Rng::seed_from_u64(7).next_u64());
    }

    #[test]
    fn jobs_are_told_apart_by_the_beginning() {
        let period: Period = "100..200".parse().expect("a period");
        let job = |submit, wait: Option<i64>, run| {
            let logged = Logged { wait: wait.map(Time::from_seconds), ..Logged::default() };
            let [submit, run] = [submit, run].map(Time::from_seconds);
            let job = Job { submit, run, logged, ..Job::default() };
            (period.has(&job), period.origin(&job).word())
        };
        assert_eq!(job(10, Some(5), 100), (true, "carried"));
        assert_eq!(job(10, Some(5), 85), (false, "carried"));
        assert_eq!(job(10, Some(90), 1), (true, "queued"));
        assert_eq!(job(10, None, 500), (false, "queued"));
        assert_eq!(job(100, None, 500), (true, "submitted"));
        assert_eq!(job(200, Some(0), 5), (false, "submitted"));
        let at = Time::from_seconds;
        let overlap = |start, end| period.overlap(at(start), at(end));
        assert_eq!([overlap(50, 150), overlap(150, 250), overlap(0, 50)], [at(50), at(50), at(0)]);
        assert_eq!([0.5, 1.0, 2.5, 0.0].map(|factor| period.scaled(factor).to), [150, 200, 350, 101].map(at));
        assert_eq!(period.to_string(), "100..200");
        assert!("200..100".parse::<Period>().is_err() && "1".parse::<Period>().is_err());
    }
}
