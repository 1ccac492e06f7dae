//! The fragmentation of a tree of switches: free groups, slices in groups, and Slurm's number.

use meshreplay_machine::machine::{Levels, Machine, Mesh, NodeId};

/// The most leaves of a block in Slurm's number: blocks have 1, 2, 4, 8 and 16 leaves, as without
/// `BlockSizes`.
const LARGEST_BLOCK: usize = 16;

/// The groups of a tree.
#[derive(Debug)]
pub(super) struct Groups {
    levels: Levels,
    /// Nodes of each group that jobs can have, by height.
    available: Vec<Vec<u32>>,
    /// Free nodes of each group, by height.
    free: Vec<Vec<u32>>,
}

impl Groups {
    /// Returns the groups of an idle machine; `None` if it is not a tree.
    pub(super) fn on(mesh: &Mesh) -> Option<Self> {
        let levels = mesh.levels()?.clone();
        let nodes: Vec<NodeId> = (0..mesh.nodes()).filter(|&node| mesh.is_available(node)).collect();
        let available = levels.count_by_group(nodes.into_iter());
        Some(Self { levels, free: available.clone(), available })
    }

    /// Counts the free nodes of a machine. O(N).
    pub(super) fn update(&mut self, machine: &Machine) {
        self.free = self.levels.count_by_group(machine.free().iter());
    }

    /// Returns the nodes of the largest group without a node in use or down; 1 if only single nodes are free,
    /// and 0 if none is.
    pub(super) fn largest(&self) -> u32 {
        let idle = self.free.iter().flatten().zip(self.available.iter().flatten());
        let largest = idle.filter(|(free, available)| free == available).map(|(&free, _)| free).max();
        let is_any_free = self.free[0].iter().any(|&free| free > 0);
        largest.unwrap_or(0).max(u32::from(is_any_free))
    }

    /// Returns how many slices of `nodes` nodes are free at once, each in one group of the least height with
    /// as many nodes.
    pub(super) fn fit(&self, nodes: u32) -> u32 {
        let height = self.levels.sizes().iter().position(|&size| size >= nodes);
        height.map_or(0, |height| self.free[height].iter().map(|free| free / nodes).sum())
    }

    /// Returns the fragmentation that Slurm's topology/block computes: the nodes in use, and the nodes of
    /// each block that is not idle. Blocks of all sizes count, the last one of a size only if it is complete.
    /// 0 on an idle machine. A leaf with unavailable nodes is never idle. O(leaves).
    pub(super) fn slurm(&self) -> u64 {
        let (leaves, size) = (&self.free[0], u64::from(self.levels.leaf()));
        let is_idle = |leaf: &u32| u64::from(*leaf) == size;
        let sizes = std::iter::successors(Some(1), |blocks| Some(2 * blocks))
            .take_while(|&blocks| blocks <= LARGEST_BLOCK);
        let in_use = |block: usize| {
            leaves.chunks_exact(block).filter(|block| !block.iter().all(is_idle)).count() as u64
                * block as u64
        };
        let busy: u32 = self.available[0].iter().zip(leaves).map(|(available, free)| available - free).sum();
        u64::from(busy) + sizes.map(in_use).sum::<u64>() * size
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Tested = Result<(), Box<dyn std::error::Error>>;

    /// The states and numbers of Slurm's unit test of its topology/block, on 8 blocks of 4 nodes.
    #[test]
    fn numbers_are_those_of_slurm() -> Tested {
        let mut machine = Machine::new("tree:8x4".parse()?);
        let mut groups = Groups::on(machine.mesh()).ok_or("no tree")?;
        for (taken, expected) in
            [(vec![], 0), (vec![0], 61), (vec![1, 2], 63), (vec![31], 92), ((3..31).collect(), 160)]
        {
            machine.occupy(&taken)?;
            groups.update(&machine);
            assert_eq!(groups.slurm(), expected);
        }
        Ok(())
    }

    #[test]
    fn groups_and_slices_are_counted() -> Tested {
        let mut machine = Machine::new("tree:2x2x3:without=9".parse()?);
        let mut groups = Groups::on(machine.mesh()).ok_or("no tree")?;
        for (taken, largest, fits) in [
            (vec![], 11, [11, 4, 3, 2, 1]),
            (vec![0], 5, [10, 4, 2, 2, 1]),
            (vec![6, 7], 3, [8, 3, 1, 1, 1]),
            (vec![3, 10], 1, [6, 2, 0, 1, 0]),
            (vec![1, 2, 4, 5, 8, 11], 0, [0; 5]),
        ] {
            machine.occupy(&taken)?;
            groups.update(&machine);
            assert_eq!(
                (groups.largest(), [1, 2, 3, 4, 7].map(|nodes| groups.fit(nodes))),
                (largest, fits),
                "{taken:?}"
            );
        }
        Ok(())
    }
}
