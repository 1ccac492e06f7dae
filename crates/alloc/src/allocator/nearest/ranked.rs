//! The search on large machines: lower bounds of all centres first, then the sums of the few that can win.
//!
//! Of neighbouring centres, `bounds` finds the radii that they need, and lower bounds of their pairwise sums for one of
//! these radii after another. Centres whose bounds exceed a sum that is known are given up. The sums of the others are
//! computed together (see `lanes`), and the first one with the least sum wins, as if all had been tried (branch and bound).
//! Those that need a larger radius than most are tried on their own.

use std::cell::OnceCell;
use std::ops::{Range, RangeInclusive};

use pulp::Arch;
use smallvec::SmallVec;

use super::bounds::ball::{Apart, Ball};
use super::bounds::field::Field;
use super::bounds::radii;
use super::bounds::reach::Reach;
use super::bounds::sweep::{Part, Sweep, Work};
use super::bounds::{LANES, Lanes, Lanes16};
use super::centres::Centres;
use super::lanes::{Last, Place};
use super::order::{Best, Candidate, Order};
use super::slices::search::Sliced;
use super::ties::Ties;
use super::wide::{Search, Wide};
use meshreplay_machine::machine::{Coord, Machine, NodeId};

/// At most so many centres, the first ones, are tried before there are bounds. One of them is often as good as any can be.
const FIRST: usize = 512;
/// The share of the lines of centres among which a dense place is looked for, to begin with a low sum.
const LINES: usize = 64;
/// One in so many neighbouring centres is looked at before the others.
const SOME: usize = 16;
/// So many neighbours along the last axis are looked at on one line after another, as the balls of neighbouring lines need almost the
/// same sums, which then are in the nearest cache.
const COLUMN: usize = 16 * LANES;
/// Jobs of so many nodes or more in space are left to slices if these have room, as rims in space have so many places.
const SOLID: u32 = 256;
/// The best radius that is known may exceed the least possible one by this part of it, and by one, if bounds are used.
const SCATTERED: usize = 2;

/// The search on a large machine, with the memory that it keeps between calls.
#[derive(Debug)]
pub(crate) struct Ranked {
    kind: Centres,
    wide: Wide,
    /// The search for jobs that are too large for this one.
    sliced: Sliced,
    field: Field,
    sweep: Sweep,
    reach: Reach,
    last: Last,
    /// For each node, in the order of the field, the radius that it needs as a centre; 0 if it is none. At first it is 1.
    open: Vec<u16>,
    /// The balls of each radius, as far as they are used.
    balls: Vec<OnceCell<Ball>>,
    candidates: Vec<Candidate>,
    /// Whether bounds are used even where they save no time, for tests.
    is_forced: bool,
}

/// Some neighbouring centres.
struct Group {
    /// The first of them, and its place along each axis.
    cell: usize,
    place: [usize; 3],
    /// The radii that they need; 0 for those that are not centres, or are done with.
    needs: [u32; LANES],
}

impl Group {
    /// Returns the least radius that one of them needs; `None` if all are done with.
    fn least(&self) -> Option<u32> {
        self.needs.iter().copied().filter(|&need| need > 0).min()
    }

    /// Returns the parts of those that are not done with, each with the ball of its radius, or of the last one. They are in the
    /// order of radii.
    fn parts<'a>(&self, last: u32, ball: impl Fn(u32) -> &'a Ball) -> SmallVec<[Part<'a>; LANES]> {
        let mut parts = SmallVec::new();
        let mut after = 0;
        while let Some(radius) =
            self.needs.iter().map(|need| (*need).min(last)).filter(|&need| need > after).min()
        {
            let mut lanes = Lanes16([0; LANES]);
            for (lane, need) in lanes.iter_mut().zip(&self.needs) {
                *lane = if (*need).min(last) == radius { u16::MAX } else { 0 };
            }
            parts.push(Part { ball: ball(radius), lanes });
            after = radius;
        }
        parts
    }
}

/// What the sweeps of all centres have in common.
struct Round<'a> {
    search: Search<'a>,
    /// The radii of the balls.
    radii: RangeInclusive<usize>,
    apart: Apart,
    /// No sum is below this one.
    floor: u32,
}

impl Ranked {
    /// Returns a search for machines of any shape.
    pub(super) fn new(kind: Centres, ties: Ties) -> Self {
        Self {
            kind,
            wide: Wide::new(kind, ties),
            sliced: Sliced::new(kind, ties),
            field: Field::default(),
            sweep: Sweep::default(),
            reach: Reach::default(),
            last: Last::new(ties),
            open: Vec::new(),
            balls: Vec::new(),
            candidates: Vec::new(),
            is_forced: false,
        }
    }

