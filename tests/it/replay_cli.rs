//! `meshreplay replay` and `list` as a user meets them: rows, files, wrong inputs, interruption.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use super::support::{Ran, Tested, bundled, run, run_with};

/// Everything in `directory`, sorted.
fn files(directory: &Path) -> Result<Vec<String>, Box<dyn std::error::Error>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(directory)? {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    Ok(names)
}

fn replay(directory: &Path, arguments: &str) -> Result<Ran, Box<dyn std::error::Error>> {
    run(directory, &format!("replay {} {arguments}", bundled("tiny.swf")))
}

/// The cells of a line of CSV, quotes taken off.
fn cells(line: &str) -> Vec<String> {
    let outside_quotes = line.split('"').enumerate().map(|(i, part)| (i % 2 == 0, part));
    let marked =
        outside_quotes.map(|(outside, part)| if outside { part.replace(',', "\n") } else { part.to_owned() });
    marked.collect::<String>().split('\n').map(str::to_owned).collect()
}

/// CSV as rows of (column, value), without the columns that are measured times.
fn untimed(csv: &str) -> Vec<Vec<(String, String)>> {
    let mut lines = csv.lines().map(cells);
    let titles = lines.next().unwrap_or_default();
    let measured = |title: &str| title.contains("_ns") || title == "replay_wall_s";
    lines
        .map(|cells| titles.iter().cloned().zip(cells).filter(|(title, _)| !measured(title)).collect())
        .collect()
}

#[test]
fn repeated_options_multiply_in_a_fixed_order() -> Tested {
    let directory = tempfile::tempdir()?;
    let arguments = "-m 4x4 16 -s fcfs easy -a naive hilbert+bf --arrival-scale 1 0.5 --format csv -q";
    let ran = replay(directory.path(), arguments)?;
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    let value = |row: &[(String, String)], title: &str| {
        row.iter().find(|(other, _)| other == title).map(|(_, value)| value.clone()).unwrap_or_default()
    };
    let found: Vec<String> = untimed(&ran.stdout)
        .iter()
        .map(|row| ["arrival_scale", "machine", "scheduler"].map(|title| value(row, title)).join(" "))
        .collect();
    let mut expected = Vec::new();
    for scale in ["1.0", "0.5"] {
        for machine in ["4x4", "16"] {
            for scheduler in ["fcfs", "easy:pass=batch"] {
                expected.extend([(); 2].map(|()| format!("{scale} {machine} {scheduler}")));
            }
        }
    }
    assert_eq!(found, expected);
    Ok(())
}

#[test]
fn every_format_holds_the_same_rows() -> Tested {
    let directory = tempfile::tempdir()?;
    let arguments = "-m 4x4 -a naive mc1x1 --no-timing --format";
    let csv = replay(directory.path(), &format!("{arguments} csv"))?.stdout;
    let json: serde_json::Value =
        serde_json::from_str(&replay(directory.path(), &format!("{arguments} json"))?.stdout)?;
    let rows = untimed(&csv);
    assert_eq!((rows.len(), json.as_array().map(Vec::len)), (2, Some(2)));
    for (row, object) in rows.iter().zip(json.as_array().ok_or("no array")?) {
        for (title, value) in row {
            match &object[title] {
                serde_json::Value::Number(number) => {
                    // The JSON parser rounds the last bit of some numbers the other way.
                    let (a, b) = (number.as_f64().ok_or("no number")?, value.parse::<f64>()?);
                    assert!((a - b).abs() <= 1e-15 * b.abs(), "{title}: {a}, {b}");
                }
                serde_json::Value::String(text) => assert_eq!(text, value, "{title}"),
                other => assert_eq!((other.is_null(), value.as_str()), (true, ""), "{title}"),
            }
        }
    }
    let table = replay(directory.path(), &format!("{arguments} table"))?.stdout;
    assert!(table.contains("mc1x1") && table.contains("pairwise sum"), "{table}");
    let markdown = replay(directory.path(), &format!("{arguments} markdown"))?.stdout;
    assert!(markdown.lines().all(|line| line.starts_with('|')), "{markdown}");
    let output = Command::new(env!("CARGO_BIN_EXE_meshreplay"))
        .args(["replay", &bundled("tiny.swf"), "-m", "4x4", "-a", "naive", "--format", "parquet", "-q"])
        .output()?;
    assert!(output.stdout.starts_with(b"PAR1") && output.stdout.ends_with(b"PAR1"));
    Ok(())
}

