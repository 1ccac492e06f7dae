//! The order of centres, without a list of them.
//!
//! A list of the centres of a machine of 2^20 nodes takes longer than the search among them. Here a centre has a *rank*,
//! by which centres are compared. `Candidate` and `Best` are what searches keep of the centres that may win.

use super::centres::Centres;
use meshreplay_machine::machine::{Coord, Machine};

/// The place of a value that no free node has.
const ABSENT: u32 = u32::MAX;

/// The order of the centres of one machine state.
#[derive(Debug, Default)]
pub(super) struct Order {
    kind: Centres,
    extents: [u32; 3],
    /// For each dimension the positions that centres have, in order. With free nodes as centres, these are all positions.
    values: [Vec<u32>; 3],
    /// For each dimension and position its place in `values`; `ABSENT` if no centre has it.
    places: [Vec<u32>; 3],
}

impl Order {
    /// Returns the order of the centres on `machine`. O(N/64 + W + L·D).
    pub(super) fn new(kind: Centres, machine: &Machine) -> Self {
        let extents = machine.mesh().extents();
        let values = match kind {
            Centres::Free => extents.map(|extent| (0..extent).collect()),
            Centres::Combinations => first_appearances(machine),
        };
        let mut places = extents.map(|extent| vec![ABSENT; extent as usize]);
        for (places, values) in places.iter_mut().zip(&values) {
            for (place, &at) in values.iter().enumerate() {
                places[at as usize] = place as u32;
            }
        }
        Self { kind, extents, values, places }
    }

    /// Returns whether centres have this position of dimension `d`.
    pub(super) fn has(&self, d: usize, at: usize) -> bool {
        self.places[d][at] != ABSENT
    }

    /// Returns the rank of a centre. A centre comes before another one if its rank is smaller.
    pub(super) fn rank(&self, centre: Coord) -> u32 {
        let [x, y, z] = self.places(centre);
        (x * self.extents[1] + y) * self.extents[2] + z
    }

    /// Returns the centre of this rank.
    pub(super) fn centre(&self, rank: u32) -> Coord {
        let [_, length, depth] = self.extents;
        let places = [rank / depth / length, rank / depth % length, rank % depth];
        [0, 1, 2].map(|d| self.values[d][places[d] as usize])
    }

    /// Returns all centres in order.
    pub(super) fn all<'a>(&'a self, machine: &'a Machine) -> impl Iterator<Item = Coord> + 'a {
        let [xs, ys, zs] = &self.values;
        let all =
            xs.iter().flat_map(move |&x| ys.iter().flat_map(move |&y| zs.iter().map(move |&z| [x, y, z])));
        let any = self.kind == Centres::Combinations;
        all.filter(move |&centre| any || machine.free().contains(machine.mesh().node(centre)))
    }

    /// Returns the choice of centres.
    pub(super) fn kind(&self) -> Centres {
        self.kind
    }

    /// Returns the positions of a dimension that centres have, in order.
    pub(super) fn values(&self, d: usize) -> &[u32] {
        &self.values[d]
    }

    /// Returns the place of a centre in the order of each dimension.
    pub(super) fn places(&self, centre: Coord) -> [u32; 3] {
        [0, 1, 2].map(|d| self.places[d][centre[d] as usize])
    }
}

/// A centre that may win, given a lower bound of its pairwise sum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Candidate {
    /// The bound, in the unit of the search that it belongs to.
    pub(super) bound: u32,
    pub(super) rank: u32,
    /// The radius that it needs, or a smaller one.
    pub(super) radius: u32,
}

/// The best centre that is known.
#[derive(Clone, Copy, Debug)]
pub(super) struct Best {
    /// The pairwise sum of the nodes that it takes.
    pub(super) sum: u64,
    pub(super) rank: u32,
    /// The radius that it needs.
    pub(super) radius: usize,
}

impl Best {
    /// Returns the sum that another centre must be below to win: of centres with the same sum the first one wins.
    pub(super) fn limit(&self, rank: u32) -> u64 {
        self.sum + u64::from(rank < self.rank)
    }
}

/// Returns for each dimension the positions of free nodes, in the order in which they come first when the free nodes are
/// listed in location order.
fn first_appearances(machine: &Machine) -> [Vec<u32>; 3] {
    const NEVER: [u32; 2] = [u32::MAX; 2];
    let [width, length, depth] = machine.mesh().extents();
    let words = (width as usize).div_ceil(64);
    let mut xs = vec![0_u64; words];
    // The x and y of the first free node at each y and at each z.
    let mut of_y = vec![NEVER; length as usize];
    let mut of_z = vec![NEVER; depth as usize];
    for z in 0..depth {
        for y in 0..length {
            let row = (z * length + y) * width;
            let mut first = None;
            for (word, xs) in xs.iter_mut().enumerate() {
                let from = word as u32 * 64;
                let bits = machine.free().bits((row + from) as usize, 64.min(width - from) as usize);
                *xs |= bits;
                if bits != 0 && first.is_none() {
                    first = Some(from + bits.trailing_zeros());
                }
            }
            if let Some(x) = first {
                let (of_y, of_z) = (&mut of_y[y as usize], &mut of_z[z as usize]);
                *of_y = [x, y].min(*of_y);
                *of_z = [x, y].min(*of_z);
            }
        }
    }
    let xs = (0..width).filter(|&x| xs[x as usize / 64] >> (x % 64) & 1 == 1).collect();
    let [ys, zs] = [of_y, of_z].map(|firsts| {
        let mut seen: Vec<u32> =
            (0..firsts.len() as u32).filter(|&at| firsts[at as usize] != NEVER).collect();
        seen.sort_by_key(|&at| firsts[at as usize]);
        seen
    });
    [xs, ys, zs]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_follow_the_list() -> Result<(), Box<dyn std::error::Error>> {
        for text in ["7x5", "4x3x5", "torus:70x3", "9", "1x9", "2x1x6", "3x2x66"] {
            for step in 2..9 {
                let mut machine = Machine::new(text.parse()?);
                let busy: Vec<u32> =
                    (0..machine.mesh().nodes()).filter(|n| (n * n / 3 + n * 5) % step != 1).collect();
                machine.occupy(&busy)?;
                for kind in [Centres::Free, Centres::Combinations] {
                    let list = kind.list(&machine);
                    let order = Order::new(kind, &machine);
                    assert!(order.all(&machine).eq(list.iter().copied()), "{text} {step} {kind:?}");
                    assert!(list.is_sorted_by_key(|&centre| order.rank(centre)), "{text} {step} {kind:?}");
                    assert!(list.iter().all(|&centre| order.centre(order.rank(centre)) == centre));
                }
            }
        }
        Ok(())
    }
}
