//! Dates without a time zone are read in the machine's zone. Results contain this zone, so that a rerun on
//! another machine is the same.

use std::fs;
use std::path::Path;

use super::support::{Ran, Tested, contents, run_in_zone};

/// A dump whose jobs end when clocks are put back in Europe, at 01:00 UTC on 27 October 2024.
const DUMP: &str = "JobID|Submit|Start|End|State|NNodes\n\
                    1|2024-10-27T01:00:00|2024-10-27T01:30:00|2024-10-27T03:30:00|COMPLETED|2\n\
                    2|2024-10-27T02:50:00|2024-10-27T02:10:00|2024-10-27T02:20:00|COMPLETED|4\n\
                    3|2024-10-27T12:00:00|2024-10-27T12:00:00|2024-10-27T12:10:00|COMPLETED|1\n";

const SWF: &str = "1 0 0 20 2 -1 -1 2 20 -1 1 3 1 -1 1 -1 -1 -1\n";

fn run(at: &Path, zone: &str, arguments: &str) -> Result<Ran, Box<dyn std::error::Error>> {
    run_in_zone(at, &arguments.split_whitespace().collect::<Vec<_>>(), b"", zone)
}

/// The submit, wait and run times of the dump's jobs after a conversion on a machine in `zone`.
fn times(at: &Path, arguments: &str, zone: &str) -> Result<Vec<[i64; 3]>, Box<dyn std::error::Error>> {
    let ran = run(at, zone, &format!("trace convert dump.sacct - {arguments}"))?;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let lines = ran.stdout.lines().filter(|line| !line.starts_with(';'));
    lines
        .map(|line| {
            let mut fields = line.split(' ').skip(1).map(str::parse);
            let mut next = || fields.next().ok_or("three times")?.map_err(Box::<dyn std::error::Error>::from);
            Ok([next()?, next()?, next()?])
        })
        .collect()
}

#[test]
fn dates_are_read_in_the_zone_of_the_machine_unless_another_is_given() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    fs::write(at.join("dump.sacct"), DUMP)?;
    // In Berlin clocks are put back, so job 1 runs an hour longer. Ambiguous times follow the order of
    // events.
    let berlin = [[0, 1800, 10_800], [6600, 1200, 600], [43_200, 0, 600]];
    // In other zones the second job starts before its submission; it is read as starting at its submission.
    let utc = [[0, 1800, 7200], [4200, 0, 600], [39_600, 0, 600]];
    for (arguments, zone, expected) in [
        ("", "Europe/Berlin", berlin),
        ("", "UTC", utc),
        ("", "Asia/Tokyo", utc),
        ("--time-zone Europe/Berlin", "UTC", berlin),
        ("--time-zone UTC", "Europe/Berlin", utc),
        ("--time-zone +02:00", "Europe/Berlin", utc),
        ("--time-zone -05:00", "Europe/Berlin", utc),
        ("", ":Europe/Berlin", berlin),
        ("", "/usr/share/zoneinfo/Europe/Berlin", berlin),
        ("", "CET-1CEST,M3.5.0,M10.5.0/3", berlin),
        // A POSIX zone without rules uses the daylight saving dates of the United States.
        ("", "CET-1CEST", utc),
        // An unknown zone is read as UTC.
        ("", "Mars/Olympus", utc),
    ] {
        assert_eq!(times(at, arguments, zone)?, expected, "{arguments} in {zone}");
    }
    for (zone, note) in [
        (
            "Europe/Berlin",
            "times without a zone are read as Europe/Berlin, this machine's zone; --time-zone to choose",
        ),
        ("Etc/UTC", "times without a zone are read as UTC, this machine's zone; --time-zone to choose"),
        (
            "Mars/Olympus",
            "times without a zone are read as UTC, as this machine's zone is not known; --time-zone to \
                 choose",
        ),
    ] {
        let ran = run(at, zone, "trace info dump.sacct")?;
        assert!(ran.stdout.contains(note), "{zone}: {}", ran.stdout);
        for command in [
            "replay dump.sacct -m 4x4 -a naive --no-timing",
            "audit dump.sacct -m 8",
            "compare dump.sacct dump.sacct",
            "export dump.sacct --to swf -o -",
            "trace convert dump.sacct -",
        ] {
            let ran = run(at, zone, command)?;
            assert!(ran.stderr.contains(note), "{command} in {zone}: {}", ran.stderr);
        }
    }
    let ran = run(at, "Europe/Berlin", "replay dump.sacct -m 4x4 -a naive --time-zone Asia/Tokyo")?;
    assert!(!ran.stderr.contains("this machine"), "{}", ran.stderr);
    let ran = run(at, "UTC", "trace convert dump.sacct dump.swf")?;
    let early = "dump.sacct: starts before the submission, which count as the submission: 1\n";
    assert!(ran.stderr.contains(early), "{}", ran.stderr);
    Ok(())
}

