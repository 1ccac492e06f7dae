//! Reads the logs of a study for the first time, while their jobs are counted, and perhaps replayed.

use std::path::Path;

use super::Draft;
use super::survey::Counts;
use crate::study::axes::{Axes, Combination};
use crate::study::log::{LoadedLog, LogSource, load_most};
use crate::study::replay::{Begun, Early, algorithms_need_all_jobs, rules_need_all_jobs};
use meshreplay_base::job::Job;
use meshreplay_logs::{self as trace, LogSummary, TraceError};
use meshreplay_workload::Rules;

/// A log of a command that was read.
pub(super) struct Read {
    pub(super) log: LoadedLog,
    pub(super) counts: Counts,
    /// The replay that has begun meanwhile.
    pub(super) begun: Option<Begun>,
}

impl Draft {
    /// Returns the most jobs of a log that are kept: all if any replay may need them at once, or if the log cannot be read
    /// again.
    fn most_kept_of(&self, log: &LogSource) -> usize {
        let Axes { rules, schedulers, allocators, networks, .. } = &self.axes;
        // Standard input and pipes cannot be read again, whatever their names and those of files.
        let needs_all = log.path == Path::new("-")
            || !log.path.is_file()
            || self.axes.ask_for_all()
            || self.options.need_all_jobs().is_some()
            || rules.iter().any(rules_need_all_jobs)
            || schedulers.iter().any(|scheduler| {
                allocators.iter().any(|allocator| {
                    networks.iter().any(|network| {
                        algorithms_need_all_jobs(&scheduler.spec, &allocator.spec, &network.spec)
                    })
                })
            });
        if needs_all { usize::MAX } else { self.most_kept }
    }

    /// Returns what begins the only replay of a command while its log is read; `None` if there are more replays, if its log is a
    /// model, or if outcomes have to hold single jobs.
    pub(super) fn early(&self, known: &[Combination]) -> Option<Early> {
        let ([Combination { spec, .. }], [log]) = (known, self.logs.as_slice()) else { return None };
        let may_begin = self.is_of_command && self.most_kept != usize::MAX && log.model.is_none();
        may_begin.then(|| Early::new(spec, &self.options, &log.path))
    }

    /// Reads a log of a command, adds its jobs to the counts that `new_counts` makes, and hands them to `early`. If no list of
    /// the jobs was made, as they were replayed, and the replay turns out to be a wrong one, the log is read again.
    pub(super) fn read(
        &self,
        source: &LogSource,
        mut early: Option<Early>,
        new_counts: &dyn Fn() -> Counts,
    ) -> Result<Read, TraceError> {
        let most = self.most_kept_of(source);
        // Further replications replay the same jobs again.
        let may_need_list = most == usize::MAX || self.options.replications.are_several();
        loop {
            let mut counts = new_counts();
            let mut count = |job: &Job| {
                counts.add(0, job);
                let is_replayed = early.as_mut().is_some_and(|early| early.add(job));
                may_need_list || !is_replayed
            };
            let kept = (self.axes.rules[0].clone(), most);
            let log = load_most(&source.path, source.read.clone(), kept, &mut count)?;
            let has_list = log.extent.is_none();
            let begun = early.take().and_then(|early| early.end(&log));
            if begun.is_some() || has_list || log.jobs() > most as u64 {
                return Ok(Read { log, counts, begun });
            }
        }
    }
}

/// Reads a log without keeping its jobs, and counts them for each set of rules.
pub(super) fn surveyed(
    source: &LogSource,
    rules: &[Rules],
    counts: &mut Counts,
) -> Result<LogSummary, TraceError> {
    trace::read(&source.path, source.read.clone(), |record| {
        for (i, rules) in rules.iter().enumerate() {
            if let Ok(job) = rules.job(record) {
                counts.add(i, &job);
            }
        }
    })
}
