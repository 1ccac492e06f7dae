//! `meshreplay trace` on the command line: output, errors and files.

use std::error::Error;
use std::fs;
use std::io::Write;

use flate2::{Compression, write::GzEncoder};
use tempfile::TempDir;

use super::support::{run, run_with};

type Outcome = Result<(), Box<dyn Error>>;

const LOG: &str = "; MaxProcs: 8\n; UnixStartTime: 0\n\
1 0 -1 60 4 -1 -1 4 90 -1 1 1 1 -1 0 -1 -1 -1\n\
2 10 -1 30 1 -1 -1 1 90 -1 0 2 1 -1 1 -1 -1 -1\n\
3 20 -1 -1 8 12.5 -1 8 90 -1 1 1 1 -1 1 -1 -1 -1\n\
4 30 -1 0 -1 -1 -1 2 90 -1 5 3 1 -1 1 -1 -1 -1\n";

fn gzip(text: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text)?;
    encoder.finish()
}

/// A directory with a valid log and all kinds of malformed logs.
fn logs() -> Result<TempDir, Box<dyn Error>> {
    let directory = tempfile::tempdir()?;
    let file = |name: &str, content: &[u8]| fs::write(directory.path().join(name), content);
    file("a.swf", LOG.as_bytes())?;
    file("empty.swf", b"")?;
    file("binary.swf", b"\x7fELF\x02\x01\x01\x00\x00")?;
    file("short.swf", LOG.replace(" 1 1 1 -1 0 -1 -1 -1\n", " 1 1 1 -1 0 -1 -1\n").as_bytes())?;
    file("wrong.swf", LOG.replace("30 1 -1", "30 x12 -1").as_bytes())?;
    file("text.swf", b"Dear reader,\n")?;
    let compressed = gzip(LOG.as_bytes())?;
    file("cut.swf.gz", &compressed[..compressed.len() - 10])?;
    let mut damaged = compressed;
    let checksum = damaged.len() - 8;
    damaged[checksum] ^= 1;
    file("damaged.swf.gz", &damaged)?;
    fs::create_dir(directory.path().join("folder"))?;
    Ok(directory)
}

#[test]
fn inputs_that_are_no_logs_are_one_clear_line() -> Outcome {
    let directory = logs()?;
    for (log, message) in [
        ("none.swf", "none.swf: no such file; check the name and the directory"),
        (
            "folder",
            "folder is a directory; expected a log such as NAME.swf, NAME.swf.gz, NAME.premas, \
             or - for standard input",
        ),
        ("empty.swf", "empty.swf is empty; expected a log with one job on each line"),
        (
            "binary.swf",
            "binary.swf is not a text: byte 7 is zero; expected a log, plain or compressed with gzip",
        ),
        (
            "text.swf",
            "text.swf:1: field 1 (job number): found 'Dear', expected an integer or -1; --lenient skips such \
                 lines, and `meshreplay trace convert --lenient` writes a log without them",
        ),
        (
            "short.swf",
            "short.swf:3: 17 fields, expected 18; --lenient skips such lines, and `meshreplay trace convert \
                 --lenient` writes a log without them",
        ),
        (
            "wrong.swf",
            "wrong.swf:4: field 5 (allocated processors): found 'x12', expected an integer or -1; \
             --lenient skips such lines, and `meshreplay trace convert --lenient` writes a log without them",
        ),
    ] {
        for command in ["info", "convert", "cut"] {
            let rest = match command {
                "info" => "",
                "convert" => " out.premas",
                _ => " out.swf --first 1",
            };
            let ran = run(directory.path(), &format!("trace {command} {log}{rest}"))?;
            let expected = (Some(1), "", format!("error: {message}\n"));
            assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr), expected, "{command}");
        }
    }
    let truncated = run(directory.path(), "trace info cut.swf.gz")?;
    assert_eq!(truncated.code, Some(1));
    assert!(
        truncated.stderr.starts_with("error: cut.swf.gz: the gzip data end early, after "),
        "{}",
        truncated.stderr
    );
    let damaged = run(directory.path(), "trace convert damaged.swf.gz out.swf")?;
    assert_eq!(damaged.code, Some(1));
    assert!(
        damaged.stderr.contains("the gzip data are damaged after line 6; get the file again"),
        "{}",
        damaged.stderr
    );
    assert_eq!(fs::read_dir(directory.path())?.count(), 9, "nothing is left behind");
    Ok(())
}

