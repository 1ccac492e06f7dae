//! The rows in the registry of allocators: the name, the promises and the builder of an allocator.

use meshreplay_base::spec::{Params, Spec, SpecError};
use std::fmt;
use std::sync::Arc;

use super::Strategy;
use meshreplay_machine::machine::{Mesh, NodeLists};

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

/// The form of an allocator's placements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contiguity {
    /// Each placement is one rectangle or cuboid.
    Contiguous,
    /// A placement can be any set of nodes.
    NonContiguous,
}

impl fmt::Display for Contiguity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Contiguous => "contiguous",
            Self::NonContiguous => "non-contiguous",
        })
    }
}

/// The behaviour of an allocator on machines that wrap around.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnTori {
    /// It uses the wraparound: its submeshes wrap around, or its distances are the shorter way round.
    Wraps,
    /// It serves the machine, but what it places by never wraps around, for this reason.
    NeverWraps(&'static str),
    /// It refuses the machine, for this reason.
    Refuses(&'static str),
}

impl fmt::Display for OnTori {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Wraps => f.pad("wraps around"),
            Self::NeverWraps(reason) => f.pad(&format!("does not wrap around: {reason}")),
            Self::Refuses(reason) => f.pad(&format!("refused: {reason}")),
        }
    }
}

/// The behaviour of an allocator on trees of switches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnTrees {
    /// It serves trees and other machines.
    Serves,
    /// It serves trees only.
    Only,
    /// It refuses trees, for this reason.
    Refuses(&'static str),
}

impl OnTrees {
    /// Refused by allocators that use coordinates.
    pub const BY_COORDINATES: Self = Self::Refuses("it places by coordinates");
}

impl fmt::Display for OnTrees {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Serves => f.pad("served"),
            Self::Only => f.pad("served, and no other machines"),
            Self::Refuses(reason) => f.pad(&format!("refused: {reason}")),
        }
    }
}

/// The promises that an allocator keeps whatever jobs came before. The law tests in tests/laws check every
/// row of the registry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Promises {
    /// Whether a placement has exactly as many nodes as processors are requested.
    pub exact: bool,
    /// Whether a request is refused only if fewer nodes are free than its placement needs, see
    /// [`Strategy::nodes_for`].
    pub complete: bool,
    /// What it remembers.
    pub memory: Memory,
}

/// What an allocator remembers from one decision to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Memory {
    /// Nothing: the choice depends on the request and on the set of free nodes.
    None,
    /// How the nodes in use came to be so, such as which blocks were split or which submeshes came first, or
    /// who holds them. It decides like a new allocator as soon as all nodes are free again.
    UntilIdle,
    /// More than that, such as where its random numbers stand.
    Lasting,
}

impl Memory {
    /// Returns whether the allocator decides like a new one as soon as all nodes are free again.
    pub fn ends_when_idle(self) -> bool {
        self != Self::Lasting
    }
}

impl fmt::Display for Promises {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = [
            (self.exact, "exact size"),
            (self.complete, "never refuses while enough are free"),
            (self.memory.ends_when_idle(), "no memory once idle"),
        ];
        let kept: Vec<&str> = words.iter().filter_map(|&(holds, word)| holds.then_some(word)).collect();
        f.pad(&kept.join(", "))
    }
}

/// The facts that a builder may use.
#[derive(Clone, Copy, Debug)]
pub struct Setup<'a> {
    /// The machine whose nodes the allocator will choose.
    pub mesh: &'a Mesh,
    /// The seed of the replay. It is the same for every allocator.
    pub seed: u64,
    /// The recorded nodes of jobs; `None` if the log has none or no allocator needs them.
    pub lists: Option<&'a Arc<NodeLists>>,
}

impl<'a> Setup<'a> {
    /// Returns the facts about a replay without recorded nodes.
    pub fn new(mesh: &'a Mesh, seed: u64) -> Self {
        Self { mesh, seed, lists: None }
    }

    /// Returns the facts with the recorded nodes of jobs.
    #[must_use]
    pub fn with_lists(self, lists: Option<&'a Arc<NodeLists>>) -> Self {
        Self { lists, ..self }
    }
}