#[test]
fn result_files_are_whole_and_carry_the_resolved_run() -> Tested {
    let directory = tempfile::tempdir()?;
    let out = directory.path().join("out");
    let ran = replay(directory.path(), "-m 4x4 -a naive hilbert+bf -o out -q --format csv")?;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert_eq!(files(&out)?, ["jobs.csv", "run.json", "summary.csv"]);
    let jobs = fs::read_to_string(out.join("jobs.csv"))?;
    let titles = "replay,job,submit_s,start_s,end_s,run_s,estimate_s,procs,allocated,wait_s,pairwise_sum,\
                  pairwise_mean,diameter,components,bounding_box,allocate_ns";
    assert_eq!((jobs.lines().next(), jobs.lines().count()), (Some(titles), 1 + 2 * 10));
    let run: serde_json::Value = serde_json::from_str(&fs::read_to_string(out.join("run.json"))?)?;
    assert_eq!(run["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(run["rules"], "authors:estimate=recorded,overrun=extend,status=authors");
    assert_eq!(run["replays"][1]["allocator"], "curve:order=hilbert,select=best-fit");
    assert_eq!(run["logs"][0]["sha256"].as_str().map(str::len), Some(64));
    let summary = fs::read_to_string(out.join("summary.csv"))?;
    assert!(summary.contains(run["logs"][0]["sha256"].as_str().unwrap_or("?")), "{summary}");
    Ok(())
}

#[test]
fn other_results_are_replaced_only_by_force() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    assert_eq!(replay(at, "-m 4x4 -a naive -o out -q")?.code, Some(0));
    assert_eq!(replay(at, "-m 4x4 -a naive -o out -q")?.code, Some(0), "the same run again");
    let before = fs::read(at.join("out/summary.parquet"))?;
    let refused = replay(at, "-m 4x4 -a random -o out -q")?;
    assert_eq!((refused.code, refused.stdout.as_str()), (Some(1), ""));
    assert_eq!(
        refused.stderr,
        "error: out holds other results; --force replaces them, or give another directory\n"
    );
    assert_eq!(fs::read(at.join("out/summary.parquet"))?, before);
    assert_eq!(replay(at, "-m 4x4 -a random -o out -q --force --format csv")?.code, Some(0));
    assert_eq!(files(&at.join("out"))?, ["jobs.csv", "run.json", "summary.csv"]);
    Ok(())
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let cut = run(at, &format!("trace cut {} short.swf --first 1500", bundled("lublin-256-10k.swf.gz")))?;
    assert_eq!(cut.code, Some(0), "{}", cut.stderr);
    for format in ["csv", "parquet", "json"] {
        for threads in ["1", "2"] {
            let arguments = format!(
                "replay short.swf -m 16x16 8x8x4 -s easy fcfs -a all hilbert+ss --threads {threads} -o {format}{threads} \
                 --format {format} --no-timing -q"
            );
            assert_eq!(run(at, &arguments)?.code, Some(0));
        }
        for file in files(&at.join(format!("{format}1")))? {
            let [one, two] = ["1", "2"].map(|threads| fs::read(at.join(format!("{format}{threads}/{file}"))));
            assert!(one? == two?, "{format}: {file}");
        }
    }
    Ok(())
}

#[test]
fn measured_times_are_all_that_differs_between_runs() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    for out in ["a", "b"] {
        replay(at, &format!("-m 4x4 -a all -o {out} --format csv -q"))?;
    }
    for file in ["jobs.csv", "summary.csv"] {
        let [a, b] = ["a", "b"].map(|out| fs::read_to_string(at.join(out).join(file)));
        let (a, b) = (a?, b?);
        assert_eq!(untimed(&a), untimed(&b), "{file}");
        assert!(!untimed(&a).is_empty());
    }
    Ok(())
}

