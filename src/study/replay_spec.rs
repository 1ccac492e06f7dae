//! The description of one replay, and the table of what it consists of.
//!
//! Whatever names a replay is derived from [`COORDINATES`]: content keys, the replays that run.json and study.json list,
//! the columns that tell results apart, and the command that repeats a replay. A new coordinate is a field of
//! [`ReplaySpec`], a row of the table and the code that uses it.

use std::fmt;

use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use crate::execution::RECORDED;
use crate::machine::Mesh;
use crate::spec::Spec;
use crate::workload::Rules;

/// One replay, with every default written out. Its result depends on this, on [`super::Options`] and on the content of the
/// files that its allocator reads.
#[derive(Clone, Debug, PartialEq)]
pub struct ReplaySpec {
    /// Name of the log.
    pub log: String,
    /// SHA-256 of the log's text, in hexadecimal; empty where it is not known, as in study.json.
    pub log_sha256: String,
    /// How records become jobs.
    pub rules: Rules,
    /// What arrival times are multiplied by.
    pub arrival_scale: f64,
    /// The machine.
    pub machine: Mesh,
    /// The scheduler.
    pub scheduler: Spec,
    /// The allocator.
    pub allocator: Spec,
    /// The execution model: how long jobs run.
    pub network: Spec,
    /// Seed of everything random; each further replication has the next one.
    pub seed: u64,
}

/// One thing that a [`ReplaySpec`] says.
#[derive(Debug)]
pub struct Coordinate {
    /// Its name as a column of frames, as a line of content keys, and in JSON.
    pub name: &'static str,
    /// Its title in tables for people.
    pub title: &'static str,
    /// Its value: a text or a number.
    value: fn(&ReplaySpec) -> Value,
    /// Sets it to what this text says; false if the text says nothing that it can be.
    pub set: fn(&mut ReplaySpec, &str) -> bool,
    /// Whether lists of replays have it: it identifies a replay, and is not only a fact of the log.
    pub is_listed: bool,
    /// The place of its arguments in a command of `replay`; `None` if it has none.
    place: Option<u8>,
    /// The arguments of `replay` that give it.
    arguments: fn(&ReplaySpec) -> Vec<String>,
}

/// Puts a parsed value where it belongs; false if there is none.
fn put<T, E>(target: &mut T, parsed: Result<T, E>) -> bool {
    parsed.map(|value| *target = value).is_ok()
}

/// The arguments of an option that is always written out.
fn option(name: &str, value: impl ToString) -> Vec<String> {
    vec![format!("--{name}"), value.to_string()]
}

/// Every coordinate, in the order of the lines of content keys.
pub const COORDINATES: &[Coordinate] = &[
    Coordinate {
        name: "log",
        title: "log",
        value: |spec| spec.log.clone().into(),
        set: |spec, text| put(&mut spec.log, text.parse()),
        is_listed: true,
        // The command names the file, which the spec does not know.
        place: None,
        arguments: |_| Vec::new(),
    },
    Coordinate {
        name: "log_sha256",
        title: "SHA-256",
        value: |spec| spec.log_sha256.clone().into(),
        set: |spec, text| put(&mut spec.log_sha256, text.parse()),
        is_listed: false,
        place: None,
        arguments: |_| Vec::new(),
    },
    Coordinate {
        name: "rules",
        title: "rules",
        value: |spec| spec.rules.to_string().into(),
        set: |spec, text| put(&mut spec.rules, text.parse()),
        is_listed: true,
        place: Some(7),
        arguments: |spec| rules_options(&spec.rules),
    },
    Coordinate {
        name: "arrival_scale",
        title: "scale",
        value: |spec| spec.arrival_scale.into(),
        set: |spec, text| put(&mut spec.arrival_scale, text.parse()),
        is_listed: true,
        place: Some(4),
        arguments: |spec| option("arrival-scale", spec.arrival_scale),
    },
    Coordinate {
        name: "machine",
        title: "machine",
        value: |spec| spec.machine.to_string().into(),
        set: |spec, text| put(&mut spec.machine, text.parse()),
        is_listed: true,
        place: Some(1),
        arguments: |spec| option("machine", &spec.machine),
    },
    Coordinate {
        name: "scheduler",
        title: "scheduler",
        value: |spec| spec.scheduler.to_string().into(),
        set: |spec, text| put(&mut spec.scheduler, text.parse()),
        is_listed: true,
        place: Some(2),
        arguments: |spec| option("scheduler", &spec.scheduler),
    },
    Coordinate {
        name: "allocator",
        title: "allocator",
        value: |spec| spec.allocator.to_string().into(),
        set: |spec, text| put(&mut spec.allocator, text.parse()),
        is_listed: true,
        place: Some(3),
        arguments: |spec| option("allocator", &spec.allocator),
    },
    Coordinate {
        name: "network",
        title: "network",
        value: |spec| spec.network.to_string().into(),
        set: |spec, text| put(&mut spec.network, text.parse()),
        is_listed: true,
        place: Some(6),
        arguments: |spec| match spec.network.name.as_str() {
            RECORDED => Vec::new(),
            _ => option("network", &spec.network),
        },
    },
    Coordinate {
        name: "seed",
        title: "seed",
        value: |spec| spec.seed.into(),
        set: |spec, text| put(&mut spec.seed, text.parse()),
        is_listed: true,
        place: Some(5),
        arguments: |spec| option("seed", spec.seed),
    },
];

