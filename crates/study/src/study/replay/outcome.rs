//! The results of one replication of a replay.

use std::sync::Arc;

use meshreplay_base::job::Job;
use meshreplay_logs::LogNames;
use meshreplay_sim::engine::Record;
use meshreplay_sim::execution::Traffic;
use meshreplay_sim::metrics::{BlockSums, Recording, ShapeCount, Summary};

/// The results of one replication of a replay.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The seed of the replication.
    pub seed: u64,
    /// The number of records of the log, or of jobs of the model, that were not replayed.
    pub skipped: u64,
    /// The number of jobs among them for which the allocator finds no nodes even on the idle machine.
    pub never_fit: u64,
    /// The largest number of processors in use at once according to the log; `None` unless the scheduler
    /// starts jobs as the log says.
    pub log_peak: Option<u64>,
    /// Notes on the nodes that jobs had according to the log. Empty unless the allocator places jobs by them.
    pub notes_on_nodes: Vec<String>,
    /// Whether the replay ran while its jobs were read. They have left it, and the outcome has no results of
    /// single jobs.
    pub is_streamed: bool,
    /// The jobs that were replayed. Empty unless [`Options::jobs`](crate::study::Options::jobs) is set.
    pub jobs: Arc<Vec<Job>>,
    /// The names behind the numbers of the jobs, and when their log begins.
    pub names: Arc<LogNames>,
    /// The record of every job (its start, its end and so on), in the order of `jobs`. Empty unless
    /// [`Options::jobs`](crate::study::Options::jobs) is set.
    pub records: Vec<Record>,
    /// The dispersal of placements and the cost of calls. The lists with an entry per job are empty unless
    /// [`Options::jobs`](crate::study::Options::jobs) is set.
    pub recording: Recording,
    /// The traffic of the network. `None` without a network. The list with an entry per job is empty unless
    /// [`Options::jobs`](crate::study::Options::jobs) is set.
    pub traffic: Option<Traffic>,
    /// Counts of the jobs by shape, those left out because they never fit included. Empty unless
    /// [`Options::jobs`](crate::study::Options::jobs) and
    /// [`Options::by_shape`](crate::study::Options::by_shape) are set.
    pub by_shape: Vec<ShapeCount>,
    /// All numbers of the replication in one row.
    pub summary: Summary,
    /// Sums over blocks of jobs, for paired comparisons with other replays of the same jobs.
    pub blocks: BlockSums,
}

impl Outcome {
    /// Removes the results of single jobs, so that only totals and the summary are left.
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
