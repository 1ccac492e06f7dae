//! The pairwise sums of neighbouring centres, once it is known which nodes of their rims they take.

use pulp::{Simd, WithSimd};

use super::ball::Ball;
use super::field::Field;
use super::lanes::{LANES, Lanes, Lanes16, plus, plus_16, widen};
use super::sweep::{Sweep, Work};

/// The places of a rim, one bit each: those of neighbouring centres, in words of 32.
#[derive(Debug, Default)]
pub(in super::super) struct RimBits {
    pub(in super::super) words: Vec<Lanes>,
}

/// A call of [`Sweep::free_on_rim`], to be compiled for each set of vector instructions.
struct FreeOnRim<'a> {
    field: &'a Field,
    ball: &'a Ball,
    cell: usize,
    bits: &'a mut RimBits,
}

impl WithSimd for FreeOnRim<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self { field, ball, cell, bits } = self;
        bits.words.clear();
        for places in ball.rim.chunks(32) {
            let mut word = Lanes::ZERO;
            for (bit, (_, cells)) in places.iter().enumerate() {
                let free = field.free(cell.wrapping_add_signed(*cells));
                for i in 0..LANES {
                    word[i] |= u32::from(free[i]) << bit;
                }
            }
            bits.words.push(word);
        }
    }
}

/// A call of [`Sweep::sums`], to be compiled for each set of vector instructions.
struct Sums<'a> {
    sweep: &'a mut Sweep,
    ball: &'a Ball,
    bits: &'a RimBits,
}

impl WithSimd for Sums<'_> {
    type Output = Lanes;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Lanes {
        let Self { sweep, ball, bits } = self;
        let shift = sweep.shift(ball);
        let Sweep { counts, taken, .. } = sweep;
        for axis in 0..3 {
            taken[axis].clear();
            if !ball.flat[axis] {
                taken[axis].push(Lanes16::ZERO);
                taken[axis].extend_from_slice(&counts[axis]);
                taken[axis].push(Lanes16::ZERO);
            }
        }
        let [along_a, along_b, along_c] = taken;
        for (places, word) in ball.rim.chunks(32).zip(&bits.words) {
            for (bit, (at, _)) in places.iter().enumerate() {
                let mut one = Lanes16::ZERO;
                for i in 0..LANES {
                    one[i] = (word[i] >> bit & 1) as u16;
                }
                for (along, &at) in [&mut *along_a, along_b, along_c].into_iter().zip(at) {
                    // An axis of one node has no counts.
                    if let Some(count) = along.get_mut(at + shift) {
                        *count = plus_16(*count, one);
                    }
                }
            }
        }
        let mut sum = Lanes::ZERO;
        for along in [along_a, along_b, along_c] {
            let mut before = Lanes16::ZERO;
            for count in along.iter() {
                before = plus_16(before, *count);
                let wide = widen(before);
                let mut pairs = Lanes::ZERO;
                for i in 0..LANES {
                    pairs[i] = wide[i].wrapping_mul(ball.k.wrapping_sub(wide[i]));
                }
                sum = plus(sum, pairs);
            }
        }
        sum
    }
}

impl Sweep {
    /// Sets `bits` to the free places on the rims of the centres from `cell` on.
    pub(in super::super) fn free_on_rim(work: &Work<'_>, ball: &Ball, cell: usize, bits: &mut RimBits) {
        work.arch.dispatch(FreeOnRim { field: work.field, ball, cell, bits });
    }

    /// Returns the pairwise sums of the centres that [`Self::look`] was called for last with this ball, if they take these places of
    /// their rims, with which they have k nodes. The sums of others mean nothing.
    pub(in super::super) fn sums(&mut self, work: &Work<'_>, ball: &Ball, bits: &RimBits) -> Lanes {
        work.arch.dispatch(Sums { sweep: self, ball, bits })
    }
}
