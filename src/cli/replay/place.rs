//! What `replay -o` names: a directory for results, or a file for the summary alone.

use std::path::Path;

use anyhow::{Result, bail};

use crate::frame::FileFormat;
use crate::study::{OPTIONS, Options, ReplayOption};

/// Endings of files with tables in formats that are not written.
const OTHER_ENDINGS: [&str; 26] = [
    "xlsx", "xls", "ods", "tsv", "txt", "feather", "ipc", "pq", "parq", "avro", "orc", "h5", "hdf5", "pkl",
    "db", "sqlite", "md", "tex", "html", "svg", "pdf", "png", "gz", "zst", "xz", "zip",
];

/// Returns the file for the summary alone, with its format; `None` for a directory.
pub(super) fn summary_file(output: &Path) -> Option<(&Path, FileFormat)> {
    if output.is_dir() { None } else { Some((output, FileFormat::of_path(output)?)) }
}

/// Returns an error for a file in a format that is not written, or for a file with options that keep jobs.
pub(super) fn check(output: &Path, options: &Options) -> Result<()> {
    let path = output.display();
    if let Some((_, format)) = summary_file(output) {
        let written = output.with_extension(format.extension());
        if written != output {
            bail!("-o {path}: endings of files are in small letters; give {}", written.display());
        }
        let default = Options::default();
        let keeps_jobs = |row: &&ReplayOption| row.needed().is_some_and(|needed| needed.name == "jobs");
        let is_given = |row: &&ReplayOption| row.text(options) != row.text(&default);
        let mut flags = OPTIONS.iter().filter(keeps_jobs).filter(is_given);
        if let Some(flag) = flags.find_map(|row| row.flag.as_ref()) {
            bail!("--{} needs a directory for jobs; {path} is a file for the summary alone", flag.name);
        }
    }
    let ending = output.extension().filter(|_| !output.is_dir()).unwrap_or_default();
    if let Some(ending) = OTHER_ENDINGS.iter().find(|other| ending.eq_ignore_ascii_case(other)) {
        bail!(
            "-o {path}: .{ending} files are not written; expected .csv, .parquet, .arrow, .json or .jsonl \
             for the summary, or a directory"
        );
    }
    Ok(())
}
