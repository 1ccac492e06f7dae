//! Two-dimensional buddy: the smallest square block with a power of two as side that holds the job's shape.
//!
//! K. Li, K.-H. Cheng, "A two-dimensional buddy system for dynamic resource allocation in a partitionable
//! mesh connected system", J. Parallel and Distributed Computing 12(1), 1991.
//!
//! 1. A job of a × b nodes gets a whole block of side 2^⌈log₂ max(a, b)⌉. The nodes that the job does not
//!    need are internal fragmentation.
//! 2. If no block of this size is free, take the first free block of the next larger size that has one. Split
//!    it into four blocks, and split the one with the lowest base again until it has the wanted size.
//! 3. When a job ends, its block is freed. Four sibling blocks that are all free are joined to their parent
//!    block again.
//!
//! The original needs a machine of 2^n × 2^n nodes; this is `partition=whole`. With `partition=pieces` any
//! machine is divided into squares as for MBS. A three-dimensional machine is divided into cubes, which split
//! into eight, and an array into intervals, which split into two. Free blocks of a size are ordered by their
//! base in scan order (z, then y, then x), which is a choice of ours.
//!
//! Blocks are aligned to a grid of their size, so the strategy may refuse a job although a free square
//! exists. Jobs larger than the largest block never fit. Time O(log N) on a machine of N nodes, and the time
//! to list the nodes.

use super::allocator::BlockAllocator;
use super::octet_mbs::cubes;
use super::system::{BlockOrder, Buddy, Forest};
use crate::allocator::contiguous::orientations::orientations;
use crate::allocator::seam::{
    AllocatorEntry, Block, Foresight, NodesFor, OnTori, Placement, Request, Served, Setup, Strategy,
};
use meshreplay_base::spec::{Params, SpecError};
use meshreplay_machine::machine::{Machine, Mesh, NodeId, Submesh};

pub(crate) const ENTRY: AllocatorEntry = AllocatorEntry {
    name: "buddy-2d",
    summary: "the smallest square block of a power of two that holds the job's shape",
    source: "Li, Cheng, J. Parallel and Distributed Computing 12(1), 1991",
    parameters: "partition=pieces (whole)",
    tori: OnTori::NeverWraps("its blocks lie inside the machine, as published"),
    ..AllocatorEntry::contiguous(build)
};

/// Reads the parameter `partition` and builds the allocator. Fails for `partition=whole` if the machine's
/// sides are not all the same power of two.
fn build(params: &mut Params, setup: &Setup<'_>) -> Result<Strategy, SpecError> {
    let whole = params.choose("partition", &[("pieces", false), ("whole", true)])?;
    let mesh = setup.mesh;
    let extents = &mesh.extents()[..mesh.dims()];
    if whole && extents.iter().any(|&extent| extent != extents[0] || !extent.is_power_of_two()) {
        return Err(SpecError::Unsuited {
            owner: params.owner().to_owned(),
            machine: mesh.to_string(),
            problem:
                "all sides must be the same power of two, such as 16x16; partition=pieces takes any machine"
                    .to_owned(),
        });
    }
    let strategy = BlockAllocator::strategy(mesh, blocks, BlockOrder::Scan, one_block);
    let layout = Layout::new(mesh);
    let foresight = Foresight::Function(Box::new(move |request, machine| layout.choose(request, machine)));
    Ok(strategy.served(Served::ByState(foresight)).with_nodes_for(nodes_for))
}

/// All blocks of a machine, in use or not.
struct Layout {
    /// The blocks, in the order of the forest.
    blocks: Vec<Block>,
    /// For each class the indices in `blocks` of the blocks of this class, in scan order.
    classes: Vec<Vec<u32>>,
}

impl Layout {
    /// Lists the blocks of `mesh` by class.
    fn new(mesh: &Mesh) -> Self {
        let blocks = blocks(mesh).blocks;
        let count = blocks.iter().map(|block| usize::from(block.class) + 1).max().unwrap_or(0);
        let mut classes = vec![Vec::new(); count];
        for (i, block) in (0..).zip(&blocks) {
            classes[usize::from(block.class)].push(i);
        }
        for class in &mut classes {
            class.sort_by_key(|&i: &u32| {
                let [x, y, z] = blocks[i as usize].base;
                [z, y, x]
            });
        }
        Self { blocks, classes }
    }

