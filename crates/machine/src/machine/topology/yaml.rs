//! YAML as a tree of values that know their lines, so that a message can name the line of a wrong value.

use std::fmt;

use saphyr_parser::{Event, Parser, ScalarStyle};

/// A value of a YAML file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// The first line of the value, counted from 1.
    pub line: usize,
    /// The value itself.
    pub value: Value,
}

/// The kinds of values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A text or a number. A value that is left out is the empty text.
    Text(String),
    /// A list.
    List(Vec<Node>),
    /// A mapping: its entries in the order of the file.
    Map(Vec<YamlEntry>),
}

/// An entry of a mapping.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct YamlEntry {
    /// The key.
    pub key: String,
    /// The line of the key, counted from 1.
    pub line: usize,
    /// The value.
    pub node: Node,
}

/// An error in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flaw {
    /// The number of the line, from 1.
    pub line: usize,
    /// What was found, what was expected and what would help, in words.
    pub problem: String,
}

impl Flaw {
    /// Returns the flaw of a line.
    pub fn new(line: usize, problem: impl Into<String>) -> Self {
        Self { line, problem: problem.into() }
    }
}

/// The deepest nesting of lists and mappings that is read. A topology has eight levels.
const DEEPEST: usize = 64;

/// A list or mapping whose end has not been read yet.
struct Open {
    node: Node,
    /// The key whose value comes next, with its line; `None` in lists and between the entries of a mapping.
    key: Option<(String, usize)>,
}

/// Returns the first document of a YAML text. Fails if the text is no YAML, is empty, repeats a key, uses a
/// list or a mapping as a key, or uses aliases (`*name`).
pub fn parse(text: &str) -> Result<Node, Flaw> {
    let mut open: Vec<Open> = Vec::new();
    for event in Parser::new_from_str(text) {
        let (event, span) =
            event.map_err(|error| Flaw::new(error.marker().line(), format!("no YAML: {}", error.info())))?;
        let line = span.start.line();
        let closed = match event {
            Event::Scalar(text, style, ..) => {
                // A tilde and `null` stand for no value, if they are not in quotes.
                let is_null = style == ScalarStyle::Plain && matches!(&*text, "~" | "null" | "Null" | "NULL");
                let text = if is_null { String::new() } else { text.into_owned() };
                Some(Node { line, value: Value::Text(text) })
            }
            Event::SequenceStart(..) | Event::MappingStart(..) if open.len() == DEEPEST => {
                return Err(Flaw::new(
                    line,
                    format!("found more than {DEEPEST} levels of lists and mappings"),
                ));
            }
            Event::SequenceStart(..) => {
                open.push(Open { node: Node { line, value: Value::List(Vec::new()) }, key: None });
                None
            }
            Event::MappingStart(..) => {
                open.push(Open { node: Node { line, value: Value::Map(Vec::new()) }, key: None });
                None
            }
            Event::SequenceEnd | Event::MappingEnd => open.pop().map(|open| open.node),
            Event::Alias(_) => {
                return Err(Flaw::new(line, "found an alias (*name), expected a value; write the value out"));
            }
            _ => None,
        };
        let Some(node) = closed else { continue };
        match open.last_mut() {
            Some(parent) => add(parent, node)?,
            None => return Ok(node),
        }
    }
    Err(Flaw::new(1, "found nothing, expected a list of topologies"))
}

/// Adds a complete value to its parent list or mapping.
fn add(parent: &mut Open, node: Node) -> Result<(), Flaw> {
    match (&mut parent.node.value, parent.key.take()) {
        (Value::List(items), _) => items.push(node),
        (Value::Map(entries), Some((key, line))) => entries.push(YamlEntry { key, line, node }),
        (Value::Map(entries), None) => {
            let Value::Text(key) = node.value else {
                return Err(Flaw::new(node.line, format!("found {} as a key, expected a word", node.value)));
            };
            if let Some(first) = entries.iter().find(|entry| entry.key == key) {
                let problem = format!("found key '{key}' again, expected it only in line {}", first.line);
                return Err(Flaw::new(node.line, problem));
            }
            parent.key = Some((key, node.line));
        }
        (Value::Text(_), _) => {}
    }
    Ok(())
}

/// Writes what was found, for messages: `'text'`, `nothing`, `a list` or `a mapping`.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const MOST: usize = 40;
        match self {
            Self::Text(text) if text.is_empty() => f.write_str("nothing"),
            Self::Text(text) => {
                let shown: String = text.chars().take(MOST).flat_map(char::escape_debug).collect();
                write!(f, "'{shown}{}'", if text.chars().count() > MOST { "…" } else { "" })
            }
            Self::List(_) => f.write_str("a list"),
            Self::Map(_) => f.write_str("a mapping"),
        }
    }
}

