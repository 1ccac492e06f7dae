//! Which of several equally distant nodes a centre takes.

/// Which of several equally distant nodes are taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Ties {
    /// As the authors' simulator does it; see `carried`.
    #[default]
    Carried,
    /// The first in location order.
    Location,
}

/// The two orders by name, the default first.
pub(crate) const TIES: &[(&str, Ties)] = &[("carried", Ties::Carried), ("location", Ties::Location)];

/// Returns a sum below which no k nodes come. Neighbours differ in the parity of x + y + z, so off a torus two nodes
/// are one hop apart only if they differ in it, and at most ⌊k²/4⌋ pairs do.
pub(super) fn floor(k: u32, torus: bool) -> u64 {
    let k = u64::from(k);
    if torus { k * (k - 1) / 2 } else { k * (k - 1) - (k / 2) * k.div_ceil(2) }
}
