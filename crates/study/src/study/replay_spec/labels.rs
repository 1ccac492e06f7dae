//! The labels of a replay: the names of its algorithms as the user gave them, such as `mc1x1`.
//!
//! A label is for people and is no part of what is replayed. Keys of results and commands that repeat a
//! replay have the resolved specs, and two labels with the same resolved spec are the same replay.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use meshreplay_alloc::allocator;
use meshreplay_base::spec::Spec;
use meshreplay_sim::scheduler;

/// The name of the entry of labels in JSON.
pub(in crate::study) const LABELS: &str = "labels";

/// The labels of the coordinates that are algorithms. An empty label is not known.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Labels {
    /// The label of the scheduler.
    pub scheduler: String,
    /// The label of the allocator.
    pub allocator: String,
    /// The label of the execution model.
    pub network: String,
}

impl Labels {
    /// Returns the labels of algorithms that nobody has typed: their short forms, such as `hilbert+bf`.
    pub fn short(scheduler: &Spec, allocator: &Spec, network: &Spec) -> Self {
        Self {
            scheduler: scheduler::short(scheduler).to_string(),
            allocator: allocator::short(allocator),
            network: network.to_string(),
        }
    }

    /// Returns the labels that `label` gives for the names of the coordinates.
    pub fn of_names(label: impl Fn(&str) -> String) -> Self {
        Self { scheduler: label("scheduler"), allocator: label("allocator"), network: label("network") }
    }

    /// Returns the labels in the JSON of a replay; `None` if it has none.
    pub fn of_json(replay: &Value) -> Option<Self> {
        Self::deserialize(replay.get(LABELS)?).ok()
    }

    /// Returns whether no label is known.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// What tables and frames need to show an algorithm: a part of a row of [`super::COORDINATES`].
#[derive(Debug)]
pub struct Labelled {
    /// The name of the column that holds resolved specs. The column with the name of the coordinate holds
    /// labels.
    pub spec_column: &'static str,
    /// What that column means.
    pub spec_meaning: &'static str,
    /// Returns the label of the coordinate.
    pub of: fn(&Labels) -> &str,
    /// Returns the short form of a resolved spec, and any other text as it is.
    pub short: fn(&str) -> String,
}

/// Returns the short form of a resolved scheduler, and any other text as it is.
pub(super) fn short_scheduler(text: &str) -> String {
    match text.parse::<Spec>() {
        Ok(spec) if scheduler::build(&spec).is_ok() => scheduler::short(&spec).to_string(),
        _ => text.to_owned(),
    }
}
