//! Chooses the jobs that the player of a report shows, and their window of time.

mod blocks;
mod html;
mod played;
mod strip;

pub use self::blocks::BlockTree;
pub(super) use self::html::player;
pub use self::played::{Played, PlayedJob, PlayedReplay};
pub use self::strip::Strip;

use std::cmp::Ordering;
use std::collections::{BTreeMap, BinaryHeap};
use std::path::Path;

use self::strip::{Run, StripOfRuns};
use super::error::ReportError;
use meshreplay_alloc::allocator;
use meshreplay_base::words::counted;
use meshreplay_figures::{Clock, FigureError, FirstSeeds, Results, downtimes};
use meshreplay_machine::machine::{Mesh, parse_intervals};
use meshreplay_results::frame::{Downtimes, KilledRun, Sheet, SheetColumn};
use meshreplay_results::text::grouped;
use meshreplay_sim::metrics::KilledWaits;

/// The number of jobs of a replay with which the usual window ends.
const JOBS: usize = 2000;
/// The number of bytes of a replay's jobs in the file, about, with which the usual window ends, and that no window may pass.
const BYTES: usize = 2_000_000;
const MOST_BYTES: usize = 20_000_000;
/// The number of replays that are shown if the user names none.
const REPLAYS: usize = 4;
const COLUMNS: [&str; 8] = ["seed", "job", "submit_s", "start_s", "end_s", "procs", "allocated", "nodes"];

/// Returns the jobs that the player shows. `show` names the allocators; if it is empty, the first few replays are
/// shown. `window_s` is the window of time; by default no replay starts more than [`JOBS`] jobs in it, and fewer if they
/// have very many pieces. Returns `None` if jobs or their nodes were not kept. A part of the jobs is in memory at a time.
pub(super) fn played(
    folder: &Path,
    results: &Results,
    show: &[String],
    window_s: Option<(f64, f64)>,
) -> Result<Option<Played>, ReportError> {
    let shown = shown(show, results)?;
    let is_shown = |replay: u64| shown.iter().any(|other| other.number == replay);
    let mut outages = downtimes(folder, results, &is_shown)?;
    let mut window = window_s;
    if window.is_none() {
        let Some(usual) = default_window(folder, &shown, &outages)? else { return Ok(None) };
        window = Some(usual);
    }
    let mut window = window.unwrap_or((0.0, 1.0));
    let Some(mut found) = found(folder, &shown, &outages, window)? else { return Ok(None) };
    // The usual window gets shorter until the file is small enough.
    while window_s.is_none() && found.iter().any(|found| found.bytes() > BYTES) {
        let ends = found.iter().filter_map(|found| found.end_within(BYTES));
        let to = ends.fold(window.1, f64::min);
        if to >= window.1 || to <= window.0 {
            break;
        }
        window = (window.0, to);
        let Some(again) = self::found(folder, &shown, &outages, window)? else { return Ok(None) };
        found = again;
    }
    let mut replays = Vec::new();
    let (mut kept, mut all, mut killed) = (0, 0, 0);
    for (Shown { number, name, spec, machine, colour }, found) in shown.into_iter().zip(found) {
        if found.bytes() > MOST_BYTES {
            let jobs = grouped(found.jobs.len() as f64, 0);
            return Err(ReportError::TooManyJobs { jobs, replay: name, from: window.0, to: window.1 });
        }
        all += found.all;
        kept += found.jobs.len();
        let mut inside = found.jobs;
        let Downtimes { mut down, killed: lost } = outages.remove(&number).unwrap_or_default();
        down.retain(|down| down.from_s <= window.1 && down.until_s > window.0);
        let lost: Vec<PlayedJob> = lost.into_iter().filter_map(|run| killed_run(run, window)).collect();
        killed += lost.len();
        inside.extend(lost);
        inside.sort_by(|a, b| a.times_s[1].total_cmp(&b.times_s[1]));
        let (extents, unavailable) = (machine.extents(), machine.unavailable().to_vec());
        let (wraps, blocks) = (machine.wrap(), BlockTree::of(&spec, &machine));
        let strip = found.strip.strip();
        let jobs = inside;
        replays.push(PlayedReplay { name, colour, strip, extents, wraps, blocks, unavailable, down, jobs });
    }
    if window_s.is_some() && kept == 0 && killed == 0 {
        return Err(FigureError::NothingInWindow { kind: "machines" }.into());
    }
    let clock = Clock::of(folder, results);
    let note = note((kept, all, killed), (window, clock.as_ref()), &replays);
    Ok(Some(Played { window_s: window, clock, note, replays }))
}

