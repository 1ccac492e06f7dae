//! Sizes of machines and windows of history, on logs of the archive and on sites with planted truth.

use std::fmt::Write as _;

use meshreplay_logs::{Names, NodeRuns, Profile, ReadOptions};
use meshreplay_testing::{Numbers, Tested, gunzip, shared};

/// A job: submission, wait, run time in seconds, processors.
type Times = [i64; 4];

/// Returns the profile of a log of these jobs without a header.
fn profile(jobs: &[Times]) -> Result<Profile, Box<dyn std::error::Error>> {
    let mut text = String::new();
    for (number, [submit, wait, run, procs]) in (1..).zip(jobs) {
        writeln!(text, "{number} {submit} {wait} {run} {procs} -1 -1 {procs} -1 -1 1 1 1 -1 1 -1 -1 -1")?;
    }
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("site.swf");
    std::fs::write(&path, text)?;
    Ok(Profile::of(&path, ReadOptions::default())?)
}

/// Returns the jobs of a log of the archive that ran; `None`, with a note, without that log.
fn archive(name: &str) -> Result<Option<Vec<Times>>, Box<dyn std::error::Error>> {
    let Some(path) = shared(&format!("traces/{name}.swf.gz")) else { return Ok(None) };
    let mut jobs = Vec::new();
    for line in gunzip(&path)?.lines().filter(|line| !line.starts_with(';')) {
        let fields: Vec<f64> = line.split_whitespace().map_while(|field| field.parse().ok()).collect();
        let [_, submit, wait, run, got, _, _, asked, ..] = fields[..] else { continue };
        let procs = if got > 0.0 { got } else { asked };
        if run >= 0.0 && procs > 0.0 {
            jobs.push([submit, wait.max(0.0), run, procs].map(|field| field as i64));
        }
    }
    Ok(Some(jobs))
}

/// Returns the jobs that ran in the window from `from` to `to`.
fn window(jobs: &[Times], from: i64, to: i64) -> Vec<Times> {
    let is_in = |[submit, wait, run, _]: &&Times| *submit < to && submit + wait + run >= from;
    jobs.iter().filter(is_in).copied().collect()
}

#[test]
fn sizes_of_the_archive_are_found_in_the_use_of_their_machines() -> Tested {
    for (name, size) in [
        ("SDSC-SP2-1998-4.2-cln", Some(128)),
        ("NASA-iPSC-1993-3.1-cln", Some(128)),
        ("KTH-SP2-1996-2.1-cln", Some(101)),
        ("LLNL-Atlas-2006-2.1-cln", Some(9120)),
        ("nonarchive-Theta-2022-waits", Some(4392)),
        ("LANL-CM5-1994-4.1-cln", None),
        ("LLNL-T3D-1996-2", None),
        ("RICC-2010-2", None),
        ("SDSC-DS-2004-2.1-cln", None),
        ("SDSC-Par-1996-3.1-cln", None),
        ("nonarchive-Mira-2018-waits", None),
        ("OSC-Clust-2000-3.1-cln", None),
        ("LCG-2005-1", None),
        ("Sandia-Ross-2001-1.1-cln", None),
        ("HPC2N-2002-2.2-cln", None),
    ] {
        let Some(jobs) = archive(name)? else { return Ok(()) };
        let found = profile(&jobs)?;
        assert_eq!(
            (found.machine_procs, found.window_from_s),
            (size, None),
            "{name}: {}",
            found.machine_source
        );
    }
    let Some(gaia) = archive("UniLu-Gaia-2014-1")? else { return Ok(()) };
    assert!(profile(&gaia)?.window_from_s.is_some());
    Ok(())
}

