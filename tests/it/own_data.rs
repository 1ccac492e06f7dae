//! The same month in several formats, and conversions of each file: all replays are equal, job by job.

use std::fmt::Write as _;
use std::fs;
use std::io::Read as _;
use std::path::Path;

use super::support::{Tested, bundled, csv_cells, run};

/// The first jobs of the bundled dump, as lists of fields.
fn jobs() -> Result<Vec<Vec<String>>, Box<dyn std::error::Error>> {
    let mut text = String::new();
    flate2::read::GzDecoder::new(fs::File::open(bundled("may.sacct.gz"))?).read_to_string(&mut text)?;
    Ok(text.lines().take(301).map(|line| line.split('|').map(str::to_owned).collect()).collect())
}

/// Converts a date of the dump to seconds since 1970.
fn unix_s(date: &str) -> Result<i64, Box<dyn std::error::Error>> {
    Ok(format!("{date}Z").parse::<jiff::Timestamp>()?.as_second())
}

/// Writes the jobs as a dump of sacct, a table, accounting of PBS and JSON of Slurm.
fn write_logs(at: &Path) -> Tested {
    let jobs = jobs()?;
    let dump: Vec<String> = jobs.iter().map(|fields| fields.join("|")).collect();
    let mut table = "end;nodes;id;Time limit (minutes);submit;user;start;state\n".to_owned();
    let (mut pbs, mut json) = (String::new(), Vec::new());
    for fields in &jobs[1..] {
        let [number, user, _, _, qos, submit, _, start, end, state, nodes, _, _, _, limit, list] =
            fields.as_slice()
        else {
            return Err(fields.join("|").into());
        };
        // The three times have different spellings: Unix seconds, an offset, a fraction.
        let (submit_s, start_s, end_s) = (unix_s(submit)?, unix_s(start)?, unix_s(end)?);
        let _ = writeln!(table, "{end}+00:00;{nodes};{number};{limit};{submit_s};{user};{start}.25Z;{state}");
        let exit = match state.as_str() {
            "COMPLETED" => 0,
            "CANCELLED by 1000" => 271,
            _ => 1,
        };
        let minutes: i64 = limit.parse()?;
        let hours = format!("{:02}:{:02}:00", minutes / 60, minutes % 60);
        let _ = writeln!(
            pbs,
            "05/02/2024 00:00:00;E;{number}.head;user={user} queue={qos} ctime={submit_s} start={start_s} \
             Resource_List.nodect={nodes} Resource_List.walltime={hours} end={end_s} Exit_status={exit}"
        );
        json.push(serde_json::json!({
            "job_id": number.parse::<i64>()?, "user": user, "qos": qos, "nodes": list,
            "allocation_nodes": nodes.parse::<i64>()?, "state": {"current": [state.split(' ').next()]},
            "time": {"submission": submit_s, "start": start_s, "end": end_s, "limit": {"set": true, "number": minutes}},
        }));
    }
    fs::write(at.join("site.sacct"), dump.join("\n"))?;
    fs::write(at.join("site.csv"), table)?;
    fs::write(at.join("site.pbs"), pbs)?;
    fs::write(at.join("site.json"), serde_json::json!({ "jobs": json }).to_string())?;
    Ok(())
}

/// The rows of a replay's jobs, without columns of names and the run id.
fn frame(at: &Path, log: &str) -> Result<Vec<Vec<String>>, Box<dyn std::error::Error>> {
    const REST: &str = "-m 16x16 -s recorded easy -a hilbert+bf mc1x1 --status all --placements --why \
         --no-timing --format csv";
    // A directory has no ending of a table.
    let out = format!("out-{}", log.replace('.', "-"));
    let ran = run(at, &format!("replay {log} {REST} --time-zone UTC -o {out}"))?;
    assert_eq!(ran.code, Some(0), "{log}: {}", ran.stderr);
    let text = fs::read_to_string(at.join(out).join("jobs.csv"))?;
    let heads = csv_cells(text.lines().next().unwrap_or_default());
    let is_kept = |head: &str| {
        !["run", "log", "user", "group", "account", "queue", "partition", "submit_hour"].contains(&head)
    };
    let kept = |line: &str| -> Vec<String> {
        csv_cells(line)
            .into_iter()
            .zip(&heads)
            .filter(|(_, head)| is_kept(head))
            .map(|(cell, _)| cell)
            .collect()
    };
    Ok(text.lines().map(kept).collect())
}

#[test]
fn five_formats_of_one_month_and_their_conversions_are_one_replay() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    write_logs(at)?;
    let expected = frame(at, "site.sacct")?;
    assert_eq!(expected.len(), 1 + 4 * 300);
    for ending in ["sacct", "csv", "pbs", "json"] {
        let log = format!("site.{ending}");
        assert!(frame(at, &log)? == expected, "{log}");
        let converted = run(at, &format!("trace convert {log} {ending}.swf --time-zone UTC"))?;
        assert_eq!(converted.code, Some(0), "{log}: {}", converted.stderr);
        assert!(frame(at, &format!("{ending}.swf"))? == expected, "the conversion of {log}");
    }
    Ok(())
}
