//! Searches the submeshes of one machine state for the cheapest set of k free nodes.
//!
//! The search is a branch and bound: a lower bound of the cost shows early that a row of submeshes, a submesh
//! or a whole shape cannot win, and the search skips it.

use std::cmp::Reverse;

use super::distance_sums::DistanceSums;
use super::shapes::{CompactBounds, SubmeshShape};
use super::submesh_counts::{Count, SubmeshCounts};
use super::submesh_nodes::{SubmeshNodes, for_each_free};
use meshreplay_machine::machine::{Coord, Machine, NodeId};

/// The search for the cheapest set; it keeps its memory between calls.
#[derive(Debug)]
pub(super) struct Choice<C> {
    counts: SubmeshCounts<C>,
    far: DistanceSums,
    /// The number of nodes to choose.
    k: u32,
    /// The weight W of the definition.
    weight: f64,
    compact: CompactBounds,
    /// The cheapest known set; `None` before the first one.
    best: Option<Best>,
    /// The free nodes of the best submesh that its set leaves out.
    left: Vec<NodeId>,
    inside: SubmeshNodes,
    /// Candidates: submeshes of the current shapes with at least k free nodes that could win.
    candidates: Vec<Candidate>,
    /// The numbers of free nodes of some rows of submeshes.
    rows: Vec<C>,
    /// For each number in `rows` 1 if it is at least k, else 0.
    flags: Vec<u8>,
    /// The terms of [`DistanceSums::terms`] for the current shape.
    terms: [Vec<i64>; 3],
    /// The layers of bases in scan order.
    layers: Vec<usize>,
}

/// The cheapest known set.
#[derive(Clone, Copy, Debug)]
struct Best {
    cost: f64,
    shape: SubmeshShape,
    base: Coord,
}

/// A submesh that has at least k free nodes.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    /// An upper bound of the sum of distances from k of its nodes to all free nodes.
    far_sum: i64,
    /// The index of its shape in the list that is searched.
    shape: u32,
    base: Coord,
}

/// The submeshes of a shape that are farthest from the free nodes, in descending order of `far_sum`; of
/// equals, the first by z, y, x of the base comes first. Free slots are `None`, and come last.
#[derive(Clone, Copy, Debug, Default)]
struct Farthest([Option<Candidate>; SUBMESHES_PER_SHAPE]);

/// The number of submeshes of each shape that are looked at.
const SUBMESHES_PER_SHAPE: usize = 2;

impl Farthest {
    /// Inserts a submesh into the sorted list, and drops the last one if there are too many.
    fn add(&mut self, candidate: Candidate) {
        let key = |candidate: &Candidate| (Reverse(candidate.far_sum), row_major(candidate.base));
        let before = |known: &Option<Candidate>| known.is_some_and(|known| key(&known) < key(&candidate));
        let at = self.0.iter().take_while(|known| before(known)).count();
        if at < SUBMESHES_PER_SHAPE {
            self.0[at..].rotate_right(1);
            self.0[at] = Some(candidate);
        }
    }

    /// Returns the smallest `far_sum` that a submesh of row (y, z) needs to be added, or `need` if that is
    /// larger. Rows of one layer must be asked about in ascending order.
    fn need(&self, y: usize, z: usize, need: i64) -> i64 {
        // While a slot is free, every submesh is added.
        let Some(last) = self.0[SUBMESHES_PER_SHAPE - 1] else { return need };
        // Of equals the first by z, y, x of the base is kept.
        let is_behind = (last.base[2] as usize, last.base[1] as usize) <= (z, y);
        need.max(last.far_sum + i64::from(is_behind))
    }
}

/// Returns the coordinates z, y, x, the sort key of bases.
fn row_major([x, y, z]: Coord) -> [u32; 3] {
    [z, y, x]
}

