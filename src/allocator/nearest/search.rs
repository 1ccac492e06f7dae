//! The search among centres, by one of two methods that give the same result: one for small machines and one for
//! others.

use super::centres::Centres;
use super::small::Small;
use super::ties::Ties;
use super::wide::Wide;
use crate::machine::{Machine, Mesh, NodeId};

/// A search for the centre with the smallest pairwise sum. It keeps its memory between calls.
pub(crate) enum Nearest {
    /// The method for a small machine.
    Small(Box<Small>),
    /// The method for any other machine.
    Wide(Box<Wide>),
}

impl Nearest {
    /// Returns a search for machines of the shape `mesh`.
    pub(crate) fn new(mesh: &Mesh, centres: Centres, ties: Ties) -> Self {
        match Small::new(mesh, centres, ties) {
            Some(small) => Self::Small(Box::new(small)),
            None => Self::Wide(Box::new(Wide::new(centres, ties))),
        }
    }

    /// Returns the `k` free nodes nearest to the centre for which their pairwise sum is smallest; the first of equal
    /// centres wins. Nodes at the largest distance from the centre come last; apart from that, the nodes are in
    /// location order. At least `k` nodes must be free. It is `None` if the machine was told to stop meanwhile.
    pub(crate) fn choose(&mut self, k: u32, machine: &Machine) -> Option<Vec<NodeId>> {
        if k == 1 {
            // Each centre takes one node, with a pairwise sum of 0, so the first one wins. Either way it is the first free node,
            // which is nearest to itself: the first of the combinations has its x, y and z.
            let first = machine.mesh().location_order().find(|&node| machine.free().contains(node))?;
            return Some(vec![first]);
        }
        match self {
            Self::Small(small) => small.choose(k, machine),
            Self::Wide(wide) => wide.choose(k, machine),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_take_the_same_nodes() -> Result<(), Box<dyn std::error::Error>> {
        for (text, step) in [
            ("10x10", 3),
            ("5x5x4", 2),
            ("16x8", 5),
            ("7", 4),
            ("1x9", 2),
            ("1", 2),
            ("3x4x5", 7),
            ("torus:8x5", 3),
            ("torus:4x4x3", 2),
            ("torus:2x3", 4),
            ("torus:9", 5),
            ("8x5:wrap=x", 3),
            ("4x7:wrap=y", 5),
            ("4x4x3:wrap=xz", 2),
            ("3x5x4:wrap=y", 3),
        ] {
            let mut machine = Machine::new(text.parse()?);
            let busy: Vec<NodeId> =
                (0..machine.mesh().nodes()).filter(|n| (n * n + n / 3) % step == 1).collect();
            machine.occupy(&busy)?;
            for centres in [Centres::Free, Centres::Combinations] {
                for ties in [Ties::Carried, Ties::Location] {
                    let mut small = Small::new(machine.mesh(), centres, ties).ok_or("too large")?;
                    let mut wide = Wide::new(centres, ties);
                    for k in 1..=machine.free_count() {
                        let (small, wide) = (small.choose(k, &machine), wide.choose(k, &machine));
                        assert_eq!(small, wide, "{text}: {k} nodes, {centres:?}, {ties:?}");
                    }
                }
            }
        }
        Ok(())
    }
}
