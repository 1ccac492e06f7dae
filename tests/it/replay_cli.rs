//! `meshreplay replay` and `list` on the command line: rows, files, wrong inputs, interruption.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use meshreplay::frame::{FileFormat, write_to};
use polars_io::prelude::{ParquetReader, SerReader};

use super::support::{Ran, Tested, bundled, run, run_with};

/// Names of the entries of `directory`, sorted.
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

/// The cells of a line of CSV, without quotes.
fn cells(line: &str) -> Vec<String> {
    let outside_quotes = line.split('"').enumerate().map(|(i, part)| (i % 2 == 0, part));
    let marked =
        outside_quotes.map(|(outside, part)| if outside { part.replace(',', "\n") } else { part.to_owned() });
    marked.collect::<String>().split('\n').map(str::to_owned).collect()
}

/// CSV as rows of (column, value), without columns of measured times.
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
            for scheduler in ["fcfs", "easy"] {
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
                    // The JSON parser may round the last bit differently.
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
    let (rows, answer) = markdown.split_once("\n\n").ok_or("no blank line")?;
    assert!(rows.lines().all(|line| line.starts_with('|')), "{markdown}");
    let expected = "mc1x1 places jobs closest together by both measures: pairwise sum 1.4 % less than naive \
         (too short for an interval: 10 jobs); ratio to the bound 12.1 % less than naive; both start jobs at \
         the same times\n";
    assert_eq!(answer, expected);
    let output = Command::new(env!("CARGO_BIN_EXE_meshreplay"))
        .args(["replay", &bundled("tiny.swf"), "-m", "4x4", "-a", "naive", "--format", "parquet", "-q"])
        .output()?;
    assert!(output.stdout.starts_with(b"PAR1") && output.stdout.ends_with(b"PAR1"));
    Ok(())
}

#[test]
fn parquet_files_hold_the_numbers_of_the_csv_files_and_the_resolved_run() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    for format in ["csv", "parquet"] {
        let arguments = format!(
            "-m 4x4 2x2x4 -a all --oversize skip -o {format} --no-timing --trim 10 -q --format {format}"
        );
        let ran = replay(at, &arguments)?;
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    }
    for stem in ["jobs", "summary"] {
        let mut reader = ParquetReader::new(fs::File::open(at.join(format!("parquet/{stem}.parquet")))?);
        let metadata = reader.get_metadata()?.key_value_metadata().clone().unwrap_or_default();
        let run =
            metadata.iter().find(|entry| entry.key == "meshreplay").and_then(|entry| entry.value.as_ref());
        assert_eq!(run.map(ToString::to_string), Some(fs::read_to_string(at.join("parquet/run.json"))?));
        let mut text = Vec::new();
        write_to(&mut text, &mut reader.finish()?, FileFormat::Csv, "")?;
        assert!(fs::read(at.join(format!("csv/{stem}.csv")))? == text, "{stem}");
    }
    Ok(())
}

