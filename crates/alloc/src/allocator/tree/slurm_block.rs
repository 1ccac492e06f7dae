//! Slurm's topology/block: blocks of two, four and more leaves, and segments.
//!
//! Slurm (`SchedMD`), plugin topology/block, development version 26.11 of August 2026. The rules below are
//! ours, in our words; they agree with each answer of a running Slurm to thousands of requests.
//!
//! A base block is a leaf, of B nodes. The block sizes are powers of two times B. Blocks of 2^h base blocks
//! begin at multiples of 2^h; the last one may have fewer. A job, or each of its segments in turn, gets n
//! nodes in these steps:
//!
//! 1. A job of one node gets the free node with the lowest number: it never reaches Slurm's plugin.
//! 2. The block has the least size for at least ⌈n/B⌉ base blocks, or is the whole machine if no size is
//!    large enough. *Inner blocks* have the greatest size for fewer base blocks than the next power of two of
//!    ⌈n/B⌉, or are single base blocks. They count if a block is larger than the M inner blocks that n nodes
//!    need.
//! 3. Of the blocks with n free nodes, the one with the fewest free nodes is chosen, the last one of equals.
//!    If inner blocks count, the n nodes must be free in M of them. Without such a block the job waits.
//! 4. Base blocks are chosen one after the other. If inner blocks count, one in an inner block in use comes
//!    first, then one whose inner block has enough free nodes for the rest, with the fewest free nodes, or
//!    else has the most. Then, a base block with enough free nodes for the rest and the fewest free nodes
//!    comes first, or else the one with the most; the last one of equals. The job waits if more than M inner
//!    blocks would be used.
//! 5. Nodes of a base block are taken in the order of their numbers.
//!
//! Two defects of Slurm are repeated. An incomplete last inner block does not count in step 3 if the block is
//! the whole machine: on 6 leaves of 8 nodes with sizes 8, 16 and 32, a job of 41 nodes never starts. In step
//! 4, a job waits if a chosen base block has no free nodes, although others have.
//!
//! `sizes=8+16+32` is `BlockSizes=8,16,32`; the first one is B, and leaves may have more nodes. Without it
//! they are 1, 2, 4, 8 and 16 leaves, as in Slurm. `segment=s` is `--segment=s`: a job of k·s nodes gets k
//! segments of s nodes, a job of fewer than s nodes one of its size, and other jobs never start.
//!
//! Time O(N + b²) for a block of b base blocks, per segment.

use std::cmp::Reverse;

use super::{first_of_leaves, of_one_node};
use crate::allocator::seam::{
    Allocator, AllocatorEntry, Foresight, Memory, OnTrees, Placement, Promises, Request, Served, Setup,
    Strategy,
};
use meshreplay_base::spec::{Params, SpecError};
use meshreplay_machine::machine::{Levels, Machine};

pub(crate) const ENTRY: AllocatorEntry = AllocatorEntry {
    name: "slurm-block",
    summary: "one block of leaves per segment, by best fit, as Slurm's topology/block",
    source: "Slurm 26.11, topology/block, 2026",
    parameters: "sizes=auto (nodes of blocks, such as 8+16+32), segment=0 (nodes of a segment)",
    trees: OnTrees::Only,
    promises: |_| Promises { exact: true, complete: false, memory: Memory::None },
    ..AllocatorEntry::non_contiguous(build)
};

/// The heights of blocks in Slurm without `BlockSizes`.
const DEFAULT_HEIGHTS: std::ops::RangeInclusive<u32> = 0..=4;

/// The greatest height of blocks.
const MAX_HEIGHT: u32 = 15;

fn build(params: &mut Params, setup: &Setup<'_>) -> Result<Strategy, SpecError> {
    let leaf = setup.mesh.levels().map_or(1, Levels::leaf);
    let text = params.take("sizes", "auto".to_owned(), "sizes of blocks")?;
    let (base, heights) = if text == "auto" {
        (leaf, DEFAULT_HEIGHTS.collect())
    } else {
        parse_sizes(&text).filter(|&(base, _)| base <= leaf).ok_or_else(|| {
            let expected = format!(
                "auto, or nodes of blocks with + between them: up to {leaf} first, and powers of two times \
                 it, such as {leaf}+{}",
                2 * leaf
            );
            params.bad_value("sizes", &text, &expected)
        })?
    };
    let segment = params.take("segment", 0, "a number of nodes; 0 for jobs in one piece")?;
    let strategy = Strategy::of(SlurmBlock { base, heights, segment });
    Ok(strategy.served(Served::ByState(Foresight::Proposes)))
}

/// Returns the first size and the heights of all; `None` if a size is not a power of two times the first one.
fn parse_sizes(text: &str) -> Option<(u32, Vec<u32>)> {
    let sizes = text.split('+').map(|size| size.parse().ok().filter(|&size| size > 0));
    let sizes: Vec<u32> = sizes.collect::<Option<_>>()?;
    let base = *sizes.first()?;
    let height = |size: &u32| {
        let height = (size / base).checked_ilog2()?;
        (base << height.min(MAX_HEIGHT) == *size).then_some(height)
    };
    Some((base, sizes.iter().map(height).collect::<Option<_>>()?))
}

