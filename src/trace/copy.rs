//! Copying a log from a reader to a writer, record by record.

use super::error::TraceError;
use super::reader::{Entry, Reader};
use super::record::Record;
use super::summary::LogSummary;
use super::writer::Writer;

/// Copies comments as they are, and of every record what `choose` makes of it; a record of which it makes `None` is
/// left out. Blank lines, lines that are no jobs, and lines skipped by lenient reading are not copied. The `note`, if
/// there is one, becomes a comment above the first record, or at the end of a log without records.
///
/// The writer is not finished, so that on an error nothing is left of its output.
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
                if let Some(chosen) = choose(&record) {
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
