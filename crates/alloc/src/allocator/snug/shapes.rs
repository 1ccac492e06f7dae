//! The shapes of the submeshes that are searched for a job: nearly cubic ones, listed by half-perimeter.

use meshreplay_machine::machine::{Mesh, pairwise_along};
use meshreplay_machine::yardstick::PairwiseBound;

/// The largest difference between two sides of a submesh. Only a side as long as the machine may be shorter
/// by more.
const MOST_DIFFERENCE: u32 = 2;

/// The sides of a submesh, with the numbers that the search needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SubmeshShape {
    /// The sum of the sides along dimensions of more than one node; 1 on a machine of one node.
    pub(super) half_perimeter: u32,
    /// The sides along x, y and z, in nodes.
    pub(super) sides: [usize; 3],
    /// The number of nodes in the submesh.
    pub(super) nodes: u64,
    /// The sum of L1 distances over all pairs of nodes in the submesh.
    pub(super) pairs: u64,
}

/// The shapes of submeshes on a machine. They are computed on first use and kept.
#[derive(Clone, Debug)]
pub(super) struct SubmeshShapes {
    mesh: Mesh,
    /// The shapes of each half-perimeter; `None` where they are not computed yet.
    shapes: Vec<Option<Vec<SubmeshShape>>>,
    /// The smallest half-perimeter of a shape of at least k nodes, by k; 0 where it is not computed yet.
    smallest: Vec<u32>,
}

impl SubmeshShapes {
    /// Returns the shapes of `mesh`; none is computed yet.
    pub(super) fn new(mesh: &Mesh) -> Self {
        let half_perimeters = half_perimeter(mesh, mesh.extents()) as usize + 1;
        Self {
            mesh: mesh.clone(),
            shapes: vec![None; half_perimeters],
            smallest: vec![0; mesh.nodes() as usize + 1],
        }
    }

    /// Returns the smallest half-perimeter of a shape that has at least k nodes, free or not. k must be at
    /// least 1 and at most the number of nodes of the machine.
    pub(super) fn smallest(&mut self, k: u32) -> u32 {
        let known = self.smallest[k as usize];
        if known > 0 {
            return known;
        }
        // Bisection: the most nodes of a shape grow with the half-perimeter.
        let (mut low, mut high) = (1, self.largest());
        while low < high {
            let middle = low.midpoint(high);
            let enough = self.of_half_perimeter(middle).iter().any(|shape| shape.nodes >= u64::from(k));
            (low, high) = if enough { (low, middle) } else { (middle + 1, high) };
        }
        self.smallest[k as usize] = low;
        low
    }

    /// Returns the half-perimeter of the machine.
    pub(super) fn largest(&self) -> u32 {
        half_perimeter(&self.mesh, self.mesh.extents())
    }

    /// Returns the shapes of the half-perimeter `wanted`, sorted by sides; an empty list if there are none.
    /// `wanted` must not exceed the half-perimeter of the machine.
    pub(super) fn of_half_perimeter(&mut self, wanted: u32) -> &[SubmeshShape] {
        self.shapes[wanted as usize].get_or_insert_with(|| shapes_of(&self.mesh, wanted))
    }
}

/// Returns the shapes of the half-perimeter `wanted`, sorted by sides.
fn shapes_of(mesh: &Mesh, wanted: u32) -> Vec<SubmeshShape> {
    let extents = mesh.extents();
    let lengths = |d: usize, shortest: u32| {
        shortest.min(extents[d])..=shortest.saturating_add(MOST_DIFFERENCE).min(extents[d])
    };
    // The half-perimeter of sides from `shortest` to `shortest` + MOST_DIFFERENCE lies between `least` and
    // `most`. Both grow with `shortest`, so only a range of shortest sides has to be tried.
    let least = |shortest: u32| half_perimeter(mesh, extents.map(|extent| extent.min(shortest)));
    let most = |shortest: u32| least(shortest.saturating_add(MOST_DIFFERENCE));
    let longest = extents.into_iter().max().unwrap_or(1);
    let mut shapes = Vec::new();
    for shortest in first(longest, |shortest| most(shortest) >= wanted)..=longest {
        if least(shortest) > wanted {
            break;
        }
        for a in lengths(0, shortest) {
            for b in lengths(1, shortest) {
                let sides = lengths(2, shortest).map(|c| [a, b, c]);
                shapes.extend(sides.filter(|&sides| half_perimeter(mesh, sides) == wanted));
            }
        }
    }
    // A shape is found once for each shortest side that allows it.
    shapes.sort_unstable();
    shapes.dedup();
    shapes.into_iter().map(|sides| shape(mesh, sides)).collect()
}

