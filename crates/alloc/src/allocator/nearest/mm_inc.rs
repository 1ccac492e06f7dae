//! MM+Inc: starts from the nodes that MM takes, and improves them by local search.
//!
//! M. Bender et al., "Communication-aware processor allocation for supercomputers: Finding point sets of
//! small average distance", Algorithmica 50(2), 2008.
//!
//! 1. Start from the nodes that MM takes.
//! 2. An exchange replaces a taken node by a free one. Make the exchange that lowers the pairwise sum most,
//!    and repeat this while an exchange lowers it.
//!
//! Of exchanges with the same gain, the first by the taken node, then by the free node, in location order is
//! made; the publication leaves this open. The result is never worse than that of MM. The strategy never
//! refuses while k nodes are free. It takes the time of MM, and O(k·F) for each exchange in the worst case.
//! The most promising exchanges are tried first, so that far fewer are tried as a rule.

use super::carried::TIES;
use super::mm::Mm;
use crate::allocator::seam::{Allocator, AllocatorEntry, Placement, Request, Strategy};
use meshreplay_machine::machine::{Coord, Machine, Mesh, distances_along};

pub(crate) const ENTRY: AllocatorEntry = AllocatorEntry {
    name: "mm-inc",
    summary: "MM improved by exchanges of single nodes while they lower the pairwise sum",
    source: "Bender et al., Algorithmica 50(2), 2008",
    parameters: "ties=carried (location)",
    ..AllocatorEntry::non_contiguous(|params, setup| {
        Ok(Strategy::of(MmInc { mm: Mm::new(setup.mesh, params.choose("ties", TIES)?, false) }))
    })
};

struct MmInc {
    mm: Mm,
}

impl Allocator for MmInc {
    fn propose(&mut self, request: &Request, machine: &Machine) -> Option<Placement> {
        let (k, mesh) = (request.procs, machine.mesh());
        if k == machine.free_count() {
            return Some(Placement::of_all_free(machine));
        }
        let chosen = self.mm.propose(request, machine)?.nodes;
        let mut taken: Vec<Coord> = chosen.into_iter().map(|node| mesh.coord(node)).collect();
        taken.sort_unstable();
        let mut free: Vec<Coord> = machine.free().iter().map(|node| mesh.coord(node)).collect();
        free.retain(|node| taken.binary_search(node).is_err());
        free.sort_unstable();
        while let Some((u, v)) = best_exchange(machine, &taken, &free) {
            if machine.is_stopped() {
                return None;
            }
            std::mem::swap(&mut taken[u], &mut free[v]);
            taken.sort_unstable();
            free.sort_unstable();
        }
        Some(Placement::of(taken.into_iter().map(|node| mesh.node(node)).collect()))
    }
}

/// Returns the exchange that lowers the pairwise sum most, as an index into `taken` and one into `free`;
/// `None` if no exchange lowers it. Both lists are in location order.
fn best_exchange(machine: &Machine, taken: &[Coord], free: &[Coord]) -> Option<(usize, usize)> {
    let mesh = machine.mesh();
    let costs = |nodes: &[Coord]| -> Vec<(u64, usize)> {
        let sums = sums(mesh, taken);
        let cost = |node: &Coord| (0..3).map(|d| sums[d][node[d] as usize]).sum();
        nodes.iter().enumerate().map(|(i, node)| (cost(node), i)).collect()
    };
    let (mut leaving, mut entering) = (costs(taken), costs(free));
    leaving.sort_unstable_by_key(|&(cost, i)| (std::cmp::Reverse(cost), i));
    entering.sort_unstable();
    let longest = |d: usize| if mesh.wraps(d) { mesh.extents()[d] / 2 } else { mesh.extents()[d] - 1 };
    let farthest: u64 = (0..3).map(|d| u64::from(longest(d))).sum();
    let mut best: Option<(u64, usize, usize)> = None;
    for &(out, u) in &leaving {
        if machine.is_stopped() {
            break;
        }
        for &(into, v) in &entering {
            // Branch and bound: the gain is out − (into − distance), and no distance exceeds `farthest`.
            // `into` grows, so no later free node can win either.
            let least = best.map_or(1, |best| best.0);
            if out + farthest < into + least {
                break;
            }
            let gain = (out + u64::from(mesh.l1(taken[u], free[v]))).saturating_sub(into);
            let better =
                |best: (u64, usize, usize)| gain > best.0 || gain == best.0 && (u, v) < (best.1, best.2);
            if gain > 0 && best.is_none_or(better) {
                best = Some((gain, u, v));
            }
        }
    }
    best.map(|(_, u, v)| (u, v))
}

/// Returns, for each dimension and position, the sum of hops along the dimension to all nodes in `taken`. The
/// sum of L1 distances from a node is the sum of its three entries.
fn sums(mesh: &Mesh, taken: &[Coord]) -> [Vec<u64>; 3] {
    let mut counts: [Vec<u32>; 3] = mesh.extents().map(|extent| vec![0; extent as usize]);
    for node in taken {
        for (counts, &at) in counts.iter_mut().zip(node) {
            counts[at as usize] += 1;
        }
    }
    [0, 1, 2].map(|d| {
        let mut sums = vec![0; counts[d].len()];
        distances_along(&counts[d], mesh.wraps(d), &mut sums);
        sums
    })
}