struct SlurmBlock {
    /// Nodes of a base block, B.
    base: u32,
    /// Heights of blocks: a block of height h has 2^h base blocks.
    heights: Vec<u32>,
    /// Nodes of a segment; 0 for jobs in one piece.
    segment: u32,
}

impl Allocator for SlurmBlock {
    fn propose(&mut self, request: &Request, machine: &Machine) -> Option<Placement> {
        if let Some(placement) = of_one_node(request, machine) {
            return Some(placement);
        }
        let levels = machine.mesh().levels()?;
        let mut free = levels.count_by_group(machine.free().iter()).swap_remove(0);
        let mut counts = vec![0; free.len()];
        let nodes = request.procs;
        let segment = if self.segment == 0 { nodes } else { self.segment.min(nodes) };
        if !nodes.is_multiple_of(segment) {
            return None;
        }
        for _ in 0..nodes / segment {
            for (leaf, taken) in Choice::new(self, &free, segment)?.leaves(segment)? {
                free[leaf] -= taken;
                counts[leaf] += taken;
            }
        }
        Some(first_of_leaves(levels, machine, &counts))
    }
}

/// The block of a segment.
struct Choice<'a> {
    /// Free nodes of each leaf.
    free: &'a [u32],
    /// The leaves of the block.
    block: std::ops::Range<usize>,
    /// Leaves of an inner block.
    inner: usize,
    /// The most inner blocks of the segment.
    most: usize,
    /// Whether inner blocks count.
    is_limited: bool,
    /// Free nodes of each inner block of the machine.
    inner_free: Vec<u32>,
}

/// A leaf that is considered.
#[derive(Clone, Copy)]
struct Candidate {
    leaf: usize,
    /// Its free nodes.
    free: u32,
    /// Whether the segment uses its inner block already, or inner blocks do not count.
    is_in_use: bool,
}

impl<'a> Choice<'a> {
    /// Chooses the block for a segment of `nodes`; `None` if there is none.
    fn new(rules: &SlurmBlock, free: &'a [u32], nodes: u32) -> Option<Self> {
        let needed = nodes.div_ceil(rules.base).next_power_of_two().trailing_zeros();
        let heights = || rules.heights.iter().copied();
        let per_block =
            heights().filter(|&height| height >= needed).min().map_or(free.len(), |height| 1 << height);
        let inner = 1_usize << heights().filter(|&height| height < needed).max().unwrap_or(0);
        let most = nodes.div_ceil(rules.base * inner as u32) as usize;
        let is_limited = per_block != inner * most;
        let inner_free: Vec<u32> = free.chunks(inner).map(|leaves| leaves.iter().sum()).collect();
        let usable = |i: usize| -> u32 {
            // Rounding down leaves out an incomplete last inner block of a block that is the whole machine.
            let count = per_block / inner;
            let mut sums: Vec<u32> = inner_free.iter().skip(i * count).take(count).copied().collect();
            sums.sort_unstable_by_key(|&sum| Reverse(sum));
            sums.iter().take(most).sum()
        };
        let sufficient = free.chunks(per_block).enumerate().filter_map(|(i, leaves)| {
            let free = leaves.iter().sum();
            (nodes <= if is_limited { usable(i) } else { free }).then_some((free, Reverse(i)))
        });
        let (_, Reverse(i)) = sufficient.min()?;
        let block = i * per_block..((i + 1) * per_block).min(free.len());
        Some(Self { free, block, inner, most, is_limited, inner_free })
    }

    /// Returns the chosen leaves with the nodes taken from each; `None` if Slurm gives up.
    fn leaves(&self, nodes: u32) -> Option<Vec<(usize, u32)>> {
        let (mut chosen, mut rest): (Vec<(usize, u32)>, u32) = (Vec::new(), nodes);
        let mut used = 0;
        while rest > 0 {
            let others = self.block.clone().filter(|leaf| chosen.iter().all(|(known, _)| known != leaf));
            let candidates = others.map(|leaf| Candidate {
                leaf,
                free: self.free[leaf],
                is_in_use: !self.is_limited
                    || chosen.iter().any(|(known, _)| known / self.inner == leaf / self.inner),
            });
            let best =
                candidates.reduce(|best, next| if self.is_worse(next, best, rest) { best } else { next })?;
            if !best.is_in_use {
                used += 1;
                if used > self.most {
                    return None;
                }
            }
            let taken = rest.min(best.free);
            if taken == 0 {
                return None;
            }
            chosen.push((best.leaf, taken));
            rest -= taken;
        }
        Some(chosen)
    }

    /// Returns whether `next` is worse than `best` for `rest` nodes.
    fn is_worse(&self, next: Candidate, best: Candidate, rest: u32) -> bool {
        let [next_inner, best_inner] = [next, best].map(|candidate| candidate.leaf / self.inner);
        if self.is_limited && next_inner != best_inner {
            if next.is_in_use != best.is_in_use {
                return best.is_in_use;
            }
            let [next, best] = [next_inner, best_inner].map(|inner| fit(self.inner_free[inner], rest));
            if next != best {
                return next > best;
            }
        }
        fit(next.free, rest) > fit(best.free, rest)
    }
}

/// Returns a number that is less for a better fit of `rest` nodes: enough free nodes, and as few as possible;
/// or else as many as possible.
fn fit(free: u32, rest: u32) -> u32 {
    if free >= rest { free } else { u32::MAX - free }
}
