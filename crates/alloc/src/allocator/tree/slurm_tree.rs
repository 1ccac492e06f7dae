//! Slurm's topology/tree: best fit of leaf switches, and of the switches above them.
//!
//! Slurm (`SchedMD`), plugin topology/tree, development version 26.11 of August 2026. The rules below are
//! ours, in our words; they agree with each answer of a running Slurm to thousands of requests.
//!
//! 1. A job of one node gets the free node with the lowest number: it never reaches Slurm's plugin.
//! 2. For a larger job, leaves are chosen one after the other until they have enough free nodes. To choose a
//!    leaf, all leaves with free nodes are compared in order with the best one so far. The later one wins if
//!    it is as far from the chosen leaves and *better*, or if it is nearer and *sufficient*. The distance is
//!    the sum of the links between the switches.
//! 3. Of two leaves, a sufficient one has enough free nodes for the rest of the job and is better than an
//!    insufficient one; of two sufficient ones, the one with fewer free nodes is better. If both are
//!    insufficient, their parents are compared in this way, and so on. Below a common parent the one with
//!    more free nodes is better, and neither is sufficient.
//! 4. The job gets the free nodes of the chosen leaves, in the order of their numbers; of the last leaf the
//!    first ones.
//!
//! With `switches=m`, as in `--switches=m`, a placement on more than m leaves is not carried out, and nothing
//! else is tried. Slurm gives up this wish after a time (`@time`, `max_switch_wait`), and this allocator
//! never does: a job that never fits m leaves is left out by `--oversize skip`.
//!
//! Time O(N + c·L·h) for c chosen leaves out of L on a tree of height h.

use super::{first_of_leaves, of_one_node};
use crate::allocator::seam::{
    Allocator, AllocatorEntry, Foresight, Memory, OnTrees, Placement, Promises, Request, Served, Strategy,
};
use meshreplay_machine::machine::{Levels, Machine};

pub(crate) const ENTRY: AllocatorEntry = AllocatorEntry {
    name: "slurm-tree",
    summary: "few leaf switches, by best fit, as Slurm's topology/tree",
    source: "Slurm 26.11, topology/tree, 2026",
    parameters: "switches=0 (most leaves of a job; 0: any number)",
    trees: OnTrees::Only,
    promises: |spec| Promises {
        exact: true,
        complete: spec.params.get("switches").is_none_or(|switches| switches == "0"),
        memory: Memory::None,
    },
    ..AllocatorEntry::non_contiguous(|params, _| {
        let switches = params.take("switches", 0, "a number of leaves; 0 for any number")?;
        let strategy = Strategy::of(SlurmTree { switches });
        Ok(if switches == 0 { strategy } else { strategy.served(Served::ByState(Foresight::Proposes)) })
    })
};

struct SlurmTree {
    /// The most leaves of a job; 0 for any number.
    switches: u32,
}

impl Allocator for SlurmTree {
    fn propose(&mut self, request: &Request, machine: &Machine) -> Option<Placement> {
        if let Some(placement) = of_one_node(request, machine) {
            return Some(placement);
        }
        let levels = machine.mesh().levels()?;
        let mut choice = Choice::new(levels, machine);
        let mut counts = vec![0; choice.links.len()];
        let (mut rest, mut leaves) = (request.procs, 0);
        while rest > 0 {
            let leaf = choice.best(rest)?;
            let taken = rest.min(choice.take(leaf));
            counts[leaf] = taken;
            (rest, leaves) = (rest - taken, leaves + 1);
        }
        (self.switches == 0 || leaves <= self.switches).then(|| first_of_leaves(levels, machine, &counts))
    }
}

/// The state while leaves of a job are chosen.
struct Choice<'a> {
    levels: &'a Levels,
    /// Free nodes of each group outside chosen leaves, by height.
    free: Vec<Vec<u32>>,
    /// Sum of the links from each leaf switch to the chosen ones.
    links: Vec<u32>,
}

/// A comparison of two leaves.
struct Comparison {
    /// Whether the first one is better.
    is_better: bool,
    /// Whether the first one, or its ancestor that was compared last, has enough free nodes.
    is_sufficient: bool,
}

impl<'a> Choice<'a> {
    fn new(levels: &'a Levels, machine: &Machine) -> Self {
        let free = levels.count_by_group(machine.free().iter());
        Self { levels, links: vec![0; free[0].len()], free }
    }

    /// Returns the group of `height`, counted from 0, that contains a leaf.
    fn group(&self, leaf: usize, height: usize) -> usize {
        leaf / (self.levels.sizes()[height] / self.levels.leaf()) as usize
    }

    /// Compares two different leaves for `rest` nodes, or their first ancestors that differ in them.
    fn compare(&self, first: usize, second: usize, rest: u32) -> Comparison {
        for (height, free) in self.free.iter().enumerate() {
            let [one, other] = [first, second].map(|leaf| free[self.group(leaf, height)]);
            let is_sufficient = one >= rest;
            if is_sufficient || other >= rest {
                let is_better = is_sufficient && (other < rest || one < other);
                return Comparison { is_better, is_sufficient };
            }
            if self.group(first, height + 1) == self.group(second, height + 1) {
                return Comparison { is_better: one > other, is_sufficient };
            }
        }
        Comparison { is_better: false, is_sufficient: false }
    }

    /// Returns the best leaf for `rest` nodes, the first of equals; `None` if no node is free.
    fn best(&self, rest: u32) -> Option<usize> {
        let mut with_nodes = (0..self.links.len()).filter(|&leaf| self.free[0][leaf] > 0);
        let first = with_nodes.next()?;
        Some(with_nodes.fold(first, |best, leaf| {
            let Comparison { is_better, is_sufficient } = self.compare(leaf, best, rest);
            let wins = match self.links[leaf].cmp(&self.links[best]) {
                std::cmp::Ordering::Less => is_sufficient,
                std::cmp::Ordering::Equal => is_better,
                std::cmp::Ordering::Greater => false,
            };
            if wins { leaf } else { best }
        }))
    }

    /// Chooses a leaf. Returns its free nodes.
    fn take(&mut self, leaf: usize) -> u32 {
        let free = self.free[0][leaf];
        for height in 0..self.free.len() {
            let group = self.group(leaf, height);
            self.free[height][group] -= free;
        }
        let size = self.levels.leaf();
        for (other, links) in (0..).zip(&mut self.links) {
            // From switch to switch there is one link less at both ends than from node to node.
            *links += self.levels.links(leaf as u32 * size, other * size).saturating_sub(2);
        }
        free
    }
}
