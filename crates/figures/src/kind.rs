//! The type of a row in [`PLOT_KINDS`](super::PLOT_KINDS), the registry of the kinds of plots.

use std::fmt;
use std::path::Path;

use super::draw::{Drawing, Page};
use super::error::FigureError;
use super::results::Results;
use super::span::Span;

/// A kind of plot that the command `plot` can draw from saved results.
#[derive(Debug)]
pub struct PlotKind {
    /// The name of the kind on the command line, and the stem of its file.
    pub name: &'static str,
    /// What the plot shows, in one sentence.
    pub summary: &'static str,
    /// What the results must hold so that the plot can be drawn.
    pub needs: Needs,
    /// What the user may choose. Other choices have no effect on the kind.
    pub takes: &'static [Setting],
    /// The arguments of `meshreplay replay` whose small results show the kind well; the picture in docs/ is
    /// drawn of them. `None` for a kind that shows measured times, which differ in every run.
    pub example: Option<&'static str>,
    /// Draws the plot. Returns `None` if the results lack what the kind needs.
    pub draw: fn(&PlotOptions<'_>, &Results) -> Drawn,
}

/// An example for kinds that show many values of utilization.
pub(super) const MANY_LOADS: &str = "traces/lublin-256-10k.swf.gz --machine 16x16 \
    --allocator naive hilbert+bf mbs granular-mbs gabl mc1x1 snug --arrival-scale 1 0.9 0.8 --no-timing \
    --quiet";

/// An example for kinds that compare allocators or loads.
pub(super) const TWO_LOADS: &str = "synthetic:jobs=200,ratio=1 --machine 8x8 --scheduler fcfs \
    --allocator first-fit hilbert+bf mbs --arrival-scale 1 0.8 --no-timing --quiet";

/// An example for kinds that show every single job and its nodes.
pub(super) const FEW_JOBS: &str = "synthetic:jobs=40,ratio=1 --machine 8x8 --scheduler fcfs \
    --allocator first-fit hilbert+bf mbs --placements --no-timing --quiet";

/// An example for kinds that show how broken up the free nodes are.
pub(super) const FEW_SLICES: &str = "synthetic:jobs=40,ratio=1 --machine 8x8 --scheduler fcfs \
    --allocator first-fit hilbert+bf mbs --fragmentation 4x4,2x2 --no-timing --quiet";

/// An example for kinds that show how long jobs are suspended.
pub(super) const LINEAR_ARRAY: &str = "docs/examples/seven-jobs.swf --machine 48 \
    --allocator linear-first-fit left-compaction cost-free-compaction --no-timing --quiet";

/// What kinds need that show how numbers change with the load.
pub(super) const SEVERAL_LOADS: &str = "several loads of one kind: arrival scales, gaps of uniform arrivals, \
     or rates, or ratios of a workload model";

/// A plot; `None` if the results lack what its kind needs.
pub type Drawn = Result<Option<Drawing>, FigureError>;

/// What a kind of plot needs from the results. Its `Display` text completes the sentence "the directory does
/// not hold …".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// The summary with a certain content, which the text names.
    Summary(&'static str),
    /// The summary of replays on a linear array, or of replays that moved jobs. In all other replays delays
    /// have nothing to show.
    Delays,
    /// The jobs frame.
    Jobs,
    /// The jobs frame with the durations of the allocator's calls.
    CallTimes,
    /// The jobs frame with the nodes of each job.
    Nodes,
    /// The frame of the fragmentation of the free nodes, which is measured only on request.
    Fragmentation,
}

impl Needs {
    /// Returns whether the user is told that the results lack this. Missing delays are no problem and need no
    /// note, and neither does what is measured only on request.
    pub fn is_missed(self) -> bool {
        !matches!(self, Self::Delays | Self::Fragmentation)
    }
}

impl fmt::Display for Needs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Summary(part) => part,
            Self::Delays => "delays",
            Self::Jobs => "jobs; `replay -o` and `sweep --jobs` keep them",
            Self::CallTimes => {
                "jobs with times; `replay -o` and `sweep --jobs` keep them without \
                 --no-timing"
            }
            Self::Fragmentation => {
                "the fragmentation of free nodes; `replay -o DIR --fragmentation SLICES` and `sweep --jobs \
                 --fragmentation SLICES` keep it"
            }
            Self::Nodes => {
                "jobs with their nodes; `replay -o DIR --placements` and `sweep --jobs --placements` keep \
                     them"
            }
        })
    }
}

/// A choice of the user that has an effect on some kinds of plots only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setting {
    /// [`PlotOptions::value`].
    Value,
    /// [`PlotOptions::log`].
    Log,
    /// [`PlotOptions::axis`].
    Axis,
    /// [`PlotOptions::relative_to`].
    RelativeTo,
    /// [`PlotOptions::replays`].
    Replay,
    /// [`PlotOptions::window_s`].
    Window,
}

/// The choices for kinds that show single jobs.
pub(super) const OF_JOBS: &[Setting] = &[Setting::Replay, Setting::Window];

impl Setting {
    /// Returns the argument of `plot` that makes the choice.
    pub fn argument(self) -> &'static str {
        match self {
            Self::Value => "--value",
            Self::Log => "--log",
            Self::Axis => "--axis",
            Self::RelativeTo => "--relative-to",
            Self::Replay => "--replay",
            Self::Window => "--window",
        }
    }
}

/// The choices of the user for a plot. Each kind reads only the fields that concern it.
#[derive(Clone, Copy, Debug)]
pub struct PlotOptions<'a> {
    /// The directory of the results.
    pub folder: &'a Path,
    /// The column that is drawn; `None` for the kind's default.
    pub value: Option<&'a str>,
    /// Whether the axis of the values is logarithmic. Only curves by load, boxes and distributions use it.
    pub log: bool,
    /// What the horizontal axis of curves by load shows; `None` for the arrival rate.
    pub axis: Option<LoadAxis>,
    /// The name of the curve to which ratios are relative; `None` for mc1x1, or for the first curve if there
    /// is no mc1x1.
    pub relative_to: Option<&'a str>,
    /// The numbers of the replays whose jobs are shown; empty for those at the first load.
    pub replays: &'a [u32],
    /// The window of time that pictures of jobs show, in seconds; `None` for all.
    pub window_s: Option<Span>,
    /// The size of the picture.
    pub page: Page,
    /// Whether the user asked for this kind by its name. If not, a plot with nothing to show is left out.
    pub is_asked: bool,
}

/// What the horizontal axis of curves by load shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoadAxis {
    /// How densely jobs arrive.
    Arrivals,
    /// The share of the node-seconds that are busy.
    Utilization,
    /// The factor by which arrival times are multiplied.
    Factor,
}

impl<'a> PlotOptions<'a> {
    /// Returns the default options for the results in `folder`.
    pub fn of(folder: &'a Path) -> Self {
        Self {
            folder,
            value: None,
            log: false,
            axis: None,
            relative_to: None,
            replays: &[],
            window_s: None,
            page: Page::default(),
            is_asked: false,
        }
    }

    /// Returns the window of time in seconds, or all times.
    pub fn window(&self) -> Span {
        self.window_s.unwrap_or(Span::ALL)
    }

    /// Returns whether a time in seconds is in the window.
    pub fn is_inside(&self, time_s: f64) -> bool {
        self.window_s.is_none_or(|window_s| window_s.contains(time_s))
    }

    /// Returns whether a run in seconds has a part in the window.
    pub fn overlaps(&self, start_s: f64, end_s: f64) -> bool {
        end_s > self.window().low && start_s < self.window().high
    }
}