#[test]
fn result_files_are_whole_and_carry_the_resolved_run() -> Tested {
    let directory = tempfile::tempdir()?;
    let out = directory.path().join("out");
    let ran = replay(directory.path(), "-m 4x4 -a naive hilbert+bf -o out -q --format csv")?;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert_eq!(files(&out)?, ["jobs.csv", "place.json", "run.json", "summary.csv"]);
    let jobs = fs::read_to_string(out.join("jobs.csv"))?;
    let titles = "replay,seed,job,submit_s,start_s,end_s,run_s,estimate_s,procs,shape,allocated,wait_s,queue_delay_s,allocation_delay_s,moves,suspended_s,pairwise_sum,pairwise_mean,diameter,components,bounding_box,allocate_ns,user,account,queue,partition,status,submit_hour,run";
    assert_eq!((jobs.lines().next(), jobs.lines().count()), (Some(titles), 1 + 2 * 10));
    let run: serde_json::Value = serde_json::from_str(&fs::read_to_string(out.join("run.json"))?)?;
    assert_eq!(run["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(
        run["rules"],
        "authors:arrivals=recorded,estimate=recorded,overrun=extend,oversize=error,shape=near-square,sizes=all,status=authors"
    );
    assert_eq!(run["replays"][1]["allocator"], "curve:order=hilbert,select=best-fit");
    let labels = serde_json::json!({"scheduler": "easy", "allocator": "hilbert+bf", "network": "recorded"});
    assert_eq!(run["replays"][1]["labels"], labels);
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
    assert_eq!(files(&at.join("out"))?, ["jobs.csv", "place.json", "run.json", "summary.csv"]);
    Ok(())
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let cut = run(at, &format!("trace cut {} short.swf --first 500", bundled("lublin-256-10k.swf.gz")))?;
    assert_eq!(cut.code, Some(0), "{}", cut.stderr);
    // All formats have the same rows, so only one format is tested with all allocators.
    let few = "random hilbert+bf first-fit";
    for (format, allocators) in [("csv", "all hilbert+ss"), ("parquet", few), ("json", few)] {
        for threads in ["1", "2"] {
            let arguments = format!(
                "replay short.swf -m 16x16 8x8x4 -s easy fcfs -a {allocators} --oversize skip --threads \
                 {threads} -o {format}{threads} --format {format} --no-timing -q"
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
    for (out, threads) in [("a", 1), ("b", 2)] {
        replay(at, &format!("-m 4x4 -a all --threads {threads} -o {out} --format csv -q"))?;
    }
    for file in ["jobs.csv", "summary.csv"] {
        let [a, b] = ["a", "b"].map(|out| fs::read_to_string(at.join(out).join(file)));
        let (a, b) = (a?, b?);
        assert_eq!(untimed(&a), untimed(&b), "{file}");
        assert!(!untimed(&a).is_empty());
    }
    Ok(())
}

/// Arguments after `replay`, the exit code and a part of standard error.
const WRONG: &[(&str, i32, &str)] = &[
    ("{tiny} -m 4x4 -a hilbrt+bf", 2, "unknown order 'hilbrt', did you mean 'hilbert'?"),
    ("{tiny} -m 4x4 -a hilbert", 2, "unknown allocator 'hilbert', did you mean 'hilbert+bf'?"),
    ("{tiny} -m 4x4 -a niave", 2, "unknown allocator 'niave', did you mean 'naive'?"),
    ("{tiny} -m 4x4 -a naive:size=1", 2, "'naive' has no parameter 'size' (it has none)"),
    ("{tiny} -m 4x4 -a curve:select=worst", 2, "parameter 'select' of 'curve' is 'worst': expected one of"),
    ("{tiny} -m 4x4 -a naive -s esy", 2, "unknown scheduler 'esy', did you mean 'easy'?"),
    ("{tiny} -m 4x4 -a naive -s easy:pass=both", 2, "expected one of: batch, per-event"),
    ("{tiny} -m 4x4 -a naive -s easy:order=fifo", 2, "expected one of: arrival, sjf, ljf"),
    ("{tiny} -m 4x4 -a naive --order fifo", 2, "invalid value 'fifo' for '--order <ORDER>'"),
    ("{tiny} -m 4x4 -a naive -s easy fcfs --order sjf", 2, "'fcfs' has no parameter 'order' (it has none)"),
    (
        "{tiny} -m 4x4 -a naive -s easy:order=ljf --order sjf",
        2,
        "parameter 'order' of 'easy' is 'ljf': expected sjf, as --order says",
    ),
    (
        "{tiny} -m 4x4 -a naive -s bypass-queue:threshold=-1",
        2,
        "parameter 'threshold' of 'bypass-queue' is '-1': expected a number of seconds, at least 0, or inf",
    ),
    ("{tiny} -m 0x8 -a naive", 2, "machine '0x8': size 1 is 0"),
    ("{tiny} -m 16y8 -a naive", 2, "machine '16y8': '16y8' is not a size"),
    ("{tiny} -m 2x2x2x2 -a naive", 2, "4 dimensions; expected 1 to 3 sizes"),
    ("{tiny} -m 4x4 -a naive --trim 50", 2, "expected a number from 0 to below 50"),
    ("{tiny} -m 4x4 -a naive --trim -1", 2, "expected a number from 0 to below 50"),
    ("{tiny} -m 4x4 -a naive --arrival-scale 0", 2, "expected a number above 0"),
    ("{tiny} -m 4x4 -a naive --arrival-scale -1", 2, "expected a number above 0"),
    (
        "{tiny} -m 4x4 -a naive --arrival-scale 1e300",
        1,
        "tiny: arrivals (field 2 of a log) times 1e300 and run times",
    ),
    (
        "far.swf -m 4x4 -a naive",
        1,
        "far: arrivals (field 2 of a log) times 1e0 and run times (field 4) leave the range",
    ),
    ("{tiny} -m 4x4 -a naive --estimate factor=-1", 2, "factor=F with F above 0"),
    ("{tiny} -m 4x4 -a naive --threads 0", 2, "--threads"),
    ("{tiny} -m 4x4 -a naive --force", 2, "--output"),
    ("- - -m 4x4 -a naive", 2, "give - once"),
    ("missing.swf -m 4x4x4 -a spliced-hilbert+bf", 2, "'spliced-hilbert' cannot serve machine 4x4x4"),
    ("missing.swf -m 4x4 -a hilbert+bff", 2, "parameter 'select' of 'curve' is 'bff': expected one of"),
    ("large.swf -m 4x4 -a naive --oversize skip", 1, "no job to replay on machine 4x4; all 1 are larger"),
    ("{tiny} -m 3x3 -a naive", 1, "job 3 asks for 16 processors, machine 3x3 has 9; --oversize skip"),
    ("missing.swf -m 4x4 -a naive", 1, "missing.swf: no such file"),
    (". -m 4x4 -a naive", 1, ". is a directory"),
    ("empty.swf -m 4x4 -a naive", 1, "empty.swf is empty"),
    ("short.swf -m 4x4 -a naive", 1, "short.swf:2: 17 fields, expected 18; --lenient skips such lines"),
    ("wrong.swf -m 4x4 -a naive", 1, "wrong.swf:2: field 5 (allocated processors): found 'x12', expected"),
    (
        "none.swf -m 4x4 -a naive",
        1,
        "none.swf: no job to replay; left out: 1 without processors; none of them was allocated any, --rules \
             requested takes",
    ),
    ("{tiny} -m 4x4 -a naive -o empty.swf", 1, "empty.swf is not a directory"),
    ("{tiny} -m 4x4 -a naive -o empty.swf/out", 1, "empty.swf/out cannot be made: Not a directory"),
    ("{tiny} -m 4x4 -a naive -o odd", 1, "odd holds other results; --force replaces them"),
    ("{tiny} -m 4x4 -a naive -o odd --force", 1, "odd/jobs.csv is a directory and cannot be replaced"),
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
    fs::write(at.join("far.swf"), good.replace("-1 60", "-1 9000000000000000000"))?;
    fs::write(at.join("large.swf"), good.replace("60 4", "60 40"))?;
    fs::create_dir_all(at.join("odd/jobs.csv"))?;
    let before = files(at)?;
    for (arguments, code, message) in WRONG {
        let arguments = format!("replay {}", arguments.replace("{tiny}", &bundled("tiny.swf")));
        let ran = run(at, &arguments)?;
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(*code), ""), "{arguments}: {}", ran.stderr);
        assert!(ran.stderr.contains(message), "{arguments}: {}", ran.stderr);
        assert!(!ran.stderr.contains("panicked"), "{arguments}: {}", ran.stderr);
        // One line with the error. Notes on the log may come before a failure, and help after a usage error.
        let mut lines = ran.stderr.lines().skip_while(|line| *code == 1 && line.starts_with("note: "));
        assert!(lines.next().is_some_and(|line| line.starts_with("error: ")), "{arguments}: {}", ran.stderr);
        assert!(*code == 2 || lines.next().is_none(), "{arguments}: {}", ran.stderr);
        assert_eq!((files(at)?, files(&at.join("odd"))?), (before.clone(), vec!["jobs.csv".to_owned()]));
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
    let small = ["replay", &bundled("tiny.swf"), "-m", "4x4", "-a", "naive", "-q"];
    for arguments in [&small[..], &["list", "allocators"], &["replay", "--help"], &["--version"]] {
        let output = Command::new(env!("CARGO_BIN_EXE_meshreplay"))
            .args(arguments)
            .stdout(fs::OpenOptions::new().write(true).open("/dev/full")?)
            .output()?;
        let stderr = String::from_utf8(output.stderr)?;
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        assert!(stderr.starts_with("error: standard output cannot be written: No space left"), "{stderr}");
        assert_eq!(stderr.lines().count(), 1, "{stderr}");
    }

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
    let is_left = directory.path().join("out").exists();
    let small = replay(directory.path(), "-m 4x4 -a naive -o kept --format csv -q");
    let forced = run(directory.path(), &format!("replay {log} -m 16x16 -a naive -o kept --force -q"));
    let kept = files(&directory.path().join("kept"));
    Command::new("umount").arg(directory.path()).status()?;
    for ran in results {
        let ran = ran?;
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), ""), "{}", ran.stderr);
        assert!(ran.stderr.starts_with("error: out/jobs."), "{}", ran.stderr);
        assert_eq!(ran.stderr.matches("No space left on device").count(), 1, "{}", ran.stderr);
        assert!(!ran.stderr.contains("panicked"), "{}", ran.stderr);
    }
    assert!(!is_left, "a directory that nothing came into goes too");
    assert_eq!((small?.code, forced?.code), (Some(0), Some(1)));
    assert_eq!(
        kept?,
        ["jobs.csv", "place.json", "run.json", "summary.csv"],
        "what is there goes only for what is whole"
    );
    Ok(())
}