#[test]
fn windows_of_the_archive_are_found_and_prefixes_are_whole() -> Tested {
    const DAY_S: i64 = 86_400;
    let (mut windows, mut missed) = (0, 0);
    // The first 36 jobs of SP2 wait up to 8 h for an idle machine, as in a window.
    for name in ["KTH-SP2-1996-2.1-cln", "LANL-CM5-1994-4.1-cln", "HPC2N-2002-2.2-cln"] {
        let Some(jobs) = archive(name)? else { return Ok(()) };
        let last = jobs.iter().map(|[submit, ..]| *submit).max().unwrap_or(0);
        let mut numbers = Numbers(7);
        for _ in 0..20 {
            let days = 3 + i64::from(numbers.below(58));
            let from = i64::from(numbers.below((last - 60 * DAY_S) as u32));
            let found = profile(&window(&jobs, from, from + days * DAY_S))?;
            windows += 1;
            missed += i32::from(found.window_from_s.is_none());
            if let Some(start) = found.window_from_s {
                assert!((from..from + DAY_S).contains(&start), "{name} from {from}: {start}");
            }
            let prefix = profile(&window(&jobs, 0, from + days * DAY_S))?;
            assert_eq!(prefix.window_from_s, None, "{name} up to day {}", from / DAY_S + days);
        }
    }
    assert!(windows == 60 && missed <= 4, "{missed} of {windows} windows are not found");
    Ok(())
}

/// Returns the jobs of a site that serves them in order of arrival on `nodes` nodes.
fn site(nodes: i64, count: u32) -> Vec<Times> {
    let (mut numbers, mut submit, mut now) = (Numbers(3), 0, 0);
    let mut running: Vec<(i64, i64)> = Vec::new();
    let mut jobs = Vec::new();
    for _ in 0..count {
        submit += i64::from(numbers.below(1900));
        let procs = i64::from(1 + numbers.below(32).min(numbers.below(32)));
        let run = i64::from(60 + numbers.below(3600) * (1 + numbers.below(4)));
        now = submit.max(now);
        running.retain(|(end, _)| *end > now);
        while running.iter().map(|(_, procs)| procs).sum::<i64>() + procs > nodes {
            now = running.iter().map(|(end, _)| *end).min().unwrap_or(now);
            running.retain(|(end, _)| *end > now);
        }
        running.push((now + run, procs));
        jobs.push([submit, now - submit, run, procs]);
    }
    jobs
}

#[test]
fn a_planted_maintenance_is_the_only_idle_time_with_waiting_jobs() {
    let mut runs = NodeRuns::default();
    let mut jobs = site(64, 2000);
    let stop = jobs[1000][0] + 9 * 3600;
    for job in &mut jobs {
        // Nothing starts that would run into the maintenance of 10 h; all jobs before it have ended.
        let [submit, wait, run, _] = *job;
        if submit + wait + run > stop {
            job[1] += 10 * 3600 + (stop - submit - wait).max(0);
        }
    }
    for [submit, wait, run, procs] in jobs {
        runs.add(Some([submit, submit + wait, submit + wait + run]), procs as u32, None, None);
    }
    let names = Names::default();
    let spans = runs.on_nodes(&names).idle_spans();
    let [[from, to]] = spans[..] else { panic!("{spans:?}") };
    assert!(from <= stop && to >= stop + 10 * 3600, "{from} to {to}, expected {stop} and 10 h");
}

#[test]
fn planted_sizes_and_windows_are_found() -> Tested {
    let jobs = site(64, 4000);
    let whole = profile(&jobs)?;
    assert_eq!((whole.machine_procs, whole.window_from_s), (Some(64), None));
    // One job of 0 s, and one second with two jobs on the same nodes, change nothing.
    let mut odd = jobs.clone();
    odd.push([odd[2000][0] + odd[2000][1], 0, 0, 50]);
    odd.push([odd[2500][0] + odd[2500][1], 0, 1, 32]);
    assert_eq!(profile(&odd)?.machine_procs, Some(64));
    let from = jobs[2000][0];
    let part = profile(&window(&jobs, from, from + 30 * 86_400))?;
    assert_eq!(part.machine_procs, Some(64));
    assert!(part.window_from_s.is_some_and(|start| (from..from + 3600).contains(&start)));
    let (load, whole_load) = (part.offered_load, whole.offered_load);
    assert!(load.zip(whole_load).is_some_and(|(part, whole)| (part / whole - 1.0).abs() < 0.1), "{load:?}");
    Ok(())
}
