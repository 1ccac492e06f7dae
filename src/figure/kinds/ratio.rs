//! The plot `ratio`: the value of each allocator divided by that of one allocator, for each log, machine and load.

use super::values::{mean, titled};
use crate::figure::draw::{BarGroup, Bars};
use crate::figure::error::FigureError;
use crate::figure::kind::{Drawn, Needs, PlotKind, PlotOptions, TWO_LOADS};
use crate::figure::results::Results;

/// The row of the registry.
pub(super) const KIND: PlotKind = PlotKind {
    name: "ratio",
    summary: "Bars of each allocator by one of them, for each log and machine",
    needs: Needs::Summary("several allocators"),
    example: Some(TWO_LOADS),
    draw,
};

/// Draws the plot; `None` if there are fewer than two curves.
fn draw(options: &PlotOptions<'_>, results: &Results) -> Drawn {
    let column = options.value.unwrap_or("pairwise_sum_mean");
    let y = results.chosen("--value", column)?;
    let curves = results.curves(&["log", "machine", "arrival_scale"]);
    if curves.len() < 2 {
        return Ok(None);
    }
    let named = |base: &str| curves.iter().find(|curve| curve.name == base);
    let base = match options.relative_to {
        Some(base) => named(base).ok_or_else(|| {
            let known: Vec<&str> = curves.iter().map(|curve| curve.name.as_str()).collect();
            FigureError::NoBase { base: base.to_owned(), known: known.join(", ") }
        })?,
        None => named("mc1x1").unwrap_or(&curves[0]),
    };
    let group = |place: &String| {
        let value = |rows: &[usize]| {
            mean(rows.iter().filter(|&&row| results.place(row) == *place).map(|&row| y[row]))
        };
        let by = value(&base.rows);
        let ratio = |rows: &[usize]| Some(value(rows)? / by.filter(|by| *by > 0.0)?);
        BarGroup { name: place.clone(), bars: curves.iter().map(|curve| ratio(&curve.rows)).collect() }
    };
    let bars = Bars {
        title: format!("{} by that of {}", titled(column), base.name),
        subtitle: results.shared(),
        axis: "ratio".to_owned(),
        groups: results.places().iter().map(group).collect(),
        legend: curves.iter().map(|curve| (curve.name.clone(), curve.look)).collect(),
        base: 1.0,
    };
    Ok(Some(bars.draw()))
}