#[test]
fn a_reader_that_goes_away_is_no_error() -> Tested {
    let directory = tempfile::tempdir()?;
    let log = bundled("tiny.swf");
    for arguments in ["list allocators", &format!("replay {log} -m 4x4 -a all --format csv -o out -q")] {
        let mut child = start(directory.path(), arguments)?;
        drop(child.stdout.take());
        let output = child.wait_with_output()?;
        assert_eq!((output.status.code(), output.stderr), (Some(0), Vec::new()));
    }
    assert_eq!(files(&directory.path().join("out"))?, ["jobs.csv", "place.json", "run.json", "summary.csv"]);
    Ok(())
}

/// Starts the program in `directory` with arguments that hold no spaces.
fn start(directory: &Path, arguments: &str) -> std::io::Result<Child> {
    Command::new(env!("CARGO_BIN_EXE_meshreplay"))
        .args(arguments.split(' '))
        .current_dir(directory)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
}

/// Interrupts `child` when a file `prefix`… in `folder` has at least `size` bytes. Returns the signal that
/// ended the process, standard output and standard error.
#[cfg(unix)]
fn interrupt(
    mut child: Child,
    folder: &Path,
    prefix: &str,
    size: u64,
) -> Result<(Option<i32>, String, String), Box<dyn std::error::Error>> {
    use std::os::unix::process::ExitStatusExt;
    let seen = |entry: std::io::Result<fs::DirEntry>| -> Option<bool> {
        let entry = entry.ok()?;
        let named = entry.file_name().to_string_lossy().starts_with(prefix);
        Some(named && entry.metadata().ok()?.len() >= size)
    };
    while !fs::read_dir(folder).is_ok_and(|mut entries| entries.any(|entry| seen(entry) == Some(true))) {
        assert_eq!(child.try_wait()?, None, "ended before it could be interrupted");
        std::thread::sleep(Duration::from_millis(5));
    }
    Command::new("kill").args(["-INT", &child.id().to_string()]).status()?;
    let output = child.wait_with_output()?;
    let [stdout, stderr] = [output.stdout, output.stderr].map(String::from_utf8);
    Ok((output.status.signal(), stdout?, stderr?))
}

