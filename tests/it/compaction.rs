//! Jobs that move while they run: start and end times by hand, and the gain of compaction on real logs.

use meshreplay::job::{Job, Shape, Time};
use meshreplay::metrics::{Compactions, Number};
use meshreplay::study::Outcome;

use super::support::{Numbers, Tested, replay, run, shared};

fn job(number: i64, submit_s: f64, run_s: f64, procs: u32) -> Job {
    let [submit, run] = [submit_s, run_s].map(|seconds| Time::from_micros((seconds * 1e6) as i64));
    Job { number, submit, run, estimate: run, procs, shape: Shape::NearSquare, ..Job::default() }
}

/// Jobs 0 to 3 fill ten processors as `0001112233`, and a job of five waits until 0 and 2 have ended.
fn fragmented(second_run_s: f64) -> Vec<Job> {
    vec![
        job(0, 0.0, 2.0, 3),
        job(1, 0.0, second_run_s, 3),
        job(2, 0.0, 4.5, 2),
        job(3, 0.0, 100.0, 2),
        job(4, 0.0, 10.0, 5),
    ]
}

/// 1 s per step, 0.1 s per record or task examined.
const SLOW: &str = "left-compaction:step_time=1,select_cost=0.1,schedule_cost=0.1,check=yes";

fn seconds(time: Time) -> f64 {
    time.as_seconds()
}

fn jobs_moved(found: &Outcome) -> Option<Number> {
    found.summary.number("jobs_moved")
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-6
}

#[test]
fn a_job_starts_when_others_have_made_room_and_they_end_later() -> Tested {
    let found = replay(&fragmented(100.0), "10", "fcfs", SLOW)?;
    // Decision: five records of two tasks, one scheduled task: 0.6 s. Move by three processors: three steps.
    assert!(near(seconds(found.jobs[4].record.start), 4.5 + 0.6 + 3.0), "{:?}", found.jobs[4].record);
    let moved = &found.jobs[1].record;
    assert_eq!((moved.moves, moved.suspended), (1, Time::from_seconds(3)));
    assert!(near(seconds(moved.end), 103.0));
    assert!(near(seconds(found.jobs[3].record.end), 100.0) && found.jobs[3].record.moves == 0);
    // All jobs arrive together, so job 4 is the head of the queue from the start.
    assert_eq!(found.jobs[4].record.head, Time::ZERO);
    for (name, expected) in [
        ("allocation_delay_s_mean", 8.1 / 5.0),
        ("queue_delay_s_mean", 0.0),
        ("suspended_s_mean", 3.0 / 5.0),
        ("moves", 1.0),
        ("jobs_moved", 1.0),
        ("compactions_begun", 1.0),
        ("compactions", 1.0),
        ("compactions_aborted", 0.0),
    ] {
        assert!(found.summary.get(name).is_some_and(|number| near(number, expected)), "{name}");
    }
    assert_eq!(
        found.recording.compactions,
        Compactions { begun: 1, carried_out: 1, ..Compactions::default() }
    );
    // Without compaction job 4 waits for job 1 in the middle.
    let found = replay(&fragmented(100.0), "10", "fcfs", "linear-first-fit")?;
    assert!(near(seconds(found.jobs[4].record.start), 100.0));
    assert_eq!(found.recording.compactions, Compactions::default());
    let found = replay(&fragmented(100.0), "10", "fcfs", "cost-free-compaction")?;
    assert!(near(seconds(found.jobs[4].record.start), 4.5) && near(seconds(found.jobs[1].record.end), 100.0));
    assert_eq!(
        found.recording.compactions,
        Compactions { begun: 1, carried_out: 1, ..Compactions::default() }
    );
    Ok(())
}

