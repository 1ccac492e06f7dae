//! Logs in binary tables, Parquet and Arrow. This crate cannot decode them; a caller registers a converter
//! from such a file to CSV text.

use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::path::Path;
use std::sync::OnceLock;

use crate::error::TraceError;
use crate::options::LogLimits;

/// The text of a table, and the size of its file in bytes.
pub(super) struct TableText {
    pub(super) text: Box<dyn Read + Send>,
    pub(super) bytes: u64,
}

/// Converts a file, positioned at its start, to CSV with a heading, as a stream.
pub type TableConverter = fn(File, &LogLimits) -> io::Result<Box<dyn Read + Send>>;

/// The converter; empty as long as none is registered.
static CONVERTER: OnceLock<TableConverter> = OnceLock::new();

/// Registers the converter of all logs that this process opens from now on. The first call counts. Returns
/// whether none was registered before.
pub fn set_table_converter(converter: TableConverter) -> bool {
    CONVERTER.set(converter).is_ok()
}

/// Magic bytes of binary tables, and their kinds.
const KINDS: [(&[u8], &str); 3] =
    [(b"PAR1", "a Parquet file"), (b"ARROW1", "an Arrow file"), (b"\xff\xff\xff\xff", "an Arrow stream")];

/// The greatest number of bytes of [`KINDS`].
const MAGIC: usize = 6;

/// Returns the kind of table that begins with these bytes; `None` if it is none.
pub(super) fn kind_of(begin: &[u8]) -> Option<&'static str> {
    KINDS.iter().find(|(magic, _)| begin.starts_with(magic)).map(|(_, kind)| *kind)
}

/// Returns the text of the table in `file`. `None`, with the file at its start, for other files, and for
/// pipes, which cannot be read twice.
pub(super) fn text_of(
    mut file: &File,
    path: &Path,
    limits: &LogLimits,
) -> Result<Option<TableText>, TraceError> {
    let is_file = file.metadata().is_ok_and(|metadata| metadata.is_file());
    let mut begin = Vec::new();
    let mut looked = || -> io::Result<()> {
        file.take(MAGIC as u64).read_to_end(&mut begin)?;
        file.rewind()
    };
    if !is_file || looked().is_err() {
        return Ok(None);
    }
    let Some(kind) = kind_of(&begin) else { return Ok(None) };
    let copy = file.try_clone().map_err(|source| unreadable(path, source))?;
    converted(copy, kind, path, limits).map(Some)
}

/// Returns the text of the table in a stream that begins with `begin`, a table of this kind. It is copied to
/// a temporary file first, as tables are not read from front to end.
pub(super) fn spooled(
    begin: &[u8],
    mut rest: impl Read,
    kind: &'static str,
    path: &Path,
    limits: &LogLimits,
) -> Result<TableText, TraceError> {
    let mut copied = || -> io::Result<File> {
        let mut file = tempfile::tempfile()?;
        file.write_all(begin)?;
        io::copy(&mut rest, &mut file)?;
        file.rewind()?;
        Ok(file)
    };
    let what = "the table from standard input cannot be copied";
    let file = copied().map_err(|source| TraceError::Temporary { what, source })?;
    converted(file, kind, path, limits)
}

/// Returns the text of a table. Fails if no converter is registered.
fn converted(
    file: File,
    kind: &'static str,
    path: &Path,
    limits: &LogLimits,
) -> Result<TableText, TraceError> {
    let Some(converter) = CONVERTER.get() else {
        let remedy = "this program was built without the part that reads such tables; write the table as CSV";
        return Err(TraceError::OtherKind { path: path.to_owned(), kind, remedy });
    };
    let bytes = file.metadata().map_or(0, |metadata| metadata.len());
    let text = converter(file, limits).map_err(|source| unreadable(path, source))?;
    Ok(TableText { text, bytes })
}

/// Returns the error that a file cannot be read.
fn unreadable(path: &Path, source: io::Error) -> TraceError {
    TraceError::Unreadable { path: path.to_owned(), source }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_known_by_their_first_bytes() {
        assert_eq!(kind_of(b"PAR1\x15\x04"), Some("a Parquet file"));
        assert_eq!(kind_of(b"ARROW1\0\0"), Some("an Arrow file"));
        assert_eq!(kind_of(b"PARTITION"), None);
    }

    #[test]
    fn other_files_stay_at_their_beginning() -> Result<(), Box<dyn std::error::Error>> {
        let mut file = tempfile::tempfile()?;
        file.write_all(b"submit,run,procs\n")?;
        file.rewind()?;
        assert!(text_of(&file, Path::new("log"), &LogLimits::USUAL)?.is_none());
        let mut text = String::new();
        file.read_to_string(&mut text)?;
        assert_eq!(text, "submit,run,procs\n");
        Ok(())
    }
}
