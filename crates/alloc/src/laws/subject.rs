//! What is held to the laws: something that builds an allocator for a machine.

use std::sync::Arc;
use std::time::Duration;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::allocator::{self, BuildError, Built, Setup};
use meshreplay_base::spec::Spec;
use meshreplay_base::stop::Stop;
use meshreplay_machine::machine::{Mesh, NodeLists};

/// The number of lists of nodes that jobs of histories may have.
pub(super) const LISTS: u32 = 24;

/// The seed of allocators that draw random numbers.
pub const SEED: u64 = 5;

/// Builds an allocator for a machine. Fails if the allocator does not serve the machine. An allocator that
/// cannot go on throws the switch with a reason.
type Build<'a> = Box<dyn Fn(&Mesh, &Stop) -> Result<Built, BuildError> + Send + Sync + 'a>;

/// The most cases that are played to make a history smaller. An allocator that answers within microseconds
/// needs seconds for them.
const CASES: usize = 20_000;

/// The same for programs.
const FEW_CASES: usize = 1_000;

/// How long a history of a program is made smaller, as a program that hangs takes its time limit in every
/// case.
const PATIENCE: Duration = Duration::from_secs(20);

/// Something that builds an allocator for a machine, with a name for messages.
pub struct Subject<'a> {
    /// Its name in messages.
    pub name: String,
    build: Build<'a>,
    /// The most cases that are played to make a history smaller.
    pub(super) cases: usize,
    /// The time limit for shrinking; `None` for none.
    pub(super) patience: Option<Duration>,
}

impl<'a> Subject<'a> {
    /// Returns a subject that builds by `build`. The switch is that of the history: an allocator that cannot
    /// go on throws it with [`Stop::fail`], which breaks the first law.
    pub fn new(
        name: impl Into<String>,
        build: impl Fn(&Mesh, &Stop) -> Result<Built, BuildError> + Send + Sync + 'a,
    ) -> Self {
        Self { name: name.into(), build: Box::new(build), cases: CASES, patience: None }
    }

    /// Returns the subject of a registered allocator.
    pub fn of_spec(spec: &Spec) -> Self {
        let (name, spec) = (spec.to_string(), spec.clone());
        Self::new(name, move |mesh, _| {
            let lists = Arc::new(random_node_lists(mesh));
            let setup = Setup::new(mesh, SEED).with_lists(Some(&lists));
            Ok(allocator::build(&spec, &setup)?)
        })
    }

    /// Returns the subject of a program. As one is started for every case, histories are made smaller by
    /// fewer cases, and not for long.
    pub fn of_program(
        name: impl Into<String>,
        build: impl Fn(&Mesh, &Stop) -> Result<Built, BuildError> + Send + Sync + 'a,
    ) -> Self {
        Self { cases: FEW_CASES, patience: Some(PATIENCE), ..Self::new(name, build) }
    }

    /// Builds a new allocator for a machine. Fails if the allocator does not serve it.
    pub fn build(&self, mesh: &Mesh, stop: &Stop) -> Result<Built, BuildError> {
        (self.build)(mesh, stop)
    }
}

/// Returns random lists of recorded nodes for the jobs of histories. Their lengths seldom match the jobs, and
/// some are empty.
pub fn random_node_lists(mesh: &Mesh) -> NodeLists {
    let mut rng = ChaCha8Rng::seed_from_u64(SEED);
    NodeLists::new((0..LISTS).map(|list| {
        let length = rng.random_range(0..=mesh.nodes().div_ceil(1 + list % 4));
        (list, (0..length).map(|_| rng.random_range(0..mesh.nodes())).collect())
    }))
}
