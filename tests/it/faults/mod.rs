//! Fault injection for the commands that write results. Every file operation fails once, writes are short,
//! signals interrupt, and the process dies before every operation. Afterwards each file is as before or
//! complete, and the same command gives the same bytes as an undisturbed run.
//!
//! A test double replaces file operations for the whole process, so the test runs itself in a child process.
//! It tries all positions of the sweep, every fifth position of other commands, and one error per position:
//! no code depends on which of them it is. `FAULTS=NAME` tries every error at all positions of the commands
//! whose names contain NAME, and `FAULTS=` those of all commands.

mod double;
mod scenarios;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use self::double::{Faults, Mode};
use self::scenarios::{SCENARIOS, Scenario};
use super::support::Tested;

/// Environment variable that marks the child process.
const MARK: &str = "MESHREPLAY_TEST_FAULTS";

/// The content of every file of a directory, by path, without temporary files.
type Files = BTreeMap<String, Vec<u8>>;

/// Injected errors: ENOSPC, EIO, EACCES, EMFILE.
const ERRORS: [i32; 4] = [28, 5, 13, 24];

#[test]
fn every_operation_may_fail_once() -> Tested {
    if std::env::var_os(MARK).is_some() {
        return all_scenarios();
    }
    let output = Command::new(std::env::current_exe()?)
        .args(["faults::every_operation_may_fail_once", "--exact", "--nocapture"])
        .env(MARK, "1")
        .output()?;
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    for line in out.lines().filter(|line| line.contains(": ")) {
        println!("{line}");
    }
    let last: Vec<&str> = err.lines().rev().take(20).collect();
    assert!(output.status.success(), "{out}{}", last.join("\n"));
    assert!(out.contains("faults in all, 0 wrong"), "{out}");
    Ok(())
}

/// Kills at random moments, and two sweeps in one directory; `make kills` runs more of both.
#[test]
fn commands_may_be_killed_at_any_moment() {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/faults/kill.py");
    let words = [script, "--short", "--runs", "20", "--pairs", "2", env!("CARGO_BIN_EXE_meshreplay")];
    let Ok(output) = Command::new("python3").args(words).output() else {
        println!("skipped: killing commands needs python3");
        return;
    };
    let out = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{out}{}", String::from_utf8_lossy(&output.stderr));
    assert!(out.contains(" kills, 0 wrong"), "{out}");
}

/// Tries every scenario in this process.
fn all_scenarios() -> Tested {
    let given = std::env::var("FAULTS").ok();
    let asked = given.clone().unwrap_or_default();
    // In memory if possible, as the operations are the same there, and disks take most of the time.
    let scratch = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir())?;
    let faults = Faults::begin(&scratch.path().join("at"));
    let (mut tried, mut wrong) = (0, Vec::new());
    for scenario in SCENARIOS.iter().filter(|scenario| scenario.name.contains(&asked)) {
        let mut trial = Trial::prepare(scenario, scratch.path(), &faults)?;
        if given.is_some() {
            trial.errors_at_once = ERRORS.len();
        } else if scenario.name != "sweep" {
            trial.every = 5;
        }
        trial.fail_everywhere()?;
        trial.die_everywhere()?;
        println!("{}: {} operations, {} faults", scenario.name, trial.operations, trial.tried);
        tried += trial.tried;
        wrong.extend(trial.wrong);
    }
    for wrong in &wrong {
        println!("WRONG: {wrong}");
    }
    println!("{tried} faults in all, {} wrong", wrong.len());
    Ok(())
}

/// All faults of one scenario.
struct Trial<'a> {
    scenario: &'a Scenario,
    /// Parent of the working directory and of its copies.
    scratch: &'a Path,
    faults: &'a Faults,
    /// The result files before the command, and after an undisturbed run.
    before: Files,
    whole: Files,
    /// The number of operations of an undisturbed run.
    operations: usize,
    /// Every how many positions a fault is tried.
    every: usize,
    /// The number of errors that are tried at a position.
    errors_at_once: usize,
    tried: usize,
    wrong: Vec<String>,
}

impl<'a> Trial<'a> {
    /// Runs the scenario undisturbed.
    fn prepare(
        scenario: &'a Scenario,
        scratch: &'a Path,
        faults: &'a Faults,
    ) -> Result<Self, Box<dyn std::error::Error>> {
        let [start, at] = ["start", "at"].map(|name| scratch.join(name));
        let _ = (fs::remove_dir_all(&start), fs::remove_dir_all(&at));
        fs::create_dir(&at)?;
        std::env::set_current_dir(&at)?;
        fs::create_dir(at.join("out"))?;
        (scenario.before)(&at)?;
        copy(&at, &start)?;
        let before = files(&at.join("out"))?;
        faults.set(Mode::Count);
        let is_good = (scenario.command)(&at);
        let (operations, broken_order) = faults.end();
        assert!(is_good, "{}", scenario.name);
        let whole = files(&at.join("out"))?;
        let wrong = broken_order.into_iter().map(|what| format!("{}: {what}", scenario.name)).collect();
        Ok(Self {
            scenario,
            scratch,
            faults,
            before,
            whole,
            operations,
            every: 1,
            errors_at_once: 1,
            tried: 0,
            wrong,
        })
    }