    /// Returns the same search, which uses bounds even where they save no time.
    #[cfg(test)]
    pub(super) fn forced(mut self) -> Self {
        self.last.is_forgetful = true;
        Self { is_forced: true, ..self }
    }

    /// Returns the `k` nodes of the best centre, as `Nearest::choose` does; `None` if there is no centre or the machine
    /// was told to stop.
    pub(super) fn choose(&mut self, k: u32, machine: &Machine) -> Option<Vec<NodeId>> {
        let is_space = machine.mesh().extents().iter().all(|&extent| extent > 1);
        let is_solid = is_space && k >= SOLID && Sliced::has_room(machine);
        let radii = radii(k, machine, self.is_forced).filter(|_| self.is_forced || !is_solid);
        let Some(radii) = radii else {
            return self.sliced.choose(k, machine);
        };
        let order = Order::new(self.kind, machine);
        let search = Search { machine, k, order: &order, listed: None };
        self.wide.prepare(machine);
        let floor = self.wide.floor(search);
        let mut best = self.try_first(search, floor)?;
        if best.sum > floor {
            best = self.try_others(search, floor, radii, best)?;
        }
        Some(self.wide.take(search, order.centre(best.rank), best.radius))
    }

    /// Tries some centres in order until one has the sum `floor`, which is the least possible one.
    fn try_first(&mut self, search: Search<'_>, floor: u64) -> Option<Best> {
        let Search { machine, order, .. } = search;
        let mut best: Option<Best> = None;
        let mut radius = 0;
        for centre in order.all(machine).take(FIRST.min(machine.mesh().nodes() as usize / 16)) {
            if machine.is_stopped() {
                return None;
            }
            let limit = best.map_or(u64::MAX, |best| best.sum);
            let sum;
            (radius, sum) = self.wide.sum_below(search, centre, radius, limit)?;
            best = sum.map(|sum| Best { sum, rank: order.rank(centre), radius }).or(best);
            if sum == Some(floor) {
                break;
            }
        }
        best
    }

    /// Finds the best of all centres by their bounds, given the best one of some.
    fn try_others(
        &mut self,
        search: Search<'_>,
        floor: u64,
        radii: RangeInclusive<usize>,
        mut best: Best,
    ) -> Option<Best> {
        let (first, last) = (*radii.start(), *radii.end());
        self.field.fill(search.machine, last + 1);
        self.list_open(search.order);
        self.candidates.clear();
        let apart = Apart::new(&self.field, search.k, &self.wide.floors(search));
        if let Some(dense) = self.densest(&Ball::new(&self.field, first, search.k), &apart) {
            best = self.try_centre(search, dense, first + 1, best)?;
        }
        // Where free nodes are scattered, even a dense place needs a larger radius, and each centre another one. Then few
        // centres have bounds that say something.
        if !self.is_forced && best.radius > first + first / SCATTERED + 1 {
            return self.try_all(search, floor, best);
        }
        self.find_needs(search, radii.clone())?;
        self.balls.clear();
        self.balls.resize_with(last - first + 1, OnceCell::new);
        let floor = u32::try_from(floor).unwrap_or(u32::MAX);
        let round = Round { search, radii, apart, floor };
        self.last.begin(search.order, search.machine.mesh().extents()[0]);
        let cells = self.field.extents[2];
        let lines = self.open.len() / cells;
        let column = if self.field.extents[0] == 1 { COLUMN } else { cells };
        // Some of all centres come first, so that the best sum is low when the others are looked at.
        for is_some in [true, false] {
            for from in (0..cells).step_by(column) {
                for line in 0..lines {
                    if search.machine.is_stopped() {
                        return None;
                    }
                    best = self.sweep_line(&round, best, line, from..cells.min(from + column), is_some);
                }
            }
        }
        self.try_candidates(search, best)
    }

    /// Tries all centres, one after another.
    fn try_all(&mut self, search: Search<'_>, floor: u64, mut best: Best) -> Option<Best> {
        let mut near = best.radius;
        for centre in search.order.all(search.machine) {
            if search.machine.is_stopped() {
                return None;
            }
            let rank = search.order.rank(centre);
            if best.sum == floor && rank > best.rank {
                break;
            }
            let sum;
            (near, sum) = self.wide.sum_below(search, centre, near, best.limit(rank))?;
            best = sum.map_or(best, |sum| Best { sum, rank, radius: near });
        }
        Some(best)
    }

