//! `meshreplay table --by`: groups of jobs. The numbers of the groups add up to the numbers of the summary.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::support::{Tested, bundled, columns, csv_cells, on_terminal, run, shared};

/// Every way to group jobs.
const GROUPINGS: [&str; 7] = ["user", "account", "partition", "queue", "status", "size", "hour"];

/// Returns a log of 200 jobs with several users, accounts, queues, sizes and statuses, over three weeks.
fn log(header: &str) -> String {
    let job = |i: i64| {
        let (procs, run_s) = (1 + i * 7 % 16, 60 + i * 3571 % 9000);
        let (user, account, queue, partition) = (i * i % 7, i % 3, i % 2, [1, 2, -1][(i / 2 % 3) as usize]);
        let status = [1, 0, 5, 1][(i % 4) as usize];
        format!(
            "{i} {} 5 {run_s} {procs} -1 -1 {procs} {} -1 {status} {user} {account} -1 {queue} {partition} \
                 -1 -1\n",
            i * 9000,
            run_s * 2
        )
    };
    header.to_owned() + &(1..=200).map(job).collect::<String>()
}

const HEADER: &str = "; MaxProcs: 16\n; UnixStartTime: 843480031\n; TimeZoneString: Europe/Stockholm\n; \
     Queue: 0 interactive\n";

fn succeed(at: &Path, arguments: &str) -> Result<(String, String), Box<dyn std::error::Error>> {
    let ran = run(at, arguments)?;
    assert_eq!(ran.code, Some(0), "{arguments}: {}", ran.stderr);
    Ok((ran.stdout, ran.stderr))
}

/// Returns the rows of a table in CSV as maps from titles to cells.
fn rows(text: &str) -> Vec<BTreeMap<String, String>> {
    let mut lines = text.lines().map(csv_cells);
    let titles = lines.next().unwrap_or_default();
    lines.map(|cells| titles.iter().cloned().zip(cells).collect()).collect()
}

fn number(row: &BTreeMap<String, String>, name: &str) -> f64 {
    row.get(name).and_then(|text| text.parse().ok()).unwrap_or(f64::NAN)
}

/// Checks, for every grouping of the results in `out`, that the groups of each replay add up to its row
/// `all`, and that this row equals the summary.
fn check_sums(at: &Path, allocators: &[&str]) -> Tested {
    let summary = columns(&at.join("out/summary.csv"))?;
    for by in GROUPINGS {
        for top in ["", " --top 2"] {
            let (text, _) = succeed(at, &format!("table out --by {by}{top} --format csv"))?;
            let rows = rows(&text);
            for (replay, allocator) in allocators.iter().enumerate() {
                let mine = |row: &&BTreeMap<String, String>| {
                    allocators.len() == 1 || row["allocator"].starts_with(allocator)
                };
                let (whole, groups): (Vec<_>, Vec<_>) =
                    rows.iter().filter(mine).partition(|row| row[by] == "all");
                let [whole] = whole.as_slice() else { return Err(format!("{by}: {text}").into()) };
                assert!(top.is_empty() || groups.len() <= 3, "{by}: {text}");
                for count in ["jobs", "jobs_in_means", "node_hours"] {
                    let sum: f64 = groups.iter().map(|row| number(row, count)).sum();
                    assert!((sum - number(whole, count)).abs() < 1e-6, "{by} {count}: {text}");
                }
                for mean in ["wait_s_mean", "bounded_slowdown_mean", "pairwise_mean_mean"] {
                    let counted = groups.iter().filter(|row| number(row, "jobs_in_means") > 0.0);
                    let sum: f64 = counted.map(|row| number(row, mean) * number(row, "jobs_in_means")).sum();
                    let expected: f64 = summary[mean][replay].parse()?;
                    assert!(
                        (number(whole, mean) - expected).abs() <= 1e-12 * expected,
                        "{by} {mean}: {text}"
                    );
                    let weighted = sum / number(whole, "jobs_in_means");
                    assert!((weighted - expected).abs() < 1e-9 * expected.max(1.0), "{by} {mean}: {text}");
                }
                assert_eq!(whole["jobs"], summary["jobs"][replay], "{by}");
                assert_eq!(whole["jobs_in_means"], summary["jobs_in_means"][replay], "{by}");
            }
        }
    }
    Ok(())
}

