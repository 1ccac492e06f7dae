//! The description of one replay, and the table of its coordinates.
//!
//! Everything that names a replay is derived from [`COORDINATES`]: content keys, the replays that run.json and
//! study.json list, the columns that tell results apart, and the command that repeats a replay. A new coordinate needs
//! a field of [`ReplaySpec`], a row of the table and the code that uses it.

mod labels;

pub(super) use labels::LABELS;
pub use labels::{Labelled, Labels};

use std::convert::Infallible;
use std::sync::Arc;

use serde::de::Error;
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

use meshreplay_alloc::allocator;
use meshreplay_base::spec::Spec;
use meshreplay_logs::{ALL_PARTITIONS, Partitions};
use meshreplay_machine::machine::Mesh;
use meshreplay_sim::execution::RECORDED;
use meshreplay_workload::Rules;

/// The description of one replay, with every default written out. The result depends on this description, on
/// [`super::Options`] and on the content of the files that the allocator reads. It does not depend on the labels, and
/// descriptions that differ only in labels are equal.
///
/// Texts and specs are shared, because a study may have a million replays that differ in little else than the seed.
#[derive(Clone, Debug)]
pub struct ReplaySpec {
    /// The name of the log.
    pub log: Arc<str>,
    /// The SHA-256 of the log's text, in hexadecimal. Empty where it is not known, as in study.json.
    pub log_sha256: Arc<str>,
    /// The partitions of the log whose jobs are replayed; `None` if all jobs are.
    pub partition: Option<Partitions>,
    /// The workload rules, which say how records of the log become jobs.
    pub rules: Arc<Rules>,
    /// The factor that arrival times are multiplied by.
    pub arrival_scale: f64,
    /// The machine.
    pub machine: Arc<Mesh>,
    /// The scheduler.
    pub scheduler: Arc<Spec>,
    /// The allocator.
    pub allocator: Arc<Spec>,
    /// The execution model, which decides how long jobs run.
    pub network: Arc<Spec>,
    /// The seed of all random numbers in the first replication. Each further replication has the next seed.
    pub seed: u64,
    /// The names under which results show the algorithms.
    pub labels: Arc<Labels>,
}

impl PartialEq for ReplaySpec {
    fn eq(&self, other: &Self) -> bool {
        // All fields are listed, so that a new one is not forgotten here.
        let Self {
            log,
            log_sha256,
            partition,
            rules,
            arrival_scale,
            machine,
            scheduler,
            allocator,
            network,
            seed,
            labels: _,
        } = self;
        // Allocators come first, as replays of one study differ in them most often.
        *allocator == other.allocator
            && *scheduler == other.scheduler
            && *network == other.network
            && *log == other.log
            && *log_sha256 == other.log_sha256
            && *partition == other.partition
            && *rules == other.rules
            && arrival_scale.to_bits() == other.arrival_scale.to_bits()
            && *machine == other.machine
            && *seed == other.seed
    }
}

/// One property of a replay: a row of [`COORDINATES`], for a field of [`ReplaySpec`].
#[derive(Debug)]
pub struct Coordinate {
    /// The name of the coordinate as a column of frames, in lines of content keys, and in JSON. The column of an
    /// algorithm holds its label, and another one the resolved spec.
    pub name: &'static str,
    /// The label, if the coordinate is an algorithm; otherwise `None`.
    pub label: Option<Labelled>,
    /// The way in which the command `replay` takes the coordinate.
    in_command: InCommand,
    /// Returns the value, which is a text or a number; null if the coordinate is not given.
    value: fn(&ReplaySpec) -> Value,
    /// Sets the coordinate from a text. Returns false, and changes nothing, if the text is no valid value.
    pub set: fn(&mut ReplaySpec, &str) -> bool,
}

/// The way in which the command `replay` takes a coordinate. The numbers say in which order the arguments of a printed
/// command stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum InCommand {
    /// Not by an option: the command names the file of the log.
    ByLog,
    /// By an option with the name of the coordinate.
    Option(u8),
    /// By an option with the name of the coordinate, which is left out for this value, its default.
    OptionUnless(u8, &'static str),
    /// By several options, one for each parameter of the rules.
    Rules(u8),
}

