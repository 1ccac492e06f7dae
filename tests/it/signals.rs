//! SIGINT and SIGTERM end every command soon, with what is finished and without unfinished files.
#![cfg(unix)]

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Output};
use std::thread;
use std::time::{Duration, Instant};

use super::support::{Tested, bundled, columns, start};

type Anything<T> = Result<T, Box<dyn std::error::Error>>;

/// Far more than a second, for machines under load, and far less than what is interrupted would take.
const SOON: Duration = Duration::from_secs(20);

/// How long a command may take until it is where it is to be interrupted.
const BEGUN: Duration = Duration::from_secs(120);

/// Waits for `is_so`, for so long at most.
fn wait(most: Duration, mut is_so: impl FnMut() -> bool) -> bool {
    let began = Instant::now();
    loop {
        if is_so() {
            return true;
        }
        if began.elapsed() > most {
            return false;
        }
        thread::sleep(Duration::from_millis(5));
    }
}

/// The sizes of the unfinished files in `directory`.
fn unfinished(directory: &Path) -> Vec<u64> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let ours = entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(".meshreplay-"));
    ours.map(|entry| entry.metadata().map_or(0, |there| there.len())).collect()
}

/// Sends the signal as soon as `is_there`; how the command ended.
fn interrupt(mut child: Child, signal: &str, is_there: impl FnMut() -> bool) -> Anything<Output> {
    let begun = wait(BEGUN, is_there);
    Command::new("kill").args([signal, &child.id().to_string()]).status()?;
    let ended = wait(SOON, || matches!(child.try_wait(), Ok(Some(_))));
    if !ended {
        child.kill()?;
    }
    let output = child.wait_with_output()?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(begun, "it has not begun: {said}");
    assert!(ended, "it does not end: {said}");
    Ok(output)
}

#[test]
fn a_call_of_an_allocator_ends() -> Tested {
    // Any of these calls takes far longer than a test may.
    for (machine, allocator) in [("512x512", "gen-alg"), ("1024x1024", "mm"), ("1024x1024", "mc-pair")] {
        let directory = tempfile::tempdir()?;
        let out = directory.path().join("out");
        let log = bundled("lublin-256-10k.swf.gz");
        let command = format!(
            "replay {log} -m {machine} -a naive {allocator} -s fcfs --threads 1 --no-timing --format csv -q -o out"
        );
        let child = start(directory.path(), &command)?;
        let output = interrupt(child, "-TERM", || {
            let has_first = unfinished(&out).iter().any(|&size| size > 0);
            if has_first {
                // The second replay has asked its allocator by then.
                thread::sleep(Duration::from_millis(200));
            }
            has_first
        })?;
        let said = String::from_utf8(output.stderr)?;
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert_eq!(said, "error: interrupted: 1 of 2 replays finished and are kept\n", "{allocator}");
        assert_eq!(unfinished(&out), Vec::<u64>::new());
        let summary = columns(&out.join("summary.csv"))?;
        assert_eq!(summary["allocator"], ["naive"]);
    }
    Ok(())
}

#[test]
fn a_step_that_nobody_can_leave_is_left_behind() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let out = at.join("out");
    // MC1x1 fills a centre with 700,000 nodes one by one, for minutes, and asks nobody meanwhile.
    let large = "2 1 -1 9 700001 -1 -1 700001 9 -1 1 -1 -1 -1 -1 -1 -1 -1\n3 2 -1 9 700002 -1 -1 700002 9 -1 1 -1 -1 -1 -1 -1 -1 -1\n";
    fs::write(at.join("large.swf"), format!("1 0 -1 90 1 -1 -1 1 90 -1 1 -1 -1 -1 -1 -1 -1 -1\n{large}"))?;
    let command =
        "replay large.swf -m 2048x2048 -a naive mc1x1 -s fcfs --threads 1 --no-timing --format csv -q -o out";
    let output = interrupt(start(at, command)?, "-TERM", || {
        let has_first = unfinished(&out).iter().any(|&size| size > 0);
        if has_first {
            thread::sleep(Duration::from_millis(1500));
        }
        has_first
    })?;
    let said = String::from_utf8(output.stderr)?;
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert_eq!(said, "error: interrupted: 1 of 2 replays finished and are kept\n");
    assert_eq!(columns(&out.join("summary.csv"))?["allocator"], ["naive"]);
    assert_eq!(unfinished(&out), Vec::<u64>::new());
    Ok(())
}

#[test]
fn what_keeps_nothing_ends_at_once_and_leaves_nothing() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let generate = "trace generate --model lublin --jobs 100000000 --procs 256 --seed 1 -o big.swf";
    for signal in ["-INT", "-TERM"] {
        let output = interrupt(start(at, generate)?, signal, || unfinished(at).iter().any(|&size| size > 0))?;
        assert_eq!(output.status.code(), Some(1));
        assert_eq!(String::from_utf8(output.stderr)?, "error: interrupted\n");
        assert_eq!(fs::read_dir(at)?.count(), 0, "{signal}");
    }
    let began = Instant::now();
    let child = start(at, "show optimum --machine 16x16 --procs 97 --limit 2000000000000")?;
    interrupt(child, "-TERM", || began.elapsed() > Duration::from_millis(300))?;
    Ok(())
}
