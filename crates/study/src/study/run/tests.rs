//! Replays of teams have the results of replays that read their log on their own, and nobody waits for ever.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use super::*;
use crate::study::options::Options;
use crate::study::shared_jobs::load_jobs;
use crate::study::source::{Batch, JobSource, LogStream, Ranks, SemaphorePermit, StreamedArrivals, openings};
use meshreplay_sim::engine::{Arrivals as _, ReplayError};

type Tested = Result<(), Box<dyn Error>>;

/// The limits of these tests: channels are full most of the time.
const LIMITS: Limits = Limits { threads: 2, team: 16, ahead: 1 };

/// A study of a log that is not kept.
struct Case {
    _folder: tempfile::TempDir,
    path: PathBuf,
    study: Study,
}

impl Case {
    /// Plans a study of a log of so many jobs, of which stretches are turned round. `lines` are those of the study's file.
    fn new(jobs: u32, lines: &str) -> Result<Self, Box<dyn Error>> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("a.swf");
        let scattered = |i: u32, below: u32| i.wrapping_mul(0x9E37_79B1) / 64 % below;
        let mut text = String::new();
        for i in 0..jobs {
            let (submit_s, run_s) = ((i - i % 20 + 19 - i % 20) * 150, scattered(i, 500));
            let (procs, more_s) = (1 + scattered(i + 3, 60), scattered(i + 7, 300));
            let estimate_s = run_s + more_s;
            writeln!(
                text,
                "{i} {submit_s} -1 {run_s} {procs} -1 -1 {procs} {estimate_s} -1 1 1 1 -1 -1 -1 -1 -1"
            )?;
        }
        std::fs::write(&path, text)?;
        let text = format!("logs = ['a.swf']\n{lines}");
        let find = |name: &str| folder.path().join(name);
        let study = Study::plan(Path::new("study.toml"), &text, Options::default(), &find)?;
        let study = Study { most_kept: 100, ..study };
        Ok(Self { _folder: folder, path, study })
    }
}

/// Outcomes in words, or the error, of each replay.
type Results = BTreeMap<usize, Result<String, String>>;

/// Runs the replays of `study` at `cells`, with rows that nobody keeps if `rows` is given.
fn results(
    study: &Study,
    cells: &[usize],
    limits: Limits,
    keep: &Keep<'_, String>,
    (running, rows): (&Running, Option<&Rows<'_>>),
) -> Result<Results, Box<dyn Error>> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(limits.threads).build()?;
    let workloads = &Workloads::new(study, cells.iter().copied());
    let queue = &Queue::new(study, workloads, running, cells, limits, rows.is_some());
    let mut results = Results::new();
    run_all(&pool, queue, &|cell, slot| one(queue, cell, slot, keep, rows), &mut |news| {
        if let Progress::Ended(cell, ended) = news {
            let earlier = results.insert(cell, ended.map_err(|error| error.to_string()));
            assert!(earlier.is_none(), "replay {cell} has ended twice");
        }
    });
    Ok(results)
}

/// Returns outcomes in words. All of them must be of streams.
fn in_words(outcomes: &[Outcome]) -> String {
    let words = outcomes.iter().map(|outcome| {
        assert!(outcome.is_streamed);
        let Outcome { seed, skipped, never_fit, summary, blocks, .. } = outcome;
        format!("{seed} {skipped} {never_fit} {summary:?} {blocks:?}\n")
    });
    words.collect()
}

/// Runs all replays of `study` as [`results`] does, and keeps outcomes in words.
fn all(study: &Study, limits: Limits) -> Result<Results, Box<dyn Error>> {
    let cells: Vec<usize> = (0..study.cells.len()).collect();
    let running = Running::new(cells.len());
    results(study, &cells, limits, &|_, outcomes| Ok(in_words(&outcomes)), (&running, None))
}

