//! The fields of a dump of `sacct`: reads sizes and run times.
#![expect(
    clippy::arithmetic_side_effects,
    reason = "columns are positions in a line plus 1; instants are between the years 0 and 9999"
)]

use super::columns::{COLUMNS, Column, Heading, name_of};
use crate::error::Problem;
use crate::formats::slurm::tres::{Resources, quantity};
use crate::nodes::NodeList;
use crate::times::{Clock, Pair, SECONDS, duration};
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
