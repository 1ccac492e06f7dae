//! Rules that give a job a shape when only its number of processors is known.
#![expect(
    clippy::arithmetic_side_effects,
    reason = "sides within a machine are at most 2^24, so that sums of three fit 32 bits; divisors are at \
         most the root of the nodes, and products of three sides are in 64 bits"
)]

use super::Mesh;

/// Returns the default shape, of at least `k` nodes, of a job of `k` processors: compact, and with few nodes
/// to spare. Its longest side lies along the longest dimension of the machine. `None` if the machine has
/// fewer than `k` nodes.
///
/// The candidates are all submeshes of at least `k` nodes that fit into `mesh` and whose longest side is at
/// most twice the shortest. The result is the one with the fewest nodes. Ties are broken by the smallest
/// half-perimeter (the sum of the sides), then by the smallest longest side. If no such submesh fits, as on
/// long thin machines, the limit of twice is raised to three times, four times, and so on. Dimensions with
/// one node do not count. O(√k) in two dimensions, O(k^⅔) in three.
pub fn near_square(k: u32, mesh: &Mesh) -> Option<[u32; 3]> {
    let room = rooms(mesh);
    let dims = room.iter().filter(|&&extent| extent > 1).count().max(1);
    let k = k.max(1);
    let mut best: Option<(Rank, [u32; 3])> = None;
    for c in 1..=room[2] {
        for b in c..=room[1] {
            // For given shorter sides the least longest side is best by every criterion.
            let least = k.div_ceil(b.saturating_mul(c));
            let a = least.max(b);
            if a <= room[0] {
                let sides = [a, b, c];
                let limit = a.div_ceil(sides[dims - 1]).max(2);
                let nodes = u64::from(a) * u64::from(b) * u64::from(c);
                let key = (limit, nodes, a + b + c, a);
                if best.is_none_or(|(other, _)| key < other) {
                    best = Some((key, sides));
                }
            }
            // From here on, broader submeshes only have more nodes.
            if least <= b {
                break;
            }
        }
        // A cube of side c is large enough, so a larger c only gives more nodes.
        if k.div_ceil(c.saturating_mul(c)) <= c {
            break;
        }
    }
    best.map(|(_, sides)| along_axes(sides, mesh))
}

/// The rank of a submesh: the limit for longest side / shortest side (an integer, at least 2), nodes,
/// half-perimeter, longest side. The smallest rank is best.
type Rank = (u32, u64, u32, u32);

/// Returns the extents of `mesh`, the longest first.
fn rooms(mesh: &Mesh) -> [u32; 3] {
    axes(mesh).map(|d| mesh.extents()[d])
}

/// Returns the dimensions of `mesh`, the longest first. Of equal ones the first comes first.
fn axes(mesh: &Mesh) -> [usize; 3] {
    let mut axes = [0, 1, 2];
    axes.sort_by_key(|&d| std::cmp::Reverse(mesh.extents()[d]));
    axes
}

/// Returns `sides` in the order of the dimensions of `mesh`: the longest side lies along the longest
/// dimension, and so on. If these sides fit into the machine in any orientation, they fit in this one.
#[inline]
pub fn along_axes(mut sides: [u32; 3], mesh: &Mesh) -> [u32; 3] {
    sides.sort_unstable_by_key(|&side| std::cmp::Reverse(side));
    let mut shape = [1; 3];
    for (d, side) in axes(mesh).into_iter().zip(sides) {
        shape[d] = side;
    }
    shape
}

/// Returns the shape of exactly `k` nodes that has the most even sides, if such a shape fits into `mesh`.
/// (Version 0.1.0 called this rule near-square.) `None` if the machine has fewer than `k` nodes.
///
/// Of all a·b·c = k that fit, it is the one with the smallest difference between longest and shortest side,
/// then with the smallest longest side. If none fits, as for large primes, it is the best shape of the next
/// larger number of nodes with one. 13 nodes are a row of 13 if that fits. O(√n) for each number n that is
/// tried.
#[inline]
pub fn even_factors(k: u32, mesh: &Mesh) -> Option<[u32; 3]> {
    let room = rooms(mesh);
    let sides = (k.max(1)..=mesh.nodes()).find_map(|nodes| most_even(nodes, room))?;
    Some(along_axes(sides, mesh))
}

