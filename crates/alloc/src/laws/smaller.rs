//! Smaller machines than a given one, and histories for them.

use super::event::Event;
use super::simpler::smaller;
use crate::allocator::Request;
use meshreplay_base::job::Shape;
use meshreplay_machine::machine::{Mesh, NodeId};

/// Intervals of unavailable nodes are left out one by one on machines with at most so many.
const FEW: usize = 30;

/// Returns smaller machines and plainer ones, the smallest first, with the events for them: as they are, and
/// with requests that are not larger than the machine.
pub(super) fn smaller_machines(mesh: &Mesh, events: &[Event]) -> Vec<(Mesh, Vec<Event>)> {
    let (extents, dims, wraps) = (mesh.extents(), mesh.dims(), mesh.wrap());
    let mut sizes: Vec<Vec<u32>> = (1..dims).map(|dims| extents[..dims].to_vec()).collect();
    for (d, &longest) in extents[..dims].iter().enumerate() {
        for extent in smaller(longest) {
            let mut smaller = extents[..dims].to_vec();
            smaller[d] = extent;
            sizes.push(smaller);
        }
    }
    sizes.sort_by_key(|sizes| sizes.iter().product::<u32>());
    let plain = sizes.into_iter().filter_map(|sizes| Mesh::wrapping(&sizes, wraps).ok());
    let smaller: Vec<Mesh> = fewer_cubes(mesh).into_iter().chain(plain).collect();
    let smaller = smaller.into_iter().flat_map(|whole| with_and_without(whole, mesh));
    let mut cases = Vec::new();
    for machine in smaller.chain(plainer(mesh)).filter(|machine| machine != mesh) {
        let moved = moved(events, mesh, &machine);
        let limited = limited(&moved, &machine);
        let other = (limited != moved).then(|| (machine.clone(), limited));
        cases.push((machine, moved));
        cases.extend(other);
    }
    cases.extend(without_sides_of_one(mesh).map(|machine| (machine, events.to_vec())));
    cases
}

/// Returns machines with fewer cubes, if the machine has cubes.
fn fewer_cubes(mesh: &Mesh) -> Vec<Mesh> {
    let Some([width, length, depth]) = mesh.cube() else { return Vec::new() };
    let of = |count| format!("ocs:{count}x{width}x{length}x{depth}").parse().ok();
    smaller(mesh.extents()[2] / depth).into_iter().filter_map(of).collect()
}

/// Returns machines of the same size with one dimension less that wraps around, without cubes, or with fewer
/// nodes unavailable.
fn plainer(mesh: &Mesh) -> Vec<Mesh> {
    let (sizes, wraps) = (&mesh.extents()[..mesh.dims()], mesh.wrap());
    let mut plainer = Vec::new();
    for d in (0..3).filter(|&d| wraps[d]) {
        let mut fewer = wraps;
        fewer[d] = false;
        plainer.extend(
            Mesh::wrapping(sizes, fewer).ok().and_then(|plain| plain.without(mesh.unavailable()).ok()),
        );
    }
    let runs = mesh.unavailable();
    // A torus of which no dimension wraps around is a mesh.
    plainer.extend(
        Mesh::wrapping(sizes, wraps)
            .ok()
            .filter(|_| mesh.cube().is_none())
            .and_then(|mesh| mesh.without(runs).ok()),
    );
    if !runs.is_empty() || mesh.cube().is_some() {
        let whole = Mesh::wrapping(sizes, wraps).ok();
        plainer.extend(whole.clone());
        // One at the first node stays in the machine however small it becomes.
        plainer.extend(whole.as_ref().and_then(|whole| whole.without(&[(0, 0)]).ok()));
        let few = if runs.len() > FEW { 0 } else { runs.len() };
        for (i, &(first, last)) in runs.iter().enumerate().take(few) {
            let half = (first < last).then(|| (first, first + (last - first) / 2));
            let fewer: Vec<_> = [&runs[..i], half.as_slice(), &runs[i + 1..]].concat();
            plainer.extend(whole.as_ref().and_then(|whole| whole.without(&fewer).ok()));
        }
    }
    plainer
}

/// Returns the machine without dimensions of one node, in which nodes have the same numbers; `None` if it has
/// none.
fn without_sides_of_one(mesh: &Mesh) -> Option<Mesh> {
    let longer: Vec<usize> = (0..mesh.dims()).filter(|&d| mesh.extents()[d] > 1).collect();
    if longer.is_empty() || longer.len() == mesh.dims() || mesh.cube().is_some() {
        return None;
    }
    let sizes: Vec<u32> = longer.iter().map(|&d| mesh.extents()[d]).collect();
    let mut wraps = [false; 3];
    for (wrap, &d) in wraps.iter_mut().zip(&longer) {
        *wrap = mesh.wraps(d);
    }
    Mesh::wrapping(&sizes, wraps).ok()?.without(mesh.unavailable()).ok()
}

/// Returns a machine as it is, and with those of its nodes unavailable that are so on the larger machine.
fn with_and_without(whole: Mesh, larger: &Mesh) -> Vec<Mesh> {
    let is_unavailable = |&node: &NodeId| !larger.is_available(larger.node(whole.coord(node)));
    let unavailable: Vec<_> = (0..whole.nodes()).filter(is_unavailable).map(|node| (node, node)).collect();
    let with = if unavailable.is_empty() { None } else { whole.without(&unavailable).ok() };
    std::iter::once(whole).chain(with).collect()
}

/// Returns the events with the nodes of another machine that have the same coordinates.
fn moved(events: &[Event], from: &Mesh, to: &Mesh) -> Vec<Event> {
    let node = |&node: &NodeId| {
        let coord = Some(node).filter(|&node| node < from.nodes()).map(|node| from.coord(node))?;
        (0..3).all(|d| coord[d] < to.extents()[d]).then(|| to.node(coord))
    };
    let event = |event: &Event| match event {
        Event::Take(nodes) => Event::Take(nodes.iter().filter_map(node).collect()),
        other => other.clone(),
    };
    events.iter().map(event).collect()
}

/// Returns the events with requests that are not larger than the machine.
fn limited(events: &[Event], mesh: &Mesh) -> Vec<Event> {
    let request = |request: &Request| match request.shape {
        Shape::Sides(sides) => {
            let sides = [0, 1, 2].map(|d| sides[d].min(mesh.extents()[d]));
            Request { nodes: request.nodes, ..Request::sides(sides) }
        }
        _ => Request { procs: request.procs.min(mesh.available()), ..*request },
    };
    let event = |event: &Event| match event {
        Event::Request(asked) => Event::Request(request(asked)),
        Event::Ask(asked) => Event::Ask(request(asked)),
        other => other.clone(),
    };
    events.iter().map(event).collect()
}
