//! Makes the report on a directory of results: one HTML file with all its data.

mod escape;
mod foreign;
mod html;
mod opening;
mod player;
mod provenance;
mod summary;
mod table;
mod verdicts;

pub(crate) use self::summary::summary;
pub use foreign::safe_svg;
pub use html::{Report, ReportFigure};
pub use player::{BlockTree, PlayerData, ReplayData, Strip};
pub use table::{Choice, Meaning, ReportCell, ReportColumn, ReportTable};

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use super::verdict::{Plain, SavedAnswer};
use meshreplay_alloc::allocator::{FAMILIES, Family, family};
use meshreplay_figures as figure;
use meshreplay_figures::draw::{Names, Page};
use meshreplay_figures::{Curve, FigureError, PLOT_KINDS, PlotOptions, Results, Span, Tradeoff};
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
        let highlighted = highlighted(results, &panels, plain.extremes.as_ref(), &options.show);
        self.add_answer(&answer, plain, results);
        // The highlighted replays have colours of their own.
        let mut coloured = results.clone();
        coloured.choose_looks(&rows_of(&panels, &highlighted));
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
            let replays = replays_in(results, kind.name, &highlighted);
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
            self.example = opening::example(extremes.as_ref()).unwrap_or_default();
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

/// Why a report on a directory could not be made.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// The results could not be read or drawn.
    #[error(transparent)]
    Figure(#[from] FigureError),
    /// The jobs could not be read.
    #[error(transparent)]
    Frame(#[from] FrameError),
    /// A file of the directory could not be read.
    #[error("{} cannot be read", .path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// A file of the directory is not valid JSON.
    #[error("{} is damaged; run what made it again", .path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The error of the JSON parser.
        source: serde_json::Error,
    },
    /// The nodes of a job have the wrong form.
    #[error("{}: job {job}, column 'nodes': found '{found}', expected nodes of the machine as 0-3 \
         7", .path.display())]
    Nodes {
        /// The file of jobs.
        path: PathBuf,
        /// The number of the job.
        job: i64,
        /// The text that was found in place of nodes.
        found: String,
    },
    /// No replay has the allocator that the user wants to see.
    #[error("--show '{allocator}' is not among the results (one of: {known})")]
    NotShown {
        /// The name of the allocator that was given.
        allocator: String,
        /// The names of the allocators in the results.
        known: String,
    },
    /// Too many jobs of a replay run in the window of time for one file.
    #[error(
        "{jobs} jobs of {replay} run between {from} and {to} s, too many for one file; give a narrower \
             --window"
    )]
    TooManyJobs {
        /// The number of jobs, as text.
        jobs: String,
        /// The name of the replay.
        replay: String,
        /// The start of the window, in seconds.
        from: f64,
        /// The end of the window, in seconds.
        to: f64,
    },
}

impl ReportError {
    /// Returns whether the command line is at fault, because it asks for something that does not exist. If
    /// false, a file is at fault.
    pub fn is_usage(&self) -> bool {
        match self {
            Self::Figure(error) => error.is_usage(),
            Self::NotShown { .. } => true,
            _ => false,
        }
    }
}

/// The largest number of highlighted names.
const MOST: usize = 8;

/// Returns the position of the family of the allocator in a row; behind the last one for guests.
fn family_of(results: &Results, row: usize) -> usize {
    let spec = results.label(row, "allocator_spec").parse().ok();
    let found = spec.and_then(|spec| family(&spec));
    let is_it = |found: &Family| FAMILIES.iter().position(|family| family.title == found.title);
    found.and_then(is_it).unwrap_or(FAMILIES.len())
}

/// Returns the names to highlight, the most important one first: the Pareto front of waits and distances, the
/// allocators `compared` in the answer and `shown` by the player, the ends of both numbers, and the closest
/// placements of each family.
fn highlighted(
    results: &Results,
    panels: &[Vec<Tradeoff>],
    compared: Option<&[String; 2]>,
    shown: &[String],
) -> Vec<String> {
    let Some(first) = panels.first() else { return Vec::new() };
    let mut ranked: Vec<&Tradeoff> = first.iter().collect();
    ranked.sort_by(|a, b| a.distance.total_cmp(&b.distance).then(a.wait_s.total_cmp(&b.wait_s)));
    let longest = first.iter().max_by(|a, b| a.wait_s.total_cmp(&b.wait_s));
    let mut families = BTreeSet::new();
    let closest = ranked.iter().filter(|one| families.insert(family_of(results, one.curve.rows[0])));
    // A large front leaves room for the others.
    let front = front(panels).into_iter().take(MOST - 3);
    let compared = compared.into_iter().flatten().chain(shown).map(String::as_str);
    let ends = ranked.last().copied().into_iter().chain(longest);
    let others = ends.chain(closest.copied()).chain(ranked.iter().copied()).map(|one| &*one.curve.name);
    let is_drawn = |name: &&str| first.iter().any(|one| one.curve.name == **name);
    let mut names: Vec<String> = Vec::new();
    for name in front.chain(compared).chain(others).filter(is_drawn) {
        if names.len() < MOST && !names.iter().any(|other| other == name) {
            names.push(name.to_owned());
        }
    }
    names
}

/// Returns a row of each of these names, in their order.
fn rows_of(panels: &[Vec<Tradeoff>], names: &[String]) -> Vec<usize> {
    let all = || panels.iter().flatten();
    let row = |name: &String| Some(all().find(|one| one.curve.name == *name)?.curve.rows[0]);
    names.iter().filter_map(row).collect()
}

/// Returns the names on the Pareto fronts, those of most panels first.
fn front(panels: &[Vec<Tradeoff>]) -> Vec<&str> {
    let mut fronts: BTreeMap<&str, usize> = BTreeMap::new();
    for panel in panels {
        let all: Vec<&Tradeoff> = panel.iter().collect();
        for one in panel.iter().filter(|one| one.is_in_front(&all)) {
            *fronts.entry(&one.curve.name).or_default() += 1;
        }
    }
    let mut front: Vec<(&str, usize)> = fronts.into_iter().collect();
    front.sort_by_key(|(_, count)| Reverse(*count));
    front.into_iter().map(|(name, _)| name).collect()
}

/// The kinds of figures with a panel for each replay, and the number of their panels.
const PANELS: [(&str, usize); 3] = [("heat", 9), ("nodes", 9), ("gantt", 4)];

/// Returns the numbers of the replays in a kind of figure: the highlighted ones of the first panel if the
/// figure has no room for all. Empty for all replays.
fn replays_in(results: &Results, kind: &str, highlighted: &[String]) -> Vec<u32> {
    let Some((_, room)) = PANELS.iter().find(|(name, _)| *name == kind) else { return Vec::new() };
    let curves = results.curves(&[]);
    let shown = &highlighted[..highlighted.len().min(*room)];
    // Panels of `heat` are small, and readers of a study choose among them.
    let is_study = curves.iter().any(|curve| curve.panel != curves[0].panel);
    if curves.len() <= *room || kind == "heat" && is_study {
        return Vec::new();
    }
    let is_shown = |curve: &&Curve| curve.panel == curves[0].panel && shown.contains(&curve.name);
    let rows = curves.iter().filter(is_shown).map(|curve| curve.rows[0]);
    rows.filter_map(|row| results.table.number("replay", row)).map(|number| number as u32).collect()
}
