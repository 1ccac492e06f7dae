//! The plot `heat`: what the jobs of each size cost at each load, in a panel for each replay.

use std::collections::BTreeMap;

use super::jobs::columns::{JobCurve, about_jobs, job_curves, visit_rows};
use super::jobs::held_nodes::some_of;
use super::jobs::time_axis::TimeAxis;
use super::jobs::values::FrameValue;
use super::nodes::shade;
use super::values::Nanoseconds;
use crate::downtimes::downtimes;
use crate::draw::{Axis, Grid, GridCell, Panels};
use crate::error::FigureError;
use crate::kind::{Drawn, FEW_JOBS, Needs, PlotKind, PlotOptions, Setting};
use crate::results::Results;
use meshreplay_base::words::counted;
use meshreplay_sim::metrics::{BusyNodes, Cost};

/// The row of the registry.
pub(super) const KIND: PlotKind = PlotKind {
    name: "heat",
    summary: "Median duration of a call (if calls were not timed, the pairwise mean; or --value) by the size \
         of jobs and the share of busy nodes about when they start",
    needs: Needs::Jobs,
    takes: &[Setting::Value, Setting::Replay, Setting::Window],
    example: Some(FEW_JOBS),
    draw,
};

/// The largest number of panels.
const MOST_PANELS: usize = 9;
/// The number of equal parts of the time. The load of a job is the mean over the part in which it starts.
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
type Cells = BTreeMap<(u32, usize), JobClass>;

/// Draws the plot; `None` if the jobs were not kept or lack the number. Without --value it shows the
/// durations of the calls, or the pairwise mean if they were not measured.
fn draw(options: &PlotOptions<'_>, results: &Results) -> Drawn {
    let mut curves = job_curves(options, results)?;
    let all = curves.len();
    curves.truncate(MOST_PANELS);
    let value = FrameValue::of(options, "allocate_ns")?;
    let (value, found) = match means(options, results, &curves, &value)? {
        Some(found) => (value, found),
        None if options.value.is_none() => {
            let value = FrameValue::of(options, "pairwise_mean")?;
            let Some(found) = means(options, results, &curves, &value)? else { return Ok(None) };
            (value, found)
        }
        None => return Ok(None),
    };
    let values = found.values().flat_map(BTreeMap::values).map(JobClass::value);
    let (low, high) =
        values.clone().fold((f64::INFINITY, 0.0_f64), |(low, high), value| (low.min(value), high.max(value)));
    if low > high {
        return Ok(None);
    }
    let is_ns = value.unit() == "ns";
    let unit = Nanoseconds::of(values.filter(|_| is_ns));
    let statistic = if is_ns { "median" } else { "mean" };
    let colours = Colours { low, high, is_log: is_ns && low > 0.0, factor: unit.ns };
    let name = if is_ns { unit.name } else { value.unit() };
    let biggest = found.values().flat_map(BTreeMap::values).map(|jobs| jobs.most).max().unwrap_or(1);
    let least = found.values().flat_map(BTreeMap::keys).map(|(size, _)| *size).min().unwrap_or(0);
    let panel = |curve: &JobCurve| {
        let cells = found.get(curve.replays.first()?)?;
        Some(panel(curve, cells, (least, biggest), (&colours, name, statistic)))
    };
    let mut parts =
        vec![about_jobs(options, results), format!("colour: {statistic} over the jobs of a field")];
    if all > MOST_PANELS {
        parts.push(some_of(options, MOST_PANELS, all));
    }
    parts.retain(|part| !part.is_empty());
    let title = if is_ns { "call that places a job".to_owned() } else { value.title() };
    let panels = Panels {
        title: format!("{} {title} by size of job and load", if is_ns { "Median" } else { "Mean" }),
        subtitle: parts.join(" · "),
        panels: curves.iter().filter_map(panel).collect(),
        columns: 3,
        aspect: Some(0.8),
    };
    Ok(Some(panels.draw_on(options.page)))
}

