//! Directories of results: their owner, refusal to mix results of several runs, and notes on missing replays.

use std::error::Error;
use std::fs;
use std::path::Path;

use super::support::{Ran, Tested, bundled, columns, contents, run};

/// A study of two allocators on one log.
const STUDY: &str =
    "name = 'two'\nlogs = ['tiny.swf']\nmachines = ['4x4']\nallocators = ['random', 'gabl']\n";
const REPLAY: &str = "replay tiny.swf -m 4x4 -a naive mc1x1 --no-timing -q";
const SWEEP: &str = "sweep two.toml --no-timing -q";

/// A directory with a log and a study of it.
fn site() -> Result<tempfile::TempDir, Box<dyn Error>> {
    let directory = tempfile::tempdir()?;
    fs::copy(bundled("tiny.swf"), directory.path().join("tiny.swf"))?;
    fs::write(directory.path().join("two.toml"), STUDY)?;
    Ok(directory)
}

fn fine(at: &Path, arguments: &str) -> Result<Ran, Box<dyn Error>> {
    let ran = run(at, arguments)?;
    assert_eq!(ran.code, Some(0), "{arguments}: {}", ran.stderr);
    Ok(ran)
}

/// Runs a command that must fail, with code 2 if 1 would be a finding, and leave the directory `out`
/// unchanged. Returns standard error.
fn refused(at: &Path, out: &str, arguments: &str) -> Result<String, Box<dyn Error>> {
    let before = contents(&at.join(out))?;
    let ran = run(at, arguments)?;
    let code = if arguments.starts_with("audit") || arguments.starts_with("compare") { 2 } else { 1 };
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(code), ""), "{arguments}: {}", ran.stderr);
    assert!(contents(&at.join(out))? == before, "{arguments} has changed {out}");
    Ok(ran.stderr)
}

#[test]
fn a_study_does_not_go_where_a_replay_is() -> Tested {
    let directory = site()?;
    let at = directory.path();
    fine(at, &format!("{SWEEP} -o study"))?;
    for format in ["table", "csv"] {
        fine(at, &format!("{REPLAY} --force --format {format} -o out"))?;
        for arguments in [
            format!("{SWEEP} -o out"),
            format!("{SWEEP} -o out --shard 1/2"),
            "merge study -o out -q".to_owned(),
        ] {
            let said = refused(at, "out", &arguments)?;
            let end =
                " is not of the study 'two'; give another directory, or remove the results that are there\n";
            assert!(said.starts_with("error: out/jobs.") && said.ends_with(end), "{arguments}: {said}");
        }
    }
    // A study's directory with files of a replay is refused, too.
    fs::copy(at.join("out/jobs.csv"), at.join("study/jobs.csv"))?;
    assert!(
        refused(at, "study", &format!("{SWEEP} -o study"))?.starts_with("error: study/jobs.csv is not of")
    );
    fs::remove_file(at.join("study/jobs.csv"))?;
    fine(at, &format!("{SWEEP} -o study"))?;
    Ok(())
}

#[test]
fn a_replay_does_not_go_where_a_study_is() -> Tested {
    let directory = site()?;
    let at = directory.path();
    fine(at, &format!("{SWEEP} -o study"))?;
    for force in ["", " --force"] {
        let said = refused(at, "study", &format!("{REPLAY} -o study{force}"))?;
        let expected =
            "error: study/study.json is of a study, which is not replaced; give another directory with -o\n";
        assert_eq!(said, expected);
    }
    Ok(())
}

