//! What a study's directory says of itself: the resolved study, as JSON.

use serde::{Deserialize, Serialize};

use super::cell::Plan;
use super::planned::{Study, StudyCell, StudyLog};
use crate::execution::RECORDED;

/// A resolved study: the same text wherever and in however many parts it runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// Version of this program.
    pub version: String,
    /// Name of the study.
    pub name: String,
    /// What it is for.
    pub description: Option<String>,
    /// What all its cells share, without what only says which results are kept.
    #[serde(flatten)]
    pub plan: Plan,
    /// Whether the jobs of its cells were to be kept by whoever started it last; results do not depend on it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub jobs: bool,
    /// Its logs.
    pub logs: Vec<ManifestLog>,
    /// Its cells in their order.
    pub cells: Vec<ManifestCell>,
}

/// A log of a resolved study.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ManifestLog {
    /// Its name in results.
    pub name: String,
    /// As the study file names it.
    pub file: String,
    /// SHA-256 of its text.
    pub sha256: String,
    /// Number of its records.
    pub records: u64,
}

/// A cell of a resolved study.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ManifestCell {
    /// Name of its result.
    pub key: String,
    /// Name of the log.
    pub log: String,
    /// How records become jobs.
    pub rules: String,
    /// What arrival times are multiplied by.
    pub arrival_scale: f64,
    /// The machine.
    pub machine: String,
    /// The scheduler, with every default written out.
    pub scheduler: String,
    /// The allocator, with every default written out.
    pub allocator: String,
    /// How long jobs run, with every default written out.
    #[serde(default = "recorded")]
    pub network: String,
    /// Seed of everything random.
    pub seed: u64,
}

/// What directories of versions without networks mean.
fn recorded() -> String {
    RECORDED.to_owned()
}

impl ManifestCell {
    /// What results say of a cell of `study`.
    pub fn of(study: &Study, cell: &StudyCell) -> Self {
        let point = &cell.point;
        Self {
            key: cell.key.clone(),
            log: study.logs[point.log].name.clone(),
            rules: point.rules.to_string(),
            arrival_scale: point.arrival_scale,
            machine: point.machine.to_string(),
            scheduler: point.scheduler.to_string(),
            allocator: point.allocator.to_string(),
            network: point.network.to_string(),
            seed: point.seed,
        }
    }

    /// The cell in words.
    pub fn label(&self) -> String {
        let Self { log, arrival_scale, machine, scheduler, allocator, network, seed, .. } = self;
        let network = if network == RECORDED { String::new() } else { format!(" over {network}") };
        format!(
            "{log} × {arrival_scale} on {machine} under {scheduler} with {allocator}{network}, seed {seed}"
        )
    }
}

impl From<&Study> for Manifest {
    fn from(study: &Study) -> Self {
        let log = |log: &StudyLog| ManifestLog {
            name: log.name.clone(),
            file: log.file.clone(),
            sha256: log.sha256.clone(),
            records: log.records,
        };
        Self {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            name: study.name.clone(),
            description: study.description.clone(),
            plan: Plan { jobs: false, traffic: false, ..study.plan.clone() },
            jobs: study.plan.jobs,
            logs: study.logs.iter().map(log).collect(),
            cells: study.cells.iter().map(|cell| ManifestCell::of(study, cell)).collect(),
        }
    }
}
