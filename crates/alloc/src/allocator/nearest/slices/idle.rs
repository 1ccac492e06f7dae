//! Centres around which all nodes are free, as far as they reach.
//!
//! What such a centre takes does not depend on the machine state but for the centres before it, which order its rim (see `carried`).
//! So its sum follows from the offsets of these, the latest first, up to the one that decides. The paths of all such centres are a
//! tree with offsets as edges and sums at its leaves, one for each radius and way in which balls end at walls. On a machine
//! that is nearly idle most centres are of this kind, and few of their paths differ, but for those near walls. So trees are only made for
//! kinds of balls of which several were asked for.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use foldhash::fast::FixedState;

use crate::allocator::nearest::carried::{Alike, Earlier};
use crate::allocator::nearest::rim::{Reach, rim};
use meshreplay_machine::machine::{Coord, Mesh, pairwise_along};

/// Nothing more is kept when there are so many places, 12 bytes each, and all is forgotten before the next search. In tests this comes
/// to be soon.
const MOST: usize = if cfg!(test) { 1 << 12 } else { 1 << 22 };
/// A tree is made for the centre of this number with balls of one kind.
const SEVERAL: u32 = if cfg!(test) { 3 } else { 32 };
/// What is known of a kind of ball counts as so many places.
const PLACES_OF_KIND: usize = 8;

/// The offset of a place or an earlier centre from a centre.
type Offset = [i32; 3];

/// The trees of one machine for jobs of one size.
#[derive(Debug, Default)]
pub(super) struct Idle {
    k: u32,
    extents: [u32; 3],
    wraps: [bool; 3],
    kinds: HashMap<Ball, Kind, FixedState>,
    /// The number of places of which all this consists.
    size: usize,
}

/// The radius of a ball, and for each dimension the positions below and above its centre as far as it reaches; 0 for a ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Ball {
    radius: u32,
    sides: [[u32; 2]; 3],
}

/// What is known of balls of one kind.
#[derive(Debug)]
struct Kind {
    /// The number of places.
    places: u32,
    /// The number of centres without busy nodes nearby so far.
    seen: u32,
    tree: Option<Tree>,
}

/// The paths of the centres of balls of one kind.
#[derive(Debug)]
struct Tree {
    ball: Ball,
    k: u32,
    /// For each dimension the positions of the ring, or 0 for a line.
    rings: [i32; 3],
    /// The number of places that are nearer than the rim.
    inner: u32,
    /// For each dimension the places nearer than the rim at each offset: on a line from the first offset on, on a ring from 0 on.
    counts: [Vec<u32>; 3],
    steps: Vec<Step>,
}

/// The end of a path.
#[derive(Debug)]
struct Step {
    /// The places of the rim that are taken for certain, and those of which some are taken.
    kept: Vec<Offset>,
    tied: Vec<Offset>,
    /// The pairwise sum, if it is decided which places are taken.
    sum: Option<u64>,
    /// Along which dimensions the tied places do not differ.
    alike: Alike,
    /// The steps that offsets lead to, ascending by offset.
    next: Vec<(Offset, u32)>,
}

impl Idle {
    /// Starts with jobs of `k` processors on a machine of the shape `mesh`.
    pub(super) fn begin(&mut self, k: u32, mesh: &Mesh) {
        if (self.k, self.extents, self.wraps) != (k, mesh.extents(), mesh.wrap()) || self.size > MOST {
            *self = Self { k, extents: mesh.extents(), wraps: mesh.wrap(), ..Self::default() };
        }
    }

    /// Returns the pairwise sum of the nodes that `centre` takes, which needs this radius and has so many free nodes within it.
    /// It is `None` if some nodes there are busy, if the centres before, the latest first, do not decide, or if there is no memory for
    /// their path.
    pub(super) fn sum(
        &mut self,
        (centre, radius): (Coord, u32),
        within: u32,
        mut earlier: impl Earlier,
    ) -> Option<u64> {
        let rings = [0, 1, 2].map(|d| if self.wraps[d] { self.extents[d].cast_signed() } else { 0 });
        let sides = [0, 1, 2].map(|d| {
            let (at, last) = (centre[d], self.extents[d] - 1);
            if self.wraps[d] { [0; 2] } else { [at.min(radius), (last - at).min(radius)] }
        });
        let ball = Ball { radius, sides };
        let Self { k, extents, kinds, size, .. } = self;
        let kind = match kinds.entry(ball) {
            Entry::Occupied(kind) => kind.into_mut(),
            Entry::Vacant(_) if *size > MOST => return None,
            Entry::Vacant(place) => {
                *size += PLACES_OF_KIND;
                place.insert(Kind { places: ball.places(*extents, rings), seen: 0, tree: None })
            }
        };
        if kind.places != within {
            return None;
        }
        kind.seen = kind.seen.saturating_add(1);
        if kind.tree.is_none() {
            if kind.seen < SEVERAL || *size > MOST {
                return None;
            }
            let tree = Tree::new(ball, *k, *extents, rings);
            *size += tree.size();
            kind.tree = Some(tree);
        }
        let tree = kind.tree.as_mut()?;
        let reach = radius.cast_signed();
        let offset = |earlier: Coord| {
            [0, 1, 2].map(|d| {
                let offset = earlier[d].cast_signed() - centre[d].cast_signed();
                // All positions of a line beyond the rim on one side order its places alike.
                if rings[d] == 0 { offset.clamp(-reach, reach) } else { offset.rem_euclid(rings[d]) }
            })
        };
        let mut at = 0;
        loop {
            let step = &tree.steps[at];
            if step.sum.is_some() {
                return step.sum;
            }
            let offset = offset(earlier.next()?);
            at = match step.next.binary_search_by_key(&offset, |&(offset, _)| offset) {
                Ok(found) => step.next[found].1 as usize,
                Err(_) if *size > MOST => return None,
                Err(_) => tree.go(at, offset, size),
            };
            earlier.skip_like_last(tree.steps[at].alike);
        }
    }
}

