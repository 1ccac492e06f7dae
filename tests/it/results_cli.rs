//! Directories of results: whose they are, that those of several runs are never mixed, and what of them is missing.

use std::error::Error;
use std::fs;
use std::path::Path;

use super::support::{Ran, Tested, bundled, contents, run};

/// Two allocators on one log.
const STUDY: &str =
    "name = 'two'\nlogs = ['tiny.swf']\nmachines = ['4x4']\nallocators = ['random', 'gabl']\n";
const REPLAY: &str = "replay tiny.swf -m 4x4 -a naive mc1x1 --no-timing -q";
const SWEEP: &str = "sweep two.toml --no-timing -q";

/// A directory with a log and a study of it.
fn site() -> Result<tempfile::TempDir, Box<dyn Error>> {
    let directory = tempfile::tempdir()?;
    fs::copy(bundled("tiny.swf"), directory.path().join("tiny.swf"))?;
    fs::write(directory.path().join("two.toml"), STUDY)?;
    Ok(directory)
}

fn fine(at: &Path, arguments: &str) -> Result<Ran, Box<dyn Error>> {
    let ran = run(at, arguments)?;
    assert_eq!(ran.code, Some(0), "{arguments}: {}", ran.stderr);
    Ok(ran)
}

/// Runs what has to fail with code 1 and leave the directory `out` as it is; what it says.
fn refused(at: &Path, out: &str, arguments: &str) -> Result<String, Box<dyn Error>> {
    let before = contents(&at.join(out))?;
    let ran = run(at, arguments)?;
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""), "{arguments}: {}", ran.stderr);
    assert!(contents(&at.join(out))? == before, "{arguments} has changed {out}");
    Ok(ran.stderr)
}

#[test]
fn a_study_does_not_go_where_a_replay_is() -> Tested {
    let directory = site()?;
    let at = directory.path();
    fine(at, &format!("{SWEEP} -o study"))?;
    for format in ["table", "csv"] {
        fine(at, &format!("{REPLAY} --force --format {format} -o out"))?;
        for arguments in [
            format!("{SWEEP} -o out"),
            format!("{SWEEP} -o out --shard 1/2"),
            "merge study -o out -q".to_owned(),
        ] {
            let said = refused(at, "out", &arguments)?;
            let end =
                " is not of the study 'two'; give another directory, or remove the results that are there\n";
            assert!(said.starts_with("error: out/jobs.") && said.ends_with(end), "{arguments}: {said}");
        }
    }
    // Nor into a study's directory that has got files of a replay.
    fs::copy(at.join("out/jobs.csv"), at.join("study/jobs.csv"))?;
    assert!(
        refused(at, "study", &format!("{SWEEP} -o study"))?.starts_with("error: study/jobs.csv is not of")
    );
    fs::remove_file(at.join("study/jobs.csv"))?;
    fine(at, &format!("{SWEEP} -o study"))?;
    Ok(())
}

#[test]
fn a_replay_does_not_go_where_a_study_is() -> Tested {
    let directory = site()?;
    let at = directory.path();
    fine(at, &format!("{SWEEP} -o study"))?;
    for force in ["", " --force"] {
        let said = refused(at, "study", &format!("{REPLAY} -o study{force}"))?;
        let expected =
            "error: study/study.json is of a study, which is not replaced; give another directory with -o\n";
        assert_eq!(said, expected);
    }
    Ok(())
}
