//! The search: lower bounds of all centres first, then the sums of those that can win, the least bound first.
//!
//! It suits jobs whose balls are too large for `ranked`, or meet themselves around a ring. Its bounds cost a few operations for
//! each position of each axis. The sums of the centres that are left are found one by one.

use pulp::Arch;

use super::axis::Axis;
use super::idle::Idle;
use super::look::Looks;
use super::question::Question;
use super::tables::Tables;
use super::taken::Taken;
use crate::allocator::nearest::bounds::{LANES, Lanes, nodes_within};
use crate::allocator::nearest::centres::Centres;
use crate::allocator::nearest::deciding::Deciding;
use crate::allocator::nearest::order::{Best, Candidate, Order};
use crate::allocator::nearest::rim::rim;
use crate::allocator::nearest::ties::Ties;
use crate::allocator::nearest::wide::{Search, Wide};
use meshreplay_machine::machine::{Machine, NodeId};

/// Rims of radii up to so many times the least one, and some more, have bounds of their own.
const FARTHER: usize = 2;
/// The fewest nodes of a machine on which bounds save time; and so for free nodes as centres in the plane, where each costs little.
const NODES: u32 = 512;
const NODES_OF_PLANE: u32 = 2048;
/// On machines of fewer nodes every number of free nodes fits 16 bits.
const SMALL: u32 = 1 << 16;
/// There is room for large jobs if there is for so many radii.
const RADII: usize = 32;
/// Rims of smaller radii have fewer than half as many places.
const RADII_OF_LARGE: usize = 90;

/// The search, with the memory that it keeps between calls.
#[derive(Debug)]
pub(in super::super) struct Sliced {
    kind: Centres,
    wide: Wide,
    tables: Tables,
    looks: Looks,
    deciding: Deciding,
    idle: Idle,
    taken: Taken,
    ties: Ties,
    /// For each entry of the tables the radius that it needs as a centre; 0 if it is none.
    needs: Vec<u16>,
    candidates: Vec<Candidate>,
    /// Whether bounds are used even where they save no time, for tests.
    is_forced: bool,
}

/// Lower bounds of the pairwise sums of some nodes, divided.
struct Apart {
    /// The binary logarithm of the number by which sums are divided.
    shift: u32,
    anywhere: Vec<u32>,
    /// Smaller radii have bounds of their own: those of nodes at this distance from a centre; nothing if no centre has needed it.
    rims: usize,
    on_rim: Vec<OnRim>,
}

/// What the nodes at some distance from a centre have in common.
#[derive(Default)]
struct OnRim {
    /// Lower bounds of the pairwise sums of 0, 1, … of them, divided.
    apart: Vec<u32>,
    /// Their offsets from the centre along each axis.
    places: Vec<[i32; 3]>,
}

impl Apart {
    /// Finds out about nodes at distance `radius` from a centre, if it is not known.
    fn learn(&mut self, radius: usize, wide: &mut Wide, tables: &Tables) {
        if self.on_rim.len() <= radius {
            self.on_rim.resize_with(radius + 1, OnRim::default);
        }
        let Self { shift, anywhere, on_rim, .. } = self;
        if on_rim[radius].apart.is_empty() {
            let divided = |sum: u64| u32::try_from(sum >> *shift).unwrap_or(u32::MAX);
            let both = anywhere.iter().enumerate();
            let apart =
                both.map(|(nodes, &sum)| divided(wide.least_on_rim(radius, nodes)).max(sum)).collect();
            on_rim[radius] = OnRim { apart, places: rim(radius, tables.axes.map(Axis::around)) };
        }
    }
}

impl Sliced {
    /// Returns a search for machines of any shape.
    pub(in super::super) fn new(kind: Centres, ties: Ties) -> Self {
        Self {
            kind,
            wide: Wide::new(kind, ties),
            tables: Tables::default(),
            looks: Looks::default(),
            deciding: Deciding::default(),
            idle: Idle::default(),
            taken: Taken::new(ties),
            ties,
            needs: Vec::new(),
            candidates: Vec::new(),
            is_forced: false,
        }
    }

    /// Returns whether there is memory for the radii that large jobs need on a machine.
    pub(in super::super) fn has_room(machine: &Machine) -> bool {
        Tables::most(machine.mesh()) >= RADII
    }

    /// Returns the most radii of tables for jobs of `k` processors; `None` if bounds save no time.
    fn most_radii(&self, k: u32, machine: &Machine) -> Option<usize> {
        let mesh = machine.mesh();
        let (extents, is_small) = (mesh.extents(), mesh.nodes() < SMALL);
        let most = Tables::most(mesh);
        // On a larger machine a ball with fewer than k nodes must not grow beyond 16 bits by one rim.
        let most = if is_small { most } else { most.min(RADII_OF_LARGE) };
        let dims = extents.iter().filter(|&&extent| extent > 1).count();
        let within = nodes_within(most.checked_sub(1)? as u64, dims);
        if k >= if is_small { SMALL } else { SMALL / 2 } || within < u64::from(k) {
            return None;
        }
        // Along a machine that is long and narrow, radii are many and each centre needs another one.
        let longest = extents.into_iter().max().unwrap_or(1);
        let is_long = longest > 2 * (extents.iter().sum::<u32>() - longest);
        let fewest = if self.kind == Centres::Free && dims < 3 { NODES_OF_PLANE } else { NODES };
        (self.is_forced || !is_long && mesh.nodes() >= fewest).then_some(most)
    }

