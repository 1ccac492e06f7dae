//! The cheapest nodes among the submeshes of one machine state.

use super::far::Far;
use super::inside::{Inside, for_each_free};
use super::shapes::{Compact, SubmeshShape};
use super::submesh_counts::{Count, SubmeshCounts};
use crate::machine::{Coord, Machine, NodeId};

/// Chooses among submeshes; keeps its memory between calls.
#[derive(Debug)]
pub(super) struct Choice<C> {
    counts: SubmeshCounts<C>,
    far: Far,
    k: u32,
    /// W of the definition.
    weight: f64,
    compact: Compact,
    best: Option<Best>,
    /// The nodes of the best submesh that are not taken.
    left: Vec<NodeId>,
    inside: Inside,
    /// Submeshes that have k free nodes and could win.
    found: Vec<Found>,
    rows: Vec<C>,
    /// Which of the rows' numbers are at least k.
    flags: Vec<u8>,
    terms: [Vec<i64>; 3],
}

/// The cheapest set so far.
#[derive(Clone, Copy, Debug)]
struct Best {
    cost: f64,
    shape: SubmeshShape,
    base: Coord,
}

/// A submesh that has k free nodes.
#[derive(Clone, Copy, Debug)]
struct Found {
    /// The largest sum that the distances from k of its nodes to the free ones can have.
    far_sum: i64,
    /// Among those searched.
    shape: u32,
    base: Coord,
}

/// The submeshes of a shape that are farthest from the free nodes, the first of equals.
#[derive(Clone, Copy, Debug, Default)]
struct Farthest([Option<Found>; BOXES]);

/// How many submeshes of a shape are looked at.
const BOXES: usize = 2;

impl Farthest {
    fn add(&mut self, found: Found) {
        let before = |known: &Option<Found>| known.is_some_and(|known| known.far_sum >= found.far_sum);
        let at = self.0.iter().take_while(|known| before(known)).count();
        if at < BOXES {
            self.0[at..].rotate_right(1);
            self.0[at] = Some(found);
        }
    }

    /// Returns how far a submesh must be to be added.
    fn least(&self) -> Option<i64> {
        self.0[BOXES - 1].map(|found| found.far_sum + 1)
    }
}

/// Far more than rounding, far less than what matters, as a share of the numbers that are added.
const ROUNDING: f64 = 1e-9;

/// So many bytes are looked at together.
const EIGHT: usize = 8;

impl<C: Count> Choice<C> {
    pub(super) fn new(compact: Compact) -> Self {
        Self {
            counts: SubmeshCounts::default(),
            far: Far::default(),
            k: 0,
            weight: 0.0,
            compact,
            best: None,
            left: Vec::new(),
            inside: Inside::default(),
            found: Vec::new(),
            rows: Vec::new(),
            flags: Vec::new(),
            terms: Default::default(),
        }
    }

    /// Starts on a machine state.
    pub(super) fn prepare(&mut self, machine: &Machine, k: u32, weight: f64) {
        self.counts.rebuild(machine);
        self.far.measure(machine, &self.counts);
        self.inside.start(&self.far, weight);
        (self.k, self.weight, self.best) = (k, weight, None);
    }

    pub(super) fn far(&self) -> &Far {
        &self.far
    }

    pub(super) fn has_any(&self) -> bool {
        self.best.is_some()
    }

    /// Looks at the submeshes of some shapes.
    pub(super) fn search(&mut self, machine: &Machine, shapes: &[SubmeshShape]) {
        let (k, compact) = (u64::from(self.k), self.compact.of(self.k));
        for (shape, i) in shapes.iter().zip(0..).filter(|(shape, _)| shape.nodes == k) {
            // All nodes of these are taken, so that the farthest submesh is the cheapest.
            if let Some(found) = self.scan(shape, i, self.need(shape.pairs as f64)).0[0] {
                let cost = shape.pairs as f64 - self.weight * found.far_sum as f64;
                self.propose(Best { cost, shape: *shape, base: found.base }, false);
            }
        }
        self.found.clear();
        for (shape, i) in shapes.iter().zip(0..).filter(|(shape, _)| shape.nodes > k) {
            let farthest = self.scan(shape, i, self.need(compact));
            self.found.extend(farthest.0.into_iter().flatten());
        }
        let mut found = std::mem::take(&mut self.found);
        // The likeliest winner first: the better the best set so far, the more of the others are passed over unseen.
        if let Some(likely) = (0..found.len()).max_by_key(|&i| found[i].far_sum) {
            found.swap(0, likely);
        }
        for Found { far_sum, shape, base } in &found {
            if *far_sum >= self.need(compact) {
                self.consider(machine, &shapes[*shape as usize], *base);
            }
        }
        self.found = found;
    }

