//! study.json: the resolved study, as its directory holds it.

use serde::{Deserialize, Serialize};

use super::options::Options;
use super::planned::{PlannedReplay, Study, StudyLog};
use super::replay_spec::ReplaySpec;

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
    pub options: Options,
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

/// A replay of a resolved study.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ManifestCell {
    /// Name of its result.
    pub key: String,
    /// What is replayed.
    #[serde(flatten)]
    pub spec: ReplaySpec,
}

impl From<&PlannedReplay> for ManifestCell {
    fn from(planned: &PlannedReplay) -> Self {
        Self { key: planned.key.clone(), spec: planned.spec.clone() }
    }
}

impl From<&Study> for Manifest {
    fn from(study: &Study) -> Self {
        let log = |StudyLog { source, sha256, records, .. }: &StudyLog| ManifestLog {
            name: source.name.clone(),
            file: source.file.clone(),
            sha256: sha256.clone(),
            records: *records,
        };
        Self {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            name: study.name.clone(),
            description: study.description.clone(),
            options: Options { jobs: false, traffic: false, ..study.options.clone() },
            jobs: study.options.jobs,
            logs: study.logs.iter().map(log).collect(),
            cells: study.cells.iter().map(ManifestCell::from).collect(),
        }
    }
}