    /// Returns the same search, which uses bounds even where they save no time.
    #[cfg(test)]
    pub(in super::super) fn forced(self) -> Self {
        Self { is_forced: true, ..self }
    }

    /// Returns the `k` nodes of the best centre, as `Nearest::choose` does; `None` if there is no centre or the machine
    /// was told to stop.
    pub(in super::super) fn choose(&mut self, k: u32, machine: &Machine) -> Option<Vec<NodeId>> {
        let Some(most) = self.most_radii(k, machine) else {
            return self.wide.choose(k, machine);
        };
        let order = Order::new(self.kind, machine);
        let search = Search { machine, k, order: &order, listed: None };
        self.wide.prepare(machine);
        let first = self.find_needs(search, most);
        if machine.is_stopped() {
            return None;
        }
        let Some(first) = first else {
            return self.wide.choose(k, machine);
        };
        let floor = self.wide.floor(search);
        let mut best = self.try_dense(search, first)?;
        if best.sum > floor || best.rank > 0 {
            best = self.try_others(search, first, floor, best)?;
        }
        Some(self.wide.take(search, order.centre(best.rank), best.radius))
    }

    /// Finds the radii that centres need, and returns the least one; `None` if there is memory for no radius that is large enough, or if the
    /// machine was told to stop.
    fn find_needs(&mut self, search: Search<'_>, most: usize) -> Option<usize> {
        let Search { machine, order, k, .. } = search;
        let Self { tables, needs, kind, .. } = self;
        let arch = Arch::new();
        tables.begin(machine, most);
        let open = open(tables, *kind, order);
        let mut first = None;
        while tables.can_grow() && tables.radii() < most {
            if machine.is_stopped() {
                return None;
            }
            tables.grow(arch, k as u16);
            let of_centres = tables.needs.iter().zip(&open);
            let least = of_centres.clone().map(|(need, open)| need | !open).min();
            first = least.map(usize::from).filter(|&least| least < tables.radii());
            let most = of_centres.map(|(need, open)| need & open).max();
            if most.is_some_and(|most| usize::from(most) < tables.radii()) {
                break;
            }
        }
        needs.clear();
        needs.extend(tables.needs.iter().zip(&open).map(|(need, open)| need & open));
        first
    }

    /// Tries the centre with the most nodes near it, among those that need the least radius.
    fn try_dense(&mut self, search: Search<'_>, first: usize) -> Option<Best> {
        let near = self.needs.iter().zip(&self.tables.inner).enumerate();
        let (cell, _) = near
            .filter(|(_, (need, _))| usize::from(**need) == first)
            .map(|(cell, (_, &inner))| (cell, inner))
            .max_by_key(|&(_, inner)| inner)?;
        let [_, b, _] = self.tables.extents();
        let row = cell / self.tables.width;
        let centre = self.tables.coord([row / b, row % b, cell % self.tables.width]);
        let (radius, sum) = self.wide.sum_below(search, centre, first, u64::MAX)?;
        Some(Best { sum: sum?, rank: search.order.rank(centre), radius })
    }

    /// Finds the best of all centres by their bounds, given a good one, the least radius that one needs, and a sum that none is below.
    fn try_others(&mut self, search: Search<'_>, first: usize, floor: u64, mut best: Best) -> Option<Best> {
        let Search { machine, k, .. } = search;
        let arch = Arch::new();
        let extents = self.tables.extents();
        let span: u64 = extents.iter().map(|&extent| extent as u64).sum();
        let mut shift = 0;
        while (u64::from(k) * u64::from(k) * span) >> shift >= 1 << 31 {
            shift += 1;
        }
        let divided = |sum: u64| u32::try_from(sum >> shift).unwrap_or(u32::MAX);
        let anywhere = self.wide.floors(search).into_iter().map(divided).collect();
        let mut apart = Apart { shift, anywhere, rims: FARTHER * first + 4, on_rim: Vec::new() };
        self.candidates.clear();
        for (a, b) in (0..extents[0]).flat_map(|a| (0..extents[1]).map(move |b| (a, b))) {
            if machine.is_stopped() {
                return None;
            }
            for c in (0..extents[2]).step_by(LANES) {
                self.look(arch, search, &mut apart, [a, b, c], divided(best.sum));
            }
        }
        let mut candidates = std::mem::take(&mut self.candidates);
        candidates.sort_unstable();
        self.idle.begin(k, machine.mesh());
        self.taken.begin(machine.mesh());
        for &Candidate { bound, rank, radius } in &candidates {
            if machine.is_stopped() {
                return None;
            }
            if bound > divided(best.sum) {
                break;
            }
            if best.sum > floor || rank < best.rank {
                best = self.try_centre(search, best, rank, radius)?;
            }
        }
        self.candidates = candidates;
        Some(best)
    }

