//! Why jobs waited: `--why` on the command line, in files and in tables.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use super::support::{Tested, bundled, columns, run};

/// The columns of the causes.
const CAUSES: [&str; 6] = [
    "wait_too_large_s",
    "wait_no_room_s",
    "wait_outage_s",
    "wait_reserved_s",
    "wait_no_place_s",
    "wait_free_s",
];

/// Returns the numbers of a column of the jobs in `folder`.
fn numbers(folder: &Path, name: &str) -> Result<Vec<f64>, Box<dyn std::error::Error>> {
    let columns = columns(&folder.join("jobs.csv"))?;
    let column = columns.get(name).ok_or_else(|| format!("no column {name}"))?;
    Ok(column.iter().map(|cell| cell.parse()).collect::<Result<_, _>>()?)
}

/// Replays with `--why`, and checks that the causes of each job add up to its wait, less what `less` has.
fn check_sums(
    at: &Path,
    arguments: &str,
    less: Option<&str>,
) -> Result<Vec<f64>, Box<dyn std::error::Error>> {
    let ran = run(at, &format!("replay {arguments} --why --no-timing -o out --force --format csv -q"))?;
    assert_eq!(ran.code, Some(0), "{arguments}: {}", ran.stderr);
    let out = at.join("out");
    let causes = CAUSES.map(|name| numbers(&out, name));
    let mut sums = vec![0.0; numbers(&out, "wait_s")?.len()];
    let mut totals = Vec::new();
    for cause in causes {
        let cause = cause?;
        totals.push(cause.iter().sum());
        sums.iter_mut().zip(cause).for_each(|(sum, seconds)| *sum += seconds);
    }
    let lost = less.map_or(Ok(vec![0.0; sums.len()]), |name| numbers(&out, name))?;
    for ((wait_s, lost_s), sum) in numbers(&out, "wait_s")?.into_iter().zip(lost).zip(sums) {
        assert!((wait_s - lost_s - sum).abs() < 1e-6, "{arguments}: {wait_s} {lost_s} {sum}");
    }
    Ok(totals)
}

#[test]
fn causes_add_up_to_the_wait_under_every_kind_of_replay() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let model = "synthetic:jobs=3000,ratio=2";
    for scheduler in ["easy", "conservative", "fcfs", "first-fit-queue:order=sjf", "bypass-queue"] {
        let totals = check_sums(at, &format!("{model} -m 8x8 -s {scheduler} -a naive"), None)?;
        let (no_place, free) = (totals[4], totals[5]);
        assert!(no_place == 0.0 && (scheduler != "easy" || free == 0.0), "{scheduler}: {totals:?}");
    }
    let totals = check_sums(at, &format!("{model} -m 8x8 -s easy -a first-fit"), None)?;
    assert!(totals[4] > 0.0 && totals[5] == 0.0, "{totals:?}");
    let log = bundled("lublin-256-10k.swf.gz");
    check_sums(at, &format!("{log} -m 16x16 -s easy -a mc1x1 --estimate predicted:user-last-two"), None)?;
    check_sums(at, &format!("{log} -m 16x16 -s easy -a naive --shake 0.1% --replications 2"), None)?;
    check_sums(at, &format!("{model} -m 8x8 -a naive --outages random:mtbf=2h,repair=1h"), Some("lost_s"))?;
    check_sums(at, &format!("{model} -m 64 -s fcfs -a left-compaction"), None)?;
    Ok(())
}

#[test]
fn inside_a_period_the_means_are_parts_of_the_mean_wait() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let log = bundled("lublin-256-10k.swf.gz");
    let replay = format!("replay {log} -m 16x16 -s easy fcfs -a naive --period 1000000..2000000 --why");
    let ran = run(at, &format!("{replay} --no-timing -q -o out --format csv"))?;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let summary = columns(&at.join("out/summary.csv"))?;
    let number = |name: &str, row: usize| summary[name][row].parse::<f64>();
    for row in 0..2 {
        let mut sum = 0.0;
        for name in CAUSES {
            sum += number(&format!("{name}_mean"), row)?;
        }
        let wait_s = number("wait_s_mean", row)?;
        assert!((sum - wait_s).abs() < 1e-6 * wait_s, "{sum} {wait_s}");
    }
    Ok(())
}

