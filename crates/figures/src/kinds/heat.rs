//! The plot `heat`: the cost of jobs by size and load, in a panel for each replay.

use std::collections::BTreeMap;

use super::colours::Shades;
use super::job_rows::{
    JobCurve, Seeds, TimeMeans, about_jobs, chosen_column, column_title, job_curves, load_note, outages,
    visit_rows,
};
use super::time_axis::TimeAxis;
use super::values::TimeUnit;
use crate::FigureError;
use crate::draw::{Axis, Grid, GridAxis, GridCell, Panel, Panels, joined};
use crate::kind::{Drawn, FEW_JOBS, JOBS, PlotKind, PlotOptions, Setting};
use crate::results::Results;
use crate::span::Span;
use meshreplay_base::words::counted;
use meshreplay_results::text::grouped;
use meshreplay_sim::metrics::{ColumnInfo, Cost};

/// The row of the registry.
pub(super) const KIND: PlotKind = PlotKind {
    name: "heat",
    summary: "Median duration of a call (if calls were not timed, the pairwise mean; or --value) by the size \
         of jobs and the share of busy nodes about when they start",
    needs: JOBS,
    takes: &[Setting::Value, Setting::Replay, Setting::Window],
    example: Some(FEW_JOBS),
    draw,
};

/// The largest number of panels of a drawing.
const MOST_PANELS: usize = 9;
/// The number of equal parts of the time. The load of a job is the mean over the part of its start.
const MOMENTS: usize = 20_000;
/// The number of classes of loads.
const LOADS: usize = 10;

/// The jobs of one class of sizes and loads.
#[derive(Default)]
struct JobClass {
    count: u64,
    /// The sum of their values.
    sum: f64,
    /// The distribution of their values if these are durations of calls.
    durations: Cost,
    /// The most processors of a job.
    most: u32,
}

impl JobClass {
    /// Returns the median of durations, or the mean of other values.
    fn value(&self) -> f64 {
        if self.durations.calls() > 0 { self.durations.p50_ns() as f64 } else { self.sum / self.count as f64 }
    }
}

/// The jobs of each class of sizes and loads.
type Classes = BTreeMap<(u32, usize), JobClass>;

/// Draws the plot; `None` if the jobs were not kept or lack the number. Without --value it shows the
/// durations of the calls, or the pairwise mean if they were not measured.
fn draw(options: &PlotOptions<'_>, results: &Results) -> Drawn {
    let curves = job_curves(options, results)?;
    let mut column = chosen_column(options, "jobs", "allocate_ns")?;
    let mut classes = classes(options, results, &curves, &column)?;
    if classes.is_empty() && options.value.is_none() {
        column = chosen_column(options, "jobs", "pairwise_mean")?;
        classes = self::classes(options, results, &curves, &column)?;
    }
    let values = classes.values().flat_map(BTreeMap::values).map(JobClass::value);
    let span = Span::covering(values.clone());
    let span = Span::new(span.low, span.high.max(0.0));
    if span.is_empty() {
        return Ok(Panels::default());
    }
    let is_ns = column.unit == "ns";
    let unit = TimeUnit::for_durations(values.filter(|_| is_ns));
    let sizes = classes.values().flat_map(BTreeMap::keys).map(|(size, _)| *size);
    let fields = Fields {
        shades: Shades { span, is_log: is_ns && span.low > 0.0 },
        factor: unit.ns,
        unit: if is_ns { unit.name } else { column.unit },
        statistic: if is_ns { "median" } else { "mean" },
        title: if is_ns {
            "Median call that places a job".to_owned()
        } else {
            format!("Mean {}", column_title(&column))
        },
        least: sizes.min().unwrap_or(0),
        most: classes.values().flat_map(BTreeMap::values).map(|jobs| jobs.most).max().unwrap_or(1),
    };
    let colour = format!("colour: {} over the jobs of a field", fields.statistic);
    let panel = |curve: &JobCurve| Some(Panel::Grid(fields.panel(curve, classes.get(&curve.replay)?)));
    Ok(Panels {
        title: format!("{} by size of job and load", fields.title),
        subtitle: joined(&[about_jobs(options, results), colour]),
        panels: curves.iter().filter_map(panel).collect(),
        columns: 3,
        aspect: Some(0.8),
        note: load_note(options, results),
        most: Some(MOST_PANELS),
        ..Panels::default()
    })
}