#[test]
fn files_of_several_runs_are_refused() -> Tested {
    let directory = site()?;
    let at = directory.path();
    for (format, end) in
        [("table", "parquet"), ("arrow", "arrow"), ("csv", "csv"), ("json", "json"), ("jsonl", "jsonl")]
    {
        fine(at, &format!("{REPLAY} --placements --format {format} -o {end}"))?;
        fine(at, &format!("{REPLAY} --placements --format {format} -o other-{end} --seed 2"))?;
        fine(at, &format!("table {end}"))?;
        fine(at, &format!("audit {end} --replay 0"))?;
        for stem in ["jobs", "summary"] {
            let mixed = format!("mixed-{end}-{stem}");
            fs::create_dir(at.join(&mixed))?;
            for file in [format!("jobs.{end}"), format!("summary.{end}"), "run.json".to_owned()] {
                let from = if file.starts_with(stem) { format!("other-{end}") } else { end.to_owned() };
                fs::copy(at.join(from).join(&file), at.join(&mixed).join(&file))?;
            }
            for command in [
                format!("table {mixed}"),
                format!("plot {mixed} --kind waits"),
                format!("report {mixed}"),
                format!("audit {mixed} --replay 0"),
                format!("export {mixed} --replay 0 --to swf -o a.swf"),
                format!("compare {end} {mixed} --replay 0"),
            ] {
                let said = refused(at, &mixed, &command)?;
                let expected =
                    format!("error: {mixed}/{stem}.{end} is of another run than {mixed}/run.json; remove");
                assert!(said.starts_with(&expected), "{command}: {said}");
            }
            // The mix is found even without run.json.
            fs::remove_file(at.join(&mixed).join("run.json"))?;
            let said = refused(at, &mixed, &format!("table {mixed}"))?;
            let expected =
                format!("error: {mixed}/summary.{end} is of another run than {mixed}/jobs.{end}; ");
            assert!(said.starts_with(&expected), "{said}");
        }
    }
    Ok(())
}

#[test]
fn a_study_and_a_replay_in_one_directory_are_refused() -> Tested {
    let directory = site()?;
    let at = directory.path();
    fine(at, &format!("{SWEEP} -o study"))?;
    fine(at, &format!("{REPLAY} -o out"))?;
    fine(at, &format!("{} -o timed -q", SWEEP.replace(" --no-timing -q", "")))?;
    // A summary of the same study with other options.
    fs::copy(at.join("timed/summary.parquet"), at.join("study/summary.parquet"))?;
    let said = refused(at, "study", "table study")?;
    // The Parquet file is found before the CSV file.
    assert!(
        said.starts_with("error: study/summary.parquet is of another run than study/study.json; finish "),
        "{said}"
    );
    fs::copy(at.join("out/summary.parquet"), at.join("study/summary.parquet"))?;
    fs::copy(at.join("out/run.json"), at.join("study/run.json"))?;
    let said = refused(at, "study", "table study")?;
    assert!(
        said.starts_with("error: study/run.json is of a replay and study/study.json of a study; "),
        "{said}"
    );
    Ok(())
}

#[test]
fn replays_that_are_missing_are_named() -> Tested {
    let directory = site()?;
    let at = directory.path();
    fine(at, &format!("{REPLAY} --format csv -o out"))?;
    // Remove a replay from the files, as after an interrupted rerun.
    for file in ["jobs.csv", "summary.csv"] {
        let text = fs::read_to_string(at.join("out").join(file))?;
        let kept: Vec<&str> = text.lines().filter(|line| !line.starts_with("1,")).collect();
        fs::write(at.join("out").join(file), kept.join("\n") + "\n")?;
    }
    let note = "note: out/summary.csv holds 1 of the 2 replays that out/run.json lists; missing: 1 (mc1x1)\n";
    assert_eq!(fine(at, "table out")?.stderr, note);
    assert!(fine(at, "plot out --kind utilization")?.stderr.starts_with(note));
    assert!(fine(at, "report out")?.stderr.starts_with(note));
    let html = fs::read_to_string(at.join("out/report.html"))?;
    assert!(html.contains("out/summary.csv holds 1 of the 2 replays that out/run.json lists"));
    let said = refused(at, "out", "audit out --replay 1")?;
    assert!(said.contains("has no jobs of that replay and seed; it has 0 (naive), seed 1"), "{said}");

    fine(at, &format!("{SWEEP} -o study --shard 1/2"))?;
    fine(at, "merge study -o study --partial -q")?;
    let note = "note: study/summary.parquet holds 1 of the 2 replays that study/study.json lists; missing: 0 \
         (random";
    assert!(fine(at, "table study")?.stderr.starts_with(note));
    fine(at, &format!("{SWEEP} -o study"))?;
    assert_eq!(fine(at, "table study")?.stderr, "");
    // A study with more cells continues in the same directory.
    fs::write(at.join("two.toml"), STUDY.replace("'random'", "'naive', 'random'"))?;
    fine(at, &format!("{SWEEP} -o study --shard 2/3"))?;
    let note = "note: study/summary.parquet holds 2 of the 3 replays that study/study.json lists; missing: 0 \
         (naive)\n";
    assert_eq!(fine(at, "table study")?.stderr, note);
    // A study with fewer cells has an outdated summary until the next sweep.
    fs::write(at.join("two.toml"), STUDY.replace("'random', ", ""))?;
    fine(at, &format!("{SWEEP} -o study --dry-run"))?;
    assert_eq!(fine(at, "table study")?.stderr, note);
    fine(at, &format!("{SWEEP} -o study"))?;
    assert_eq!(fine(at, "table study")?.stderr, "");
    Ok(())
}