#[test]
fn the_groups_of_every_kind_sum_up_to_the_summary() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    fs::write(at.join("log.swf"), log(HEADER))?;
    for options in ["", " --trim 10", " -s fcfs --arrival-scale 0.5"] {
        succeed(
            at,
            &format!("replay log.swf -m 4x4 -a naive mc1x1{options} --force -o out --format csv -q"),
        )?;
        check_sums(at, &["naive", "mc1x1"])?;
    }
    Ok(())
}

#[test]
fn all_jobs_in_a_period_have_the_waits_of_the_summary() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    fs::write(at.join("log.swf"), log(HEADER))?;
    for options in ["", " --trim 5"] {
        let period = "--period 300000..1300000 -s fcfs --arrival-scale 0.4";
        succeed(
            at,
            &format!("replay log.swf -m 4x4 -a naive {period}{options} --force -o out --format csv -q"),
        )?;
        let summary = columns(&at.join("out/summary.csv"))?;
        let (text, _) = succeed(at, "table out --by user --format csv")?;
        let whole = rows(&text).into_iter().find(|row| row["user"] == "all").ok_or("no row of all jobs")?;
        for name in ["wait_s_mean", "wait_s_median"] {
            let expected: f64 = summary[name][0].parse()?;
            assert!(expected > 1000.0, "{name}: {expected}");
            assert!((number(&whole, name) - expected).abs() < 1e-9 * expected, "{name} {expected}: {text}");
        }
    }
    Ok(())
}

#[test]
fn real_logs_sum_up_too() -> Tested {
    let Some(kth) = shared("traces/KTH-SP2-1996-2.1-cln.swf.gz") else {
        println!("skipped: no KTH log in ../shared/traces");
        return Ok(());
    };
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    succeed(at, &format!("replay {} -m auto -a naive -o out --format csv -q", kth.display()))?;
    check_sums(at, &["naive"])?;
    let (text, notes) = succeed(at, "table out --by hour --format csv")?;
    assert_eq!((rows(&text).len(), notes.as_str()), (169, ""), "24 hours of 7 days and all");
    // The log begins on Mon Sep 23 14:00:31 CEST 1996, and its first job came 166 h 37 min later.
    let jobs = columns(&at.join("out/jobs.csv"))?;
    assert_eq!(jobs["submit_hour"][0], "12");
    Ok(())
}

#[test]
fn tables_of_groups_can_be_read() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    fs::write(at.join("log.swf"), log(HEADER))?;
    succeed(at, "replay log.swf -m 4x4 -a naive -o out --no-timing -q")?;
    let (text, _) = succeed(at, "table out --by size")?;
    let labels: Vec<&str> = text.lines().skip(3).filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(labels, ["1", "2", "3–4", "5–8", "9–16", "all"], "{text}");
    assert!(text.starts_with(" jobs by size\n\n size  jobs  node-hours  wait (s)"), "{text}");
    let (text, _) = succeed(at, "table out --by queue")?;
    assert!(text.contains(" interactive ") && text.contains("\n 1 "), "{text}");
    let (text, _) = succeed(at, "table out --by status --format markdown")?;
    assert!(text.contains("| 5 (cancelled) |") && text.contains("| 1 (completed) |"), "{text}");
    let (text, _) = succeed(at, "table out --by user --top 1 --format latex")?;
    assert!(text.contains("others &") && text.contains("\\toprule"), "{text}");
    let (text, _) = succeed(at, "table out --by partition --format json")?;
    let found: Vec<BTreeMap<String, serde_json::Value>> = serde_json::from_str(&text)?;
    assert_eq!(found.len(), 4, "{text}");
    assert!(
        found.iter().any(|row| row["partition"] == "unknown" && row["jobs"].as_u64() > Some(10)),
        "{text}"
    );
    let (text, _) = succeed(at, "table out --by hour")?;
    assert!(text.lines().nth(3).is_some_and(|line| line.starts_with(" Mon 00 ")), "{text}");
    // Sorted by node-hours, largest first. The median is over the jobs of the group.
    let (text, _) = succeed(at, "table out --by user --format csv")?;
    let hours: Vec<f64> = rows(&text).iter().map(|row| number(row, "node_hours")).collect();
    assert!(hours[..hours.len() - 1].is_sorted_by(|a, b| a >= b), "{text}");
    let (text, _) = succeed(at, "table out --columns machine --value wait_s_mean --format json")?;
    assert!(text.starts_with("[\n  {\"allocator\":\"naive\",\"4x4\":"), "{text}");
    Ok(())
}

