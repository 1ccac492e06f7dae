//! The plot `ratio`: the value of each allocator divided by that of one allocator, for each log, machine and
//! load.

use std::cell::Cell;
use std::collections::BTreeSet;

use super::values::{mean, quantity, untitled};
use crate::FigureError;
use crate::curves::{Curve, in_panels};
use crate::draw::{BarGroup, Bars, Panel, Panels, joined};
use crate::intervals::{InMeans, Ratios};
use crate::kind::{Drawn, PlotKind, PlotOptions, Setting, TWO_LOADS};
use crate::results::Results;
use crate::span::Span;
use meshreplay_sim::metrics::{Metric, OF_WAITS, metric};

/// The row of the registry.
pub(super) const KIND: PlotKind = PlotKind {
    name: "ratio",
    summary: "Bars of each allocator by one of them, for each log and machine",
    needs: "several allocators",
    takes: &[Setting::Value, Setting::RelativeTo],
    example: Some(TWO_LOADS),
    draw,
};

/// The ratios that the axis shows at least, so that small differences look small.
const COMPARABLE: Span = Span::new(0.9, 1.1);

/// A bar of the plot.
struct Ratio {
    value: f64,
    interval: Option<Span>,
    /// Whether it compares waits under overload.
    is_late: bool,
}

/// Draws the plot; no drawing if there are fewer than two curves.
fn draw(options: &PlotOptions<'_>, results: &Results) -> Drawn {
    let column = options.value.unwrap_or("pairwise_sum_mean");
    let y = results.chosen("--value", column)?;
    let curves = results.curves(&results.group_columns());
    if curves.len() < 2 {
        return Ok(Panels::default());
    }
    let bases = bases(options, results, &curves)?;
    let is_over_jobs = metric(column).is_some_and(Metric::is_over_jobs_in_means);
    let are_of_same_jobs = Cell::new(true);
    let value = |rows: &[usize]| mean(rows.iter().map(|&row| y.get(row)));
    let intervals = Ratios::read(&results.table, column, options.folder)?;
    let is_late =
        |rows: &[usize]| OF_WAITS.contains(&column) && rows.iter().any(|&row| results.is_overloaded(row));
    let ratio = |group: &str, of: &Curve, base: Option<usize>| {
        let here = |rows: &[usize]| -> Vec<usize> {
            rows.iter().copied().filter(|&row| results.group(row) == group).collect()
        };
        let [of, by] = of_common_seeds(results, [here(&of.rows), here(&curves[base?].rows)]);
        are_of_same_jobs
            .set(are_of_same_jobs.get() && (!is_over_jobs || have_same_jobs(results, [&of, &by])));
        let ratio = value(&of)? / value(&by).filter(|by| *by > 0.0)?;
        let is_late = is_late(&of) || is_late(&by);
        let ends = intervals.ends(&of, &by).filter(|_| !is_late);
        Some(Ratio { value: ratio, interval: ends.map(|[low, high]| Span::new(low, high)), is_late })
    };
    let named: BTreeSet<&str> = bases.iter().flatten().map(|&base| curves[base].name.as_str()).collect();
    let by = named.into_iter().collect::<Vec<_>>().join(" or ");
    let panel = |panel: Vec<(&Curve, &Option<usize>)>| {
        let group = |name: String| {
            let bars: Vec<Option<Ratio>> =
                panel.iter().map(|(curve, base)| ratio(&name, curve, **base)).collect();
            let bars = || bars.iter().map(Option::as_ref);
            BarGroup {
                name,
                intervals: bars().map(|bar| bar?.interval).collect(),
                hatched: bars().map(|bar| bar.is_some_and(|bar| bar.is_late)).collect(),
                bars: bars().map(|bar| Some(bar?.value)).collect(),
                ..BarGroup::default()
            }
        };
        let rows = panel.iter().flat_map(|(curve, _)| curve.rows.iter().copied());
        Panel::Bars(Bars {
            subtitle: panel[0].0.panel.clone(),
            axis: format!("{} relative to {by}", quantity(column)),
            groups: results.groups(rows).into_iter().map(group).collect(),
            legend: panel.iter().map(|(curve, _)| (curve.name.clone(), curve.look)).collect(),
            base: 1.0,
            shows: Some(COMPARABLE),
            ..Bars::default()
        })
    };
    let panels = in_panels(curves.iter().zip(&bases), |(curve, _)| &curve.panel);
    let panels: Vec<Panel> = panels.into_iter().map(panel).collect();
    let note = if are_of_same_jobs.get() { "" } else { "some ratios are of means over other jobs" };
    Ok(Panels {
        title: format!("{} relative to {by}", untitled(column)),
        subtitle: joined(&[&*results.shared(), note]),
        note: below(&panels),
        panels,
        columns: 2,
        aspect: Some(0.6),
        ..Panels::default()
    })
}

