//! Converts a log to another format.

use super::rules::left_out::{LeftOut, Reason};
use super::rules::rule_set::Rules;
use crate::trace::{Format, LogSummary, Reader, Record, TraceError, Writer, copy};

/// Copies a log to `writer`, whose format is `to`. Returns the facts about the log that was read and the counts of the
/// records that were left out.
///
/// If `to` is a format for the simulator of P. Walker, D. Bunde and V. Leung (2010), only the records that they kept
/// are copied, with the run times that they took. Estimates stay as recorded, even if they are below the run time; that
/// simulator raises them itself. If `to` is not the format of the log, a comment names that format, provided that `to`
/// has comments.
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

/// The reasons for which a conversion leaves out records, in words for a list, in the order of a report.
/// ([`Reason::words`] are words that follow a count.)
pub const CONVERSION_REASONS: [(Reason, &str); 3] = [
    (Reason::NoProcessors, "no allocated processors"),
    (Reason::Status, "status"),
    (Reason::NoRunTime, "no run time"),
];
