//! A finished job as a row of saved results.

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
}

impl JobRow {
    /// Returns arrival, start and end.
    pub fn times_s(&self) -> [f64; 3] {
        [self.submit_s, self.start_s, self.end_s]
    }
}
