//! The table of the coordinates of replays.

use std::convert::Infallible;
use std::sync::Arc;

use serde_json::Value;

use super::{Labelled, ReplaySpec};
use crate::study::file::StudyKey;
use crate::study::options::Keyed;
use meshreplay_alloc::allocator;
use meshreplay_base::spec::Spec;
use meshreplay_logs::{ALL_PARTITIONS, Partitions};
use meshreplay_sim::execution::RECORDED;
use meshreplay_sim::metrics::{ColumnInfo, ColumnType, Has, Needs};
use meshreplay_workload::Rules;

/// One property of a replay: a row of [`COORDINATES`], for a field of [`ReplaySpec`].
#[derive(Debug)]
pub struct Coordinate {
    /// Name as a column of frames, in lines of content keys, and in JSON. The column of an algorithm holds
    /// its label; a second column holds the resolved spec.
    pub name: &'static str,
    /// Title in tables for people. Empty for the name.
    title: &'static str,
    /// Words before the value where a replay is named, with a blank if they need one.
    prefix: &'static str,
    /// Whether the coordinate identifies a replay. False for the SHA-256, which follows from the log.
    is_identity: bool,
    /// Whether tables and pictures show the value if all replays share it.
    is_named_if_shared: bool,
    /// A value that differs from [`ReplaySpec::new`], for tests.
    pub example: &'static str,
    /// Whether content keys have a line for the coordinate, and JSON an entry: always, or if it is given.
    pub keyed: Keyed,
    /// The label of an algorithm; `None` for other coordinates.
    pub label: Option<Labelled>,
    /// Whether replays with another value than the default need all jobs in memory.
    pub(in crate::study) needs_all_jobs: bool,
    /// Key of study files. `None` if these cannot set the coordinate.
    pub key: Option<StudyKey>,
    /// The option of `replay` whose values, like those of the key, become the coordinate one by one. `None`
    /// if planning makes the coordinate from several arguments or from the log.
    pub axis: Option<Axis>,
    /// Representation in the command `replay`.
    in_command: InCommand,
    /// Column of frames.
    in_frames: InFrames,
    /// Returns the value, a text or a number.
    value: fn(&ReplaySpec) -> Value,
    /// Returns the value as tables for people have it, if they have another.
    cell: fn(&ReplaySpec) -> Option<String>,
    /// Sets the coordinate from a text. Returns false, and changes nothing, if the text is not valid.
    pub set: fn(&mut ReplaySpec, &str) -> bool,
}

/// The option of `replay` for a coordinate that is a list of values.
#[derive(Clone, Copy, Debug)]
pub struct Axis {
    /// Name of the option without the leading dashes: that of the coordinate with hyphens.
    pub option: &'static str,
    /// The only value by default, that of [`ReplaySpec::new`].
    pub default: &'static str,
    /// The help text.
    pub help: &'static str,
    /// The value in the help text.
    pub value_name: &'static str,
    /// A valid value, in words.
    pub expected: &'static str,
}

/// The column of a coordinate in frames.
#[derive(Clone, Copy, Debug)]
struct InFrames {
    /// Sort key of the columns.
    place: u8,
    kind: ColumnType,
    meaning: &'static str,
    needs: Needs,
}

/// A text column that all frames of replays have.
const fn texts(place: u8, meaning: &'static str) -> InFrames {
    InFrames { place, kind: ColumnType::Str, meaning, needs: Needs::Nothing }
}

