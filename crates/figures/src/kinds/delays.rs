//! The plot `delays`: mean times of jobs until they are first in the queue, from there to the start, and
//! suspended for moves.

use super::values::mean;
use crate::draw::{BarGroup, Bars};
use crate::kind::{DELAYS, Drawn, LINEAR_ARRAY, PlotKind, PlotOptions};
use crate::results::Results;
use meshreplay_sim::metrics::{Group, METRICS, Metric};

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
        return Ok(None);
    }
    let curves = results.curves(&results.place_columns());
    let is_delay = |metric: &&Metric| {
        metric.column.unit == "s" && metric.terminal.is_some_and(|column| column.group == Group::Delays)
    };
    let delays: Vec<&Metric> = METRICS.iter().filter(is_delay).collect();
    let mut groups = Vec::new();
    for place in results.places() {
        for delay in &delays {
            let y = results.numbers(delay.name())?;
            let value = |rows: &[usize]| {
                mean(rows.iter().filter(|&&row| results.place(row) == place).map(|&row| y.get(row)))
            };
            let bars = curves.iter().map(|curve| value(&curve.rows)).collect();
            let name = format!("{}\n{place}", delay.title()).trim_end().to_owned();
            groups.push((delay.title(), BarGroup { name, bars, ..BarGroup::default() }));
        }
    }
    // A delay that is 0 everywhere gets no bars.
    let is_nothing = |title: &str| {
        let bars = groups.iter().filter(|(other, _)| other == title).flat_map(|(_, group)| &group.bars);
        bars.flatten().all(|value| value.abs() < f64::MIN_POSITIVE)
    };
    let nothing: Vec<String> =
        delays.iter().map(|delay| delay.title()).filter(|title| is_nothing(title)).collect();
    let note = if nothing.is_empty() || nothing.len() == delays.len() {
        String::new()
    } else {
        groups.retain(|(title, _)| !nothing.contains(title));
        format!("{}: 0 s everywhere.", nothing.join(" and "))
    };
    let groups = groups.into_iter().map(|(_, group)| group).collect();
    let bars = Bars {
        title: "Mean delays of jobs".to_owned(),
        subtitle: results.shared(),
        axis: "seconds".to_owned(),
        groups,
        notes: [String::new(), note],
        legend: curves.into_iter().map(|curve| (curve.name, curve.look)).collect(),
        ..Bars::default()
    };
    Ok(Some(bars.draw_on(options.page)))
}
