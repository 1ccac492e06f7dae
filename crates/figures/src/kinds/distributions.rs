//! The plots `waits`, `box`, `cdf` and `calls`: distributions of a number of the jobs.

use std::collections::BTreeMap;

use super::job_rows::{
    JobCurve, PanelSeries, Seeds, about_jobs, charts_like, chosen_column, column_axis, column_title,
    job_curves, load_note, mark_overload, visit_rows,
};
use super::values::{OVERLOADED, OVERLOADED_MEANS, TimeUnit};
use crate::FigureError;
use crate::curves::in_panels;
use crate::draw::{Axis, BOX_SHARES, BoxRow, Boxes, Chart, Panel, Panels, Scale, joined};
use crate::kind::{CALL_TIMES, Drawn, FEW_JOBS, JOBS, OF_JOBS, PlotKind, PlotOptions, Setting};
use crate::results::Results;
use meshreplay_sim::metrics::{ColumnInfo, ColumnType, Distribution, OF_WAITS};

/// The row of the registry for the shares of jobs that wait longer.
pub(super) const WAITS: PlotKind = PlotKind {
    name: "waits",
    summary: "Distribution of waiting times",
    needs: JOBS,
    takes: OF_JOBS,
    example: Some(FEW_JOBS),
    draw: draw_waits,
};

/// The row of the registry for a box for each replay.
pub(super) const BOX: PlotKind = PlotKind {
    name: "box",
    summary: "Boxes of the waiting times (if they are equal, the pairwise sums), from 5 % to 95 % of the \
         jobs; --value for another number of the jobs",
    needs: JOBS,
    takes: &[Setting::Value, Setting::Log, Setting::Replay, Setting::Window],
    example: Some(FEW_JOBS),
    draw: draw_boxes,
};

/// The row of the registry for the shares of jobs with at most a number.
pub(super) const CDF: PlotKind = PlotKind {
    name: "cdf",
    summary: "Share of jobs with at most some pairwise sum; --value for another number of the jobs",
    needs: JOBS,
    takes: &[Setting::Value, Setting::Log, Setting::Replay, Setting::Window],
    example: Some(FEW_JOBS),
    draw: draw_cdf,
};

/// The row of the registry for the shares of allocator calls that take longer.
pub(super) const CALLS: PlotKind = PlotKind {
    name: "calls",
    summary: "Distribution of the duration of allocator calls",
    needs: CALL_TIMES,
    takes: OF_JOBS,
    example: None,
    draw: draw_calls,
};

/// The distribution of a number of the jobs, for each curve.
type Distributions = Vec<(JobCurve, Distribution)>;

/// Returns the distribution of a column for each curve, over all jobs or over the jobs that arrive in the
/// window. Values are distinguished up to 1 / `steps`. Returns `None` if no job has a number, or if there is
/// no such column.
fn distributions(
    options: &PlotOptions<'_>,
    results: &Results,
    column: &str,
    steps: f64,
) -> Result<Option<Distributions>, FigureError> {
    let mut curves = job_curves(options, results)?;
    if OF_WAITS.contains(&&*format!("{column}_mean")) {
        mark_overload(results, &mut curves);
    }
    let mut all: Vec<Distribution> = curves.iter().map(|_| Distribution::new(steps)).collect();
    let mut positions: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
    for (i, curve) in curves.iter().enumerate() {
        curve.replays.iter().for_each(|&replay| positions.entry(replay).or_default().push(i));
    }
    let names = [column, "submit_s"];
    let is_kept =
        visit_rows("jobs", options, names, &curves, Seeds::All, &mut |replay, [value, submit_s]| {
            if options.is_inside(submit_s) {
                for &i in positions.get(&replay).into_iter().flatten() {
                    all[i].record(value);
                }
            }
        })?;
    let is_shown = is_kept && all.iter().any(|distribution| distribution.count() > 0);
    Ok(is_shown.then(|| curves.into_iter().zip(all).collect()))
}

/// Returns the number of distinguished values per unit of a column.
fn steps(column: &ColumnInfo) -> f64 {
    if column.kind == ColumnType::F64 { 1000.0 } else { 1.0 }
}

/// Returns a curve for each distribution: its height at x is `factor` times the share of values larger than
/// x. On a logarithmic `scale` only points with x above 0 are kept.
fn shares(distributions: Distributions, factor: f64, scale: Scale) -> Vec<PanelSeries> {
    let series = |(curve, distribution): (JobCurve, Distribution)| {
        let points = distribution.exceeding().into_iter().map(|(x, share)| (x, factor * share));
        curve.series(points.filter(|(x, _)| *x > 0.0 || scale == Scale::Linear))
    };
    distributions.into_iter().map(series).collect()
}

/// Returns the meaning of the mark of overload if the name of a panel has it; empty otherwise.
fn late<'a>(mut panels: impl Iterator<Item = &'a str>) -> &'static str {
    if panels.any(|panel| panel.contains(OVERLOADED)) { OVERLOADED_MEANS } else { "" }
}

fn chart(
    options: &PlotOptions<'_>,
    results: &Results,
    title: String,
    x: Axis,
    y: Axis,
    series: Vec<PanelSeries>,
) -> Panels {
    let note = [&*load_note(options, results), late(series.iter().map(|one| &*one.panel))];
    let note = note.join(" ").trim().to_owned();
    let charts = charts_like(&Chart { x, y, ..Chart::default() }, series);
    super::values::charts(title, about_jobs(options, results), note, charts)
}

