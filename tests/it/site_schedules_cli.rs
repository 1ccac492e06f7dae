//! Schedules of a site inside a period: `audit`, `compare`, `table --by` and `trace convert` of a dump, and
//! the planned outages that a log shows.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use serde_json::Value;

use super::support::{Tested, bundled, run};

type Anything<T> = Result<T, Box<dyn std::error::Error>>;

fn number(row: &Value, name: &str) -> f64 {
    row[name].as_f64().unwrap_or(f64::NAN)
}

/// Runs a command that must end with this exit code, and returns its standard output.
fn output(at: &Path, command: &str, code: i32) -> Anything<String> {
    let ran = run(at, command)?;
    assert_eq!(ran.code, Some(code), "{command}: {}{}", ran.stdout, ran.stderr);
    Ok(ran.stdout)
}

/// A job of the schedule that EASY makes of a bundled log.
struct Scheduled {
    id: f64,
    procs: f64,
    submit_s: f64,
    start_s: f64,
    end_s: f64,
}

/// Returns the schedule of EASY on 16x16 by the run times of the log.
fn schedule(at: &Path) -> Anything<Vec<Scheduled>> {
    let log = bundled("lublin-256-10k.swf.gz");
    output(at, &format!("replay {log} -m 16x16 -a naive --no-timing -q --format jsonl -o whole"), 0)?;
    let text = fs::read_to_string(at.join("whole/jobs.jsonl"))?;
    text.lines()
        .map(|line| {
            let job: Value = serde_json::from_str(line)?;
            let [id, procs] = ["job", "procs"].map(|name| number(&job, name));
            let [submit_s, start_s, end_s] = ["submit_s", "start_s", "end_s"].map(|name| number(&job, name));
            Ok(Scheduled { id, procs, submit_s, start_s, end_s })
        })
        .collect()
}

/// Writes the jobs between two times, as a site's dump of that time has them. If it is made at its end, the
/// jobs that run or wait then have no end or start.
fn window(at: &Path, jobs: &[Scheduled], [from_s, to_s]: [f64; 2], is_made_then: bool) -> Tested {
    let mut table = "job,user,submit,start,end,procs,walltime\n".to_owned();
    for Scheduled { id, procs, submit_s, start_s, end_s } in jobs {
        if *end_s > from_s && *submit_s < to_s {
            let known = |time_s: &f64| {
                if is_made_then && *time_s >= to_s { String::new() } else { time_s.to_string() }
            };
            let (limit_s, user) = (end_s - start_s, (*id as u64) % 3);
            writeln!(table, "{id},u{user},{submit_s},{},{},{procs},{limit_s}", known(start_s), known(end_s))?;
        }
    }
    Ok(fs::write(at.join("window.csv"), table)?)
}

#[test]
fn a_dump_and_its_replay_are_equal_inside_its_period() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let jobs = schedule(at)?;
    let compare = "compare --input-format table window.csv";
    let audit = "audit --input-format table window.csv --machine 16x16 --against easy";
    let replay = "replay window.csv -m 16x16 -a naive -s easy --estimate exact --no-timing -q --force";
    for is_made_then in [false, true] {
        window(at, &jobs, [1e6, 2e6], is_made_then)?;
        output(at, &format!("{replay} -o mine"), 0)?;
        let compared = run(at, &format!("{compare} mine"))?;
        let (same, heading) = (compared.stdout, "what differs outside does not count");
        assert!(same.starts_with("from ") && same.contains(heading), "{same}{}", compared.stderr);
        // Jobs that wait at the end are in the way of others, and no replay has them.
        assert!(same.contains("are equal") || is_made_then && compared.code == Some(1), "{same}");
        // EASY's promises hold inside the period: before it, jobs that ended then are missing.
        let audited = output(at, audit, 0)?;
        assert!(audited.contains("no violation on 16x16 from "), "{audited}");
        assert_eq!(audited.contains("still waited at the end"), is_made_then, "{audited}");
    }
    // The whole dump has jobs of which the replay knows nothing.
    output(at, &format!("{compare} mine --period 0..90000000"), 2)?;
    // From an idle machine, jobs start earlier.
    window(at, &jobs, [1e6, 2e6], false)?;
    output(at, &format!("{replay} --period off -o idle"), 0)?;
    let differs = output(at, &format!("{compare} idle"), 1)?;
    assert!(differs.contains("first difference"), "{differs}");
    let broken = output(at, &format!("{audit} --period off"), 1)?;
    assert!(broken.contains("heads the queue and waits"), "{broken}");
    output(at, "audit mine --against easy", 0)?;
    let dated = run(at, "audit mine --period 2024-01-01..2024-02-01")?;
    let told = "expected FROM..TO in whole seconds";
    assert!(dated.code == Some(2) && dated.stderr.contains(told), "{}", dated.stderr);
    Ok(())
}

