//! The closing lines of a run: the allocator with the closest placements, the cost of contiguity in waits,
//! the scheduler with the shortest waits, and confidence intervals.
//!
//! Replays that differ only in the allocator form a group; groups that differ only in the scheduler form a
//! setting. A group has two classes of allocators: allocators that take any free nodes, so that jobs start at
//! the same times under all of them, and the others. [`Difference`](meshreplay_sim::metrics::Difference)
//! gives the intervals. The pair of the best and the next best is planned; the interval of any other pair is
//! corrected for all pairs of the group.

mod allocators;
mod candidate;
mod comparison;
mod measured;
mod plain;
mod saved;
mod schedulers;
#[cfg(test)]
mod tests;
mod winners;

use std::collections::BTreeMap;
use std::path::Path;

use self::allocators::{Classes, DISTANCE, TURNAROUND, WAIT};
use self::candidate::{Candidate, Comparable};
use self::comparison::NO_INTERVAL;
use self::measured::{ReplayResult, over_seeds};
pub(super) use self::plain::Plain;
pub(super) use self::saved::SavedAnswer;
pub(super) use self::winners::Winners;
use meshreplay_base::words::counted;
use meshreplay_results::frame::FinishedRun;
use meshreplay_results::text::command_line;
use meshreplay_study::study::{Coordinate, Outcome, ReplaySpec, Study};

/// The most groups that get lines.
const MOST_GROUPS: usize = 3;

/// Returns the closing lines of a run; none if no two replays differ in the allocator or the scheduler alone.
/// `folder` is the directory of the results, if they were kept, for the command that shows further groups.
pub fn verdict(study: &Study, run: &FinishedRun, folder: Option<&Path>) -> Vec<String> {
    let outcomes: BTreeMap<usize, &[Outcome]> =
        run.replays.iter().map(|(number, outcomes)| (*number as usize, outcomes.as_slice())).collect();
    let of_cell = |i: usize| outcomes.get(&i).copied().unwrap_or_default();
    let cells = study.cells.iter().enumerate();
    let replays = cells.map(|(i, cell)| ReplayResult::of_outcomes(cell, of_cell(i))).collect();
    let folder = folder.map(|path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned()));
    lines(replays, primary(study.options.traffic), folder.as_deref())
}

/// Returns the number that decides on the best allocator. With `has_network`, a simulated network sets the
/// run times of jobs.
fn primary(has_network: bool) -> &'static str {
    if has_network { TURNAROUND } else { DISTANCE }
}

/// Returns the closing lines on replays. `folder` is the directory of the results as a command names it.
fn lines(replays: Vec<ReplayResult<'_>>, primary: &'static str, folder: Option<&Path>) -> Vec<String> {
    let replays = over_seeds(replays);
    let all: Vec<&ReplayResult<'_>> = replays.iter().collect();
    let varying = varying(&all);
    let (mut lines, mut room, mut left) = (Vec::new(), MOST_GROUPS, 0);
    for setting in alike(&all, |replay| replay.spec.identity_without(&OF_SETTING)) {
        let groups = alike(&setting, |replay| replay.spec.identity_without(&OF_GROUP));
        if room == 0 {
            let groups = groups.iter().filter(|group| group.len() > 1).count();
            left += groups.max(usize::from(setting.len() > 1));
            continue;
        }
        let groups = groups.into_iter().map(|group| {
            let prefix = prefix(&group[0].spec, &varying, &OF_GROUP);
            group_lines(&group, primary).into_iter().map(|line| prefix.clone() + &line).collect::<Vec<_>>()
        });
        let groups: Vec<_> = groups.filter(|lines| !lines.is_empty()).collect();
        let prefix = prefix(&setting[0].spec, &varying, &OF_SETTING);
        let schedulers = schedulers::lines(&setting);
        let count = groups.len().max(usize::from(!schedulers.is_empty()));
        lines.extend(groups.into_iter().take(room).flatten());
        lines.extend(schedulers.into_iter().map(|line| prefix.clone() + &line));
        left += count.saturating_sub(room);
        room = room.saturating_sub(count);
    }
    lines.extend((left > 0).then(|| rest(left, &all, &varying, primary, folder)));
    lines
}

