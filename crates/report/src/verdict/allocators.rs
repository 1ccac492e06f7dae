//! The lines on the allocators of a group: the closest placements, and the cost of contiguity in waits.

use super::candidate::{ComparedReplay, ranked};
use super::comparison::{Comparison, range};
use super::overload::instead_of_waits;
use meshreplay_results::text::grouped;
use meshreplay_sim::metrics::metric;

/// The number that allocators are compared by, besides waits. Large jobs decide it.
pub(super) const DISTANCE: &str = "pairwise_sum_mean";
/// The second number of closeness, in which all jobs count alike.
pub(super) const RATIO: &str = "pairwise_ratio_to_bound_mean";
pub(super) const TURNAROUND: &str = "turnaround_s_mean";
pub(super) const WAIT: &str = "wait_s_mean";

/// Least share of node time requested by no job that a line names.
const MUCH_UNASKED: f64 = 0.01;

/// The second number of closeness in words.
const BY_RATIO: &str = "ratio to the bound";

/// The most names of the best allocators in a line.
const NAMED: usize = 3;

/// The allocators of a group in two classes.
pub(super) struct Classes<'g, 'a> {
    /// Allocators that take any free nodes.
    pub(super) any: Vec<&'g ComparedReplay<'a>>,
    /// Allocators that wait for a place or round up.
    pub(super) fitting: Vec<&'g ComparedReplay<'a>>,
    /// The number that decides on the best.
    pub(super) primary: &'static str,
}

/// The best allocators of a class in one number.
pub(super) struct Winners<'g, 'a> {
    /// The number.
    name: &'static str,
    /// The number of allocators that the best was chosen from.
    candidates: usize,
    /// The lowest mean.
    pub(super) best: &'g ComparedReplay<'a>,
    /// The best and all with an equal number.
    tied: Vec<&'g str>,
    /// All about equal to the best.
    near: Vec<&'g str>,
    /// The others, the next best first.
    pub(super) others: Vec<&'g ComparedReplay<'a>>,
}

