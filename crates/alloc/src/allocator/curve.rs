//! Curve allocators: the nodes are numbered along a curve, and a job gets nodes with consecutive numbers
//! where possible.
//!
//! Orders and the sorted free list: V. Lo, K. Windisch, W. Liu, B. Nitzberg, "Non-contiguous processor
//! allocation algorithms for mesh-connected multicomputers", IEEE TPDS 8(7), 1997. Hilbert curve and bin
//! packing: V. Leung et al., "Processor allocation on Cplant", IEEE CLUSTER 2002. Snakes and spliced curves
//! on non-square meshes: P. Walker, D. Bunde, V. Leung, "Faster high-quality processor allocation", 2010,
//! §II.
//!
//! 1. Number the nodes along a curve; the number of a node is its rank. An *interval* is a maximal run of
//!    consecutive free ranks.
//! 2. For a request for k processors, choose one of the intervals of at least k ranks and take its first k
//!    ranks. The parameter `select` chooses the interval (on a tie, the lowest):
//!    * `first-fit`: the lowest interval.
//!    * `best-fit`: the shortest interval.
//!    * `sum-of-squares`: the interval that makes Σ n(h)² smallest after k ranks are taken from it. n(h) is
//!      the number of intervals of length h.
//! 3. If no interval is long enough, take the k free ranks that span the smallest range of ranks; on a tie,
//!    the lowest.
//! 4. `free-list` skips steps 2 and 3 and takes the k lowest free ranks.
//!
//! The allocator never refuses while k nodes are free. Time O(m + k) per request and per release, for m
//! intervals.
#![expect(
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    reason = "ranks are at most 2^24, and so are the numbers of intervals of each length"
)]

use std::ops::Range;
use std::path::Path;

use crate::allocator::seam::{
    Allocator, AllocatorEntry, OnTori, OnTrees, Placement, Request, Setup, Strategy,
};
use meshreplay_base::spec::{Params, Spec, SpecError};
use meshreplay_machine::machine::order::{self, Order};
use meshreplay_machine::machine::{Machine, NodeId};

pub(crate) const ENTRY: AllocatorEntry = AllocatorEntry {
    name: "curve",
    summary: "intervals of free ranks along a curve; also ORDER+SELECT, as in hilbert+bf",
    source: "Lo et al., IEEE TPDS 1997; Leung et al., CLUSTER 2002; Walker, Bunde, Leung, 2010",
    parameters: "order=column-snake (any of `list orders`, or file with path=FILE), \
                 select=best-fit (first-fit, free-list, sum-of-squares)",
    tori: OnTori::NeverWraps("its order of nodes has two ends"),
    trees: OnTrees::Serves,
    ..AllocatorEntry::non_contiguous(build)
};

/// The selection rule for intervals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Select {
    /// The shortest interval that is long enough.
    BestFit,
    /// The lowest interval that is long enough.
    FirstFit,
    /// The lowest free ranks, without regard to intervals.
    FreeList,
    /// The interval that leaves the smallest Σ n(h)², where n(h) is the number of intervals of length h.
    SumOfSquares,
}

/// The rules by name, the default first.
const SELECTIONS: &[(&str, Select)] = &[
    ("best-fit", Select::BestFit),
    ("first-fit", Select::FirstFit),
    ("free-list", Select::FreeList),
    ("sum-of-squares", Select::SumOfSquares),
];

/// The abbreviations of the rules in the papers, each with its full name.
const ABBREVIATIONS: &[(&str, &str)] =
    &[("bf", "best-fit"), ("ff", "first-fit"), ("fl", "free-list"), ("ss", "sum-of-squares")];

/// Expands `ORDER+SELECT` to `curve:order=ORDER,select=SELECT`, and keeps other parameters. Returns `None`
/// for a spec of any other form.
pub(crate) fn expand(spec: &Spec) -> Option<Spec> {
    let (order, select) = spec.name.split_once('+')?;
    let full = ABBREVIATIONS.iter().find(|(short, _)| *short == select).map_or(select, |(_, full)| full);
    let mut expanded = Spec::named(ENTRY.name).with("order", order).with("select", full);
    expanded.params.extend(spec.params.clone());
    Some(expanded)
}

/// Returns the abbreviation `ORDER+SELECT` of a curve allocator's spec; `None` if the spec has another name
/// or other parameters than `order` and `select`.
pub(crate) fn abbreviate(spec: &Spec) -> Option<String> {
    let only = |key| spec.params.get(key).filter(|_| spec.name == ENTRY.name && spec.params.len() == 2);
    let (order, select) = (only("order")?, only("select")?);
    let short =
        ABBREVIATIONS.iter().find(|(_, full)| full == select).map_or(select.as_str(), |(short, _)| short);
    Some(format!("{order}+{short}"))
}

/// Reads the parameters and builds the allocator, with all nodes free. Fails if the order or its file is not
/// valid.
fn build(params: &mut Params, setup: &Setup<'_>) -> Result<Strategy, SpecError> {
    let name = params.take("order", "column-snake".to_owned(), "the name of an order")?;
    let select = params.choose("select", SELECTIONS)?;
    let order = if name == "file" {
        let expected = "a file of `node rank` lines, given with order=file";
        let path = params.require("path", expected)?;
        order::from_file(Path::new(&path), setup.mesh)
            .map_err(|error| params.bad_value("path", &path, &error.to_string()))?
    } else {
        order::build(&name, setup.mesh)?
    };
    let free = Intervals::full(setup.mesh.nodes());
    Ok(Strategy::of(Curve { order, select, free, proposed: None }))
}

