//! The nodes of its rim that one centre takes.
//!
//! Which ones these are is what `carried` says. Here the nodes are a set of the places of the rim, among which the centres before choose by
//! the sets of `levels`.

use super::levels::{Choice, Levels, Offset, members};
use super::tables::Tables;
use crate::allocator::nearest::carried::{Alike, Earlier};
use crate::allocator::nearest::rim::rim;
use crate::allocator::nearest::ties::Ties;
use crate::machine::{Coord, Mesh};

/// All sets are forgotten when they have so many words, 16 MB. In tests this comes to be soon.
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
    kept: Vec<u64>,
    tied: Vec<u64>,
    /// For each dimension the number of taken nodes at each offset, from the least one on.
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

    /// Finds which `need` of the `free` nodes at distance `radius` from `centre` it takes, and sets `counts` to their numbers. There must
    /// be as many. `earlier` are the centres before it, the latest first. O(places) and a few operations for each earlier centre.
    pub(super) fn count(
        &mut self,
        tables: &Tables,
        (centre, radius): (Coord, usize),
        [need, free]: [u32; 2],
        earlier: impl Earlier,
    ) {
        if self.size > MOST {
            self.radii.iter_mut().flatten().for_each(|radius| radius.levels.forget());
            self.size = 0;
        }
        let rings = [0, 1, 2].map(|d| if self.wraps[d] { self.extents[d].cast_signed() } else { 0 });
        let Self { ties, radii, size, kept, tied, counts, extents, .. } = self;
        if radii.len() <= radius {
            radii.resize_with(radius + 1, || None);
        }
        let along = [0, 1, 2].map(|d| tables.axis(d));
        let Radius { levels, entries } = radii[radius].get_or_insert_with(|| {
            let places = rim(radius, along.map(|axis| tables.axes[axis].around()));
            Radius { levels: Levels::new(radius as i32, rings, places), entries: Vec::new() }
        });
        if entries.is_empty() {
            let steps = along.map(|axis| tables.wide_steps()[axis]);
            let entry = |place: &Offset| -> isize { (0..3).map(|d| place[d] as isize * steps[d]).sum() };
            entries.extend(levels.places.iter().map(entry));
        }
        for set in [&mut *kept, &mut *tied] {
            set.clear();
            set.resize(levels.words(), 0);
        }
        set_free(tables, (centre, radius), (&levels.places, entries), tied);
        let mut choice = Choice { kept, tied, open: need, size: free };
        if *ties == Ties::Carried {
            let before = levels.size();
            choose(levels, centre, earlier, &mut choice);
            *size += levels.size() - before;
        }
        if choice.open == choice.size {
            choice.kept.iter_mut().zip(&*choice.tied).for_each(|(kept, tied)| *kept |= tied);
        } else {
            // Nodes that no centre orders are taken in location order.
            let node = |place: Offset| {
                [0, 1, 2].map(|d| (centre[d].cast_signed() + place[d]).rem_euclid(extents[d].cast_signed()))
            };
            let mut rest: Vec<([i32; 3], usize)> =
                members(choice.tied).map(|at| (node(levels.places[at]), at)).collect();
            rest.sort_unstable();
            for (_, at) in rest.iter().take(choice.open as usize) {
                choice.kept[at / 64] |= 1 << (at % 64);
            }
        }
        for counts in &mut *counts {
            counts.clear();
            counts.resize(2 * radius + 1, 0);
        }
        for at in members(choice.kept) {
            for (counts, offset) in counts.iter_mut().zip(levels.places[at]) {
                counts[radius.wrapping_add_signed(offset as isize)] += 1;
            }
        }
    }
}

/// Chooses by the centres before one, the latest first, as `carried::keep_first` does.
fn choose(levels: &mut Levels, centre: Coord, mut earlier: impl Earlier, choice: &mut Choice<'_>) {
    let mut alike = Alike::None;
    while choice.open > 0 && choice.open < choice.size {
        let Some(before) = earlier.next() else { return };
        let offset = [0, 1, 2].map(|d| before[d].cast_signed() - centre[d].cast_signed());
        if levels.choose(offset, choice) {
            // Places that are left are equally far from this centre, and so from others that differ from it only where they are alike.
            alike = levels.alike(choice.tied);
        }
        earlier.skip_like_last(alike);
    }
}

/// Adds those places of a rim to a set that are free nodes, given as offsets and as entries from the centre.
fn set_free(
    tables: &Tables,
    (centre, radius): (Coord, usize),
    (places, entries): (&[Offset], &[isize]),
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