#[test]
fn groups_of_a_period_have_the_waits_inside_it() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    window(at, &schedule(at)?, [1e6, 2e6], false)?;
    output(at, "replay window.csv -m 16x16 -a naive -s recorded --no-timing -q --format jsonl -o mine", 0)?;
    let rows: Vec<Value> = fs::read_to_string(at.join("mine/summary.jsonl"))?
        .lines()
        .map(serde_json::from_str)
        .collect::<Result<_, _>>()?;
    let table =
        output(at, "table mine --by user --format csv --columns jobs_in_means wait_s_mean node_hours", 0)?;
    let all: Vec<f64> = table
        .lines()
        .filter(|line| line.starts_with("all,"))
        .flat_map(|line| line.split(',').skip(1))
        .filter_map(|cell| cell.parse().ok())
        .collect();
    let [jobs, wait_s, node_hours] = all[..] else { return Err(table.into()) };
    assert_eq!((jobs, number(&rows[0], "carried_refused")), (number(&rows[0], "jobs_in_means"), 0.0));
    assert!((wait_s / number(&rows[0], "wait_s_mean") - 1.0).abs() < 1e-9, "{table}");
    let period: Vec<f64> = rows[0]["period"]
        .as_str()
        .unwrap_or_default()
        .split("..")
        .filter_map(|end| end.parse().ok())
        .collect();
    let busy = number(&rows[0], "utilization") * 256.0 * (period[1] - period[0]) / 3600.0;
    assert!((node_hours / busy - 1.0).abs() < 1e-9, "{node_hours} {busy}");
    let title = output(at, "table mine --by user", 0)?;
    assert!(title.contains("jobs by user · waits and node-hours inside "), "{title}");
    Ok(())
}

#[test]
fn a_converted_dump_has_the_size_of_its_machine() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let mut jobs = schedule(at)?;
    // An overlap of a second, as after a change of the clock.
    jobs.push(Scheduled {
        id: 99_999.0,
        procs: 200.0,
        submit_s: 1_500_000.0,
        start_s: 1_500_000.0,
        end_s: 1_500_001.0,
    });
    window(at, &jobs, [0.0, 1e9], false)?;
    output(at, "trace convert window.csv log.swf", 0)?;
    let log = fs::read_to_string(at.join("log.swf"))?;
    let header: String = log.lines().take_while(|line| line.starts_with(';')).collect();
    assert!(
        header.contains("; MaxProcs: 256")
            && header.contains("MaxProcs is the processors that its jobs fill"),
        "{header}"
    );
    Ok(())
}

#[test]
fn jobs_that_are_left_out_are_no_maintenance() -> Tested {
    let directory = tempfile::tempdir()?;
    let log = concat!(env!("CARGO_MANIFEST_DIR"), "/traces/may.sacct.gz");
    let command = format!("replay {log} -m auto -s recorded easy -a naive --no-timing");
    for (left_out, option) in [("--status completed", "--status completed"), ("--sizes parallel", "--sizes")]
    {
        let ran = run(directory.path(), &format!("{command} {left_out}"))?;
        let line = format!("are not compared for this log: {option} can leave out jobs that ran\n");
        assert!(ran.code == Some(0) && ran.stdout.contains(&line), "{}", ran.stdout);
        assert!(!ran.stderr.contains("nothing ran"), "{}", ran.stderr);
        let planned = run(directory.path(), &format!("{command} {left_out} --outages recorded"))?;
        let told = format!("--outages recorded: {option} can leave out jobs that ran, so that no outage");
        assert!(planned.code == Some(1) && planned.stderr.contains(&told), "{}", planned.stderr);
    }
    Ok(())
}

#[test]
fn outages_that_a_log_shows_are_planned() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let mut table = "job,submit,start,end,procs,walltime\n".to_owned();
    // A job of 4 processors every 1,000 s on 16 processors, and a maintenance from 400,000 s to 440,000 s,
    // into which no job may run by its limit of 9,000 s.
    for id in 0..900 {
        let submit = id * 1000;
        let is_late = (391_001..440_000).contains(&submit);
        let start = if is_late { 440_000 + (submit - 391_000) / 8 } else { submit };
        writeln!(table, "{id},{submit},{start},{},1,9000", start + 3500)?;
    }
    fs::write(at.join("site.csv"), table)?;
    let plain = run(at, "replay site.csv -m 4x4 -a naive -s recorded easy --no-timing")?;
    assert!(plain.stderr.contains("--outages recorded lets them know"), "{}", plain.stderr);
    let planned = run(
        at,
        "replay site.csv -m 4x4 -a naive -s recorded easy --no-timing --outages recorded --format jsonl -o \
             out",
    )?;
    assert!(planned.stderr.contains("planned outages, as the log shows them"), "{}", planned.stderr);
    let text = fs::read_to_string(at.join("out/jobs.jsonl"))?;
    for line in text.lines() {
        let job: Value = serde_json::from_str(line)?;
        let start_s = number(&job, "start_s");
        assert!(start_s + 9000.0 <= 400_000.0 || start_s >= 440_000.0, "{line}");
    }
    let audited = output(at, "audit out --replay 1 --against easy", 0)?;
    assert!(audited.contains("planned outages kept jobs from starting"), "{audited}");
    for (arguments, code, told) in [
        ("--outages recorded --arrival-scale 0.5", 2, "recorded outages are at the times of the log"),
        ("--outages recorded --on-outage drain", 2, "no node goes down in recorded outages"),
        ("--outages recorded --period 0..300000", 1, "it shows no outage"),
    ] {
        let ran = run(at, &format!("replay site.csv -m 4x4 -a naive -s easy --no-timing {arguments}"))?;
        assert!(ran.code == Some(code) && ran.stderr.contains(told), "{arguments}: {}", ran.stderr);
    }
    Ok(())
}
