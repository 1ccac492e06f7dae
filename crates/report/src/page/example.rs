//! The drawing on the first screen: one job on one machine, placed well and placed badly.

use std::fmt::Write;

use super::escape::html;
use meshreplay_alloc::allocator::short_label;
use meshreplay_base::spec::Spec;
use meshreplay_figures::show::placed;
use meshreplay_machine::machine::{Machine, Mesh, NodeId, pairwise_sum};
use meshreplay_results::text::grouped;

/// The machine, and the number of nodes of the job.
const SIDES: [u32; 2] = [8, 8];
const PROCS: u32 = 9;
/// The side of a node in pixels.
const NODE: u32 = 15;
/// The allocators that are shown if those of the results place jobs alike or do not serve the machine.
const USUAL: [&str; 2] = ["snug", "random"];

/// Returns the drawing as HTML, with these allocators if they serve the machine; `None` if nothing can be
/// placed.
pub(super) fn example(allocators: Option<&[String; 2]>) -> Option<String> {
    let names = allocators.map(|names| names.each_ref().map(|name| short_label(name)));
    names.and_then(|names| drawn(&names)).or_else(|| drawn(&USUAL.map(str::to_owned)))
}

fn drawn(names: &[String; 2]) -> Option<String> {
    let mesh = Mesh::new(&SIDES).ok()?;
    let mut state = Machine::new(mesh.clone());
    state.occupy(&busy(&mesh)).ok()?;
    let place = |name: &String| {
        let spec: Spec = name.parse().ok().filter(|spec: &Spec| !spec.is_guest())?;
        let nodes = placed(&spec, &state, PROCS, 1).ok()?.1?;
        let sum = pairwise_sum(&mesh, &nodes);
        Some((nodes, sum))
    };
    let [well, badly] = [place(&names[0])?, place(&names[1])?];
    if well.1 >= badly.1 {
        return None;
    }
    let part = |(name, (nodes, sum)): (&String, &(Vec<NodeId>, u64))| {
        format!(
            "<div>{}<p><strong>{}</strong><br>pairwise sum {} hops</p></div>\n",
            picture(&mesh, &state, nodes),
            html(name),
            grouped(*sum as f64, 0)
        )
    };
    let parts: String = names.iter().zip([&well, &badly]).map(part).collect();
    Some(format!(
        "<figure class=\"example\"><div>\n{parts}</div><figcaption>An example: a job of {PROCS} nodes on the \
         same machine, placed by two allocators. Grey nodes are busy. The <em>pairwise sum</em> is the \
         number of hops between two nodes of the job, added up over all pairs: the smaller it is, the fewer \
         links lie between them.</figcaption></figure>\n"
    ))
}

/// Returns the busy nodes: a few jobs, and single nodes that ended up between them.
fn busy(mesh: &Mesh) -> Vec<NodeId> {
    let is_busy = |&node: &NodeId| {
        let [x, y, _] = mesh.coord(node);
        let in_job = x < 3 && y < 2 || x > 5 && (2..5).contains(&y) || x < 2 && y > 5;
        in_job || [[5, 0], [7, 0], [0, 4], [4, 7], [6, 6], [7, 7], [3, 6], [1, 3]].contains(&[x, y])
    };
    (0..mesh.nodes()).filter(is_busy).collect()
}

/// Returns the machine with the nodes of the job as SVG.
fn picture(mesh: &Mesh, state: &Machine, nodes: &[NodeId]) -> String {
    let (wide, high) = (SIDES[0] * NODE, SIDES[1] * NODE);
    let mut squares = String::new();
    for node in 0..mesh.nodes() {
        let [x, y, _] = mesh.coord(node);
        let class = match (nodes.contains(&node), state.free().contains(node)) {
            (true, _) => "job",
            (false, true) => "free",
            (false, false) => "busy",
        };
        // Node 0 is at the lower left. Writing to a string cannot fail.
        let (left, top) = (x * NODE + 1, (SIDES[1] - 1 - y) * NODE + 1);
        let side = NODE - 2;
        let _ = write!(
            squares,
            "<rect class=\"{class}\" x=\"{left}\" y=\"{top}\" width=\"{side}\" height=\"{side}\"/>"
        );
    }
    format!(
        "<svg viewBox=\"0 0 {wide} {high}\" width=\"{wide}\" height=\"{high}\" role=\"img\" \
         aria-label=\"Nodes of a job on a machine\">{squares}</svg>"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sums_are_those_of_the_drawn_nodes() {
        let text = example(None).expect("a drawing");
        assert_eq!(text.matches("class=\"job\"").count(), 2 * PROCS as usize);
        assert!(text.contains("snug") && text.contains("random"));
        let other = ["hilbert+bf".to_owned(), "naive".to_owned()];
        assert!(example(Some(&other)).is_some());
        // Guests cannot be asked, and equal placements show nothing.
        for names in [["guest:a", "random"], ["naive", "naive"]] {
            assert_eq!(example(Some(&names.map(str::to_owned))).as_ref(), Some(&text));
        }
    }
}
