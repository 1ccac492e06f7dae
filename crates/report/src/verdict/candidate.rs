//! Replays to compare, and the choice of comparable ones.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use super::measured::{ReplayResult, Replication};
use meshreplay_results::text::grouped;
use meshreplay_sim::metrics::{Difference, Interval, Interval95};

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
