//! Rules for the shell scripts of the project.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::support::Tested;

/// Every shell script below `directory`, with its text.
fn scripts(directory: &Path) -> std::io::Result<Vec<(String, String)>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(scripts(&path)?);
        } else if let Ok(text) = fs::read_to_string(&path)
            && (text.starts_with("#!/usr/bin/env bash") || path.extension().is_some_and(|end| end == "sh"))
        {
            found.push((path.display().to_string(), text));
        }
    }
    Ok(found)
}

#[test]
fn programs_are_looked_for_one_by_one() -> Tested {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut all = Vec::new();
    for folder in ["tests", "scripts", ".ci"] {
        all.extend(scripts(&root.join(folder))?);
    }
    assert!(all.len() >= 6, "{all:?}");
    for (file, text) in all {
        for line in text.lines().filter(|line| !line.trim_start().starts_with('#')) {
            let Some((_, names)) = line.split_once("command -v ") else { continue };
            let mut names = names.split_whitespace().skip(1);
            let next = names.next().unwrap_or_default();
            let is_name = next.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '$' || c == '"');
            assert!(!is_name, "{file}: `command -v` succeeds if any of several programs is there: {line}");
        }
    }
    if !Command::new("bash").arg("--version").output().is_ok_and(|output| output.status.success()) {
        println!("skipped: no bash");
        return Ok(());
    }
    for (programs, expected) in
        [("sh ls", true), ("sh no-such-program", false), ("no-such-program sh", false)]
    {
        let script = format!(". tests/programs.sh; all_there {programs}");
        let status = Command::new("bash").args(["-c", &script]).current_dir(root).status()?;
        assert_eq!(status.success(), expected, "{programs}");
    }
    Ok(())
}
