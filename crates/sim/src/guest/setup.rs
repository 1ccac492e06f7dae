//! The inputs for building a guest.

use std::sync::Arc;

use meshreplay_alloc::allocator::{self, BuildError, Served, Submeshes};
use meshreplay_base::job::Job;
use meshreplay_base::spec::Spec;
use meshreplay_base::stop::Stop;
use meshreplay_machine::machine::{Mesh, NodeLists};

/// The inputs for building a guest for one replay.
#[derive(Clone, Copy, Debug)]
pub struct Setup<'a> {
    /// The spec of the guest, such as `guest:mine`, used in messages.
    pub label: &'a str,
    /// The machine of the replay.
    pub mesh: &'a Mesh,
    /// The jobs of the replay by position. Empty if the guest is only asked which jobs it can serve.
    pub jobs: &'a [Job],
    /// The seed of the replication.
    pub seed: u64,
    /// The stop switch of the replay. A guest that cannot go on calls [`Stop::fail`] with a complete message
    /// that names it by `label`. A guest that waits checks [`Stop::is_thrown`] about every 50 ms and gives
    /// up.
    pub stop: &'a Stop,
    /// The nodes of jobs according to the log, or `None` if unknown or not needed.
    pub lists: Option<&'a Arc<NodeLists>>,
}

impl Setup<'_> {
    /// Returns the submeshes of an allocator that serves a request by its submesh, as `first-fit` does. Fails
    /// with a complete message.
    pub fn submeshes(&self) -> Result<Submeshes, String> {
        let like = allocator::Setup::new(self.mesh, self.seed);
        let built = allocator::build(&Spec::named("first-fit"), &like);
        match built.map_err(|error| format!("allocator '{}': {error}", self.label))?.strategy.served {
            Served::BySubmesh(submeshes) => Ok(submeshes),
            Served::ByCount | Served::ByState(_) => {
                Err(format!("allocator '{}' is served otherwise", self.label))
            }
        }
    }

    /// Returns the error of a guest that failed to start.
    pub(super) fn failed(&self, message: String) -> BuildError {
        let is_interrupted = self.stop.is_thrown() && self.stop.reason().is_none();
        if is_interrupted { BuildError::Interrupted } else { BuildError::Failed(message) }
    }
}
