//! The TOML layer of study files: known keys with their kinds of values, and errors with line numbers.

use std::collections::HashMap;
use std::fmt::Display;
use std::ops::Range;
use std::path::{Path, PathBuf};

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::super::options::OPTIONS;
use super::super::replay_spec::COORDINATES;
use super::StudyError;
use meshreplay_base::memory;
use meshreplay_base::spec::unknown;

/// A key of study files.
#[derive(Clone, Copy, Debug)]
pub struct StudyKey {
    /// Name.
    pub name: &'static str,
    /// Kind of value in words.
    pub kind: &'static str,
    /// A value, in TOML.
    pub example: &'static str,
}

impl StudyKey {
    /// A key with a string.
    pub(in crate::study) const fn string(name: &'static str, example: &'static str) -> Self {
        Self { name, kind: "a string", example }
    }

    /// A key that turns something on.
    pub(in crate::study) const fn switch(name: &'static str) -> Self {
        Self { name, kind: SWITCH, example: "true" }
    }

    /// A key with a list of strings.
    pub(in crate::study) const fn strings(name: &'static str, example: &'static str) -> Self {
        Self { name, kind: "a list of strings", example }
    }
}

/// The kind of values of a switch.
const SWITCH: &str = "true or false";

/// The keys that are neither coordinates nor options.
const OTHERS: [StudyKey; 4] = [
    StudyKey::string("name", "\"loads\""),
    StudyKey::string("description", "\"Does the load matter?\""),
    StudyKey::string("topology", "\"topology.conf\""),
    StudyKey::string("unavailable", "\"service-nodes.txt\""),
];

fn keys() -> impl Iterator<Item = &'static StudyKey> {
    let of_coordinates = COORDINATES.iter().filter_map(|row| row.key.as_ref());
    OTHERS.iter().chain(of_coordinates).chain(OPTIONS.iter().filter_map(|row| row.key.as_ref()))
}

/// An entry of a list with its line number, from 1.
pub(super) type ListEntry<T> = (T, usize);

/// The input of an entry's parser.
pub(super) enum Value<'a> {
    /// A string.
    Text(&'a str),
    /// An integer or a float in its original spelling; empty for a value of any other kind.
    Number(&'a str),
}

/// A parsed study file with known keys only.
pub(super) struct Keys<'a> {
    path: &'a Path,
    text: &'a str,
    table: DeTable<'a>,
}

/// Reads the file at `path` and returns its text. Fails if it cannot be read or is not UTF-8.
pub(super) fn read(path: &Path) -> Result<String, StudyError> {
    let bytes =
        memory::read_file(path).map_err(|source| StudyError::File { path: path.to_owned(), source })?;
    String::from_utf8(bytes).map_err(|error| {
        let offset = error.utf8_error().valid_up_to();
        StudyError::of_file(path, format!("byte {offset} is not UTF-8; expected a study file in TOML"))
    })
}

/// Parameters of log formats that are options of `replay`, each with an example.
const OF_FORMATS: [(&str, &str); 3] = [("time-zone", "UTC"), ("dates", "day-first"), ("unit", "cpus")];

impl<'a> Keys<'a> {
    /// Parses the `text` of the study file at `path`. Fails if it is not TOML or has an unknown key.
    pub(super) fn parse(path: &'a Path, text: &'a str) -> Result<Self, StudyError> {
        let wrong = |at: usize, problem: String| StudyError::at_line(path, line(text, at), problem);
        let table = DeTable::parse(text).map_err(|error| {
            let message: Vec<&str> = error.message().lines().collect();
            let at = error.span().map_or(0, |span| span.start);
            wrong(at, format!("{}; expected TOML such as machines = [\"16x16\"]", message.join(", ")))
        })?;
        let table = table.into_inner();
        let stranger = table.keys().filter(|key| keys().all(|known| known.name != key.get_ref()));
        if let Some(key) = stranger.min_by_key(|key| key.span().start) {
            let names = keys().map(|known| known.name);
            let name = key.get_ref();
            let parameter = OF_FORMATS.iter().find(|(parameter, _)| *parameter == name.replace('_', "-"));
            let problem = match parameter {
                Some((parameter, value)) => format!(
                    "unknown key '{name}'; it is a parameter of logs: input_format = \
                         \"auto:{parameter}={value}\""
                ),
                None => unknown("key", name, names).to_string(),
            };
            return Err(wrong(key.span().start, problem));
        }
        Ok(Self { path, text, table })
    }

    /// The error for a problem at byte `at`.
    fn wrong(&self, at: usize, problem: String) -> StudyError {
        StudyError::at_line(self.path, line(self.text, at), problem)
    }

    /// Returns the string at `key`; `None` if the key is absent. Fails for a value of another kind.
    pub(super) fn string(&self, key: &str) -> Result<Option<String>, StudyError> {
        let Some(value) = self.table.get(key) else { return Ok(None) };
        match value.get_ref() {
            DeValue::String(text) => Ok(Some(text.to_string())),
            other => Err(self.unexpected(key, None, value.span().start, other)),
        }
    }

    /// Returns the line of the value at `key`; `None` if the key is absent.
    pub(super) fn line_of(&self, key: &str) -> Option<usize> {
        self.table.get(key).map(|value| line(self.text, value.span().start))
    }