/// Lower bounds of the pairwise sum of any n nodes of a machine, memoized by n.
#[derive(Debug)]
pub(super) struct CompactBounds {
    bound: PairwiseBound,
    /// The bound for each number of nodes; `None` where it is not computed yet.
    known: Vec<Option<f64>>,
}

impl CompactBounds {
    /// Returns the bounds on `mesh`; none is computed yet.
    pub(super) fn new(mesh: &Mesh) -> Self {
        Self { bound: PairwiseBound::new(mesh), known: vec![None; mesh.nodes() as usize + 1] }
    }

    /// Returns a number that the sum of L1 distances over the pairs of `nodes` nodes cannot be below.
    pub(super) fn bound(&mut self, nodes: u32) -> f64 {
        *self.known[nodes as usize].get_or_insert_with(|| self.bound.of(nodes) as f64)
    }
}

/// Returns the first number from 1 to `last` that satisfies a monotone condition, by bisection; `last` if
/// none does.
fn first(last: u32, holds: impl Fn(u32) -> bool) -> u32 {
    let (mut low, mut high) = (1, last);
    while low < high {
        let middle = low.midpoint(high);
        (low, high) = if holds(middle) { (low, middle) } else { (middle + 1, high) };
    }
    low
}

/// Returns the sum of the sides of dimensions that have more than one node; 1 if none has.
fn half_perimeter(mesh: &Mesh, sides: [u32; 3]) -> u32 {
    let long = sides.into_iter().zip(mesh.extents()).filter(|&(_, extent)| extent > 1);
    long.map(|(side, _)| side).sum::<u32>().max(1)
}

/// Returns the shape of these sides, with its numbers of nodes and pairs.
fn shape(mesh: &Mesh, sides: [u32; 3]) -> SubmeshShape {
    let nodes: u32 = sides.into_iter().product();
    // The pairwise sum is separable: each position along a dimension holds equally many nodes.
    let along = |d: usize| {
        let mut counts = vec![nodes / sides[d]; sides[d] as usize];
        if mesh.wraps(d) {
            counts.resize(mesh.extents()[d] as usize, 0);
        }
        pairwise_along(&counts, nodes, mesh.wraps(d))
    };
    SubmeshShape {
        half_perimeter: half_perimeter(mesh, sides),
        sides: sides.map(|side| side as usize),
        nodes: u64::from(nodes),
        pairs: (0..3).map(along).fold(0, u64::saturating_add),
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
                short.is_none_or(|short| long <= short + MOST_DIFFERENCE)
            };
            let mut shapes = SubmeshShapes::new(&mesh);
            let mut found: Vec<[u32; 3]> = Vec::new();
            for half_perimeter in 1..=shapes.largest() {
                let of = shapes.of_half_perimeter(half_perimeter);
                assert!(of.is_sorted_by_key(|shape| shape.sides));
                assert!(of.iter().all(|shape| shape.half_perimeter == half_perimeter));
                found.extend(of.iter().map(|shape| shape.sides.map(|side| side as u32)));
            }
            found.sort_unstable();
            let mut plain = Vec::new();
            for a in 1..=w {
                for b in 1..=l {
                    plain.extend((1..=d).map(|c| [a, b, c]).filter(|&sides| allowed(sides)));
                }
            }
            assert_eq!(found, plain, "{text}");
            for k in 1..=mesh.nodes() {
                let holding = plain.iter().filter(|sides| sides.iter().product::<u32>() >= k);
                assert_eq!(
                    Some(shapes.smallest(k)),
                    holding.map(|&sides| half_perimeter(&mesh, sides)).min()
                );
            }
        }
        Ok(())
    }
}
