//! The plot `nodes`: the busy time of each node as a share of the whole time, in a panel for each replay.

use super::colours::Shades;
use super::job_rows::{
    ShownReplay, UNAVAILABLE, legend_of_unavailable, load_note, shown_replays, visit_placed,
};
use crate::draw::{Axis, Grid, GridAxis, GridCell, Page, Panel, Panels};
use crate::kind::{Drawn, FEW_JOBS, NODES, OF_JOBS, PlotKind, PlotOptions};
use crate::results::Results;
use crate::span::Span;
use meshreplay_base::words::counted;
use meshreplay_machine::machine::{Mesh, NodeId};

/// The row of the registry.
pub(super) const KIND: PlotKind = PlotKind {
    name: "nodes",
    summary: "Share of the time that each node is busy, in a panel for each replay",
    needs: NODES,
    takes: OF_JOBS,
    example: Some(FEW_JOBS),
    draw,
};

/// The largest machine that is drawn. Viewers could not open drawings with more nodes.
const MOST_NODES: u32 = 65_536;

/// The largest number of nodes drawn as single elements, with their coordinates as tooltips. More nodes are
/// drawn in steps of 1 %, with one element for each colour.
const MOST_SINGLE: u32 = 4096;
/// The largest number of panels of a drawing, which show at most [`MOST_NODES`] together.
const MOST_PANELS: usize = 9;

/// Draws the plot; `None` if the nodes of the jobs were not kept, no time passes, nothing runs in the window,
/// or all machines are too large.
fn draw(options: &PlotOptions<'_>, results: &Results) -> Drawn {
    let mut replays = shown_replays(options, results)?;
    let all = replays.len();
    replays.retain(|replay| replay.machine.nodes() <= MOST_NODES);
    let left_out = match all - replays.len() {
        0 => String::new(),
        count => {
            format!("Left out: {} on machines of more than {MOST_NODES} nodes.", counted(count, "replay"))
        }
    };
    let largest = replays.iter().map(|replay| replay.machine.nodes()).max().unwrap_or(1);
    let most = ((MOST_NODES / largest) as usize).clamp(1, MOST_PANELS);
    let window_s = options.window();
    let mut busy: Vec<Busy> = replays.iter().map(|replay| Busy::of_killed(replay, window_s)).collect();
    let kept = visit_placed(options, &replays, &mut |i, job| {
        let (start_s, end_s) = (job.row.start_s.max(window_s.low), job.row.end_s.min(window_s.high));
        busy[i].add(&job.nodes, start_s, end_s);
    })?;
    if kept.is_none() || options.window_s.is_some() && busy.iter().all(|busy| busy.span_s.length() <= 0.0) {
        return Ok(Panels::default());
    }
    for busy in &mut busy {
        busy.span_s = options.window_s.unwrap_or(busy.span_s);
    }
    let is_wide = |replay: &ShownReplay| across(replay.machine.drawn().extents()) > 80;
    let columns = if replays.iter().any(is_wide) { 1 } else { 3 };
    let (_, page) = Panels::layout(options.page, replays.len().min(most), columns, None, 0.0);
    let shown: Vec<(&ShownReplay, &Busy)> =
        replays.iter().zip(&busy).filter(|(_, busy)| busy.span_s.length() > 0.0).collect();
    if shown.is_empty() {
        return Ok(Panels::default());
    }
    let nodes: u32 = shown.iter().map(|(replay, _)| replay.machine.nodes()).sum();
    let is_merged = nodes > MOST_SINGLE;
    let shades = shades(&shown);
    let panel =
        |(replay, busy): &(&ShownReplay, &Busy)| Panel::Grid(panel(replay, busy, shades, is_merged, page));
    Ok(Panels {
        title: "Share of the time that each node is busy".to_owned(),
        subtitle: results.shared_of_shown(options.replays),
        panels: shown.iter().map(panel).collect(),
        columns,
        aspect: None,
        note: load_note(options, results),
        most: Some(most),
        left_out,
    })
}

/// Busy times of the nodes of a machine.
struct Busy {
    busy_s: Vec<f64>,
    /// The time from the first start to the last end of a run, which is empty without runs.
    span_s: Span,
}

impl Busy {
    /// Returns the busy times of killed runs within a window.
    fn of_killed(replay: &ShownReplay, window_s: Span) -> Self {
        let mut busy = Self { busy_s: vec![0.0; replay.machine.nodes() as usize], span_s: Span::EMPTY };
        for run in &replay.outages.killed {
            let (start_s, end_s) = (run.row.start_s.max(window_s.low), run.row.end_s.min(window_s.high));
            if start_s < end_s {
                busy.add(&run.nodes, start_s, end_s);
            }
        }
        busy
    }

    /// Adds a run from one time to another, in seconds.
    fn add(&mut self, nodes: &[(NodeId, NodeId)], start_s: f64, end_s: f64) {
        self.span_s = Span::new(self.span_s.low.min(start_s), self.span_s.high.max(end_s));
        for node in nodes.iter().flat_map(|&(first, last)| first..=last) {
            self.busy_s[node as usize] += (end_s - start_s).max(0.0);
        }
    }
}

