//! Rows of the jobs frame and of other frames of details, read a part at a time, and curves of jobs.

use std::collections::{BTreeMap, BTreeSet};

use super::values::OVERLOADED;
use crate::FigureError;
use crate::curves::{Curve, in_panels};
use crate::details::{ShownJob, downtimes, visit_seeds, visit_shown_jobs};
use crate::draw::{Axis, Chart, Kind, Look, Point, Series, capitalized, joined};
use crate::kind::PlotOptions;
use crate::load::Load;
use crate::results::Results;
use crate::span::Span;
use meshreplay_base::spec::unknown;
use meshreplay_machine::machine::Mesh;
use meshreplay_results::frame::{Downtimes, FrameSchema, Numbers, PlacedJob};
use meshreplay_sim::metrics::{BusyNodes, ColumnInfo, ColumnType};

/// A curve of jobs.
pub(super) struct JobCurve {
    /// The name of the curve.
    pub(super) name: String,
    /// The panel of the curve; empty if all curves are in one panel.
    pub(super) panel: String,
    /// The look of the curve.
    pub(super) look: Look,
    /// The number of the first replay of the curve.
    pub(super) replay: u64,
    /// The numbers of all replays of the curve.
    pub(super) replays: Vec<u64>,
    /// The first row of the summary with one of these replays.
    pub(super) row: usize,
}

/// Returns one curve for each configuration at the first load, or for each of the replays that the user
/// chose. Its replications belong to the same curve. Fails if a chosen replay does not exist.
pub(super) fn job_curves(options: &PlotOptions<'_>, results: &Results) -> Result<Vec<JobCurve>, FigureError> {
    let numbers = results.numbers("replay")?;
    let number = |row: usize| numbers.get(row).map(|number| number as u64);
    let known: Vec<u64> = numbers.iter().flatten().map(|number| number as u64).collect();
    if let Some(&replay) = options.replays.iter().find(|replay| !known.contains(&u64::from(**replay))) {
        let last = known.iter().copied().max().unwrap_or_default();
        return Err(FigureError::NoReplay { replay: u64::from(replay), last });
    }
    let curves = results.curves(if options.replays.is_empty() { results.load_columns() } else { &[] });
    let curves = curves.into_iter().filter_map(|curve| {
        let is_shown = |&row: &usize| results.is_shown(row, options.replays);
        let rows: Vec<usize> = curve.rows.iter().copied().filter(is_shown).collect();
        let mut replays: Vec<u64> = rows.iter().copied().filter_map(number).collect();
        replays.dedup();
        let (replay, row) = (*replays.first()?, *rows.first()?);
        let Curve { name, panel, look, .. } = curve;
        Some(JobCurve { name, panel, look, replay, replays, row })
    });
    Ok(curves.collect())
}

/// Names the overloaded replays in the names of their panels.
pub(super) fn mark_overload(results: &Results, curves: &mut [JobCurve]) {
    for panel in in_panels(curves.iter_mut(), |curve| &curve.panel) {
        let late = panel.iter().filter(|curve| results.is_overloaded(curve.row));
        let late: Vec<&str> = late.map(|curve| &*curve.name).collect();
        if !late.is_empty() {
            let who = if late.len() == panel.len() { "all".to_owned() } else { late.join(", ") };
            let name = joined(&[&*panel[0].panel, &format!("{OVERLOADED} {who}")]);
            for curve in panel {
                curve.panel.clone_from(&name);
            }
        }
    }
}

/// A curve and its panel.
pub(super) struct PanelSeries {
    /// The name of the panel; empty if all curves are in one panel.
    pub(super) panel: String,
    pub(super) series: Series,
}

impl JobCurve {
    /// Returns the curve through these points, without confidence intervals.
    pub(super) fn series(self, points: impl IntoIterator<Item = (f64, f64)>) -> PanelSeries {
        let series = Series { name: self.name, look: self.look, kind: Kind::Line, points: plain(points) };
        PanelSeries { panel: self.panel, series }
    }

    /// Returns the name of the curve among those of all panels.
    pub(super) fn full_name(&self) -> String {
        joined(&[&*self.name, &self.panel])
    }
}

/// Returns a chart like `like` for each panel.
pub(super) fn charts_like(like: &Chart, series: Vec<PanelSeries>) -> Vec<Chart> {
    let chart = |panel: Vec<PanelSeries>| Chart {
        subtitle: panel[0].panel.clone(),
        series: panel.into_iter().map(|one| one.series).collect(),
        ..like.clone()
    };
    in_panels(series, |one| &one.panel).into_iter().map(chart).collect()
}

