//! The orientations of a shape in the order in which RFold tries them.

use meshreplay_machine::machine::Mesh;

/// Returns the orientations of the shape `[a, b, c]`, each once: (a, b, c), (a, c, b), (b, a, c), (b, c, a),
/// (c, a, b) and (c, b, a). That is the order of Python's `itertools.permutations`.
pub(super) fn turns([a, b, c]: [u32; 3]) -> Vec<[u32; 3]> {
    let mut found: Vec<[u32; 3]> = Vec::with_capacity(6);
    for sizes in [[a, b, c], [a, c, b], [b, a, c], [b, c, a], [c, a, b], [c, b, a]] {
        if !found.contains(&sizes) {
            found.push(sizes);
        }
    }
    found
}

/// Returns the orientations of a shape that fit `mesh`; empty if none fits.
pub(super) fn turns_on(shape: [u32; 3], mesh: &Mesh) -> Vec<[u32; 3]> {
    let mut found = turns(shape);
    found.retain(|&sizes| mesh.fits(sizes));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_orientation_comes_once() -> Result<(), meshreplay_machine::machine::mesh::MeshError> {
        assert_eq!(turns([1, 2, 3]), [[1, 2, 3], [1, 3, 2], [2, 1, 3], [2, 3, 1], [3, 1, 2], [3, 2, 1]]);
        assert_eq!(turns([2, 1, 2]), [[2, 1, 2], [2, 2, 1], [1, 2, 2]]);
        assert_eq!(turns([2, 2, 2]), [[2, 2, 2]]);
        assert_eq!(turns_on([1, 2, 3], &"3x2".parse()?), [[3, 2, 1]]);
        Ok(())
    }
}
