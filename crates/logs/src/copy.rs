//! Copies a log from a reader to a writer, record by record.

use super::error::TraceError;
use super::reader::{Entry, Reader};
use super::record::Record;
use super::summary::LogSummary;
use super::writer::Writer;

/// Copies a log: comments unchanged, records as returned by `choose`, which drops a record with `None`. Blank
/// lines, lines without a job and skipped lines are not copied. The `note` becomes a comment above the first
/// record, or the last line of a log without records. Returns the facts about the log read.
///
/// The writer is left unfinished, so an error leaves no output.
pub fn copy(
    mut reader: Reader,
    writer: &mut Writer,
    note: Option<&str>,
    mut choose: impl FnMut(&Record) -> Option<Record>,
) -> Result<LogSummary, TraceError> {
    let mut note = note;
    while let Some(entry) = reader.next_entry()? {
        match entry {
            Entry::Record { record, .. } => {
                if let Some(note) = note.take() {
                    writer.comment(note.as_bytes())?;
                }
                if let Some(chosen) = choose(record) {
                    writer.record(&chosen)?;
                }
            }
            Entry::Comment(text) => writer.comment(text)?,
            Entry::Blank | Entry::NoJob | Entry::Skipped(_) => {}
        }
    }
    if let Some(note) = note {
        writer.comment(note.as_bytes())?;
    }
    reader.finish()
}