    /// Marks all centres as open.
    fn list_open(&mut self, order: &Order) {
        let [_, rows, cells] = self.field.extents;
        let has = [0, 1, 2].map(|axis: usize| -> Vec<u16> {
            let d = self.field.dim(axis);
            (0..self.field.extents[axis]).map(|at| u16::from(order.has(d, at))).collect()
        });
        self.open.clear();
        self.open.resize(self.field.extents.iter().product(), 0);
        for (line, open) in self.open.chunks_exact_mut(cells).enumerate() {
            let (a, b) = (line / rows, line % rows);
            let from = self.field.cell([a, b, 0]);
            let on_line = has[0][a] & has[1][b];
            for (at, open) in open.chunks_mut(LANES).enumerate() {
                let free = self.field.free(from + at * LANES);
                for (i, (open, free)) in open.iter_mut().zip(*free).enumerate() {
                    let is_any = self.kind == Centres::Combinations;
                    *open = if is_any { on_line & has[2][at * LANES + i] } else { free };
                }
            }
        }
    }

    /// Returns the open centre with the most free nodes in the ball and on its rim, among those on some of the lines.
    fn densest(&mut self, ball: &Ball, apart: &Apart) -> Option<Coord> {
        let [_, rows, cells] = self.field.extents;
        let Self { field, sweep, open, .. } = self;
        let work = Work { arch: Arch::new(), field, apart };
        let mut most = None;
        let each = (open.len() / cells / LINES).max(1);
        for (line, open) in open.chunks_exact(cells).enumerate().step_by(each) {
            for (at, open) in open.chunks(LANES).enumerate() {
                let place = [line / rows, line % rows, at * LANES];
                let [inner, rim] = sweep.numbers(&work, ball, field.cell(place));
                for i in (0..open.len()).filter(|&i| open[i] > 0) {
                    let number = inner[i] + rim[i];
                    if most.is_none_or(|(most, _)| number > most) {
                        most = Some((number, [place[0], place[1], place[2] + i]));
                    }
                }
            }
        }
        most.map(|(_, place)| field.coord(place))
    }

    /// Finds the radii that the open centres need. Returns `None` if the machine was told to stop.
    fn find_needs(&mut self, search: Search<'_>, radii: RangeInclusive<usize>) -> Option<()> {
        let [_, rows, cells] = self.field.extents;
        let Self { field, reach, open, .. } = self;
        let arch = Arch::new();
        reach.begin(field, radii, search.k);
        for from in (0..cells).step_by(COLUMN) {
            // The least radius that the neighbouring centres on the line before need, if they were looked at.
            let mut above = [0; COLUMN / LANES];
            for (line, open) in open.chunks_exact_mut(cells).enumerate() {
                if search.machine.is_stopped() {
                    return None;
                }
                if line % rows == 0 {
                    above.fill(0);
                }
                let open = &mut open[from..cells.min(from + COLUMN)];
                for ((at, open), above) in open.chunks_mut(LANES).enumerate().zip(&mut above) {
                    if open.iter().all(|&open| open == 0) {
                        *above = 0;
                        continue;
                    }
                    let cell = field.cell([line / rows, line % rows, from + at * LANES]);
                    let least = usize::from(*above).saturating_sub(1);
                    let needs = reach.find(arch, field, cell, least);
                    *above = needs.iter().copied().min().unwrap_or(0);
                    for (open, need) in open.iter_mut().zip(*needs) {
                        *open *= need;
                    }
                }
            }
        }
        Some(())
    }

    /// Finds the sums of the centres of a line as far as their bounds say that they may win, and returns the best centre. Those
    /// whose sums are not found become candidates. `at` has the positions on the line, of which some are looked at, or the others.
    fn sweep_line(
        &mut self,
        round: &Round<'_>,
        mut best: Best,
        line: usize,
        at: Range<usize>,
        is_some: bool,
    ) -> Best {
        let [_, rows, cells] = self.field.extents;
        for from in at.step_by(LANES) {
            if ((from / LANES + line).is_multiple_of(SOME)) != is_some {
                continue;
            }
            let place = [line / rows, line % rows, from];
            let number = line * cells + from;
            let mut group = Group { cell: self.field.cell(place), place, needs: [0; LANES] };
            for (need, &open) in
                group.needs.iter_mut().zip(&self.open[number..number + LANES.min(cells - from)])
            {
                *need = u32::from(open);
            }
            best = self.sweep_group(round, best, &mut group);
        }
        best
    }

