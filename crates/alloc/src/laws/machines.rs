//! Machines for the checks of laws, and the specs that serve each machine.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::allocator::{self, ALLOCATORS, Promises, Setup};
use meshreplay_base::spec::{Spec, SpecError};
use meshreplay_machine::machine::order::ORDERS;
use meshreplay_machine::machine::{Mesh, NodeId};

/// Machines of every kind, small enough that histories fill and empty them often.
pub const MACHINES: [&str; 16] = [
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
    "tree:5x4",
    "tree:2x3x4",
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

/// Specs that are more than a name.
const TEXTS: &[&str] = &[
    "anca:split=full",
    "gabl:turn=yes",
    "gabl:search=area",
    "gabl:search=area,turn=yes",
    "qna:repeat=literal",
    "rbs:turn=yes",
    "first-fit:turn=yes",
    "best-of:paging|mm",
    "mc1x1:fill=shells",
    "paging:list=returned",
    "paging:list=returned,order=shuffled-snake",
    "mbs:join=no",
    "mc:search=plain",
    "mc1x1:search=plain",
    "mc1x1-shells:search=plain",
    "gen-alg:search=plain",
    "mm:search=plain",
    "adaptive-scan:search=plain",
    "fixed-orientation:search=plain",
    "slurm-tree:switches=2",
    "slurm-block:sizes=4+8",
    "slurm-block:sizes=2+4+8,segment=3",
    "kueue:mode=required",
    "kueue:mode=unconstrained",
    "kueue:mode=unconstrained,profile=best-fit",
    "kueue:level=2,slice=3",
    "kueue:mode=unconstrained,slice=2,slice-level=2",
];

/// Returns every row that serves the machine, its variants, and every curve with every selection where the
/// order exists for that many dimensions; each with what its resolved spec promises. Fails if one of them
/// cannot be built, which would be a fault of this crate.
pub fn variants(mesh: &Mesh) -> Result<Vec<(Spec, Promises)>, SpecError> {
    let mut specs: Vec<Spec> = ALLOCATORS.iter().map(|entry| Spec::named(entry.name)).collect();
    specs.extend(TEXTS.iter().map(|text| text.parse()).collect::<Result<Vec<_>, _>>()?);
    for order in ["row-major", "snake", "shuffled-row-major", "shuffled-snake"] {
        for size in ["0", "1"] {
            specs.push(Spec::named("paging").with("order", order).with("size", size));
        }
    }
    specs.retain(|spec| ALLOCATORS.iter().any(|entry| entry.name == spec.name && entry.serves(mesh)));
    // The members of the text do not serve trees.
    specs.retain(|spec| mesh.levels().is_none() || spec.members.is_none());
    for order in ORDERS.iter().filter(|order| order.build(mesh).is_ok()) {
        for select in ["best-fit", "first-fit", "free-list", "sum-of-squares"] {
            specs.push(Spec::named("curve").with("order", order.name).with("select", select));
        }
    }
    let setup = Setup::new(mesh, 0);
    specs.into_iter().map(|spec| Ok((spec.clone(), allocator::build(&spec, &setup)?.promises))).collect()
}
