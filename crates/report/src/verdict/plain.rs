//! The answer in two or three sentences for readers who have not heard of the measures: the closing lines
//! without their intervals. Every number is one of the closing lines, or of a comparison of their kind.

use std::cmp::Reverse;

use super::allocators::{Classes, WAIT, are_same, joined};
use super::candidate::{Comparable, ComparedReplay, ReplayResult, over_seeds};
use super::comparison::{Comparison, without_intervals};
use super::{DISTANCE, OF_GROUP, OF_SETTING, alike, candidates_of, name_of, overload, schedulers, varying};
use meshreplay_figures::draw::capitalized;

/// The most names, or sets of equal names, that the sentence on several groups has.
const MOST_TALLIED: usize = 4;

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
    sentences.extend(overload::line(&all, &|replay| name_of(replay, &varying(&all))).map(|line| {
        let line = line.trim_start_matches(overload::MARK).trim_start();
        capitalized(line) + "."
    }));
    let settings = alike(&all, |replay| replay.spec.identity_without(&OF_SETTING));
    if let [only] = settings.as_slice() {
        let lines = schedulers::lines(only).into_iter().map(|line| {
            let line = without_intervals(line.strip_prefix("schedulers: ").unwrap_or(&line));
            let line = line.replace(&format!(" ({})", overload::MARK), "");
            capitalized(&line) + "."
        });
        sentences.extend(lines);
    } else {
        let shortest: Vec<_> = settings.iter().flat_map(|setting| schedulers::shortest(setting)).collect();
        let under = under_counted(shortest.into_iter().map(str::to_owned));
        sentences.extend(under.map(|under| format!("Jobs wait least {under}.")));
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
        let by_ratio = if class.len() > 1 { self.ratio_sentence(class) } else { None };
        [best, by_ratio, self.equal_starts(class), cost].into_iter().flatten().collect()
    }

    /// Returns the sentence on the best allocators by the second number of closeness; `None` if they are the
    /// same as by the first.
    fn ratio_sentence(&self, class: &[&ComparedReplay<'_>]) -> Option<String> {
        let by_ratio = self.winners_by_ratio(class)?;
        let by_sum = self.winners(class)?;
        if by_sum.others.is_empty() || by_sum.names().eq(by_ratio.names()) {
            return None;
        }
        let names: Vec<&str> = by_ratio.names().collect();
        let (verb, about) = if names.len() == 1 { ("comes", "") } else { ("come", ", about equally") };
        let names = joined(&names, 3);
        Some(format!(
            "Large jobs decide these sums; with all jobs alike, {names} {verb} closest to the best possible \
             shapes{about}."
        ))
    }

    fn best_sentence(&self, class: &[&ComparedReplay<'_>]) -> Option<String> {
        let winners = self.winners(class)?;
        let is_distance = self.primary == DISTANCE;
        let (next, last) = (winners.others.first(), winners.others.last());
        let Some((next, last)) = next.zip(last) else { return Some(capitalized(&self.tie(class)) + ".") };
        let under = |other: &ComparedReplay<'_>| format!("under {}", other.name);
        let measure =
            if is_distance { "the distances between the nodes of a job add up to" } else { "jobs take" };
        let whose =
            if winners.named() > 1 { format!("under {}, ", winners.best.name) } else { String::new() };
        let others = winners.others.len() - 1;
        let mut text = format!("{}: {whose}{measure} ", winners.head(is_distance));
        if others > 0 {
            let worst = if is_distance { "spreads jobs most" } else { "is slowest" };
            let than = Comparison::fact(winners.best, last, self.primary)?.plainly(&under(last));
            text += &[&*than, ", which ", worst, ", and "].concat();
        }
        text += &Comparison::of_pair(winners.best, next, self.primary)?.plainly(&under(next));
        text += if others > 0 { ", the next best." } else { "." };
        Some(text)
    }

    /// Returns the sentence on equal starts under all allocators of a class; `None` if starts differ.
    fn equal_starts(&self, class: &[&ComparedReplay<'_>]) -> Option<String> {
        if class.len() < 2 || !are_same(class, WAIT) || !class.iter().all(|one| one.has_jobs()) {
            return None;
        }
        let which = if self.fitting.is_empty() { "" } else { " that take any free nodes" };
        let count = if class.len() == 2 { "both".to_owned() } else { format!("all {}", class.len()) };
        let is_about_closeness = self.primary == DISTANCE && !are_same(class, DISTANCE);
        let so = if is_about_closeness { ", so closeness costs no waiting" } else { "" };
        Some(format!("Jobs start at the same times under {count} allocators{which}{so}."))
    }

    /// Returns the sentence on the allocators that wait for a place or round up.
    fn cost_sentence(&self) -> Option<String> {
        let (base, winners) = (self.winners(&self.any)?, self.winners(&self.fitting)?);
        let than = winners.against(&base)?.plainly(&format!("under {}", base.best.name));
        let base = base.best;
        let (who, at_best) = match self.fitting.as_slice() {
            [only] => (only.name.to_owned(), ""),
            all => (format!("The {} others", all.len()), "at best, "),
        };
        let does = self.fitting_do();
        let waits =
            without_intervals(&self.waits_beside(base)?).replace(&format!(" ({})", overload::MARK), "");
        let measure =
            if self.primary == DISTANCE { "the distances within jobs add up to" } else { "jobs take" };
        Some(format!("{who} {does}: {at_best}{measure} {than}, and {waits}."))
    }

    /// Returns what the allocators of the second class do: they wait for a place, or round up.
    fn fitting_do(&self) -> String {
        let refuses =
            |one: &&ComparedReplay<'_>| one.mean("allocate_failures").is_some_and(|count| count > 0.0);
        let (refusing, rounding): (Vec<&ComparedReplay<'_>>, Vec<_>) =
            self.fitting.iter().copied().partition(refuses);
        let place = if self.fitting.iter().all(|one| one.is_contiguous()) {
            "until a rectangle or cuboid is free for the whole job"
        } else {
            "until a place is free that fits the job"
        };
        let (wait, give) =
            if self.fitting.len() == 1 { ("waits", "gives jobs") } else { ("wait", "give jobs") };
        match (refusing.is_empty(), rounding.is_empty()) {
            (false, true) => format!("{wait} {place}"),
            (true, _) => format!("{give} more nodes than they ask for"),
            (false, false) => format!("{wait} {place}, or {give} more nodes than they ask for"),
        }
    }
}

/// Returns the sentences on several groups: how often each allocator is the best.
fn tally(groups: &[Classes<'_, '_>]) -> Vec<String> {
    let mut best = Vec::new();
    let mut gains = Vec::new();
    for group in groups {
        let class = if group.any.len() > 1 { &group.any } else { &group.fitting };
        let Some(winners) = group.winners(class) else { continue };
        let names: Vec<&str> = winners.names().collect();
        let about = if names.len() > 1 { ", about equally," } else { "" };
        best.push(joined(&names, 3) + about);
        let Some(last) = winners.others.last() else { continue };
        gains.extend(Comparison::fact(winners.best, last, group.primary));
    }
    let is_distance = groups[0].primary == DISTANCE;
    let what = if is_distance { "jobs lie closest together" } else { "jobs are turned around fastest" };
    let among = if groups.iter().any(|group| group.any.len() > 1 && !group.fitting.is_empty()) {
        "among allocators that take any free nodes, "
    } else {
        ""
    };
    let under = under_counted(best.into_iter());
    let mut sentences: Vec<String> =
        under.map(|under| capitalized(&format!("{among}{what} {under}."))).into_iter().collect();
    gains.sort_by(|a, b| a.size().total_cmp(&b.size()));
    if let (true, [low, .., high]) = (is_distance, gains.as_slice()) {
        let (low, high) = (low.amount(), high.amount());
        let amount = if low == high { high } else { format!("{} to {high}", low.trim_end_matches(" less")) };
        sentences.push(format!(
            "The distances between the nodes of a job add up to {amount} than under the allocator that \
             spreads jobs most."
        ));
    }
    sentences
}

/// Returns how often each name is the best, the most frequent one first: `under snug in 3 of 4 comparisons;
/// under mc in 1`. `None` without names.
fn under_counted(best: impl Iterator<Item = String>) -> Option<String> {
    let mut wins: Vec<(String, usize)> = Vec::new();
    for name in best {
        match wins.iter_mut().find(|(other, _)| *other == name) {
            Some((_, count)) => *count += 1,
            None => wins.push((name, 1)),
        }
    }
    wins.sort_by_key(|(_, count)| Reverse(*count));
    let total: usize = wins.iter().map(|(_, count)| count).sum();
    let under = |(i, (names, count)): (usize, &(String, usize))| match *count {
        2 if total == 2 => format!("under {names} in both comparisons"),
        count if count == total => format!("under {names} in all {total} comparisons"),
        count if i == 0 => format!("under {names} in {count} of {total} comparisons"),
        count => format!("under {names} in {count}"),
    };
    let mut under: Vec<String> = wins.iter().enumerate().map(under).collect();
    if under.len() > MOST_TALLIED {
        under.truncate(MOST_TALLIED);
        under.push("under others in the rest".to_owned());
    }
    (total > 0).then(|| under.join("; "))
}