/// Returns the colours of the shares of some replays. Their ends are whole tenths.
fn shades(shown: &[(&ShownReplay, &Busy)]) -> Shades {
    let shares = shown.iter().flat_map(|(replay, busy)| {
        let nodes = (0..replay.machine.nodes()).zip(&busy.busy_s);
        let available = nodes.filter(|(node, _)| replay.machine.is_available(*node));
        available.map(|(_, busy_s)| (busy_s / busy.span_s.length()).clamp(0.0, 1.0))
    });
    let Span { low, high } = Span::covering(shares);
    // Rounding errors take no tenth more.
    let low = ((low.min(high.max(0.0)) * 10.0 + 1e-9).floor() / 10.0).min(0.9);
    let high = ((high.max(0.0) * 10.0 - 1e-9).ceil() / 10.0).max(low + 0.1);
    Shades { span: Span::new(low, high), is_log: false }
}

/// Returns the number of columns of the layers of a machine side by side, with an empty column between them.
fn across([width, _, depth]: [u32; 3]) -> u32 {
    depth * (width + 1) - 1
}

/// Returns the panel of a replay for a page. If `is_merged`, shares are rounded to 1 %, and nodes of one
/// colour are drawn as one.
fn panel(replay: &ShownReplay, busy: &Busy, shades: Shades, is_merged: bool, page: Page) -> Grid {
    let Busy { busy_s, span_s } = busy;
    let machine = &replay.machine;
    let length_s = span_s.length();
    let mut down_s = vec![0.0; busy_s.len()];
    for down in &replay.outages.down {
        for node in down.nodes.iter().flat_map(|&(first, last)| first..=last) {
            down_s[node as usize] += (down.until_s.min(span_s.high) - down.from_s.max(span_s.low)).max(0.0);
        }
    }
    let drawn = machine.drawn();
    let [width, length, depth] = drawn.extents();
    let cell = |(node, busy_s): (usize, &f64)| {
        let [x, y, z] = drawn.coord(node as NodeId);
        let name = match machine.levels() {
            Some(levels) => format!("node {node} in leaf {}", node as NodeId / levels.leaf()),
            None => format!("({x}, {y}, {z})"),
        };
        let share = busy_s / length_s;
        let (colour, words) = if !machine.is_available(node as NodeId) {
            (UNAVAILABLE.to_owned(), format!("{name}: unavailable"))
        } else if is_merged {
            let percent = (100.0 * share).round();
            (shades.colour(percent / 100.0), format!("{percent} %"))
        } else {
            let down = match down_s[node] {
                down_s if down_s > 0.0 => format!(", down {:.1} %", 100.0 * down_s / length_s),
                _ => String::new(),
            };
            (shades.colour(share), format!("{name}: {:.1} %{down}", 100.0 * share))
        };
        let place = [f64::from(z * (width + 1) + x), f64::from(y), 1.0, 1.0];
        let value = machine.is_available(node as NodeId).then_some(100.0 * share);
        GridCell { place, colour, words, value, ..GridCell::default() }
    };
    let across = across([width, length, depth]);
    let unit = Grid::unit(page, f64::from(across), f64::from(length));
    let (names_x, names_y) = coordinates([width, length], across, unit);
    let (title_x, title_y) = titles(machine, depth);
    let percent = |share: f64| format!("{} %", (1000.0 * share).round() / 10.0);
    let legend = shades.steps().map(|share| (percent(share), shades.colour(share)));
    Grid {
        subtitle: replay.name.clone(),
        x: GridAxis::to(f64::from(across), Axis { names: names_x, ..Axis::titled(title_x) }),
        y: GridAxis::to(f64::from(length), Axis { names: names_y, ..Axis::titled(title_y) }),
        square: true,
        is_merged,
        cells: busy_s.iter().enumerate().map(cell).collect(),
        values: "busy time (%)".to_owned(),
        legend: legend.into_iter().chain(legend_of_unavailable(machine)).collect(),
        ..Grid::default()
    }
}

/// Returns the titles of the axes of a machine that is drawn in `depth` layers.
fn titles(machine: &Mesh, depth: u32) -> (String, &'static str) {
    let (x, layers, y) = match machine.levels() {
        Some(_) => ("nodes of a leaf", "groups", "leaf"),
        None => ("x", "layers z =", "y"),
    };
    let title_x = match depth {
        1 => x.to_owned(),
        _ => format!("{x} in {layers} 0 to {} from left to right", depth - 1),
    };
    (title_x, y)
}

/// Returns the labels of the columns and of the rows: the coordinates of their nodes. To avoid overlap, only
/// every second, fourth, eighth … label is shown, and the others are empty. `unit` is the size of a node in
/// pixels.
fn coordinates([width, length]: [u32; 2], across: u32, unit: f64) -> (Vec<String>, Vec<String>) {
    let step = |room: f64| ((room / unit).ceil().max(1.0) as u32).next_power_of_two();
    let some = |at: u32, step: u32| if at.is_multiple_of(step) { at.to_string() } else { String::new() };
    let of_column = |at: u32| match at % (width + 1) {
        x if x < width => some(x, step(28.0)),
        _ => String::new(),
    };
    ((0..across).map(of_column).collect(), (0..length).map(|y| some(y, step(16.0))).collect())
}
