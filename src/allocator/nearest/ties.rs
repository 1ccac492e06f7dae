//! The two orders in which a centre takes nodes at the same distance from it, and a lower bound of pairwise sums.

/// The order in which a centre takes nodes at the same distance from it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Ties {
    /// The order of the simulator of Walker, Bunde and Leung, which depends on the centres before; see `carried`.
    #[default]
    Carried,
    /// Location order: by x, then y, then z.
    Location,
}

/// The two orders by the names that the parameter `ties` has for them, the default first.
pub(crate) const TIES: &[(&str, Ties)] = &[("carried", Ties::Carried), ("location", Ties::Location)];

/// Returns a lower bound of the pairwise sum of any k nodes. Each pair is at least one hop apart. Without a ring of odd
/// length, two nodes are one hop apart only if x + y + z is even for one and odd for the other. At most ⌊k²/4⌋ pairs are
/// like that, and all other pairs are at least two hops apart.
pub(super) fn floor(k: u32, odd_ring: bool) -> u64 {
    let k = u64::from(k);
    if odd_ring { k * (k - 1) / 2 } else { k * (k - 1) - (k / 2) * k.div_ceil(2) }
}
