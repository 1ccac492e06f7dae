//! The free place of highest score: what best fit, worst fit and max periphery share.

use crate::allocator::seam::{Allocator, Placement, Request, Served, Strategy, Submeshes};
use crate::machine::{Cuboid, Frames, Machine};

/// Scores free places.
pub(crate) trait Score: Send {
    /// Is told of the state of the machine whose places are scored next.
    fn prepare(&mut self, _machine: &Machine) {}

    /// Returns the score of a place that is free for a submesh.
    fn of(&self, machine: &Machine, place: Cuboid) -> i64;
}

/// Which orientations of a job's shape compete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Orientations {
    /// The places of one orientation only, the first that has any.
    OneByOne,
    /// The places of all.
    Together,
}

/// Takes the free place of highest score; of equals the first by orientation, then in scan order (z, then y, then x).
pub(crate) struct BestPlace<S> {
    submeshes: Submeshes,
    orientations: Orientations,
    score: S,
    /// The free places of one orientation; kept between calls for its memory only.
    frames: Frames,
}

impl<S: Score + 'static> BestPlace<S> {
    /// Looks at places of `boxes`.
    pub(crate) fn new(submeshes: Submeshes, orientations: Orientations, score: S) -> Self {
        Self { submeshes, orientations, score, frames: Frames::default() }
    }

    /// Returns the strategy for `boxes`.
    pub(crate) fn strategy(submeshes: Submeshes, orientations: Orientations, score: S) -> Strategy {
        Strategy::of(Self::new(submeshes, orientations, score)).served(Served::BySubmesh(submeshes))
    }
}

impl<S: Score> Allocator for BestPlace<S> {
    fn propose(&mut self, request: &Request, machine: &Machine) -> Option<Placement> {
        let mut best: Option<(i64, Cuboid)> = None;
        for sizes in (self.submeshes.sizes)(request, machine.mesh()) {
            if best.is_some() && self.orientations == Orientations::OneByOne {
                break;
            }
            self.frames.find(machine, sizes);
            if self.frames.first().is_none() {
                continue;
            }
            self.score.prepare(machine);
            for base in self.frames.iter() {
                let place = Cuboid { base, sizes };
                let score = self.score.of(machine, place);
                if best.is_none_or(|(highest, _)| score > highest) {
                    best = Some((score, place));
                }
            }
        }
        let (_, place) = best?;
        Some(Placement::of((self.submeshes.nodes)(request, place, machine)))
    }
}
