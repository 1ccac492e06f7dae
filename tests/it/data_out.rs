//! Results for other tools: formats, the schema, placements, exported schedules.

use std::fs;
use std::path::Path;

use meshreplay::frame::{FileFormat, write_to};
use polars_io::prelude::{IpcReader, JsonFormat, JsonReader, ParquetReader, SerReader};

use super::support::{Tested, bundled, columns, csv_cells, run};

type Anything<T> = Result<T, Box<dyn std::error::Error>>;

/// Replays the small log and returns standard output.
fn replay(at: &Path, arguments: &str) -> Anything<String> {
    let ran = run(at, &format!("replay {} {arguments} -q", bundled("tiny.swf")))?;
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""), "{arguments}");
    Ok(ran.stdout)
}

#[test]
fn arrow_and_json_lines_hold_what_csv_holds() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    for format in ["csv", "arrow", "jsonl"] {
        let options = "--no-timing --placements --network recorded wormhole";
        replay(at, &format!("-m 4x4 -a naive hilbert+bf {options} -o {format} --format {format}"))?;
    }
    for stem in ["jobs", "summary"] {
        let csv = fs::read(at.join(format!("csv/{stem}.csv")))?;
        let arrow = fs::File::open(at.join(format!("arrow/{stem}.arrow")))?;
        let lines = fs::File::open(at.join(format!("jsonl/{stem}.jsonl")))?;
        let mut text = Vec::new();
        write_to(&mut text, &mut IpcReader::new(arrow).finish()?, FileFormat::Csv, "")?;
        assert!(text == csv, "{stem}.arrow");
        let reader = JsonReader::new(lines).with_json_format(JsonFormat::JsonLines);
        let found = reader.infer_schema_len(std::num::NonZeroUsize::new(usize::MAX)).finish()?;
        text.clear();
        write_to(&mut text, &mut found.clone(), FileFormat::Csv, "")?;
        assert_eq!(String::from_utf8(text)?.lines().count(), String::from_utf8(csv)?.lines().count());
    }
    for format in ["csv", "arrow", "jsonl"] {
        let ran = run(at, &format!("audit {format} --replay 2 --against easy"))?;
        assert!(
            ran.code == Some(0) && ran.stdout.contains("followed of 9 jobs"),
            "{}{}",
            ran.stdout,
            ran.stderr
        );
    }
    // JSON Lines on standard output.
    let lines = replay(at, "-m 4x4 -a naive hilbert+bf --no-timing --format jsonl")?;
    assert_eq!(lines.lines().count(), 2);
    assert!(lines.lines().all(|line| serde_json::from_str::<serde_json::Value>(line).is_ok()), "{lines}");
    let bytes = std::process::Command::new(env!("CARGO_BIN_EXE_meshreplay"))
        .args(["replay", &bundled("tiny.swf"), "-m", "4x4", "-a", "naive", "--format", "arrow", "-q"])
        .output()?;
    assert!(bytes.stdout.starts_with(b"ARROW1") && bytes.stdout.ends_with(b"ARROW1"));
    let run = fs::read(at.join("arrow/run.json"))?;
    let file = fs::read(at.join("arrow/jobs.arrow"))?;
    assert!(file.windows(run.len()).any(|window| window == run), "the resolved run is in the footer");
    Ok(())
}

/// The columns of a frame in the schema: name, type and the condition for the column.
fn schema(at: &Path, frame: &str) -> Anything<Vec<[String; 3]>> {
    let ran = run(at, &format!("schema {frame} --format json"))?;
    let frames: serde_json::Value = serde_json::from_str(&ran.stdout)?;
    assert_eq!(frames[0]["name"], frame);
    let columns = frames[0]["columns"].as_array().ok_or("no columns")?;
    let text = |column: &serde_json::Value, key: &str| column[key].as_str().unwrap_or("?").to_owned();
    Ok(columns.iter().map(|column| ["name", "type", "when"].map(|key| text(column, key))).collect())
}