    /// Parses the whole number, the string or the switch at `key`. `None` if the key is absent.
    pub(super) fn scalar<T>(
        &self,
        key: &str,
        parse: impl Fn(&str) -> Result<T, String>,
    ) -> Result<Option<T>, StudyError> {
        let Some(value) = self.table.get(key) else { return Ok(None) };
        let at = value.span().start;
        let text = match (plain(value), value.get_ref()) {
            (Value::Text(text), _) | (Value::Number(text), DeValue::Integer(_)) => text,
            (_, DeValue::Boolean(value)) if describe(key).0 == SWITCH => {
                ["false", "true"][usize::from(*value)]
            }
            (_, other) => return Err(self.unexpected(key, None, at, other)),
        };
        parse(text).map(Some).map_err(|problem| self.wrong(at, format!("key '{key}': {problem}")))
    }

    /// Returns the list at `key` like [`Keys::list`], and fails if the key is absent.
    pub(super) fn required<T: Display>(
        &self,
        key: &str,
        parse: impl Fn(&Value<'_>) -> Option<Result<T, String>>,
    ) -> Result<Vec<ListEntry<T>>, StudyError> {
        self.list(key, parse)?.ok_or_else(|| {
            let example = describe(key).1;
            let problem = format!("key '{key}' is missing; add a line such as {key} = {example}");
            StudyError::of_file(self.path, problem)
        })
    }

    /// Returns the list at `key`; `None` if the key is absent. `parse` returns `None` for a value of the
    /// wrong kind. Fails if the list is empty or if two entries are equal.
    pub(super) fn list<T: Display>(
        &self,
        key: &str,
        mut parse: impl FnMut(&Value<'_>) -> Option<Result<T, String>>,
    ) -> Result<Option<Vec<ListEntry<T>>>, StudyError> {
        let Some(value) = self.table.get(key) else { return Ok(None) };
        let DeValue::Array(array) = value.get_ref() else {
            return Err(self.unexpected(key, None, value.span().start, value.get_ref()));
        };
        let mut list: Vec<ListEntry<T>> = Vec::new();
        let mut numbers: HashMap<String, usize> = HashMap::new();
        // Counts lines incrementally, because a list may have a million entries.
        let mut reached = (0, 1);
        for (i, value) in array.iter().enumerate() {
            let (number, at) = (i + 1, value.span().start);
            let entry = match parse(&plain(value)) {
                None => return Err(self.unexpected(key, Some(number), at, value.get_ref())),
                Some(Err(problem)) => {
                    return Err(self.wrong(at, format!("key '{key}', entry {number}: {problem}")));
                }
                Some(Ok(entry)) => entry,
            };
            let spelling = entry.to_string();
            if let Some(earlier) = numbers.get(&spelling) {
                let problem = format!(
                    "key '{key}', entry {number}: '{spelling}' is entry {earlier} already; name it once"
                );
                return Err(self.wrong(at, problem));
            }
            numbers.insert(spelling, number);
            reached = (at, reached.1 + line_feeds(self.text, reached.0..at));
            list.push((entry, reached.1));
        }
        if list.is_empty() {
            let problem = format!(
                "key '{key}': the list is empty, expected at least one entry, such as {key} = {}",
                describe(key).1
            );
            return Err(self.wrong(value.span().start, problem));
        }
        Ok(Some(list))
    }

    /// The error for a value of the wrong kind at `key`.
    fn unexpected(&self, key: &str, entry: Option<usize>, at: usize, found: &DeValue<'_>) -> StudyError {
        let found = match found {
            DeValue::String(text) => format!("the string '{text}'"),
            DeValue::Integer(number) => format!("the integer {number}"),
            DeValue::Float(number) => format!("the number {number}"),
            DeValue::Boolean(truth) => truth.to_string(),
            DeValue::Datetime(date) => format!("the date {date}"),
            DeValue::Array(_) => "a list".to_owned(),
            DeValue::Table(_) => "a table".to_owned(),
        };
        let entry = entry.map_or_else(String::new, |number| format!(", entry {number}"));
        let (expected, example) = describe(key);
        self.wrong(
            at,
            format!("key '{key}'{entry}: found {found}, expected {expected}, such as {key} = {example}"),
        )
    }
}

/// Converts a TOML value for the parser of an entry.
fn plain<'a>(value: &'a Spanned<DeValue<'_>>) -> Value<'a> {
    match value.get_ref() {
        DeValue::String(text) => Value::Text(text),
        // Hexadecimal, octal and binary integers become the empty text, which does not parse as a number.
        DeValue::Integer(number) if number.radix() == 10 => Value::Number(number.as_str()),
        DeValue::Float(number) => Value::Number(number.as_str()),
        _ => Value::Number(""),
    }
}

/// Returns the kind of value at `key` in words, and an example.
fn describe(key: &str) -> (&'static str, &'static str) {
    keys().find(|known| known.name == key).map_or(("", ""), |known| (known.kind, known.example))
}

/// Returns the line of byte `at`, from 1.
fn line(text: &str, at: usize) -> usize {
    1 + line_feeds(text, 0..at)
}

fn line_feeds(text: &str, bytes: Range<usize>) -> usize {
    let piece = text.as_bytes().get(bytes).unwrap_or(text.as_bytes());
    memchr::memchr_iter(b'\n', piece).count()
}

/// Resolves the path `log` in the study file at `file`. Relative paths start at the directory of the study
/// file.
pub(super) fn beside(file: &Path, log: &str) -> PathBuf {
    file.parent().map_or_else(|| PathBuf::from(log), |folder| folder.join(log))
}
