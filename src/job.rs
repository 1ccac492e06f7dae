//! The words that every room shares: a point in time, a job.

use std::fmt;
use std::ops::{Add, Sub};

/// A point in simulated time, or a length of it, in whole microseconds.
///
/// Integer, so that times have a total order and sums are exact. The range is about ±292,000 years.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(i64);

impl Time {
    /// The origin of simulated time, and the length of nothing.
    pub const ZERO: Self = Self(0);
    /// Later than every event.
    pub const MAX: Self = Self(i64::MAX);
    const MICROSECONDS: i64 = 1_000_000;

    /// From whole seconds; lengths beyond the range are clamped to it.
    pub const fn from_seconds(seconds: i64) -> Self {
        Self(seconds.saturating_mul(Self::MICROSECONDS))
    }

    /// From microseconds.
    pub const fn from_micros(micros: i64) -> Self {
        Self(micros)
    }

    /// In microseconds.
    pub const fn as_micros(self) -> i64 {
        self.0
    }

    /// In seconds.
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

/// Position of a job in the list that is replayed; also its rank among jobs that arrive at the same instant.
pub type JobId = u32;

/// One job that can run: what a log's record or a workload model's draw has become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Job {
    /// The log's own number of the job (SWF field 1); only a label.
    pub number: i64,
    /// When the job arrives.
    pub submit: Time,
    /// How long it runs once started.
    pub run: Time,
    /// How long the scheduler believes that it will run.
    pub estimate: Time,
    /// Processors requested, at least 1.
    pub procs: u32,
    /// How they lie, for allocators that look for rectangles or cuboids.
    pub shape: Shape,
}

/// The rectangle or cuboid that a job asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Shape {
    /// Compact, with sides that differ at most twofold, and the fewest nodes to spare.
    #[default]
    NearSquare,
    /// Exactly as many nodes as processors where such a box fits the machine, with sides as even as they can be.
    Factors,
    /// One row along the machine's longest dimension.
    Row,
    /// As near-square, with every side rounded up to a power of two.
    PowersOfTwo,
    /// One of the boxes that an operator allows, its longest side along the machine's longest dimension. It has at
    /// least as many nodes as the job has processors, or else the job is larger than every box that is allowed.
    Slice([u32; 3]),
    /// These sides along x, y and z; the job's processors are their product.
    Sides([u32; 3]),
}

/// `near-square`, `factors`, `row`, `pow2`, `box 4x4x4`, or sides such as `3x2`.
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

/// How many nodes a job takes, which may be more than the processors that it asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodesFor {
    /// The fewest; while fewer are free, the job has to wait.
    pub least: u32,
    /// The most, which is `least` for all allocators but those whose pieces differ in size.
    pub most: u32,
}

impl NodesFor {
    /// Always so many.
    pub const fn exactly(nodes: u32) -> Self {
        Self { least: nodes, most: nodes }
    }

    /// Returns all nodes of a box; more than are ever free if there is none.
    pub fn of_box(sizes: Option<[u32; 3]>) -> Self {
        Self::exactly(sizes.map_or(u32::MAX, |sizes| sizes.iter().product()))
    }
}