#[test]
fn a_plan_is_void_if_a_job_that_would_move_ends_before_it_is_made() -> Tested {
    for (second_run_s, start_s) in [(4.8, 4.8), (5.1, 5.1), (5.2, 8.1)] {
        let found = replay(&fragmented(second_run_s), "10", "fcfs", SLOW)?;
        assert!(
            near(seconds(found.jobs[4].record.start), start_s),
            "{second_run_s}: {:?}",
            found.jobs[4].record
        );
        let aborted = u64::from(second_run_s < 5.2);
        let counted = Compactions { begun: 1, carried_out: 1 - aborted, aborted, ..Compactions::default() };
        assert_eq!(found.recording.compactions, counted, "{second_run_s}");
    }
    // A job that would end during its move ends after the move.
    let found = replay(&fragmented(5.2), "10", "fcfs", SLOW)?;
    let moved = &found.jobs[1].record;
    assert!(near(seconds(moved.end), 8.2) && moved.suspended == Time::from_seconds(3), "{moved:?}");
    Ok(())
}

/// `delayed`: a job is suspended without moving. `overrun`: jobs still move when the new job can start.
#[test]
fn delayed_and_overrunning_plans_are_counted() -> Tested {
    let costs = "left-compaction:step_time=1,select_cost=0,schedule_cost=0,check=yes";
    // Layout `012···`, job 0 ends: jobs 1 and 2 move one after the other. One of them is suspended for longer
    // than its own move.
    let jobs = [job(0, 0.0, 2.0, 1), job(1, 0.0, 90.0, 1), job(2, 0.0, 90.0, 1), job(3, 0.0, 5.0, 4)];
    let found = replay(&jobs, "6", "fcfs", costs)?;
    assert!(near(seconds(found.jobs[3].record.start), 4.0), "{:?}", found.jobs);
    let counted = Compactions { begun: 1, carried_out: 1, delayed: 1, ..Compactions::default() };
    assert_eq!((found.recording.compactions, jobs_moved(&found)), (counted, Some(Number::Count(2))));
    // Layout `00011222·`, job 0 ends: the new job can start after four steps, and the moves take five.
    let jobs = [job(0, 0.0, 2.0, 3), job(1, 0.0, 90.0, 2), job(2, 0.0, 90.0, 3), job(3, 0.0, 5.0, 4)];
    let found = replay(&jobs, "9", "fcfs", costs)?;
    assert!(near(seconds(found.jobs[3].record.start), 6.0), "{:?}", found.jobs);
    let suspended = [1, 2].map(|i: usize| seconds(found.jobs[i].record.suspended));
    assert!(suspended.into_iter().any(|longest| near(longest, 5.0)), "{suspended:?}");
    let counted = Compactions { begun: 1, carried_out: 1, delayed: 1, overrun: 1, ..Compactions::default() };
    assert_eq!((found.recording.compactions, jobs_moved(&found)), (counted, Some(Number::Count(2))));
    Ok(())
}

