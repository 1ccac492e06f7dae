//! The carried order: how a centre chooses among free nodes at the same distance.
//!
//! The simulator of Walker, Bunde and Leung keeps one list of the free nodes, at first in location order. It
//! sorts the list by distance, with a stable sort, for one centre after another. So nodes at the same
//! distance from centre i keep the order that the sort for centre i−1 left, and so on back to location order.
//! The sort key of a node is (d(cᵢ), d(cᵢ₋₁), …, d(c₁), location).
//!
//! Only nodes at the largest distance need this order, and only if some of them are left over. The previous
//! centres are compared one by one, latest first, until all ties are decided.

use std::cmp::Ordering;

use meshreplay_machine::machine::{Around, Coord, Mask, Masks, Mesh, first_members};

/// The order of nodes at the same distance from a centre.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Ties {
    /// The order of the simulator of Walker, Bunde and Leung, which depends on the centres before; see
    /// `carried`.
    #[default]
    Carried,
    /// Location order: by x, then y, then z.
    Location,
}

/// The two orders by the names that the parameter `ties` has for them, the default first.
pub(crate) const TIES: &[(&str, Ties)] = &[("carried", Ties::Carried), ("location", Ties::Location)];

/// The choice among nodes at the same distance, with the memory that it keeps between calls.
#[derive(Debug)]
pub(crate) struct CarriedOrder<T> {
    kept: Vec<T>,
    /// The nodes that were not kept.
    pub(crate) rest: Vec<T>,
    distances: Vec<u32>,
    /// For each distance from the nearest on, the number of nodes.
    counts: Vec<usize>,
}

impl<T> Default for CarriedOrder<T> {
    fn default() -> Self {
        Self { kept: Vec::new(), rest: Vec::new(), distances: Vec::new(), counts: Vec::new() }
    }
}

impl<T: Copy> CarriedOrder<T> {
    /// Keeps `need` of the nodes in `tied`, which are equally far from a centre and in location order. The
    /// nodes that come first in the carried order are kept, in any order, and `rest` has the others.
    /// `previous` has the centres before, latest first. `tied` must have at least `need` nodes. O(nodes in
    /// `tied`) for each previous centre that is looked at.
    pub(crate) fn keep_first(
        &mut self,
        tied: &mut Vec<T>,
        need: usize,
        mut previous: impl Iterator<Item = Coord>,
        distance: impl Fn(Coord, T) -> u32,
    ) {
        self.kept.clear();
        self.rest.clear();
        loop {
            let open = need - self.kept.len();
            if open == 0 || open == tied.len() {
                break;
            }
            let Some(centre) = previous.next() else { break };
            self.distances.clear();
            self.distances.extend(tied.iter().map(|&node| distance(centre, node)));
            let (nearest, farthest) =
                self.distances.iter().fold((u32::MAX, 0), |(near, far), &at| (at.min(near), at.max(far)));
            // A centre equally far from all tied nodes decides nothing.
            if nearest != farthest {
                let border = self.border(nearest, farthest, open);
                self.split(tied, border);
            }
        }
        // Nodes that are still tied after all previous centres are taken in location order.
        self.rest.extend(tied.drain(need - self.kept.len()..));
        tied.append(&mut self.kept);
    }

    /// Returns the distance of the last node that is taken if `open` nodes are.
    fn border(&mut self, nearest: u32, farthest: u32, open: usize) -> u32 {
        // Nodes of one shell are at most twice its radius apart, so that there are few distances.
        self.counts.clear();
        self.counts.resize((farthest - nearest) as usize + 1, 0);
        for at in &self.distances {
            self.counts[(at - nearest) as usize] += 1;
        }
        let mut within = 0;
        for (count, at) in self.counts.iter().zip(nearest..) {
            within += count;
            if within >= open {
                return at;
            }
        }
        farthest
    }

