//! Finds out which field of a line is which, where text that users choose holds separators: dates, numbers
//! and states must stand where they belong.
#![expect(
    clippy::arithmetic_side_effects,
    reason = "fields are counted, of which a line has fewer than 2^32, and every sum of surplus fields is at \
         most their number"
)]

use super::columns::{Column, Heading};
use super::fields::Fields;
use crate::formats::slurm::job::{Fate, fate};
use crate::formats::slurm::tres::{Resources, quantity};
use crate::nodes::NodeList;
use crate::times::is_missing;

/// The greatest number of readings of one line that are tried.
const MOST: usize = 20_000;

/// Returns the fields of a line that has more of them than the heading, each text with some of the surplus.
/// `None` if no reading is plausible, or if several are and differ in fields that are read.
pub(super) fn only_reading<'a>(heading: &Heading, pieces: &[&'a [u8]]) -> Option<Fields<'a>> {
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
