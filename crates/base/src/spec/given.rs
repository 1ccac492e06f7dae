//! Specs with the texts that users gave.

use std::fmt;
use std::str::FromStr;

use super::{Spec, SpecError};

/// A spec as the user gave it, and its text, which labels it in results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GivenSpec {
    /// The spec.
    pub spec: Spec,
    /// The text that the spec was read from.
    pub label: String,
}

impl FromStr for GivenSpec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        Ok(Self { spec: text.parse()?, label: text.to_owned() })
    }
}

/// Writes the spec without the label, so that two spellings of one spec give the same text.
impl fmt::Display for GivenSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.spec.fmt(f)
    }
}

/// Labels the spec by its own text.
impl From<Spec> for GivenSpec {
    fn from(spec: Spec) -> Self {
        Self { label: spec.to_string(), spec }
    }
}
