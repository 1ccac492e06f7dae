//! The nodes that serve as centres: the free nodes, or all combinations of their coordinates.

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
