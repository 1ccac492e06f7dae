//! Copies a log from a reader to a writer, record by record.

use super::error::TraceError;
use super::reader::{Entry, Reader};
use super::record::Record;
use super::summary::LogSummary;
use super::writer::Writer;

/// Copies the comments of a log unchanged and its records as `choose` returns them, and returns the facts
/// about the log that was read. A record is left out if `choose` returns `None`. Blank lines, lines without a
/// job, and lines that lenient reading skips are not copied. The `note`, if there is one, becomes a comment
/// above the first record, or the last line of a log without records.
///
/// The writer is left unfinished, so that nothing of its output stays if there is an error.
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
