//! Why jobs waited: a cause for each second of waiting, without a model. [`WaitCause`] has the definitions.
//!
//! Causes depend on a job's nodes and limit only, and on thresholds that all jobs share. Thresholds are kept
//! per interval, and a job sums its intervals when it starts. From time to time the intervals are folded into
//! the waiting jobs, for all of them at once (`Spans`). With Q waiting jobs and R running jobs, an event
//! takes O(√Q·log Q + R), and memory is O(Q + R).

mod accumulator;
mod cause;
#[cfg(test)]
mod replay_tests;
mod schedule;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod twin;
mod verdict;

pub use accumulator::Why;
pub use cause::{JobWhy, TotalWhy, WaitCause, WhyShares, shares_of};
pub use schedule::{Explained, JobRun, explain, peak_within};
pub use verdict::RecordedWaits;
