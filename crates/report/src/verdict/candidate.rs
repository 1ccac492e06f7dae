//! Replays to compare, from a finished run or from saved results, and the choice of comparable ones.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use meshreplay_logs::NameKind;
use meshreplay_results::text::grouped;
use meshreplay_sim::metrics::{Difference, Interval, Interval95, METRICS, Metric, PartSums, Parts};
use meshreplay_study::study::{Options, Outcome, PlannedReplay, ReplaySpec};
use meshreplay_workload::Shake;

/// A replay, named by its allocator or its scheduler.
#[derive(Clone)]
pub(super) struct ComparedReplay<'a> {
    /// The position in the list of compared replays.
    pub(super) position: usize,
    pub(super) name: &'a str,
    /// None if the replay has no results.
    pub(super) replications: Vec<&'a Replication<'a>>,
}

/// Replays with means over the same jobs, and a sentence on the others.
pub(super) struct Comparable<'a> {
    /// By name.
    pub(super) candidates: Vec<ComparedReplay<'a>>,
    /// The names that are left out, with the reasons; `None` if nothing is left out.
    pub(super) left_out: Option<String>,
}

impl<'a> Comparable<'a> {
    /// Keeps the largest set of replays with means over the same jobs, and their common replications:
    /// `until:` may repeat one replay more often than another. Of sets of equal size, the set with more jobs
    /// is kept.
    pub(super) fn new(mut candidates: Vec<ComparedReplay<'a>>) -> Self {
        candidates.sort_by(|a, b| a.name.cmp(b.name));
        let (mut ended, mut left_out) = (Vec::new(), Vec::new());
        for candidate in candidates {
            if candidate.replications.is_empty() {
                left_out.push(format!("{} (no results: failed, not replayed or not saved)", candidate.name));
            } else {
                ended.push(candidate);
            }
        }
        let seeds =
            |of: &ComparedReplay<'_>| of.replications.iter().map(|one| one.seed).collect::<BTreeSet<u64>>();
        let common = ended.iter().map(seeds).reduce(|a, b| &a & &b).unwrap_or_default();
        for candidate in &mut ended {
            candidate.replications.retain(|one| common.contains(&one.seed));
        }
        let size = |a: &ComparedReplay<'_>| ended.iter().filter(|b| a.is_comparable_with(b)).count();
        let rank = |a: &ComparedReplay<'_>| (size(a), a.count(|one| one.jobs), a.count(|one| one.in_means));
        // `max_by_key` takes the last of equals.
        let leader = ended.iter().rev().max_by_key(|candidate| rank(candidate)).cloned();
        let mut kept = Vec::new();
        for candidate in ended {
            match &leader {
                Some(leader) if !candidate.is_comparable_with(leader) => {
                    left_out.push(candidate.reason_beside(leader));
                }
                _ => kept.push(candidate),
            }
        }
        let left_out = (!left_out.is_empty()).then(|| format!("left out: {}", listed(&left_out)));
        Self { candidates: kept, left_out }
    }
}

/// Returns the texts with commas; from the fourth on they are counted.
fn listed(texts: &[String]) -> String {
    const NAMED: usize = 3;
    let mut shown = texts.iter().take(NAMED).cloned().collect::<Vec<_>>();
    shown.extend((texts.len() > NAMED).then(|| format!("{} more", texts.len() - NAMED)));
    shown.join(", ")
}

impl<'a> ComparedReplay<'a> {
    /// Returns a replay by its name, which is its label of the allocator or of the scheduler.
    pub(super) fn new(position: usize, name: &'a str, replay: &'a ReplayResult<'_>) -> Self {
        Self { position, name, replications: replay.replications.iter().collect() }
    }
}

