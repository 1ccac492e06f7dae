//! The table of a study's guests, and the functions that build algorithms whether they are guests or ours.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use super::exec;
use super::setup::Setup;
use crate::execution::{self, Execution};
use crate::scheduler::{self, Scheduler};
use meshreplay_alloc::allocator::{self, BuildError, Built, Memory, Promises, Served, Strategy};
use meshreplay_base::spec::{EXEC, Spec, SpecError, unknown};
use meshreplay_machine::machine::Mesh;

/// A function that builds a guest for one replay. It fails with a whole message.
type Factory<T> = Arc<dyn Fn(&Setup<'_>) -> Result<T, String> + Send + Sync>;

/// The objects of the caller that serve as allocators, schedulers and execution models, by their names in
/// specs `guest:NAME`. Programs (`exec:COMMAND`) need no entry. A copy shares the factories.
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
    /// Returns the table with one more allocator, `guest:NAME`. The factory returns the allocator with its
    /// capabilities. [`Strategy::of`] says that it serves a request whenever enough nodes are free; an
    /// allocator of which this is not sure is [`Served::ByState`] with [`allocator::Foresight::Proposes`],
    /// which is right for every allocator that decides from the machine that it is given. Placements have
    /// exactly as many nodes as processors are requested unless [`Strategy::with_nodes_for`] says otherwise.
    #[must_use]
    pub fn with_allocator(
        mut self,
        name: &str,
        factory: impl Fn(&Setup<'_>) -> Result<Strategy, String> + Send + Sync + 'static,
    ) -> Self {
        self.allocators.insert(name.to_owned(), Arc::new(factory));
        self
    }

    /// Returns the table with one more scheduler, `guest:NAME`. A scheduler that says which jobs start is a
    /// [`super::Dispatched`].
    #[must_use]
    pub fn with_scheduler(
        mut self,
        name: &str,
        factory: impl Fn(&Setup<'_>) -> Result<Box<dyn Scheduler>, String> + Send + Sync + 'static,
    ) -> Self {
        self.schedulers.insert(name.to_owned(), Arc::new(factory));
        self
    }

    /// Returns the table with one more execution model, `guest:NAME`. A model that says how long jobs run is
    /// an [`super::OwnRunTimes`].
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
            return check("allocator", spec, &self.allocators).map(|_| spec.clone());
        }
        allocator::find(spec).map(|(_, spec)| spec)
    }

    /// Returns the resolved spec of an allocator, and whether it moves running jobs. A guest is not started.
    pub fn resolve_allocator(&self, spec: &Spec, mesh: &Mesh) -> Result<(Spec, bool), SpecError> {
        if spec.is_guest() {
            return Ok((self.find_allocator(spec)?, false));
        }
        let built = allocator::build(spec, &allocator::Setup::new(mesh, 0))?;
        Ok((built.spec, built.strategy.moves_jobs))
    }

    /// Returns the resolved spec of a scheduler. A guest is not started.
    pub fn resolve_scheduler(&self, spec: &Spec) -> Result<Spec, SpecError> {
        if spec.is_guest() {
            return check("scheduler", spec, &self.schedulers).map(|_| spec.clone());
        }
        scheduler::build(spec).map(|(_, spec)| spec)
    }

    /// Returns the resolved spec of an execution model, and whether it can move running jobs. A guest is not
    /// started.
    pub fn resolve_network(&self, spec: &Spec, mesh: &Mesh) -> Result<(Spec, bool), SpecError> {
        if spec.is_guest() {
            return check("network", spec, &self.networks).map(|_| (spec.clone(), true));
        }
        let (model, spec) = execution::build(spec, &execution::Setup { mesh, jobs: 0, seed: 0 })?;
        Ok((spec, model.postpones()))
    }

    /// Builds the allocator that `spec` names for one replay.
    pub fn allocator(&self, spec: &Spec, setup: &Setup<'_>) -> Result<Built, BuildError> {
        if !spec.is_guest() {
            return Ok(allocator::build(
                spec,
                &allocator::Setup::new(setup.mesh, setup.seed).with_lists(setup.lists),
            )?);
        }
        let mut strategy = match check("allocator", spec, &self.allocators)? {
            Kind::Program(command) => exec::allocator(&command, setup),
            Kind::Object(factory) => factory(setup),
        }
        .map_err(|message| setup.failed(message))?;
        allocator::tell_unavailable(&mut strategy, setup.mesh);
        let exact = strategy.is_exact();
        let (complete, by_state) =
            (matches!(strategy.served, Served::ByCount), matches!(strategy.served, Served::ByState(_)));
        // Who is asked about machines that are not there decides by what it is told of them alone.
        let memory = if by_state { Memory::None } else { Memory::Lasting };
        let promises = Promises { exact, complete, memory };
        Ok(Built { spec: spec.clone(), promises, strategy })
    }

    /// Builds the scheduler that `spec` names for one replay.
    pub fn scheduler(&self, spec: &Spec, setup: &Setup<'_>) -> Result<Box<dyn Scheduler>, BuildError> {
        if !spec.is_guest() {
            return Ok(scheduler::build(spec)?.0);
        }
        match check("scheduler", spec, &self.schedulers)? {
            Kind::Program(command) => exec::scheduler(&command, setup),
            Kind::Object(factory) => factory(setup),
        }
        .map_err(|message| setup.failed(message))
    }

    /// Builds the execution model that `spec` names for one replay.
    pub fn network(&self, spec: &Spec, setup: &Setup<'_>) -> Result<Box<dyn Execution>, BuildError> {
        if !spec.is_guest() {
            let Setup { mesh, jobs, seed, .. } = *setup;
            return Ok(execution::build(spec, &execution::Setup { mesh, jobs: jobs.len(), seed })?.0);
        }
        match check("network", spec, &self.networks)? {
            Kind::Program(command) => exec::network(&command, setup),
            Kind::Object(factory) => factory(setup),
        }
        .map_err(|message| setup.failed(message))
    }
}

/// A guest that a spec names.
enum Kind<'a, T> {
    Program(exec::Command),
    Object(&'a Factory<T>),
}

/// Finds the guest that `spec` names. Fails if the command is malformed, or if the caller has no such object.
fn check<'a, T>(
    kind: &'static str,
    spec: &Spec,
    known: &'a BTreeMap<String, Factory<T>>,
) -> Result<Kind<'a, T>, SpecError> {
    let text = spec.members.as_deref().unwrap_or_default();
    if spec.name == EXEC {
        return text.parse().map(Kind::Program);
    }
    if known.is_empty() {
        let expected = format!(
            "another {kind}; guest:NAME is an object of a program that uses the library, and there is none \
             here. exec:COMMAND is a program"
        );
        return Err(SpecError::NoSuchValue { found: spec.to_string(), expected });
    }
    known.get(text).map(Kind::Object).ok_or_else(|| unknown(kind, text, known.keys().map(String::as_str)))
}
