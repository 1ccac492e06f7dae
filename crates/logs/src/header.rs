//! The header of a log: its comment lines, unchanged, and the values in them.
#![expect(
    clippy::arithmetic_side_effects,
    reason = "at most the bytes of the kept lines and of one more line"
)]

use std::borrow::Cow;
use std::fmt::Write as _;

use nom::bytes::complete::{tag, take_while1};
use nom::character::complete::{digit1, space0};
use nom::combinator::{fail, not, opt, recognize};
use nom::sequence::{delimited, terminated};
use nom::{IResult, Parser};

/// The comment lines of a log in their order. Each line starts with its `;` and has no line end. Lines need
/// not be UTF-8.
///
/// The header of a real log is some kilobytes long. No more than 20,000 lines and 4 MiB of a log's comments
/// are kept, so that a file of comments only cannot fill the memory.
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

    /// Adds a line of a log at the end, unless the header has its greatest size already, and returns whether
    /// it did.
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
    /// A line `; Key: value` begins an entry. The lines after it that have no key continue its value; they
    /// are joined by one space each. An empty comment ends the entry. O(size of the header).
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

    /// Returns the first value of `key`, whose case does not matter. `None` if the key is missing, or if its
    /// first value is empty or `N/A`.
    pub fn get(&self, key: &str) -> Option<String> {
        let (_, value) = self.entries().into_iter().find(|(name, _)| name.eq_ignore_ascii_case(key))?;
        (!value.is_empty() && !value.eq_ignore_ascii_case("n/a")).then_some(value)
    }

    /// Returns the integer at the start of the first value of `key`, such as 1664 for `MaxProcs: 1664 (72,
    /// 1368, 224)`. `None` if [`Self::get`] finds no value, the value does not begin with an integer, or the
    /// integer exceeds 64 bits.
    pub fn number(&self, key: &str) -> Option<i64> {
        let value = self.get(key)?;
        let (_, number) = leading_integer(&value).ok()?;
        number.parse().ok()
    }

    /// Returns `MaxProcs`, the number of processors of the machine; `None` if it is missing or not positive.
    pub fn max_procs(&self) -> Option<i64> {
        self.number("MaxProcs").filter(|&procs| procs > 0)
    }

    /// Returns `MaxNodes`, the nodes of the machine; `None` if missing or not positive. A node has one or
    /// more processors.
    pub fn max_nodes(&self) -> Option<i64> {
        self.number("MaxNodes").filter(|&nodes| nodes > 0)
    }

    /// Returns the number of processors of the machine: `MaxProcs`, or `MaxNodes` if `MaxProcs` is missing or
    /// not positive. `None` if neither is positive.
    pub fn processors(&self) -> Option<i64> {
        self.max_procs().or_else(|| self.max_nodes())
    }

    /// Returns `UnixStartTime`, the origin of submit times in seconds since 1970; `None` if missing or no
    /// integer.
    pub fn unix_start_time(&self) -> Option<i64> {
        self.number("UnixStartTime")
    }

    /// Returns the numbers and names of the entries `key`, such as 1 and `batch` for `Partition: 1 batch`. A
    /// name ends before a remark: two blanks, an opening parenthesis or a dash between blanks. A name in
    /// quotation marks, as written by [`quoted`], is taken whole. Entries without a name are skipped.
    pub fn listed(&self, key: &str) -> Vec<Listed> {
        let entry = |(name, value): (String, String)| {
            let (number, rest) =
                value.split_once(char::is_whitespace).filter(|_| name.eq_ignore_ascii_case(key))?;
            let number = number.parse().ok()?;
            if let Ok(name) = serde_json::from_str::<String>(rest.trim()) {
                return Some(Listed { number, name, is_quoted: true })
                    .filter(|one| !one.name.trim().is_empty());
            }
            let rest = rest.trim_start().trim_start_matches("- ");
            let end = REMARKS.iter().filter_map(|end| rest.find(end)).min().unwrap_or(rest.len());
            let found = rest[..end].trim();
            (!found.is_empty()).then(|| Listed { number, name: found.to_owned(), is_quoted: false })
        };
        self.entries().into_iter().filter_map(entry).collect()
    }

    /// Returns the processors of a partition, by its number and name; `None` if the header lacks them. They
    /// follow the total in `MaxProcs`, or in an equal `MaxNodes`, in parentheses: one for each partition, as
    /// in `MaxProcs: 1664 (72, 1368, 224)`, or with names, as in `MaxNodes: 400 (48 interactive, 352 batch)`.
    pub fn partition_procs(&self, number: i64, name: &str) -> Option<i64> {
        let is_in_nodes = self.max_procs().is_none() || self.max_procs() == self.max_nodes();
        let in_procs = self.get("MaxProcs").and_then(|value| self.part_of(&value, number, name));
        in_procs.or_else(|| self.part_of(&self.get("MaxNodes").filter(|_| is_in_nodes)?, number, name))
    }

    /// Returns the size of a partition in the parentheses of `value`, if given.
    fn part_of(&self, value: &str, number: i64, name: &str) -> Option<i64> {
        let list = value.split_once('(')?.1.split_once(')')?.0;
        let part = |item: &str| {
            let (size, name) = item.trim().split_once(' ').unwrap_or((item.trim(), ""));
            Some((size.parse::<i64>().ok().filter(|&size| size > 0)?, name.trim().to_owned()))
        };
        let parts = list.split(',').map(part).collect::<Option<Vec<_>>>()?;
        if let Some((size, _)) = parts.iter().find(|(_, other)| !other.is_empty() && other == name) {
            return Some(*size);
        }
        let sum: i64 = parts.iter().map(|(size, _)| size).sum();
        let is_by_number = parts.iter().all(|(_, name)| name.is_empty())
            && self.number("MaxPartitions") == i64::try_from(parts.len()).ok()
            && leading_integer(value).is_ok_and(|(_, total)| total.parse() == Ok(sum));
        let at = usize::try_from(number.checked_sub(1)?).ok()?;
        parts.get(at).filter(|_| is_by_number).map(|(size, _)| *size)
    }

    /// Returns the values of all `Note` entries, in order.
    pub fn notes(&self) -> Vec<String> {
        let is_note = |(key, value): (String, String)| key.eq_ignore_ascii_case("note").then_some(value);
        self.entries().into_iter().filter_map(is_note).collect()
    }
}

