//! Commands that write do not destroy devices, FIFOs, symbolic links, files of other programs, or more
//! complete results.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::support::{Tested, bundled, contents, run, start};

/// Time limit on a loaded machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// Waits until `is_so()`. Returns false after the time limit.
fn wait_until(mut is_so: impl FnMut() -> bool) -> bool {
    let began = Instant::now();
    while !is_so() {
        if began.elapsed() > PATIENCE {
            return false;
        }
        thread::sleep(Duration::from_millis(2));
    }
    true
}

/// Unfinished files in `directory`, with their sizes.
fn unfinished(directory: &Path) -> Vec<(std::path::PathBuf, u64)> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let ours = entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(".meshreplay-"));
    ours.map(|entry| (entry.path(), entry.metadata().map_or(0, |there| there.len()))).collect()
}

fn replay(arguments: &str) -> String {
    format!("replay {} -m 16x16 -s easy --no-timing -q {arguments}", bundled("lublin-256-10k.swf.gz"))
}

/// Every command that writes a file: the arguments, with `OUT` for the directory, and the file's name.
const WRITERS: [(&str, &str); 8] = [
    ("report results -o OUT/page.html", "page.html"),
    ("export results --to evalys --force -o OUT/jobs.csv", "jobs.csv"),
    ("export results --to swf --force -o OUT/jobs.swf", "jobs.swf"),
    ("trace convert LOG OUT/log.swf --force", "log.swf"),
    ("plot results -k utilization -o OUT", "utilization.svg"),
    ("plot results -k utilization --format png -o OUT", "utilization.png"),
    ("replay LOG -m 4x4 -a naive --no-timing -q --format csv --force -o OUT", "summary.csv"),
    ("man OUT", "meshreplay.1"),
];

fn results(at: &Path) -> Tested {
    let ran = run(
        at,
        &format!("replay {} -m 4x4 -a naive --placements --no-timing -q -o results", bundled("tiny.swf")),
    )?;
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    Ok(())
}

#[cfg(unix)]
#[test]
fn what_links_lead_to_is_written_and_links_stay() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    results(at)?;
    for (number, (command, file)) in WRITERS.into_iter().enumerate() {
        let out = format!("out{number}");
        let link = at.join(&out).join(file);
        fs::create_dir_all(at.join(&out).join("far"))?;
        std::os::unix::fs::symlink("far/file", &link)?;
        fs::write(at.join(&out).join("far/file"), "")?;
        let command = command.replace("OUT", &out).replace("LOG", &bundled("tiny.swf"));
        let ran = run(at, &command)?;
        assert_eq!(ran.code, Some(0), "{command}: {}", ran.stderr);
        assert!(fs::symlink_metadata(&link)?.is_symlink(), "{command} replaces a link");
        assert!(fs::metadata(&link)?.len() > 0, "{command} writes beside a link's target");
    }
    Ok(())
}

#[cfg(unix)]
#[test]
fn fifos_and_devices_are_written_into() -> Tested {
    use std::os::unix::fs::FileTypeExt;
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    results(at)?;
    for (number, (command, file)) in WRITERS.into_iter().enumerate() {
        let (pipes, devices) = (format!("pipes{number}"), format!("devices{number}"));
        let command = command.replace("LOG", &bundled("tiny.swf"));
        fs::create_dir(at.join(&pipes))?;
        let pipe = at.join(&pipes).join(file);
        if !Command::new("mkfifo").arg(&pipe).status().is_ok_and(|status| status.success()) {
            println!("skipped: no FIFO can be made");
            return Ok(());
        }
        let mut child = start(at, &command.replace("OUT", &pipes))?;
        let reader = thread::spawn({
            let pipe = pipe.clone();
            move || fs::read(pipe)
        });
        assert!(wait_until(|| matches!(child.try_wait(), Ok(Some(_)))), "{command} does not end");
        assert_eq!(child.wait()?.code(), Some(0), "{command}");
        assert!(fs::symlink_metadata(&pipe)?.file_type().is_fifo(), "{command} replaces a FIFO");
        let read = reader.join().map_err(|_| "the reader has panicked")??;
        assert!(!read.is_empty(), "{command}");
        fs::create_dir(at.join(&devices))?;
        let device = at.join(&devices).join(file);
        let made = Command::new("mknod").arg(&device).args(["c", "1", "3"]).stderr(Stdio::null()).status();
        if !made.is_ok_and(|status| status.success())
            || fs::OpenOptions::new().write(true).open(&device).is_err()
        {
            println!("skipped: no device can be made");
            continue;
        }
        assert_eq!(run(at, &command.replace("OUT", &devices))?.code, Some(0), "{command}");
        assert!(fs::symlink_metadata(&device)?.file_type().is_char_device(), "{command} replaces a device");
    }
    Ok(())
}

