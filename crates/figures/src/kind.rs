//! The type of a row in [`PLOT_KINDS`](super::PLOT_KINDS), the registry of the kinds of plots.

use std::path::Path;

use super::draw::{Page, Panels};
use super::error::FigureError;
use super::results::Results;
use super::span::Span;

/// A kind of plot that the command `plot` can draw from saved results.
#[derive(Debug)]
pub struct PlotKind {
    /// The name of the kind on the command line, and the stem of its file.
    pub name: &'static str,
    /// The content of the plot, in one sentence.
    pub summary: &'static str,
    /// The data that the plot needs. The text completes the sentence "the directory does not hold …".
    pub needs: &'static str,
    /// The choices of the user that have an effect on the kind.
    pub takes: &'static [Setting],
    /// The arguments of `meshreplay replay` for the picture in docs/. `None` for a kind with measured times,
    /// which differ in every run.
    pub example: Option<&'static str>,
    /// Returns the plot before it is laid out on a page; without panels if the results lack the data of the
    /// kind.
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

/// An example for kinds that show the fragmentation of free nodes.
pub(super) const FEW_SLICES: &str = "synthetic:jobs=40,ratio=1 --machine 8x8 --scheduler fcfs \
    --allocator first-fit hilbert+bf mbs --fragmentation 4x4,2x2 --no-timing --quiet";

/// An example for kinds that show suspension times.
pub(super) const LINEAR_ARRAY: &str = "docs/examples/seven-jobs.swf --machine 48 \
    --allocator linear-first-fit left-compaction cost-free-compaction --no-timing --quiet";

/// The need of kinds over the load.
pub(super) const SEVERAL_LOADS: &str = "several loads of one kind: arrival scales, gaps of uniform arrivals, \
     or rates, or ratios of a workload model";

/// The panels of a plot; none if the results lack the data of its kind.
pub type Drawn = Result<Panels, FigureError>;

impl PlotKind {
    /// Returns whether missing data of the kind deserve a note. Missing delays are no problem, and the
    /// fragmentation is measured only on request.
    pub fn is_missed(&self) -> bool {
        ![DELAYS, FRAGMENTATION, CAUSES].contains(&self.needs)
    }
}

/// The need of a kind for replays on a linear array, or replays that moved jobs. Delays are meaningless in
/// other replays.
pub(super) const DELAYS: &str = "delays";
/// The need of a kind for the jobs frame.
pub(super) const JOBS: &str = "jobs; `replay -o` and `sweep --jobs` keep them";
/// The need of a kind for the jobs frame with the durations of the allocator's calls.
pub(super) const CALL_TIMES: &str =
    "jobs with times; `replay -o` and `sweep --jobs` keep them without --no-timing";
/// The need of a kind for the jobs frame with the nodes of each job.
pub(super) const NODES: &str =
    "jobs with their nodes; `replay -o DIR --placements` and `sweep --jobs --placements` keep them";
/// The need of a kind for the frame of the fragmentation of the free nodes, which is measured only on
/// request.
pub(super) const FRAGMENTATION: &str = "the fragmentation of free nodes; `replay -o DIR --fragmentation \
     SLICES` and `sweep --jobs --fragmentation SLICES` keep it";

/// The need of a kind for the jobs frame with the causes of waiting, which are found only on request.
pub(super) const CAUSES: &str = "causes of waiting; `replay -o DIR --why` and `sweep --jobs --why` keep them";

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
            Self::Log => "--log-scale",
            Self::Axis => "--axis",
            Self::RelativeTo => "--relative-to",
            Self::Replay => "--replay",
            Self::Window => "--window",
        }
    }
}

/// The choices of the user for a plot. Each kind reads only the fields of its settings.
#[derive(Clone, Copy, Debug)]
pub struct PlotOptions<'a> {
    /// The directory of the results.
    pub folder: &'a Path,
    /// The column that is drawn; `None` for the kind's default.
    pub value: Option<&'a str>,
    /// Whether the axis of the values is logarithmic. Only curves by load, boxes and distributions use it.
    pub log: bool,
    /// The horizontal axis of curves by load; `None` for the arrival rate.
    pub axis: Option<LoadAxis>,
    /// The name of the curve that ratios divide by; `None` for mc1x1, or for the first curve without mc1x1.
    pub relative_to: Option<&'a str>,
    /// The numbers of the replays whose jobs are shown; empty for the replays at the first load.
    pub replays: &'a [u32],
    /// The window of pictures of jobs, in seconds; `None` for all times.
    pub window_s: Option<Span>,
    /// The size of the picture.
    pub page: Page,
    /// Whether the user named this kind. Otherwise a plot without content is left out.
    pub is_asked: bool,
}

/// The horizontal axis of curves by load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoadAxis {
    /// The density of arrivals.
    Arrivals,
    /// The share of the node-seconds that are busy.
    Utilization,
    /// The factor of arrival times.
    Factor,
}

impl<'a> PlotOptions<'a> {
    /// Returns the default options for the results in `folder`.
    pub fn new(folder: &'a Path) -> Self {
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
