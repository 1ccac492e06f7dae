//! Two commands that start at the same time in one directory. Either both succeed with the same results, or
//! one fails with the error that a later start would give, and the other keeps all its results.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Barrier;

use super::support::{Ran, Tested, run};

/// Runs per pair of commands.
const ROUNDS: usize = 12;

/// The content of files, by path.
type Files = BTreeMap<String, Vec<u8>>;

/// Writes two studies with different names and logs: `a.toml` and `b.toml`.
fn studies(at: &Path) -> Tested {
    for (name, run_s) in [("a", 100), ("b", 200)] {
        let line = |job: u32| format!("{job} 0 -1 {run_s} 4 -1 -1 4 -1 -1 1 -1 -1 -1 -1 -1 -1 -1\n");
        fs::write(at.join(format!("{name}.swf")), (1..=9).map(line).collect::<String>())?;
        let study = format!("logs = ['{name}.swf']\nmachines = ['4x4']\nallocators = ['naive', 'mbs']\n");
        fs::write(at.join(format!("{name}.toml")), study)?;
    }
    Ok(())
}

/// Runs two commands from two threads after a barrier.
fn together(at: &Path, commands: [&str; 2]) -> Result<[Ran; 2], Box<dyn Error>> {
    let barrier = Barrier::new(2);
    let ran = |command: &str| {
        let mut child = Command::new(env!("CARGO_BIN_EXE_meshreplay"));
        child.args(command.split(' ')).current_dir(at).stdin(Stdio::null());
        barrier.wait();
        child.output()
    };
    let [one, other] = std::thread::scope(|scope| {
        commands.map(|command| scope.spawn(move || ran(command))).map(std::thread::ScopedJoinHandle::join)
    });
    let [one, other] = [one, other].map(|output| output.map_err(|_| "a thread panicked"));
    let text = |output: std::process::Output| -> Result<Ran, Box<dyn Error>> {
        let [stdout, stderr] = [output.stdout, output.stderr].map(String::from_utf8);
        Ok(Ran { code: output.status.code(), stdout: stdout?, stderr: stderr? })
    };
    Ok([text(one??)?, text(other??)?])
}

/// Reads all files below a directory, by their paths.
fn files(folder: &Path) -> Result<Files, Box<dyn Error>> {
    let mut files = Files::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.path().is_dir() {
            files.extend(
                self::files(&entry.path())?
                    .into_iter()
                    .map(|(file, bytes)| (format!("{name}/{file}"), bytes)),
            );
        } else {
            files.insert(name, fs::read(entry.path())?);
        }
    }
    Ok(files)
}

/// Starts two commands together in an empty directory, repeatedly. The results must be exactly the results of
/// each successful command alone. A failing command must have one of `errors`.
fn race(commands: [&str; 2], errors: &[&str]) -> Tested {
    let alone = commands.map(|command| -> Result<Files, Box<dyn Error>> {
        let directory = tempfile::tempdir()?;
        studies(directory.path())?;
        let ran = run(directory.path(), command)?;
        assert_eq!(ran.code, Some(0), "{command}: {}", ran.stderr);
        files(&directory.path().join("out"))
    });
    let [one, other] = alone;
    let alone = [one?, other?];
    for _ in 0..ROUNDS {
        let directory = tempfile::tempdir()?;
        studies(directory.path())?;
        let ran = together(directory.path(), commands)?;
        let said = || format!("{commands:?}: {:?}", ran.each_ref().map(|ran| ran.stderr.as_str()));
        let ended_well: Vec<usize> = (0..2).filter(|&i| ran[i].code == Some(0)).collect();
        let held = files(&directory.path().join("out"))?;
        assert!(!ended_well.is_empty(), "none ends well: {}", said());
        for &i in &ended_well {
            assert!(held == alone[i], "the results of command {i} are lost or mixed: {}", said());
        }
        for ran in ran.iter().filter(|ran| ran.code != Some(0)) {
            assert!(errors.iter().any(|error| ran.stderr.contains(error)), "{}", ran.stderr);
        }
        // Both may succeed only if they have the same results.
        assert!(ended_well.len() == 1 || alone[0] == alone[1], "{}", said());
        assert!(ended_well.len() == 2 || !errors.is_empty(), "{}", said());
    }
    Ok(())
}

const SWEEP_A: &str = "sweep a.toml -o out --no-timing --jobs -q";
const REPLAY_A: &str = "replay a.swf -m 4x4 -a naive mbs --no-timing -q -o out";
const REPLAY_B: &str = "replay b.swf -m 4x4 -a naive mbs --no-timing -q -o out";
/// Error of `replay` while another command writes.
const BUSY: &str = "another meshreplay is writing into out";

#[test]
fn of_two_studies_one_wins() -> Tested {
    race([SWEEP_A, "sweep b.toml -o out --no-timing --jobs -q"], &["out holds the study '"])
}

#[test]
fn the_same_study_twice_gives_its_results() -> Tested {
    race([SWEEP_A, SWEEP_A], &[])
}

#[test]
fn of_two_replays_one_wins() -> Tested {
    race([REPLAY_A, REPLAY_B], &[BUSY, "out holds other results"])?;
    race([REPLAY_A, REPLAY_A], &[BUSY])
}

#[test]
fn of_a_study_and_a_replay_one_wins() -> Tested {
    race([SWEEP_A, REPLAY_B], &[BUSY, "is of a study", "is not of the study 'a'"])
}

/// The same study with other options may use the same directory. No replay is lost, and both `--status` and
/// the last line mention the results that are not in the summary.
#[test]
fn results_of_other_options_are_named() -> Tested {
    for _ in 0..ROUNDS {
        let directory = tempfile::tempdir()?;
        let at = directory.path();
        studies(at)?;
        let options = ["", " --contention"]
            .map(|option| format!("sweep a.toml -o out --no-timing{option} --shard 1/1"));
        let ran = together(at, options.each_ref().map(String::as_str))?;
        for ran in &ran {
            assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        }
        let others = "out/cells also holds 2 results of other options or logs, not in the summary";
        assert_eq!(ran.iter().filter(|ran| ran.stderr.contains(others)).count(), 1);
        let status = run(at, "sweep --status out")?;
        assert_eq!(status.code, Some(0), "{}", status.stdout);
        assert!(status.stdout.contains(&format!("note: {others}\n")), "{}", status.stdout);
        // Both sets of results exist: nothing is replayed again.
        for command in &options {
            let again = run(at, command)?;
            assert!(again.stderr.contains("2 cells: 2 were done, 0 replayed"), "{}", again.stderr);
        }
    }
    Ok(())
}
