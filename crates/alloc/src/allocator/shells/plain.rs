//! MC1x1 and MC as written: a walk over the shells around every centre or submesh.
//!
//! M. Bender et al., "Communication-aware processor allocation for supercomputers", Algorithmica 50(2), 2008;
//! P. Walker, D. Bunde, V. Leung, "Faster high-quality processor allocation", 2010, §IV and §V.
//!
//! A walk visits every node within distance r of its centre for r = 0, 1, ..., and counts the free nodes at
//! distance r, until k are counted. For a walk to distance R in d dimensions that is O(R^(d+1)) nodes. MC1x1
//! has a walk for each free node, MC one for each base and orientation. The quality version of MC1x1 then
//! adds O(k) nodes to each centre, each by a pass over the free nodes.

use super::greedy::Last;
use super::tie_break::TieBreak;
use meshreplay_machine::machine::{Coord, Machine, NodeId, Submesh, ranges};

/// The free nodes around one centre.
struct Shells {
    /// The shell of the k-th nearest free node.
    last: usize,
    /// The free nodes of nearer shells.
    whole: Vec<Coord>,
    /// The free nodes of shell `last`.
    rest: Vec<Coord>,
}

/// Walks over the shells around `centre` until `k` free nodes are found. At least `k` nodes must be free.
fn walk(machine: &Machine, centre: Coord, k: u32) -> Shells {
    let (mesh, extents) = (machine.mesh(), machine.mesh().extents());
    // The distances from the centre along each dimension.
    let hops = [0, 1, 2].map(|d| -> Vec<u32> {
        let along = |at: u32| {
            let mut node = centre;
            node[d] = at;
            mesh.l_inf(centre, node)
        };
        (0..extents[d]).map(along).collect()
    });
    let mut shells = Shells { last: 0, whole: Vec::new(), rest: Vec::new() };
    loop {
        let shell = shells.last as u32;
        let [xs, ys, zs] = [0, 1, 2].map(|d| {
            let [low, high] = ranges(centre[d] as usize, shells.last, extents[d] as usize, mesh.wraps(d))
                .map(Option::unwrap_or_default);
            // Around the end of a dimension the positions may be two ranges.
            if low.start > high.start { high.chain(low) } else { low.chain(high) }
        });
        for x in xs {
            for y in ys.clone() {
                let near = hops[0][x].max(hops[1][y]);
                for z in zs.clone() {
                    let node = [x as u32, y as u32, z as u32];
                    if near.max(hops[2][z]) == shell && machine.free().contains(mesh.node(node)) {
                        shells.rest.push(node);
                    }
                }
            }
        }
        if shells.whole.len() + shells.rest.len() >= k as usize {
            return shells;
        }
        shells.whole.append(&mut shells.rest);
        shells.last += 1;
    }
}

/// Returns the free nodes in location order.
fn free_nodes(machine: &Machine) -> Vec<Coord> {
    let mesh = machine.mesh();
    let mut free: Vec<Coord> = machine.free().iter().map(|node| mesh.coord(node)).collect();
    free.sort_unstable();
    free
}

/// Returns the centre of the timed MC1x1 for `k` nodes, and the shell of its k-th nearest free node; `None`
/// if the replay is interrupted.
pub(super) fn best_shells(machine: &Machine, k: u32) -> Option<(Coord, usize)> {
    let mesh = machine.mesh();
    let mut best: Option<(u64, (Coord, usize))> = None;
    for centre in free_nodes(machine) {
        if machine.is_stopped() {
            return None;
        }
        let Shells { last, whole, .. } = walk(machine, centre, k);
        let nearer: u64 = whole.iter().map(|&node| u64::from(mesh.l_inf(centre, node))).sum();
        let score = nearer + (k as usize - whole.len()) as u64 * last as u64;
        if best.is_none_or(|(least, _)| score < least) {
            best = Some((score, (centre, last)));
        }
    }
    best.map(|(_, centre)| centre)
}