/// Returns whether the means of both rows are over the same jobs, as far as is known.
fn have_same_jobs(results: &Results, [of, by]: [&[usize]; 2]) -> bool {
    let in_means = |rows: &[usize]| InMeans::from_rows(results, rows);
    of.is_empty() || by.is_empty() || in_means(of).zip(in_means(by)).is_none_or(|(of, by)| of.is_like(&by))
}

/// Returns what the lines and the hatching of the bars mean, where there are some.
fn below(panels: &[Panel]) -> String {
    let bars =
        || panels.iter().flat_map(|panel| if let Panel::Bars(bars) = panel { &*bars.groups } else { &[] });
    let has_intervals = bars().any(|group| group.intervals.iter().any(Option::is_some));
    let is_hatched = bars().any(|group| group.hatched.contains(&true));
    let said = [
        (has_intervals, "Lines: 95 % intervals, each by itself."),
        (is_hatched, "Hatched: overloaded, so that waits grow with the length of the log."),
    ];
    let said: Vec<&str> = said.into_iter().filter(|(is_said, _)| *is_said).map(|(_, text)| text).collect();
    said.join(" ")
}

/// Keeps the rows of common seeds, since `until:` may repeat one replay more often than another. Keeps all
/// rows if there is no common seed.
fn of_common_seeds(results: &Results, [of, base]: [Vec<usize>; 2]) -> [Vec<usize>; 2] {
    let shared = |rows: &[usize], others: &[usize]| -> Vec<usize> {
        let seeds: Vec<String> = others.iter().map(|&row| results.label(row, "seed")).collect();
        rows.iter().copied().filter(|&row| seeds.contains(&results.label(row, "seed"))).collect()
    };
    let both = [shared(&of, &base), shared(&base, &of)];
    if both.iter().any(Vec::is_empty) { [of, base] } else { both }
}

/// Returns the position of the base of each curve: the curve of one allocator with the same log, machine,
/// scheduler and so on; `None` if there is no such curve. The user names the allocator, or one curve for all
/// in each place, such as `naive · fcfs`. The default is mc1x1, or else the first allocator.
fn bases(
    options: &PlotOptions<'_>,
    results: &Results,
    curves: &[Curve],
) -> Result<Vec<Option<usize>>, FigureError> {
    let (places, groups) = (results.place_columns(), results.group_columns());
    let allocator = |curve: &Curve| results.label(curve.rows[0], "allocator");
    let rest = |curve: &Curve| results.beside_allocator(curve.rows[0], &groups);
    let short = |curve: &Curve| results.name(curve.rows[0], &places);
    let place = |curve: &Curve| -> Vec<String> {
        let columns = places.iter().filter(|column| !groups.contains(column));
        columns.map(|column| results.label(curve.rows[0], column)).collect()
    };
    let of_curves = |is_base: &dyn Fn(&Curve, &Curve) -> bool| -> Vec<Option<usize>> {
        curves.iter().map(|curve| curves.iter().position(|other| is_base(curve, other))).collect()
    };
    let of_allocator =
        |base: &str| of_curves(&|curve, other| allocator(other) == base && rest(other) == rest(curve));
    let has = |base: &str| curves.iter().any(|curve| allocator(curve) == base);
    // Curves of one allocator, which differ in scheduler or the like, are relative to the first of a place.
    if curves.iter().all(|curve| allocator(curve) == allocator(&curves[0])) && options.relative_to.is_none() {
        return Ok(of_curves(&|curve, other| place(other) == place(curve)));
    }
    match options.relative_to {
        None if has("mc1x1") => Ok(of_allocator("mc1x1")),
        None => Ok(of_allocator(&allocator(&curves[0]))),
        Some(base) if has(base) => Ok(of_allocator(base)),
        Some(base) if curves.iter().any(|curve| short(curve) == base) => {
            Ok(of_curves(&|curve, other| short(other) == base && place(other) == place(curve)))
        }
        Some(base) => {
            let mut known: Vec<String> = Vec::new();
            for name in curves.iter().map(short) {
                if !known.contains(&name) {
                    known.push(name);
                }
            }
            Err(FigureError::NoBase { base: base.to_owned(), known: known.join(", ") })
        }
    }
}