impl Step {
    /// Returns the size of a new step, with the way to it.
    fn size(&self) -> usize {
        self.kept.len() + self.tied.len() + PLACES_OF_KIND
    }
}

impl Ball {
    /// Returns the number of places of the ball, on a machine of these extents and rings. O(radius²).
    fn places(&self, extents: [u32; 3], rings: [i32; 3]) -> u32 {
        let reach = |d: usize, left: u32| {
            let [below, above] =
                if rings[d] > 0 { [(extents[d] - 1) / 2, extents[d] / 2] } else { self.sides[d] };
            [below.min(left), above.min(left)]
        };
        let hops = |d: usize, left: u32| {
            let [below, above] = reach(d, left);
            (1..=below).chain(0..=above)
        };
        let mut places = 0;
        for left in hops(0, self.radius).map(|hops| self.radius - hops) {
            for left in hops(1, left).map(|hops| left - hops) {
                let [below, above] = reach(2, left);
                places += below + above + 1;
            }
        }
        places
    }
}

impl Tree {
    /// Returns a tree without paths.
    fn new(ball: Ball, k: u32, extents: [u32; 3], rings: [i32; 3]) -> Self {
        let reaches = [0, 1, 2].map(|d| {
            if rings[d] > 0 { Reach::Ring(rings[d]) } else { Reach::Line(extents[d].cast_signed()) }
        });
        let is_there = |place: &Offset| {
            (0..3).all(|d| {
                let [below, above] = ball.sides[d].map(u32::cast_signed);
                rings[d] > 0 || (-below..=above).contains(&place[d])
            })
        };
        let counts = [0, 1, 2].map(|d| {
            let [below, above] = ball.sides[d];
            vec![0; if rings[d] > 0 { extents[d] } else { below + above + 1 } as usize]
        });
        let mut tree = Self { ball, k, rings, inner: 0, counts, steps: Vec::new() };
        let mut counts = tree.counts.clone();
        for radius in 0..ball.radius as usize {
            for place in rim(radius, reaches).iter().filter(|place| is_there(place)) {
                tree.inner += 1;
                tree.add(place, &mut counts);
            }
        }
        tree.counts = counts;
        let mut tied = rim(ball.radius as usize, reaches);
        tied.retain(is_there);
        let root = tree.end(Vec::new(), tied);
        tree.steps.push(root);
        tree
    }

    /// Returns the size of a new tree.
    fn size(&self) -> usize {
        self.counts.iter().map(Vec::len).sum::<usize>() + self.steps.iter().map(Step::size).sum::<usize>()
    }

    /// Counts a place at its offset along each dimension.
    fn add(&self, place: &Offset, counts: &mut [Vec<u32>; 3]) {
        for d in 0..3 {
            let at = if self.rings[d] > 0 {
                place[d].rem_euclid(self.rings[d])
            } else {
                place[d] + self.ball.sides[d][0].cast_signed()
            };
            counts[d][at as usize] += 1;
        }
    }

    /// Returns the end of a path with these places.
    fn end(&self, kept: Vec<Offset>, tied: Vec<Offset>) -> Step {
        let left = (self.k - self.inner) as usize - kept.len();
        let is_decided = left == 0 || left == tied.len();
        let sum = is_decided.then(|| {
            let mut counts = self.counts.clone();
            for place in kept.iter().chain(tied.iter().take(left)) {
                self.add(place, &mut counts);
            }
            (0..3).map(|d| pairwise_along(&counts[d], self.k, self.rings[d] > 0)).sum()
        });
        Step { alike: Alike::of(&tied), kept, tied, sum, next: Vec::new() }
    }

    /// Adds the step from one with places that are tied along an offset that it has no step for, and returns its number.
    fn go(&mut self, from: usize, offset: Offset, size: &mut usize) -> usize {
        let Step { kept, tied, .. } = &self.steps[from];
        let hops = |place: &Offset| -> u32 {
            let along = |d: usize| {
                let straight = place[d].abs_diff(offset[d]);
                let ring = self.rings[d].unsigned_abs();
                if ring == 0 { straight } else { (straight % ring).min(ring - straight % ring) }
            };
            (0..3).map(along).sum()
        };
        let distances: Vec<u32> = tied.iter().map(hops).collect();
        if distances.iter().all(|&at| at == distances[0]) {
            // All places are equally far from this centre.
            return self.lead(from, offset, from);
        }
        let left = (self.k - self.inner) as usize - kept.len();
        let mut sorted = distances.clone();
        // The distance of the last place that is taken.
        let (_, &mut border, _) = sorted.select_nth_unstable(left - 1);
        let of = |is_meant: fn(&u32, &u32) -> bool| {
            let each = tied.iter().zip(&distances);
            each.filter(move |(_, at)| is_meant(at, &border)).map(|(place, _)| *place)
        };
        let kept = kept.iter().copied().chain(of(u32::lt)).collect();
        let step = self.end(kept, of(u32::eq).collect());
        *size += step.size();
        let number = self.steps.len();
        self.steps.push(step);
        self.lead(from, offset, number)
    }

    /// Notes the step to which an offset leads from one, and returns its number.
    fn lead(&mut self, from: usize, offset: Offset, to: usize) -> usize {
        let next = &mut self.steps[from].next;
        let at = next.partition_point(|&(other, _)| other < offset);
        next.insert(at, (offset, to as u32));
        to
    }
}
