//! The answer of a run in words: which allocator or scheduler is the best, by how much, and how certain that is.
//!
//! Replays that differ in nothing but the allocator are compared job by job, and so are those that differ in nothing but
//! the scheduler. The intervals are those of [`Difference`].

mod measured;
mod saved;

use std::cmp::Ordering;
use std::collections::BTreeMap;

use self::measured::{Measured, Replication};
pub(super) use self::saved::verdict_of_saved;
use crate::frame::FinishedRun;
use crate::metrics::{Difference, Interval, metric};
use crate::study::{ReplaySpec, Study};
use crate::text::grouped;

/// The most sentences that are given.
const MOST: usize = 6;

/// What the compared replays differ in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Axis {
    Allocator,
    Scheduler,
}

/// A replay that is compared with others.
struct Candidate<'a> {
    name: String,
    spec: &'a ReplaySpec,
    replications: &'a [Replication<'a>],
}

/// Returns the sentences on a run of several replays, such as `snug: pairwise sum 2.4 % (±0.3) below hilbert+bf, the next
/// best; waits equal`. Empty if no two replays differ in the allocator or the scheduler alone.
pub fn verdict(study: &Study, run: &FinishedRun) -> Vec<String> {
    let spec = |number: u32| &study.cells[number as usize].spec;
    let replays = run.replays.iter();
    let replays: Vec<Measured<'_>> =
        replays.map(|(number, outcomes)| Measured::of_outcomes(spec(*number), outcomes)).collect();
    sentences(&replays, study.options.traffic)
}

/// Returns the sentences on replays. `is_by_turnaround` says that jobs run as long as a network makes them, so that
/// turnaround is what allocators are compared by.
fn sentences(replays: &[Measured<'_>], is_by_turnaround: bool) -> Vec<String> {
    let primary = if is_by_turnaround { "turnaround_s_mean" } else { "pairwise_sum_mean" };
    let mut sentences = Vec::new();
    for (axis, names) in
        [(Axis::Allocator, [primary, "wait_s_mean"].as_slice()), (Axis::Scheduler, &["wait_s_mean"])]
    {
        let groups = groups(replays, axis);
        let told = groups
            .iter()
            .filter_map(|group| Some((prefix(&group[0], replays, axis), sentence(group, names)?)));
        sentences.extend(merged(told.collect()));
    }
    let left = sentences.len().saturating_sub(MOST);
    sentences.truncate(MOST);
    if left > 0 {
        sentences
            .push(format!("and {left} more comparisons; `meshreplay table` with --relative-to shows all"));
    }
    sentences
}

impl Axis {
    /// Returns the name of its coordinate.
    fn coordinate(self) -> &'static str {
        match self {
            Self::Allocator => "allocator",
            Self::Scheduler => "scheduler",
        }
    }

    fn name(self, spec: &ReplaySpec) -> String {
        match self {
            Self::Allocator => spec.labels.allocator.clone(),
            Self::Scheduler => spec.labels.scheduler.clone(),
        }
    }
}