impl<'g, 'a> Classes<'g, 'a> {
    /// Divides the allocators of a group. `primary` is the number that decides on the best.
    pub(super) fn new(group: &'g [ComparedReplay<'a>], primary: &'static str) -> Self {
        let (any, fitting) = group.iter().partition(|candidate| candidate.takes_any_nodes());
        Self { any, fitting, primary }
    }

    pub(super) fn lines(&self) -> Vec<String> {
        let has_both = !self.any.is_empty() && !self.fitting.is_empty();
        let first = self.best_line(&self.any, if has_both { "spread over free nodes: " } else { "" });
        let second = if has_both { self.cost_line() } else { self.best_line(&self.fitting, "") };
        [first, second].into_iter().flatten().collect()
    }

    /// Returns the best of a class in the primary number; `None` without numbers.
    pub(super) fn winners(&self, class: &[&'g ComparedReplay<'a>]) -> Option<Winners<'g, 'a>> {
        Winners::new(class, self.primary)
    }

    /// Returns the best of a class by the ratio to the bound; `None` unless the primary number is a distance,
    /// or if all ratios are equal.
    pub(super) fn winners_by_ratio(&self, class: &[&'g ComparedReplay<'a>]) -> Option<Winners<'g, 'a>> {
        let winners = Winners::new(&asked(class), RATIO).filter(|_| self.primary == DISTANCE)?;
        (!winners.others.is_empty()).then_some(winners)
    }

    /// Returns the line on the best of a class; `None` if it has fewer than two allocators.
    fn best_line(&self, class: &[&'g ComparedReplay<'a>], title: &str) -> Option<String> {
        if class.len() < 2 {
            return None;
        }
        let winners = self.winners(class)?;
        let is_distance = self.primary == DISTANCE;
        if winners.others.is_empty() {
            return Some(format!("{title}{}{}", self.tie(class), unequal_waits(class)));
        }
        let (head, about, number) =
            (winners.head(is_distance), winners.about(), metric(self.primary)?.title());
        let worst = winners.others.last().copied();
        // Without a lead the numbers of jobs behind the ratios differ.
        let by_ratio = self.winners_by_ratio(class).filter(|by_ratio| by_ratio.lead("", None).is_some());
        let line = match by_ratio {
            None => format!("{head}{about}: {}", winners.lead(&number, worst)?),
            Some(by_ratio) if winners.names().eq(by_ratio.names()) => {
                let by_sum = winners.lead(&number, worst)?;
                let by_ratio = by_ratio.lead(BY_RATIO, by_ratio.others.last().copied())?;
                format!("{head} by both measures{about}: {by_sum}; {by_ratio}")
            }
            Some(by_ratio) => {
                let by_sum = winners.lead("", worst)?;
                let names = joined(&by_ratio.names().collect::<Vec<_>>(), NAMED);
                let does = if by_ratio.named() > 1 { "do" } else { "does" };
                // The best by the sum is of interest, unless it is among the named.
                let is_named = by_ratio.names().any(|name| name == winners.best.name);
                let beside = Some(winners.best).filter(|_| !is_named);
                let (too, by_ratio) = (by_ratio.about(), by_ratio.lead("", beside)?);
                format!("{head} by {number}{about}: {by_sum}; by {BY_RATIO} {names} {does}{too}: {by_ratio}")
            }
        };
        Some(format!("{title}{line}{}", waits(class)))
    }

    /// Returns the clause on a class whose numbers are all the same.
    pub(super) fn tie(&self, class: &[&'g ComparedReplay<'a>]) -> String {
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

    /// Returns the line on the second class: its best compared with the best of the first class, and the cost
    /// of the class.
    fn cost_line(&self) -> Option<String> {
        let (base, winners) = (self.winners(&self.any)?, self.winners(&self.fitting)?);
        let title = if self.fitting.iter().all(|one| one.is_contiguous()) {
            "one submesh per job"
        } else {
            "fitting places only"
        };
        let number = metric(self.primary)?.title();
        let count = self.fitting.len();
        let than = winners.against(&base)?.than(base.best.name);
        let base = base.best;
        let names = joined(&winners.tied, usize::MAX);
        let mut line = match (winners.tied.len(), count) {
            (1, 1) => format!("{title}: {names}: {number} {than}"),
            (1, _) => format!("{title}: {names}, the best of {count}: {number} {than}"),
            (tied, count) if tied == count => format!("{title}: {names} tie in {number}, {than}"),
            (_, _) => format!("{title}: {names} tie as the best of {count} in {number}, {than}"),
        };
        line += &self.cost_by_ratio(&winners).map(|text| format!("; {text}")).unwrap_or_default();
        line += &unasked(&self.fitting).map(|text| format!("; {text}")).unwrap_or_default();
        Some(line + &self.waits_beside(base).map(|text| format!("; {text}")).unwrap_or_default())
    }

    /// Returns the clause that compares both classes by the ratio to the bound.
    fn cost_by_ratio(&self, by_sum: &Winners<'g, 'a>) -> Option<String> {
        let winners = Winners::new(&asked(&self.fitting), RATIO).filter(|_| self.primary == DISTANCE)?;
        let base = Winners::new(&self.any, RATIO)?;
        let than = winners.against(&base)?.than(base.best.name);
        let is_named = by_sum.tied.contains(&winners.best.name);
        let whose = if is_named { String::new() } else { format!(" of {}", winners.best.name) };
        Some(format!("{BY_RATIO}{whose} {than}"))
    }

    /// Returns the clause on the waits under the second class, compared with an allocator of the first.
    pub(super) fn waits_beside(&self, base: &ComparedReplay<'a>) -> Option<String> {
        let ranked = ranked(&self.fitting, WAIT);
        let under = format!("under {}", base.name);
        if ranked.iter().all(|one| one.is_same(base, WAIT)) {
            let who = if ranked.len() == 1 { "both" } else { "all" };
            return (!ranked.is_empty()).then(|| format!("{who} {}", same_starts(base)));
        }
        if base.is_overloaded() {
            return Some(instead_of_waits(&ranked, base));
        }
        let (overloaded, stable): (Vec<_>, Vec<_>) = ranked.into_iter().partition(|one| one.is_overloaded());
        let compared = match stable.as_slice() {
            [] => None,
            [only] if overloaded.is_empty() => {
                let than = Comparison::of_pair(only, base, WAIT)?.than(&under);
                Some(format!("jobs wait {than}{}", for_places(&stable, base)))
            }
            [only] => {
                let than = Comparison::of_pair(only, base, WAIT)?.than(&under);
                Some(format!("under {} jobs wait {than}{}", only.name, for_places(&stable, base)))
            }
            all => {
                wait_range(all, base, &under).map(|text| format!("jobs wait {text}{}", for_places(all, base)))
            }
        };
        let clauses: Vec<String> = compared.into_iter().chain(apart(&overloaded, base)).collect();
        (!clauses.is_empty()).then(|| clauses.join("; "))
    }
}

