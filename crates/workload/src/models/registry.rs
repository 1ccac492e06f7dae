//! The registry of workload models of jobs that bring their shape.

use super::entry::ModelEntry;

/// All workload models of jobs that bring their shape. To add one, write a file with an `ENTRY` and add a
/// row.
pub const MODELS: &[ModelEntry] =
    &[super::synthetic::ENTRY, super::tpu_slices::ENTRY, super::rfold_mix::ENTRY];
