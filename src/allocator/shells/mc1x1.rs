//! MC1x1, the version behind the published quality results: whole shells, then the node nearest to those chosen.
//!
//! M. Bender et al., "Communication-aware processor allocation for supercomputers", Algorithmica 50(2), 2008;
//! P. Walker, D. Bunde, V. Leung, "Faster high-quality processor allocation", 2010, §IV ("slightly more
//! sophisticated" than the timed version), as their simulator has it.
//!
//! 1. Every free node is a centre. Let o be the shell (L∞ distance) of its k-th nearest free node.
//! 2. Take all free nodes in shells below o.
//! 3. Until k are taken, add the free node in shell o or beyond with the smallest sum of L1 distances to those taken;
//!    ties by L1 distance to the centre, then by location.
//!    That is `fill=nearest`, the authors' program, from which the published numbers come. It breaks a sentence of the
//!    paper, that as many nodes as possible are taken from a shell before higher ones are considered: a node beyond
//!    shell o may be nearer to those taken than the last ones of shell o. `fill=shells` keeps the sentence: it looks
//!    at shell o only.
//! 4. The score is the sum of shell numbers of the nodes taken. The smallest wins; of equals the one that `tie-break`
//!    prefers (see there), then the first centre in location order.
//!
//! Where exactly k nodes are free, all are taken. Never refuses while k nodes are free.
//!
//! The score of the timed version bounds this one from below, and it is known for all centres at once; centres are
//! tried in the order of that bound and given up as soon as they cannot win any more.

use super::fill::{Fill, Last, ShellFill};
use super::scores::{Centre, ShellScores};
use super::tie_break::{EXPECTED, TieBreak};
use crate::allocator::seam::{Allocator, Contiguity, Entry, Placement, Promises, Request, Strategy};
use crate::machine::{Coord, Machine};

pub(crate) const ENTRY: Entry = Entry {
    name: "mc1x1",
    summary: "MC1x1: whole shells around a free centre, then the nodes nearest to those chosen",
    source: "Bender et al., Algorithmica 50(2), 2008; Walker, Bunde, Leung, 2010",
    parameters: "fill=nearest (shells), tie-break=none (SHELLS/AVAILABLE/WALL/BORDER)",
    max_dims: 3,
    kind: Contiguity::NonContiguous,
    promises: |_| Promises { exact: true, complete: true, forgets: true },
    build: |params, _| {
        let last = params.choose("fill", &[("nearest", Last::Nearest), ("shells", Last::Shell)])?;
        let ties = params.take("tie-break", TieBreak::default(), EXPECTED)?;
        Ok(Strategy::of(Mc1x1 { ties, fill: ShellFill::new(last), ..Mc1x1::default() }))
    },
};

#[derive(Default)]
struct Mc1x1 {
    ties: TieBreak,
    shells: ShellScores,
    fill: ShellFill,
    candidates: Vec<(i64, Coord)>,
}

impl Allocator for Mc1x1 {
    fn propose(&mut self, request: &Request, machine: &Machine) -> Option<Placement> {
        let k = request.procs;
        if k == machine.free_count() {
            return Some(Placement::of_all_free(machine));
        }
        let mesh = machine.mesh();
        self.shells.prepare(machine, k);
        let Centre { score: bound, node } = self.shells.best(machine, k)?;
        self.fill.prepare(machine);
        let first = mesh.coord(node);
        let mut best = self.fill.fill(self.shells.counts(), machine, k, first, bound, i64::MAX)?;
        if best.score > bound || !self.ties.is_none() {
            self.list_candidates(machine, k, best.score);
            let mut value = self.value(machine, &best);
            for &(bound, centre) in &self.candidates {
                if machine.is_stopped() {
                    return None;
                }
                if bound > best.score {
                    break;
                }
                // The largest score with which it can beat the best so far.
                let wins_ties = !self.ties.is_none() || centre < best.centre;
                let limit = if wins_ties { best.score } else { best.score - 1 };
                if centre == first || bound > limit {
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
        }
        let nodes = best.nodes(machine);
        Some(Placement::of(nodes))
    }
}

impl Mc1x1 {
    /// Lists the centres whose score can be at most `limit`, the most promising ones first.
    fn list_candidates(&mut self, machine: &Machine, k: u32, limit: i64) {
        self.candidates.clear();
        let candidates = &mut self.candidates;
        self.shells.for_each(machine, k, limit, |centre| {
            candidates.push((centre.score, machine.mesh().coord(centre.node)));
            limit
        });
        self.candidates.sort_unstable();
    }

    /// Returns the value that decides between equal scores, the smaller one wins; 0 for all if location decides.
    fn value(&self, machine: &Machine, fill: &Fill) -> i64 {
        if self.ties.is_none() {
            return 0;
        }
        self.ties.value(machine, fill.centre, fill.shell(), &fill.nodes(machine))
    }
}
