//! Orders and placements as text. Each node is one character or number, the highest y is at the top, and each
//! layer (z) is one grid. A tree of switches has a row for each leaf, the first one at the bottom.

use std::fmt::Write;

use meshreplay_base::words::counted;
use meshreplay_machine::machine::order::Order;
use meshreplay_machine::machine::{Coord, Mesh, NodeId, NodeSet};

/// Returns a drawing with the rank of every node in the order. Ranks are right-aligned.
pub fn ranks(order: &Order, mesh: &Mesh) -> String {
    let width = (mesh.nodes() - 1).to_string().len();
    let text = grid(mesh, &|node| format!("{:width$}", order.rank_of(node)));
    match line_of_unavailable(mesh) {
        legend if legend.is_empty() => text,
        legend => text + "\n" + &legend,
    }
}

/// Returns a drawing of the order as a line of box-drawing characters. Jumps between nodes that are not
/// neighbours are marked, and the first of them are listed.
pub fn line(order: &Order, mesh: &Mesh) -> String {
    let path = Path { order, mesh };
    let joint = |node| {
        // The neighbour at the left may be the previous or the next node of the path.
        let are_joined =
            mesh.is_available(node - 1) && order.rank_of(node).abs_diff(order.rank_of(node - 1)) == 1;
        if are_joined { '─' } else { ' ' }
    };
    let mut text = joined_grid(mesh, &joint, &|node| path.piece(node).to_string());
    text.push_str("\n○ first  ● last");
    text += &legend_of_unavailable(mesh);
    if mesh.extents()[2] > 1 {
        text.push_str("  ▲ to the next layer  ▼ to the layer before  ◆ both");
    }
    path.write_jumps(&mut text, "  × jumps away  + is jumped to  * both");
    text
}

/// Returns a drawing with an arrow from every node to the next one in the order. Jumps between nodes that are
/// not neighbours are marked, and the first of them are listed.
pub fn arrows(order: &Order, mesh: &Mesh) -> String {
    let path = Path { order, mesh };
    let arrow = |node| if path.is_last(node) { '●' } else { path.next(node).unwrap_or('×') };
    let mut text = grid(mesh, &|node| arrow(node).to_string());
    text.push_str("\n● last");
    text += &legend_of_unavailable(mesh);
    if mesh.extents()[2] > 1 {
        text.push_str("  ▲ to the next layer  ▼ to the layer before");
    }
    path.write_jumps(&mut text, "  × jumps away");
    text
}

/// The character of a node that no job can have, in every drawing.
const UNAVAILABLE: char = '▒';

/// The character of a node that is down and not in use.
pub const DOWN: char = '×';

/// Returns a line that explains nodes that are down; empty if `down` is.
pub fn line_of_down(down: &[NodeId]) -> &'static str {
    if down.is_empty() { "" } else { "× down\n" }
}

/// Returns the part of a legend that explains unavailable nodes, after other parts; empty if the machine has
/// none.
fn legend_of_unavailable(mesh: &Mesh) -> String {
    if mesh.unavailable().is_empty() { String::new() } else { format!("  {UNAVAILABLE} unavailable") }
}

/// Returns a line that explains unavailable nodes; empty if the machine has none.
pub fn line_of_unavailable(mesh: &Mesh) -> String {
    let legend = legend_of_unavailable(mesh);
    if legend.is_empty() { legend } else { format!("{}\n", legend.trim_start()) }
}

/// Returns the letter for a number. Letters repeat after 62.
pub fn letter(number: usize) -> char {
    const LETTERS: &[u8] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    char::from(LETTERS[number % LETTERS.len()])
}

/// The letter of a node, and the number of its colour.
pub type Letter = (char, usize);

/// Returns a drawing with a letter at every node that has one, in colours if `colours`.
pub fn jobs(mesh: &Mesh, letters: &[Option<Letter>], colours: bool) -> String {
    grid(mesh, &|node| lettered(letters[node as usize], colours))
}

