//! The list of free intervals along a curve, updated as ranks are taken and put back.

use std::ops::Range;

/// All maximal intervals of free ranks, in ascending order.
///
/// A sorted vector: there are rarely more than a few hundred intervals, and at that size a scan of adjacent
/// memory is faster than any tree. Choosing an interval takes O(m) for m intervals; taking and putting back
/// ranks takes O(m) in the worst case (one `memmove`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Intervals {
    runs: Vec<Range<u32>>,
    /// The number n(h) of intervals of each length h.
    by_length: Vec<u32>,
}

impl Intervals {
    /// Returns the list with one interval: all ranks below `ranks`.
    pub(super) fn full(ranks: u32) -> Self {
        let mut by_length = vec![0; ranks as usize + 1];
        by_length[ranks as usize] = 1;
        Self { runs: std::iter::once(0..ranks).collect(), by_length }
    }

    /// Returns the index of the lowest interval with at least `k` ranks; `None` if there is none.
    pub(super) fn first_fit(&self, k: u32) -> Option<usize> {
        self.runs.iter().position(|run| length(run) >= k)
    }

    /// Returns the index of the shortest interval with at least `k` ranks, on a tie of the lowest; `None` if
    /// there is none.
    pub(super) fn best_fit(&self, k: u32) -> Option<usize> {
        let fits = self.runs.iter().enumerate().filter(|(_, run)| length(run) >= k);
        fits.min_by_key(|(_, run)| length(run)).map(|(i, _)| i)
    }

    /// Returns the index of the interval of at least `k` ranks that minimizes Σ n(h)² after `k` ranks are
    /// taken from it, on a tie of the lowest; `None` if there is none.
    pub(super) fn sum_of_squares(&self, k: u32) -> Option<usize> {
        let fits = self.runs.iter().enumerate().filter(|(_, run)| length(run) >= k);
        fits.min_by_key(|(_, run)| self.change_of_squares(length(run), k)).map(|(i, _)| i)
    }

    /// Returns the change of Σ n(h)² when `k` ranks are taken from an interval of length `from`. If the
    /// interval has exactly `k` ranks, it disappears and adds nothing to the sum.
    fn change_of_squares(&self, from: u32, k: u32) -> i64 {
        let n = |length: u32| i64::from(self.by_length[length as usize]);
        let left = from - k;
        // (n − 1)² − n² = 1 − 2n for the old length, and (n + 1)² − n² = 1 + 2n for the new one.
        1 - 2 * n(from) + if left > 0 { 1 + 2 * n(left) } else { 0 }
    }

    /// Returns the index of the interval at whose start the narrowest window of `k` free ranks begins, on a
    /// tie of the lowest. At least `k` ranks must be free.
    ///
    /// Only windows that begin at the start of an interval need a look: any other window can be shifted down
    /// by one rank without becoming wider.
    pub(super) fn narrowest_window(&self, k: u32) -> usize {
        let (mut best, mut best_span) = (0, u32::MAX);
        let (mut end, mut held) = (0, 0);
        for (i, run) in self.runs.iter().enumerate() {
            while held < k {
                let Some(next) = self.runs.get(end) else { return best };
                held += length(next);
                end += 1;
            }
            // Two pointers: `end` moves up until the window has at least `k` free ranks. The surplus is cut
            // off at the upper end.
            let span = self.runs[end - 1].end - (held - k) - run.start;
            if span < best_span {
                (best, best_span) = (i, span);
            }
            held -= length(run);
        }
        best
    }

