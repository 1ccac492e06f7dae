//! The recorded placements: every job gets the nodes that the log lists for it.
//!
//! Logs of batch systems list the nodes of each job: accounting of Slurm (A. Yoo, M. Jette, M. Grondona,
//! "SLURM: Simple Linux Utility for Resource Management", JSSPP, 2003) and of PBS, and tables with a column
//! of such lists. `--node-map` gives the positions of the named nodes on the machine. Together with the
//! scheduler `recorded`, the placements of the real system can be compared with other allocators in one
//! table.
//!
//! 1. Take the nodes of the job's list that are free, in the order of the list, as many as the job has
//!    processors.
//! 2. If these are too few, the rest are *replacements*: other free nodes, in the order of their distances in
//!    hops to the nearest node of the list; of equally distant ones the lowest number first. They take the
//!    ranks of the nodes that are not free, and the last ranks if the list is too short.
//! 3. A job without a list takes the free nodes with the lowest numbers.
//!
//! A node of a list is not free if another job has it, if it is down, or if it is unavailable. On a possible
//! log under the scheduler `recorded` this never happens. The numbers `nodes_replaced` and
//! `placements_replaced` count the affected nodes and jobs; `lists_unknown` counts the jobs without a list.
//! Under another scheduler jobs run at other times, and nodes of their lists are often taken: the allocator
//! then prefers the recorded nodes and takes the nearest others.
//!
//! Time O(k) for a job of k processors whose nodes are free, and O(N) on a machine of N nodes otherwise (a
//! breadth-first search from all nodes of the list).
#![expect(clippy::arithmetic_side_effects, reason = "nodes of a list in memory")]

use std::collections::HashSet;
use std::sync::Arc;

use super::seam::{Allocator, AllocatorEntry, OnTrees, Placement, Request, Strategy};
use meshreplay_machine::machine::{Levels, Machine, Mesh, NodeId, NodeLists, NodeSet};

pub(super) const ENTRY: AllocatorEntry = AllocatorEntry {
    name: "recorded",
    summary: "as recorded: the job's nodes in the log, or the nearest free ones",
    source: "as the log has it",
    trees: OnTrees::Serves,
    ..AllocatorEntry::non_contiguous(|_, setup| {
        Ok(Strategy::of(Recorded { lists: setup.lists.cloned().unwrap_or_default() }))
    })
};

/// Gives jobs the nodes of their lists.
struct Recorded {
    lists: Arc<NodeLists>,
}

impl Allocator for Recorded {
    fn propose(&mut self, request: &Request, machine: &Machine) -> Option<Placement> {
        let (listed, procs) = (self.lists.nodes(request.nodes), request.procs as usize);
        if listed.is_empty() {
            return Some(Placement::of(machine.free().iter().take(procs).collect()));
        }
        let is_free = |&&node: &&NodeId| machine.free().contains(node);
        let kept: Vec<NodeId> = listed.iter().filter(is_free).copied().take(procs).collect();
        if kept.len() == procs {
            return Some(Placement::of(kept));
        }
        let mut replacements = nearest_free(machine, listed, procs - kept.len()).into_iter();
        let mut nodes = Vec::with_capacity(procs);
        for node in listed {
            nodes.extend(if is_free(&node) { Some(*node) } else { replacements.next() });
        }
        nodes.extend(replacements);
        Some(Placement::of(nodes))
    }
}

/// Returns the `count` free nodes outside of `listed` that are nearest to a node of it, ordered by this
/// distance in hops and then by number. There are fewer if the machine has fewer.
fn nearest_free(machine: &Machine, listed: &[NodeId], count: usize) -> Vec<NodeId> {
    let mesh = machine.mesh();
    let mut unseen = NodeSet::full(mesh.nodes());
    let mut nearest = Vec::with_capacity(count);
    let mut level: Vec<NodeId> = listed.iter().copied().filter(|&node| unseen.remove(node)).collect();
    if let Some(levels) = mesh.levels() {
        let others = machine.free().iter().filter(|&node| unseen.contains(node));
        return nearest_on_tree(levels, listed, others.collect(), count);
    }
    // Each level is one hop further away than the level before.
    while nearest.len() < count && !level.is_empty() {
        let mut next = Vec::new();
        for &node in &level {
            next.extend(neighbours(mesh, node).filter(|&other| unseen.remove(other)));
        }
        next.sort_unstable();
        nearest.extend(next.iter().copied().filter(|&node| machine.free().contains(node)));
        level = next;
    }
    nearest.truncate(count);
    nearest
}

