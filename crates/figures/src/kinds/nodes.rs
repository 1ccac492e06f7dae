//! The plot `nodes`: the share of time in which each node is busy, in a panel for each replay.

use super::jobs::held_nodes::{
    ShownReplay, UNAVAILABLE, legend_of_unavailable, shown_replays, some_of, visit_placed,
};
use crate::draw::{Axis, Grid, GridCell, Page, Panels};
use crate::kind::{Drawn, FEW_JOBS, Needs, OF_JOBS, PlotKind, PlotOptions};
use crate::results::Results;
use meshreplay_machine::machine::NodeId;

/// The row of the registry.
pub(super) const KIND: PlotKind = PlotKind {
    name: "nodes",
    summary: "Share of the time that each node is busy, in a panel for each replay",
    needs: Needs::Nodes,
    takes: OF_JOBS,
    example: Some(FEW_JOBS),
    draw,
};

/// The largest machine that is drawn. Viewers could not open drawings with more nodes.
const MOST_NODES: u32 = 65_536;

/// The largest number of nodes of several panels together, so that a report with them stays small.
const MOST_CELLS: u32 = 65_536;
/// The largest number of nodes that are elements of their own, with their coordinates as tooltips. More nodes
/// are drawn in steps of 1 %, those of one colour as one element.
const MOST_SINGLE: u32 = 4096;
/// The largest number of panels.
const MOST_PANELS: usize = 9;

/// Draws the plot; `None` if the nodes of the jobs were not kept, no time passes, nothing runs in the window,
/// or all machines are too large.
fn draw(options: &PlotOptions<'_>, results: &Results) -> Drawn {
    let (mut replays, mut note) = shown_replays(options, results, MOST_PANELS)?;
    let all = replays.len();
    let mut room = MOST_CELLS;
    replays.retain(|replay| replay.machine.nodes() <= MOST_NODES);
    // The first panel may be large.
    replays = replays
        .into_iter()
        .enumerate()
        .take_while(|(i, replay)| {
            let nodes = replay.machine.nodes();
            let fits = *i == 0 || nodes <= room;
            room = room.saturating_sub(nodes);
            fits
        })
        .map(|(_, replay)| replay)
        .collect();
    if replays.len() < all {
        note = some_of(options, replays.len(), results.replays()?);
    }
    let (low, high) = options.window_s.unwrap_or((f64::NEG_INFINITY, f64::INFINITY));
    let mut found: Vec<Busy> = replays.iter().map(|replay| Busy::of_killed(replay, (low, high))).collect();
    let kept = visit_placed(options, &replays, &|start, end| end > low && start < high, &mut |i, job| {
        found[i].add(&job.nodes, (job.row.start_s.max(low), job.row.end_s.min(high)));
    })?;
    if kept.is_none() || options.window_s.is_some() && found.iter().all(|busy| busy.length_s() <= 0.0) {
        return Ok(None);
    }
    let widths: Vec<u32> = replays.iter().map(|replay| across(replay.machine.extents())).collect();
    let columns = if widths.iter().any(|width| *width > 80) { 1 } else { 3 };
    let (_, page) = Panels::layout(options.page, replays.len(), columns, None);
    if let Some(window_s) = options.window_s {
        for busy in &mut found {
            busy.span_s = window_s;
        }
    }
    let shown: Vec<(&ShownReplay, &Busy)> =
        replays.iter().zip(&found).filter(|(_, busy)| busy.length_s() > 0.0).collect();
    let nodes: u32 = shown.iter().map(|(replay, _)| replay.machine.nodes()).sum();
    let shares = Shares::of(&shown, nodes > MOST_SINGLE);
    let panels: Vec<Grid> = shown.iter().map(|(replay, busy)| panel(replay, busy, (&shares, page))).collect();
    let said = [results.shared_of_shown(options.replays), note];
    let subtitle = said.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" · ");
    let title = "Share of the time that each node is busy".to_owned();
    let is_empty = panels.is_empty();
    let drawn = Panels { title, subtitle, panels, columns, aspect: None };
    Ok((!is_empty).then(|| drawn.draw_on(options.page)))
}

/// How long each node of a machine was busy.
struct Busy {
    busy_s: Vec<f64>,
    /// The first start and the last end of a run.
    span_s: (f64, f64),
}

impl Busy {
    /// Returns the times of the runs in which jobs were killed, as far as they lie in a window.
    fn of_killed(replay: &ShownReplay, (low_s, high_s): (f64, f64)) -> Self {
        let span_s = (f64::INFINITY, f64::NEG_INFINITY);
        let mut busy = Self { busy_s: vec![0.0; replay.machine.nodes() as usize], span_s };
        for run in &replay.outages.killed {
            let (start_s, end_s) = (run.row.start_s.max(low_s), run.row.end_s.min(high_s));
            if start_s < end_s {
                busy.add(&run.nodes, (start_s, end_s));
            }
        }
        busy
    }

    /// Returns the time from the first start to the last end, in seconds; below 0 if there are no runs.
    fn length_s(&self) -> f64 {
        self.span_s.1 - self.span_s.0
    }

    /// Adds a run from one time to another, in seconds.
    fn add(&mut self, nodes: &[(NodeId, NodeId)], (start_s, end_s): (f64, f64)) {
        self.span_s = (self.span_s.0.min(start_s), self.span_s.1.max(end_s));
        for node in nodes.iter().flat_map(|&(first, last)| first..=last) {
            self.busy_s[node as usize] += (end_s - start_s).max(0.0);
        }
    }
}

