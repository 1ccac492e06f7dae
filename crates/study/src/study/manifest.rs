//! The contents of study.json and of run.json, in directories of results: the resolved study, and the
//! resolved run of the command `replay`.

use std::collections::BTreeMap;

use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize, Serializer};

use super::key::{files, node_map_sha256, outages_sha256};
use super::log::LogStart;
use super::options::Options;
use super::planned::{PlannedReplay, Study, StudyLog};
use super::replay_spec::{Coordinate, LABELS, ReplaySpec};
use super::source::JobSource;
use meshreplay_sim::metrics::clock_ns;

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

/// A resolved run: everything that its results depend on.
#[derive(Debug, Serialize)]
pub struct RunManifest<'a> {
    version: &'static str,
    logs: Vec<RunLog<'a>>,
    /// Workload rules, the same for all replays.
    rules: String,
    #[serde(flatten)]
    options: &'a Options,
    /// SHA-256 of the outage file; `None` without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    outages_sha256: Option<String>,
    /// SHA-256 of the file that maps names to nodes; `None` without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    node_map_sha256: Option<String>,
    /// Overhead of reading the clock in each measured duration, in nanoseconds; `None` if calls are not
    /// timed. Neither keys nor the id of the run depend on this measurement.
    #[serde(skip_serializing_if = "Option::is_none")]
    clock_ns: Option<u64>,
    replays: Vec<RunReplay<'a>>,
}

#[derive(Debug, Serialize)]
struct RunLog<'a> {
    name: &'a str,
    sha256: &'a str,
    records: u64,
    /// Records that the rules leave out on any machine, by reason.
    left_out: BTreeMap<&'static str, u64>,
    /// Date at time 0 of the log; `None` if it is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    starts: &'a Option<LogStart>,
}

/// A replay of the run. Written with its coordinates except the rules, the SHA-256 of its files, and the
/// number of skipped records, or null if that is unknown before the replay.
#[derive(Debug)]
struct RunReplay<'a>(&'a PlannedReplay);

impl<'a> From<&'a Study> for RunManifest<'a> {
    fn from(study: &'a Study) -> Self {
        Self {
            version: env!("CARGO_PKG_VERSION"),
            logs: study.logs.iter().map(RunLog::from).collect(),
            rules: study.cells.first().map(|cell| cell.spec.rules.to_string()).unwrap_or_default(),
            options: &study.options,
            outages_sha256: outages_sha256(&study.options),
            node_map_sha256: node_map_sha256(&study.options),
            clock_ns: study.options.timed.then(clock_ns),
            replays: study.cells.iter().map(RunReplay).collect(),
        }
    }
}

impl<'a> From<&'a StudyLog> for RunLog<'a> {
    fn from(StudyLog { source, sha256, records, starts, loaded, .. }: &'a StudyLog) -> Self {
        let left_out = loaded.iter().flat_map(|log| log.workload.left_out.iter());
        let left_out = left_out.map(|(reason, count)| (reason.words(), count)).collect();
        Self { name: &source.name, sha256, records: *records, left_out, starts }
    }
}

impl Serialize for RunReplay<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let PlannedReplay { spec, source, pools_partitions, doubt, .. } = self.0;
        let mut map = serializer.serialize_map(None)?;
        for coordinate in Coordinate::listed().filter(|row| row.name != "rules" && row.is_given(spec)) {
            let (name, value) = coordinate.json(spec);
            map.serialize_entry(name, &value)?;
            if name == "allocator" {
                let files = files(spec);
                if !files.is_empty() {
                    map.serialize_entry("files", &files)?;
                }
            }
        }
        map.serialize_entry(LABELS, spec.labels.as_ref())?;
        if *pools_partitions {
            map.serialize_entry("pools_partitions", pools_partitions)?;
        }
        if let Some(doubt) = doubt {
            map.serialize_entry("waits_not_compared", doubt)?;
        }
        map.serialize_entry("skipped", &source.as_ref().and_then(JobSource::skipped))?;
        map.end()
    }
}
