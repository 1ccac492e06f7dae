//! Where results come from: the id that every file of a run has, and what a directory of results says of itself.

use std::path::{Path, PathBuf};

use super::FileFormat;

/// Name of the file that holds the resolved run of `meshreplay replay`.
pub const RUN_FILE: &str = "run.json";

/// Every file below `folder` that results may lie in, but for the cells of a study.
pub fn result_files(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let frames = ["jobs", "summary"].into_iter().flat_map(|stem| {
        FileFormat::ALL.into_iter().map(move |format| format!("{stem}.{}", format.extension()))
    });
    frames.chain([RUN_FILE.to_owned()]).map(|file| folder.join(file))
}
