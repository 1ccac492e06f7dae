//! The sides of submeshes within given bounds, the largest area first.

/// Returns the sides of all submeshes of at most `most` nodes whose sides do not exceed `bounds`: by their
/// nodes, the largest first; of equals the one with the longest shortest side, then the widest.
pub(super) fn sizes([a, b, c]: [u32; 3], most: u32) -> impl Iterator<Item = [u32; 3]> {
    let planes = (1..=c).flat_map(move |z| (1..=b).map(move |y| (y, z)));
    let all = planes.flat_map(move |(y, z)| (1..=a).map(move |x| [x, y, z]));
    let nodes = |[x, y, z]: [u32; 3]| x.saturating_mul(y).saturating_mul(z);
    let mut sizes: Vec<[u32; 3]> = all.filter(|&sides| nodes(sides) <= most).collect();
    let shortest = |[x, y, z]: [u32; 3]| if c == 1 { x.min(y) } else { x.min(y).min(z) };
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
}
