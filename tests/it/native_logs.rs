//! Native logs: NASA Ames against the archive's conversion, and logs with columns given as arguments.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::support::{Tested, run, shared};

#[test]
fn the_native_log_of_nasa_ames_is_what_the_archive_made_of_it() -> Tested {
    let (Some(native), Some(archive)) =
        (shared("traces/native/NASA-iPSC-1993-0.txt.gz"), shared("traces/NASA-iPSC-1993-3.swf.gz"))
    else {
        return Ok(());
    };
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let ran = run(at, &format!("trace convert {} a.swf --input-format nas-ipsc", native.display()))?;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    // 1,537 lines without nodes, and 109 lines of user `special`.
    assert!(
        ran.stderr.contains("42264 of 42264 jobs written\nleft out: lines that are no jobs: 1646"),
        "{}",
        ran.stderr
    );
    assert_eq!(run(at, &format!("trace convert {} b.swf", archive.display()))?.code, Some(0));
    let fields = |file: &str| -> Result<Vec<Vec<String>>, std::io::Error> {
        let text = fs::read_to_string(at.join(file))?;
        let jobs = text.lines().filter(|line| !line.starts_with(';'));
        Ok(jobs.map(|line| line.split_whitespace().map(str::to_owned).collect()).collect())
    };
    let (ours, theirs) = (fields("a.swf")?, fields("b.swf")?);
    assert_eq!((ours.len(), theirs.len()), (42_264, 42_264));
    // Submit time, run time, processors, user, group, application, queue.
    for (a, b) in ours.iter().zip(&theirs) {
        for i in [1, 3, 4, 11, 12, 13, 14] {
            assert_eq!(a[i], b[i], "field {} of job {}", i + 1, b[0]);
        }
    }
    Ok(())
}

#[test]
fn any_columns_can_be_told() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    fs::write(at.join("log.txt"), "anna q4s 4 100 160\nbert q8m 8 130 20.6\nanna q4s 4 131 5\n")?;
    let convert = |columns: &str| run(at, &format!("trace convert log.txt - --columns {columns}"));
    let ran = convert("user=1,queue=2,procs=3,submit=4,run=5")?;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let jobs: Vec<&str> = ran.stdout.lines().filter(|line| !line.starts_with(';')).collect();
    assert_eq!(
        jobs,
        [
            "1 100 -1 160 4 -1 -1 -1 -1 -1 -1 1 -1 -1 1 -1 -1 -1",
            "2 130 -1 21 8 -1 -1 -1 -1 -1 -1 2 -1 -1 2 -1 -1 -1",
            "3 131 -1 5 4 -1 -1 -1 -1 -1 -1 1 -1 -1 1 -1 -1 -1",
        ]
    );
    for (columns, code, problem) in [
        ("procs=3,submit=4", 2, "field 'run' is missing"),
        ("procs=3,submit=4,run=6", 1, "log.txt:1: 5 fields, expected 6; --lenient skips such lines"),
        (
            "procs=1,submit=4,run=5",
            1,
            "log.txt:1: field 1 (allocated processors): found 'anna', expected a number",
        ),
    ] {
        let ran = convert(columns)?;
        assert_eq!(ran.code, Some(code), "{}", ran.stderr);
        assert!(ran.stderr.contains(problem), "{}", ran.stderr);
    }
    let ran = run(at, "trace convert log.txt out.swf --columns procs=1,submit=4,run=5 --input-format swf")?;
    assert_eq!(ran.code, Some(2), "{}", ran.stderr);
    Ok(())
}

/// Files of three formats: a day of NASA Ames, four columns of numbers, and a table. File name, format spec
/// and arguments.
const FORMATS: [(&str, &str, &str); 3] = [
    ("nasa", "nas-ipsc", "--input-format nas-ipsc"),
    ("numbers", "premas", "--input-format premas"),
    ("table", "columns:procs=2,run=4,submit=3", "--columns procs=2,run=4,submit=3"),
];

