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

mod intervals;

use std::path::Path;

use self::intervals::Intervals;
use crate::allocator::seam::{Allocator, Entry, OnTori, OnTrees, Placement, Request, Setup, Strategy};
use meshreplay_base::spec::{Params, Spec, SpecError};
use meshreplay_machine::machine::order::{self, Order};
use meshreplay_machine::machine::{Machine, NodeId};

pub(crate) const ENTRY: Entry = Entry {
    name: "curve",
    summary: "intervals of free ranks along a curve; also ORDER+SELECT, as in hilbert+bf",
    source: "Lo et al., IEEE TPDS 1997; Leung et al., CLUSTER 2002; Walker, Bunde, Leung, 2010",
    parameters: "order=column-snake (any of `list orders`, or file with path=FILE), \
                 select=best-fit (first-fit, free-list, sum-of-squares)",
    tori: OnTori::NeverWraps("its order of nodes has two ends"),
    trees: OnTrees::Serves,
    ..Entry::non_contiguous(build)
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
