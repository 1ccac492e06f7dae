//! The machine of a counterexample as text. The highest y is the top row; a machine of three dimensions is
//! drawn layer by layer.

use super::step::{Held, letter};
use meshreplay_machine::machine::{Machine, Mesh, NodeId};

/// A node that no job can have.
const UNAVAILABLE: char = '▒';

/// A node that is free.
const FREE: char = '.';

/// A node of a proposal.
const PROPOSED: char = '@';

/// A node of a proposal that cannot be taken.
const WRONG: char = '!';

/// The widest line of drawings that stand side by side.
const WIDTH: usize = 100;

/// What the characters mean, for the line below the drawings.
pub(super) const LEGEND: &str =
    "a letter: nodes in use   . free   @ proposed   ! proposed, but not free or named twice   ▒ unavailable";

/// Returns the machine with a letter at every node in use.
pub(super) fn in_use(machine: &Machine, held: &[Held]) -> Vec<String> {
    grid(machine.mesh(), |node| {
        let holder = held.iter().find(|held| held.placement.nodes.contains(&node));
        holder.map_or(blank(machine, node), |held| letter(held.number))
    })
}

/// Returns the machine with the nodes of a proposal. Those that do not exist are not drawn.
pub(super) fn proposed(machine: &Machine, nodes: &[NodeId]) -> Vec<String> {
    grid(machine.mesh(), |node| match nodes.iter().filter(|&&other| other == node).count() {
        0 => blank(machine, node),
        1 if machine.free().contains(node) => PROPOSED,
        _ => WRONG,
    })
}

/// Returns the character of a node that nobody has.
fn blank(machine: &Machine, node: NodeId) -> char {
    if machine.mesh().is_available(node) { FREE } else { UNAVAILABLE }
}

/// Returns a line for each row of each layer.
fn grid(mesh: &Mesh, character: impl Fn(NodeId) -> char) -> Vec<String> {
    let [width, length, depth] = mesh.extents();
    let mut lines = Vec::new();
    for z in 0..depth {
        if depth > 1 {
            lines.push(format!("z={z}"));
        }
        for y in (0..length).rev() {
            lines.push((0..width).map(|x| character(mesh.node([x, y, z]))).collect());
        }
    }
    lines
}

/// Returns drawings under their titles, side by side if there is room, and indented by two blanks.
pub(super) fn side_by_side(drawings: &[(String, Vec<String>)]) -> String {
    let chars = |text: &str| text.chars().count();
    let width = |(title, lines): &(String, Vec<String>)| {
        lines.iter().chain([title]).map(|line| chars(line)).max().unwrap_or(0)
    };
    let total: usize = drawings.iter().map(|drawing| width(drawing) + 3).sum();
    if total > WIDTH && drawings.len() > 1 {
        let each = drawings.iter().map(|drawing| side_by_side(std::slice::from_ref(drawing)));
        return each.collect::<Vec<_>>().join("\n");
    }
    let rows = drawings.iter().map(|(_, lines)| lines.len()).max().unwrap_or(0);
    let mut text = String::new();
    for row in 0..=rows {
        let mut line = String::from(" ");
        for drawing in drawings {
            let cell = if row == 0 { Some(&drawing.0) } else { drawing.1.get(row - 1) };
            let cell = cell.map_or("", String::as_str);
            line.extend([" ", cell, &" ".repeat(width(drawing) - chars(cell) + 2)]);
        }
        text += line.trim_end();
        text.push('\n');
    }
    text
}