    /// Returns the better one of a centre and the best centre so far. `radius` is the one that it needs, or the number of radii that there
    /// are tables for.
    fn try_centre(&mut self, search: Search<'_>, best: Best, rank: u32, radius: u32) -> Option<Best> {
        let Search { machine, order, .. } = search;
        let Self { tables, wide, deciding, idle, taken, .. } = self;
        let (centre, of_tables) = (order.centre(rank), radius as usize);
        let limit = best.limit(rank);
        let (of_centre, sum) = if of_tables >= tables.radii() {
            wide.sum_below(search, centre, of_tables, limit)?
        } else {
            let at = [0, 1, 2].map(|axis| centre[tables.dim(axis)] as usize);
            let cell = tables.cell(at);
            let [inner, within] = [tables.inner[cell], tables.within[cell]].map(u32::from);
            let earlier = deciding.before(order, machine, centre, radius);
            let idle =
                if self.ties == Ties::Carried { idle.sum((centre, radius), within, earlier) } else { None };
            let slices = [0, 1, 2].map(|d| tables.slices(at, of_tables - 1, tables.axis(d)));
            let slice = |d: usize, offset: isize| slices[d].at(offset);
            let at_centre = (centre, of_tables);
            let sum = idle.or_else(|| {
                let earlier = deciding.before(order, machine, centre, radius);
                let numbers = [search.k - inner, within - inner];
                if !taken.count((tables, machine.mesh()), at_centre, numbers, earlier) {
                    return wide.sum_of(search, at_centre, (slice, inner), limit);
                }
                let with_last = |d: usize, offset: isize| {
                    let last = taken.counts[d][of_tables.wrapping_add_signed(offset)];
                    last + if offset.unsigned_abs() < of_tables { slice(d, offset) } else { 0 }
                };
                Some(wide.sum_with(search.k, at_centre, with_last))
            });
            (of_tables, sum.filter(|&sum| sum < limit))
        };
        Some(sum.map_or(best, |sum| Best { sum, rank, radius: of_centre }))
    }

    /// Adds those of neighbouring centres to the candidates whose bounds, divided, are not above a limit.
    fn look(&mut self, arch: Arch, search: Search<'_>, apart: &mut Apart, at: [usize; 3], limit: u32) {
        let Self { tables, looks, needs, candidates, wide, .. } = self;
        let (cell, radii) = (tables.cell(at), tables.radii());
        let mut left = Lanes::ZERO;
        for (left, need) in left.iter_mut().zip(&needs[cell..cell + LANES]) {
            *left = u32::from(*need);
        }
        while let Some(radius) = left.iter().copied().filter(|&need| need > 0).min() {
            let radius = radius as usize;
            let has_rim = radius < apart.rims && radius < radii;
            if has_rim {
                apart.learn(radius, wide, tables);
            }
            let (apart_on_rim, rim) = if has_rim {
                let OnRim { apart, places } = &apart.on_rim[radius];
                (apart, &places[..])
            } else {
                (&apart.anywhere, &[][..])
            };
            let question = Question {
                tables,
                at,
                radius,
                k: search.k,
                needs: &left,
                apart: &apart.anywhere,
                apart_on_rim,
                rim,
                shift: apart.shift,
                limit,
            };
            let bounds = looks.look(arch, &question);
            for i in 0..LANES {
                if left[i] == 0 || bounds[i] > limit {
                    left[i] = 0;
                } else if left[i] as usize == radius {
                    let [a, b, c] = at;
                    let rank = search.order.rank(tables.coord([a, b, c + i]));
                    candidates.push(Candidate { bound: bounds[i], rank, radius: radius as u32 });
                    left[i] = 0;
                }
            }
        }
    }
}

/// Returns all ones for each entry of the tables whose node is a centre, and 0 for the others.
fn open(tables: &Tables, kind: Centres, order: &Order) -> Vec<u16> {
    let [a, b, c] = tables.extents();
    let mut open = vec![0; tables.needs.len()];
    let has = |axis: usize, at: usize| order.has(tables.dim(axis), at);
    for (a, b) in (0..a).flat_map(|a| (0..b).map(move |b| (a, b))) {
        let first = tables.cell([a, b, 0]);
        for at in 0..c {
            let is_open = match kind {
                Centres::Free => tables.is_free([a, b, at]),
                Centres::Combinations => has(0, a) && has(1, b) && has(2, at),
            };
            open[first + at] = if is_open { u16::MAX } else { 0 };
        }
    }
    open
}
