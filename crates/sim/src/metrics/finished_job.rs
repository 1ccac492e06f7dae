//! A finished job, the row that travels from the engine to sums, frames and files.
//!
//! A further measurement of every job is a field of [`Measures`], one that is taken on request a field of
//! [`More`]. The [`Recorder`](super::Recorder) fills it in, and a column of the `jobs` frame shows it.

use std::sync::Arc;

use super::contention::JobContention;
use super::dispersal::{Dispersal, Meter};
use super::why::JobWhy;
use crate::engine::Record;
use crate::execution::JobTraffic;
use meshreplay_base::job::Job;
use meshreplay_machine::machine::Held;

/// A job that has ended, with its measurements.
#[derive(Clone, Debug, Default)]
pub struct FinishedJob {
    /// The job.
    pub job: Job,
    /// Its start, its end and so on.
    pub record: Record,
    /// Its measurements.
    pub measures: Measures,
}

/// The measurements of a job.
#[derive(Clone, Debug, Default)]
pub struct Measures {
    /// The dispersal of its placement.
    pub dispersal: Dispersal,
    /// The nanoseconds of the call that placed it, or 0 if calls are not timed.
    pub allocate_ns: u64,
    /// The nodes until [`Self::measure`] computes their dispersal. They stay here until the replay's thread
    /// gets the batch back: freeing memory on another thread than the allocating one makes that thread wait.
    pub(super) held: Option<Arc<Held>>,
    /// Measurements on request, `None` without any.
    pub(super) more: Option<Box<More>>,
}

/// The measurements that are taken on request.
#[derive(Clone, Debug)]
pub struct More {
    /// Its last nodes as intervals, such as `0-3 7`. Empty unless placements are kept.
    pub nodes: String,
    /// The sides of the box that these nodes form, if any. `None` unless placements are kept.
    pub sides: Option<[u32; 3]>,
    /// Allocator calls that refused it. 0 unless refusals are counted.
    pub refusals: u64,
    /// The number of its nodes that are not in its list of the log. `None` without a list, or if jobs are not
    /// placed by lists.
    pub replaced: Option<u32>,
    /// Its contention at the start of its last run, if estimated.
    pub contention: Option<JobContention>,
    /// Its waiting time by cause, if found.
    pub why: Option<JobWhy>,
    /// Its packets, `None` without a network.
    pub traffic: Option<JobTraffic>,
}

impl More {
    /// No measurements.
    const NONE: Self = Self {
        nodes: String::new(),
        sides: None,
        refusals: 0,
        replaced: None,
        contention: None,
        why: None,
        traffic: None,
    };
}

impl Measures {
    /// Returns the measurements on request.
    pub fn more(&self) -> &More {
        static NONE: More = More::NONE;
        self.more.as_deref().unwrap_or(&NONE)
    }

    /// Returns the measurements on request, to add one.
    pub(super) fn more_mut(&mut self) -> &mut More {
        self.more.get_or_insert_with(|| Box::new(More::NONE))
    }

    /// Measures the dispersal of the nodes, unless that is done.
    pub fn measure(&mut self, meter: &mut Meter) {
        if let Some(held) = &self.held {
            self.dispersal = meter.measure_held(held);
        }
    }
}

impl FinishedJob {
    /// Returns the job without the nodes that [`Measures::measure`] needs.
    #[must_use]
    pub fn without_held(mut self) -> Self {
        self.measures.held = None;
        self
    }

    /// Returns the wait: arrival to start, in seconds.
    pub fn wait_s(&self) -> f64 {
        (self.record.start - self.job.submit).as_seconds()
    }

    /// Returns the delay after the recorded start in seconds, at least 0. `None` if the recorded start is
    /// unknown.
    pub fn start_delay_s(&self) -> Option<f64> {
        Some((self.record.start - self.job.recorded_start()?).as_seconds().max(0.0))
    }

    /// Returns the time from arrival to the head of the queue, in seconds.
    pub fn queue_delay_s(&self) -> f64 {
        (self.record.head - self.job.submit).as_seconds()
    }

    /// Returns the time from the head of the queue to the start, in seconds.
    pub fn allocation_delay_s(&self) -> f64 {
        (self.record.start - self.record.head).as_seconds()
    }

    /// Returns the time from start to end, in seconds.
    pub fn service_s(&self) -> f64 {
        (self.record.end - self.record.start).as_seconds()
    }

    /// Returns the time from arrival to end, in seconds.
    pub fn turnaround_s(&self) -> f64 {
        (self.record.end - self.job.submit).as_seconds()
    }

    /// Returns the contention at the start, or zeros if not estimated.
    pub fn contention(&self) -> JobContention {
        self.measures.more().contention.unwrap_or_default()
    }

    /// Returns the run time without suspensions, in seconds.
    pub fn ran_s(&self) -> f64 {
        (self.record.end - self.record.start - self.record.suspended).as_seconds()
    }
}