#[test]
fn reports_and_plots_replace_only_their_like() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    results(at)?;
    for (command, file) in [
        ("report results -o FILE", "page.html"),
        ("plot results -k utilization -o .", "utilization.svg"),
        ("plot results -k utilization --format png -o .", "utilization.png"),
    ] {
        let command = command.replace("FILE", file);
        fs::write(at.join(file), "; Computer: mine\n1 0 -1 10 4\n")?;
        let ran = run(at, &command)?;
        assert_eq!(ran.code, Some(1), "{command}");
        assert!(ran.stderr.contains(file) && ran.stderr.contains("--force overwrites it"), "{}", ran.stderr);
        assert!(fs::read(at.join(file))?.starts_with(b"; Computer"), "{command}");
        assert_eq!(run(at, &format!("{command} --force"))?.code, Some(0), "{command}");
        let once = fs::read(at.join(file))?;
        assert_eq!(run(at, &command)?.code, Some(0), "{command} again");
        assert_eq!(fs::read(at.join(file))?, once);
    }
    Ok(())
}

#[test]
fn old_results_stay_until_new_ones_are_whole() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let out = at.join("out");
    assert_eq!(run(at, &replay("-a naive -o out"))?.code, Some(0));
    let before = contents(&out)?;
    // Delete the unfinished files, so that the final rename fails, as on a full disk.
    let mut child = start(at, &replay("-a mc-pair -o out --format csv --force"))?;
    assert!(wait_until(|| !unfinished(&out).is_empty()));
    // Wait until the writer has locked the file: a file deleted earlier would be created again.
    thread::sleep(Duration::from_millis(200));
    for (file, _) in unfinished(&out) {
        fs::remove_file(file)?;
    }
    assert!(wait_until(|| matches!(child.try_wait(), Ok(Some(_)))));
    assert_eq!(child.wait()?.code(), Some(1));
    assert!(contents(&out)? == before, "{:?}", contents(&out)?.keys());
    // The next command succeeds and removes the old results.
    assert_eq!(run(at, &replay("-a random -o out --format csv --force"))?.code, Some(0));
    let files = contents(&out)?;
    assert_eq!(files.keys().collect::<Vec<_>>(), ["jobs.csv", "place.json", "run.json", "summary.csv"]);
    Ok(())
}

#[cfg(unix)]
#[test]
fn an_interrupted_repetition_keeps_what_is_complete() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let out = at.join("out");
    let command = replay("-a naive mc-pair --threads 1 --format csv -o out");
    assert_eq!(run(at, &command)?.code, Some(0));
    let before = contents(&out)?;
    let child = start(at, &command)?;
    // The first of the two replays has ended when its jobs are being written.
    assert!(wait_until(|| unfinished(&out).iter().any(|(_, size)| *size > 0)));
    assert!(Command::new("kill").arg(child.id().to_string()).status()?.success());
    let ended = child.wait_with_output()?;
    let said = String::from_utf8(ended.stderr)?;
    assert_eq!(std::os::unix::process::ExitStatusExt::signal(&ended.status), Some(15), "{said}");
    assert!(
        said.contains("interrupted: 1 of 2 replays finished; out keeps the results of the same run"),
        "{said}"
    );
    assert!(contents(&out)? == before, "{:?}", contents(&out)?.keys());
    Ok(())
}

