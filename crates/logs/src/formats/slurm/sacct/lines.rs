//! Splits the lines of a dump into fields.
#![expect(clippy::arithmetic_side_effects, reason = "columns are positions in a line plus 1")]

use std::ops::Range;

use memchr::memchr_iter;

use super::columns::{BAR, Heading, Separator};
use super::fields::Fields;
use super::readings::{only_reading, placed};
use crate::error::Problem;
use crate::formats::cells::{Cells, Delimiter, QuoteFault};

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
