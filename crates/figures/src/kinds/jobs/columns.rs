//! Columns of the jobs frame, read a part at a time, and the curves that they form.

use std::collections::BTreeMap;

use crate::draw::{Kind, Look, Point, Scale, Series};
use crate::error::FigureError;
use crate::first_seeds::visit_seeds;
use crate::kind::PlotOptions;
use crate::results::Results;
use meshreplay_sim::metrics::Distribution;

/// A curve of jobs.
pub(in crate::kinds) struct JobCurve {
    /// The name of the curve.
    pub(in crate::kinds) name: String,
    /// The look of the curve.
    pub(in crate::kinds) look: Look,
    /// The numbers of the replays with the jobs that the curve shows.
    pub(in crate::kinds) replays: Vec<u64>,
    /// The first row of the summary with one of these replays.
    pub(in crate::kinds) row: usize,
}

/// Returns one curve for each configuration at the first load, or for each of the replays that the user
/// chose. Its replications belong to the same curve. Fails if a chosen replay does not exist.
pub(in crate::kinds) fn job_curves(
    options: &PlotOptions<'_>,
    results: &Results,
) -> Result<Vec<JobCurve>, FigureError> {
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
        let rows: Vec<usize> = curve.rows.into_iter().filter(is_shown).collect();
        let mut replays: Vec<u64> = rows.iter().copied().filter_map(number).collect();
        replays.dedup();
        Some(JobCurve { name: curve.name, look: curve.look, replays, row: *rows.first()? })
    });
    Ok(curves.collect())
}

/// A row of the jobs frame, or of another frame of details.
pub(in crate::kinds) struct JobValues<'a> {
    /// The number of its replay.
    pub(in crate::kinds) replay: u64,
    /// Whether its seed is the first one of the replay.
    pub(in crate::kinds) is_first_seed: bool,
    /// The values of the columns that were asked for; NaN where there is no number.
    pub(in crate::kinds) values: &'a [f64],
}

/// Hands the rows of the replays of `curves` to `visit`, in the order of the frame `detail`, with the columns
/// `names`. Memory does not grow with their number. Returns false if the frame was not kept or lacks a
/// column.
pub(in crate::kinds) fn visit_rows(
    detail: &str,
    options: &PlotOptions<'_>,
    names: &[&str],
    curves: &[JobCurve],
    visit: &mut dyn FnMut(JobValues<'_>),
) -> Result<bool, FigureError> {
    let is_shown = |replay: u64| curves.iter().any(|curve| curve.replays.contains(&replay));
    let mut values = vec![0.0; names.len()];
    visit_seeds(options.folder, detail, names, &is_shown, &mut |found| {
        let columns: Vec<_> = names.iter().filter_map(|name| found.table.numbers(name)).collect();
        for i in found.rows.filter(|_| is_shown(found.replay)) {
            for (value, column) in values.iter_mut().zip(&columns) {
                *value = column.get(i).unwrap_or(f64::NAN);
            }
            visit(JobValues { replay: found.replay, is_first_seed: found.is_first, values: &values });
        }
        Ok(())
    })
}

/// Returns points without confidence intervals.
pub(in crate::kinds) fn plain(points: Vec<(f64, f64)>) -> Vec<Point> {
    points.into_iter().map(|(x, y)| Point { x, y, half_width: 0.0 }).collect()
}

/// Returns the values that the replays share, for the subtitle of a plot of single jobs. It says so if the
/// plot has jobs that means leave out.
pub(in crate::kinds) fn about_jobs(options: &PlotOptions<'_>, results: &Results) -> String {
    let of_all = results
        .table
        .has_number("trim_percent")
        .then(|| "all jobs, also those that --trim leaves out of means".to_owned());
    let parts = [Some(results.shared_of_shown(options.replays)).filter(|shared| !shared.is_empty()), of_all];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" · ")
}

/// The distributions of a column of the jobs, one for each curve.
pub(in crate::kinds) type Distributions = Vec<(JobCurve, Distribution)>;

/// Returns the distribution of a column for each curve of jobs: of all jobs, or of those that arrive in the
/// window. `steps` is the number of steps in a unit up to which values are told apart. Returns `None` if
/// there are no jobs, or no such column.
pub(in crate::kinds) fn distributions(
    options: &PlotOptions<'_>,
    results: &Results,
    column: &str,
    steps: f64,
) -> Result<Option<Distributions>, FigureError> {
    let curves = job_curves(options, results)?;
    let mut found: Vec<Distribution> = curves.iter().map(|_| Distribution::new(steps)).collect();
    let mut positions: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
    for (i, curve) in curves.iter().enumerate() {
        curve.replays.iter().for_each(|&replay| positions.entry(replay).or_default().push(i));
    }
    let is_there = visit_rows("jobs", options, &[column, "submit_s"], &curves, &mut |row| {
        if options.is_inside(row.values[1]) {
            for &i in positions.get(&row.replay).into_iter().flatten() {
                found[i].record(row.values[0]);
            }
        }
    })?;
    Ok(is_there.then(|| curves.into_iter().zip(found).collect()))
}

/// Returns a curve for each distribution: its height at x is `factor` times the share of values larger than
/// x. On a logarithmic `scale` only points with x above 0 are kept.
pub(in crate::kinds) fn shares(distributions: Distributions, factor: f64, scale: Scale) -> Vec<Series> {
    let has_place = |point: &Point| point.x > 0.0 || matches!(scale, Scale::Linear);
    let series = |(JobCurve { name, look, .. }, found): (JobCurve, Distribution)| {
        let points = plain(found.exceeding()).into_iter();
        let points = points.map(|point| Point { y: factor * point.y, ..point });
        Series { name, look, kind: Kind::Line, points: points.filter(has_place).collect() }
    };
    distributions.into_iter().map(series).collect()
}
