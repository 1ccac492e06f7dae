//! A kind of picture, as a row of the registry [`PLOT_KINDS`](super::PLOT_KINDS).

use std::fmt;
use std::path::Path;

use super::draw::Drawing;
use super::error::FigureError;
use super::results::Results;

/// A kind of picture that `plot` draws of saved results.
#[derive(Debug)]
pub struct PlotKind {
    /// Its name on the command line, and of the file.
    pub name: &'static str,
    /// What it shows, in one sentence.
    pub summary: &'static str,
    /// What results must hold for it.
    pub needs: Needs,
    /// Draws it; `None` if the results do not hold what it needs.
    pub draw: fn(&PlotOptions<'_>, &Results) -> Drawn,
}

/// A picture, or `None` if the results do not hold what it needs.
pub type Drawn = Result<Option<Drawing>, FigureError>;

/// What a kind of picture needs of results. Its `Display` is the end of "the directory does not hold …".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// The summary, with something in it that is said here.
    Summary(&'static str),
    /// The summary of replays on an array, or of such in which jobs were moved. Elsewhere the picture would say
    /// nothing.
    Delays,
    /// The frame of jobs.
    Jobs,
    /// The frame of jobs with the durations of the allocator's calls.
    CallTimes,
    /// The frame of jobs with the nodes of each.
    Nodes,
}

impl Needs {
    /// Returns whether it is worth a note that results do not hold it.
    pub fn is_missed(self) -> bool {
        self != Self::Delays
    }
}

impl fmt::Display for Needs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Summary(part) => part,
            Self::Delays => "delays",
            Self::Jobs => "jobs; `replay -o` and `sweep --jobs` keep them",
            Self::CallTimes => "jobs with times; `replay -o` and `sweep --jobs` keep them without --no-timing",
            Self::Nodes => {
                "jobs with their nodes; `replay -o DIR --placements` and `sweep --jobs --placements` keep them"
            }
        })
    }
}

/// What a picture shows of saved results. A kind of picture reads the fields that concern it.
#[derive(Clone, Copy, Debug)]
pub struct PlotOptions<'a> {
    /// The directory of the results.
    pub folder: &'a Path,
    /// The column of the summary that is drawn; `None` for the kind's own choice.
    pub value: Option<&'a str>,
    /// Whether the vertical axis of curves by load is logarithmic.
    pub log: bool,
    /// The name of the curve that ratios are relative to; `None` for mc1x1, or the first.
    pub relative_to: Option<&'a str>,
    /// The number of the replay that a picture of one replay shows; `None` for the first.
    pub replay: Option<u32>,
    /// Whether this kind was asked for by name; otherwise pictures that would say nothing are left out.
    pub is_asked: bool,
}

impl<'a> PlotOptions<'a> {
    /// Returns the default picture of every kind.
    pub fn of(folder: &'a Path) -> Self {
        Self { folder, value: None, log: false, relative_to: None, replay: None, is_asked: false }
    }
}
