//! MC1x1, the version behind the published quality results: takes whole shells around a free node, then near nodes.
//!
//! M. Bender et al., "Communication-aware processor allocation for supercomputers", Algorithmica 50(2), 2008;
//! P. Walker, D. Bunde, V. Leung, "Faster high-quality processor allocation", 2010, §IV ("slightly more
//! sophisticated" than the timed version). The details are those of their simulator.
//!
//! 1. Every free node is a centre. Let o be the shell (L∞ distance) of its k-th nearest free node.
//! 2. The centre takes all free nodes in shells below o.
//! 3. Until k nodes are taken, it adds the free node in shell o or beyond with the smallest sum of L1 distances to the
//!    nodes taken. Ties are broken by L1 distance to the centre, then by location.
//!    This is `fill=nearest`, the rule of the authors' program, from which the published numbers come. The paper says
//!    that as many nodes as possible are taken from a shell before higher shells are considered. The program breaks
//!    this rule: a node beyond shell o may be nearer to the nodes taken than the last nodes of shell o are.
//!    `fill=shells` keeps the rule of the paper, and looks only at shell o.
//! 4. The score of a centre is the sum of the shell numbers of its nodes. The smallest score wins. Of equal scores, the
//!    one that `tie-break` prefers wins (see `tie_break`), then the first centre in location order.
//!
//! If exactly k nodes are free, the job gets all of them. The strategy never refuses while k nodes are free.
//!
//! The score of the timed version (`mc1x1-shells`) is a lower bound of this score, and it is computed for all centres
//! at once. Centres are tried in the order of this bound, and given up as soon as they cannot win any more.

use super::centre::Centre;
use super::fill::{Fill, Last, ShellFill};
use super::scores::ShellScores;
use super::tie_break::{EXPECTED, TieBreak};
use crate::allocator::seam::{Allocator, Contiguity, Entry, OnTori, Placement, Promises, Request, Strategy};
use crate::machine::{Coord, Machine, Mesh};

pub(crate) const ENTRY: Entry = Entry {
    name: "mc1x1",
    summary: "MC1x1: whole shells around a free centre, then the nodes nearest to those chosen",
    source: "Bender et al., Algorithmica 50(2), 2008; Walker, Bunde, Leung, 2010",
    parameters: "fill=nearest (shells), tie-break=none (SHELLS/AVAILABLE/WALL/BORDER)",
    max_dims: 3,
    refuses_unavailable: None,
    kind: Contiguity::NonContiguous,
    tori: OnTori::Wraps,
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
    /// The centres that can still win, in ascending order of the lower bound of their score, then in location order: the
    /// bound and, in the lowest 32 bits, the rank in location order. Numbers are sorted faster than coordinates.
    candidates: Vec<u128>,
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
        // A score equal to its lower bound cannot be beaten. Then only a tie-break needs the other centres.
        if best.score > bound || !self.ties.is_none() {
            self.list_candidates(machine, k, best.score);
            let mut value = self.value(machine, &best);
            for &candidate in &self.candidates {
                let (bound, centre) = ((candidate >> 32) as i64, ranked(mesh, candidate as u32));
                if machine.is_stopped() {
                    return None;
                }
                if bound > best.score {
                    break;
                }
                // The largest score with which this centre can beat the best so far.
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
    /// Sets `candidates` to the centres for which the lower bound is at most `limit`.
    fn list_candidates(&mut self, machine: &Machine, k: u32, limit: i64) {
        self.candidates.clear();
        let (candidates, mesh) = (&mut self.candidates, machine.mesh());
        let [_, length, depth] = mesh.extents();
        self.shells.for_each(machine, k, limit, |centre| {
            let [x, y, z] = mesh.coord(centre.node);
            let rank = (x * length + y) * depth + z;
            candidates.push((centre.score as u128) << 32 | u128::from(rank));
        });
        self.candidates.sort_unstable();
    }

    /// Returns the value that decides between equal scores; the smaller one wins. Without a tie-break it is always 0,
    /// so that location decides.
    fn value(&self, machine: &Machine, fill: &Fill) -> i64 {
        if self.ties.is_none() {
            return 0;
        }
        self.ties.value(machine, fill.centre, fill.shell(), &fill.nodes(machine))
    }
}

/// Returns the node of a rank in location order.
fn ranked(mesh: &Mesh, rank: u32) -> Coord {
    let [_, length, depth] = mesh.extents();
    [rank / depth / length, rank / depth % length, rank % depth]
}
