//! Interrupted replays that read their log while they run: a signal, `kill -9` at several moments, a full
//! disk. No file is incomplete, and the same command then gives the same bytes.
#![cfg(unix)]

use std::collections::BTreeMap;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Command;

use super::signals::{BEGUN, interrupt, unfinished, wait};
use super::support::{Tested, contents, run, start};

/// More than 2^19, the number of jobs kept in memory, and several row groups of results.
const JOBS: u32 = 540_000;

/// A replay that writes its file of jobs while it runs.
const REPLAY: &str = "replay long.swf -m 64 -a naive -s fcfs --no-timing -q -o out";

/// Returns the content of the result files without temporary files, or an empty map.
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

    // Simulate a full disk by a limit of 500 kB per file.
    let program = env!("CARGO_BIN_EXE_meshreplay");
    let limited = format!("trap '' XFSZ; ulimit -f 500; exec {program} {REPLAY}");
    let ran = Command::new("bash").args(["-c", &limited]).current_dir(at).output()?;
    let said = String::from_utf8(ran.stderr)?;
    assert_eq!(ran.status.code(), Some(1), "{said}");
    assert!(said.contains("out/jobs.parquet") && !said.contains("panicked"), "{said}");
    assert!(!at.join("out").exists(), "{said}");

    // Killed early, in the middle and late: only temporary files remain, and the next run removes them.
    for least in [1, 1_000_000, 5_000_000] {
        let mut child = start(at, REPLAY)?;
        assert!(wait(BEGUN, || written(least)() || matches!(child.try_wait(), Ok(Some(_)))));
        child.kill()?;
        child.wait()?;
        let kept = results(at)?;
        // After a late kill some final files may exist; run.json is written first.
        assert!(kept.is_empty() || kept.contains_key("run.json"), "{:?}", kept.keys());
    }
    assert_eq!(run(at, REPLAY)?.code, Some(0));
    let whole = results(at)?;
    assert!(unfinished(&at.join("out")).is_empty() && whole.len() == 4, "{:?}", whole.keys());

    // Old results stay until the new results are complete.
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
