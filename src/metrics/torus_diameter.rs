//! Computes the diameter of a placement on a machine that wraps around in some dimension.

use std::collections::VecDeque;

use crate::machine::{Coord, Mesh, NodeId};

/// Returns the largest L1 distance between two of `nodes` on `mesh`, in hops. `arcs` has for each dimension
/// the first position and the length of the shortest arc that contains all nodes. For k nodes on a machine of N nodes
/// it takes O(k) if the placement is compact, and otherwise O(min(k², 8·k + N)).
///
/// If no arc is longer than half its ring, no shortest path between two nodes leaves the arcs, and the distances are
/// those of a mesh. If there are few nodes, all pairs are compared. Otherwise, antipodes are used. On a ring of n
/// positions, the positions farthest from a are its antipodes (one for even n, two for odd n). The distance from a to b
/// is ⌊n/2⌋ minus the distance from b to the nearest antipode of a. So the diameter is Σ⌊n/2⌋ minus the smallest
/// distance between a node and an antipode of a node. A breadth-first search from all antipodes finds that distance at
/// the first node of the placement that it reaches.
pub(super) fn diameter(mesh: &Mesh, nodes: &[NodeId], arcs: [(u32, u32); 3]) -> u32 {
    let k = nodes.len();
    if (0..3).all(|d| !mesh.wraps(d) || arcs[d].1 <= mesh.extents()[d] / 2 + 1) {
        return unrolled(mesh, nodes, arcs);
    }
    let mixed = (0..3).any(|d| !mesh.wraps(d) && mesh.extents()[d] > 1);
    if mixed || k.saturating_mul(k) / 2 <= mesh.nodes() as usize {
        let coords: Vec<Coord> = nodes.iter().map(|&node| mesh.coord(node)).collect();
        let pairs = coords.iter().enumerate().flat_map(|(i, &a)| coords[..i].iter().map(move |&b| (a, b)));
        return pairs.map(|(a, b)| mesh.l1(a, b)).max().unwrap_or(0);
    }
    farthest_by_search(mesh, nodes)
}

/// Returns the diameter if no arc is longer than half its ring: the largest range of one of the forms ±x ± y + z, with
/// coordinates counted from the starts of the arcs.
fn unrolled(mesh: &Mesh, nodes: &[NodeId], arcs: [(u32, u32); 3]) -> u32 {
    let extents = mesh.extents();
    let mut ranges = [(i64::MAX, i64::MIN); 4];
    for &node in nodes {
        let coord = mesh.coord(node);
        let [x, y, z] = [0, 1, 2].map(|d| i64::from((coord[d] + extents[d] - arcs[d].0) % extents[d]));
        for (range, form) in ranges.iter_mut().zip([z + y + x, z + y - x, z - y + x, z - y - x]) {
            *range = (range.0.min(form), range.1.max(form));
        }
    }
    ranges.iter().map(|(low, high)| (high - low) as u32).max().unwrap_or(0)
}

/// Returns the diameter by a breadth-first search that starts from all antipodes of nodes at once.
fn farthest_by_search(mesh: &Mesh, nodes: &[NodeId]) -> u32 {
    let extents = mesh.extents();
    let widest: u32 = extents.iter().map(|extent| extent / 2).sum();
    let mut is_in_placement = vec![false; mesh.nodes() as usize];
    for &node in nodes {
        is_in_placement[node as usize] = true;
    }
    let mut distance = vec![u32::MAX; mesh.nodes() as usize];
    let mut reached = VecDeque::new();
    let mut reach = |coord: Coord, at: u32, reached: &mut VecDeque<NodeId>| {
        let node = mesh.node(coord);
        if distance[node as usize] == u32::MAX {
            distance[node as usize] = at;
            reached.push_back(node);
        }
        distance[node as usize]
    };
    for &node in nodes {
        let [xs, ys, zs] = antipodes(mesh.coord(node), extents);
        // A node has up to 2³ antipodes: the bits of `choice` select one of the two per dimension.
        for choice in 0..8 {
            let coord = [xs[choice & 1], ys[choice >> 1 & 1], zs[choice >> 2]];
            reach(coord, 0, &mut reached);
        }
    }
    while let Some(node) = reached.pop_front() {
        let coord = mesh.coord(node);
        let at = reach(coord, 0, &mut reached);
        if is_in_placement[node as usize] {
            return widest - at;
        }
        for d in 0..3 {
            for step in [1, extents[d] - 1] {
                let mut next = coord;
                next[d] = (coord[d] + step) % extents[d];
                reach(next, at + 1, &mut reached);
            }
        }
    }
    0
}

/// Returns the two antipodes of a position in each dimension. They are the same if the extent is even.
fn antipodes(coord: Coord, extents: [u32; 3]) -> [[u32; 2]; 3] {
    [0, 1, 2].map(|d| {
        let n = extents[d];
        [(coord[d] + n / 2) % n, (coord[d] + n.div_ceil(2)) % n]
    })
}
