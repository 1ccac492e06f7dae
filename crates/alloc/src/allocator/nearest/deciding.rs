//! The earlier centres that can decide which of some nodes at the same distance are taken.
//!
//! The nodes lie in a box, whose middle is the centre at hand. An earlier centre beyond a side of the box is nearer to
//! them, by the same number of hops for each, if it is moved straight to that side. So it orders them as the place on the
//! side does. And if nodes are equally far from one centre, then they are so from every other one that orders them like
//! it. So of all centres that end at the same place of the box, only the latest decides anything.

use super::carried::{Alike, Earlier};
use super::centres::Centres;
use super::order::Order;
use meshreplay_machine::machine::{Coord, Machine, Mesh};

/// The memory of walks through earlier centres.
#[derive(Debug, Default)]
pub(super) struct Deciding {
    /// The number of the walk at hand. What is marked with another number counts as empty.
    walk: u32,
    /// For each place of the box the last walk in which a centre has ended there.
    seen: Vec<u32>,
    /// For each line of the box the last walk with a centre on it, and the number of its places that were seen then.
    seen_on_line: Vec<(u32, u32)>,
}

/// A walk through the centres before one, the latest first. Centres that decide nothing are left out.
pub(super) struct Walk<'a> {
    memory: &'a mut Deciding,
    order: &'a Order,
    machine: &'a Machine,
    centre: Coord,
    sides: [Side; 3],
    /// The number of places along the last two sides of the box.
    counts: [usize; 2],
    radius: u32,
    /// The line of the machine at hand: the places of its x and y in the order of centres.
    line: [u32; 2],
    /// The number of centres of the line that are still to come.
    left: u32,
    /// The x and y of the line.
    at: [u32; 2],
    /// The line of the box at which these end.
    ends_at: usize,
}

/// The places of the box along one dimension. On a ring these are also the positions from which the nodes of the box are
/// reached both ways around it: each of these orders nodes like no other one.
#[derive(Clone, Copy)]
struct Side {
    /// The number of positions.
    extent: u32,
    wraps: bool,
    /// The number of places before the centre, and behind it. There are none beyond the machine.
    before: u32,
    behind: u32,
    /// The first hops from the centre along a ring at which no straight way leads to all of the box.
    far: u32,
    /// The number of all places.
    count: u32,
}

impl Side {
    /// Returns the side of the box of nodes at distance `radius` from a centre at position `at`.
    fn new(mesh: &Mesh, d: usize, at: u32, radius: u32) -> Self {
        let (extent, wraps) = (mesh.extents()[d], mesh.wraps(d));
        let half = extent / 2;
        if wraps {
            let far = (half + 1).saturating_sub(radius);
            let side = radius.min(far.saturating_sub(1));
            // From `far` hops in one direction to as many in the other one.
            let around = (extent + 1).saturating_sub(2 * far).min(extent);
            return Self { extent, wraps, before: side, behind: side, far, count: 2 * side + 1 + around };
        }
        let (before, behind) = (at.min(radius), (extent - 1 - at).min(radius));
        Self { extent, wraps, before, behind, far: 0, count: before + behind + 1 }
    }

    /// Returns the place at which a position ends that is so many positions behind the centre.
    fn place(self, offset: i32) -> u32 {
        let mut offset = offset;
        if self.wraps {
            let ahead = offset.rem_euclid(self.extent.cast_signed()).cast_unsigned();
            let hops = ahead.min(self.extent - ahead);
            if hops >= self.far {
                return self.before + self.behind + 1 + ahead - self.far;
            }
            offset = if hops == ahead { hops.cast_signed() } else { -hops.cast_signed() };
        }
        let [before, behind] = [self.before, self.behind].map(u32::cast_signed);
        (offset.clamp(-before, behind) + before).cast_unsigned()
    }

    /// Returns the number of places that positions can end at.
    fn all(self) -> u32 {
        // If no position is straight, not even the centre's own, none ends at its place.
        if self.wraps && self.far == 0 { self.count - 1 } else { self.count }
    }
}

