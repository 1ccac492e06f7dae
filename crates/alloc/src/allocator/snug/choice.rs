//! Searches the submeshes of one machine state for the cheapest set of k free nodes.
//!
//! The search is a branch and bound: a lower bound of the cost shows early that a row of submeshes, a submesh
//! or a whole shape cannot win, and the search skips it.

use std::cmp::Reverse;

use super::distance_sums::DistanceSums;
use super::shapes::{CompactBounds, SubmeshShape};
use super::submesh_counts::{Count, SubmeshCounts};
use meshreplay_machine::machine::{Coord, Machine, NodeId, bits_of_word, distances_along, pairwise_along};

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

// The free nodes of one submesh: their cost as a set, and the nodes of highest price, which a job leaves
// out.
//
// The price of a node is the sum of distances to the other free nodes of the submesh, less W times the sum
// of distances to all free nodes of the machine. Both sums are separable, so a price is a sum of one term
// for each dimension.

/// The free nodes of the current submesh. Memory is kept between submeshes.
#[derive(Debug, Default)]
struct SubmeshNodes {
    along: [Along; 3],
    /// The number of dimensions up to the last one of more than one node; at least 1.
    dims: usize,
    /// The weight W of the definition.
    weight: f64,
    /// The nodes that the job leaves out.
    dearest: Vec<Priced>,
    /// The prices of the nodes as integers of the same order.
    keys: Vec<i64>,
}

/// Free nodes by their position in the submesh along one dimension.
#[derive(Debug, Default)]
struct Along {
    /// The number of free nodes at each position.
    counts: Vec<u32>,
    /// The term that each position adds to the price of a node.
    costs: Vec<f64>,
    /// Whether the shortest way between two of the nodes can lead across the border of the machine. `counts`
    /// then has all positions of the ring.
    wraps: bool,
    /// The sum of hops from each position to the nodes counted; only used where `wraps`.
    distances: Vec<u64>,
}

/// A free node of the submesh, with its price.
#[derive(Clone, Copy, Debug)]
struct Priced {
    cost: f64,
    node: NodeId,
    /// The position relative to the base of the submesh.
    at: [u32; 3],
}

/// The largest number of nodes to leave out by insertion into a short sorted list. For more, a selection over
/// all nodes of the submesh is faster.
const FEW: usize = 12;

impl SubmeshNodes {
    /// Starts on a machine state, with the weight W of the definition.
    pub(super) fn start(&mut self, far: &DistanceSums, weight: f64) {
        self.dims = far.extents.iter().rposition(|&extent| extent > 1).map_or(1, |last| last + 1);
        self.weight = weight;
        for along in &mut self.along[self.dims..] {
            // These dimensions have one position, which adds 0 to every price.
            along.costs.clear();
            along.costs.push(0.0);
        }
    }

    /// Counts the free nodes of a submesh and makes it the current one.
    pub(super) fn count<C: Count>(
        &mut self,
        counts: &SubmeshCounts<C>,
        far: &DistanceSums,
        shape: &SubmeshShape,
        base: Coord,
    ) {
        for (d, along) in self.along[..self.dims].iter_mut().enumerate() {
            counts.slices(d, base, shape.sides, &mut along.counts);
            // Within half a ring the straight way is a shortest one.
            along.wraps = far.wraps[d] && shape.sides[d] > far.extents[d] / 2 + 1;
            if along.wraps {
                along.counts.resize(far.extents[d], 0);
            }
        }
    }

    /// Returns the number of free nodes counted.
    pub(super) fn nodes(&self) -> u32 {
        self.along[0].counts.iter().sum()
    }

    /// Returns the cost of all nodes counted as a set, and the magnitude of its terms; `nodes` is the number
    /// of nodes counted. The cost is the pairwise sum minus the weighted distances to the free nodes. The
    /// magnitude, the sum of both terms, bounds rounding errors.
    pub(super) fn cost(&self, far: &DistanceSums, base: Coord, nodes: u32) -> (f64, f64) {
        let (mut pairs, mut apart) = (0, 0);
        for (d, along) in self.along[..self.dims].iter().enumerate() {
            // Cuts: the cut behind each position separates the nodes up to there from all later ones. The
            // distance of two nodes is the number of cuts between them.
            let mut below = 0;
            for (&count, far) in along.counts.iter().zip(far.along(d, base[d])) {
                let count = u64::from(count);
                below += count;
                apart += count * *far as u64;
                pairs += below * (u64::from(nodes) - below);
            }
            // On a ring the shorter way may lead across the border, so the straight sum is replaced.
            if along.wraps {
                let mut below = 0;
                let straight = along.counts.iter().map(|&count| {
                    below += u64::from(count);
                    below * (u64::from(nodes) - below)
                });
                pairs -= straight.sum::<u64>();
                pairs += pairwise_along(&along.counts, nodes, true);
            }
        }
        let (pairs, apart) = (pairs as f64, self.weight * apart as f64);
        (pairs - apart, pairs + apart)
    }

