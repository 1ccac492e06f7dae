//! Plots of single jobs: distributions and time.

use std::collections::BTreeMap;

use anyhow::anyhow;

use super::View;
use crate::cli::Failure;
use crate::cli::results::Results;
use crate::figure::draw::{Axis, Chart, Kind, Point, Scale, Series, Style};
use crate::frame::{Sheet, SheetValues};
use crate::machine::Mesh;
use crate::metrics::{busy_nodes, exceeding};

/// A column of the jobs by replay.
type ByReplay = BTreeMap<u64, Vec<f64>>;

/// Series of a picture: name, look, and the numbers of the replays that they show.
type Shown = [(String, Style, Vec<u64>)];

/// Columns of the jobs frame, each by replay; of a study only of the replays that are shown; `None` if there are no jobs or no such columns. A seed, which may have more
/// digits than these numbers, is 0 if it is the first one of its replay and 1 if not.
fn columns(view: &View<'_>, names: &[&str], shown: &Shown) -> Result<Option<Vec<ByReplay>>, Failure> {
    let mut wanted = vec!["replay"];
    wanted.extend(names);
    let is_shown = |replay: u64| shown.iter().any(|(.., replays)| replays.contains(&replay));
    let Some(sheet) = Sheet::read_jobs(view.folder, &wanted, &is_shown)? else { return Ok(None) };
    let numbers = |name: &str| match sheet.column(name).map(|column| &column.values) {
        Some(SheetValues::Number { numbers, .. }) => Some(numbers),
        _ => None,
    };
    let Some(replays) = numbers("replay") else { return Ok(None) };
    let mut found = Vec::new();
    for name in names {
        let (Some(values), Some(column)) = (numbers(name), sheet.column(name)) else { return Ok(None) };
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

/// Each replay by its name and look; several seeds are one series.
fn replays(results: &Results) -> Result<Vec<(String, Style, Vec<u64>)>, Failure> {
    let numbers = results.numbers("", "replay")?;
    let number = |row: usize| numbers[row].map(|number| number as u64);
    let load = |row: usize| (results.label(row, "arrival_scale"), results.gap(row).map(f64::to_bits));
    let series = results.series(&["arrival_scale"]).into_iter().map(|(name, style, rows)| {
        // Of several loads the first.
        let rows = rows.into_iter().filter(|&row| load(row) == load(0));
        let mut replays: Vec<u64> = rows.filter_map(number).collect();
        replays.dedup();
        (name, style, replays)
    });
    Ok(series.collect())
}

fn curve(points: Vec<(f64, f64)>) -> Vec<Point> {
    points.into_iter().map(|(x, y)| Point { x, y, half_width: 0.0 }).collect()
}

/// The share of values of a column that are larger than x.
fn shares(
    view: &View<'_>,
    results: &Results,
    column: &str,
    factor: f64,
) -> Result<Option<Vec<Series>>, Failure> {
    let shown = replays(results)?;
    let Some(found) = columns(view, &[column], &shown)? else { return Ok(None) };
    let series = |(name, style, replays): (String, Style, Vec<u64>)| {
        let values = replays.iter().filter_map(|replay| found[0].get(replay)).flatten().copied();
        let points = curve(exceeding(values)).into_iter().map(|point| Point { y: factor * point.y, ..point });
        Series { name, style, kind: Kind::Line, points: points.filter(|point| point.x > 0.0).collect() }
    };
    Ok(Some(shown.into_iter().map(series).collect()))
}

/// How long calls of the allocators take.
pub(super) fn calls(view: &View<'_>, results: &Results) -> Result<Option<String>, Failure> {
    let Some(mut series) = shares(view, results, "allocate_ns", 1.0)? else { return Ok(None) };
    for series in &mut series {
        // Nothing is longer than the longest.
        series.points.retain(|point| point.y > 0.0);
    }
    let title = |text: &str| Axis { title: text.to_owned(), scale: Scale::Log, ..Axis::default() };
    let chart = Chart {
        title: "Duration of calls that place a job".to_owned(),
        subtitle: results.shared_at_first_load(),
        x: title("duration (ns)"),
        y: title("share of calls that take longer"),
        series,
    };
    Ok(Some(chart.svg()))
}

/// How long jobs wait.
pub(super) fn waits(view: &View<'_>, results: &Results) -> Result<Option<String>, Failure> {
    let Some(series) = shares(view, results, "wait_s", 100.0)? else { return Ok(None) };
    let chart = Chart {
        title: "Waiting times".to_owned(),
        subtitle: results.shared_at_first_load(),
        x: Axis { title: "wait (s)".to_owned(), scale: Scale::Log, ..Axis::default() },
        y: Axis { title: "jobs that wait longer (%)".to_owned(), shows: Some(0.0), ..Axis::default() },
        series,
    };
    Ok(Some(chart.svg()))
}

/// Parts of the time that utilization is the mean of.
const PARTS: usize = 240;

/// Utilization over time, of the first seed of each replay.
pub(super) fn busy(view: &View<'_>, results: &Results) -> Result<Option<String>, Failure> {
    let shown = replays(results)?;
    let names = ["start_s", "end_s", "allocated", "seed"];
    let Some(found) = columns(view, &names, &shown)? else { return Ok(None) };
    let [starts, ends, nodes, seeds] = &found[..] else { return Ok(None) };
    let all = || starts.values().flatten().copied();
    let from = all().fold(f64::INFINITY, f64::min);
    let to = ends.values().flatten().copied().fold(f64::NEG_INFINITY, f64::max);
    let (unit_s, unit) = if to - from > 4.0 * 86_400.0 {
        (86_400.0, "days")
    } else if to - from > 4.0 * 3600.0 {
        (3600.0, "hours")
    } else {
        (1.0, "s")
    };
    let replays_of = results.numbers("", "replay")?;
    let mut series = Vec::new();
    for (name, style, replays) in shown {
        let Some(&replay) = replays.first() else { continue };
        let row = replays_of.iter().position(|number| number.is_some_and(|number| number as u64 == replay));
        let machine: Mesh = results
            .label(row.unwrap_or_default(), "machine")
            .parse()
            .map_err(|error| anyhow!("{}: column 'machine': {error}", results.sheet.path.display()))?;
        let (Some(starts), Some(ends), Some(nodes), Some(seeds)) =
            (starts.get(&replay), ends.get(&replay), nodes.get(&replay), seeds.get(&replay))
        else {
            continue;
        };
        let jobs = starts.iter().zip(ends).zip(nodes).zip(seeds);
        let jobs = jobs.filter(|(_, seed)| **seed < 0.5);
        let jobs = jobs.map(|(((start, end), nodes), _)| (*start, *end, *nodes));
        let share =
            |(time, busy): (f64, f64)| ((time - from) / unit_s, 100.0 * busy / f64::from(machine.nodes()));
        let points = busy_nodes(jobs, (from, to), PARTS).into_iter().map(share).collect();
        series.push(Series { name, style, kind: Kind::Line, points: curve(points) });
    }
    let chart = Chart {
        title: "Utilization over time".to_owned(),
        subtitle: results.shared_at_first_load(),
        x: Axis { title: format!("time since the first start ({unit})"), ..Axis::default() },
        y: Axis { title: "busy nodes (%)".to_owned(), shows: Some(0.0), ..Axis::default() },
        series,
    };
    Ok(Some(chart.svg()))
}
