//! Division by a fixed number, for coordinates of nodes.

/// Division by a fixed number through one multiplication. The result is exact: for n, d < 2^32, n/d is the
/// high half of n · ⌈2^64/d⌉ (Lemire, Kaser, Kurz, "Faster remainder by direct computation", Softw. Pract.
/// Exper. 2019).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Divider {
    divisor: u32,
    magic: u64,
}

impl Divider {
    /// Returns the division by `divisor`, which must be at least 1.
    pub(super) fn new(divisor: u32) -> Self {
        // For divisor 1 the factor would be 2^64, which does not fit into 64 bits, so `quotient` treats it
        // separately.
        let magic = if divisor == 1 { 0 } else { u64::MAX / u64::from(divisor) + 1 };
        Self { divisor, magic }
    }

    /// Returns ⌊`n` / divisor⌋.
    pub(super) fn quotient(self, n: u32) -> u32 {
        if self.divisor == 1 {
            return n;
        }
        ((u128::from(self.magic) * u128::from(n)) >> 64) as u32
    }
}