/// The representation of a coordinate in the command `replay`. The numbers order the arguments of a printed
/// command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum InCommand {
    /// No option: the command names the file of the log.
    ByLog,
    /// An option named like the coordinate, with several values.
    Option(u8),
    /// An option named like the coordinate, with one value.
    Single(u8),
    /// An option named like the coordinate, with several values, omitted for this default.
    OptionUnless(u8, &'static str),
    /// No option: an option that all replays share, and the log, decide. This is the default.
    Shared(&'static str),
    /// Several options, one for each parameter of the rules.
    Rules(u8),
}

/// A coordinate that tables name without further words. Rows override the name, the functions and any other
/// difference.
const PLAIN: Coordinate = Coordinate {
    name: "",
    title: "",
    prefix: "",
    is_identity: true,
    is_named_if_shared: true,
    example: "",
    keyed: Keyed::Always,
    label: None,
    needs_all_jobs: false,
    key: None,
    axis: None,
    in_command: InCommand::ByLog,
    in_frames: texts(0, ""),
    value: |_| Value::Null,
    cell: |_| None,
    set: |_, _| false,
};

/// All coordinates. Content keys have lines in the order of the rows.
pub const COORDINATES: &[Coordinate] = &[
    Coordinate {
        name: "log",
        example: "b",
        key: Some(StudyKey::strings("logs", "[\"traces/lublin-256-10k.swf.gz\"]")),
        in_frames: texts(0, "log, by name"),
        value: |spec| spec.log.as_ref().into(),
        set: |spec, text| put(&mut spec.log, Ok::<_, Infallible>(text.into())),
        ..PLAIN
    },
    Coordinate {
        name: "log_sha256",
        is_identity: false,
        example: "01",
        in_frames: texts(9, "SHA-256 of the log's text"),
        value: |spec| spec.log_sha256.as_ref().into(),
        set: |spec, text| put(&mut spec.log_sha256, Ok::<_, Infallible>(text.into())),
        ..PLAIN
    },
    Coordinate {
        name: "rules",
        prefix: "rules ",
        is_named_if_shared: false,
        example: "requested:arrivals=recorded,estimate=recorded,overrun=kill,oversize=error,\
                  shape=near-square,sizes=all,status=all",
        key: Some(StudyKey::strings("rules", "[\"authors\", \"requested:overrun=kill\"]")),
        in_command: InCommand::Rules(7),
        in_frames: texts(8, "how records became jobs"),
        value: |spec| spec.rules.to_string().into(),
        set: |spec, text| put(&mut spec.rules, text.parse().map(Arc::new)),
        ..PLAIN
    },
    Coordinate {
        name: "arrival_scale",
        title: "scale",
        prefix: "arrivals ×",
        is_named_if_shared: false,
        example: "0.5",
        key: Some(StudyKey {
            name: "arrival_scales",
            kind: "a list of numbers above 0",
            example: "[1, 0.8]",
        }),
        axis: Some(Axis {
            option: "arrival-scale",
            default: "1",
            help: "Factors of arrival times. A factor below 1 raises the load",
            value_name: "C",
            expected: "a number above 0, such as 0.8; decimals follow a point",
        }),
        in_command: InCommand::Option(4),
        in_frames: InFrames { kind: ColumnType::F64, ..texts(6, "the factor of arrival times") },
        value: |spec| spec.arrival_scale.into(),
        set: |spec, text| {
            let scale = text.parse().ok().filter(|scale: &f64| scale.is_finite() && *scale > 0.0);
            put(&mut spec.arrival_scale, scale.ok_or(()))
        },
        ..PLAIN
    },
    Coordinate {
        name: "machine",
        example: "torus:4x4",
        key: Some(StudyKey::strings("machines", "[\"16x16\", \"8x8x4\"]")),
        in_command: InCommand::Option(1),
        in_frames: texts(2, "machine, as typed"),
        value: |spec| spec.machine.to_string().into(),
        set: |spec, text| put(&mut spec.machine, text.parse().map(Arc::new)),
        ..PLAIN
    },
    Coordinate {
        name: "scheduler",
        example: "easy",
        label: Some(Labelled {
            spec_column: "scheduler_spec",
            spec_meaning: "scheduler with every default",
            of: |labels| &labels.scheduler,
            short: super::short_scheduler,
        }),
        key: Some(StudyKey::strings("schedulers", "[\"fcfs\", \"easy\"]")),
        in_command: InCommand::Option(2),
        in_frames: texts(3, "scheduler, as typed"),
        value: |spec| spec.scheduler.to_string().into(),
        set: |spec, text| put(&mut spec.scheduler, text.parse().map(Arc::new)),
        ..PLAIN
    },
    Coordinate {
        name: "allocator",
        example: "mc1x1",
        label: Some(Labelled {
            spec_column: "allocator_spec",
            spec_meaning: "allocator with every default",
            of: |labels| &labels.allocator,
            short: allocator::short_label,
        }),
        key: Some(StudyKey::strings("allocators", "[\"hilbert+bf\", \"mc1x1\"]")),
        in_command: InCommand::Option(3),
        in_frames: texts(4, "allocator, as typed"),
        value: |spec| spec.allocator.to_string().into(),
        set: |spec, text| put(&mut spec.allocator, text.parse().map(Arc::new)),
        ..PLAIN
    },
    Coordinate {
        name: "network",
        is_named_if_shared: false,
        example: "wormhole",
        label: Some(Labelled {
            spec_column: "network_spec",
            spec_meaning: "execution model with every default",
            of: |labels| &labels.network,
            short: str::to_owned,
        }),
        key: Some(StudyKey::strings("networks", "[\"recorded\", \"wormhole:messages=5\"]")),
        in_command: InCommand::OptionUnless(6, RECORDED),
        in_frames: texts(5, "execution model, as typed"),
        value: |spec| spec.network.to_string().into(),
        set: |spec, text| put(&mut spec.network, text.parse().map(Arc::new)),
        ..PLAIN
    },
    Coordinate {
        name: "seed",
        prefix: "seed ",
        example: "18446744073709551615",
        key: Some(StudyKey { name: "seeds", kind: "a list of whole numbers from 0", example: "[1, 2, 3]" }),
        axis: Some(Axis {
            option: "seed",
            default: "1",
            help: "Seed of all random numbers. Every allocator gets the same",
            value_name: "SEED",
            expected: "a whole number from 0 to 2^64 - 1",
        }),
        in_command: InCommand::Single(5),
        in_frames: InFrames { kind: ColumnType::U64, ..texts(7, "seed of everything random") },
        value: |spec| spec.seed.into(),
        set: |spec, text| put(&mut spec.seed, text.parse()),
        ..PLAIN
    },
    Coordinate {
        name: "partition",
        prefix: "partition ",
        example: "batch+2",
        keyed: Keyed::IfGiven,
        key: Some(StudyKey::strings("partitions", "[\"each\"]")),
        needs_all_jobs: true,
        in_command: InCommand::OptionUnless(8, ALL_PARTITIONS),
        in_frames: InFrames {
            needs: Needs::Partitions,
            ..texts(
                1,
                "the partitions of the log whose jobs were replayed, such as `batch+debug`; \
                 `all` if no job was left out",
            )
        },
        value: |spec| spec.partition.as_ref().map_or(ALL_PARTITIONS.to_owned(), Partitions::to_string).into(),
        cell: |spec| spec.partition.as_ref().map(Partitions::label),
        set: |spec, text| {
            let parsed = (text != ALL_PARTITIONS).then(|| text.parse()).transpose();
            put(&mut spec.partition, parsed)
        },
        ..PLAIN
    },
    Coordinate {
        name: "period",
        example: "3600..90000",
        keyed: Keyed::IfGiven,
        needs_all_jobs: true,
        in_command: InCommand::Shared(WHOLE_LOG),
        in_frames: InFrames {
            needs: Needs::Period,
            ..texts(
                10,
                "the covered period of the log in seconds, such as `3600..90000`; `whole` for all of it",
            )
        },
        value: |spec| spec.period.map_or(WHOLE_LOG.to_owned(), |period| period.to_string()).into(),
        set: |spec, text| {
            let parsed = (text != WHOLE_LOG).then(|| text.parse()).transpose();
            put(&mut spec.period, parsed)
        },
        ..PLAIN
    },
];

/// The period of a replay of a whole log.
const WHOLE_LOG: &str = "whole";

/// Stores a parsed value in `target`. Returns false if parsing failed.
fn put<T, E>(target: &mut T, parsed: Result<T, E>) -> bool {
    parsed.map(|value| *target = value).is_ok()
}

/// Returns a JSON value as plain text: strings without quotes, and numbers in their shortest form (1 instead
/// of 1.0).
pub(in crate::study) fn plain_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Number(number) if number.is_f64() => number.as_f64().unwrap_or(f64::NAN).to_string(),
        other => other.to_string(),
    }
}