#[test]
fn jobs_that_are_missing_are_named() -> Tested {
    let directory = site()?;
    let at = directory.path();
    fine(at, &format!("{REPLAY} --format csv -o out"))?;
    let text = fs::read_to_string(at.join("out/jobs.csv"))?;
    let kept: Vec<&str> = text.lines().filter(|line| !line.starts_with("0,")).collect();
    fs::write(at.join("out/jobs.csv"), kept.join("\n") + "\n")?;
    let note = "note: out/jobs.csv holds 1 of the 2 replays that out/run.json lists; missing: 0 (naive)\n";
    assert_eq!(fine(at, "plot out --kind waits")?.stderr, note);
    fine(at, &format!("{SWEEP} -o study --shard 1/2 --jobs"))?;
    fine(at, &format!("{SWEEP} -o study"))?;
    let note = "note: study/cells holds 1 of the 2 replays that study/study.json lists; missing: 0 (random";
    assert!(fine(at, "plot study --kind waits")?.stderr.starts_with(note));
    Ok(())
}

#[test]
fn a_finished_study_misses_jobs_that_are_gone() -> Tested {
    let directory = site()?;
    let at = directory.path();
    fine(at, &format!("{SWEEP} -o study --jobs --placements"))?;
    fine(at, "sweep --status study")?;
    for entry in fs::read_dir(at.join("study/cells"))? {
        let path = entry?.path();
        if path.to_string_lossy().ends_with(".jobs.parquet") {
            fs::remove_file(path)?;
        }
    }
    let ran = run(at, "sweep --status study")?;
    assert_eq!(ran.code, Some(1), "{}", ran.stdout);
    let advice = ran.stdout.lines().find(|line| line.starts_with("to finish: ")).unwrap_or_default();
    assert!(advice.contains(" --jobs") && advice.contains(" --placements"), "{}", ran.stdout);
    Ok(())
}

#[test]
fn jobs_of_a_study_lead_where_those_of_a_replay_do() -> Tested {
    let directory = site()?;
    let at = directory.path();
    fine(at, &format!("{SWEEP} -o study --jobs --placements"))?;
    fine(at, "replay tiny.swf -m 4x4 -a random gabl --placements --no-timing -q -o out")?;
    fine(at, "plot study -q -o plots")?;
    fine(at, "plot out -q -o expected")?;
    for kind in ["waits", "busy", "nodes", "gantt"] {
        let name = format!("{kind}.svg");
        let [study, replay] = ["plots", "expected"].map(|folder| fs::read(at.join(folder).join(&name)));
        assert!(study? == replay?, "{kind}");
    }
    for folder in ["study", "out"] {
        fine(at, &format!("plot {folder} --kind gantt --replay 1 -o gantt-{folder}"))?;
        let svg = fs::read_to_string(at.join(format!("gantt-{folder}/gantt.svg")))?;
        assert!(svg.contains("gabl"), "{svg}");
        let wrong = run(at, &format!("plot {folder} --kind gantt --replay 2 -o wrong"))?;
        assert_eq!(wrong.code, Some(2));
        assert!(wrong.stderr.contains("--replay 2 is not among the results, whose replays are 0 to 1"));
        for replay in ["0", "1"] {
            assert!(
                fine(at, &format!("audit {folder} --replay {replay}"))?
                    .stdout
                    .contains("nodes: followed of 9")
            );
            let export = format!("export {folder} --replay {replay} --to");
            fine(at, &format!("{export} evalys -o {folder}-{replay}.csv"))?;
            fine(at, &format!("{export} swf -o {folder}-{replay}.swf"))?;
        }
        let said = refused(at, folder, &format!("audit {folder}"))?;
        assert!(said.contains(" holds 2 schedules; choose one by --replay and --seed: 0 (random"), "{said}");
    }
    for name in ["0.csv", "1.csv", "0.swf", "1.swf"] {
        let [study, replay] = ["study", "out"].map(|from| fs::read(at.join(format!("{from}-{name}"))));
        assert!(study? == replay?, "{name}");
    }
    assert!(fine(at, "compare study out --replay 1")?.stdout.ends_with(" are equal: 10 jobs\n"));
    fine(at, "report study -o study.html")?;
    assert!(fs::read_to_string(at.join("study.html"))?.contains("of the replays; each job keeps its colour"));
    Ok(())
}

