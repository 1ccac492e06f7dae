//! The commands that read the schedule of any tool, and their common arguments.

pub(super) mod audit;
pub(super) mod compare;
pub(super) mod export;

use std::path::Path;

use super::terminal::screen;
use super::{Failure, complain, is_broken_pipe, print};
use crate::frame::{FileFormat, Selection};
use crate::inspect::{Finding, Input, InspectError, log_format};
use crate::spec::Spec;
use crate::study::PeriodChoice;
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

/// The period that counts.
#[derive(Clone, Debug, clap::Args)]
struct Covered {
    /// The period that counts [default: that of the replay, or that which an accounting dump covers; all
    /// times of other schedules]. auto finds out whether a log is a window of a longer history; off takes all
    /// times; FROM..TO are seconds of the log, or dates of a log such as 2024-03-01..2024-04-01.
    #[arg(long, value_name = "auto|off|FROM..TO")]
    period: Option<PeriodChoice>,
}

/// Reads a schedule and prints notes about the reading on standard error. `others` are the schedules that
/// share the options.
fn read(
    path: &Path,
    others: &[&Path],
    selection: Selection,
    options: &ReadOptions,
    period: Option<&PeriodChoice>,
) -> Result<Input, Failure> {
    let format = options.format.clone().and_then(|format| format_of(path, others, format));
    let input = Input::read(path, selection, &ReadOptions { format, ..options.clone() }, period)?;
    for note in &input.notes {
        complain(&format!("{}: {note}", input.name));
    }
    let is_chosen = selection.replay.is_some() || selection.seed.is_some();
    if is_chosen && others.is_empty() && !input.is_of_replays {
        return Err(InspectError::NoReplays(input.name).into());
    }
    Ok(input)
}

/// Returns the failure of a command whose exit code 1 is a finding: 2 for all errors, such as a file that
/// cannot be read.
fn as_unread(failure: Failure) -> Failure {
    match failure {
        Failure::Failed(error) if !is_broken_pipe(&error) => Failure::Usage(error),
        other => other,
    }
}

/// Prints a finding. Fails if the finding is a negative one.
fn conclude(finding: &Finding) -> Result<(), Failure> {
    print(&screen().hanging(&finding.text, 4))?;
    if finding.is_good { Ok(()) } else { Err(Failure::Reported) }
}

/// Returns the format for reading a file if the user has given this one; `None` if the file is a result of
/// replays and no log, or if its name has another format and the given one fits one of `others`. A parameter
/// that logs of this file's format do not have is left out if it is meant for one of `others`.
fn format_of(path: &Path, others: &[&Path], given: Spec) -> Option<Spec> {
    let is_table = |path: &Path| FileFormat::of_path(path).is_some();
    if path.is_dir() {
        return None;
    }
    if given.name != formats::AUTO {
        let is_other = |path: &Path| {
            !is_table(path) && Format::of_path(path).is_some_and(|named| named.name != given.name)
        };
        let is_left_out = is_other(path) && !others.iter().all(|other| is_other(other));
        return Some(given.clone()).filter(|_| !is_left_out);
    }
    let known = log_format(path);
    if known.is_none() && is_table(path) {
        return None;
    }
    let has = |path: &Path, key: &str| log_format(path).is_none_or(|format| format.has_parameter(key));
    let mut params = given.params;
    params.retain(|key, _| has(path, key) || !others.iter().any(|other| !other.is_dir() && has(other, key)));
    Some(Spec { params, ..Spec::named(formats::AUTO) })
}