/// Arguments after `replay`, the exit code and a part of what standard error says.
const WRONG: &[(&str, i32, &str)] = &[
    ("{tiny} -m 4x4 -a hilbrt+bf", 2, "unknown order 'hilbrt', did you mean 'hilbert'?"),
    ("{tiny} -m 4x4 -a niave", 2, "unknown allocator 'niave', did you mean 'naive'?"),
    ("{tiny} -m 4x4 -a naive:size=1", 2, "'naive' has no parameter 'size' (it has none)"),
    ("{tiny} -m 4x4 -a curve:select=worst", 2, "parameter 'select' of 'curve' is 'worst': expected one of"),
    ("{tiny} -m 4x4 -a naive -s esy", 2, "unknown scheduler 'esy', did you mean 'easy'?"),
    ("{tiny} -m 4x4 -a naive -s easy:pass=both", 2, "expected one of: batch, per-event"),
    ("{tiny} -m 0x8 -a naive", 2, "machine '0x8': size 1 is 0"),
    ("{tiny} -m 16y8 -a naive", 2, "machine '16y8': '16y8' is not a size"),
    ("{tiny} -m 2x2x2x2 -a naive", 2, "4 dimensions; expected 1 to 3 sizes"),
    ("{tiny} -m 4x4 -a naive --trim 100", 2, "expected a number from 0 to below 100"),
    ("{tiny} -m 4x4 -a naive --arrival-scale 0", 2, "expected a number above 0"),
    ("{tiny} -m 4x4 -a naive --estimate factor=-1", 2, "factor=F with F above 0"),
    ("{tiny} -m 4x4 -a naive --threads 0", 2, "--threads"),
    ("{tiny} -m 4x4 -a naive --force", 2, "--output"),
    ("- - -m 4x4 -a naive", 2, "give - once"),
    ("{tiny} -m 3x3 -a naive", 1, "job 3 asks for 16 processors, machine 3x3 has 9; --oversize skip"),
    ("missing.swf -m 4x4 -a naive", 1, "missing.swf: no such file"),
    (". -m 4x4 -a naive", 1, ". is a directory"),
    ("empty.swf -m 4x4 -a naive", 1, "empty.swf is empty"),
    ("short.swf -m 4x4 -a naive", 1, "short.swf:2: 17 fields, expected 18; --lenient skips such lines"),
    ("wrong.swf -m 4x4 -a naive", 1, "wrong.swf:2: field 5 (allocated processors): found 'x12', expected"),
    ("none.swf -m 4x4 -a naive", 1, "none.swf: no job to replay; left out: 1 without processors"),
    ("{tiny} -m 4x4 -a naive -o empty.swf", 1, "empty.swf is not a directory"),
    ("{tiny} -m 4x4 -a naive -o /proc/nowhere/out", 1, "/proc/nowhere/out cannot be made"),
];

#[test]
fn wrong_inputs_get_one_clear_line_and_leave_nothing() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let good = "1 0 -1 60 4 -1 -1 4 90 -1 1 1 1 -1 0 -1 -1 -1\n";
    fs::write(at.join("empty.swf"), "")?;
    fs::write(at.join("short.swf"), format!("{good}2 0 -1 60 4 -1 -1 4 90 -1 1 1 1 -1 0 -1 -1\n"))?;
    fs::write(at.join("wrong.swf"), format!("{good}{}", good.replace("60 4", "60 x12")))?;
    fs::write(at.join("none.swf"), good.replace("60 4", "60 -1"))?;
    let before = files(at)?;
    for (arguments, code, message) in WRONG {
        let arguments = format!("replay {}", arguments.replace("{tiny}", &bundled("tiny.swf")));
        let ran = run(at, &arguments)?;
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(*code), ""), "{arguments}: {}", ran.stderr);
        assert!(ran.stderr.contains(message), "{arguments}: {}", ran.stderr);
        assert!(!ran.stderr.contains("panicked"), "{arguments}: {}", ran.stderr);
        let lines = ran.stderr.lines().filter(|line| line.starts_with("error: ")).count();
        assert_eq!(lines, 1, "{arguments}: {}", ran.stderr);
        assert_eq!(files(at)?, before, "{arguments}");
    }
    Ok(())
}

#[test]
fn large_jobs_and_damaged_lines_are_skipped_on_request() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let ran = replay(at, "-m 3x3 -a naive --oversize skip --format csv")?;
    assert_eq!(ran.code, Some(0));
    assert!(ran.stderr.contains("left out 2 larger than machine 3x3"), "{}", ran.stderr);
    let log = "1 0 -1 60 4 -1 -1 4 90 -1 1 1 1 -1 0 -1 -1 -1\n1 2 3\n";
    let ran = run_with(at, &["replay", "-", "-m", "4x4", "-a", "naive", "--lenient"], log.as_bytes())?;
    assert_eq!(ran.code, Some(0));
    assert!(ran.stderr.contains("left out 1 malformed"), "{}", ran.stderr);
    Ok(())
}

