//! Reads and writes options by the rows of [`OPTIONS`]: in content keys, in JSON and on command lines.

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

use super::super::replay_spec::plain_text;
use super::{Flag, FlagValue, Keyed, NONE, OPTIONS, Options, ReplayOption};
use meshreplay_machine::machine::node_map::NodeMapSource;
use meshreplay_machine::machine::outages::OutageSource;

impl Flag {
    /// Returns the flag with its leading dashes, but without a value.
    pub fn argument(&self) -> String {
        format!("--{}", self.name)
    }
}

impl ReplayOption {
    /// Returns the option's value as content keys spell it: `none` if there is no value.
    pub fn text(&self, options: &Options) -> String {
        match (self.value)(options) {
            Value::Null => NONE.to_owned(),
            value => plain_text(&value),
        }
    }

    /// Returns the option without which this one has no effect; `None` if it needs none.
    pub fn needed(&self) -> Option<&'static Self> {
        let name = self.flag.as_ref()?.needs?;
        OPTIONS.iter().find(|other| other.flag.as_ref().is_some_and(|flag| flag.name == name))
    }

    /// Returns whether the value differs from the value of a command without flags.
    pub(in crate::study) fn is_given(&self, options: &Options) -> bool {
        (self.value)(options) != (self.value)(&Options::without_flags())
    }

    /// Returns the option's line in a content key, or `None` if the key does not depend on the option.
    pub(in crate::study) fn line(&self, options: &Options) -> Option<String> {
        let is_keyed = match self.keyed {
            Keyed::Always => true,
            Keyed::IfGiven => self.is_given(options),
            Keyed::Never => false,
        };
        is_keyed.then(|| format!("{}={}\n", self.name, self.text(options)))
    }

    /// Returns the option's name and value as JSON has them, or `None` if JSON does not hold the option.
    fn entry(&self, options: &Options) -> Option<(&'static str, Value)> {
        let name = self.json.filter(|_| self.keyed == Keyed::Always || self.is_given(options))?;
        Some((name, (self.value)(options)))
    }

    /// Returns the flag, and the words of a command line that give the option this value. `None` if the value
    /// is the default, or if there is no flag.
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
    /// Returns the options of a command without any flag: the default values, except that times are measured.
    pub fn without_flags() -> Self {
        Self { timed: true, ..Self::default() }
    }

    /// Returns the options with the defaults of all that study.json does not hold: those that follow from the
    /// replays, and those on which no result of a cell depends.
    pub(in crate::study) fn without_derived(&self) -> Self {
        let (mut options, default) = (self.clone(), Self::default());
        for row in OPTIONS.iter().filter(|row| row.json.is_none()) {
            // A default is always spelt correctly.
            let _ = (row.set)(&mut options, &row.text(&default));
        }
        options
    }

    /// Returns the flags of `sweep` that give these options. Options that only a study file can set are not
    /// among them.
    pub fn sweep_arguments(&self) -> Vec<String> {
        let given = OPTIONS.iter().filter_map(|option| option.arguments(self));
        given.filter(|(flag, _)| flag.is_of_sweep).flat_map(|(_, words)| words).collect()
    }

    /// Returns the arguments of `replay` that give these options.
    pub fn replay_arguments(&self) -> Vec<String> {
        let given = OPTIONS.iter().filter_map(|option| option.arguments(self));
        let words = |(flag, words): (&Flag, Vec<String>)| match flag.in_replay {
            Some(others) => others.iter().map(ToString::to_string).collect(),
            None => words,
        };
        given.flat_map(words).collect()
    }

    /// Returns the options without the paths of files: keys have the SHA-256 of a file's content instead.
    pub(in crate::study) fn without_paths(&self) -> Self {
        Self {
            outages: self.outages.as_ref().map(OutageSource::without_path),
            node_map: self.node_map.as_ref().map(NodeMapSource::without_path),
            ..self.clone()
        }
    }

    /// Compares the options as JSON holds them, apart from the paths of files. Returns a sentence on the
    /// first difference, or `None` if all are equal.
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

/// Reads an object that may have other entries too. Options without an entry have the values of a command
/// without flags.
impl<'de> Deserialize<'de> for Options {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut options = Self::without_flags();
        for (name, value) in &Map::deserialize(deserializer)? {
            let Some(row) = OPTIONS.iter().find(|row| row.json == Some(name.as_str())) else { continue };
            if *value == (row.value)(&options) {
                // The value is the default already. Null, the value of an option that is not given, has no
                // spelling for `set`.
                continue;
            }
            let wrong = |_| D::Error::custom(format!("{name} cannot be {value}"));
            (row.set)(&mut options, &plain_text(value)).map_err(wrong)?;
        }
        Ok(options)
    }
}
