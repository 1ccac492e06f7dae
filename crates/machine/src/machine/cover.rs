//! Splits the unavailable nodes of a machine into few submeshes.

use super::Coord;
use super::mesh::Mesh;
use super::node_set::NodeSet;
use super::submesh::Submesh;

/// Returns disjoint submeshes that have exactly the unavailable nodes of `mesh`; none if every node is
/// available.
///
/// The search is greedy: the first node that is left, in row-major order, is grown along x, then y, then z as
/// far as possible. So a rectangle or cuboid of unavailable nodes is one submesh. O(N) for N nodes.
pub fn unavailable_submeshes(mesh: &Mesh) -> Vec<Submesh> {
    let mut left = NodeSet::empty(mesh.nodes());
    for &(first, last) in mesh.unavailable() {
        for node in first..=last {
            left.insert(node);
        }
    }
    let mut found = Vec::new();
    for &(first, last) in mesh.unavailable() {
        for node in first..=last {
            if left.contains(node) {
                let place = grown(mesh, &left, mesh.coord(node));
                for node in place.on(mesh) {
                    left.remove(node);
                }
                found.push(place);
            }
        }
    }
    found
}

/// Returns the submesh that begins at `base` and is grown along x, then y, then z while all its nodes are in
/// `set`.
fn grown(mesh: &Mesh, set: &NodeSet, base: Coord) -> Submesh {
    let mut place = Submesh { base, sizes: [1; 3] };
    for d in 0..3 {
        // The next slice: one node deep along d, directly behind the submesh.
        let within = |place: &Submesh| {
            let mut slice = *place;
            slice.base[d] += place.sizes[d];
            slice.sizes[d] = 1;
            slice.base[d] < mesh.extents()[d] && slice.on(mesh).all(|node| set.contains(node))
        };
        while within(&place) {
            place.sizes[d] += 1;
        }
    }
    place
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rectangles_are_found_whole_and_every_node_once() -> Result<(), Box<dyn std::error::Error>> {
        let mesh: Mesh = "6x5x2".parse()?;
        let corner = mesh.without(&[(0, 2), (6, 8), (30, 32), (36, 38)])?;
        assert_eq!(unavailable_submeshes(&corner), [Submesh { base: [0; 3], sizes: [3, 2, 2] }]);
        assert_eq!(unavailable_submeshes(&mesh), []);
        let scattered = mesh.without(&[(1, 1), (3, 9), (13, 13), (20, 27), (44, 59)])?;
        let mut found: Vec<u32> = Vec::new();
        for place in unavailable_submeshes(&scattered) {
            found.extend(place.on(&mesh));
        }
        found.sort_unstable();
        assert!(found.into_iter().eq((0..60).filter(|&node| !scattered.is_available(node))));
        Ok(())
    }
}