/// The name of a number in a header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// The number.
    pub number: i64,
    /// The name.
    pub name: String,
    /// Whether the name stood in quotation marks. Other names may be remarks on the number.
    pub is_quoted: bool,
}

/// What a remark after a name begins with.
const REMARKS: [&str; 3] = ["  ", " (", " - "];

/// Quotes a name for [`Header::listed`]: unchanged, or as a JSON string if it could be read as a remark or a
/// number. Invisible and direction-changing characters are escaped.
pub fn quoted(name: &str) -> Cow<'_, str> {
    let is_hidden = |c: char| c.escape_debug().len() > 1 && !matches!(c, '"' | '\'' | '\\');
    let is_plain = name.trim() == name
        && !name.starts_with(['"', '-'])
        && name.parse::<i64>().is_err()
        && !REMARKS.iter().any(|end| name.contains(end))
        && !name.chars().any(is_hidden);
    if is_plain {
        return Cow::Borrowed(name);
    }
    let mut text = String::new();
    for c in serde_json::Value::from(name).to_string().chars() {
        if is_hidden(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                // Writing to memory cannot fail.
                let _ = write!(text, "\\u{unit:04x}");
            }
        } else {
            text.push(c);
        }
    }
    Cow::Owned(text)
}

/// Parses the key of a header line after its `;`: one word, perhaps with blanks around it, and a colon. The
/// colon of an address such as `http://` does not count.
fn key(text: &str) -> IResult<&str, &str> {
    let word = take_while1(|c: char| c.is_alphanumeric() || c == '_' || c == '-');
    let (rest, key) = delimited(space0, word, (space0, tag(":"))).parse(text)?;
    if rest.starts_with("//") {
        return fail().parse(text);
    }
    Ok((rest, key))
}