/// Runs the replays of `study` one by one, so that there is no team.
fn one_by_one(study: &Study) -> Result<Results, Box<dyn Error>> {
    let mut found = Results::new();
    for cell in 0..study.cells.len() {
        let running = Running::new(study.cells.len());
        let keep = |_, outcomes: Vec<Outcome>| Ok(in_words(&outcomes));
        found.extend(results(study, &[cell], LIMITS, &keep, (&running, None))?);
    }
    Ok(found)
}

/// Replays with all the ways in which they differ from each other: jobs that are larger than some machines, and those that
/// allocators of submeshes never find a place for, arrivals with other scales, several seeds.
const DIFFERENT: &str = "machines = ['16x16', '7x8', '4x16']\nschedulers = ['easy', 'fcfs']\narrival_scales = [1.0, 0.9]\n\
                         allocators = ['hilbert+bf', 'first-fit', 'random']\nrules = ['authors:oversize=skip']\n";

#[test]
fn a_team_has_the_results_of_replays_on_their_own() -> Tested {
    let Case { path, study, .. } = &Case::new(5_000, DIFFERENT)?;
    let expected = one_by_one(study)?;
    assert_eq!((study.cells.len(), openings::taken(path)), (36, 36));
    let distinct: std::collections::BTreeSet<_> = expected.values().collect();
    assert!(expected.values().all(Result::is_ok) && distinct.len() >= 30, "{}", distinct.len());
    for (threads, team, ahead, openings) in
        [(1, 36, 1, 1), (2, 36, 32, 1), (3, 10, 1, 4), (2, 4, 2, 9), (8, 64, 1, 1)]
    {
        assert!(all(study, Limits { threads, team, ahead })? == expected, "{threads} {team} {ahead}");
        assert_eq!(openings::taken(path), openings, "{threads} {team} {ahead}");
    }
    Ok(())
}

/// A command knows from its plan that its log is a stream. Replications after the first one read the log on their own.
#[test]
fn a_command_reads_its_log_once_for_all_replays() -> Tested {
    let lines = "machines = ['8x8']\nallocators = ['naive', 'random', 'mbs']\nschedulers = ['easy']\n";
    for (replications, openings) in [(1, 1), (2, 4)] {
        let Case { path, mut study, _folder } =
            Case::new(5_000, &format!("{lines}replications = {replications}\n"))?;
        load_jobs(&mut study, &mut Vec::new())?;
        let is_stream = |source: &Option<JobSource>| matches!(source, Some(JobSource::Streamed { .. }));
        assert!(study.cells.iter().all(|cell| is_stream(&cell.source)));
        let expected = one_by_one(&study)?;
        openings::taken(&path);
        assert!(all(&study, LIMITS)? == expected);
        assert_eq!(openings::taken(&path), openings);
    }
    Ok(())
}

/// A log that is no longer what it was is an error of each replay, and so is one that is gone.
#[test]
fn what_is_wrong_with_the_log_is_told_to_each_replay() -> Tested {
    let lines = "machines = ['8x8', '9x9']\nallocators = ['naive', 'mbs']\n";
    let Case { path, mut study, _folder } = Case::new(5_000, lines)?;
    load_jobs(&mut study, &mut Vec::new())?;
    let text = std::fs::read_to_string(&path)?;
    for (changed, said) in [
        (Some(text.clone() + "; late\n"), "has changed"),
        (Some(text.repeat(4)), "has changed"),
        (Some(text.split_inclusive('\n').take(300).collect()), "has changed"),
        (Some(text.clone() + "no job\n"), "found 'no'"),
        (None, "a.swf"),
    ] {
        match changed {
            Some(text) => std::fs::write(&path, text)?,
            None => std::fs::remove_file(&path)?,
        }
        let found = all(&study, LIMITS)?;
        assert_eq!(found.len(), 4);
        let is_said =
            |found: &Result<String, String>| found.as_ref().is_err_and(|error| error.contains(said));
        assert!(found.values().all(is_said), "{found:?}");
    }
    Ok(())
}