/// Returns the drawing of [`jobs`] with several layers side by side, as many as fit into a line of a
/// terminal.
pub fn layers(mesh: &Mesh, letters: &[Option<Letter>], colours: bool) -> String {
    const WIDEST: usize = 120;
    let [width, _, depth] = mesh.drawn().extents();
    if depth == 1 {
        return jobs(mesh, letters, colours);
    }
    let cell = |node: NodeId| lettered(letters[node as usize], colours);
    let layers: Vec<_> =
        (0..depth).map(|z| (layer_title(mesh, z), layer(mesh, z, &|_| ' ', &cell))).collect();
    // A layer has a character for each node and a blank between neighbours.
    let fitting = (WIDEST + GAP) / (2 * width as usize - 1 + GAP);
    layers.chunks(fitting.max(1)).map(side_by_side).collect::<Vec<_>>().join("\n")
}

/// Returns the letter of a node, or a dot if it has none.
fn lettered(letter: Option<Letter>, colours: bool) -> String {
    match letter {
        // The colour is one of the pale half of the terminal's 6 × 6 × 6 colour cube. The steps 5, 3 and 7
        // give close numbers different colours.
        Some((letter, number)) if colours && letter != DOWN => {
            let colour = 16 + 36 * (2 + number * 5 % 4) + 6 * (2 + number * 3 % 4) + (number * 7 % 6);
            format!("\x1b[30;48;5;{colour}m{letter}\x1b[0m")
        }
        Some((letter, _)) => letter.to_string(),
        None => "·".to_owned(),
    }
}

/// The number of blanks between drawings that stand side by side.
const GAP: usize = 4;

/// Returns drawings side by side. Each entry is a title and the drawing below it.
pub fn side_by_side(pictures: &[(String, String)]) -> String {
    let columns: Vec<Vec<&str>> = pictures
        .iter()
        .map(|(title, picture)| [title.as_str(), ""].into_iter().chain(picture.lines()).collect())
        .collect();
    let width = |lines: &[&str]| lines.iter().map(|line| shown(line)).max().unwrap_or(0);
    let widths: Vec<usize> = columns.iter().map(|lines| width(lines)).collect();
    let height = columns.iter().map(Vec::len).max().unwrap_or(0);
    let mut text = String::new();
    for row in 0..height {
        let mut line = String::new();
        for (lines, width) in columns.iter().zip(&widths) {
            let part = lines.get(row).copied().unwrap_or_default();
            line += part;
            line += &" ".repeat(width - shown(part) + GAP);
        }
        text += line.trim_end();
        text.push('\n');
    }
    text
}

/// Returns the number of visible characters in a line. Escape codes of colours do not count.
fn shown(line: &str) -> usize {
    // An escape code begins with ESC and ends with the letter m.
    let parts = line.split('\x1b').enumerate();
    parts
        .map(|(i, part)| if i == 0 { part } else { part.split_once('m').map_or("", |(_, rest)| rest) })
        .map(|part| part.chars().count())
        .sum()
}

/// Returns a drawing of the chosen `nodes`, the nodes that stay free, and the nodes in use. `free` holds the
/// nodes that were free before the placement.
pub fn placement(mesh: &Mesh, nodes: &[NodeId], free: &NodeSet) -> String {
    let mut chosen = NodeSet::empty(mesh.nodes());
    for &node in nodes {
        chosen.insert(node);
    }
    let sign = |node| match (chosen.contains(node), free.contains(node)) {
        (true, _) => "■",
        (_, true) => "·",
        (_, false) => "×",
    };
    let text = grid(mesh, &|node| sign(node).to_owned());
    text + "\n■ chosen  · free  × in use" + &legend_of_unavailable(mesh) + "\n"
}

/// Returns coordinates as text such as `x,y,z`, with one number for each dimension of the machine.
pub fn place(mesh: &Mesh, coord: Coord) -> String {
    let coord: Vec<String> = coord[..mesh.dims()].iter().map(u32::to_string).collect();
    coord.join(",")
}

/// Returns a drawing of the texts that `cell` returns for the nodes, in rows from the highest y, with the
/// layers below each other.
fn grid(mesh: &Mesh, cell: &dyn Fn(NodeId) -> String) -> String {
    joined_grid(mesh, &|_| ' ', cell)
}

