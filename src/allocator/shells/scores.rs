//! Shell scores of all centres that can win, which both versions of MC1x1 and MC-pair use.
//!
//! The score of a centre is the sum of the L∞ distances to its k nearest free nodes. Let F(r) be the number of free
//! nodes within distance r of the centre. Then the score is Σ_{r ≥ 0} max(0, k − F(r)), as each of the k nodes counts
//! once for every radius that does not reach it. F comes from prefix sums, for a row of centres at a time.
//!
//! A lower bound of the score needs F at only one radius. Let B(r) be the number of nodes within distance r of a centre
//! that is far from any border, and let m be the smallest radius with B(m) ≥ k. Then F(r) ≤ min(F(m), B(r)) for r < m,
//! and F(r) ≤ F(m) + B(r) − B(m) for r > m. So the largest F(m) of a row bounds the scores of all its centres.
//!
//! Branch and bound: rows are scored in ascending order of their bounds, and rows with a bound above the limit are
//! skipped. The terms of the sum are never negative, so a row is also given up as soon as its smallest partial sum
//! exceeds the limit. All scores up to the limit are exact, and none of them is left out.

use crate::machine::{FreeCounts, Machine, NodeId};

/// A free node as a centre, with its score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Centre {
    /// The sum of L∞ distances to the k nearest free nodes.
    pub(crate) score: i64,
    /// The centre itself.
    pub(crate) node: NodeId,
}

/// The scores of centres for one request. Memory is kept between calls.
#[derive(Debug, Default)]
pub(crate) struct ShellScores {
    counts: FreeCounts,
    /// Scratch memory of the counts.
    line: Vec<i32>,
    /// The scores of a row of centres, if 32 bits suffice.
    scores: Vec<i32>,
    /// The scores of a row of centres, if they need 64 bits.
    wide: Vec<i64>,
    /// The number of free nodes within the radius at hand, for each centre of a row.
    free: Vec<i32>,
    /// All rows of centres, each behind a lower bound of its scores, ascending.
    rows: Vec<(i64, u32)>,
}

impl ShellScores {
    /// Starts on a request for `k` nodes: counts the free nodes of `machine` and bounds the scores of its rows.
    pub(crate) fn prepare(&mut self, machine: &Machine, k: u32) {
        // The radius of a cube with k free nodes at the average density, and more to be safe. `row` rebuilds the counts
        // if it needs a larger radius.
        let extents = machine.mesh().extents();
        let dims = extents.iter().filter(|&&extent| extent > 1).count().max(1);
        let nodes = f64::from(machine.mesh().nodes());
        let side = (f64::from(k) * nodes / f64::from(machine.free_count())).powf(1.0 / dims as f64);
        self.counts.rebuild(machine, side as usize + 4);
        self.probe(machine, k);
    }

    /// Returns the counts of free nodes of the machine state at hand.
    pub(crate) fn counts(&self) -> &FreeCounts {
        &self.counts
    }

    /// Returns the centre of smallest score, the first in location order of equals; `None` if no node is free.
    pub(crate) fn best(&mut self, machine: &Machine, k: u32) -> Option<Centre> {
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

    /// Calls `each` with every free node that has a score of at most `limit`, in no particular order. `each` returns
    /// the limit for the calls that follow; a larger limit than before has no effect.
    pub(crate) fn for_each(
        &mut self,
        machine: &Machine,
        k: u32,
        mut limit: i64,
        mut each: impl FnMut(Centre) -> i64,
    ) {
        let [width, length, depth] = machine.mesh().extents();
        // A score has at most as many terms as the longest extent, each at most k. If 31 bits suffice, sums are kept in
        // 32 bits, of which one vector instruction adds twice as many.
        let narrow = i64::from(k) * i64::from(width.max(length).max(depth)) < i64::from(i32::MAX);
        for i in 0..self.rows.len() {
            let (bound, row) = self.rows[i];
            if bound > limit {
                break;
            }
            let first = row * width;
            // The vectors are taken out so that `row` may borrow the rest of `self`; they keep their memory.
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

    /// Sets `rows`: computes a lower bound of the scores of each row, and sorts the rows by it.
    fn probe(&mut self, machine: &Machine, k: u32) {
        let extents = machine.mesh().extents();
        let dims = extents.iter().filter(|&&extent| extent > 1).count() as u32;
        let box_nodes = |radius: i64| (2 * radius + 1).saturating_pow(dims);
        let k = i64::from(k);
        // A machine of one node has no dimension to grow in.
        let middle = if dims == 0 { 0 } else { (0..k).find(|&radius| box_nodes(radius) >= k).unwrap_or(0) };
        // The terms of the lower bound for F(m) = `most`: first for radii below m, then for all others.
        let bound = |most: i64| {
            let inner = (0..middle).map(|radius| (k - most.min(box_nodes(radius))).max(0));
            let growth = |radius| box_nodes(radius) - box_nodes(middle);
            let outer =
                (middle..).map(|radius| k - most - growth(radius)).take_while(|&term| term > 0 && dims > 0);
            inner.sum::<i64>() + outer.sum::<i64>()
        };
        let [width, length, depth] = extents.map(|extent| extent as usize);
        self.free.clear();
        self.free.resize(width, 0);
        self.rows.clear();
        for row in 0..length * depth {
            self.counts.boxes(row % length, row / length, middle as usize, &mut self.line, &mut self.free);
            // The largest F(m) of the row. `rows` has these counts first, and bounds replace them below.
            let most = self.free.iter().fold(0, |most, &free| most.max(free));
            self.rows.push((i64::from(most), row as u32));
        }
        // Few different counts occur, so rows are sorted by count and each bound is computed once. The bound falls as
        // the count grows, so the rows then ascend by bound.
        self.rows.sort_unstable_by_key(|&(most, row)| (-most, row));
        let mut latest = (-1, 0);
        for (most, _) in &mut self.rows {
            if *most != latest.0 {
                latest = (*most, bound(*most));
            }
            *most = latest.1;
        }
    }

    /// Returns the scores of one row of centres, in the memory of `scores`. Scores up to `limit` are exact. Scores
    /// above it may come out too small, but still above it.
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
            self.counts.boxes(y, z, radius, &mut self.line, &mut self.free);
            // The loop has no branch, so that the compiler vectorises it. `any` is 0 once every centre of the row
            // reaches k free nodes.
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
        for (text, step) in [
            ("5x5", 3),
            ("12", 2),
            ("4x4x3", 3),
            ("torus:7x4", 2),
            ("torus:3x4x5", 4),
            ("1", 9),
            ("7x4:wrap=y", 3),
            ("3x5x4:wrap=xz", 2),
        ] {
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