/// Returns the line above the player, from the numbers of the jobs that are shown, of all jobs, and of the runs that were
/// killed.
fn note(
    (kept, all, killed): (usize, usize, usize),
    (window_s, clock): ((f64, f64), Option<&Clock>),
    replays: &[PlayedReplay],
) -> String {
    let count = |count: usize| grouped(count as f64, 0);
    let has_holes = replays.iter().any(|replay| !replay.unavailable.is_empty());
    let lost = match killed {
        0 => String::new(),
        1 => " and 1 run that was killed".to_owned(),
        killed => format!(" and {} runs that were killed", count(killed)),
    };
    let dates = clock.and_then(|clock| {
        Some(format!(", {} to {} ({})", clock.date(window_s.0)?, clock.date(window_s.1)?, clock.zone_name))
    });
    let dates = dates.unwrap_or_default();
    format!(
        "{} of {}{lost}: those that run between {} and {} s of the replays{dates}; each job keeps its colour.{}",
        count(kept),
        counted(count(all), "job"),
        grouped(window_s.0, 0),
        grouped(window_s.1, 0),
        if has_holes { " Nodes that are only outlined are unavailable." } else { "" }
    )
}

/// What the player shows of the jobs of one replay.
struct Found {
    /// The jobs that run in the window of time, in the order of the frame.
    jobs: Vec<PlayedJob>,
    strip: StripOfRuns,
    /// The number of all jobs.
    all: usize,
}

impl Found {
    /// Returns about how many bytes a job takes in the file.
    fn bytes_of(job: &PlayedJob) -> usize {
        40 + 10 * job.nodes.len()
    }

    /// Returns about how many bytes the jobs take in the file.
    fn bytes(&self) -> usize {
        self.jobs.iter().map(Self::bytes_of).sum()
    }

    /// Returns the start of the first job, in the order of starts, that does not fit into so many bytes, in seconds; `None`
    /// if all fit.
    fn end_within(&self, bytes: usize) -> Option<f64> {
        let mut jobs: Vec<&PlayedJob> = self.jobs.iter().collect();
        jobs.sort_by(|a, b| a.times_s[1].total_cmp(&b.times_s[1]));
        let mut left = bytes;
        let fits = |job: &&&PlayedJob| {
            let size = Self::bytes_of(job);
            let fits = size <= left;
            left = left.saturating_sub(size);
            !fits
        };
        jobs.iter().find(fits).map(|job| job.times_s[1])
    }
}

