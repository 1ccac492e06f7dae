//! The shape of a job of which only the number of processors is known.

use super::Mesh;

/// The shape of `k` nodes that is nearest to a square or cube and fits into `mesh`; its longest side lies along the
/// longest one of the machine. `None` if the machine has fewer nodes.
///
/// Of all a·b·c = k that fit, the one with the smallest difference of longest and shortest side (then the smallest
/// longest side); if none fits, as for large primes, the same for the smallest number above k for which one does.
/// O(√n) per number n tried.
pub fn near_square(k: u32, mesh: &Mesh) -> Option<[u32; 3]> {
    let mut axes = [0, 1, 2];
    axes.sort_by_key(|&d| std::cmp::Reverse(mesh.extents()[d]));
    let room = axes.map(|d| mesh.extents()[d]);
    let sides = (k.max(1)..=mesh.nodes()).find_map(|nodes| most_even(nodes, room))?;
    let mut shape = [1; 3];
    for (d, side) in axes.into_iter().zip(sides) {
        shape[d] = side;
    }
    Some(shape)
}

/// `k` nodes in one row along the longest dimension of `mesh`, the first of equals; it need not fit. O(1).
pub fn row(k: u32, mesh: &Mesh) -> [u32; 3] {
    let extents = mesh.extents();
    let mut shape = [1; 3];
    let longest = (0..3).rev().max_by_key(|&d| extents[d]).unwrap_or(0);
    shape[longest] = k;
    shape
}

/// [`near_square`] with every side rounded up to a power of two; it need not fit.
pub fn powers_of_two(k: u32, mesh: &Mesh) -> Option<[u32; 3]> {
    Some(near_square(k, mesh)?.map(u32::next_power_of_two))
}

/// The sides a ≥ b ≥ c of `nodes` nodes, each at most that of `room`, which falls too.
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

/// The divisors of `n` up to its square root and `most`.
fn divisors(n: u32, most: u32) -> impl Iterator<Item = u32> {
    (1..=most.min(n.isqrt())).filter(move |&d| n.is_multiple_of(d))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_as_even_as_the_machine_allows() -> Result<(), super::super::mesh::MeshError> {
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
            assert_eq!(near_square(k, &machine.parse()?), Some(shape), "{k} on {machine}");
        }
        assert_eq!(near_square(17, &"4x4".parse()?), None);
        Ok(())
    }

    #[test]
    fn rows_and_powers_of_two_need_not_fit() -> Result<(), super::super::mesh::MeshError> {
        assert_eq!(row(7, &"4x6".parse()?), [1, 7, 1]);
        assert_eq!(row(7, &"8x8x8".parse()?), [7, 1, 1]);
        assert_eq!(powers_of_two(15, &"16x16".parse()?), Some([8, 4, 1]));
        assert_eq!(powers_of_two(25, &"5x5x4".parse()?), Some([8, 8, 1]));
        assert_eq!(powers_of_two(26, &"5x5".parse()?), None);
        Ok(())
    }

    #[test]
    fn every_number_of_processors_has_a_shape_that_fits() -> Result<(), super::super::mesh::MeshError> {
        for machine in ["7x5", "4x3x3", "1x9", "torus:6x4", "2x7x5"] {
            let mesh: Mesh = machine.parse()?;
            for k in 1..=mesh.nodes() {
                let shape = near_square(k, &mesh).unwrap_or_default();
                assert!((k..=mesh.nodes()).contains(&shape.iter().product()), "{k} on {machine}: {shape:?}");
                assert!((0..3).all(|d| shape[d] <= mesh.extents()[d]), "{k} on {machine}: {shape:?}");
            }
        }
        Ok(())
    }
}
