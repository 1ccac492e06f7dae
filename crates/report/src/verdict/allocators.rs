//! The lines on the allocators of a group: the closest placements, and the cost of contiguity in waits.

use super::candidate::{Candidate, ranked};
use super::comparison::{Comparison, range};
use meshreplay_sim::metrics::metric;

/// The number that allocators are compared by, besides waits.
pub(super) const DISTANCE: &str = "pairwise_sum_mean";
pub(super) const TURNAROUND: &str = "turnaround_s_mean";
pub(super) const WAIT: &str = "wait_s_mean";

/// Least share of node time requested by no job that a line names.
const MUCH_UNASKED: f64 = 0.01;

/// The allocators of a group in two classes.
pub(super) struct Classes<'g, 'a> {
    /// Allocators that take any free nodes.
    pub(super) any: Vec<&'g Candidate<'a>>,
    /// Allocators that wait for a place or round up.
    pub(super) fitting: Vec<&'g Candidate<'a>>,
    /// The number that decides on the best.
    pub(super) primary: &'static str,
    /// The number of pairs of allocators in the group.
    pub(super) pairs: usize,
}

/// The best allocators of a class.
pub(super) struct Winners<'g, 'a> {
    /// The lowest mean.
    pub(super) best: &'g Candidate<'a>,
    /// The best and all with an equal number.
    tied: Vec<&'g str>,
    /// All about equal to the best.
    near: Vec<&'g str>,
    /// The others, the next best first.
    pub(super) others: Vec<&'g Candidate<'a>>,
}

