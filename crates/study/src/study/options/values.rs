//! Reading and writing of options by the rows of [`OPTIONS`]: in content keys, in JSON and on command lines.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

use super::super::replay_spec::plain_text;
use super::{Flag, FlagValue, Keyed, NONE, OPTIONS, Options, ReplayOption};
use meshreplay_machine::machine::node_map::NodeMapSource;
use meshreplay_machine::machine::outages::OutageSource;
use meshreplay_machine::machine::{Levels, Mesh};
use meshreplay_sim::metrics::Slice;

impl Flag {
    /// Returns the flag with its leading dashes, without a value.
    pub fn argument(&self) -> String {
        format!("--{}", self.name)
    }
}

impl ReplayOption {
    /// Returns the value in the spelling of content keys: `none` without one.
    pub fn text(&self, options: &Options) -> String {
        match (self.value)(options) {
            Value::Null => NONE.to_owned(),
            value => plain_text(&value),
        }
    }

    /// Returns the option that this one requires; `None` without one.
    pub fn needed(&self) -> Option<&'static Self> {
        let name = self.flag.as_ref()?.needs?;
        OPTIONS.iter().find(|other| other.flag.as_ref().is_some_and(|flag| flag.name == name))
    }

    /// Returns whether the value differs from that of a command without flags.
    pub(in crate::study) fn is_given(&self, options: &Options) -> bool {
        (self.value)(options) != (self.value)(&Options::without_flags())
    }

    /// Returns the line in a content key; `None` if the key does not depend on the option.
    pub(in crate::study) fn line(&self, options: &Options) -> Option<String> {
        let is_keyed = match self.keyed {
            Keyed::Always => true,
            Keyed::IfGiven => self.is_given(options),
            Keyed::Never => false,
        };
        is_keyed.then(|| format!("{}={}\n", self.name, self.text(options)))
    }

    /// Returns the entry in JSON; `None` without one.
    fn entry(&self, options: &Options) -> Option<(&'static str, Value)> {
        let name = self.json.filter(|_| self.keyed == Keyed::Always || self.is_given(options))?;
        Some((name, (self.value)(options)))
    }

    /// Returns the flag, and the command-line words that set the value. `None` for the default, or without a
    /// flag.
    fn arguments(&self, options: &Options) -> Option<(&'static Flag, Vec<String>)> {
        let flag = OPTIONS.iter().find(|other| other.name == self.name)?.flag.as_ref()?;
        let mut words = vec![flag.argument()];
        if let FlagValue::Argument(_) = flag.gives {
            words.push(self.text(options));
        }
        self.is_given(options).then_some((flag, words))
    }
}

impl Options {
    /// The options of a command without flags: the defaults, except that times are measured.
    pub fn without_flags() -> Self {
        Self { timed: true, ..Self::default() }
    }

    /// Returns whether nodes go down in replays.
    pub(in crate::study) fn take_nodes_down(&self) -> bool {
        self.outages.as_ref().is_some_and(OutageSource::takes_nodes_down)
    }

    /// Fails, in words, if an option measures what the tree of switches `machine` does not have.
    pub(in crate::study) fn check_tree(&self, machine: &Mesh) -> Result<(), String> {
        if self.contention {
            return Err(format!(
                "--contention does not serve machine '{machine}': how many cables join the switches of a \
                 tree is not known; leave it out"
            ));
        }
        let is_box = |slice: &&Slice| slice.sides.iter().filter(|&&side| side > 1).count() > 1;
        match self.fragmentation.as_ref().and_then(|slices| slices.all().iter().find(is_box)) {
            Some(Slice { sides: [x, y, z], .. }) => Err(format!(
                "--fragmentation {x}x{y}x{z} does not serve machine '{machine}': a tree of switches has no \
                 submeshes; give numbers of nodes, such as {} for free leaves",
                machine.levels().map_or(1, Levels::leaf)
            )),
            None => Ok(()),
        }
    }

    /// Resets the options that study.json lacks, because they affect no result of a cell.
    pub(in crate::study) fn without_kept(&self) -> Self {
        let (mut options, default) = (self.clone(), Self::default());
        for row in OPTIONS.iter().filter(|row| row.json.is_none()) {
            // Defaults always parse.
            let _ = (row.set)(&mut options, &row.text(&default));
        }
        options
    }

    /// Returns the flags of `sweep` that set these options, without options that only a study file can set.
    pub fn sweep_arguments(&self) -> Vec<String> {
        let given = OPTIONS.iter().filter_map(|option| option.arguments(self));
        given.filter(|(flag, _)| flag.is_of_sweep).flat_map(|(_, words)| words).collect()
    }

    /// Returns the arguments of `replay` that set these options.
    pub fn replay_arguments(&self) -> Vec<String> {
        let given = OPTIONS.iter().filter_map(|option| option.arguments(self));
        let words = |(flag, words): (&Flag, Vec<String>)| match flag.in_replay {
            Some(others) => others.iter().map(ToString::to_string).collect(),
            None => words,
        };
        given.flat_map(words).collect()
    }

    /// Clears the paths of files: keys cover the SHA-256 of their contents instead.
    pub(in crate::study) fn without_paths(&self) -> Self {
        Self {
            outages: self.outages.as_ref().map(OutageSource::without_path),
            node_map: self.node_map.as_ref().map(NodeMapSource::without_path),
            ..self.clone()
        }
    }

    /// Compares the options in JSON, apart from the paths of files. Returns a sentence on the first
    /// difference, or `None` if all are equal.
    pub fn difference(&self, other: &Self) -> Option<String> {
        let [a, b] = [self, other].map(Self::without_paths);
        let option = OPTIONS.iter().find(|option| option.entry(&a) != option.entry(&b))?;
        Some(format!("{} is {}, not {}", option.name, option.text(other), option.text(self)))
    }
}

/// Writes an object with an entry for each option that JSON holds.
impl Serialize for Options {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(OPTIONS.iter().filter_map(|option| option.entry(self)))
    }
}

/// Reads an object, and ignores other entries. Options without an entry have the values of a command without
/// flags.
impl<'de> Deserialize<'de> for Options {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut options = Self::without_flags();
        for (name, value) in &Map::deserialize(deserializer)? {
            let Some(row) = OPTIONS.iter().find(|row| row.json == Some(name.as_str())) else { continue };
            if *value == (row.value)(&options) {
                // The value is the default already. In particular, `set` does not parse null, the value of an
                // absent option.
                continue;
            }
            let wrong = |_| D::Error::custom(format!("{name} cannot be {value}"));
            (row.set)(&mut options, &plain_text(value)).map_err(wrong)?;
        }
        Ok(options)
    }
}