/// A replay that cannot begin, one whose rows cannot be kept, one that is stopped, one whose result cannot be kept and one that
/// panics leave the others their results.
#[test]
fn a_replay_that_ends_early_leaves_the_others_alone() -> Tested {
    let lines = "machines = ['8x8', '5x5']\nallocators = ['naive', 'hilbert+bf', 'random', 'row-snake+bf', 'mbs']\n\
                 schedulers = ['fcfs']\n";
    // More jobs than two parts of rows have.
    let Case { study, path, .. } = &Case::new(300_000, lines)?;
    let expected = one_by_one(study)?;
    openings::taken(path);
    let running = Running::new(study.cells.len());
    let rows = |cell, _: u64, _: &LogNames, _: LeftJobs| match cell {
        1 => Err("no room".into()),
        2 => {
            running.monitor(cell).stop.throw();
            Ok(())
        }
        _ => Ok(()),
    };
    let keep = |cell, outcomes: Vec<Outcome>| match cell {
        3 => Err("no disk".into()),
        4 => panic!("as it is told to"),
        _ => Ok(in_words(&outcomes)),
    };
    let cells: Vec<usize> = (0..study.cells.len()).collect();
    let found = results(study, &cells, LIMITS, &keep, (&running, Some(&rows)))?;
    assert_eq!(openings::taken(path), 1);
    for (cell, found) in found {
        match (cell, &found) {
            (0, _) => assert!(found == expected[&cell], "{found:?}"),
            (1, Err(error)) => assert_eq!(error, "no room"),
            (2, Err(error)) => assert_eq!(error, "interrupted"),
            (3, Err(error)) => assert_eq!(error, "no disk"),
            (4, Err(error)) => assert_eq!(error, "panicked: as it is told to"),
            (5.., Err(error)) => assert!(error.contains("machine 5x5 has 25"), "{error}"),
            _ => panic!("{cell}: {found:?}"),
        }
    }
    Ok(())
}

/// After an interruption no replay has a result, and the log is not read for those that have not begun.
#[test]
fn an_interruption_ends_a_team() -> Tested {
    let Case { study, .. } =
        &Case::new(20_000, "machines = ['8x8']\nallocators = ['naive', 'random', 'mbs']\n")?;
    let cells: Vec<usize> = (0..study.cells.len()).collect();
    let running = Running::new(cells.len());
    let keep = |_, _| {
        running.stop();
        Ok(String::new())
    };
    let found = results(study, &cells, Limits { threads: 1, ..LIMITS }, &keep, (&running, None))?;
    let interrupted = found.values().filter(|found| **found == Err("interrupted".to_owned())).count();
    assert_eq!((found.len(), interrupted), (3, 2), "{found:?}");
    Ok(())
}

/// The jobs of a stream as a replay of a team is given them.
struct Filtered<'a> {
    stream: &'a LogStream,
    batches: Receiver<Batch>,
    permit: &'a SemaphorePermit<'a>,
}

/// Takes all jobs of a stream at changing speeds, up to `last`. Returns their number.
fn dawdle(
    Filtered { stream, batches, permit }: Filtered<'_>,
    (working, threads): (&AtomicUsize, usize),
    (mut state, last): (u64, u64),
) -> Result<u64, SweepError> {
    let machine: meshreplay_machine::machine::Mesh = "16x16".parse().map_err(|_| SweepError::Interrupted)?;
    let ranks = Ranks::default();
    let filter = stream.filter(&machine, &BTreeMap::new(), u64::MAX);
    let mut arrivals = StreamedArrivals::new(batches, filter, Some(permit), 19, &ranks);
    let mut jobs = 0;
    loop {
        let failed = |error: ReplayError| SweepError::Panic(error.to_string());
        if arrivals.next_job().map_err(failed)?.is_none() || jobs == last {
            return Ok(jobs);
        }
        arrivals.advance().map_err(failed)?;
        jobs += 1;
        if jobs % 512 == 0 {
            assert!(
                working.fetch_add(1, Ordering::SeqCst) < threads,
                "more replays work than there are threads"
            );
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            thread::sleep(Duration::from_micros((state >> 33) % 8 * ((state >> 40) % 50)));
            working.fetch_sub(1, Ordering::SeqCst);
        }
    }
}