#[test]
fn sweeps_and_replications_have_a_row_for_each_replay() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let study = format!(
        "logs = ['{}']\nmachines = ['4x4', '2x8']\nallocators = ['random']\nreplications = 2\n",
        bundled("tiny.swf")
    );
    fs::write(at.join("s.toml"), study)?;
    succeed(at, "sweep s.toml -o out --jobs --no-timing -q")?;
    let (text, notes) = succeed(at, "table out --by user --format csv")?;
    assert!(
        text.starts_with("user,machine,seed,jobs,jobs_in_means,node_hours,wait_s_mean,wait_s_median,"),
        "{text}"
    );
    assert_eq!(rows(&text).iter().filter(|row| row["user"] == "all").count(), 4, "{text}");
    assert_eq!(notes, "");
    let (_, notes) = succeed(at, "table out --by hour --format csv")?;
    assert!(notes.contains("note: 'hour' counts the hours since the log's start"), "{notes}");
    Ok(())
}

#[test]
fn users_of_several_logs_are_said_to_be_others() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    fs::write(at.join("a.swf"), log(HEADER))?;
    fs::write(at.join("b.swf"), log(HEADER))?;
    succeed(at, "replay a.swf b.swf -m 4x4 -a naive -o out --no-timing -q")?;
    let note = "note: user '";
    let (_, notes) = succeed(at, "table out --by user --format csv")?;
    assert!(notes.starts_with(note) && notes.contains("of one log need not be user"), "{notes}");
    let (text, _) = succeed(at, "table out --by queue")?;
    assert!(text.contains("of one log need not be queue"), "{text}");
    // Sizes and statuses are comparable between logs.
    for by in ["size", "status"] {
        let (_, notes) = succeed(at, &format!("table out --by {by} --format csv"))?;
        assert_eq!(notes, "");
    }
    succeed(at, "replay a.swf -m 4x4 -a naive random -o one --no-timing -q")?;
    let (_, notes) = succeed(at, "table one --by user --format csv")?;
    assert_eq!(notes, "");
    Ok(())
}

#[test]
fn what_cannot_be_grouped_is_said() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    succeed(
        at,
        &format!("replay {} -m 4x4 -a naive -o out --format csv --no-timing -q", bundled("tiny.swf")),
    )?;
    fs::write(
        at.join("s.toml"),
        format!("logs = ['{}']\nmachines = ['4x4']\nallocators = ['naive']\n", bundled("tiny.swf")),
    )?;
    succeed(at, "sweep s.toml -o swept --no-timing -q")?;
    fs::create_dir(at.join("old"))?;
    let jobs = fs::read_to_string(at.join("out/jobs.csv"))?;
    fs::write(at.join("old/jobs.csv"), jobs.replacen(",user,", ",wretch,", 1))?;
    for file in ["summary.csv", "run.json"] {
        fs::copy(at.join("out").join(file), at.join("old").join(file))?;
    }
    for (arguments, code, message) in [
        (
            "table out --by users",
            2,
            "[possible values: user, account, partition, queue, status, reason, size, hour]",
        ),
        ("table out --top 3", 2, "--by"),
        ("table out --by user --top 0", 2, "expected a whole number from 1\n"),
        ("table out --by user --value wait_s_mean", 2, "cannot be used with"),
        (
            "table swept --by user",
            1,
            "swept holds no jobs, which --by groups; `replay -o` and `sweep --jobs` keep them",
        ),
        ("table old --by user", 1, "jobs.csv: the jobs have no column 'user'; this version"),
        ("table nowhere --by user", 1, "nowhere"),
    ] {
        let ran = run(at, arguments)?;
        assert!(ran.stderr.contains(message), "{arguments}: {}", ran.stderr);
        assert_eq!(ran.code, Some(code), "{arguments}: {}", ran.stderr);
    }
    Ok(())
}

