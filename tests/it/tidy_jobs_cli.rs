//! `--tidy` in replays, studies and merges: one frame of jobs with the coordinates of their replay.

use std::error::Error;
use std::fs;
use std::path::Path;

use meshreplay::frame::SavedTable;
use meshreplay::metrics::Needs;
use meshreplay::study::Coordinate;

use super::support::{Ran, Tested, bundled, columns, contents, run};

const STUDY: &str =
    "name = 'two'\nlogs = ['tiny.swf']\nmachines = ['4x4']\nallocators = ['hilbert+bf', 'mc1x1']\n";

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

/// Asserts that the tidy jobs of a directory are the join of its jobs and its summary, row by row.
fn assert_joined(folder: &Path) -> Result<usize, Box<dyn Error>> {
    let read = |detail| SavedTable::read_details(folder, detail, &|_| true);
    let (jobs, tidy) = (read("jobs")?.ok_or("no jobs")?, read("tidy")?.ok_or("no tidy jobs")?);
    let summary = SavedTable::read(folder)?;
    assert_eq!(tidy.height(), jobs.height());
    let label =
        |table: &SavedTable, column: &str, row: usize| table.column(column).map(|found| found.label(row));
    for row in 0..jobs.height() {
        for column in jobs.columns.iter().map(|column| &column.name) {
            assert_eq!(label(&tidy, column, row), label(&jobs, column, row), "{column}, row {row}");
        }
        let same = |i: &usize| {
            ["replay", "seed"].iter().all(|key| label(&summary, key, *i) == label(&jobs, key, row))
        };
        let of = (0..summary.height()).find(same).ok_or("a job without a replay")?;
        let named = Coordinate::listed().filter(|row| row.column_info().needs == Needs::Nothing);
        for column in named.flat_map(|row| [row.name, row.column()]) {
            let found = label(&tidy, column, row);
            assert!(
                found.is_some() && found == label(&summary, column, of),
                "{column}, row {row}: {found:?}"
            );
        }
    }
    Ok(jobs.height())
}

#[test]
fn tidy_jobs_are_the_jobs_joined_with_the_summary_in_every_format() -> Tested {
    let directory = site()?;
    let at = directory.path();
    let replay = "replay tiny.swf -m 4x4 -s fcfs easy -a hilbert+bf mc1x1 --arrival-scale 1 0.5 --placements \
         -q --tidy";
    for format in ["parquet", "arrow", "csv", "json", "jsonl"] {
        fine(at, &format!("{replay} --replications 2 --format {format} -o {format}"))?;
        assert!(at.join(format!("{format}/tidy.{format}")).exists());
        assert_eq!(assert_joined(&at.join(format))?, 8 * 2 * 10);
    }
    // The coordinates of the replay are the first columns.
    let tidy = fs::read_to_string(at.join("csv/tidy.csv"))?;
    let titles: Vec<&str> = tidy.lines().next().unwrap_or_default().split(',').collect();
    let (front, behind) =
        titles.split_at(titles.iter().position(|title| *title == "job").unwrap_or_default());
    assert!(front.starts_with(&["replay", "log", "arrival_scale"]), "{titles:?}");
    assert!(front.ends_with(&["machine", "scheduler", "allocator", "network", "replay_partition", "seed"]));
    // The number of the replay, and all coordinates except the period, which is that of the log, and the
    // rules, which are the last columns.
    assert_eq!(front.len(), Coordinate::listed().count() - 1, "{titles:?}");
    assert!(behind.starts_with(&["job", "submit_s", "start_s"]), "{titles:?}");
    // The schema has the columns in the order of the frame.
    let schema: serde_json::Value = serde_json::from_str(&fine(at, "schema tidy --format json")?.stdout)?;
    let columns = schema[0]["columns"].as_array().ok_or("no columns")?;
    let described: Vec<&str> = columns.iter().filter_map(|column| column["name"].as_str()).collect();
    let mut places = tidy.lines().next().unwrap_or_default().split(',');
    assert!(places.all(|title| described.contains(&title)), "{described:?}");
    let found: Vec<&str> = tidy.lines().next().unwrap_or_default().split(',').collect();
    let in_order: Vec<&str> = described.into_iter().filter(|name| found.contains(name)).collect();
    assert_eq!(in_order, found);
    // `--tidy` does not change the other files.
    fine(at, "replay tiny.swf -m 4x4 -a mc1x1 --no-timing -q -o without")?;
    fine(at, "replay tiny.swf -m 4x4 -a mc1x1 --no-timing -q -o with --tidy")?;
    let mut with = contents(&at.join("with"))?;
    assert!(with.remove("tidy.parquet").is_some());
    assert!(with == contents(&at.join("without"))?);
    Ok(())
}

