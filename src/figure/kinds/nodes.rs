//! The plot `nodes`: the share of time in which each node is busy, for one replay.

use super::held_nodes::{UNAVAILABLE, legend_of_unavailable, one_replay};
use crate::figure::draw::{Axis, Grid, GridCell};
use crate::figure::kind::{Drawn, FEW_JOBS, Needs, PlotKind, PlotOptions};
use crate::figure::results::Results;
use crate::machine::NodeId;

/// The row of the registry.
pub(super) const KIND: PlotKind = PlotKind {
    name: "nodes",
    summary: "Share of the time that each node is busy, of one replay",
    needs: Needs::Nodes,
    example: Some(FEW_JOBS),
    draw,
};

/// The largest machine that is drawn. Viewers could not open drawings with more nodes.
const MOST_NODES: u32 = 65_536;

/// Draws the plot; `None` if the nodes of the jobs were not kept, no time passes, or the machine is too large.
fn draw(options: &PlotOptions<'_>, results: &Results) -> Drawn {
    let Some(replay) = one_replay(options, results)? else { return Ok(None) };
    let machine = &replay.machine;
    let Some((from, to)) = replay.span_s() else { return Ok(None) };
    if to <= from || machine.nodes() > MOST_NODES {
        return Ok(None);
    }
    let mut busy_s = vec![0.0; machine.nodes() as usize];
    let mut down_s = busy_s.clone();
    let jobs = replay.jobs.iter().map(|job| (&job.nodes, job.end_s - job.start_s));
    let killed = replay.outages.killed.iter().map(|run| (&run.nodes, run.times_s[2] - run.times_s[1]));
    for (nodes, length_s) in jobs.chain(killed) {
        for node in nodes.iter().flat_map(|&(first, last)| first..=last) {
            busy_s[node as usize] += length_s;
        }
    }
    for down in &replay.outages.down {
        for node in down.nodes.iter().flat_map(|&(first, last)| first..=last) {
            down_s[node as usize] += (down.until_s.min(to) - down.from_s.max(from)).max(0.0);
        }
    }
    let [width, length, depth] = machine.extents();
    // The layers of the machine stand side by side, with an empty column between them.
    let cell = |(node, busy_s): (usize, &f64)| {
        let [x, y, z] = machine.coord(node as NodeId);
        let share = busy_s / (to - from);
        let (colour, words) = if machine.is_available(node as NodeId) {
            let down = match down_s[node] {
                down_s if down_s > 0.0 => format!(", down {:.1} %", 100.0 * down_s / (to - from)),
                _ => String::new(),
            };
            (shade(share), format!("({x}, {y}, {z}): {:.1} %{down}", 100.0 * share))
        } else {
            (UNAVAILABLE.to_owned(), format!("({x}, {y}, {z}): unavailable"))
        };
        GridCell { place: [f64::from(z * (width + 1) + x), f64::from(y), 1.0, 1.0], colour, words }
    };
    let across = depth * (width + 1) - 1;
    let (names_x, names_y) = coordinates([width, length], across);
    let title_x = if depth > 1 {
        format!("x in layers z = 0 to {} from left to right", depth - 1)
    } else {
        "x".to_owned()
    };
    let legend = [0.0, 0.25, 0.5, 0.75, 1.0].map(|share| (format!("{:.0} %", 100.0 * share), shade(share)));
    let mut legend = legend.to_vec();
    legend.extend(legend_of_unavailable(machine));
    let grid = Grid {
        title: "Share of the time that each node is busy".to_owned(),
        subtitle: format!("{} · {}", replay.name, results.shared()),
        x: (Axis { names: names_x, title: title_x, ..Axis::default() }, [0.0, f64::from(across)]),
        y: (Axis { names: names_y, title: "y".to_owned(), ..Axis::default() }, [0.0, f64::from(length)]),
        square: true,
        cells: busy_s.iter().enumerate().map(cell).collect(),
        legend,
    };
    Ok(Some(grid.draw()))
}

/// Returns the labels of the columns and of the rows: the coordinates of their nodes. Where labels would overlap, only
/// every second, third … is shown, and the others are empty.
fn coordinates([width, length]: [u32; 2], across: u32) -> (Vec<String>, Vec<String>) {
    // The size of a node in pixels, as `Grid` draws it.
    let unit = (640.0 / f64::from(across)).min(400.0 / f64::from(length));
    let step = |room: f64| (room / unit).ceil().max(1.0) as u32;
    let some = |at: u32, step: u32| if at.is_multiple_of(step) { at.to_string() } else { String::new() };
    let of_column = |at: u32| match at % (width + 1) {
        x if x < width => some(x, step(28.0)),
        _ => String::new(),
    };
    ((0..across).map(of_column).collect(), (0..length).map(|y| some(y, step(16.0))).collect())
}

/// Returns a colour as `#rrggbb`, from light for 0 to dark for 1. The order is also visible in grey.
fn shade(share: f64) -> String {
    let share = share.clamp(0.0, 1.0);
    let between = |light: f64, dark: f64| (light + share * (dark - light)).round() as u8;
    format!("#{:02x}{:02x}{:02x}", between(240.0, 8.0), between(246.0, 48.0), between(252.0, 107.0))
}
