//! The lines on schedulers: mean waits under the same allocator, and differences to recorded waits.

use super::allocators::{WAIT, joined};
use super::candidate::{Comparable, ComparedReplay, ReplayResult, ranked};
use super::comparison::Comparison;
use super::overload::{MARK, instead_of_waits};
use meshreplay_results::text::grouped;
use meshreplay_sim::metrics::{RecordedWaits, WhyShares};
use meshreplay_sim::scheduler::RECORDED;
use meshreplay_workload::Arrivals;

/// Largest number of sets of allocators with lines of their own.
const MOST_SETS: usize = 3;

/// The schedulers under which allocators with the same waits were replayed.
struct Schedulers<'a> {
    allocators: Vec<&'a str>,
    compared: Comparable<'a>,
}

/// Returns the lines on the schedulers of a setting.
pub(super) fn lines(setting: &[&ReplayResult<'_>]) -> Vec<String> {
    let sets = sets(setting);
    let has_several = sets.len() > 1;
    let with = |set: &Schedulers<'_>| {
        if has_several { format!(" with {}", joined(&set.allocators, MOST_SETS)) } else { String::new() }
    };
    let mut lines = Vec::new();
    let mut recorded = Vec::new();
    for set in sets.iter().take(MOST_SETS) {
        let (simulated, happened) = set.divided();
        let said = happened
            .and_then(|one| Some((one, Recorded::new(setting[one.position], setting.iter().copied())?)));
        let compared = said.as_ref().filter(|(_, said)| said.is_compared).map(|(one, _)| *one);
        lines.extend(waits(&simulated, compared).map(|text| format!("schedulers{}: {text}", with(set))));
        recorded.extend(said.and_then(|(happened, said)| said.line(&simulated, happened, &with(set))));
        lines.extend(set.compared.left_out.as_ref().map(|text| text.to_owned() + &with(set)));
    }
    if sets.len() > MOST_SETS {
        lines
            .push(format!("schedulers: {} more sets of allocators have other waits", sets.len() - MOST_SETS));
    }
    recorded.dedup();
    lines.extend(recorded);
    lines
}

/// Returns the simulated scheduler with the shortest mean wait for each set of allocators with the same
/// waits, if schedulers differ.
pub(super) fn shortest<'a>(setting: &[&'a ReplayResult<'_>]) -> Vec<&'a str> {
    let shortest = |set: Schedulers<'a>| {
        let (mut simulated, _) = set.divided();
        simulated.retain(|one| !one.is_overloaded());
        let (first, others) = simulated.split_first()?;
        (!others.iter().all(|other| other.is_same(first, WAIT))).then_some(first.name)
    };
    sets(setting).into_iter().filter_map(shortest).collect()
}

/// Returns the allocators that were replayed under several schedulers, by name. Allocators with the same
/// waits are one set.
fn sets<'a>(setting: &[&'a ReplayResult<'_>]) -> Vec<Schedulers<'a>> {
    let mut allocators: Vec<&str> =
        setting.iter().map(|replay| replay.spec.labels.allocator.as_str()).collect();
    allocators.sort_unstable();
    allocators.dedup();
    let mut sets: Vec<Schedulers<'a>> = Vec::new();
    for allocator in allocators {
        let of_allocator =
            setting.iter().enumerate().filter(|(_, replay)| replay.spec.labels.allocator == allocator);
        let candidates = of_allocator;
        let candidates: Vec<_> = candidates
            .map(|(i, replay)| ComparedReplay::new(i, &replay.spec.labels.scheduler, replay))
            .collect();
        if candidates.len() < 2 || candidates.iter().all(|one| one.replications.is_empty()) {
            continue;
        }
        let compared = Comparable::new(candidates);
        match sets.iter_mut().find(|set| set.compared.has_same_waits(&compared)) {
            Some(set) => set.allocators.push(allocator),
            None => sets.push(Schedulers { allocators: vec![allocator], compared }),
        }
    }
    sets
}

impl Comparable<'_> {
    fn has_same_waits(&self, other: &Self) -> bool {
        let mut pairs = self.candidates.iter().zip(&other.candidates);
        self.left_out == other.left_out
            && self.candidates.len() == other.candidates.len()
            && pairs.all(|(a, b)| {
                a.name == b.name && a.replications.len() == b.replications.len() && a.is_same(b, WAIT)
            })
    }
}

impl<'a> Schedulers<'a> {
    /// Returns the simulated schedulers from the shortest mean wait to the longest, and the recorded one.
    fn divided(&self) -> (Vec<&ComparedReplay<'a>>, Option<&ComparedReplay<'a>>) {
        let all: Vec<_> = self.compared.candidates.iter().collect();
        let (happened, simulated): (Vec<_>, Vec<_>) =
            ranked(&all, WAIT).into_iter().partition(|candidate| candidate.name == RECORDED);
        (simulated, happened.first().copied())
    }
}

