//! Plots of summaries: a point or a bar for each replay, or for the mean of its replications.

use anyhow::anyhow;

use super::View;
use crate::cli::Failure;
use crate::cli::results::{DELAYS, GAP_TITLE, Results, SCALE_TITLE};
use crate::figure::draw::{Axis, BarGroup, Bars, Chart, Kind, Point, Scale, Series, Style};
use crate::metrics::Interval;

/// The unit of a column, by how its name ends.
fn titled(column: &str) -> String {
    let words = |stem: &str| stem.strip_suffix("_mean").unwrap_or(stem).replace('_', " ");
    let units = [
        ("_s_mean", "s"),
        ("_s", "s"),
        ("_ns_total", "ns in all"),
        ("_ns_p50", "ns, median"),
        ("_ns_p99", "ns, 99th percentile"),
        ("_cycles_mean", "cycles"),
        ("pairwise_sum_mean", "hops"),
        ("pairwise_mean_mean", "hops"),
    ];
    let unit = units.iter().find(|(end, _)| column.ends_with(end));
    match unit {
        Some((end, unit)) if end.starts_with('_') => {
            format!("{} ({unit})", words(column.strip_suffix(end).unwrap_or(column)))
        }
        Some((_, unit)) => format!("{} ({unit})", words(column)),
        None => words(column),
    }
}

fn axis(column: &str) -> Axis {
    Axis { title: titled(column), ..Axis::default() }
}

/// The mean of the values of rows at the same x, by x.
fn points(rows: &[usize], x: &dyn Fn(usize) -> Option<f64>, y: &[Option<f64>]) -> Vec<Point> {
    let mut by_x: Vec<(f64, Vec<f64>)> = Vec::new();
    for &row in rows {
        let (Some(x), Some(y)) = (x(row), y[row]) else { continue };
        match by_x.iter_mut().find(|(other, _)| other.total_cmp(&x).is_eq()) {
            Some((_, values)) => values.push(y),
            None => by_x.push((x, vec![y])),
        }
    }
    by_x.sort_by(|a, b| a.0.total_cmp(&b.0));
    let point = |(x, values): (f64, Vec<f64>)| {
        let Interval { mean, half_width, .. } = Interval::of(&values)?;
        Some(Point { x, y: mean, half_width })
    };
    by_x.into_iter().filter_map(point).collect()
}

/// A metric by load, with confidence bands over replications.
pub(super) fn load(view: &View<'_>, results: &Results) -> Result<Option<String>, Failure> {
    let column = view.value.unwrap_or("turnaround_s_mean");
    let y = results.numbers("--value", column)?;
    let Some((_, title)) = results.load(0) else { return Ok(None) };
    let series = |(name, style, rows): (String, Style, Vec<usize>)| {
        let x = |row| results.load(row).map(|(load, _)| load);
        Series { name, style, kind: Kind::Curve, points: points(&rows, &x, y) }
    };
    let series: Vec<Series> = results.series_by_load().into_iter().map(series).collect();
    if series.iter().all(|series| series.points.len() < 2) {
        return Ok(None);
    }
    let mut y = axis(column);
    y.scale = if view.log { Scale::Log } else { Scale::Linear };
    let x = Axis { title: title.to_owned(), ..Axis::default() };
    let title = format!("{} by load", titled(column));
    Ok(Some(Chart { title, subtitle: results.shared(), x, y, series }.svg()))
}

/// Utilization against dispersal, a curve for each allocator over its loads.
pub(super) fn utilization(view: &View<'_>, results: &Results) -> Result<Option<String>, Failure> {
    let column = view.value.unwrap_or("pairwise_mean_mean");
    let (x, y) = (results.numbers("--value", "utilization")?, results.numbers("--value", column)?);
    let series = |(name, style, rows): (String, Style, Vec<usize>)| {
        let points = points(&rows, &|row| x[row].map(|share| 100.0 * share), y);
        let kind = if points.len() > 1 { Kind::Curve } else { Kind::Points };
        Series { name, style, kind, points }
    };
    let chart = Chart {
        title: format!("{} by utilization", titled(column)),
        subtitle: results.shared(),
        x: Axis { title: "utilization (%)".to_owned(), ..Axis::default() },
        y: axis(column),
        series: results.series(&["arrival_scale"]).into_iter().map(series).collect(),
    };
    Ok(Some(chart.svg()))
}

/// What an allocator costs against what it achieves.
pub(super) fn frontier(view: &View<'_>, results: &Results) -> Result<Option<String>, Failure> {
    let column = view.value.unwrap_or("pairwise_mean_mean");
    let Ok(total) = results.numbers("", "allocate_ns_total") else { return Ok(None) };
    let (calls, refused) =
        (results.numbers("", "allocate_calls")?, results.numbers("", "allocate_failures")?);
    let y = results.numbers("--value", column)?;
    let cost = |row: usize| {
        let placed = calls[row]? - refused[row]?;
        (placed > 0.0).then(|| total[row].map(|ns| ns / placed)).flatten()
    };
    let series = |(name, style, rows): (String, Style, Vec<usize>)| {
        // A point for each load: the mean over replications in both directions.
        let mean = |values: Vec<f64>| Interval::of(&values).map(|interval| interval.mean);
        let same_load =
            |a: &usize, b: &usize| results.label(*a, "arrival_scale") == results.label(*b, "arrival_scale");
        let point = |rows: &[usize]| {
            let x = mean(rows.iter().filter_map(|&row| cost(row)).collect())?;
            let y = mean(rows.iter().filter_map(|&row| y[row]).collect())?;
            Some(Point { x, y, half_width: 0.0 })
        };
        let points = rows.chunk_by(same_load).filter_map(point).collect();
        Series { name, style, kind: Kind::Points, points }
    };
    let chart = Chart {
        title: format!("Cost of a call against {}", titled(column)),
        subtitle: results.shared(),
        x: Axis {
            title: "mean call that places a job (ns)".to_owned(),
            scale: Scale::Log,
            ..Axis::default()
        },
        y: axis(column),
        series: results.series(&["arrival_scale"]).into_iter().map(series).collect(),
    };
    Ok(Some(chart.svg()))
}

