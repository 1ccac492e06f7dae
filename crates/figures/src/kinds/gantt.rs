//! The plot `gantt`: which job holds which nodes at which time, in a panel for each replay. It shows the
//! window that the user chose, or else begins with the first job, and ends where it would have more than
//! `MOST_BARS` rectangles.

use super::jobs::held_nodes::{
    DOWN, ShownReplay, UNAVAILABLE, legend_of_down, legend_of_unavailable, shown_replays, visit_placed,
};
use super::jobs::job_colours::{JobColours, Rectangle};
use super::jobs::time_axis::TimeAxis;
use crate::draw::{Axis, Grid, GridCell, Panels};
use crate::kind::{Drawn, FEW_JOBS, Needs, OF_JOBS, PlotKind, PlotOptions};
use crate::results::Results;
use meshreplay_base::words::counted;
use meshreplay_machine::machine::NodeId;
use meshreplay_results::frame::{Downtimes, PlacedJob};

/// The row of the registry.
pub(super) const KIND: PlotKind = PlotKind {
    name: "gantt",
    summary: "Who holds which nodes when, in a panel for each replay",
    needs: Needs::Nodes,
    takes: OF_JOBS,
    example: Some(FEW_JOBS),
    draw,
};

/// The largest number of rectangles in all panels, so that viewers can open them. A job has one rectangle for
/// each run of neighbouring nodes.
const MOST_BARS: usize = 4000;
/// The largest number of panels.
const MOST_PANELS: usize = 4;

/// Draws the plot; `None` if the nodes of the jobs were not kept or there are no jobs.
fn draw(options: &PlotOptions<'_>, results: &Results) -> Drawn {
    let (replays, note) = shown_replays(options, results, MOST_PANELS)?;
    let most = MOST_BARS / replays.len().max(1);
    let mut found: Vec<Earliest> =
        replays.iter().map(|replay| Earliest::new(killed_runs(&replay.outages), most)).collect();
    let (low, high) = options.window_s.unwrap_or((f64::NEG_INFINITY, f64::INFINITY));
    let wants = |start_s: f64, end_s: f64| end_s > low && start_s < high;
    let Some(counts) = visit_placed(options, &replays, &wants, &mut |i, job| found[i].add(job))? else {
        return Ok(None);
    };
    for earliest in &mut found {
        earliest.jobs.retain(|job| wants(job.row.start_s, job.row.end_s));
        earliest.cut();
    }
    let jobs = || found.iter().flat_map(|earliest| &earliest.jobs);
    let from = jobs().map(|job| job.row.start_s).fold(f64::INFINITY, f64::min).max(low);
    // All panels end where the first one has to.
    let end = found.iter().filter_map(|earliest| earliest.next_s).fold(f64::INFINITY, f64::min);
    let last = jobs().map(|job| job.row.end_s).fold(f64::NEG_INFINITY, f64::max);
    let to = if end < f64::INFINITY { end.min(high) } else { last.min(high) };
    if from > to {
        return Ok(None);
    }
    let axis = TimeAxis::new((from, to));
    let x = axis.axis(options, results, "first start");
    let rectangles = |earliest: &Earliest| earliest.jobs.iter().flat_map(rectangles).collect();
    let panels: Vec<Vec<Rectangle>> = found.iter().map(rectangles).collect();
    let colours = JobColours::of(&panels, to - from);
    let panel = |((replay, earliest), count): ((&ShownReplay, &Earliest), usize)| {
        panel(replay, &earliest.jobs, &axis, (options, count, x.clone(), &colours))
    };
    let panels: Vec<Grid> = replays.iter().zip(&found).zip(counts).map(panel).collect();
    let said = [results.shared_of_shown(options.replays), note];
    let subtitle = said.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" · ");
    let title = "Who holds which nodes".to_owned();
    Ok(Some(Panels { title, subtitle, panels, columns: 1, aspect: Some(0.32) }.draw_on(options.page)))
}

/// The jobs of a replay that start first, as many as have room in a picture.
struct Earliest {
    jobs: Vec<PlacedJob>,
    /// The number of rectangles that have room.
    most: usize,
    bars: usize,
    /// The start of the first job that has no room, in seconds; `None` if all have room.
    next_s: Option<f64>,
}

impl Earliest {
    fn new(jobs: Vec<PlacedJob>, most: usize) -> Self {
        let bars = jobs.iter().map(|job| job.nodes.len()).sum();
        Self { jobs, most, bars, next_s: None }
    }

    /// Takes a job if it may have room.
    fn add(&mut self, job: PlacedJob) {
        // Jobs after the first one that has no room have none either.
        if self.next_s.is_some_and(|next_s| job.row.start_s >= next_s) {
            return;
        }
        self.bars += job.nodes.len();
        self.jobs.push(job);
        if self.bars > 4 * self.most {
            self.cut();
        }
    }