/// Returns the mean waits of schedulers, the shortest first; `None` if there are fewer than two.
fn waits(simulated: &[&ComparedReplay<'_>], recorded: Option<&ComparedReplay<'_>>) -> Option<String> {
    let mean = |candidate: &ComparedReplay<'_>| candidate.mean(WAIT).unwrap_or_default();
    let seconds = |candidate: &ComparedReplay<'_>| {
        let mean = mean(candidate);
        let mark = if candidate.is_overloaded() { format!("{MARK} ") } else { String::new() };
        format!("{mark}{} s", grouped(mean, if mean < 100.0 { 2 } else { 0 }))
    };
    match (simulated, recorded) {
        ([only], Some(recorded)) if only.is_same(recorded, WAIT) => {
            Some(format!("mean wait {} under {} and as recorded", seconds(only), only.name))
        }
        ([only], Some(recorded)) => {
            let own = format!("{} under {}", seconds(only), only.name);
            let happened = format!("{} as recorded", seconds(recorded));
            let both = if mean(only) <= mean(recorded) { [own, happened] } else { [happened, own] };
            Some(format!("mean wait {}", both.join(", ")))
        }
        ([first, others @ ..], _) if !others.is_empty() => {
            if others.iter().all(|other| other.is_same(first, WAIT)) {
                let names: Vec<&str> = simulated.iter().map(|candidate| candidate.name).collect();
                return Some(format!("waits are the same under {}", joined(&names, usize::MAX)));
            }
            let (overloaded, stable): (Vec<_>, Vec<_>) =
                simulated.iter().copied().partition(|one| one.is_overloaded());
            let Some((shortest, others)) = stable.split_first() else {
                return Some(format!("under {} {}", names_of(others), instead_of_waits(others, first)));
            };
            let compare = |other: &&ComparedReplay<'_>| {
                Some(Comparison::of_best(other, shortest, WAIT, others.len())?.under(other.name))
            };
            let own = match others {
                [] => format!("mean wait {} under {}", seconds(shortest), shortest.name),
                _ => format!("waits are shortest under {}, {} on average", shortest.name, seconds(shortest)),
            };
            let compared = others.iter().filter_map(compare).collect::<Vec<_>>().join(", ");
            let apart =
                format!("under {} {}", names_of(&overloaded), instead_of_waits(&overloaded, shortest));
            let clauses = [
                Some(own),
                (!others.is_empty()).then_some(compared),
                (!overloaded.is_empty()).then_some(apart),
            ];
            Some(clauses.into_iter().flatten().collect::<Vec<String>>().join("; "))
        }
        _ => None,
    }
}

