//! The content of study.json: the resolved study, in the directory of its results.

use serde::{Deserialize, Serialize};

use super::log::LogStart;
use super::options::Options;
use super::planned::{PlannedReplay, Study, StudyLog};
use super::replay_spec::ReplaySpec;

/// A resolved study. Its text does not depend on the machine or the number of shards.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// The version of this program.
    pub version: String,
    /// The name of the study.
    pub name: String,
    /// Purpose of the study, if its file gives one.
    pub description: Option<String>,
    /// Shared options, except selections of kept results.
    #[serde(flatten)]
    pub options: Options,
    /// Whether the last run kept the jobs of every cell. Results do not depend on it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub jobs: bool,
    /// The logs of the study.
    pub logs: Vec<ManifestLog>,
    /// The cells (replays), in order.
    pub cells: Vec<ManifestCell>,
}

/// A log of a resolved study.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ManifestLog {
    /// Name in results.
    pub name: String,
    /// The log as the study file spells it.
    pub file: String,
    /// The SHA-256 of the log's text, in hexadecimal.
    pub sha256: String,
    /// Records of the log, or jobs that a workload model draws.
    pub records: u64,
    /// Date at time 0 of the log; `None` if it is unknown.
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
    /// The reason why waits are not compared with recorded ones, see [`PlannedReplay::doubt`].
    #[serde(default, skip_serializing_if = "Option::is_none", rename = "waits_not_compared")]
    pub doubt: Option<String>,
    /// The description of the replay.
    #[serde(flatten)]
    pub spec: ReplaySpec,
}

impl From<&PlannedReplay> for ManifestCell {
    fn from(planned: &PlannedReplay) -> Self {
        Self {
            key: planned.key.clone(),
            pools_partitions: planned.pools_partitions,
            doubt: planned.doubt.clone(),
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
            options: study.options.without_kept(),
            jobs: study.options.jobs,
            logs: study.logs.iter().map(log).collect(),
            cells: study.cells.iter().map(ManifestCell::from).collect(),
        }
    }
}