    /// Returns the nodes that the allocator would choose if the machine were in the state of `machine`;
    /// `None` if it would refuse.
    ///
    /// Free children are always joined, so the state of the nodes determines the free blocks: a block is in
    /// the list of free blocks if all its nodes are free, and its parent, if it has one, has a node in use.
    fn choose(&self, request: &Request, machine: &Machine) -> Option<Placement> {
        let class = class_for(request, machine.mesh())? as usize;
        let is_free = |i: u32| place(&self.blocks[i as usize]).is_free(machine);
        let listed = |&i: &u32| is_free(i) && self.blocks[i as usize].parent.is_none_or(|i| !is_free(i));
        let block =
            self.classes.get(class..)?.iter().find_map(|blocks| blocks.iter().copied().find(listed))?;
        // A larger block is split, and the part at its base is split again, until it has the wanted class.
        let sizes = self.blocks[*self.classes[class].first()? as usize].sizes;
        let base = self.blocks[block as usize].base;
        Some(Placement::of(Submesh { base, sizes }.nodes(machine)))
    }
}

/// Returns the submesh that a block covers.
fn place(block: &Block) -> Submesh {
    Submesh { base: block.base, sizes: block.sizes }
}

/// Builds the hierarchy of blocks. A machine with two dimensions of more than one node is divided into
/// squares, a machine with three into cubes, and a machine with one into intervals.
fn blocks(mesh: &Mesh) -> Forest {
    let axes: Vec<usize> = (0..3).filter(|&d| mesh.extents()[d] > 1).collect();
    if axes.len() == 3 {
        return cubes(mesh);
    }
    let mut forest = Forest::new(1 << axes.len());
    let mut parts = vec![([0; 3], mesh.extents())];
    while let Some((base, sizes)) = parts.pop() {
        let least = axes.iter().map(|&d| sizes[d]).min().unwrap_or(1);
        if least == 0 {
            continue;
        }
        let class = least.ilog2();
        let side = 1 << class;
        forest.add_tree(base, class as u8, &axes);
        // As for MBS: the part beyond the block along the first dimension has the full size along the others.
        for (i, &d) in axes.iter().enumerate() {
            let (mut base, mut sizes) = (base, sizes);
            base[d] += side;
            sizes[d] -= side;
            for &before in &axes[..i] {
                sizes[before] = side;
            }
            parts.push((base, sizes));
        }
    }
    forest
}

/// Returns the class of the block that serves a request, which is the base-2 logarithm of its side; `None` if
/// the request's shape does not fit the machine in any orientation.
fn class_for(request: &Request, mesh: &Mesh) -> Option<u32> {
    let shape = request.sides_on(mesh).filter(|&shape| !orientations(shape, mesh).is_empty())?;
    let longest = shape.into_iter().max()?;
    Some(longest.checked_next_power_of_two()?.ilog2())
}

/// Gives a job one block of its class. Returns the nodes of the block; `None` if no block of this class or a
/// larger one is free, or if the job's shape does not fit the machine.
fn one_block(buddy: &mut Buddy, request: &Request, mesh: &Mesh) -> Option<Vec<NodeId>> {
    buddy.hand_out_one(class_for(request, mesh)? as usize)
}

