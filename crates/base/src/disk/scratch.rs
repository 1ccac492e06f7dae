//! Unnamed temporary files, for data that may not fit in memory. The operating system removes them with the
//! process.

use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::operations::{Operation, allowed, perform};

/// An unnamed temporary file, which is written first and then read from its beginning.
#[derive(Debug)]
pub struct Scratch {
    file: File,
}

impl Scratch {
    /// The path of the file in errors.
    const PLACE: &str = "temporary file";

    /// Returns the directory of these files, for messages.
    pub fn folder() -> PathBuf {
        tempfile::env::temp_dir()
    }

    /// Makes an empty file.
    pub fn create() -> io::Result<Self> {
        let file = perform(Operation::Create, Path::new(Self::PLACE), tempfile::tempfile)?;
        Ok(Self { file })
    }

    /// Rewinds the file for reading.
    pub fn into_reader(mut self) -> io::Result<File> {
        perform(Operation::Open, Path::new(Self::PLACE), || self.file.seek(SeekFrom::Start(0)))?;
        Ok(self.file)
    }
}

impl Write for Scratch {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let length = allowed(Operation::Write, Path::new(Self::PLACE), bytes.len())?;
        self.file.write(&bytes[..length])
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}
