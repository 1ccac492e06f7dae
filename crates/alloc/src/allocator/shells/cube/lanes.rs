//! Arithmetic on the numbers of all places of a row, in loops that the compiler turns into vector
//! instructions.

/// The number of a node that is not to be taken.
pub(super) const GONE: u32 = u32::MAX;

/// Returns the sums of each lane and a number.
#[inline(always)]
pub(super) fn plus<const N: usize>(lanes: [u32; N], number: u32) -> [u32; N] {
    let mut sums = [0; N];
    for i in 0..N {
        sums[i] = lanes[i].wrapping_add(number);
    }
    sums
}

/// Returns each lane, or [`GONE`] where the mask has it.
#[inline(always)]
pub(super) fn masked<const N: usize>(lanes: [u32; N], mask: [u32; N]) -> [u32; N] {
    let mut masked = [0; N];
    for i in 0..N {
        masked[i] = lanes[i] | mask[i];
    }
    masked
}

/// Returns the smaller number of each lane.
#[inline(always)]
pub(super) fn smaller<const N: usize>(a: [u32; N], b: [u32; N]) -> [u32; N] {
    let mut smaller = [0; N];
    for i in 0..N {
        smaller[i] = a[i].min(b[i]);
    }
    smaller
}

/// Returns the smallest number of all lanes.
#[inline(always)]
pub(super) fn smallest<const N: usize>(mut lanes: [u32; N]) -> u32 {
    let mut half = N;
    while half > 1 {
        half /= 2;
        for i in 0..half {
            lanes[i] = lanes[i].min(lanes[i + half]);
        }
    }
    lanes[0]
}
