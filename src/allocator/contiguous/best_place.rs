//! The search for the free submesh with the highest score, which best fit, worst fit and max periphery share.

use crate::allocator::seam::{Allocator, Placement, Request, Served, Strategy, Submeshes};
use crate::machine::{FreeSubmeshes, Machine, Submesh};

/// A score for free submeshes.
pub(crate) trait Score: Send {
    /// Prepares the score for the current state of the machine. It is called before the free submeshes of each size are
    /// scored. The default does nothing.
    fn prepare(&mut self, _machine: &Machine) {}

    /// Returns the score of a free submesh. Higher scores are better.
    fn of(&self, machine: &Machine, place: Submesh) -> i64;
}

/// The orientations of a job's shape among which the best free submesh is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Orientations {
    /// Only the first orientation that has a free submesh.
    OneByOne,
    /// All orientations.
    Together,
}

/// Takes the free submesh with the highest score. On a tie the first orientation wins, then the first base in scan
/// order (z, then y, then x).
pub(crate) struct BestPlace<S> {
    submeshes: Submeshes,
    orientations: Orientations,
    score: S,
    /// The free submeshes of one orientation. The field exists only to reuse memory.
    free_submeshes: FreeSubmeshes,
}

impl<S: Score + 'static> BestPlace<S> {
    /// Returns an allocator that chooses among the free submeshes of the sizes that `submeshes` lists.
    pub(crate) fn new(submeshes: Submeshes, orientations: Orientations, score: S) -> Self {
        Self { submeshes, orientations, score, free_submeshes: FreeSubmeshes::default() }
    }

    /// Returns the strategy that chooses among the free submeshes of the sizes that `submeshes` lists.
    pub(crate) fn strategy(submeshes: Submeshes, orientations: Orientations, score: S) -> Strategy {
        Strategy::of(Self::new(submeshes, orientations, score)).served(Served::BySubmesh(submeshes))
    }
}

impl<S: Score> Allocator for BestPlace<S> {
    fn propose(&mut self, request: &Request, machine: &Machine) -> Option<Placement> {
        let mut best: Option<(i64, Submesh)> = None;
        for sizes in (self.submeshes.sizes)(request, machine.mesh()) {
            if best.is_some() && self.orientations == Orientations::OneByOne {
                break;
            }
            self.free_submeshes.find(machine, sizes);
            if self.free_submeshes.first().is_none() {
                continue;
            }
            self.score.prepare(machine);
            for base in self.free_submeshes.iter() {
                let place = Submesh { base, sizes };
                let score = self.score.of(machine, place);
                // The strict comparison keeps the first submesh on a tie.
                if best.is_none_or(|(highest, _)| score > highest) {
                    best = Some((score, place));
                }
            }
        }
        let (_, place) = best?;
        Some(Placement::of((self.submeshes.nodes)(request, place, machine)))
    }
}
