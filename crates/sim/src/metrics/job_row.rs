//! A job that ran, as a row of saved results holds it.

/// A job of a replay that has ended. Whoever reads saved jobs reads them as these. Times are in seconds; a
/// number that was not read, or that the row lacks, is 0.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct JobRow {
    /// The number of the job in the log.
    pub number: i64,
    /// The arrival.
    pub submit_s: f64,
    /// The start.
    pub start_s: f64,
    /// The end.
    pub end_s: f64,
    /// The processors that it asked for.
    pub procs: u32,
    /// The nodes that it held.
    pub allocated: u32,
    /// The sum of the distances of all pairs of these nodes, in hops.
    pub pairwise_sum: u64,
}

impl JobRow {
    /// Returns the times of arrival, start and end.
    pub fn times_s(&self) -> [f64; 3] {
        [self.submit_s, self.start_s, self.end_s]
    }
}
