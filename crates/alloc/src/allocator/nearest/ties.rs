//! The two orders in which a centre takes nodes at the same distance from it.

/// The order in which a centre takes nodes at the same distance from it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Ties {
    /// The order of the simulator of Walker, Bunde and Leung, which depends on the centres before; see
    /// `carried`.
    #[default]
    Carried,
    /// Location order: by x, then y, then z.
    Location,
}

/// The two orders by the names that the parameter `ties` has for them, the default first.
pub(crate) const TIES: &[(&str, Ties)] = &[("carried", Ties::Carried), ("location", Ties::Location)];