    /// Returns the first `k` free ranks from the start of interval `from` upwards, as one range for each
    /// interval that they touch. Returns fewer ranks if fewer are free from there on.
    pub(super) fn pieces(&self, from: usize, k: u32) -> impl Iterator<Item = Range<u32>> + '_ {
        let mut left = k;
        let pieces = self.runs[from..].iter().map(move |run| {
            let taken = length(run).min(left);
            left -= taken;
            run.start..run.start + taken
        });
        pieces.take_while(|piece| !piece.is_empty())
    }

    /// Takes the ranks that [`Self::pieces`] returns. At least `k` ranks must be free from the start of
    /// interval `from` upwards.
    pub(super) fn take(&mut self, from: usize, k: u32) {
        let (mut left, mut whole) = (k, 0);
        for run in &mut self.runs[from..] {
            let taken = length(run).min(left);
            self.by_length[length(run) as usize] -= 1;
            left -= taken;
            if taken < length(run) {
                run.start += taken;
                self.by_length[length(run) as usize] += 1;
                break;
            }
            whole += 1;
            if left == 0 {
                break;
            }
        }
        debug_assert_eq!(left, 0, "fewer than {k} free ranks from interval {from}");
        self.runs.drain(from..from + whole);
    }

    /// Takes the ranks from `start` to before `end`, which must be free.
    pub(super) fn remove(&mut self, start: u32, end: u32) {
        let at = self.runs.partition_point(|run| run.end <= start);
        let Some(run) = self.runs.get(at).cloned().filter(|run| run.start <= start && end <= run.end) else {
            debug_assert!(false, "{start}..{end} is not free");
            return;
        };
        // Up to two intervals remain, below and above the taken ranks.
        let rest = [run.start..start, end..run.end].into_iter().filter(|rest| !rest.is_empty());
        self.by_length[length(&run) as usize] -= 1;
        for rest in rest.clone() {
            self.by_length[length(&rest) as usize] += 1;
        }
        self.runs.splice(at..=at, rest);
    }

    /// Makes the ranks from `start` to before `end` free, which must be in use.
    pub(super) fn put_back(&mut self, start: u32, end: u32) {
        let at = self.runs.partition_point(|run| run.start < start);
        // The freed ranks can join the interval below, the interval above, both, or none.
        let joins_left = at > 0 && self.runs[at - 1].end == start;
        let joins_right = self.runs.get(at).is_some_and(|run| run.start == end);
        if joins_left {
            self.by_length[length(&self.runs[at - 1]) as usize] -= 1;
        }
        if joins_right {
            self.by_length[length(&self.runs[at]) as usize] -= 1;
        }
        let joined = match (joins_left, joins_right) {
            (true, true) => {
                self.runs[at - 1].end = self.runs[at].end;
                self.runs.remove(at);
                at - 1
            }
            (true, false) => {
                self.runs[at - 1].end = end;
                at - 1
            }
            (false, true) => {
                self.runs[at].start = start;
                at
            }
            (false, false) => {
                self.runs.insert(at, start..end);
                at
            }
        };
        self.by_length[length(&self.runs[joined]) as usize] += 1;
    }
}

/// Returns the number of ranks in an interval.
fn length(run: &Range<u32>) -> u32 {
    run.end - run.start
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns an example with the free ranks 0, 1, 3, 4, 5, 8–11, 13 and 15.
    fn example() -> Intervals {
        let mut free = Intervals::full(16);
        free.take(0, 16);
        for (start, end) in [(8, 10), (0, 2), (15, 16), (3, 6), (13, 14), (10, 12)] {
            free.put_back(start, end);
        }
        free
    }

    fn taken(mut free: Intervals, from: usize, k: u32) -> Vec<u32> {
        let ranks: Vec<u32> = free.pieces(from, k).flatten().collect();
        free.take(from, k);
        assert!(ranks.iter().all(|rank| free.runs.iter().all(|run| !run.contains(rank))), "{free:?}");
        ranks
    }

    #[test]
    fn the_worked_example_comes_out() {
        let free = example();
        assert_eq!(free.runs, [0..2, 3..6, 8..12, 13..14, 15..16]);
        let starts = |i: Option<usize>| i.map(|i| free.runs[i].start);
        assert_eq!(starts(free.first_fit(1)), Some(0));
        assert_eq!((starts(free.best_fit(1)), starts(free.sum_of_squares(1))), (Some(13), Some(13)));
        assert_eq!((starts(free.best_fit(2)), starts(free.sum_of_squares(2))), (Some(0), Some(0)));
        assert_eq!((starts(free.best_fit(3)), starts(free.sum_of_squares(3))), (Some(3), Some(3)));
        assert_eq!(taken(free.clone(), 0, 3), [0, 1, 3]);
        assert_eq!((starts(free.first_fit(4)), free.first_fit(5)), (Some(8), None));
        assert_eq!(taken(free.clone(), free.narrowest_window(5), 5), [0, 1, 3, 4, 5]);
    }

    #[test]
    fn sum_of_squares_is_not_best_fit() {
        let mut free = Intervals::full(10);
        free.take(0, 10);
        for (start, end) in [(0, 3), (4, 8), (9, 10)] {
            free.put_back(start, end);
        }
        assert_eq!((free.best_fit(2), free.sum_of_squares(2)), (Some(0), Some(1)));
    }

    #[test]
    fn ranks_taken_anywhere_leave_the_rest() {
        let mut free = example();
        for (start, end) in [(9, 10), (3, 6), (0, 1), (15, 16)] {
            free.remove(start, end);
        }
        assert_eq!(free.runs, [1..2, 8..9, 10..12, 13..14]);
        assert_eq!(free.by_length[..5], [0, 3, 1, 0, 0]);
        for (start, end) in [(15, 16), (9, 10), (0, 1), (3, 6)] {
            free.put_back(start, end);
        }
        assert_eq!(free, example());
    }

    #[test]
    fn putting_everything_back_restores_the_start() {
        let mut free = example();
        for (start, end) in [(2, 3), (6, 8), (12, 13), (14, 15)] {
            free.put_back(start, end);
        }
        assert_eq!(free, Intervals::full(16));
    }
}
