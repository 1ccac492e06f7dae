//! MM: Gen-Alg with more centres, every combination of coordinates of free nodes.
//!
//! M. Bender et al., "Communication-aware processor allocation for supercomputers: Finding point sets of small average
//! distance", Algorithmica 50(2), 2008.
//!
//! 1. A centre is any node that shares each coordinate with some free node, whether it is free itself or not.
//! 2. A centre takes the k free nodes at the smallest L1 distances from it.
//! 3. The smallest sum of L1 distances over pairs wins, the first centre of equals.
//!
//! The sum is at most 2 − 1/(2d) times the best possible one in d dimensions: 7/4 in two, 11/6 in three. The order of
//! centres is that of the simulator of Walker, Bunde and Leung: the x, y and z of free nodes, each in order of first
//! appearance in location order, x outermost. Ties as for `gen-alg`. Never refuses while k nodes are free. Time
//! O(C·(ball rows + W + L + D)) for C centres.

use super::nearest::{Choice, Nearest, Search, TIES, Ties};
use super::{Allocator, Entry, Kind, Placement, Promises, Request, fits};
use crate::machine::{Coord, Machine};

pub(super) const ENTRY: Entry = Entry {
    name: "mm",
    summary: "the free nodes nearest in hops to a combination of free nodes' coordinates; smallest pairwise sum",
    source: "Bender et al., Algorithmica 50(2), 2008",
    parameters: "ties=carried (location)",
    max_dims: 3,
    kind: Kind::NonContiguous,
    promises: Promises { exact: true, complete: true, forgets: true },
    build: |params, _| Ok(Box::new(Mm::new(params.choose("ties", TIES)?))),
};

/// MM, kept by `mm-inc` too.
pub(super) struct Mm {
    ties: Ties,
    nearest: Nearest,
    /// Kept between calls for their memory only.
    free: Vec<Coord>,
    centres: Vec<Coord>,
}

impl Mm {
    pub(super) fn new(ties: Ties) -> Self {
        Self { ties, nearest: Nearest::default(), free: Vec::new(), centres: Vec::new() }
    }

    /// What MM takes; at least one and fewer nodes than are free must be asked for.
    pub(super) fn choose(&mut self, k: u32, machine: &Machine) -> Option<Choice> {
        let mesh = machine.mesh();
        self.free.clear();
        self.free.extend(machine.free().iter().map(|node| mesh.coord(node)));
        self.free.sort_unstable();
        let mut seen: [Vec<bool>; 3] = mesh.extents().map(|extent| vec![false; extent as usize]);
        let mut values: [Vec<u32>; 3] = Default::default();
        for node in &self.free {
            for (d, &at) in node.iter().enumerate() {
                if !std::mem::replace(&mut seen[d][at as usize], true) {
                    values[d].push(at);
                }
            }
        }
        let [xs, ys, zs] = &values;
        self.centres.clear();
        for &x in xs {
            for &y in ys {
                self.centres.extend(zs.iter().map(|&z| [x, y, z]));
            }
        }
        self.nearest.best(Search { machine, k, centres: &self.centres, ties: self.ties })
    }
}

impl Allocator for Mm {
    fn allocate(&mut self, request: &Request, machine: &Machine) -> Option<Placement> {
        if !fits(*request, machine) {
            return None;
        }
        if request.procs == machine.free_count() {
            return Some(Placement { nodes: machine.free().iter().collect() });
        }
        let nodes = self.choose(request.procs, machine)?.nodes(machine.mesh());
        Some(Placement { nodes })
    }
}
