//! Gen-Alg and MM as written: the free nodes are sorted around every centre.
//!
//! O(C·F·log F) for C centres and F free nodes. The list is sorted stably for one centre after another, which
//! is the order `carried` of the authors' simulator; for the order `location` it is sorted by location
//! before.

use super::carried::Ties;
use super::centres::Centres;
use meshreplay_machine::machine::{Coord, Machine, NodeId, pairwise_sum_at};

/// Returns the `k` free nodes nearest to the centre of the smallest pairwise sum, in the order of
/// [`super::search::Nearest::choose`]; `None` if the replay is interrupted.
pub(super) fn choose(machine: &Machine, k: u32, centres: Centres, ties: Ties) -> Option<Vec<NodeId>> {
    let (mesh, k) = (machine.mesh(), k as usize);
    let mut free: Vec<Coord> = machine.free().iter().map(|node| mesh.coord(node)).collect();
    free.sort_unstable();
    let mut best: Option<(u64, Coord, Vec<Coord>)> = None;
    for centre in centres.list(machine) {
        if machine.is_stopped() {
            return None;
        }
        if ties == Ties::Location {
            free.sort_unstable();
        }
        free.sort_by_key(|&node| mesh.l1(centre, node));
        let nearest = &free[..k];
        let sum = pairwise_sum_at(mesh, nearest.iter().copied());
        if best.as_ref().is_none_or(|(least, ..)| sum < *least) {
            best = Some((sum, centre, nearest.to_vec()));
        }
    }
    let (_, centre, mut nodes) = best?;
    let farthest = nodes.last().map(|&node| mesh.l1(centre, node));
    nodes.sort_unstable_by_key(|&node| (Some(mesh.l1(centre, node)) == farthest, node));
    Some(nodes.into_iter().map(|node| mesh.node(node)).collect())
}
