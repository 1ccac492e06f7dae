//! A log, read and turned into jobs.

use std::path::Path;

use crate::trace::{self, LogSummary, ReadOptions, TraceError, formats};
use crate::workload::{Rules, Workload, WorkloadBuilder};

/// A log that is ready to be replayed.
#[derive(Debug)]
pub struct LoadedLog {
    /// Its file name without directory and extensions.
    pub name: String,
    /// What was found while reading it.
    pub summary: LogSummary,
    /// Its jobs.
    pub workload: Workload,
}

/// Reads the log at `path` (`-` for standard input) by `rules`; holds jobs, never records.
pub fn load(path: &Path, options: ReadOptions, rules: Rules) -> Result<LoadedLog, TraceError> {
    let mut builder = WorkloadBuilder::new(rules);
    let summary = trace::read(path, options, |record| builder.add(record))?;
    let workload = builder.finish(summary.irregularities.skipped());
    Ok(LoadedLog { name: log_name(path), summary, workload })
}

/// `NASA-iPSC-1993-3.1-cln` for `…/NASA-iPSC-1993-3.1-cln.swf.gz`.
pub fn log_name(path: &Path) -> String {
    let file = path.file_name().map_or_else(|| path.to_string_lossy(), |name| name.to_string_lossy());
    let stem = formats::without_extensions(&file);
    if stem == "-" { "stdin".to_owned() } else { stem.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logs_are_named_by_their_files() {
        for (path, name) in [
            ("a/b/NASA-iPSC-1993-3.1-cln.swf.gz", "NASA-iPSC-1993-3.1-cln"),
            ("x.premas", "x"),
            ("plain", "plain"),
            ("-", "stdin"),
        ] {
            assert_eq!(log_name(Path::new(path)), name);
        }
    }
}
