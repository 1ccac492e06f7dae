//! The registry of the kinds of plots. Each kind is a row of [`PLOT_KINDS`] and a file, which some kinds
//! share.

mod busy;
mod colours;
mod delays;
mod distributions;
mod fragmentation;
mod frontier;
mod gantt;
mod heat;
mod job_rows;
mod load;
mod nodes;
mod queue;
mod ratio;
mod time_axis;
mod utilization;
mod values;
mod why;

use super::kind::PlotKind;

/// The kinds of plots, in drawing order.
pub const PLOT_KINDS: &[PlotKind] = &[
    load::KIND,
    utilization::KIND,
    delays::KIND,
    ratio::KIND,
    frontier::KIND,
    distributions::CALLS,
    heat::KIND,
    distributions::WAITS,
    distributions::BOX,
    distributions::CDF,
    busy::KIND,
    queue::KIND,
    why::KIND,
    fragmentation::KIND,
    nodes::KIND,
    gantt::KIND,
];

/// Returns the kind of plot with this name; `None` if there is none.
pub fn plot_kind(name: &str) -> Option<&'static PlotKind> {
    PLOT_KINDS.iter().find(|kind| kind.name == name)
}
