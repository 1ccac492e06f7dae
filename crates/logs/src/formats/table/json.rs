//! Records of JSON as the rows of a table: objects in a list, as pandas and `condor_history -json` write
//! them, or one object on each line. The keys are the heading.
//!
//! The text is read as a stream, cut behind each `}`. Members of objects within a record have keys such as
//! `time.start`, and the items of a list are joined by commas. Keys may differ among records: a log in a file
//! is looked at for all of them first. Numbers of instants that are too large for seconds count milliseconds
//! or less, as pandas writes dates.

use super::field::{COUNT, FIELDS};
use super::layout::Layout;
use super::{Delimiter, Parsed, Preview, Problem, Table, TraceError};
use crate::fields::parsed;
use crate::formats::json_text::{Event, JsonText};
use crate::times::{TimeUnit, UNITS};
use foldhash::{HashMap, HashMapExt};

/// The most records that are looked at for their keys before the first one is read.
const LOOKED_AT: usize = 10_000;

/// The most columns of a table.
const MOST_KEYS: usize = 1000;

/// Returns whether the first line of a log is that of JSON records, and not of another JSON text.
pub(in crate::formats) fn is_json(line: &[u8]) -> bool {
    let line = line.trim_ascii();
    let has = |text: &[u8]| memchr::memmem::find(line, text).is_some();
    let is_record = line.starts_with(b"{\"") && line.ends_with(b"}") && has(b",");
    line == b"[" || line.starts_with(b"[{") || is_record && !has(b"\"jobs\"")
}

/// The key and the value of a member of a record.
type Member = (Vec<u8>, Vec<u8>);

/// The JSON text of a log, and the record that is being read.
pub(super) struct JsonRows {
    text: JsonText,
    record: JsonRecord,
    /// All keys, in the order of their appearance, and the place of each.
    keys: Vec<Vec<u8>>,
    places: HashMap<Vec<u8>, usize>,
    /// Whether the layout knows all keys.
    is_known: bool,
}

/// A record that is being read.
#[derive(Default)]
struct JsonRecord {
    /// Whether each open bracket is that of an object, and the length of its path.
    open: Vec<(bool, usize)>,
    /// The keys that lead to the member that was read last.
    path: Vec<u8>,
    /// The members that were read.
    members: Vec<Member>,
    is_over: bool,
}

impl JsonRecord {
    /// Takes the next event. A record is an object that is in no other object.
    fn take(&mut self, event: Event) {
        match event {
            Event::Object | Event::List => self.open.push((event == Event::Object, self.path.len())),
            Event::End => {
                let Some((is_object, length)) = self.open.pop() else { return };
                self.path.truncate(length);
                self.is_over |= is_object && !self.open.iter().any(|(is_object, _)| *is_object);
            }
            Event::Key(key) => {
                let length = self.open.last().map_or(0, |(_, length)| *length);
                self.path.truncate(length);
                if !self.path.is_empty() {
                    self.path.push(b'.');
                }
                self.path.extend_from_slice(key);
            }
            Event::Text(text) => self.value(text),
            Event::Plain(text) => self.value(if text == b"null" { b"" } else { text }),
        }
    }

    /// Takes a value, which may be one of several items.
    fn value(&mut self, text: &[u8]) {
        let is_item = self.open.last().is_some_and(|(is_object, _)| !is_object);
        match self.members.last_mut() {
            Some((key, value)) if is_item && *key == self.path => {
                value.push(b',');
                value.extend_from_slice(text);
            }
            // Texts outside of records belong to none.
            _ if self.path.is_empty() => {}
            _ => self.members.push((self.path.clone(), text.to_vec())),
        }
    }
}

impl JsonRows {
    /// Returns the state before a text that begins with this line; `None` if it is no JSON.
    pub(super) fn begin(first: &[u8]) -> Option<Self> {
        (is_json(first) || first.trim_ascii() == b"{").then(Self::new)
    }

