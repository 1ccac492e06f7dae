//! The allocator `recorded`: on feasible logs every job gets the nodes of its list, on other logs the same
//! nodes as in a plain reference implementation.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::Arc;

use meshreplay_base::job::{Job, Time};
use meshreplay_logs::ReadOptions;
use meshreplay_machine::machine::{Mesh, NodeId, parse_intervals};
use meshreplay_sim::metrics::{FinishedJob, Monitor};
use meshreplay_study::study::{JobSource, LoadedLog, Options, Outcome, Replay, ReplaySpec, load};
use meshreplay_workload::Rules;

use super::support::{Numbers, Tested};

/// A job of a generated log: submission, start and end in seconds, processors, and the nodes of its list,
/// empty for a job without a list.
struct Line {
    submit_s: u32,
    start_s: u32,
    end_s: u32,
    procs: u32,
    nodes: Vec<NodeId>,
}

/// The name of a node.
fn name(node: NodeId) -> String {
    format!("rack{}n{:02}", node % 3, node)
}

/// Writes and reads a log with these lines.
fn loaded(lines: &[Line]) -> Result<LoadedLog, Box<dyn std::error::Error>> {
    let mut text = "job,submit,start,end,procs,nodelist\n".to_owned();
    for (i, line) in lines.iter().enumerate() {
        let Line { submit_s, start_s, end_s, procs, nodes } = line;
        let names: Vec<String> = nodes.iter().map(|&node| name(node)).collect();
        writeln!(text, "{},{submit_s},{start_s},{end_s},{procs},\"{}\"", i + 1, names.join(","))?;
    }
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("log.csv");
    std::fs::write(&path, text)?;
    Ok(load(
        &path,
        ReadOptions { format: Some("table".parse()?), ..ReadOptions::default() },
        Rules::default(),
    )?)
}

/// A node map of all nodes of a machine, in another order than by name.
fn map_of(mesh: &Mesh) -> Result<tempfile::NamedTempFile, Box<dyn std::error::Error>> {
    let mut text = "z,y,x,host\n".to_owned();
    for node in (0..mesh.nodes()).rev() {
        let [x, y, z] = mesh.coord(node);
        writeln!(text, "{z},{y},{x},{}", name(node))?;
    }
    let file = tempfile::NamedTempFile::new()?;
    std::fs::write(file.path(), text)?;
    Ok(file)
}

fn replayed(
    log: &LoadedLog,
    [machine, scheduler, allocator]: [&str; 3],
) -> Result<Outcome, Box<dyn std::error::Error>> {
    let mesh: Mesh = machine.parse()?;
    let map = map_of(&mesh)?;
    let node_map = Some(map.path().to_str().ok_or("no text")?.parse()?);
    let options = Options { jobs: true, placements: true, node_map, ..Options::default() };
    let spec = ReplaySpec::new(mesh, scheduler.parse()?, allocator.parse()?);
    let source = JobSource::recorded(Arc::clone(&log.workload.jobs), 0).of_log(&log.summary);
    Replay::new(spec, source).run(&options, &Monitor::default())?.pop().ok_or_else(|| "no replication".into())
}

/// The nodes of each job, ascending.
fn placements(outcome: &Outcome) -> Result<Vec<Vec<NodeId>>, Box<dyn std::error::Error>> {
    let nodes = |job: &FinishedJob| -> Result<Vec<NodeId>, Box<dyn std::error::Error>> {
        let runs = parse_intervals(&job.measures.more().nodes)?;
        Ok(runs.into_iter().flat_map(|(first, last)| first..=last).collect())
    };
    outcome.jobs.iter().map(nodes).collect()
}

