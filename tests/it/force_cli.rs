//! `--force`: what it replaces, and what it leaves alone.

use std::fs;
use std::path::Path;

use super::support::{Ran, Tested, bundled, run};

fn replay(at: &Path, arguments: &str) -> Result<Ran, Box<dyn std::error::Error>> {
    run(at, &format!("replay {} {arguments}", bundled("tiny.swf")))
}

fn files(directory: &Path) -> std::io::Result<Vec<String>> {
    let names = fs::read_dir(directory)?.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()));
    let mut names = names.collect::<std::io::Result<Vec<String>>>()?;
    names.sort();
    Ok(names)
}

/// Files of others are neither removed nor replaced, whatever their names.
/// A table in CSV with one more column.
fn with_column(table: &str, name: &str, value: &str) -> String {
    let cells = std::iter::once(name).chain(std::iter::repeat(value));
    let lines: Vec<String> =
        table.lines().zip(cells).map(|(line, cell)| format!("{line},{cell}\n")).collect();
    lines.concat()
}

#[test]
fn force_replaces_only_what_this_program_wrote() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let out = at.join("out");
    for (name, text) in [
        ("jobs.parquet", "precious"),
        ("summary.csv", "precious"),
        ("summary.csv", "run\nmine\n"),
        ("summary.jsonl", "precious"),
        ("latency.json", "[{\"run\": 3}]"),
        ("run.json", "p"),
        ("run.json", "{\"replays\": []}"),
        ("place.json", "{}"),
    ] {
        assert_eq!(replay(at, "-m 4x4 -a naive -o out -q --force")?.code, Some(0));
        fs::write(out.join(name), text)?;
        let before = files(&out)?;
        for force in ["", " --force"] {
            let refused = replay(at, &format!("-m 4x4 -a random -o out -q --format csv{force}"))?;
            let told = format!(
                "error: out/{name} was not written by meshreplay, or has a column that was added, so it is \
                 not replaced; move it away, or give another place with -o\n"
            );
            assert_eq!((refused.code, refused.stderr), (Some(1), told));
        }
        assert_eq!((files(&out)?, fs::read_to_string(out.join(name))?), (before, text.to_owned()));
        fs::remove_file(out.join(name))?;
    }
    // A table to which a user has added a column is the user's.
    for format in ["csv", "jsonl", "parquet"] {
        let file = format!("table.{format}");
        let replayed = replay(at, &format!("-m 4x4 -a naive -o {file} -q"))?;
        assert_eq!(replayed.code, Some(0), "{}", replayed.stderr);
        assert_eq!(replay(at, &format!("-m 4x4 -a random -o {file} -q --force"))?.code, Some(0));
        if format == "parquet" {
            continue;
        }
        let text = fs::read_to_string(at.join(&file))?;
        let added = match format {
            // The jobs have a column of this name, but not this table.
            "csv" => with_column(&text, "user", "mine"),
            _ => text.replace('{', "{\"note\":\"mine\","),
        };
        fs::write(at.join(&file), &added)?;
        let refused = replay(at, &format!("-m 4x4 -a random -o {file} -q --force"))?;
        assert_eq!(
            (refused.code, fs::read_to_string(at.join(&file))?),
            (Some(1), added),
            "{}",
            refused.stderr
        );
        assert!(refused.stderr.contains("has a column that was added"), "{}", refused.stderr);
    }
    // Summaries of version 1.0 have columns for slices.
    let replayed = replay(at, "-m 4x4 -a naive -o old.csv -q")?;
    assert_eq!(replayed.code, Some(0), "{}", replayed.stderr);
    let text = fs::read_to_string(at.join("old.csv"))?;
    fs::write(at.join("old.csv"), with_column(&text, "slices_fit_1_mean", "1.5"))?;
    assert_eq!(replay(at, "-m 4x4 -a random -o old.csv -q --force")?.code, Some(0));
    // Results without rows are results: no node went down.
    for format in ["csv", "json", "jsonl", "parquet", "arrow"] {
        let rest = format!("-o out -q --force --outages random:mtbf=99999d,repair=1h --format {format}");
        let ran = replay(at, &format!("-m 4x4 -a naive {rest}"))?;
        assert_eq!(ran.code, Some(0), "{format}: {}", ran.stderr);
        assert!(out.join(format!("downtimes.{format}")).exists(), "{format}");
    }
    Ok(())
}
