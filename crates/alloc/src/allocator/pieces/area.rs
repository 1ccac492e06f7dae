//! The sides of submeshes within given bounds, the largest area first.

/// Returns the sides of all submeshes of at most `most` nodes whose sides do not exceed `bounds`: by their
/// nodes, the largest first; of equals the one with the longest shortest side, then the widest. A side whose
/// bound is 1 has no choice, and is never the shortest, whether it is along x, y or z.
pub(super) fn sizes(bounds: [u32; 3], most: u32) -> impl Iterator<Item = [u32; 3]> {
    let [a, b, c] = bounds;
    let planes = (1..=c).flat_map(move |z| (1..=b).map(move |y| (y, z)));
    let all = planes.flat_map(move |(y, z)| (1..=a).map(move |x| [x, y, z]));
    let nodes = |[x, y, z]: [u32; 3]| x.saturating_mul(y).saturating_mul(z);
    let mut sizes: Vec<[u32; 3]> = all.filter(|&sides| nodes(sides) <= most).collect();
    let shortest =
        |sides: [u32; 3]| sides.into_iter().zip(bounds).filter(|side| side.1 > 1).map(|side| side.0).min();
    sizes.sort_unstable_by_key(|&sides| std::cmp::Reverse((nodes(sides), shortest(sides), sides)));
    sizes.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_area_comes_first_and_squares_before_rows() {
        let found: Vec<[u32; 3]> = sizes([4, 2, 1], 5).collect();
        let flat = [[2, 2], [4, 1], [3, 1], [2, 1], [1, 2], [1, 1]].map(|[x, y]| [x, y, 1]);
        assert_eq!(found, flat);
    }

    #[test]
    fn a_flat_side_is_ignored_along_every_axis() {
        for axes in [[0, 1, 2], [0, 2, 1], [2, 0, 1]] {
            let along = |sides: [u32; 3]| axes.map(|axis| sides[axis]);
            let firsts: Vec<[u32; 3]> = sizes(along([4, 4, 1]), 4).take(2).collect();
            assert_eq!(firsts[0], along([2, 2, 1]), "the square comes before the rows");
            assert_eq!(firsts[1].iter().max(), Some(&4), "{firsts:?}");
        }
        assert_eq!(sizes([1, 1, 1], 3).collect::<Vec<_>>(), [[1, 1, 1]]);
    }
}
