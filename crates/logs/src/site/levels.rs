//! The size of a machine from the time at each level of use.
//!
//! A busy machine spends much time just below its size and next to none above it. The *edge* is the level with
//! the greatest ratio of the time in the 5 % below to the time in the 5 % above. The maximum alone is no
//! size: one overlap of a second, after a change of the clock, raises it.
#![expect(
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "levels are at most 2^24, and sums of times are in 128 bits"
)]

/// The highest level with a time of its own, the most nodes of a machine. Higher levels count as this one.
const HIGHEST: u64 = 1 << 24;

/// Width of the bands below and above an edge, as a share of the edge.
const BAND: f64 = 0.05;
/// Largest share of the busy time above an edge.
const MOST_ABOVE: f64 = 0.02;
/// Share of the busy time that is added to the time in the band above, so that short times are no edges.
const LEAST_ABOVE: f64 = 0.0005;
/// Least ratio of the times in both bands.
const LEAST_SCORE: f64 = 20.0;

/// The time at each level of use: the number of processors in use at once. Runs of zero length do not count.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Levels {
    /// By level, from 0; in the unit of the runs. The last one is above 0 but for level 0.
    times: Vec<i64>,
    /// The most processors in use at once, and for how long.
    peak: (u64, i64),
}

impl Levels {
    /// Sums up runs, each as start, end and processors, which must be sorted by start. O(n·log n) for n runs.
    pub(crate) fn new(runs: impl Iterator<Item = (i64, i64, u32)> + Clone) -> Self {
        let runs = runs.filter(|(start, end, _)| start < end);
        let mut ends: Vec<(i64, u32)> = runs.clone().map(|(_, end, procs)| (end, procs)).collect();
        ends.sort_unstable();
        let (mut levels, mut ends, mut starts) =
            (Self::default(), ends.into_iter().peekable(), runs.peekable());
        let (mut used, mut now) = (0_u64, 0);
        while let Some(&(end, of_end)) = ends.peek() {
            let next = starts.peek().map_or(end, |&(start, ..)| start.min(end));
            if next > now && used > 0 {
                levels.add(used, next - now);
            }
            now = next;
            // Ends of an instant come before its starts.
            if end == next {
                used -= u64::from(of_end);
                ends.next();
            } else if let Some((_, _, procs)) = starts.next() {
                used += u64::from(procs);
            }
        }
        levels
    }

    fn add(&mut self, level: u64, time: i64) {
        let at_peak = if level == self.peak.0 { self.peak.1 } else { 0 };
        if level >= self.peak.0 {
            self.peak = (level, at_peak.saturating_add(time));
        }
        let at = level.min(HIGHEST) as usize;
        if self.times.len() <= at {
            self.times.resize(at + 1, 0);
        }
        self.times[at] = self.times[at].saturating_add(time);
    }

    /// Returns the most processors in use at once, and for how long; zeros without runs.
    pub fn peak(&self) -> (u64, i64) {
        self.peak
    }

    /// Returns the level of the edge, at least `largest`, the processors of the largest job. `None`
    /// without a clear edge. O(levels).
    ///
    /// Candidates are the levels from `largest` on that are exceeded in at most 2 % of the busy time.
    pub fn edge(&self, largest: u64) -> Option<u64> {
        // The time at this level and below.
        let mut sum = 0_i128;
        let up_to: Vec<i128> = self.times.iter().map(|&time| (sum += i128::from(time), sum).1).collect();
        let between = |low: f64, high: f64| {
            let up_to = |level: f64| up_to.get(level as usize).copied().unwrap_or(sum);
            (up_to(high) - up_to(low)) as f64
        };
        let (total, mut best) = (sum as f64, (0.0, 0_usize));
        for (level, _) in self.times.iter().enumerate().filter(|(_, time)| **time > 0) {
            if (level as u64) < largest || (sum - up_to[level]) as f64 > MOST_ABOVE * total {
                continue;
            }
            let edge = level as f64;
            let below = between((edge * (1.0 - BAND)).floor(), edge);
            let above = between(edge, (edge * (1.0 + BAND)).ceil());
            let score = below / (above + LEAST_ABOVE * total);
            if score >= best.0 {
                best = (score, level);
            }
        }
        (best.0 >= LEAST_SCORE).then_some(best.1 as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn levels(runs: &[(i64, i64, u32)]) -> Levels {
        let mut runs = runs.to_vec();
        runs.sort_unstable();
        Levels::new(runs.iter().copied())
    }

    #[test]
    fn time_is_counted_at_each_level() {
        let found = levels(&[(0, 10, 4), (10, 15, 3), (12, 13, 2), (40, 40, 99), (50, 60, 3)]);
        assert_eq!(found.times, [0, 0, 0, 14, 10, 1]);
        assert_eq!(found.peak(), (5, 1));
        assert_eq!(levels(&[(3, 3, 7)]).peak(), (0, 0));
        assert_eq!(levels(&[(0, 9, u32::MAX)]).peak(), (u64::from(u32::MAX), 9));
    }

    #[test]
    fn a_size_is_where_time_ends() {
        // A machine of 100 nodes is full for a third of the time, and for 3 of 10,000 s beyond that.
        let mut runs = vec![(0, 4000, 60), (0, 3400, 40), (3400, 3403, 70), (4000, 10_000, 50)];
        assert_eq!(levels(&runs).edge(60), Some(100));
        // No job is larger than the machine.
        assert_eq!(levels(&runs).edge(101), None);
        // Time that falls off evenly has no edge.
        let mut start = 0;
        let run = |level: u32| {
            let end = start + 1 + 1_000_000 / i64::from(level).pow(3);
            (std::mem::replace(&mut start, end), end, level)
        };
        runs = (1..=1000).map(run).collect();
        assert_eq!(levels(&runs).edge(1), None);
        assert_eq!(levels(&[]).edge(0), None);
    }
}