/// Returns points without confidence intervals.
pub(super) fn plain(points: impl IntoIterator<Item = (f64, f64)>) -> Vec<Point> {
    points.into_iter().map(|(x, y)| Point { x, y, half_width: 0.0 }).collect()
}

/// The seeds of a replay whose rows are read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Seeds {
    All,
    First,
}

/// Calls `visit` with the rows of the replays of `curves`, in the order of the frame `detail`: the number of
/// the replay and the values of the columns `names`, NaN for a missing number. Memory does not grow with the
/// number of rows. Returns false if the frame was not kept or lacks a column.
pub(super) fn visit_rows<const N: usize>(
    detail: &str,
    options: &PlotOptions<'_>,
    names: [&str; N],
    curves: &[JobCurve],
    seeds: Seeds,
    visit: &mut dyn FnMut(u64, [f64; N]),
) -> Result<bool, FigureError> {
    let is_shown = |replay: u64| curves.iter().any(|curve| curve.replays.contains(&replay));
    visit_seeds(options.folder, detail, &names, &is_shown, &mut |seed| {
        let columns = names.map(|name| seed.table.numbers(name));
        let is_read = is_shown(seed.replay) && (seed.is_first || seeds == Seeds::All);
        for i in seed.rows.filter(|_| is_read) {
            let value = |column: Option<&Numbers>| column?.get(i);
            visit(seed.replay, columns.map(|column| value(column).unwrap_or(f64::NAN)));
        }
        Ok(())
    })
}

/// Returns the outages of the first replay of each curve, by the number of the replay.
pub(super) fn outages(
    options: &PlotOptions<'_>,
    results: &Results,
    curves: &[JobCurve],
) -> Result<BTreeMap<u64, Downtimes>, FigureError> {
    let is_shown = |replay: u64| curves.iter().any(|curve| curve.replay == replay);
    downtimes(options.folder, results, &is_shown)
}

/// Means of a number of each replay over equal parts of the time.
pub(super) struct TimeMeans {
    /// A replay without any value.
    pub(super) empty: BusyNodes,
    pub(super) by_replay: BTreeMap<u64, BusyNodes>,
}

impl TimeMeans {
    /// Divides a time in seconds into equal parts.
    pub(super) fn new(span_s: Span, parts: usize) -> Self {
        Self { empty: BusyNodes::new(span_s.low, span_s.high, parts), by_replay: BTreeMap::new() }
    }

    pub(super) fn entry(&mut self, replay: u64) -> &mut BusyNodes {
        self.by_replay.entry(replay).or_insert_with(|| self.empty.clone())
    }
}

/// Returns the shared values of the replays for the subtitle of a plot of single jobs, and a remark if the
/// plot includes jobs trimmed from means.
pub(super) fn about_jobs(options: &PlotOptions<'_>, results: &Results) -> String {
    let is_trimmed = results.table.has_number("trim_percent");
    let trimmed = if is_trimmed { "all jobs, also those that --trim leaves out of means" } else { "" };
    joined(&[&*results.shared_of_shown(options.replays), trimmed])
}

/// Returns a sentence on the load of the replays in a plot of single jobs, if there are others and no
/// subtitle names it; empty otherwise.
pub(super) fn load_note(options: &PlotOptions<'_>, results: &Results) -> String {
    let rows = 0..results.table.height();
    let is_needed = options.page.is_untitled && options.replays.is_empty();
    let labels: BTreeSet<Option<String>> = rows.map(|row| results.load(row).and_then(Load::label)).collect();
    match results.load(0).and_then(Load::label) {
        Some(first) if is_needed && labels.len() > 1 => {
            format!("{}, the first of {} loads.", capitalized(&first), labels.len())
        }
        _ => String::new(),
    }
}

/// Columns of numbers that are no quantities.
const NAMES: [&str; 5] = ["replay", "seed", "job", "status", "time_s"];