#[test]
fn means_over_no_jobs_are_nothing() -> Tested {
    let directory = site()?;
    let at = directory.path();
    let ran = run(at, "replay tiny.swf -m 4x4 -a naive --no-timing --trim 49.9 --format csv -o out")?;
    let note = "note: tiny on 4x4 with 'naive': none of 10 jobs is left for the means, which are empty\n";
    assert!(ran.code == Some(0) && ran.stderr.contains(note), "{}", ran.stderr);
    let summary = columns(&at.join("out/summary.csv"))?;
    for name in ["wait_s_mean", "bounded_slowdown_mean", "pairwise_sum_mean", "pairwise_ratio_to_bound_mean"]
    {
        assert_eq!(summary[name], [""], "{name}");
    }
    assert_eq!((summary["jobs_in_means"][0].as_str(), summary["jobs"][0].as_str()), ("0", "10"));
    assert_ne!(summary["utilization"], [""]);
    let table = fine(at, "replay tiny.swf -m 4x4 -a naive --no-timing --trim 49.9 -q")?.stdout;
    let cells: Vec<&str> = table.lines().last().unwrap_or_default().split_whitespace().collect();
    assert_eq!(cells[0], "naive", "{table}");
    assert!(cells[2..].iter().all(|cell| *cell == "-"), "{table}");
    let table = fine(at, "table out --value wait_s_mean")?;
    assert_eq!(table.stderr, "note: no result has a value of wait_s_mean\n");
    fine(at, "report out -q")?;
    fine(at, "plot out -q")?;
    Ok(())
}

#[test]
fn columns_of_the_table_are_chosen() -> Tested {
    let directory = site()?;
    let at = directory.path();
    let base = "replay tiny.swf -m 4x4 -a naive mc1x1 --no-timing -q";
    let table =
        fine(at, &format!("{base} --columns wait_s_mean,moves,allocation_delay_s_mean,version"))?.stdout;
    let lines: Vec<&str> = table.lines().skip_while(|line| !line.starts_with(" allocator")).collect();
    let words = |line: &str| line.split_whitespace().map(ToOwned::to_owned).collect::<Vec<_>>();
    assert_eq!(words(lines[0]), ["allocator", "wait_s_mean", "moves", "allocation_delay_s_mean", "version"]);
    assert_eq!(words(lines[1])[2], "0");
    assert_eq!(words(lines[1])[4], env!("CARGO_PKG_VERSION"));
    let several = fine(
        at,
        &format!("{base} --replications 3 --columns seed,turnaround_s_mean --arrivals uniform:max=9"),
    )?;
    assert!(several.stdout.contains(" ±"), "{}", several.stdout);
    // The title of a column in the table is a name, too.
    let titled = fine(at, &format!("{base} --columns wait_s"))?;
    assert!(titled.stdout.contains(" wait_s_mean"), "{}", titled.stdout);
    let wrong = run(at, &format!("{base} --columns waits"))?;
    assert_eq!(wrong.code, Some(2));
    assert!(wrong.stderr.contains("unknown column 'waits'"), "{}", wrong.stderr);
    let wrong = run(at, &format!("{base} --columns wait_s_men"))?;
    assert!(wrong.stderr.contains("did you mean 'wait_s_mean'?"), "{}", wrong.stderr);
    let wrong = run(at, &format!("{base} --columns contention_mean"))?;
    let expected = "error: --columns: these results have no column 'contention_mean', which is there with \
         --contention\n";
    assert_eq!((wrong.code, wrong.stderr.as_str()), (Some(2), expected));
    let wrong = run(at, &format!("{base} --columns moves --format csv"))?;
    assert_eq!(wrong.code, Some(2), "{}", wrong.stderr);
    Ok(())
}