impl ComparedReplay<'_> {
    /// Returns true if run times are shaken.
    pub(super) fn is_shaken(&self) -> bool {
        self.replications.iter().any(|one| one.shake_percent.is_some())
    }

    fn replays_same_jobs(&self, other: &Self) -> bool {
        self.replications.iter().zip(&other.replications).all(|(a, b)| a.is_of_same_jobs(b))
    }

    fn is_comparable_with(&self, other: &Self) -> bool {
        self.replays_same_jobs(other)
            && self.replications.iter().zip(&other.replications).all(|(a, b)| a.counts_same_jobs(b))
    }

    /// Returns a number of jobs over all replications.
    fn count(&self, of: impl Fn(&Replication<'_>) -> Option<f64>) -> u64 {
        self.replications.iter().filter_map(|one| of(one)).sum::<f64>() as u64
    }

    /// Returns the name, and the reason why the replay is not comparable with `leader`.
    fn reason_beside(&self, leader: &Self) -> String {
        let jobs = |of: fn(&Replication<'_>) -> Option<f64>| {
            let [own, usual] = [self, leader].map(|one| one.count(of));
            let text = |count: u64| grouped(count as f64, 0);
            if own == usual {
                "other jobs".to_owned()
            } else {
                format!("{} jobs, not {}", text(own), text(usual))
            }
        };
        if self.replays_same_jobs(leader) {
            format!("{} (means over {})", self.name, jobs(|one| one.in_means))
        } else {
            format!("{} (replays {})", self.name, jobs(|one| one.jobs))
        }
    }

    /// Returns the mean of a number over the replications.
    pub(super) fn mean(&self, name: &str) -> Option<f64> {
        Interval::of(&self.means(name)).map(|interval| interval.mean)
    }

    fn means(&self, name: &str) -> Vec<f64> {
        self.replications.iter().filter_map(|replication| replication.number(name)).collect()
    }

    /// Returns whether the jobs of all replications were kept.
    pub(super) fn has_jobs(&self) -> bool {
        self.replications.iter().all(|replication| replication.parts.is_some())
    }

    /// Returns whether every job has the same number as in `other`, to the last bit.
    pub(super) fn is_same(&self, other: &Self, name: &str) -> bool {
        self.replications.iter().zip(&other.replications).all(|(a, b)| a.equals(b, name))
    }

    /// Returns true if the number is equal in `other`, or so close that the difference and its interval would
    /// be printed as zeros.
    pub(super) fn equals(&self, other: &Self, name: &str) -> bool {
        let is_nil = |found: Difference| {
            let Some(Interval95 { low, high }) = found.interval(1) else { return false };
            found.is_relative && [found.value, low, high].iter().all(|share| 100.0 * share.abs() < 0.0005)
        };
        self.is_same(other, name) || self.difference(other, name).is_some_and(is_nil)
    }

    /// Returns the difference to `base`: by parts of the log for a single replication, or if all replications
    /// are equal and thus independent of the seed; otherwise over replications.
    pub(super) fn difference(&self, base: &Self, name: &str) -> Option<Difference> {
        match (self.replications.as_slice(), base.replications.as_slice()) {
            ([of, ..], [based, ..]) if self.is_repeated(name) && base.is_repeated(name) => {
                of.difference(based, name)
            }
            _ => Difference::over_replications(&self.means(name), &base.means(name)),
        }
    }

    /// Returns true if the number is equal in all replications, whose arrivals may differ.
    fn is_repeated(&self, name: &str) -> bool {
        let Some((first, others)) = self.replications.split_first() else { return true };
        others.iter().all(|other| other.equals(first, name))
    }

    /// Returns true if the allocator takes any free nodes: it never refused a job, and no job got more nodes
    /// than requested.
    pub(super) fn takes_any_nodes(&self) -> bool {
        let is_none = |name: &str| self.means(name).iter().all(|&value| value <= 0.0);
        is_none("allocate_failures") && is_none("internal_fragmentation")
    }

    /// Returns whether waits grow with the length of the log in most replications, so that they are not
    /// compared.
    pub(super) fn is_overloaded(&self) -> bool {
        let overloaded = self.replications.iter().filter(|one| one.is_overloaded()).count();
        2 * overloaded > self.replications.len()
    }

    /// Returns whether every job has one component.
    pub(super) fn is_contiguous(&self) -> bool {
        self.means("contiguous_share").iter().all(|&share| share >= 1.0)
    }
}

/// Returns the candidates from the lowest mean of a number to the highest, by name where means are equal.
/// Candidates without the number are left out.
pub(super) fn ranked<'g, 'a>(group: &[&'g ComparedReplay<'a>], name: &str) -> Vec<&'g ComparedReplay<'a>> {
    let mut ranked: Vec<_> =
        group.iter().filter_map(|candidate| Some((candidate.mean(name)?, *candidate))).collect();
    ranked.sort_by(|(a, x), (b, y)| a.partial_cmp(b).unwrap_or(Ordering::Equal).then(x.name.cmp(y.name)));
    ranked.into_iter().map(|(_, candidate)| candidate).collect()
}

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
    fn is_of_same_jobs(&self, other: &Self) -> bool {
        match (&self.parts, &other.parts) {
            (Some(parts), Some(others)) => parts.is_of_same_jobs(others),
            _ => self.jobs == other.jobs,
        }
    }

    /// Returns true if means are over the same jobs as in another replication of the same jobs. Without saved
    /// jobs, the numbers of jobs are compared.
    fn counts_same_jobs(&self, other: &Self) -> bool {
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