/// Returns the drawing of [`grid`] with the character that `joint` returns between a node and its neighbour
/// at the left.
fn joined_grid(mesh: &Mesh, joint: &dyn Fn(NodeId) -> char, cell: &dyn Fn(NodeId) -> String) -> String {
    let depth = mesh.drawn().extents()[2];
    let mut text = String::new();
    for z in 0..depth {
        if depth > 1 {
            let _ = writeln!(text, "{}{}", if z > 0 { "\n" } else { "" }, layer_title(mesh, z));
        }
        text += &layer(mesh, z, joint, cell);
    }
    text
}

/// Returns the title of a layer. The layers of a tree of switches are groups of leaves.
fn layer_title(mesh: &Mesh, z: u32) -> String {
    if mesh.levels().is_some() { format!("group {z}") } else { format!("z = {z}") }
}

/// Returns one layer of a drawing.
fn layer(mesh: &Mesh, z: u32, joint: &dyn Fn(NodeId) -> char, cell: &dyn Fn(NodeId) -> String) -> String {
    let drawn = mesh.drawn();
    let [width, length, _] = drawn.extents();
    let mut text = String::new();
    for y in (0..length).rev() {
        for x in 0..width {
            let node = drawn.node([x, y, z]);
            let is_available = mesh.is_available(node);
            if x > 0 {
                text.push(if is_available { joint(node) } else { ' ' });
            }
            let part = cell(node);
            if is_available {
                text += &part;
            } else {
                // As wide as the cell would be, so that columns stay straight.
                text += &" ".repeat(shown(&part).saturating_sub(1));
                text.push(UNAVAILABLE);
            }
        }
        text.push('\n');
    }
    text
}

/// Returns the arrow from one node to another; `None` if they are not neighbours in the drawing.
fn step(from: Coord, to: Coord) -> Option<char> {
    let difference: [i64; 3] = std::array::from_fn(|d| i64::from(to[d]) - i64::from(from[d]));
    match difference {
        [-1, 0, 0] => Some('←'),
        [1, 0, 0] => Some('→'),
        [0, -1, 0] => Some('↓'),
        [0, 1, 0] => Some('↑'),
        [0, 0, -1] => Some('▼'),
        [0, 0, 1] => Some('▲'),
        _ => None,
    }
}

/// An order of the nodes, drawn as a path. A link that wraps around the machine counts as a jump.
#[derive(Clone, Copy)]
struct Path<'a> {
    order: &'a Order,
    mesh: &'a Mesh,
}