/// A feasible log: each job has random nodes that were free at its start.
fn possible(seed: u64, nodes: u32) -> Vec<Line> {
    let (mut numbers, mut lines): (Numbers, Vec<Line>) = (Numbers(seed), Vec::new());
    let mut start_s = 0;
    while lines.len() < 150 {
        start_s += numbers.below(9) / 3;
        let runs = |line: &&Line| line.end_s > start_s;
        let busy: BTreeSet<NodeId> = lines.iter().filter(runs).flat_map(|line| line.nodes.clone()).collect();
        let mut free: Vec<NodeId> = (0..nodes).filter(|node| !busy.contains(node)).collect();
        if free.is_empty() {
            continue;
        }
        let procs = 1 + numbers.below((free.len() as u32).min(nodes.div_ceil(3)));
        let drawn = (0..procs).map(|_| free.swap_remove(numbers.below(free.len() as u32) as usize));
        let nodes = drawn.collect();
        let (submit_s, end_s) = (start_s.saturating_sub(numbers.below(30)), start_s + 1 + numbers.below(40));
        lines.push(Line { submit_s, start_s, end_s, procs, nodes });
    }
    lines
}

#[test]
fn possible_logs_are_replayed_to_the_node() -> Tested {
    for (seed, machine) in (0..).zip(["4x4", "torus:5x3", "4x3x2", "37", "torus:3x3x3"]) {
        let nodes = machine.parse::<Mesh>()?.nodes();
        let lines = possible(seed, nodes);
        let log = loaded(&lines)?;
        let outcome = replayed(&log, [machine, "recorded", "recorded"])?;
        let found = lines.iter().zip(placements(&outcome)?);
        for ((line, found), FinishedJob { job, record, .. }) in found.zip(&outcome.jobs) {
            let mut expected = line.nodes.clone();
            expected.sort_unstable();
            assert_eq!(found, expected, "{machine}");
            let lengths = [record.start - job.submit, record.end - record.start];
            let expected = [line.start_s - line.submit_s, line.end_s - line.start_s];
            assert_eq!(lengths, expected.map(|length_s| Time::from_seconds(length_s.into())), "{machine}");
        }
        for name in ["nodes_replaced", "placements_replaced", "lists_unknown", "starts_delayed"] {
            assert_eq!(outcome.summary.get(name), Some(0.0), "{name}");
        }
        assert_eq!(outcome.notes_on_nodes, Vec::<String>::new());
    }
    Ok(())
}

/// An infeasible log: lists overlap, are too short or too long, or are missing.
fn impossible(seed: u64, nodes: u32) -> Vec<Line> {
    let (mut numbers, mut submit_s) = (Numbers(seed), 0);
    let mut line = |_| {
        submit_s += numbers.below(9) / 2;
        let procs = 1 + numbers.below(nodes.div_ceil(2));
        let length = match numbers.below(8) {
            0 => 0,
            1 => 1 + numbers.below(nodes),
            _ => procs,
        };
        let mut all: Vec<NodeId> = (0..nodes).collect();
        let list = (0..length).map(|_| all.swap_remove(numbers.below(all.len() as u32) as usize)).collect();
        let start_s = submit_s + numbers.below(20);
        Line { submit_s, start_s, end_s: start_s + 1 + numbers.below(12), procs, nodes: list }
    };
    (0..150).map(&mut line).collect()
}

/// Reference implementation of the documented rules, for the starts and ends of a replay. Returns the nodes
/// of each job, ascending, and the number of nodes that are not in the list of their job.
fn twin(lines: &[Line], outcome: &Outcome, mesh: &Mesh) -> (Vec<Vec<NodeId>>, u64) {
    let seconds = |time: meshreplay_base::job::Time| time.as_micros() / 1_000_000;
    // At the same time, ends come first, then starts in the order of recorded starts.
    let mut events: BTreeMap<(i64, bool, u32, u32, usize), usize> = BTreeMap::new();
    for (i, (record, line)) in outcome.jobs.iter().map(|job| &job.record).zip(lines).enumerate() {
        events.insert((seconds(record.end), false, 0, 0, i), i);
        events.insert((seconds(record.start), true, line.start_s, line.submit_s, i), i);
    }
    let mut free: BTreeSet<NodeId> = (0..mesh.nodes()).filter(|&node| mesh.is_available(node)).collect();
    let (mut placed, mut replaced) = (vec![Vec::new(); lines.len()], 0);
    for ((_, starts, ..), i) in events {
        let Line { procs, nodes: list, .. } = &lines[i];
        if !starts {
            free.extend(&placed[i]);
            continue;
        }
        let distance = |node: NodeId| {
            list.iter().map(|&other| mesh.l1(mesh.coord(node), mesh.coord(other))).min().unwrap_or(0)
        };
        let mut chosen: Vec<NodeId> =
            list.iter().copied().filter(|node| free.contains(node)).take(*procs as usize).collect();
        let mut others: Vec<NodeId> = free.iter().copied().filter(|node| !list.contains(node)).collect();
        others.sort_by_key(|&node| (distance(node), node));
        let missing = *procs as usize - chosen.len();
        replaced += if list.is_empty() { 0 } else { missing as u64 };
        chosen.extend(others.into_iter().take(missing));
        chosen.sort_unstable();
        for node in &chosen {
            assert!(free.remove(node));
        }
        placed[i] = chosen;
    }
    (placed, replaced)
}

