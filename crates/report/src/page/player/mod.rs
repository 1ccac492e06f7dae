//! Chooses the jobs in the player of a report, and their window of time.

mod html;
mod played;

pub(super) use self::html::player;
pub use self::played::{PlayerData, ReplayData};
pub use played::{BlockTree, Strip};

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::path::Path;

use self::played::StripOfRuns;
use super::ReportError;
use meshreplay_alloc::allocator;
use meshreplay_base::words::counted;
use meshreplay_figures::{Clock, FigureError, Results, ShownJob, Span, downtimes, visit_shown_jobs};
use meshreplay_machine::machine::Mesh;
use meshreplay_results::frame::{Downtimes, PlacedJob};
use meshreplay_results::text::grouped;
use meshreplay_sim::metrics::{JobRow, KilledWaits};

/// The number of jobs of a replay with which the usual window ends.
const JOBS: usize = 2000;
/// Approximate sizes of a replay's jobs in the file, in bytes: the end of the usual window, and the limit for
/// any window.
const BYTES: usize = 2_000_000;
const MOST_BYTES: usize = 20_000_000;
/// The number of replays that are shown if the user names none.
const REPLAYS: usize = 4;
const COLUMNS: [&str; 7] = ["job", "submit_s", "start_s", "end_s", "procs", "allocated", "nodes"];

/// Returns the data of the player for the allocators in `show`, or for the first few replays if it is empty.
/// In the default window no replay starts more than [`JOBS`] jobs, or fewer jobs of many pieces. Returns
/// `None` if jobs or their nodes were not kept. A part of the jobs is in memory at a time.
pub(super) fn played(
    folder: &Path,
    results: &Results,
    show: &[String],
    window_s: Option<Span>,
) -> Result<Option<PlayerData>, ReportError> {
    let shown = player_replays(show, results)?;
    let is_shown = |replay: u64| shown.iter().any(|other| other.number == replay);
    let mut outages = downtimes(folder, results, &is_shown)?;
    let mut window = match window_s {
        Some(window) => window,
        None => match default_window(folder, &shown, &outages)? {
            Some(usual) => usual,
            None => return Ok(None),
        },
    };
    let Some(mut contents) = window_jobs(folder, &shown, &outages, window)? else { return Ok(None) };
    // The usual window gets shorter until the file is small enough.
    while window_s.is_none() && contents.iter().any(|content| content.bytes() > BYTES) {
        let ends = contents.iter().filter_map(|content| content.end_within(BYTES));
        let to = ends.fold(window.high, f64::min);
        if to >= window.high || to <= window.low {
            break;
        }
        window.high = to;
        let Some(again) = window_jobs(folder, &shown, &outages, window)? else { return Ok(None) };
        contents = again;
    }
    let mut replays = Vec::new();
    let mut all = Vec::new();
    for (PlayerReplay { number, name, spec, machine, colour }, content) in shown.into_iter().zip(contents) {
        if content.bytes() > MOST_BYTES {
            let jobs = grouped(content.jobs.len() as f64, 0);
            return Err(ReportError::TooManyJobs { jobs, replay: name, from: window.low, to: window.high });
        }
        all.push(content.all);
        let Downtimes { mut down, killed } = outages.remove(&number).unwrap_or_default();
        down.retain(|down| down.from_s <= window.high && down.until_s > window.low);
        let mut jobs = content.jobs;
        // Runs whose nodes were not kept are not shown.
        jobs.extend(killed.into_iter().filter(|run| runs_in(&run.row, window) && !run.nodes.is_empty()));
        jobs.sort_by(by_start);
        replays.push(ReplayData {
            name,
            colour,
            strip: content.strip.strip(),
            extents: machine.drawn().extents(),
            wraps: machine.wrap(),
            levels: machine.levels().map(|levels| levels.sizes().to_vec()),
            blocks: BlockTree::from_spec(&spec, &machine),
            unavailable: machine.unavailable().to_vec(),
            down,
            jobs,
        });
    }
    if window_s.is_some() && replays.iter().all(|replay| replay.jobs.is_empty()) {
        return Err(FigureError::NothingInWindow { kind: "machines" }.into());
    }
    let clock = Clock::from_results(folder, results);
    let note = note(&all, window, clock.as_ref(), &replays);
    Ok(Some(PlayerData { window_s: window, clock, note, replays }))
}

