//! The table of a study's guests, and builders for guests and registered algorithms alike.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use super::exec;
use super::setup::Setup;
use crate::execution::{self, Execution};
use crate::scheduler::{self, Scheduler};
use meshreplay_alloc::allocator::{self, BuildError, Built, Memory, Promises, Served, Strategy};
use meshreplay_alloc::laws::{SEED, Subject, random_node_lists};
use meshreplay_base::spec::{EXEC, Spec, SpecError, unknown};
use meshreplay_machine::machine::Mesh;

/// Builds a guest for one replay. Fails with a complete message.
type Factory<T> = Arc<dyn Fn(&Setup<'_>) -> Result<T, String> + Send + Sync>;

/// The caller's allocators, schedulers and execution models, by their names in specs `guest:NAME`. Programs
/// (`exec:COMMAND`) need no entry. Copies share the factories.
///
/// With a name `NAME#HASH` the caller vouches that objects of this hash decide alike, so that a study finds
/// finished cells again. Cells of other objects are replayed in every study.
#[derive(Clone, Default)]
pub struct Guests {
    allocators: BTreeMap<String, Factory<Strategy>>,
    schedulers: BTreeMap<String, Factory<Box<dyn Scheduler>>>,
    networks: BTreeMap<String, Factory<Box<dyn Execution>>>,
}

impl fmt::Debug for Guests {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { allocators, schedulers, networks } = self;
        let names = allocators.keys().chain(schedulers.keys()).chain(networks.keys());
        f.debug_set().entries(names).finish()
    }
}

