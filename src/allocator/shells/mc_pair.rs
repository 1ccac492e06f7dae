//! MC-pair: takes nodes around each centre as MC1x1 does, and lets the smallest pairwise sum win.
//!
//! P. Walker, D. Bunde, V. Leung, "Faster high-quality processor allocation", 2010, §V, describe a family of
//! strategies. Its members differ in the centres, in the nodes that a centre takes, and in the score. MC-pair is a
//! member of this family.
//!
//! 1. Every free node is a centre, in location order. It takes the nodes that MC1x1 takes.
//! 2. The score of a centre is the sum of L1 distances over all pairs of its nodes. The smallest score wins; of equals
//!    the first centre.
//!
//! The strategy never refuses while k nodes are free. It fills around every centre, so it takes many times as long as
//! MC1x1.

use super::fill::ShellFill;
use super::scores::ShellScores;
use crate::allocator::seam::{
    Allocator, Contiguity, Entry, Memory, OnTori, Placement, Promises, Request, Strategy,
};
use crate::machine::{Coord, Machine, NodeId, pairwise_sum};

pub(crate) const ENTRY: Entry = Entry {
    name: "mc-pair",
    summary: "MC1x1 judged by the pairwise sum instead of shell numbers",
    source: "the family of Walker, Bunde, Leung, 2010, §V",
    parameters: "",
    max_dims: 3,
    refuses_unavailable: None,
    kind: Contiguity::NonContiguous,
    tori: OnTori::Wraps,
    promises: |_| Promises { exact: true, complete: true, memory: Memory::None },
    build: |_, _| Ok(Strategy::of(McPair::default())),
};

#[derive(Default)]
struct McPair {
    shells: ShellScores,
    fill: ShellFill,
}

impl Allocator for McPair {
    fn propose(&mut self, request: &Request, machine: &Machine) -> Option<Placement> {
        let k = request.procs;
        if k == machine.free_count() {
            return Some(Placement::of_all_free(machine));
        }
        self.shells.prepare(machine, k);
        self.fill.prepare(machine);
        let mut centres: Vec<(Coord, i64)> = Vec::new();
        self.shells.for_each(machine, k, i64::MAX, |centre| {
            centres.push((machine.mesh().coord(centre.node), centre.score));
        });
        centres.sort_unstable();
        let mut best: Option<(u64, Vec<NodeId>)> = None;
        for (centre, bound) in centres {
            if machine.is_stopped() {
                return None;
            }
            let nodes =
                self.fill.fill(self.shells.counts(), machine, k, centre, bound, i64::MAX)?.nodes(machine);
            let sum = pairwise_sum(machine.mesh(), &nodes);
            if best.as_ref().is_none_or(|best| sum < best.0) {
                best = Some((sum, nodes));
            }
        }
        best.map(|(_, nodes)| Placement::of(nodes))
    }
}
