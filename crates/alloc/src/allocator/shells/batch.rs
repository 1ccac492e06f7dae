//! The centres of one machine state, sorted for MC1x1, a batch at a time.
//!
//! Centres are sorted by the lower bounds of their scores (see `scores`), then by location. Hundreds of
//! thousands of centres of a large machine may share the smallest bound, and usually only a few of them are
//! tried. A bounded max-heap therefore selects each batch without a list of all centres: it keeps the first
//! centres visited, and its top tightens the limit of the visit.

use std::collections::BinaryHeap;

use super::scores::{Limit, ShellScores};
use meshreplay_machine::machine::{Coord, Machine, Mesh};

/// A centre by its place in the order: the bound, and in the lowest 32 bits the rank in location order. One
/// number is compared faster than a score and coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Candidate(u128);

impl Candidate {
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

    /// Returns the centre.
    pub(super) fn centre(self, mesh: &Mesh) -> Coord {
        let ([_, length, depth], rank) = (mesh.extents(), self.0 as u32);
        [rank / depth / length, rank / depth % length, rank % depth]
    }
}

/// Returns the first `count` centres after `after`, or from the start without it, with bounds within `limit`.
/// There are fewer only if no more are left. `shells` must be prepared for `k` nodes of `machine`.
pub(super) fn first_centres(
    shells: &mut ShellScores,
    machine: &Machine,
    k: u32,
    after: Option<Candidate>,
    limit: Limit,
    count: usize,
) -> Vec<Candidate> {
    let mesh = machine.mesh();
    // The largest number is on top.
    let mut first = BinaryHeap::new();
    shells.visit(machine, k, limit, |centre| {
        let candidate = Candidate::new(mesh, centre.score, mesh.coord(centre.node));
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
                all.push(Candidate::new(mesh, centre.score, mesh.coord(centre.node)));
            });
            all.sort_unstable();
            assert!(all.iter().all(|&one| Candidate::new(mesh, one.bound(), one.centre(mesh)) == one));
            for limit in [all[0].bound(), all[all.len() / 3].bound(), i64::MAX] {
                let wanted: Vec<Candidate> = all.iter().copied().filter(|one| one.bound() <= limit).collect();
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
