//! A lower bound of the pairwise sum of any k nodes of a machine, whichever nodes are free.
//!
//! For k nodes of a mesh it is the largest of three bounds:
//!
//! 1. The least pairwise sum of k points of an unbounded grid with as many dimensions (see `grid`). It is
//!    exact for small k.
//! 2. The sum over the dimensions of the least sum of hops along each of them, given the capacity of a slice
//!    across the dimension. It is exact for whole slices and on one-dimensional machines.
//! 3. The least cost of k nodes that fill the machine slice by slice (see `layers`). It is for long and
//!    narrow machines, and for numbers of nodes beyond the tables of the grid.
//!
//! For a machine that wraps around in some dimension see `ring`. A side of one node does not count as a
//! dimension. On a tree of switches the bound is exact: [`Levels::least_sum`].
#![expect(
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "at most 2^24 nodes: squares of nodes times sides, below 2^72, are computed in 128 bits or in \
              floating point, whose casts clamp, and sides have a product of at most the nodes"
)]

mod grid;
mod layers;
mod ring;

use std::collections::HashMap;

use crate::machine::{Levels, Mesh};
use ring::Ring;

/// The lower bound for one machine, with a memory for the numbers of nodes that were asked for.
///
/// A value is computed once per number of nodes, in about a millisecond at most. Later requests for it cost
/// O(1).
#[derive(Debug)]
pub struct PairwiseBound {
    /// The sides of the machine that are longer than one node.
    sides: Vec<u64>,
    /// The tables of a machine that wraps around in some dimension; `None` for a mesh.
    ring: Option<Ring>,
    /// The groups of a tree of switches; `None` for other machines.
    levels: Option<Levels>,
    /// The bounds that have been computed, by number of nodes.
    known: HashMap<u32, u64>,
}

impl PairwiseBound {
    /// Makes the bound of placements on `mesh`. No value is computed yet.
    pub fn new(mesh: &Mesh) -> Self {
        let long = (0..3).filter(|&d| mesh.extents()[d] > 1);
        let (sides, wraps): (Vec<u64>, Vec<bool>) =
            long.map(|d| (u64::from(mesh.extents()[d]), mesh.wraps(d))).unzip();
        let ring = mesh.wraps_any().then(|| Ring::new(&sides, &wraps));
        Self { sides, ring, levels: mesh.levels().cloned(), known: HashMap::new() }
    }

    /// Returns a lower bound, in hops, of the pairwise sum of any `nodes` nodes of the machine. It is 0 for
    /// up to one node. It never decreases as `nodes` grows up to the size of the machine.
    pub fn of(&mut self, nodes: u32) -> u64 {
        let Self { sides, ring, levels, known } = self;
        if let Some(levels) = levels {
            return levels.least_sum(nodes);
        }
        *known.entry(nodes).or_insert_with(|| match ring {
            Some(ring) => ring.bound(u64::from(nodes)),
            None => mesh_bound(sides, u64::from(nodes)),
        })
    }
}

/// Returns the lower bound, in hops, for k nodes of a mesh with these sides, each above 1.
fn mesh_bound(sides: &[u64], k: u64) -> u64 {
    grid::simple(sides, k).max(layers::bound(sides, k))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bound(machine: &str, k: u32) -> u64 {
        PairwiseBound::new(&machine.parse().expect("a machine")).of(k)
    }

    /// Returns the sum over pairs of all nodes of a machine.
    fn whole(machine: &str) -> u64 {
        let mesh: Mesh = machine.parse().expect("a machine");
        let along = |d: usize| {
            let across = mesh.nodes() / mesh.extents()[d];
            let counts = vec![across; mesh.extents()[d] as usize];
            crate::machine::pairwise_along(&counts, mesh.nodes(), mesh.wraps(d))
        };
        (0..3).map(along).sum()
    }

    #[test]
    fn arrays_and_whole_machines_are_exact() {
        assert_eq!((bound("400", 5), bound("1x400", 400), bound("7", 1)), (20, 10_666_600, 0));
        for machine in [
            "16x8",
            "128x8",
            "8x8x4",
            "64x2x3",
            "torus:16x8",
            "torus:5x7x4",
            "torus:9",
            "16x8:wrap=x",
            "5x7x4:wrap=yz",
        ] {
            let mesh: Mesh = machine.parse().expect("a machine");
            assert_eq!(bound(machine, mesh.nodes()), whole(machine), "{machine}");
        }
    }

    #[test]
    fn narrow_machines_have_higher_bounds() {
        // A block of 64 full columns is nearly the best.
        let (found, block) = (bound("128x8", 512), whole("64x8"));
        assert!(found <= block && found * 1000 > block * 999, "{found}, {block}");
        assert!(bound("128x8", 500) > bound("128x128", 500) * 3 / 2);
        assert!(bound("16x16x2", 100) > bound("16x16x16", 100));
    }

    #[test]
    fn bounds_never_fall_and_are_no_higher_on_tori() {
        for (machine, wrap) in [
            ("40x40", "xy"),
            ("128x8", "xy"),
            ("13x11x9", "xyz"),
            ("30x3x2", "xyz"),
            ("300", "x"),
            ("64x64x64", "xyz"),
            ("40x40", "x"),
            ("128x8", "y"),
            ("13x11x9", "xz"),
            ("30x3x2", "x"),
        ] {
            let [mesh, torus] = [machine.to_owned(), format!("{machine}:wrap={wrap}")]
                .map(|text| text.parse::<Mesh>().expect("a machine"));
            let (mut on_mesh, mut on_torus) = (PairwiseBound::new(&mesh), PairwiseBound::new(&torus));
            let mut last = (0, 0);
            for k in 0..=mesh.nodes().min(1700) {
                let found = (on_mesh.of(k), on_torus.of(k));
                assert!(found.0 >= last.0 && found.1 >= last.1 && found.1 <= found.0, "{machine}, {k}");
                last = found;
            }
        }
    }
}
