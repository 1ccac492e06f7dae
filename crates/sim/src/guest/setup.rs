//! The facts from which a guest is built.

use std::sync::Arc;

use meshreplay_alloc::allocator::{self, BuildError, Served, Submeshes};
use meshreplay_base::job::Job;
use meshreplay_base::spec::Spec;
use meshreplay_base::stop::Stop;
use meshreplay_machine::machine::{Mesh, NodeLists};

/// The facts that a guest may use when it is built for one replay.
#[derive(Clone, Copy, Debug)]
pub struct Setup<'a> {
    /// The spec of the guest, such as `guest:mine`, by which messages name it.
    pub label: &'a str,
    /// The machine of the replay.
    pub mesh: &'a Mesh,
    /// The jobs of the replay, by their positions; an empty list where the guest is only asked which jobs it
    /// can serve.
    pub jobs: &'a [Job],
    /// The seed of the replication.
    pub seed: u64,
    /// The switch of the replay. A guest that cannot go on calls [`Stop::fail`] with a whole message, which
    /// names it by `label`. A guest that waits for something looks at [`Stop::is_thrown`] about every 50 ms
    /// and then gives up.
    pub stop: &'a Stop,
    /// The nodes that jobs had according to the log; `None` if the log does not say, or if nobody needs them.
    pub lists: Option<&'a Arc<NodeLists>>,
}

impl Setup<'_> {
    /// Returns the submeshes of an allocator that serves a request by the submesh that it asks for, as
    /// `first-fit` does. Fails with a whole message.
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

    /// Returns the error of a guest that could not be started.
    pub(super) fn failed(&self, message: String) -> BuildError {
        let is_interrupted = self.stop.is_thrown() && self.stop.reason().is_none();
        if is_interrupted { BuildError::Interrupted } else { BuildError::Failed(message) }
    }
}
