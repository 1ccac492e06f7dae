//! A planned study: every replay with its key and cost.

use std::sync::Arc;

use super::log::{LoadedLog, LogSource};
use super::options::Options;
use super::replay::Outcome;
use super::replay_spec::ReplaySpec;
use super::source::JobSource;
use crate::allocator;
use crate::metrics::Summary;

/// A planned study.
#[derive(Clone, Debug)]
pub struct Study {
    /// Its name; that of its file if it says none.
    pub name: String,
    /// What it is for.
    pub description: Option<String>,
    /// What all its replays share.
    pub options: Options,
    /// Its logs.
    pub logs: Vec<StudyLog>,
    /// Its replays: by log, then rules, arrival scale, machine, scheduler, allocator, network, seed; the last varies
    /// fastest.
    pub cells: Vec<PlannedReplay>,
    /// Notes for the person who starts it, such as allocators that `all` leaves out.
    pub notes: Vec<String>,
}

/// A log of a study, surveyed.
#[derive(Clone, Debug)]
pub struct StudyLog {
    /// Where it is and what it is called.
    pub source: LogSource,
    /// SHA-256 of its text, in hexadecimal.
    pub sha256: String,
    /// Number of its records.
    pub records: u64,
    /// The log, if it is kept in memory; `None` if it is read again by whoever needs its jobs, and of a model.
    pub loaded: Option<Arc<LoadedLog>>,
}

/// A replay of a study.
#[derive(Clone, Debug)]
pub struct PlannedReplay {
    /// What is replayed.
    pub spec: ReplaySpec,
    /// Position of its log in the study.
    pub log: usize,
    /// Name of its result, see [`super::content_key`].
    pub key: String,
    /// Number of jobs; of a log that is not kept in memory those that are larger than the machine count too.
    pub jobs: u64,
    /// Estimated cost, see [`super::weight`].
    pub cost: u64,
    /// Its jobs, if they are loaded already.
    pub source: Option<JobSource>,
}

impl Study {
    /// Returns the words of the command that repeats replay `i` on its own, with all that differs from its defaults.
    pub fn command(&self, i: usize) -> Vec<String> {
        let PlannedReplay { spec, log, .. } = &self.cells[i];
        let mut words = vec!["meshreplay".to_owned(), "replay".to_owned(), self.logs[*log].source.argument()];
        words.extend(spec.arguments());
        words.extend(self.options.replay_arguments());
        words
    }

    /// Returns notes on the outcomes of replay `i`: how many jobs it had to leave out, where that was not known before,
    /// and whether its means are less precise than was asked. Often there are none.
    pub fn notes_on(&self, i: usize, outcomes: &[Outcome]) -> Vec<String> {
        let PlannedReplay { spec: ReplaySpec { log, machine, allocator, .. }, source, .. } = &self.cells[i];
        let allocator = allocator::short(allocator);
        let mut notes = Vec::new();
        let never_fit: u64 = outcomes.iter().map(|outcome| outcome.never_fit).sum();
        if never_fit > 0 {
            notes.push(format!(
                "{log} on {machine}: left out {never_fit} that '{allocator}' never finds a place for"
            ));
        }
        let others = outcomes.iter().map(|outcome| outcome.skipped).sum::<u64>() - never_fit;
        if matches!(source, Some(JobSource::Drawn { .. })) && others > 0 {
            notes.push(format!(
                "{log} on {machine} with '{allocator}': left out {others} larger than the machine or of another size"
            ));
        }
        let counts_none =
            |outcome: &&Outcome| outcome.summary.get("jobs_in_means").is_none_or(|jobs| jobs < 1.0);
        if let Some(outcome) = outcomes.iter().find(counts_none) {
            let jobs = outcome.summary.get("jobs").unwrap_or_default();
            notes.push(format!(
                "{log} on {machine} with '{allocator}': none of {jobs} jobs is left for the means, which are empty"
            ));
        }
        let summaries: Vec<Summary> = outcomes.iter().map(|outcome| outcome.summary.clone()).collect();
        if let Some(shortfall) = self.options.replications.shortfall(&summaries) {
            notes.push(format!("{log} on {machine} with '{allocator}': {shortfall}"));
        }
        notes
    }

    /// Returns replay `i` in words.
    pub fn label(&self, i: usize) -> String {
        self.cells[i].spec.label()
    }
}