#[test]
fn results_name_the_zone_and_are_the_same_on_another_machine() -> Tested {
    const REST: &str = "-m 4x4 -s recorded fcfs -a naive hilbert+bf --no-timing";
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    fs::write(at.join("dump.sacct"), DUMP)?;
    fs::write(at.join("other.swf"), SWF)?;
    for (logs, zone, arguments, out) in [
        ("dump.sacct", "Europe/Berlin", "", "a"),
        ("dump.sacct", "America/New_York", "--input-format auto:time-zone=Europe/Berlin", "b"),
        ("dump.sacct", "UTC", "--time-zone Europe/Berlin", "c"),
        // A second log may have no dates.
        ("dump.sacct other.swf", "Europe/Berlin", "", "d"),
        ("dump.sacct other.swf", "America/New_York", "--time-zone Europe/Berlin", "e"),
        ("dump.sacct", "UTC", "", "f"),
    ] {
        let ran = run(at, zone, &format!("replay {logs} {REST} -o {out} {arguments}"))?;
        assert_eq!(ran.code, Some(0), "{out}: {}", ran.stderr);
    }
    let files = |out: &str| contents(&at.join(out));
    let first = files("a")?;
    assert!(first == files("b")? && first == files("c")?, "the same run on three machines");
    assert!(files("d")? == files("e")?, "the same run of two logs on two machines");
    assert!(first != files("f")?);
    let manifest = String::from_utf8(first["run.json"].clone())?;
    assert!(manifest.contains("\"input_format\": \"auto:time-zone=Europe/Berlin\""), "{manifest}");
    Ok(())
}

#[test]
fn a_study_names_the_zone_and_gives_it_to_its_shards() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    fs::write(at.join("dump.sacct"), DUMP)?;
    let study = "logs = [\"dump.sacct\"]\nmachines = [\"4x4\"]\nschedulers = [\"fcfs\"]\nallocators = [\"naive\", \"mc1x1\"]\n";
    fs::write(at.join("study.toml"), study)?;
    let told = format!("{study}input_format = \"auto:time-zone=Europe/Berlin\"\n");
    fs::write(at.join("told.toml"), told)?;
    let ran = run(at, "Europe/Berlin", "sweep study.toml -o out --no-timing --shard 1/2")?;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(ran.stderr.contains("dates without a zone are read as Europe/Berlin"), "{}", ran.stderr);
    // In another zone cells have other keys, so the first shard's cell does not count.
    let ran = run(at, "UTC", "sweep study.toml -o out --no-timing --shard 2/2")?;
    assert!(ran.stderr.contains("1 of the study's 2 are missing yet"), "{}", ran.stderr);
    let ran = run(at, "Europe/Berlin", "sweep study.toml -o out --no-timing --submit slurm --dry-run")?;
    assert!(ran.stdout.contains("\nexport TZ=Europe/Berlin\nexec "), "{}{}", ran.stdout, ran.stderr);
    let ran = run(at, "Europe/Berlin", "sweep study.toml -o out --no-timing --shard 2/2")?;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let ran = run(at, "UTC", "sweep told.toml -o told --no-timing")?;
    assert_eq!((ran.code, ran.stderr.contains("dates without a zone")), (Some(0), false), "{}", ran.stderr);
    let names = |out: &str| -> Result<Vec<String>, Box<dyn std::error::Error>> {
        Ok(contents(&at.join(out).join("cells"))?.into_keys().collect())
    };
    let (out, told) = (names("out")?, names("told")?);
    let shared = told.iter().filter(|name| out.contains(name)).count();
    assert_eq!((out.len(), shared), (told.len() / 2 * 3, told.len()), "the keys are the same");
    Ok(())
}

/// An offset is a zone, too: hours of the week are in local time, for a table and for its conversion.
#[test]
fn hours_of_the_week_are_those_of_an_offset() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let table = "job,submit,start,end,procs\n1,2024-03-04 12:00:00,2024-03-04 12:00:00,2024-03-04 \
         12:30:00,4\n\
                 2,2024-03-04 22:00:00,2024-03-04 22:05:00,2024-03-04 22:30:00,4\n";
    fs::write(at.join("log.csv"), table)?;
    for zone in ["+02:00", "-05:30", "Europe/Berlin"] {
        let ran = run(at, "UTC", &format!("trace convert log.csv log.swf --force --time-zone {zone}"))?;
        assert_eq!(ran.code, Some(0), "{zone}: {}", ran.stderr);
        for log in [format!("log.csv --time-zone {zone}"), "log.swf".to_owned()] {
            let ran =
                run(at, "UTC", &format!("replay {log} -m 8 -s fcfs -a naive --no-timing -o out --force"))?;
            assert_eq!(ran.code, Some(0), "{log}: {}", ran.stderr);
            let ran = run(at, "UTC", "table out --by hour --format csv")?;
            let hours: Vec<&str> = ran.stdout.lines().filter_map(|line| line.split(',').next()).collect();
            assert_eq!(
                hours,
                ["hour", "Mon 12", "Mon 22", "all"],
                "{log} in {zone}: {}{}",
                ran.stdout,
                ran.stderr
            );
        }
    }
    Ok(())
}

#[test]
fn a_city_is_told_its_zone() -> Tested {
    let directory = tempfile::tempdir()?;
    for (city, zone) in
        [("berlin", "Europe/Berlin"), ("New York", "America/New_York"), ("GMT+2", "Europe/Berlin")]
    {
        fs::write(directory.path().join("dump"), DUMP)?;
        let city = city.replace(' ', "_");
        let ran = run(directory.path(), "UTC", &format!("trace info dump --time-zone {city}"))?;
        let told = format!("expected a time zone such as {zone}, UTC or +02:00");
        assert!(ran.code == Some(2) && ran.stderr.contains(&told), "{city}: {}", ran.stderr);
    }
    Ok(())
}