impl Path<'_> {
    /// Returns whether the path begins at `node`.
    fn is_first(self, node: NodeId) -> bool {
        self.order.rank_of(node) == 0
    }

    /// Returns whether the path ends at `node`.
    fn is_last(self, node: NodeId) -> bool {
        self.order.rank_of(node) + 1 == self.mesh.nodes()
    }

    /// Returns the arrow to the next node; `None` if that is a jump, or if `node` is the last one.
    fn next(self, node: NodeId) -> Option<char> {
        let &other = self.order.nodes().get(self.order.rank_of(node) as usize + 1)?;
        step(self.mesh.coord(node), self.mesh.coord(other))
    }

    /// Returns the arrow back to the previous node; `None` if that is a jump, or if `node` is the first one.
    fn back(self, node: NodeId) -> Option<char> {
        let rank = self.order.rank_of(node).checked_sub(1)?;
        step(self.mesh.coord(node), self.mesh.coord(self.order.node_at(rank)))
    }

    /// Returns the character that [`line`] draws at `node`.
    fn piece(self, node: NodeId) -> char {
        let (back, next) = (self.back(node), self.next(node));
        let (Some(back), Some(next)) = (back, next) else {
            return match (self.is_first(node), self.is_last(node)) {
                (true, _) => '○',
                (_, true) => '●',
                _ if back.is_none() && next.is_none() => '*',
                _ if next.is_none() => '×',
                _ => '+',
            };
        };
        let has = |arrow: char| back == arrow || next == arrow;
        match () {
            () if has('▼') && has('▲') => '◆',
            () if has('▼') => '▼',
            () if has('▲') => '▲',
            () if has('←') && has('→') => '─',
            () if has('←') && has('↑') => '┘',
            () if has('←') => '┐',
            () if has('→') && has('↑') => '└',
            () if has('→') => '┌',
            () => '│',
        }
    }

    /// Writes the end of the legend and lists the first ten jumps.
    fn write_jumps(self, text: &mut String, legend: &str) {
        const MOST: usize = 10;
        let pairs = (0_u32..).zip(self.order.nodes().windows(2));
        let is_jump = |from, to| step(self.mesh.coord(from), self.mesh.coord(to)).is_none();
        let jumps: Vec<(u32, NodeId, NodeId)> = pairs
            .map(|(rank, pair)| (rank, pair[0], pair[1]))
            .filter(|&(_, from, to)| is_jump(from, to))
            .collect();
        if jumps.is_empty() {
            text.push_str("  no jumps\n");
            return;
        }
        let _ = writeln!(text, "{legend}  {}:", counted(jumps.len(), "jump"));
        for &(rank, from, to) in &jumps[..jumps.len().min(MOST)] {
            let place = |node: NodeId| place(self.mesh, self.mesh.coord(node));
            let hops = self.mesh.distance(from, to);
            let _ = writeln!(
                text,
                "rank {rank} at ({}) to rank {} at ({}): {}",
                place(from),
                rank + 1,
                place(to),
                counted(hops, "hop")
            );
        }
        if jumps.len() > MOST {
            text.push_str("…\n");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshreplay_machine::machine::order;

    fn draw(picture: fn(&Order, &Mesh) -> String, name: &str, machine: &str) -> String {
        let mesh: Mesh = machine.parse().expect("a machine");
        picture(&order::build(name, &mesh).expect("an order"), &mesh)
    }

    #[test]
    fn ranks_stand_where_their_nodes_are() {
        let expected = " 5  6  9 10\n 4  7  8 11\n 3  2 13 12\n 0  1 14 15\n";
        assert_eq!(draw(ranks, "hilbert", "4x4"), expected);
        assert_eq!(draw(ranks, "row-major", "3"), "0 1 2\n");
        let mesh = Mesh::new(&[4, 3]).expect("a machine");
        let holes = mesh.without(&[(5, 6), (10, 10)]).expect("nodes are left");
        let order = order::build("row-major", &holes).expect("an order");
        assert_eq!(ranks(&order, &holes), " 8  9  ▒ 11\n 4  ▒  ▒  7\n 0  1  2  3\n\n▒ unavailable\n");
        assert_eq!(draw(ranks, "row-major", "2x1x2"), "z = 0\n0 1\n\nz = 1\n2 3\n");
    }

    #[test]
    fn the_line_is_drawn_from_node_to_node() {
        let expected = "┌─┐ ┌─┐\n│ └─┘ │\n└─┐ ┌─┘\n○─┘ └─●\n\n○ first  ● last  no jumps\n";
        assert_eq!(draw(line, "hilbert", "4x4"), expected);
        let picture = draw(line, "column-snake", "2x2x2");
        assert!(picture.starts_with("z = 0\n▲─▲\n○ ●\n\nz = 1\n▼ ▼\n▼ ▼\n"), "{picture}");
    }

    #[test]
    fn jumps_are_marked_and_listed() {
        let expected = "+─●\n○─×\n\n○ first  ● last  × jumps away  + is jumped to  * both  1 jump:\n\
                        rank 1 at (1,0) to rank 2 at (0,1): 2 hops\n";
        assert_eq!(draw(line, "row-major", "2x2"), expected);
        let expected =
            "→ ●\n→ ×\n\n● last  × jumps away  1 jump:\nrank 1 at (1,0) to rank 2 at (0,1): 2 hops\n";
        assert_eq!(draw(arrows, "row-major", "2x2"), expected);
        assert_eq!(draw(arrows, "row-snake", "2x2"), "● ←\n→ ↑\n\n● last  no jumps\n");
    }
}