/// Parses an integer at the start of `text`. It must not be the beginning of something else, such as a
/// fraction, a word or a number whose digits are grouped by commas.
fn leading_integer(text: &str) -> IResult<&str, &str> {
    let part_of_number = |c: char| c.is_alphanumeric() || c == '.';
    let end = (not(take_while1(part_of_number)), not((tag(","), digit1)));
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
             ; MaxMemory: 1.5\n; MaxPartitions: 1,024\n; Acknowledge:\n;;Computer: X",
        );
        assert_eq!(header.get("version").as_deref(), Some("SWF v2"));
        assert_eq!((header.number("MaxJobs"), header.max_procs()), (Some(51987), Some(1664)));
        assert_eq!((header.max_nodes(), header.processors()), (Some(184), Some(1664)));
        assert_eq!((header.get("MaxRuntime"), header.number("MaxQueues")), (None, Some(4)));
        assert_eq!((header.unix_start_time(), header.number("TimeZone")), (Some(0), Some(-28800)));
        assert_eq!(header.get("StartTime").as_deref(), Some("2014-05-22 10:57:59"));
        assert_eq!(header.get("Preemption").as_deref(), Some("No"));
        assert_eq!((header.number("MaxMemory"), header.get("Acknowledge")), (None, None));
        assert_eq!(header.number("MaxPartitions"), None);
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
    fn partitions_have_names_and_sizes_where_the_header_tells_them() {
        let ds =
            header("; MaxNodes: 184  ( 6,  171,   7)\n; MaxProcs: 1664 (72, 1368, 224)\n; MaxPartitions: 3");
        assert_eq!([1, 2, 3, 4].map(|n| ds.partition_procs(n, "x")), [Some(72), Some(1368), Some(224), None]);
        let par = header(
            "; MaxNodes: 400 (48 interactive, 352 batch, 6 service, 10 I/O)\n; MaxProcs: 400\n; \
             MaxPartitions: 2\n\
             ; Partition:  1  interactive    \n; Partition:  2  batch  ",
        );
        let names = |header: &Header, key: &str| -> Vec<(i64, String)> {
            header.listed(key).into_iter().map(|listed| (listed.number, listed.name)).collect()
        };
        assert_eq!(names(&par, "Partition"), [(1, "interactive".to_owned()), (2, "batch".to_owned())]);
        assert_eq!(par.partition_procs(2, "batch"), Some(352));
        assert_eq!(par.partition_procs(2, "2"), None);
        // Multi-processor nodes do not give processors, and neither does a list of other things.
        for text in [
            "; MaxNodes: 184 (6, 178)\n; MaxProcs: 1664\n; MaxPartitions: 2",
            "; MaxProcs: 1664 (72, 1368, 224)\n; MaxPartitions: 2",
            "; MaxProcs: 1664 (72, 1368, 225)\n; MaxPartitions: 3",
            "; MaxProcs: 1664 (72, many, 224)\n; MaxPartitions: 3",
        ] {
            assert_eq!(header(text).partition_procs(1, "1"), None, "{text}");
        }
        let queues = header(
            ";Queue:  1  express          (p655 /  2hr)\n; Queue: 2 - Besteffort jobs queue - low \
             priority\n; Queue:  3 \n\
             ; Queue: 4 a b (c)\n; Queue: x y",
        );
        let found: Vec<String> =
            names(&queues, "queue").into_iter().map(|(n, name)| format!("{n}={name}")).collect();
        assert_eq!(found, ["1=express", "2=Besteffort jobs queue", "4=a b"]);
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

    #[test]
    fn every_name_is_read_back_as_it_was_written() {
        let names = [
            "anna",
            "O'Brien",
            "1001",
            "a  b",
            "hpc - bio",
            "proj (old)",
            "-1",
            "\"",
            "\\",
            "a\nb",
            "\u{202e}x",
            "\u{e000}😀",
        ];
        assert_eq!(header("; User: 3 \"\"\n; User: 4 \" \"").listed("User"), []);
        for name in names {
            let text = format!("; User: 3 {}", quoted(name));
            let found = header(&text).listed("User");
            assert_eq!(found.iter().map(|listed| listed.name.as_str()).collect::<Vec<_>>(), [name], "{text}");
            assert!(!text.chars().any(|c| c == '\u{202e}' || c.is_control()), "{text:?}");
        }
    }
}
