//! The shell score, on which both versions of MC1x1 rest, for every centre at once.
//!
//! The score of a centre is Σ L∞ distance to its k nearest free nodes. With F(r) free nodes within distance r that is
//! Σ_{r ≥ 0} max(0, k − F(r)): each of the k nodes counts once for every radius that does not reach it. F comes from
//! prefix sums, a row of centres at a time. Terms are never negative, so a row whose smallest partial sum exceeds the
//! limit is given up: exactly the scores up to the limit come out.

use crate::machine::{FreeCounts, Machine, NodeId};

/// A centre with its score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Centre {
    pub(super) score: i64,
    pub(super) node: NodeId,
}

/// Scores of all centres for one request; keeps its memory between calls.
#[derive(Debug, Default)]
pub(super) struct ShellScores {
    counts: FreeCounts,
    line: Vec<i32>,
    scores: Vec<i32>,
    wide: Vec<i64>,
    free: Vec<i32>,
}

impl ShellScores {
    /// Starts on a request: counts the free nodes of `machine`.
    pub(super) fn prepare(&mut self, machine: &Machine, k: u32) {
        // The radius that usually reaches k free nodes, with room to spare; `row` asks for more where needed.
        let extents = machine.mesh().extents();
        let dims = extents.iter().filter(|&&extent| extent > 1).count().max(1);
        let nodes = f64::from(machine.mesh().nodes());
        let side = (f64::from(k) * nodes / f64::from(machine.free_count())).powf(1.0 / dims as f64);
        self.counts.rebuild(machine, side as usize + 4);
    }

    /// The free-node counts that the scores were made from.
    pub(super) fn counts(&self) -> &FreeCounts {
        &self.counts
    }

    /// The centre of smallest score, the first in location order of equals.
    pub(super) fn best(&mut self, machine: &Machine, k: u32) -> Option<Centre> {
        let mut best: Option<Centre> = None;
        let mesh = machine.mesh();
        self.for_each(machine, k, i64::MAX, |centre| {
            let better = best.is_none_or(|best| {
                centre.score < best.score
                    || centre.score == best.score && mesh.coord(centre.node) < mesh.coord(best.node)
            });
            if better {
                best = Some(centre);
            }
            best.map_or(i64::MAX, |best| best.score)
        });
        best
    }

    /// Calls `each` with every free centre whose score is at most the limit, ascending in node number; `each` returns
    /// the limit from there on, which may only shrink.
    pub(super) fn for_each(
        &mut self,
        machine: &Machine,
        k: u32,
        mut limit: i64,
        mut each: impl FnMut(Centre) -> i64,
    ) {
        let [width, length, depth] = machine.mesh().extents();
        // Σ over at most max(extent) radii of at most k each; beyond 31 bits the sums are kept in 64.
        let narrow = i64::from(k) * i64::from(width.max(length).max(depth)) < i64::from(i32::MAX);
        for row in 0..length * depth {
            let first = row * width;
            let (scores, wide) = (std::mem::take(&mut self.scores), std::mem::take(&mut self.wide));
            let (scores, wide) = if narrow {
                (self.row(machine, row, k, limit, scores), wide)
            } else {
                (scores, self.row(machine, row, k, limit, wide))
            };
            for x in 0..width {
                let score = if narrow { i64::from(scores[x as usize]) } else { wide[x as usize] };
                if score <= limit && machine.free().contains(first + x) {
                    limit = limit.min(each(Centre { score, node: first + x }));
                }
            }
            (self.scores, self.wide) = (scores, wide);
        }
    }

    /// Scores of one row of centres: exact up to `limit`, and above it anything that is above it.
    fn row<S>(&mut self, machine: &Machine, row: u32, k: u32, limit: i64, mut scores: Vec<S>) -> Vec<S>
    where
        S: Copy + Default + Ord + From<i32> + Into<i64> + std::ops::Add<Output = S>,
    {
        let [width, length, _] = machine.mesh().extents();
        let (y, z) = ((row % length) as usize, (row / length) as usize);
        scores.clear();
        scores.resize(width as usize, S::default());
        self.free.clear();
        self.free.resize(width as usize, 0);
        let k = k as i32;
        for radius in 0.. {
            if radius > self.counts.radius() && radius <= crate::machine::widest(machine.mesh()) {
                self.counts.rebuild(machine, 2 * radius);
            }
            self.counts.sum_rows(y, z, radius, &mut self.line);
            self.counts.boxes(&self.line, radius, &mut self.free);
            let (mut any, mut least) = (0, scores[0] + S::from((k - self.free[0]).max(0)));
            for (score, &free) in scores.iter_mut().zip(&self.free) {
                let term = (k - free).max(0);
                any |= term;
                *score = *score + S::from(term);
                least = least.min(*score);
            }
            if any == 0 {
                break;
            }
            if least.into() > limit {
                break;
            }
        }
        scores
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_equal_plain_sums_of_distances() -> Result<(), Box<dyn std::error::Error>> {
        for (text, step) in [("5x5", 3), ("12", 2), ("4x4x3", 3), ("torus:7x4", 2), ("torus:3x4x5", 4), ("1", 9)] {
            let mut machine = Machine::new(text.parse()?);
            let busy: Vec<u32> = (0..machine.mesh().nodes()).filter(|n| n % step == 1).collect();
            machine.occupy(&busy)?;
            let mesh = machine.mesh();
            for k in 1..=machine.free_count() {
                let mut scores = ShellScores::default();
                scores.prepare(&machine, k);
                let mut seen = 0;
                scores.for_each(&machine, k, i64::MAX, |centre| {
                    let from = mesh.coord(centre.node);
                    let mut distances: Vec<u32> =
                        machine.free().iter().map(|node| mesh.l_inf(from, mesh.coord(node))).collect();
                    distances.sort_unstable();
                    let plain: u32 = distances[..k as usize].iter().sum();
                    assert_eq!(centre.score, i64::from(plain), "{text}: k {k}, centre {from:?}");
                    seen += 1;
                    i64::MAX
                });
                assert_eq!(seen, machine.free_count());
            }
        }
        Ok(())
    }
}
