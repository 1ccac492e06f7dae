//! The jobs that a report's player shows: a window of time, and the nodes of each.

use std::collections::BTreeMap;

use anyhow::anyhow;

use super::Args;
use crate::cli::Failure;
use crate::cli::results::Results;
use crate::frame::{Sheet, SheetColumn, SheetValues};
use crate::machine::{Mesh, parse_intervals};
use crate::report::{Schedule, ScheduledJob, ScheduledReplay};
use crate::text::grouped;

/// Jobs of a replay that a file holds at most, so that it stays below ten megabytes.
const JOBS: usize = 2000;
/// Replays shown if nobody says which.
const REPLAYS: usize = 4;
const COLUMNS: [&str; 8] = ["replay", "seed", "job", "submit_s", "start_s", "end_s", "procs", "nodes"];

/// The columns of the jobs, all of the same height.
struct Jobs<'a> {
    numbers: [&'a [Option<f64>]; 7],
    nodes: &'a [String],
    seeds: &'a SheetColumn,
}

impl<'a> Jobs<'a> {
    fn new(sheet: &'a Sheet) -> Option<Self> {
        let mut numbers: [&[Option<f64>]; 7] = [&[]; 7];
        for (slot, name) in numbers.iter_mut().zip(COLUMNS) {
            let SheetValues::Number { numbers, .. } = &sheet.column(name)?.values else { return None };
            *slot = numbers;
        }
        match &sheet.column("nodes")?.values {
            SheetValues::Text(nodes) => Some(Self { numbers, nodes, seeds: sheet.column("seed")? }),
            SheetValues::Number { .. } => None,
        }
    }

    fn of(&self, column: usize, i: usize) -> f64 {
        self.numbers[column][i].unwrap_or_default()
    }
}

/// What the player shows; `None` if jobs or their nodes were not kept.
pub(super) fn schedule(args: &Args, results: &Results) -> Result<Option<Schedule>, Failure> {
    let shown = shown(args, results)?;
    let is_shown = |replay: u64| shown.iter().any(|(other, ..)| *other == replay);
    let Some(sheet) = Sheet::read_jobs(&args.folder, &COLUMNS, &is_shown)? else { return Ok(None) };
    let Some(jobs) = Jobs::new(&sheet) else { return Ok(None) };
    let mut by_replay: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
    let mut first: BTreeMap<u64, usize> = BTreeMap::new();
    for i in 0..jobs.nodes.len() {
        let replay = jobs.of(0, i) as u64;
        let first = *first.entry(replay).or_insert(i);
        if shown.iter().any(|(other, ..)| *other == replay) && jobs.seeds.is_same(i, first) {
            by_replay.entry(replay).or_default().push(i);
        }
    }
    for rows in by_replay.values_mut() {
        rows.sort_by(|&a, &b| jobs.of(4, a).total_cmp(&jobs.of(4, b)));
    }
    let window_s = args.window.unwrap_or_else(|| usual_window(&jobs, &by_replay));
    let mut replays = Vec::new();
    let (mut kept, mut all) = (0, 0);
    for (replay, name, extents) in shown {
        let rows = by_replay.remove(&replay).unwrap_or_default();
        all += rows.len();
        let inside = |&&i: &&usize| jobs.of(4, i) <= window_s.1 && jobs.of(5, i) > window_s.0;
        let mut scheduled = Vec::new();
        for &i in rows.iter().filter(inside) {
            scheduled.push(
                job(&jobs, i, extents).map_err(|problem| anyhow!("{}: {problem}", sheet.path.display()))?,
            );
        }
        if scheduled.len() > 10 * JOBS {
            let found = grouped(scheduled.len() as f64, 0);
            return Err(anyhow!(
                "{found} jobs of {name} run between {} and {} s, too many for one file; give a narrower --window",
                window_s.0,
                window_s.1
            )
            .into());
        }
        kept += scheduled.len();
        replays.push(ScheduledReplay { name, extents, jobs: scheduled });
    }
    let count = |count: usize| grouped(count as f64, 0);
    let note = format!(
        "{} of {} jobs: those that run between {} and {} s of the replays; each job keeps its colour.",
        count(kept),
        count(all),
        grouped(window_s.0, 0),
        grouped(window_s.1, 0)
    );
    Ok(Some(Schedule { window_s, note, replays }))
}

/// A replay: its number, its name, the extents of its machine.
type Shown = (u64, String, [u32; 3]);

/// The replays that are shown.
fn shown(args: &Args, results: &Results) -> Result<Vec<Shown>, Failure> {
    let numbers = results.numbers("", "replay")?;
    let mut all: Vec<Shown> = Vec::new();
    for (row, number) in numbers.iter().enumerate() {
        let number = number.unwrap_or_default() as u64;
        if all.iter().any(|(other, ..)| *other == number) {
            continue;
        }
        let machine: Mesh = results
            .label(row, "machine")
            .parse()
            .map_err(|error| anyhow!("{}: column 'machine': {error}", results.sheet.path.display()))?;
        let wanted = args.show.is_empty() || args.show.contains(&results.label(row, "allocator"));
        if wanted {
            all.push((number, results.name(row, &[]), machine.extents()));
        }
    }
    if let Some(missing) = args
        .show
        .iter()
        .find(|show| !(0..results.sheet.height()).any(|row| results.label(row, "allocator") == **show))
    {
        let mut known: Vec<String> =
            (0..results.sheet.height()).map(|row| results.label(row, "allocator")).collect();
        known.dedup();
        return Err(Failure::Usage(anyhow!(
            "--show '{missing}' is not among the results (one of: {})",
            known.join(", ")
        )));
    }
    all.truncate(if args.show.is_empty() { REPLAYS } else { all.len() });
    Ok(all)
}

/// From the first start to where one of the replays has started as many jobs as may be shown.
fn usual_window(jobs: &Jobs<'_>, by_replay: &BTreeMap<u64, Vec<usize>>) -> (f64, f64) {
    let starts = |rows: &Vec<usize>| rows.first().map(|&i| jobs.of(4, i));
    let from = by_replay.values().filter_map(starts).fold(f64::INFINITY, f64::min);
    let until = |rows: &Vec<usize>| match rows.get(JOBS) {
        Some(&i) => jobs.of(4, i),
        None => rows.iter().map(|&i| jobs.of(5, i)).fold(f64::NEG_INFINITY, f64::max),
    };
    let cut = by_replay.values().any(|rows| rows.len() > JOBS);
    let ends = by_replay.values().filter(|rows| !cut || rows.len() > JOBS).map(until);
    let to = if cut { ends.fold(f64::INFINITY, f64::min) } else { ends.fold(f64::NEG_INFINITY, f64::max) };
    if from < to { (from, to) } else { (0.0, 1.0) }
}

fn job(jobs: &Jobs<'_>, i: usize, extents: [u32; 3]) -> Result<ScheduledJob, String> {
    let number = jobs.of(2, i) as i64;
    let nodes = parse_intervals(&jobs.nodes[i])
        .ok()
        .filter(|runs| runs.iter().all(|(_, last)| *last < extents.iter().product()));
    Ok(ScheduledJob {
        number,
        times_s: [3, 4, 5].map(|column| jobs.of(column, i)),
        procs: jobs.of(6, i) as u32,
        nodes: nodes.ok_or_else(|| {
            format!(
                "job {number}, column 'nodes': found '{}', expected nodes of the machine as 0-3 7",
                jobs.nodes[i]
            )
        })?,
    })
}