/// Builds an allocator from the parameters of its spec. Fails if a value is not allowed or does not suit the
/// machine.
pub type Builder = fn(&mut Params, &Setup<'_>) -> Result<Strategy, SpecError>;

/// An allocator that was built from a spec.
pub struct Built {
    /// The spec with every default written out.
    pub spec: Spec,
    /// The promises that the allocator keeps with these parameters.
    pub promises: Promises,
    /// The allocator and its capabilities.
    pub strategy: Strategy,
}

/// One row of the registry.
#[derive(Clone, Copy, Debug)]
pub struct AllocatorEntry {
    /// The name in specs, in kebab case.
    pub name: &'static str,
    /// A summary of one line.
    pub summary: &'static str,
    /// The publication: authors, title or section, venue, year.
    pub source: &'static str,
    /// The parameters as `key=default (other values)`; empty if there are none.
    pub parameters: &'static str,
    /// The largest number of dimensions that a machine may have. Dimensions of one node do not count.
    pub max_dims: usize,
    /// The form of the placements.
    pub kind: Contiguity,
    /// Its behaviour on machines that wrap around.
    pub tori: OnTori,
    /// Its behaviour on trees of switches.
    pub trees: OnTrees,
    /// The reason why the allocator cannot serve a machine with unavailable nodes; `None` if it can.
    pub refuses_unavailable: Option<&'static str>,
    /// Returns the promises for a spec. A parameter that the spec does not give has its default value.
    pub promises: fn(&Spec) -> Promises,
    /// The function that builds the allocator.
    pub build: Builder,
}

impl AllocatorEntry {
    /// Returns the common fields of most non-contiguous allocators. A row adds at least a name, a summary and
    /// a source.
    pub const fn non_contiguous(build: Builder) -> Self {
        Self {
            name: "",
            summary: "",
            source: "",
            parameters: "",
            max_dims: 3,
            kind: Contiguity::NonContiguous,
            tori: OnTori::Wraps,
            trees: OnTrees::BY_COORDINATES,
            refuses_unavailable: None,
            promises: |_| Promises { exact: true, complete: true, memory: Memory::None },
            build,
        }
    }

    /// Returns the common fields of most contiguous allocators, see [`Self::non_contiguous`]. A submesh may
    /// have more nodes than a job has processors, and may be missing while enough nodes are free.
    pub const fn contiguous(build: Builder) -> Self {
        Self {
            kind: Contiguity::Contiguous,
            promises: |_| Promises { exact: false, complete: false, memory: Memory::None },
            ..Self::non_contiguous(build)
        }
    }

    /// Returns the promises of the allocator with its default parameters.
    pub fn default_promises(&self) -> Promises {
        (self.promises)(&Spec::named(self.name))
    }

    /// Returns whether the allocator serves the machine `mesh`, see [`Self::refusal`].
    pub fn serves(&self, mesh: &Mesh) -> bool {
        self.refusal(mesh).is_none()
    }

    /// Returns the reason why the allocator cannot serve the machine `mesh`; `None` if it can. A machine may
    /// have at most `max_dims` dimensions of more than one node, which may wrap around unless the allocator
    /// refuses tori, and unavailable nodes only if the allocator does not refuse them. Whether it may be a
    /// tree of switches, or must be one, follows from `trees`.
    pub fn refusal(&self, mesh: &Mesh) -> Option<String> {
        match (self.trees, mesh.levels()) {
            (OnTrees::Only, None) => {
                return Some("it is for trees of switches, such as tree:18x24".to_owned());
            }
            (OnTrees::Refuses(reason), Some(_)) => {
                return Some(format!("it does not serve trees of switches: {reason}"));
            }
            _ => {}
        }
        if mesh.extents().iter().filter(|&&extent| extent > 1).count() > self.max_dims {
            return Some(format!("it is for machines of at most {} dimensions", self.max_dims));
        }
        if let OnTori::Refuses(reason) = self.tori
            && mesh.wraps_any()
        {
            return Some(format!("it does not serve tori: {reason}"));
        }
        let reason = self.refuses_unavailable.filter(|_| !mesh.unavailable().is_empty())?;
        Some(format!("it is for machines without unavailable nodes: {reason}"))
    }
}