#[test]
fn frames_have_the_columns_of_the_schema() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let slices = "--fragmentation 1x1,2x1,2x2,4x1,4x2,4x3,4x4,3x3";
    let outages = "--outages random:mtbf=1y,repair=4h --on-outage drain";
    // The small log with waits of 0 s (field 3), as scheduler `recorded` needs them, and with a partition
    // (field 16).
    let waits = |line: &str| match line.split_whitespace().collect::<Vec<_>>().as_slice() {
        [job, submit, _, rest @ .., _, before, think] if !line.starts_with(';') => {
            format!("{job} {submit} 0 {} 1 {before} {think}\n", rest.join(" "))
        }
        _ => format!("{line}\n"),
    };
    fs::write(
        at.join("waits.swf"),
        fs::read_to_string(bundled("tiny.swf"))?.lines().map(waits).collect::<String>(),
    )?;
    let all = "--partition 1 --estimate predicted:user-last-two --contention --network wormhole --placements \
         --by-shape --latency --why --period 0..100000";
    let ran =
        run(at, &format!("replay waits.swf -q -m 4x4 -a naive -s recorded -o all {all} {outages} {slices}"))?;
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    replay(at, "-m 4x4 -a naive -o least --no-timing")?;
    for stem in ["jobs", "summary", "fragmentation", "shapes"] {
        let documented = schema(at, stem)?;
        for (folder, conditional) in [("all", true), ("least", false)] {
            if !conditional && documented.iter().all(|[_, _, when]| when != "always") {
                assert!(!at.join(format!("{folder}/{stem}.parquet")).exists(), "{folder}/{stem}");
                continue;
            }
            let file = fs::File::open(at.join(format!("{folder}/{stem}.parquet")))?;
            let frame = ParquetReader::new(file).finish()?;
            let kinds = frame.dtypes().into_iter().map(|kind| kind.to_string());
            let found: Vec<_> = frame.get_column_names().iter().map(ToString::to_string).zip(kinds).collect();
            let expected = documented.iter().filter(|[_, _, when]| {
                // This log has no lists of nodes, the machine is no tree, and a recorded schedule is not
                // shaken; recorded_nodes_cli.rs, trees_cli.rs and shake_cli.rs test these columns.
                let is_elsewhere = when == "in the summary of a study"
                    || when.contains("the allocator `recorded`")
                    || when == "with --shake"
                    || when.contains("if a machine is a tree of switches");
                when == "always" || conditional && !is_elsewhere
            });
            let expected: Vec<_> = expected.map(|[name, kind, _]| (name.clone(), kind.clone())).collect();
            assert_eq!(found, expected, "{folder}/{stem}");
        }
    }
    fs::write(
        at.join("s.toml"),
        format!("logs = ['{}']\nmachines = ['4x4']\nallocators = ['naive']\n", bundled("tiny.swf")),
    )?;
    assert_eq!(run(at, "sweep s.toml -o study -q")?.code, Some(0));
    let titles = fs::read_to_string(at.join("study/summary.csv"))?.lines().next().map(csv_cells);
    let always = ["always", "without --no-timing", "in the summary of a study"];
    let expected = schema(at, "summary")?.into_iter().filter(|[_, _, when]| always.contains(&when.as_str()));
    assert_eq!(titles, Some(expected.map(|[name, ..]| name).collect()));
    Ok(())
}

#[test]
fn the_schema_is_told_in_three_forms() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let table = run(at, "schema")?.stdout;
    assert!(table.contains(" jobs: one per job") && table.contains(" summary: one per replay"), "{table}");
    let markdown = run(at, "schema jobs --format markdown")?.stdout;
    let row = markdown.lines().find(|line| line.starts_with("| `wait_s`")).ok_or("no row")?;
    let cells: Vec<&str> = row.split('|').map(str::trim).collect();
    assert_eq!(cells[1..6], ["`wait_s`", "f64", "s", "start − arrival", "always"]);
    assert!(!markdown.contains("## summary"));
    let wrong = run(at, "schema cells")?;
    assert_eq!(wrong.code, Some(2));
    assert!(
        wrong.stderr.contains(
            "[possible values: jobs, summary, downtimes, fragmentation, latency, shapes, slices, tidy]"
        ),
        "{}",
        wrong.stderr
    );
    Ok(())
}

#[test]
fn placements_are_kept_on_request() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    replay(at, "-m 4x4 -a naive -o out --format csv --placements --no-timing")?;
    let jobs = columns(&at.join("out/jobs.csv"))?;
    assert_eq!(jobs["nodes"][..3], ["0-7", "8-11", "0-15"]);
    for (nodes, allocated) in jobs["nodes"].iter().zip(&jobs["allocated"]) {
        let held: u32 = meshreplay::machine::parse_intervals(nodes)?.iter().map(|(a, b)| b - a + 1).sum();
        assert_eq!(held.to_string(), *allocated);
    }
    let ran = run(at, &format!("replay {} -m 4x4 -a naive --placements", bundled("tiny.swf")))?;
    assert_eq!(ran.code, Some(2), "they go into the jobs");
    // The placement of a job that moves is its last one.
    let log = "1 0 -1 10 2 -1 -1 2 10 -1 1 -1 -1 -1 -1 -1 -1 -1\n2 0 -1 90 2 -1 -1 2 90 -1 1 -1 -1 -1 -1 -1 \
         -1 -1\n\
               3 0 -1 10 2 -1 -1 2 10 -1 1 -1 -1 -1 -1 -1 -1 -1\n4 20 -1 9 4 -1 -1 4 9 -1 1 -1 -1 -1 -1 -1 \
               -1 -1\n";
    fs::write(at.join("a.swf"), log)?;
    let ran =
        run(at, "replay a.swf -m 6 -a left-compaction -o moved --placements --format csv --no-timing -q")?;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let jobs = columns(&at.join("moved/jobs.csv"))?;
    assert_eq!((jobs["moves"][1].as_str(), jobs["nodes"][1].as_str()), ("1", "0-1"));
    let ran = run(at, "audit moved")?;
    assert!(ran.code == Some(0) && ran.stdout.contains("not of 1 that were moved"), "{}", ran.stdout);
    Ok(())
}

