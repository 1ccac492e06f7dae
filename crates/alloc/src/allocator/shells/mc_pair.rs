//! MC-pair: takes nodes around each centre as MC1x1 does, and lets the smallest pairwise sum win.
//!
//! P. Walker, D. Bunde, V. Leung, "Faster high-quality processor allocation", 2010, §V, describe a family of
//! strategies. Its members differ in the centres, in the nodes that a centre takes, and in the score. MC-pair
//! is a member of this family.
//!
//! 1. Every free node is a centre, in location order. It takes the nodes that MC1x1 takes.
//! 2. The score of a centre is the sum of L1 distances over all pairs of its nodes. The smallest score wins;
//!    of equals the first centre.
//!
//! The strategy never refuses while k nodes are free. A fill ends as soon as its lower bound shows that it
//! cannot win, and centres of small bounds come first (see `pairs`). Still it fills around many centres, so
//! it takes many times as long as MC1x1.

use super::fill::{Fill, ShellFill};
use super::pairs::Pairs;
use crate::allocator::seam::{Allocator, AllocatorEntry, Placement, Request, Strategy};
use meshreplay_machine::machine::{Coord, FreeCounts, Machine};

pub(crate) const ENTRY: AllocatorEntry = AllocatorEntry {
    name: "mc-pair",
    summary: "MC1x1 judged by the pairwise sum instead of shell numbers",
    source: "the family of Walker, Bunde, Leung, 2010, §V",
    ..AllocatorEntry::non_contiguous(|_, _| Ok(Strategy::of(McPair::default())))
};

#[derive(Default)]
struct McPair {
    counts: FreeCounts,
    fill: ShellFill,
    pairs: Pairs,
    /// The centres with lower bounds of their scores, ascending.
    centres: Vec<(u64, Coord)>,
}

impl Allocator for McPair {
    fn propose(&mut self, request: &Request, machine: &Machine) -> Option<Placement> {
        let k = request.procs;
        if k == machine.free_count() {
            return Some(Placement::of_all_free(machine));
        }
        self.counts.rebuild(machine, 0);
        self.fill.prepare(machine);
        self.list_centres(machine, k)?;
        let (mesh, counts) = (machine.mesh(), &self.counts);
        let mut best: Option<Fill<u64>> = None;
        for &(bound, centre) in &self.centres {
            if machine.is_stopped() {
                return None;
            }
            let mut limit = u64::MAX;
            if let Some(best) = &best {
                // No centre that follows has a smaller bound, or an earlier location with the same bound.
                if (bound, centre) > (best.score, best.centre) {
                    break;
                }
                limit = if centre < best.centre { best.score } else { best.score - 1 };
            }
            let shell = counts.reach(centre, k)?;
            self.pairs.start(counts, mesh, k, centre, shell, limit);
            // A fill that completes beats the best one.
            if let Some(fill) = self.fill.fill_for(counts, machine, k, centre, shell, &mut self.pairs) {
                best = Some(fill);
            }
        }
        best.map(|fill| Placement::of(fill.nodes(machine)))
    }
}

impl McPair {
    /// Lists the free nodes with their bounds. Returns `None` if the machine was stopped.
    fn list_centres(&mut self, machine: &Machine, k: u32) -> Option<()> {
        let (mesh, counts) = (machine.mesh(), &self.counts);
        self.pairs.prepare(mesh, k);
        self.centres.clear();
        for node in machine.free().iter() {
            if machine.is_stopped() {
                return None;
            }
            let centre = mesh.coord(node);
            let shell = counts.reach(centre, k)?;
            self.centres.push((self.pairs.bound(counts, mesh, k, centre, shell), centre));
        }
        self.centres.sort_unstable();
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::states::patchy;
    use super::*;
    use meshreplay_machine::machine::{NodeId, pairwise_sum};

    /// Returns the nodes of the best centre, by a whole fill around every one. Checks that each bound is one,
    /// and that fills are given up if they are above a limit, and only then.
    fn plain(machine: &Machine, k: u32) -> Result<Vec<NodeId>, Box<dyn std::error::Error>> {
        let mesh = machine.mesh();
        let (mut counts, mut fill, mut pairs) =
            (FreeCounts::default(), ShellFill::default(), Pairs::default());
        counts.rebuild(machine, 0);
        fill.prepare(machine);
        pairs.prepare(mesh, k);
        let mut best: Option<(u64, Vec<NodeId>)> = None;
        for node in mesh.location_order().filter(|&node| machine.free().contains(node)) {
            let centre = mesh.coord(node);
            // The score of MC1x1, which would need another bound than 0, is not looked at.
            let found = fill.fill(&counts, machine, k, centre, 0, i64::MAX).ok_or("no fill")?.nodes(machine);
            let sum = pairwise_sum(mesh, &found);
            let shell = counts.reach(centre, k).ok_or("too few")?;
            let bound = pairs.bound(&counts, mesh, k, centre, shell);
            assert!(bound <= sum, "{k} around {centre:?}: {bound} is above {sum}");
            pairs.start(&counts, mesh, k, centre, shell, sum);
            let kept = fill.fill_for(&counts, machine, k, centre, shell, &mut pairs).ok_or("given up")?;
            assert_eq!((kept.score, kept.nodes(machine)), (sum, found.clone()), "{k} around {centre:?}");
            if let Some(less) = sum.checked_sub(1) {
                pairs.start(&counts, mesh, k, centre, shell, less);
                assert!(fill.fill_for(&counts, machine, k, centre, shell, &mut pairs).is_none());
            }
            if best.as_ref().is_none_or(|best| sum < best.0) {
                best = Some((sum, found));
            }
        }
        Ok(best.ok_or("no free node")?.1)
    }

    #[test]
    fn the_best_by_bounds_is_the_best_of_all_centres() -> Result<(), Box<dyn std::error::Error>> {
        for (text, ks) in [
            ("20x15", &[1, 2, 6, 23, 70, 120][..]),
            ("torus:18x15", &[1, 6, 23, 70]),
            ("torus:40x5", &[3, 30, 60]),
            ("8x7x6", &[1, 5, 20, 60]),
            ("torus:8x6x7", &[5, 20, 60]),
            ("15x10:wrap=y", &[9, 33]),
            ("6x5x6:wrap=xz", &[4, 30]),
            ("200", &[1, 2, 9, 40]),
            ("torus:150", &[2, 9, 40]),
            ("1x60", &[7]),
            ("10x10", &[4, 16, 30]),
        ] {
            let mut mc_pair = McPair::default();
            for (side, quarters, seed) in [(1, 2, 1), (4, 2, 2), (3, 1, 3), (2, 3, 4), (1, 0, 5)] {
                let machine = patchy(text, side, quarters, seed)?;
                for &k in ks.iter().filter(|&&k| k < machine.free_count()) {
                    let found = mc_pair.propose(&Request::of(k), &machine).ok_or("refused")?;
                    assert_eq!(found.nodes, plain(&machine, k)?, "{text}: {k}, state {seed}");
                }
            }
        }
        Ok(())
    }
}