/// Every coordinate. Content keys have lines in the order of the rows.
pub const COORDINATES: &[Coordinate] = &[
    Coordinate {
        name: "log",
        label: None,
        in_command: InCommand::ByLog,
        value: |spec| spec.log.as_ref().into(),
        set: |spec, text| put(&mut spec.log, Ok::<_, Infallible>(text.into())),
    },
    Coordinate {
        name: SHA256,
        label: None,
        in_command: InCommand::ByLog,
        value: |spec| spec.log_sha256.as_ref().into(),
        set: |spec, text| put(&mut spec.log_sha256, Ok::<_, Infallible>(text.into())),
    },
    Coordinate {
        name: "rules",
        label: None,
        in_command: InCommand::Rules(7),
        value: |spec| spec.rules.to_string().into(),
        set: |spec, text| put(&mut spec.rules, text.parse().map(Arc::new)),
    },
    Coordinate {
        name: "arrival_scale",
        label: None,
        in_command: InCommand::Option(4),
        value: |spec| spec.arrival_scale.into(),
        set: |spec, text| put(&mut spec.arrival_scale, text.parse()),
    },
    Coordinate {
        name: "machine",
        label: None,
        in_command: InCommand::Option(1),
        value: |spec| spec.machine.to_string().into(),
        set: |spec, text| put(&mut spec.machine, text.parse().map(Arc::new)),
    },
    Coordinate {
        name: "scheduler",
        label: Some(Labelled {
            spec_column: "scheduler_spec",
            of: |labels| &labels.scheduler,
            short: labels::short_scheduler,
        }),
        in_command: InCommand::Option(2),
        value: |spec| spec.scheduler.to_string().into(),
        set: |spec, text| put(&mut spec.scheduler, text.parse().map(Arc::new)),
    },
    Coordinate {
        name: "allocator",
        label: Some(Labelled {
            spec_column: "allocator_spec",
            of: |labels| &labels.allocator,
            short: allocator::short_label,
        }),
        in_command: InCommand::Option(3),
        value: |spec| spec.allocator.to_string().into(),
        set: |spec, text| put(&mut spec.allocator, text.parse().map(Arc::new)),
    },
    Coordinate {
        name: "network",
        label: Some(Labelled {
            spec_column: "network_spec",
            of: |labels| &labels.network,
            short: str::to_owned,
        }),
        in_command: InCommand::OptionUnless(6, RECORDED),
        value: |spec| spec.network.to_string().into(),
        set: |spec, text| put(&mut spec.network, text.parse().map(Arc::new)),
    },
    Coordinate {
        name: "seed",
        label: None,
        in_command: InCommand::Option(5),
        value: |spec| spec.seed.into(),
        set: |spec, text| put(&mut spec.seed, text.parse()),
    },
    Coordinate {
        // Without it content keys have no line and JSON has no entry, as results that are older do not have them.
        name: "partition",
        label: None,
        in_command: InCommand::OptionUnless(8, ALL_PARTITIONS),
        value: |spec| spec.partition.as_ref().map(Partitions::to_string).into(),
        set: |spec, text| {
            let parsed = (text != ALL_PARTITIONS).then(|| text.parse()).transpose();
            put(&mut spec.partition, parsed)
        },
    },
];

/// The name of the only coordinate that is not listed with a replay, because it follows from the log.
const SHA256: &str = "log_sha256";

/// Stores a parsed value in `target` and returns true, or returns false if parsing failed.
fn put<T, E>(target: &mut T, parsed: Result<T, E>) -> bool {
    parsed.map(|value| *target = value).is_ok()
}

/// Returns a JSON value as plain text: strings without quotes, and numbers in their shortest form (1 instead of 1.0).
pub(super) fn plain_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Number(number) if number.is_f64() => number.as_f64().unwrap_or(f64::NAN).to_string(),
        other => other.to_string(),
    }
}

