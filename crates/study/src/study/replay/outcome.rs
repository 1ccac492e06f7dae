//! The results of one replication of a replay.

use std::sync::Arc;

use super::Refused;
use meshreplay_base::job::{Job, Period};
use meshreplay_logs::LogNames;
use meshreplay_sim::engine::Record;
use meshreplay_sim::execution::Traffic;
use meshreplay_sim::metrics::{PartSums, Recording, ShapeCount, Summary};

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
    /// Whether the log was streamed. The outcome then has no results of single jobs.
    pub is_streamed: bool,
    /// Replayed jobs. Empty unless [`Options::jobs`](crate::study::Options::jobs) is set.
    pub jobs: Arc<Vec<Job>>,
    /// Names behind the numbers of the jobs, and the start of their log.
    pub names: Arc<LogNames>,
    /// Record of every job (its start, its end and so on), in the order of `jobs`. Empty unless
    /// [`Options::jobs`](crate::study::Options::jobs) is set.
    pub records: Vec<Record>,
    /// Dispersal of placements and cost of calls. Lists with an entry per job are empty unless
    /// [`Options::jobs`](crate::study::Options::jobs) is set.
    pub recording: Recording,
    /// Network traffic; `None` without a network. The list with an entry per job is empty unless
    /// [`Options::jobs`](crate::study::Options::jobs) is set.
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
    /// Removes the results of single jobs.
    pub fn strip(&mut self) {
        self.jobs = Arc::default();
        self.records = Vec::new();
        self.recording.dispersal = Vec::new();
        self.recording.allocate_ns = Vec::new();
        self.recording.placements = Vec::new();
        self.recording.boxes = Vec::new();
        self.recording.refusals = Vec::new();
        if let Some(replaced) = &mut self.recording.replaced {
            *replaced = Vec::new();
        }
        self.by_shape = Vec::new();
        if let Some(fragmentation) = &mut self.recording.fragmentation {
            fragmentation.course = Vec::new();
        }
        if let Some(contention) = &mut self.recording.contention {
            contention.jobs = Vec::new();
        }
        if let Some(traffic) = &mut self.traffic {
            traffic.jobs = Vec::new();
        }
        if let Some(outages) = &mut self.recording.outages {
            (outages.downtimes, outages.lost_runs) = (Vec::new(), Vec::new());
        }
    }
}
