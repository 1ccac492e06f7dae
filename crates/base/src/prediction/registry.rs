//! The registry of predictors.

use super::predictor::Entry;

/// The rows of all predictors.
pub const PREDICTORS: &[Entry] = &[super::user_last_two::ENTRY, super::exact::ENTRY, super::from_file::ENTRY];