#[test]
fn a_study_with_placements_is_another_one() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let study = format!("logs = ['{}']\nmachines = ['4x4']\nallocators = ['naive']\n", bundled("tiny.swf"));
    fs::write(at.join("s.toml"), study)?;
    for options in ["--jobs", "--jobs --placements"] {
        assert_eq!(run(at, &format!("sweep s.toml -o out --no-timing {options} -q"))?.code, Some(0));
    }
    let mut with_nodes = 0;
    for entry in fs::read_dir(at.join("out/cells"))? {
        let path = entry?.path();
        if path.to_string_lossy().ends_with(".jobs.parquet") {
            let frame = ParquetReader::new(fs::File::open(&path)?).finish()?;
            with_nodes += usize::from(frame.column("nodes").is_ok());
            let ran = run(at, &format!("audit {} -m 4x4 --against easy", path.display()))?;
            assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
        }
    }
    assert_eq!(with_nodes, 1);
    assert_eq!(run(at, "sweep s.toml -o out --placements")?.code, Some(2), "--placements needs --jobs");
    Ok(())
}

#[test]
fn schedules_are_exported() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    replay(at, "-m 4x4 -a naive mc1x1 -o out --no-timing --placements")?;
    for (arguments, code, message) in [
        ("out --to swf -o a.swf", 1, "out/jobs.parquet holds 2 schedules; choose one by --replay and --seed"),
        (
            "out --to swf -o a.swf --replay 7",
            1,
            "has no jobs of that replay and seed; it has 0 (naive), seed 1;",
        ),
        ("out --replay 1 --to swf -o a.swf", 0, ""),
        ("out --replay 1 --to swf -o a.swf", 1, "a.swf already exists; --force overwrites it"),
        ("out --replay 1 --to evalys -o e.csv", 0, ""),
        ("out --replay 1 --to evalys -o e.csv", 1, "e.csv already exists; --force overwrites it"),
        ("out --replay 1 --to evalys -o e.csv --force", 0, ""),
        (
            "a.swf --to evalys -o f.csv",
            1,
            "the nodes of job 1 are not known, and evalys needs them; replay with",
        ),
        ("none --to swf -o b.swf", 1, "none cannot be read: No such file"),
        (
            ". --to swf -o b.swf",
            1,
            ". holds no jobs.parquet, .arrow, .csv, .json or .jsonl; expected a directory",
        ),
    ] {
        let ran = run(at, &format!("export {arguments}"))?;
        assert_eq!(ran.code, Some(code), "{arguments}: {}", ran.stderr);
        assert!(ran.stderr.contains(message), "{arguments}: {}", ran.stderr);
    }
    let log = fs::read_to_string(at.join("a.swf"))?;
    assert!(log.contains("; MaxProcs: 16\n") && log.contains("; Note: allocator mc1x1"), "{log}");
    // Job 3 arrives at 10 and waits until 100.
    assert!(log.contains("\n3 10 90 20 16 -1 -1 16 100 -1 1 -1 -1 -1 -1 1 -1 -1\n"), "{log}");
    assert_eq!(run(at, "trace validate a.swf")?.code, Some(0));
    let jobs = columns(&at.join("e.csv"))?;
    assert_eq!((jobs["job_id"][2].as_str(), jobs["starting_time"][2].as_str()), ("3", "100"));
    assert_eq!((jobs["stretch"][2].as_str(), jobs["allocated_resources"][2].as_str()), ("5.5", "0-15"));
    // Every export is the same schedule.
    for other in ["a.swf", "e.csv"] {
        let ran = run(at, &format!("compare out {other} --replay 1"))?;
        assert_eq!((ran.code, ran.stdout), (Some(0), format!("out and {other} are equal: 10 jobs\n")));
    }
    Ok(())
}
