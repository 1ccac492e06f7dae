//! The number of disjoint submeshes of given sides that fit into the free nodes.

use meshreplay_machine::machine::{FreeSubmeshes, Machine, Mesh, Submesh, along_axes};

/// Returns the orientations of a slice that fit the machine: first with the longest side along the machine's
/// longest dimension and so on, then the others in ascending order of their sides.
pub(super) fn orientations(sides: [u32; 3], mesh: &Mesh) -> Vec<[u32; 3]> {
    let mut found = vec![along_axes(sides, mesh)];
    let mut others: Vec<[u32; 3]> = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]]
        .map(|axes| axes.map(|d| sides[d]))
        .into();
    others.sort_unstable();
    others.dedup();
    found.extend(others.into_iter().filter(|other| *other != along_axes(sides, mesh)));
    found.retain(|&sizes| mesh.fits(sizes));
    found
}

/// Counts disjoint free submeshes greedily: orientation by orientation, in scan order (z, then y, then x of
/// the base), every submesh of nodes that are free and in no earlier submesh.
pub(super) fn fit(search: &mut FreeSubmeshes, machine: &Machine, orientations: &[[u32; 3]]) -> u32 {
    let (mut left, mut found) = (machine.clone(), 0);
    for &sizes in orientations {
        search.find(&left, sizes);
        for base in search.iter() {
            let place = Submesh { base, sizes };
            // A node of an earlier submesh is no longer free.
            if place.is_free(&left) && left.occupy(&place.nodes(machine)).is_ok() {
                found += 1;
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orientations_that_do_not_fit_are_left_out() -> Result<(), meshreplay_machine::machine::mesh::MeshError>
    {
        let found = orientations([4, 2, 1], &"4x2x4".parse()?);
        assert_eq!(found, [[4, 1, 2], [1, 2, 4], [2, 1, 4], [4, 2, 1]]);
        Ok(())
    }
}
