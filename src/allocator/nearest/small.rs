//! The search on a small machine, whose sets of nodes are single numbers.
//!
//! The free nodes within a distance of a centre are `free & ball`, and their number shows whether the distance
//! suffices. The sum over pairs follows from how many nodes lie on either side of each cut of the machine. So a
//! centre costs some tens of instructions and a few more per node taken or, if those are fewer, per free node left.

use super::centres::Centres;
use super::cuts::Cuts;
use super::ties::{Ties, floor};
use crate::allocator::nearest::carried;
use crate::machine::{Around, Coord, Machine, Mask, Masks, Mesh, NodeId, first_members, for_each_member};

/// The search, its tables and the memory that it keeps between calls.
#[derive(Debug)]
pub(crate) struct Small {
    kind: Centres,
    ties: Ties,
    torus: bool,
    masks: Masks,
    cuts: Cuts,
    /// Coordinates of the nodes in location order.
    coords: Vec<Coord>,
    /// The nodes at each position of each dimension.
    layers: [Vec<Mask>; 3],
    /// How far apart in location order neighbours along each dimension are.
    strides: [usize; 3],
    /// Kept between calls for their memory only.
    positions: [Vec<usize>; 3],
    centres: Vec<usize>,
}

impl Small {
    /// Returns a search for machines of the shape `mesh`; `None` if that is too large.
    pub(super) fn new(mesh: &Mesh, kind: Centres, ties: Ties) -> Option<Self> {
        let masks = Masks::new(mesh)?;
        let cuts = Cuts::new(mesh, masks.nodes())?;
        let mut layers = mesh.extents().map(|extent| vec![0; extent as usize]);
        let coords: Vec<Coord> = masks.nodes().iter().map(|&node| mesh.coord(node)).collect();
        for (place, coord) in coords.iter().enumerate() {
            for (layers, &at) in layers.iter_mut().zip(coord) {
                layers[at as usize] |= 1 << place;
            }
        }
        let [_, length, depth] = mesh.extents().map(|extent| extent as usize);
        Some(Self {
            kind,
            ties,
            torus: mesh.is_torus(),
            masks,
            cuts,
            coords,
            layers,
            strides: [length * depth, depth, 1],
            positions: Default::default(),
            centres: Vec::new(),
        })
    }

    /// See `Nearest::choose`.
    pub(super) fn choose(&mut self, k: u32, machine: &Machine) -> Option<Vec<NodeId>> {
        let free = self.masks.mask(machine.free());
        self.list_centres(free);
        // What is counted are the nodes taken or those left, whichever are fewer.
        let all = (2 * k > machine.free_count()).then(|| self.cuts.count(free));
        let (floor, mut limit) = (floor(k, self.torus) as u32, u32::MAX);
        let mut best = None;
        let mut radius = 0;
        for (i, &centre) in self.centres.iter().enumerate() {
            // Neighbouring centres need about the same radius, so that the search begins at that of the one before.
            let around = self.masks.around(free, centre, k, radius);
            radius = around.radius;
            let rim = self.taken_of_rim(i, &around);
            let taken = around.inner | rim;
            let counts = match &all {
                Some(all) => self.cuts.count_others(all, free & !taken),
                None => self.cuts.count(taken),
            };
            let sum = self.cuts.pairwise(&counts, k);
            if sum < limit {
                limit = sum;
                best = Some((around.inner, rim));
            }
            if sum == floor {
                break;
            }
        }
        let (inner, rim) = best?;
        let mut nodes = Vec::with_capacity(k as usize);
        for part in [inner, rim] {
            for_each_member(part, |place| nodes.push(self.masks.nodes()[place]));
        }
        Some(nodes)
    }

    /// Sets `centres`, places in location order, for the free nodes given.
    fn list_centres(&mut self, free: Mask) {
        self.centres.clear();
        if self.kind == Centres::Free {
            for_each_member(free, |place| self.centres.push(place));
            return;
        }
        for d in 0..3 {
            self.list_positions(free, d);
        }
        let [xs, ys, zs] = &self.positions;
        // Places in location order are x·strides[0] + y·strides[1] + z, and each list has its products already.
        for x in xs {
            for y in ys {
                self.centres.extend(zs.iter().map(|z| x + y + z));
            }
        }
    }

    /// Sets `positions` of dimension `d` to those of the nodes given, in order of first appearance.
    fn list_positions(&mut self, nodes: Mask, d: usize) {
        self.positions[d].clear();
        let mut rest = nodes;
        while rest != 0 {
            let at = self.coords[rest.trailing_zeros() as usize][d] as usize;
            self.positions[d].push(at * self.strides[d]);
            // All other nodes at this position would give the same again.
            rest &= !self.layers[d][at];
        }
    }

    /// Returns the nodes that the `i`-th centre takes of its rim.
    fn taken_of_rim(&self, i: usize, around: &Around) -> Mask {
        if around.spare == 0 {
            return around.rim;
        }
        match self.ties {
            Ties::Location => first_members(around.rim, around.need),
            Ties::Carried => {
                let previous = self.centres[..i].iter().rev().copied();
                carried::keep_first_mask(&self.masks, around, previous)
            }
        }
    }
}