impl Deciding {
    /// Returns a walk through the centres before `centre` that can decide about nodes at distance `radius` from it.
    pub(super) fn before<'a>(
        &'a mut self,
        order: &'a Order,
        machine: &'a Machine,
        centre: Coord,
        radius: u32,
    ) -> Walk<'a> {
        let mesh = machine.mesh();
        let sides = [0, 1, 2].map(|d| Side::new(mesh, d, centre[d], radius));
        let counts = sides.map(|side| side.count as usize);
        self.walk = self.walk.wrapping_add(1);
        if self.walk == 0 {
            self.seen.clear();
            self.seen_on_line.clear();
        }
        self.seen.resize((counts[0] * counts[1] * counts[2]).max(self.seen.len()), 0);
        self.seen_on_line.resize((counts[0] * counts[1]).max(self.seen_on_line.len()), (0, 0));
        let [x, y, left] = order.places(centre);
        let mut walk = Walk {
            memory: self,
            order,
            machine,
            centre,
            sides,
            counts: [counts[1], counts[2]],
            radius,
            line: [x, y],
            left,
            at: [0; 2],
            ends_at: 0,
        };
        walk.begin_line();
        walk
    }
}

impl Walk<'_> {
    /// Notes what is the same for all centres of a line.
    fn begin_line(&mut self) {
        self.at = [0, 1].map(|d: usize| self.order.values(d)[self.line[d] as usize]);
        let [x, y] = [0, 1].map(|d| self.place(d, self.at[d]));
        self.ends_at = x * self.counts[0] + y;
        if self.memory.seen_on_line[self.ends_at] == (self.memory.walk, self.sides[2].all()) {
            self.left = 0;
            self.line[1] -= self.alike(1, self.line[1]);
        }
    }

    /// Returns how many of the places just before one in the order of dimension `d` end where it does. It may be fewer
    /// than there are.
    fn alike(&self, d: usize, place: u32) -> u32 {
        // Other orders go up and down.
        if self.order.kind() == Centres::Combinations {
            return 0;
        }
        let (mesh, radius) = (self.machine.mesh(), self.radius);
        let (extent, before) = (mesh.extents()[d], self.centre[d] > place);
        let hops = place.abs_diff(self.centre[d]);
        if !mesh.wraps(d) {
            let is_beyond = hops >= radius;
            return if !is_beyond {
                0
            } else if before {
                place
            } else {
                hops - radius
            };
        }
        // On a ring this is so as far as the straight way leads to all of the box. It may lead across the end of the ring.
        let across = 2 * hops > extent;
        let hops = if across { extent - hops } else { hops };
        if hops < radius || hops + radius > extent / 2 {
            return 0;
        }
        // Whether places before this one are farther from the centre.
        let is_away = before != across;
        place.min(if is_away { extent / 2 - radius - hops } else { hops - radius })
    }

    /// Goes on to the line before. Returns `None` if there is none.
    fn next_line(&mut self) -> Option<()> {
        if let Some(y) = self.line[1].checked_sub(1) {
            self.line[1] = y;
        } else {
            self.line = [self.line[0].checked_sub(1)?, self.order.values(1).len() as u32 - 1];
        }
        self.left = self.order.values(2).len() as u32;
        self.begin_line();
        Some(())
    }

    /// Returns the place of the box at which a position of dimension `d` ends.
    fn place(&self, d: usize, at: u32) -> usize {
        self.sides[d].place(at.cast_signed() - self.centre[d].cast_signed()) as usize
    }
}

impl Earlier for Walk<'_> {
    fn skip_like_last(&mut self, dimensions: Alike) {
        if dimensions != Alike::None {
            self.left = 0;
        }
        if dimensions == Alike::YZ {
            self.line[1] = 0;
        }
    }
}

impl Iterator for Walk<'_> {
    type Item = Coord;

    fn next(&mut self) -> Option<Coord> {
        loop {
            if self.left == 0 {
                self.next_line()?;
                continue;
            }
            self.left -= 1;
            let z = self.order.values(2)[self.left as usize];
            let place = self.ends_at * self.counts[1] + self.place(2, z);
            let walk = self.memory.walk;
            if self.memory.seen[place] == walk {
                self.left -= self.alike(2, self.left);
                continue;
            }
            let centre = [self.at[0], self.at[1], z];
            let is_free = self.order.kind() == Centres::Combinations
                || self.machine.free().contains(self.machine.mesh().node(centre));
            if !is_free {
                continue;
            }
            self.memory.seen[place] = walk;
            let (last, count) = self.memory.seen_on_line[self.ends_at];
            let count = if last == walk { count + 1 } else { 1 };
            self.memory.seen_on_line[self.ends_at] = (walk, count);
            if count == self.sides[2].all() {
                self.left = 0;
            }
            return Some(centre);
        }
    }
}
