//! What happens to a job on a node that goes down.

use std::fmt;
use std::str::FromStr;

use meshreplay_base::spec::{Params, Spec, SpecError, unknown};

/// The treatment of a job when one of its nodes goes down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Treatment {
    /// The job is killed. Its other nodes are free at once. It returns to the queue, at the place that its
    /// submission has there, and runs again from the start.
    Requeue {
        /// The number of times that one job returns to the queue. A job that is killed once more is given up.
        limit: u32,
    },
    /// The job goes on. The node leaves the machine when the job ends.
    Drain,
}

/// The limit of requeues unless another is given. A job that fails so often has no chance to end.
const LIMIT: u32 = 1000;

impl Default for Treatment {
    fn default() -> Self {
        Self::Requeue { limit: LIMIT }
    }
}

impl FromStr for Treatment {
    type Err = SpecError;

    /// Reads `drain`, `requeue` or `requeue:limit=3`.
    fn from_str(text: &str) -> Result<Self, SpecError> {
        let spec: Spec = text.parse()?;
        let mut params = Params::new(&spec);
        let treatment = match spec.name.as_str() {
            "requeue" => {
                Self::Requeue { limit: params.take("limit", LIMIT, "a whole number from 0 to 4294967295")? }
            }
            "drain" => Self::Drain,
            other => {
                return Err(unknown("treatment of jobs on nodes that go down", other, ["requeue", "drain"]));
            }
        };
        params.finish()?;
        Ok(treatment)
    }
}

/// Writes the text that gives this treatment when it is read, with every default written out.
impl fmt::Display for Treatment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Requeue { limit } => write!(f, "requeue:limit={limit}"),
            Self::Drain => f.pad("drain"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn treatments_have_names() {
        let parsed = |text: &str| text.parse::<Treatment>().map_err(|error| error.to_string());
        assert_eq!(parsed("drain"), Ok(Treatment::Drain));
        assert_eq!(parsed("requeue"), Ok(Treatment::default()));
        assert_eq!(parsed("requeue:limit=0"), Ok(Treatment::Requeue { limit: 0 }));
        for text in ["drain", "requeue:limit=7"] {
            assert_eq!(parsed(text).map(|treatment| treatment.to_string()), Ok(text.to_owned()));
        }
        for (text, message) in [
            ("kill", "unknown treatment of jobs on nodes that go down 'kill' (one of: requeue, drain)"),
            ("drain:limit=3", "'drain' has no parameter 'limit' (it has none)"),
            (
                "requeue:limit=-1",
                "parameter 'limit' of 'requeue' is '-1': expected a whole number from 0 to 4294967295",
            ),
        ] {
            assert_eq!(parsed(text), Err(message.to_owned()));
        }
    }
}