#[test]
fn delays_are_shown_where_placements_are_all_alike() -> Tested {
    let directory = site()?;
    let at = directory.path();
    let titles = ["queue delay", "allocation delay", "moves", "suspended"];
    let array = "replay tiny.swf -m 16 -a naive left-compaction --no-timing -q -o out";
    let table = fine(at, array)?.stdout;
    fine(at, "report out")?;
    let report = fs::read_to_string(at.join("out/report.html"))?;
    for title in titles {
        assert!(table.contains(title) && report.contains(title), "{title}: {table}");
    }
    assert!(fine(at, "plot out -q")?.stdout.contains("out/delays.svg\n"));
    let mesh = fine(at, &format!("{REPLAY} -o mesh"))?.stdout;
    fine(at, "report mesh -q")?;
    let report = fs::read_to_string(at.join("mesh/report.html"))?;
    for title in titles {
        assert!(!mesh.contains(title) && !report.contains(&format!(">{title}")), "{title}: {mesh}");
    }
    assert!(!fine(at, "plot mesh -q")?.stdout.contains("delays"));
    assert_eq!(fine(at, "plot mesh --kind delays")?.stdout, "mesh/delays.svg\n");
    Ok(())
}

#[test]
fn studies_of_uniform_arrivals_have_loads() -> Tested {
    let directory = site()?;
    let at = directory.path();
    let rules = "rules = ['authors:arrivals=uniform:max=10', 'authors:arrivals=uniform:max=300']\n";
    fs::write(at.join("two.toml"), STUDY.to_owned() + rules)?;
    fine(at, &format!("{SWEEP} -o study --jobs"))?;
    assert_eq!(fine(at, "plot study --kind load --value wait_s_mean")?.stdout, "study/load.svg\n");
    let svg = fs::read_to_string(at.join("study/load.svg"))?;
    assert!(svg.contains("mean arrivals per hour") && !svg.contains("uniform"), "{svg}");
    fine(at, "plot study -q")?;
    Ok(())
}

#[test]
fn what_is_asked_for_twice_is_replayed_once() -> Tested {
    let directory = site()?;
    let at = directory.path();
    for (logs, allocators, note) in [
        ("tiny.swf", "naive mc1x1 naive", "note: 1 of 3 replays are the same as others and are left out\n"),
        (
            "tiny.swf tiny.swf",
            "naive mc1x1",
            "note: 2 of 4 replays are the same as others and are left out\n",
        ),
        ("tiny.swf", "hilbert+bf curve:order=hilbert,select=best-fit all", "note: 2 of "),
    ] {
        let ran = run(at, &format!("replay {logs} -m 4x4 -a {allocators} --no-timing --format csv"))?;
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        assert!(ran.stderr.contains(note), "{}", ran.stderr);
        let rows: Vec<&str> =
            ran.stdout.lines().skip(1).map(|row| row.split_once(',').map_or(row, |row| row.1)).collect();
        let mut unique = rows.clone();
        unique.sort_unstable();
        unique.dedup();
        assert_eq!(unique.len(), rows.len(), "{}", ran.stdout);
    }
    Ok(())
}

/// The cost of the clock is measured, so it is not part of the run id.
#[test]
fn timed_results_hold_the_cost_of_the_clock_and_robust_statistics() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let mut runs = Vec::new();
    // The second command replaces the results of the first without `--force`.
    for _ in 0..2 {
        let log = bundled("lublin-256-10k.swf.gz");
        let ran = run(at, &format!("replay {log} -m 16x16 -a naive -q -o out --format csv"))?;
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        let manifest: serde_json::Value =
            serde_json::from_str(&fs::read_to_string(at.join("out/run.json"))?)?;
        assert!(manifest["clock_ns"].as_u64().is_some_and(|ns| ns < 1_000_000), "{manifest}");
        let summary = columns(&at.join("out/summary.csv"))?;
        let number = |name: &str| -> Result<f64, Box<dyn Error>> { Ok(summary[name][0].parse()?) };
        let trimmed = number("allocate_ns_trimmed_mean")?;
        assert!(trimmed > 0.0 && trimmed <= number("allocate_ns_total")? / 10_000.0, "{trimmed}");
        runs.push(summary["run"][0].clone());
    }
    assert_eq!(runs[0], runs[1]);
    let picture = |log: &str| -> Result<String, Box<dyn Error>> {
        let ran = run(at, &format!("replay {log} -m 16x16 -a naive -q -o out --force"))?;
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        let ran = run(at, "plot out --kind frontier -q")?;
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        Ok(fs::read_to_string(at.join("out/frontier.svg"))?)
    };
    for log in ["lublin-256-10k.swf.gz", "tiny.swf"] {
        assert!(picture(&bundled(log))?.contains("allocator calls per job ("), "{log}");
    }
    Ok(())
}
