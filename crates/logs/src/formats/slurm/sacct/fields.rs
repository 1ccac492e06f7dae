//! The fields of a dump of `sacct`: splits lines, finds out which field is which, and reads sizes and run
//! times.
#![expect(
    clippy::arithmetic_side_effects,
    reason = "columns are positions in a line plus 1; fields are counted, of which a line has fewer than \
              2^32, and every sum of surplus fields is at most their number; instants are between the years \
              0 and 9999"
)]

use std::ops::Range;

use memchr::memchr_iter;

use super::columns::{BAR, COLUMNS, Column, Heading, Separator, name_of};
use crate::error::Problem;
use crate::formats::cells::{Cells, Delimiter, QuoteFault};
use crate::formats::slurm::job::{Fate, fate};
use crate::formats::slurm::tres::{Resources, quantity};
use crate::nodes::NodeList;
use crate::times::{Clock, Pair, SECONDS, duration, is_missing};
use crate::unit::Unit;

/// The fields of a line, by column. Columns that the dump does not have are empty.
pub(super) type Fields<'a> = [&'a [u8]; COLUMNS];

/// Returns the problem of a field that is not what was expected.
#[cold]
pub(super) fn malformed(heading: &Heading, column: Column, found: &[u8], expected: &str) -> Problem {
    Problem::column(heading.fields[column as usize], name_of(column), found, expected)
}

/// Returns the run time in seconds, without suspensions; `None` if missing, or if it is negative, as after a
/// clock was set back, and `is_needed` is false.
pub(super) fn elapsed(heading: &Heading, fields: &Fields, is_needed: bool) -> Result<Option<i64>, Problem> {
    let raw = heading.has(&[Column::ElapsedRaw]);
    let column = if raw { Column::ElapsedRaw } else { Column::Elapsed };
    let found = fields[column as usize];
    if found.starts_with(b"-") && !is_needed {
        return Ok(None);
    }
    duration(found, SECONDS, Pair::MinutesSeconds)
        .map_err(|expected| malformed(heading, column, found, expected))
}

/// Returns the start and the end, corrected by the run time: a local time that occurs twice, as clocks are
/// put back, gets the reading that agrees.
pub(super) fn agreeing(
    clock: &mut Clock,
    texts: [&[u8]; 2],
    times_s: [Option<i64>; 2],
    elapsed_s: Option<i64>,
) -> [Option<i64>; 2] {
    let ([Some(start_s), Some(end_s)], Some(elapsed_s)) = (times_s, elapsed_s) else { return times_s };
    if end_s - start_s == elapsed_s {
        return times_s;
    }
    let [later_start_s, later_end_s] =
        [(texts[0], start_s), (texts[1], end_s)].map(|(text, first_s)| clock.later_reading(text, first_s));
    if later_start_s.is_some_and(|start_s| end_s - start_s == elapsed_s) {
        [later_start_s, Some(end_s)]
    } else if later_end_s.is_some_and(|end_s| end_s - start_s == elapsed_s) {
        [Some(start_s), later_end_s]
    } else {
        times_s
    }
}

/// Returns the allocated and the requested resources. Their own columns take precedence over resource lists;
/// the node list counts only without any other number of nodes. A malformed number is an error if it is the
/// only source for `unit`.
pub(super) fn sizes(
    heading: &Heading,
    fields: &Fields,
    unit: Unit,
) -> Result<(Resources, Resources), Problem> {
    let number = |column: Column, counts: Unit| match fields[column as usize] {
        b"" => Ok(None),
        found => match quantity(found) {
            None if counts == unit => {
                Err(malformed(heading, column, found, "a whole number, such as 48 or 1.5K"))
            }
            number => Ok(number),
        },
    };
    let list = |column: Column, own: Resources| {
        let found = fields[column as usize];
        match Resources::parse(found) {
            None if own.in_unit(unit).is_none() => {
                Err(malformed(heading, column, found, "resources such as cpu=8,gres/gpu=4,node=2"))
            }
            resources => Ok(own.or(resources.unwrap_or_default())),
        }
    };
    let own = Resources {
        nodes: number(Column::Nodes, Unit::Nodes)?,
        cpus: number(Column::AllocCpus, Unit::Cpus)?,
        gpus: None,
    };
    let asked = Resources {
        nodes: number(Column::ReqNodes, Unit::Nodes)?,
        cpus: number(Column::ReqCpus, Unit::Cpus)?,
        gpus: None,
    };
    let mut allocated = list(Column::AllocTres, own)?;
    if allocated.nodes.is_none() && !fields[Column::NodeList as usize].is_empty() {
        let found = fields[Column::NodeList as usize];
        match NodeList::parse(&String::from_utf8_lossy(found)) {
            Ok(nodes) => allocated.nodes = i64::try_from(nodes.count()).ok(),
            Err(_) if unit == Unit::Nodes => {
                let expected = "names such as node[001-004,007],login1";
                return Err(malformed(heading, Column::NodeList, found, expected));
            }
            Err(_) => {}
        }
    }
    Ok((allocated, list(Column::ReqTres, asked)?))
}

