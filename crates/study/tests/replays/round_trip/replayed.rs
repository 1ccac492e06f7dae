//! Replays a log as recorded, on the machines derived from the log, and compares the replay with the cluster.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use meshreplay_logs::{PartitionChoice, ReadOptions};
use meshreplay_sim::metrics::Monitor;
use meshreplay_study::study::{Axes, Draft, LogSource, Options, Outcome, PeriodChoice, Replay};

use super::truth::{Said, Want, Written};

/// A replayed job with its start and its end.
type Run<'a> = (&'a Want, (i64, i64));

/// A replay of a part of a log.
struct Part {
    /// Partitions, or `None` for the whole log.
    partitions: Option<BTreeSet<String>>,
    nodes: i64,
    outcome: Outcome,
}

/// Returns the first difference in the replays of the whole log, of its partitions, and of logs with shared
/// nodes.
pub(super) fn replayed(written: &Written, path: &Path, said: &Said) -> Option<String> {
    if said.has(&["clocks are put"]) {
        return None;
    }
    let runs: Vec<Run> = written.jobs.iter().filter_map(|want| Some((want, want.run_s()?))).collect();
    if runs.is_empty() {
        return None;
    }
    let machine = machine(&runs, written.has_lists);
    let found = parts(written, path, (allocator(written, &runs), PartitionChoice::All, Some(machine)));
    match (found, written.has_waits) {
        (Err(error), false) if error.contains("recorded wait") => None,
        (_, false) => Some("waits are unknown, and the scheduler recorded replays them".to_owned()),
        (Err(error), true) => Some(format!("not replayed: {error}")),
        (Ok((parts, _)), true) => parts.iter().find_map(|part| unlike(&runs, part)),
    }
    .or_else(|| by_partition(written, path, &runs))
    .or_else(|| of_shared_nodes(written, path, &runs))
}