#[test]
fn no_time_is_lost_that_is_not_accounted_for() -> Tested {
    let mut numbers = Numbers(29);
    for round in 0..40 {
        let mut submit_s = 0.0;
        let jobs: Vec<Job> = (0..150)
            .map(|number| {
                submit_s += f64::from(numbers.below(4));
                job(number, submit_s, f64::from(1 + numbers.below(40)), 1 + numbers.below(9))
            })
            .collect();
        for way in ["left", "right", "ordered"] {
            for (scheduler, costs) in [
                ("fcfs", "step_time=1,select_cost=0.01,schedule_cost=0.01"),
                ("easy", "step_time=0.5,height=3,select_cost=0,schedule_cost=0"),
                ("first-fit-queue", "step_time=0.001"),
                ("conservative", "step_time=0.3,select_cost=0.02"),
            ] {
                let allocator = format!("{way}-compaction:check=yes,{costs}");
                let found = replay(&jobs, "20", scheduler, &allocator)?;
                let mut moves = 0;
                for (job, record) in jobs.iter().zip(found.jobs.iter().map(|job| &job.record)) {
                    let label =
                        format!("{allocator} {scheduler} round {round}, job {}: {record:?}", job.number);
                    assert_eq!(record.end - record.start, job.run + record.suspended, "{label}");
                    assert!(record.start >= record.head && record.head >= job.submit, "{label}");
                    assert!(record.suspended == Time::ZERO || record.moves > 0, "{label}");
                    moves += record.moves;
                }
                assert!(moves > 0, "{allocator} {scheduler}");
                let compactions = &found.recording.compactions;
                assert_eq!(compactions.begun, compactions.carried_out + compactions.aborted, "{allocator}");
                assert!(compactions.delayed.max(compactions.overrun) <= compactions.carried_out);
                assert!(compactions.carried_out <= u64::from(moves), "{allocator} {scheduler}");
                let at_least_once = found.jobs.iter().filter(|job| job.record.moves > 0).count() as u64;
                assert_eq!(jobs_moved(&found), Some(Number::Count(at_least_once)), "{allocator} {scheduler}");
                // Never more busy processors than the machine has.
                let mut events: Vec<(Time, i64)> = Vec::new();
                for (job, record) in jobs.iter().zip(found.jobs.iter().map(|job| &job.record)) {
                    events
                        .extend([(record.start, i64::from(job.procs)), (record.end, -i64::from(job.procs))]);
                }
                events.sort_unstable();
                let mut busy = 0;
                assert!(events.iter().all(|(_, change)| {
                    busy += change;
                    busy <= 20
                }));
            }
        }
    }
    Ok(())
}

/// Reservations of conservative backfilling are updated when a job starts late because of moves. With
/// compaction at no cost, jobs start as on a machine where only the number of free nodes matters.
#[test]
fn reservations_follow_jobs_that_others_make_room_for() -> Tested {
    let mut numbers = Numbers(31);
    for round in 0..60 {
        let mut submit_s = 0.0;
        let jobs: Vec<Job> = (0..120)
            .map(|number| {
                submit_s += f64::from(numbers.below(5));
                job(number, submit_s, f64::from(1 + numbers.below(30)), 1 + numbers.below(8))
            })
            .collect();
        for scheduler in
            ["conservative", "easy", "easy:pass=per-event", "bypass-queue:threshold=9", "first-fit-queue"]
        {
            let counted = replay(&jobs, "16", scheduler, "naive")?;
            let free = replay(&jobs, "16", scheduler, "cost-free-compaction")?;
            // The smallest possible cost, a microsecond per decision, hardly delays starts.
            let held = replay(
                &jobs,
                "16",
                scheduler,
                "left-compaction:step_time=0,schedule_cost=0,select_cost=0.0000001",
            )?;
            for (i, job) in jobs.iter().enumerate() {
                let label = format!("{scheduler}, round {round}, job {i}");
                assert_eq!(free.jobs[i].record.start, counted.jobs[i].record.start, "{label}");
                assert_eq!(held.jobs[i].record.end - held.jobs[i].record.start, job.run, "{label}");
            }
            let wait_s = |found: &Outcome| found.summary.get("wait_s_mean").unwrap_or(f64::NAN);
            let late = wait_s(&held) / wait_s(&counted).max(1.0);
            assert!(late < 1.5, "{scheduler}, round {round}: {late}");
        }
    }
    Ok(())
}

/// Jobs with estimates: submit, run, processors, estimate.
fn estimated(jobs: &[(i64, i64, u32, i64)]) -> Vec<Job> {
    let at = Time::from_seconds;
    let job = |(number, &(submit, run, procs, estimate)): (i64, &(i64, i64, u32, i64))| {
        let [submit, run, estimate] = [submit, run, estimate].map(at);
        Job { number, submit, run, estimate, procs, shape: Shape::NearSquare, ..Job::default() }
    };
    (1..).zip(jobs).map(job).collect()
}