/// What the colours of shares mean, in all panels of a picture.
struct Shares {
    /// The shares of the lightest and of the darkest colour: whole tenths round all that are shown.
    ends: (f64, f64),
    /// Whether shares are rounded to 1 %, and nodes of one colour drawn as one.
    are_merged: bool,
}

impl Shares {
    /// Returns the colours for the shares of some replays.
    fn of(shown: &[(&ShownReplay, &Busy)], are_merged: bool) -> Self {
        let (mut low, mut high) = (f64::INFINITY, 0.0_f64);
        for (replay, busy) in shown {
            let nodes = (0..replay.machine.nodes()).zip(&busy.busy_s);
            for (_, busy_s) in nodes.filter(|(node, _)| replay.machine.is_available(*node)) {
                let share = (busy_s / busy.length_s()).clamp(0.0, 1.0);
                (low, high) = (low.min(share), high.max(share));
            }
        }
        // Rounding errors take no tenth more.
        let low = ((low.min(high) * 10.0 + 1e-9).floor() / 10.0).min(0.9);
        Self { ends: (low, ((high * 10.0 - 1e-9).ceil() / 10.0).max(low + 0.1)), are_merged }
    }

    /// Returns the colour of a share.
    fn colour(&self, share: f64) -> String {
        shade((share - self.ends.0) / (self.ends.1 - self.ends.0))
    }

    /// Returns five shares with their colours.
    fn legend(&self) -> Vec<(String, String)> {
        let entry = |step: i32| {
            let share = self.ends.0 + f64::from(step) / 4.0 * (self.ends.1 - self.ends.0);
            let percent = (1000.0 * share).round() / 10.0;
            (format!("{percent} %"), self.colour(share))
        };
        (0..=4).map(entry).collect()
    }
}

/// Returns the number of columns of the layers of a machine side by side, with an empty column between them.
fn across([width, _, depth]: [u32; 3]) -> u32 {
    depth * (width + 1) - 1
}

/// Returns the panel of a replay for a page of this size.
fn panel(replay: &ShownReplay, busy: &Busy, (shares, page): (&Shares, Page)) -> Grid {
    let Busy { busy_s, span_s: (from, to) } = busy;
    let machine = &replay.machine;
    let length_s = busy.length_s();
    let mut down_s = vec![0.0; busy_s.len()];
    for down in &replay.outages.down {
        for node in down.nodes.iter().flat_map(|&(first, last)| first..=last) {
            down_s[node as usize] += (down.until_s.min(*to) - down.from_s.max(*from)).max(0.0);
        }
    }
    let [width, length, depth] = machine.extents();
    let cell = |(node, busy_s): (usize, &f64)| {
        let [x, y, z] = machine.coord(node as NodeId);
        let share = busy_s / length_s;
        let (colour, words) = if shares.are_merged && machine.is_available(node as NodeId) {
            let share = (100.0 * share).round();
            (shares.colour(share / 100.0), format!("{share} %"))
        } else if machine.is_available(node as NodeId) {
            let down = match down_s[node] {
                down_s if down_s > 0.0 => format!(", down {:.1} %", 100.0 * down_s / length_s),
                _ => String::new(),
            };
            (shares.colour(share), format!("({x}, {y}, {z}): {:.1} %{down}", 100.0 * share))
        } else {
            (UNAVAILABLE.to_owned(), format!("({x}, {y}, {z}): unavailable"))
        };
        GridCell { place: [f64::from(z * (width + 1) + x), f64::from(y), 1.0, 1.0], colour, words }
    };
    let across = across([width, length, depth]);
    let unit = Grid::unit(page, (f64::from(across), f64::from(length)));
    let (names_x, names_y) = coordinates([width, length], across, unit);
    let title_x = if depth > 1 {
        format!("x in layers z = 0 to {} from left to right", depth - 1)
    } else {
        "x".to_owned()
    };
    let mut legend = shares.legend();
    legend.extend(legend_of_unavailable(machine));
    Grid {
        title: String::new(),
        subtitle: replay.name.clone(),
        x: (Axis { names: names_x, title: title_x, ..Axis::default() }, [0.0, f64::from(across)]),
        y: (Axis { names: names_y, title: "y".to_owned(), ..Axis::default() }, [0.0, f64::from(length)]),
        square: true,
        is_merged: shares.are_merged,
        cells: busy_s.iter().enumerate().map(cell).collect(),
        legend,
    }
}

/// Returns the labels of the columns and of the rows: the coordinates of their nodes. Where labels would
/// overlap, only every second, fourth, eighth … is shown, and the others are empty. `unit` is the size of a
/// node in pixels.
fn coordinates([width, length]: [u32; 2], across: u32, unit: f64) -> (Vec<String>, Vec<String>) {
    let step = |room: f64| ((room / unit).ceil().max(1.0) as u32).next_power_of_two();
    let some = |at: u32, step: u32| if at.is_multiple_of(step) { at.to_string() } else { String::new() };
    let of_column = |at: u32| match at % (width + 1) {
        x if x < width => some(x, step(28.0)),
        _ => String::new(),
    };
    ((0..across).map(of_column).collect(), (0..length).map(|y| some(y, step(16.0))).collect())
}

/// Returns a colour as `#rrggbb`, from light for 0 to dark for 1. The order is also visible in grey.
pub(super) fn shade(share: f64) -> String {
    let share = share.clamp(0.0, 1.0);
    let between = |light: f64, dark: f64| (light + share * (dark - light)).round() as u8;
    format!("#{:02x}{:02x}{:02x}", between(225.0, 8.0), between(236.0, 48.0), between(246.0, 107.0))
}
