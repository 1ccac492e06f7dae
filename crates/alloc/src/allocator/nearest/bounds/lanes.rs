//! Arithmetic on numbers of neighbouring centres, in loops that the compiler turns into vector instructions.

use std::ops::{Deref, DerefMut};

/// The number of centres that are treated at once.
pub(in super::super) const LANES: usize = 16;

/// A number for each of some neighbouring centres. It is aligned, as a vector that lies in two lines of the cache takes twice as
/// long to read, and longer if it was just written.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(64))]
pub(in super::super) struct Lanes(pub(in super::super) [u32; LANES]);

/// A small number for each of some neighbouring centres.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(32))]
pub(in super::super) struct Lanes16(pub(in super::super) [u16; LANES]);

impl Lanes {
    pub(in super::super) const ZERO: Self = Self([0; LANES]);
    pub(super) const MAX: Self = Self([u32::MAX; LANES]);
}

impl Lanes16 {
    pub(super) const ZERO: Self = Self([0; LANES]);
}

impl Deref for Lanes {
    type Target = [u32; LANES];

    #[inline(always)]
    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl DerefMut for Lanes {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0
    }
}

impl Deref for Lanes16 {
    type Target = [u16; LANES];

    #[inline(always)]
    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl DerefMut for Lanes16 {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0
    }
}

/// Returns the sums of each lane.
#[inline(always)]
pub(super) fn plus(a: Lanes, b: Lanes) -> Lanes {
    let mut sum = Lanes::ZERO;
    for i in 0..LANES {
        sum[i] = a[i].wrapping_add(b[i]);
    }
    sum
}

/// Returns the sums of each lane, modulo 2^16.
#[inline(always)]
pub(super) fn plus_16(a: Lanes16, b: Lanes16) -> Lanes16 {
    let mut sum = Lanes16::ZERO;
    for i in 0..LANES {
        sum[i] = a[i].wrapping_add(b[i]);
    }
    sum
}

/// Returns what each lane of the second array is more than that of the first, modulo 2^8.
#[inline(always)]
pub(super) fn difference([from, to]: [&[u8; LANES]; 2]) -> Lanes16 {
    let mut more = [0; LANES];
    for i in 0..LANES {
        more[i] = to[i].wrapping_sub(from[i]);
    }
    widen_8(&more)
}

/// Returns the lanes as numbers of 16 bits.
#[inline(always)]
pub(super) fn widen_8(lanes: &[u8; LANES]) -> Lanes16 {
    let mut wide = Lanes16::ZERO;
    for i in 0..LANES {
        wide[i] = u16::from(lanes[i]);
    }
    wide
}

/// Returns the lanes at which the mask is all ones, and 0 for the others.
#[inline(always)]
pub(super) fn only(mask: Lanes16, lanes: Lanes16) -> Lanes16 {
    let mut masked = Lanes16::ZERO;
    for i in 0..LANES {
        masked[i] = mask[i] & lanes[i];
    }
    masked
}

/// Returns the lanes as numbers of 32 bits.
#[inline(always)]
pub(super) fn widen(lanes: Lanes16) -> Lanes {
    let mut wide = Lanes::ZERO;
    for i in 0..LANES {
        wide[i] = u32::from(lanes[i]);
    }
    wide
}