#[test]
fn every_placement_equals_that_of_the_plain_twin() -> Tested {
    let mut replacements = 0;
    for seed in 0..6 {
        for machine in ["4x4", "torus:5x3", "4x3x2", "37", "6x3:wrap=y"] {
            let mesh: Mesh = machine.parse()?;
            let lines = impossible(seed, mesh.nodes());
            let log = loaded(&lines)?;
            let outcome = replayed(&log, [machine, "recorded", "recorded"])?;
            let (placed, replaced) = twin(&lines, &outcome, &mesh);
            assert_eq!(placements(&outcome)?, placed, "{seed} on {machine}");
            assert_eq!(outcome.summary.get("nodes_replaced"), Some(replaced as f64), "{seed} on {machine}");
            let without = lines.iter().filter(|line| line.nodes.is_empty()).count();
            assert_eq!(outcome.summary.get("lists_unknown"), Some(without as f64), "{seed} on {machine}");
            replacements += replaced;
        }
    }
    assert!(replacements > 1000, "{replacements}");
    Ok(())
}

/// Counts the jobs that share a node with an earlier job at the same time, by comparing all pairs.
fn overlapping(lines: &[Line]) -> usize {
    let mut order: Vec<&Line> = lines.iter().collect();
    order.sort_by_key(|line| line.start_s);
    let meets = |line: &Line, other: &&Line| {
        other.end_s > line.start_s && other.nodes.iter().any(|node| line.nodes.contains(node))
    };
    let later = order.iter().enumerate();
    later.filter(|(i, line)| order[..*i].iter().any(|other| meets(line, other))).count()
}

#[test]
fn overlapping_lists_are_counted() -> Tested {
    let lines = impossible(3, 16);
    let log = loaded(&lines)?;
    let outcome = replayed(&log, ["4x4", "easy", "recorded"])?;
    let expected =
        format!("{} of 150 jobs have nodes in their lists that another job had", overlapping(&lines));
    assert!(
        outcome.notes_on_nodes.iter().any(|note| note.contains(&expected)),
        "{:?}",
        outcome.notes_on_nodes
    );
    Ok(())
}

#[test]
fn jobs_keep_their_lists_under_every_scheduler_as_far_as_they_can() -> Tested {
    let lines = possible(9, 24);
    let log = loaded(&lines)?;
    let jobs: &[Job] = &log.workload.jobs;
    for scheduler in ["fcfs", "easy", "conservative"] {
        let outcome = replayed(&log, ["4x3x2", scheduler, "recorded"])?;
        let mut replaced = 0;
        for ((line, found), job) in lines.iter().zip(placements(&outcome)?).zip(jobs) {
            assert_eq!(found.len(), job.procs as usize);
            replaced += found.iter().filter(|node| !line.nodes.contains(node)).count();
        }
        assert_eq!(outcome.summary.get("nodes_replaced"), Some(replaced as f64), "{scheduler}");
        assert!(replaced > 0, "{scheduler}");
    }
    Ok(())
}