/// Returns the replays that differ in nothing but this axis, at least two in each group.
fn groups<'a>(replays: &'a [Measured<'a>], axis: Axis) -> Vec<Vec<Candidate<'a>>> {
    let mut groups: Vec<Vec<Candidate<'a>>> = Vec::new();
    let mut places = BTreeMap::new();
    for Measured { spec, replications } in replays {
        let spec: &ReplaySpec = spec;
        let place = *places.entry(spec.identity_without(&[axis.coordinate()])).or_insert(groups.len());
        if place == groups.len() {
            groups.push(Vec::new());
        }
        groups[place].push(Candidate { name: axis.name(spec), spec, replications });
    }
    groups.retain(|group| group.len() > 1);
    groups
}

/// Returns what the group of a replay has that others have not, such as `16x16 under fcfs`; empty if there is one group.
fn prefix(candidate: &Candidate<'_>, replays: &[Measured<'_>], axis: Axis) -> String {
    let spec = candidate.spec;
    let differs =
        |same: fn(&ReplaySpec, &ReplaySpec) -> bool| replays.iter().any(|other| !same(spec, &other.spec));
    let mut words = Vec::new();
    words.extend(differs(|a, b| a.log == b.log).then(|| spec.log.to_string()));
    words.extend(
        differs(|a, b| a.partition == b.partition).then(|| format!("partition {}", spec.partition_label())),
    );
    words.extend(differs(|a, b| a.rules == b.rules).then(|| format!("by the rules {}", spec.rules)));
    words.extend(differs(|a, b| a.machine == b.machine).then(|| format!("on {}", spec.machine)));
    if axis == Axis::Allocator {
        words.extend(
            differs(|a, b| a.scheduler == b.scheduler).then(|| format!("under {}", spec.labels.scheduler)),
        );
    } else {
        words.extend(
            differs(|a, b| a.allocator == b.allocator).then(|| format!("with {}", spec.labels.allocator)),
        );
    }
    words.extend(differs(|a, b| a.network == b.network).then(|| format!("by {}", spec.labels.network)));
    words.extend(
        differs(|a, b| a.arrival_scale.to_bits() == b.arrival_scale.to_bits())
            .then(|| format!("at scale {}", spec.arrival_scale)),
    );
    words.extend(differs(|a, b| a.seed == b.seed).then(|| format!("with seed {}", spec.seed)));
    words.join(" ")
}

/// Returns the sentences with their prefixes. Equal ones become one, with the first prefix and the number of others, or
/// without a prefix if all are equal.
fn merged(told: Vec<(String, String)>) -> Vec<String> {
    let mut merged: Vec<(String, String, usize)> = Vec::new();
    for (prefix, sentence) in told {
        match merged.iter_mut().find(|(_, other, _)| *other == sentence) {
            Some((.., count)) => *count += 1,
            None => merged.push((prefix, sentence, 1)),
        }
    }
    let is_only = merged.len() == 1;
    let text =
        |(prefix, sentence, count): (String, String, usize)| match (prefix.is_empty() || is_only, count) {
            (true, _) => sentence,
            (false, 1) => format!("{prefix}: {sentence}"),
            (false, _) => format!("{prefix} and {} more: {sentence}", count - 1),
        };
    merged.into_iter().map(text).collect()
}

/// Returns the sentence on a group of replays, a clause for each of the numbers `names`, and others on those that cannot be compared;
/// `None` if nothing can be said.
fn sentence(group: &[Candidate<'_>], names: &[&'static str]) -> Option<String> {
    let group = over_common(group);
    let (group, left_out) = of_same_jobs(&group);
    // The first number that differs decides who is named.
    let ranked = |name: &&'static str| ranked(&group, name);
    let leading = names.iter().position(|name| ranked(name).is_some_and(|ranked| !are_equal(&ranked, name)));
    let leading = leading.unwrap_or_default();
    let mut clauses = Vec::new();
    if let Some(best) = ranked(&names[leading]) {
        clauses.push(leading_clause(&best, names[leading])?);
        let others = names.iter().enumerate().filter(|(i, _)| *i != leading).map(|(_, name)| name);
        clauses.extend(others.filter_map(|name| following_clause(best[0], &group, name)));
    }
    for (is_replayed, one, several) in [
        (false, "replays other jobs", "replay other jobs"),
        (true, "has other jobs in its means", "have other jobs in their means"),
    ] {
        let names: Vec<&str> =
            left_out.iter().filter(|(_, of_same)| *of_same == is_replayed).map(|(name, _)| *name).collect();
        if !names.is_empty() {
            let what = if names.len() == 1 { one } else { several };
            clauses.push(format!("{} {what} and cannot be compared", names.join(", ")));
        }
    }
    (!clauses.is_empty()).then(|| clauses.join("; "))
}

/// Returns the candidates with those replications that all of them have, which are the first ones: `until:` may repeat one more
/// often than another.
fn over_common<'a>(group: &[Candidate<'a>]) -> Vec<Candidate<'a>> {
    let common = group.iter().map(|candidate| candidate.replications.len()).min().unwrap_or_default();
    let cut = |Candidate { name, spec, replications }: &Candidate<'a>| Candidate {
        name: name.clone(),
        spec,
        replications: &(*replications)[..common],
    };
    group.iter().map(cut).collect()
}

