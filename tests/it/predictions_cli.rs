//! Predicted run times on the command line: columns of jobs and summaries, files of predictions, mistakes in
//! them.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::support::{Ran, Tested, run};

/// Three jobs of one user on one processor: number, submission, run time; all request 1,000 s.
const JOBS: [(u32, u32, u32); 3] = [(1, 0, 100), (2, 10, 51), (3, 200, 300)];

/// Writes a log of [`JOBS`] with this user.
fn write_log(directory: &Path, user: i32) -> std::io::Result<()> {
    let line = |(job, submit, run): &(u32, u32, u32)| {
        format!("{job} {submit} -1 {run} 1 -1 -1 1 1000 -1 1 {user} -1 -1 -1 -1 -1 -1\n")
    };
    fs::write(directory.join("log.swf"), JOBS.iter().map(line).collect::<String>())
}

/// Replays the log with an estimate.
fn replay(directory: &Path, estimate: &str, rest: &str) -> Result<Ran, Box<dyn std::error::Error>> {
    run(
        directory,
        &format!(
            "replay log.swf -m 4 -s easy:backfill=sjbf -a naive --no-timing --estimate {estimate}{rest}"
        ),
    )
}

/// Splits a line of CSV at commas outside quotes.
fn fields(line: &str) -> Vec<String> {
    let (mut fields, mut is_quoted) = (vec![String::new()], false);
    for c in line.chars() {
        is_quoted ^= c == '"';
        match fields.last_mut() {
            Some(last) if c != ',' || is_quoted => last.push(c),
            _ => fields.push(String::new()),
        }
    }
    fields
}

/// Returns a column of a CSV file.
fn column(file: &Path, name: &str) -> Result<Vec<String>, Box<dyn std::error::Error>> {
    let text = fs::read_to_string(file)?;
    let mut lines = text.lines().map(fields);
    let at = lines.next().and_then(|names| names.iter().position(|other| *other == name));
    let at = at.ok_or_else(|| format!("no column {name}"))?;
    Ok(lines.map(|fields| fields[at].clone()).collect())
}

#[test]
fn jobs_and_summary_say_what_was_predicted() -> Tested {
    let directory = tempfile::tempdir()?;
    write_log(directory.path(), 7)?;
    let ran = replay(directory.path(), "predicted:user-last-two", " --format csv -o out")?;
    assert_eq!((ran.code, ran.stderr.as_str()), (Some(0), ""));
    let (jobs, summary) = (directory.path().join("out/jobs.csv"), directory.path().join("out/summary.csv"));
    // The prediction for job 3 is the mean of 100 s and 51 s, rounded down. Job 3 runs longer than 75 s and
    // 135 s.
    assert_eq!(column(&jobs, "prediction_s")?, ["1000.0", "1000.0", "75.0"]);
    assert_eq!(column(&jobs, "corrections")?, ["0", "0", "2"]);
    assert_eq!(column(&jobs, "backfilled")?, ["0", "0", "0"]);
    assert_eq!(column(&jobs, "estimate_s")?, ["1000.0"; 3]);
    let error_s: f64 = column(&summary, "prediction_error_s_mean")?[0].parse()?;
    assert!((error_s - (900.0 + 949.0 + 225.0) / 3.0).abs() < 1e-6, "{error_s}");
    assert_eq!(column(&summary, "prediction_corrections")?, ["2"]);
    let audit = run(directory.path(), "audit out --against easy")?;
    assert_eq!(audit.code, Some(0), "{}{}", audit.stdout, audit.stderr);
    // The jobs of a replay can be a file of predictions.
    let again = replay(directory.path(), "from-file:out/jobs.csv,correct=tsafrir", " --format csv -o again")?;
    assert_eq!(again.code, Some(0), "{}", again.stderr);
    assert_eq!(column(&directory.path().join("again/jobs.csv"), "corrections")?, ["0", "0", "2"]);
    Ok(())
}

#[test]
fn a_log_without_users_is_told_once() -> Tested {
    let directory = tempfile::tempdir()?;
    write_log(directory.path(), -1)?;
    let ran = replay(directory.path(), "predicted:user-last-two", " --arrival-scale 1 0.5")?;
    assert_eq!(ran.code, Some(0));
    let note =
        "note: log: no job names its user (field 12), so every prediction by users is the requested time\n";
    assert_eq!(ran.stderr, note);
    Ok(())
}

#[test]
fn mistakes_in_predictions_say_where_they_are() -> Tested {
    let directory = tempfile::tempdir()?;
    write_log(directory.path(), 7)?;
    for (text, problem) in [
        ("1,5\n3,5\n", "p.csv has no prediction of job 2; expected a line job,prediction for each job"),
        ("1,5\n2,-5\n", "p.csv:2: field 2, the prediction of job 2: found '-5', expected seconds from 0"),
        ("1,5\n1,6\n", "p.csv:2: job 1 has a prediction on line 1 already; take one of the lines out"),
        (
            "1,1000\n2,50\n3,300\n",
            "job 2 runs longer than its prediction, 50 s, and correct=error forbids it; give correct=tsafrir",
        ),
    ] {
        fs::write(directory.path().join("p.csv"), text)?;
        let ran = replay(directory.path(), "from-file:p.csv,correct=error", "")?;
        assert_eq!(ran.code, Some(1), "{}", ran.stderr);
        assert!(ran.stderr.contains(problem), "{}", ran.stderr);
    }
    let ran = replay(directory.path(), "predicted:guess", "")?;
    assert_eq!(ran.code, Some(2));
    assert!(ran.stderr.contains("expected one of: predicted:user-last-two, predicted:exact, from-file:FILE"));
    Ok(())
}

#[test]
fn studies_find_predictions_beside_them_and_keys_depend_on_their_content() -> Tested {
    let directory = tempfile::tempdir()?;
    fs::create_dir(directory.path().join("sub"))?;
    write_log(&directory.path().join("sub"), 7)?;
    let study = "logs = [\"log.swf\"]\nmachines = [\"4\"]\nallocators = [\"naive\"]\n\
                 rules = [\"authors\", \"authors:estimate=from-file:p.csv+correct=request\"]\n";
    fs::write(directory.path().join("sub/study.toml"), study)?;
    let mut cells: Vec<BTreeSet<String>> = Vec::new();
    for text in ["1,5\n2,5\n3,5\n", "1,6\n2,5\n3,5\n"] {
        fs::write(directory.path().join("sub/p.csv"), text)?;
        let out = format!("out{}", cells.len());
        let ran = run(directory.path(), &format!("sweep sub/study.toml -o {out} --no-timing -q"))?;
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        let entries = fs::read_dir(directory.path().join(out).join("cells"))?;
        cells.push(
            entries
                .map(|entry| Ok(entry?.file_name().display().to_string()))
                .collect::<std::io::Result<_>>()?,
        );
    }
    assert_eq!(cells[0].intersection(&cells[1]).count(), 1, "{cells:?}");
    Ok(())
}
