//! Closing lines, tables of ratios and plots of ratios compare replays over the same jobs and replications.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::support::{Ran, Tested, bold_on_terminal, bundled, columns, run};

/// The bundled log, as an argument.
fn log() -> String {
    bundled("lublin-256-10k.swf.gz")
}

/// Runs a command that has to succeed.
fn ran(directory: &Path, command: &str) -> Result<Ran, Box<dyn std::error::Error>> {
    let ran = run(directory, command)?;
    assert_eq!(ran.code, Some(0), "{command}: {}", ran.stderr);
    Ok(ran)
}

#[test]
fn until_compares_the_seeds_that_all_replays_have() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let replay = "replay synthetic:ratio=1.5,jobs=300 -m 16x16 -s fcfs -a mc1x1 fixed-orientation \
         --no-timing -q --replications until:within=0.15,min=2,max=60 -o out --columns pairwise_sum_mean";
    let told = ran(at, replay)?.stdout;
    let last = told.lines().last().unwrap_or_default();
    assert!(last.starts_with("one submesh per job: fixed-orientation: pairwise sum "), "{told}");
    assert!(last.contains(" less than mc1x1 ("), "{told}");
    // Tables and plots show the same ratio.
    let table = ran(at, "table out --relative-to mc1x1 --format csv")?.stdout;
    let ratio: f64 = table
        .lines()
        .find_map(|line| line.strip_prefix("fixed-orientation,"))
        .and_then(|cell| cell.parse().ok())
        .ok_or_else(|| table.clone())?;
    assert!(ratio < 1.0, "{table}");
    ran(at, "plot out --kind ratio -o plots")?;
    let picture = fs::read_to_string(at.join("plots/ratio.svg"))?;
    assert!(picture.contains(&format!("{ratio:.4}")) || picture.contains(&format!("{ratio:.3}")), "{ratio}");
    Ok(())
}

#[test]
fn the_same_replay_again_says_nothing_about_chance() -> Tested {
    let directory = tempfile::tempdir()?;
    let replay = format!("replay {} -m 16x16 -a mc1x1 hilbert+bf --no-timing -q", log());
    let last = |more: &str| -> Result<String, Box<dyn std::error::Error>> {
        let told = ran(directory.path(), &format!("{replay}{more}"))?.stdout;
        Ok(told.lines().find(|line| line.contains("closest together")).unwrap_or_default().to_owned())
    };
    let (once, twice) = (last("")?, last(" --replications 2")?);
    assert!(once.contains("pairwise sum") && once.contains("95 % CI"), "{once}");
    assert_eq!(once, twice);
    // A third, random allocator does not change the confidence interval of the other two.
    let replay = format!("{replay} --replications 2 -o out").replace("hilbert+bf", "hilbert+bf random");
    let told = ran(directory.path(), &replay)?.stdout;
    let clause = |line: &str| {
        let (_, measures) = line.split_once(": ")?;
        measures.split([';', ',']).next().map(str::to_owned)
    };
    let line = told.lines().rev().nth(1).unwrap_or_default();
    assert!(clause(line).is_some() && clause(line) == clause(&once), "{told}");
    // The table has a confidence interval, too.
    let table = ran(directory.path(), "table out --relative-to hilbert+bf --decimals 3")?.stdout;
    let row = table.lines().find(|line| line.trim_start().starts_with("mc1x1")).unwrap_or_default();
    assert!(row.contains('[') && !row.contains("[1.000, 1.000]"), "{table}");
    Ok(())
}