    /// Runs the command with a fault, and then again without.
    fn disturbed(&mut self, mode: Mode) -> Tested {
        let at = self.scratch.join("at");
        restore(&self.scratch.join("start"), &at)?;
        let what = format!("{}: {mode:?}", self.scenario.name);
        let must_succeed = matches!(mode, Mode::Short | Mode::Interrupt);
        self.faults.set(mode);
        let is_good = (self.scenario.command)(&at);
        let (_, broken_order) = self.faults.end();
        self.tried += 1;
        if must_succeed {
            self.wrong.extend(broken_order.into_iter().map(|order| format!("{what}: {order}")));
            if !is_good {
                self.wrong.push(format!("{what}: it fails"));
            }
        }
        let after = files(&at.join("out"))?;
        if is_good && after != self.whole {
            self.wrong.push(format!(
                "{what}: it ends well, and the results are others: {}",
                difference(&after, &self.whole)
            ));
        }
        let left = temporary(&at)?;
        if !left.is_empty() {
            self.wrong.push(format!("{what}: it leaves {left:?}"));
        }
        self.check(&what, &after);
        self.repeat(&what)
    }

    /// Checks that every file is as before or complete, and that none is lost.
    fn check(&mut self, what: &str, after: &Files) {
        let is_of_a_part = |name: &str| self.scenario.parts.iter().any(|end| name.ends_with(end));
        for (name, content) in after {
            let is_known = [&self.before, &self.whole].iter().any(|files| files.get(name) == Some(content));
            if !is_known && !is_of_a_part(name) {
                self.wrong.push(format!("{what}: {name} is neither as it was nor whole"));
            }
        }
        for name in
            self.before.keys().filter(|name| self.whole.contains_key(*name) && !after.contains_key(*name))
        {
            self.wrong.push(format!("{what}: {name} is lost"));
        }
    }

    /// Runs the command again, undisturbed.
    fn repeat(&mut self, what: &str) -> Tested {
        let at = self.scratch.join("at");
        if !(self.scenario.command)(&at) {
            self.wrong.push(format!("{what}: it cannot be repeated"));
        }
        let after = files(&at.join("out"))?;
        if after != self.whole {
            let difference = difference(&after, &self.whole);
            self.wrong.push(format!("{what}: the repetition gives other results: {difference}"));
        }
        let left = temporary(&at)?;
        if !left.is_empty() {
            self.wrong.push(format!("{what}: the repetition leaves {left:?}"));
        }
        Ok(())
    }

    /// Lets each operation fail, alone or with all later operations.
    fn fail_everywhere(&mut self) -> Tested {
        for at in (1..=self.operations).rev().step_by(self.every) {
            for error in ERRORS.into_iter().cycle().skip(at).take(self.errors_at_once) {
                self.disturbed(Mode::Fail { at, error })?;
            }
            self.disturbed(Mode::FailFrom { at, error: ERRORS[0] })?;
        }
        self.disturbed(Mode::Short)?;
        self.disturbed(Mode::Interrupt)
    }

    /// Simulates the death of the process before each operation: continues from a copy of the directory at
    /// that moment.
    fn die_everywhere(&mut self) -> Tested {
        let (at, copies) = (self.scratch.join("at"), self.scratch.join("copies"));
        let _ = fs::remove_dir_all(&copies);
        restore(&self.scratch.join("start"), &at)?;
        self.faults.set(Mode::Copy { into: copies.clone() });
        (self.scenario.command)(&at);
        let (operations, _) = self.faults.end();
        for position in (1..=operations).rev().step_by(self.every) {
            restore(&copies.join(position.to_string()), &at)?;
            let what = format!("{}: dead before operation {position}", self.scenario.name);
            self.tried += 1;
            let after = files(&at.join("out"))?;
            self.check(&what, &after);
            self.repeat(&what)?;
        }
        Ok(())
    }
}

/// Returns the names of the files that differ.
fn difference(found: &Files, expected: &Files) -> String {
    let names = found.keys().chain(expected.keys().filter(|name| !found.contains_key(*name)));
    let differs = |name: &&String| found.get(*name) != expected.get(*name);
    names.filter(differs).cloned().collect::<Vec<_>>().join(" ")
}

/// Returns the files below a directory, without temporary ones.
fn files(folder: &Path) -> Result<Files, Box<dyn std::error::Error>> {
    let mut found = Files::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(within) = folders.pop() {
        let Ok(entries) = fs::read_dir(&within) else { continue };
        for entry in entries {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if !path.to_string_lossy().contains("/.meshreplay-") {
                let name = path.strip_prefix(folder)?.to_string_lossy().into_owned();
                found.insert(name, fs::read(&path)?);
            }
        }
    }
    Ok(found)
}

/// Returns the temporary files below a directory.
fn temporary(folder: &Path) -> Result<Vec<String>, Box<dyn std::error::Error>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(temporary(&path)?);
        } else if path.to_string_lossy().contains("/.meshreplay-") {
            found.push(path.to_string_lossy().into_owned());
        }
    }
    Ok(found)
}

/// Copies a directory.
fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let path = entry?.path();
        let target = to.join(path.file_name().unwrap_or_default());
        if path.is_dir() { copy(&path, &target)? } else { fs::copy(&path, &target).map(drop)? }
    }
    Ok(())
}

/// Makes the working directory `at` a copy of `from`, without replacing the directory itself.
fn restore(from: &Path, at: &Path) -> std::io::Result<()> {
    for entry in fs::read_dir(at)? {
        let path = entry?.path();
        if path.is_dir() { fs::remove_dir_all(&path)? } else { fs::remove_file(&path)? }
    }
    copy(from, at)
}
