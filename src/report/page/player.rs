//! Chooses the jobs that the player of a report shows, and their window of time.

use std::collections::BTreeMap;
use std::path::Path;

use super::error::ReportError;
use super::played::{Played, PlayedJob, PlayedReplay};
use super::strip::{Run, Strip};
use crate::allocator;
use crate::figure::{Results, downtimes};
use crate::frame::{Downtimes, KilledRun, Sheet, SheetColumn};
use crate::machine::{Mesh, parse_intervals};
use crate::text::grouped;

/// The number of jobs of a replay up to which a file stays below ten megabytes.
const JOBS: usize = 2000;
/// The number of replays that are shown if the user names none.
const REPLAYS: usize = 4;
const COLUMNS: [&str; 9] =
    ["replay", "seed", "job", "submit_s", "start_s", "end_s", "procs", "allocated", "nodes"];

/// The columns of the jobs frame, which all have the same height.
struct Jobs<'a> {
    numbers: [&'a [Option<f64>]; 8],
    nodes: &'a [String],
    seeds: &'a SheetColumn,
}

impl<'a> Jobs<'a> {
    /// Returns the columns; `None` if one is missing or has the wrong type.
    fn new(sheet: &'a Sheet) -> Option<Self> {
        let mut numbers: [&[Option<f64>]; 8] = [&[]; 8];
        for (slot, name) in numbers.iter_mut().zip(COLUMNS) {
            *slot = sheet.numbers(name)?;
        }
        let nodes = sheet.column("nodes")?.texts()?;
        Some(Self { numbers, nodes, seeds: sheet.column("seed")? })
    }

    /// Returns the number in row `i` of a column in [`COLUMNS`]; 0 if it is missing.
    fn of(&self, column: usize, i: usize) -> f64 {
        self.numbers[column][i].unwrap_or_default()
    }

    /// Returns the rows of each replay that `is_shown` accepts, for its first seed only, sorted by start.
    fn by_replay(&self, is_shown: impl Fn(u64) -> bool) -> BTreeMap<u64, Vec<usize>> {
        let (mut by_replay, mut first) = (BTreeMap::<u64, Vec<usize>>::new(), BTreeMap::new());
        for i in 0..self.nodes.len() {
            let replay = self.of(0, i) as u64;
            let first = *first.entry(replay).or_insert(i);
            if is_shown(replay) && self.seeds.is_same(i, first) {
                by_replay.entry(replay).or_default().push(i);
            }
        }
        for rows in by_replay.values_mut() {
            rows.sort_by(|&a, &b| self.of(4, a).total_cmp(&self.of(4, b)));
        }
        by_replay
    }
}

/// Returns the jobs that the player shows. `show` names the allocators; if it is empty, the first few replays are
/// shown. `window_s` is the window of time; by default no replay starts more than [`JOBS`] jobs in it. Returns `None`
/// if jobs or their nodes were not kept.
pub(super) fn played(
    folder: &Path,
    results: &Results,
    show: &[String],
    window_s: Option<(f64, f64)>,
) -> Result<Option<Played>, ReportError> {
    let shown = shown(show, results)?;
    let is_shown = |replay: u64| shown.iter().any(|other| other.number == replay);
    let Some(sheet) = Sheet::read_jobs(folder, &COLUMNS, &is_shown)? else { return Ok(None) };
    let Some(jobs) = Jobs::new(&sheet) else { return Ok(None) };
    let mut by_replay = jobs.by_replay(is_shown);
    let window_s = window_s.unwrap_or_else(|| default_window(&jobs, &by_replay));
    let mut outages = downtimes(folder, results, &is_shown)?;
    let mut replays = Vec::new();
    let (mut kept, mut all, mut killed) = (0, 0, 0);
    for Shown { number, name, machine, colour } in shown {
        let rows = by_replay.remove(&number).unwrap_or_default();
        all += rows.len();
        let is_inside = |&&i: &&usize| jobs.of(4, i) <= window_s.1 && jobs.of(5, i) > window_s.0;
        let inside: Result<Vec<_>, _> =
            rows.iter().filter(is_inside).map(|&i| job(&jobs, i, &machine, &sheet.path)).collect();
        let mut inside = inside?;
        kept += inside.len();
        let Downtimes { mut down, killed: lost } = outages.remove(&number).unwrap_or_default();
        down.retain(|down| down.from_s <= window_s.1 && down.until_s > window_s.0);
        let lost: Vec<PlayedJob> = lost.into_iter().filter_map(|run| killed_run(run, window_s)).collect();
        killed += lost.len();
        inside.extend(lost);
        inside.sort_by(|a, b| a.times_s[1].total_cmp(&b.times_s[1]));
        if inside.len() > 10 * JOBS {
            let (from, to) = window_s;
            let jobs = grouped(inside.len() as f64, 0);
            return Err(ReportError::TooManyJobs { jobs, replay: name, from, to });
        }
        let (extents, unavailable) = (machine.extents(), machine.unavailable().to_vec());
        let run = |&i: &usize| Run {
            submit_s: jobs.of(3, i),
            start_s: jobs.of(4, i),
            end_s: jobs.of(5, i),
            nodes: jobs.of(7, i),
        };
        let strip = Strip::of(rows.iter().map(run), window_s, f64::from(machine.available()));
        replays.push(PlayedReplay { name, colour, strip, extents, unavailable, down, jobs: inside });
    }
    let count = |count: usize| grouped(count as f64, 0);
    let has_holes = replays.iter().any(|replay| !replay.unavailable.is_empty());
    let lost = match killed {
        0 => String::new(),
        1 => " and 1 run that was killed".to_owned(),
        killed => format!(" and {} runs that were killed", count(killed)),
    };
    let note = format!(
        "{} of {} jobs{lost}: those that run between {} and {} s of the replays; each job keeps its colour.{}",
        count(kept),
        count(all),
        grouped(window_s.0, 0),
        grouped(window_s.1, 0),
        if has_holes { " Nodes that are only outlined are unavailable." } else { "" }
    );
    Ok(Some(Played { window_s, note, replays }))
}

