//! Snug: the job kept together, and what it leaves free kept together.
//!
//! Ours; the idea of shells around a centre is that of M. Bender et al., "Communication-aware processor allocation for
//! supercomputers", Algorithmica 50(2), 2008.
//!
//! Let F be the free nodes, P(X) the sum of L1 distances over the pairs of X, and w the weight (0.5).
//!
//! 1. What a set S ⊂ F of k nodes costs is P(S) − w·k/|F| · Σ d(u, v) over u in S, v in F. As
//!    P(F∖S) = P(F) − Σ d(u, v) + P(S), that is, but for a constant and a factor, P(S) + c·P(F∖S) with a c that grows
//!    with w and k/|F|: the dispersal of the job and that of the nodes that are left for the jobs to come.
//! 2. Boxes whose sides differ by at most 2 (but for sides as long as the machine) are searched by girth, the sum of the
//!    sides: those of the smallest girth g of which one has k free nodes, and those of girth g + 1.
//! 3. From a box that has more, those leave that cost most: the nodes of largest Σ d(u, v) over v in the box, less
//!    w·k/|F| · Σ d(u, v) over v in F; of equals the later ones.
//! 4. The cheapest set wins; of equals the one of smaller girth, then of smaller sides (x first), then of the first base.
//!
//! Where exactly k nodes are free, all are taken. Never refuses while k nodes are free: the whole machine is a box.
//!
//! Time O(N) for each shape of box that is tried, in vectorised passes over prefix sums, and O(box) for each box that
//! could still win, which a bound leaves few of: P(S) is at least what k nodes need on any machine, and the distances to
//! F are sums of a term for each dimension. Memory O(N).

mod choice;
mod shapes;

use super::{Allocator, Entry, Kind, Placement, Promises, Request, Setup, fits};
use crate::machine::{Machine, PairwiseBound};
use crate::spec::{Params, SpecError};
use choice::Choice;
use shapes::{BoxShape, BoxShapes};

pub(super) const ENTRY: Entry = Entry {
    name: "snug",
    summary: "the boxes' nodes of smallest pairwise sum that leave the free ones together",
    source: "meshreplay, 2026; after Bender et al., Algorithmica 50(2), 2008",
    parameters: "weight=0.5 (of what is left free, 0 to 1)",
    max_dims: 3,
    kind: Kind::NonContiguous,
    promises: Promises { exact: true, complete: true, forgets: true },
    build,
};

/// Girths above the smallest that are searched too.
const SLACK: u32 = 1;

/// Boxes that wait to be looked at, at most.
const PENDING: usize = 4096;

fn build(params: &mut Params, setup: &Setup<'_>) -> Result<Box<dyn Allocator>, SpecError> {
    let expected = "a number from 0 to 1";
    let weight = params.take("weight", 0.5, expected)?;
    if !(0.0..=1.0).contains(&weight) {
        return Err(params.bad_value("weight", &weight.to_string(), expected));
    }
    Ok(Box::new(Snug {
        weight,
        shapes: BoxShapes::new(setup.mesh),
        bound: PairwiseBound::new(setup.mesh),
        choice: Choice::default(),
        terms: Terms::default(),
        pending: Vec::new(),
    }))
}

struct Snug {
    weight: f64,
    shapes: BoxShapes,
    bound: PairwiseBound,
    choice: Choice,
    terms: Terms,
    pending: Vec<Candidate>,
}

/// A box that has k free nodes.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    /// No k of its nodes cost less.
    least: f64,
    shape: u32,
    base: [u32; 3],
}

/// For the boxes of one shape: at most how far its nodes are from the free ones, as a sum of terms for x, y and z.
#[derive(Debug, Default)]
struct Terms {
    /// For each base along each dimension.
    at: [Vec<f64>; 3],
    line: Vec<i32>,
    counts: Vec<i32>,
}

impl Allocator for Snug {
    fn allocate(&mut self, request: &Request, machine: &Machine) -> Option<Placement> {
        let k = request.procs;
        if !fits(*request, machine) {
            return None;
        }
        if k == machine.free_count() {
            return Some(Placement::of(machine.free().iter().collect()));
        }
        self.choice.prepare(machine, k, self.weight);
        let compact = self.bound.of(k) as f64;
        let shapes = std::mem::take(&mut self.shapes);
        let mut last = u32::MAX;
        for (place, shape) in shapes.holding(k) {
            if shape.girth > last {
                break;
            }
            if self.search(machine, k, place, shape, compact, &shapes) {
                // A single node is as well off in a box of its own as in any.
                last = last.min(shape.girth + if k > 1 { SLACK } else { 0 });
            }
        }
        self.settle(machine, &shapes);
        self.shapes = shapes;
        self.choice.take(machine).map(Placement::of)
    }
}

impl Snug {
    /// Finds the boxes of one shape that have k free nodes; whether there are any.
    fn search(
        &mut self,
        machine: &Machine,
        k: u32,
        place: usize,
        shape: BoxShape,
        compact: f64,
        shapes: &BoxShapes,
    ) -> bool {
        let mesh = machine.mesh();
        let places = [0, 1, 2].map(|d| {
            let (extent, side) = (mesh.extents()[d] as usize, shape.sides[d]);
            if mesh.is_torus() && side < extent { extent } else { extent - side + 1 }
        });
        let mut found = false;
        let mut terms = std::mem::take(&mut self.terms);
        terms.counts.resize(places[0], 0);
        for z in 0..places[2] {
            for y in 0..places[1] {
                let most = self.choice.counts().row(shape.sides, y, z, &mut terms.line, &mut terms.counts);
                if most < k as i32 {
                    continue;
                }
                if !found {
                    found = true;
                    self.choice.farthest(shape, k, &mut terms.at);
                }
                let across = terms.at[1][y] + terms.at[2][z];
                for (x, _) in terms.counts.iter().enumerate().filter(|&(_, &count)| count >= k as i32) {
                    let least = compact - (terms.at[0][x] + across);
                    let least = least - least.abs() * ROUNDING;
                    if self.choice.may_win(least) {
                        let base = [x, y, z].map(|at| at as u32);
                        self.pending.push(Candidate { least, shape: place as u32, base });
                    }
                }
                if self.pending.len() >= PENDING {
                    self.settle(machine, shapes);
                }
            }
        }
        self.terms = terms;
        found
    }

    /// Looks at the boxes that wait, the most promising one first.
    fn settle(&mut self, machine: &Machine, shapes: &BoxShapes) {
        let mut pending = std::mem::take(&mut self.pending);
        let promising = (0..pending.len()).min_by(|&a, &b| pending[a].least.total_cmp(&pending[b].least));
        if let Some(promising) = promising {
            pending.swap(0, promising);
        }
        for candidate in &pending {
            if self.choice.may_win(candidate.least) {
                let shape = shapes.at(candidate.shape as usize);
                self.choice.consider(machine, candidate.shape, shape, candidate.base);
            }
        }
        pending.clear();
        self.pending = pending;
    }
}

/// Bounds are sums of the same numbers in another order: they are lowered by more than rounding can raise them.
const ROUNDING: f64 = 1e-9;