/// Returns the line above the player. `all` are the numbers of all jobs of each replay.
fn note(all: &[usize], window_s: Span, clock: Option<&Clock>, replays: &[ReplayData]) -> String {
    let count = |count: usize| grouped(count as f64, 0);
    let runs = || replays.iter().flat_map(|replay| &replay.jobs);
    let has_holes = replays.iter().any(|replay| !replay.unavailable.is_empty());
    let lost = match runs().filter(|run| run.killed_in.is_some()).count() {
        0 => String::new(),
        1 => " and 1 run that was killed".to_owned(),
        killed => format!(" and {} runs that were killed", count(killed)),
    };
    let dates = clock.and_then(|clock| {
        let [from, to] = [clock.date(window_s.low)?, clock.date(window_s.high)?];
        Some(format!(", {from} to {to} ({})", clock.zone_name))
    });
    let shown = counted(count(runs().filter(|run| run.killed_in.is_none()).count()), "run");
    let jobs = |jobs: usize| counted(count(jobs), "job");
    let of = match all {
        [only] => format!("{shown} of {}", jobs(*only)),
        [first, ..] if all.iter().all(|jobs| jobs == first) => {
            format!("{shown} on {} machines, of {} on each", all.len(), jobs(*first))
        }
        _ => format!("{shown} on {} machines, of {} on all", all.len(), jobs(all.iter().sum())),
    };
    format!(
        "{of}{lost}: those between {} and {} s of the replays{}; each job keeps its colour.{}",
        grouped(window_s.low, 0),
        grouped(window_s.high, 0),
        dates.unwrap_or_default(),
        if has_holes { " Nodes that are only outlined are unavailable." } else { "" }
    )
}

/// The jobs of one replay in the player.
struct WindowJobs {
    /// The jobs that run in the window of time, in the order of the frame.
    jobs: Vec<PlacedJob>,
    strip: StripOfRuns,
    /// The number of all jobs.
    all: usize,
}

impl WindowJobs {
    /// Returns the approximate size of a job in the file, in bytes.
    fn bytes_of(job: &PlacedJob) -> usize {
        40 + 10 * job.nodes.len()
    }

    /// Returns the approximate size of the jobs in the file, in bytes.
    fn bytes(&self) -> usize {
        self.jobs.iter().map(Self::bytes_of).sum()
    }

    /// Returns the start in seconds of the first job, in the order of starts, that does not fit into `bytes`;
    /// `None` if all fit.
    fn end_within(&self, bytes: usize) -> Option<f64> {
        let mut jobs: Vec<&PlacedJob> = self.jobs.iter().collect();
        jobs.sort_by(|a, b| by_start(a, b));
        let mut left = bytes;
        let fits = |job: &&&PlacedJob| {
            let size = Self::bytes_of(job);
            let fits = size <= left;
            left = left.saturating_sub(size);
            !fits
        };
        jobs.iter().find(fits).map(|job| job.row.start_s)
    }
}

/// Returns the jobs of each replay in a window of time; `None` if jobs or their nodes were not kept.
fn window_jobs(
    folder: &Path,
    shown: &[PlayerReplay],
    outages: &BTreeMap<u64, Downtimes>,
    window_s: Span,
) -> Result<Option<Vec<WindowJobs>>, ReportError> {
    let waits: Vec<Option<KilledWaits>> =
        shown.iter().map(|shown| outages.get(&shown.number).map(Downtimes::waits)).collect();
    let empty = |(shown, waits): (&PlayerReplay, &Option<KilledWaits>)| {
        let mut strip = StripOfRuns::new(window_s, f64::from(shown.machine.available()));
        if let Some((outages, waits)) = outages.get(&shown.number).zip(waits.as_ref()) {
            for (run, &since_s) in outages.killed.iter().zip(waits.before()) {
                strip.add(since_s, &run.row);
            }
        }
        WindowJobs { jobs: Vec::new(), strip, all: 0 }
    };
    let mut contents: Vec<WindowJobs> = shown.iter().zip(&waits).map(empty).collect();
    let is_there = visit_shown_jobs::<ReportError>(folder, &numbers(shown), &COLUMNS, &mut |job| {
        let ShownJob { position, row, nodes, path } = job;
        let content = &mut contents[position];
        content.all += 1;
        let after_kill = |waits: &KilledWaits| waits.since(row.number, row.submit_s, row.start_s);
        content.strip.add(waits[position].as_ref().map_or(row.submit_s, after_kill), &row);
        if runs_in(&row, window_s) {
            let nodes = job.nodes_of(&shown[position].machine).ok_or_else(|| ReportError::Nodes {
                path: path.to_owned(),
                job: row.number,
                found: nodes.to_owned(),
            })?;
            content.jobs.push(PlacedJob { row, nodes, killed_in: None });
        }
        Ok(())
    })?;
    Ok(is_there.then_some(contents))
}

/// Returns whether a run has a part in a window of time.
fn runs_in(run: &JobRow, window_s: Span) -> bool {
    run.start_s <= window_s.high && run.end_s > window_s.low
}

/// Compares the starts of two jobs.
fn by_start(a: &PlacedJob, b: &PlacedJob) -> Ordering {
    a.row.start_s.total_cmp(&b.row.start_s)
}

