//! Causes of waiting on archive logs: the law of EASY, and recorded schedules as another program explains
//! them.

use meshreplay_base::job::{Job, Time};
use meshreplay_machine::machine::Mesh;
use meshreplay_sim::metrics::{Explained, FinishedJob, JobRun, WaitCause, explain, peak_within};

use super::support::{Tested, replay, shared_log};

/// Explains runs on a machine of `nodes` nodes.
fn explained(runs: &[JobRun], nodes: u32) -> Explained {
    explain(runs, &[(Time::from_micros(i64::MIN), nodes)], &[], None)
}

/// Returns the recorded schedule. A run that outlives its limit has it as its limit.
fn recorded(jobs: &[Job]) -> Vec<JobRun> {
    let run = |job: &Job| {
        let (start, limit) = (job.recorded_start()?, Some(job.estimate.max(job.run)));
        Some(JobRun { submit: job.submit, start, end: start + job.run, nodes: job.procs, limit })
    };
    jobs.iter().filter_map(run).collect()
}

#[test]
fn easy_leaves_nothing_free_to_start() -> Tested {
    for (file, machine) in [
        ("KTH-SP2-1996-2.1-cln", "10x10"),
        ("SDSC-SP2-1998-4.2-cln", "16x8"),
        ("HPC2N-2002-2.2-cln", "15x16"),
    ] {
        let Some(log) = shared_log(file) else { continue };
        let outcome = replay(&log.workload.jobs, machine, "easy", "naive")?;
        let run = |FinishedJob { job, record, .. }: &FinishedJob| JobRun {
            submit: job.submit,
            start: record.start,
            end: record.end,
            nodes: record.allocated,
            limit: Some(job.estimate),
        };
        let runs: Vec<JobRun> = outcome.jobs.iter().map(run).collect();
        let found = explained(&runs, machine.parse::<Mesh>()?.available());
        for (run, why) in runs.iter().zip(&found.jobs) {
            assert_eq!(why.sum(), run.start - run.submit, "{file}");
            assert_eq!(why[WaitCause::Free], Time::ZERO, "{file}");
        }
        assert!(found.total.share(WaitCause::Reserved) > 0.01, "{file}");
    }
    Ok(())
}

/// Recorded schedules: a log, the nodes of its machine, the seconds of all jobs without room, reserved and
/// free to start, and the overtaking starts in units of 0.01 %. By a program that computes the cause of each
/// job at each event.
const RECORDED: [(&str, u32, [i64; 3], f64); 8] = [
    ("KTH-SP2-1996-2.1-cln", 100, [203_679_018, 47_501_370, 184_384_464], 9_535.0),
    ("HPC2N-2002-2.2-cln", 240, [141_215_483, 511_251_398, 10_324_367_337], 9_560.0),
    ("LANL-CM5-1994-4.1-cln", 1_024, [114_114_814, 8_214_153, 103_033_321], 9_559.0),
    ("OSC-Clust-2000-3.1-cln", 178, [0, 0, 344_082_126], 6_665.0),
    ("RICC-2010-2", 8_192, [1_503_999_027, 1_157_945_967, 4_489_557_241], 9_805.0),
    ("UniLu-Gaia-2014-1", 2_004, [109_802, 421_472, 44_393_827], 2_784.0),
    ("nonarchive-Mira-2018-waits", 49_152, [541_360_953, 184_889_618, 459_379_553], 9_969.0),
    ("nonarchive-Theta-2022-waits", 4_392, [458_997_901, 35_398_329, 179_173_388], 9_878.0),
];

#[test]
fn recorded_schedules_have_the_causes_that_another_program_finds() {
    let causes = [WaitCause::NoRoom, WaitCause::Reserved, WaitCause::Free];
    for (file, nodes, expected, overtaking) in RECORDED {
        let Some(log) = shared_log(file) else { continue };
        let found = explained(&recorded(&log.workload.jobs), nodes);
        let seconds = causes.map(|cause| found.total.seconds(cause).round() as i64);
        assert_eq!(seconds, expected, "{file}");
        assert!((1e4 * found.overtaking - overtaking).abs() < 1.0, "{file}: {}", found.overtaking);
    }
}

#[test]
fn a_machine_of_unknown_size_has_two_bounds() {
    let Some(log) = shared_log("SDSC-SP2-1998-4.2-cln") else { return };
    let runs = recorded(&log.workload.jobs);
    let peaks = peak_within(&runs, Time::from_seconds(3 * 3600));
    let bounds = [explain(&runs, &peaks, &[], None), explained(&runs, 128)];
    let percent = bounds.map(|bound| (100.0 * bound.total.share(WaitCause::Free)).round() as i64);
    assert_eq!(percent, [9, 15]);
}