    /// Returns how much the distances to the free nodes must add up to, at least, for a set to win whose pairs add up
    /// to `pairs`.
    fn need(&self, pairs: f64) -> i64 {
        let Some(best) = self.best else { return i64::MIN };
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

    /// Finds the submeshes of a shape that have k free nodes and are farthest from the free nodes, if at least `need`.
    fn scan(&mut self, shape: &SubmeshShape, index: u32, mut need: i64) -> Farthest {
        let mut found = Farthest::default();
        self.far.terms(shape, (shape.nodes - u64::from(self.k)) as i64, &mut self.terms);
        let [xs, ys, zs] = &self.terms;
        let widest = xs.iter().copied().max().unwrap_or(0);
        for (across, z) in zs.iter().zip(0..) {
            let mut y = 0;
            while y < ys.len() {
                // A row can win only if its terms and the best one along x reach `need`; of the others no count is
                // made.
                let end = y + ys[y..].iter().take_while(|&&term| term + across + widest >= need).count();
                if end == y {
                    y += 1;
                    continue;
                }
                self.counts.rows(shape.sides, xs.len(), y..end, z, &mut self.rows);
                flag(&self.rows, C::of(self.k), &mut self.flags);
                for (row, flags) in
                    (y..end).zip((0..).step_by(self.counts.stride()).map(|at| &self.flags[at..]))
                {
                    let across = ys[row] + across;
                    if across + widest < need {
                        continue;
                    }
                    any_set(flags, xs.len(), |x| {
                        let far_sum = xs[x] + across;
                        if far_sum >= need {
                            found.add(Found { far_sum, shape: index, base: [x, row, z].map(|at| at as u32) });
                            need = found.least().map_or(need, |least| least.max(need));
                        }
                        false
                    });
                }
                y = end;
            }
        }
        found
    }

    /// Returns whether a submesh of one of the shapes has k free nodes.
    pub(super) fn holds(&mut self, shapes: &[SubmeshShape]) -> bool {
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

    /// Looks at a submesh of more than k nodes: whether its cheapest k are cheaper than the best so far.
    fn consider(&mut self, machine: &Machine, shape: &SubmeshShape, base: Coord) {
        let (far, inside) = (&self.far, &mut self.inside);
        inside.count(&self.counts, far, shape, base);
        let nodes = inside.nodes();
        let spare = nodes - self.k;
        let (mut cost, size) = inside.cost(far, base, nodes);
        if spare > 0 {
            if let Some(best) = self.best {
                // Nodes that leave save what they cost but for the distances between them, which were counted twice.
                let dearest = inside.price(far, base, nodes);
                let least = cost - f64::from(spare) * dearest + self.compact.of(spare);
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

    /// Takes a set as the best if it is cheaper than the best so far; `leaves` says whether it leaves nodes of its
    /// submesh.
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

    /// Returns the nodes of the cheapest set, ascending.
    pub(super) fn take(&mut self, machine: &Machine) -> Option<Vec<NodeId>> {
        let best = self.best?;
        let mut nodes = Vec::with_capacity(self.k as usize + self.left.len());
        for_each_free(machine, best.base, best.shape.sides, |node, _| nodes.push(node));
        if self.far.torus {
            nodes.sort_unstable();
        }
        if !self.left.is_empty() {
            self.left.sort_unstable();
            let mut left = self.left.iter().copied().peekable();
            nodes.retain(|&node| left.next_if_eq(&node).is_none());
        }
        Some(nodes)
    }
}

/// Sets a byte to 1 for each number that is at least k, else to 0; eight more bytes follow.
fn flag<C: Count>(numbers: &[C], k: C, flags: &mut Vec<u8>) {
    flags.resize(numbers.len() + EIGHT, 0);
    for (flag, &number) in flags.iter_mut().zip(numbers) {
        *flag = u8::from(number >= k);
    }
}

/// Visits the places of a row at which a byte of it, 0 or 1, is set, until told to stop; whether it was. Eight more
/// bytes follow the row.
#[inline]
fn any_set(row: &[u8], places: usize, mut stop: impl FnMut(usize) -> bool) -> bool {
    for first in (0..places).step_by(EIGHT) {
        // Eight flags are read as one number, so that a row without any costs one comparison for eight places.
        let bytes = row[first..].first_chunk::<EIGHT>().map_or(0, |bytes| u64::from_le_bytes(*bytes));
        // Those beyond the row do not count.
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