    /// Keeps the nodes nearer than the border and leaves those farther away. Nodes at the border stay tied
    /// for the centre before.
    fn split(&mut self, tied: &mut Vec<T>, border: u32) {
        let Self { kept, rest, distances, .. } = self;
        let mut each = distances.iter();
        tied.retain(|&node| {
            let at = each.next().copied().unwrap_or(u32::MAX);
            match at.cmp(&border) {
                Ordering::Less => kept.push(node),
                Ordering::Equal => {}
                Ordering::Greater => rest.push(node),
            }
            at == border
        });
    }
}

/// Returns the nodes that a centre takes from the rim of `around`, chosen by the carried order of L1
/// distances. It does the work of [`CarriedOrder::keep_first`] on a small machine, with sets as bit masks.
/// `previous` has the centres before, latest first, as indices in location order. A few instructions for each
/// previous centre that is looked at.
#[expect(
    clippy::inline_always,
    reason = "it is compiled for the processor at hand with the search that calls it"
)]
#[inline(always)]
pub(crate) fn keep_first_mask(masks: &Masks, around: &Around, previous: impl Iterator<Item = usize>) -> Mask {
    let (mut kept, mut tied) = (0, *around);
    for centre in previous {
        if tied.spare == 0 {
            break;
        }
        let [nearer, level, farther] = masks.split(tied.rim, centre);
        // A centre equally far from all tied nodes decides nothing.
        if nearer | farther == 0 {
            continue;
        }
        let before = nearer.count_ones();
        let within = before + level.count_ones();
        if before < tied.need && tied.need <= within {
            kept |= nearer;
            tied = Around { rim: level, need: tied.need - before, spare: within - tied.need, ..tied };
            continue;
        }
        // The last node to take is nearer or farther than `level`. There may be several distances there.
        let (part, need) = if tied.need <= before {
            (nearer, tied.need)
        } else {
            kept |= nearer | level;
            (farther, tied.need - within)
        };
        tied = masks.around(part, centre, need, tied.radius);
        kept |= tied.inner;
    }
    kept | first_members(tied.rim, tied.need)
}

/// Returns the nodes before `from` in location order, the nearest to it first; nothing if `from` is the first
/// node.
pub(crate) fn backwards(mesh: &Mesh, from: Coord) -> impl Iterator<Item = Coord> {
    let [_, length, depth] = mesh.extents();
    // Location order compares x, then y, then z, so the rank of a node is a number in mixed radix.
    let rank =
        u64::from(from[2]) + u64::from(depth) * (u64::from(from[1]) + u64::from(length) * u64::from(from[0]));
    (0..rank).rev().map(move |rank| {
        let (rest, z) = (rank / u64::from(depth), rank % u64::from(depth));
        [(rest / u64::from(length)) as u32, (rest % u64::from(length)) as u32, z as u32]
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeping_the_first_equals_sorting_stably_for_one_centre_after_another()
    -> Result<(), Box<dyn std::error::Error>> {
        let mesh = Mesh::new(&[5, 4])?;
        let nodes: Vec<Coord> = mesh.location_order().map(|node| mesh.coord(node)).collect();
        for last in 0..nodes.len() {
            let mut carried = nodes.clone();
            for &centre in &nodes[..=last] {
                carried.sort_by_key(|&node| mesh.l_inf(centre, node));
            }
            for k in 1..=nodes.len() {
                let far = mesh.l_inf(nodes[last], carried[k - 1]);
                let nearer = nodes.iter().filter(|&&node| mesh.l_inf(nodes[last], node) < far).count();
                let mut tied = nodes.clone();
                tied.retain(|&node| mesh.l_inf(nodes[last], node) == far);
                let previous = backwards(&mesh, nodes[last]);
                let mut order = CarriedOrder::default();
                order.keep_first(&mut tied, k - nearer, previous, |a, b| mesh.l_inf(a, b));
                tied.sort_unstable();
                let mut plain = carried[nearer..k].to_vec();
                plain.sort_unstable();
                assert_eq!(tied, plain, "centre {last}, k {k}");
            }
        }
        Ok(())
    }
}