impl Guests {
    /// Adds the allocator `guest:NAME`. The factory returns the allocator with its capabilities.
    /// [`Strategy::of`] promises to serve a request whenever enough nodes are free. An allocator without this
    /// promise is [`Served::ByState`] with [`allocator::Foresight::Proposes`], which suits every allocator
    /// that decides from the given machine. Placements have exactly as many nodes as requested processors
    /// unless [`Strategy::with_nodes_for`] declares otherwise.
    #[must_use]
    pub fn with_allocator(
        mut self,
        name: &str,
        factory: impl Fn(&Setup<'_>) -> Result<Strategy, String> + Send + Sync + 'static,
    ) -> Self {
        self.allocators.insert(name.to_owned(), Arc::new(factory));
        self
    }

    /// Adds the scheduler `guest:NAME`. A scheduler that names the jobs to start is a [`super::Dispatched`].
    #[must_use]
    pub fn with_scheduler(
        mut self,
        name: &str,
        factory: impl Fn(&Setup<'_>) -> Result<Box<dyn Scheduler>, String> + Send + Sync + 'static,
    ) -> Self {
        self.schedulers.insert(name.to_owned(), Arc::new(factory));
        self
    }

    /// Adds the execution model `guest:NAME`. A model that gives run times is an [`super::OwnRunTimes`].
    #[must_use]
    pub fn with_network(
        mut self,
        name: &str,
        factory: impl Fn(&Setup<'_>) -> Result<Box<dyn Execution>, String> + Send + Sync + 'static,
    ) -> Self {
        self.networks.insert(name.to_owned(), Arc::new(factory));
        self
    }

    /// Checks the name of an allocator without a machine. Returns the spec, with curves in their long form.
    pub fn find_allocator(&self, spec: &Spec) -> Result<Spec, SpecError> {
        if spec.is_guest() {
            return find_guest("allocator", spec, &self.allocators).map(|_| spec.clone());
        }
        allocator::find(spec).map(|(_, spec)| spec)
    }

    /// Returns the resolved spec of an allocator, and whether it moves running jobs. Does not start a guest.
    pub fn resolve_allocator(&self, spec: &Spec, mesh: &Mesh) -> Result<(Spec, bool), SpecError> {
        if spec.is_guest() {
            return Ok((self.find_allocator(spec)?, false));
        }
        let built = allocator::build(spec, &allocator::Setup::new(mesh, 0))?;
        Ok((built.spec, built.strategy.moves_jobs))
    }

    /// Returns the resolved spec of a scheduler. Does not start a guest.
    pub fn resolve_scheduler(&self, spec: &Spec) -> Result<Spec, SpecError> {
        if spec.is_guest() {
            return find_guest("scheduler", spec, &self.schedulers).map(|_| spec.clone());
        }
        scheduler::build(spec).map(|(_, spec)| spec)
    }

    /// Returns the resolved spec of an execution model, and whether it can move running jobs. Does not start
    /// a guest.
    pub fn resolve_network(&self, spec: &Spec, mesh: &Mesh) -> Result<(Spec, bool), SpecError> {
        if spec.is_guest() {
            return find_guest("network", spec, &self.networks).map(|_| (spec.clone(), true));
        }
        let (model, spec) = execution::build(spec, &execution::Setup { mesh, jobs: 0, seed: 0 })?;
        Ok((spec, model.postpones()))
    }

    /// Builds the allocator named by `spec` for one replay.
    pub fn allocator(&self, spec: &Spec, setup: &Setup<'_>) -> Result<Built, BuildError> {
        if !spec.is_guest() {
            return Ok(allocator::build(
                spec,
                &allocator::Setup::new(setup.mesh, setup.seed).with_lists(setup.lists),
            )?);
        }
        let mut strategy = match find_guest("allocator", spec, &self.allocators)? {
            NamedGuest::Program(command) => exec::allocator(&command, setup),
            NamedGuest::Object(factory) => factory(setup),
        }
        .map_err(|message| setup.failed(message))?;
        allocator::tell_unavailable(&mut strategy, setup.mesh);
        let exact = strategy.is_exact();
        let (complete, by_state) =
            (matches!(strategy.served, Served::ByCount), matches!(strategy.served, Served::ByState(_)));
        // An allocator that is asked about hypothetical machines must decide from the given machine alone.
        let memory = if by_state { Memory::None } else { Memory::Lasting };
        let promises = Promises { exact, complete, memory };
        Ok(Built { spec: spec.clone(), promises, strategy })
    }

    /// Builds the scheduler named by `spec` for one replay.
    pub fn scheduler(&self, spec: &Spec, setup: &Setup<'_>) -> Result<Box<dyn Scheduler>, BuildError> {
        if !spec.is_guest() {
            return Ok(scheduler::build(spec)?.0);
        }
        match find_guest("scheduler", spec, &self.schedulers)? {
            NamedGuest::Program(command) => exec::scheduler(&command, setup),
            NamedGuest::Object(factory) => factory(setup),
        }
        .map_err(|message| setup.failed(message))
    }

    /// Builds the execution model named by `spec` for one replay.
    pub fn network(&self, spec: &Spec, setup: &Setup<'_>) -> Result<Box<dyn Execution>, BuildError> {
        if !spec.is_guest() {
            let Setup { mesh, jobs, seed, .. } = *setup;
            return Ok(execution::build(spec, &execution::Setup { mesh, jobs: jobs.len(), seed })?.0);
        }
        match find_guest("network", spec, &self.networks)? {
            NamedGuest::Program(command) => exec::network(&command, setup),
            NamedGuest::Object(factory) => factory(setup),
        }
        .map_err(|message| setup.failed(message))
    }
}

/// A guest named by a spec.
enum NamedGuest<'a, T> {
    Program(exec::Command),
    Object(&'a Factory<T>),
}

/// Finds the guest named by `spec`. Fails if the command is malformed, or if the caller has no such object.
fn find_guest<'a, T>(
    kind: &'static str,
    spec: &Spec,
    known: &'a BTreeMap<String, Factory<T>>,
) -> Result<NamedGuest<'a, T>, SpecError> {
    let text = spec.members.as_deref().unwrap_or_default();
    if spec.name == EXEC {
        return text.parse().map(NamedGuest::Program);
    }
    if known.is_empty() {
        let expected = format!(
            "another {kind}; guest:NAME is an object of a program that uses the library, and there is none \
             here. exec:COMMAND is a program"
        );
        return Err(SpecError::NoSuchValue { found: spec.to_string(), expected });
    }
    known
        .get(text)
        .map(NamedGuest::Object)
        .ok_or_else(|| unknown(kind, text, known.keys().map(String::as_str)))
}

/// Returns a registered allocator or a program as a subject of the laws.
pub fn subject(spec: &Spec) -> Subject<'static> {
    if !spec.is_guest() {
        return Subject::of_spec(spec);
    }
    let (spec, label) = (spec.clone(), spec.to_string());
    Subject::of_program(label.clone(), move |mesh, stop| {
        let lists = Arc::new(random_node_lists(mesh));
        let setup = Setup { label: &label, mesh, jobs: &[], seed: SEED, stop, lists: Some(&lists) };
        Guests::default().allocator(&spec, &setup)
    })
}
