//! The content of study.json: the resolved study, as the directory of its results holds it.

use serde::{Deserialize, Serialize};

use super::log::LogStart;
use super::options::Options;
use super::planned::{PlannedReplay, Study, StudyLog};
use super::replay_spec::ReplaySpec;

/// A resolved study. Its text is the same wherever the study runs and into however many shards it is divided.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// The version of this program.
    pub version: String,
    /// The name of the study.
    pub name: String,
    /// The purpose of the study, if its file gives one.
    pub description: Option<String>,
    /// The options that all cells share, except those that only say which results are kept.
    #[serde(flatten)]
    pub options: Options,
    /// Whether the last run of the study was asked to keep the jobs of every cell. Results do not depend on
    /// it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub jobs: bool,
    /// The logs of the study.
    pub logs: Vec<ManifestLog>,
    /// The cells (replays) of the study, in order.
    pub cells: Vec<ManifestCell>,
}

/// A log of a resolved study.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ManifestLog {
    /// The name of the log in results.
    pub name: String,
    /// The text by which the study file names the log.
    pub file: String,
    /// The SHA-256 of the log's text, in hexadecimal.
    pub sha256: String,
    /// The number of records of the log. For a workload model, the number of jobs that it draws.
    pub records: u64,
    /// When the times of the log are 0; `None` if the log does not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub starts: Option<LogStart>,
}

/// A replay of a resolved study.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ManifestCell {
    /// The content key, which names the result.
    pub key: String,
    /// Whether the replay pools partitions, see [`PlannedReplay::pools_partitions`].
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pools_partitions: bool,
    /// The description of the replay.
    #[serde(flatten)]
    pub spec: ReplaySpec,
}

impl From<&PlannedReplay> for ManifestCell {
    fn from(planned: &PlannedReplay) -> Self {
        Self {
            key: planned.key.clone(),
            pools_partitions: planned.pools_partitions,
            spec: planned.spec.clone(),
        }
    }
}

impl From<&Study> for Manifest {
    fn from(study: &Study) -> Self {
        let log = |StudyLog { source, sha256, records, starts, .. }: &StudyLog| ManifestLog {
            name: source.name.clone(),
            file: source.file.clone(),
            sha256: sha256.clone(),
            records: *records,
            starts: starts.clone(),
        };
        Self {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            name: study.name.clone(),
            description: study.description.clone(),
            options: study.options.without_derived(),
            jobs: study.options.jobs,
            logs: study.logs.iter().map(log).collect(),
            cells: study.cells.iter().map(ManifestCell::from).collect(),
        }
    }
}