/// Returns the sides of `k` nodes in one row along the longest dimension of `mesh`, the first one of equals.
/// The row may be too long for the machine. O(1).
#[inline]
pub fn row(k: u32, mesh: &Mesh) -> [u32; 3] {
    let extents = mesh.extents();
    let mut shape = [1; 3];
    let longest = (0..3).rev().max_by_key(|&d| extents[d]).unwrap_or(0);
    shape[longest] = k;
    shape
}

/// Returns [`near_square`] with every side rounded up to a power of two. The result may be too large for the
/// machine. `None` if the machine has fewer than `k` nodes.
#[inline]
pub fn powers_of_two(k: u32, mesh: &Mesh) -> Option<[u32; 3]> {
    Some(near_square(k, mesh)?.map(u32::next_power_of_two))
}

/// Returns the most even sides a ≥ b ≥ c with a·b·c = `nodes` that fit into `room`, the extents of the
/// machine with the longest first. `None` if no such sides fit.
fn most_even(nodes: u32, room: [u32; 3]) -> Option<[u32; 3]> {
    let mut best: Option<[u32; 3]> = None;
    let key = |[a, _, c]: [u32; 3]| (a - c, a);
    for c in divisors(nodes, room[2]).filter(|&c| u64::from(c).pow(3) <= u64::from(nodes)) {
        let rest = nodes / c;
        let fits = |&b: &u32| c <= b && b <= rest / b && rest / b <= room[0];
        for b in divisors(rest, room[1]).filter(fits) {
            let sides = [rest / b, b, c];
            if best.is_none_or(|best| key(sides) < key(best)) {
                best = Some(sides);
            }
        }
    }
    best
}