/// Returns the classes of the jobs of each replay; empty if there are no jobs or no such number.
fn classes(
    options: &PlotOptions<'_>,
    results: &Results,
    curves: &[JobCurve],
    column: &ColumnInfo,
) -> Result<BTreeMap<u64, Classes>, FigureError> {
    let mut classes: BTreeMap<u64, Classes> = BTreeMap::new();
    let whole = PlotOptions { window_s: None, ..*options };
    let span = TimeAxis::read("jobs", &whole, ["start_s", "end_s"], curves, Span::EMPTY)?;
    let Some(axis) = span else { return Ok(classes) };
    let mut busy = TimeMeans::new(axis.span_s, MOMENTS);
    // Killed runs kept nodes busy, too.
    for (replay, outages) in outages(options, results, curves)? {
        for run in &outages.killed {
            busy.entry(replay).add(run.row.start_s, run.row.end_s, f64::from(run.row.allocated));
        }
    }
    let names = ["start_s", "end_s", "allocated"];
    visit_rows("jobs", options, names, curves, Seeds::First, &mut |replay, [start_s, end_s, nodes]| {
        busy.entry(replay).add(start_s, end_s, nodes);
    })?;
    let mut loads: BTreeMap<u64, Vec<f64>> = BTreeMap::new();
    for curve in curves {
        let nodes = f64::from(results.machine(curve.row)?.available());
        if let Some(means) = busy.by_replay.get(&curve.replay) {
            loads.insert(curve.replay, means.means().into_iter().map(|(_, busy)| busy / nodes).collect());
        }
    }
    let is_ns = column.unit == "ns";
    let names = ["start_s", "procs", column.name];
    let is_kept =
        visit_rows("jobs", options, names, curves, Seeds::First, &mut |replay, [start_s, procs, value]| {
            if !value.is_finite() || !options.is_inside(start_s) {
                return;
            }
            let Some(loads) = loads.get(&replay) else { return };
            let load = loads.get(busy.empty.part(start_s)).copied().unwrap_or_default();
            let load = ((load * LOADS as f64) as usize).min(LOADS - 1);
            let procs = procs.max(1.0) as u32;
            let jobs = classes.entry(replay).or_default().entry((procs.ilog2(), load)).or_default();
            jobs.count += 1;
            jobs.sum += value;
            jobs.most = procs.max(jobs.most);
            if is_ns {
                jobs.durations.add(value as u64);
            }
        })?;
    Ok(if is_kept { classes } else { BTreeMap::new() })
}

/// Shared settings of all panels.
struct Fields {
    /// The colours of values.
    shades: Shades,
    /// The unit of shown numbers, as a factor of values.
    factor: f64,
    /// The unit of shown numbers.
    unit: &'static str,
    /// The statistic of the jobs of a class, in words.
    statistic: &'static str,
    /// The title of shown numbers.
    title: String,
    /// The smallest class of sizes.
    least: u32,
    /// The most processors of a job.
    most: u32,
}

impl Fields {
    /// Returns a value as text, without its unit.
    fn text(&self, value: f64) -> String {
        let shown = value / self.factor;
        let decimals = match shown.abs() {
            shown if shown >= 100.0 => 0,
            shown if shown >= 10.0 => 1,
            _ => 2,
        };
        grouped(shown, decimals)
    }

    /// Returns five values with their colours.
    fn legend(&self) -> Vec<(String, String)> {
        let text = |value: f64| format!("{} {}", self.text(value), self.unit).trim_end().to_owned();
        let entries = self.shades.steps().map(|value| (text(value), self.shades.colour(value)));
        let mut entries = entries.to_vec();
        entries.dedup();
        entries
    }

    /// Returns the processors of a class of sizes, such as `5–8`.
    fn sizes(&self, class: u32) -> String {
        let (from, to) = (1_u64 << class, ((1_u64 << (class + 1)) - 1).min(u64::from(self.most)));
        if from >= to { from.to_string() } else { format!("{from}–{to}") }
    }

    fn panel(&self, curve: &JobCurve, classes: &Classes) -> Grid {
        let width = 100.0 / LOADS as f64;
        let cell = |(&(size, load), jobs): (&(u32, usize), &JobClass)| {
            let (value, from) = (jobs.value(), width * load as f64);
            let words = format!(
                "{} at {from:.0} to {:.0} %: {} {}, {} of {}",
                counted(self.sizes(size), "processor"),
                from + width,
                self.text(value),
                self.unit,
                self.statistic,
                counted(jobs.count, "job")
            );
            let place = [from, f64::from(size - self.least), width, 1.0];
            let (colour, name) = (self.shades.colour(value), self.sizes(size));
            GridCell { place, colour, words, value: Some(value / self.factor), name }
        };
        let sizes = self.least..=self.most.ilog2();
        let names: Vec<String> = sizes.map(|class| self.sizes(class)).collect();
        Grid {
            subtitle: curve.full_name(),
            x: GridAxis::to(100.0, Axis::titled("busy nodes (%)")),
            y: GridAxis::to(names.len() as f64, Axis { names, ..Axis::titled("processors") }),
            cells: classes.iter().map(cell).collect(),
            values: format!("{} ({})", self.title, self.unit),
            legend: self.legend(),
            ..Grid::default()
        }
    }
}
