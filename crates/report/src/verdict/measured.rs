//! Replays for the closing lines, from a finished run or from saved results.

use std::borrow::Cow;
use std::collections::BTreeMap;

use meshreplay_logs::NameKind;
use meshreplay_sim::metrics::{Difference, METRICS, Metric, PartSums, Parts};
use meshreplay_study::study::{Options, Outcome, PlannedReplay, ReplaySpec};
use meshreplay_workload::Shake;

/// Further numbers of the lines: the criteria of the two classes of allocators, the cost of the second class,
/// the scale of times, the load with what is compared under overload, and what decides about recorded waits.
const BESIDE: [&str; 17] = [
    "allocate_failures",
    "internal_fragmentation",
    "contiguous_share",
    "service_s_mean",
    "offered_load",
    "overloaded",
    "backlog_share",
    "backlog_days",
    "useful_utilization",
    "makespan_s",
    "wait_no_place_s_mean",
    "wait_free_share",
    "wait_free_share_peak",
    "overtaking_share",
    "starts_delayed",
    "waits_unknown",
    "jobs",
];

/// A replay and its replications; none if the replay has no results.
#[derive(Clone)]
pub(super) struct ReplayResult<'a> {
    pub(super) spec: Cow<'a, ReplaySpec>,
    pub(super) replications: Vec<Replication<'a>>,
    /// The line in place of the difference to recorded waits; `None` if they are compared.
    pub(super) not_compared: Option<String>,
    /// The reasons of the log's scheduler with their shares of the time in which jobs were free to start, the
    /// largest first.
    pub(super) reasons: Vec<(String, f64)>,
}

/// The numbers of one replication.
#[derive(Clone)]
pub(super) struct Replication<'a> {
    pub(super) seed: u64,
    pub(super) jobs: Option<f64>,
    pub(super) in_means: Option<f64>,
    /// The largest change of run times in percent; `None` if they are as in the log.
    pub(super) shake_percent: Option<f64>,
    /// Numbers by name.
    pub(super) numbers: Vec<(&'static str, f64)>,
    /// The sums over parts of the log; `None` if the jobs were not kept.
    pub(super) parts: Option<Cow<'a, PartSums>>,
}

impl<'a> ReplayResult<'a> {
    /// Returns a replay that has just ended, with no outcomes if it failed.
    pub(super) fn of_outcomes(
        planned: &'a PlannedReplay,
        outcomes: &'a [Outcome],
        options: &Options,
    ) -> Self {
        let replication = |outcome: &'a Outcome| Replication {
            seed: outcome.seed,
            jobs: outcome.summary.get("jobs"),
            in_means: outcome.summary.get("jobs_in_means"),
            shake_percent: options.shake_of(&planned.spec).map(Shake::percent),
            numbers: compared(|name| {
                outcome.summary.get(name).or_else(|| outcome.recording.share_of_waits(name))
            }),
            parts: Some(Cow::Borrowed(&outcome.parts)),
        };
        Self {
            spec: Cow::Borrowed(&planned.spec),
            replications: outcomes.iter().map(replication).collect(),
            not_compared: planned.not_compared(outcomes),
            reasons: outcomes.first().map(reasons).unwrap_or_default(),
        }
    }
}

/// Returns the reasons of free seconds, by name.
fn reasons(outcome: &Outcome) -> Vec<(String, f64)> {
    let shares = outcome.recording.free_by_reason.iter();
    shares.map(|&(number, share)| (outcome.names.label(NameKind::Reason, number), share)).collect()
}

/// Merges replays that differ only in the seed into one replay with all their replications.
pub(super) fn over_seeds(replays: Vec<ReplayResult<'_>>) -> Vec<ReplayResult<'_>> {
    let mut merged: Vec<ReplayResult<'_>> = Vec::new();
    let mut places = BTreeMap::new();
    for replay in replays {
        let place = *places.entry(replay.spec.identity_without(&["seed"])).or_insert(merged.len());
        match merged.get_mut(place) {
            Some(first) => first.replications.extend(replay.replications),
            None => merged.push(replay),
        }
    }
    for replay in &mut merged {
        replay.replications.sort_by_key(|replication| replication.seed);
    }
    merged
}

/// Returns the numbers that closing lines need, each with the value that `value` returns for its name.
pub(super) fn compared(value: impl Fn(&'static str) -> Option<f64>) -> Vec<(&'static str, f64)> {
    let of_metrics = METRICS.iter().filter(|metric| metric.is_compared).map(Metric::name);
    of_metrics.chain(BESIDE).filter_map(|name| Some((name, value(name)?))).collect()
}

impl Replication<'_> {
    /// Returns the number with this name; `None` if the replication has none.
    pub(super) fn number(&self, name: &str) -> Option<f64> {
        self.numbers.iter().find(|(other, _)| *other == name).map(|(_, value)| *value)
    }

    /// Returns whether waits grow with the length of the log.
    pub(super) fn is_overloaded(&self) -> bool {
        self.number("overloaded").is_some_and(|overloaded| overloaded > 0.0)
    }

    /// Returns the sums of the number over parts of the log; `None` if it is not compared or jobs were not
    /// kept.
    fn parts_of(&self, name: &str) -> Option<&Parts> {
        self.parts.as_ref()?.get(name)
    }

    /// Returns true if both replications are of the same jobs. Without saved jobs, the numbers of jobs are
    /// compared.
    pub(super) fn is_of_same_jobs(&self, other: &Self) -> bool {
        match (&self.parts, &other.parts) {
            (Some(parts), Some(others)) => parts.is_of_same_jobs(others),
            _ => self.jobs == other.jobs,
        }
    }

    /// Returns true if means are over the same jobs as in another replication of the same jobs. Without saved
    /// jobs, the numbers of jobs are compared.
    pub(super) fn counts_same_jobs(&self, other: &Self) -> bool {
        match (&self.parts, &other.parts) {
            (Some(parts), Some(others)) => parts.counts_same_jobs(others),
            _ => self.in_means == other.in_means,
        }
    }

    /// Returns true if the number is equal to the last bit for every job, or in the mean without saved
    /// jobs.
    pub(super) fn equals(&self, other: &Self, name: &str) -> bool {
        match (self.parts_of(name), other.parts_of(name)) {
            (Some(parts), Some(others)) => parts == others,
            _ => self.number(name) == other.number(name),
        }
    }

    /// Returns the difference to `base`, with an interval if the jobs were kept; `None` if one of the two has
    /// no such number.
    pub(super) fn difference(&self, base: &Self, name: &str) -> Option<Difference> {
        match (self.parts_of(name), base.parts_of(name)) {
            (Some(parts), Some(others)) => Difference::between(parts, others),
            _ => Some(Difference::of_means(self.number(name)?, base.number(name)?)),
        }
    }
}
