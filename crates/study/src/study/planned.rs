//! A planned study: its replays with their content keys and costs.

use std::sync::Arc;

use super::key::sha256;
use super::log::{LoadedLog, LogSource, LogStart};
use super::options::Options;
use super::replay::Outcome;
use super::replay_spec::ReplaySpec;
use super::source::JobSource;
use meshreplay_base::words::counted;
use meshreplay_logs::formats;
use meshreplay_sim::guest::Guests;
use meshreplay_sim::metrics::{Has, Summary};
use meshreplay_workload::Model;

/// Disk space of a summary in bytes, measured.
const SUMMARY_BYTES: u64 = 20_000;

/// Disk space per job in bytes, for a file format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JobBytes {
    /// The row of the job.
    pub job: u64,
    /// Its nodes, in each frame that has them.
    pub nodes: u64,
    /// Its row in the frame `tidy`.
    pub tidy: u64,
}

/// A planned study.
#[derive(Clone, Debug)]
pub struct Study {
    /// Name of the study; by default that of the study file without extension.
    pub name: String,
    /// Purpose of the study, if one is given.
    pub description: Option<String>,
    /// The options that all replays share.
    pub options: Options,
    /// The requirements of columns that at least one replay meets.
    pub has: Has,
    /// The logs of the study.
    pub logs: Vec<StudyLog>,
    /// Replays, ordered by log, partition, rules, arrival scale, machine, scheduler, allocator, network and
    /// seed. The seed varies fastest.
    pub cells: Vec<PlannedReplay>,
    /// Objects of the caller behind the specs of the replays.
    pub guests: Guests,
    /// Notes for the user, such as those on allocators that `all` leaves out.
    pub notes: Vec<String>,
    /// Most jobs of a log that are kept in memory, see [`Draft::most_kept`](super::Draft::most_kept).
    pub most_kept: usize,
}

/// A log that planning has read, or a workload model.
#[derive(Clone, Debug)]
pub struct StudyLog {
    /// The file or the model, and its name.
    pub source: LogSource,
    /// The SHA-256 of the log's text, or of the model's spec, in hexadecimal.
    pub sha256: String,
    /// Records of the log, or jobs that a workload model draws.
    pub records: u64,
    /// Whether the log comes from the accounting of a site.
    pub is_of_site: bool,
    /// Whether the log's time limits may be no limits, or be in another unit.
    pub has_doubtful_limits: bool,
    /// Date at time 0 of the log; `None` if it is unknown, and for a model.
    pub starts: Option<LogStart>,
    /// The loaded log, with its jobs if they are kept in memory. `None` for a model, and for a log that is
    /// read again later.
    pub loaded: Option<Arc<LoadedLog>>,
}

/// A replay of a study.
#[derive(Clone, Debug)]
pub struct PlannedReplay {
    /// The description of the replay.
    pub spec: ReplaySpec,
    /// Position of the log in [`Study::logs`], from 0.
    pub log: usize,
    /// Name of the result, see [`super::content_key`].
    pub key: String,
    /// Number of jobs. Includes jobs larger than the machine if the log is not kept in memory.
    pub jobs: u64,
    /// Estimated cost: the number of jobs, at least 1, times the estimated cost of one.
    pub cost: u64,
    /// The jobs, or the model that draws them. `None` if they are loaded later.
    pub source: Option<JobSource>,
    /// Whether the replay pools partitions: several have 1 % or more of the work of its jobs, and node lists
    /// do not show that they share nodes. Recorded events then do not show how one machine would have
    /// behaved.
    pub pools_partitions: bool,
    /// Whether the size of the machine follows from its use in the log, so that it may be smaller.
    pub assumes_size: bool,
    /// The reason why waits are not compared with recorded ones, in words that follow the log's name; `None`
    /// without one.
    pub doubt: Option<String>,
}

impl StudyLog {
    /// Returns a workload model as a log, whose content is the text of its spec.
    pub(super) fn of_model(source: &LogSource, model: &Model) -> Self {
        Self {
            source: source.clone(),
            sha256: sha256(&model.spec().to_string()),
            records: u64::from(model.jobs()),
            is_of_site: false,
            has_doubtful_limits: false,
            starts: None,
            loaded: None,
        }
    }
}

/// Returns the line in place of a difference to recorded waits; `None` if they are compared. The arguments
/// are those of [`PlannedReplay`].
pub fn not_compared(pools_partitions: bool, doubt: Option<&str>) -> Option<String> {
    const SENTENCE: &str = "recorded and simulated waits are not compared";
    match doubt {
        Some(doubt) => Some(format!("{SENTENCE} for this log: {doubt}")),
        None => pools_partitions.then(|| format!("partitions pooled: {SENTENCE} (--partition each)")),
    }
}

