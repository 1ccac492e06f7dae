//! The registry of the kinds of plots. Each kind is one file here and one row of [`PLOT_KINDS`].

mod box_plot;
mod busy;
mod calls;
mod cdf;
mod delays;
mod fragmentation;
mod frontier;
mod gantt;
mod heat;
mod jobs;
mod load;
mod nodes;
mod queue;
mod ratio;
mod utilization;
mod values;
mod waits;

use super::draw::Drawing;
use super::error::FigureError;
use super::kind::{PlotKind, PlotOptions};
use super::results::Results;

/// The kinds of plots, in the order in which they are drawn.
pub const PLOT_KINDS: &[PlotKind] = &[
    load::KIND,
    utilization::KIND,
    delays::KIND,
    ratio::KIND,
    frontier::KIND,
    calls::KIND,
    heat::KIND,
    waits::KIND,
    box_plot::KIND,
    cdf::KIND,
    busy::KIND,
    queue::KIND,
    fragmentation::KIND,
    nodes::KIND,
    gantt::KIND,
];

/// Returns the kind of plot with this name; `None` if there is none.
pub fn plot_kind(name: &str) -> Option<&'static PlotKind> {
    PLOT_KINDS.iter().find(|kind| kind.name == name)
}

/// Draws every plot that the results allow. Returns pairs of the kind's name and the drawing.
pub fn pictures(
    options: &PlotOptions<'_>,
    results: &Results,
) -> Result<Vec<(&'static str, Drawing)>, FigureError> {
    let draw =
        |kind: &'static PlotKind| Ok((kind.draw)(options, results)?.map(|picture| (kind.name, picture)));
    PLOT_KINDS.iter().filter_map(|kind| draw(kind).transpose()).collect()
}
