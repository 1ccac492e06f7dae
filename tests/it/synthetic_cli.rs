//! Workload models, shapes and replications on the command line.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use super::support::{Tested, bundled, columns, run};

const MODEL: &str = "synthetic:jobs=300";

#[test]
fn every_allocator_replays_the_same_jobs_and_every_seed_others() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let arguments = format!(
        "replay {MODEL} -m 8x8 -s fcfs -a first-fit gabl --replications 3 --seed 5 -o out --format csv \
             --no-timing -q"
    );
    let ran = run(at, &arguments)?;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let jobs = columns(&at.join("out/jobs.csv"))?;
    let mut workloads: BTreeMap<(&str, &str), Vec<[&str; 4]>> = BTreeMap::new();
    for (i, _) in jobs["job"].iter().enumerate() {
        let of = |column: &str| jobs[column][i].as_str();
        let job = [of("submit_s"), of("run_s"), of("procs"), of("shape")];
        workloads.entry((of("replay"), of("seed"))).or_default().push(job);
    }
    assert_eq!(workloads.len(), 6);
    for seed in ["5", "6", "7"] {
        assert_eq!(workloads[&("0", seed)], workloads[&("1", seed)]);
        assert_eq!(workloads[&("0", seed)].len(), 300);
    }
    assert_ne!(workloads[&("0", "5")], workloads[&("0", "6")]);
    let summary = columns(&at.join("out/summary.csv"))?;
    assert_eq!(summary["seed"], ["5", "6", "7", "5", "6", "7"]);
    assert_eq!(summary["replay"], ["0", "0", "0", "1", "1", "1"]);
    // The same command gives the same bytes.
    let again = run(at, &arguments.replace("-o out", "-o again"))?;
    assert_eq!(again.stdout, ran.stdout);
    for file in ["jobs.csv", "summary.csv", "run.json"] {
        assert!(fs::read(at.join("out").join(file))? == fs::read(at.join("again").join(file))?, "{file}");
    }
    Ok(())
}

#[test]
fn replications_end_when_the_interval_is_narrow() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let counts = |within: &str| -> Result<usize, Box<dyn std::error::Error>> {
        let out = format!("out{within}");
        let arguments = format!(
            "replay {MODEL} -m 8x8 -s fcfs -a naive -o {out} --format csv -q --no-timing \
             --replications until:within={within},min=3,max=60,of=turnaround_s_mean"
        );
        assert_eq!(run(at, &arguments)?.code, Some(0));
        let turnaround = &columns(&at.join(out).join("summary.csv"))?["turnaround_s_mean"];
        let values: Vec<f64> = turnaround.iter().filter_map(|text| text.parse().ok()).collect();
        // The normal approximation is close enough for this check.
        let precise = |values: &[f64]| {
            let n = values.len() as f64;
            let mean = values.iter().sum::<f64>() / n;
            let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0);
            1.96 * (variance / n).sqrt() / mean
        };
        let limit: f64 = within.parse()?;
        assert!(values.len() == 60 || precise(&values) <= limit, "{within}: {}", precise(&values));
        Ok(values.len())
    };
    let (rough, fine) = (counts("0.2")?, counts("0.03")?);
    assert!((3..fine).contains(&rough), "{rough} {fine}");
    Ok(())
}