/// Returns what the player shows of each replay in a window of time; `None` if jobs or their nodes were not kept.
fn found(
    folder: &Path,
    shown: &[Shown],
    outages: &BTreeMap<u64, Downtimes>,
    window_s: (f64, f64),
) -> Result<Option<Vec<Found>>, ReportError> {
    let waits: Vec<Option<KilledWaits>> =
        shown.iter().map(|shown| outages.get(&shown.number).map(Downtimes::waits)).collect();
    let empty = |(shown, waits): (&Shown, &Option<KilledWaits>)| {
        let mut strip = StripOfRuns::new(window_s, f64::from(shown.machine.available()));
        if let Some((outages, waits)) = outages.get(&shown.number).zip(waits.as_ref()) {
            for (run, &since_s) in outages.killed.iter().zip(waits.before()) {
                let [_, start_s, end_s] = run.times_s;
                strip.add(Run { since_s, start_s, end_s, nodes: f64::from(run.allocated) });
            }
        }
        Found { jobs: Vec::new(), strip, all: 0 }
    };
    let mut found: Vec<Found> = shown.iter().zip(&waits).map(empty).collect();
    let is_there = visit(folder, shown, &COLUMNS, &mut |position, (sheet, i)| {
        let of = |name: &str| sheet.numbers(name).and_then(|numbers| numbers[i]).unwrap_or_default();
        let [submit_s, start_s, end_s] = ["submit_s", "start_s", "end_s"].map(of);
        let found = &mut found[position];
        found.all += 1;
        let after_kill = |waits: &KilledWaits| waits.since(of("job") as i64, submit_s, start_s);
        let since_s = waits[position].as_ref().map_or(submit_s, after_kill);
        found.strip.add(Run { since_s, start_s, end_s, nodes: of("allocated") });
        if start_s <= window_s.1 && end_s > window_s.0 {
            let text = sheet.column("nodes").and_then(SheetColumn::texts).map_or("", |texts| &texts[i]);
            let number = of("job") as i64;
            let nodes = nodes(text, &shown[position].machine).ok_or_else(|| ReportError::Nodes {
                path: sheet.path.clone(),
                job: number,
                found: text.to_owned(),
            })?;
            let (times_s, procs) = ([submit_s, start_s, end_s], of("procs") as u32);
            found.jobs.push(PlayedJob { number, times_s, procs, nodes, is_killed: false });
        }
        Ok(())
    })?;
    Ok(is_there.then_some(found))
}

/// Returns the nodes of a job; `None` if the text has another form, or names nodes that the machine does not have.
fn nodes(text: &str, machine: &Mesh) -> Option<Vec<(u32, u32)>> {
    parse_intervals(text).ok().filter(|runs| runs.iter().all(|(_, last)| *last < machine.nodes()))
}

/// A function that takes the position of a replay, and a row of its jobs: a part of the frame and the number of the row.
type See<'a> = dyn FnMut(usize, (&Sheet, usize)) -> Result<(), ReportError> + 'a;

/// Hands the rows of the first seed of each of `shown` to `see`: the position of the replay, and a part of the frame with
/// the row's number in it. Returns false if the jobs were not kept or lack one of the columns.
fn visit(folder: &Path, shown: &[Shown], columns: &[&str], see: &mut See<'_>) -> Result<bool, ReportError> {
    let positions: BTreeMap<u64, usize> = shown.iter().map(|shown| shown.number).zip(0..).collect();
    let (mut seeds, mut has_all) = (FirstSeeds::default(), true);
    let mut part = |sheet: &Sheet| -> Result<(), ReportError> {
        let is_missing = |name: &&str| match *name {
            "nodes" => sheet.column("nodes").and_then(SheetColumn::texts).is_none(),
            name => sheet.numbers(name).is_none(),
        };
        let Some(replays) = sheet.numbers("replay").filter(|_| !columns.iter().any(is_missing)) else {
            has_all = false;
            return Ok(());
        };
        for (i, replay) in replays.iter().enumerate() {
            let replay = replay.unwrap_or_default() as u64;
            let is_first = seeds.is_first(sheet, (i, replay));
            if let Some(&position) = positions.get(&replay).filter(|_| is_first) {
                see(position, (sheet, i))?;
            }
        }
        Ok(())
    };
    let is_shown = |replay: u64| positions.contains_key(&replay);
    let is_kept = Sheet::visit_details(folder, "jobs", columns, &is_shown, &mut part)?;
    Ok(is_kept && has_all)
}

