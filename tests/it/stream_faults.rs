//! Interruptions of replays whose log is a stream: a signal, `kill -9` at several moments, a disk that gets
//! full. Nothing is there in part, and the same command then gives the same bytes.
#![cfg(unix)]

use std::collections::BTreeMap;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Command;

use super::signals::{BEGUN, interrupt, unfinished, wait};
use super::support::{Tested, contents, run, start};

/// More jobs than are kept in memory, 2^19, of which the results have several parts.
const JOBS: u32 = 540_000;

/// The replay. Its file of jobs is written while it runs.
const REPLAY: &str = "replay long.swf -m 64 -a naive -s fcfs --no-timing -q -o out";

/// Returns the content of the results, which are whole; an empty map if there are none.
fn results(at: &Path) -> Result<BTreeMap<String, Vec<u8>>, Box<dyn std::error::Error>> {
    let out = at.join("out");
    let mut found = if out.exists() { contents(&out)? } else { BTreeMap::new() };
    found.retain(|name, _| !name.starts_with(".meshreplay-"));
    Ok(found)
}

#[test]
fn interrupted_streams_leave_nothing_in_part() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let made =
        run(at, &format!("trace generate --model lublin --jobs {JOBS} --procs 64 --load 0.5 -o long.swf"))?;
    assert_eq!(made.code, Some(0), "{}", made.stderr);
    let written = |least: u64| move || unfinished(&at.join("out")).into_iter().max().unwrap_or(0) >= least;

    // SIGTERM while jobs are written.
    let output = interrupt(start(at, REPLAY)?, "-TERM", written(1))?;
    assert_eq!(output.status.signal(), Some(15), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(!at.join("out").exists());

    // The disk gets full, for the process: no file may have more than 500 kB.
    let program = env!("CARGO_BIN_EXE_meshreplay");
    let limited = format!("trap '' XFSZ; ulimit -f 500; exec {program} {REPLAY}");
    let ran = Command::new("bash").args(["-c", &limited]).current_dir(at).output()?;
    let said = String::from_utf8(ran.stderr)?;
    assert_eq!(ran.status.code(), Some(1), "{said}");
    assert!(said.contains("out/jobs.parquet") && !said.contains("panicked"), "{said}");
    assert!(!at.join("out").exists(), "{said}");

    // Killed early, in the middle and late: what is left are temporary files, which the next run removes.
    for least in [1, 1_000_000, 5_000_000] {
        let mut child = start(at, REPLAY)?;
        assert!(wait(BEGUN, || written(least)() || matches!(child.try_wait(), Ok(Some(_)))));
        child.kill()?;
        child.wait()?;
        let kept = results(at)?;
        // A late kill may find results whose last files are already there.
        assert!(kept.is_empty() || kept.contains_key("run.json"), "{:?}", kept.keys());
    }
    assert_eq!(run(at, REPLAY)?.code, Some(0));
    let whole = results(at)?;
    assert!(unfinished(&at.join("out")).is_empty() && whole.len() == 4, "{:?}", whole.keys());

    // What was there stays until the new results are whole.
    let other = REPLAY.replace("fcfs", "easy") + " --force";
    let mut child = start(at, &other)?;
    assert!(wait(BEGUN, || written(1)() || matches!(child.try_wait(), Ok(Some(_)))));
    child.kill()?;
    child.wait()?;
    assert!(results(at)? == whole);
    assert_eq!(run(at, REPLAY)?.code, Some(0));
    assert!(results(at)? == whole && unfinished(&at.join("out")).is_empty());
    Ok(())
}