/// A bound of the rounding errors of a cost, relative to the numbers that are added. It is far larger than
/// real rounding errors, and far smaller than differences that matter.
const ROUNDING: f64 = 1e-9;

/// The most rows of submeshes that are counted at once. After them, rows that can no longer win are skipped.
const ROWS: usize = 8;

/// The number of flags that one comparison looks at: the bytes of a 64-bit register.
const EIGHT: usize = 8;

impl<C: Count> Choice<C> {
    /// Returns a search that has no machine state yet.
    pub(super) fn new(compact: CompactBounds) -> Self {
        Self {
            counts: SubmeshCounts::default(),
            far: DistanceSums::default(),
            k: 0,
            weight: 0.0,
            compact,
            best: None,
            left: Vec::new(),
            inside: SubmeshNodes::default(),
            candidates: Vec::new(),
            rows: Vec::new(),
            flags: Vec::new(),
            terms: Default::default(),
            layers: Vec::new(),
        }
    }

    /// Starts a search for `k` nodes on a machine state, with the weight W of the definition. The first
    /// shapes to be searched are `shapes`.
    pub(super) fn prepare(&mut self, machine: &Machine, k: u32, weight: f64, shapes: &[SubmeshShape]) {
        self.counts.rebuild(machine, longest(shapes));
        self.far.measure(machine, &self.counts);
        self.inside.start(&self.far, weight);
        (self.k, self.weight, self.best) = (k, weight, None);
    }

    /// Returns the distances to the free nodes of the current machine state.
    pub(super) fn far(&self) -> &DistanceSums {
        &self.far
    }

    /// Returns whether a set of k free nodes was found.
    pub(super) fn has_any(&self) -> bool {
        self.best.is_some()
    }

    /// Searches the submeshes of these shapes, and keeps the cheapest set if it beats the best one.
    pub(super) fn search(&mut self, machine: &Machine, shapes: &[SubmeshShape]) {
        self.counts.cover(machine, longest(shapes));
        let (k, compact) = (u64::from(self.k), self.compact.bound(self.k));
        for (shape, i) in shapes.iter().zip(0..).filter(|(shape, _)| shape.nodes == k) {
            // All nodes of such a submesh are taken. Their pairwise sum follows from the shape, so the
            // farthest submesh is the cheapest.
            if let Some(candidate) = self.scan(shape, i, self.need(shape.pairs as f64)).0[0] {
                let cost = shape.pairs as f64 - self.weight * candidate.far_sum as f64;
                self.propose(Best { cost, shape: *shape, base: candidate.base }, false);
            }
        }
        self.candidates.clear();
        for (shape, i) in shapes.iter().zip(0..).filter(|(shape, _)| shape.nodes > k) {
            let farthest = self.scan(shape, i, self.need(compact));
            self.candidates.extend(farthest.0.into_iter().flatten());
        }
        let mut candidates = std::mem::take(&mut self.candidates);
        // The likeliest winner comes first: a cheap best set prunes most of the others.
        if let Some(likely) = (0..candidates.len()).max_by_key(|&i| candidates[i].far_sum) {
            candidates.swap(0, likely);
        }
        for Candidate { far_sum, shape, base } in &candidates {
            if *far_sum >= self.need(compact) {
                self.consider(machine, &shapes[*shape as usize], *base);
            }
        }
        self.candidates = candidates;
    }

    /// Returns the smallest sum of distances to the free nodes with which a set can win if its pairwise sum
    /// is at least `pairs`. It is `i64::MIN` if every set can win, and `i64::MAX` if none can.
    fn need(&self, pairs: f64) -> i64 {
        let Some(best) = self.best else { return i64::MIN };
        // A set can only win if pairs − W·sum ≤ best.cost, which is solved for the sum. A slack for rounding
        // errors keeps the bound on the safe side.
        let size = pairs + best.cost.abs();
        let short = pairs - best.cost - size * ROUNDING;
        if self.weight > 0.0 {
            (short / self.weight).floor() as i64
        } else if short > 0.0 {
            i64::MAX
        } else {
            i64::MIN
        }
    }

