//! Converting a log to another format.

use super::rules::left_out::{LeftOut, Reason};
use super::rules::rule_set::Rules;
use crate::trace::{Format, LogSummary, Reader, Record, TraceError, Writer, copy};

/// Copies a log to a `writer` of format `to`, and returns what was read and which records were left out.
///
/// To a format for the simulator of the authors of walker-2010 go only the records that they kept, with the run times
/// that they took; estimates stay as recorded, even below the run time, which that simulator raises later. To another
/// format than that of the log goes a comment that says so, if the format has comments.
pub fn convert(
    reader: Reader,
    writer: &mut Writer,
    to: &'static Format,
) -> Result<(LogSummary, LeftOut), TraceError> {
    let from = reader.format();
    if from != to {
        writer.comment(b"; Version: 2.2")?;
        let note = format!("; Note: converted by meshreplay from a log of format {}", from.name);
        writer.comment(note.as_bytes())?;
    }
    let is_ruled = from != to && to.writing.is_some_and(|writing| writing.by_authors_rules);
    let (rules, mut left_out) = (Rules::default(), LeftOut::default());
    let summary = copy(reader, writer, None, |record| {
        if !is_ruled {
            return Some(*record);
        }
        let accepted = rules.accept(record).map(|(_, run_s)| Record { run_s, ..*record });
        accepted.map_err(|reason| left_out.add(reason, 1)).ok()
    })?;
    Ok((summary, left_out))
}

/// Words for the reasons of the authors' rules, in the order of a report; [`Reason::words`] follow a count instead.
pub const CONVERSION_REASONS: [(Reason, &str); 3] = [
    (Reason::NoProcessors, "no allocated processors"),
    (Reason::Status, "status"),
    (Reason::NoRunTime, "no run time"),
];
