//! Arithmetic on numbers of neighbouring centres, in loops that the compiler turns into vector instructions.

/// The number of centres that are treated at once.
pub(in super::super) const LANES: usize = 16;

/// A number for each of some neighbouring centres.
pub(super) type Lanes = [u32; LANES];

/// A small number for each of some neighbouring centres.
pub(super) type Lanes16 = [u16; LANES];

/// Returns the sums of each lane.
#[inline(always)]
pub(super) fn plus(a: Lanes, b: Lanes) -> Lanes {
    let mut sum = [0; LANES];
    for i in 0..LANES {
        sum[i] = a[i].wrapping_add(b[i]);
    }
    sum
}

/// Returns the sums of each lane, modulo 2^16.
#[inline(always)]
pub(super) fn plus_16(a: Lanes16, b: Lanes16) -> Lanes16 {
    let mut sum = [0; LANES];
    for i in 0..LANES {
        sum[i] = a[i].wrapping_add(b[i]);
    }
    sum
}

/// Returns what each lane of the second array is more than that of the first, modulo 2^16.
#[inline(always)]
pub(super) fn difference([from, to]: [&Lanes16; 2]) -> Lanes16 {
    // Copies cannot overlap with what is written, which the compiler has to know.
    let (from, to) = (*from, *to);
    let mut more = [0; LANES];
    for i in 0..LANES {
        more[i] = to[i].wrapping_sub(from[i]);
    }
    more
}

/// Returns the lanes as numbers of 32 bits.
#[inline(always)]
pub(super) fn widen(lanes: Lanes16) -> Lanes {
    let mut wide = [0; LANES];
    for i in 0..LANES {
        wide[i] = u32::from(lanes[i]);
    }
    wide
}
