//! The nodes of its rim that one centre takes.
//!
//! The free ones are a set of the places of the rim, of which those that it takes are kept.

use super::rim::is_scattered;
use super::tables::Tables;
use crate::allocator::nearest::carried::Earlier;
use crate::allocator::nearest::rim::rim;
use crate::allocator::nearest::rims::levels::Levels;
use crate::allocator::nearest::ties::Ties;
use meshreplay_machine::machine::{Coord, Mesh, members};

/// All sets are forgotten before the next centre when they have so many words, 16 MB. In tests this comes to be soon.
const MOST: usize = if cfg!(test) { 1 << 10 } else { 1 << 21 };

/// The memory of choices on one machine.
#[derive(Debug, Default)]
pub(super) struct Taken {
    ties: Ties,
    extents: [u32; 3],
    wraps: [bool; 3],
    /// What is known of the rim of each radius; `None` if no centre has needed it.
    radii: Vec<Option<Radius>>,
    /// The words of all sets.
    size: usize,
    /// The free nodes on the rim of the centre at hand, and then those that it takes.
    set: Vec<u64>,
    /// For each dimension the number of taken nodes at each offset, from the radius below the centre on.
    pub(super) counts: [Vec<u32>; 3],
}

/// A rim.
#[derive(Debug)]
struct Radius {
    levels: Levels,
    /// For each place how many entries of a table of wide rows it is from the centre if no axis ends between them; none if the machine state
    /// at hand has not needed them.
    entries: Vec<isize>,
}

impl Taken {
    /// Returns an empty memory.
    pub(super) fn new(ties: Ties) -> Self {
        Self { ties, ..Self::default() }
    }

    /// Starts with another machine state.
    pub(super) fn begin(&mut self, mesh: &Mesh) {
        if (self.extents, self.wraps) != (mesh.extents(), mesh.wrap()) {
            (self.extents, self.wraps) = (mesh.extents(), mesh.wrap());
            self.radii.clear();
            self.size = 0;
        }
        for radius in self.radii.iter_mut().flatten() {
            radius.entries.clear();
        }
    }

    /// Finds which `need` free nodes at distance `radius` from `centre` it takes, and sets `counts` to their numbers. There are `free` ones, at
    /// least as many. `earlier` are the centres before it, the latest first. Returns whether it does so; lists of nodes are left to others. O(places),
    /// and O(places / 64 · log radius) for each earlier centre that was met at its offset before, or O(places · radius / 64).
    pub(super) fn count(
        &mut self,
        (tables, mesh): (&Tables, &Mesh),
        (centre, radius): (Coord, usize),
        [need, free]: [u32; 2],
        earlier: impl Earlier,
    ) -> bool {
        if self.ties == Ties::Location {
            return false;
        }
        if self.size > MOST {
            self.radii.iter_mut().flatten().for_each(|radius| radius.levels.forget());
            self.size = 0;
        }
        let Self { radii, size, set, counts, .. } = self;
        if radii.len() <= radius {
            radii.resize_with(radius + 1, || None);
        }
        let along = [0, 1, 2].map(|d| tables.axis(d));
        let Radius { levels, entries } = radii[radius].get_or_insert_with(|| {
            let mut levels = Levels::default();
            levels.begin(mesh, radius, rim(radius, along.map(|axis| tables.axes[axis].around())).into_iter());
            Radius { levels, entries: Vec::new() }
        });
        if is_scattered(free, levels.places().len()) {
            return false;
        }
        if entries.is_empty() {
            let steps = along.map(|axis| tables.wide_steps()[axis]);
            let entry = |place: &[i32; 3]| -> isize { (0..3).map(|d| place[d] as isize * steps[d]).sum() };
            entries.extend(levels.places().iter().map(entry));
        }
        set.clear();
        set.resize(levels.words(), 0);
        set_free(tables, (centre, radius), (levels.places(), entries), set);
        let before = levels.size();
        levels.keep(set, need, (mesh, centre), earlier);
        *size += levels.size() - before;
        for counts in &mut *counts {
            counts.clear();
            counts.resize(2 * radius + 1, 0);
        }
        for at in members(set) {
            for (counts, offset) in counts.iter_mut().zip(levels.places()[at as usize]) {
                counts[radius.wrapping_add_signed(offset as isize)] += 1;
            }
        }
        true
    }
}

/// Adds those places of a rim to a set that are free nodes, given as offsets and as entries from the centre.
fn set_free(
    tables: &Tables,
    (centre, radius): (Coord, usize),
    (places, entries): (&[[i32; 3]], &[isize]),
    set: &mut [u64],
) {
    let dims = [0, 1, 2].map(|axis| tables.dim(axis));
    let at = dims.map(|d| centre[d] as usize);
    let from = tables.wide_cell(at);
    // Wide rows go on beyond the ends of the last axis.
    let is_inside = |axis: usize| {
        let extent = tables.axes[axis].extent;
        extent == 1 || at[axis] >= radius && at[axis] + radius < extent
    };
    if is_inside(0) && is_inside(1) {
        for (word, entries) in set.iter_mut().zip(entries.chunks(64)) {
            for (bit, &entry) in entries.iter().enumerate() {
                *word |= u64::from(tables.flag(from.wrapping_add_signed(entry))) << bit;
            }
        }
        return;
    }
    for (word, places) in set.iter_mut().zip(places.chunks(64)) {
        for (bit, place) in places.iter().enumerate() {
            let along = |axis: usize| tables.axes[axis].place(at[axis], place[dims[axis]] as isize);
            let Some((a, b)) = along(0).zip(along(1)) else { continue };
            let row = tables.wide_cell([a, b, at[2]]);
            *word |= u64::from(tables.flag(row.wrapping_add_signed(place[dims[2]] as isize))) << bit;
        }
    }
}