#[test]
fn lenient_reading_counts_what_it_skips() -> Outcome {
    let directory = logs()?;
    let info = run(directory.path(), "trace info wrong.swf --lenient")?;
    assert_eq!(info.code, Some(0));
    assert!(info.stdout.contains("jobs           3\n"), "{}", info.stdout);
    assert!(info.stdout.contains("skipped lines: not a number"), "{}", info.stdout);
    let cut = run(directory.path(), "trace cut short.swf - --first 9 --lenient")?;
    assert_eq!(cut.code, Some(0));
    assert_eq!(
        cut.stderr,
        "short.swf: skipped lines: too few fields: 1\n\
         short.swf: skipped lines in all: 1 (25.0 % of the lines of jobs)\n-: 3 of 3 jobs kept\n"
    );
    Ok(())
}

/// `--sort` orders jobs by submit time. Sorting again only adds a comment.
#[test]
fn logs_are_sorted_by_submission() -> Outcome {
    let directory = tempfile::tempdir()?;
    let job = |number: i64, submit_s: i64| {
        format!("{number} {submit_s} -1 60 4 -1 -1 4 90 -1 1 1 1 -1 0 -1 -1 -1\n")
    };
    let lines = |jobs: &[(i64, i64)]| jobs.iter().map(|&(number, at)| job(number, at)).collect::<String>();
    let mut jobs: Vec<(i64, i64)> = (1..=2_000).map(|number| (number, number * 7_919 % 331)).collect();
    fs::write(directory.path().join("a.swf"), format!("; MaxProcs: 8\n{}; late\n", lines(&jobs)))?;
    jobs.sort_by_key(|&(_, at)| at);
    let note = "; Note: sorted by submit time by meshreplay\n";
    let ran = run(directory.path(), "trace convert a.swf b.swf.gz --sort")?;
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), "b.swf.gz: 2000 of 2000 jobs written\n"));
    let ran = run(directory.path(), "trace convert b.swf.gz - --sort")?;
    let expected = format!("; MaxProcs: 8\n{note}; late\n{note}{}", lines(&jobs));
    assert_eq!(ran.stdout, expected);
    // A comment below the first job has no effect. After sorting it must not become a header.
    let late = fs::read_to_string(directory.path().join("a.swf"))? + "; Shapes: 1\n";
    fs::write(directory.path().join("late.swf"), late)?;
    let ran = run(directory.path(), "trace convert late.swf sorted.swf --sort")?;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let ran = run(directory.path(), "trace info sorted.swf")?;
    assert!(
        ran.code == Some(0) && ran.stdout.contains("jobs           2000\n"),
        "{} {}",
        ran.stdout,
        ran.stderr
    );
    // The PReMAS format has other columns and no comments.
    let ran = run(directory.path(), "trace convert a.swf - --sort --output-format premas")?;
    let submits: Vec<i64> =
        ran.stdout.lines().filter_map(|line| line.split('\t').next()?.parse().ok()).collect();
    assert!(submits.len() == 2_000 && submits.is_sorted(), "{submits:?}");
    Ok(())
}

#[test]
fn standard_input_is_a_log_too() -> Outcome {
    let directory = tempfile::tempdir()?;
    for content in [LOG.as_bytes().to_vec(), gzip(LOG.as_bytes())?] {
        let ran = run_with(directory.path(), &["trace", "info", "-", "--format", "json"], &content)?;
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        let profile: serde_json::Value = serde_json::from_str(&ran.stdout)?;
        assert_eq!((&profile["log"], &profile["jobs"]), (&"standard input".into(), &4.into()));
        assert_eq!((&profile["procs"], &profile["size_procs"]["max"]), (&8.into(), &8.into()));
        assert_eq!((&profile["run_s"]["p50"], &profile["status"]["1"]), (&30.into(), &2.into()));
        assert_eq!(profile["offered_load"], serde_json::json!((240.0 + 30.0) / (8.0 * 30.0)));
    }
    let empty = run(directory.path(), "trace info -")?;
    assert_eq!(empty.stderr, "error: standard input is empty; expected a log with one job on each line\n");
    Ok(())
}