    /// Returns the submeshes of a shape that are farthest from the free nodes, with at least k free nodes and
    /// a `far_sum` of at least `need`; an empty list if there are none. `index` is the index of the shape in
    /// the list of the search.
    fn scan(&mut self, shape: &SubmeshShape, index: u32, need: i64) -> Farthest {
        let mut farthest = Farthest::default();
        self.far.terms(shape, (shape.nodes - u64::from(self.k)) as i64, &mut self.terms);
        let [xs, ys, zs] = &self.terms;
        let [widest, longest] = [xs, ys].map(|terms| terms.iter().copied().max().unwrap_or(0));
        // The farthest layers come first: the farther the submeshes found, the more of the other layers are
        // skipped.
        self.layers.clear();
        self.layers.extend(0..zs.len());
        self.layers.sort_by_key(|&z| Reverse(zs[z]));
        for &z in &self.layers {
            let across = zs[z];
            if across + longest + widest < farthest.need(0, z, need) {
                continue;
            }
            let mut y = 0;
            while y < ys.len() {
                // The distance sum is separable: a term for x, one for y and one for z. A row (y, z) can win
                // only if its two terms and the largest term along x reach what is needed. The free nodes of
                // other rows are not counted.
                let can_win = |y: usize| ys[y] + across + widest >= farthest.need(y, z, need);
                let end = y + (y..ys.len()).take(ROWS).take_while(|&y| can_win(y)).count();
                if end == y {
                    y += 1;
                    continue;
                }
                self.counts.rows(shape.sides, xs.len(), y..end, z, &mut self.rows);
                flag(&self.rows, C::of(self.k), &mut self.flags);
                // The flags of consecutive rows are one stride apart.
                for (row, flags) in
                    (y..end).zip((0..).step_by(self.counts.stride()).map(|at| &self.flags[at..]))
                {
                    let across = ys[row] + across;
                    let mut least = farthest.need(row, z, need);
                    if across + widest < least {
                        continue;
                    }
                    any_set(flags, xs.len(), |x| {
                        let far_sum = xs[x] + across;
                        if far_sum >= least {
                            farthest.add(Candidate {
                                far_sum,
                                shape: index,
                                base: [x, row, z].map(|at| at as u32),
                            });
                            least = farthest.need(row, z, need);
                        }
                        false
                    });
                }
                y = end;
            }
        }
        farthest
    }

    /// Returns whether a submesh of one of the shapes has at least k free nodes.
    pub(super) fn holds(&mut self, machine: &Machine, shapes: &[SubmeshShape]) -> bool {
        self.counts.cover(machine, longest(shapes));
        shapes.iter().filter(|shape| shape.nodes >= u64::from(self.k)).any(|shape| {
            let places = self.far.places(shape);
            (0..places[2]).any(|z| {
                self.counts.rows(shape.sides, places[0], 0..places[1], z, &mut self.rows);
                flag(&self.rows, C::of(self.k), &mut self.flags);
                let stride = self.counts.stride();
                (0..places[1]).any(|row| any_set(&self.flags[row * stride..], places[0], |_| true))
            })
        })
    }

    /// Chooses k free nodes of a submesh of more than k nodes, and keeps them if they are cheaper than the
    /// best set.
    fn consider(&mut self, machine: &Machine, shape: &SubmeshShape, base: Coord) {
        let (far, inside) = (&self.far, &mut self.inside);
        inside.count(&self.counts, far, shape, base);
        let nodes = inside.nodes();
        let spare = nodes - self.k;
        let (mut cost, size) = inside.cost(far, base, nodes);
        if spare > 0 {
            if let Some(best) = self.best {
                // Lower bound of the cost of what remains. Each of the `spare` nodes that leave saves at most
                // the price of the dearest node. The distances between nodes that leave are in the prices of
                // both, so they are added once; they are at least the pairwise sum of the most compact set of
                // `spare` nodes.
                let dearest = inside.price(far, base, nodes);
                let least = cost - f64::from(spare) * dearest + self.compact.bound(spare);
                if least - (size + least.abs()) * ROUNDING > best.cost {
                    return;
                }
            } else {
                inside.price(far, base, nodes);
            }
            inside.leave(machine, shape, base, spare as usize);
            (cost, _) = inside.cost(far, base, self.k);
        }
        self.propose(Best { cost, shape: *shape, base }, spare > 0);
    }