/// Returns the first `count` of `others`, which ascend, ordered by the height at which a node first meets one
/// of `listed` and then by number. O(height · nodes).
fn nearest_on_tree(levels: &Levels, listed: &[NodeId], mut others: Vec<NodeId>, count: usize) -> Vec<NodeId> {
    let groups: Vec<(u32, HashSet<u32>)> =
        levels.sizes().iter().map(|&size| (size, listed.iter().map(|node| node / size).collect())).collect();
    others.sort_by_cached_key(|node| groups.iter().position(|(size, near)| near.contains(&(node / size))));
    others.truncate(count);
    others
}

/// Returns the nodes one hop away from `node`, perhaps twice where a ring has two nodes.
fn neighbours(mesh: &Mesh, node: NodeId) -> impl Iterator<Item = NodeId> {
    let at = mesh.coord(node);
    (0..3).flat_map(move |d| {
        let (extent, wraps) = (mesh.extents()[d], mesh.wraps(d));
        let before = at[d].checked_sub(1).or_else(|| wraps.then_some(extent - 1));
        let after = Some(at[d] + 1).filter(|&x| x < extent).or_else(|| wraps.then_some(0));
        [before, after].into_iter().flatten().map(move |x| {
            let mut other = at;
            other[d] = x;
            mesh.node(other)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::allocator::{Setup, build};

    /// The nodes of a job with list `list` on a machine with `taken` in use.
    fn placed(
        machine: &str,
        taken: &[NodeId],
        list: &[NodeId],
        procs: u32,
    ) -> Result<Vec<NodeId>, Box<dyn std::error::Error>> {
        let mesh: Mesh = machine.parse()?;
        let lists = Arc::new(NodeLists::new([(7, list.to_vec())]));
        let mut built = build(&"recorded".parse()?, &Setup::new(&mesh, 0).with_lists(Some(&lists)))?;
        let mut machine = Machine::new(mesh);
        machine.occupy(taken)?;
        let request = Request { nodes: Some(7), ..Request::of(procs) };
        Ok(built.strategy.propose(&request, &machine).map(|placement| placement.nodes).unwrap_or_default())
    }

    #[test]
    fn jobs_get_the_nodes_of_their_lists_or_the_nearest_ones() -> Result<(), Box<dyn std::error::Error>> {
        for (machine, taken, list, procs, expected) in [
            ("4x4", &[][..], &[9, 2, 5][..], 3, &[9, 2, 5][..]),
            // Node 2 is taken: 1, 3 and 6 are one hop away.
            ("4x4", &[2], &[9, 2, 5], 3, &[9, 1, 5]),
            ("4x4", &[2, 1, 3, 6], &[2], 1, &[0]),
            ("torus:4x4", &[0], &[0], 1, &[1]),
            ("torus:4x4", &[0, 1, 4], &[0], 2, &[3, 12]),
            // A list that is too long, and one that is too short.
            ("8", &[5], &[4, 5, 6, 7], 2, &[4, 6]),
            ("8", &[4, 5], &[4, 5, 6, 7], 3, &[3, 6, 7]),
            ("8", &[], &[4], 3, &[4, 3, 5]),
            // Leaves of two nodes: 6 and 7, then 4 and 5 in the same group of leaves, then the others.
            ("tree:2x2x2", &[6], &[6, 5], 4, &[4, 5, 7, 0]),
            ("tree:2x2x2", &[6, 7, 4, 5], &[6], 2, &[0, 1]),
            // No list.
            ("8", &[0, 2], &[], 3, &[1, 3, 4]),
        ] {
            let found = placed(machine, taken, list, procs)?;
            assert_eq!(found, expected, "{list:?} beside {taken:?} on {machine}");
        }
        Ok(())
    }
}