#[test]
fn whoever_waits_behind_a_held_job_is_asked_when_it_has_started() -> Tested {
    let jobs = estimated(&[
        (0, 10, 3, 10),
        (0, 1000, 4, 1000),
        (0, 1000, 1, 1000),
        (20, 100, 4, 100),
        (20, 5, 1, 5),
    ]);
    for scheduler in
        ["fcfs", "easy", "easy:pass=per-event", "conservative", "bypass-queue", "first-fit-queue"]
    {
        let found = replay(&jobs, "10", scheduler, "left-compaction:step_time=1")?;
        assert!(near(seconds(found.jobs[4].record.start), 23.000_009), "{scheduler}: {:?}", found.jobs);
    }
    Ok(())
}

#[test]
fn jobs_that_end_in_an_instant_are_not_moved_in_it() -> Tested {
    for jobs in [
        estimated(&[(16, 6, 1, 6), (20, 3, 2, 6), (20, 5, 1, 10), (22, 7, 4, 70), (23, 5, 3, 50)]),
        estimated(&[(12, 4, 2, 8), (16, 8, 1, 80), (18, 3, 4, 30), (21, 5, 5, 5)]),
        estimated(&[(12, 6, 4, 6), (17, 6, 5, 12), (18, 5, 5, 5), (31, 3, 3, 30)]),
    ] {
        for scheduler in ["easy:pass=per-event", "conservative", "easy"] {
            for costs in ["select_cost=0.1,schedule_cost=0.1", "select_cost=0,schedule_cost=0"] {
                let found = replay(&jobs, "10", scheduler, &format!("left-compaction:step_time=1,{costs}"))?;
                for (job, record) in jobs.iter().zip(found.jobs.iter().map(|job| &job.record)) {
                    assert_eq!(
                        record.end - record.start,
                        job.run + record.suspended,
                        "{scheduler} {costs}: {record:?}"
                    );
                }
            }
        }
    }
    Ok(())
}

#[test]
fn one_compaction_is_drawn() -> Tested {
    let at = tempfile::tempdir()?;
    let ran = run(at.path(), "show compaction --check")?;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    for line in [
        " AAAAAAAAAAA....B.CCC.DDDD....EEFFF...",
        "                         ^^^^^^^^^^^^^",
        " step 5: 33→23, 22→16",
        " AAAAAAAAAAABCCCDDDDEEFFF*************",
    ] {
        assert!(ran.stdout.lines().any(|found| found == line), "{line}: {}", ran.stdout);
    }
    assert!(ran.stdout.contains("checked: no two transfers cross"));
    for (arguments, message) in [
        ("--tasks 2-4 4-6", "--tasks 4-6: processor 4 has a task already"),
        ("--tasks 30-40", "the array has processors 0 to 36 only"),
        ("--tasks 5-3", "expected the first and the last processor, such as 3-5"),
        ("--request 0", "--request 0 cannot be served: expected 1 to 13, as 13 of 37 processors are free"),
        ("--request 14", "--request 14 cannot be served"),
        ("--processors 0", "expected a whole number from 1 to 16,777,216"),
    ] {
        let ran = run(at.path(), &format!("show compaction {arguments}"))?;
        assert_eq!(ran.code, Some(2), "{arguments}: {}", ran.stderr);
        assert!(ran.stderr.contains(message), "{arguments}: {}", ran.stderr);
    }
    let ran = run(at.path(), "show compaction --request 4")?;
    assert!(ran.stdout.contains("nothing has to move: processors 11 to 14 are free"), "{}", ran.stdout);
    for (spec, message) in [
        ("left-compaction:step_time=-1", "expected a number of seconds, at least 0"),
        ("left-compaction:height=0", "expected a whole number from 1"),
        ("best-of:left-compaction|naive", "expected members that leave running jobs where they are"),
    ] {
        let ran = run(at.path(), &format!("replay synthetic:jobs=5 -m 16 -a {spec}"))?;
        assert_eq!(ran.code, Some(2), "{spec}: {}", ran.stderr);
        assert!(ran.stderr.contains(message), "{spec}: {}", ran.stderr);
    }
    let ran = run(at.path(), "replay synthetic:jobs=5 -m 4x4 -a left-compaction")?;
    assert!(
        ran.code == Some(2) && ran.stderr.contains("'left-compaction' cannot serve machine 4x4"),
        "{}",
        ran.stderr
    );
    Ok(())
}

