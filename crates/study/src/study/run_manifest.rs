//! The content of run.json: the resolved run of the command `replay`, in the directory of its results.

use std::collections::BTreeMap;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use super::key::{files, node_map_sha256, outages_sha256};
use super::log::LogStart;
use super::options::Options;
use super::planned::{PlannedReplay, Study, StudyLog};
use super::replay_spec::{Coordinate, LABELS};
use super::source::JobSource;
use meshreplay_sim::metrics::clock_ns;

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