/// How often replays of random speeds run.
const ROUNDS: usize = 24;

/// Replays of random speeds, of which some leave early and some panic, come to an end, whatever the limits are.
#[test]
fn nobody_waits_for_ever() -> Tested {
    let lines =
        "machines = ['16x16']\nallocators = ['random']\nseeds = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]\n";
    let case = Case::new(50_000, lines)?;
    let (to_test, from_thread) = channel();
    thread::spawn(move || {
        for round in 0..ROUNDS {
            let (threads, team) = (1 + round % 4, 2 + round / 4 % 11);
            let limits = Limits { threads, team, ahead: 1 + round % 3 };
            // Sending fails only if the test has failed.
            let _ =
                to_test.send(stressed(&case.study, limits, round as u64).map_err(|error| error.to_string()));
        }
    });
    for round in 0..ROUNDS {
        let found = from_thread
            .recv_timeout(Duration::from_secs(60))
            .map_err(|error| format!("{round}: {error}"))??;
        assert_eq!(found.len(), 11);
        for (cell, found) in found {
            let expected = match cell % 5 {
                1 => Err("panicked: odd".to_owned()),
                3 => Ok(7_000),
                _ => Ok(50_000),
            };
            assert_eq!(found, expected, "{cell}");
        }
    }
    Ok(())
}

/// Runs the replays of `study`, which do nothing but wait, with random numbers from `seed`.
fn stressed(
    study: &Study,
    limits: Limits,
    seed: u64,
) -> Result<BTreeMap<usize, Result<u64, String>>, Box<dyn Error>> {
    let cells: Vec<usize> = (0..study.cells.len()).collect();
    let (running, working) = (Running::new(cells.len()), AtomicUsize::new(0));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(limits.threads).build()?;
    let workloads = &Workloads::new(study, cells.iter().copied());
    let queue = &Queue::new(study, workloads, &running, &cells, limits, false);
    let mut found = BTreeMap::new();
    let run = |cell: usize, slot: ReplaySlot<'_>| {
        assert!(cell % 5 != 1, "odd");
        let last = if cell % 5 == 3 { 7_000 } else { 50_000 };
        // The last one may be left over from teams.
        let Some(batches) = slot.batches.take() else { return Ok(last) };
        let stream = workloads.stream(cell)?.ok_or(SweepError::Interrupted)?;
        let permit = slot.permit.as_ref().ok_or(SweepError::Interrupted)?;
        let arrivals = Filtered { stream: &stream, batches, permit };
        dawdle(arrivals, (&working, limits.threads), (seed * 100 + cell as u64, last))
    };
    run_all(&pool, queue, &run, &mut |news| {
        if let Progress::Ended(cell, ended) = news {
            found.insert(cell, ended.map_err(|error| error.to_string()));
        }
    });
    Ok(found)
}

/// A replay of a team for which there is no further thread runs on its own when the team has ended.
#[test]
fn replays_without_a_thread_run_later() -> Tested {
    let lines = "machines = ['8x8']\nallocators = ['naive', 'random', 'mbs']\n";
    let Case { study, .. } = &Case::new(20_000, lines)?;
    let cells: Vec<usize> = (0..study.cells.len()).collect();
    let running = Running::new(cells.len());
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build()?;
    let workloads = &Workloads::new(study, cells.iter().copied());
    let queue = &Queue::new(study, workloads, &running, &cells, LIMITS, false);
    let mut found = Vec::new();
    let run = |cell: usize, slot: ReplaySlot<'_>| match slot.batches.take() {
        Some(_) if cell != 1 => Err(SweepError::Replay(RunError::Threadless("no thread".to_owned()))),
        batches => Ok((cell, batches.is_some())),
    };
    run_all(&pool, queue, &run, &mut |news| {
        if let Progress::Ended(_, ended) = news {
            found.push(ended.map_err(|error| error.to_string()));
        }
    });
    assert_eq!(found.first(), Some(&Ok((1, true))));
    found.sort();
    assert_eq!(found, [(0, false), (1, true), (2, false)].map(Ok));
    Ok(())
}
