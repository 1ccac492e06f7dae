//! The commands that read the schedule of any tool, and their common arguments.

pub(super) mod audit;
pub(super) mod compare;
pub(super) mod export;

use std::path::Path;

use super::terminal::screen;
use super::{Failure, complain, print};
use crate::frame::{FileFormat, Selection};
use crate::inspect::{Finding, Input, log_format};
use crate::spec::Spec;
use crate::trace::{Format, ReadOptions, formats};

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
    let format = options.format.clone().and_then(|format| format_of(path, format));
    let input = Input::read(path, selection, &ReadOptions { format, ..options.clone() })?;
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

/// Returns the format in which a file is read if the user has given this one for all files of the command; `None` if the file is no log, or a
/// log whose name tells another format. Of a format that the log itself tells, it has the parameters that logs of
/// that format have.
fn format_of(path: &Path, given: Spec) -> Option<Spec> {
    let (known, is_table) = (log_format(path), FileFormat::of_path(path).is_some());
    if path.is_dir() {
        return None;
    }
    if given.name != formats::AUTO {
        let is_other = Format::of_path(path).is_some_and(|named| !is_table && named.name != given.name);
        return Some(given).filter(|_| !is_other);
    }
    if known.is_none() && is_table {
        return None;
    }
    let mut params = given.params;
    params.retain(|key, _| known.is_none_or(|format| format.has_parameter(key)));
    Some(Spec { params, ..Spec::named(formats::AUTO) })
}