impl Coordinate {
    /// Returns the coordinates that tell replays apart, in order: all except the SHA-256 of the log.
    pub fn listed() -> impl Iterator<Item = &'static Self> {
        COORDINATES.iter().filter(|coordinate| coordinate.name != SHA256)
    }

    /// Returns the title of the coordinate's column in tables for people.
    pub fn title(&self) -> &'static str {
        self.name.strip_prefix("arrival_").unwrap_or(self.name)
    }

    /// Returns the coordinates that tell replays apart, in the order of the arguments of a command: the log first.
    pub fn by_place() -> Vec<&'static Self> {
        let mut rows: Vec<_> = Self::listed().collect();
        rows.sort_by_key(|row| match row.in_command {
            InCommand::ByLog => 0,
            InCommand::Option(place) | InCommand::OptionUnless(place, _) | InCommand::Rules(place) => place,
        });
        rows
    }

    /// Returns the value in words that tell replays apart, such as `arrivals ×0.8`.
    pub fn phrase(&self, spec: &ReplaySpec) -> String {
        match self.name {
            "arrival_scale" => format!("arrivals ×{}", spec.arrival_scale),
            "partition" => format!("partition {}", spec.partition_label()),
            "rules" | "seed" => format!("{} {}", self.name, self.text(spec)),
            _ => self.shown(spec),
        }
    }

    /// Returns the coordinates that are algorithms, which have labels.
    pub fn labelled() -> impl Iterator<Item = (&'static Self, &'static Labelled)> {
        COORDINATES.iter().filter_map(|coordinate| Some((coordinate, coordinate.label.as_ref()?)))
    }

    /// Returns the name of the column of frames that holds [`Self::text`].
    pub fn column(&self) -> &'static str {
        self.label.as_ref().map_or(self.name, |label| label.spec_column)
    }

    /// Returns the coordinate as tables for people show it: the label of an algorithm, and the value of another
    /// coordinate.
    pub fn shown(&self, spec: &ReplaySpec) -> String {
        self.label.as_ref().map_or_else(|| self.text(spec), |label| (label.of)(&spec.labels).to_owned())
    }

    /// Returns whether `spec` gives the coordinate. Otherwise keys and files of results have nothing of it.
    pub fn is_given(&self, spec: &ReplaySpec) -> bool {
        !(self.value)(spec).is_null()
    }

    /// Returns the coordinate's value in `spec`, as content keys and commands spell it: `all` if it is not given.
    pub fn text(&self, spec: &ReplaySpec) -> String {
        match (self.value)(spec) {
            Value::Null => ALL_PARTITIONS.to_owned(),
            value => plain_text(&value),
        }
    }

    /// Returns the coordinate's name and its value in `spec`, as JSON has them.
    pub fn json(&self, spec: &ReplaySpec) -> (&'static str, Value) {
        (self.name, (self.value)(spec))
    }

    /// Returns the position of the coordinate's arguments in a printed command of `replay`, and the arguments. `None`
    /// if the command needs no argument for it.
    fn arguments(&self, spec: &ReplaySpec) -> Option<(u8, Vec<String>)> {
        let option = || vec![format!("--{}", self.name.replace('_', "-")), self.text(spec)];
        match self.in_command {
            InCommand::OptionUnless(_, default) if self.text(spec) == default => None,
            InCommand::Option(place) | InCommand::OptionUnless(place, _) => Some((place, option())),
            InCommand::Rules(place) => Some((place, rules_options(&spec.rules))),
            InCommand::ByLog => None,
        }
    }
}

impl ReplaySpec {
    /// Returns a replay with the defaults: an unnamed log, the default rules, arrival times as they were recorded, run
    /// times from the log, and seed 1. Its labels are short forms.
    pub fn new(machine: Mesh, scheduler: Spec, allocator: Spec) -> Self {
        let network = Spec::named(RECORDED);
        let labels = Labels::short(&scheduler, &allocator, &network);
        Self {
            labels: Arc::new(labels),
            log: Arc::default(),
            log_sha256: Arc::default(),
            partition: None,
            rules: Arc::default(),
            arrival_scale: 1.0,
            machine: Arc::new(machine),
            scheduler: Arc::new(scheduler),
            allocator: Arc::new(allocator),
            network: Arc::new(network),
            seed: 1,
        }
    }

    /// Returns the allocator as the user typed it, or its short form if that is not known.
    pub(in crate::study) fn allocator_label(&self) -> String {
        match self.labels.allocator.as_str() {
            "" => allocator::short(&self.allocator),
            label => label.to_owned(),
        }
    }

