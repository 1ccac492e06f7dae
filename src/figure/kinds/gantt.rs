//! The plot `gantt`: which job holds which nodes at which time, for one replay. It starts with the first job and ends
//! where the drawing would have more than `MOST_BARS` rectangles.

use super::held_nodes::{DOWN, PlacedJob, UNAVAILABLE, legend_of_down, legend_of_unavailable, one_replay};
use crate::figure::draw::{Axis, Grid, GridCell};
use crate::figure::kind::{Drawn, FEW_JOBS, Needs, PlotKind, PlotOptions};
use crate::figure::results::Results;
use crate::frame::{Downtimes, KilledRun};
use crate::machine::NodeId;

/// The row of the registry.
pub(super) const KIND: PlotKind = PlotKind {
    name: "gantt",
    summary: "Who holds which nodes when, of one replay",
    needs: Needs::Nodes,
    example: Some(FEW_JOBS),
    draw,
};

/// The largest number of rectangles in a chart, so that viewers can open it. A job has one rectangle for each run of
/// neighbouring nodes.
const MOST_BARS: usize = 4000;

/// Draws the plot; `None` if the nodes of the jobs were not kept or there are no jobs.
fn draw(options: &PlotOptions<'_>, results: &Results) -> Drawn {
    let Some(mut replay) = one_replay(options, results)? else { return Ok(None) };
    let count = replay.jobs.len();
    replay.jobs.extend(killed_runs(&replay.outages));
    let jobs = &mut replay.jobs;
    jobs.sort_by(|a, b| a.start_s.total_cmp(&b.start_s));
    let Some(from) = jobs.first().map(|job| job.start_s) else { return Ok(None) };
    let (mut bars, mut shown) = (0, 0);
    for job in &*jobs {
        bars += job.nodes.len();
        if bars > MOST_BARS {
            break;
        }
        shown += 1;
    }
    // The chart ends with the start of the first job that is not drawn, or else with the last end.
    let to = jobs.get(shown).map_or_else(
        || jobs.iter().map(|job| job.end_s).fold(f64::NEG_INFINITY, f64::max),
        |next| next.start_s,
    );
    let (unit_s, unit) = if to - from > 4.0 * 3600.0 { (3600.0, "hours") } else { (1.0, "s") };
    let bars = |job: &PlacedJob| {
        let (start, end) = ((job.start_s - from) / unit_s, (job.end_s.min(to) - from) / unit_s);
        let killed = if job.is_killed { ", killed as a node went down" } else { "" };
        let words = format!("job {}: {:.0} s to {:.0} s{killed}", job.number, job.start_s, job.end_s);
        let colour = colour(job.number);
        let bar = move |&(first, last): &(NodeId, NodeId)| GridCell {
            place: [start, f64::from(first), end - start, f64::from(last - first + 1)],
            colour: colour.clone(),
            words: words.clone(),
        };
        job.nodes.iter().map(bar).collect::<Vec<_>>()
    };
    let span = ((to - from) / unit_s).max(1e-6);
    let unavailable = replay.machine.unavailable().iter().map(|&(first, last)| GridCell {
        place: [0.0, f64::from(first), span, f64::from(last - first + 1)],
        colour: UNAVAILABLE.to_owned(),
        words: "unavailable".to_owned(),
    });
    // These bars lie below those of jobs, which may have gone on.
    let down = bars_of_down(&replay.outages, (from, to), unit_s);
    let shown_jobs = jobs[..shown].iter().filter(|job| !job.is_killed).count();
    let killed = match shown - shown_jobs {
        0 => String::new(),
        killed => format!(" and {killed} runs that were killed"),
    };
    let titled = |title: String| Axis { title, ..Axis::default() };
    let grid = Grid {
        title: "Who holds which nodes".to_owned(),
        subtitle: format!(
            "{} · {} · the first {shown_jobs} of {count} jobs{killed}",
            replay.name,
            results.shared()
        ),
        x: (titled(format!("time since the first start ({unit})")), [0.0, span]),
        y: (titled("node".to_owned()), [0.0, f64::from(replay.machine.nodes())]),
        square: false,
        cells: unavailable.chain(down).chain(jobs[..shown].iter().flat_map(bars)).collect(),
        legend: legend_of_unavailable(&replay.machine)
            .into_iter()
            .chain(legend_of_down(&replay.outages))
            .collect(),
    };
    Ok(Some(grid.draw()))
}

/// Returns the runs in which jobs were killed as jobs of the chart, as far as their nodes are known.
fn killed_runs(outages: &Downtimes) -> Vec<PlacedJob> {
    let killed = outages.killed.iter().filter(|run| !run.nodes.is_empty());
    let job = |run: &KilledRun| PlacedJob {
        number: run.number,
        start_s: run.times_s[1],
        end_s: run.times_s[2],
        nodes: run.nodes.clone(),
        is_killed: true,
    };
    killed.map(job).collect()
}

/// Returns the bars of nodes that were down between two times in seconds, at most [`MOST_BARS`] of them. The axis begins
/// at the first time and has units of `unit_s` seconds.
fn bars_of_down(outages: &Downtimes, (from_s, to_s): (f64, f64), unit_s: f64) -> Vec<GridCell> {
    let bars = outages.down.iter().flat_map(|down| {
        let (start, end) =
            ((down.from_s.max(from_s) - from_s) / unit_s, (down.until_s.min(to_s) - from_s) / unit_s);
        let until =
            if down.until_s.is_finite() { format!(" to {:.0} s", down.until_s) } else { String::new() };
        let words = format!("down: {:.0} s{until}", down.from_s);
        let bar = move |&(first, last): &(NodeId, NodeId)| GridCell {
            place: [start, f64::from(first), end - start, f64::from(last - first + 1)],
            colour: DOWN.to_owned(),
            words: words.clone(),
        };
        down.nodes.iter().map(bar).filter(move |_| end > start)
    });
    bars.take(MOST_BARS).collect()
}

/// Returns a colour for a job, as `#rrggbb`. The hue turns by the golden angle from number to number, so that jobs with
/// close numbers have very different hues.
fn colour(number: i64) -> String {
    let hue = (number.rem_euclid(360) as f64 * 137.508).rem_euclid(360.0);
    let light = 0.42 + 0.1 * number.rem_euclid(3) as f64;
    // Conversion from HSL to RGB with a saturation of 0.6.
    let channel = |shift: f64| {
        let k = (shift + hue / 30.0).rem_euclid(12.0);
        let a = 0.6 * light.min(1.0 - light);
        (255.0 * (light - a * (k - 3.0).min(9.0 - k).clamp(-1.0, 1.0))).round() as u8
    };
    format!("#{:02x}{:02x}{:02x}", channel(0.0), channel(8.0), channel(4.0))
}
