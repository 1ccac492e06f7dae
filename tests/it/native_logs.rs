//! Native logs: that of NASA Ames as the archive converted it, and logs whose columns are told.

use std::fs;

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
    // 1,537 lines without nodes and 109 of user `special`.
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
    // Submit, run, processors, user, group, application, queue.
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
