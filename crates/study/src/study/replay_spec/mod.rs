//! The description of one replay, and the table of its coordinates.
//!
//! All names of a replay derive from [`COORDINATES`]: content keys, the replays in run.json and study.json,
//! the identifying columns with their descriptions, and the command that repeats a replay. A new coordinate
//! needs a field of [`ReplaySpec`], a row of the table and the code that uses it.

mod coordinate;

pub(super) use coordinate::plain_text;
pub use coordinate::{Argument, Axis, COORDINATES, Coordinate};

use std::sync::Arc;

use serde::de::Error;
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

use meshreplay_alloc::allocator;
use meshreplay_base::job::{Period, Time};
use meshreplay_base::spec::Spec;
use meshreplay_logs::Partitions;
use meshreplay_machine::machine::Mesh;
use meshreplay_machine::machine::mesh::MeshError;
use meshreplay_sim::execution::RECORDED;
use meshreplay_sim::scheduler;
use meshreplay_workload::Rules;

/// The description of one replay, with every default written out. The result depends on this description, on
/// [`super::Options`] and on the content of the files that the allocator reads. Labels do not count, not even
/// in comparisons.
///
/// Texts and specs are shared, because a study may have a million replays that differ in little but the seed.
#[derive(Clone, Debug)]
pub struct ReplaySpec {
    /// The name of the log.
    pub log: Arc<str>,
    /// SHA-256 of the log's text, in hexadecimal. Empty if unknown, as in study.json.
    pub log_sha256: Arc<str>,
    /// Replayed partitions of the log; `None` for all jobs.
    pub partition: Option<Partitions>,
    /// The covered period of the log; `None` for all of it.
    pub period: Option<Period>,
    /// Workload rules, which turn records of the log into jobs.
    pub rules: Arc<Rules>,
    /// Factor on arrival times.
    pub arrival_scale: f64,
    /// The machine.
    pub machine: Arc<Mesh>,
    /// The scheduler.
    pub scheduler: Arc<Spec>,
    /// The allocator.
    pub allocator: Arc<Spec>,
    /// Execution model, which determines run times.
    pub network: Arc<Spec>,
    /// Seed of all random numbers in the first replication. Each further replication has the next seed.
    pub seed: u64,
    /// Names of the algorithms in results.
    pub labels: Arc<Labels>,
    /// Outages that the log shows, if they are replayed; in comparisons they do not count, as they follow
    /// from the log, its rules and the options.
    pub planned: Arc<[[Time; 2]]>,
}

impl PartialEq for ReplaySpec {
    fn eq(&self, other: &Self) -> bool {
        // All fields are listed, so that a new one is not forgotten here.
        let Self {
            log,
            log_sha256,
            partition,
            period,
            rules,
            arrival_scale,
            machine,
            scheduler,
            allocator,
            network,
            seed,
            labels: _,
            planned: _,
        } = self;
        // Allocators come first, because they differ most often within a study.
        *allocator == other.allocator
            && *scheduler == other.scheduler
            && *network == other.network
            && *log == other.log
            && *log_sha256 == other.log_sha256
            && *partition == other.partition
            && *period == other.period
            && *rules == other.rules
            && arrival_scale.to_bits() == other.arrival_scale.to_bits()
            && *machine == other.machine
            && *seed == other.seed
    }
}

impl ReplaySpec {
    /// Returns the period in the time of the replay: its end moves as arrivals do. `None` for the whole log.
    pub fn covered(&self) -> Option<Period> {
        self.period.map(|period| period.scaled(self.arrival_scale))
    }

    /// A replay with the defaults: an unnamed log, the default rules, recorded arrival times, run times from
    /// the log, and seed 1. Its labels are short forms.
    pub fn new(machine: Mesh, scheduler: Spec, allocator: Spec) -> Self {
        let network = Spec::named(RECORDED);
        let labels = Labels::short(&scheduler, &allocator, &network);
        Self {
            labels: Arc::new(labels),
            planned: Arc::default(),
            log: Arc::default(),
            log_sha256: Arc::default(),
            partition: None,
            period: None,
            rules: Arc::default(),
            arrival_scale: 1.0,
            machine: Arc::new(machine),
            scheduler: Arc::new(scheduler),
            allocator: Arc::new(allocator),
            network: Arc::new(network),
            seed: 1,
        }
    }

    /// A replay with the defaults, without names of algorithms, on one node.
    pub(in crate::study) fn blank() -> Result<Self, MeshError> {
        Ok(Self::new(Mesh::new(&[1])?, Spec::named(""), Spec::named("")))
    }

    /// Returns the allocator as typed, or its short form if that is unknown.
    pub(in crate::study) fn allocator_label(&self) -> String {
        match self.labels.allocator.as_str() {
            "" => allocator::short(&self.allocator),
            label => label.to_owned(),
        }
    }