#[test]
fn a_full_disk_is_reported_and_leaves_nothing() -> Tested {
    if !Path::new("/dev/full").exists() {
        println!("skipped: there is no /dev/full");
        return Ok(());
    }
    let output = Command::new(env!("CARGO_BIN_EXE_meshreplay"))
        .args(["replay", &bundled("tiny.swf"), "-m", "4x4", "-a", "naive", "-q"])
        .stdout(fs::OpenOptions::new().write(true).open("/dev/full")?)
        .output()?;
    let stderr = String::from_utf8(output.stderr)?;
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr.contains("No space left on device") && !stderr.contains("panicked"), "{stderr}");

    let directory = tempfile::tempdir()?;
    let mounted = Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=64k", "tmpfs"])
        .arg(directory.path())
        .stderr(Stdio::null())
        .status();
    if !mounted.is_ok_and(|status| status.success()) {
        println!("skipped: a small file system cannot be mounted here");
        return Ok(());
    }
    let log = bundled("lublin-256-10k.swf.gz");
    let results = ["csv", "parquet", "json"].map(|format| {
        run(directory.path(), &format!("replay {log} -m 16x16 -a naive -o out --format {format} -q"))
    });
    let left = files(&directory.path().join("out"));
    Command::new("umount").arg(directory.path()).status()?;
    for ran in results {
        let ran = ran?;
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""), "{}", ran.stderr);
        assert!(ran.stderr.contains("No space left on device"), "{}", ran.stderr);
        assert!(!ran.stderr.contains("panicked"), "{}", ran.stderr);
    }
    assert_eq!(left?, Vec::<String>::new());
    Ok(())
}

#[test]
fn a_reader_that_goes_away_is_no_error() -> Tested {
    let mut child = Command::new(env!("CARGO_BIN_EXE_meshreplay"))
        .args(["list", "allocators"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    drop(child.stdout.take());
    let output = child.wait_with_output()?;
    assert_eq!((output.status.code(), output.stderr), (Some(0), Vec::new()));
    Ok(())
}

#[cfg(unix)]
#[test]
fn an_interrupt_keeps_what_is_finished() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let made =
        run(at, "trace generate --model lublin --jobs 400000 --procs 1024 --seed 3 --load 0.9 -o big.swf")?;
    assert_eq!(made.code, Some(0), "{}", made.stderr);
    let arguments = "replay big.swf -m 32x32 -a naive mc1x1 mc1x1-shells --threads 1 -o out --format csv -q";
    let child = Command::new(env!("CARGO_BIN_EXE_meshreplay"))
        .args(arguments.split(' '))
        .current_dir(at)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    // Once the jobs of the first replay are being written it has finished; the second one takes many times longer.
    let written = |entry: std::io::Result<fs::DirEntry>| Some(entry.ok()?.metadata().ok()?.len() > 0);
    while !fs::read_dir(at.join("out"))
        .is_ok_and(|mut entries| entries.any(|entry| written(entry) == Some(true)))
    {
        std::thread::sleep(Duration::from_millis(20));
    }
    Command::new("kill").args(["-INT", &child.id().to_string()]).status()?;
    let output = child.wait_with_output()?;
    let stderr = String::from_utf8(output.stderr)?;
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    assert!(
        stderr.contains("interrupted: ") && stderr.contains("of 3 replays finished and are kept"),
        "{stderr}"
    );
    assert_eq!(files(&at.join("out"))?, ["jobs.csv", "run.json", "summary.csv"]);
    assert!(String::from_utf8(output.stdout)?.contains("naive"));
    Ok(())
}

#[test]
fn lists_name_every_row_with_its_source() -> Tested {
    let directory = tempfile::tempdir()?;
    for (family, names) in [
        ("allocators", &["random", "naive", "curve", "mc1x1", "mc1x1-shells"][..]),
        ("schedulers", &["fcfs", "easy", "first-fit-queue"]),
        ("orders", &["row-major", "column-snake", "hilbert", "zoltan-hilbert", "gilbert"]),
    ] {
        let ran = run(directory.path(), &format!("list {family}"))?;
        assert_eq!(ran.code, Some(0));
        for name in names {
            assert!(
                ran.stdout.lines().any(|line| line.trim_start().starts_with(name)),
                "{name}: {}",
                ran.stdout
            );
        }
    }
    Ok(())
}
