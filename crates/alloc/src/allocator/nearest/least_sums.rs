//! Lower bounds of pairwise sums: of nodes at the same distance from a centre, and of any k nodes, which ends
//! a search at the first centre that reaches it.

use super::numbers::Axis;
use meshreplay_machine::machine::Mesh;
use meshreplay_machine::yardstick::PairwiseBound;

/// Shells with more places have simpler bounds, as the time for the others grows with the square of the
/// places.
const MOST_PLACES: i64 = 8192;

/// For each radius and number of nodes at this distance from a centre, a lower bound of their pairwise sum.
#[derive(Debug)]
pub(super) struct LeastSums {
    axes: [Axis; 3],
    /// The bounds by radius; empty if they are not known yet.
    by_radius: Vec<Vec<i64>>,
}

impl LeastSums {
    /// Returns the bounds for a machine of these dimensions.
    pub(super) fn new(axes: [Axis; 3]) -> Self {
        Self { axes, by_radius: Vec::new() }
    }

    /// Returns a lower bound of the pairwise sum of `nodes` nodes at distance `radius` from a centre.
    pub(super) fn bound(&mut self, radius: i32, nodes: u32) -> i64 {
        let (r, n) = (i64::from(radius), i64::from(nodes));
        let places = if self.axes.iter().any(|axis| axis.extent == 1) { 4 * r } else { 4 * r * r + 2 };
        if places > MOST_PLACES {
            // Without a ring of odd length, two nodes that are equally far from a third one are at least 2
            // hops apart.
            let is_odd = self.axes.iter().any(|axis| axis.wraps && axis.extent % 2 == 1);
            return if is_odd { n * (n - 1) / 2 } else { n * (n - 1) };
        }
        let radius = radius as usize;
        if self.by_radius.len() <= radius {
            self.by_radius.resize_with(radius + 1, Vec::new);
        }
        let sums = &mut self.by_radius[radius];
        if sums.is_empty() {
            *sums = least_sums(r as i32, self.axes);
        }
        sums.get(nodes as usize).copied().unwrap_or(0)
    }
}

/// Returns for each m up to the number of places at distance `radius` from a centre a lower bound of the
/// pairwise sum of m of them: each is as far from the others as its nearest ones are at least. O(places²).
fn least_sums(radius: i32, axes: [Axis; 3]) -> Vec<i64> {
    let shell = shell(radius, axes);
    let (mut least, mut counts) = (vec![i64::MAX; shell.len()], Vec::new());
    for u in &shell {
        // Other places have the same distances, by symmetry.
        let is_same = |a: usize| axes[a] == axes[a + 1] && u[a] > u[a + 1];
        if u.iter().any(|&at| at < 0) || is_same(0) || is_same(1) {
            continue;
        }
        counts.clear();
        counts.resize(2 * radius as usize + 1, 0);
        for v in &shell {
            counts[hops(axes, u, v) as usize] += 1;
        }
        let (mut sum, mut each) = (0, least.iter_mut());
        for (hops, &count) in (0..).zip(&counts) {
            for least in each.by_ref().take(count) {
                sum += hops;
                *least = sum.min(*least);
            }
        }
    }
    let pairs = least.iter().zip(1..).map(|(&least, m): (_, i64)| (m * least + 1) / 2);
    std::iter::once(0).chain(pairs).collect()
}

/// Returns the offsets of the places at distance `radius` from a centre, z varying fastest.
fn shell(radius: i32, axes: [Axis; 3]) -> Vec<[i32; 3]> {
    let mut places = Vec::new();
    for x in axes[0].within_any(radius).offsets() {
        let left = radius - x.abs();
        for y in axes[1].within_any(left).offsets() {
            let z = left - y.abs();
            let window = axes[2].within_any(z);
            if window.above == z {
                places.push([x, y, z]);
            }
            if z > 0 && window.below == z {
                places.push([x, y, -z]);
            }
        }
    }
    places
}

/// Returns the distance between two offsets.
fn hops(axes: [Axis; 3], a: &[i32; 3], b: &[i32; 3]) -> i32 {
    (0..3).map(|d| axes[d].hops(a[d], b[d])).sum()
}

/// The lower bound of the pairwise sum of any k nodes of one machine, whichever are free.
#[derive(Debug)]
pub(super) struct PairwiseFloor {
    odd_ring: bool,
    bound: PairwiseBound,
}

impl PairwiseFloor {
    /// Returns the bound for machines of the shape `mesh`.
    pub(super) fn new(mesh: &Mesh) -> Self {
        Self { odd_ring: mesh.has_odd_ring(), bound: PairwiseBound::new(mesh) }
    }

    /// Returns the bound for `k` nodes, the larger one of two: that of the best placement on an idle machine,
    /// and one by parity. It is computed once for each k.
    ///
    /// Each pair is at least one hop apart. Without a ring of odd length, two nodes are one hop apart only if
    /// x + y + z is even for one and odd for the other. At most ⌊k²/4⌋ pairs are like that, and all other
    /// pairs are at least two hops apart.
    pub(super) fn bound(&mut self, k: u32) -> u64 {
        let idle = self.bound.of(k);
        let k = u64::from(k);
        let pairs = k * (k - 1) / 2;
        idle.max(if self.odd_ring { pairs } else { 2 * pairs - (k / 2) * k.div_ceil(2) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_shells_are_not_below_their_bounds() {
        let line = |extent| Axis { extent, wraps: false };
        let ring = |extent| Axis { extent, wraps: true };
        let machines = [
            [line(1), line(9), line(9)],
            [line(9); 3],
            [ring(4), line(9), ring(5)],
            [ring(3), ring(6), ring(7)],
            [line(1), line(1), ring(8)],
            [line(2), line(3), ring(8)],
        ];
        for axes in machines {
            for radius in 1..5 {
                let (shell, least) = (shell(radius, axes), least_sums(radius, axes));
                assert_eq!(least.len(), shell.len() + 1);
                for (i, place) in shell.iter().enumerate() {
                    assert_eq!(hops(axes, place, &[0; 3]), radius);
                    // The places nearest to each one, and some others.
                    let mut near = shell.clone();
                    near.sort_by_key(|other| hops(axes, place, other));
                    let spread: Vec<[i32; 3]> =
                        shell.iter().cycle().skip(i).step_by(2).take(shell.len() / 2).copied().collect();
                    for list in [near, spread] {
                        for m in 0..=list.len() {
                            let some = &list[..m];
                            let pairs = some.iter().enumerate().flat_map(|(j, a)| {
                                some[..j].iter().map(move |b| i64::from(hops(axes, a, b)))
                            });
                            assert!(pairs.sum::<i64>() >= least[m], "{axes:?}, radius {radius}: {m}");
                        }
                    }
                }
            }
        }
    }
}