#[test]
fn tables_group_jobs_by_cause_and_studies_have_the_key() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let study = format!(
        "logs = [\"{}\"]\nmachines = [\"16x16\"]\nschedulers = [\"easy\"]\nallocators = [\"naive\"]\nwhy = \
             true\n",
        bundled("lublin-256-10k.swf.gz")
    );
    fs::write(at.join("study.toml"), &study)?;
    let ran = run(at, "sweep study.toml -o out --jobs --no-timing -q")?;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let ran = run(at, "table out --by size --columns jobs,why --format csv")?;
    assert!(ran.stdout.starts_with("size,jobs,wait_too_large_s_mean,wait_no_room_s_mean,"), "{}", ran.stdout);
    fs::write(at.join("wrong.toml"), study.replace("why = true", "why = 3"))?;
    let ran = run(at, "sweep wrong.toml -o other -q")?;
    assert!(ran.stderr.contains("wrong.toml:5: key 'why': expected true or false"), "{}", ran.stderr);
    let ran = run(at, &format!("replay {} -m 4x4 -a naive -o plain -q", bundled("tiny.swf")))?;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let ran = run(at, "table plain --by size --columns why")?;
    assert_eq!(ran.code, Some(1));
    assert!(
        ran.stderr.contains("no column 'wait_too_large_s'; ") && ran.stderr.contains(" again with --why")
    );
    Ok(())
}

#[test]
fn a_schedule_of_easy_is_what_happened_and_differs_by_nothing() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let log = bundled("lublin-256-10k.swf.gz");
    for arguments in [
        format!("replay {log} -m 16x16 -s easy -a naive -o easy -q --no-timing"),
        "export easy --to swf -o easy.swf".to_owned(),
    ] {
        let ran = run(at, &arguments)?;
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    }
    let line = "recorded waits are what happened; compared with them, jobs wait as long under easy";
    let ran = run(at, "replay easy.swf -m 16x16 -s recorded easy -a naive -o out -q --no-timing")?;
    assert!(ran.stdout.contains(line), "{}{}", ran.stdout, ran.stderr);
    // Archive logs have no columns of causes without --why, and saved results have the same line.
    assert!(
        !columns(&at.join("out/summary.csv")).is_ok_and(|summary| summary.contains_key("wait_free_share"))
    );
    let ran = run(at, "report out -o page.html -q")?;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    assert!(fs::read_to_string(at.join("page.html"))?.contains("recorded waits are what happened; "));
    Ok(())
}

/// Of 400 jobs on 8 idle nodes, 60 are held for 300 s by a limit and 20 by a reservation; the reason of 20
/// others is from before they arrived.
#[test]
fn reasons_of_slurm_name_the_seconds_free_to_start() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let mut dump = "JobIDRaw|Submit|Start|End|State|NNodes|TimelimitRaw|Reason|NodeList\n".to_owned();
    let clock = |s: u32| format!("2024-05-06T{:02}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
    for i in 0..400 {
        let (wait_s, reason) = match i % 20 {
            3 | 9 | 15 => (300, "QOSMaxJobsPerUserLimit"),
            5 => (300, "Reservation"),
            7 => (0, "Dependency"),
            8 => (0, "Priority"),
            _ => (0, "None"),
        };
        let submit_s = 100 * i;
        let [submit, start, end] = [0, wait_s, wait_s + 60].map(|after_s| clock(submit_s + after_s));
        let (job, node) = (i + 1, i % 8 + 1);
        writeln!(dump, "{job}|{submit}|{start}|{end}|COMPLETED|1|10|{reason}|n{node}")?;
    }
    fs::write(at.join("held.sacct"), dump)?;
    let rest = "-m auto -s recorded easy -a naive --time-zone UTC --no-timing";
    let told =
        "would have delayed nobody (last reasons in Slurm: QOSMaxJobsPerUserLimit 75 %, Reservation 25 %)";
    for format in ["csv", "parquet", "jsonl"] {
        let ran = run(at, &format!("replay held.sacct {rest} -o {format} --format {format}"))?;
        assert!(ran.code == Some(0), "{}", ran.stderr);
        let page = run(at, &format!("report {format} -q"))?;
        assert_eq!(page.code, Some(0), "{}", page.stderr);
        assert!(fs::read_to_string(at.join(format).join("report.html"))?.contains(told), "{format}");
    }
    let ran = run(at, &format!("replay held.sacct {rest}"))?;
    assert!(ran.stdout.contains(told), "{}", ran.stdout);
    let table =
        run(at, "table csv --by reason --columns jobs,wait_free_s_mean --scheduler recorded --format csv")?;
    let expected = "reason,jobs,wait_free_s_mean\nunknown,300,0\nQOSMaxJobsPerUserLimit,60,300\n\
                    Dependency,20,0\nReservation,20,300\nall,400,60\n";
    assert_eq!(table.stdout, expected, "{}", table.stderr);
    // Without causes, the column of reasons is missing as well.
    let ran = run(at, "replay held.sacct -m auto -a naive --time-zone UTC -q -o plain")?;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let missing = run(at, "table plain --by reason")?;
    assert!(missing.code == Some(1) && missing.stderr.contains("with --why"), "{}", missing.stderr);
    Ok(())
}
