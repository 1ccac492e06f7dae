//! Logs: where they are, how they are read, and their jobs.

use std::path::{Path, PathBuf};

use crate::spec::SpecError;
use crate::trace::{self, LogSummary, ReadOptions, TraceError, formats};
use crate::workload::{Rules, Synthetic, Workload, WorkloadBuilder};

/// A log that somebody asks for, before it is read, or a workload model in its place.
#[derive(Clone, Debug)]
pub struct LogSource {
    /// Its name in results: that of its file without directory and extensions, or the model.
    pub name: String,
    /// As the study file or the command names it.
    pub file: String,
    /// Where it is; `-` is standard input. Empty for a model.
    pub path: PathBuf,
    /// How it is read.
    pub read: ReadOptions,
    /// The workload model, if it is no file.
    pub model: Option<Synthetic>,
}

impl LogSource {
    /// Returns the source that `file` names, which is at `path` unless it is a workload model. Fails if it is a model
    /// with wrong parameters.
    pub fn new(file: &str, path: PathBuf, read: ReadOptions) -> Result<Self, SpecError> {
        let file = file.to_owned();
        if !Synthetic::is_spec(&file) {
            return Ok(Self { name: log_name(&path), file, path, read, model: None });
        }
        let model = Synthetic::new(&file.parse()?)?;
        Ok(Self { name: model.to_string(), file, path: PathBuf::new(), read, model: Some(model) })
    }

    /// What a command names it by.
    pub fn argument(&self) -> String {
        match &self.model {
            Some(model) => model.spec().to_string(),
            None => self.path.display().to_string(),
        }
    }
}

/// A log that was read.
#[derive(Debug)]
pub struct LoadedLog {
    /// Its file name without directory and extensions.
    pub name: String,
    /// What was found while reading it.
    pub summary: LogSummary,
    /// Its jobs.
    pub workload: Workload,
}

impl LoadedLog {
    /// Returns a sentence on what was left out of the log at `path`, and one on what is odd about it; none if there is
    /// nothing.
    pub(super) fn notes(&self, path: &Path) -> Vec<String> {
        let mut notes = Vec::new();
        if self.workload.left_out.total() > 0 {
            notes.push(format!("{}: left out {}", path.display(), self.workload.left_out));
        }
        let surplus = self.summary.irregularities.surplus_field_lines;
        if surplus > 0 {
            notes.push(format!(
                "{}: {surplus} lines have more than 18 fields; the rest is ignored",
                path.display()
            ));
        }
        notes
    }
}

/// Reads the log at `path` (`-` for standard input) and returns its jobs by `rules`. Records are not kept.
pub fn load(path: &Path, options: ReadOptions, rules: Rules) -> Result<LoadedLog, TraceError> {
    let mut builder = WorkloadBuilder::new(rules);
    let summary = trace::read(path, options, |record| builder.add(record))?;
    let workload = builder.finish(summary.irregularities.skipped());
    Ok(LoadedLog { name: log_name(path), summary, workload })
}

/// Returns what a log at `path` is called in results: `NASA-iPSC-1993-3.1-cln` for `…/NASA-iPSC-1993-3.1-cln.swf.gz`.
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
