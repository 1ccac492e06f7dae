//! Which nodes are centres.

use crate::machine::{Coord, Machine};

/// Which nodes are centres, and in which order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Centres {
    /// Every free node, in location order.
    #[default]
    Free,
    /// Every combination of coordinates of free nodes: their x, y and z, each in order of first appearance in location
    /// order, x outermost.
    Combinations,
}

impl Centres {
    /// Returns all of them on `machine`.
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