/// How a line fits its heading.
#[expect(
    clippy::large_enum_variant,
    reason = "nearly every line has fields, which need no memory of their own"
)]
pub(super) enum Fit<'a> {
    /// The fields of the line.
    Fields(Fields<'a>),
    /// Fewer fields than the heading, with their number.
    Short(usize),
    /// A quote is not closed.
    Open,
    /// The line has more fields than the heading, and cannot be read.
    Unread(Problem),
}

impl<'a> Fit<'a> {
    /// Splits a line, whose free text may contain line ends. `cells` is scratch memory for quoted fields.
    pub(super) fn parse(heading: &Heading, cells: &'a mut Cells, line: &'a [u8]) -> Self {
        let pieces: Vec<&[u8]> = match &heading.separator {
            Separator::Quoted(byte) => {
                match cells.split(line, Delimiter::Byte(*byte), true) {
                    Ok(()) => {}
                    Err(QuoteFault { is_open: true, .. }) => return Self::Open,
                    Err(fault) => return Self::Unread(fault.problem(cells, line, "")),
                }
                let cells = &*cells;
                (1..=cells.count()).filter_map(|column| cells.get(column)).collect()
            }
            separator => {
                if *separator == Separator::Bar
                    && let Some(fields) = barred(heading, line)
                {
                    return Self::Fields(fields);
                }
                separator.split(line)
            }
        };
        let found = heading.without_end(pieces.len(), pieces.last().is_some_and(|piece| piece.is_empty()));
        Self::from_pieces(heading, &pieces[..found])
    }

    /// Returns how the pieces of a line fit.
    fn from_pieces(heading: &Heading, pieces: &[&'a [u8]]) -> Self {
        let (found, expected) = (pieces.len(), heading.columns.len());
        let Some(surplus) = found.checked_sub(expected) else { return Self::Short(found) };
        // A text alone has all of the surplus.
        if surplus == 0 || heading.free.len() == 1 {
            let spread = vec![surplus; heading.free.len()];
            return Self::Fields(placed(heading, pieces, &spread));
        }
        if let Some(fields) = only_reading(heading, pieces) {
            return Self::Fields(fields);
        }
        let is_quoted = matches!(heading.separator, Separator::Quoted(_));
        let rest = if is_quoted { pieces[expected] } else { pieces[found - 1] };
        let end = match heading.separator {
            _ if !heading.free.is_empty() => {
                "one reading in which dates, numbers and states stand where they belong; sacct without \
                     columns of free text has it"
            }
            Separator::Quoted(b',') => {
                "the end of the line, as a dump with commas needs quotes around fields that have some; sacct \
                     -P needs none"
            }
            _ => "the end of the line",
        };
        Self::Unread(Problem::column(expected + 1, "beyond the heading", rest, end))
    }
}

/// Returns the fields of a line with as many bars as the heading; `None` for all other lines. This is the
/// fast path, which allocates nothing.
fn barred<'a>(heading: &Heading, line: &'a [u8]) -> Option<Fields<'a>> {
    let mut fields = Fields::default();
    let (mut at, mut start) = (0, 0);
    for bar in memchr_iter(BAR, line) {
        if let Some(Some(column)) = heading.columns.get(at) {
            fields[*column as usize] = &line[start..bar];
        }
        (at, start) = (at + 1, bar + 1);
    }
    // The last field ends at the end of the line.
    if let Some(Some(column)) = heading.columns.get(at) {
        fields[*column as usize] = &line[start..];
    }
    (heading.without_end(at + 1, start == line.len()) == heading.columns.len()).then_some(fields)
}

/// Returns the places of columns that a line of dashes gives; `None` if the line is none.
pub(super) fn widths(line: &[u8]) -> Option<Vec<Range<usize>>> {
    let is_dashes = line.iter().all(|&byte| byte == b'-' || byte == b' ') && line.contains(&b'-');
    let (mut places, mut start): (Vec<Range<usize>>, usize) = (Vec::new(), 0);
    for run in line.split(|&byte| byte == b' ') {
        if !run.is_empty() {
            places.push(start..start + run.len());
        }
        start += run.len() + 1;
    }
    is_dashes.then_some(places)
}

