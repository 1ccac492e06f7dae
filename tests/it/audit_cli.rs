//! `meshreplay audit` and `compare` on the command line: our schedules, schedules of other tools, wrong ones.

use std::fs;
use std::path::Path;

use meshreplay::audit::{Fits, Policy, PolicyCheck, Schedule, audit};
use meshreplay::frame::{Selection, read_schedule};
use meshreplay::job::Time;
use meshreplay::machine::Mesh;

use super::support::{Numbers, Tested, bundled, run, shared};

/// Writes a log of jobs given as number, submit time, wait time, run time and processors.
fn log(at: &Path, name: &str, jobs: &[[i64; 5]]) -> Tested {
    let line = |[number, submit, wait, run, procs]: &[i64; 5]| {
        format!("{number} {submit} {wait} {run} {procs} -1 -1 {procs} {run} -1 1 1 1 -1 1 1 -1 -1\n")
    };
    Ok(fs::write(at.join(name), jobs.iter().map(line).collect::<String>())?)
}

/// Frame sliding may refuse a job when more nodes are free than expected. The head of the queue must then get
/// its reserved nodes, even if no job could be backfilled when it became the head.
#[test]
fn the_head_keeps_its_promise_whatever_other_jobs_there_are() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let line = |[number, submit, run, procs, estimate]: [i64; 5]| {
        format!("{number} {submit} 0 {run} {procs} -1 -1 {procs} {estimate} -1 1 1 1 1 1 1 -1 -1\n")
    };
    let jobs = [[1, 0, 5, 1, 100], [2, 0, 50, 3, 50], [3, 0, 10, 2, 10], [4, 1, 10, 3, 10], [5, 2, 2, 1, 2]];
    for count in [4, 5] {
        fs::write(at.join("h.swf"), jobs.into_iter().take(count).map(line).collect::<String>())?;
        for scheduler in ["easy", "easy:pass=per-event", "easy:backfill=sjbf"] {
            let replay =
                format!("replay h.swf -m 7 -s {scheduler} -a frame-sliding --no-timing -q -o out --force");
            let ran = run(at, &format!("{replay} --placements --format csv"))?;
            assert_eq!(ran.code, Some(0), "{}", ran.stderr);
            let ran = run(at, "audit out --against easy")?;
            assert_eq!(ran.code, Some(0), "{scheduler}, {count} jobs: {}", ran.stdout);
        }
    }
    Ok(())
}

#[test]
fn our_own_schedules_are_what_they_should_be() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let replay =
        format!("replay {} --no-timing --placements --oversize skip -q", bundled("lublin-256-10k.swf.gz"));
    let replays = [
        ("fcfs", "-m 16x16 -a hilbert+bf mbs mc1x1 paging", &["fcfs", "easy"][..]),
        ("easy", "-m 16x16 -a hilbert+bf random mm", &["easy"]),
        ("easy:pass=per-event", "-m 8x8x4 -a hilbert+bf", &["easy"]),
        ("easy", "-m 16x16 -a first-fit gabl anca buddy-2d round-up-mbs", &["easy"]),
        ("fcfs", "-m 16x16 -a first-fit anca buddy-2d", &["fcfs"]),
        ("fcfs", "-m 256 -a left-compaction", &["fcfs"]),
        ("conservative", "-m 16x16 -a naive", &[]),
    ];
    for (scheduler, rest, policies) in replays {
        let ran = run(at, &format!("{replay} -s {scheduler} {rest} -o out --force"))?;
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        let count = rest.split(" -a ").nth(1).unwrap_or_default().split(' ').count();
        for number in 0..count {
            let against = policies.iter().map(|policy| format!(" --against {policy}"));
            for against in against.chain([String::new()]) {
                let ran = run(at, &format!("audit out --replay {number}{against}"))?;
                assert_eq!(ran.code, Some(0), "{scheduler} {rest}: {}{}", ran.stdout, ran.stderr);
                assert!(ran.stdout.contains(": no violation on "), "{}", ran.stdout);
                assert!(ran.stdout.contains("  nodes: followed of "), "{}", ran.stdout);
            }
        }
    }
    Ok(())
}