/// Groups replays by `identity`, in the order of first occurrence.
fn alike<T: Copy>(replays: &[T], identity: impl Fn(T) -> Vec<String>) -> Vec<Vec<T>> {
    let mut lists: Vec<Vec<T>> = Vec::new();
    let mut places = BTreeMap::new();
    for &replay in replays {
        let place = *places.entry(identity(replay)).or_insert(lists.len());
        if place == lists.len() {
            lists.push(Vec::new());
        }
        lists[place].push(replay);
    }
    lists
}

/// The coordinates that vary within a setting, and within a group.
const OF_SETTING: [&str; 2] = ["scheduler", "allocator"];
const OF_GROUP: [&str; 1] = ["allocator"];

/// Returns the coordinates that differ between replays, in the order of the arguments of a command.
fn varying(replays: &[&ReplayResult<'_>]) -> Vec<&'static Coordinate> {
    let Some((first, others)) = replays.split_first() else { return Vec::new() };
    let varies = |row: &&Coordinate| {
        let text = row.text(&first.spec);
        others.iter().any(|other| row.text(&other.spec) != text)
    };
    Coordinate::by_place().into_iter().filter(varies).collect()
}

/// Returns the name of a group with a colon: `16x8, easy, arrivals ×0.8: `; empty if there is one group.
fn prefix(spec: &ReplaySpec, varying: &[&Coordinate], but: &[&str]) -> String {
    let words = varying.iter().filter(|row| !but.contains(&row.name)).map(|row| row.phrase(spec));
    let words = words.collect::<Vec<_>>().join(", ");
    if words.is_empty() { words } else { words + ": " }
}

/// Returns the lines on the allocators of a group.
fn group_lines(group: &[&ReplayResult<'_>], primary: &'static str) -> Vec<String> {
    if group.len() < 2 {
        return Vec::new();
    }
    let Comparable { candidates, left_out } = Comparable::new(candidates_of(group));
    let lines = Classes::new(&candidates, primary).lines();
    let mut lines: Vec<String> = lines.iter().map(|line| with_one_reason(line)).collect();
    lines.extend(left_out);
    lines
}

/// Returns the replays of a group, named by their allocators.
fn candidates_of<'a>(group: &[&'a ReplayResult<'_>]) -> Vec<Candidate<'a>> {
    let candidate = |(i, replay): (usize, &&'a ReplayResult<'_>)| {
        Candidate::new(i, &replay.spec.labels.allocator, replay)
    };
    group.iter().enumerate().map(candidate).collect()
}

/// Keeps the reason for missing intervals only at its first occurrence in the line.
fn with_one_reason(line: &str) -> String {
    let mut line = line.to_owned();
    for reason in NO_INTERVAL {
        let reason = format!(" ({reason})");
        if let Some(end) = line.find(&reason).map(|at| at + reason.len()) {
            let rest = line.split_off(end);
            line += &rest.replace(&reason, "");
        }
    }
    line
}

/// Returns the line on further groups, with the command that shows them.
fn rest(
    count: usize,
    replays: &[&ReplayResult<'_>],
    varying: &[&Coordinate],
    primary: &str,
    folder: Option<&Path>,
) -> String {
    let groups = counted(count, "more group");
    let Some(folder) = folder else {
        return format!("{groups}; keep the results with -o to see them in tables");
    };
    let has = |name: &str| varying.iter().any(|row| row.name == name);
    let (row, value) = if has("allocator") { ("allocator", primary) } else { ("scheduler", WAIT) };
    let label = |replay: &&ReplayResult<'_>| match row {
        "allocator" => replay.spec.labels.allocator.clone(),
        _ => replay.spec.labels.scheduler.clone(),
    };
    let base = replays.iter().map(label).min().unwrap_or_default();
    let columns: Vec<&str> = varying.iter().map(|row| row.name).filter(|name| *name != row).collect();
    let words = [
        "meshreplay",
        "table",
        &folder.to_string_lossy(),
        "--rows",
        row,
        "--columns",
        &columns.join(","),
        "--value",
        value,
        "--relative-to",
        &base,
    ];
    format!("{groups}: {}", command_line(words))
}
