//! The header of a log: its comment lines, unchanged, and the values in them.

use nom::bytes::complete::{tag, take_while1};
use nom::character::complete::{digit1, space0};
use nom::combinator::{fail, not, opt, recognize};
use nom::sequence::{delimited, terminated};
use nom::{IResult, Parser};

/// The comment lines of a log in their order. Each line starts with its `;` and has no line end. Lines need not be
/// UTF-8.
///
/// The header of a real log is some kilobytes long. No more than 20,000 lines and 4 MiB of a log's comments are kept, so that a file of comments only cannot fill the memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Header {
    lines: Vec<Vec<u8>>,
    /// The length of all lines in bytes.
    bytes: usize,
}

/// The greatest number of lines of a header that are kept.
const HEADER_LINES: usize = 20_000;

/// The greatest number of bytes of a header that are kept.
const HEADER_BYTES: usize = 4 << 20;

impl Header {
    /// Adds a line at the end. The line should begin with `;`.
    pub fn push(&mut self, line: &[u8]) {
        self.bytes += line.len();
        self.lines.push(line.to_vec());
    }

    /// Adds a line of a log at the end, unless the header has its greatest size already, and returns whether it did.
    pub(super) fn keep(&mut self, line: &[u8]) -> bool {
        let has_room = self.lines.len() < HEADER_LINES && self.bytes + line.len() <= HEADER_BYTES;
        if has_room {
            self.push(line);
        }
        has_room
    }

    /// Returns the lines, unchanged and in their order.
    pub fn lines(&self) -> impl Iterator<Item = &[u8]> {
        self.lines.iter().map(Vec::as_slice)
    }

    /// Returns the keys and values in their order; an empty list if no line has a key.
    ///
    /// A line `; Key: value` begins an entry. The lines after it that have no key continue its value; they are joined
    /// by one space each. An empty comment ends the entry. O(size of the header).
    pub fn entries(&self) -> Vec<(String, String)> {
        let mut entries: Vec<(String, String)> = Vec::new();
        // Whether a line without a key continues the last entry.
        let mut open = false;
        for line in &self.lines {
            let text = String::from_utf8_lossy(line);
            let text = text.trim_start().trim_start_matches(';').trim_end();
            if let Ok((value, key)) = key(text) {
                entries.push((key.to_owned(), value.trim().to_owned()));
                open = true;
            } else if text.trim().is_empty() {
                open = false;
            } else if let Some((_, value)) = entries.last_mut().filter(|_| open) {
                value.push(' ');
                value.push_str(text.trim());
            }
        }
        entries
    }

    /// Returns the first value of `key`, whose case does not matter. `None` if the key is missing, or if its first
    /// value is empty or `N/A`.
    pub fn get(&self, key: &str) -> Option<String> {
        let (_, value) = self.entries().into_iter().find(|(name, _)| name.eq_ignore_ascii_case(key))?;
        (!value.is_empty() && !value.eq_ignore_ascii_case("n/a")).then_some(value)
    }

    /// Returns the integer at the start of the first value of `key`, such as 1664 for `MaxProcs: 1664 (72, 1368, 224)`.
    /// `None` if [`Self::get`] finds no value, the value does not begin with an integer, or the integer exceeds 64
    /// bits.
    pub fn number(&self, key: &str) -> Option<i64> {
        let value = self.get(key)?;
        let (_, number) = leading_integer(&value).ok()?;
        number.parse().ok()
    }

    /// Returns `MaxProcs`, the number of processors of the machine; `None` if it is missing or not positive.
    pub fn max_procs(&self) -> Option<i64> {
        self.number("MaxProcs").filter(|&procs| procs > 0)
    }

    /// Returns `MaxNodes`, the number of nodes of the machine, each of which has one or more processors; `None` if it
    /// is missing or not positive.
    pub fn max_nodes(&self) -> Option<i64> {
        self.number("MaxNodes").filter(|&nodes| nodes > 0)
    }

    /// Returns the number of processors of the machine: `MaxProcs`, or `MaxNodes` if `MaxProcs` is missing or not
    /// positive. `None` if neither is positive.
    pub fn processors(&self) -> Option<i64> {
        self.max_procs().or_else(|| self.max_nodes())
    }

    /// Returns `UnixStartTime`, the time at which submit times are 0, in seconds since 1970; `None` if it is missing or
    /// no integer.
    pub fn unix_start_time(&self) -> Option<i64> {
        self.number("UnixStartTime")
    }

