//! Machines half of whose nodes are busy, and the placements that hold them.

use meshreplay::allocator::Placement;
use meshreplay::machine::{Machine, Mesh, Submesh};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A kind of machine, and one of each size.
pub(crate) struct Family {
    pub(crate) title: &'static str,
    /// The machines of `2^8`, `2^12`, `2^16`, `2^20` and `2^22` nodes.
    pub(crate) machines: [&'static str; 5],
    /// The sides of the larger and of the smaller patches that are busy or free.
    sides: [u32; 2],
}

/// All families.
pub(crate) const FAMILIES: [Family; 5] = [
    Family {
        title: "2D meshes",
        machines: ["16x16", "64x64", "256x256", "1024x1024", "2048x2048"],
        sides: [16, 4],
    },
    Family {
        title: "2D tori",
        machines: ["torus:16x16", "torus:64x64", "torus:256x256", "torus:1024x1024", "torus:2048x2048"],
        sides: [16, 4],
    },
    Family {
        title: "3D meshes",
        machines: ["8x8x4", "16x16x16", "64x32x32", "128x128x64", "256x128x128"],
        sides: [8, 2],
    },
    Family {
        title: "3D tori",
        machines: [
            "torus:8x8x4",
            "torus:16x16x16",
            "torus:64x32x32",
            "torus:128x128x64",
            "torus:256x128x128",
        ],
        sides: [8, 2],
    },
    Family { title: "Arrays", machines: ["256", "4096", "65536", "1048576", "4194304"], sides: [256, 16] },
];

/// Returns a machine about half of whose nodes are busy, and the placements that hold them: a third of its
/// large patches are busy, a third free, and half of the small patches of the others.
pub(crate) fn half_busy(family: &Family, mesh: &Mesh) -> (Machine, Vec<Placement>) {
    let mut machine = Machine::new(mesh.clone());
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut held = Vec::new();
    for large in patches([0; 3], mesh.extents(), family.sides[0]) {
        let taken: Vec<Submesh> = match rng.random_range(0..3) {
            0 => vec![large],
            1 => Vec::new(),
            _ => patches(large.base, large.sizes, family.sides[1])
                .into_iter()
                .filter(|_| rng.random_bool(0.5))
                .collect(),
        };
        for patch in taken {
            let nodes = patch.nodes(&machine);
            if machine.occupy(&nodes).is_ok() {
                held.push(Placement::of(nodes));
            }
        }
    }
    (machine, held)
}

/// Divides a submesh into patches of `side` along each dimension, or what is left there.
fn patches(base: [u32; 3], sizes: [u32; 3], side: u32) -> Vec<Submesh> {
    let along = |d: usize| {
        (0..sizes[d]).step_by(side as usize).map(move |at| (base[d] + at, side.min(sizes[d] - at)))
    };
    let mut all = Vec::new();
    for (z, depth) in along(2) {
        for (y, height) in along(1) {
            all.extend(along(0).map(|(x, width)| Submesh { base: [x, y, z], sizes: [width, height, depth] }));
        }
    }
    all
}
