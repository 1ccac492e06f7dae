//! How long jobs wait for their turn, then for their nodes, and how long they are suspended while they are moved.

use super::values::mean;
use crate::figure::draw::{BarGroup, Bars};
use crate::figure::error::FigureError;
use crate::figure::kind::{Needs, PlotKind, PlotOptions};
use crate::figure::results::{DELAYS, Results};

pub(super) const KIND: PlotKind = PlotKind {
    name: "delays",
    summary: "Bars of the mean time to the head of the queue, from there to the start, and suspended",
    needs: Needs::Summary("delays"),
    // Where they say nothing they are no loss.
    is_missed: false,
    draw,
};

fn draw(options: &PlotOptions<'_>, results: &Results) -> Result<Option<String>, FigureError> {
    if !(options.is_asked || results.have_delays()) {
        return Ok(None);
    }
    let curves = results.curves(&["log", "machine", "arrival_scale"]);
    let mut groups = Vec::new();
    for place in results.places() {
        for column in DELAYS.into_iter().filter(|column| column.ends_with("_s_mean")) {
            let y = results.numbers(column)?;
            let value = |rows: &[usize]| {
                mean(rows.iter().filter(|&&row| results.place(row) == place).map(|&row| y[row]))
            };
            let bars = curves.iter().map(|curve| value(&curve.rows)).collect();
            let words = column.trim_end_matches("_s_mean").replace('_', " ");
            groups.push(BarGroup { name: format!("{words}\n{place}"), bars });
        }
    }
    let bars = Bars {
        title: "Mean delays of jobs".to_owned(),
        subtitle: results.shared(),
        axis: "seconds".to_owned(),
        groups,
        legend: curves.into_iter().map(|curve| (curve.name, curve.style)).collect(),
        base: 0.0,
    };
    Ok(Some(bars.svg()))
}
