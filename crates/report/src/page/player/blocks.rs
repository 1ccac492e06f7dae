//! The hierarchy of blocks of an allocator, in a compact form for the player.

use std::collections::BTreeMap;

use meshreplay_alloc::allocator::{self, Block, Setup};
use meshreplay_base::spec::Spec;
use meshreplay_machine::machine::Mesh;

/// The hierarchy of blocks of an allocator on a machine. All blocks of a size split in the same way, so the
/// hierarchy follows from its top-level blocks and one rule for each size.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BlockTree {
    /// The base and the sizes of each top-level block.
    pub tops: Vec<[u32; 6]>,
    /// The sizes of a block and the sizes of its parts, for each size that splits.
    pub splits: Vec<[u32; 6]>,
}

/// Returns six numbers in one list.
fn joined(first: [u32; 3], second: [u32; 3]) -> [u32; 6] {
    let mut both = [0; 6];
    both[..3].copy_from_slice(&first);
    both[3..].copy_from_slice(&second);
    both
}

impl BlockTree {
    /// Returns the blocks of the allocator `spec` on `mesh`; `None` if it has no blocks that split, is not
    /// registered, or cannot serve the machine.
    pub(super) fn from_spec(spec: &str, mesh: &Mesh) -> Option<Self> {
        let spec: Spec = spec.parse().ok()?;
        let built = allocator::build(&spec, &Setup::new(mesh, 0)).ok()?;
        Self::from_blocks(&built.strategy.blocks?(mesh))
    }

    /// Returns the short form of all blocks of a hierarchy; `None` if two blocks of a size split differently.
    fn from_blocks(blocks: &[Block]) -> Option<Self> {
        let (mut tops, mut splits) = (Vec::new(), BTreeMap::new());
        for block in blocks {
            match block.parent.and_then(|parent| blocks.get(parent as usize)) {
                None => tops.push(joined(block.base, block.sizes)),
                Some(parent) => {
                    let parts = splits.entry(parent.sizes).or_insert(block.sizes);
                    if *parts != block.sizes {
                        return None;
                    }
                }
            }
        }
        let splits = splits.into_iter().map(|(whole, parts)| joined(whole, parts)).collect();
        Some(Self { tops, splits })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshreplay_alloc::allocator::ALLOCATORS;

    /// Adds a block and all blocks below it, as the page's script takes them apart.
    fn unfold(tree: &BlockTree, base: [u32; 3], sizes: [u32; 3], found: &mut Vec<[u32; 6]>) {
        found.push(joined(base, sizes));
        let Some(split) = tree.splits.iter().find(|split| split[..3] == sizes) else { return };
        let parts = [split[3], split[4], split[5]];
        let steps = |d: usize| (base[d]..base[d] + sizes[d]).step_by(parts[d] as usize);
        for z in steps(2) {
            for y in steps(1) {
                for x in steps(0) {
                    unfold(tree, [x, y, z], parts, found);
                }
            }
        }
    }

    #[test]
    fn every_hierarchy_follows_from_its_short_form() -> Result<(), Box<dyn std::error::Error>> {
        let mut count = 0;
        for machine in ["16x16", "16x15", "7x5", "8x8x8", "5x6x7", "torus:8x8", "13"] {
            let mesh: Mesh = machine.parse()?;
            for entry in ALLOCATORS {
                let Ok(built) = allocator::build(&Spec::named(entry.name), &Setup::new(&mesh, 0)) else {
                    continue;
                };
                let Some(blocks) = built.strategy.blocks.map(|blocks| blocks(&mesh)) else { continue };
                let tree = BlockTree::from_spec(entry.name, &mesh).ok_or("no short form")?;
                let mut found = Vec::new();
                for &top in &tree.tops {
                    unfold(&tree, [top[0], top[1], top[2]], [top[3], top[4], top[5]], &mut found);
                }
                let mut expected: Vec<_> =
                    blocks.iter().map(|block| joined(block.base, block.sizes)).collect();
                expected.sort_unstable();
                found.sort_unstable();
                assert_eq!(found, expected, "{} on {machine}", entry.name);
                count += 1;
            }
        }
        assert!(count >= 10, "{count} hierarchies");
        assert_eq!(BlockTree::from_spec("mc1x1", &Mesh::new(&[4, 4])?), None);
        assert_eq!(BlockTree::from_spec("exec:true", &Mesh::new(&[4, 4])?), None);
        Ok(())
    }
}
