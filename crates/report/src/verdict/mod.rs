//! The closing lines of a run: the allocator with the closest placements, the cost of contiguity in waits,
//! the scheduler with the shortest waits, and confidence intervals.
//!
//! Replays that differ only in the allocator form a group; groups that differ only in the scheduler form a
//! setting. A group has two classes of allocators: allocators that take any free nodes, so that jobs start at
//! the same times under all of them, and the others. [`Difference`](meshreplay_sim::metrics::Difference)
//! gives the intervals. They stand where a line claims something about more jobs of the same kind: the best
//! against the next best, without a correction; the best of a class against the best of the other one,
//! corrected for the candidates; schedulers against the one with the shortest waits, corrected for the
//! schedulers. Everything else is a fact about this log.

mod allocators;
mod candidate;
mod comparison;
mod machines;
mod overload;
mod plain;
mod saved;
mod schedulers;
#[cfg(test)]
mod tests;
mod winners;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use self::allocators::{Classes, DISTANCE, TURNAROUND, WAIT};
use self::candidate::{Comparable, ComparedReplay, ReplayResult, Replication, over_seeds};
use self::comparison::{NO_INTERVAL, OF_SHAKEN};
pub(super) use self::overload::MARK as OVERLOADED;
pub(super) use self::plain::Plain;
pub(super) use self::saved::SavedAnswer;
pub(super) use self::winners::Winners;
use meshreplay_base::words::counted;
use meshreplay_results::frame::FinishedRun;
use meshreplay_results::text::{command_line, grouped};
use meshreplay_sim::metrics::Needs;
use meshreplay_study::study::{Coordinate, Outcome, PlannedReplay, Study};
pub(super) use winners::Marks;

/// The most groups that get lines.
const MOST_GROUPS: usize = 3;

/// Returns the closing lines of a run; none if no two replays differ in the allocator or the scheduler alone
/// and no distances need a remark. `folder` is the directory of the results, if they were kept, for the
/// command that shows further groups.
pub fn verdict(study: &Study, run: &FinishedRun, folder: Option<&Path>) -> Vec<String> {
    let outcomes: BTreeMap<usize, &[Outcome]> =
        run.replays.iter().map(|(number, outcomes)| (*number as usize, outcomes.as_slice())).collect();
    let of_cell = |i: usize| outcomes.get(&i).copied().unwrap_or_default();
    let cells = study.cells.iter().enumerate();
    let replays =
        cells.map(|(i, cell)| ReplayResult::of_outcomes(cell, of_cell(i), &study.options)).collect();
    let folder = folder.map(|path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned()));
    let mut lines = lines(replays, primary(study.has.has(Needs::Network)), folder.as_deref());
    lines.extend(distances_of_a_site(study));
    lines
}

/// Returns the sentence on the distances of a site's log on machines that are no trees of switches; `None` if
/// there is no such replay.
fn distances_of_a_site(study: &Study) -> Option<String> {
    let is_of_site = |cell: &&PlannedReplay| study.logs.get(cell.log).is_some_and(|log| log.is_of_site);
    let replays = study.cells.iter().filter(is_of_site);
    let mut machines: Vec<_> = replays.map(|cell| &cell.spec.machine).collect();
    machines.retain(|machine| machine.levels().is_none());
    machines.dedup();
    let of = match machines.as_slice() {
        [] => return None,
        [machine] => machine.to_string(),
        _ => "the machines given".to_owned(),
    };
    Some(format!(
        "distances are those of {of}, which may not be the site's network; -m auto --topology FILE replays \
         on a tree of switches, as a topology.conf of Slurm has it"
    ))
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
            let prefix = prefix(group[0], &varying, &OF_GROUP);
            group_lines(&group, primary).into_iter().map(|line| prefix.clone() + &line).collect::<Vec<_>>()
        });
        let groups: Vec<_> = groups.filter(|lines| !lines.is_empty()).collect();
        let prefix = prefix(setting[0], &varying, &OF_SETTING);
        let schedulers = schedulers::lines(&setting);
        let count = groups.len().max(usize::from(!schedulers.is_empty()));
        lines.extend(groups.into_iter().take(room).flatten());
        lines.extend(schedulers.into_iter().map(|line| prefix.clone() + &line));
        left += count.saturating_sub(room);
        room = room.saturating_sub(count);
    }
    lines.extend(machines::lines(&all, primary, &varying));
    lines.extend(meaning_of_intervals(&lines, &all));
    lines.extend(meaning_of_shaking(&lines, &all));
    lines.extend(on_equal_replications(&all));
    lines.extend(overload::line(&all, &|replay| name_of(replay, &varying)));
    lines.extend((left > 0).then(|| rest(left, &all, &varying, primary, folder)));
    lines
}

