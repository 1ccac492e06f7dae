//! MC1x1, the version behind the published quality results: takes whole shells around a free node, then near
//! nodes.
//!
//! M. Bender et al., "Communication-aware processor allocation for supercomputers", Algorithmica 50(2), 2008;
//! P. Walker, D. Bunde, V. Leung, "Faster high-quality processor allocation", 2010, §IV ("slightly more
//! sophisticated" than the timed version). The details follow their simulator.
//!
//! 1. Every free node is a centre. Let o be the shell (L∞ distance) of its k-th nearest free node.
//! 2. The centre takes all free nodes in shells below o.
//! 3. Until k nodes are taken, it adds the free node in shell o or beyond with the smallest sum of L1
//!    distances to the nodes taken. Ties are broken by L1 distance to the centre, then by location. This is
//!    `fill=nearest`, the rule of the authors' program and of the published numbers. The rule of the paper
//!    takes as many nodes as possible from a shell before higher shells are considered. The program breaks
//!    it: a node beyond shell o may be nearer to the nodes taken than the last nodes of shell o are.
//!    `fill=shells` keeps the rule of the paper, and looks only at shell o.
//! 4. The score of a centre is the sum of the shell numbers of its nodes. The smallest score wins. Of equal
//!    scores, the one that `tie-break` prefers wins (see `tie_break`), then the first centre in location
//!    order.
//!
//! If exactly k nodes are free, the job gets all of them. The strategy never refuses while k nodes are free.
//!
//! The score of the timed version (`mc1x1-shells`) is a lower bound of this score, and it is computed for all
//! centres at once. Centres are tried in the order of this bound, and given up as soon as they cannot win any
//! more. `search=plain` tries every centre in full, as the papers say, with the same result.

use std::collections::BinaryHeap;

use super::fill::{Fill, Last, ShellFill};
use super::plain;
use super::scores::{Centre, Limit, ShellScores};
use super::tie_break::{EXPECTED, TieBreak};
use crate::allocator::known::{Known, Search};
use crate::allocator::seam::{
    Allocator, AllocatorEntry, Contiguity, Memory, OnTori, OnTrees, Placement, Promises, Request, Strategy,
};
use crate::allocator::take_plain;
use meshreplay_machine::machine::{Coord, Machine, Mesh, NodeId};

pub(crate) const ENTRY: AllocatorEntry = AllocatorEntry {
    name: "mc1x1",
    summary: "MC1x1: whole shells around a free centre, then the nodes nearest to those chosen",
    source: "Bender et al., Algorithmica 50(2), 2008; Walker, Bunde, Leung, 2010",
    parameters: "fill=nearest (shells), tie-break=none (SHELLS/AVAILABLE/WALL/BORDER), \
                 search=fast (plain)",
    max_dims: 3,
    trees: OnTrees::BY_COORDINATES,
    refuses_unavailable: None,
    kind: Contiguity::NonContiguous,
    tori: OnTori::Wraps,
    promises: |_| Promises { exact: true, complete: true, memory: Memory::None },
    build: |params, _| {
        let last = params.choose("fill", &[("nearest", Last::Nearest), ("shells", Last::Shell)])?;
        let ties = params.take("tie-break", TieBreak::default(), EXPECTED)?;
        if take_plain(params)? {
            return Ok(Strategy::of(Plain { last, ties }));
        }
        Ok(Strategy::of(Mc1x1 { ties, fill: ShellFill::new(last), ..Mc1x1::default() }))
    },
};

/// MC1x1 as written, see `plain`.
struct Plain {
    last: Last,
    ties: TieBreak,
}

impl Allocator for Plain {
    fn propose(&mut self, request: &Request, machine: &Machine) -> Option<Placement> {
        if request.procs == machine.free_count() {
            return Some(Placement::of_all_free(machine));
        }
        plain::mc1x1(machine, request.procs, self.last, self.ties).map(Placement::of)
    }
}

/// The number of centres that are tried before others are looked for.
const FIRST_BATCH: usize = 128;

#[derive(Default)]
struct Mc1x1 {
    ties: TieBreak,
    shells: ShellScores,
    fill: ShellFill,
    known: Known<Vec<NodeId>>,
}

impl Allocator for Mc1x1 {
    fn propose(&mut self, request: &Request, machine: &Machine) -> Option<Placement> {
        let k = request.procs;
        if k == machine.free_count() {
            return Some(Placement::of_all_free(machine));
        }
        let mesh = machine.mesh();
        if k == 1 && self.ties.is_none() {
            // Every centre takes itself, with a score of 0, so the first one wins.
            let first = mesh.location_order().find(|&node| machine.free().contains(node))?;
            return Some(Placement::of(vec![first]));
        }
        let search = Search::on(machine, k);
        if let Some(nodes) = search.and_then(|search| self.known.get(search)) {
            return Some(Placement::of(nodes.clone()));
        }
        let nodes = self.search(machine, k)?;
        if let Some(search) = search {
            self.known.keep(search, nodes.clone());
        }
        Some(Placement::of(nodes))
    }
}