/// Returns `recorded` if there are lists and no job of 0 s, which may run while other jobs have its nodes.
fn allocator(written: &Written, runs: &[Run<'_>]) -> &'static str {
    let has_passing = runs.iter().any(|(_, (start_s, end_s))| start_s == end_s);
    if written.has_lists && !has_passing { "recorded" } else { "naive" }
}

/// Replays partitions on separate machines if they share no nodes, and compares each replay.
fn by_partition(written: &Written, path: &Path, runs: &[Run<'_>]) -> Option<String> {
    if !written.has_lists || !written.has_waits {
        return None;
    }
    let parts = match parts(written, path, (allocator(written, runs), PartitionChoice::ByNodes, None)) {
        Ok((parts, _)) => parts,
        // Few jobs do not show the size of their machine.
        Err(error) if error.contains("size of its machine is not known") => return None,
        Err(error) => return Some(format!("not replayed by partition: {error}")),
    };
    let partition = |want: &Want| want.names[3].clone().unwrap_or_default();
    let mut replayed = 0;
    for part in &parts {
        let is_in =
            |want: &Want| part.partitions.as_ref().is_none_or(|names| names.contains(&partition(want)));
        let runs: Vec<Run> = runs.iter().filter(|(want, _)| is_in(want)).copied().collect();
        let names = names(&runs);
        let is_known =
            runs.iter().all(|(want, _)| want.procs == want.nodes.as_ref().map(|list| list.len() as i64));
        if is_known && part.nodes != names {
            return Some(format!("machine of {}, {names} names", part.nodes));
        }
        // A size by the use of the machine may be exceeded for a moment.
        let problem = if part.nodes < machine(&runs, true) { None } else { unlike(&runs, part) };
        if let Some(problem) = problem {
            return Some(format!("partitions {:?}: {problem}", part.partitions));
        }
        replayed += runs.len();
    }
    if replayed != runs.len() {
        return Some(format!("{replayed} jobs replayed by partition, expected {}", runs.len()));
    }
    let found: BTreeSet<_> = parts.into_iter().filter_map(|part| part.partitions).collect();
    let meant = groups(runs, &partition);
    let meant = if meant.len() > 1 { meant } else { BTreeSet::new() };
    let has_passing = runs.iter().any(|(_, (start_s, end_s))| start_s == end_s);
    let is_known = runs.iter().all(|(want, _)| want.names[3].is_some());
    (!has_passing && is_known && found != meant).then(|| format!("groups {found:?}, expected {meant:?}"))
}

/// Groups of partitions that share at least 1 % of the node time of the smaller one, directly or indirectly.
fn groups(runs: &[Run<'_>], partition: &dyn Fn(&Want) -> String) -> BTreeSet<BTreeSet<String>> {
    let mut times: BTreeMap<String, BTreeMap<&String, i64>> = BTreeMap::new();
    for (want, (start_s, end_s)) in runs {
        for node in want.nodes.iter().flatten() {
            *times.entry(partition(want)).or_default().entry(node).or_default() += end_s - start_s;
        }
    }
    let total = |of: &BTreeMap<&String, i64>| of.values().sum::<i64>();
    let shared = |one: &BTreeMap<&String, i64>, other: &BTreeMap<&String, i64>| -> i64 {
        one.iter().filter_map(|(node, time)| Some(*time.min(other.get(node)?))).sum()
    };
    let mut groups: BTreeSet<BTreeSet<String>> = BTreeSet::new();
    for (name, time) in &times {
        let is_linked =
            |other: &String| 100 * shared(time, &times[other]) >= total(time).min(total(&times[other]));
        let (linked, others): (Vec<_>, Vec<_>) =
            groups.into_iter().partition(|group: &BTreeSet<String>| group.iter().any(is_linked));
        groups = others.into_iter().collect();
        groups.insert(linked.into_iter().flatten().chain([name.clone()]).collect());
    }
    groups
}

/// Compares a replay with the true runs.
fn unlike(runs: &[Run<'_>], part: &Part) -> Option<String> {
    let Part { nodes, outcome, .. } = part;
    if outcome.jobs.len() != runs.len() {
        return Some(format!("{} jobs replayed, expected {}", outcome.jobs.len(), runs.len()));
    }
    let first_s = runs.iter().map(|(want, _)| want.submit_s).min()?;
    let first_us = outcome.jobs.iter().map(|job| job.job.submit).min()?.as_micros();
    for ((want, (start_s, end_s)), record) in runs.iter().zip(outcome.jobs.iter().map(|job| &job.record)) {
        let found = [record.start, record.end].map(|time| time.as_micros() - first_us);
        if found != [start_s, end_s].map(|time_s| 1_000_000 * (time_s - first_s)) {
            return Some(format!(
                "job {:?} ran {found:?}, expected {start_s}-{end_s} since {first_s}",
                want.id
            ));
        }
    }
    let last_s = runs.iter().map(|(_, (_, end_s))| *end_s).max()?;
    let of_run = |(want, (start_s, end_s)): &Run<'_>| want.procs.unwrap_or(0) * (end_s - start_s);
    let (busy, whole) = (runs.iter().map(of_run).sum::<i64>(), (last_s - first_s) * nodes);
    let (found, expected) = (outcome.summary.get("utilization"), busy as f64 / whole as f64);
    if whole > 0 && found.is_none_or(|found| (found - expected).abs() > 1e-9) {
        return Some(format!("utilization {found:?}, expected {expected}"));
    }
    let mut above = ["starts_delayed", "nodes_replaced", "lists_unknown"].iter();
    let above = above.find(|name| outcome.summary.get(name).unwrap_or(0.0) > 0.0);
    above.map(|name| format!("{name} is above 0"))
}

/// The number of different names of nodes.
fn names(runs: &[Run<'_>]) -> i64 {
    let names: BTreeSet<&String> = runs.iter().flat_map(|(want, _)| want.nodes.iter().flatten()).collect();
    names.len() as i64
}

/// A machine on which every job starts as recorded: the most processors in use at once, and with lists at
/// least the names in them.
fn machine(runs: &[Run<'_>], has_lists: bool) -> i64 {
    most_in_use(runs).max(if has_lists { names(runs) } else { 1 })
}

/// The maximum number of busy processors, counted at every start: all running jobs, and the largest job of 0
/// s, because jobs of 0 s run one after the other.
fn most_in_use(runs: &[Run<'_>]) -> i64 {
    let procs = |(want, _): &Run<'_>| want.procs.unwrap_or(0);
    let at = |now_s: i64| {
        let running = runs.iter().filter(|(_, (start_s, end_s))| *start_s <= now_s && now_s < *end_s);
        let passing = runs.iter().filter(|(_, (start_s, end_s))| start_s == end_s && *start_s == now_s);
        running.map(procs).sum::<i64>() + passing.map(procs).max().unwrap_or(0)
    };
    runs.iter().map(|(_, (start_s, _))| at(*start_s)).max().unwrap_or(0)
}

/// Reads a log of shared nodes in the default unit, nodes, instead of CPUs. The nodes of some jobs then count
/// more than once, so the log is refused, or a note gives the share.
fn of_shared_nodes(written: &Written, path: &Path, runs: &[Run<'_>]) -> Option<String> {
    if !written.is_shared || !runs.iter().all(|(want, _)| want.nodes.is_some()) {
        return None;
    }
    let format = written.format.replace(",unit=cpus", "").replace(":unit=cpus", "");
    let found = parts(
        &Written { format, ..written.clone() },
        path,
        ("naive", PartitionChoice::All, Some(machine(runs, true))),
    );
    let share = share_of_repeats(runs);
    match found {
        Err(error) if share >= 0.05 => {
            (!error.contains("--unit cpus")).then(|| format!("shared nodes give another error: {error}"))
        }
        Ok(_) if share >= 0.05 => Some(format!("{share} of the node time is shared, and nodes are counted")),
        Ok((_, notes)) if share >= 0.001 => (!notes.iter().any(|note| note.contains("share nodes")))
            .then(|| format!("nothing said of {share} shared node time")),
        Err(error) => Some(format!("{share} of the node time is shared: {error}")),
        Ok(_) => None,
    }
}

/// The share of the node time that counts more than once because several jobs share a node.
fn share_of_repeats(runs: &[Run<'_>]) -> f64 {
    let mut by_node: BTreeMap<&String, Vec<(i64, i64)>> = BTreeMap::new();
    for (want, run) in runs {
        for node in want.nodes.iter().flatten() {
            by_node.entry(node).or_default().push(*run);
        }
    }
    let (mut listed, mut covered) = (0, 0);
    for runs in by_node.values_mut() {
        runs.sort_unstable();
        let mut until = i64::MIN;
        for (start_s, end_s) in runs {
            listed += *end_s - *start_s;
            covered += (*end_s - until.max(*start_s)).max(0);
            until = until.max(*end_s);
        }
    }
    if listed == 0 { 0.0 } else { (listed - covered) as f64 / listed as f64 }
}

/// The replays of the parts of a log as recorded, and the notes on the log, or the error.
fn parts(
    written: &Written,
    path: &Path,
    (allocator, choice, machine): (&str, PartitionChoice, Option<i64>),
) -> Result<(Vec<Part>, Vec<String>), String> {
    let mut notes = Vec::new();
    let draft = draft(written, path, (allocator, choice, machine))?;
    let study = draft.plan(&mut notes).map_err(|error| error.to_string())?;
    let mut parts = Vec::new();
    for cell in &study.cells {
        let source = cell.source.clone().ok_or("no jobs")?;
        let replay = Replay::new(cell.spec.clone(), source);
        let outcomes = replay.run(&study.options, &Monitor::default()).map_err(|error| error.to_string());
        let partitions = cell.spec.partition.as_ref().map(ToString::to_string);
        parts.push(Part {
            partitions: partitions.map(|names| names.split('+').map(str::to_owned).collect()),
            nodes: i64::from(cell.spec.machine.available()),
            outcome: outcomes?.pop().ok_or("no outcome")?,
        });
    }
    Ok((parts, notes))
}

/// The study of a command that replays a log as recorded on a machine of this size, or on the machine derived
/// from the log.
fn draft(
    written: &Written,
    path: &Path,
    (allocator, choice, machine): (&str, PartitionChoice, Option<i64>),
) -> Result<Draft, String> {
    fn parsed<T: std::str::FromStr>(text: &str) -> Result<T, String>
    where
        T::Err: ToString,
    {
        text.parse().map_err(|error: T::Err| error.to_string())
    }
    let format = Some(parsed(&written.format)?);
    let period = Some(PeriodChoice::Off);
    let options = Options { jobs: true, period, input_format: format.clone(), ..Options::default() };
    let read = ReadOptions { format, ..ReadOptions::default() };
    let source = LogSource::new(&path.to_string_lossy(), path.to_owned(), read);
    let axes = Axes {
        partitions: vec![choice],
        machines: machine.map(|nodes| parsed(&nodes.to_string())).transpose()?.into_iter().collect(),
        autos: if machine.is_none() { vec![(0, parsed("auto:1d")?)] } else { Vec::new() },
        schedulers: vec![parsed("recorded")?],
        allocators: vec![parsed(allocator)?],
        ..Axes::default()
    };
    Ok(Draft {
        name: String::new(),
        description: None,
        options,
        logs: vec![source.map_err(|error| error.to_string())?],
        axes,
        is_of_command: true,
        most_kept: usize::MAX,
        notes: Vec::new(),
    })
}