    /// Returns the replay in words, such as `KTH × 1 on 10x10 under fcfs with naive, seed 1`.
    pub fn label(&self) -> String {
        let Self { log, arrival_scale, machine, network, seed, labels, partition, .. } = self;
        let of = partition.as_ref().map(|partition| format!(" partition {partition}")).unwrap_or_default();
        let network =
            if network.name == RECORDED { String::new() } else { format!(" over {}", labels.network) };
        let Labels { scheduler, allocator, .. } = &**labels;
        format!(
            "{log}{of} × {arrival_scale} on {machine} under {scheduler} with {allocator}{network}, seed {seed}"
        )
    }

    /// Returns the values of all coordinates as texts, in the order of [`COORDINATES`]. Replays are equal exactly if
    /// these are.
    pub fn identity(&self) -> Vec<String> {
        COORDINATES.iter().map(|coordinate| coordinate.text(self)).collect()
    }

    /// Returns the values of the coordinates that do not have one of these names. They are equal exactly for replays that differ in
    /// nothing else.
    pub fn identity_without(&self, names: &[&str]) -> Vec<String> {
        let others = COORDINATES.iter().filter(|coordinate| !names.contains(&coordinate.name));
        others.map(|coordinate| coordinate.text(self)).collect()
    }

    /// Returns the partitions as frames and keys spell them: `all` if every job is replayed.
    pub fn partition_text(&self) -> String {
        self.partition.as_ref().map_or_else(|| ALL_PARTITIONS.to_owned(), Partitions::to_string)
    }

    /// Returns the partitions for people, who read names as the log has them.
    pub fn partition_label(&self) -> String {
        self.partition.as_ref().map_or_else(|| ALL_PARTITIONS.to_owned(), Partitions::label)
    }

    /// Returns the options of `meshreplay replay` that repeat this replay. The log is not among them, because it is not
    /// an option.
    pub fn arguments(&self) -> Vec<String> {
        let mut given: Vec<_> = COORDINATES.iter().filter_map(|row| row.arguments(self)).collect();
        given.sort();
        given.into_iter().flat_map(|(_, words)| words).collect()
    }
}

/// Returns the options of `replay` that give these rules. Names and values are those of the canonical spelling of the
/// rules. Parameters that have their default values are left out.
fn rules_options(rules: &Rules) -> Vec<String> {
    let spelt = |rules: &Rules| rules.to_string().parse::<Spec>().ok();
    let (Some(spec), Some(default)) = (spelt(rules), spelt(&Rules::defaults(rules.set))) else {
        return Vec::new();
    };
    let mut options = Vec::new();
    if rules.set != Rules::default().set {
        options.extend(["--rules".to_owned(), spec.name.clone()]);
    }
    for (key, value) in spec.params.iter().filter(|(key, value)| default.params.get(*key) != Some(value)) {
        options.extend([format!("--{key}"), value.clone()]);
    }
    options
}

/// Writes an object with an entry for each listed coordinate that is given, and one with the labels unless they are
/// empty.
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

/// Reads an object that may have other entries too. Labels become short forms if they are missing, as in directories of
/// version 0.1.0 and earlier. The network may be missing, too, and the partition, which is there only if it is given.
impl<'de> Deserialize<'de> for ReplaySpec {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let found = Map::deserialize(deserializer)?;
        let machine = Mesh::new(&[1]).map_err(D::Error::custom)?;
        let mut spec = Self::new(machine, Spec::named(""), Spec::named(""));
        for Coordinate { name, set, .. } in Coordinate::listed() {
            match found.get(*name) {
                Some(value) if set(&mut spec, &plain_text(value)) => {}
                Some(value) => return Err(D::Error::custom(format!("{name} cannot be {value}"))),
                None if ["network", "partition"].contains(name) => {}
                None => return Err(D::Error::missing_field(name)),
            }
        }
        spec.labels = Arc::new(match found.get(LABELS) {
            Some(labels) => Labels::deserialize(labels).map_err(D::Error::custom)?,
            None => Labels::short(&spec.scheduler, &spec.allocator, &spec.network),
        });
        Ok(spec)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_become_options() -> Result<(), meshreplay_base::spec::SpecError> {
        for (rules, options) in [
            ("authors", ""),
            ("requested", "--rules requested"),
            ("requested:overrun=kill,status=authors", "--rules requested --overrun kill --status authors"),
            ("authors:estimate=factor=2", "--estimate factor=2"),
        ] {
            assert_eq!(rules_options(&rules.parse()?).join(" "), options);
        }
        Ok(())
    }
}