#[test]
fn a_study_has_tidy_jobs_of_all_its_cells() -> Tested {
    let directory = site()?;
    let at = directory.path();
    fine(at, "sweep two.toml --no-timing --jobs -q -o plain")?;
    fine(at, "sweep two.toml --no-timing --jobs --tidy -q -o whole")?;
    assert_eq!(assert_joined(&at.join("whole"))?, 2 * 10);
    // `merge` makes tidy jobs from kept jobs, without replays.
    fine(at, "merge plain -o plain --tidy -q")?;
    assert!(contents(&at.join("plain"))? == contents(&at.join("whole"))?);
    // Shards, in any order, and their merge give the same bytes.
    for shard in ["2/2", "1/2"] {
        fine(at, &format!("sweep two.toml --no-timing --jobs --tidy -q -o shards --shard {shard}"))?;
    }
    assert!(contents(&at.join("shards"))? == contents(&at.join("whole"))?);
    // A study with more cells or another spelling leaves no outdated tidy jobs.
    fs::write(at.join("two.toml"), STUDY.replace("'mc1x1'", "'naive', 'mc1x1:tie-break=none'"))?;
    fine(at, "sweep two.toml --no-timing --jobs -q -o whole")?;
    assert_eq!(assert_joined(&at.join("whole"))?, 3 * 10);
    Ok(())
}

#[test]
fn the_partitions_of_the_replay_stand_beside_the_partition_of_the_job() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let job = |i: u32| format!("{i} {} 0 60 2 -1 -1 2 60 -1 1 1 1 -1 1 {} -1 -1\n", i * 10, 1 + i % 2);
    let header =
        "; MaxProcs: 16\n; MaxPartitions: 2\n; Partition: 1 batch\n; Partition: 2 debug\n".to_owned();
    fs::write(at.join("log.swf"), header + &(1..=6).map(job).collect::<String>())?;
    for (arguments, expected) in [
        ("--partition batch+debug", [("batch+debug", "debug"), ("batch+debug", "batch")]),
        ("--partition debug batch", [("debug", "debug"), ("batch", "batch")]),
        ("", [("all", "debug"), ("all", "batch")]),
    ] {
        let replay = format!(
            "replay log.swf -m 4x4 -a naive --no-timing -q --force --tidy --format csv -o out {arguments}"
        );
        fine(at, replay.trim_end())?;
        let found = columns(&at.join("out/tidy.csv"))?;
        let pairs: Vec<(&str, &str)> = found["replay_partition"]
            .iter()
            .zip(&found["partition"])
            .map(|(a, b)| (a.as_str(), b.as_str()))
            .collect();
        assert_eq!(pairs.len(), 6);
        for pair in expected {
            assert!(pairs.contains(&pair), "{arguments}: {pairs:?}");
        }
        assert!(pairs.iter().all(|pair| expected.contains(pair)), "{arguments}: {pairs:?}");
    }
    Ok(())
}

#[test]
fn tidy_jobs_need_jobs() -> Tested {
    let directory = site()?;
    let at = directory.path();
    fine(at, "sweep two.toml --no-timing -q -o none")?;
    for (arguments, code, said) in [
        ("merge none -o merged --tidy", 1, "no cell has its jobs, which --tidy writes"),
        ("sweep two.toml --tidy -o none", 2, "--jobs"),
        ("replay tiny.swf -m 4x4 -a naive --tidy", 2, "--output <DIR>"),
    ] {
        let ran = run(at, arguments)?;
        assert!(ran.code == Some(code) && ran.stderr.contains(said), "{arguments}: {}", ran.stderr);
    }
    assert!(!at.join("merged").exists() && !at.join("none/tidy.parquet").exists());
    Ok(())
}