#[test]
fn means_over_other_jobs_are_not_compared() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let replay = format!(
        "replay {} -m 16x16 -a mc1x1 gabl first-fit --shape row --oversize skip --no-timing -q -o out",
        log()
    );
    let told = ran(at, &replay)?.stdout;
    assert!(
        told.contains("\nleft out: first-fit (replays ") && told.contains(" jobs, not 10,000)\n"),
        "{told}"
    );
    let table = ran(at, "table out --relative-to mc1x1")?.stdout;
    assert!(
        table.contains("some ratios are of means over other jobs, see the column jobs_in_means"),
        "{table}"
    );
    // Two replays with different jobs: nothing to compare, and the note remains.
    let told = ran(at, &replay.replace(" gabl", "").replace(" -o out", ""))?.stdout;
    assert!(
        told.contains("\n\nleft out: first-fit (replays ") && told.ends_with(" jobs, not 10,000)\n"),
        "{told}"
    );
    // On a terminal the best numbers are bold. Without a comparison nothing is bold.
    let command = replay.replace(" gabl", "").replace(" -o out", "");
    let Some(shown) = bold_on_terminal(at, 160, &command.split(' ').collect::<Vec<_>>())? else {
        return Ok(());
    };
    assert_eq!(shown.matches("\x1b[1m").count(), 0, "{shown}");
    Ok(())
}

/// First-fit under EASY starts jobs late, and FCFS later still; means cover the same jobs all the same.
#[test]
fn trimmed_replays_cover_the_same_jobs_and_are_compared() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let replay =
        format!("replay {} -m 16x16 -s easy fcfs -a mc1x1 first-fit --trim 10 --no-timing -q", log());
    let told = ran(at, &replay)?.stdout;
    ran(at, &format!("{replay} -o out --format csv"))?;
    assert!(!told.contains("left out") && told.contains("easy: one submesh per job: first-fit: "), "{told}");
    let summary = columns(&at.join("out/summary.csv"))?;
    let jobs: BTreeSet<&String> = summary["jobs_in_means"].iter().collect();
    assert!(jobs.len() == 1 && summary["jobs_in_means"][0].parse::<u32>()? < 9000, "{jobs:?}");
    // The table and the report compute the same intervals from the jobs.
    let table = ran(at, "table out --columns scheduler --relative-to mc1x1")?.stdout;
    assert!(table.contains("first-fit") && table.contains(" ["), "{table}");
    ran(at, "report out")?;
    let page = fs::read_to_string(at.join("out/report.html"))?;
    let line = told.lines().find(|line| line.starts_with("easy: one submesh")).unwrap_or_default();
    assert!(page.contains(line.split(" (95 %").next().unwrap_or("?")), "{line}");
    Ok(())
}

#[test]
fn ratios_in_an_unfinished_study_are_over_results_that_both_sides_have() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let study = format!(
        "logs = [\"{}\"]\nmachines = [\"16x16\"]\nschedulers = [\"fcfs\", \"easy\"]\nallocators = \
         [\"mc1x1\", \"hilbert+bf\"]\n\
         arrival_scales = [1.0, 0.8]\n",
        log()
    );
    fs::write(at.join("study.toml"), study)?;
    for shard in 1..=3 {
        ran(at, &format!("sweep study.toml -o part{shard} --shard {shard}/3 --no-timing -q"))?;
    }
    let mut compared = BTreeSet::new();
    for parts in ["part1", "part2", "part3", "part1 part2", "part2 part3", "part1 part3"] {
        let out = parts.replace(' ', "_");
        ran(at, &format!("merge {parts} -o {out} --partial -q"))?;
        let table = |options: &str| -> Result<String, Box<dyn std::error::Error>> {
            Ok(ran(at, &format!("table {out} --value wait_s_mean --format csv {options}"))?.stdout)
        };
        let cells = table("--columns scheduler,arrival_scale")?;
        let row = |allocator: &str| -> Vec<&str> {
            let row = cells.lines().find_map(|line| line.strip_prefix(allocator));
            row.map(|cells| cells.split(',').skip(1).collect()).unwrap_or_default()
        };
        let (mc1x1, curve) = (row("mc1x1"), row("hilbert+bf"));
        // A column of means has a best number only if both means are over the same results.
        let told =
            ran(at, &format!("table {out} --value pairwise_sum_mean --columns log --format markdown"))?
                .stdout;
        let has_same =
            mc1x1.len() == curve.len() && mc1x1.iter().zip(&curve).all(|(a, b)| a.is_empty() == b.is_empty());
        if !mc1x1.is_empty() && !curve.is_empty() {
            assert_eq!(told.contains("**"), has_same, "{out}: {told}{cells}");
            assert_eq!(told.contains("means over different results are not compared"), !has_same, "{told}");
        }
        if mc1x1.is_empty() || curve.is_empty() {
            continue;
        }
        let has_both = mc1x1.iter().zip(&curve).any(|(a, b)| !a.is_empty() && !b.is_empty());
        // The two allocators give the same start times, so the ratio is 1.
        let ratios = table("--columns log --relative-to mc1x1")?;
        let ratio = ratios.lines().find_map(|line| line.strip_prefix("hilbert+bf,")).unwrap_or("no row");
        assert_eq!(ratio, if has_both { "1" } else { "" }, "{out}: {ratios}{cells}");
        compared.insert(has_both);
    }
    assert_eq!(compared.len(), 2, "some parts have replays of both allocators, and some have not");
    Ok(())
}

