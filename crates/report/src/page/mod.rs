//! Makes the report on a directory of results: one HTML file with all its data.

mod choice;
mod error;
mod escape;
mod example;
mod foreign;
mod html;
mod opening;
mod player;
mod provenance;
mod summary;
mod table;
mod verdicts;

pub use error::ReportError;
pub use foreign::safe_svg;
pub use html::{Report, ReportFigure};
pub use player::{BlockTree, PlayerData, ReplayData, Strip};
pub use table::{Choice, Meaning, ReportCell, ReportColumn, ReportTable};

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

pub(crate) use self::summary::summary;
use super::verdict::{Plain, SavedAnswer};
use meshreplay_figures::draw::{Names, Page};
use meshreplay_figures::{self as figure, FigureError, PLOT_KINDS, PlotOptions, Results, Span};
use meshreplay_results::frame::FrameError;

/// The width of a figure, in pixels: that of a telephone, on which figures are a little smaller.
const FIGURE: f64 = 440.0;

/// The height of the first figure with a single panel, in pixels.
const FIGURE_HEIGHT: f64 = 360.0;

/// The choices of the user for a report.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReportOptions {
    /// The title; `None` for the logs and machines, or for the name of the directory of a reproduced paper.
    pub title: Option<String>,
    /// The window of the player, in seconds; `None` for a window from the first start on, short enough for
    /// the size of the file.
    pub window_s: Option<Span>,
    /// The allocators in the player; empty for the first few replays.
    pub show: Vec<String>,
}

impl Report {
    /// Returns the report on the results in `folder`, and notes on missing data.
    ///
    /// The directory has results of a replay or a study, tables and figures of reproduced papers, or both.
    /// `drawn` counts the kinds of figures that are done.
    pub fn from_folder(
        folder: &Path,
        options: &ReportOptions,
        drawn: &AtomicUsize,
    ) -> Result<(Self, Vec<String>), ReportError> {
        let mut report = Self::default();
        let verdicts = verdicts::verdicts(folder)?;
        let results = Results::read(folder);
        let of_results = results.as_ref().ok().map(opening::title);
        let title = options.title.clone().or(of_results).or_else(|| provenance::name_of(folder));
        report.title = title.unwrap_or_else(|| "meshreplay".to_owned());
        let notes = match results {
            Ok(results) => report.add_results(folder, options, &results, drawn)?,
            Err(FigureError::Frame(FrameError::NoSummary { .. })) if !verdicts.is_empty() => {
                report.provenance.push(("version".to_owned(), env!("CARGO_PKG_VERSION").to_owned()));
                let (plots, notes) = verdicts::figures(folder)?;
                report.plots = plots;
                notes
            }
            Err(error) => return Err(error.into()),
        };
        report.answer.extend(verdicts.iter().map(verdicts::answer));
        report.tables.extend(verdicts);
        Ok((report, notes))
    }

    /// Adds the tables, plots and data of saved results. Returns notes on missing data.
    fn add_results(
        &mut self,
        folder: &Path,
        options: &ReportOptions,
        results: &Results,
        drawn: &AtomicUsize,
    ) -> Result<Vec<String>, ReportError> {
        let mut notes = results.missing(folder)?;
        let answer = SavedAnswer::read(folder, results)?;
        let plain = answer.plain();
        let panels = figure::tradeoffs(results);
        let highlighted = choice::highlighted(results, &panels, plain.extremes.as_ref(), &options.show);
        self.add_answer(&answer, plain, results);
        // The highlighted replays have colours of their own.
        let mut coloured = results.clone();
        coloured.choose_looks(&choice::rows_of(&panels, &highlighted));
        let results = &coloured;
        let panels = figure::tradeoffs(results);
        self.is_study = panels.len() > 1;
        let page =
            Page { width: Some(FIGURE), names: Names::Outside, is_split: self.is_study, ..Page::default() };
        if panels.iter().any(|panel| panel.len() > 1) {
            let height = (panels.len() == 1).then_some(FIGURE_HEIGHT);
            let page = Page { is_untitled: !self.is_study, height, ..page };
            let drawings = figure::draw_tradeoffs(results, &panels, page);
            let label = "Mean pairwise sum against mean wait";
            self.tradeoff = Some(ReportFigure::new("tradeoff", label, drawings));
        }
        self.tables.push(summary::summary(results, &answer, &highlighted));
        self.provenance = provenance::provenance(folder, results)?;
        self.commands = provenance::commands(folder, results)?;
        for kind in PLOT_KINDS {
            let replays = choice::replays_in(results, kind.name, &highlighted);
            let options = PlotOptions { page, replays: &replays, ..PlotOptions::new(folder) };
            let drawings = (kind.draw)(&options, results)?.draw_on(page);
            if !drawings.is_empty() {
                self.plots.push(ReportFigure::new(kind.name, kind.summary, drawings));
            }
            drawn.fetch_add(1, Ordering::Relaxed);
        }
        self.played = player::played(folder, results, &options.show, options.window_s)?;
        if self.played.is_none() {
            notes.push(
                "no jobs with nodes; `replay -o DIR --placements` and `sweep --jobs --placements` keep them \
                 for the machine over time"
                    .to_owned(),
            );
        }
        Ok(notes)
    }

    /// Adds the answer in words: the closing lines of the command that made the results.
    fn add_answer(&mut self, answer: &SavedAnswer<'_>, plain: Plain, results: &Results) {
        let Plain { sentences, extremes } = plain;
        opening::question(results).clone_into(&mut self.question);
        self.replayed = opening::replayed(results);
        self.plain = sentences;
        if results.varying.contains(&"allocator") {
            self.example = example::example(extremes.as_ref()).unwrap_or_default();
        }
        self.answer = answer.lines();
        if self.answer.is_empty() {
            self.plain = opening::facts(results);
            self.plain.push(
                "Nothing is compared here, as no two replays of the same jobs differ in the allocator or the \
                 scheduler alone."
                    .to_owned(),
            );
        } else if self.answer.iter().any(|line| line.contains("95 % CI")) {
            self.remark = String::from(
                "95 % CI is the confidence interval of the difference for more jobs of the same kind, from \
                 five parts of the log or from replications with the same seeds. The interval of the best of \
                 several candidates against a reference is corrected for their number.",
            );
        }
    }
}