impl Coordinate {
    /// Returns the identifying coordinates, in order: all except the SHA-256 of the log.
    pub fn listed() -> impl Iterator<Item = &'static Self> {
        COORDINATES.iter().filter(|coordinate| coordinate.is_identity)
    }

    /// Returns the title in tables for people.
    pub fn title(&self) -> &'static str {
        if self.title.is_empty() { self.name } else { self.title }
    }

    /// Returns the identifying coordinates, in the order of command arguments: the log first.
    pub fn by_place() -> Vec<&'static Self> {
        let mut rows: Vec<_> = Self::listed().collect();
        rows.sort_by_key(|row| row.place_in_command());
        rows
    }

    /// Returns the identifying coordinates, in the order of frame columns.
    pub fn by_column() -> Vec<&'static Self> {
        let mut rows: Vec<_> = Self::listed().collect();
        rows.sort_by_key(|row| row.in_frames.place);
        rows
    }

    /// Returns the coordinates of a replay's place: the log, the partition and the machine.
    pub fn of_place() -> impl Iterator<Item = &'static Self> {
        Self::by_column().into_iter().take_while(|row| row.label.is_none())
    }

    /// Returns the description of the frame column.
    pub fn column_info(&self) -> ColumnInfo {
        let InFrames { kind, meaning, needs, .. } = self.in_frames;
        ColumnInfo { name: self.name, kind, unit: "", meaning, needs }
    }

    /// Returns whether tables and pictures show this value, in the spelling of frames, if all replays share
    /// it. Defaults and coordinates that seldom differ are left out.
    pub fn is_named_if_shared(&self, value: &str) -> bool {
        self.is_named_if_shared && self.default() != Some(value)
    }

    /// Returns the default, which commands, tables and files of results can omit. `None` without one.
    pub fn default(&self) -> Option<&'static str> {
        match self.in_command {
            InCommand::OptionUnless(_, default) | InCommand::Shared(default) => Some(default),
            _ => None,
        }
    }

    /// Returns whether `spec` has the default value.
    pub fn is_default(&self, spec: &ReplaySpec) -> bool {
        self.default().is_some_and(|default| self.text(spec) == default)
    }

    fn place_in_command(&self) -> u8 {
        match self.in_command {
            InCommand::ByLog | InCommand::Shared(_) => 0,
            InCommand::Option(place)
            | InCommand::Single(place)
            | InCommand::OptionUnless(place, _)
            | InCommand::Rules(place) => place,
        }
    }

    /// Returns the value in words that identify a replay, such as `arrivals ×0.8`.
    pub fn phrase(&self, spec: &ReplaySpec) -> String {
        format!("{}{}", self.prefix, self.cell(spec))
    }

    /// Returns the coordinates that are algorithms, which have labels.
    pub fn labelled() -> impl Iterator<Item = (&'static Self, &'static Labelled)> {
        COORDINATES.iter().filter_map(|coordinate| Some((coordinate, coordinate.label.as_ref()?)))
    }

    /// Returns the name of the frame column that holds [`Self::text`].
    pub fn column(&self) -> &'static str {
        self.label.as_ref().map_or(self.name, |label| label.spec_column)
    }

    /// Returns the value in tables for people: the label of an algorithm, otherwise the value.
    pub fn shown(&self, spec: &ReplaySpec) -> String {
        self.label.as_ref().map_or_else(|| self.text(spec), |label| (label.of)(&spec.labels).to_owned())
    }

    /// Returns the value in cells of tables for people: like [`Self::shown`], with the log's names of
    /// partitions.
    pub fn cell(&self, spec: &ReplaySpec) -> String {
        (self.cell)(spec).unwrap_or_else(|| self.shown(spec))
    }

    /// Returns whether content keys and files of results name the coordinate of `spec`.
    pub fn is_given(&self, spec: &ReplaySpec) -> bool {
        self.keyed == Keyed::Always || !self.is_default(spec)
    }

    /// Returns the value in the spelling of content keys and commands.
    pub fn text(&self, spec: &ReplaySpec) -> String {
        plain_text(&(self.value)(spec))
    }

    /// Returns the entry in JSON.
    pub fn json(&self, spec: &ReplaySpec) -> (&'static str, Value) {
        (self.name, (self.value)(spec))
    }

    /// Returns the rows whose values are a list in commands and study files, with the axis.
    pub fn axes() -> impl Iterator<Item = (&'static Self, &'static Axis)> {
        COORDINATES.iter().filter_map(|row| Some((row, row.axis.as_ref()?)))
    }

    /// Returns whether the option of `replay` takes several values.
    pub fn takes_several(&self) -> bool {
        matches!(self.in_command, InCommand::Option(_) | InCommand::OptionUnless(..))
    }

    /// Returns whether values are numbers.
    pub(in crate::study) fn is_number(&self) -> bool {
        self.in_frames.kind != ColumnType::Str
    }

    /// Returns a value in the spelling of content keys; `None` if it is not valid.
    pub fn parsed(&self, text: &str) -> Option<String> {
        self.parsed_with(&mut ReplaySpec::blank().ok()?, text)
    }

    /// Returns a value as [`Self::parsed`] does. `spec` is any replay, which gets the value: making one takes
    /// longer than parsing.
    pub(in crate::study) fn parsed_with(&self, spec: &mut ReplaySpec, text: &str) -> Option<String> {
        (self.set)(spec, text).then(|| self.text(spec))
    }

    /// Returns `has` with the columns of the coordinates that `specs` do not leave at their defaults.
    pub(in crate::study) fn with_given<'a, I: Iterator<Item = &'a ReplaySpec>>(
        has: Has,
        specs: impl Fn() -> I,
    ) -> Has {
        let rows = COORDINATES.iter().filter(|row| row.in_frames.needs != Needs::Nothing);
        rows.fold(has, |has, row| {
            let needs = row.in_frames.needs;
            has.with(needs, has.has(needs) || specs().any(|spec| !row.is_default(spec)))
        })
    }

    pub(super) fn arguments(&self, spec: &ReplaySpec) -> Vec<Argument> {
        let takes_several = self.takes_several();
        let argument = |option: String, value: String, typed: String| Argument {
            option,
            typed: if typed.is_empty() { value.clone() } else { typed },
            value,
            takes_several,
        };
        match self.in_command {
            InCommand::ByLog | InCommand::Shared(_) => Vec::new(),
            InCommand::OptionUnless(..) if self.is_default(spec) => Vec::new(),
            InCommand::Rules(_) => rules_options(&spec.rules)
                .into_iter()
                .map(|(option, value)| argument(option, value, String::new()))
                .collect(),
            _ => {
                let option = format!("--{}", self.name.replace('_', "-"));
                vec![argument(option, self.text(spec), self.shown(spec))]
            }
        }
    }
}