/// Column of the summary with the share of the node-seconds of jobs that were refused at the beginning.
pub const REFUSED_SHARE: &str = "carried_refused_share";

/// Share of the node-seconds above which refused jobs of the beginning void waits.
const MOST_REFUSED: f64 = 0.01;

/// Returns the reason why waits are not compared if jobs with this share of the node-seconds were refused at
/// the beginning of the period; `None` if they are compared.
pub fn doubt_of_refused(share: Option<f64>) -> Option<&'static str> {
    let is_much = share.is_some_and(|share| share > MOST_REFUSED);
    is_much.then_some("jobs that ran at the beginning of the period found no place then")
}

impl PlannedReplay {
    /// Returns [`not_compared`] of the replay with these outcomes.
    pub fn not_compared(&self, outcomes: &[Outcome]) -> Option<String> {
        let refused =
            outcomes.iter().find_map(|outcome| doubt_of_refused(outcome.summary.get(REFUSED_SHARE)));
        not_compared(self.pools_partitions, self.doubt.as_deref().or(refused))
    }
}

impl Study {
    /// Returns the time zone of dates without one in the logs; `None` if there are no such dates and no zone
    /// was given.
    pub fn time_zone(&self) -> Option<&str> {
        self.options.input_format.as_ref().and_then(formats::time_zone)
    }

    /// Returns the command that repeats replay `i` (from 0) on its own. Default arguments are left out where
    /// possible.
    pub fn command(&self, i: usize) -> Vec<String> {
        let PlannedReplay { spec, log, .. } = &self.cells[i];
        let mut words = vec!["meshreplay".to_owned(), "replay".to_owned(), self.logs[*log].source.argument()];
        words.extend(spec.argument_words());
        words.extend(self.options.replay_arguments());
        words
    }

    /// Estimates the disk space of the results of these replays from the bytes per job.
    pub fn kept_bytes(&self, cells: &[usize], JobBytes { job, nodes, tidy }: JobBytes) -> u64 {
        let Options { jobs, placements, tidy: is_tidy, .. } = self.options;
        let nodes = if placements { nodes } else { 0 };
        let of_frame = |is_kept: bool, bytes: u64| if is_kept { bytes.saturating_add(nodes) } else { 0 };
        let of_job = of_frame(jobs, job).saturating_add(of_frame(jobs && is_tidy, tidy));
        let runs = u64::from(self.options.replications.least());
        let of_cell = |&i: &usize| {
            of_job.saturating_mul(self.cells[i].jobs).saturating_add(SUMMARY_BYTES).saturating_mul(runs)
        };
        cells.iter().map(of_cell).fold(0, u64::saturating_add)
    }

    /// Returns notes on the outcomes of replay `i`: jobs that were left out unexpectedly, means over no jobs,
    /// and means that are less precise than requested.
    pub fn notes_on(&self, i: usize, outcomes: &[Outcome]) -> Vec<String> {
        let PlannedReplay { spec: ReplaySpec { log, machine, labels, .. }, source, .. } = &self.cells[i];
        let allocator = &labels.allocator;
        let place = format!("{log} on {machine} with '{allocator}'");
        let mut notes = self.notes_on_starts(i, outcomes);
        notes.extend(self.notes_on_nodes(i, outcomes));
        let refused = |outcome: &Outcome| {
            let count = outcome.summary.get("carried_refused").filter(|&count| count > 0.0)?;
            Some((count as u64, outcome.summary.get(REFUSED_SHARE)?))
        };
        if let Some((count, share)) = outcomes.iter().find_map(refused) {
            notes.push(format!(
                "{place}: {} that ran at the beginning of the period found no place then, {:.1} % of the \
                 node-seconds; they waited at the head of the queue",
                counted(count, "job"),
                100.0 * share
            ));
        }
        let never_fit: u64 = outcomes.iter().map(|outcome| outcome.never_fit).sum();
        if never_fit > 0 {
            notes.push(format!(
                "{log} on {machine}: left out {never_fit} that '{allocator}' never finds a place for"
            ));
        }
        let others = outcomes.iter().map(|outcome| outcome.skipped).sum::<u64>() - never_fit;
        if matches!(source, Some(JobSource::Drawn { .. })) && others > 0 {
            notes.push(format!("{place}: left out {others} larger than the machine or of another size"));
        }
        for (name, what) in [
            ("jobs_never_started", "never started, as needed nodes did not come up"),
            ("jobs_given_up", "given up after one more kill than --on-outage allows"),
        ] {
            let count: f64 = outcomes.iter().filter_map(|outcome| outcome.summary.get(name)).sum();
            if count > 0.0 {
                notes.push(format!("{place}: {} {what}; left out of all means", counted(count, "job")));
            }
        }
        let counts_none =
            |outcome: &&Outcome| outcome.summary.get("jobs_in_means").is_none_or(|jobs| jobs < 1.0);
        if let Some(outcome) = outcomes.iter().find(counts_none) {
            let jobs = outcome.summary.get("jobs").unwrap_or_default();
            notes.push(format!("{place}: none of {jobs} jobs is left for the means, which are empty"));
        }
        let summaries: Vec<Summary> = outcomes.iter().map(|outcome| outcome.summary.clone()).collect();
        if let Some(shortfall) = self.options.replications.shortfall(&summaries) {
            notes.push(format!("{place}: {shortfall}"));
        }
        notes
    }