/// Returns the clause on the part of the waits that is for a place, for allocators in the order of their
/// waits; empty if it is not known.
fn for_places(of: &[&ComparedReplay<'_>], base: &ComparedReplay<'_>) -> String {
    let place = |one: &ComparedReplay<'_>| one.mean("wait_no_place_s_mean");
    let seconds = |seconds: f64| format!("{} s", grouped(seconds, if seconds < 100.0 { 2 } else { 0 }));
    let (Some(low), Some(high)) = (of.first(), of.last()) else { return String::new() };
    let (Some(least), Some(most), Some(own)) = (place(low), place(high), base.mean(WAIT)) else {
        return String::new();
    };
    if of.len() > 1 {
        let [least, most] =
            [(least, low), (most, high)].map(|(s, one)| format!("{} ({})", seconds(s), one.name));
        return format!("; waits for a place are {least} and {most}");
    }
    let extra = low.mean(WAIT).map_or(0.0, |wait| wait - own);
    match seconds(least) {
        text if least <= extra => format!("; of the extra {}, {text} are waits for a place", seconds(extra)),
        text => format!("; {text} of the wait are for a place"),
    }
}

/// Returns the clause on overloaded replays, compared with a stable one; `None` without any.
fn apart(overloaded: &[&ComparedReplay<'_>], base: &ComparedReplay<'_>) -> Option<String> {
    let names: Vec<&str> = overloaded.iter().map(|one| one.name).collect();
    (!names.is_empty())
        .then(|| format!("under {} {}", joined(&names, NAMED), instead_of_waits(overloaded, base)))
}

/// Returns the clause on the waits of a class with equal distances; empty if waits are equal, too.
fn unequal_waits(class: &[&ComparedReplay<'_>]) -> String {
    if are_same(class, WAIT) { String::new() } else { waits(class) }
}

/// Returns the clause on the waits within a class.
fn waits(class: &[&ComparedReplay<'_>]) -> String {
    let unasked = unasked(class).map(|text| format!("; {text}")).unwrap_or_default();
    let ranked = ranked(class, WAIT);
    let Some((shortest, others)) = ranked.split_first() else { return unasked };
    if are_same(class, WAIT) {
        let who = if class.len() == 2 { "both" } else { "all" };
        return format!("{unasked}; {who} {}", same_starts(shortest));
    }
    let (overloaded, stable): (Vec<_>, Vec<_>) = ranked.iter().copied().partition(|one| one.is_overloaded());
    let Some((shortest, others)) = stable.split_first() else {
        return format!("{unasked}; {}", instead_of_waits(others, shortest));
    };
    let compared = if let [other] = others {
        let comparison = Comparison::of_pair(shortest, other, WAIT);
        let text = comparison.map(|comparison| comparison.than(&format!("under {}", other.name)));
        text.map(|text| format!("waits under {} are {text}", shortest.name))
    } else {
        let base = format!("under {}, where waits are shortest", shortest.name);
        let others: Vec<_> = others.iter().copied().filter(|other| !other.equals(shortest, WAIT)).collect();
        wait_range(&others, shortest, &base).map(|text| format!("elsewhere jobs wait {text}"))
    };
    let clauses = compared.into_iter().chain(apart(&overloaded, shortest));
    clauses.fold(unasked, |text, clause| format!("{text}; {clause}"))
}

/// Returns the range of waits of allocators on this log, from the shortest to the longest, compared with
/// another allocator.
fn wait_range(of: &[&ComparedReplay<'_>], base: &ComparedReplay<'_>, under: &str) -> Option<String> {
    let (low, high) = (of.first()?, of.last()?);
    let (least, most) = (Comparison::fact(low, base, WAIT)?, Comparison::fact(high, base, WAIT)?);
    if low.equals(high, WAIT) {
        return Some(least.than(under));
    }
    Some(range([(low.name, &least), (high.name, &most)], under))
}

impl<'g, 'a> Winners<'g, 'a> {
    /// Returns the best of a class in a number; `None` without numbers.
    fn new(class: &[&'g ComparedReplay<'a>], name: &'static str) -> Option<Self> {
        // Times of overloaded replays measure the length of the log.
        let counts = |one: &&ComparedReplay<'_>| name != TURNAROUND || !one.is_overloaded();
        let class: Vec<_> = class.iter().copied().filter(|one| counts(one)).collect();
        let ranked = ranked(&class, name);
        let (best, others) = ranked.split_first()?;
        let (tied, others): (Vec<_>, Vec<_>) = others.iter().partition(|other| best.equals(other, name));
        let is_near = |other: &&&'g ComparedReplay<'a>| {
            Comparison::of_pair(best, other, name).is_some_and(|comparison| comparison.is_about_equal)
        };
        let near = others.iter().take_while(is_near).map(|other| other.name).collect();
        let tied = std::iter::once(best.name).chain(tied.into_iter().map(|other| other.name)).collect();
        Some(Self { name, candidates: ranked.len(), best, tied, near, others })
    }

    /// Compares the best of the second class with the best of the first one, `base`. The class that is ahead
    /// claims something, and its best was chosen from its candidates; the other one is the reference.
    pub(super) fn against(&self, base: &Self) -> Option<Comparison> {
        let is_ahead = self.best.mean(self.name) < base.best.mean(self.name);
        let candidates = if is_ahead { self.candidates } else { base.candidates };
        Comparison::of_best(self.best, base.best, self.name, candidates)
    }

    /// Returns the names of the best in the line.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.tied.iter().chain(&self.near).copied()
    }

    pub(super) fn named(&self) -> usize {
        self.tied.len() + self.near.len()
    }

    /// Returns the words behind several names that are not exactly equal.
    pub(super) fn about(&self) -> &'static str {
        if self.near.is_empty() { "" } else { ", about equally" }
    }

    /// Returns the beginning of the line with the names of the best.
    pub(super) fn head(&self, is_distance: bool) -> String {
        let names: Vec<&str> = self.names().collect();
        let (verb, what) =
            if is_distance { ("place", "jobs closest together") } else { ("turn", "jobs around fastest") };
        let verb = if names.len() == 1 { format!("{verb}s") } else { verb.to_owned() };
        format!("{} {verb} {what}", joined(&names, NAMED))
    }

    /// Returns the lead of the best: over the next best with an interval, and over a further allocator as a
    /// fact. `number` is the number in words, empty if the line has just named it.
    fn lead(&self, number: &str, beside: Option<&ComparedReplay<'_>>) -> Option<String> {
        let whose = match (number, self.named()) {
            ("", 1) => String::new(),
            ("", _) => format!("that of {} ", self.best.name),
            (number, 1) => format!("{number} "),
            (number, _) => format!("{number} of {} ", self.best.name),
        };
        let next = self.others.first()?;
        let mut text = whose + &Comparison::of_pair(self.best, next, self.name)?.than(next.name);
        let is_known = |name: &str| name == next.name || self.names().any(|named| named == name);
        let beside = beside.filter(|beside| !is_known(beside.name));
        if let Some(beside) = beside {
            text += if self.near.is_empty() { ", the next best, and " } else { " and " };
            text += &Comparison::fact(self.best, beside, self.name)?.than(beside.name);
        }
        Some(text)
    }
}

/// Returns whether a number is the same for all, to the last bit.
pub(super) fn are_same(class: &[&ComparedReplay<'_>], name: &str) -> bool {
    class.iter().all(|other| class[0].is_same(other, name))
}

/// Returns the words for allocators with the same waits.
fn same_starts(one: &ComparedReplay<'_>) -> &'static str {
    if one.has_jobs() { "start jobs at the same times" } else { "have the same mean wait" }
}

/// Returns whether much of the node time was requested by no job.
pub(super) fn has_much_unasked(one: &ComparedReplay<'_>) -> bool {
    one.mean("internal_fragmentation").is_some_and(|share| share >= MUCH_UNASKED)
}

/// Returns the allocators without much node time that no job requested: nodes beyond the request fill boxes,
/// so that the ratio to the bound of as many nodes is low.
fn asked<'g, 'a>(class: &[&'g ComparedReplay<'a>]) -> Vec<&'g ComparedReplay<'a>> {
    class.iter().copied().filter(|one| !has_much_unasked(one)).collect()
}

/// Returns a clause on nodes that no job requested; `None` if they are few.
fn unasked(class: &[&ComparedReplay<'_>]) -> Option<String> {
    let much: Vec<_> = class.iter().filter(|one| has_much_unasked(one)).copied().collect();
    let ranked = ranked(&much, "internal_fragmentation");
    let (low, high) = (ranked.first()?, ranked.last()?);
    let percent = |one: &ComparedReplay<'_>| {
        format!("{:.1} %", 100.0 * one.mean("internal_fragmentation").unwrap_or_default())
    };
    let who =
        |one: &ComparedReplay<'_>| if class.len() == 1 { String::new() } else { format!(" ({})", one.name) };
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
