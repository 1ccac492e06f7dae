//! `--period` together with what changes arrivals and run times.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use serde_json::Value;

use super::support::{Tested, bundled, run};

type Anything<T> = Result<T, Box<dyn std::error::Error>>;

/// Returns the rows of the summary of a replay that is audited.
fn rows(at: &Path, arguments: &str) -> Anything<Vec<Value>> {
    let ran =
        run(at, &format!("replay {arguments} -m 16x16 -a naive --no-timing --audit -q --format jsonl"))?;
    assert_eq!(ran.code, Some(0), "{arguments}: {}", ran.stderr);
    Ok(ran.stdout.lines().map(serde_json::from_str).collect::<Result<_, _>>()?)
}

fn number(row: &Value, name: &str) -> f64 {
    row[name].as_f64().unwrap_or(f64::NAN)
}

/// Writes the jobs of a log that EASY ran between two times, as a site's dump of that time has them.
fn window(at: &Path, from_s: f64, to_s: f64) -> Tested {
    let log = bundled("lublin-256-10k.swf.gz");
    let ran = run(at, &format!("replay {log} -m 16x16 -a naive --no-timing -q --format jsonl -o whole"))?;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let mut table = "job,submit,start,end,procs,walltime\n".to_owned();
    for line in fs::read_to_string(at.join("whole/jobs.jsonl"))?.lines() {
        let job: Value = serde_json::from_str(line)?;
        let [submit_s, start_s, end_s] = ["submit_s", "start_s", "end_s"].map(|name| number(&job, name));
        let limit_s = end_s - start_s + 60.0 * (1.0 + number(&job, "job") % 7.0);
        if end_s > from_s && submit_s < to_s {
            let [id, procs] = ["job", "procs"].map(|name| number(&job, name));
            writeln!(table, "{id},{submit_s},{start_s},{end_s},{procs},{limit_s}")?;
        }
    }
    fs::write(at.join("window.csv"), table)?;
    Ok(())
}

#[test]
fn the_end_of_a_period_is_scaled_with_arrivals() -> Tested {
    let directory = tempfile::tempdir()?;
    let log = bundled("lublin-256-10k.swf.gz");
    let scaled = rows(directory.path(), &format!("{log} --period 1000000..2000000 --arrival-scale 1 0.5 2"))?;
    let [plain, dense, sparse] = scaled.as_slice() else { return Err("three rows".into()) };
    for (row, factor) in [(dense, 0.5), (sparse, 2.0)] {
        assert_eq!(row["jobs_in_means"], plain["jobs_in_means"], "×{factor}");
        let load = number(row, "offered_load") * factor / number(plain, "offered_load");
        assert!((load - 1.0).abs() < 1e-6, "×{factor}: {load}");
    }
    assert!(number(dense, "utilization") > 1.2 * number(plain, "utilization"));
    Ok(())
}

#[test]
fn arrivals_that_are_drawn_anew_have_no_period() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    window(at, 1e6, 2e6)?;
    let found = &rows(at, "window.csv -s easy")?[0];
    assert!(found["period"].as_str().is_some_and(|period| period.contains("..")), "{found}");
    let redrawn = &rows(at, "window.csv -s easy --arrivals uniform:max=600")?[0];
    assert!(redrawn["period"].is_null() && redrawn["jobs"] == redrawn["jobs_in_means"], "{redrawn}");
    let ran =
        run(at, "replay window.csv -m 16x16 -a naive --arrivals uniform:max=600 --period 1100000..1200000")?;
    let told = "arrivals are drawn anew and have no period; leave out --period or --arrivals";
    assert!(ran.code == Some(2) && ran.stderr.contains(told), "{}", ran.stderr);
    Ok(())
}

#[test]
fn a_period_without_jobs_is_an_error() -> Tested {
    let directory = tempfile::tempdir()?;
    let log = bundled("lublin-256-10k.swf.gz");
    for period in ["90000000..91000000", "-500..-100"] {
        let arguments = format!("replay {log} -m 16x16 -a naive --period={period}");
        let ran = run(directory.path(), &arguments)?;
        assert_eq!(ran.code, Some(1), "{period}: {}", ran.stderr);
        let expected = format!("--period {period}: the log has no jobs then; they are submitted from ");
        assert!(ran.stderr.contains(&expected), "{}", ran.stderr);
    }
    Ok(())
}

#[test]
fn schedules_are_not_compared_or_audited_where_they_have_no_jobs() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let log = bundled("lublin-256-10k.swf.gz");
    for scheduler in ["easy", "fcfs"] {
        let ran =
            run(at, &format!("replay {log} -m 16x16 -a naive -s {scheduler} --no-timing -q -o {scheduler}"))?;
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    }
    for question in ["compare easy fcfs", "audit easy"] {
        let ran = run(at, &format!("{question} --period 90000000..91000000"))?;
        assert_eq!(ran.code, Some(2), "{question}: {}", ran.stdout);
        let expected = "no job waits or runs from 90000000 s to 91000000 s; give another --period";
        assert!(ran.stderr.contains(expected), "{question}: {}", ran.stderr);
    }
    Ok(())
}
