//! The geometry of a ball and of its rim, and lower bounds of distances between nodes that follow from it.

use super::field::Field;
use crate::allocator::nearest::rim::{Reach, least_sums, rim};

/// What is the same for all centres of a sweep with one radius.
#[derive(Debug)]
pub(in super::super) struct Ball {
    pub(in super::super) radius: usize,
    pub(in super::super) k: u32,
    pub(super) flat: [bool; 3],
    /// The places of the rim, each as an index into `Sweep::costs` of each axis, and its distance in cells.
    pub(super) rim: Vec<([usize; 3], isize)>,
    /// Lower bounds of the pairwise sum of m nodes of the rim.
    pub(super) on_rim: Vec<u32>,
    pub(super) slabs: Vec<Slab>,
}

/// The part of a ball at one position of the first axis. A line is given by how many cells its beginning and the cell behind its end
/// are from the centre.
#[derive(Debug)]
pub(super) struct Slab {
    /// The position, from that of the first slab on.
    pub(super) a: usize,
    /// The lines along the last axis, from position `first_b` of the middle axis on.
    pub(super) along: Vec<[isize; 2]>,
    pub(super) first_b: usize,
    /// The lines along the middle axis, from position `first_c` of the last axis on.
    pub(super) across: Vec<[isize; 2]>,
    pub(super) first_c: usize,
}

/// Returns the slabs of a ball.
fn slabs(field: &Field, radius: usize) -> Vec<Slab> {
    let flat = field.flat();
    let [reach_a, reach_b] = [0, 1].map(|axis| if flat[axis] { 0 } else { radius as i32 });
    let slab = |a: i32| {
        let left = radius as i32 - a.abs();
        let wide = left.min(reach_b);
        let line = |[from, to]: [[i32; 3]; 2]| [cells(field, from), cells(field, to)];
        let along = (-wide..=wide).map(|b| {
            let c = left - b.abs();
            line([[a, b, -c], [a, b, c + 1]])
        });
        let across = (-left..=left).map(|c| {
            let b = (left - c.abs()).min(reach_b);
            line([[a, -b, c], [a, b + 1, c]])
        });
        Slab {
            a: (a + reach_a) as usize,
            along: along.collect(),
            first_b: (reach_b - wide) as usize,
            across: across.collect(),
            first_c: radius - left as usize,
        }
    };
    (-reach_a..=reach_a).map(slab).collect()
}

impl Ball {
    /// Returns the ball of `radius` for `k` nodes on `field`.
    pub(in super::super) fn new(field: &Field, radius: usize, k: u32) -> Self {
        let flat = field.flat();
        let reaches = flat.map(|is_flat| if is_flat { Reach::Flat } else { Reach::Straight });
        let on_rim =
            least_sums(radius + 1, reaches).into_iter().map(|sum| u32::try_from(sum).unwrap_or(u32::MAX));
        let places = rim(radius + 1, reaches).into_iter().map(|place| {
            let at =
                [0, 1, 2].map(|axis| (place[axis] + if flat[axis] { 0 } else { radius as i32 + 1 }) as usize);
            (at, cells(field, place))
        });
        Self { radius, k, flat, rim: places.collect(), on_rim: on_rim.collect(), slabs: slabs(field, radius) }
    }

    /// Returns the places of the rim as offsets along each dimension from the centre.
    pub(in super::super) fn places(&self, field: &Field) -> impl Iterator<Item = [i32; 3]> {
        let reach = self.radius as i32 + 1;
        self.rim.iter().map(move |(at, _)| {
            let mut offset = [0; 3];
            for axis in (0..3).filter(|&axis| !self.flat[axis]) {
                offset[field.dim(axis)] = at[axis] as i32 - reach;
            }
            offset
        })
    }
}

/// The least sums of distances of a node to others, in a mesh without ends.
#[derive(Debug)]
pub(in super::super) struct Apart {
    /// `anywhere[m]` is a lower bound of the pairwise sum of any m nodes.
    pub(super) anywhere: Vec<u32>,
}

impl Apart {
    /// Returns the bounds for up to `k` nodes on `field`, of which `known` has others for 0, 1, … up to `k`. O(k).
    pub(in super::super) fn new(field: &Field, k: u32, known: &[u64]) -> Self {
        let dims = field.extents.iter().filter(|&&extent| extent > 1).count();
        let shell = |t: u64| nodes_within(t, dims) - nodes_within(t - 1, dims);
        let (mut nearest, mut left, mut t) = (0_u64, shell(1), 1);
        let anywhere = known.iter().zip(0..=u64::from(k)).map(|(&known, m)| {
            // `nearest` is the least sum of the distances of a node to m − 1 others.
            if m >= 2 {
                if left == 0 {
                    t += 1;
                    left = shell(t);
                }
                left -= 1;
                nearest += t;
            }
            known.max((m * nearest).div_ceil(2)) as u32
        });
        Self { anywhere: anywhere.collect() }
    }
}

/// Returns the rows of a ball along the last axis, as the lines of a [`Slab`] are given.
pub(super) fn rows(field: &Field, radius: usize) -> Vec<[isize; 2]> {
    slabs(field, radius).into_iter().flat_map(|slab| slab.along).collect()
}

/// The places at one distance from a centre as lines along the diagonals of the last two axes, see [`Field`]. Lines are given as those
/// of a [`Slab`].
#[derive(Debug, Default)]
pub(super) struct Rim {
    pub(super) rising: Vec<[isize; 2]>,
    pub(super) falling: Vec<[isize; 2]>,
    /// The places that are on none of these lines, by how many cells they are from the centre.
    pub(super) places: Vec<isize>,
}

impl Rim {
    /// Returns the places at distance `radius`.
    pub(super) fn new(field: &Field, radius: usize) -> Self {
        let (flat, radius) = (field.flat(), radius as i32);
        let mut lines = Self::default();
        let line = |[from, to]: [[i32; 3]; 2]| [cells(field, from), cells(field, to)];
        for a in if flat[0] { 0..=0 } else { -radius..=radius } {
            let d = radius - a.abs();
            if flat[1] || d == 0 {
                let places: &[i32] = if d == 0 { &[0] } else { &[-d, d] };
                lines.places.extend(places.iter().map(|&c| cells(field, [a, 0, c])));
                continue;
            }
            // Each side of the square has one of its corners.
            lines.rising.push(line([[a, -d, 0], [a, 0, d]]));
            lines.rising.push(line([[a, 1, 1 - d], [a, d + 1, 1]]));
            lines.falling.push(line([[a, 0, d], [a, d, 0]]));
            lines.falling.push(line([[a, 1 - d, -1], [a, 1, -d - 1]]));
        }
        lines
    }
}

/// Returns how many cells a place is from the centre, given its offset along each axis.
pub(super) fn cells(field: &Field, place: [i32; 3]) -> isize {
    (0..3).map(|axis| place[axis] as isize * field.steps[axis] as isize).sum()
}

/// Returns the number of nodes within L1 distance `radius` of a node, in a mesh without ends of `dims` dimensions.
pub(in super::super) fn nodes_within(radius: u64, dims: usize) -> u64 {
    match dims {
        0 => 1,
        1 => 2 * radius + 1,
        2 => 2 * radius * (radius + 1) + 1,
        _ => (2 * radius + 1) * (2 * radius * (radius + 1) + 3) / 3,
    }
}
