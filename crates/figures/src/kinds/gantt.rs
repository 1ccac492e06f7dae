//! The plot `gantt`: jobs as rectangles over time and nodes, in a panel for each replay. It shows the chosen
//! window, or begins with the first job, and ends early at `MOST_BARS` rectangles.

use super::colours::{JobColours, Rectangle};
use super::job_rows::{
    DOWN, ShownReplay, UNAVAILABLE, legend_of_down, legend_of_unavailable, load_note, shown_replays,
    visit_placed,
};
use super::time_axis::TimeAxis;
use crate::draw::{Axis, Grid, GridAxis, GridCell, Panel, Panels};
use crate::kind::{Drawn, FEW_JOBS, NODES, OF_JOBS, PlotKind, PlotOptions};
use crate::results::Results;
use crate::span::Span;
use meshreplay_base::words::counted;
use meshreplay_machine::machine::NodeId;
use meshreplay_results::frame::PlacedJob;
use meshreplay_results::text::grouped;

/// The row of the registry.
pub(super) const KIND: PlotKind = PlotKind {
    name: "gantt",
    summary: "Who holds which nodes when, in a panel for each replay",
    needs: NODES,
    takes: OF_JOBS,
    example: Some(FEW_JOBS),
    draw,
};

/// The largest number of rectangles in all panels of a drawing, which viewers can still open. A job has one
/// rectangle for each run of neighbouring nodes.
const MOST_BARS: usize = 4000;
/// The largest number of panels of a drawing.
const MOST_PANELS: usize = 4;

/// Draws the plot; `None` if the nodes of the jobs were not kept or there are no jobs.
fn draw(options: &PlotOptions<'_>, results: &Results) -> Drawn {
    let replays = shown_replays(options, results)?;
    let most = MOST_BARS / replays.len().clamp(1, MOST_PANELS);
    let mut earliest: Vec<Earliest> = replays.iter().map(|replay| Earliest::new(replay, most)).collect();
    let counts = visit_placed(options, &replays, &mut |i, job| earliest[i].add(job))?;
    let Some(counts) = counts else { return Ok(Panels::default()) };
    for Earliest { jobs, .. } in &mut earliest {
        jobs.retain(|job| options.overlaps(job.row.start_s, job.row.end_s));
    }
    earliest.iter_mut().for_each(Earliest::cut);
    let jobs = || earliest.iter().flat_map(|earliest| &earliest.jobs);
    let Span { low, high } = options.window();
    let from = jobs().map(|job| job.row.start_s).fold(f64::INFINITY, f64::min).max(low);
    // All panels end at the earliest end.
    let end = earliest.iter().filter_map(|earliest| earliest.next_s).fold(f64::INFINITY, f64::min);
    let last = jobs().map(|job| job.row.end_s).fold(f64::NEG_INFINITY, f64::max);
    let to = if end < f64::INFINITY { end.min(high) } else { last.min(high) };
    if from > to {
        return Ok(Panels::default());
    }
    let axis = TimeAxis::new(Span::new(from, to));
    let rectangles = |earliest: &Earliest| earliest.jobs.iter().flat_map(rectangles).collect();
    let rectangles: Vec<Vec<Rectangle>> = earliest.iter().map(rectangles).collect();
    let gantt = Gantt {
        axis,
        x: GridAxis::to(axis.at(to).max(1e-6), axis.axis(options, results, "first start")),
        colours: JobColours::new(&rectangles, to - from),
        has_window: options.window_s.is_some(),
    };
    let panels = replays.iter().zip(&earliest).zip(counts);
    let panels = panels.map(|((replay, earliest), count)| gantt.panel(replay, &earliest.jobs, count));
    let panels = panels.map(Panel::Grid);
    Ok(Panels {
        title: "Who holds which nodes".to_owned(),
        subtitle: results.shared_of_shown(options.replays),
        panels: panels.collect(),
        columns: 1,
        aspect: Some(0.32),
        note: load_note(options, results),
        most: Some(MOST_PANELS),
        ..Panels::default()
    })
}

/// The earliest jobs of a replay, up to a number of rectangles.
struct Earliest {
    jobs: Vec<PlacedJob>,
    /// The number of rectangles that have room.
    most: usize,
    bars: usize,
    /// The start of the first job that has no room, in seconds; `None` if all have room.
    next_s: Option<f64>,
}

impl Earliest {
    /// Begins with the killed runs of a replay with known nodes.
    fn new(replay: &ShownReplay, most: usize) -> Self {
        let killed = replay.outages.killed.iter().filter(|run| !run.nodes.is_empty());
        let jobs: Vec<PlacedJob> = killed.cloned().collect();
        let bars = jobs.iter().map(|job| job.nodes.len()).sum();
        Self { jobs, most, bars, next_s: None }
    }

