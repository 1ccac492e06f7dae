//! Streamed replays of one log: each reads it on its own, and a failed replay does not disturb the others.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use super::*;
use crate::study::options::Options;
use crate::study::shared_jobs::load_jobs;
use crate::study::source::JobSource;

type Tested = Result<(), Box<dyn Error>>;

/// A study of a streamed log.
struct Case {
    _folder: tempfile::TempDir,
    path: PathBuf,
    study: Study,
}

impl Case {
    /// Plans a study of a log of `jobs` jobs, with reversed stretches. `lines` go into the study's file.
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

/// Runs all replays of `study` on `threads` threads, with rows that are discarded if `rows` is given.
fn results(
    study: &Study,
    threads: usize,
    keep: &Keep<'_, String>,
    running: &Running,
    rows: Option<&TakeCellRows<'_>>,
) -> Result<Results, Box<dyn Error>> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
    let cells: Vec<usize> = (0..study.cells.len()).collect();
    let mut results = Results::new();
    sweep(study, &cells, &pool, running, keep, rows, &mut |news| {
        if let Progress::Ended(cell, ended) = news {
            let earlier = results.insert(cell, ended.map_err(|error| error.to_string()));
            assert!(earlier.is_none(), "replay {cell} has ended twice");
        }
    });
    Ok(results)
}

fn in_words(outcomes: &[Outcome]) -> String {
    let words = outcomes.iter().map(|outcome| {
        let Outcome { seed, skipped, never_fit, summary, parts, .. } = outcome;
        format!("{seed} {skipped} {never_fit} {summary:?} {parts:?}\n")
    });
    words.collect()
}

/// Runs all replays of `study` like [`results`], and keeps outcomes in words.
fn all(study: &Study, threads: usize) -> Result<Results, Box<dyn Error>> {
    let running = Running::new(study.cells.len());
    results(study, threads, &|_, outcomes| Ok(in_words(&outcomes)), &running, None)
}

/// Replays that differ in all ways: jobs that are larger than some machines, jobs that allocators of
/// submeshes never place, and other arrival scales.
const DIFFERENT: &str = "machines = ['16x16', '7x8', '4x16']\nschedulers = ['easy', 'fcfs']\narrival_scales \
     = [1.0, 0.9]\n\
                         allocators = ['hilbert+bf', 'first-fit', 'random']\nrules = \
                         ['authors:oversize=skip']\n";

#[test]
fn results_do_not_depend_on_the_number_of_threads() -> Tested {
    let Case { study, .. } = &Case::new(5_000, DIFFERENT)?;
    let source = Workloads::new(study, 0..study.cells.len()).replay(0)?.source;
    assert!(matches!(source, JobSource::Streamed { .. }));
    let expected = all(study, 1)?;
    let distinct: std::collections::BTreeSet<_> = expected.values().collect();
    assert!(expected.values().all(Result::is_ok) && distinct.len() >= 30, "{}", distinct.len());
    for threads in [2, 3, 8] {
        assert!(all(study, threads)? == expected, "{threads}");
    }
    Ok(())
}

/// Each replay reports a log that has changed or is missing.
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
        let found = all(&study, 2)?;
        assert_eq!(found.len(), 4);
        let is_said =
            |found: &Result<String, String>| found.as_ref().is_err_and(|error| error.contains(said));
        assert!(found.values().all(is_said), "{found:?}");
    }
    Ok(())
}

/// The other replays keep their results if one cannot begin, cannot keep its rows, is stopped, cannot keep
/// its result or panics.
#[test]
fn a_replay_that_ends_early_leaves_the_others_alone() -> Tested {
    let lines = "machines = ['8x8', '5x5']\nallocators = ['naive', 'hilbert+bf', 'random', 'row-snake+bf', \
         'mbs']\n\
                 schedulers = ['fcfs']\n";
    // More jobs than in two parts of rows.
    let Case { study, .. } = &Case::new(300_000, lines)?;
    let expected = all(study, 1)?;
    let running = Running::new(study.cells.len());
    let rows = |cell, _: u64, _: &LogNames, _: Vec<FinishedJob>| match cell {
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
    let found = results(study, 2, &keep, &running, Some(&rows))?;
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

/// After an interruption no replay has a result, and the log is not read for replays that have not begun.
#[test]
fn an_interruption_ends_all_replays() -> Tested {
    let Case { study, .. } =
        &Case::new(20_000, "machines = ['8x8']\nallocators = ['naive', 'random', 'mbs']\n")?;
    let running = Running::new(study.cells.len());
    let keep = |_, _| {
        running.stop();
        Ok(String::new())
    };
    let found = results(study, 1, &keep, &running, None)?;
    let interrupted = found.values().filter(|found| **found == Err("interrupted".to_owned())).count();
    assert_eq!((found.len(), interrupted), (3, 2), "{found:?}");
    Ok(())
}
