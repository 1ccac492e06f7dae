//! SIGINT, SIGTERM and SIGHUP end every command soon. Finished results stay, unfinished files are removed,
//! and the process ends by the signal, so that shells can see it.
#![cfg(unix)]

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, Output};
use std::thread;
use std::time::{Duration, Instant};

use super::support::{Tested, bundled, children_hear_interrupts, columns, run, start};

pub(super) type Anything<T> = Result<T, Box<dyn std::error::Error>>;

/// Time limit after a signal: enough for a loaded machine, and far less than the full run time of the
/// commands.
const SOON: Duration = Duration::from_secs(20);

/// Time limit until a command reaches the point of the interruption.
pub(super) const BEGUN: Duration = Duration::from_secs(120);

/// Waits until `is_so()`, at most for the duration `most`. Returns false after this time.
pub(super) fn wait(most: Duration, mut is_so: impl FnMut() -> bool) -> bool {
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
pub(super) fn unfinished(directory: &Path) -> Vec<u64> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let ours = entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(".meshreplay-"));
    ours.map(|entry| entry.metadata().map_or(0, |there| there.len())).collect()
}

/// Sends a signal, such as -TERM, to a process, or to a process group if the number is negative.
fn send(signal: &str, process: i64) -> Tested {
    assert!(Command::new("kill").args([signal, "--", &process.to_string()]).status()?.success());
    Ok(())
}

/// Sends the signal as soon as `is_there()`, and returns the output of the command.
pub(super) fn interrupt(mut child: Child, signal: &str, is_there: impl FnMut() -> bool) -> Anything<Output> {
    let begun = wait(BEGUN, is_there);
    send(signal, child.id().into())?;
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
    // Each of these calls would take far longer than the time limit.
    for (machine, allocator) in [("512x512", "gen-alg"), ("1024x1024", "mm"), ("1024x1024", "mc-pair")] {
        let directory = tempfile::tempdir()?;
        let out = directory.path().join("out");
        let log = bundled("lublin-256-10k.swf.gz");
        let command = format!(
            "replay {log} -m {machine} -a naive {allocator} -s fcfs --threads 1 --no-timing --format csv -q \
                 -o out"
        );
        let child = start(directory.path(), &command)?;
        let output = interrupt(child, "-TERM", || {
            let has_first = unfinished(&out).iter().any(|&size| size > 0);
            if has_first {
                // By then the second replay is in the allocator call.
                thread::sleep(Duration::from_millis(200));
            }
            has_first
        })?;
        let said = String::from_utf8(output.stderr)?;
        assert_eq!(output.status.signal(), Some(15), "{said}");
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
    // MC1x1 adds 700,000 nodes one by one, for minutes, and does not check for signals.
    let large = "2 1 -1 9 700001 -1 -1 700001 9 -1 1 -1 -1 -1 -1 -1 -1 -1\n3 2 -1 9 700002 -1 -1 700002 9 -1 \
         1 -1 -1 -1 -1 -1 -1 -1\n";
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
    assert_eq!(output.status.signal(), Some(15), "{said}");
    assert_eq!(said, "error: interrupted: 1 of 2 replays finished and are kept\n");
    assert_eq!(columns(&out.join("summary.csv"))?["allocator"], ["naive"]);
    assert_eq!(unfinished(&out), Vec::<u64>::new());
    Ok(())
}

#[test]
fn what_keeps_nothing_ends_at_once_and_leaves_nothing() -> Tested {
    children_hear_interrupts();
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let generate = "trace generate --model lublin --jobs 100000000 --procs 256 --seed 1 -o big.swf";
    for (signal, number) in [("-INT", 2), ("-TERM", 15), ("-HUP", 1)] {
        let output = interrupt(start(at, generate)?, signal, || unfinished(at).iter().any(|&size| size > 0))?;
        assert_eq!(output.status.signal(), Some(number));
        assert_eq!(String::from_utf8(output.stderr)?, "error: interrupted\n");
        assert_eq!(fs::read_dir(at)?.count(), 0, "{signal}");
    }
    let began = Instant::now();
    let child = start(at, "show optimum --machine 16x16 --procs 97 --limit 2000000000000")?;
    interrupt(child, "-TERM", || began.elapsed() > Duration::from_millis(300))?;
    Ok(())
}

/// A FIFO as a log that does not end while the returned file is open.
fn endless_log(path: &Path) -> Anything<File> {
    assert!(Command::new("mkfifo").arg(path).status()?.success());
    // Open for reading and writing, so that opening does not wait for a reader.
    Ok(OpenOptions::new().read(true).write(true).open(path)?)
}

/// A line of a log.
const RECORD: &[u8] = b"1 0 0 9 2 -1 -1 2 9 -1 1 -1 -1 -1 -1 -1 -1 -1\n";

#[test]
fn a_log_that_is_being_written_goes_again() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let mut log = endless_log(&at.join("in.swf"))?;
    for command in ["trace convert in.swf out.swf.gz", "trace cut in.swf out.swf --first 9"] {
        // The command reads this line and waits for more.
        log.write_all(RECORD)?;
        let output = interrupt(start(at, command)?, "-TERM", || !unfinished(at).is_empty())?;
        assert_eq!(output.status.signal(), Some(15), "{command}");
        assert_eq!(String::from_utf8(output.stderr)?, "error: interrupted\n", "{command}");
        assert_eq!(fs::read_dir(at)?.count(), 1, "{command}");
    }
    Ok(())
}

