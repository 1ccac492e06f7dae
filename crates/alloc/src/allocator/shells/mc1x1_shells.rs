//! MC1x1, the timed version: takes the k free nodes in the lowest shells around a free node.
//!
//! M. Bender et al., "Communication-aware processor allocation for supercomputers", Algorithmica 50(2), 2008;
//! timed in P. Walker, D. Bunde, V. Leung, "Faster high-quality processor allocation", 2010, Fig. 17.
//!
//! 1. Every free node is a centre. Shell i around it is the set of nodes at L∞ distance i.
//! 2. A centre takes the k free nodes in the lowest shells. Its score is the sum of their shell numbers.
//! 3. The centre of smallest score wins; of equals the first in location order.
//! 4. From the last shell, `ties=carried` takes nodes in the order of the authors' simulator: by the distance
//!    to the centre before, then to the one before that, and so on. `ties=location` takes the first in
//!    location order.
//!
//! If exactly k nodes are free, the job gets all of them. The strategy never refuses while k nodes are free.
//! A call takes time O(N·R) in vectorised passes, where R is the number of shells that k nodes need. Most
//! rows of centres are given up early. `search=plain` walks over the shells around every free node instead,
//! as the papers say, with the same result.

use super::plain;
use super::scores::ShellScores;
use crate::allocator::nearest::carried::{self, CarriedOrder, TIES, Ties};
use crate::allocator::seam::{Allocator, AllocatorEntry, Placement, Request, Strategy};
use crate::allocator::take_plain;
use meshreplay_machine::machine::{Coord, Machine, NodeId, ranges};

pub(crate) const ENTRY: AllocatorEntry = AllocatorEntry {
    name: "mc1x1-shells",
    summary: "the version of MC1x1 that was timed: k free nodes nearest to a centre by shell",
    source: "Bender et al., Algorithmica 50(2), 2008; Walker, Bunde, Leung, 2010",
    parameters: "ties=carried (location), search=fast (plain)",
    ..AllocatorEntry::non_contiguous(|params, _| {
        let ties = params.choose("ties", TIES)?;
        let is_plain = take_plain(params)?;
        Ok(Strategy::of(Mc1x1Shells { ties, is_plain, shells: ShellScores::default() }))
    })
};

struct Mc1x1Shells {
    ties: Ties,
    /// Whether the best centre is found by a walk around every centre.
    is_plain: bool,
    shells: ShellScores,
}

impl Allocator for Mc1x1Shells {
    fn propose(&mut self, request: &Request, machine: &Machine) -> Option<Placement> {
        let k = request.procs;
        if k == machine.free_count() {
            return Some(Placement::of_all_free(machine));
        }
        let mesh = machine.mesh();
        let (centre, last) = if self.is_plain {
            plain::best_shells(machine, k)?
        } else {
            self.shells.prepare(machine, k);
            let centre = mesh.coord(self.shells.best(machine, k)?.node);
            (centre, self.shells.counts().reach(centre, k)?)
        };
        let (mut chosen, mut tied): (Vec<Coord>, Vec<Coord>) =
            free_within(machine, centre, last).partition(|&node| (mesh.l_inf(centre, node) as usize) < last);
        let need = k as usize - chosen.len();
        if self.ties == Ties::Carried {
            let free = |node: &Coord| machine.free().contains(mesh.node(*node));
            let previous = carried::backwards(mesh, centre).filter(free);
            CarriedOrder::default().keep_first(&mut tied, need, previous, |a, b| mesh.l_inf(a, b));
            tied.sort_unstable();
        }
        tied.truncate(need);
        chosen.append(&mut tied);
        let nodes: Vec<NodeId> = chosen.into_iter().map(|node| mesh.node(node)).collect();
        Some(Placement::of(nodes))
    }
}

/// Returns the free nodes within L∞ distance `radius` of `centre`, in location order; nothing if none is free
/// there.
pub(crate) fn free_within(machine: &Machine, centre: Coord, radius: usize) -> impl Iterator<Item = Coord> {
    let mesh = machine.mesh();
    let span = move |d: usize| {
        let [mut low, mut high] =
            ranges(centre[d] as usize, radius, mesh.extents()[d] as usize, mesh.wraps(d))
                .map(Option::unwrap_or_default);
        // Around the end of a dimension the positions may be two ranges. Ascending, they give location order.
        if low.start > high.start {
            std::mem::swap(&mut low, &mut high);
        }
        low.chain(high)
    };
    span(0)
        .flat_map(move |x| span(1).flat_map(move |y| span(2).map(move |z| [x as u32, y as u32, z as u32])))
        .filter(move |&node| machine.free().contains(mesh.node(node)))
}