    /// Returns the values of all `Note` entries in their order; an empty list if there are none.
    pub fn notes(&self) -> Vec<String> {
        let is_note = |(key, value): (String, String)| key.eq_ignore_ascii_case("note").then_some(value);
        self.entries().into_iter().filter_map(is_note).collect()
    }
}

/// Parses the key of a header line after its `;`: one word, perhaps with blanks around it, and a colon. The colon of an
/// address such as `http://` does not count.
fn key(text: &str) -> IResult<&str, &str> {
    let word = take_while1(|c: char| c.is_alphanumeric() || c == '_' || c == '-');
    let (rest, key) = delimited(space0, word, (space0, tag(":"))).parse(text)?;
    if rest.starts_with("//") {
        return fail().parse(text);
    }
    Ok((rest, key))
}

/// Parses an integer at the start of `text`. It must not be the beginning of something else, such as a fraction or a
/// word.
fn leading_integer(text: &str) -> IResult<&str, &str> {
    let part_of_number = |c: char| c.is_alphanumeric() || c == '.';
    let end = not(take_while1(part_of_number));
    terminated(recognize((opt(tag("-")), digit1)), end).parse(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(text: &str) -> Header {
        let mut header = Header::default();
        text.lines().for_each(|line| header.push(line.as_bytes()));
        header
    }

    #[test]
    fn values_are_found_however_they_are_written() {
        let header = header(
            ";Version: SWF v2\n;       MaxJobs: 51987\n; MaxProcs: 1664 (72, 1368, 224)\n\
             ; maxnodes: 184  ( 6,  171,   7)\n;MaxRuntime: N/A\n; MaxQueues: 4\n; MaxQueues: 3\n\
             ; UnixStartTime: 0 \n; StartTime: 2014-05-22 10:57:59\n; TimeZone: -28800\n;\tPreemption :\tNo\n\
             ; MaxMemory: 1.5\n; Acknowledge:\n;;Computer: X",
        );
        assert_eq!(header.get("version").as_deref(), Some("SWF v2"));
        assert_eq!((header.number("MaxJobs"), header.max_procs()), (Some(51987), Some(1664)));
        assert_eq!((header.max_nodes(), header.processors()), (Some(184), Some(1664)));
        assert_eq!((header.get("MaxRuntime"), header.number("MaxQueues")), (None, Some(4)));
        assert_eq!((header.unix_start_time(), header.number("TimeZone")), (Some(0), Some(-28800)));
        assert_eq!(header.get("StartTime").as_deref(), Some("2014-05-22 10:57:59"));
        assert_eq!(header.get("Preemption").as_deref(), Some("No"));
        assert_eq!((header.number("MaxMemory"), header.get("Acknowledge")), (None, None));
        assert_eq!(header.get("Computer").as_deref(), Some("X"));
    }

    #[test]
    fn continuations_belong_to_the_line_above() {
        let header = header(
            "; Information: http://a.example/\n;              http://b.example/\n; Note: wait times are\n\
             ;       unknown\n;\n; 1|   2|   3|\n; Note: THIS IS A CLEANED VERSION OF THE LOG!\n\
             ;         user=2 (305178 jobs removed)\n;         submit<=2006-12-18 00:00:00 (1 job removed)",
        );
        assert_eq!(header.get("information").as_deref(), Some("http://a.example/ http://b.example/"));
        let removed = "user=2 (305178 jobs removed) submit<=2006-12-18 00:00:00 (1 job removed)";
        assert_eq!(
            header.notes(),
            ["wait times are unknown".to_owned(), format!("THIS IS A CLEANED VERSION OF THE LOG! {removed}")]
        );
    }

    #[test]
    fn a_header_without_a_machine_says_so() {
        for text in
            ["", "; MaxProcs: 0", "; MaxProcs: -1", "; MaxProcs: many", "; MaxProcs: 99999999999999999999"]
        {
            assert_eq!(header(text).processors(), None, "{text}");
        }
        assert_eq!(header("; MaxNodes: 256").processors(), Some(256));
    }

    #[test]
    fn bytes_that_are_no_text_stay_as_they_are() {
        let mut header = Header::default();
        header.push(b"; Acknowledge: \xc5ke");
        assert_eq!(header.lines().collect::<Vec<_>>(), [b"; Acknowledge: \xc5ke"]);
        assert_eq!(header.get("acknowledge").as_deref(), Some("\u{fffd}ke"));
    }
}