impl Mc1x1 {
    /// Returns the nodes of the best centre; `None` if the machine was stopped.
    fn search(&mut self, machine: &Machine, k: u32) -> Option<Vec<NodeId>> {
        self.shells.prepare(machine, k);
        let Centre { score: bound, node } = self.shells.best(machine, k)?;
        self.fill.prepare(machine);
        let first = machine.mesh().coord(node);
        let mut best = self.fill.fill(self.shells.counts(), machine, k, first, bound, i64::MAX)?;
        // A score equal to its lower bound cannot be beaten. Then only a tie-break needs the other centres.
        if best.score > bound || !self.ties.is_none() {
            best = self.try_others(machine, k, best)?;
        }
        Some(best.nodes(machine))
    }

    /// Returns the best fill of all centres; `None` if the machine was stopped. `first` is the fill of the
    /// first centre.
    fn try_others(&mut self, machine: &Machine, k: u32, first: Fill) -> Option<Fill> {
        let (mesh, first_centre) = (machine.mesh(), first.centre);
        let mut value = self.value(machine, &first);
        let (mut best, mut tried, mut count) = (first, None, FIRST_BATCH);
        loop {
            // Without a tie-break, a centre with the same score wins only before the best one.
            let last_x = if self.ties.is_none() { best.centre[0] } else { u32::MAX };
            let limit = Limit { score: best.score, last_x };
            let batch = first_centres(&mut self.shells, machine, k, tried, limit, count);
            for &candidate in &batch {
                let (bound, centre) = (candidate.bound(), candidate.centre(mesh));
                if machine.is_stopped() {
                    return None;
                }
                // The largest score of this centre that beats the best one.
                let wins_ties = !self.ties.is_none() || centre < best.centre;
                let limit = if wins_ties { best.score } else { best.score - 1 };
                // All later centres have larger bounds, or later locations with the same bound, and cannot
                // win.
                if bound > limit {
                    return Some(best);
                }
                if centre == first_centre {
                    continue;
                }
                let fill = self.fill.fill(self.shells.counts(), machine, k, centre, bound, limit);
                if let Some(other) = fill {
                    let other_value = self.value(machine, &other);
                    if (other.score, other_value, centre) < (best.score, value, best.centre) {
                        (best, value) = (other, other_value);
                    }
                }
            }
            if batch.len() < count {
                return Some(best);
            }
            tried = batch.last().copied();
            count = count.saturating_mul(8);
        }
    }

    /// Returns the value that decides between equal scores; the smaller one wins. Without a tie-break it is
    /// always 0, so that location decides.
    fn value(&self, machine: &Machine, fill: &Fill) -> i64 {
        if self.ties.is_none() {
            return 0;
        }
        self.ties.value(machine, fill.centre, fill.shell(), &fill.nodes(machine))
    }
}

/// A centre by its place in the order: the bound, and in the lowest 32 bits the rank in location order. One
/// number is compared faster than a score and coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct CandidateCentre(u128);

impl CandidateCentre {
    /// Returns the place of a centre whose score is at least `bound`, which must not be negative.
    fn new(mesh: &Mesh, bound: i64, [x, y, z]: Coord) -> Self {
        let [_, length, depth] = mesh.extents();
        let rank = (x * length + y) * depth + z;
        Self((bound as u128) << 32 | u128::from(rank))
    }

    /// Returns the lower bound of the score.
    pub(super) fn bound(self) -> i64 {
        (self.0 >> 32) as i64
    }

    pub(super) fn centre(self, mesh: &Mesh) -> Coord {
        let ([_, length, depth], rank) = (mesh.extents(), self.0 as u32);
        [rank / depth / length, rank / depth % length, rank % depth]
    }
}

/// Returns the first `count` centres after `after`, or from the start without it, with bounds within `limit`.
/// There are fewer only if no more are left. `shells` must be prepared for `k` nodes of `machine`.
///
/// Centres are sorted by the lower bounds of their scores (see `scores`), then by location. Hundreds of
/// thousands of centres of a large machine may share the smallest bound, and usually only a few of them are
/// tried. A bounded max-heap therefore selects each batch without a list of all centres: it keeps the first
/// centres visited, and its top tightens the limit of the visit.
fn first_centres(
    shells: &mut ShellScores,
    machine: &Machine,
    k: u32,
    after: Option<CandidateCentre>,
    limit: Limit,
    count: usize,
) -> Vec<CandidateCentre> {
    let mesh = machine.mesh();
    // The largest number is on top.
    let mut first = BinaryHeap::new();
    shells.visit(machine, k, limit, |centre| {
        let candidate = CandidateCentre::new(mesh, centre.score, mesh.coord(centre.node));
        if after.is_none_or(|after| candidate > after) {
            if first.len() < count {
                first.push(candidate);
            } else if let Some(mut last) = first.peek_mut().filter(|last| candidate < **last) {
                *last = candidate;
            }
        }
        match first.peek() {
            Some(last) if first.len() == count => {
                limit.min(Limit { score: last.bound(), last_x: last.centre(mesh)[0] })
            }
            _ => limit,
        }
    });
    first.into_sorted_vec()
}