#[test]
fn reductions_on_the_real_logs_are_those_of_an_independent_program() -> Tested {
    let Some(traces) = shared("traces") else { return Ok(()) };
    let at = tempfile::tempdir()?;
    // Queue delay, allocation delay, completion time and gain in utilization in percent, first fit to
    // cost-free.
    for (log, array, expected) in [
        ("SDSC-Par-1996-3.1-cln", "400", [15.4, 14.4, 14.4, 16.8]),
        ("NASA-iPSC-1993-3.1-cln", "128", [4.9, 5.7, 5.7, 6.0]),
        ("NASA-iPSC-1993-3.1-cln", "256", [16.3, 16.2, 16.0, 19.0]),
        ("NASA-iPSC-1993-3.1-cln", "384", [20.0, 19.9, 19.3, 23.9]),
        ("NASA-iPSC-1993-3.1-cln", "512", [18.2, 18.4, 17.2, 20.8]),
    ] {
        let log = traces.join(format!("{log}.swf.gz"));
        let arguments = format!(
            "replay {} -m {array} -s fcfs -a linear-first-fit left-compaction cost-free-compaction --rules \
             allocated --arrivals uniform:max=0 --format json -q --no-timing",
            log.display()
        );
        let ran = run(at.path(), &arguments)?;
        let rows: serde_json::Value = serde_json::from_str(&ran.stdout)?;
        let of = |i: usize, column: &str| rows[i][column].as_f64().unwrap_or(f64::NAN);
        let percent = |i: usize| {
            ["queue_delay_s_mean", "allocation_delay_s_mean", "makespan_s", "utilization"].map(|column| {
                let ratio = of(i, column) / of(0, column);
                100.0 * if column == "utilization" { ratio - 1.0 } else { 1.0 - ratio }
            })
        };
        let (loc, cfc) = (percent(1), percent(2));
        for i in 0..4 {
            assert!((cfc[i] - expected[i]).abs() <= 0.1, "{array} {i}: {}", cfc[i]);
            assert!((cfc[i] - loc[i]).abs() <= 0.5, "{array} {i}: {} {}", loc[i], cfc[i]);
        }
        for column in ["queue_delay_s_mean", "allocation_delay_s_mean"] {
            let [ff, loc, cfc] = [0, 1, 2].map(|i| of(i, column));
            assert!(ff > loc && loc >= cfc, "{array}: {ff} {loc} {cfc}");
        }
    }
    Ok(())
}

#[test]
fn as_many_jobs_are_allocated_by_compaction_as_in_an_independent_program() -> Tested {
    let Some(traces) = shared("traces") else { return Ok(()) };
    let at = tempfile::tempdir()?;
    for (array, expected) in [(128, 1198), (384, 1779), (1024, 2080)] {
        let log = traces.join("NASA-iPSC-1993-3.1-cln.swf.gz");
        let arguments = format!(
            "replay {} -m {array} -s fcfs -a cost-free-compaction --rules allocated --arrivals uniform:max=0 \
             --format json -q --no-timing",
            log.display()
        );
        let ran = run(at.path(), &arguments)?;
        let rows: serde_json::Value = serde_json::from_str(&ran.stdout)?;
        let of = |column: &str| rows[0][column].as_u64();
        assert_eq!((of("compactions"), of("compactions_aborted")), (Some(expected), Some(0)), "{array}");
    }
    Ok(())
}