/// Takes nodes along a curve, and keeps the free intervals as its index.
struct Curve {
    order: Order,
    select: Select,
    free: Intervals,
    /// The first interval of the last proposal; `None` if anything was reported since.
    proposed: Option<usize>,
}

impl Allocator for Curve {
    fn propose(&mut self, request: &Request, _machine: &Machine) -> Option<Placement> {
        let k = request.procs;
        let bin = match self.select {
            Select::BestFit => self.free.best_fit(k),
            Select::FirstFit => self.free.first_fit(k),
            Select::FreeList => Some(0),
            Select::SumOfSquares => self.free.sum_of_squares(k),
        };
        let from = bin.unwrap_or_else(|| self.free.narrowest_window(k));
        let mut nodes = Vec::with_capacity(k as usize);
        for piece in self.free.pieces(from, k) {
            nodes.extend_from_slice(&self.order.nodes()[piece.start as usize..piece.end as usize]);
        }
        self.proposed = Some(from);
        Some(Placement::of(nodes))
    }

    fn accepted(&mut self, placement: &Placement, machine: &Machine) {
        match self.proposed.take() {
            Some(from) => self.free.take(from, placement.nodes.len() as u32),
            None => self.taken(placement, machine),
        }
    }

    fn taken(&mut self, placement: &Placement, _machine: &Machine) {
        self.proposed = None;
        for_each_run(&self.order, placement, |start, end| self.free.remove(start, end));
    }

    fn released(&mut self, placement: &Placement, _machine: &Machine) {
        self.proposed = None;
        for_each_run(&self.order, placement, |start, end| self.free.put_back(start, end));
    }
}

/// Calls `each` with the start and the end (exclusive) of every run of consecutive ranks in a placement, in
/// the order of the placement.
fn for_each_run(order: &Order, placement: &Placement, mut each: impl FnMut(u32, u32)) {
    let mut rest = placement.nodes.as_slice();
    while let Some(&first) = rest.first() {
        let start = order.rank_of(first);
        let length = common(rest, &order.nodes()[start as usize..]);
        each(start, start + length as u32);
        rest = &rest[length..];
    }
}

/// Returns with how many equal nodes two lists begin.
fn common(a: &[NodeId], b: &[NodeId]) -> usize {
    /// Number of nodes compared at once, in one or two vector instructions.
    const CHUNK: usize = 16;
    let equal = a.chunks_exact(CHUNK).zip(b.chunks_exact(CHUNK)).take_while(|(a, b)| a == b).count();
    let (a, b) = (&a[equal * CHUNK..], &b[equal * CHUNK..]);
    equal * CHUNK + a.iter().zip(b).take_while(|(a, b)| a == b).count()
}

/// All maximal intervals of free ranks, in ascending order.
///
/// A sorted vector: there are rarely more than a few hundred intervals, and at that size a scan of adjacent
/// memory is faster than any tree. Choosing an interval takes O(m) for m intervals; taking and putting back
/// ranks takes O(m) in the worst case (one `memmove`).
#[derive(Clone, Debug, PartialEq, Eq)]
struct Intervals {
    runs: Vec<Range<u32>>,
    /// The number n(h) of intervals of each length h.
    by_length: Vec<u32>,
}

impl Intervals {
    /// Returns the list with one interval: all ranks below `ranks`.
    fn full(ranks: u32) -> Self {
        let mut by_length = vec![0; ranks as usize + 1];
        by_length[ranks as usize] = 1;
        Self { runs: std::iter::once(0..ranks).collect(), by_length }
    }

    /// Returns the index of the lowest interval with at least `k` ranks; `None` if there is none.
    fn first_fit(&self, k: u32) -> Option<usize> {
        self.runs.iter().position(|run| length(run) >= k)
    }

    /// Returns the index of the shortest interval with at least `k` ranks, on a tie of the lowest; `None` if
    /// there is none.
    fn best_fit(&self, k: u32) -> Option<usize> {
        let fits = self.runs.iter().enumerate().filter(|(_, run)| length(run) >= k);
        fits.min_by_key(|(_, run)| length(run)).map(|(i, _)| i)
    }

    /// Returns the index of the interval of at least `k` ranks that minimizes Σ n(h)² after `k` ranks are
    /// taken from it, on a tie of the lowest; `None` if there is none.
    fn sum_of_squares(&self, k: u32) -> Option<usize> {
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
    fn narrowest_window(&self, k: u32) -> usize {
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
    fn pieces(&self, from: usize, k: u32) -> impl Iterator<Item = Range<u32>> + '_ {
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
    fn take(&mut self, from: usize, k: u32) {
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
    fn remove(&mut self, start: u32, end: u32) {
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
    fn put_back(&mut self, start: u32, end: u32) {
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

    #[test]
    fn abbreviations_expand_to_full_specs() -> Result<(), SpecError> {
        for (short, full) in [
            ("hilbert+bf", "curve:order=hilbert,select=best-fit"),
            ("column-snake+ff", "curve:order=column-snake,select=first-fit"),
            ("row-snake+free-list", "curve:order=row-snake,select=free-list"),
            ("file+ss:path=a.txt", "curve:order=file,path=a.txt,select=sum-of-squares"),
        ] {
            assert_eq!(expand(&short.parse()?).map(|spec| spec.to_string()).as_deref(), Some(full));
        }
        assert_eq!(expand(&Spec::named("naive")), None);
        let full = "curve:order=hilbert,select=best-fit".parse()?;
        assert_eq!(abbreviate(&full).as_deref(), Some("hilbert+bf"));
        assert_eq!(abbreviate(&Spec::named("naive")), None);
        Ok(())
    }
}

#[cfg(test)]
mod intervals_tests {
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
