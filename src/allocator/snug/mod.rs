//! Snug: the job kept together, and what it leaves free kept together.
//!
//! Ours; the idea of shells around a centre is that of M. Bender et al., "Communication-aware processor allocation for
//! supercomputers", Algorithmica 50(2), 2008.
//!
//! Let F be the free nodes, P(X) the sum of L1 distances over the pairs of X, and w the weight (0.8).
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
//! A single node is one farthest from the free ones, larger boxes giving no other. Where exactly k nodes are free, all are taken. Never refuses while k nodes are free: the whole machine is a box.
//!
//! Time O(N) for each shape of box that is tried, in vectorised passes over prefix sums, and O(box) for each box that
//! could still win, which a bound leaves few of: P(S) is at least what k nodes need on any machine, and the distances to
//! F are sums of a term for each dimension. Memory O(N).
//!
//! Why it works: allocators that look at the job alone (MC1x1, MM, Gen-Alg) put a compact job into the middle of a free
//! region, whose remainder then fits nobody; buddy strategies keep remainders whole, but only as blocks of their own. The
//! second term of the cost prices the remainder as jobs to come will: by its distances.
//!
//! What was tried, as the mean pairwise sum against the best published allocator over 18 to 32 replays of six logs
//! (lower is better; scripts/snug has the studies of the final form):
//!
//! * shells around half-integer centres (L∞, ties by L1, and the reverse) by P(S) alone: +0.7 %;
//! * with λ·k·(contacts with busy nodes and walls, less those with free ones), λ = 0.3: −2.2 %; with 0.15 and 0.5 −1.8 and
//!   −1.7; walls counting half as much again, −2.5 to −2.7;
//! * distances to the free nodes as well (w = 0.3): −3.1; instead of contacts (w = 0.5): −3.2. Contacts then add 0.2 points
//!   at most and cost as much as all the rest, so they were left out;
//! * boxes instead of shells: −3.2 with sides that differ by at most 2, −2.9 by at most 1, −3.5 by anything, but NASA's
//!   log (powers of two) then does worse than under Granular MBS; only the smallest girth: −2.1; sides that differ by at
//!   most 1, but two girths more: −3.3;
//! * contacts weighted by how alike the estimated run times are: 0.8 points worse;
//! * the weight times the share of nodes that are busy (w = 1): ahead of MC1x1 on a log of a machine that is 12 % busy,
//!   where the fixed weight loses 5 %, but behind others by 0.1 % at most on two of the 40 replays in the README;
//! * a penalty for enclosed single free nodes: 0.4 points worse; shells of other aspects: no difference.

mod choice;
mod shapes;
mod single;

use super::{Allocator, Entry, Kind, Placement, Promises, Request, Setup, fits};
use crate::machine::{Machine, PairwiseBound};
use crate::spec::{Params, SpecError};
use choice::Choice;
use shapes::{BoxShape, BoxShapes};
use single::Single;

pub(super) const ENTRY: Entry = Entry {
    name: "snug",
    summary: "the boxes' nodes of smallest pairwise sum that leave the free ones together",
    source: "meshreplay, 2026; after Bender et al., Algorithmica 50(2), 2008",
    parameters: "weight=0.8 (of what is left free, 0 to 1)",
    max_dims: 3,
    kind: Kind::NonContiguous,
    promises: Promises { exact: true, complete: true, forgets: true },
    build,
};

/// Girths above the smallest that are searched too.
const SLACK: u32 = 1;

fn build(params: &mut Params, setup: &Setup<'_>) -> Result<Box<dyn Allocator>, SpecError> {
    let expected = "a number from 0 to 1";
    let weight = params.take("weight", 0.8, expected)?;
    if !(0.0..=1.0).contains(&weight) {
        return Err(params.bad_value("weight", &weight.to_string(), expected));
    }
    Ok(Box::new(Snug {
        weight,
        shapes: BoxShapes::new(setup.mesh),
        bound: PairwiseBound::new(setup.mesh),
        choice: Choice::default(),
        single: Single::default(),
        terms: Terms::default(),
    }))
}