fn draw_waits(options: &PlotOptions<'_>, results: &Results) -> Drawn {
    let Some(waits) = distributions(options, results, "wait_s", 1.0)? else { return Ok(Panels::default()) };
    let x = Axis { scale: Scale::Log, ..Axis::titled("wait (s)") };
    let y = Axis::percent("jobs that wait longer (%)");
    let series = shares(waits, 100.0, Scale::Log);
    Ok(chart(options, results, "Waiting times".to_owned(), x, y, series))
}

fn draw_boxes(options: &PlotOptions<'_>, results: &Results) -> Drawn {
    let mut column = chosen_column(options, "jobs", "wait_s")?;
    let mut all = distributions(options, results, column.name, steps(&column))?;
    // Boxes of waits under allocators that never refuse a job would be equal.
    if options.value.is_none() && all.as_ref().is_some_and(|all| are_equal(all)) {
        column = chosen_column(options, "jobs", "pairwise_sum")?;
        all = distributions(options, results, column.name, steps(&column))?;
    }
    let Some(all) = all else { return Ok(Panels::default()) };
    let about =
        "whiskers 5\u{a0}% and 95\u{a0}% of the jobs, box 25\u{a0}%, 50\u{a0}% and 75\u{a0}%, dot mean";
    // Boxes at the end of a linear axis would be lines.
    let is_log = options.log || all.iter().any(|(_, distribution)| has_long_tail(distribution));
    let scale = if is_log { Scale::Log } else { Scale::Linear };
    let has_zero = all.iter().any(|(_, distribution)| marks(distribution)[0] <= 0.0);
    let zero = if is_log && has_zero { "Values of 0 are at the left end." } else { "" };
    let panel = |panel: Distributions| {
        Panel::Boxes(Boxes {
            subtitle: panel[0].0.panel.clone(),
            x: Axis { scale, ..column_axis(&column) },
            rows: panel.into_iter().filter_map(box_row).collect(),
            ..Boxes::default()
        })
    };
    let panels = in_panels(all, |(curve, _)| &curve.panel);
    let note = [&*load_note(options, results), zero, late(panels.iter().map(|panel| &*panel[0].0.panel))];
    Ok(Panels {
        note: note.join(" ").trim().to_owned(),
        title: format!("Distribution of the {} of jobs", column_title(&column)),
        subtitle: joined(&[&*about_jobs(options, results), about]),
        panels: panels.into_iter().map(panel).collect(),
        columns: 3,
        ..Panels::default()
    })
}

/// Returns the box of a curve; `None` without jobs.
fn box_row((curve, distribution): (JobCurve, Distribution)) -> Option<BoxRow> {
    let marks = marks(&distribution);
    Some(BoxRow { name: curve.name, look: curve.look, marks, mean: distribution.mean()? })
}

fn marks(distribution: &Distribution) -> [f64; 5] {
    BOX_SHARES.map(|share| distribution.quantile(share).unwrap_or_default())
}

/// Returns whether a panel has several curves, and each panel has curves with the same box and mean.
fn are_equal(all: &[(JobCurve, Distribution)]) -> bool {
    let key = |distribution: &Distribution| (marks(distribution), distribution.mean());
    let panels = in_panels(all, |(curve, _)| &curve.panel);
    let is_equal = |panel: &Vec<&(JobCurve, Distribution)>| {
        panel.iter().all(|(_, distribution)| key(distribution) == key(&panel[0].1))
    };
    panels.iter().any(|panel| panel.len() > 1) && panels.iter().all(is_equal)
}

fn draw_cdf(options: &PlotOptions<'_>, results: &Results) -> Drawn {
    let column = chosen_column(options, "jobs", "pairwise_sum")?;
    let all = distributions(options, results, column.name, steps(&column))?;
    let Some(all) = all else { return Ok(Panels::default()) };
    // Values of 0 are outside a logarithmic axis; the curve begins with their share.
    let is_log = options.log || all.iter().any(|(_, distribution)| has_long_tail(distribution));
    let scale = if is_log { Scale::Log } else { Scale::Linear };
    let mut series = shares(all, 100.0, scale);
    series.iter_mut().flat_map(|one| &mut one.series.points).for_each(|point| point.y = 100.0 - point.y);
    let title = format!("Distribution of the {} of jobs", column_title(&column));
    let x = Axis { scale, ..column_axis(&column) };
    let y = Axis::percent("jobs with at most this (%)");
    Ok(chart(options, results, title, x, y, series))
}

/// Returns whether three quarters of the jobs have less than a tenth of the largest number, so that a linear
/// axis would leave them a tenth of its length.
fn has_long_tail(distribution: &Distribution) -> bool {
    let ends = distribution.quantile(0.75).zip(distribution.quantile(1.0));
    ends.is_some_and(|(most, largest)| most < 0.1 * largest)
}

fn draw_calls(options: &PlotOptions<'_>, results: &Results) -> Drawn {
    let Some(all) = distributions(options, results, "allocate_ns", 1.0)? else {
        return Ok(Panels::default());
    };
    let ends = all.iter().flat_map(|(_, durations)| [durations.quantile(0.0), durations.quantile(1.0)]);
    let unit = TimeUnit::for_durations(ends.flatten());
    let mut series = shares(all, 1.0, Scale::Log);
    for PanelSeries { series, .. } in &mut series {
        // No call takes longer than the longest one, and a logarithmic axis cannot show 0.
        series.points.retain(|point| point.y > 0.0);
        series.points.iter_mut().for_each(|point| point.x /= unit.ns);
    }
    let axis = |title: &str| Axis { scale: Scale::Log, ..Axis::titled(title) };
    let x = axis(&format!("duration ({})", unit.name));
    let y = axis("share of calls that take longer");
    let title = "Duration of calls that place a job".to_owned();
    Ok(chart(options, results, title, x, y, series))
}