/// An argument of the command `replay`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Argument {
    /// The option, such as `--machine`.
    pub option: String,
    /// Value with every default written out.
    pub value: String,
    /// Value as typed; [`Self::value`] if that is unknown.
    pub typed: String,
    /// Whether `replay` takes several values of the option.
    pub takes_several: bool,
}

/// Returns the options of `replay` for these rules, with the canonical names and values, without default
/// values.
fn rules_options(rules: &Rules) -> Vec<(String, String)> {
    let spelt = |rules: &Rules| rules.to_string().parse::<Spec>().ok();
    let (Some(spec), Some(default)) = (spelt(rules), spelt(&Rules::defaults(rules.set))) else {
        return Vec::new();
    };
    let mut options = Vec::new();
    if rules.set != Rules::default().set {
        options.push(("--rules".to_owned(), spec.name.clone()));
    }
    for (key, value) in spec.params.iter().filter(|(key, value)| default.params.get(*key) != Some(value)) {
        options.push((format!("--{key}"), value.clone()));
    }
    options
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_left_out_of_titles_commands_and_new_keys() -> Result<(), Box<dyn std::error::Error>> {
        let spec = ReplaySpec::new("4x4".parse()?, "fcfs".parse()?, "naive".parse()?);
        for (row, default) in COORDINATES.iter().filter_map(|row| Some((row, row.default()?))) {
            assert_eq!(row.text(&spec), default, "{}", row.name);
            assert!(row.is_default(&spec) && !row.is_named_if_shared(default), "{}", row.name);
            assert!(row.arguments(&spec).is_empty(), "{}", row.name);
            assert_ne!(row.keyed, Keyed::Never, "{}", row.name);
            assert_eq!(row.is_given(&spec), row.keyed == Keyed::Always, "{}", row.name);
            let mut other = spec.clone();
            assert!((row.set)(&mut other, row.example) && row.is_given(&other), "{}", row.name);
        }
        Ok(())
    }

    #[test]
    fn axes_have_the_names_and_defaults_of_their_coordinates() -> Result<(), Box<dyn std::error::Error>> {
        let spec = ReplaySpec::blank()?;
        for (row, axis) in Coordinate::axes() {
            assert_eq!(axis.option, row.name.replace('_', "-"));
            assert_eq!(axis.default, row.text(&spec), "{}", row.name);
            assert_eq!(row.parsed(row.example).as_deref(), Some(row.example));
            assert!(row.key.is_some() && row.parsed("?").is_none(), "{}", row.name);
        }
        Ok(())
    }

    #[test]
    fn rules_become_options() -> Result<(), meshreplay_base::spec::SpecError> {
        for (rules, options) in [
            ("authors", ""),
            ("requested", "--rules requested"),
            ("requested:overrun=kill,status=authors", "--rules requested --overrun kill --status authors"),
            ("authors:estimate=factor=2", "--estimate factor=2"),
        ] {
            let words =
                rules_options(&rules.parse()?).into_iter().flat_map(|(option, value)| [option, value]);
            assert_eq!(words.collect::<Vec<_>>().join(" "), options);
        }
        Ok(())
    }
}