#[test]
fn logs_with_estimates_that_are_too_long_or_too_short_pass_too() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    for file in ["KTH-SP2-1996-2.1-cln", "SDSC-SP2-1998-4.2-cln"] {
        let Some(log) = shared(&format!("traces/{file}.swf.gz")) else { continue };
        for (overrun, void) in [("extend", false), ("run-on", true)] {
            let rest =
                "-m 16x8 -a naive -s easy easy:pass=per-event --oversize skip --placements --no-timing -q";
            let log = log.display();
            let ran = run(at, &format!("replay {log} {rest} --overrun {overrun} -o out --force"))?;
            assert_eq!(ran.code, Some(0), "{}", ran.stderr);
            for replay in [0, 1] {
                let ran = run(at, &format!("audit out --replay {replay} --against easy"))?;
                assert_eq!(ran.code, Some(0), "{file}: {}{}", ran.stdout, ran.stderr);
                assert_eq!(ran.stdout.contains(" shadow times, 0 void"), !void, "{}", ran.stdout);
            }
        }
    }
    Ok(())
}

#[test]
fn a_second_earlier_or_later_is_seen() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let log = bundled("lublin-256-10k.swf.gz");
    let ran = run(at, &format!("replay {log} -m 16x16 -a naive -s fcfs -o out --placements --no-timing -q"))?;
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    let saved = read_schedule(&at.join("out"), Selection::default())?.jobs;
    let schedule = Schedule { jobs: saved.walk().collect::<Result<_, _>>()?, left_out: saved.left_out() };
    let mesh: Mesh = "16x16".parse()?;
    let fcfs = || Some(PolicyCheck { policy: Policy::Fcfs, fits: Fits::Counts, known: None });
    assert!(audit(&schedule, &mesh, fcfs()).is_ok());
    let second = Time::from_seconds(1);
    let waited = (0..schedule.jobs.len()).filter(|&i| schedule.jobs[i].start > schedule.jobs[i].submit);
    for i in waited.step_by(97) {
        for later in [false, true] {
            let mut other = schedule.clone();
            let job = &mut other.jobs[i];
            let shifted = |time: Time| if later { time + second } else { time - second };
            (job.start, job.end) = (shifted(job.start), shifted(job.end));
            assert!(audit(&other, &mesh, fcfs()).is_err(), "job {} later: {later}", other.jobs[i].number);
        }
    }
    Ok(())
}

#[test]
fn easy_is_not_fcfs_and_the_first_to_overtake_is_named() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let log = bundled("tiny.swf");
    for scheduler in ["fcfs", "easy"] {
        let ran =
            run(at, &format!("replay {log} -m 4x4 -s {scheduler} -a naive -o {scheduler} --no-timing -q"))?;
        assert_eq!(ran.code, Some(0));
    }
    let ran = run(at, "audit easy --against fcfs")?;
    let expected =
        "easy: at 20 s, job 4 (row 4) starts; expected job 3 first, which arrived at 10 s and waits\n";
    assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (Some(1), expected, ""));
    let ran = run(at, "compare fcfs easy")?;
    assert_eq!(ran.code, Some(1), "{}", ran.stderr);
    let lines: Vec<&str> = ran.stdout.lines().collect();
    assert_eq!(lines[0], "first difference: at 20 s, job 4");
    let fcfs = "  fcfs starts it at 120 s; 4 of 16 processors free; running: 2 jobs; waiting: 3 (16 \
         processors, 100 s), 4 (4 processors, 30 s); starting: nobody";
    assert_eq!(lines[1], fcfs);
    assert!(
        lines[2].starts_with("  easy starts it; 4 of 16 processors free; ")
            && lines[2].ends_with("starting: 4")
    );
    assert!(lines[4].starts_with("starts that differ: "), "{}", ran.stdout);
    let same = run(at, "compare easy easy")?;
    assert_eq!((same.code, same.stdout.as_str()), (Some(0), "easy and easy are equal: 10 jobs\n"));
    // The two schedules have different machines.
    let wide = run(at, &format!("replay {log} -m 5x4 -s fcfs -a naive -o wide --no-timing -q"))?;
    assert_eq!(wide.code, Some(0));
    let lines = run(at, "compare fcfs wide")?.stdout;
    let free: Vec<&str> = lines.lines().filter(|line| line.contains("processors free")).collect();
    assert!(
        free[0].contains(" of 16 processors free") && free[1].contains(" of 20 processors free"),
        "{lines}"
    );
    Ok(())
}