/// Returns the cells of each replay; `None` if there are no jobs or no such number.
fn means(
    options: &PlotOptions<'_>,
    results: &Results,
    curves: &[JobCurve],
    value: &FrameValue,
) -> Result<Option<BTreeMap<u64, Cells>>, FigureError> {
    let whole = PlotOptions { window_s: None, ..*options };
    let span = TimeAxis::of("jobs", &whole, ["start_s", "end_s"], curves, std::iter::empty())?;
    let Some(axis) = span else { return Ok(None) };
    let mut busy: BTreeMap<u64, BusyNodes> = BTreeMap::new();
    let none = || BusyNodes::new(axis.span_s(), MOMENTS);
    let is_shown = |replay: u64| curves.iter().any(|curve| curve.replays.first() == Some(&replay));
    // Runs in which jobs were killed kept nodes busy too.
    for (replay, outages) in downtimes(options.folder, results, &is_shown)? {
        let found = busy.entry(replay).or_insert_with(none);
        outages
            .killed
            .iter()
            .for_each(|run| found.add(run.row.start_s, run.row.end_s, f64::from(run.row.allocated)));
    }
    let names = ["start_s", "end_s", "allocated"];
    visit_rows("jobs", options, &names, curves, &mut |row| {
        if row.is_first_seed {
            busy.entry(row.replay).or_insert_with(none).add(row.values[0], row.values[1], row.values[2]);
        }
    })?;
    let mut loads: BTreeMap<u64, (BusyNodes, Vec<f64>)> = BTreeMap::new();
    for curve in curves {
        let nodes = f64::from(results.machine(curve.row)?.available());
        if let Some((replay, found)) = curve.replays.first().and_then(|replay| busy.remove_entry(replay)) {
            let shares = found.means().into_iter().map(|(_, busy)| busy / nodes).collect();
            loads.insert(replay, (found, shares));
        }
    }
    let mut cells: BTreeMap<u64, Cells> = BTreeMap::new();
    let is_ns = value.unit() == "ns";
    let names = ["start_s", "procs", value.name()];
    let mut has_some = false;
    let is_there = visit_rows("jobs", options, &names, curves, &mut |row| {
        let [start_s, procs, value] = [row.values[0], row.values[1], row.values[2]];
        if !row.is_first_seed || !value.is_finite() || !options.is_inside(start_s) {
            return;
        }
        let Some((busy, shares)) = loads.get(&row.replay) else { return };
        let share = shares.get(busy.part(start_s)).copied().unwrap_or_default();
        let load = ((share * LOADS as f64) as usize).min(LOADS - 1);
        let procs = procs.max(1.0) as u32;
        let size = procs.ilog2();
        let jobs = cells.entry(row.replay).or_default().entry((size, load)).or_default();
        jobs.count += 1;
        jobs.sum += value;
        jobs.most = procs.max(jobs.most);
        if is_ns {
            jobs.durations.add(value as u64);
        }
        has_some = true;
    })?;
    Ok((is_there && has_some).then_some(cells))
}

/// The colours of values, from light for the least to dark for the largest.
struct Colours {
    low: f64,
    high: f64,
    /// Whether equal ratios, and not equal differences, are equal steps of colour.
    is_log: bool,
    /// What a shown number is multiplied by to give a value.
    factor: f64,
}

impl Colours {
    /// Returns the colour of a value.
    fn of(&self, value: f64) -> String {
        let along = |value: f64| if self.is_log { value.ln() } else { value };
        let span = along(self.high) - along(self.low);
        shade(if span > 0.0 { (along(value) - along(self.low)) / span } else { 0.5 })
    }

    /// Returns a value as text.
    fn text(&self, value: f64) -> String {
        let shown = value / self.factor;
        let decimals = if shown.abs() >= 100.0 {
            0
        } else if shown.abs() >= 10.0 {
            1
        } else {
            2
        };
        meshreplay_results::text::grouped(shown, decimals)
    }

    /// Returns five values with their colours.
    fn legend(&self, unit: &str) -> Vec<(String, String)> {
        let value = |step: u32| {
            let part = f64::from(step) / 4.0;
            if self.is_log {
                self.low * (self.high / self.low).powf(part)
            } else {
                self.low + part * (self.high - self.low)
            }
        };
        let entry =
            |value: f64| (format!("{} {unit}", self.text(value)).trim_end().to_owned(), self.of(value));
        let mut entries: Vec<_> = (0..=4).map(|step| entry(value(step))).collect();
        entries.dedup();
        entries
    }
}

/// Returns the panel of a replay. `least` is the smallest class of sizes of all panels, and `biggest` the
/// most processors of a job.
fn panel(
    curve: &JobCurve,
    cells: &Cells,
    (least, biggest): (u32, u32),
    (colours, unit, statistic): (&Colours, &str, &str),
) -> Grid {
    let classes = biggest.ilog2();
    let sizes = |class: u32| match (1_u64 << class, ((1_u64 << (class + 1)) - 1).min(u64::from(biggest))) {
        (from, to) if from >= to => from.to_string(),
        (from, to) => format!("{from}–{to}"),
    };
    let width = 100.0 / LOADS as f64;
    let cell = |(&(size, load), jobs): (&(u32, usize), &JobClass)| {
        let (value, from) = (jobs.value(), width * load as f64);
        let words = format!(
            "{} at {from:.0} to {:.0} %: {} {unit}, {statistic} of {}",
            counted(sizes(size), "processor"),
            from + width,
            colours.text(value),
            counted(jobs.count, "job")
        );
        GridCell { place: [from, f64::from(size - least), width, 1.0], colour: colours.of(value), words }
    };
    let axis = |title: &str| Axis { title: title.to_owned(), ..Axis::default() };
    Grid {
        title: String::new(),
        subtitle: curve.name.clone(),
        x: (axis("busy nodes (%)"), [0.0, 100.0]),
        y: (
            Axis { names: (least..=classes).map(sizes).collect(), ..axis("processors") },
            [0.0, f64::from(classes + 1 - least)],
        ),
        square: false,
        is_merged: false,
        cells: cells.iter().map(cell).collect(),
        legend: colours.legend(unit),
    }
}