/// Returns the column of numbers chosen by `--value`, or else the column `usual`. Fails if the frame lacks
/// the chosen column and the user named this kind of plot; otherwise the choice is meant for other kinds.
pub(super) fn chosen_column(
    options: &PlotOptions<'_>,
    frame: &str,
    usual: &str,
) -> Result<ColumnInfo, FigureError> {
    let schema = FrameSchema::all().into_iter().find(|schema| schema.name == frame);
    let mut columns = schema.map(|schema| schema.columns).unwrap_or_default();
    columns.retain(|column| column.kind != ColumnType::Str && !NAMES.contains(&column.name));
    let find = |name: &str| columns.iter().position(|column| column.name == name);
    let position = match options.value.map(|name| find(name).ok_or(name)) {
        Some(Ok(position)) => position,
        Some(Err(name)) if options.is_asked => {
            let what = if frame == "jobs" { "column of numbers of the jobs" } else { "column of numbers" };
            let problem = unknown(what, name, columns.iter().map(|column| column.name));
            return Err(FigureError::UnknownColumn { option: "--value", problem });
        }
        _ => find(usual).unwrap_or_default(),
    };
    Ok(columns.swap_remove(position))
}

/// Returns the name of a column for people, without the unit.
pub(super) fn column_title(column: &ColumnInfo) -> String {
    let ending = format!("_{}", column.unit);
    column.name.strip_suffix(&ending).unwrap_or(column.name).replace('_', " ")
}

pub(super) fn column_axis(column: &ColumnInfo) -> Axis {
    let unit = if column.unit.is_empty() { String::new() } else { format!(" ({})", column.unit) };
    Axis::titled(column_title(column) + &unit)
}

/// The colour of nodes that no job can have, as `#rrggbb`. It is unlike the blues of shares.
pub(super) const UNAVAILABLE: &str = "#d8c3a5";

/// The colour of nodes that are down, as `#rrggbb`.
pub(super) const DOWN: &str = "#4a4f55";

/// Returns the entry of a legend for nodes that are down; `None` if none ever was.
pub(super) fn legend_of_down(outages: &Downtimes) -> Option<(String, String)> {
    (!outages.down.is_empty()).then(|| ("down".to_owned(), DOWN.to_owned()))
}

/// Returns the entry of a legend for unavailable nodes; `None` if the machine has none.
pub(super) fn legend_of_unavailable(machine: &Mesh) -> Option<(String, String)> {
    let has_some = !machine.unavailable().is_empty();
    has_some.then(|| ("unavailable".to_owned(), UNAVAILABLE.to_owned()))
}

/// A replay whose jobs a picture shows.
pub(super) struct ShownReplay {
    /// The number of the replay.
    pub(super) number: u64,
    /// The machine of the replay.
    pub(super) machine: Mesh,
    /// The name of the replay, which differs from the names of the others.
    pub(super) name: String,
    /// The outages of its first seed; none if all nodes were always up.
    pub(super) outages: Downtimes,
}

/// Returns the chosen replays, or else the first replay of each curve at the first load. Fails if no
/// replay has a chosen number.
pub(super) fn shown_replays(
    options: &PlotOptions<'_>,
    results: &Results,
) -> Result<Vec<ShownReplay>, FigureError> {
    let curves = job_curves(options, results)?;
    let mut outages = outages(options, results, &curves)?;
    let mut shown = Vec::new();
    for curve in curves {
        let outages = outages.remove(&curve.replay).unwrap_or_default();
        let machine = results.machine(curve.row)?;
        shown.push(ShownReplay { number: curve.replay, machine, name: curve.full_name(), outages });
    }
    Ok(shown)
}

/// Calls `visit` with the jobs of the first seed of each replay in the window, in the order of the frame,
/// with the position of the replay. Returns the number of all jobs of each replay; `None` if the jobs or
/// their nodes were not kept.
pub(super) fn visit_placed(
    options: &PlotOptions<'_>,
    replays: &[ShownReplay],
    visit: &mut dyn FnMut(usize, PlacedJob),
) -> Result<Option<Vec<usize>>, FigureError> {
    let numbers: Vec<u64> = replays.iter().map(|replay| replay.number).collect();
    let columns = ["job", "start_s", "end_s", "nodes"];
    let mut counts = vec![0; replays.len()];
    let is_kept = visit_shown_jobs::<FigureError>(options.folder, &numbers, &columns, &mut |job| {
        let ShownJob { position, row, .. } = job;
        counts[position] += 1;
        if options.overlaps(row.start_s, row.end_s) {
            let nodes = job.nodes_of(&replays[position].machine).ok_or_else(|| {
                let problem = format!(
                    "job {}, column 'nodes': found '{}', expected nodes such as 0-3 7",
                    row.number, job.nodes
                );
                FigureError::Damaged { path: job.path.to_owned(), problem }
            })?;
            visit(position, PlacedJob { row, nodes, killed_in: None });
        }
        Ok(())
    })?;
    Ok(is_kept.then_some(counts))
}
