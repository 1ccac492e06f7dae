//! Lines on overloaded replays: their backlog, and comparisons of utilization, makespan and backlog in place
//! of waits.

use super::candidate::{ComparedReplay, ReplayResult};
use super::comparison::Comparison;
use meshreplay_results::text::grouped;

/// The mark of overloaded replays in tables and lines.
pub(crate) const MARK: &str = "†";

/// Most names in the line.
const NAMED: usize = 3;

/// Returns the lowest and the highest number; `None` without numbers.
fn ends(numbers: impl Iterator<Item = f64>) -> Option<[f64; 2]> {
    numbers.fold(None, |ends, number| {
        let [low, high] = ends.unwrap_or([number; 2]);
        Some([low.min(number), high.max(number)])
    })
}

/// Formats a range, or one number if both ends print the same.
fn spread([low, high]: [f64; 2], decimals: usize) -> String {
    let [low, high] = [low, high].map(|end| grouped(end, decimals));
    if low == high { high } else { format!("{low} to {high}") }
}

/// Returns the line on the overloaded replays of a run; `None` without any. `label` names a replay by its
/// varying coordinates.
pub(super) fn line(
    replays: &[&ReplayResult<'_>],
    label: &dyn Fn(&ReplayResult<'_>) -> String,
) -> Option<String> {
    let candidates = replays.iter().map(|replay| ComparedReplay::new(0, "", replay)).collect::<Vec<_>>();
    let overloaded: Vec<usize> = (0..replays.len()).filter(|&i| candidates[i].is_overloaded()).collect();
    let replications = || overloaded.iter().flat_map(|&i| &replays[i].replications);
    let over = |name: &str| {
        ends(replications().filter(|one| one.is_overloaded()).filter_map(|one| one.number(name)))
    };
    let ([low, high], days) = (over("backlog_share")?, over("backlog_days")?);
    let names: Vec<String> = overloaded.iter().map(|&i| label(replays[i])).collect();
    let who = match names.as_slice() {
        [_] if replays.len() == 1 => String::new(),
        all if all.len() == replays.len() => " (all replays)".to_owned(),
        few if few.len() <= NAMED => format!(" ({})", few.join("; ")),
        many => format!(" ({} of {} replays)", many.len(), replays.len()),
    };
    let decimals = usize::from(high < 0.1);
    let share = spread([100.0 * low, 100.0 * high], decimals);
    let days = spread(days, usize::from(days[1] < 10.0));
    Some(format!(
        "{MARK} overloaded{who}: when submissions ended, {share} % of the work ({days} machine days) still \
         waited: waits here grow with the length of the log and are not compared"
    ))
}

/// Returns the clause in place of a comparison of waits: utilization, makespan and backlog under some
/// replays, compared with another one.
pub(super) fn instead_of_waits(of: &[&ComparedReplay<'_>], base: &ComparedReplay<'_>) -> String {
    let Some(&first) = of.first() else { return String::new() };
    // Sorts by the number, and names both ends of a range.
    let range = |name: &str, text: &dyn Fn(&ComparedReplay<'_>) -> String| {
        let ranked = super::candidate::ranked(of, name);
        match ranked.as_slice() {
            [low, .., high] if text(low) != text(high) => {
                format!("{} ({}) to {} ({})", text(low), low.name, text(high), high.name)
            }
            _ => text(ranked.first().copied().unwrap_or(first)),
        }
    };
    let percent = |name: &'static str| {
        move |one: &ComparedReplay<'_>| format!("{:.1} %", 100.0 * one.mean(name).unwrap_or_default())
    };
    let (utilization, backlog) = (percent("useful_utilization"), percent("backlog_share"));
    let makespan = |one: &ComparedReplay<'_>| {
        let comparison = Comparison::fact(one, base, "makespan_s");
        comparison.map(|comparison| comparison.amount()).unwrap_or_default()
    };
    let makespan = if of.iter().all(|one| one.mean("makespan_s") == base.mean("makespan_s")) {
        "the same makespan".to_owned()
    } else {
        format!("makespan {}", range("makespan_s", &makespan))
    };
    format!(
        "waits are not compared ({MARK}): utilization {} instead of {} under {}, {makespan}, {} of the work \
         waiting when submissions ended instead of {}",
        range("useful_utilization", &utilization),
        utilization(base),
        base.name,
        range("backlog_share", &backlog),
        backlog(base),
    )
}