impl<'g, 'a> Classes<'g, 'a> {
    /// Divides the allocators of a group. `primary` is the number that decides on the best.
    pub(super) fn new(group: &'g [Candidate<'a>], primary: &'static str) -> Self {
        let (any, fitting) = group.iter().partition(|candidate| candidate.takes_any_nodes());
        let pairs = group.len() * group.len().saturating_sub(1) / 2;
        Self { any, fitting, primary, pairs }
    }

    /// Returns the lines of the group.
    pub(super) fn lines(&self) -> Vec<String> {
        let has_both = !self.any.is_empty() && !self.fitting.is_empty();
        let first = self.best_line(&self.any, if has_both { "spread over free nodes: " } else { "" });
        let second = if has_both { self.cost_line() } else { self.best_line(&self.fitting, "") };
        [first, second].into_iter().flatten().collect()
    }

    /// Returns the best of a class in the primary number; `None` without numbers.
    pub(super) fn winners(&self, class: &[&'g Candidate<'a>]) -> Option<Winners<'g, 'a>> {
        let ranked = ranked(class, self.primary);
        let (best, others) = ranked.split_first()?;
        let (tied, others): (Vec<_>, Vec<_>) =
            others.iter().partition(|other| best.equals(other, self.primary));
        let is_near = |(i, other): &(usize, &&'g Candidate<'a>)| {
            let comparison = Comparison::new(best, other, self.primary, self.pairs_of(*i));
            comparison.is_some_and(|comparison| comparison.is_about_equal)
        };
        let near = others.iter().enumerate().take_while(is_near).map(|(_, other)| other.name).collect();
        let tied = std::iter::once(best.name).chain(tied.into_iter().map(|other| other.name)).collect();
        Some(Winners { best, tied, near, others })
    }

    /// Returns the number of pairs to correct for: 1 for the planned pair of the best and the next best, at
    /// position 0, and all pairs of the group otherwise.
    pub(super) fn pairs_of(&self, i: usize) -> usize {
        if i == 0 { 1 } else { self.pairs }
    }

    /// Returns the line on the best of a class; `None` if it has fewer than two allocators.
    fn best_line(&self, class: &[&'g Candidate<'a>], title: &str) -> Option<String> {
        if class.len() < 2 {
            return None;
        }
        let winners = self.winners(class)?;
        let is_distance = self.primary == DISTANCE;
        if winners.others.is_empty() {
            return Some(format!("{title}{}{}", self.tie(class), self.unequal_waits(class)));
        }
        let compare = |i: usize| {
            let other = winners.others.get(i)?;
            let comparison = Comparison::new(winners.best, other, self.primary, self.pairs_of(i))?;
            Some(comparison.than(other.name))
        };
        let number = metric(self.primary)?.title();
        let mut line = format!("{title}{}: {number} ", winners.head(is_distance));
        if winners.named() > 1 {
            line += &["of ", winners.best.name, " "].concat();
        }
        line += &compare(0)?;
        let last = winners.others.len() - 1;
        if last > 0 {
            line += if winners.near.is_empty() { ", the next best, and " } else { " and " };
            line += &compare(last)?;
        }
        Some(line + &self.waits(class))
    }

    /// Returns the clause on a class whose numbers are all the same.
    pub(super) fn tie(&self, class: &[&'g Candidate<'a>]) -> String {
        let who = match class {
            [first, second] => format!("{} and {}", first.name, second.name),
            all => format!("all {} allocators", all.len()),
        };
        let what = match (self.primary == DISTANCE, class.iter().all(|one| one.has_jobs())) {
            (true, true) if are_same(class, DISTANCE) => "place every job equally far apart",
            (true, true) => "place jobs equally far apart",
            (false, true) => "turn jobs around equally fast",
            (true, false) => "have the same mean pairwise sum",
            (false, false) => "have the same mean turnaround",
        };
        format!("{who} {what}")
    }

    /// Returns the clause on the waits of a class with equal distances; empty if waits are equal, too.
    fn unequal_waits(&self, class: &[&'g Candidate<'a>]) -> String {
        if are_same(class, WAIT) { String::new() } else { self.waits(class) }
    }

    /// Returns the clause on the waits within a class.
    fn waits(&self, class: &[&'g Candidate<'a>]) -> String {
        let unasked = unasked(class).map(|text| format!("; {text}")).unwrap_or_default();
        let ranked = ranked(class, WAIT);
        let Some((shortest, others)) = ranked.split_first() else { return unasked };
        if are_same(class, WAIT) {
            let who = if class.len() == 2 { "both" } else { "all" };
            return format!("{unasked}; {who} {}", same_starts(shortest));
        }
        if let [other] = others {
            let comparison = Comparison::new(shortest, other, WAIT, 1);
            let text = comparison.map(|comparison| comparison.than(&format!("under {}", other.name)));
            let text = text.map(|text| format!("; waits under {} are {text}", shortest.name));
            return unasked + &text.unwrap_or_default();
        }
        let base = format!("under {}, where waits are shortest", shortest.name);
        let others: Vec<_> = others.iter().copied().filter(|other| !other.equals(shortest, WAIT)).collect();
        let text = self.wait_range(&others, shortest, &base);
        unasked + &text.map(|text| format!("; elsewhere jobs wait {text}")).unwrap_or_default()
    }

    /// Returns the line on the second class: its best compared with the best of the first class, and the cost
    /// of the class.
    fn cost_line(&self) -> Option<String> {
        let (base, winners) = (self.winners(&self.any)?.best, self.winners(&self.fitting)?);
        let title = if self.fitting.iter().all(|one| one.is_contiguous()) {
            "one submesh per job"
        } else {
            "fitting places only"
        };
        let number = metric(self.primary)?.title();
        let count = self.fitting.len();
        let than = Comparison::new(winners.best, base, self.primary, 1)?.than(base.name);
        let names = joined(&winners.tied, usize::MAX);
        let mut line = match (winners.tied.len(), count) {
            (1, 1) => format!("{title}: {names}: {number} {than}"),
            (1, _) => format!("{title}: {names}, the best of {count}: {number} {than}"),
            (tied, count) if tied == count => format!("{title}: {names} tie in {number}, {than}"),
            (_, _) => format!("{title}: {names} tie as the best of {count} in {number}, {than}"),
        };
        line += &unasked(&self.fitting).map(|text| format!("; {text}")).unwrap_or_default();
        Some(line + &self.waits_beside(base).map(|text| format!("; {text}")).unwrap_or_default())
    }

    /// Returns the clause on the waits under the second class, compared with an allocator of the first.
    pub(super) fn waits_beside(&self, base: &Candidate<'a>) -> Option<String> {
        let ranked = ranked(&self.fitting, WAIT);
        let under = format!("under {}", base.name);
        match ranked.as_slice() {
            [] => None,
            all if all.iter().all(|one| one.is_same(base, WAIT)) => {
                Some(format!("{} {}", if all.len() == 1 { "both" } else { "all" }, same_starts(base)))
            }
            [only] => Some(format!("jobs wait {}", Comparison::new(only, base, WAIT, 1)?.than(&under))),
            all => self.wait_range(all, base, &under).map(|text| format!("jobs wait {text}")),
        }
    }

    /// Returns the range of waits of allocators, from the shortest to the longest, compared with another
    /// allocator.
    fn wait_range(&self, of: &[&'g Candidate<'a>], base: &Candidate<'a>, under: &str) -> Option<String> {
        let compare = |one: &Candidate<'a>| Comparison::new(one, base, WAIT, self.pairs);
        let (low, high) = (of.first()?, of.last()?);
        let (least, most) = (compare(low)?, compare(high)?);
        if low.equals(high, WAIT) {
            return Some(least.than(under));
        }
        Some(range([(low.name, &least), (high.name, &most)], under))
    }
}

