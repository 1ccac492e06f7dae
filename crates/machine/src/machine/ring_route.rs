//! Which way round a message goes in a dimension of a machine: the one place of this rule.
//!
//! In a dimension without wrap there is one way. In a dimension that wraps around, a message goes the shorter
//! way, and if both have the same length, which happens only on rings with an even number of nodes, the
//! *half-way rule* decides. Half-way messages that all went up would load the upward links of a ring of 8
//! nodes with 10 units where the downward links carry 6. So the rule of this program sends them up from every
//! other node: from nodes with an even sum of coordinates. Then the links of both directions carry 8 units
//! each under uniform traffic.

use super::mesh::{Coord, Mesh};

/// Returns whether half-way messages from a node go up in every dimension: whether the sum of its coordinates
/// is even.
#[inline]
pub fn half_way_up(source: Coord) -> bool {
    source.iter().sum::<u32>().is_multiple_of(2)
}

/// The way of a message along one dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Way {
    /// Whether it goes towards higher coordinates, or over the edge from the highest one to 0.
    pub up: bool,
    /// The number of hops; 0 if it does not move in this dimension.
    pub hops: u32,
    /// Whether both ways round have this number of hops, so that the half-way rule has set `up`.
    pub half_way: bool,
}

/// Returns the way from position `from` to position `to` of dimension `d`. `half_way_up` decides if both ways
/// round have the same length.
pub fn way(mesh: &Mesh, d: usize, [from, to]: [u32; 2], half_way_up: bool) -> Way {
    if !mesh.wraps(d) {
        return Way { up: to > from, hops: to.abs_diff(from), half_way: false };
    }
    let extent = mesh.extents()[d];
    // The number of hops upwards. The way down has `extent - ahead` hops.
    let ahead = if to >= from { to - from } else { to + extent - from };
    let half_way = 2 * ahead == extent;
    let up = if half_way { half_way_up } else { 2 * ahead < extent };
    Way { up, hops: if up { ahead } else { extent - ahead }, half_way }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_are_shortest_and_halves_are_split() -> Result<(), Box<dyn std::error::Error>> {
        for machine in ["7x4", "torus:7x4", "torus:8x2", "torus:1x5", "4x6:wrap=y"] {
            let mesh: Mesh = machine.parse()?;
            let mut halves = [0, 0];
            for source in 0..mesh.nodes() {
                for target in 0..mesh.nodes() {
                    let [from, to] = [source, target].map(|node| mesh.coord(node));
                    for d in 0..mesh.dims() {
                        let found = way(&mesh, d, [from[d], to[d]], half_way_up(from));
                        let extent = mesh.extents()[d];
                        assert_eq!(found.hops, mesh.hops(d, from[d], to[d]), "{machine}");
                        let hops = if found.up { found.hops } else { extent - found.hops };
                        assert_eq!((from[d] + hops) % extent, to[d], "{machine}");
                        halves[usize::from(found.up)] += u32::from(found.half_way);
                    }
                }
            }
            assert_eq!(halves[0], halves[1], "{machine}");
            assert_eq!(halves[0] > 0, mesh.wraps_any() && !machine.contains("1x5"), "{machine}");
        }
        Ok(())
    }
}