/// A value without the quotes of JSON, and numbers as short as they can be written: 1, not 1.0.
pub(super) fn plain_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Number(number) if number.is_f64() => number.as_f64().unwrap_or(f64::NAN).to_string(),
        other => other.to_string(),
    }
}

impl Coordinate {
    /// The coordinates that identify a replay among others, in their order.
    pub fn listed() -> impl Iterator<Item = &'static Self> {
        COORDINATES.iter().filter(|coordinate| coordinate.is_listed)
    }

    /// Its value of `spec` as content keys and tables spell it.
    pub fn text(&self, spec: &ReplaySpec) -> String {
        plain_text(&(self.value)(spec))
    }

    /// Its name and value of `spec` as JSON has them.
    pub fn json(&self, spec: &ReplaySpec) -> (&'static str, Value) {
        (self.name, (self.value)(spec))
    }
}

impl ReplaySpec {
    /// The replay of a log without a name by the default rules, with jobs as they were recorded and seed 1.
    pub fn new(machine: Mesh, scheduler: Spec, allocator: Spec) -> Self {
        Self {
            log: String::new(),
            log_sha256: String::new(),
            rules: Rules::default(),
            arrival_scale: 1.0,
            machine,
            scheduler,
            allocator,
            network: Spec::named(RECORDED),
            seed: 1,
        }
    }

    /// The replay in words, such as `KTH × 1 on 10x10 under fcfs with naive, seed 1`.
    pub fn label(&self) -> String {
        let Self { log, arrival_scale, machine, scheduler, allocator, network, seed, .. } = self;
        let network = if network.name == RECORDED { String::new() } else { format!(" over {network}") };
        format!(
            "{log} × {arrival_scale} on {machine} under {scheduler} with {allocator}{network}, seed {seed}"
        )
    }

    /// The options of `meshreplay replay` that give all of it but the log.
    pub fn arguments(&self) -> Vec<String> {
        let mut given: Vec<&Coordinate> = COORDINATES.iter().filter(|row| row.place.is_some()).collect();
        given.sort_by_key(|row| row.place);
        given.iter().flat_map(|row| (row.arguments)(self)).collect()
    }
}

/// The rules as options of `replay`, whose names and values are those of the canonical spelling. Nothing that is the
/// default is written out.
fn rules_options(rules: &Rules) -> Vec<String> {
    let spelt = |rules: &Rules| rules.to_string().parse::<Spec>().ok();
    let (Some(spec), Some(default)) = (spelt(rules), spelt(&Rules::defaults(rules.set))) else {
        return Vec::new();
    };
    let mut options = Vec::new();
    if rules.set != Rules::default().set {
        options.extend(option("rules", &spec.name));
    }
    for (key, value) in spec.params.iter().filter(|(key, value)| default.params.get(*key) != Some(value)) {
        options.extend(option(key, value));
    }
    options
}

/// As an object of the listed coordinates.
impl Serialize for ReplaySpec {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(Coordinate::listed().map(|coordinate| coordinate.json(self)))
    }
}

/// From an object that may say other things too. Only the network may be missing: directories of version 0.1.0 and before
/// do not say it.
impl<'de> Deserialize<'de> for ReplaySpec {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Object;
        impl<'de> Visitor<'de> for Object {
            type Value = ReplaySpec;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object with the coordinates of a replay")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<ReplaySpec, M::Error> {
                let machine = Mesh::new(&[1]).map_err(M::Error::custom)?;
                let mut spec = ReplaySpec::new(machine, Spec::named(""), Spec::named(""));
                let mut missing: Vec<&str> = Coordinate::listed().map(|coordinate| coordinate.name).collect();
                missing.retain(|name| *name != "network");
                while let Some((name, value)) = map.next_entry::<String, Value>()? {
                    let Some(coordinate) = Coordinate::listed().find(|coordinate| coordinate.name == name)
                    else {
                        continue;
                    };
                    if !(coordinate.set)(&mut spec, &plain_text(&value)) {
                        return Err(M::Error::custom(format!("{name} cannot be {value}")));
                    }
                    missing.retain(|other| *other != name);
                }
                match missing.first() {
                    Some(name) => Err(M::Error::custom(format!("missing field `{name}`"))),
                    None => Ok(spec),
                }
            }
        }
        deserializer.deserialize_map(Object)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_become_options() -> Result<(), crate::spec::SpecError> {
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
