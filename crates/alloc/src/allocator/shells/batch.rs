//! The centres of a machine state in the order in which MC1x1 tries them, a batch at a time.
//!
//! The order is that of the lower bounds of scores (see `scores`), then that of locations. Hundreds of
//! thousands of centres of a large machine may have the smallest bound, and a few of them are tried as a
//! rule. So the first ones are found without a list of all: a heap keeps the first of those visited so far,
//! and the last of these narrows the search for others.

use std::collections::BinaryHeap;

use super::scores::ShellScores;
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

/// The next centres in the order. Memory is kept between calls.
#[derive(Debug, Default)]
pub(super) struct Batch {
    list: Vec<Candidate>,
}

impl Batch {
    /// Sets the batch to the first `count` centres behind `after`, or from the first one on without it, of
    /// those with a bound of at most `wanted.0`. Centres with just this bound may be left out if their x is
    /// above `wanted.1`. There are fewer only if no more are left. `shells` must be prepared for `k` nodes of
    /// `machine`.
    pub(super) fn find(
        &mut self,
        shells: &mut ShellScores,
        machine: &Machine,
        k: u32,
        after: Option<Candidate>,
        wanted: (i64, u32),
        count: usize,
    ) {
        let mesh = machine.mesh();
        self.list.clear();
        // The largest number is on top.
        let mut first = BinaryHeap::from(std::mem::take(&mut self.list));
        shells.visit(machine, k, wanted, |centre| {
            let candidate = Candidate::new(mesh, centre.score, mesh.coord(centre.node));
            if after.is_none_or(|after| candidate > after) {
                if first.len() < count {
                    first.push(candidate);
                } else if let Some(mut last) = first.peek_mut().filter(|last| candidate < **last) {
                    *last = candidate;
                }
            }
            match first.peek() {
                Some(last) if first.len() == count => wanted.min((last.bound(), last.centre(mesh)[0])),
                _ => wanted,
            }
        });
        self.list = first.into_sorted_vec();
    }

    /// Returns the centres of the batch in order.
    pub(super) fn list(&self) -> &[Candidate] {
        &self.list
    }
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
            let mut batch = Batch::default();
            for limit in [all[0].bound(), all[all.len() / 3].bound(), i64::MAX] {
                let wanted: Vec<Candidate> = all.iter().copied().filter(|one| one.bound() <= limit).collect();
                let (mut found, mut count) = (Vec::new(), 1);
                loop {
                    batch.find(&mut shells, &machine, k, found.last().copied(), (limit, u32::MAX), count);
                    found.extend_from_slice(batch.list());
                    if batch.list().len() < count {
                        break;
                    }
                    count *= 3;
                }
                assert_eq!(found, wanted, "{text}: bounds up to {limit}");
                // With a largest x at the limit, no centre is left out that is before it.
                let middle = wanted[wanted.len() / 2];
                let within = (middle.bound(), middle.centre(mesh)[0]);
                batch.find(&mut shells, &machine, k, None, within, usize::MAX);
                assert!(wanted.iter().filter(|&&one| one <= middle).all(|one| batch.list().contains(one)));
            }
        }
        Ok(())
    }
}