impl Node {
    /// Returns the items of a list that is not empty. `what` describes the list for the message.
    pub fn list(&self, what: &str) -> Result<&[Self], Flaw> {
        match &self.value {
            Value::List(items) if !items.is_empty() => Ok(items),
            Value::List(_) => Err(Flaw::new(self.line, format!("found an empty list, expected {what}"))),
            other => Err(Flaw::new(self.line, format!("found {other}, expected {what}"))),
        }
    }

    /// Returns the entries of a mapping. `what` describes the mapping for the message.
    pub fn map(&self, what: &str) -> Result<&[YamlEntry], Flaw> {
        match &self.value {
            Value::Map(entries) => Ok(entries),
            other => Err(Flaw::new(self.line, format!("found {other}, expected {what}"))),
        }
    }

    /// Returns the value of `key` in a mapping; `None` if this is no mapping or has no such key.
    pub fn get(&self, key: &str) -> Option<&Self> {
        match &self.value {
            Value::Map(entries) => entries.iter().find(|entry| entry.key == key).map(|entry| &entry.node),
            _ => None,
        }
    }

    /// Returns the value of `key`. Fails if this is no mapping or has no such key. `what` describes the
    /// mapping.
    pub fn need(&self, key: &str, what: &str) -> Result<&Self, Flaw> {
        self.map(what)?;
        self.get(key).ok_or_else(|| Flaw::new(self.line, format!("{what} has no '{key}'; add it")))
    }

    /// Fails if this is no mapping or has a key outside `known`. `what` describes the mapping.
    pub fn only(&self, known: &[&str], what: &str) -> Result<(), Flaw> {
        let listed = known.join(", ");
        let entries = self.map(&format!("{what} to be a mapping with the keys {listed}"))?;
        match entries.iter().find(|entry| !known.contains(&entry.key.as_str())) {
            None => Ok(()),
            Some(YamlEntry { key, line, .. }) => {
                Err(Flaw::new(*line, format!("found key '{key}', expected {what} to have only: {listed}")))
            }
        }
    }

    /// Returns the text. `what` describes it for the message. An empty text is an error.
    pub fn text(&self, what: &str) -> Result<&str, Flaw> {
        match &self.value {
            Value::Text(text) if !text.is_empty() => Ok(text),
            other => Err(Flaw::new(self.line, format!("found {other}, expected {what}"))),
        }
    }

    /// Returns the whole number, which must be at least `least` and at most `most`. `what` describes it for
    /// the message.
    pub fn number(&self, what: &str, least: u32, most: u32) -> Result<u32, Flaw> {
        let number = match &self.value {
            Value::Text(text) => text.parse().ok().filter(|number| (least..=most).contains(number)),
            _ => None,
        };
        number.ok_or_else(|| {
            let problem =
                format!("found {}, expected {what}: a whole number from {least} to {most}", self.value);
            Flaw::new(self.line, problem)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_know_their_lines() -> Result<(), Box<dyn std::error::Error>> {
        let text = "---\n# a comment\n- name: a\n  dims: {x: 1,\n         y: 2}\n- b\n";
        let root = parse(text).map_err(|flaw| flaw.problem)?;
        let items = root.list("a list").map_err(|flaw| flaw.problem)?;
        let dims = items[0].get("dims").ok_or("no dims")?;
        assert_eq!((items[0].line, dims.line, items[1].line), (3, 4, 6));
        let y = dims.get("y").ok_or("no y")?;
        assert_eq!((y.line, y.number("y", 0, 9)), (5, Ok(2)));
        assert_eq!(items[1].value, Value::Text("b".to_owned()));
        Ok(())
    }

    #[test]
    fn texts_that_are_no_tree_are_named() {
        let deep = "[".repeat(100);
        for (text, line, problem) in [
            ("", 1, "found nothing, expected a list of topologies"),
            ("a: 1\nb: 2\na: 3\n", 3, "found key 'a' again, expected it only in line 1"),
            ("a: &x 1\nb: *x\n", 2, "found an alias (*name), expected a value; write the value out"),
            ("[1, 2]: 3\n", 1, "found a list as a key, expected a word"),
            ("a: [1, 2\n", 2, "no YAML: "),
            (&deep, 1, "found more than 64 levels of lists and mappings"),
        ] {
            let flaw = parse(text).expect_err(text);
            assert!(flaw.line == line && flaw.problem.starts_with(problem), "{text}: {flaw:?}");
        }
    }
}
