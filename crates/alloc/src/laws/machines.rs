//! The machines on which the laws are checked.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use meshreplay_machine::machine::{Mesh, NodeId};

/// Machines of every kind, small enough that histories fill and empty them often.
pub const MACHINES: [&str; 14] = [
    "1",
    "13",
    "8x5",
    "16x16",
    "5x4x3",
    "70x2",
    "torus:9",
    "torus:6x5",
    "torus:4x3x3",
    "20x4",
    "8x4:wrap=x",
    "5x6:wrap=y",
    "4x4x3:wrap=xz",
    "ocs:6x2x2x2",
];

/// Returns the machine with some of its nodes unavailable, in several ways: one node, the corner half of
/// every side, the last plane of the last dimension, a checkerboard, and an eighth and a third of the nodes
/// at random. A way that leaves no node, or takes none, is left out.
pub fn with_holes(mesh: &Mesh, seed: u64) -> Vec<Mesh> {
    let last = (0..3).rfind(|&d| mesh.extents()[d] > 1).unwrap_or(0);
    let corner = mesh.extents().map(|extent| extent.div_ceil(2));
    let nodes = |is_in: &dyn Fn(NodeId) -> bool| (0..mesh.nodes()).filter(|&node| is_in(node)).collect();
    let mut sets: Vec<Vec<NodeId>> = vec![
        vec![mesh.nodes() / 2],
        nodes(&|node| (0..3).all(|d| mesh.coord(node)[d] < corner[d])),
        nodes(&|node| mesh.coord(node)[last] + 1 == mesh.extents()[last]),
        nodes(&|node| mesh.coord(node).iter().sum::<u32>() % 2 == 1),
    ];
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    for share in [8, 3] {
        let mut all: Vec<NodeId> = (0..mesh.nodes()).collect();
        let count = all.len() / share;
        // A partial Fisher-Yates shuffle.
        for i in 0..count {
            let j = rng.random_range(i..all.len());
            all.swap(i, j);
        }
        all.truncate(count);
        sets.push(all);
    }
    let runs = |set: &[NodeId]| set.iter().map(|&node| (node, node)).collect::<Vec<_>>();
    sets.iter().filter(|set| !set.is_empty()).filter_map(|set| mesh.without(&runs(set)).ok()).collect()
}
