//! Lower bounds of the sum T of the L1 distances over the pairs of n points of the unbounded grid.
//!
//! One dimension: n consecutive points are best, with T = (n³ − n)/6.
//!
//! Two dimensions, up to n = 49: the optimal towns of E. Demaine, S. Fekete, G. Rote, N. Schweer, D.
//! Schymura, M. Zelke, "Integer point sets minimizing average pairwise L1 distance: What is the optimal shape
//! of a town?", Computational Geometry 44(2), 2011 (OEIS A193452).
//!
//! Two dimensions, beyond: κ/2·√n·n·(n−1). Here κ = 0.650245952951 is the mean distance in the optimal city
//! of area 1 (C. Bender, M. Bender, E. Demaine, S. Fekete, "What is the optimal shape of a city?", J. Phys. A
//! 37, 2004). At n = 49 this is 0.9 % below the optimum, and the relative gap falls as 1/n. Proof: Put a unit
//! square around each point. Let the rows have r points each, the columns c points each, and let Q = Σc² +
//! Σr². Let E be the continuous sum over pairs. E = T + Q/6, because squares of the same column are 1/3 apart
//! along x on average, and squares of the same row along y. The optimal city gives E ≥ κ/2·n^(5/2). Along y,
//! consider two sets of measures a ≥ b. The sum of their distances is at least a²b/4 + b³/12 ≥ ab(a + b)/6,
//! since nested intervals are closest. Over all pairs of columns, the part of E along y is therefore at least
//! n·Σc²/6. The same holds along x. Hence E ≥ n·Q/6, so Q/6 ≤ T/(n−1), and T = E − Q/6 ≥ E·(n−1)/n.
//!
//! Three dimensions, up to n = 31: own computation, which the tests repeat. Take the points on every line
//! parallel to an axis and arrange them around its middle, at 0, 1, −1, 2, −2 and so on. This does not
//! increase T: for two lines the sum of distances along them is least if both are centred, and the other
//! coordinates stay. So some optimum is a stack: each line holds at most as many points as the lines nearer
//! to the middle. Such stacks are the plane partitions of n, which can be enumerated.
//!
//! Three dimensions, beyond: E·(1 − 2/(3κ√n)) with E = λ·n^(7/3) and λ = 3·(κ²/16)^(1/3)·B(4/3, 4/3). Proof:
//! Cut the continuous set across x into slices of area c(x), and let F be the area summed up to x. The part
//! of E along x is ∫F(n − F). L1 distances are of negative type. So two slices are on average at least as far
//! apart as half the mean distance within one plus half that within the other, and each mean is at least κ√c.
//! So the rest of E is at least κ/2·n·∫c^(3/2). By Hölder's inequality, (∫F(n − F))^(1/3) · (∫c^(3/2))^(2/3)
//! ≥ ∫(u(n − u))^(1/3) du = B(4/3, 4/3)·n^(5/3). The inequality of arithmetic and geometric means then gives
//! E. Adding up the second estimate over the axes gives Σ∫c^(3/2) ≤ 4E/(κn), and Q ≤ √n·Σ∫c^(3/2).

/// The least pairwise sums of n = 0, 1, … points of the plane.
const PLANE: [u64; 50] = [
    0, 0, 1, 4, 8, 16, 25, 38, 54, 72, 96, 124, 152, 188, 227, 272, 318, 374, 433, 496, 563, 632, 716, 804,
    895, 992, 1091, 1204, 1318, 1442, 1570, 1704, 1840, 1996, 2153, 2318, 2486, 2656, 2847, 3040, 3241, 3446,
    3662, 3886, 4112, 4360, 4612, 4868, 5128, 5398,
];

/// The least pairwise sums of n = 0, 1, … points in three dimensions.
const SPACE: [u64; 32] = [
    0, 0, 1, 4, 8, 16, 25, 36, 48, 68, 89, 112, 136, 168, 201, 238, 278, 322, 369, 420, 472, 536, 599, 664,
    734, 812, 891, 972, 1062, 1156, 1249, 1344,
];

/// The mean L1 distance of two points of the optimal city of area 1, rounded down.
const CITY: f64 = 0.650_245_952;

/// Returns a lower bound, in hops, of the pairwise sum of `n` points of the unbounded grid with `dims`
/// dimensions. O(1).
pub(super) fn unbounded(dims: usize, n: u64) -> u64 {
    let table: &[u64] = match dims {
        0 => return 0,
        1 => return packed(n, 1),
        2 => &PLANE,
        _ => &SPACE,
    };
    let from_table = |n: u64| table.get(n as usize).copied();
    from_table(n).unwrap_or_else(|| {
        let points = n as f64;
        if dims == 2 {
            return rounded_up(CITY / 2.0 * points.sqrt() * points * (points - 1.0));
        }
        // B(4/3, 4/3) = 0.529985…, rounded down.
        let continuous = 3.0 * (CITY * CITY / 16.0).cbrt() * 0.529_98 * points.powi(2) * points.cbrt();
        let discrete = continuous * (1.0 - 2.0 / (3.0 * CITY * points.sqrt()));
        // The mean distance of an optimum never falls: leaving out each point in turn gives Σ T(n−1) =
        // (n−2)·T(n).
        let last = table.len() as f64 - 1.0;
        let mean = table[table.len() - 1] as f64 / (last * (last - 1.0));
        rounded_up(discrete.max(mean * points * (points - 1.0)))
    })
}

/// Returns the smallest integer that is not below `bound`. `bound` is first lowered by a tiny share, so that
/// rounding errors cannot raise the result.
pub(super) fn rounded_up(bound: f64) -> u64 {
    (bound * (1.0 - 1e-12)).ceil() as u64
}

/// Returns the smallest sum of hops along one dimension over the pairs of `n` points, if at most `most`
/// points share a position. The best arrangement has full positions next to each other, and the rest of the
/// points at one end. O(1).
///
/// A cut with P points below it separates P·(n − P) pairs. So the task is to find values of P from 0 to n
/// that rise by at most `most` at a time, such that the sum of P·(n − P) is smallest. P·(n − P) is concave.
/// Therefore, in a run of values that are `most` apart, shifting all of them in one of the two directions
/// lowers the sum, until one more step is full. One step remains that is not full, and its best place is the
/// last.
pub(super) fn packed(n: u64, most: u64) -> u64 {
    let (n, most) = (u128::from(n), u128::from(most));
    // Σ over i = 1..=q of i·most·(n − i·most).
    let q = n / most;
    let sum = n * most * q * (q + 1) / 2 - most * most * (q * (q + 1) * (2 * q + 1) / 6);
    u64::try_from(sum).unwrap_or(u64::MAX)
}

/// Returns the part of a mesh's lower bound that costs O(1), in hops. It is the larger of two: the least sum
/// on the unbounded grid, and the sum over the dimensions of the least sum along each. `sides` are the sides
/// of the mesh, each above 1.
pub(super) fn simple(sides: &[u64], k: u64) -> u64 {
    let nodes: u64 = sides.iter().product();
    let along_each = sides.iter().map(|side| packed(k, nodes / side)).fold(0, u64::saturating_add);
    unbounded(sides.len(), k).max(along_each)
}