#[test]
fn studies_of_models_are_kept_resumed_and_merged() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let study = "logs = [\"synthetic:jobs=200,ratio=0.5\", \"synthetic:jobs=200\"]
machines = [\"8x8\"]
schedulers = [\"fcfs\", \"bypass-queue:threshold=20\"]
allocators = [\"first-fit\", \"fixed-orientation\", \"buddy-2d\"]
rules = [\"authors:oversize=skip\"]
replications = \"until:within=0.2,max=9\"
";
    fs::write(at.join("s.toml"), study)?;
    for arguments in [
        "sweep s.toml -o whole --no-timing -q --jobs",
        "sweep s.toml -o a --no-timing -q --jobs --shard 1/2",
        "sweep s.toml -o b --no-timing -q --jobs --shard 2/2",
        "merge a b -o merged -q",
    ] {
        let ran = run(at, arguments)?;
        assert_eq!(ran.code, Some(0), "{arguments}: {}", ran.stderr);
    }
    assert!(fs::read(at.join("whole/summary.parquet"))? == fs::read(at.join("merged/summary.parquet"))?);
    let again = run(at, "sweep s.toml -o whole --no-timing --jobs")?;
    assert!(again.stderr.contains("12 were done, 0 replayed"), "{}", again.stderr);
    let summary = columns(&at.join("whole/summary.csv"))?;
    let cells: BTreeSet<&String> = summary["key"].iter().collect();
    assert!(cells.len() == 12 && summary["key"].len() >= 60, "{}", summary["key"].len());
    let table = run(at, "table whole --rows scheduler,allocator --columns log --value turnaround_s_mean")?;
    assert!(
        table.stdout.contains(" ±") && table.stdout.contains("95 % confidence interval"),
        "{}",
        table.stdout
    );
    for (text, problem) in [
        (
            study.replace("rules", "seeds = [1, 2]\nrules"),
            "s.toml:7: key 'replications': there are several seeds",
        ),
        (
            study.replace("ratio=0.5", "ratio=-1"),
            "s.toml:1: key 'logs': parameter 'ratio' of 'synthetic' is '-1'",
        ),
        (study.replace("within=0.2", "within=2"), "key 'replications': parameter 'within' of 'until' is '2'"),
        (
            study.replace("\"until:within=0.2,max=9\"", "[3]"),
            "key 'replications': found a list, expected a whole number",
        ),
    ] {
        fs::write(at.join("s.toml"), text)?;
        let ran = run(at, "sweep s.toml -o wrong -q")?;
        assert_eq!(ran.code, Some(1), "{}", ran.stderr);
        assert!(ran.stderr.contains(problem), "{}", ran.stderr);
    }
    Ok(())
}

#[test]
fn a_generated_log_keeps_the_shapes_of_its_jobs() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    for arguments in [
        "trace generate --model synthetic:service=5000,sides=exponential --jobs 400 --machine 16x8 -o \
             a.swf.gz",
        "trace convert a.swf.gz b.swf",
        "trace validate b.swf",
    ] {
        let ran = run(at, arguments)?;
        assert_eq!(ran.code, Some(0), "{arguments}: {}", ran.stderr);
    }
    for (log, out) in [("b.swf", "log"), ("synthetic:service=5000,sides=exponential,jobs=400", "model")] {
        let arguments =
            format!("replay {log} -m 16x8 -s fcfs -a first-fit -o {out} --format csv --no-timing -q");
        assert_eq!(run(at, &arguments)?.code, Some(0));
    }
    let [log, model] = ["log", "model"].map(|out| columns(&at.join(out).join("jobs.csv")));
    let (log, model) = (log?, model?);
    assert_eq!(log["shape"], model["shape"]);
    assert!(log["shape"].iter().collect::<BTreeSet<_>>().len() > 40);
    for (a, b) in log["submit_s"].iter().zip(&model["submit_s"]) {
        assert!((a.parse::<f64>()? - b.parse::<f64>()?).abs() <= 0.5);
    }
    for (arguments, message) in [
        ("trace generate --model synthetic -o c.swf", "model 'synthetic' needs --machine"),
        (
            "trace generate --model synthetic --machine 4x4 --procs 9 -o c.swf",
            "takes no --procs; leave it out",
        ),
        ("trace generate --model lublin --procs 9 -o c.swf", "model 'lublin' needs --jobs N"),
        ("trace generate --model lublin --jobs 9 --procs 9 --machine 3x3 -o c.swf", "takes no --machine"),
        (
            "trace generate --model synthetic:jobs=4 --jobs 5 --machine 4x4 -o c.swf",
            "'jobs' is in --model already",
        ),
        ("trace generate --model linear --machine 4x4 -o c.swf", "unknown workload model 'linear'"),
    ] {
        let ran = run(at, arguments)?;
        assert_eq!(ran.code, Some(2), "{arguments}: {}", ran.stderr);
        assert!(ran.stderr.contains(message) && !at.join("c.swf").exists(), "{arguments}: {}", ran.stderr);
    }
    Ok(())
}

#[test]
fn shapes_of_logs_follow_the_option_and_misfits_are_counted() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let tiny = bundled("tiny.swf");
    let replay = |shape: &str, out: &str| {
        run(
            at,
            &format!(
                "replay {tiny} -m 8x2 -a first-fit --shape {shape} --oversize skip -o {out} --format csv \
                     --no-timing"
            ),
        )
    };
    let (row, square) = (replay("row", "row")?, replay("near-square", "square")?);
    assert_eq!((row.code, square.code), (Some(0), Some(0)), "{}{}", row.stderr, square.stderr);
    assert!(row.stderr.contains("that 'first-fit' never finds a place for"), "{}", row.stderr);
    let [row, square] = ["row", "square"].map(|out| columns(&at.join(out).join("summary.csv")));
    let (row, square) = (row?, square?);
    let number = |text: &str| text.parse::<u64>().unwrap_or(u64::MAX);
    assert_eq!(number(&square["never_fit"][0]), 0);
    let misfits = number(&row["never_fit"][0]);
    assert_eq!(number(&row["jobs"][0]) + misfits, number(&square["jobs"][0]));
    assert_eq!(number(&row["skipped"][0]), number(&square["skipped"][0]) + misfits);
    assert!(misfits > 0);
    Ok(())
}

/// Arguments after `replay`, the exit code and a part of standard error.
const WRONG: &[(&str, i32, &str)] = &[
    (
        "synthetic:ratio=0 -m 4x4 -a naive",
        2,
        "parameter 'ratio' of 'synthetic' is '0': expected a number above 0",
    ),
    ("synthetic:ratio=x -m 4x4 -a naive", 2, "parameter 'ratio' of 'synthetic' is 'x'"),
    ("synthetic:sides=normal,sigma=0 -m 4x4 -a naive", 2, "parameter 'sigma' of 'synthetic' is '0'"),
    ("synthetic:sides -m 4x4 -a naive", 2, "malformed spec 'synthetic:sides'"),
    ("synthetic -m 4x4 -a naive --replications 0", 2, "expected a whole number from 1"),
    ("synthetic -m 4x4 -a naive --replications until:within=1", 2, "expected a number above 0 and below 1"),
    (
        "{tiny} -m 4x4 -a naive --shape square",
        2,
        "invalid value 'square' for '--shape <RULE>': expected near-square, factors, row, pow2, or list:",
    ),
    ("{tiny} -m 4x4 -a naive --shape list:4x0", 2, "'4x0' is no box: expected one to three sides"),
    ("{tiny} -m 4x4 -a naive --oversize drop", 2, "invalid value 'drop' for '--oversize <OVERSIZE>'"),
    (
        "{tiny} -m 6x4 -a buddy-2d:partition=whole",
        2,
        "all sides must be the same power of two, such as 16x16",
    ),
    ("{tiny} -m 4x4x4 -a mbs", 2, "'mbs' cannot serve machine 4x4x4"),
    (
        "{tiny} -m 4x4 -a first-fit --shape row",
        1,
        "job 1 asks for 8 processors as row, which 'first-fit' does not find",
    ),
    ("synthetic:jobs=50,max=3x3x3 -m 4x8 -a first-fit", 1, "which 'first-fit' does not find on machine 4x8"),
    ("synthetic:jobs=5,max=9x9 -m 4x4 -a naive", 1, "machine 4x4 has 16; --oversize skip"),
];

#[test]
fn wrong_models_and_shapes_get_a_clear_line() -> Tested {
    let directory = tempfile::tempdir()?;
    for (arguments, code, message) in WRONG {
        let arguments = format!("replay {} -o out", arguments.replace("{tiny}", &bundled("tiny.swf")));
        let ran = run(directory.path(), &arguments)?;
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(*code), ""), "{arguments}: {}", ran.stderr);
        assert!(ran.stderr.contains(message), "{arguments}: {}", ran.stderr);
        assert!(!ran.stderr.contains("panicked"), "{arguments}: {}", ran.stderr);
        let left = fs::read_dir(directory.path().join("out")).map_or(0, Iterator::count);
        assert_eq!(left, 0, "{arguments}");
    }
    Ok(())
}
