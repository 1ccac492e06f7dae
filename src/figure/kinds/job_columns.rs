//! Columns of the jobs frame, grouped by replay, and the curves that they form.

use std::collections::BTreeMap;

use crate::figure::draw::{Kind, Look, Point, Series};
use crate::figure::error::FigureError;
use crate::figure::kind::PlotOptions;
use crate::figure::results::Results;
use crate::frame::Sheet;
use crate::metrics::exceeding;

/// The values of a column, by the number of the replay.
pub(super) type ByReplay = BTreeMap<u64, Vec<f64>>;

/// A curve of jobs.
pub(super) struct JobCurve {
    /// The name of the curve.
    pub(super) name: String,
    /// The look of the curve.
    pub(super) look: Look,
    /// The numbers of the replays with the jobs that the curve shows.
    pub(super) replays: Vec<u64>,
}

/// Returns one curve for each configuration at the first load. Its replications belong to the same curve.
pub(super) fn job_curves(results: &Results) -> Result<Vec<JobCurve>, FigureError> {
    let numbers = results.numbers("replay")?;
    let number = |row: usize| numbers[row].map(|number| number as u64);
    let curves = results.curves(&["arrival_scale"]).into_iter().map(|curve| {
        let rows = curve.rows.into_iter().filter(|&row| results.is_at_first_load(row));
        let mut replays: Vec<u64> = rows.filter_map(number).collect();
        replays.dedup();
        JobCurve { name: curve.name, look: curve.look, replays }
    });
    Ok(curves.collect())
}

/// Returns the columns `names` of the jobs frame in this order, each grouped by replay. Of a study only the replays of
/// `curves` are read. Returns `None` if there are no jobs or if a column is missing.
///
/// The column `seed` is special, because seeds may have more digits than an `f64` keeps: its value is 0 for the first
/// seed of a replay, and 1 for any other seed.
pub(super) fn columns(
    options: &PlotOptions<'_>,
    names: &[&str],
    curves: &[JobCurve],
) -> Result<Option<Vec<ByReplay>>, FigureError> {
    columns_of("jobs", options, names, curves)
}

/// Does the same as [`columns`] for the frame of details with this name, such as `fragmentation`.
pub(super) fn columns_of(
    detail: &str,
    options: &PlotOptions<'_>,
    names: &[&str],
    curves: &[JobCurve],
) -> Result<Option<Vec<ByReplay>>, FigureError> {
    let mut wanted = vec!["replay"];
    wanted.extend(names);
    let is_shown = |replay: u64| curves.iter().any(|curve| curve.replays.contains(&replay));
    let Some(sheet) = Sheet::read_details(options.folder, detail, Some(&wanted), &is_shown)? else {
        return Ok(None);
    };
    let Some(replays) = sheet.numbers("replay") else { return Ok(None) };
    let mut found = Vec::new();
    for name in names {
        let (Some(values), Some(column)) = (sheet.numbers(name), sheet.column(name)) else { return Ok(None) };
        let (mut by_replay, mut first) = (ByReplay::new(), BTreeMap::new());
        for (i, (replay, value)) in replays.iter().zip(values).enumerate() {
            let replay = replay.unwrap_or_default() as u64;
            let value = match *name {
                "seed" => f64::from(u8::from(!column.is_same(i, *first.entry(replay).or_insert(i)))),
                _ => value.unwrap_or(f64::NAN),
            };
            by_replay.entry(replay).or_default().push(value);
        }
        found.push(by_replay);
    }
    Ok(Some(found))
}

/// Returns points without confidence intervals.
pub(super) fn plain(points: Vec<(f64, f64)>) -> Vec<Point> {
    points.into_iter().map(|(x, y)| Point { x, y, half_width: 0.0 }).collect()
}

/// Returns a distribution curve for each curve of jobs: its height at x is `factor` times the share of values larger
/// than x. Only points with x above 0 are kept. Returns `None` if there are no jobs, or no such column.
pub(super) fn shares(
    options: &PlotOptions<'_>,
    results: &Results,
    column: &str,
    factor: f64,
) -> Result<Option<Vec<Series>>, FigureError> {
    let curves = job_curves(results)?;
    let Some(found) = columns(options, &[column], &curves)? else { return Ok(None) };
    let series = |JobCurve { name, look, replays }| {
        let values = replays.iter().filter_map(|replay| found[0].get(replay)).flatten().copied();
        let points = plain(exceeding(values)).into_iter().map(|point| Point { y: factor * point.y, ..point });
        Series { name, look, kind: Kind::Line, points: points.filter(|point| point.x > 0.0).collect() }
    };
    Ok(Some(curves.into_iter().map(series).collect()))
}