#[test]
fn a_new_directory_goes_again_if_nothing_came_into_it() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let log = bundled("lublin-256-10k.swf.gz");
    let command =
        format!("replay {log} -m 512x512 -a gen-alg --threads 1 --no-timing --format csv -q -o new/out");
    let output = interrupt(start(at, &command)?, "-TERM", || !unfinished(&at.join("new/out")).is_empty())?;
    assert_eq!(output.status.signal(), Some(15));
    assert_eq!(String::from_utf8(output.stderr)?, "error: interrupted: 0 of 1 replay finished\n");
    assert_eq!(fs::read_dir(at)?.count(), 0);
    Ok(())
}

#[test]
#[cfg(target_os = "linux")]
fn an_error_that_nobody_reads_does_not_keep_a_command() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    children_hear_interrupts();
    // Fill the pipe: its capacity is 64 KiB.
    let (unread, mut full) = std::io::pipe()?;
    full.write_all(&vec![0; 1 << 16])?;
    let typed = "replay synthetic:jobs=2000 -m 384x384 -a mc-pair -q -o out --threads 1";
    let mut child = Command::new(env!("CARGO_BIN_EXE_meshreplay"))
        .args(typed.split(' '))
        .current_dir(at)
        .stderr(full)
        .spawn()?;
    assert!(wait(BEGUN, || !unfinished(&at.join("out")).is_empty()), "nothing was begun");
    send("-INT", child.id().into())?;
    let mut ended = None;
    let is_over = wait(SOON, || {
        ended = child.try_wait().ok().flatten();
        ended.is_some()
    });
    child.kill()?;
    assert!(is_over, "it still runs");
    assert_eq!(ended.and_then(|status| status.signal()), Some(2));
    drop(unread);
    Ok(())
}

#[test]
fn whatever_is_written_is_whole_or_not_there() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let made = run(at, &format!("replay {} -m 16x16 -a naive -q -o out", bundled("lublin-256-10k.swf.gz")))?;
    assert_eq!(made.code, Some(0), "{}", made.stderr);
    for (command, file, end) in [
        ("plot out -o pictures -q", "pictures/turnaround.svg", "</svg>\n"),
        ("report out -o page.html", "page.html", "</html>\n"),
        ("export out --to swf -o schedule.swf", "schedule.swf", "\n"),
    ] {
        let mut child = start(at, command)?;
        // The command may have ended, or may not have begun. No file may be incomplete.
        send("-TERM", child.id().into())?;
        let ended = wait(SOON, || matches!(child.try_wait(), Ok(Some(_))));
        let status = child.wait()?;
        assert!(ended && (status.success() || status.signal() == Some(15)), "{command}: {status}");
        let text = fs::read_to_string(at.join(file)).ok();
        assert!(text.is_none_or(|text| text.ends_with(end)), "{command}");
        assert!(unfinished(at).is_empty() && unfinished(&at.join("pictures")).is_empty(), "{command}");
    }
    Ok(())
}

