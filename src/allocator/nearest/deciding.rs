//! The earlier centres that can decide which of some nodes at the same distance are taken.
//!
//! The nodes lie in a box, whose middle is the centre at hand. An earlier centre beyond a side of the box is nearer to
//! them, by the same number of hops for each, if it is moved straight to that side. So it orders them as the place on the
//! side does. And if nodes are equally far from one centre, then they are so from every other one that orders them like
//! it. So of all centres that end at the same place of the box, only the latest decides anything.

use super::centres::Centres;
use super::order::Order;
use crate::machine::{Coord, Machine};

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
    /// The number of places of the box before the centre and behind it, along each side. There are none beyond the machine.
    reach: [[u32; 2]; 3],
    radius: u32,
    /// The number of places along the last two sides of the box.
    sides: [usize; 2],
    /// The number of places on a line of the box that a centre can end at.
    on_line: u32,
    /// The line of the machine at hand: the places of its x and y in the order of centres.
    line: [u32; 2],
    /// The number of centres of the line that are still to come.
    left: u32,
    /// The x and y of the line.
    at: [u32; 2],
    /// The line of the box at which these end.
    ends_at: Option<usize>,
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
        let reach: [[u32; 2]; 3] = [0, 1, 2].map(|d: usize| {
            let (last, at) = (mesh.extents()[d] - 1, centre[d]);
            // Half of a ring lies on either side of the centre.
            let sides = if mesh.wraps(d) { [mesh.extents()[d] / 2; 2] } else { [at, last - at] };
            if last == 0 { [0; 2] } else { sides.map(|side| side.min(radius)) }
        });
        let sides = reach.map(|[before, behind]| (before + behind + 1) as usize);
        self.walk = self.walk.wrapping_add(1);
        if self.walk == 0 {
            self.seen.clear();
            self.seen_on_line.clear();
        }
        self.seen.resize((sides[0] * sides[1] * sides[2]).max(self.seen.len()), 0);
        self.seen_on_line.resize((sides[0] * sides[1]).max(self.seen_on_line.len()), (0, 0));
        let on_line = if mesh.wraps(2) { u32::MAX } else { sides[2] as u32 };
        let [x, y, left] = order.places(centre);
        let mut walk = Walk {
            memory: self,
            order,
            machine,
            centre,
            reach,
            radius,
            sides: [sides[1], sides[2]],
            on_line,
            line: [x, y],
            left,
            at: [0; 2],
            ends_at: None,
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
        self.ends_at = x.zip(y).map(|(x, y)| x * self.sides[0] + y);
        if self.ends_at.is_some_and(|line| self.memory.seen_on_line[line] == (self.memory.walk, self.on_line))
        {
            self.left = 0;
        }
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

    /// Returns the place of the box at which a position of dimension `d` ends; `None` if it orders nodes like no place of
    /// the box, as nodes may be reached from it both ways around a ring.
    fn place(&self, d: usize, at: u32) -> Option<usize> {
        let mesh = self.machine.mesh();
        let extent = mesh.extents()[d].cast_signed();
        if extent == 1 {
            return Some(0);
        }
        let mut offset = at.cast_signed() - self.centre[d].cast_signed();
        let radius = self.radius.cast_signed();
        if mesh.wraps(d) {
            if 2 * offset > extent {
                offset -= extent;
            } else if 2 * offset < -extent {
                offset += extent;
            }
            if 2 * (offset.abs() + radius) > extent {
                return None;
            }
        }
        let [before, behind] = self.reach[d].map(u32::cast_signed);
        Some((offset.clamp(-before, behind) + before) as usize)
    }
}

impl Iterator for Walk<'_> {
    /// A centre, and the place of the box at which it ends, if there is one.
    type Item = (Coord, Option<u32>);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if self.left == 0 {
                self.next_line()?;
                continue;
            }
            self.left -= 1;
            let z = self.order.values(2)[self.left as usize];
            let place = self.ends_at.zip(self.place(2, z)).map(|(line, z)| line * self.sides[1] + z);
            if place.is_some_and(|place| self.memory.seen[place] == self.memory.walk) {
                continue;
            }
            let centre = [self.at[0], self.at[1], z];
            let is_free = self.order.kind() == Centres::Combinations
                || self.machine.free().contains(self.machine.mesh().node(centre));
            if !is_free {
                continue;
            }
            if let Some((place, line)) = place.zip(self.ends_at) {
                let walk = self.memory.walk;
                self.memory.seen[place] = walk;
                let (last, count) = self.memory.seen_on_line[line];
                let count = if last == walk { count + 1 } else { 1 };
                self.memory.seen_on_line[line] = (walk, count);
                if count == self.on_line {
                    self.left = 0;
                }
            }
            return Some((centre, place.map(|place| place as u32)));
        }
    }
}