impl Winners<'_, '_> {
    /// Returns the names of the best in the line.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.tied.iter().chain(&self.near).copied()
    }

    pub(super) fn named(&self) -> usize {
        self.tied.len() + self.near.len()
    }

    /// Returns the beginning of the line with the names of the best.
    pub(super) fn head(&self, is_distance: bool) -> String {
        const NAMED: usize = 3;
        let names: Vec<&str> = self.names().collect();
        let (verb, what) =
            if is_distance { ("place", "jobs closest together") } else { ("turn", "jobs around fastest") };
        let verb = if names.len() == 1 { format!("{verb}s") } else { verb.to_owned() };
        let about = if self.near.is_empty() { "" } else { ", about equally" };
        format!("{} {verb} {what}{about}", joined(&names, NAMED))
    }
}

/// Returns whether a number is the same for all, to the last bit.
pub(super) fn are_same(class: &[&Candidate<'_>], name: &str) -> bool {
    class.iter().all(|other| class[0].is_same(other, name))
}

/// Returns the words for allocators with the same waits.
fn same_starts(one: &Candidate<'_>) -> &'static str {
    if one.has_jobs() { "start jobs at the same times" } else { "have the same mean wait" }
}

/// Returns whether much of the node time was requested by no job.
pub(super) fn has_much_unasked(one: &Candidate<'_>) -> bool {
    one.mean("internal_fragmentation").is_some_and(|share| share >= MUCH_UNASKED)
}

/// Returns a clause on nodes that no job requested; `None` if they are few.
fn unasked(class: &[&Candidate<'_>]) -> Option<String> {
    let much: Vec<_> = class.iter().filter(|one| has_much_unasked(one)).copied().collect();
    let ranked = ranked(&much, "internal_fragmentation");
    let (low, high) = (ranked.first()?, ranked.last()?);
    let percent = |one: &Candidate<'_>| {
        format!("{:.1} %", 100.0 * one.mean("internal_fragmentation").unwrap_or_default())
    };
    let who = |one: &Candidate<'_>| if class.len() == 1 { String::new() } else { format!(" ({})", one.name) };
    let amount = match ranked.len() {
        1 => format!("{}{}", percent(low), who(low)),
        _ => format!("{}{} to {}{}", percent(low), who(low), percent(high), who(high)),
    };
    Some(format!("{amount} of the node time was not asked for (internal fragmentation)"))
}

/// Returns names with commas, and `and` before the last one. More than `most` are counted behind the first
/// two.
pub(super) fn joined(names: &[&str], most: usize) -> String {
    match names {
        [] => String::new(),
        [name] => (*name).to_owned(),
        [first, second, rest @ ..] if names.len() > most => {
            format!("{first}, {second} and {} more", rest.len())
        }
        [start @ .., last] => format!("{} and {last}", start.join(", ")),
    }
}
