//! The search for the free submesh with the highest score, which best fit, worst fit and max periphery share.

use crate::allocator::seam::{Allocator, Placement, Request, Served, Strategy, Submeshes};
use meshreplay_machine::machine::{FreeSubmeshes, Machine, Submesh, set_bits};

/// A score for free submeshes.
pub(crate) trait Score: Send {
    /// Prepares the score for the current state of the machine and submeshes of these sizes. The default does
    /// nothing.
    fn prepare(&mut self, _machine: &Machine, _sizes: [u32; 3]) {}

    /// Returns the score of a free submesh. Higher scores are better.
    fn score(&self, machine: &Machine, place: Submesh) -> i64;

    /// Sets `scores`, for each x, to the score of the free submesh of these sizes at (x, y, z); entries
    /// without a free submesh are undefined. Rows with many submeshes are scored by this. The default scores
    /// them one by one.
    fn score_row(&mut self, machine: &Machine, [y, z]: [u32; 2], sizes: [u32; 3], scores: &mut Vec<i64>) {
        let [width, ..] = machine.mesh().extents();
        scores.clear();
        scores.extend((0..width).map(|x| self.score(machine, Submesh { base: [x, y, z], sizes })));
    }
}

/// The orientations of a job's shape among which the best free submesh is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Orientations {
    /// Only the first orientation that has a free submesh.
    OneByOne,
    /// All orientations.
    Together,
}

/// Takes the free submesh with the highest score. On a tie the first orientation wins, then the first base in
/// scan order (z, then y, then x).
pub(crate) struct BestPlace<S> {
    submeshes: Submeshes,
    orientations: Orientations,
    score: S,
    /// The free submeshes of one orientation. The field exists only to reuse memory.
    free_submeshes: FreeSubmeshes,
    /// The scores of a row. The field exists only to reuse memory.
    scores: Vec<i64>,
}

/// The least number of free submeshes in a row for scoring the whole row.
const MANY: u32 = 16;

impl<S: Score + 'static> BestPlace<S> {
    /// Returns an allocator that chooses among the free submeshes of the sizes that `submeshes` lists.
    pub(crate) fn new(submeshes: Submeshes, orientations: Orientations, score: S) -> Self {
        let (free_submeshes, scores) = (FreeSubmeshes::default(), Vec::new());
        Self { submeshes, orientations, score, free_submeshes, scores }
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
            let mut is_prepared = false;
            for (row, bits) in self.free_submeshes.rows() {
                if !std::mem::replace(&mut is_prepared, true) {
                    self.score.prepare(machine, sizes);
                }
                let are_many = bits.iter().map(|word| word.count_ones()).sum::<u32>() >= MANY;
                if are_many {
                    self.score.score_row(machine, row, sizes, &mut self.scores);
                }
                for x in set_bits(bits) {
                    let place = Submesh { base: [x, row[0], row[1]], sizes };
                    let score =
                        if are_many { self.scores[x as usize] } else { self.score.score(machine, place) };
                    // The strict comparison keeps the first submesh on a tie.
                    if best.is_none_or(|(highest, _)| score > highest) {
                        best = Some((score, place));
                    }
                }
            }
        }
        let (_, place) = best?;
        Some(Placement::of((self.submeshes.nodes)(request, place, machine)))
    }
}