#[cfg(test)]
mod tests {
    use super::super::states::patchy;
    use super::*;

    /// Returns the nodes of the best centre, by a fill around every one.
    fn plain(mc1x1: &mut Mc1x1, machine: &Machine, k: u32) -> Option<Vec<NodeId>> {
        let mesh = machine.mesh();
        mc1x1.shells.prepare(machine, k);
        mc1x1.fill.prepare(machine);
        let mut centres = Vec::new();
        mc1x1.shells.for_each(machine, k, i64::MAX, |centre| centres.push(centre));
        let fills = centres.into_iter().filter_map(|Centre { score, node }| {
            mc1x1.fill.fill(mc1x1.shells.counts(), machine, k, mesh.coord(node), score, i64::MAX)
        });
        let fills: Vec<Fill> = fills.collect();
        let best = fills.iter().min_by_key(|fill| (fill.score, mc1x1.value(machine, fill), fill.centre));
        best.map(|best| best.nodes(machine))
    }

    #[test]
    fn the_best_of_batches_is_the_best_of_all_centres() -> Result<(), Box<dyn std::error::Error>> {
        for (text, ks) in [
            ("40x30", &[1, 6, 23, 70, 150][..]),
            ("torus:36x30", &[6, 23, 70]),
            ("11x10x9", &[1, 5, 20, 60]),
            ("torus:10x9x8", &[5, 20, 60]),
            ("30x20:wrap=y", &[9, 33]),
            ("400", &[2, 9]),
            ("torus:300", &[2, 9]),
            ("10x10", &[1, 4, 16, 30]),
        ] {
            for ties in ["none", "2/1/1/1"] {
                let ties: TieBreak = ties.parse().map_err(|()| "no tie-break")?;
                let mut mc1x1 = Mc1x1 { ties, ..Mc1x1::default() };
                for step in 1..5_u32 {
                    let (side, quarters) = [(1, 2), (4, 2), (3, 1), (2, 3)][step as usize - 1];
                    let machine = patchy(text, side, quarters, step)?;
                    for &k in ks.iter().filter(|&&k| k < machine.free_count()) {
                        let wanted = plain(&mut mc1x1, &machine, k);
                        for _ in 0..2 {
                            let found = mc1x1.propose(&Request::of(k), &machine);
                            let found = found.map(|placement| placement.nodes);
                            assert_eq!(found, wanted, "{text}: {k}, state {step}");
                        }
                    }
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod batch_tests {
    use super::*;
    use meshreplay_machine::machine::NodeId;

    #[test]
    fn batches_are_the_sorted_list_of_all_centres_in_parts() -> Result<(), Box<dyn std::error::Error>> {
        for (text, k) in
            [("30x12", 9), ("torus:17x9", 20), ("7x6x8", 5), ("torus:6x5x6", 30), ("90", 7), ("torus:70", 4)]
        {
            let mut machine = Machine::new(text.parse()?);
            let busy: Vec<NodeId> = (0..machine.mesh().nodes()).filter(|n| (n * n + n / 7) % 5 < 2).collect();
            machine.occupy(&busy)?;
            let (mesh, mut shells) = (machine.mesh(), ShellScores::default());
            shells.prepare(&machine, k);
            let mut all = Vec::new();
            shells.for_each(&machine, k, i64::MAX, |centre| {
                all.push(CandidateCentre::new(mesh, centre.score, mesh.coord(centre.node)));
            });
            all.sort_unstable();
            assert!(all.iter().all(|&one| CandidateCentre::new(mesh, one.bound(), one.centre(mesh)) == one));
            for limit in [all[0].bound(), all[all.len() / 3].bound(), i64::MAX] {
                let wanted: Vec<CandidateCentre> =
                    all.iter().copied().filter(|one| one.bound() <= limit).collect();
                let (mut found, mut count) = (Vec::new(), 1);
                loop {
                    let limit = Limit { score: limit, last_x: u32::MAX };
                    let batch = first_centres(&mut shells, &machine, k, found.last().copied(), limit, count);
                    found.extend_from_slice(&batch);
                    if batch.len() < count {
                        break;
                    }
                    count *= 3;
                }
                assert_eq!(found, wanted, "{text}: bounds up to {limit}");
                // With a largest x at the limit, no centre is left out that is before it.
                let middle = wanted[wanted.len() / 2];
                let within = Limit { score: middle.bound(), last_x: middle.centre(mesh)[0] };
                let batch = first_centres(&mut shells, &machine, k, None, within, usize::MAX);
                assert!(wanted.iter().filter(|&&one| one <= middle).all(|one| batch.contains(one)));
            }
        }
        Ok(())
    }
}
