//! The results of one replication of a replay.

use std::sync::Arc;

use super::Refused;
use meshreplay_base::job::Period;
use meshreplay_logs::LogNames;
use meshreplay_sim::execution::Traffic;
use meshreplay_sim::metrics::{FinishedJob, Number, PartSums, Recording, ShapeCount, Summary};

/// The results of one replication of a replay.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The seed of the replication.
    pub seed: u64,
    /// Records of the log, or jobs of the model, that were not replayed.
    pub skipped: u64,
    /// Skipped jobs that the allocator cannot place even on the idle machine.
    pub never_fit: u64,
    /// Most processors in use at once according to the log; `None` unless the scheduler follows recorded
    /// starts.
    pub log_peak: Option<u64>,
    /// The period that the numbers cover; `None` for the whole log.
    pub period: Option<Period>,
    /// Jobs that ran at the beginning of the period and found no place then.
    pub refused: Refused,
    /// Notes on recorded nodes. Empty unless the allocator follows them.
    pub notes_on_nodes: Vec<String>,
    /// Replayed jobs with their records and measurements, in the order of the log. Empty unless
    /// [`Options::jobs`](crate::study::Options::jobs) is set, and if they were written while the replay ran.
    pub jobs: Vec<FinishedJob>,
    /// Names behind the numbers of the jobs, and the start of their log.
    pub names: Arc<LogNames>,
    /// What is measured besides single jobs. Courses of time are empty unless
    /// [`Options::jobs`](crate::study::Options::jobs) is set.
    pub recording: Recording,
    /// Network traffic; `None` without a network.
    pub traffic: Option<Traffic>,
    /// Counts of jobs by shape, including jobs that never fit. Empty unless
    /// [`Options::jobs`](crate::study::Options::jobs) and
    /// [`Options::by_shape`](crate::study::Options::by_shape) are set.
    pub by_shape: Vec<ShapeCount>,
    /// All numbers of the replication, as one row.
    pub summary: Summary,
    /// Sums over parts of the log, for paired comparisons with other replays of the same jobs.
    pub parts: PartSums,
}

impl Outcome {
    /// Returns whether [`Self::jobs`] has the replayed jobs.
    pub fn has_jobs(&self) -> bool {
        self.summary.number("jobs") == Some(Number::Count(self.jobs.len() as u64))
    }

    /// Removes the jobs and the courses of time, the largest part of an outcome.
    pub fn strip(&mut self) {
        (self.jobs, self.by_shape) = (Vec::new(), Vec::new());
        if let Some(fragmentation) = &mut self.recording.fragmentation {
            fragmentation.course = Vec::new();
        }
        if let Some(outages) = &mut self.recording.outages {
            (outages.downtimes, outages.lost_runs) = (Vec::new(), Vec::new());
        }
    }
}