/// Returns the divisors of `n` that are at most its square root and at most `most`, ascending.
fn divisors(n: u32, most: u32) -> impl Iterator<Item = u32> {
    (1..=most.min(n.isqrt())).filter(move |&d| n.is_multiple_of(d))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_squares_are_compact_and_have_little_to_spare() -> Result<(), super::super::mesh::MeshError> {
        for (k, machine, shape) in [
            (1, "16x16", [1, 1, 1]),
            (3, "16x16", [2, 2, 1]),
            (7, "16x16", [4, 2, 1]),
            (11, "16x16", [4, 3, 1]),
            (12, "16x16", [4, 3, 1]),
            (13, "16x16", [5, 3, 1]),
            (17, "16x16", [6, 3, 1]),
            (22, "16x16", [6, 4, 1]),
            (98, "16x16", [14, 7, 1]),
            (128, "16x8", [16, 8, 1]),
            (128, "8x16", [8, 16, 1]),
            (64, "8x8x4", [4, 4, 4]),
            (2, "8x8x4", [2, 1, 1]),
            // 7 x 14 does not fit; 10 x 10 does.
            (98, "10x10", [10, 10, 1]),
            // Nothing of at most twice the length fits: 13 x 4 and 17 x 3 are within four and six times.
            (50, "20x4", [13, 4, 1]),
            (64, "128x2", [32, 2, 1]),
            (9, "13", [9, 1, 1]),
            (9, "1x13", [1, 9, 1]),
        ] {
            assert_eq!(near_square(k, &machine.parse()?), Some(shape), "{k} on {machine}");
        }
        assert_eq!(near_square(17, &"4x4".parse()?), None);
        Ok(())
    }

    /// Returns the shape by the definition of [`near_square`], found by trying all sides.
    fn plainly(k: u32, mesh: &Mesh) -> Option<[u32; 3]> {
        let room = rooms(mesh);
        (2..=mesh.nodes().max(2)).find_map(|limit| {
            let mut fitting = Vec::new();
            for a in 1..=room[0] {
                for b in 1..=room[1].min(a) {
                    for c in 1..=room[2].min(b) {
                        // The shortest side along a dimension that the machine has.
                        let shortest = [a, b, c].into_iter().zip(room).filter(|&(_, room)| room > 1);
                        let shortest = shortest.map(|(side, _)| side).min().unwrap_or(1);
                        if a * b * c >= k && a <= limit * shortest {
                            fitting.push((a * b * c, a + b + c, a, [a, b, c]));
                        }
                    }
                }
            }
            fitting.into_iter().min().map(|(.., sides)| along_axes(sides, mesh))
        })
    }

    #[test]
    fn near_squares_equal_their_definition() -> Result<(), super::super::mesh::MeshError> {
        for machine in ["7x5", "16x8", "4x3x3", "1x9", "torus:6x4", "2x7x5", "20x4", "30x2", "8x8x4", "1x6x3"]
        {
            let mesh: Mesh = machine.parse()?;
            for k in 1..=mesh.nodes() {
                assert_eq!(near_square(k, &mesh), plainly(k, &mesh), "{k} on {machine}");
            }
        }
        Ok(())
    }

    #[test]
    fn factors_are_as_even_as_the_machine_allows() -> Result<(), super::super::mesh::MeshError> {
        for (k, machine, shape) in [
            (12, "16x16", [4, 3, 1]),
            (12, "8x16", [3, 4, 1]),
            (7, "16x16", [7, 1, 1]),
            // No 17×1 fits; 18 = 6×3 does.
            (17, "16x16", [6, 3, 1]),
            (14, "4x4", [4, 4, 1]),
            (64, "128x2", [32, 2, 1]),
            (64, "8x8x4", [4, 4, 4]),
            (64, "2x16x16", [2, 8, 4]),
            (30, "5x5x4", [5, 3, 2]),
            (37, "5x5x4", [5, 4, 2]),
            (9, "13", [9, 1, 1]),
            (1, "1", [1, 1, 1]),
        ] {
            assert_eq!(even_factors(k, &machine.parse()?), Some(shape), "{k} on {machine}");
        }
        assert_eq!(even_factors(17, &"4x4".parse()?), None);
        Ok(())
    }

    #[test]
    fn rows_and_powers_of_two_need_not_fit() -> Result<(), super::super::mesh::MeshError> {
        assert_eq!(row(7, &"4x6".parse()?), [1, 7, 1]);
        assert_eq!(row(7, &"8x8x8".parse()?), [7, 1, 1]);
        assert_eq!(powers_of_two(15, &"16x16".parse()?), Some([8, 4, 1]));
        assert_eq!(powers_of_two(13, &"16x16".parse()?), Some([8, 4, 1]));
        assert_eq!(powers_of_two(25, &"5x5x4".parse()?), Some([4, 4, 4]));
        assert_eq!(powers_of_two(26, &"5x5".parse()?), None);
        Ok(())
    }

    #[test]
    fn every_number_of_processors_has_a_shape_that_fits() -> Result<(), super::super::mesh::MeshError> {
        for machine in ["7x5", "4x3x3", "1x9", "torus:6x4", "2x7x5"] {
            let mesh: Mesh = machine.parse()?;
            for k in 1..=mesh.nodes() {
                for rule in [near_square, even_factors] {
                    let shape = rule(k, &mesh).unwrap_or_default();
                    let nodes = shape.iter().product();
                    assert!((k..=mesh.nodes()).contains(&nodes), "{k} on {machine}: {shape:?}");
                    assert!((0..3).all(|d| shape[d] <= mesh.extents()[d]), "{k} on {machine}: {shape:?}");
                }
            }
        }
        Ok(())
    }
}