#[test]
fn schedules_of_other_tools_are_read() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    log(at, "good.swf", &[[1, 0, 0, 100, 6], [2, 1, 99, 50, 8], [3, 2, 0, 98, 2], [4, 3, -1, -1, 2]])?;
    let ran = run(at, "audit good.swf --machine 10 --against easy")?;
    let expected = "good.swf: no violation on 10\n  3 jobs at 5 instants, at most 8 processors in use\n  \
         nodes: not known\n  easy: 2 instants at which jobs waited; 1 shadow time, 0 void\n  not checked: 1 \
         record of jobs that never ran, or whose run time is unknown\n";
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(0), expected), "{}", ran.stderr);
    log(at, "late.swf", &[[1, 0, 0, 100, 6], [2, 1, 101, 50, 8], [3, 2, 0, 100, 4]])?;
    let ran = run(at, "audit late.swf --machine 10 --against easy")?;
    let expected = "late.swf: at 100 s, job 2 (row 2) heads the queue and waits until 102 s; expected a \
         start by now, its shadow time when it became the head at 1 s\n";
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), expected));
    log(at, "over.swf", &[[1, 0, 0, 100, 6], [2, 1, 0, 50, 8]])?;
    let ran = run(at, "audit over.swf --machine 10")?;
    let expected =
        "over.swf: at 1 s, job 2 (row 2) takes 8 processors while 6 of 10 are in use; expected at most 4\n";
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), expected));
    let batsim = "job_id,workload_name,submission_time,requested_number_of_resources,requested_time,success,starting_time,finish_time,allocated_resources\nw0!2,w0,5.5,2,100,1,6,16,2-3\nw0!1,w0,0,3,100,1,0,10,0 2-3\n\
                  w0!3,w0,0,3,100,0,-1,-1,\n";
    fs::write(at.join("jobs.csv"), batsim)?;
    let ran = run(at, "audit jobs.csv --machine 2x2")?;
    let expected =
        "jobs.csv: at 6 s, job 2 (row 1) takes 2 processors while 3 of 4 are in use; expected at most 1\n";
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), expected), "{}", ran.stderr);
    let ran = run(at, "audit jobs.csv --machine 8")?;
    let expected =
        "jobs.csv: at 6 s, job 2 (row 1) takes node 2, which job 1 holds until 10 s; expected a free node\n";
    assert_eq!((ran.code, ran.stdout.as_str()), (Some(1), expected), "{}", ran.stderr);
    Ok(())
}

#[test]
fn jobs_of_batsim_have_a_start_or_a_state_that_needs_none() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let table = |rows: &str| {
        let head = "job_id,workload_name,submission_time,requested_number_of_resources,requested_time,final_state,starting_time,finish_time,allocated_resources";
        fs::write(at.join("jobs.csv"), format!("{head}\n{rows}\n"))
    };
    for (row, problem) in [
        ("1,w,0,4,10,COMPLETED_SUCCESSFULLY,zero,10,0-3", "'starting_time': found 'zero', expected a number"),
        (
            "1,w,0,4,10,COMPLETED_SUCCESSFULLY,,10,0-3",
            "'starting_time': found nothing, expected when it started",
        ),
        (
            "1,w,0,4,10,COMPLETED_SUCCESSFULLY,-1,10,0-3",
            "'starting_time': found '-1', expected when it started",
        ),
        ("1,w,0,4,10,,,,", "'final_state': found nothing, expected a state"),
    ] {
        table(&format!("2,w,0,4,10,COMPLETED_SUCCESSFULLY,0,10,4-7\n{row}"))?;
        let ran = run(at, "audit jobs.csv --machine 4x4")?;
        let place = format!("row 2, column {problem}");
        assert!(ran.code == Some(2) && ran.stderr.contains(&place), "{row}: {}{}", ran.stdout, ran.stderr);
    }
    table("1,w,0,4,10,REJECTED,-1,-1,\n2,w,0,4,10,COMPLETED_SUCCESSFULLY,0,10,0-7")?;
    let ran = run(at, "audit jobs.csv --machine 4x4")?;
    for line in [
        "not checked: 1 record of jobs that never ran, or whose run time is unknown",
        "sizes: 1 job with more nodes than asked for",
    ] {
        assert!(ran.code == Some(0) && ran.stdout.contains(line), "{}{}", ran.stdout, ran.stderr);
    }
    Ok(())
}

