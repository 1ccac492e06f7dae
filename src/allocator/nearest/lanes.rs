//! The pairwise sums of neighbouring centres whose nodes end on the same rim.
//!
//! It is found out for each centre which places of its rim it takes, by a path in the tree of `rims`; then the sums of all
//! of them are computed at once. Centres of `mm` with the same y and z have the same path, as long as each x before them is
//! a centre's too. So it is walked once for all of them.

use super::bounds::ball::Ball;
use super::bounds::sums::RimBits;
use super::bounds::sweep::{Found, Sweep, Work};
use super::bounds::{LANES, Lanes};
use super::carried::{Alike, Earlier};
use super::centres::Centres;
use super::deciding::Deciding;
use super::order::Order;
use super::rims::{ROOT, Rims};
use super::ties::Ties;
use crate::machine::{Coord, Machine};

/// Orders of a rim are made until they have so many words of bits, and one for so many more paths.
const ORDERS: usize = 4096;
const WALKS: usize = 4;

/// What is known of the centres of one radius. Memory is kept between calls.
#[derive(Debug, Default)]
pub(super) struct Last {
    ties: Ties,
    deciding: Deciding,
    bits: RimBits,
    /// The places of one rim.
    places: Vec<u64>,
    /// What is known of the centres that need each radius.
    radii: Vec<Radius>,
    /// For each x the number of positions just before it that all are centres'.
    runs: Vec<u32>,
    /// Whether hardly any paths are kept, for tests.
    pub(super) is_forgetful: bool,
}

/// What is known of the centres that need one radius.
#[derive(Debug, Default)]
struct Radius {
    /// Whether it is known of the machine state at hand.
    is_begun: bool,
    rims: Rims,
    /// The number of orders before the first path, and the number of paths that were walked.
    orders: usize,
    walks: usize,
    /// For each y and z what is known of the path of its centres, if they are combinations.
    lines: Vec<Line>,
}

/// The path of all centres of one y and z.
#[derive(Clone, Copy, Debug, Default)]
struct Line {
    order: u32,
    /// The number of centres on the path so far.
    steps: usize,
    /// How far these are from the centre at hand along x.
    span: u32,
}

/// A centre whose nodes are to be found.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    pub(super) order: &'a Order,
    pub(super) machine: &'a Machine,
    pub(super) centre: Coord,
    pub(super) radius: u32,
}

impl Last {
    /// Returns an empty memory.
    pub(super) fn new(ties: Ties) -> Self {
        Self { ties, ..Self::default() }
    }

    /// Starts with another machine state.
    pub(super) fn begin(&mut self, order: &Order, width: u32) {
        for radius in &mut self.radii {
            radius.is_begun = false;
        }
        self.runs.clear();
        let mut run = 0;
        for x in 0..width as usize {
            self.runs.push(run);
            run = if order.has(0, x) { run + 1 } else { 0 };
        }
    }

    /// Starts with the centres that need the radius of the rim of `ball`, if this was not done.
    fn begin_radius(&mut self, work: &Work<'_>, ball: &Ball, order: &Order, machine: &Machine) {
        let reach = ball.radius + 1;
        self.radii.resize_with(self.radii.len().max(reach + 1), Radius::default);
        let Radius { is_begun, rims, orders, walks, lines } = &mut self.radii[reach];
        if !*is_begun {
            *is_begun = true;
            rims.begin(machine.mesh(), reach, ball.places(work.field), self.is_forgetful);
            (*orders, *walks) = (rims.count(), 0);
            lines.clear();
            if order.kind() == Centres::Combinations {
                let [_, length, depth] = machine.mesh().extents();
                lines.resize((length * depth) as usize, Line::default());
            }
        }
        self.places.clear();
        self.places.resize(rims.words(), 0);
    }