#[cfg(unix)]
#[test]
fn an_interrupt_keeps_what_is_finished() -> Tested {
    super::support::children_hear_interrupts();
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let made =
        run(at, "trace generate --model lublin --jobs 400000 --procs 1024 --seed 3 --load 0.9 -o big.swf")?;
    assert_eq!(made.code, Some(0), "{}", made.stderr);
    let results = ["jobs.csv", "place.json", "run.json", "summary.csv"];
    let out = at.join("out");
    let rest = "-m 32x32 --threads 1 -o out --format csv -q";
    // The first replay has finished when its jobs are being written. The second takes many times longer.
    let child = start(at, &format!("replay big.swf -a naive mc1x1 mc1x1-shells {rest}"))?;
    let (signal, stdout, stderr) = interrupt(child, &out, ".meshreplay-", 1)?;
    assert_eq!(signal, Some(2), "{stderr}");
    assert_eq!(stderr, "error: interrupted: 1 of 3 replays finished and are kept\n");
    assert_eq!(files(&out)?, results);
    assert_eq!(stdout.lines().count(), 2, "{stdout}");
    let summary = fs::read_to_string(out.join("summary.csv"))?;
    assert_eq!(summary, stdout);
    assert_eq!(fs::read_to_string(out.join("jobs.csv"))?.lines().count(), 1 + 400_000);
    // Interrupted before any replay has finished: old results stay.
    let child = start(at, &format!("replay big.swf -a mc1x1 {rest} --force"))?;
    let (signal, stdout, stderr) = interrupt(child, &out, ".meshreplay-", 0)?;
    assert_eq!((signal, stdout.as_str()), (Some(2), ""), "{stderr}");
    assert_eq!(stderr, "error: interrupted: 0 of 1 replay finished\n");
    assert_eq!(files(&out)?, results);
    assert_eq!(fs::read_to_string(out.join("summary.csv"))?, summary);
    Ok(())
}

