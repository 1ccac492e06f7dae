//! The dispersal of placements that were measured before. Jobs often get just the nodes that an earlier job had: on LANL-CM5
//! nine of ten do with `hilbert+bf` and `mbs`, and every third one does even with `random`.

use super::Dispersal;
use crate::machine::NodeId;

/// The number of placements that are remembered. A new one takes the place of another one.
const PLACES: usize = 1024;
/// The sizes of placements that are remembered. Smaller ones are measured as fast, and larger ones would need more than
/// 8 MB together.
const SIZES: std::ops::RangeInclusive<usize> = 8..=2048;

/// Placements with their dispersal.
#[derive(Debug, Default)]
pub(super) struct Remembered {
    /// One for each place; no nodes where nothing is remembered yet. Empty before the first placement.
    places: Vec<(Vec<NodeId>, Dispersal)>,
}

impl Remembered {
    /// Returns the dispersal of a placement of just these nodes, in this order, if it is remembered. O(k), as all nodes are
    /// compared.
    pub(super) fn get(&self, nodes: &[NodeId]) -> Option<Dispersal> {
        let (known, dispersal) = self.places.get(place(nodes)?)?;
        (known == nodes).then_some(*dispersal)
    }

    /// Remembers the dispersal of a placement of these nodes.
    pub(super) fn keep(&mut self, nodes: &[NodeId], dispersal: Dispersal) {
        let Some(place) = place(nodes) else { return };
        if self.places.is_empty() {
            self.places.resize_with(PLACES, Default::default);
        }
        let (known, of) = &mut self.places[place];
        known.clear();
        known.extend_from_slice(nodes);
        *of = dispersal;
    }
}

/// Returns the place of a placement, by its size and some of its nodes; `None` if placements of its size are not remembered.
fn place(nodes: &[NodeId]) -> Option<usize> {
    /// An odd number near 2^64 divided by the golden ratio, which spreads its multiples.
    const ODD: u64 = 0x9E37_79B9_7F4A_7C15;
    if !SIZES.contains(&nodes.len()) {
        return None;
    }
    let last = nodes.len() - 1;
    let some = [0, last / 3, last / 2, last].map(|at| u64::from(nodes[at]));
    let mixed = some
        .into_iter()
        .fold(nodes.len() as u64, |hash, node| (hash.rotate_left(5) ^ node).wrapping_mul(ODD));
    // The high bits depend on all of the number.
    Some((mixed >> 32) as usize % PLACES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_same_nodes_in_the_same_order_are_known() {
        let mut remembered = Remembered::default();
        let of = |pairwise_sum| Dispersal { pairwise_sum, ..Dispersal::default() };
        let nodes: Vec<NodeId> = (100..140).collect();
        assert_eq!(remembered.get(&nodes), None);
        remembered.keep(&nodes, of(7));
        assert_eq!(remembered.get(&nodes), Some(of(7)));
        // These have the same place, as they differ in other nodes than those that it depends on.
        for at in [1, 5, 30, 38] {
            let mut other = nodes.clone();
            other[at] = 1000;
            assert_eq!((place(&other), remembered.get(&other)), (place(&nodes), None), "{at}");
            remembered.keep(&other, of(8));
            assert_eq!((remembered.get(&other), remembered.get(&nodes)), (Some(of(8)), None));
            remembered.keep(&nodes, of(7));
        }
        for size in [1, 7, 2049] {
            let nodes: Vec<NodeId> = (0..size).collect();
            remembered.keep(&nodes, of(9));
            assert_eq!(remembered.get(&nodes), None);
        }
    }
}