    /// Returns the pairwise sums of some of the centres that `sweep` was asked for last, which have `found`: those in
    /// `places`. Each must have k free nodes within the rim, and fewer nearer ones. Others get the sum 0, as
    /// do centres at the end of a ring of which this search knows no sum.
    pub(super) fn sums(
        &mut self,
        sweep: &mut Sweep,
        work: &Work<'_>,
        ball: &Ball,
        cell: usize,
        found: &Found,
        places: &[Option<Place<'_>>; LANES],
    ) -> Lanes {
        let Some(place) = places.iter().flatten().next() else { return Lanes::ZERO };
        self.begin_radius(work, ball, place.order, place.machine);
        Sweep::free_on_rim(work, ball, cell, &mut self.bits);
        let mut is_known = [false; LANES];
        for (lane, place) in places.iter().enumerate() {
            let Some(place) = place else { continue };
            let need = ball.k - found.inner[lane];
            for (word, bits) in self.places.iter_mut().enumerate() {
                let half = |word: usize| self.bits.words.get(word).map_or(0, |lanes| lanes[lane]);
                *bits = u64::from(half(2 * word)) | u64::from(half(2 * word + 1)) << 32;
            }
            is_known[lane] = found.rim[lane] == need || self.keep(*place, need);
            for (word, lanes) in self.bits.words.iter_mut().enumerate() {
                lanes[lane] = (self.places[word / 2] >> (word % 2 * 32)) as u32;
            }
        }
        let mut sums = sweep.sums(work, ball, &self.bits);
        for lane in 0..LANES {
            if !is_known[lane] {
                sums[lane] = 0;
            }
        }
        sums
    }

    /// Keeps the `need` of `places` that a centre takes. Returns whether they are known.
    fn keep(&mut self, place: Place<'_>, need: u32) -> bool {
        let Place { machine, centre, radius, .. } = place;
        let order = match self.ties {
            Ties::Location => ROOT,
            Ties::Carried => {
                let Radius { rims, lines, .. } = &mut self.radii[radius as usize];
                if rims.is_large() {
                    rims.forget();
                    lines.fill(Line::default());
                }
                match self.keep_carried(place, need) {
                    Ok(()) => return true,
                    Err(Some(order)) => order,
                    Err(None) => return false,
                }
            }
        };
        // Nodes that no centre orders are taken in location order, which is another one where a rim goes round a ring.
        let mesh = machine.mesh();
        let is_straight = |d: usize| {
            let (at, radius) = (u64::from(centre[d]), u64::from(radius));
            !mesh.wraps(d) || at >= radius && at + radius < u64::from(mesh.extents()[d])
        };
        let is_known = (0..3).all(is_straight);
        if is_known {
            self.radii[radius as usize].rims.keep_first(order, &mut self.places, need);
        }
        is_known
    }

    /// Keeps the places that a centre takes in the carried order. If there are not enough centres before it to decide, it
    /// returns the order that these make; `None` if its path is given up, as most paths are new ones.
    fn keep_carried(&mut self, place: Place<'_>, need: u32) -> Result<(), Option<u32>> {
        let Radius { rims, lines, .. } = &self.radii[place.radius as usize];
        if rims.keep(ROOT, &mut self.places, need).is_ok() {
            return Ok(());
        }
        if lines.is_empty() {
            let mut line = Line::default();
            return match self.walk(place, need, &mut line) {
                Some(true) => Ok(()),
                Some(false) => Err(Some(line.order)),
                None => Err(None),
            };
        }
        let [x, y, z] = place.centre;
        let at = (y * place.machine.mesh().extents()[2] + z) as usize;
        let (mut line, run) = (lines[at], self.runs[x as usize]);
        if line.span > run {
            line = Line::default();
        } else if rims.keep(line.order, &mut self.places, need).is_ok() {
            return Ok(());
        }
        // Paths of lines are never given up.
        let found = self.walk(place, need, &mut line) == Some(true);
        if found && line.span <= run {
            self.radii[place.radius as usize].lines[at] = line;
        }
        if found { Ok(()) } else { Err(Some(line.order)) }
    }

    /// Walks on from the end of a path until it is decided which places a centre takes, and keeps these. Returns whether
    /// that comes to be; `None` if the path is given up.
    fn walk(&mut self, place: Place<'_>, need: u32, line: &mut Line) -> Option<bool> {
        let Place { order, machine, centre, radius } = place;
        let Radius { rims, orders, walks, lines, .. } = &mut self.radii[radius as usize];
        *walks += 1;
        // A new order takes longer than a centre that is tried on its own, if there are several on its path.
        let some = if self.is_forgetful { 8 } else { ORDERS / rims.words() };
        let most = if lines.is_empty() { *orders + some + *walks / WALKS } else { usize::MAX };
        let mut walk = self.deciding.before(order, machine, centre, radius);
        walk.by_ref().take(line.steps).for_each(drop);
        let mut alike = Alike::None;
        while let Some(earlier) = walk.next() {
            line.steps += 1;
            line.span = line.span.max(centre[0].abs_diff(earlier[0]));
            if rims.count() > most {
                return None;
            }
            let next = rims.refined(line.order, rims.offset(centre, earlier));
            if next != line.order {
                line.order = next;
                match rims.keep(next, &mut self.places, need) {
                    Ok(()) => return Some(true),
                    Err(dimensions) => alike = dimensions,
                }
            }
            // A path of a line is also for centres that need other places of it. And where no ring tells offsets apart, longer paths that
            // many centres share are better than shorter ones that few do.
            if lines.is_empty() && machine.mesh().wraps_any() {
                walk.skip_like_last(alike);
            }
        }
        Some(false)
    }
}