fn names_of(schedulers: &[&ComparedReplay<'_>]) -> String {
    joined(&schedulers.iter().map(|one| one.name).collect::<Vec<_>>(), usize::MAX)
}

impl Recorded {
    /// Returns the line on recorded waits, with differences of simulated waits to them unless replays are
    /// overloaded. `None` if there is nothing to say.
    fn line(
        self,
        simulated: &[&ComparedReplay<'_>],
        recorded: &ComparedReplay<'_>,
        with: &str,
    ) -> Option<String> {
        let Self { words, is_compared, beside } = self;
        if !is_compared {
            return Some(format!(
                "{words}{}",
                if with.is_empty() { String::new() } else { format!(" (as recorded{with})") }
            ));
        }
        let is_stable = |one: &&&ComparedReplay<'_>| !one.is_overloaded() && !recorded.is_overloaded();
        let compared: Vec<_> = simulated.iter().filter(is_stable).collect();
        let compare = |one: &&&ComparedReplay<'_>| {
            Some(Comparison::of_best(one, recorded, WAIT, compared.len())?.under(one.name))
        };
        let texts: Vec<String> = compared.iter().filter_map(compare).collect();
        // What would be a cause of a difference explains none.
        let are_equal = compared.iter().all(|one| one.is_same(recorded, WAIT));
        let beside = if beside.is_empty() || are_equal { String::new() } else { format!("; {beside}") };
        let differences = texts.join(", ");
        (!texts.is_empty())
            .then(|| format!("{words}; compared with them, jobs wait {differences}{with}{beside}"))
    }
}

// Sentences on recorded waits beside simulated ones: whether they are what happened, and whether a
// difference comes from the schedulers.
//
// The causes of the recorded waits decide, see `RecordedWaits`. Under a backfilling scheduler, little
// waiting passes while jobs fit and would delay no other.

/// Largest share of jobs that start at another time than recorded, or whose recorded start is unknown, for a
/// comparison.
const MOST_LATE: f64 = 0.01;

/// Fewest jobs whose overtaking starts, or the lack of them, show how the scheduler works.
const FEWEST: f64 = 200.0;

/// The words of sentences without a comparison.
const NOT_COMPARED: &str = "recorded and simulated waits are not compared";

/// The sentence on the recorded waits of a setting.
pub(super) struct Recorded {
    /// The words before a difference, or instead of it.
    pub(super) words: String,
    /// Whether there is a difference.
    pub(super) is_compared: bool,
    /// The clause after a difference; empty if there is nothing to say.
    pub(super) beside: String,
}

impl Recorded {
    /// Returns the sentence on the waits of `replay` beside the replays of its setting; `None` if it does not
    /// follow the recorded starts, or has no results.
    pub(super) fn new<'a, 'b: 'a>(
        replay: &ReplayResult<'_>,
        setting: impl IntoIterator<Item = &'a ReplayResult<'b>>,
    ) -> Option<Self> {
        let first = replay.replications.first().filter(|_| replay.spec.scheduler.name == RECORDED)?;
        let uncompared = |words: String| Some(Self { words, is_compared: false, beside: String::new() });
        if let Some(reason) = setting.into_iter().find_map(|replay| replay.not_compared.clone()) {
            return uncompared(reason);
        }
        if replay.spec.arrival_scale.to_bits() != 1_f64.to_bits()
            || replay.spec.rules.arrivals != Arrivals::Recorded
        {
            return uncompared(format!("arrivals are not those of the log: {NOT_COMPARED}"));
        }
        let number = |name| first.number(name);
        let [jobs, late, unknown] =
            ["jobs", "starts_delayed", "waits_unknown"].map(|name| number(name).unwrap_or_default());
        let of_jobs = |count: f64| format!("{} of {} jobs", grouped(count, 0), grouped(jobs, 0));
        let facts = [
            (late > 0.0).then(|| format!("{} did not start when the log says", of_jobs(late))),
            (unknown > 0.0).then(|| format!("the starts of {} are not known", of_jobs(unknown))),
        ];
        let others = facts.into_iter().flatten().collect::<Vec<String>>().join(", and ");
        if late + unknown > MOST_LATE * jobs {
            return uncompared(format!("{others}: {NOT_COMPARED}"));
        }
        let (Some(free), Some(overtaking)) = (number("wait_free_share"), number("overtaking_share")) else {
            return uncompared(format!(
                "{NOT_COMPARED}, as the causes of recorded waits are not known: replay with --why"
            ));
        };
        let machine = WhyShares { free, overtaking };
        let peak = number("wait_free_share_peak").map(|free| WhyShares { free, overtaking });
        let share = in_percent(free, peak.map(|peak| peak.free));
        let passed = format!(
            "{share} of the recorded waiting passed while the job fitted and would have delayed nobody{}",
            in_words(&replay.reasons)
        );
        let waits = RecordedWaits::of_bounds(machine, peak);
        if jobs < FEWEST && !matches!(waits, RecordedWaits::Comparable | RecordedWaits::PartlyFree) {
            return uncompared(format!("{NOT_COMPARED}: {passed}, and the jobs are too few to tell why"));
        }
        let happened = if others.is_empty() {
            "recorded waits are what happened".to_owned()
        } else {
            format!("recorded waits are what happened, but {others}")
        };
        let beside = match waits {
            RecordedWaits::Comparable => String::new(),
            RecordedWaits::PartlyFree => format!("{passed}: another order, reservations or holds"),
            RecordedWaits::WithoutBackfilling => {
                format!("the recorded scheduler does not backfill: {passed}")
            }
            RecordedWaits::Held => {
                return uncompared(format!(
                    "{passed}: jobs were held (limits, maintenance, dependencies, failures, partitions), or \
                     the recorded scheduler backfills little, and a difference to recorded would count that \
                     as gain; `replay --why -o DIR` and `table DIR --by user --columns why` show whose jobs"
                ));
            }
            RecordedWaits::Unclear => {
                return uncompared(format!(
                    "{NOT_COMPARED}: depending on the size of the machine, which the log does not give, \
                         {passed}"
                ));
            }
        };
        Some(Self { words: happened, is_compared: true, beside })
    }
}

/// Returns the main reasons of free seconds in parentheses; nothing if the log has none.
fn in_words(reasons: &[(String, f64)]) -> String {
    const MOST: usize = 3;
    const LEAST_SHARE: f64 = 0.01;
    let named = reasons.iter().filter(|(_, share)| *share >= LEAST_SHARE).take(MOST);
    let named: Vec<String> =
        named.map(|(name, share)| format!("{name} {}", in_percent(*share, None))).collect();
    if named.is_empty() { String::new() } else { format!(" (last reasons in Slurm: {})", named.join(", ")) }
}

/// Returns a share in percent, or the range of two shares that differ: `4 %`, `9 to 15 %`.
fn in_percent(share: f64, other: Option<f64>) -> String {
    let text = |share: f64| {
        let decimals = usize::from(share < 0.0995);
        format!("{:.decimals$}", 100.0 * share)
    };
    let [low, high] = other.map_or([share; 2], |other| [share.min(other), share.max(other)]).map(text);
    if low == high { format!("{low} %") } else { format!("{low} to {high} %") }
}
