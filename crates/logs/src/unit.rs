//! What the processors of a job are, in logs that count several things.

use meshreplay_base::spec::{Params, SpecError};

/// Unit of job sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Whole nodes.
    Nodes,
    /// CPUs as the log counts them, cores or threads.
    Cpus,
    /// Graphics processors.
    Gpus,
}

/// The parameter of formats that names the unit.
pub(super) const PARAMETER: &str = "unit";

impl Unit {
    /// Takes the parameter `unit` of a format. The default is nodes.
    pub(super) fn take(params: &mut Params) -> Result<Self, SpecError> {
        params.choose(PARAMETER, &[("nodes", Self::Nodes), ("cpus", Self::Cpus), ("gpus", Self::Gpus)])
    }
}
