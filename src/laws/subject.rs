//! What is held to the laws: something that builds an allocator for a machine.

use std::sync::Arc;
use std::time::Duration;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::allocator::Built;
use crate::guest::{GuestError, Guests, Setup};
use crate::machine::{Mesh, NodeLists};
use crate::spec::Spec;
use crate::stop::Stop;

/// The number of lists of nodes that jobs of histories may have.
pub(super) const LISTS: u32 = 24;

/// The seed of allocators that draw random numbers.
const SEED: u64 = 5;

/// Builds an allocator for a machine. Fails if the allocator does not serve the machine. An allocator that cannot go on throws
/// the switch with a reason.
type Build<'a> = Box<dyn Fn(&Mesh, &Stop) -> Result<Built, GuestError> + Send + Sync + 'a>;

/// The most cases that are played to make a history smaller. An allocator that answers within microseconds needs seconds for
/// them.
const CASES: usize = 20_000;

/// The same for programs.
const FEW_CASES: usize = 1_000;

/// How long a history of a program is made smaller, as a program that hangs takes its time limit in every case.
const PATIENCE: Duration = Duration::from_secs(20);

/// Something that builds an allocator for a machine, with a name for messages.
pub struct Subject<'a> {
    /// Its name in messages.
    pub name: String,
    build: Build<'a>,
    /// The most cases that are played to make a history smaller.
    pub(super) cases: usize,
    /// How long that may take; `None` for as long as it takes.
    pub(super) patience: Option<Duration>,
}

impl<'a> Subject<'a> {
    /// Returns a subject that builds by `build`. The switch is that of the history: an allocator that cannot go on throws it
    /// with [`Stop::fail`], which breaks the first law.
    pub fn new(
        name: impl Into<String>,
        build: impl Fn(&Mesh, &Stop) -> Result<Built, GuestError> + Send + Sync + 'a,
    ) -> Self {
        Self { name: name.into(), build: Box::new(build), cases: CASES, patience: None }
    }

    /// Returns the subject of a registered allocator or of a program.
    pub fn of_spec(spec: &Spec) -> Self {
        let (spec, name, is_guest) = (spec.clone(), spec.to_string(), spec.is_guest());
        let label = name.clone();
        let build = move |mesh: &Mesh, stop: &Stop| {
            let lists = Arc::new(lists(mesh));
            let setup = Setup { label: &label, mesh, jobs: &[], seed: SEED, stop, lists: Some(&lists) };
            Guests::default().allocator(&spec, &setup)
        };
        // A program is started for every case.
        let (cases, patience) = if is_guest { (FEW_CASES, Some(PATIENCE)) } else { (CASES, None) };
        Self { cases, patience, ..Self::new(name, build) }
    }

    /// Builds a new allocator for a machine. Fails if the allocator does not serve it.
    pub fn build(&self, mesh: &Mesh, stop: &Stop) -> Result<Built, GuestError> {
        (self.build)(mesh, stop)
    }
}

/// Returns lists of nodes that jobs of histories may have had according to a log: of random nodes, of lengths that seldom are
/// those of the jobs, and some of no nodes.
fn lists(mesh: &Mesh) -> NodeLists {
    let mut rng = ChaCha8Rng::seed_from_u64(SEED);
    NodeLists::new((0..LISTS).map(|list| {
        let length = rng.random_range(0..=mesh.nodes().div_ceil(1 + list % 4));
        (list, (0..length).map(|_| rng.random_range(0..mesh.nodes())).collect())
    }))
}