#[test]
fn info_prints_a_table() -> Outcome {
    let directory = logs()?;
    let ran = run(directory.path(), "trace info a.swf")?;
    for line in [
        "processors     8",
        "span           30 s = 0.0 days = 0.0 weeks, 1970-01-01 00:00:00 to 1970-01-01 00:00:30 UTC",
        "offered load   1.1250",
        "serial jobs    25.0 % of the jobs whose size is known",
        "powers of two  100.0 % of the parallel jobs",
        "status         0: 1, 1: 2, 5: 1",
        "missing        run time (field 4)                      1 jobs   25.0 %",
        "processors           1       1       2       4       8       8       8     3.8",
    ] {
        assert!(ran.stdout.lines().any(|printed| printed == line), "{line}\n{}", ran.stdout);
    }
    Ok(())
}

#[test]
fn validate_lists_findings_and_fails_on_errors_only() -> Outcome {
    let directory = logs()?;
    let warned = run(directory.path(), "trace validate a.swf")?;
    assert_eq!(warned.code, Some(0));
    assert_eq!(
        warned.stdout,
        "a.swf:6: warning: allocated processors unknown or 0: job 4: -1, requested 2\n\
         a.swf:5: warning: run time unknown: job 3: -1, status 1\n\
         a.swf:6: warning: run time 0: job 4, status 5\n\
         a.swf: jobs: 4, errors: 0, warnings: 3\n"
    );
    let failed = run(directory.path(), "trace validate wrong.swf")?;
    assert_eq!((failed.code, failed.stderr.as_str()), (Some(1), ""));
    let first = "wrong.swf:4: error: not a number: field 5 (allocated processors): found 'x12', \
                 expected an integer or -1\n";
    assert!(failed.stdout.starts_with(first), "{}", failed.stdout);
    assert_eq!(run(directory.path(), "trace validate wrong.swf --lenient")?.code, Some(0));

    // The same job number with different submit times. Equal records would be read once.
    let job = LOG.lines().nth(3).unwrap_or_default();
    let submit = job.split_whitespace().nth(1).unwrap_or_default();
    let many: String =
        (0..30).map(|i| job.replacen(&format!(" {submit} "), &format!(" {} ", 1000 + i), 1) + "\n").collect();
    fs::write(directory.path().join("many.swf"), many)?;
    let few = run(directory.path(), "trace validate many.swf")?;
    assert!(few.stdout.contains("many.swf: error: job number used before: … and 9 more (--all shows them)"));
    let all = run(directory.path(), "trace validate many.swf --all")?;
    assert_eq!(all.stdout.matches("job number used before").count(), 29);

    // A requeued job of Slurm has a record for each run.
    let dump = "JobID|Submit|Start|End|State|NNodes\n\
                1|2024-05-01T10:00:00|2024-05-01T10:00:00|2024-05-01T10:00:09|REQUEUED|3\n\
                1|2024-05-01T10:00:09|2024-05-01T10:05:00|2024-05-01T10:09:00|COMPLETED|3\n";
    fs::write(directory.path().join("requeued.txt"), dump)?;
    let requeued = run(directory.path(), "trace validate requeued.txt")?;
    assert_eq!(requeued.code, Some(0), "{}", requeued.stdout);
    assert!(
        requeued.stdout.contains("requeued.txt:3: warning: job number used before"),
        "{}",
        requeued.stdout
    );
    // A run that is in two overlapping dumps is read once. A second run after a completed run is an error.
    let completed = dump.lines().last().unwrap_or_default();
    fs::write(directory.path().join("twice.txt"), format!("{dump}{completed}\n"))?;
    let twice = run(directory.path(), "trace validate twice.txt")?;
    assert!(twice.code == Some(0) && twice.stdout.contains("which are read once: 1"), "{}", twice.stdout);
    let completed = completed.replace("T10:09", "T10:19");
    fs::write(directory.path().join("overlap.txt"), format!("{dump}{completed}\n"))?;
    let overlap = run(directory.path(), "trace validate overlap.txt")?;
    assert_eq!(overlap.code, Some(1), "{}", overlap.stdout);
    assert!(
        overlap.stdout.contains("overlap.txt:4: error: job number used before: job 1: two runs"),
        "{}",
        overlap.stdout
    );
    Ok(())
}