/// Returns the sentence on what intervals over parts of a log cover; `None` if no line has one.
fn meaning_of_intervals(lines: &[String], replays: &[&ReplayResult<'_>]) -> Option<String> {
    const DAY_S: f64 = 86_400.0;
    let intervals = lines.iter().flat_map(|line| line.split("95 % CI ").skip(1));
    let is_of_jobs = |rest: &str| {
        let interval = rest.split(')').next().unwrap_or_default();
        !interval.contains(" seeds") && !interval.contains(OF_SHAKEN)
    };
    if !intervals.into_iter().any(is_of_jobs) {
        return None;
    }
    let parts = replays.iter().flat_map(|replay| &replay.replications).filter_map(|one| one.parts.as_ref());
    let mut days: Vec<u64> = parts.map(|parts| (parts.span_s() / DAY_S).round() as u64).collect();
    days.sort_unstable();
    let text = |days: u64| grouped(days as f64, 0);
    let these = match days.as_slice() {
        [least, .., most] if least < most => format!("of these {} to {} days", text(*least), text(*most)),
        [days, ..] if *days > 1 => format!("of these {} days", text(*days)),
        _ => "in the log".to_owned(),
    };
    Some(format!("95 % intervals are for more jobs like those {these}; other months can differ more"))
}

/// Returns the sentence on what intervals over shaken runs cover; `None` if no line has one.
fn meaning_of_shaking(lines: &[String], replays: &[&ReplayResult<'_>]) -> Option<String> {
    let percent = replays.iter().flat_map(|replay| &replay.replications).find_map(|one| one.shake_percent)?;
    lines.iter().any(|line| line.contains(OF_SHAKEN)).then(|| {
        format!(
            "intervals over shaken runs, whose run times differ by up to {percent} %, tell whether a \
             difference is chance in the details of this log; they say nothing about other months"
        )
    })
}

/// Returns the remark on replications that say no more than one of them; `None` if some differ or have no
/// mean wait, as no job ended.
fn on_equal_replications(replays: &[&ReplayResult<'_>]) -> Option<String> {
    let numbers = |replay: &&ReplayResult<'_>| -> Vec<[Option<u64>; 3]> {
        let of = |name, one: &Replication<'_>| one.number(name).map(f64::to_bits);
        replay.replications.iter().map(|one| [WAIT, TURNAROUND, DISTANCE].map(|name| of(name, one))).collect()
    };
    let are_equal = |numbers: Vec<[Option<u64>; 3]>| {
        numbers.len() > 1 && numbers[0][0].is_some() && numbers.iter().all(|each| *each == numbers[0])
    };
    (!replays.is_empty() && replays.iter().map(numbers).all(are_equal)).then(|| {
        "the replications of each replay have the same mean wait, turnaround time and pairwise sum, and say \
         no more of them than one does"
            .to_owned()
    })
}

/// Returns the name of a replay by the coordinates that vary; empty if there are none.
fn name_of(replay: &ReplayResult<'_>, varying: &[&Coordinate]) -> String {
    varying.iter().map(|row| phrase(replay, row)).collect::<Vec<_>>().join(", ")
}

/// Returns a coordinate of a replay in words. Scaled arrivals have the offered load beside them, as a factor
/// below 1 alone reads as less load.
fn phrase(replay: &ReplayResult<'_>, row: &Coordinate) -> String {
    let load = replay.replications.first().and_then(|first| first.number("offered_load"));
    match load.filter(|_| row.name == "arrival_scale") {
        Some(load) => format!("{} (load {load:.2})", row.phrase(&replay.spec)),
        None => row.phrase(&replay.spec),
    }
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
fn prefix(replay: &ReplayResult<'_>, varying: &[&'static Coordinate], but: &[&str]) -> String {
    let named: Vec<_> = varying.iter().copied().filter(|row| !but.contains(&row.name)).collect();
    let words = name_of(replay, &named);
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
fn candidates_of<'a>(group: &[&'a ReplayResult<'_>]) -> Vec<ComparedReplay<'a>> {
    let candidate = |(i, replay): (usize, &&'a ReplayResult<'_>)| {
        ComparedReplay::new(i, &replay.spec.labels.allocator, replay)
    };
    group.iter().enumerate().map(candidate).collect()
}

/// Keeps the reason for missing intervals only at its first occurrence in the line.
fn with_one_reason(line: &str) -> String {
    let mut line = line.to_owned();
    for reason in NO_INTERVAL {
        let start = format!(" ({reason}");
        let first = line.find(&start).and_then(|at| Some((at, at + line[at..].find(')')? + 1)));
        if let Some((at, end)) = first {
            let (reason, rest) = (line[at..end].to_owned(), line.split_off(end));
            line += &rest.replace(&reason, "");
        }
    }
    line
}

/// Returns the line on further groups, with the command that shows them.
fn rest(
    count: usize,
    replays: &[&ReplayResult<'_>],
    varying: &[&'static Coordinate],
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
    // An allocator under which jobs never wait for a place is best compared with, in the order of the
    // command.
    let refuses = |replay: &&ReplayResult<'_>| !ComparedReplay::new(0, "", replay).takes_any_nodes();
    let refusing: BTreeSet<String> = replays.iter().filter(|replay| refuses(replay)).map(label).collect();
    let mut bases = replays.iter().map(label);
    let base = bases.clone().find(|base| !refusing.contains(base)).or_else(|| bases.next());
    let base = base.unwrap_or_default();
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