/// Returns how many nodes the block that serves a request has; `u32::MAX`, more than are ever free, if the
/// request's shape does not fit the machine.
fn nodes_for(request: &Request, mesh: &Mesh) -> NodesFor {
    let dims = mesh.extents().iter().filter(|&&extent| extent > 1).count() as u32;
    let nodes = class_for(request, mesh).and_then(|class| 1_u32.checked_shl(class * dims));
    NodesFor::exactly(nodes.unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::allocator::seam::Allocator;

    fn idle(mesh: &Mesh) -> BlockAllocator {
        BlockAllocator::new(Buddy::new(mesh, &blocks(mesh), BlockOrder::Scan), one_block)
    }

    type Placed = Option<([u32; 3], usize)>;

    /// Runs the jobs one after the other and returns the base and the number of nodes of each job's block;
    /// `None` for a refused job.
    fn blocks_of(machine: &str, jobs: &[[u32; 3]]) -> Result<Vec<Placed>, Box<dyn std::error::Error>> {
        let mut machine = Machine::new(machine.parse()?);
        let mut strategy = idle(machine.mesh());
        let fresh = strategy.buddy.clone();
        let (mut found, mut held) = (Vec::new(), Vec::new());
        for &sides in jobs {
            let placement = strategy.propose(&Request::sides(sides), &machine);
            if let Some(placement) = &placement {
                machine.occupy(&placement.nodes)?;
                strategy.accepted(placement, &machine);
                held.push(placement.clone());
            }
            found.push(
                placement.map(|placement| (machine.mesh().coord(placement.nodes[0]), placement.nodes.len())),
            );
        }
        for placement in held {
            machine.vacate(&placement.nodes);
            strategy.released(&placement, &machine);
        }
        assert_eq!(strategy.buddy, fresh);
        Ok(found)
    }

    #[test]
    fn the_published_example_wastes_half_a_block() -> Result<(), Box<dyn std::error::Error>> {
        // Job 1 (1×2) gets the 2×2 block at (0, 0) and wastes two nodes. Job 2 (3×3) gets the first free 4×4
        // block.
        let found = blocks_of("8x8", &[[1, 2, 1], [3, 3, 1], [5, 1, 1], [4, 4, 1], [2, 1, 1]])?;
        let expected =
            [Some(([0, 0, 0], 4)), Some(([4, 0, 0], 16)), None, Some(([0, 4, 0], 16)), Some(([2, 0, 0], 4))];
        assert_eq!(found, expected);
        Ok(())
    }

    #[test]
    fn pieces_of_any_machine_serve_and_cubes_of_solid_ones() -> Result<(), Box<dyn std::error::Error>> {
        let found = blocks_of("6x4", &[[3, 2, 1], [2, 2, 1], [3, 3, 1], [1, 1, 1]])?;
        assert_eq!(found, [Some(([0, 0, 0], 16)), Some(([4, 0, 0], 4)), None, Some(([4, 2, 0], 1))]);
        let found = blocks_of("4x4x4", &[[2, 1, 2], [2, 2, 1], [1, 1, 3]])?;
        assert_eq!(found, [Some(([0, 0, 0], 8)), Some(([2, 0, 0], 8)), None]);
        // A shape with layers does not fit a flat machine.
        assert_eq!(blocks_of("8x8", &[[2, 2, 2]])?, [None]);
        Ok(())
    }

    #[test]
    fn flat_machines_are_partitioned_as_for_mbs() -> Result<(), Box<dyn std::error::Error>> {
        for machine in ["8x8", "16x15", "5x4", "7x3"] {
            let mesh: Mesh = machine.parse()?;
            assert_eq!(blocks(&mesh).tops(), super::super::mbs::layers(&mesh).tops(), "{machine}");
        }
        assert_eq!(blocks(&"4x1x4".parse()?).tops(), [([0; 3], [4, 1, 4])]);
        assert_eq!(blocks(&"6".parse()?).tops(), [([0; 3], [4, 1, 1]), ([4, 0, 0], [2, 1, 1])]);
        assert_eq!(
            blocks_of("6", &[[3, 1, 1], [2, 1, 1], [1, 1, 1]])?,
            [Some(([0; 3], 4)), Some(([4, 0, 0], 2)), None]
        );
        Ok(())
    }

    #[test]
    fn what_is_foreseen_is_what_a_new_allocator_would_do() -> Result<(), Box<dyn std::error::Error>> {
        let mut rng = ChaCha8Rng::seed_from_u64(3);
        let mut random = move |below: u32| rng.random_range(0..below);
        for machine in ["8x8", "7x5", "13", "5x4x3"] {
            let mesh: Mesh = machine.parse()?;
            let layout = Layout::new(&mesh);
            for _ in 0..300 {
                let (share, mut machine) = (1 + random(9), Machine::new(mesh.clone()));
                let busy: Vec<u32> = (0..mesh.nodes()).filter(|_| random(10) >= share).collect();
                machine.occupy(&busy)?;
                let mut told = idle(&mesh);
                told.buddy.occupy(&busy);
                let request = Request::of(1 + random(mesh.nodes() / 2));
                let sorted = |placement: Option<Placement>| {
                    placement.map(|placement| {
                        let mut nodes = placement.nodes;
                        nodes.sort_unstable();
                        nodes
                    })
                };
                let foreseen = sorted(layout.choose(&request, &machine));
                assert_eq!(foreseen, sorted(told.propose(&request, &machine)), "{request:?} on {mesh}");
            }
        }
        Ok(())
    }

    #[test]
    fn the_original_wants_a_power_of_two() -> Result<(), Box<dyn std::error::Error>> {
        for (machine, fine) in [("8x8", true), ("6x6", false), ("8x4", false), ("4x4x4", true), ("16", true)]
        {
            let mesh = machine.parse()?;
            let spec = "buddy-2d:partition=whole".parse()?;
            let built = crate::allocator::build(&spec, &Setup::new(&mesh, 0));
            let message = built.map(|built| built.spec.to_string()).map_err(|error| error.to_string());
            match message {
                Ok(spec) => assert!(fine && spec == "buddy-2d:partition=whole", "{machine}"),
                Err(message) => {
                    assert!(!fine && message.contains("partition=pieces"), "{machine}: {message}");
                }
            }
        }
        Ok(())
    }
}
