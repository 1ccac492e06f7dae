//! The labels of a replay: the names of its algorithms as the user gave them, such as `mc1x1`.
//!
//! Labels are for people and do not affect a replay. Keys of results and commands that repeat a replay use
//! resolved specs, so two labels with the same resolved spec are the same replay.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use meshreplay_alloc::allocator;
use meshreplay_base::spec::Spec;
use meshreplay_sim::scheduler;

/// The name of the entry of labels in JSON.
pub(in crate::study) const LABELS: &str = "labels";

/// The labels of the algorithms. An empty label is unknown.
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
    /// Default labels: short forms, such as `hilbert+bf`.
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

/// The columns and the short form of an algorithm, for tables and frames: a part of a row of
/// [`super::COORDINATES`].
#[derive(Debug)]
pub struct Labelled {
    /// Name of the column of resolved specs. The column named like the coordinate holds labels.
    pub spec_column: &'static str,
    /// Meaning of that column.
    pub spec_meaning: &'static str,
    /// Returns the label of the coordinate.
    pub of: fn(&Labels) -> &str,
    /// Returns the short form of a resolved spec, and any other text unchanged.
    pub short: fn(&str) -> String,
}

/// Returns the short form of a resolved scheduler, and any other text unchanged.
pub(super) fn short_scheduler(text: &str) -> String {
    match text.parse::<Spec>() {
        Ok(spec) if scheduler::build(&spec).is_ok() => scheduler::short(&spec).to_string(),
        _ => text.to_owned(),
    }
}
