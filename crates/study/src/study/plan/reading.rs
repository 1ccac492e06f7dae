//! Reads the logs of a study for the first time, and counts their jobs.

use std::path::Path;

use super::Draft;
use super::survey::Counts;
use crate::study::axes::Axes;
use crate::study::log::{LoadedLog, LogSource, load_most};
use crate::study::replay::{algorithms_need_all_jobs, rules_need_all_jobs};
use meshreplay_logs::{self as trace, LogSummary, TraceError};
use meshreplay_workload::Rules;

impl Draft {
    /// Returns the most jobs of a log that are kept: all if any replay may need them at once, or if the log
    /// cannot be read again.
    fn most_kept_of(&self, log: &LogSource) -> usize {
        let Axes { rules, schedulers, allocators, networks, .. } = &self.axes;
        // Standard input and pipes cannot be read again, whatever their names and those of files.
        let needs_all = log.path == Path::new("-")
            || !log.path.is_file()
            || self.axes.ask_for_all()
            || self.options.need_all_jobs()
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

    /// Reads a log of a command, and adds its jobs to `counts`.
    pub(super) fn read(&self, source: &LogSource, counts: &mut Counts) -> Result<LoadedLog, TraceError> {
        let (rules, most) = (self.axes.rules[0].clone(), self.most_kept_of(source));
        load_most(&source.path, source.read.clone(), rules, most, &mut |job| counts.add(0, job))
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
