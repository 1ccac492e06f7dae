//! Finds a good placement to start from: the k nodes nearest to each free node, then exchanges of single
//! nodes (local search).

use super::Best;
use crate::machine::Coord;
use crate::machine::pairwise_sum_at;

/// Offers placements to `best` until one is as good as the lower bound allows, or half of the allowed work is
/// done. O(F²), and O(k·F) per exchange.
pub(super) fn improve(best: &mut Best<'_>, free: &[Coord]) {
    around_each(best, free);
    exchange(best, free);
}

/// Returns whether the best placement meets the lower bound, or there is a placement and half of the allowed
/// work is done.
fn done(best: &Best<'_>) -> bool {
    best.sum <= best.least[best.k()] || !best.nodes.is_empty() && best.steps > best.limit / 2
}

/// Offers, for each free node, the k free nodes nearest to it.
fn around_each(best: &mut Best<'_>, free: &[Coord]) {
    let (mesh, k) = (best.mesh, best.k());
    let mut order: Vec<(u32, usize)> = Vec::with_capacity(free.len());
    for &centre in free {
        if done(best) {
            return;
        }
        best.steps += free.len() as u64;
        order.clear();
        order.extend(free.iter().enumerate().map(|(i, &node)| (mesh.l1(centre, node), i)));
        order.select_nth_unstable(k - 1);
        let nearest: Vec<Coord> = order[..k].iter().map(|&(_, i)| free[i]).collect();
        best.offer(&nearest, pairwise_sum_at(mesh, nearest.iter().copied()));
    }
}

/// Exchanges one node of the best placement for a free node, as long as that lowers the sum. It always makes
/// the exchange that lowers the sum most.
fn exchange(best: &mut Best<'_>, free: &[Coord]) {
    let (mesh, k) = (best.mesh, best.k());
    while !done(best) {
        best.steps += (free.len() * k) as u64;
        let cost = |node: Coord| -> i64 { best.nodes.iter().map(|&u| i64::from(mesh.l1(u, node))).sum() };
        // The sum of the hops from each node of the placement to the others, which an exchange saves.
        let leaving: Vec<i64> = best.nodes.iter().map(|&node| cost(node)).collect();
        let mut most = (0, 0, [0; 3]);
        for &node in free.iter().filter(|node| !best.nodes.contains(node)) {
            let entering = cost(node);
            for (u, out) in leaving.iter().enumerate() {
                // `entering` also counts the hops to the node that leaves, so they are subtracted.
                let gain = out - (entering - i64::from(mesh.l1(best.nodes[u], node)));
                if gain > most.0 {
                    most = (gain, u, node);
                }
            }
        }
        let (gain, u, node) = most;
        if gain == 0 {
            return;
        }
        best.nodes[u] = node;
        best.sum -= gain as u64;
    }
}
