//! The answer in two or three sentences for readers who have not heard of the measures: the closing lines
//! without their intervals. Every number is one of the closing lines, or of a comparison of their kind.

use super::allocators::{Classes, WAIT, are_same, joined};
use super::candidate::{Candidate, Comparable};
use super::comparison::{Comparison, without_intervals};
use super::measured::{ReplayResult, over_seeds};
use super::{DISTANCE, OF_GROUP, OF_SETTING, alike, candidates_of, schedulers};
use meshreplay_figures::draw::capitalized;

/// The answer in sentences, and the two allocators that an example shows.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Plain {
    pub(crate) sentences: Vec<String>,
    /// The allocators that place jobs closest together and farthest apart.
    pub(crate) extremes: Option<[String; 2]>,
}

/// Returns the answer of replays; without sentences if nothing can be compared.
pub(super) fn plain(replays: Vec<ReplayResult<'_>>, primary: &'static str) -> Plain {
    let replays = over_seeds(replays);
    let all: Vec<&ReplayResult<'_>> = replays.iter().collect();
    let groups = alike(&all, |replay| replay.spec.identity_without(&OF_GROUP));
    let groups = groups.iter().filter(|group| group.len() > 1);
    let groups: Vec<_> = groups.map(|group| Comparable::new(candidates_of(group)).candidates).collect();
    let classes: Vec<Classes<'_, '_>> = groups.iter().map(|group| Classes::new(group, primary)).collect();
    let mut sentences = match classes.as_slice() {
        [] => Vec::new(),
        [only] => only.sentences(),
        many => tally(many),
    };
    let settings = alike(&all, |replay| replay.spec.identity_without(&OF_SETTING));
    if let [only] = settings.as_slice() {
        let lines = schedulers::lines(only).into_iter().map(|line| {
            let line = without_intervals(line.strip_prefix("schedulers: ").unwrap_or(&line));
            capitalized(&line) + "."
        });
        sentences.extend(lines);
    }
    let extremes = classes.iter().find_map(Classes::extremes);
    Plain { sentences, extremes }
}

impl Classes<'_, '_> {
    /// Returns the names of the allocators of the first class with the closest and the farthest placements.
    fn extremes(&self) -> Option<[String; 2]> {
        let class = if self.any.len() > 1 { &self.any } else { &self.fitting };
        let winners = self.winners(class).filter(|_| self.primary == DISTANCE)?;
        Some([winners.best.name.to_owned(), winners.others.last()?.name.to_owned()])
    }

    /// Returns the sentences on one group.
    fn sentences(&self) -> Vec<String> {
        let class = if self.any.len() > 1 { &self.any } else { &self.fitting };
        let best = if class.len() > 1 { self.best_sentence(class) } else { None };
        let cost = if self.any.is_empty() { None } else { self.cost_sentence() };
        [best, cost].into_iter().flatten().collect()
    }

    /// Returns the sentence on the best allocator of a class.
    fn best_sentence(&self, class: &[&Candidate<'_>]) -> Option<String> {
        let winners = self.winners(class)?;
        let is_distance = self.primary == DISTANCE;
        let (next, last) = (winners.others.first(), winners.others.last());
        let Some((next, last)) = next.zip(last) else { return Some(capitalized(&self.tie(class)) + ".") };
        let than = |i: usize, other: &Candidate<'_>| {
            let comparison = Comparison::new(winners.best, other, self.primary, self.pairs_of(i))?;
            Some(comparison.plainly(&format!("under {}", other.name)))
        };
        let measure =
            if is_distance { "the distances between the nodes of a job add up to" } else { "jobs take" };
        let whose =
            if winners.named() > 1 { format!("under {}, ", winners.best.name) } else { String::new() };
        let others = winners.others.len() - 1;
        let mut text = format!("{}: {whose}{measure} ", winners.head(is_distance));
        if others > 0 {
            text += &format!(
                "{}, the {}, and ",
                than(others, last)?,
                if is_distance { "farthest apart" } else { "slowest" }
            );
        }
        text += &than(0, next)?;
        text += if others > 0 { ", the next best." } else { "." };
        if are_same(class, WAIT) && class.iter().all(|one| one.has_jobs()) {
            let which = if self.fitting.is_empty() { "" } else { " that take any free nodes" };
            let count = if class.len() == 2 { "both".to_owned() } else { format!("all {}", class.len()) };
            text += &format!(
                " Jobs start at the same times under {count}{which}, so closeness costs no waiting."
            );
        }
        Some(text)
    }

    /// Returns the sentence on the allocators that wait for a place or round up.
    fn cost_sentence(&self) -> Option<String> {
        let (base, winners) = (self.winners(&self.any)?.best, self.winners(&self.fitting)?);
        let than =
            Comparison::new(winners.best, base, self.primary, 1)?.plainly(&format!("under {}", base.name));
        let is_contiguous = self.fitting.iter().all(|one| one.is_contiguous());
        let until = if is_contiguous {
            "until a rectangle or cuboid is free for the whole job"
        } else {
            "until a place is free that fits the job"
        };
        let (who, at_best) = match self.fitting.as_slice() {
            [only] => (format!("{} waits", only.name), ""),
            all => (format!("The {} others wait", all.len()), " at best"),
        };
        let waits = without_intervals(&self.waits_beside(base)?);
        let measure =
            if self.primary == DISTANCE { "the distances within jobs add up to" } else { "jobs take" };
        Some(format!("{who} {until}: {measure} {than}{at_best}, and {waits}."))
    }
}

/// Returns the sentence on several groups: how often each allocator is the best.
fn tally(groups: &[Classes<'_, '_>]) -> Vec<String> {
    let mut wins: Vec<(&str, usize)> = Vec::new();
    let mut gains = Vec::new();
    for group in groups {
        let class = if group.any.len() > 1 { &group.any } else { &group.fitting };
        let Some(winners) = group.winners(class).filter(|winners| !winners.others.is_empty()) else {
            continue;
        };
        match wins.iter_mut().find(|(name, _)| *name == winners.best.name) {
            Some((_, count)) => *count += 1,
            None => wins.push((winners.best.name, 1)),
        }
        let last = winners.others.last();
        gains.extend(last.and_then(|last| Comparison::new(winners.best, last, group.primary, group.pairs)));
    }
    wins.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let total: usize = wins.iter().map(|(_, count)| count).sum();
    let Some((first, others)) = wins.split_first() else { return Vec::new() };
    let is_distance = groups[0].primary == DISTANCE;
    let what = if is_distance { "places jobs closest together" } else { "turns jobs around fastest" };
    let often = if first.1 == total { format!("all {total}") } else { format!("{} of {total}", first.1) };
    let others: Vec<String> = others.iter().map(|(name, count)| format!("{name} in {count}")).collect();
    let others: Vec<&str> = others.iter().map(String::as_str).collect();
    let rest = if others.is_empty() { String::new() } else { format!("; {}", joined(&others, 4)) };
    let mut text = format!("{} {what} in {often} comparisons{rest}.", first.0);
    gains.sort_by(|a, b| a.size().total_cmp(&b.size()));
    if let (true, Some(low), Some(high)) = (is_distance, gains.first(), gains.last()) {
        text += &format!(
            " The distances between the nodes of a job add up to {} to {} than under the allocator that places \
             them farthest apart.",
            low.amount().trim_end_matches(" less"),
            high.amount()
        );
    }
    vec![text]
}
