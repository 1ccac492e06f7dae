//! The types that all parts share: points in time, jobs, and the random numbers of a seed.

mod draws;

pub use draws::Draws;

use std::fmt;
use std::ops::{Add, Sub};

/// A point in simulated time, or a length of time, in whole microseconds.
///
/// It is an integer, so that times have a total order and sums are exact. The range is about ±292,000 years.
/// Sums and differences beyond the range are clamped to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(i64);

impl Time {
    /// The origin of simulated time; as a length, 0.
    pub const ZERO: Self = Self(0);
    /// The end of the range, later than every event. As a bound it means that there is none.
    pub const MAX: Self = Self(i64::MAX);
    /// The number of microseconds in a second.
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

/// The position of a job in the list that is replayed. It decides the order of jobs that arrive at the same
/// instant.
pub type JobId = u32;

/// A job that can be replayed. It comes from a record of a log or from a workload model.
///
/// The default is a job of no processors that nothing is known of. Its fields complete jobs of which only
/// some are given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Job {
    /// The log's own number of the job (field 1 in the Standard Workload Format). It is only a label.
    pub number: i64,
    /// The time at which the job arrives.
    pub submit: Time,
    /// The time that it runs once started, from the log or the workload model.
    pub run: Time,
    /// The run time that is expected of it. Schedulers plan with it unless run times are predicted.
    pub estimate: Time,
    /// The number of processors requested, at least 1.
    pub procs: u32,
    /// The shape that it asks for, used by allocators that look for submeshes.
    pub shape: Shape,
    /// What the log says about it beside its request.
    pub logged: Logged,
}

/// The facts that a log records about a job beside its request: who submitted it, where to, and what really
/// happened. Everything is unknown for jobs of a workload model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Logged {
    /// The time from its submission to its start; `None` if it is unknown.
    pub wait: Option<Time>,
    /// The number of its user.
    pub user: LogNumber,
    /// The time of its submission, not scaled and not drawn.
    pub submit: Time,
    /// The number of the group or account of its user.
    pub group: LogNumber,
    /// The number of its queue.
    pub queue: LogNumber,
    /// The number of its partition.
    pub partition: LogNumber,
    /// How it ended: 1 is completed, 0 failed and 5 cancelled.
    pub status: LogNumber,
    /// The number of the list of its nodes among those of the log; `None` if the log has no list for it.
    pub nodes: Option<u32>,
}

/// A number by which a log names something, such as a queue, or the knowledge that the log does not tell it.
/// It takes half the room of an `Option<i64>`, as logs have millions of jobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogNumber(i64);

/// The default is an unknown number.
impl Default for LogNumber {
    fn default() -> Self {
        Self(-1)
    }
}

impl LogNumber {
    /// Returns the number in a field of a log, where negative numbers stand for what is unknown.
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
    /// Returns the time at which the job started according to its log: its wait after its submission. `None`
    /// if the wait is unknown.
    #[inline]
    pub fn recorded_start(&self) -> Option<Time> {
        self.logged.wait.map(|wait| self.submit + wait)
    }
}

/// The rule for the sides of the submesh that a job asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Shape {
    /// The submesh with the fewest nodes among those with sides that differ at most twofold. It has at least
    /// as many nodes as processors.
    #[default]
    NearSquare,
    /// A submesh of exactly as many nodes as processors, with sides as equal as possible, where such a
    /// submesh fits the machine.
    Factors,
    /// One row along the machine's longest dimension.
    Row,
    /// As [`Shape::NearSquare`], with every side rounded up to a power of two.
    PowersOfTwo,
    /// One of the submeshes that an operator allows, with its longest side along the machine's longest
    /// dimension. It has at least as many nodes as the job has processors. Only a job that is larger than
    /// every allowed submesh has fewer.
    Slice([u32; 3]),
    /// A submesh with these sides along x, y and z. Their product is the number of the job's processors.
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

/// The number of nodes that a job takes. It can be larger than the number of processors that the job asks
/// for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodesFor {
    /// The fewest nodes that the job takes. While fewer are free, the job has to wait.
    pub least: u32,
    /// The most nodes that the job takes. It differs from `least` only for allocators whose blocks differ in
    /// size.
    pub most: u32,
}

impl NodesFor {
    /// Returns the count of a job that always takes `nodes` nodes.
    #[inline]
    pub const fn exactly(nodes: u32) -> Self {
        Self { least: nodes, most: nodes }
    }

    /// Returns the count of a job that takes all nodes of a submesh with sides `sizes`. For `None`, which
    /// stands for no such submesh, it returns more nodes than are ever free.
    #[inline]
    pub fn of_submesh(sizes: Option<[u32; 3]>) -> Self {
        Self::exactly(sizes.map_or(u32::MAX, |sizes| sizes.iter().product()))
    }
}