#[cfg(unix)]
#[test]
fn a_directory_has_one_writer() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    results(at)?;
    let before = contents(&at.join("results"))?;
    let lock = fs::File::open(at.join("results"))?;
    lock.lock()?;
    let log = bundled("tiny.swf");
    for command in
        [&format!("replay {log} -m 4x4 -a mbs --force -o results"), "plot results", "report results"]
    {
        let ran = run(at, command)?;
        assert_eq!(ran.code, Some(1), "{command}: {}", ran.stdout);
        let expected =
            "another meshreplay is writing into results; wait until it has ended, or give another directory";
        assert!(ran.stderr.contains(expected), "{command}: {}", ran.stderr);
    }
    assert!(contents(&at.join("results"))? == before);
    // With a shared lock, which commands that only add files take, a report works and a replay does not.
    lock.lock_shared()?;
    assert_eq!(run(at, "report results")?.code, Some(0));
    assert_eq!(run(at, &format!("replay {log} -m 4x4 -a mbs --force -o results"))?.code, Some(1));
    drop(lock);
    assert_eq!(run(at, &format!("replay {log} -m 4x4 -a mbs --force -o results"))?.code, Some(0));
    Ok(())
}

#[cfg(unix)]
#[test]
fn what_a_killed_replay_leaves_is_in_nobodys_way() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let out = at.join("out");
    let command = replay("-a mc-pair --format csv -o out");
    let mut child = start(at, &command)?;
    assert!(wait_until(|| !unfinished(&out).is_empty()));
    child.kill()?;
    child.wait()?;
    assert_eq!(unfinished(&out).len(), 1);
    assert_eq!(run(at, &command)?.code, Some(0));
    let whole = contents(&out)?;
    assert_eq!(whole.keys().collect::<Vec<_>>(), ["jobs.csv", "place.json", "run.json", "summary.csv"]);
    // Killed between two files: run.json is written first, and the same command completes the results.
    fs::remove_file(out.join("summary.csv"))?;
    assert_eq!(run(at, &command)?.code, Some(0));
    assert!(contents(&out)? == whole);
    // The same with old results of another run in another format.
    let other = replay("-a naive -o out");
    assert_eq!(run(at, &format!("{other} --force"))?.code, Some(0));
    fs::write(out.join("run.json"), &whole["run.json"])?;
    assert_eq!(run(at, &command)?.code, Some(0));
    assert!(contents(&out)? == whole, "{:?}", contents(&out)?.keys());
    assert_eq!(run(at, &other)?.code, Some(1), "these are not its results");
    Ok(())
}

#[cfg(unix)]
#[test]
fn results_are_as_private_as_their_owner_wants() -> Tested {
    use std::os::unix::fs::PermissionsExt;
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let program = env!("CARGO_BIN_EXE_meshreplay");
    let command = format!(
        "umask 077; {program} replay {} -m 4x4 -a naive --no-timing -q -o out && {program} report out",
        bundled("tiny.swf")
    );
    let ran = Command::new("sh").args(["-c", &command]).current_dir(at).output()?;
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    for file in contents(&at.join("out"))?.keys() {
        assert_eq!(fs::metadata(at.join("out").join(file))?.permissions().mode() & 0o777, 0o600, "{file}");
    }
    Ok(())
}

#[test]
fn a_run_names_the_content_of_an_order_file() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let command = format!(
        "replay {} -m 2x2 -a curve:order=file,path=order.txt --oversize skip --no-timing -q -o out",
        bundled("tiny.swf")
    );
    fs::write(at.join("order.txt"), "0 0\n1 1\n2 2\n3 3\n")?;
    let ran = run(at, &command)?;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert_eq!(run(at, &command)?.code, Some(0), "the same run again");
    fs::write(at.join("order.txt"), "0 0\n1 2\n2 1\n3 3\n")?;
    let ran = run(at, &command)?;
    assert_eq!(ran.code, Some(1));
    assert!(ran.stderr.contains("out holds other results"), "{}", ran.stderr);
    Ok(())
}