#[test]
fn a_loop_of_a_shell_stops() -> Tested {
    children_hear_interrupts();
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let program = env!("CARGO_BIN_EXE_meshreplay");
    let log = bundled("lublin-256-10k.swf.gz");
    fs::write(
        at.join("study.toml"),
        format!("logs = ['{log}']\nmachines = ['512x512']\nallocators = ['gen-alg']\n"),
    )?;
    for (command, folder) in [
        (format!("replay {log} -m 512x512 -a gen-alg --format csv -q -o out"), "out"),
        ("sweep study.toml -o swept -q".to_owned(), "swept/cells"),
        ("trace generate --model lublin --jobs 100000000 --procs 256 -o big.swf".to_owned(), "."),
    ] {
        let script = format!("for i in 1 2 3; do echo $i >> begun; '{program}' {command}; done; touch after");
        let mut shell = Command::new("bash");
        shell.args(["-c", &script]).current_dir(at).process_group(0).stderr(std::process::Stdio::null());
        let mut shell = shell.spawn()?;
        let is_there = || match folder {
            "swept/cells" => at.join(folder).exists(),
            _ => !unfinished(&at.join(folder)).is_empty(),
        };
        assert!(wait(BEGUN, is_there), "{command}");
        // Ctrl-C in a terminal: the signal goes to the shell and to its child.
        send("-INT", -i64::from(shell.id()))?;
        assert!(wait(SOON, || matches!(shell.try_wait(), Ok(Some(_)))), "{command}");
        assert_eq!(shell.wait()?.signal(), Some(2), "{command}");
        assert_eq!(fs::read_to_string(at.join("begun"))?, "1\n", "{command}");
        assert!(!at.join("after").exists() && unfinished(at).is_empty(), "{command}");
        fs::remove_file(at.join("begun"))?;
    }
    Ok(())
}

#[test]
fn a_second_signal_ends_at_once() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let large = "2 1 -1 9 700001 -1 -1 700001 9 -1 1 -1 -1 -1 -1 -1 -1 -1\n";
    fs::write(at.join("large.swf"), large)?;
    let mut child = start(at, "replay large.swf -m 2048x2048 -a mc1x1 -s fcfs --no-timing -q -o out")?;
    assert!(wait(BEGUN, || !unfinished(&at.join("out")).is_empty()));
    send("-TERM", child.id().into())?;
    // The first signal may have ended the process already.
    let _ = Command::new("kill").args(["-HUP", &child.id().to_string()]).output()?;
    assert!(wait(SOON, || matches!(child.try_wait(), Ok(Some(_)))));
    let output = child.wait_with_output()?;
    assert!(matches!(output.status.signal(), Some(1 | 15)), "{}", output.status);
    assert!(String::from_utf8(output.stderr)?.starts_with("error: interrupted"));
    assert!(!at.join("out").exists());
    Ok(())
}

#[cfg(target_os = "linux")]
#[test]
fn nohup_protects_from_a_hangup() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let mut log = endless_log(&at.join("in.swf"))?;
    let mut nohup = Command::new("nohup");
    nohup.args([env!("CARGO_BIN_EXE_meshreplay"), "trace", "convert", "in.swf", "out.swf"]);
    log.write_all(RECORD)?;
    let mut child = nohup.current_dir(at).stdout(std::process::Stdio::null()).spawn()?;
    assert!(wait(BEGUN, || !unfinished(at).is_empty()));
    send("-HUP", child.id().into())?;
    log.write_all(RECORD)?;
    drop(log);
    assert!(child.wait()?.success());
    assert!(fs::read_to_string(at.join("out.swf"))?.ends_with(" -1\n"));
    Ok(())
}
