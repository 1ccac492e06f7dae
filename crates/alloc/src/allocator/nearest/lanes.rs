//! The pairwise sums of neighbouring centres whose nodes end on the same rim.
//!
//! It is found out for each centre which places of its rim it takes (see `rims`); then the sums of all of them are computed at once.
//! Centres of `mm` with the same y and z have the same path in the tree of orders, as long as each x before them is a centre's
//! too. So it is walked once for all of them.

use super::bounds::ball::Ball;
use super::bounds::sums::RimBits;
use super::bounds::sweep::{Found, Sweep, Work};
use super::bounds::{LANES, Lanes};
use super::carried::Listed;
use super::centres::Centres;
use super::deciding::Deciding;
use super::order::Order;
use super::rims::levels::Levels;
use super::rims::orders::{ROOT, Rims};
use super::ties::Ties;
use meshreplay_machine::machine::{Coord, Machine};

/// The most words of sets that are kept for a radius, 8 MB; then all are forgotten.
const MOST: usize = 1 << 20;
/// The same for tests.
const MOST_OF_FORGETFUL: usize = 300;
/// Rims of more words have so many orders that to make them takes longer than the centres of a line save by sharing them.
const WORDS_OF_LINES: usize = 4;

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
    levels: Levels,
    rims: Rims,
    /// For each y and z what is known of the path of its centres, if they are combinations.
    lines: Vec<Line>,
}

/// The path of all centres of one y and z.
#[derive(Clone, Copy, Debug)]
struct Line {
    order: u32,
    /// The number of centres on the path so far.
    steps: usize,
    /// How far these are from the centre at hand along x.
    span: u32,
}

impl Line {
    /// No centre is on the path.
    const START: Self = Self { order: ROOT, steps: 0, span: 0 };
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
        let Radius { is_begun, levels, rims, lines } = &mut self.radii[reach];
        if !*is_begun {
            *is_begun = true;
            levels.begin(machine.mesh(), reach, ball.places(work.field));
            lines.clear();
            if order.kind() == Centres::Combinations && levels.words() <= WORDS_OF_LINES {
                rims.begin(machine.mesh(), reach, ball.places(work.field), self.is_forgetful);
                let [_, length, depth] = machine.mesh().extents();
                lines.resize((length * depth) as usize, Line::START);
            }
        }
        self.places.clear();
        self.places.resize(levels.words(), 0);
    }

    /// Returns the pairwise sums of some of the centres that `sweep` was asked for last, which have `found`: those in
    /// `places`. Each must have k free nodes within the rim, and fewer nearer ones. The sums of others mean nothing.
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
        for (lane, place) in places.iter().enumerate() {
            let Some(place) = place else { continue };
            let need = ball.k - found.inner[lane];
            for (word, bits) in self.places.iter_mut().enumerate() {
                let half = |word: usize| self.bits.words.get(word).map_or(0, |lanes| lanes[lane]);
                *bits = u64::from(half(2 * word)) | u64::from(half(2 * word + 1)) << 32;
            }
            if found.rim[lane] > need {
                self.keep(*place, need);
            }
            for (word, lanes) in self.bits.words.iter_mut().enumerate() {
                lanes[lane] = (self.places[word / 2] >> (word % 2 * 32)) as u32;
            }
        }
        sweep.sums(work, ball, &self.bits)
    }

    /// Keeps the `need` of `places` that a centre takes.
    fn keep(&mut self, place: Place<'_>, need: u32) {
        let Place { order, machine, centre, radius } = place;
        let is_known = self.ties == Ties::Carried && self.keep_on_line(place, need);
        if is_known {
            return;
        }
        let Self { ties, deciding, places, radii, .. } = self;
        let levels = &mut radii[radius as usize].levels;
        if levels.size() > if self.is_forgetful { MOST_OF_FORGETFUL } else { MOST } {
            levels.forget();
        }
        let around = (machine.mesh(), centre);
        match ties {
            Ties::Location => levels.keep(places, need, around, Listed(std::iter::empty())),
            Ties::Carried => {
                levels.keep(places, need, around, deciding.before(order, machine, centre, radius));
            }
        }
    }

    /// Keeps the places that a centre takes, if it is one of combinations and the path of its line decides. Returns whether it does.
    fn keep_on_line(&mut self, place: Place<'_>, need: u32) -> bool {
        let Radius { rims, lines, .. } = &mut self.radii[place.radius as usize];
        if lines.is_empty() {
            return false;
        }
        if rims.is_large() {
            rims.forget();
            lines.fill(Line::START);
        }
        let [x, y, z] = place.centre;
        let at = (y * place.machine.mesh().extents()[2] + z) as usize;
        let (mut line, run) = (lines[at], self.runs[x as usize]);
        if line.span > run {
            line = Line::START;
        }
        if rims.keep(line.order, &mut self.places, need) {
            return true;
        }
        let found = self.walk(place, need, &mut line);
        if found && line.span <= run {
            self.radii[place.radius as usize].lines[at] = line;
        }
        found
    }

    /// Walks on from the end of a path until it is decided which places a centre takes, and keeps these. Returns whether
    /// that comes to be.
    fn walk(&mut self, place: Place<'_>, need: u32, line: &mut Line) -> bool {
        let Place { order, machine, centre, radius } = place;
        let rims = &mut self.radii[radius as usize].rims;
        let mut walk = self.deciding.before(order, machine, centre, radius);
        walk.by_ref().take(line.steps).for_each(drop);
        // A path is also for centres that need other places of the rim, so that no step of it may be left out.
        for earlier in walk {
            line.steps += 1;
            line.span = line.span.max(centre[0].abs_diff(earlier[0]));
            let next = rims.refined(line.order, rims.offset(centre, earlier));
            if next != line.order {
                line.order = next;
                if rims.keep(next, &mut self.places, need) {
                    return true;
                }
            }
        }
        false
    }
}