/// A replay that the player shows.
struct Shown {
    number: u64,
    name: String,
    machine: Mesh,
    /// The colour of the replay's curve in figures.
    colour: &'static str,
}

/// Returns the replays of the allocators in `show`, or the first [`REPLAYS`] ones if `show` is empty. Fails if an
/// allocator is not among the results.
fn shown(show: &[String], results: &Results) -> Result<Vec<Shown>, ReportError> {
    let allocators: Vec<String> =
        (0..results.sheet.height()).map(|row| results.label(row, "allocator")).collect();
    // An allocator may be named as it was typed, or by another spelling of the same spec.
    let short = |row: usize| allocator::short_label(&results.label(row, "allocator_spec"));
    let shorts: Vec<String> = (0..allocators.len()).map(short).collect();
    let is =
        |row: usize, show: &String| *show == allocators[row] || allocator::short_label(show) == shorts[row];
    if let Some(missing) = show.iter().find(|show| !(0..allocators.len()).any(|row| is(row, show))) {
        let mut known = allocators;
        known.dedup();
        return Err(ReportError::NotShown { allocator: missing.clone(), known: known.join(", ") });
    }
    let mut all: Vec<Shown> = Vec::new();
    let curves = results.curves(&[]);
    for (row, number) in results.numbers("replay")?.iter().enumerate() {
        let number = number.unwrap_or_default() as u64;
        let is_wanted = show.is_empty() || show.iter().any(|show| is(row, show));
        if is_wanted && !all.iter().any(|other| other.number == number) {
            let machine = results.machine(row)?;
            let curve = curves.iter().find(|curve| curve.rows.contains(&row));
            let colour = curve.map(|curve| curve.look).unwrap_or_default().colour();
            all.push(Shown { number, name: results.name(row, &[]), machine, colour });
        }
    }
    all.truncate(if show.is_empty() { REPLAYS } else { all.len() });
    Ok(all)
}

/// Returns the default window of time. It begins with the first start and ends where one of the replays has started
/// [`JOBS`] jobs. If no replay has so many jobs, it ends with the last job.
fn default_window(jobs: &Jobs<'_>, by_replay: &BTreeMap<u64, Vec<usize>>) -> (f64, f64) {
    let starts = |rows: &Vec<usize>| rows.first().map(|&i| jobs.of(4, i));
    let from = by_replay.values().filter_map(starts).fold(f64::INFINITY, f64::min);
    let until = |rows: &Vec<usize>| match rows.get(JOBS) {
        Some(&i) => jobs.of(4, i),
        None => rows.iter().map(|&i| jobs.of(5, i)).fold(f64::NEG_INFINITY, f64::max),
    };
    // If some replay has too many jobs, the window ends where the first of these replays reaches the limit.
    let is_cut = by_replay.values().any(|rows| rows.len() > JOBS);
    let ends = by_replay.values().filter(|rows| !is_cut || rows.len() > JOBS).map(until);
    let to = if is_cut { ends.fold(f64::INFINITY, f64::min) } else { ends.fold(f64::NEG_INFINITY, f64::max) };
    // Without jobs there is no window. Any window serves.
    if from < to { (from, to) } else { (0.0, 1.0) }
}

/// Returns job `i` of the table. Fails if its nodes are not nodes of the machine.
fn job(jobs: &Jobs<'_>, i: usize, machine: &Mesh, path: &Path) -> Result<PlayedJob, ReportError> {
    let number = jobs.of(2, i) as i64;
    let nodes = parse_intervals(&jobs.nodes[i])
        .ok()
        .filter(|runs| runs.iter().all(|(_, last)| *last < machine.nodes()));
    let damaged = || ReportError::Nodes { path: path.to_owned(), job: number, found: jobs.nodes[i].clone() };
    Ok(PlayedJob {
        number,
        times_s: [3, 4, 5].map(|column| jobs.of(column, i)),
        procs: jobs.of(6, i) as u32,
        nodes: nodes.ok_or_else(damaged)?,
        is_killed: false,
    })
}

/// Returns a run in which a job was killed as the player shows it; `None` if it is outside the window of time, or if its
/// nodes were not kept.
fn killed_run(run: KilledRun, (from_s, to_s): (f64, f64)) -> Option<PlayedJob> {
    let KilledRun { number, times_s, procs, nodes, .. } = run;
    let is_shown = times_s[1] <= to_s && times_s[2] > from_s && !nodes.is_empty();
    is_shown.then_some(PlayedJob { number, times_s, procs, nodes, is_killed: true })
}
