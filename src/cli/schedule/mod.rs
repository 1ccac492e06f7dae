//! The commands that read the schedule of any tool, and their common arguments.

pub(super) mod audit;
pub(super) mod compare;
pub(super) mod export;

use std::path::Path;

use super::terminal::screen;
use super::{Failure, complain, print};
use crate::frame::Selection;
use crate::inspect::{Finding, Input};
use crate::trace::ReadOptions;

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

/// Reads a schedule and prints on standard error what has to be said about how it was read.
fn read(path: &Path, selection: Selection, options: &ReadOptions) -> Result<Input, Failure> {
    let input = Input::read(path, selection, options)?;
    for note in &input.notes {
        complain(&format!("{}: {note}", input.name));
    }
    Ok(input)
}

/// Prints a finding. Fails if the finding is a negative one.
fn conclude(finding: &Finding) -> Result<(), Failure> {
    print(&screen().hanging(&finding.text, 4))?;
    if finding.is_good { Ok(()) } else { Err(Failure::Reported) }
}