#[test]
fn wrong_schedules_get_one_clear_line() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    log(at, "nowait.swf", &[[1, 0, -1, 100, 6]])?;
    log(at, "a.swf", &[[1, 0, 0, 100, 6]])?;
    log(at, "b.swf", &[[1, 0, 0, 100, 5]])?;
    let head = "job,submit_s,start_s,end_s,estimate_s,procs,allocated,nodes\n";
    fs::write(at.join("few.csv"), "job,submit_s\n1,0\n")?;
    fs::write(at.join("text.csv"), format!("{head}1,0,soon,9,9,1,1,0\n"))?;
    fs::write(at.join("half.csv"), format!("{head}1,0,1,9,9,1.5,1,0\n"))?;
    fs::write(at.join("nodes.csv"), format!("{head}1,0,1,9,9,1,1,0\n2,0,1,9,9,1,1,3-x\n"))?;
    fs::write(at.join("bad.parquet"), "no parquet")?;
    fs::write(at.join("bad.arrow"), "no arrow")?;
    for (arguments, code, message) in [
        ("audit a.swf", 2, "a.swf does not say which machine it is of; give --machine, such as 16x8"),
        ("audit a.swf -m 8 --may-refuse", 2, "--against <AGAINST>"),
        (
            "audit nowait.swf -m 8",
            2,
            "nowait.swf:1: field 3 (wait time): found -1, expected the seconds from",
        ),
        ("audit few.csv -m 8", 2, "few.csv has no column 'start_s'; expected the jobs of"),
        ("audit text.csv -m 8", 2, "text.csv, row 1, column 'start_s': found 'soon', expected a number of"),
        (
            "audit half.csv -m 8",
            2,
            "half.csv, row 1, column 'procs': found '1.5', expected a whole number from 0",
        ),
        (
            "audit nodes.csv -m 8",
            2,
            "nodes.csv, row 2, column 'nodes': found '3-x', expected intervals of nodes",
        ),
        ("audit bad.parquet -m 8", 2, "bad.parquet cannot be read as a table; expected what its name says"),
        ("audit bad.arrow -m 8", 2, "bad.arrow cannot be read as a table"),
        ("audit none.csv -m 8", 2, "none.csv cannot be read: No such file"),
        (
            "compare a.swf b.swf",
            2,
            "a.swf and b.swf: job 1 asks for 6 processors at 0 s and for 5 processors at 0 s",
        ),
    ] {
        let ran = run(at, arguments)?;
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(code), ""), "{arguments}: {}", ran.stderr);
        assert!(ran.stderr.contains(message), "{arguments}: {}", ran.stderr);
        assert!(!ran.stderr.contains("panicked"), "{arguments}: {}", ran.stderr);
    }
    Ok(())
}

#[test]
fn damaged_tables_are_errors_and_no_panics() -> Tested {
    let directory = tempfile::tempdir()?;
    let at = directory.path();
    let mut numbers = Numbers(7);
    for format in ["parquet", "arrow", "csv", "json", "jsonl"] {
        let log = bundled("tiny.swf");
        let ran =
            run(at, &format!("replay {log} -m 4x4 -a naive -o {format} --format {format} -q --placements"))?;
        assert_eq!(ran.code, Some(0), "{}", ran.stderr);
        let whole = fs::read(at.join(format!("{format}/jobs.{format}")))?;
        for _ in 0..60 {
            let mut bytes = whole.clone();
            for _ in 0..=numbers.below(3) {
                let place = numbers.below(bytes.len() as u32) as usize;
                bytes[place] = numbers.below(256) as u8;
            }
            if numbers.below(3) == 0 {
                bytes.truncate(numbers.below(bytes.len() as u32) as usize);
            }
            fs::write(at.join(format!("damaged.{format}")), bytes)?;
            let ran = run(at, &format!("audit damaged.{format} -m 4x4 --against easy"))?;
            assert!(matches!(ran.code, Some(0..=2)), "{format}: {:?} {}", ran.code, ran.stderr);
            assert!(!ran.stderr.contains("panicked"), "{format}: {}", ran.stderr);
        }
    }
    Ok(())
}