    /// Takes a job if it may have room.
    fn add(&mut self, job: PlacedJob) {
        // Jobs after the first job without room have no room either.
        if self.next_s.is_some_and(|next_s| job.row.start_s >= next_s) {
            return;
        }
        self.bars += job.nodes.len();
        self.jobs.push(job);
        if self.bars > 4 * self.most {
            self.cut();
        }
    }

    /// Sorts the jobs by start, and drops jobs without room.
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

/// Shared settings of all panels.
struct Gantt {
    axis: TimeAxis,
    x: GridAxis,
    colours: JobColours,
    /// Whether the user chose the window.
    has_window: bool,
}

impl Gantt {
    /// Returns the panel of a replay, which has `count` jobs in all.
    fn panel(&self, replay: &ShownReplay, jobs: &[PlacedJob], count: usize) -> Grid {
        let to = self.axis.span_s.high;
        let is_shown =
            |job: &&PlacedJob| job.row.start_s < to || (job.row.start_s <= to && job.row.end_s <= to);
        let jobs: Vec<&PlacedJob> = jobs.iter().filter(is_shown).collect();
        let machine = &replay.machine;
        let colour = UNAVAILABLE.to_owned();
        let [words, name] = ["unavailable"; 2].map(str::to_owned);
        let like = GridCell { colour, words, name, ..GridCell::default() };
        let unavailable = bars(machine.unavailable(), 0.0, self.x.span.high, &like);
        // Bars of outages are drawn first, below the bars of jobs, which may have gone on.
        let cells = unavailable.into_iter().chain(self.bars_of_down(replay));
        let cells = cells.chain(jobs.iter().flat_map(|job| self.bars_of_job(job))).collect();
        let shown = jobs.iter().filter(|job| job.killed_in.is_none()).count();
        let killed = match jobs.len() - shown {
            0 => String::new(),
            killed => format!(" and {} that were killed", counted(killed, "run")),
        };
        let first = if self.has_window { "" } else { "the first " };
        let [shown, all] = [shown, count].map(|count| grouped(count as f64, 0));
        let legend = legend_of_unavailable(machine).into_iter().chain(legend_of_down(&replay.outages));
        Grid {
            subtitle: format!("{} · {first}{shown} of {}{killed}", replay.name, counted(all, "job")),
            x: self.x.clone(),
            y: GridAxis::to(f64::from(machine.nodes()), Axis::titled("node")),
            cells,
            values: "job".to_owned(),
            legend: legend.collect(),
            ..Grid::default()
        }
    }

    fn bars_of_job(&self, job: &PlacedJob) -> Vec<GridCell> {
        let (row, Span { low, high }) = (&job.row, self.axis.span_s);
        let (start, end) = (self.axis.at(row.start_s.max(low)), self.axis.at(row.end_s.min(high)));
        let (name, killed) = if job.killed_in.is_some() {
            ("killed run", ", killed as a node went down")
        } else {
            ("job", "")
        };
        let words = format!("job {}: {:.0} s to {:.0} s{killed}", row.number, row.start_s, row.end_s);
        let (colour, value) = (self.colours.colour(row.number), Some(row.number as f64));
        bars(
            &job.nodes,
            start,
            end,
            &GridCell { place: [0.0; 4], colour, words, value, name: name.to_owned() },
        )
    }

    /// Returns the bars of nodes that were down, at most [`MOST_BARS`] of them.
    fn bars_of_down(&self, replay: &ShownReplay) -> Vec<GridCell> {
        let Span { low, high } = self.axis.span_s;
        let cells = replay.outages.down.iter().flat_map(|down| {
            let (start, end) = (self.axis.at(down.from_s.max(low)), self.axis.at(down.until_s.min(high)));
            let until =
                if down.until_s.is_finite() { format!(" to {:.0} s", down.until_s) } else { String::new() };
            let words = format!("down: {:.0} s{until}", down.from_s);
            let nodes = if end > start { &down.nodes[..] } else { &[] };
            let (colour, name) = (DOWN.to_owned(), "down".to_owned());
            bars(nodes, start, end, &GridCell { colour, words, name, ..GridCell::default() })
        });
        cells.take(MOST_BARS).collect()
    }
}

/// Returns a bar like `like` for each of these runs of nodes.
fn bars(nodes: &[(NodeId, NodeId)], start: f64, end: f64, like: &GridCell) -> Vec<GridCell> {
    let bar = |&(first, last): &(NodeId, NodeId)| GridCell {
        place: [start, f64::from(first), end - start, f64::from(last - first + 1)],
        ..like.clone()
    };
    nodes.iter().map(bar).collect()
}

fn rectangles(job: &PlacedJob) -> impl Iterator<Item = Rectangle> + '_ {
    let times_s = Span::new(job.row.start_s, job.row.end_s);
    job.nodes.iter().map(move |&nodes| Rectangle { job: job.row.number, times_s, nodes })
}