/// Returns the largest set of candidates whose means are over the same jobs, in their order. For the others it returns the name
/// and whether they replay the same jobs all the same.
fn of_same_jobs<'g, 'a>(group: &'g [Candidate<'a>]) -> (Vec<&'g Candidate<'a>>, Vec<(&'g str, bool)>) {
    let replays_same = |a: &Candidate<'_>, b: &Candidate<'_>| {
        a.replications.iter().zip(b.replications).all(|(a, b)| a.is_of_same_jobs(b))
    };
    let same = |a: &Candidate<'_>, b: &Candidate<'_>| {
        replays_same(a, b) && a.replications.iter().zip(b.replications).all(|(a, b)| a.counts_same_jobs(b))
    };
    let count = |a: &Candidate<'_>| group.iter().filter(|b| same(a, b)).count();
    // Of several largest sets the first is taken, as `max_by_key` takes the last.
    let Some(leader) = group.iter().rev().max_by_key(|candidate| count(candidate)) else {
        return Default::default();
    };
    let (kept, others): (Vec<_>, Vec<_>) = group.iter().partition(|other| same(leader, other));
    (kept, others.iter().map(|other| (other.name.as_str(), replays_same(leader, other))).collect())
}

/// Returns the candidates from the lowest mean of a number to the highest. `None` if there are fewer than two.
fn ranked<'g, 'a>(group: &[&'g Candidate<'a>], name: &str) -> Option<Vec<&'g Candidate<'a>>> {
    let mut ranked: Vec<_> =
        group.iter().copied().filter(|candidate| candidate.mean(name).is_some()).collect();
    ranked.sort_by(|a, b| a.mean(name).partial_cmp(&b.mean(name)).unwrap_or(Ordering::Equal));
    (ranked.len() > 1).then_some(ranked)
}

/// Returns whether the number is exactly the same for all.
fn are_equal(group: &[&Candidate<'_>], name: &str) -> bool {
    group.iter().all(|other| group[0].equals(other, name))
}

/// Returns the clause on the number by which candidates are ranked.
fn leading_clause(ranked: &[&Candidate<'_>], name: &str) -> Option<String> {
    let title = metric(name)?.title();
    let best = ranked[0];
    let (equal, worse): (Vec<_>, Vec<_>) =
        ranked[1..].iter().copied().partition(|other| best.equals(other, name));
    let mut bests = vec![best.name.as_str()];
    bests.extend(equal.iter().map(|candidate| candidate.name.as_str()));
    let Some(next) = worse.first() else { return Some(format!("{title}s equal")) };
    let found = best.difference(next, name)?;
    let which = if worse.len() > 1 { ", the next best" } else { "" };
    let mut clause = format!(
        "{}: {title} {} {}{which}",
        joined(&bests),
        best.amount(&found, name),
        beside(&found, &next.name)
    );
    if !found.is_certain() && found.half_width.is_some() {
        clause += ", no difference that is certain";
        // This pair is told because it stands out among all pairs of the group.
        let pairs = ranked.len() * (ranked.len() - 1) / 2;
        let certain = worse.iter().skip(1).find_map(|other| {
            let found = best.difference(other, name).filter(|found| found.is_certain_among(pairs))?;
            Some(format!("; certainly below {}: {}", other.name, best.amount(&found, name)))
        });
        clause += &certain.unwrap_or_default();
    }
    Some(clause)
}

/// Returns the clause that compares the winner with the others by a further number.
fn following_clause(best: &Candidate<'_>, group: &[&Candidate<'_>], name: &str) -> Option<String> {
    let title = metric(name)?.title();
    let ranked = ranked(group, name)?;
    let different: Vec<_> = ranked.into_iter().filter(|other| !best.equals(other, name)).collect();
    let Some(other) = different.first() else { return Some(format!("{title}s equal")) };
    let found = best.difference(other, name)?;
    let others = group.len() - 1;
    let which = match (found.value > 0.0, others) {
        (_, 1) => String::new(),
        (true, _) => ", the shortest".to_owned(),
        (false, _) if different.len() < others => {
            format!(", the next longer, and equal to that of {} others", others - different.len())
        }
        (false, _) => ", the next longer".to_owned(),
    };
    let certain =
        if found.is_certain() || found.half_width.is_none() { "" } else { ", no difference that is certain" };
    Some(format!("{title} {} {}{which}{certain}", best.amount(&found, name), beside(&found, &other.name)))
}

impl Candidate<'_> {
    /// Returns the mean of a number over the replications.
    fn mean(&self, name: &str) -> Option<f64> {
        Interval::of(&self.means(name)).map(|interval| interval.mean)
    }

    fn means(&self, name: &str) -> Vec<f64> {
        self.replications.iter().filter_map(|replication| replication.number(name)).collect()
    }

    /// Returns whether every block of jobs has exactly the same sum of the number as in `other`, or a difference of which,
    /// with its interval, nothing would be printed but zeros.
    fn equals(&self, other: &Self, name: &str) -> bool {
        let is_nil = |found: Difference| {
            let percent =
                [Some(found.value), found.half_width].map(|part| part.map(|part| 100.0 * part.abs()));
            found.is_relative && percent.iter().all(|part| part.is_some_and(|part| part < 0.0005))
        };
        self.replications.len() == other.replications.len()
            && (self.replications.iter().zip(other.replications).all(|(a, b)| a.equals(b, name))
                || self.difference(other, name).is_some_and(is_nil))
    }

    /// Returns the difference to `base`: over replications, or by the bootstrap over time if there is one, or if all others are the
    /// same again, as nothing in them depends on the seed: they say nothing about chance.
    fn difference(&self, base: &Self, name: &str) -> Option<Difference> {
        match (self.replications, base.replications) {
            ([of, ..], [based, ..]) if self.is_repeated(name) && base.is_repeated(name) => {
                of.difference(based, name)
            }
            _ => Difference::over_replications(&self.means(name), &base.means(name)),
        }
    }

    /// Returns whether all replications are the first one again, as far as this number tells. Their arrivals may differ.
    fn is_repeated(&self, name: &str) -> bool {
        let Some((first, others)) = self.replications.split_first() else { return true };
        others.iter().all(|other| other.equals(first, name))
    }

    /// Returns a difference with half the width of its interval, such as `2.4 % (±0.3)`.
    fn amount(&self, found: &Difference, name: &str) -> String {
        let unit = if found.is_relative { "%" } else { metric(name).map_or("", |metric| metric.column.unit) };
        let factor = if found.is_relative { 100.0 } else { 1.0 };
        let value = (found.value * factor).abs();
        let has_jobs = self.replications.iter().all(Replication::has_jobs);
        match found.half_width.map(|half_width| half_width * factor) {
            None if has_jobs => {
                format!("{} {unit} (too few jobs for an interval)", grouped(value, digits(value)))
            }
            None => {
                format!("{} {unit} (no interval, as the jobs were not kept)", grouped(value, digits(value)))
            }
            Some(half_width) => {
                let decimals = digits(half_width);
                format!("{} {unit} (±{})", grouped(value, decimals), grouped(half_width, decimals))
            }
        }
    }
}

/// Returns where a number lies beside that of another replay, such as `below mc1x1`.
fn beside(found: &Difference, other: &str) -> String {
    format!("{} {other}", if found.value <= 0.0 { "below" } else { "above" })
}

/// Returns the number of decimals, 1 to 3, with which the first digit of `value` is shown.
fn digits(value: f64) -> usize {
    if value > 0.0 { (-value.log10().floor()).clamp(1.0, 3.0) as usize } else { 1 }
}

/// Returns names with commas, and `and` before the last one. From four names on the rest is counted.
fn joined(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [name] => (*name).to_owned(),
        [first, second] => format!("{first} and {second}"),
        [first, second, third] => format!("{first}, {second} and {third}"),
        [first, second, rest @ ..] => format!("{first}, {second} and {} more", rest.len()),
    }
}
