//! The radii that neighbouring centres need: the distances to their k-th nearest free nodes.
//!
//! The number of free nodes of a ball is counted by rows once, and then grows by one rim after another, which are diagonals. From
//! one centre to a neighbour the radius changes by at most 1, so that the count begins near the result.

use std::ops::RangeInclusive;

use pulp::{Arch, Simd, WithSimd};

use super::ball::{Rim, rows};
use super::field::Field;
use super::lanes::{LANES, Lanes16, difference, plus_16};

/// The cells of balls and rims as distances from that of the centre.
#[derive(Debug, Default)]
pub(in super::super) struct Reach {
    k: u16,
    /// For each radius from the first one on the rows of the ball, and the rim behind it.
    radii: Vec<(Vec<[isize; 2]>, Rim)>,
    first: usize,
}

/// A call of [`Reach::find`], to be compiled for each set of vector instructions.
struct Find<'a> {
    reach: &'a Reach,
    field: &'a Field,
    cell: usize,
    from: usize,
}

impl WithSimd for Find<'_> {
    type Output = Lanes16;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Lanes16 {
        let Self { reach, field, cell, from } = self;
        let mut within = Lanes16::ZERO;
        for row in &reach.radii[from].0 {
            within = plus_16(within, difference(field.along(cell, *row)));
        }
        let mut needs = Lanes16([(reach.first + from + 1) as u16; LANES]);
        for (_, rim) in &reach.radii[from..] {
            for line in &rim.rising {
                within = plus_16(within, difference(field.rising(cell, *line)));
            }
            for line in &rim.falling {
                within = plus_16(within, difference(field.falling(cell, *line)));
            }
            for cells in &rim.places {
                within = plus_16(within, field.free(cell.wrapping_add_signed(*cells)));
            }
            let mut is_short = 0;
            for i in 0..LANES {
                let short = u16::from(within[i] < reach.k);
                needs[i] += short;
                is_short |= short;
            }
            if is_short == 0 {
                break;
            }
        }
        needs
    }
}

impl Reach {
    /// Starts with balls of these radii for `k` nodes.
    pub(in super::super) fn begin(&mut self, field: &Field, radii: RangeInclusive<usize>, k: u32) {
        (self.k, self.first) = (k as u16, *radii.start());
        self.radii.clear();
        self.radii.extend(radii.map(|radius| (rows(field, radius), Rim::new(field, radius + 1))));
    }

    /// Returns the radii that the centres from `cell` on need. They must be at least `least`; those above the rim of the last
    /// ball are one above it.
    pub(in super::super) fn find(&self, arch: Arch, field: &Field, cell: usize, least: usize) -> Lanes16 {
        let from = least.saturating_sub(self.first + 1).min(self.radii.len() - 1);
        arch.dispatch(Find { reach: self, field, cell, from })
    }
}