    fn new() -> Self {
        let (text, record) = (JsonText::new(), JsonRecord::default());
        Self { text, record, keys: Vec::new(), places: HashMap::new(), is_known: false }
    }

    /// Reads a piece. Returns the members of the record that ends in it, if one does.
    fn push(&mut self, piece: &[u8]) -> Result<Option<Vec<Member>>, Problem> {
        let record = &mut self.record;
        let pushed = self.text.push(piece, &mut |event| record.take(event));
        pushed.map_err(|problem| Problem::Heading(format!("the JSON text is malformed: {problem}")))?;
        if !std::mem::take(&mut record.is_over) {
            return Ok(None);
        }
        let members = std::mem::take(&mut record.members);
        for (key, _) in &members {
            if self.keys.len() < MOST_KEYS && !self.places.contains_key(key) {
                self.places.insert(key.clone(), self.keys.len());
                self.keys.push(key.clone());
                self.is_known = false;
            }
        }
        Ok(Some(members))
    }

    /// Finds the keys of the first records. The reading itself reports problems of the text.
    pub(super) fn find_keys(&mut self, lines: Preview<'_>) -> Result<(), TraceError> {
        let mut look = Self::new();
        for _ in 0..LOOKED_AT {
            match lines()? {
                Some(piece) if look.push(&piece).is_ok() => {}
                _ => break,
            }
        }
        (self.keys, self.places) = (look.keys, look.places);
        Ok(())
    }

    /// Fails if the text is not whole.
    pub(super) fn finish(&self) -> Result<(), Problem> {
        let problem = || Problem::Heading("the JSON text ends early; get the file again".to_owned());
        if self.text.is_whole() { Ok(()) } else { Err(problem()) }
    }
}

impl Table {
    /// Reads the text up to the next `}`, which ends at most one record.
    pub(super) fn json_piece(&mut self, piece: &[u8]) -> Result<Parsed, Problem> {
        let Some(json) = &mut self.json else { return Ok(Parsed::Part) };
        let Some(members) = json.push(piece)? else { return Ok(Parsed::Part) };
        let is_known = std::mem::replace(&mut json.is_known, true);
        let mut values = vec![&b""[..]; json.keys.len()];
        for (key, value) in &members {
            if let Some(&at) = json.places.get(key) {
                values[at] = value;
            }
        }
        self.cells.set(values.into_iter());
        if !is_known {
            let names = json.keys.iter().map(|key| String::from_utf8_lossy(key).into_owned()).collect();
            self.add_keys(names)?;
        }
        self.guess_units();
        self.any_row()
    }

    /// Sets the columns of these keys. A field keeps the column that it has.
    fn add_keys(&mut self, names: Vec<String>) -> Result<(), Problem> {
        let mut layout = Layout::of_heading(&self.options, names).map_err(Problem::Heading)?;
        if let Some(lacks) = layout.lacks() {
            return Err(Problem::Heading(layout.complaint(lacks, &self.cells.texts())));
        }
        if let Some(problem) = layout.alike_names() {
            return Err(Problem::Heading(problem));
        }
        for field in (0..COUNT).filter(|field| self.has_begun && self.layout.columns[*field].is_some()) {
            layout.columns[field] = self.layout.columns[field];
            layout.units[field] = self.layout.units[field];
        }
        (self.has_begun, self.delimiter, self.layout) = (true, Delimiter::Byte(b','), layout);
        Ok(())
    }

    /// Gives instants without a unit the one in which their number is a time of this age.
    fn guess_units(&mut self) {
        for field in (0..COUNT).filter(|field| FIELDS[*field].kind.is_instant()) {
            let unit = self.cell(field).and_then(parsed::<f64>).and_then(unit_of_number);
            if let Some(unit) = unit
                && self.layout.units[field].is_none()
            {
                self.layout.units[field] = Some(unit);
                self.layout.share_unit();
            }
        }
    }
}

