//! The plot `delays`: mean times of jobs until they are first in the queue, from there to the start, and
//! suspended for moves.

use super::values::mean;
use crate::FigureError;
use crate::curves::{Curve, in_panels};
use crate::draw::{BarGroup, Bars, Panel, Panels};
use crate::kind::{DELAYS, Drawn, LINEAR_ARRAY, PlotKind, PlotOptions};
use crate::load::Load;
use crate::results::Results;
use meshreplay_sim::metrics::{Group, METRICS, Metric, Needs};

/// The row of the registry.
pub(super) const KIND: PlotKind = PlotKind {
    name: "delays",
    summary: "Bars of the mean time to the head of the queue, from there to the start, and suspended",
    needs: DELAYS,
    takes: &[],
    example: Some(LINEAR_ARRAY),
    draw,
};

/// Draws the plot; `None` if delays are meaningless and the user did not name this kind.
fn draw(options: &PlotOptions<'_>, results: &Results) -> Drawn {
    if !(options.is_asked || results.have_delays()) {
        return Ok(Panels::default());
    }
    let is_delay = |metric: &&Metric| {
        let is_always = metric.column.needs == Needs::Nothing;
        is_always
            && metric.column.unit == "s"
            && metric.terminal.is_some_and(|column| column.group == Group::Delays)
    };
    let mut delays: Vec<&Metric> = METRICS.iter().filter(is_delay).collect();
    // A delay that is 0 everywhere gets no bars.
    let mut nothing: Vec<String> = Vec::new();
    for delay in &delays {
        let values = results.numbers(delay.name())?;
        if values.iter().flatten().all(|value| value.abs() < f64::MIN_POSITIVE) {
            nothing.push(delay.title());
        }
    }
    if nothing.len() == delays.len() {
        nothing.clear();
    }
    delays.retain(|delay| !nothing.contains(&delay.title()));
    let panels = in_panels(results.curves(&[results.load_column()]), |curve| &curve.panel);
    let panels = panels.into_iter().map(|curves| panel(results, curves, &delays));
    let note = if nothing.is_empty() {
        String::new()
    } else {
        format!("{}: 0 s everywhere.", nothing.join(" and "))
    };
    Ok(Panels {
        title: "Mean delays of jobs".to_owned(),
        subtitle: results.shared(),
        panels: panels.collect::<Result<_, _>>()?,
        columns: 2,
        aspect: Some(0.6),
        note,
        ..Panels::default()
    })
}

/// Returns the bars of some curves: a group for each load and delay.
fn panel(results: &Results, curves: Vec<Curve>, delays: &[&Metric]) -> Result<Panel, FigureError> {
    let load = |row: usize| results.load(row).and_then(Load::label).unwrap_or_default();
    let mut loads: Vec<String> = Vec::new();
    for label in curves.iter().flat_map(|curve| &curve.rows).map(|&row| load(row)) {
        if !loads.contains(&label) {
            loads.push(label);
        }
    }
    let mut groups = Vec::new();
    for label in &loads {
        for delay in delays {
            let y = results.numbers(delay.name())?;
            let value =
                |rows: &[usize]| mean(rows.iter().filter(|&&row| load(row) == *label).map(|&row| y.get(row)));
            let bars = curves.iter().map(|curve| value(&curve.rows)).collect();
            let name = format!("{}\n{label}", delay.title()).trim_end().to_owned();
            groups.push(BarGroup { name, bars, ..BarGroup::default() });
        }
    }
    Ok(Panel::Bars(Bars {
        subtitle: curves[0].panel.clone(),
        axis: "seconds".to_owned(),
        groups,
        legend: curves.into_iter().map(|curve| (curve.name, curve.look)).collect(),
        ..Bars::default()
    }))
}
