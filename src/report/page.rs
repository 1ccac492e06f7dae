//! A report of a directory of results.

use std::path::Path;

use super::error::ReportError;
use super::html::Report;
use super::{player, tables};
use crate::figure::{self, FigureError, PlotOptions, Results};
use crate::frame::FrameError;

/// What a report says besides what the results give.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReportOptions {
    /// Its title; `None` for the directory's name.
    pub title: Option<String>,
    /// The window of time that the player shows; `None` for as long as no replay starts more jobs than a file should
    /// hold.
    pub window_s: Option<(f64, f64)>,
    /// Allocators whose machine is shown; empty for the first few replays.
    pub show: Vec<String>,
}

impl Report {
    /// Returns the report of the results in `folder`, and notes on what it lacks.
    ///
    /// The results are those of a replay or a study, or the tables and figures of reproduced papers, or both.
    pub fn of(folder: &Path, options: &ReportOptions) -> Result<(Self, Vec<String>), ReportError> {
        let name = folder.canonicalize().ok();
        let name = name.and_then(|path| Some(path.file_name()?.to_string_lossy().into_owned()));
        let title = options.title.clone().or(name).unwrap_or_else(|| "meshreplay".to_owned());
        let mut report = Self { title, ..Self::default() };
        let verdicts = tables::verdicts(folder)?;
        let notes = match Results::read(folder) {
            Ok(results) => report.add_results(folder, options, &results)?,
            Err(FigureError::Frame(FrameError::NoSummary { .. })) if !verdicts.is_empty() => {
                report.provenance.push(("version".to_owned(), env!("CARGO_PKG_VERSION").to_owned()));
                let (plots, notes) = tables::figures(folder)?;
                report.plots = plots;
                notes
            }
            Err(error) => return Err(error.into()),
        };
        report.tables.extend(verdicts);
        Ok((report, notes))
    }

    /// Adds what saved results give, and returns notes on what they lack.
    fn add_results(
        &mut self,
        folder: &Path,
        options: &ReportOptions,
        results: &Results,
    ) -> Result<Vec<String>, ReportError> {
        let mut notes = results.missing(folder)?;
        self.tables.push(tables::summary(results));
        self.provenance = tables::provenance(folder, results);
        let pictures = figure::pictures(&PlotOptions::of(folder), results)?;
        self.plots = pictures.into_iter().map(|(name, picture)| (name.to_owned(), picture.svg())).collect();
        self.played = player::played(folder, results, &options.show, options.window_s)?;
        if self.played.is_none() {
            notes.push(
                "no jobs with nodes; `replay -o DIR --placements` and `sweep --jobs --placements` keep them for the \
                 machine over time"
                    .to_owned(),
            );
        }
        Ok(notes)
    }
}