#[test]
fn convert_follows_the_authors_rules_and_counts_what_it_leaves_out() -> Outcome {
    let directory = logs()?;
    let ran = run(directory.path(), "trace convert a.swf a.premas.gz")?;
    assert_eq!(ran.code, Some(0));
    assert_eq!(ran.stderr, "a.premas.gz: 3 of 4 jobs written\nleft out: cancelled before the start: 1\n");
    let back = run(directory.path(), "trace convert a.premas.gz - --output-format premas")?;
    assert_eq!(back.stdout, "0\t4\t60\t90\n10\t1\t30\t90\n20\t8\t13\t90\n");
    run(directory.path(), "trace convert a.premas.gz b.swf")?;
    let swf = fs::read_to_string(directory.path().join("b.swf"))?;
    assert!(swf.ends_with("3 20 -1 13 8 -1 -1 -1 90 -1 1 -1 -1 -1 -1 -1 -1 -1\n"), "{swf}");
    run(directory.path(), "trace convert a.swf c.swf.gz")?;
    let same = run(directory.path(), "trace convert c.swf.gz -")?;
    assert_eq!(same.stdout, LOG);
    Ok(())
}

#[test]
fn cut_keeps_the_header_and_what_passes_every_filter() -> Outcome {
    let directory = logs()?;
    for (filter, jobs) in [
        ("--from 10 --to 30", "23"),
        ("--first 2", "12"),
        ("--user 1 --user 3", "134"),
        ("--queue 1 --status 1", "3"),
        ("--first 1 --queue 1", "2"),
    ] {
        let ran = run(directory.path(), &format!("trace cut a.swf - {filter}"))?;
        let (header, records): (Vec<&str>, Vec<&str>) =
            ran.stdout.lines().partition(|line| line.starts_with(';'));
        let note = format!("; Note: cut by meshreplay: {filter}");
        assert_eq!(header, ["; MaxProcs: 8", "; UnixStartTime: 0", note.as_str()]);
        assert_eq!(records.iter().map(|record| &record[..1]).collect::<String>(), jobs, "{filter}");
        assert_eq!(ran.stderr, format!("-: {} of 4 jobs kept\n", jobs.len()));
    }
    Ok(())
}

#[test]
fn outputs_are_protected() -> Outcome {
    let directory = logs()?;
    let path = directory.path().join("b.swf");
    fs::write(&path, "precious")?;
    let refused = run(directory.path(), "trace convert a.swf b.swf")?;
    assert_eq!(
        (refused.code, refused.stderr.as_str()),
        (Some(1), "error: b.swf already exists; --force overwrites it\n")
    );
    run(directory.path(), "trace convert wrong.swf b.swf --force")?;
    assert_eq!(fs::read_to_string(&path)?, "precious");
    assert_eq!(run(directory.path(), "trace convert a.swf b.swf --force")?.code, Some(0));
    assert_eq!(fs::read_to_string(&path)?, LOG);
    assert_eq!(run(directory.path(), "trace cut b.swf b.swf --first 1 --force")?.code, Some(0));
    assert_eq!(fs::read_to_string(&path)?.lines().count(), 4);
    let nowhere = run(directory.path(), "trace convert a.swf none/b.swf")?;
    assert_eq!(nowhere.stderr, "error: none/b.swf cannot be written: there is no directory none\n");
    assert_eq!(nowhere.code, Some(1));
    Ok(())
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() -> Outcome {
    let directory = logs()?;
    let full = run(directory.path(), "trace convert a.swf /dev/full --output-format swf")?;
    assert_eq!(full.code, Some(1));
    assert!(full.stderr.starts_with("error: /dev/full cannot be written: No space left"), "{}", full.stderr);
    Ok(())
}

#[test]
fn command_lines_that_mean_nothing_are_usage_errors() -> Outcome {
    let directory = logs()?;
    for (arguments, message) in [
        ("trace cut a.swf b.swf --from 9 --to 9", "--from 9 --to 9 is no time at all"),
        ("trace cut a.swf b.swf", "required arguments were not provided"),
        (
            "trace cut a.swf b.premas --first 1",
            "cut keeps the format, here swf; `trace convert` makes premas of it",
        ),
        ("trace convert a.swf b.txt", "b.txt does not tell a format; expected NAME.swf"),
        (
            "trace info a.swf --input-format cwf",
            "invalid value 'cwf' for '--input-format <FORMAT>': unknown log format 'cwf', did you mean \
                 'swf'? (one of: ",
        ),
        ("trace info", "<LOG>"),
    ] {
        let ran = run(directory.path(), arguments)?;
        assert_eq!(ran.code, Some(2), "{arguments}");
        assert!(ran.stderr.contains(message), "{arguments}: {}", ran.stderr);
        assert_eq!(ran.stdout, "");
    }
    assert_eq!(fs::read_dir(directory.path())?.count(), 9, "nothing is left behind");
    Ok(())
}