#[test]
fn groups_are_sorted_by_a_number_and_the_rest_stays_last() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    fs::write(at.join("log.swf"), log(HEADER))?;
    succeed(at, "replay log.swf -m 4x4 -a naive mc1x1 -o out --no-timing -q")?;
    let by_user = |more: &str| -> Result<Vec<BTreeMap<String, String>>, Box<dyn std::error::Error>> {
        let (text, _) = succeed(at, &format!("table out --by user --format csv{more}"))?;
        Ok(rows(&text))
    };
    let usual = by_user("")?;
    for (column, sign) in [("wait_s_mean", 1.0), ("jobs", -1.0), ("pairwise_mean_mean", 1.0)] {
        let sorted = by_user(&format!(" --sort {column}"))?;
        // The same rows; each group stays together, in the order of the replays.
        let [mut a, mut b] = [usual.clone(), sorted.clone()];
        a.sort();
        b.sort();
        assert!(a == b && sorted.iter().step_by(2).all(|row| row["allocator"] == "naive"), "{sorted:?}");
        let pairs: Vec<f64> =
            sorted.chunks(2).map(|pair| pair.iter().map(|row| number(row, column)).sum()).collect();
        assert!(
            pairs[..pairs.len() - 1].is_sorted_by(|a, b| sign * a <= sign * b + 1e-9),
            "{column}: {pairs:?}"
        );
        assert!(sorted[sorted.len() - 2..].iter().all(|row| row["user"] == "all"), "{sorted:?}");
    }
    let some = by_user(" --sort wait_s_mean --top 2")?;
    assert_eq!(some[4]["user"], "2 others", "{some:?}");
    // `--columns` selects and orders the columns.
    let (text, _) = succeed(at, "table out --by user --columns wait_s_median,jobs --format csv")?;
    assert!(text.starts_with("user,allocator,wait_s_median,jobs\n"), "{text}");
    for (arguments, said) in [
        ("table out --by user --sort wait_mean", "did you mean 'wait_s_mean'?"),
        ("table out --by user --columns allocator", "--columns: unknown column 'allocator'"),
        ("table out --sort jobs", "--sort needs --by"),
    ] {
        let ran = run(at, arguments)?;
        assert!(ran.code == Some(2) && ran.stderr.contains(said), "{arguments}: {}", ran.stderr);
    }
    Ok(())
}

#[test]
fn groups_fit_the_terminal_and_keep_the_column_in_which_replays_differ() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    fs::write(at.join("log.swf"), log(HEADER))?;
    succeed(at, "replay log.swf -m 4x4 -a naive mc1x1 -o out --no-timing -q")?;
    let (whole, _) = succeed(at, "table out --by user")?;
    let (markdown, _) = succeed(at, "table out --by user --format markdown")?;
    let titles = ["node-hours", "median (s)", "bounded slowdown", "pairwise mean (hops)"];
    assert!(
        titles.iter().all(|title| whole.contains(title) && markdown.contains(title)),
        "{whole}{markdown}"
    );
    // The best number of each group is bold, in Markdown and on a terminal.
    let bold = markdown.lines().filter(|line| line.contains("**")).count();
    assert!(bold > 0 && markdown.lines().all(|line| line.matches("**").count() <= 2), "{markdown}");
    for width in [80, 60] {
        let arguments = ["table", "out", "--by", "user"];
        let Some(narrow) = on_terminal(at, width, &arguments)? else { return Ok(()) };
        assert!(narrow.lines().all(|line| line.chars().count() <= width), "{width}: {narrow}");
        let title = narrow.lines().nth(2).unwrap_or_default();
        assert!(title.ends_with("pairwise mean (hops)") && !title.contains("median"), "{narrow}");
        assert!(narrow.contains("\n no room for: ") && narrow.contains("median (s)"), "{narrow}");
        // Columns that fit have the same cells as in the whole table.
        let last = |text: &str| -> Vec<String> {
            let cells = text.lines().skip(3).take_while(|line| !line.is_empty());
            cells.filter_map(|line| line.split_whitespace().last()).map(str::to_owned).collect()
        };
        assert_eq!(last(&narrow), last(&whole));
    }
    Ok(())
}
