//! What is held to the laws: something that builds an allocator for a machine.

use crate::allocator::{self, Built, Setup};
use crate::machine::Mesh;
use crate::spec::{Spec, SpecError};
use crate::stop::Stop;

/// The seed of allocators that draw random numbers.
const SEED: u64 = 5;

/// Builds an allocator for a machine. Fails if the allocator does not serve the machine. An allocator that cannot go on throws
/// the switch with a reason.
type Build<'a> = Box<dyn Fn(&Mesh, &Stop) -> Result<Built, SpecError> + Send + Sync + 'a>;

/// Registered allocators whose choice depends on how the nodes in use came to be so: on which blocks were split, or on which
/// submeshes came first. Members of `best-of` may be such.
const REMEMBER: [&str; 9] = [
    "mbs",
    "layered-mbs",
    "octet-mbs",
    "granular-mbs",
    "round-up-mbs",
    "best-of",
    "rbs",
    "stack-based",
    "gabl",
];

/// Something that builds an allocator for a machine, with a name for messages.
pub struct Subject<'a> {
    /// Its name in messages.
    pub name: String,
    build: Build<'a>,
    /// Whether a row of the registry says what it promises.
    is_registered: bool,
}

impl<'a> Subject<'a> {
    /// Returns a subject that builds by `build`. The switch is that of the history: an allocator that cannot go on throws it
    /// with [`Stop::fail`], which breaks the first law.
    pub fn new(
        name: impl Into<String>,
        build: impl Fn(&Mesh, &Stop) -> Result<Built, SpecError> + Send + Sync + 'a,
    ) -> Self {
        Self { name: name.into(), build: Box::new(build), is_registered: false }
    }

    /// Returns the subject of a registered allocator.
    pub fn of_spec(spec: &Spec) -> Self {
        let (spec, name) = (spec.clone(), spec.to_string());
        let build = move |mesh: &Mesh, _: &Stop| allocator::build(&spec, &Setup { mesh, seed: SEED });
        Self { is_registered: true, ..Self::new(name, build) }
    }

    /// Builds a new allocator for a machine. Fails if the allocator does not serve it.
    pub fn build(&self, mesh: &Mesh, stop: &Stop) -> Result<Built, SpecError> {
        (self.build)(mesh, stop)
    }

    /// Returns whether the choice of an allocator that the subject has built depends on nothing but which nodes are in use.
    /// Only registered allocators promise this, and only those that move no jobs, as it depends on who holds the nodes which
    /// jobs move.
    pub(super) fn is_memoryless(&self, built: &Built) -> bool {
        let remembers = REMEMBER.contains(&built.spec.name.as_str()) || built.strategy.moves_jobs;
        self.is_registered && built.promises.forgets && !remembers
    }
}
