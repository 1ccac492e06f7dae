//! The earlier centres that can decide which of some nodes at the same distance from a centre are taken.
//!
//! The nodes lie in a box around the centre. On a line that does not wrap, an earlier centre beyond a side of
//! the box is farther from each of the nodes by the same number of hops than the place on that side. So it
//! orders them as this place does, and of all centres with the same place in the box only the latest decides
//! anything.

use super::axis::Axis;
use meshreplay_machine::machine::Coord;

/// The memory that walks through earlier centres share.
#[derive(Debug, Default)]
pub(super) struct EarlierCentres {
    /// The number of the walk at hand.
    walk: u32,
    /// For each place of the box the last walk that had a centre there.
    seen: Vec<u32>,
}

impl EarlierCentres {
    /// Returns those of the centres `earlier` that can decide about nodes at distance `radius` from `centre`,
    /// the latest first.
    pub(super) fn deciding<'a>(
        &'a mut self,
        axes: [Axis; 3],
        centre: Coord,
        radius: i32,
        earlier: &'a [Coord],
    ) -> impl Iterator<Item = Coord> + 'a {
        let sides = [0, 1, 2].map(|d| side(axes[d], centre[d].cast_signed(), radius));
        let [width, length, depth] = sides.map(|[low, high]| (high - low + 1) as usize);
        let Self { walk, seen } = self;
        *walk = walk.wrapping_add(1);
        if *walk == 0 {
            seen.fill(0);
            *walk = 1;
        }
        seen.resize((width * length * depth).max(seen.len()), 0);
        earlier.iter().rev().copied().filter(move |centre| {
            let [x, y, z] = [0, 1, 2].map(|d| {
                let [low, high] = sides[d];
                (centre[d].cast_signed().clamp(low, high) - low) as usize
            });
            std::mem::replace(&mut seen[(x * length + y) * depth + z], *walk) != *walk
        })
    }
}

/// Returns the first and the last position of the box along a dimension: all positions of a ring.
fn side(axis: Axis, centre: i32, radius: i32) -> [i32; 2] {
    if axis.wraps {
        return [0, axis.extent - 1];
    }
    let window = axis.within(centre, radius);
    [centre - window.below, centre + window.above]
}
