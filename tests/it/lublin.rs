//! The Lublin–Feitelson model in `trace generate` and in place of a log. Tests of its jobs are in the crate
//! of models.

use std::io::Read;
use std::process::{Command, Output};

use meshreplay::workload::lublin::{self, Lublin, LublinJob, LublinOptions};

use super::support::{Tested, run};

#[test]
fn arrivals_are_stretched_to_a_load() {
    let model = Lublin::new(256, LublinOptions::default(), 1).expect("a model");
    let drawn: Vec<LublinJob> = model.take(10_000).collect();
    let (load, last_s) = lublin::load_of(drawn.iter().copied(), 256).expect("arrivals differ");
    assert_eq!(last_s, drawn[9_999].submit_s);
    assert_eq!(lublin::load_of(drawn[..1].iter().copied(), 256), None);
    assert_eq!(lublin::load_of([].into_iter(), 256), None);
    // The log of the command has the same jobs with later arrivals.
    let text = generate("--jobs 10000 --procs 256 --seed 1 --load 0.7", "-").stdout;
    let text = String::from_utf8(text).expect("text");
    let written: Vec<LublinJob> = text
        .lines()
        .filter(|line| !line.starts_with(';'))
        .map(|line| {
            let field = |i: usize| line.split(' ').nth(i - 1).and_then(|field| field.parse::<i64>().ok());
            let number = |i: usize| field(i).expect("a whole number");
            LublinJob {
                submit_s: number(2),
                run_s: number(4),
                procs: number(5) as u32,
                interactive: number(15) == 0,
            }
        })
        .collect();
    let factor = load / 0.7;
    let stretched: Vec<LublinJob> = drawn.iter().map(|job| job.stretched(factor)).collect();
    assert_eq!(written, stretched);
    let (load, last) = lublin::load_of(written.into_iter(), 256).expect("arrivals differ");
    assert!((load - 0.7).abs() < 1e-4, "{load}");
    assert_eq!(last, (last_s as f64 * factor).round() as i64);
}

fn generate(arguments: &str, output: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_meshreplay"))
        .args(["trace", "generate", "--model", "lublin", "-o", output])
        .args(arguments.split_whitespace())
        .output()
        .expect("the tool runs")
}

fn complaint(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn trace_generate_writes_the_same_log_every_time() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = |name: &str| directory.path().join(name).display().to_string();
    let options = "--jobs 500 --procs 64 --seed 3 --load 0.7";
    for name in ["a.swf.gz", "b.swf.gz", "a.swf"] {
        let output = generate(options, &path(name));
        assert!(output.status.success() && output.stdout.is_empty(), "{}", complaint(&output));
    }
    let bytes = |name: &str| std::fs::read(path(name)).expect("a log");
    assert_eq!(bytes("a.swf.gz"), bytes("b.swf.gz"));
    assert_eq!(generate(options, "-").stdout, bytes("a.swf"));
    let text = String::from_utf8(bytes("a.swf")).expect("text");
    for line in [
        "; Version: 2.2",
        "; MaxProcs: 64",
        "; MaxJobs: 500",
        "; UnixStartTime: 0",
        "; Note: model lublin, seed 3",
    ] {
        assert!(text.lines().any(|found| found == line), "{line} is missing: {text}");
    }
    assert!(text.contains("; Note: arrival times multiplied by "), "{text}");
    let records: Vec<&str> = text.lines().filter(|line| !line.starts_with(';')).collect();
    assert_eq!(records.len(), 500);
    assert!(records.iter().all(|line| line.split(' ').count() == 18), "{text}");

    let refused = generate(options, &path("a.swf"));
    assert_eq!(refused.status.code(), Some(1));
    assert!(complaint(&refused).contains("already exists; --force overwrites it"), "{}", complaint(&refused));
    assert!(generate(&format!("{options} --force"), &path("a.swf")).status.success());
    assert_eq!(std::fs::read_dir(directory.path()).expect("a directory").count(), 3);
}

#[test]
fn trace_generate_explains_wrong_options() {
    for (arguments, output, message) in [
        ("--jobs 0 --procs 64", "-", "invalid value '0' for '--jobs <N>'"),
        ("--jobs 5 --procs 0", "-", "invalid value '0' for '--procs <P>'"),
        ("--jobs 5 --procs 64 --load 0", "-", "expected a number above 0"),
        ("--jobs 1 --procs 64 --load 0.5", "-", "a load needs jobs that arrive at different times"),
        ("--jobs 5 --procs 64 --published-sizes", "-", "go up to 128 processors, but the machine has 64"),
        ("--jobs 5 --procs 64", "a.txt", "cannot tell the format of 'a.txt'"),
    ] {
        let output = generate(arguments, output);
        assert_eq!(output.status.code(), Some(2), "{arguments}: {}", complaint(&output));
        assert!(complaint(&output).contains(message), "{arguments}: {}", complaint(&output));
        assert!(output.stdout.is_empty());
    }
}

#[test]
fn the_bundled_log_is_what_its_note_says() {
    let file = std::fs::File::open(concat!(env!("CARGO_MANIFEST_DIR"), "/traces/lublin-256-10k.swf.gz"));
    let mut text = String::new();
    flate2::read::GzDecoder::new(file.expect("a bundled log")).read_to_string(&mut text).expect("gzip");
    let note =
        text.lines().find_map(|line| line.split_once("trace generate --model lublin ")).expect("a note");
    let again = generate(note.1, "-");
    let again = String::from_utf8(again.stdout).expect("text");
    let records = |text: &str| -> Vec<String> {
        text.lines().filter(|line| !line.starts_with(';')).map(str::to_owned).collect()
    };
    assert!(records(&text) == records(&again), "the model makes another log than the bundled one");
}

#[test]
fn a_replay_of_the_model_is_a_replay_of_its_log() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let made = run(at, "trace generate --model lublin --jobs 300 --procs 64 --load 0.8 --seed 5 -o log.swf")?;
    assert_eq!(made.code, Some(0), "{}", made.stderr);
    let rest = "-m 8x8 -s easy -a hilbert+bf first-fit --arrival-scale 1 0.7 --seed 5 --no-timing \
                --columns wait_s_mean,pairwise_sum_mean,utilization,makespan_s";
    let [model, log] =
        ["lublin:jobs=300,load=0.8", "log.swf"].map(|log| run(at, &format!("replay {log} {rest}")));
    let (model, log) = (model?, log?);
    assert_eq!(model.code, Some(0), "{}", model.stderr);
    // The first line has the log's name.
    let table = |text: &str| -> Vec<String> { text.lines().skip(1).map(str::to_owned).collect() };
    assert_eq!(table(&model.stdout), table(&log.stdout));
    assert!(model.stdout.contains("0.7 (load 1.14)  first-fit "), "{}", model.stdout);
    Ok(())
}