struct Snug {
    weight: f64,
    shapes: BoxShapes,
    bound: PairwiseBound,
    choice: Choice,
    single: Single,
    terms: Terms,
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
        if k == 1 {
            return self.single.choose(machine, self.weight).map(|node| Placement::of(vec![node]));
        }
        self.choice.prepare(machine, k, self.weight);
        let compact = self.bound.of(k) as f64;
        let smallest = self.shapes.smallest(k);
        self.search(machine, smallest, compact);
        let mut girth = smallest;
        if !self.choice.has_any() {
            girth = self.holding(smallest);
            self.search(machine, girth, compact);
        }
        for girth in girth + 1..=(girth + SLACK).min(self.shapes.largest()) {
            self.search(machine, girth, compact);
        }
        self.choice.take(machine).map(Placement::of)
    }
}

impl Snug {
    /// Looks at the boxes of a girth.
    fn search(&mut self, machine: &Machine, girth: u32, compact: f64) {
        for &shape in self.shapes.of_girth(girth) {
            if shape.nodes >= self.choice.nodes() as u64 {
                search(&mut self.choice, &mut self.terms, machine, shape, compact);
            }
        }
    }

    /// The smallest girth above `low`, of which no box has k free nodes, of which one has. If one has, so has one of the
    /// next girth: the shortest side can grow.
    fn holding(&mut self, mut low: u32) -> u32 {
        let (largest, mut step) = (self.shapes.largest(), 1);
        let mut high = largest;
        while low + step < largest {
            if self.holds(low + step) {
                high = low + step;
                break;
            }
            low += step;
            step *= 2;
        }
        while low + 1 < high {
            let middle = low.midpoint(high);
            if self.holds(middle) {
                high = middle;
            } else {
                low = middle;
            }
        }
        high
    }

    /// Whether a box of this girth has k free nodes.
    fn holds(&mut self, girth: u32) -> bool {
        let (counts, k, terms) = (self.choice.counts(), self.choice.nodes(), &mut self.terms);
        self.shapes.of_girth(girth).iter().filter(|shape| shape.nodes >= k as u64).any(|shape| {
            let places = self.choice.places(*shape);
            terms.counts.resize(places[0], 0);
            (0..places[2]).any(|z| {
                (0..places[1]).any(|y| counts.row(shape.sides, y, z, &mut terms.line, &mut terms.counts) >= k)
            })
        })
    }
}

/// Looks at the boxes of one shape that have k free nodes and could win.
fn search(choice: &mut Choice, terms: &mut Terms, machine: &Machine, shape: BoxShape, compact: f64) {
    let places = choice.places(shape);
    terms.counts.resize(places[0], 0);
    let mut most = None;
    if choice.has_any() {
        most = Some(choice.farthest(shape, &mut terms.at));
    }
    // From both ends: the boxes at the walls are the likely ones.
    for z in inwards(places[2]) {
        for y in inwards(places[1]) {
            if let Some(most) = most
                && !choice.may_win(bound(compact, most + terms.at[1][y] + terms.at[2][z]))
            {
                continue;
            }
            let highest = choice.counts().row(shape.sides, y, z, &mut terms.line, &mut terms.counts);
            if highest < choice.nodes() {
                continue;
            }
            if most.is_none() {
                most = Some(choice.farthest(shape, &mut terms.at));
            }
            let across = terms.at[1][y] + terms.at[2][z];
            for x in inwards(places[0]) {
                if terms.counts[x] >= choice.nodes()
                    && choice.may_win(bound(compact, terms.at[0][x] + across))
                {
                    choice.consider(machine, shape, [x, y, z].map(|at| at as u32));
                }
            }
        }
    }
}

/// Positions below `count` from both ends inwards.
fn inwards(count: usize) -> impl Iterator<Item = usize> {
    (0..count).map(move |i| if i % 2 == 0 { i / 2 } else { count - 1 - i / 2 })
}

/// What no set costs less than; it is made of the same numbers as costs in another order, and so lowered by more than
/// rounding can have raised it.
fn bound(compact: f64, farthest: f64) -> f64 {
    compact - farthest - (compact + farthest.abs()) * ROUNDING
}

/// Far more than rounding, far less than what matters, as a share of the numbers that are added.
const ROUNDING: f64 = 1e-9;