    /// Does the work of [`Self::sweep_line`] for some neighbouring centres.
    fn sweep_group(&mut self, round: &Round<'_>, mut best: Best, group: &mut Group) -> Best {
        // First all are looked at with the least radius. Then those that are left are looked at in the same way, or in the plane,
        // where balls have few lines, each with its own radius.
        let is_plane = self.field.extents[0] == 1;
        let mut is_first = true;
        while let Some(least) = group.least() {
            best = self.look(round, best, group, (is_first || !is_plane).then_some(least));
            is_first = false;
        }
        best
    }

    /// Looks at neighbouring centres, all with the ball of one radius, `with`, or each with that of its own. Those that need this
    /// radius are done with afterwards, and others that cannot win. Returns the best centre.
    fn look(&mut self, round: &Round<'_>, mut best: Best, group: &mut Group, with: Option<u32>) -> Best {
        let Self { field, sweep, candidates, balls, last, .. } = self;
        let Round { search: Search { machine, order, k, .. }, radii, apart, floor } = round;
        let (of_last, cell, [a, b, c]) = (*radii.end() as u32 + 1, group.cell, group.place);
        let ball = |radius: u32| -> &Ball {
            let of_ball = radius as usize - 1;
            balls[of_ball - radii.start()].get_or_init(|| Ball::new(field, of_ball, *k))
        };
        let with = with.map(|radius| radius.min(of_last));
        let parts = match with {
            Some(radius) => SmallVec::from_iter([Part::all(ball(radius))]),
            None => group.parts(of_last, ball),
        };
        let work = Work { arch: Arch::new(), field, apart };
        // It takes a while to find out which nodes of their rims free nodes take as centres.
        let is_close = order.kind() == Centres::Free;
        let limit = u32::try_from(best.sum).unwrap_or(u32::MAX);
        // In space, rims have so many places that only centres are looked at closely that are done with afterwards.
        let is_plane = field.extents[0] == 1;
        let is_meant =
            |need: u32| need > 0 && (is_plane || with.is_none_or(|radius| need.min(of_last) == radius));
        let limits = Lanes(group.needs.map(|need| if is_meant(need) { limit } else { 0 }));
        let found = sweep.look(&work, &parts, cell, &limits, is_close);
        for (need, bound) in group.needs.iter_mut().zip(*found.bound) {
            *need = if bound.max(*floor) > limit { 0 } else { *need };
        }
        for Part { ball, .. } in &parts {
            let radius = ball.radius as u32 + 1;
            let mut places = [None; LANES];
            for (i, of_centre) in group.needs.iter_mut().enumerate() {
                if *of_centre == 0 || (*of_centre).min(of_last) != radius {
                    continue;
                }
                let need = std::mem::take(of_centre);
                let (centre, bound) = (field.coord([a, b, c + i]), found.bound[i].max(*floor));
                if bound == limit && order.rank(centre) >= best.rank {
                    continue;
                }
                if need == radius {
                    places[i] = Some(Place { order, machine, centre, radius });
                } else {
                    candidates.push(Candidate { bound, rank: order.rank(centre), radius });
                }
            }
            if places.iter().all(Option::is_none) {
                continue;
            }
            let sums = last.sums(sweep, &work, ball, cell, &found, &places);
            for (i, place) in places.iter().enumerate() {
                let Some(place) = place else { continue };
                let rank = order.rank(place.centre);
                if (u64::from(sums[i]), rank) < (best.sum, best.rank) {
                    best = Best { sum: sums[i].into(), rank, radius: radius as usize };
                }
            }
        }
        best
    }

    /// Tries the candidates that can still win.
    fn try_candidates(&mut self, search: Search<'_>, mut best: Best) -> Option<Best> {
        let can_win = |candidate: &Candidate, best: Best| {
            (u64::from(candidate.bound), candidate.rank) < (best.sum, best.rank)
        };
        let mut candidates = std::mem::take(&mut self.candidates);
        candidates.retain(|candidate| can_win(candidate, best));
        candidates.sort_unstable();
        for &candidate in &candidates {
            if search.machine.is_stopped() {
                return None;
            }
            if !can_win(&candidate, best) {
                break;
            }
            best = self.try_centre(
                search,
                search.order.centre(candidate.rank),
                candidate.radius as usize,
                best,
            )?;
        }
        self.candidates = candidates;
        Some(best)
    }

    /// Returns the better one of a centre and the best centre so far. `near` is the first radius to try.
    fn try_centre(&mut self, search: Search<'_>, centre: Coord, near: usize, best: Best) -> Option<Best> {
        let rank = search.order.rank(centre);
        let limit = best.limit(rank);
        let (radius, sum) = self.wide.sum_below(search, centre, near, limit)?;
        Some(sum.map_or(best, |sum| Best { sum, rank, radius }))
    }
}
