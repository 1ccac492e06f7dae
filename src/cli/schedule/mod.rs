//! The commands that read the schedule of any tool, and their common arguments.

pub(super) mod audit;
pub(super) mod compare;
pub(super) mod export;

use super::terminal::screen;
use super::{Failure, print};
use crate::frame::Selection;
use crate::inspect::Finding;

/// Which of the replays of a result is meant.
#[derive(Clone, Copy, Debug, clap::Args)]
struct Which {
    /// Number of the replay or of the study's cell, from 0. It is needed if there are several.
    #[arg(long, value_name = "N")]
    replay: Option<u32>,

    /// Seed of the replication. It is needed if there are several.
    #[arg(long, value_name = "SEED")]
    seed: Option<u64>,
}

impl Which {
    /// Returns the selection of a replay that the arguments name.
    fn selection(self) -> Selection {
        Selection { replay: self.replay, seed: self.seed }
    }
}

/// Prints a finding. Fails if the finding is a negative one.
fn conclude(finding: &Finding) -> Result<(), Failure> {
    print(&screen().hanging(&finding.text, 4))?;
    if finding.is_good { Ok(()) } else { Err(Failure::Reported) }
}
