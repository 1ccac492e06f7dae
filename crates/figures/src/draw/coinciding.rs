//! Finds curves that coincide, for a sentence below the chart.

use super::drawing::Position;

/// Largest distance between coinciding curves, in pixels.
const NEAR: f64 = 1.0;

/// A curve: its name, its path in pixels from left to right, and whether lines join its points.
pub(super) type NamedPath<'a> = (&'a str, Vec<Position>, bool);

/// Returns the positions of the curves in groups that coincide, in the order of their first curves.
pub(super) fn groups(curves: &[NamedPath<'_>]) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (i, (_, path, is_path)) in curves.iter().enumerate() {
        let is_like = |group: &&mut Vec<usize>| {
            let (_, first, is_first_path) = &curves[group[0]];
            is_path == is_first_path && coincide(first, path, *is_path)
        };
        match groups.iter_mut().find(is_like) {
            Some(group) => group.push(i),
            None => groups.push(vec![i]),
        }
    }
    groups
}

/// The largest number of coinciding curves of a group that are all named.
const NAMED: usize = 6;

/// Returns a sentence that names the coinciding curves of these groups; `None` if there are none.
pub(super) fn sentence(curves: &[NamedPath<'_>], mut groups: Vec<Vec<usize>>) -> Option<String> {
    if groups.len() == 1 && curves.len() > 3 {
        return Some(format!("All {} curves coincide.", curves.len()));
    }
    groups.retain(|group| group.len() > 1);
    let clause = |group: &Vec<usize>| {
        let names: Vec<&str> = group.iter().map(|&i| curves[i].0).collect();
        let listed = if names.len() > NAMED { &names[..NAMED - 2] } else { &names[..names.len() - 1] };
        let last = if names.len() > NAMED {
            format!("{} more", names.len() - listed.len())
        } else {
            names.last()?.to_string()
        };
        Some(format!("{} and {last} coincide", listed.join(", ")))
    };
    let clauses: Vec<String> = groups.iter().filter_map(clause).collect();
    (!clauses.is_empty()).then(|| format!("{}.", clauses.join("; ")))
}

/// Returns whether two curves are nowhere farther apart than [`NEAR`]. Points without lines have to be
/// equally many.
fn coincide(a: &[Position], b: &[Position], are_paths: bool) -> bool {
    let is_near = |(a, b): (&Position, &Position)| (a.0 - b.0).abs() <= NEAR && (a.1 - b.1).abs() <= NEAR;
    let (Some(ends_a), Some(ends_b)) = (a.first().zip(a.last()), b.first().zip(b.last())) else {
        return false;
    };
    if a.len() == b.len() && a.iter().zip(b).all(is_near) {
        return true;
    }
    are_paths
        && is_near((ends_a.0, ends_b.0))
        && is_near((ends_a.1, ends_b.1))
        && follows(a, b)
        && follows(b, a)
}

/// Returns whether every point of `points` is above or below the path at most by [`NEAR`]. O(points + path).
fn follows(points: &[Position], path: &[Position]) -> bool {
    let mut next = 1;
    points.iter().all(|&(x, y)| {
        while next + 1 < path.len() && path[next].0 < x {
            next += 1;
        }
        let Some(&[from, to]) = path.get(next - 1..=next) else { return false };
        let part = if to.0 > from.0 { ((x - from.0) / (to.0 - from.0)).clamp(0.0, 1.0) } else { 0.0 };
        let (low, high) = if to.0 - from.0 < NEAR {
            // A steep piece: every height between its ends is on it.
            (from.1.min(to.1), from.1.max(to.1))
        } else {
            let y = from.1 + part * (to.1 - from.1);
            (y, y)
        };
        y >= low - NEAR && y <= high + NEAR
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_on_each_other_are_named() {
        let line = |points: &[(f64, f64)]| points.to_vec();
        let straight = line(&[(0.0, 0.0), (100.0, 50.0)]);
        let bent = line(&[(0.0, 0.4), (50.0, 25.5), (100.0, 50.2)]);
        let other = line(&[(0.0, 0.0), (50.0, 29.0), (100.0, 50.0)]);
        let said = |curves: &[(&'static str, &Vec<(f64, f64)>)]| {
            let curves: Vec<_> = curves.iter().map(|(name, path)| (*name, (*path).clone(), true)).collect();
            sentence(&curves, groups(&curves))
        };
        assert_eq!(said(&[("a", &straight), ("b", &bent)]).as_deref(), Some("a and b coincide."));
        assert_eq!(said(&[("a", &straight), ("b", &other)]), None);
        let four = [("a", &straight), ("b", &other), ("c", &bent), ("d", &other)];
        assert_eq!(said(&four).as_deref(), Some("a and c coincide; b and d coincide."));
        let all = [("a", &straight), ("b", &bent), ("c", &bent), ("d", &straight)];
        assert_eq!(said(&all).as_deref(), Some("All 4 curves coincide."));
        assert_eq!(said(&all[..3]).as_deref(), Some("a, b and c coincide."));
        // Neither a shorter curve nor an empty one coincides.
        assert_eq!(said(&[("a", &straight), ("b", &line(&[(0.0, 0.0), (50.0, 25.0)]))]), None);
        assert_eq!(said(&[("a", &Vec::new()), ("b", &Vec::new())]), None);
        let points = |path: &Vec<(f64, f64)>| ("p", path.clone(), false);
        let said = |curves: &[NamedPath<'static>]| sentence(curves, groups(curves));
        assert_eq!(said(&[points(&straight), points(&bent)]), None);
        assert_eq!(said(&[points(&bent), points(&bent)]).as_deref(), Some("p and p coincide."));
        let many = vec![points(&straight); 9];
        let one = said(&[many, vec![points(&bent)]].concat());
        assert_eq!(one.as_deref(), Some("p, p, p, p and 5 more coincide."));
    }
}
