//! The reasons why an algorithm cannot be built.

use meshreplay_base::spec::SpecError;

/// The reason why an algorithm cannot be built.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BuildError {
    /// The spec is wrong, or the algorithm does not suit the machine.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// The guest could not be started. The text is a whole message.
    #[error("{0}")]
    Failed(String),
    /// The replay was stopped while the guest was started.
    #[error("interrupted")]
    Interrupted,
}
