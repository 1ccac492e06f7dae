//! Sums over the lines of a run, a vector register of lines at a time.
//!
//! Runs are short, often about a dozen lines. So the last lines of a run are not left to a scalar loop: the
//! tables go on behind each run, and a mask clears what does not belong to it.
#![expect(clippy::inline_always, reason = "the functions are called for a few vectors each")]

use super::numbers::Count;

/// The number of lines of a vector.
pub(super) const LANES: usize = 8;

/// Neighbouring lines that a ball meets. The difference of the i-th end and the i-th start is the number of
/// free nodes of the i-th line. The slices are longer than the run, up to a multiple of `LANES`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run<'a, T> {
    /// The offset of the first line from the centre.
    pub(super) first: i32,
    /// The number of lines.
    pub(super) lines: usize,
    pub(super) ends: &'a [T],
    pub(super) starts: &'a [T],
}

impl<T: Count> Run<'_, T> {
    /// Adds the free nodes of all lines to the lanes of a vector, line i to lane i modulo `LANES`.
    #[inline(always)]
    pub(super) fn add_to_sums(self, sums: &mut [T; LANES]) {
        self.for_each_vector(|_, nodes| add(sums, nodes));
    }

    /// Adds the number of free nodes of the i-th line to the i-th of `counts`, which must be as long as the
    /// slices, and to `sums` as [`Self::add_to_sums`] does.
    #[inline(always)]
    pub(super) fn add_to(self, counts: &mut [T], sums: &mut [T; LANES]) {
        let (vectors, _) = counts.as_chunks_mut();
        self.for_each_vector(|i, nodes| {
            add(&mut vectors[i], nodes);
            add(sums, nodes);
        });
    }

    /// Calls `visit` with the number of each vector and the free nodes of its lines; 0 behind the last line.
    #[inline(always)]
    fn for_each_vector(self, mut visit: impl FnMut(usize, [T; LANES])) {
        let (ends, starts) = (self.ends.as_chunks().0, self.starts.as_chunks().0);
        let whole = self.lines / LANES;
        for (i, (ends, starts)) in ends.iter().zip(starts).take(whole).enumerate() {
            visit(i, difference(ends, starts, &T::MASKS[0]));
        }
        if let (Some(ends), Some(starts)) = (ends.get(whole), starts.get(whole)) {
            visit(whole, difference(ends, starts, &T::MASKS[LANES - self.lines % LANES]));
        }
    }
}

/// Returns the differences of two vectors where the mask is set, and 0 elsewhere.
#[inline]
fn difference<T: Count>(ends: &[T; LANES], starts: &[T; LANES], mask: &[T; LANES]) -> [T; LANES] {
    std::array::from_fn(|lane| (ends[lane] & mask[lane]) - (starts[lane] & mask[lane]))
}

/// Adds a vector to another one.
#[inline(always)]
fn add<T: Count>(sums: &mut [T; LANES], nodes: [T; LANES]) {
    for (sum, nodes) in sums.iter_mut().zip(nodes) {
        *sum += nodes;
    }
}

/// Returns the sum of the lanes of a vector.
#[inline(always)]
pub(super) fn total<T: Count>(vector: [T; LANES]) -> T {
    let mut total = T::default();
    for value in vector {
        total += value;
    }
    total
}