    /// Returns notes on a replay that follows recorded starts: the jobs that started later than recorded and
    /// why, and the jobs without a recorded wait. Empty for another scheduler.
    fn notes_on_starts(&self, i: usize, outcomes: &[Outcome]) -> Vec<String> {
        let ReplaySpec { log, machine, labels, .. } = &self.cells[i].spec;
        let Some(Outcome { summary, log_peak: Some(peak), .. }) = outcomes.first() else { return Vec::new() };
        let number = |name| summary.get(name).unwrap_or_default();
        let (allocator, nodes) = (&labels.allocator, machine.available());
        let (late, unknown, jobs) = (number("starts_delayed"), number("waits_unknown"), number("jobs"));
        let mut lines = Vec::new();
        if late > 0.0 {
            let why = if *peak > u64::from(nodes) {
                format!("the log has up to {peak} processors in use at once and the machine {nodes} nodes")
            } else {
                "nodes were taken by jobs that were late or have no recorded wait, or the allocator found no \
                     place"
                    .to_owned()
            };
            lines.push(format!(
                "{log} on {machine} with '{allocator}': {late} of {jobs} jobs started later than recorded, \
                     because {why}"
            ));
        }
        if unknown > 0.0 {
            lines.push(format!(
                "{log}: the recorded wait of {unknown} of {jobs} jobs is unknown; they started as soon as \
                 they fitted, after those that were due"
            ));
        }
        lines
    }

    /// Returns notes on a replay that follows recorded nodes: the mapping of names, replaced nodes, and jobs
    /// without a list. Empty for another allocator.
    fn notes_on_nodes(&self, i: usize, outcomes: &[Outcome]) -> Vec<String> {
        let ReplaySpec { log, machine, scheduler, .. } = &self.cells[i].spec;
        let Some(Outcome { summary, notes_on_nodes, .. }) = outcomes.first() else { return Vec::new() };
        let Some(replaced) = summary.get("nodes_replaced") else { return Vec::new() };
        let number = |name| summary.get(name).unwrap_or_default();
        let (jobs, unknown) = (number("jobs"), number("lists_unknown"));
        let mut notes = notes_on_nodes.clone();
        if replaced > 0.0 {
            notes.push(format!(
                "{log} on {machine} under '{}': {} of {jobs} jobs got {replaced} nodes that their lists do \
                 not have, the nearest free ones, as those of their lists were in use, down or too few",
                scheduler.name,
                number("placements_replaced")
            ));
        }
        if unknown > 0.0 {
            notes.push(format!(
                "{log}: {unknown} of {jobs} jobs have no list of nodes; they got the free nodes with the \
                     lowest numbers"
            ));
        }
        notes
    }

    /// Groups notes by log, in the order of the logs. Notes begin with the name of their log; others come
    /// last.
    pub fn sort_notes(&self, notes: &mut [String]) {
        let is_about = |note: &str, name: &str| {
            note.strip_prefix(name).is_some_and(|rest| rest.starts_with([':', ' ', ',']))
        };
        let log = |note: &String| {
            let is_its = |log: &StudyLog| is_about(note, &log.source.name);
            self.logs.iter().position(is_its).unwrap_or(self.logs.len())
        };
        notes.sort_by_key(log);
    }

    /// Returns replay `i` in words, see [`ReplaySpec::label`].
    pub fn label(&self, i: usize) -> String {
        self.cells[i].spec.label()
    }
}
