//! A row of the registry: what an allocator is called, promises and is built with.

use std::fmt;

use super::strategy::Strategy;
use crate::machine::Mesh;
use crate::spec::{Params, Spec, SpecError};

/// How an allocator's placements lie in the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contiguity {
    /// One rectangle or cuboid.
    Contiguous,
    /// Any set of nodes.
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

/// The promises that an allocator keeps on every history; the laws in tests/core hold each row to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Promises {
    /// A placement has exactly as many nodes as were requested.
    pub exact: bool,
    /// A request is refused only while fewer nodes are free than it takes, see [`Strategy::nodes_for`].
    pub complete: bool,
    /// Once everything is released, it decides as when it was new.
    pub forgets: bool,
}

impl fmt::Display for Promises {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = [
            (self.exact, "exact size"),
            (self.complete, "never refuses while enough are free"),
            (self.forgets, "no memory once idle"),
        ];
        let kept: Vec<&str> = words.iter().filter_map(|&(holds, word)| holds.then_some(word)).collect();
        f.pad(&kept.join(", "))
    }
}

/// The facts that a builder may look at.
#[derive(Clone, Copy, Debug)]
pub struct Setup<'a> {
    /// The machine that will be allocated from.
    pub mesh: &'a Mesh,
    /// Seed of the replay; the same for every allocator.
    pub seed: u64,
}

/// Builds an allocator from the parameters that its spec gives.
pub type Builder = fn(&mut Params, &Setup<'_>) -> Result<Strategy, SpecError>;

/// An allocator that was built from a spec.
pub struct Built {
    /// The spec with every default written out.
    pub spec: Spec,
    /// The promises of the allocator with these parameters.
    pub promises: Promises,
    /// The allocator and its capabilities.
    pub strategy: Strategy,
}

/// One row of the registry.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Name in specs; kebab-case, and the file's name.
    pub name: &'static str,
    /// One line on what it does.
    pub summary: &'static str,
    /// Authors, title or section, venue, year.
    pub source: &'static str,
    /// Its parameters as `key=default (others)`, or nothing.
    pub parameters: &'static str,
    /// Dimensions of more than one node that a machine it serves may have.
    pub max_dims: usize,
    /// How placements lie in the machine.
    pub kind: Contiguity,
    /// Its promises, given its spec with every default written out; a default that is missing counts as given.
    pub promises: fn(&Spec) -> Promises,
    /// Builds it.
    pub build: Builder,
}

impl Entry {
    /// Returns what it promises if its spec is its name only.
    pub fn default_promises(&self) -> Promises {
        (self.promises)(&Spec::named(self.name))
    }

    /// Returns whether it serves such a machine.
    pub fn serves(&self, mesh: &Mesh) -> bool {
        mesh.extents().iter().filter(|&&extent| extent > 1).count() <= self.max_dims
    }
}