    /// Returns the replay in words, such as `KTH × 1 on 10x10 under fcfs with naive, seed 1`.
    pub fn label(&self) -> String {
        let Self { log, arrival_scale, machine, network, seed, labels, partition, .. } = self;
        let place = partition.as_ref().map(|partition| format!(" partition {partition}")).unwrap_or_default();
        let network =
            if network.name == RECORDED { String::new() } else { format!(" over {}", labels.network) };
        let Labels { scheduler, allocator, .. } = &**labels;
        format!(
            "{log}{place} × {arrival_scale} on {machine} under {scheduler} with {allocator}{network}, seed \
                 {seed}"
        )
    }

    /// Returns the values of all coordinates as texts, in the order of [`COORDINATES`]. Replays are equal
    /// exactly if these are.
    pub fn identity(&self) -> Vec<String> {
        COORDINATES.iter().map(|coordinate| coordinate.text(self)).collect()
    }

    /// Returns the values of all coordinates except `names`. They are equal exactly for replays that differ
    /// in nothing else.
    pub fn identity_without(&self, names: &[&str]) -> Vec<String> {
        let others = COORDINATES.iter().filter(|coordinate| !names.contains(&coordinate.name));
        others.map(|coordinate| coordinate.text(self)).collect()
    }

    /// Returns the options of `meshreplay replay` that repeat this replay. The log is not an option.
    pub fn arguments(&self) -> Vec<Argument> {
        Coordinate::by_place().into_iter().flat_map(|row| row.arguments(self)).collect()
    }

    /// Returns the words of [`Self::arguments`].
    pub fn argument_words(&self) -> Vec<String> {
        self.arguments().into_iter().flat_map(|Argument { option, value, .. }| [option, value]).collect()
    }
}

/// Writes an object with an entry for each listed coordinate that is present, and one with the labels unless
/// they are empty.
impl Serialize for ReplaySpec {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        let given = Coordinate::listed().filter(|coordinate| coordinate.is_given(self));
        for (name, value) in given.map(|coordinate| coordinate.json(self)) {
            map.serialize_entry(name, &value)?;
        }
        if !self.labels.is_empty() {
            map.serialize_entry(LABELS, self.labels.as_ref())?;
        }
        map.end()
    }
}

/// Reads an object, and ignores other entries. Coordinates with a default may be missing, and labels, which
/// become short forms.
impl<'de> Deserialize<'de> for ReplaySpec {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let entries = Map::deserialize(deserializer)?;
        let mut spec = Self::blank().map_err(D::Error::custom)?;
        for coordinate in Coordinate::listed() {
            let Coordinate { name, set, .. } = coordinate;
            match entries.get(*name) {
                Some(value) if set(&mut spec, &plain_text(value)) => {}
                Some(value) => return Err(D::Error::custom(format!("{name} cannot be {value}"))),
                None if coordinate.default().is_some() => {}
                None => return Err(D::Error::missing_field(name)),
            }
        }
        spec.labels = Arc::new(match entries.get(LABELS) {
            Some(labels) => Labels::deserialize(labels).map_err(D::Error::custom)?,
            None => Labels::short(&spec.scheduler, &spec.allocator, &spec.network),
        });
        Ok(spec)
    }
}

// The labels of a replay: the names of its algorithms as the user gave them, such as `mc1x1`.
//
// Labels are for people and do not affect a replay. Keys of results and commands that repeat a replay use
// resolved specs, so two labels with the same resolved spec are the same replay.

/// The name of the entry of labels in JSON.
pub(super) const LABELS: &str = "labels";

/// The labels of the algorithms. An empty label is unknown.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Labels {
    /// The label of the scheduler.
    pub scheduler: String,
    /// The label of the allocator.
    pub allocator: String,
    /// The label of the execution model.
    pub network: String,
}

impl Labels {
    /// Default labels: short forms, such as `hilbert+bf`.
    pub fn short(scheduler: &Spec, allocator: &Spec, network: &Spec) -> Self {
        Self {
            scheduler: scheduler::short(scheduler).to_string(),
            allocator: allocator::short(allocator),
            network: network.to_string(),
        }
    }

    /// Returns the labels that `label` gives for the names of the coordinates.
    pub fn of_names(label: impl Fn(&str) -> String) -> Self {
        Self { scheduler: label("scheduler"), allocator: label("allocator"), network: label("network") }
    }

    /// Returns the labels in the JSON of a replay; `None` if it has none.
    pub fn of_json(replay: &Value) -> Option<Self> {
        Self::deserialize(replay.get(LABELS)?).ok()
    }

    /// Returns whether no label is known.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// The columns and the short form of an algorithm, for tables and frames: a part of a row of
/// [`COORDINATES`].
#[derive(Debug)]
pub struct Labelled {
    /// Name of the column of resolved specs. The column named like the coordinate holds labels.
    pub spec_column: &'static str,
    /// Meaning of that column.
    pub spec_meaning: &'static str,
    /// Returns the label of the coordinate.
    pub of: fn(&Labels) -> &str,
    /// Returns the short form of a resolved spec, and any other text unchanged.
    pub short: fn(&str) -> String,
}

/// Returns the short form of a resolved scheduler, and any other text unchanged.
fn short_scheduler(text: &str) -> String {
    match text.parse::<Spec>() {
        Ok(spec) if scheduler::build(&spec).is_ok() => scheduler::short(&spec).to_string(),
        _ => text.to_owned(),
    }
}
