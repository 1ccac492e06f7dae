//! Times beyond the end of their range give an error that names the job, never clamped results.

use std::fs;

use super::support::{Tested, bundled, run};

/// A record in the Standard Workload Format with these values.
fn record(number: u32, submit_s: u64, run_s: u64, procs: u32) -> String {
    format!("{number} {submit_s} -1 {run_s} {procs} -1 -1 {procs} {run_s} -1 1 -1 -1 -1 -1 -1 -1 -1\n")
}

#[test]
fn jobs_that_never_end_are_an_error() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    fs::write(at.join("near.swf"), record(7, 0, 10, 4) + &record(8, 5, 10, 4))?;
    fs::write(at.join("far.swf"), record(8, 9_223_372_036_853, 1, 4))?;
    let endless = "wormhole:cycle=1000000,messages=1000000,length=65536,law=constant";
    let lublin = bundled("lublin-256-10k.swf.gz");
    for (command, job) in [
        (format!("replay near.swf -m 4x4 -a naive -s fcfs --network {endless}"), "job 7 "),
        (format!("replay {} -m 4x4 -a naive -s fcfs --network {endless}", bundled("tiny.swf")), "job "),
        (
            "replay far.swf -m 4x4 -a naive --network wormhole:cycle=0.000001,messages=1000000,law=constant"
                .to_owned(),
            "job 8 ",
        ),
        (format!("replay {lublin} -m 256 -a left-compaction:step_time=999999999 -s fcfs"), "job "),
    ] {
        let ran = run(at, &format!("{command} --no-timing -q"))?;
        assert_eq!(ran.code, Some(1), "{command}: {}", ran.stdout);
        assert!(ran.stderr.contains(job), "{command}: {}", ran.stderr);
        assert!(
            ran.stderr.contains("would not end within the range of time, 292,000 years"),
            "{}",
            ran.stderr
        );
    }
    Ok(())
}

#[test]
fn a_load_that_stretches_arrivals_too_far_is_refused() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let command = "trace generate --model lublin --jobs 100 --procs 256 --load";
    for load in ["1e-300", "1e-9"] {
        let ran = run(at, &format!("{command} {load} -o log.swf"))?;
        assert_eq!(ran.code, Some(2), "{}", ran.stdout);
        assert!(ran.stderr.contains(&format!("load {load}")), "{}", ran.stderr);
        assert!(ran.stderr.contains("292,000 years; a larger load helps"), "{}", ran.stderr);
        assert!(!at.join("log.swf").exists());
    }
    assert_eq!(run(at, &format!("{command} 0.001 -o log.swf"))?.code, Some(0));
    Ok(())
}