#[test]
fn an_exported_schedule_equals_its_own_where_blocks_are_whole() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let replay = format!("replay {} -m 16x16 -a first-fit -s fcfs --placements --no-timing -q -o out", log());
    ran(at, &replay)?;
    ran(at, "export out --to swf -o out.swf")?;
    let told = ran(at, "compare out out.swf")?.stdout;
    assert!(told.contains(" are equal: 10,000 jobs"), "{told}");
    Ok(())
}

#[test]
fn jobs_that_ask_for_different_numbers_are_not_the_same_though_they_hold_as_many_nodes() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    for procs in [3, 4] {
        let log = format!(
            "; MaxProcs: 16\n1 0 -1 10 {procs} -1 -1 {procs} 10 -1 1 1 1 1 1 1 -1 -1\n\
             2 5 -1 10 2 -1 -1 2 10 -1 1 1 1 1 1 1 -1 -1\n"
        );
        fs::write(at.join(format!("{procs}.swf")), log)?;
        let replay = format!("replay {procs}.swf -m 4x4 -s fcfs -a buddy-2d --no-timing -q -o by{procs}");
        // The buddy system also gives a block of 4 nodes to a job of 3 processors.
        assert!(ran(at, &replay)?.stdout.contains("buddy-2d"));
    }
    let refused = run(at, "compare by3 by4")?;
    let problem = "by3 and by4: job 1 asks for 3 processors at 0 s and for 4 processors at 0 s; compare \
         schedules of the same jobs\n";
    assert_eq!(refused.code, Some(2), "{}", refused.stdout);
    assert!(refused.stderr.ends_with(problem), "{}", refused.stderr);
    Ok(())
}

#[test]
fn a_chosen_number_of_jobs_stands_once_in_the_table() -> Tested {
    let directory = tempfile::tempdir()?;
    let short = bundled("tiny.swf");
    let told = ran(
        directory.path(),
        &format!("replay {short} {} -m 16x16 -a naive -q --columns wait_s_mean,jobs", log()),
    )?;
    let heading = told.stdout.lines().find(|line| line.contains("allocator")).unwrap_or_default();
    assert!(heading.ends_with(" jobs") && heading.matches("jobs").count() == 1, "{}", told.stdout);
    Ok(())
}

#[test]
fn a_missing_replay_is_told_with_its_rules_where_a_study_has_several() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let study = |rules: &str| {
        format!(
            "logs = [\"{}\"]\nrules = [{rules}]\nmachines = [\"16x16\"]\nallocators = [\"naive\", \"mbs\"]\n",
            log()
        )
    };
    for (name, rules, tells) in [("one", "\"authors\"", false), ("two", "\"authors\", \"requested\"", true)] {
        fs::write(at.join(format!("{name}.toml")), study(rules))?;
        ran(at, &format!("sweep {name}.toml -o {name} --shard 1/2 --no-timing -q"))?;
        let told = run(at, &format!("merge {name} -o {name}_merged -q"))?;
        assert_eq!(told.code, Some(1), "{}", told.stderr);
        assert!(told.stderr.contains("missing: replay "), "{}", told.stderr);
        assert_eq!(told.stderr.contains(", rules "), tells, "{}", told.stderr);
    }
    Ok(())
}
