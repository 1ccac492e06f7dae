//! Which of several equally distant nodes a centre takes: the carried order.
//!
//! The simulator of walker-2010's authors keeps one list of the free nodes, at first in location order, and sorts it
//! stably by distance for one centre after another. So nodes equally far from centre i keep the order that the sort
//! for centre i−1 left, and so on back to location order: the key is (d(cᵢ), d(cᵢ₋₁), …, d(c₁), location).
//!
//! Only the nodes of the last, partly used distance need it, and the previous centres are asked one by one only until
//! they have told apart those that are taken from those that are not.

use crate::machine::{Around, Coord, Mask, Masks, Mesh, first_members};

/// Keeps `need` of the equally distant nodes in `tied` (in location order): those that come first by their distances
/// to `previous` centres, latest first, then by location. O(|tied|) per centre that has to be asked.
pub(crate) fn keep_first(
    tied: &mut Vec<Coord>,
    need: usize,
    previous: impl Iterator<Item = Coord>,
    distance: impl Fn(Coord, Coord) -> u32,
) {
    let mut kept = Vec::with_capacity(need);
    let mut by_distance = Vec::new();
    for centre in previous {
        let open = need - kept.len();
        if open == 0 || open == tied.len() {
            break;
        }
        by_distance.clear();
        by_distance.extend(tied.iter().map(|&node| distance(centre, node)));
        let mut sorted = by_distance.clone();
        // Quickselect: whoever is nearer than the last of those taken is taken, whoever is farther is not, and only
        // those at the border itself stay tied for the centre before.
        let (_, &mut border, _) = sorted.select_nth_unstable(open - 1);
        let mut at = 0;
        tied.retain(|&node| {
            let found = by_distance[at];
            at += 1;
            if found < border {
                kept.push(node);
            }
            found == border
        });
    }
    tied.truncate(need - kept.len());
    tied.append(&mut kept);
    tied.sort_unstable();
}

/// [`keep_first`] for nodes of a small machine: what is kept of the rim of `around`, by L1 distances. `previous`
/// centres are places in location order. A few instructions per centre that has to be asked.
pub(crate) fn keep_first_mask(masks: &Masks, around: &Around, previous: impl Iterator<Item = usize>) -> Mask {
    let (mut kept, mut tied) = (0, *around);
    for centre in previous {
        if tied.spare == 0 {
            break;
        }
        if masks.equally_far(tied.rim, centre) {
            continue;
        }
        tied = masks.around(tied.rim, centre, tied.need, tied.radius);
        kept |= tied.inner;
    }
    kept | first_members(tied.rim, tied.need)
}

/// Returns the nodes in location order going back from (not including) `from`.
pub(crate) fn backwards(mesh: &Mesh, from: Coord) -> impl Iterator<Item = Coord> {
    let [_, length, depth] = mesh.extents();
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
    fn settling_equals_sorting_stably_for_one_centre_after_another() -> Result<(), Box<dyn std::error::Error>>
    {
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
                keep_first(&mut tied, k - nearer, backwards(&mesh, nodes[last]), |a, b| mesh.l_inf(a, b));
                let mut plain = carried[nearer..k].to_vec();
                plain.sort_unstable();
                assert_eq!(tied, plain, "centre {last}, k {k}");
            }
        }
        Ok(())
    }
}
