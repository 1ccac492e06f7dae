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
//! 4. The score is the sum of shell numbers of the nodes taken. The smallest wins, the first centre in location order
//!    of equals.
//!
//! Where exactly k nodes are free, all are taken. Never refuses while k nodes are free.
//!
//! The score of the timed version bounds this one from below, and it is known for all centres at once; centres are
//! tried in the order of that bound and given up as soon as they cannot win any more.

use super::shell_fill::{Fill, ShellFill};
use super::shells::{Centre, ShellScores};
use super::{Allocator, Entry, Kind, Placement, Promises, Request, fits};
use crate::machine::{Coord, Machine};

pub(super) const ENTRY: Entry = Entry {
    name: "mc1x1",
    summary: "MC1x1: whole shells around a free centre, then the nodes nearest to those chosen",
    source: "Bender et al., Algorithmica 50(2), 2008; Walker, Bunde, Leung, 2010",
    parameters: "",
    max_dims: 3,
    kind: Kind::NonContiguous,
    promises: Promises { exact: true, complete: true, forgets: true },
    build: |_, _| Ok(Box::<Mc1x1>::default()),
};

#[derive(Default)]
struct Mc1x1 {
    shells: ShellScores,
    fill: ShellFill,
    candidates: Vec<(i64, Coord)>,
}

impl Allocator for Mc1x1 {
    fn allocate(&mut self, request: &Request, machine: &Machine) -> Option<Placement> {
        let k = request.procs;
        if !fits(*request, machine) {
            return None;
        }
        if k == machine.free_count() {
            return Some(Placement { nodes: machine.free().iter().collect() });
        }
        let mesh = machine.mesh();
        self.shells.prepare(machine, k);
        let Centre { score: bound, node } = self.shells.best(machine, k)?;
        self.fill.prepare(machine);
        let first = mesh.coord(node);
        let mut best = self.fill.fill(self.shells.counts(), machine, k, first, bound, i64::MAX)?;
        if best.score > bound {
            self.candidates.clear();
            let candidates = &mut self.candidates;
            self.shells.for_each(machine, k, best.score, |centre| {
                candidates.push((centre.score, mesh.coord(centre.node)));
                best.score
            });
            self.candidates.sort_unstable();
            for &(bound, centre) in &self.candidates {
                let limit = limit(&best, centre);
                if bound > best.score {
                    break;
                }
                if centre == first || bound > limit {
                    continue;
                }
                if let Some(better) = self.fill.fill(self.shells.counts(), machine, k, centre, bound, limit) {
                    best = better;
                }
            }
        }
        let nodes = best.nodes(machine);
        Some(Placement { nodes })
    }
}

/// The largest score with which `centre` beats `best`.
fn limit(best: &Fill, centre: Coord) -> i64 {
    if centre < best.centre { best.score } else { best.score - 1 }
}