    /// Keeps a set as the best if it is cheaper than the best one, or as cheap and first by half-perimeter,
    /// sides and base. If `leaves` is set, the set leaves out the free nodes in [`SubmeshNodes::left`].
    fn propose(&mut self, set: Best, leaves: bool) {
        let key = |best: &Best| {
            (best.shape.half_perimeter, best.shape.sides, best.base[2], best.base[1], best.base[0])
        };
        let wins = self
            .best
            .as_ref()
            .is_none_or(|old| set.cost.total_cmp(&old.cost).then_with(|| key(&set).cmp(&key(old))).is_lt());
        if wins {
            self.best = Some(set);
            self.left.clear();
            if leaves {
                self.left.extend(self.inside.left());
            }
        }
    }

    /// Returns the nodes of the cheapest set, ascending; `None` if no set was found.
    pub(super) fn take(&mut self, machine: &Machine) -> Option<Vec<NodeId>> {
        let best = self.best?;
        let mut nodes = Vec::with_capacity(self.k as usize + self.left.len());
        for_each_free(machine, best.base, best.shape.sides, |node, _| nodes.push(node));
        // A submesh that wraps around does not list its nodes in ascending order.
        if self.far.wraps != [false; 3] {
            nodes.sort_unstable();
        }
        if !self.left.is_empty() {
            // Both lists ascend, so one pass over both removes the nodes that leave.
            self.left.sort_unstable();
            let mut left = self.left.iter().copied().peekable();
            nodes.retain(|&node| left.next_if_eq(&node).is_none());
        }
        Some(nodes)
    }
}

fn longest(shapes: &[SubmeshShape]) -> usize {
    shapes.iter().flat_map(|shape| shape.sides).max().unwrap_or(1)
}

/// Sets `flags` to one byte for each number: 1 if the number is at least k, else 0. Eight more bytes follow,
/// so that [`any_set`] may read beyond the last flag.
fn flag<C: Count>(numbers: &[C], k: C, flags: &mut Vec<u8>) {
    flags.resize(numbers.len() + EIGHT, 0);
    for (flag, &number) in flags.iter_mut().zip(numbers) {
        *flag = u8::from(number >= k);
    }
}

/// Calls `stop` with the index of each 1 among the first `places` bytes of `row`, ascending, until `stop`
/// returns true. Returns true if it did. The bytes of `row` are 0 or 1, and at least eight more follow the
/// first `places`.
#[inline]
fn any_set(row: &[u8], places: usize, mut stop: impl FnMut(usize) -> bool) -> bool {
    for first in (0..places).step_by(EIGHT) {
        // Eight flags are read as one number, so that a row without a 1 costs one comparison for each eight
        // flags.
        let bytes = row[first..].first_chunk::<EIGHT>().map_or(0, |bytes| u64::from_le_bytes(*bytes));
        // The mask clears the bytes that lie beyond the row.
        let beyond = EIGHT - (places - first).min(EIGHT);
        let mut bits = bytes & (u64::MAX >> (8 * beyond));
        while bits != 0 {
            if stop(first + (bits.trailing_zeros() / 8) as usize) {
                return true;
            }
            // Clears the lowest bit that is set, which is the flag just visited.
            bits &= bits - 1;
        }
    }
    false
}
