//! What is held to the laws: something that builds an allocator for a machine.

use crate::allocator::{self, Built, Setup};
use crate::machine::Mesh;
use crate::spec::{Spec, SpecError};

/// The seed of allocators that draw random numbers.
const SEED: u64 = 5;

/// Builds an allocator for a machine. Fails if the allocator does not serve the machine.
type Build<'a> = Box<dyn Fn(&Mesh) -> Result<Built, SpecError> + Send + Sync + 'a>;

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
    /// Returns a subject that builds by `build`.
    pub fn new(
        name: impl Into<String>,
        build: impl Fn(&Mesh) -> Result<Built, SpecError> + Send + Sync + 'a,
    ) -> Self {
        Self { name: name.into(), build: Box::new(build), is_registered: false }
    }

    /// Returns the subject of a registered allocator.
    pub fn of_spec(spec: &Spec) -> Self {
        let (spec, name) = (spec.clone(), spec.to_string());
        let build = move |mesh: &Mesh| allocator::build(&spec, &Setup { mesh, seed: SEED });
        Self { is_registered: true, ..Self::new(name, build) }
    }

    /// Builds a new allocator for a machine. Fails if the allocator does not serve it.
    pub fn build(&self, mesh: &Mesh) -> Result<Built, SpecError> {
        (self.build)(mesh)
    }

    /// Returns whether the choice of an allocator that the subject has built depends on nothing but which nodes are in use.
    /// Only registered allocators promise this.
    pub(super) fn is_memoryless(&self, built: &Built) -> bool {
        self.is_registered && built.promises.forgets && !REMEMBER.contains(&built.spec.name.as_str())
    }
}