/// How long jobs wait for their turn, for their nodes, and while they are moved.
pub(super) fn delays(view: &View<'_>, results: &Results) -> Result<Option<String>, Failure> {
    if !(view.asked || results.have_delays()) {
        return Ok(None);
    }
    let series = results.series(&["log", "machine", "arrival_scale"]);
    let mut groups = Vec::new();
    for place in places(results) {
        for column in DELAYS.into_iter().filter(|column| column.ends_with("_s_mean")) {
            let y = results.numbers("", column)?;
            let value = |rows: &[usize]| {
                let here = rows.iter().filter(|&&row| self::place(results, row) == place);
                Interval::of(&here.filter_map(|&row| y[row]).collect::<Vec<f64>>()).map(|found| found.mean)
            };
            let bars = series.iter().map(|(.., rows)| value(rows)).collect();
            let words = column.trim_end_matches("_s_mean").replace('_', " ");
            groups.push(BarGroup { name: format!("{words}\n{place}"), bars });
        }
    }
    let bars = Bars {
        title: "Mean delays of jobs".to_owned(),
        subtitle: results.shared(),
        axis: "seconds".to_owned(),
        groups,
        legend: series.iter().map(|(name, style, _)| (name.clone(), *style)).collect(),
        base: 0.0,
    };
    Ok(Some(bars.svg()))
}

/// What bars of a row stand above: its log, its machine, its load.
fn place(results: &Results, row: usize) -> String {
    let load = match results.load(row) {
        Some((scale, SCALE_TITLE)) => format!("\narrivals × {scale}"),
        Some((gap, GAP_TITLE)) => format!("\nup to {gap} s apart"),
        _ => String::new(),
    };
    format!("{}\n{}{load}", results.label(row, "log"), results.label(row, "machine"))
}

/// Every place, in the order of the results.
fn places(results: &Results) -> Vec<String> {
    let mut places: Vec<String> = Vec::new();
    for row in 0..results.sheet.height() {
        let place = place(results, row);
        if !places.contains(&place) {
            places.push(place);
        }
    }
    places
}

/// Each allocator by one of them, for each log and machine.
pub(super) fn ratio(view: &View<'_>, results: &Results) -> Result<Option<String>, Failure> {
    let column = view.value.unwrap_or("pairwise_sum_mean");
    let y = results.numbers("--value", column)?;
    let series = results.series(&["log", "machine", "arrival_scale"]);
    if series.len() < 2 {
        return Ok(None);
    }
    let base = match view.relative_to {
        Some(base) => series.iter().position(|(name, ..)| name == base).ok_or_else(|| {
            let known: Vec<&str> = series.iter().map(|(name, ..)| name.as_str()).collect();
            Failure::Usage(anyhow!("--relative-to '{base}' is no series (one of: {})", known.join(", ")))
        })?,
        None => series.iter().position(|(name, ..)| name == "mc1x1").unwrap_or(0),
    };
    let value = |rows: &[usize], name: &str| {
        let here = rows.iter().filter(|&&row| place(results, row) == name);
        Interval::of(&here.filter_map(|&row| y[row]).collect::<Vec<f64>>()).map(|interval| interval.mean)
    };
    let group = |name: &String| {
        let by = value(&series[base].2, name);
        let ratio = |rows: &[usize]| Some(value(rows, name)? / by.filter(|by| *by > 0.0)?);
        BarGroup { name: name.clone(), bars: series.iter().map(|(.., rows)| ratio(rows)).collect() }
    };
    let bars = Bars {
        title: format!("{} by that of {}", titled(column), series[base].0),
        subtitle: results.shared(),
        axis: "ratio".to_owned(),
        groups: places(results).iter().map(group).collect(),
        legend: series.iter().map(|(name, style, _)| (name.clone(), *style)).collect(),
        base: 1.0,
    };
    Ok(Some(bars.svg()))
}

#[cfg(test)]
mod tests {
    use super::titled;

    #[test]
    fn titles_have_units() {
        for (column, title) in [
            ("turnaround_s_mean", "turnaround (s)"),
            ("pairwise_sum_mean", "pairwise sum (hops)"),
            ("pairwise_mean_mean", "pairwise mean (hops)"),
            ("packet_latency_cycles_mean", "packet latency (cycles)"),
            ("makespan_s", "makespan (s)"),
            ("utilization", "utilization"),
        ] {
            assert_eq!(titled(column), title);
        }
    }
}