fn write_logs(at: &Path) -> std::io::Result<()> {
    let native = |i: u32| {
        let (user, nodes, run_s, hour, minute) = (i % 5, 1 << (i % 5), 60 + 37 * i, i * 7 / 60, i * 7 % 60);
        format!("user{user} nqs{} {nodes} {run_s} 10/01/93 {hour:02}:{minute:02}:00\n", i % 3)
    };
    fs::write(at.join("nasa"), (0..60).map(native).collect::<String>())?;
    fs::write(at.join("numbers"), "0\t4\t60\t-1\n5\t16\t90\t100\n7\t2\t10\t20\n7\t9\t30\t40\n")?;
    fs::write(at.join("table"), "anna 4 100 160\nbert 8 130 20.6\nanna 16 131 5\n")
}

/// The lines of a summary without the last columns, which depend on the text of the log: checksum and run id.
fn results(summary: &str) -> Vec<String> {
    let cells = summary.lines().map(|line| line.rsplitn(4, ',').last().unwrap_or_default().to_owned());
    cells.collect()
}

#[test]
fn every_format_is_replayed_as_if_it_were_converted_first() -> Tested {
    const REST: &str = "-m 4x4 -a hilbert+bf mc1x1 --no-timing --format csv --oversize skip --estimate exact";
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    write_logs(at)?;
    for (log, format, option) in FORMATS {
        let converted = run(at, &format!("trace convert {log} {log}.swf {option}"))?;
        assert_eq!(converted.code, Some(0), "{}", converted.stderr);
        let first = run(at, &format!("replay {log}.swf {REST}"))?;
        let directly = run(at, &format!("replay {log} --input-format {format} {REST}"))?;
        assert_eq!((directly.code, first.code), (Some(0), Some(0)), "{}", directly.stderr);
        assert_eq!(results(&directly.stdout), results(&first.stdout));
        assert_eq!(directly.stdout.lines().count(), 3);
    }
    // The native log is recognised without arguments.
    let converted = run(at, &format!("replay nasa.swf {REST}"))?;
    assert_eq!(results(&run(at, &format!("replay nasa {REST}"))?.stdout), results(&converted.stdout));
    for (format, problem) in [
        ("cwf", "unknown log format 'cwf', did you mean 'swf'? (one of: "),
        ("columns", "columns are missing, such as columns:submit=3,run=5,procs=2"),
        ("columns:submit=1,run=2", "field 'procs' is missing; submit, run and procs are needed"),
        ("swf:columns=3", "'swf' has no parameter 'columns'"),
    ] {
        let ran = run(at, &format!("replay table --input-format {format} {REST}"))?;
        assert_eq!(ran.code, Some(2), "{}", ran.stderr);
        assert!(ran.stderr.contains(problem), "{}", ran.stderr);
    }
    Ok(())
}

#[test]
fn the_format_of_a_study_is_part_of_its_keys() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    write_logs(at)?;
    let cells = |format: &str| -> Result<BTreeSet<String>, Box<dyn std::error::Error>> {
        let study = format!(
            "logs = [\"table\"]\nmachines = [\"4x4\"]\nallocators = [\"naive\"]\n{format}\nschedulers = [\"fcfs\"]\n"
        );
        fs::write(at.join("study.toml"), study)?;
        let ran = run(at, "sweep study.toml -o out --no-timing")?;
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        let mut names = BTreeSet::new();
        for entry in fs::read_dir(at.join("out/cells"))? {
            names.insert(entry?.file_name().to_string_lossy().into_owned());
        }
        Ok(names)
    };
    let first = cells("input_format = \"columns:procs=2,run=4,submit=3\"")?;
    assert_eq!((first.len(), &cells("input_format = \"columns:submit=3,run=4,procs=2\"")?), (1, &first));
    assert_eq!(cells("input_format = \"columns:procs=2,run=4,submit=4\"")?.len(), 2);
    let study = fs::read_to_string(at.join("out/study.json"))?;
    assert!(study.contains("\"input_format\": \"columns:procs=2,run=4,submit=4\""), "{study}");
    fs::write(
        at.join("study.toml"),
        fs::read_to_string(at.join("study.toml"))?.replace("columns:", "rows:"),
    )?;
    let ran = run(at, "sweep study.toml -o out --no-timing")?;
    assert_ne!(ran.code, Some(0));
    assert!(
        ran.stderr.contains("study.toml:4: key 'input_format': unknown log format 'rows'"),
        "{}",
        ran.stderr
    );
    Ok(())
}
