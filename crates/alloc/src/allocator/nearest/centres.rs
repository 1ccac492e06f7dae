//! The nodes that serve as centres: the free nodes, or all combinations of their coordinates; and the earlier
//! centres that decide ties.
//!
//! The tied nodes are in a box around the centre, which covers the whole of a dimension that wraps around.
//! Let p be the place of the box nearest to an earlier centre c. The distance from c to any node of the box
//! is the distance from p plus that from c to p. So c orders the tied nodes as p does, and of the centres
//! with the same p only the latest matters.

use super::numbers::Axis;
use meshreplay_machine::machine::{Coord, Machine};

/// The choice of centres and of their order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Centres {
    /// Every free node, in location order.
    #[default]
    Free,
    /// Every combination of an x, a y and a z of free nodes. The x, y and z come each in the order of their
    /// first appearance when the free nodes are listed in location order; x varies slowest.
    Combinations,
}

impl Centres {
    /// Returns all centres on `machine`, in order; an empty list if no node is free.
    pub(super) fn list(self, machine: &Machine) -> Vec<Coord> {
        let mesh = machine.mesh();
        let mut free: Vec<Coord> = machine.free().iter().map(|node| mesh.coord(node)).collect();
        free.sort_unstable();
        match self {
            Self::Free => free,
            Self::Combinations => combinations(&free, mesh.extents()),
        }
    }
}

/// Returns all combinations of the coordinates of `nodes`, which are in location order.
fn combinations(nodes: &[Coord], extents: [u32; 3]) -> Vec<Coord> {
    let mut seen = extents.map(|extent| vec![false; extent as usize]);
    let mut values: [Vec<u32>; 3] = Default::default();
    for node in nodes {
        for (d, &at) in node.iter().enumerate() {
            if !std::mem::replace(&mut seen[d][at as usize], true) {
                values[d].push(at);
            }
        }
    }
    let [xs, ys, zs] = &values;
    let mut all = Vec::with_capacity(xs.len() * ys.len() * zs.len());
    for &x in xs {
        for &y in ys {
            all.extend(zs.iter().map(|&z| [x, y, z]));
        }
    }
    all
}

/// Scratch memory for passes over earlier centres.
#[derive(Debug, Default)]
pub(super) struct EarlierCentres {
    /// The number of the current pass.
    walk: u32,
    /// Per place of the box the last pass with a centre there.
    seen: Vec<u32>,
}

impl EarlierCentres {
    /// Returns the centres of `earlier` that can decide ties between nodes at distance `radius` from
    /// `centre`, the latest first: per position of the bounding box only the last centre.
    pub(super) fn deciding<'a>(
        &'a mut self,
        axes: [Axis; 3],
        centre: Coord,
        radius: i32,
        earlier: &'a [Coord],
    ) -> impl Iterator<Item = Coord> + 'a {
        let sides = [0, 1, 2].map(|d| side(axes[d], centre[d].cast_signed(), radius));
        let [width, length, depth] = sides.map(|[low, high]| (high - low + 1) as usize);
        let Self { walk, seen } = self;
        *walk = walk.wrapping_add(1);
        if *walk == 0 {
            seen.fill(0);
            *walk = 1;
        }
        seen.resize((width * length * depth).max(seen.len()), 0);
        earlier.iter().rev().copied().filter(move |centre| {
            let [x, y, z] = [0, 1, 2].map(|d| {
                let [low, high] = sides[d];
                (centre[d].cast_signed().clamp(low, high) - low) as usize
            });
            std::mem::replace(&mut seen[(x * length + y) * depth + z], *walk) != *walk
        })
    }
}

/// Returns the first and the last position of the box along a dimension: all positions of a ring.
fn side(axis: Axis, centre: i32, radius: i32) -> [i32; 2] {
    if axis.wraps {
        return [0, axis.extent - 1];
    }
    let window = axis.within(centre, radius);
    [centre - window.below, centre + window.above]
}