/// Returns the nodes that MC1x1 takes around its best centre; `None` if the replay is interrupted.
pub(super) fn mc1x1(machine: &Machine, k: u32, last: Last, ties: TieBreak) -> Option<Vec<NodeId>> {
    let mesh = machine.mesh();
    let free = free_nodes(machine);
    let mut best: Option<((u64, i64), Vec<NodeId>)> = None;
    for &centre in &free {
        if machine.is_stopped() {
            return None;
        }
        let mut shells = walk(machine, centre, k);
        if last == Last::Nearest {
            shells.rest.clone_from(&free);
            shells.rest.retain(|&node| mesh.l_inf(centre, node) as usize >= shells.last);
        }
        let shell = shells.last as u32;
        let chosen = fill(machine, k, centre, shells);
        let score = chosen.iter().map(|&node| u64::from(mesh.l_inf(centre, node))).sum();
        let nodes: Vec<NodeId> = chosen.into_iter().map(|node| mesh.node(node)).collect();
        let value = if ties.is_none() { 0 } else { ties.value(machine, centre, shell, &nodes) };
        if best.as_ref().is_none_or(|(least, _)| (score, value) < *least) {
            best = Some(((score, value), nodes));
        }
    }
    best.map(|(_, nodes)| nodes)
}

/// Returns the whole shells in location order, followed by nodes of the rest: again and again the one with
/// the smallest sum of L1 distances to the nodes taken.
fn fill(machine: &Machine, k: u32, centre: Coord, shells: Shells) -> Vec<Coord> {
    let mesh = machine.mesh();
    let Shells { whole: mut chosen, rest, .. } = shells;
    chosen.sort_unstable();
    let sum = |node: Coord| chosen.iter().map(|&other| u64::from(mesh.l1(node, other))).sum();
    let mut rest: Vec<(u64, u32, Coord)> =
        rest.into_iter().map(|node| (sum(node), mesh.l1(node, centre), node)).collect();
    while chosen.len() < k as usize {
        let Some(next) = (0..rest.len()).min_by_key(|&i| rest[i]) else { break };
        let (_, _, pick) = rest.swap_remove(next);
        chosen.push(pick);
        for (sum, _, node) in &mut rest {
            *sum += u64::from(mesh.l1(*node, pick));
        }
    }
    chosen
}

/// Returns the submesh of MC with the lowest cost for `k` nodes, the first of equals in the order of
/// `places`; `None` if there is none or if the replay is interrupted.
pub(super) fn cheapest(machine: &Machine, k: u32, places: impl Iterator<Item = Submesh>) -> Option<Submesh> {
    let mut best: Option<(u64, Submesh)> = None;
    for place in places {
        if machine.is_stopped() {
            return None;
        }
        let cost = cost(machine, k, place);
        if best.is_none_or(|(least, _)| cost < least) {
            best = Some((cost, place));
        }
    }
    best.map(|(_, place)| place)
}

/// Returns the sum of the shell numbers of the `k` free nodes in the lowest shells around `place`.
fn cost(machine: &Machine, k: u32, place: Submesh) -> u64 {
    let mesh = machine.mesh();
    let extents = mesh.extents().map(|extent| extent as usize);
    let (mut cost, mut missing) = (0, u64::from(k));
    for radius in 0_usize.. {
        let [xs, ys, zs] = place
            .grown(radius, extents, mesh.wrap())
            .map(|ranges| ranges.into_iter().flatten().flatten().map(|at| at as u32).collect::<Vec<u32>>());
        let columns = zs.iter().flat_map(|&z| ys.iter().map(move |&y| [y, z]));
        let nodes = columns.flat_map(|[y, z]| xs.iter().map(move |&x| [x, y, z]));
        let in_shell = |&node: &Coord| {
            machine.free().contains(mesh.node(node)) && place.shell(mesh, node) as usize == radius
        };
        let found = (nodes.filter(in_shell).count() as u64).min(missing);
        cost += found * radius as u64;
        missing -= found;
        if missing == 0 {
            break;
        }
    }
    cost
}
