//! The boxes that a job is looked for in: nearly cubic ones, small ones first.

use crate::machine::Mesh;

/// By how much the sides of a box may differ. Sides that are as long as the machine count as being as long as needed.
const SLANT: u32 = 2;

/// Sides of a box, and what the search needs of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BoxShape {
    /// Sum of the sides of dimensions that have more than one node.
    pub(super) girth: u32,
    pub(super) sides: [usize; 3],
    /// Nodes in the box.
    pub(super) nodes: u64,
}

/// The shapes of a machine, by girth, then sides; O(longest side) of them in a plane.
#[derive(Clone, Debug, Default)]
pub(super) struct BoxShapes {
    shapes: Vec<BoxShape>,
    /// The most nodes that a shape up to here has.
    most: Vec<u64>,
}

impl BoxShapes {
    pub(super) fn new(mesh: &Mesh) -> Self {
        let extents = mesh.extents();
        let longest = extents.into_iter().max().unwrap_or(1);
        let mut shapes = Vec::new();
        for shortest in 1..=longest {
            let lengths = |d: usize| {
                let ends = [shortest, shortest + SLANT].map(|side| side.min(extents[d]));
                ends[0]..=ends[1]
            };
            for a in lengths(0) {
                for b in lengths(1) {
                    for c in lengths(2) {
                        shapes.push(shape(mesh, [a, b, c]));
                    }
                }
            }
        }
        shapes.sort_unstable_by_key(|shape| (shape.girth, shape.sides));
        shapes.dedup();
        let most = shapes
            .iter()
            .scan(0, |most, shape| {
                *most = shape.nodes.max(*most);
                Some(*most)
            })
            .collect();
        Self { shapes, most }
    }

    /// The shapes that have room for k nodes, with their places in the order.
    pub(super) fn holding(&self, k: u32) -> impl Iterator<Item = (usize, BoxShape)> + '_ {
        let k = u64::from(k);
        let first = self.most.partition_point(|&most| most < k);
        let rest = self.shapes.iter().copied().enumerate().skip(first);
        rest.filter(move |(_, shape)| shape.nodes >= k)
    }
}

fn shape(mesh: &Mesh, sides: [u32; 3]) -> BoxShape {
    let girth = sides.into_iter().zip(mesh.extents()).filter(|&(_, extent)| extent > 1).map(|(side, _)| side);
    BoxShape {
        girth: girth.sum(),
        sides: sides.map(|side| side as usize),
        nodes: sides.into_iter().map(u64::from).product(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_all_that_the_definition_allows() -> Result<(), Box<dyn std::error::Error>> {
        for text in ["1", "7", "5x5", "9x4", "6x3x5", "torus:4x4x2"] {
            let mesh: Mesh = text.parse()?;
            let [w, l, d] = mesh.extents();
            let allowed = |sides: [u32; 3]| {
                let short = (0..3).filter(|&d| sides[d] < mesh.extents()[d]).map(|d| sides[d]).min();
                let long = sides.into_iter().max().unwrap_or(0);
                short.is_none_or(|short| long <= short + SLANT)
            };
            let mut plain = Vec::new();
            for a in 1..=w {
                for b in 1..=l {
                    plain.extend((1..=d).map(|c| [a, b, c]).filter(|&sides| allowed(sides)));
                }
            }
            let shapes = BoxShapes::new(&mesh);
            let mut found: Vec<[u32; 3]> =
                shapes.holding(1).map(|(_, shape)| shape.sides.map(|side| side as u32)).collect();
            assert!(shapes.shapes.is_sorted_by_key(|shape| shape.girth));
            found.sort_unstable();
            assert_eq!(found, plain, "{text}");
            for k in 1..=mesh.nodes() {
                assert!(shapes.holding(k).all(|(_, shape)| shape.nodes >= u64::from(k)));
                assert!(shapes.holding(k).count() > 0);
            }
        }
        Ok(())
    }
}