/// Returns the unit of a number of times since 1970 that is beyond seconds; `None` for one that may count
/// seconds.
fn unit_of_number(number: f64) -> Option<&'static TimeUnit> {
    /// The year 5138 in seconds.
    const LAST_S: f64 = 1e11;
    let [micros, millis, ..] = &UNITS;
    [millis, micros].into_iter().find(|unit| {
        let seconds = number * (unit.micros as f64) / 1e6;
        number >= LAST_S && seconds < LAST_S
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::table::TABLE;

    /// Reads a text in pieces behind each `}`, as the reader does.
    fn read(text: &str) -> Result<(Vec<[i64; 5]>, Vec<String>), Problem> {
        let mut parser = (TABLE.parser)(&"table:time-zone=UTC".parse().expect("a spec")).expect("a parser");
        parser.look(text.as_bytes());
        let mut jobs = Vec::new();
        for piece in text.split_inclusive('}') {
            if let Parsed::Record(job, _) = parser.parse(piece.as_bytes())? {
                jobs.push([job.job, job.submit_s, job.wait_s, job.run_s, job.allocated_procs]);
            }
        }
        parser.finish()?;
        Ok((jobs, parser.facts().notes))
    }

    #[test]
    fn records_in_a_list_and_on_lines_are_the_same_rows() -> Result<(), Problem> {
        let first = r#"{"job_id": 7, "submit": "2024-05-01 10:00:00", "start": "2024-05-01 10:01:00", "end":
            "2024-05-01 11:01:00", "nodes": 4, "user": {"name": "a}b"}}"#;
        let second = r#"{"nodes": 2, "job_id": "8", "submit": "2024-05-01T10:00:05Z", "more": [1, "x", null],
            "start": "2024-05-01 10:00:05", "end": null, "duration": 30}"#;
        let expected = [[7, 1_714_557_600, 60, 3600, 4], [8, 1_714_557_605, 0, 30, 2]];
        for text in [format!("[{first},\n {second}]\n"), format!("{first}\n{second}\n")] {
            assert_eq!(read(&text)?.0, expected, "{text}");
        }
        Ok(())
    }

    #[test]
    fn large_numbers_count_milliseconds() -> Result<(), Problem> {
        let text = r#"[{"submit": 1717200000000, "start": 1717200030000, "duration": 900000, "nodes": 2}]"#;
        let (jobs, notes) = read(text)?;
        assert_eq!(jobs, [[1, 1_717_200_000, 30, 900, 2]]);
        assert!(notes.iter().any(|note| note.contains("numbers in column 'duration'")), "{notes:?}");
        Ok(())
    }

    #[test]
    fn keys_that_are_alike_are_refused() {
        let row = r#"{"submit": 1, "run": 5, "nod=es": 2}{"submit": 1, "run": 5, "nodes": 2}"#;
        let found = read(row).expect_err("two keys").to_string();
        assert!(found.contains("'nod=es' and 'nodes'") && found.contains("--columns procs=nodes"), "{found}");
    }

    #[test]
    fn texts_that_are_no_records_say_what_was_expected() {
        for (text, problem) in [
            ("[{\"submit\": 1,", "ends early"),
            ("[{\"submit\": 1 2}]", "malformed: a comma"),
            ("[{\"submit\": 1}]", "no column is known to hold the number of processors"),
            ("{\"meta\": {\"a\": 1}, \"list\": []}", "no column is known to hold a submit time"),
        ] {
            let found = read(text).expect_err(text).to_string();
            assert!(found.contains(problem), "{text}: {found}");
        }
        for (line, expected) in [
            ("[{\"a\": 1}]", true),
            (" [", true),
            ("{\"a\": 1, \"b\": {\"c\": 2}}", true),
            ("{\"jobs\": [1, {}]}", false),
            ("{", false),
            ("a,b", false),
        ] {
            assert_eq!(is_json(line.as_bytes()), expected, "{line}");
        }
    }
}
