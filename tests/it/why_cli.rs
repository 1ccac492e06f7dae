//! Why jobs waited: `--why` on the command line, in files and in tables.

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