    /// Sets the terms of the prices for each position of the submesh along each dimension. Returns an upper
    /// bound of the price of a node, the sum of the largest terms. `nodes` is the number of nodes counted.
    pub(super) fn price(&mut self, far: &DistanceSums, base: Coord, nodes: u32) -> f64 {
        let mut most = 0.0;
        for (d, along) in self.along[..self.dims].iter_mut().enumerate() {
            let far = far.along(d, base[d]);
            along.costs.clear();
            let mut dearest = f64::MIN;
            if along.wraps {
                along.distances.resize(along.counts.len(), 0);
                distances_along(&along.counts, true, &mut along.distances);
                let costs = along.distances.iter().zip(far);
                along.costs.extend(costs.map(|(&near, &far)| near as f64 - self.weight * far as f64));
                dearest = along.costs.iter().copied().fold(dearest, f64::max);
            } else {
                // One sweep over the positions: with each step one farther from the nodes passed, and one
                // nearer to all others. `near` starts with the distances from the first position.
                let mut near: i64 =
                    along.counts.iter().zip(0..).map(|(&count, at)| i64::from(count) * at).sum();
                let mut below = 0;
                along.costs.extend(along.counts.iter().zip(far).map(|(&count, &far)| {
                    let cost = near as f64 - self.weight * far as f64;
                    below += i64::from(count);
                    near += 2 * below - i64::from(nodes);
                    if count > 0 {
                        dearest = dearest.max(cost);
                    }
                    cost
                }));
            }
            most += dearest;
        }
        most
    }

    /// Takes the `spare` nodes of highest price out of the counts; of equal prices the later nodes. Prices
    /// must be set.
    pub(super) fn leave(&mut self, machine: &Machine, shape: &SubmeshShape, base: Coord, spare: usize) {
        let mut dearest = std::mem::take(&mut self.dearest);
        dearest.clear();
        if spare <= FEW {
            // Insertion sort into a list of at most `spare` nodes, ascending by price. A node behind its
            // equals is a later one, so the first entry is the right one to drop.
            self.for_each_price(machine, shape, base, |priced| {
                if dearest.len() == spare {
                    if priced.cost < dearest[0].cost {
                        return;
                    }
                    dearest.remove(0);
                }
                let after =
                    dearest.iter().rposition(|other| other.cost <= priced.cost).map_or(0, |at| at + 1);
                dearest.insert(after, priced);
            });
        } else {
            // Quickselect finds the lowest price of a node that leaves. Of the nodes with just this price,
            // the first `stay` ones are kept.
            let mut keys = std::mem::take(&mut self.keys);
            keys.clear();
            self.for_each_price(machine, shape, base, |priced| keys.push(sortable(priced.cost)));
            let kept = keys.len() - spare;
            let (cheaper, &mut least, _) = keys.select_nth_unstable(kept);
            let mut stay = cheaper.iter().filter(|&&key| key == least).count();
            self.for_each_price(machine, shape, base, |priced| {
                let key = sortable(priced.cost);
                if key > least || (key == least && stay == 0) {
                    dearest.push(priced);
                } else if key == least {
                    stay -= 1;
                }
            });
            self.keys = keys;
        }
        for priced in &dearest {
            for (along, at) in self.along[..self.dims].iter_mut().zip(priced.at) {
                along.counts[at as usize] -= 1;
            }
        }
        self.dearest = dearest;
    }

    /// Returns the nodes that [`SubmeshNodes::leave`] has removed from the current submesh, in no particular
    /// order.
    pub(super) fn left(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.dearest.iter().map(|priced| priced.node)
    }

    /// Calls `visit` with each free node of the current submesh and its price, by z, then y, then x in the
    /// submesh.
    fn for_each_price(
        &self,
        machine: &Machine,
        shape: &SubmeshShape,
        base: Coord,
        mut visit: impl FnMut(Priced),
    ) {
        let [xs, ys, zs] = [0, 1, 2].map(|d| &self.along[d].costs[..]);
        for_each_free(machine, base, shape.sides, |node, at| {
            let [x, y, z] = at.map(|at| at as usize);
            visit(Priced { cost: xs[x] + ys[y] + zs[z], node, at });
        });
    }
}

/// Returns an integer for a floating-point number; the integers compare as the numbers do in their total
/// order.
fn sortable(cost: f64) -> i64 {
    // The bit patterns of positive numbers have the order of integers. The patterns of negative numbers have
    // the reverse order, so all their bits but the sign are flipped (as `f64::total_cmp` does).
    let bits = cost.to_bits() as i64;
    bits ^ ((bits >> 63) as u64 >> 1) as i64
}

/// Calls `visit` with each free node of a submesh and its position relative to the base, by z, then y, then
/// x.
fn for_each_free(machine: &Machine, base: Coord, sides: [usize; 3], mut visit: impl FnMut(NodeId, [u32; 3])) {
    let mesh = machine.mesh();
    let [width, length, depth] = mesh.extents();
    let [a, b, c] = sides.map(|side| side as u32);
    // A submesh is no longer than the machine, so it goes round at most once: a subtraction replaces a
    // division.
    let around = |at: u32, extent: u32| if at < extent { at } else { at - extent };
    for z in 0..c {
        for y in 0..b {
            let row = mesh.node([0, around(base[1] + y, length), around(base[2] + z, depth)]);
            let mut x = 0;
            while x < a {
                let at = around(base[0] + x, width);
                // A chunk ends with the submesh, at the border of the machine, or after the 64 bits of a
                // register.
                let chunk = (a - x).min(width - at).min(64);
                for bit in bits_of_word(machine.free().bits((row + at) as usize, chunk as usize)) {
                    visit(row + at + bit, [x + bit, y, z]);
                }
                x += chunk;
            }
        }
    }
}