    /// Sorts the jobs by start, and drops those that have no room.
    fn cut(&mut self) {
        self.jobs.sort_by(|a, b| a.row.start_s.total_cmp(&b.row.start_s));
        let (mut bars, mut shown) = (0, 0);
        for job in &self.jobs {
            if bars + job.nodes.len() > self.most {
                break;
            }
            bars += job.nodes.len();
            shown += 1;
        }
        if let Some(next) = self.jobs.get(shown) {
            let next_s = self.next_s.map_or(next.row.start_s, |next_s| next_s.min(next.row.start_s));
            self.next_s = Some(next_s);
        }
        self.jobs.truncate(shown);
        self.bars = bars;
    }
}

/// Returns the panel of a replay over the time of `axis`. `count` is the number of its jobs.
fn panel(
    replay: &ShownReplay,
    jobs: &[PlacedJob],
    axis: &TimeAxis,
    (options, count, x, colours): (&PlotOptions<'_>, usize, Axis, &JobColours),
) -> Grid {
    let (from, to) = axis.span_s();
    let is_shown = |job: &&PlacedJob| job.row.start_s < to || (job.row.start_s <= to && job.row.end_s <= to);
    let jobs: Vec<&PlacedJob> = jobs.iter().filter(is_shown).collect();
    let bars = |job: &&PlacedJob| {
        let (start, end) = (axis.at(job.row.start_s.max(from)), axis.at(job.row.end_s.min(to)));
        let killed = if job.killed_in.is_some() { ", killed as a node went down" } else { "" };
        let words =
            format!("job {}: {:.0} s to {:.0} s{killed}", job.row.number, job.row.start_s, job.row.end_s);
        let colour = colours.colour(job.row.number);
        let bar = move |&(first, last): &(NodeId, NodeId)| GridCell {
            place: [start, f64::from(first), end - start, f64::from(last - first + 1)],
            colour: colour.clone(),
            words: words.clone(),
        };
        job.nodes.iter().map(bar).collect::<Vec<_>>()
    };
    let span = axis.at(to).max(1e-6);
    let unavailable = replay.machine.unavailable().iter().map(|&(first, last)| GridCell {
        place: [0.0, f64::from(first), span, f64::from(last - first + 1)],
        colour: UNAVAILABLE.to_owned(),
        words: "unavailable".to_owned(),
    });
    // These bars lie below those of jobs, which may have gone on.
    let down = bars_of_down(&replay.outages, axis);
    let shown = jobs.iter().filter(|job| job.killed_in.is_none()).count();
    let killed = match jobs.len() - shown {
        0 => String::new(),
        killed => format!(" and {} that were killed", counted(killed, "run")),
    };
    let first = if options.window_s.is_some() { "" } else { "the first " };
    Grid {
        title: String::new(),
        subtitle: format!(
            "{} · {first}{} of {}{killed}",
            replay.name,
            count_of(shown),
            counted(count_of(count), "job")
        ),
        x: (x, [0.0, span]),
        y: (Axis { title: "node".to_owned(), ..Axis::default() }, [0.0, f64::from(replay.machine.nodes())]),
        square: false,
        is_merged: false,
        cells: unavailable.chain(down).chain(jobs.iter().flat_map(bars)).collect(),
        legend: legend_of_unavailable(&replay.machine)
            .into_iter()
            .chain(legend_of_down(&replay.outages))
            .collect(),
    }
}

/// Returns the rectangles of a job.
fn rectangles(job: &PlacedJob) -> impl Iterator<Item = Rectangle> + '_ {
    let rectangle = |&nodes: &(NodeId, NodeId)| Rectangle {
        job: job.row.number,
        times_s: (job.row.start_s, job.row.end_s),
        nodes,
    };
    job.nodes.iter().map(rectangle)
}

/// Returns a number of jobs as text.
fn count_of(jobs: usize) -> String {
    meshreplay_results::text::grouped(jobs as f64, 0)
}

/// Returns the runs in which jobs were killed as jobs of the chart, as far as their nodes are known.
fn killed_runs(outages: &Downtimes) -> Vec<PlacedJob> {
    outages.killed.iter().filter(|run| !run.nodes.is_empty()).cloned().collect()
}

/// Returns the bars of nodes that were down in the time of `axis`, at most [`MOST_BARS`] of them.
fn bars_of_down(outages: &Downtimes, axis: &TimeAxis) -> Vec<GridCell> {
    let (from_s, to_s) = axis.span_s();
    let bars = outages.down.iter().flat_map(|down| {
        let (start, end) = (axis.at(down.from_s.max(from_s)), axis.at(down.until_s.min(to_s)));
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
