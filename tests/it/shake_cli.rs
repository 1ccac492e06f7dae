//! `--shake`: replays of one log with slightly other run times.

use std::fs;

use serde_json::Value;

use super::support::{Tested, bundled, run};

const MEANING: &str = "intervals over shaken runs, whose run times differ by up to 0.1 %, tell whether a \
     difference is chance in the details of this log; they say nothing about other months";

#[test]
fn intervals_over_shaken_runs_are_called_so() -> Tested {
    let directory = tempfile::tempdir()?;
    let log = bundled("lublin-256-10k.swf.gz");
    let shaken = format!(
        "replay {log} -m 16x16 -a first-fit mc1x1 --shake 0.1% --replications 4 -o out \
         --no-timing -q"
    );
    let ran = run(directory.path(), &shaken)?;
    let lines: Vec<&str> = ran.stdout.lines().collect();
    let line = lines.iter().find(|line| line.starts_with("one submesh per job: first-fit")).ok_or("none")?;
    assert_eq!(line.matches(", 4 shaken runs of this log").count(), 3, "{line}");
    assert!(
        lines.contains(&MEANING) && !ran.stdout.contains("95 % intervals are for more jobs"),
        "{lines:?}"
    );
    // Saved results give the same lines, and can be made again.
    let ran = run(directory.path(), "report out -q")?;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let page = fs::read_to_string(directory.path().join("out/report.html"))?;
    assert!(page.contains(", 4 shaken runs of this log") && page.contains(MEANING));
    let listed = fs::read_to_string(directory.path().join("out/run.json"))?;
    assert!(listed.contains("\"shake\": \"0.1%\""), "{listed}");
    Ok(())
}

#[test]
fn only_simulated_schedules_are_shaken() -> Tested {
    let directory = tempfile::tempdir()?;
    let job = |i: i64| {
        let submit = 40 * i;
        format!("{i} {submit} {} 90 4 -1 -1 4 100 -1 1 1 1 1 1 1 -1 -1\n", i % 7)
    };
    let jobs: String = (1..=60).map(job).collect();
    fs::write(directory.path().join("log.swf"), format!("; MaxProcs: 16\n{jobs}"))?;
    let shaken = "replay log.swf -m 4x4 -s recorded easy -a naive --shake 5% --replications 3 --no-timing \
                  -q --format jsonl";
    let ran = run(directory.path(), shaken)?;
    let rows: Vec<Value> = ran.stdout.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
    let changes_s = rows.iter().filter_map(|row| Some((row["service_s_mean"].as_f64()? - 90.0).abs()));
    let changes_s: Vec<f64> = changes_s.collect();
    assert!(changes_s.len() == 6 && changes_s[..3].iter().all(|&by_s| by_s < 1e-9), "{changes_s:?}");
    assert!(changes_s[3..].iter().all(|by_s| (1e-3..2.0).contains(by_s)), "{changes_s:?}");
    let percents: Vec<Option<f64>> = rows.iter().map(|row| row["shake_percent"].as_f64()).collect();
    assert_eq!(percents, [None, None, None, Some(5.0), Some(5.0), Some(5.0)]);
    Ok(())
}

#[test]
fn shaking_that_answers_nothing_is_an_error() -> Tested {
    let directory = tempfile::tempdir()?;
    let tiny = bundled("tiny.swf");
    for (arguments, code, told) in [
        (format!("{tiny} --shake 1%"), 2, "answers nothing; give --replications 20"),
        ("lublin --shake 1% --replications 3".to_owned(), 2, "'lublin' draws other jobs from each seed"),
        (
            format!("{tiny} --shake 1% --replications 3 --network wormhole:messages=2"),
            2,
            "run times are those of network 'wormhole:messages=2', not of the log",
        ),
        (format!("{tiny} --shake 20% --replications 3"), 2, "expected a percentage above 0 and up to 10"),
    ] {
        let ran = run(directory.path(), &format!("replay {arguments} -m 16x16 -a naive"))?;
        assert!(
            ran.code == Some(code) && ran.stderr.contains(told),
            "{arguments}: {:?} {}",
            ran.code,
            ran.stderr
        );
    }
    Ok(())
}