#[test]
fn the_order_flag_sets_the_order_of_every_scheduler() -> Tested {
    let directory = tempfile::tempdir()?;
    let rest = "-m 4x4 -a naive --no-timing --format csv -q";
    let schedulers = "-s easy:pass=per-event first-fit-queue:order=wfp3";
    let flag = replay(directory.path(), &format!("{schedulers} --order wfp3 {rest}"))?;
    let spelt = "-s easy:order=wfp3,pass=per-event first-fit-queue:order=wfp3";
    let spelt = replay(directory.path(), &format!("{spelt} {rest}"))?;
    assert_eq!((flag.code, flag.stderr.as_str()), (Some(0), ""));
    assert!(flag.stdout.contains("easy:order=wfp3,pass=per-event"), "{}", flag.stdout);
    assert_eq!(flag.stdout, spelt.stdout);
    Ok(())
}

#[test]
fn lists_name_every_row_with_its_source() -> Tested {
    let directory = tempfile::tempdir()?;
    for (family, names) in [
        ("allocators", &["random", "naive", "curve", "mc1x1", "mc1x1-shells"][..]),
        ("schedulers", &["fcfs", "easy", "conservative", "first-fit-queue", "bypass-queue"]),
        ("orders", &["row-major", "column-snake", "hilbert", "zoltan-hilbert", "gilbert"]),
        ("formats", &["swf", "premas", "nas-ipsc", "columns"]),
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
