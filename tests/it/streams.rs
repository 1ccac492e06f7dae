//! Replays that read jobs while they run give the same bytes as replays with all jobs in memory.

use std::error::Error;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::sync::Mutex;

use meshreplay::frame::{FileFormat, RunPlace, RunResults};
use meshreplay::metrics::FinishedJob;
use meshreplay::study::{Options, Outcome, Progress, Running, Study, TakeCellRows, sweep};
use meshreplay::trace::LogNames;

use super::support::{Tested, contents, run, run_with};

/// Runs every replay of `study`, writes finished jobs to `results` and returns the errors.
pub(crate) fn replayed(
    study: &Study,
    results: &mut RunResults<'_>,
    threads: usize,
) -> Result<Vec<String>, Box<dyn Error>> {
    let parts = results.parts();
    let rows = parts.as_ref().map(|parts| {
        move |number, seed, names: &LogNames, left: Vec<FinishedJob>| {
            Ok(parts.take(number, seed, names, &left)?)
        }
    });
    let rows = rows.as_ref().map(|rows| rows as &TakeCellRows<'_>);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
    let (running, mut errors) = (Running::new(study.cells.len()), Vec::new());
    let cells: Vec<usize> = (0..study.cells.len()).collect();
    let is_streamed = study.most_kept < usize::MAX;
    let keep = |_, outcomes: Vec<Outcome>| {
        assert!(outcomes.iter().all(|outcome| outcome.has_jobs() != is_streamed));
        Ok(outcomes)
    };
    let mut failure = None;
    sweep(study, &cells, &pool, &running, &keep, rows, &mut |news| {
        let Progress::Ended(number, ended) = news else { return };
        let outcomes = ended.map_err(|error| errors.push(error.to_string())).ok();
        failure = failure.take().or(results.add(number, outcomes).err());
    });
    failure.map_or(Ok(errors), |error| Err(error.into()))
}

/// Runs `study` with at most `most` jobs of a log in memory, and returns the files of its results.
fn files(
    study: &Study,
    most: usize,
    (folder, format): (&Path, FileFormat),
) -> Result<std::collections::BTreeMap<String, Vec<u8>>, Box<dyn Error>> {
    let study = Study { most_kept: most, ..study.clone() };
    let mut results = RunResults::open(&study, Some(RunPlace { path: folder, format, force: false }))?;
    // Up to three replays share a reader of the log.
    let errors = replayed(&study, &mut results, 3)?;
    assert_eq!(errors, Vec::<String>::new());
    results.finish()?;
    contents(folder)
}

/// Writes a log of `jobs` jobs of the Lublin–Feitelson model.
fn write_log(directory: &Path, jobs: u32, procs: u32) -> Tested {
    let made =
        format!("trace generate --model lublin --jobs {jobs} --procs {procs} --load 0.8 --force -o log.swf");
    assert_eq!(run(directory, &made)?.code, Some(0));
    Ok(())
}

/// Returns a study with these lines on the log.
fn study(directory: &Path, lines: &str) -> Result<Study, Box<dyn Error>> {
    let path = directory.join("study.toml");
    fs::write(&path, format!("logs = ['log.swf']\n{lines}"))?;
    Ok(Study::read(&path, Options { jobs: true, placements: true, ..Options::default() })?)
}

#[test]
fn jobs_that_are_read_while_a_replay_runs_give_the_same_files() -> Tested {
    let directory = tempfile::tempdir()?;
    write_log(directory.path(), 3_000, 256)?;
    let lines = "allocators = ['hilbert+bf', 'mbs', 'first-fit']\nrules = ['authors:oversize=skip']\n\
                 machines = ['16x16', '9x14']\n";
    let more = "schedulers = ['easy', 'conservative', 'first-fit-queue']\narrival_scales = [1.0, 0.9]\n";
    for (i, format) in FileFormat::ALL.into_iter().enumerate() {
        // All formats have the same rows, so one is tried with all schedulers and loads.
        let study = study(directory.path(), &[lines, if i == 0 { more } else { "" }].concat())?;
        let [kept, streamed] = ["kept", "streamed"].map(|name| directory.path().join(format!("{name}{i}")));
        let kept = files(&study, usize::MAX, (&kept, format))?;
        assert_eq!(kept.len(), 4, "{:?}", kept.keys());
        for (name, bytes) in files(&study, 100, (&streamed, format))? {
            assert!(kept[&name] == bytes, "{name} differs");
        }
    }
    Ok(())
}

/// Runs every replay of `study` with at most `most` jobs of a log in memory, and returns the summary of each
/// as text.
fn numbers(study: &Study, most: usize) -> Result<Vec<(usize, String)>, Box<dyn Error>> {
    let study = Study { most_kept: most, ..study.clone() };
    let fragmentation = Some("2x2".parse()?);
    let options = Options { jobs: false, placements: false, fragmentation, ..study.options.clone() };
    let study = Study { options, ..study };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build()?;
    let (running, found) = (Running::new(study.cells.len()), Mutex::new(Vec::new()));
    let cells: Vec<usize> = (0..study.cells.len()).collect();
    let keep = |number, outcomes: Vec<Outcome>| {
        let words = outcomes.iter().map(|outcome| format!("{:?} {:?}", outcome.summary, outcome.parts));
        found.lock().expect("no panic").push((number, words.collect()));
        Ok(())
    };
    sweep(&study, &cells, &pool, &running, &keep, None, &mut |_| {});
    let mut found = found.into_inner()?;
    found.sort();
    Ok(found)
}

/// A pipe cannot be read twice, so all jobs stay in memory, even if the pipe has a file name.
#[cfg(unix)]
#[test]
fn a_long_log_from_a_pipe_with_a_name_is_replayed() -> Tested {
    let directory = tempfile::tempdir()?;
    let mut jobs = String::new();
    for i in 1..=530_000 {
        writeln!(jobs, "{i} {i} -1 1 1 -1 -1 1 9 -1 1 1 1 -1 0 -1 -1 -1")?;
    }
    let replay = ["replay", "/dev/stdin", "-m", "4x4", "-a", "naive"];
    let ran = run_with(directory.path(), &replay, jobs.as_bytes())?;
    assert!(ran.code == Some(0) && ran.stdout.contains("jobs 530,000"), "{} {}", ran.stdout, ran.stderr);
    Ok(())
}

/// A log that is not in order of arrival is still replayed while it is read.
#[test]
fn jobs_that_are_read_out_of_order_give_the_same_results() -> Tested {
    let directory = tempfile::tempdir()?;
    write_log(directory.path(), 5_000, 256)?;
    let log = directory.path().join("log.swf");
    let text = fs::read_to_string(&log)?;
    let (header, mut jobs): (Vec<&str>, Vec<&str>) = text.lines().partition(|line| line.starts_with(';'));
    // Reverse every 40 jobs, and move one job 4,000 places back.
    jobs.chunks_mut(40).for_each(<[_]>::reverse);
    jobs[300..4_300].rotate_left(1);
    fs::write(&log, [header, jobs].concat().join("\n") + "\n")?;
    let study = study(
        directory.path(),
        "machines = ['16x16']\nschedulers = ['easy', 'fcfs']\nallocators = ['hilbert+bf', 'first-fit']\n\
         arrival_scales = [1.0, 0.01]\n",
    )?;
    let [kept, streamed] = ["kept", "streamed"].map(|name| directory.path().join(name));
    let kept = files(&study, usize::MAX, (&kept, FileFormat::Csv))?;
    for (name, bytes) in files(&study, 100, (&streamed, FileFormat::Csv))? {
        assert!(kept[&name] == bytes, "{name} differs");
    }
    let kept = numbers(&study, usize::MAX)?;
    assert_eq!(kept.len(), 8);
    assert!(kept == numbers(&study, 100)?, "sums over blocks differ");
    Ok(())
}

#[test]
fn long_logs_give_the_same_parts_of_files() -> Tested {
    let directory = tempfile::tempdir()?;
    // More jobs than one part of a file has, on few nodes. A single replay writes directly to the result
    // file. Two replays write temporary files first, which are Parquet whatever the format.
    write_log(directory.path(), 140_000, 16)?;
    for (allocators, formats) in [
        ("'naive'", &[FileFormat::Parquet, FileFormat::Json, FileFormat::Csv][..]),
        ("'naive', 'hilbert+bf'", &[FileFormat::Csv]),
    ] {
        let lines = format!("machines = ['4x4']\nschedulers = ['fcfs']\nallocators = [{allocators}]\n");
        let study = study(directory.path(), &lines)?;
        for &format in formats {
            let [kept, streamed] = ["kept", "streamed"].map(|name| {
                directory.path().join(format!("{name}-{}-{}", study.cells.len(), format.extension()))
            });
            let kept = files(&study, usize::MAX, (&kept, format))?;
            for (name, bytes) in files(&study, 1_000, (&streamed, format))? {
                assert!(kept[&name] == bytes, "{name} differs");
            }
        }
    }
    Ok(())
}

#[test]
fn a_log_that_changes_while_it_is_replayed_gives_no_results() -> Tested {
    let directory = tempfile::tempdir()?;
    write_log(directory.path(), 3_000, 16)?;
    let study =
        study(directory.path(), "machines = ['4x4']\nschedulers = ['fcfs']\nallocators = ['naive']\n")?;
    let study = Study { most_kept: 100, ..study };
    let log = directory.path().join("log.swf");
    let text = fs::read_to_string(&log)?;
    // The log gets another comment, or more jobs than in the first pass.
    let more = text.lines().skip_while(|line| line.starts_with(';')).collect::<Vec<_>>().join("\n");
    for late in ["; late\n".to_owned(), (more + "\n").repeat(4)] {
        fs::write(&log, text.clone() + &late)?;
        let folder = directory.path().join("out");
        let mut results = RunResults::open(
            &study,
            Some(RunPlace { path: &folder, format: FileFormat::Parquet, force: false }),
        )?;
        let errors = replayed(&study, &mut results, 1)?;
        assert!(errors.len() == 1 && errors[0].contains("has changed"), "{errors:?}");
        assert!(results.finish()?.is_none());
        assert!(!folder.exists());
    }
    Ok(())
}