fn numbers(shown: &[PlayerReplay]) -> Vec<u64> {
    shown.iter().map(|shown| shown.number).collect()
}

/// A replay that the player shows.
struct PlayerReplay {
    number: u64,
    name: String,
    /// The spec of the allocator.
    spec: String,
    machine: Mesh,
    /// The colour of the replay in the player.
    colour: &'static str,
}

/// Returns the replays of the allocators in `show`, or the first [`REPLAYS`] ones if `show` is empty. Fails
/// if an allocator is not among the results.
fn player_replays(show: &[String], results: &Results) -> Result<Vec<PlayerReplay>, ReportError> {
    let allocators: Vec<String> =
        (0..results.table.height()).map(|row| results.label(row, "allocator")).collect();
    // An allocator may be named as typed, or by another spelling of the same spec.
    let short = |row: usize| allocator::short_label(&results.label(row, "allocator_spec"));
    let shorts: Vec<String> = (0..allocators.len()).map(short).collect();
    let is =
        |row: usize, show: &String| *show == allocators[row] || allocator::short_label(show) == shorts[row];
    if let Some(missing) = show.iter().find(|show| !(0..allocators.len()).any(|row| is(row, show))) {
        let mut known: Vec<String> = Vec::new();
        for label in allocators {
            if !known.contains(&label) {
                known.push(label);
            }
        }
        return Err(ReportError::NotShown { allocator: missing.clone(), known: known.join(", ") });
    }
    let mut all: Vec<(usize, PlayerReplay)> = Vec::new();
    for (row, number) in results.numbers("replay")?.iter().enumerate() {
        let number = number.unwrap_or_default() as u64;
        let is_wanted = show.is_empty() || show.iter().any(|show| is(row, show));
        if is_wanted && !all.iter().any(|(_, other)| other.number == number) {
            let machine = results.machine(row)?;
            let (name, spec) = (results.name(row, &[]), results.label(row, "allocator_spec"));
            all.push((row, PlayerReplay { number, name, spec, machine, colour: "" }));
        }
    }
    all.truncate(if show.is_empty() { REPLAYS } else { all.len() });
    // Curves of the page may share a colour, but replays in the player may not.
    let named: Vec<(usize, &str)> = all.iter().map(|(row, shown)| (*row, &*shown.name)).collect();
    let looks = results.looks_of(&named);
    let coloured = all.into_iter().zip(looks);
    Ok(coloured.map(|((_, shown), look)| PlayerReplay { colour: look.colour(), ..shown }).collect())
}

/// Returns the default window of time. It begins with the first start and ends when one of the replays has
/// started [`JOBS`] runs, with killed runs counted, or with the last job. Returns `None` if jobs or their
/// nodes were not kept.
fn default_window(
    folder: &Path,
    shown: &[PlayerReplay],
    outages: &BTreeMap<u64, Downtimes>,
) -> Result<Option<Span>, ReportError> {
    let mut starts: Vec<Vec<f64>> = vec![Vec::new(); shown.len()];
    let mut last_s = vec![f64::NEG_INFINITY; shown.len()];
    let mut add = |position: usize, start_s: f64, end_s: f64| {
        let earliest = &mut starts[position];
        earliest.push(start_s);
        if earliest.len() > 4 * JOBS {
            cut(earliest);
        }
        last_s[position] = last_s[position].max(end_s);
    };
    for (position, shown) in shown.iter().enumerate() {
        let killed = outages.get(&shown.number).into_iter().flat_map(|outages| &outages.killed);
        killed.for_each(|run| add(position, run.row.start_s, run.row.end_s));
    }
    let is_there =
        visit_shown_jobs::<ReportError>(folder, &numbers(shown), &["start_s", "end_s"], &mut |job| {
            add(job.position, job.row.start_s, job.row.end_s);
            Ok(())
        })?;
    if !is_there {
        return Ok(None);
    }
    starts.iter_mut().for_each(cut);
    let least = |times: &mut dyn Iterator<Item = &f64>| times.copied().fold(f64::INFINITY, f64::min);
    let from = least(&mut starts.iter().filter_map(|starts| starts.first()));
    // If some replay has too many jobs, the window ends where the first of these replays reaches the limit.
    let ends = least(&mut starts.iter().filter_map(|starts| starts.get(JOBS)));
    let to = if ends < f64::INFINITY { ends } else { last_s.into_iter().fold(f64::NEG_INFINITY, f64::max) };
    // Without jobs, any window serves.
    Ok(Some(if from < to { Span::new(from, to) } else { Span::new(0.0, 1.0) }))
}

/// Sorts starts, and keeps the earliest [`JOBS`] + 1.
fn cut(starts: &mut Vec<f64>) {
    starts.sort_by(f64::total_cmp);
    starts.truncate(JOBS + 1);
}
