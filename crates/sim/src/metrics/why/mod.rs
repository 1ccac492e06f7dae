//! Why jobs waited: a cause for each second of waiting, without a model.
//!
//! At each instant, after its arrivals, starts and ends, every waiting job gets the first cause that holds,
//! and keeps it until the next instant with an event. For a job of n nodes and limit L at time t:
//!
//! 1. *Too large*: n exceeds the machine.
//! 2. *No room*: n exceeds the nodes that no job uses.
//! 3. *Outage*: n exceeds the free nodes because nodes are down, or t + L lies beyond the start of the next
//!    known outage of the whole machine. During a known outage no node is free.
//! 4. *Reserved*: the job would delay the oldest blocked job. This is the oldest waiting job that does not
//!    fit now, but will after ends of running jobs. Its *shadow time* is the first of these ends, by limits,
//!    with enough free nodes, and the *extra* nodes are free then beyond its need. The cause holds if t + L
//!    exceeds the shadow time and n exceeds the extra nodes. Nothing is reserved for a job that has to wait
//!    for the end of a known outage.
//! 5. *No place*: the allocator refused the job in the last pass.
//! 6. *Free to start*: otherwise. The job fitted, would have delayed no other, and was not started.
//!
//! A job without a limit never ends. Running jobs that have outlived their limits end now. EASY has
//! the same shadow time and extra nodes (D. Lifka, "The ANL/IBM SP scheduling system", JSSPP 1995), so under
//! EASY no job is ever free to start if the allocator refuses no job that fits by count.
//!
//! Causes depend on a job's nodes and limit only, and on thresholds that all jobs share. Thresholds are kept
//! per interval, and a job sums its intervals when it starts. From time to time the intervals are folded into
//! the waiting jobs, for all of them at once ([`spans`]). With Q waiting jobs and R running jobs, an event
//! takes O(√Q·log Q + R), and memory is O(Q + R).

mod accumulator;
mod bounds;
mod cause;
mod jobs;
mod observer;
mod schedule;
mod spans;
#[cfg(test)]
mod tests;
mod verdict;

pub use accumulator::Why;
pub use bounds::peak_within;
pub use cause::{JobWhy, TotalWhy, WaitCause};
pub use observer::WhyObserver;
pub use schedule::{Explained, Run, explain};
pub use verdict::RecordedWaits;
