//! Makes the report on a directory of results.

use std::path::Path;

use super::error::ReportError;
use super::html::Report;
use super::{player, tables};
use crate::figure::{self, FigureError, PlotOptions, Results};
use crate::frame::FrameError;

/// The choices of the user for a report.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReportOptions {
    /// The title; `None` for the name of the directory.
    pub title: Option<String>,
    /// The window of time of the player, in seconds; `None` for a window that begins with the first start and in which
    /// no replay starts too many jobs for a file.
    pub window_s: Option<(f64, f64)>,
    /// The allocators that the player shows; empty for those of the first few replays.
    pub show: Vec<String>,
}

impl Report {
    /// Returns the report on the results in `folder`, and notes on missing data.
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

    /// Adds the tables, plots and data of saved results. Returns notes on missing data.
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