// Finds out which field of a line is which, where text that users choose holds separators: dates, numbers
// and states must stand where they belong.

/// The greatest number of readings of one line that are tried.
const MOST: usize = 20_000;

/// Returns the fields of a line that has more of them than the heading, each text with some of the surplus.
/// `None` if no reading is plausible, or if several are and differ in fields that are read.
fn only_reading<'a>(heading: &Heading, pieces: &[&'a [u8]]) -> Option<Fields<'a>> {
    let surplus = pieces.len() - heading.columns.len();
    let mut spread = vec![0; heading.free.len()];
    *spread.first_mut()? = surplus;
    let mut only: Option<Fields> = None;
    for _ in 0..MOST {
        let mut fields = placed(heading, pieces, &spread);
        if is_plausible(heading, &fields) {
            // A reason is free text itself: readings may differ in it, and then it is not known.
            if let Some(only) = only
                && only[Column::Reason as usize] != fields[Column::Reason as usize]
            {
                fields[Column::Reason as usize] = b"";
            }
            let differs = |mut other: Fields<'a>| {
                other[Column::Reason as usize] = fields[Column::Reason as usize];
                other != fields
            };
            if only.is_some_and(differs) {
                return None;
            }
            only = Some(fields);
        }
        if !advance(&mut spread) {
            return only;
        }
    }
    None
}

/// Moves to the next way to spread a number over places, from all of it in the first place to all of it in
/// the last one. Returns false behind the last way.
fn advance(spread: &mut [usize]) -> bool {
    let Some((last, others)) = spread.split_last_mut() else { return false };
    let Some(at) = others.iter().rposition(|&part| part > 0) else { return false };
    others[at] -= 1;
    let moved = std::mem::take(last) + 1;
    spread[at + 1] = moved;
    true
}

/// Returns the fields of the pieces of a line, where text number i of the heading has `spread[i]` pieces more
/// than one.
pub(super) fn placed<'a>(heading: &Heading, pieces: &[&'a [u8]], spread: &[usize]) -> Fields<'a> {
    let mut fields = Fields::default();
    let (mut place, mut text) = (0, 0);
    for (at, column) in heading.columns.iter().enumerate() {
        if let (Some(column), Some(piece)) = (column, pieces.get(place)) {
            fields[*column as usize] = piece;
        }
        place += 1;
        if heading.free.get(text) == Some(&at) {
            place += spread[text];
            text += 1;
        }
    }
    fields
}

/// Returns whether every field is what its column holds.
pub(super) fn is_plausible(heading: &Heading, fields: &Fields) -> bool {
    heading.columns.iter().flatten().all(|&column| is_of(column, fields[column as usize]))
}

/// Returns whether the first pieces of a line, as many as `columns`, are what their columns hold.
pub(super) fn begins_plausibly(heading: &Heading, pieces: &[&[u8]], columns: usize) -> bool {
    let mut known = heading.columns.iter().zip(pieces).take(columns);
    known.all(|(column, piece)| column.is_none_or(|column| is_of(column, piece)))
}

/// Returns whether a column of these fields has a value, and one that belongs there.
pub(super) fn has(heading: &Heading, fields: &Fields, column: Column) -> bool {
    let text = fields[column as usize];
    heading.has(&[column]) && !text.is_empty() && is_of(column, text)
}

/// Returns true if the fields may be a job or a step: with a number or a submission.
pub(super) fn may_be_job(heading: &Heading, fields: &Fields) -> bool {
    has(heading, fields, Column::Submit) || is_numbered(heading, fields)
}

/// Returns true if the fields are a job or a step: with a number and a submission.
pub(super) fn is_job(heading: &Heading, fields: &Fields) -> bool {
    has(heading, fields, Column::Submit) && is_numbered(heading, fields)
}

/// The columns of the number of a job.
const NUMBERS: [Column; 2] = [Column::JobIdRaw, Column::JobId];

/// Returns whether fields have the number of a job or a step, and nothing else where such a number belongs.
fn is_numbered(heading: &Heading, fields: &Fields) -> bool {
    let is_other = |column: Column| {
        let text = fields[column as usize];
        heading.has(&[column]) && !text.is_empty() && !is_of(column, text)
    };
    NUMBERS.into_iter().any(|column| has(heading, fields, column)) && !NUMBERS.into_iter().any(is_other)
}

/// Returns true if only one of the two job number columns holds a number: the line ends in a free text that
/// continues on the next line.
pub(super) fn is_half_numbered(heading: &Heading, fields: &Fields) -> bool {
    NUMBERS.into_iter().any(|column| has(heading, fields, column)) && !is_numbered(heading, fields)
}

