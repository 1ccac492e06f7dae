//! Messages on studies: the study file of finished results, deleted cells, and machines that an allocator
//! cannot serve.

use std::fs;
use std::path::Path;

use super::support::{Tested, bundled, run};

/// Writes a study file for `tiny.swf`.
fn write_study(at: &Path, name: &str, lines: &str) -> Tested {
    Ok(fs::write(at.join(name), format!("logs = [\"{}\"]\n{lines}\n", bundled("tiny.swf")))?)
}

/// Sweeps a study of two cells into the directory `out` and deletes one cell.
fn deleted(at: &Path) -> Tested {
    write_study(at, "two.toml", "machines = [\"4x4\"]\nallocators = [\"naive\", \"mc1x1\"]")?;
    assert_eq!(run(at, "sweep two.toml -o out --no-timing -q")?.code, Some(0));
    assert_eq!(run(at, "table out")?.stderr, "");
    let cell = fs::read_dir(at.join("out/cells"))?.next().ok_or("no cell")??.path();
    Ok(fs::remove_file(cell)?)
}

#[test]
fn the_status_of_a_study_that_was_finished_names_its_file() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path().canonicalize()?;
    deleted(&at)?;
    let status = run(&at, "sweep --status out")?;
    let file = at.join("two.toml");
    let next = format!(
        "to finish: meshreplay sweep {} -o out --no-timing\nleave out options that are keys of that file\n",
        file.display()
    );
    assert!(status.stdout.ends_with(&next) && status.code == Some(1), "{}", status.stdout);
    let again = run(&at, &format!("sweep {} -o out --no-timing -q", file.display()))?;
    assert_eq!(again.code, Some(0), "{}", again.stderr);
    assert_eq!((run(&at, "sweep --status out")?.code, &*run(&at, "table out")?.stderr), (Some(0), ""));
    // A merge keeps the path of the study file.
    assert_eq!(run(&at, "merge out -o merged -q")?.code, Some(0));
    fs::remove_dir_all(at.join("merged/cells"))?;
    let status = run(&at, "sweep --status merged")?;
    assert!(status.stdout.contains(&format!("sweep {} -o merged", file.display())), "{}", status.stdout);
    // Without the study file, the command has a placeholder.
    fs::remove_file(&file)?;
    let status = run(&at, "sweep --status merged")?;
    assert!(status.stdout.contains("STUDY.toml stands for the file of the study; "), "{}", status.stdout);
    Ok(())
}

#[test]
fn a_summary_that_is_older_than_the_cells_is_noted() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    deleted(at)?;
    let note = "note: out/summary.parquet is older than the cells: 1 of 2 was deleted since; `meshreplay \
                sweep --status out` prints the command that replays what is missing\n";
    for command in ["table out", "plot out --kind ratio", "report out"] {
        let ran = run(at, command)?;
        assert!(ran.code == Some(0) && ran.stderr.starts_with(note), "{command}: {}", ran.stderr);
    }
    // A summary without any cells counts as a complete copy.
    fs::remove_dir_all(at.join("out/cells"))?;
    assert_eq!(run(at, "table out")?.stderr, "");
    Ok(())
}

#[test]
fn a_study_that_cannot_be_one_is_split() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let lines = "machines = [\"4x4\", \"16\"]\nallocators = [\"naive\", \"left-compaction\", \"gabl\"]";
    write_study(at, "one.toml", lines)?;
    let ran = run(at, "sweep one.toml -o out -q")?;
    let first = "machines = [\"4x4\", \"16\"]\n  allocators = [\"naive\", \"gabl\"]";
    let second = "machines = [\"16\"]\n  allocators = [\"left-compaction\"]";
    let split = format!("; or split the study into 2 files with these lines:\n  {first}\nand\n  {second}\n");
    assert!(ran.code == Some(1) && ran.stderr.ends_with(&split), "{}", ran.stderr);
    assert!(ran.stderr.contains("'left-compaction' cannot serve machine 4x4"), "{}", ran.stderr);
    for (name, lines) in [("first", first), ("second", second)] {
        write_study(at, &format!("{name}.toml"), &lines.replace("\n  ", "\n"))?;
        let ran = run(at, &format!("sweep {name}.toml -o {name} --no-timing -q"))?;
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    }
    // An allocator that serves no machine gives no separate study.
    write_study(at, "none.toml", "machines = [\"4x4\"]\nallocators = [\"naive\", \"left-compaction\"]")?;
    let ran = run(at, "sweep none.toml -o out -q")?;
    assert!(ran.code == Some(1) && !ran.stderr.contains("split"), "{}", ran.stderr);
    Ok(())
}

#[test]
fn logs_are_written_to_the_file_behind_o() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let log = bundled("tiny.swf");
    for command in ["convert --force", "cut --force --first 3"] {
        let ran = |files: &str| run(at, &format!("trace {command} {log}{files}"));
        assert_eq!((ran(" -o named.swf")?.code, ran(" bare.swf")?.code), (Some(0), Some(0)), "{command}");
        assert_eq!(fs::read(at.join("named.swf"))?, fs::read(at.join("bare.swf"))?);
        assert_eq!(ran(" bare.swf -o named.swf")?.code, Some(2), "{command}");
        let none = ran("")?;
        assert!(none.code == Some(2) && none.stderr.contains("<LOG> --output <FILE>"), "{}", none.stderr);
    }
    Ok(())
}

/// Options on how logs are read are parameters of formats in studies; the printed key works.
#[test]
fn parameters_of_logs_are_no_keys_of_studies() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let rest = "machines = [\"4x4\"]\nallocators = [\"naive\"]";
    for (key, remedy) in [
        ("unit = \"cpus\"", "input_format = \"auto:unit=cpus\""),
        ("time_zone = \"UTC\"", "input_format = \"auto:time-zone=UTC\""),
    ] {
        write_study(at, "wrong.toml", &format!("{rest}\n{key}"))?;
        let wrong = run(at, "sweep wrong.toml -o wrong")?;
        assert!(wrong.code == Some(1) && wrong.stderr.contains(remedy), "{key}: {}", wrong.stderr);
    }
    write_study(at, "right.toml", &format!("{rest}\ninput_format = \"auto:time-zone=UTC\""))?;
    let right = run(at, "sweep right.toml -o right --no-timing -q")?;
    assert_eq!(right.code, Some(0), "{}", right.stderr);
    Ok(())
}
