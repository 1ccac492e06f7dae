//! The fields of a dump of `sacct`: splits its lines, and reads sizes and run times.
#![expect(
    clippy::arithmetic_side_effects,
    reason = "columns are positions in a line plus 1; instants are between the years 0 and 9999"
)]

use memchr::memchr_iter;

use super::sacct_columns::{COLUMNS, Column, Heading, name_of};
use super::tres::{Resources, quantity};
use crate::trace::error::Problem;
use crate::trace::formats::cells::Cells;
use crate::trace::nodes::NodeList;
use crate::trace::times::{Clock, Length, Pair, duration};

/// The fields of a line, by column. Columns that the dump does not have are empty.
pub(super) type Fields<'a> = [&'a [u8]; COLUMNS];

/// Returns the problem of a field that is not what was expected.
#[cold]
pub(super) fn malformed(heading: &Heading, column: Column, found: &[u8], expected: &str) -> Problem {
    Problem::column(heading.fields[column as usize], name_of(column), found, expected)
}

/// Splits a line into its fields. If it has more of them than the heading, and one field alone is text that users choose,
/// such as the name of the job, the bars belong to that text.
pub(super) fn split<'a>(
    heading: &mut Heading,
    line: &'a [u8],
    fields: &mut Fields<'a>,
) -> Result<(), Problem> {
    let expected = heading.columns.len();
    let (mut at, mut start) = (0, 0);
    for bar in memchr_iter(b'|', line) {
        if let Some(Some(column)) = heading.columns.get(at) {
            fields[*column as usize] = &line[start..bar];
        }
        (at, start) = (at + 1, bar + 1);
    }
    // The last field ends at the end of the line.
    let found = heading.without_end(at + 1, start == line.len());
    if let Some(Some(column)) = heading.columns.get(at) {
        fields[*column as usize] = &line[start..];
    }
    if found < expected {
        return Err(Problem::TooFewFields { found, expected });
    }
    if found == expected {
        return Ok(());
    }
    let rest = &line[start.min(line.len())..];
    let Some(free) = heading.free else {
        return Err(Problem::column(expected + 1, "beyond the heading", rest, "the end of the line"));
    };
    let (surplus, last) = (found - expected, expected - 1);
    for (at, field) in line.split(|&byte| byte == b'|').take(found).enumerate() {
        // Fields before the text stand where they should, and those after it as many places later as there are bars in it.
        let place = if at <= free { at } else { at.saturating_sub(surplus).max(free) };
        if let Some(column) = heading.columns[place.min(last)] {
            fields[column as usize] = field;
        }
    }
    Ok(())
}

/// Finds the fields of a line in its cells, as [`split`] does. `is_whole` says whether all quotes are closed.
pub(super) fn split_cells<'a>(
    heading: &mut Heading,
    cells: &'a Cells,
    is_whole: bool,
    fields: &mut Fields<'a>,
) -> Result<(), Problem> {
    let expected = heading.columns.len();
    if !is_whole {
        return Err(Problem::column(
            cells.count() + 1,
            "quoted text",
            b"\"",
            "a closing quote on the same line",
        ));
    }
    let found = heading.without_end(cells.count(), cells.get(cells.count()).is_some_and(<[u8]>::is_empty));
    if found < expected {
        return Err(Problem::TooFewFields { found, expected });
    }
    let cell = |at: usize| cells.get(at + 1).unwrap_or_default();
    let surplus = found - expected;
    if surplus > 0 && heading.free.is_none() {
        let end = if heading.separator == b',' {
            "the end of the line, as a dump with commas needs quotes around fields that have some; sacct -P needs none"
        } else {
            "the end of the line"
        };
        return Err(Problem::column(expected + 1, "beyond the heading", cell(expected), end));
    }
    for (at, column) in heading.columns.iter().enumerate() {
        let place = if heading.free.is_some_and(|free| at > free) { at + surplus } else { at };
        if let Some(column) = column {
            fields[*column as usize] = cell(place);
        }
    }
    Ok(())
}

/// Returns the run time in seconds, without the time for which a job was suspended; `None` if it is missing.
pub(super) fn elapsed(heading: &Heading, fields: &Fields) -> Result<Option<i64>, Problem> {
    let raw = heading.has(&[Column::ElapsedRaw]);
    let column = if raw { Column::ElapsedRaw } else { Column::Elapsed };
    let found = fields[column as usize];
    match duration(found, 1, Pair::MinutesSeconds) {
        Ok(Length::Seconds(seconds, _)) => Ok(Some(seconds)),
        Ok(_) => Ok(None),
        Err(expected) => Err(malformed(heading, column, found, expected)),
    }
}

/// Returns the start and the end that agree with the run time, if one of these times occurs twice, as clocks are put back, and its other
/// reading does; otherwise the times as they are.
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

/// Returns what a job got and what it asked for. Columns of their own go before lists of resources, and the list of nodes
/// is counted only if nothing else tells their number.
pub(super) fn sizes(heading: &Heading, fields: &Fields) -> Result<(Resources, Resources), Problem> {
    let number = |column: Column| match fields[column as usize] {
        b"" => Ok(None),
        found => match quantity(found) {
            Some(number) => Ok(Some(number)),
            None => Err(malformed(heading, column, found, "a whole number, such as 48 or 1.5K")),
        },
    };
    let list = |column: Column| {
        let found = fields[column as usize];
        Resources::parse(found)
            .ok_or_else(|| malformed(heading, column, found, "resources such as cpu=8,gres/gpu=4,node=2"))
    };
    let own = Resources { nodes: number(Column::Nodes)?, cpus: number(Column::AllocCpus)?, gpus: None };
    let asked = Resources { nodes: number(Column::ReqNodes)?, cpus: number(Column::ReqCpus)?, gpus: None };
    let mut allocated = own.or(list(Column::AllocTres)?);
    if allocated.nodes.is_none() && !fields[Column::NodeList as usize].is_empty() {
        let found = fields[Column::NodeList as usize];
        let nodes = NodeList::parse(&String::from_utf8_lossy(found)).map_err(|_| {
            malformed(heading, Column::NodeList, found, "names such as node[001-004,007],login1")
        })?;
        allocated.nodes = i64::try_from(nodes.count()).ok();
    }
    Ok((allocated, asked.or(list(Column::ReqTres)?)))
}