/// Returns whether a text is what a column holds.
fn is_of(column: Column, text: &[u8]) -> bool {
    match column {
        Column::JobId | Column::JobIdRaw => is_number_of_job(text),
        Column::Submit | Column::Eligible | Column::Start | Column::End => is_instant(text),
        Column::State => fate(text) != Fate::Unknown,
        Column::AllocCpus | Column::ReqCpus | Column::Nodes | Column::ReqNodes => {
            let number = text.strip_suffix(b"?").unwrap_or(text);
            number.is_empty() || quantity(number).is_some()
        }
        Column::AllocTres | Column::ReqTres => {
            text.is_empty() || text.contains(&b'=') && Resources::parse(text).is_some()
        }
        Column::Limit | Column::LimitRaw | Column::Elapsed | Column::ElapsedRaw => {
            let is_word = text.iter().all(|byte| byte.is_ascii_alphabetic() || *byte == b'_');
            is_word || text.iter().all(|byte| byte.is_ascii_digit() || matches!(byte, b'-' | b':' | b'.'))
        }
        Column::Reason => true,
        Column::NodeList => std::str::from_utf8(text).is_ok_and(|text| NodeList::parse(text).is_ok()),
        // Names may contain blanks and any other character, but are no times.
        Column::Cluster | Column::User | Column::Account | Column::Partition | Column::Qos => {
            is_missing(text) || !text.contains(&b'\n') && !is_instant(text)
        }
    }
}

/// Returns whether a text begins as the number of a job does, such as `123`, `123_4`, `123+1` or `123.batch`.
fn is_number_of_job(text: &[u8]) -> bool {
    let text = text.trim_ascii_start();
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let is_rest = |byte: &u8| byte.is_ascii_alphanumeric() || b"._+-[],:%".contains(byte);
    digits > 0
        && text.get(digits).is_none_or(|byte| b"_+.".contains(byte))
        && text[digits..].iter().all(is_rest)
}

/// Returns true for a text that looks like a time, or for a missing one.
fn is_instant(text: &[u8]) -> bool {
    let is_part = |byte: &u8| byte.is_ascii_digit() || b"-/:.+TZ ".contains(byte);
    is_missing(text) || text.len() > 8 && text[0].is_ascii_digit() && text.iter().all(is_part)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::unit::Unit;

    #[test]
    fn every_way_to_spread_is_tried_once() {
        let mut spread = vec![2, 0, 0];
        let mut ways = vec![spread.clone()];
        while advance(&mut spread) {
            ways.push(spread.clone());
        }
        assert_eq!(ways, [[2, 0, 0], [1, 1, 0], [1, 0, 1], [0, 2, 0], [0, 1, 1], [0, 0, 2]].map(Vec::from));
    }

    #[test]
    fn dates_stand_where_they_belong_in_one_reading() {
        let heading = "JobID|JobName|Comment|Submit|Start|End|State|NNodes|WorkDir|Reason";
        let heading = Heading::parse(heading.as_bytes(), Unit::Nodes).expect("a heading");
        let times = "2024-05-01T10:10:00|2024-05-01T11:00:00|Unknown|RUNNING|8";
        for line in [
            format!("7|a|b|c|{times}|/w|None"),
            format!("7|a|2024-05-01T10:10:00||{times}|/w|x|None|y"),
            format!("7|a||{times}|/w|2024-05-01T10:10:00|8|None"),
        ] {
            let pieces: Vec<&[u8]> = line.as_bytes().split(|&byte| byte == b'|').collect();
            let fields = only_reading(&heading, &pieces).expect("a reading");
            assert_eq!(fields[Column::Nodes as usize], b"8", "{line}");
            assert_eq!(fields[Column::State as usize], b"RUNNING", "{line}");
        }
        // The reason is kept where all readings agree on it.
        for (line, reason) in [
            (format!("7|a|2024-05-01T10:10:00||{times}|/w|x|None"), &b""[..]),
            (format!("7|a|b|c|{times}|/w|QOSLimit"), b"QOSLimit"),
        ] {
            let pieces: Vec<&[u8]> = line.as_bytes().split(|&byte| byte == b'|').collect();
            let fields = only_reading(&heading, &pieces).expect("a reading");
            assert_eq!(fields[Column::Reason as usize], reason, "{line}");
        }
        for line in [
            format!("7|a|b|c|{}|/w|None", times.replace("RUNNING", "3")),
            "7|a|b|c|d|e|f|g|h|i|j|k".to_owned(),
        ] {
            let pieces: Vec<&[u8]> = line.as_bytes().split(|&byte| byte == b'|').collect();
            assert_eq!(only_reading(&heading, &pieces), None, "{line}");
        }
    }
}
