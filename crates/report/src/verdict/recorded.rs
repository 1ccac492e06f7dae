//! Sentences on recorded waits beside simulated ones: whether they are what happened, and whether a
//! difference comes from the schedulers.
//!
//! The causes of the recorded waits decide, see [`RecordedWaits`]. Under a backfilling scheduler, little
//! waiting passes while jobs fit and would delay no other.

use super::measured::ReplayResult;
use meshreplay_results::text::grouped;
use meshreplay_sim::metrics::{RecordedWaits, WhyShares};
use meshreplay_sim::scheduler::RECORDED;
use meshreplay_workload::Arrivals;

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
