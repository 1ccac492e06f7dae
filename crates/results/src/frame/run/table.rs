//! The summary of a run as a single file.

use std::path::Path;

use super::FinishedRun;
use super::folder::RunFolderError;
use crate::frame::origin::is_ours;
use crate::frame::{FileFormat, FrameFile};

/// Fails if the file at `path` is there, unless `force` is given and it is a table of this program.
pub fn check_table(path: &Path, force: bool) -> Result<(), RunFolderError> {
    if !path.exists() {
        Ok(())
    } else if !force {
        Err(RunFolderError::OtherTable(path.to_owned()))
    } else if is_ours(path) {
        Ok(())
    } else {
        Err(RunFolderError::NoResult(path.to_owned()))
    }
}

/// Writes the summary of a run to the file at `path`, under a temporary name until it is complete.
pub fn write_table(path: &Path, format: FileFormat, run: &mut FinishedRun) -> Result<(), RunFolderError> {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    // The extension is one of the format's, up to its case.
    let mut file = FrameFile::create(path.parent().unwrap_or(Path::new("")), &stem, format, &run.run)?;
    file.append(&mut run.summary)?;
    file.finish()?.map_or(Ok(()), |file| Ok(file.put()?))
}