/// A replay that the player shows.
struct Shown {
    number: u64,
    name: String,
    /// The spec of the allocator.
    spec: String,
    machine: Mesh,
    /// The colour of the replay among those that are shown.
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
    let mut all: Vec<(usize, Shown)> = Vec::new();
    for (row, number) in results.numbers("replay")?.iter().enumerate() {
        let number = number.unwrap_or_default() as u64;
        let is_wanted = show.is_empty() || show.iter().any(|show| is(row, show));
        if is_wanted && !all.iter().any(|(_, other)| other.number == number) {
            let machine = results.machine(row)?;
            let (name, spec) = (results.name(row, &[]), results.label(row, "allocator_spec"));
            all.push((row, Shown { number, name, spec, machine, colour: "" }));
        }
    }
    all.truncate(if show.is_empty() { REPLAYS } else { all.len() });
    // Among all curves of the page several may have a colour, and among those that are shown none has that of another.
    let named: Vec<(usize, &str)> = all.iter().map(|(row, shown)| (*row, &*shown.name)).collect();
    let looks = results.looks_of(&named);
    Ok(all
        .into_iter()
        .zip(looks)
        .map(|((_, shown), look)| Shown { colour: look.colour(), ..shown })
        .collect())
}

/// Returns the default window of time. It begins with the first start and ends where one of the replays has started
/// [`JOBS`] runs of jobs, also those in which jobs were killed. If no replay has so many, it ends with the last job. Returns `None` if
/// jobs or their nodes were not kept.
fn default_window(
    folder: &Path,
    shown: &[Shown],
    outages: &BTreeMap<u64, Downtimes>,
) -> Result<Option<(f64, f64)>, ReportError> {
    // The earliest starts of each replay, one more than the window has, with the latest of them on top.
    let mut starts: Vec<BinaryHeap<Time>> = shown.iter().map(|_| BinaryHeap::new()).collect();
    let mut last_s = vec![f64::NEG_INFINITY; shown.len()];
    let mut add = |position: usize, start_s: f64, end_s: f64| {
        let (earliest, start) = (&mut starts[position], Time(start_s));
        if earliest.len() <= JOBS {
            earliest.push(start);
        } else if earliest.peek().is_some_and(|latest| start < *latest) {
            earliest.pop();
            earliest.push(start);
        }
        last_s[position] = last_s[position].max(end_s);
    };
    for (position, shown) in shown.iter().enumerate() {
        let killed = outages.get(&shown.number).into_iter().flat_map(|outages| &outages.killed);
        killed.for_each(|run| add(position, run.times_s[1], run.times_s[2]));
    }
    let is_there = visit(folder, shown, &["seed", "start_s", "end_s"], &mut |position, (sheet, i)| {
        let of = |name: &str| sheet.numbers(name).and_then(|numbers| numbers[i]).unwrap_or_default();
        add(position, of("start_s"), of("end_s"));
        Ok(())
    })?;
    if !is_there {
        return Ok(None);
    }
    let from = starts.iter().flatten().map(|time| time.0).fold(f64::INFINITY, f64::min);
    let cut = starts.iter().filter(|starts| starts.len() > JOBS).filter_map(BinaryHeap::peek);
    // If some replay has too many jobs, the window ends where the first of these replays reaches the limit.
    let ends = cut.map(|time| time.0).fold(f64::INFINITY, f64::min);
    let to = if ends < f64::INFINITY { ends } else { last_s.into_iter().fold(f64::NEG_INFINITY, f64::max) };
    // Without jobs there is no window. Any window serves.
    Ok(Some(if from < to { (from, to) } else { (0.0, 1.0) }))
}

/// A time in seconds, in the order of time.
#[derive(Clone, Copy, Debug)]
struct Time(f64);

impl PartialEq for Time {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Time {}

impl PartialOrd for Time {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Time {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

/// Returns a run in which a job was killed as the player shows it; `None` if it is outside the window of time, or if its
/// nodes were not kept.
fn killed_run(run: KilledRun, (from_s, to_s): (f64, f64)) -> Option<PlayedJob> {
    let KilledRun { number, times_s, procs, nodes, .. } = run;
    let is_shown = times_s[1] <= to_s && times_s[2] > from_s && !nodes.is_empty();
    is_shown.then_some(PlayedJob { number, times_s, procs, nodes, is_killed: true })
}
