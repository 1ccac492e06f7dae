//! Results of other simulators, job by job: PReMAS (by the authors of walker-2010) and two versions of EASY.

use meshreplay_base::job::Time;
use meshreplay_logs::ReadOptions;
use meshreplay_study::study::{Outcome, load};
use meshreplay_testing::gunzip;
use meshreplay_workload::{Overrun, RuleSet, Rules, Status};

use meshreplay_sim::metrics::FinishedJob;

use super::support::{Tested, replay, shared, shared_log};

/// The logs replayed by PReMAS, with the machine of each.
const LOGS: [(&str, &str); 2] = [("KTH-SP2-1996-2", "10x10"), ("NASA-iPSC-1993-3.1-cln", "16x8")];

#[test]
fn start_and_end_of_every_job_equal_premas() -> Tested {
    for (log, machine) in LOGS {
        for (ours, theirs) in [("easy", "easy"), ("fcfs", "pqueue")] {
            let Some(file) = shared(&format!("oracle/premas/{log}__{theirs}.time.gz")) else { continue };
            let Some(loaded) = shared_log(log) else { continue };
            let outcome = replay(&loaded.workload.jobs, machine, ours, "naive")?;
            let text = gunzip(&file)?;
            let mut lines = 0;
            for (i, line) in text.lines().enumerate() {
                let fields: Vec<i64> =
                    line.split_whitespace().take(4).map(str::parse).collect::<Result<_, _>>()?;
                let (job, record) = (&loaded.workload.jobs[i], &outcome.jobs[i].record);
                let found = [Time::from_seconds(i as i64), job.submit, record.start, record.end];
                assert_eq!(
                    found,
                    [0, 1, 2, 3].map(|f| Time::from_seconds(fields[f])),
                    "{log}, {ours}, line {i}"
                );
                lines += 1;
            }
            assert_eq!(lines, outcome.jobs.len());
        }
    }
    Ok(())
}

/// (processors, run in seconds, pairwise sum) of every job, sorted.
fn multiset(outcome: &Outcome) -> Vec<(i64, i64, i64)> {
    let one = |FinishedJob { record, measures, .. }: &FinishedJob| {
        let run_s = (record.end - record.start).as_micros() / 1_000_000;
        (i64::from(record.allocated), run_s, measures.dispersal.pairwise_sum as i64)
    };
    let mut all: Vec<_> = outcome.jobs.iter().map(one).collect();
    all.sort_unstable();
    all
}

#[test]
fn pairwise_sums_of_all_jobs_equal_premas() -> Tested {
    let allocators = [
        ("column-snake+bf", "colsnake-bf"),
        ("column-snake+ff", "colsnake-ff"),
        ("column-snake+fl", "colsnake-fl"),
        ("layered-mbs", "mbs"),
        ("octet-mbs", "octet"),
        ("granular-mbs", "granular"),
        ("gen-alg", "genalg"),
        ("mm", "mm"),
        ("mc1x1", "mc1x1"),
        ("mc1x1-shells", "oldmc1x1"),
    ];
    let machines = [LOGS[0], LOGS[1], ("KTH-SP2-1996-2", "5x5x4")];
    for (log, machine) in machines {
        let Some(loaded) = shared_log(log) else { continue };
        for (ours, theirs) in allocators {
            for (scheduler, their_scheduler) in [("easy", "easy"), ("fcfs", "pqueue")] {
                let mesh = if machine == "5x5x4" { machine.to_owned() } else { format!("{machine}x1") };
                let name = format!("{log}__{mesh}__{their_scheduler}__{theirs}.alloc.gz");
                if their_scheduler == "pqueue" && !matches!(theirs, "colsnake-bf" | "granular") {
                    continue;
                }
                let Some(file) = shared(&format!("oracle/premas/{name}")) else { continue };
                let found = multiset(&replay(&loaded.workload.jobs, machine, scheduler, ours)?);
                let mut expected = Vec::new();
                for line in gunzip(&file)?.lines() {
                    let fields: Vec<i64> =
                        line.split_whitespace().map(str::parse).collect::<Result<_, _>>()?;
                    expected.push((fields[0], fields[1], fields[2]));
                }
                expected.sort_unstable();
                assert_eq!(found.len(), expected.len(), "{name}");
                let differ = found.iter().zip(&expected).position(|(a, b)| a != b);
                assert_eq!(differ.map(|i| (found[i], expected[i])), None, "{name}");
            }
        }
    }
    Ok(())
}

#[test]
fn easy_and_fcfs_equal_independent_schedulers_to_the_second() -> Tested {
    let rules =
        Rules { set: RuleSet::Requested, status: Status::All, overrun: Overrun::Kill, ..Rules::default() };
    for (log, machine) in [("NASA", "128"), ("KTH-SP2", "100"), ("SDSC-SP2", "128"), ("HPC2N", "240")] {
        let Some(path) = shared(&format!("oracle/easy/{log}.norm.swf.gz")) else { continue };
        let jobs = load(&path, ReadOptions::default(), rules.clone())?.workload.jobs;
        for (scheduler, file) in
            [("fcfs", "FCFS"), ("easy", "EASY.batch"), ("easy:pass=per-event", "EASY.per-event")]
        {
            let Some(path) = shared(&format!("oracle/easy/{log}.{file}.csv.gz")) else { continue };
            let outcome = replay(&jobs, machine, scheduler, "naive")?;
            let text = gunzip(&path)?;
            let mut expected = Vec::new();
            for line in text.lines().skip(1) {
                let fields: Vec<i64> = line.split(',').map(str::parse).collect::<Result<_, _>>()?;
                expected.push((fields[0], Time::from_seconds(fields[2]), Time::from_seconds(fields[3])));
            }
            let mut found: Vec<_> = jobs
                .iter()
                .zip(outcome.jobs.iter().map(|job| &job.record))
                .map(|(job, record)| (job.number, record.start, record.end))
                .collect();
            expected.sort_unstable();
            found.sort_unstable();
            assert_eq!(found.len(), expected.len(), "{log}, {file}");
            let differences = found.iter().zip(&expected).filter(|(a, b)| a != b).count();
            assert_eq!(differences, 0, "{log}, {file}");
        }
    }
    Ok(())
}

#[test]
fn every_variant_of_conservative_backfilling_equals_its_published_schedule() -> Tested {
    let rules =
        Rules { set: RuleSet::Requested, status: Status::All, overrun: Overrun::Kill, ..Rules::default() };
    for (log, machine) in [("NASA", "128"), ("KTH-SP2", "100"), ("SDSC-SP2", "128")] {
        let Some(path) = shared(&format!("oracle/easy/{log}.norm.swf.gz")) else { continue };
        let jobs = load(&path, ReadOptions::default(), rules.clone())?.workload.jobs;
        for (variant, file) in [
            ("pass=batch,compress=repeat", "batch-until-still"),
            ("pass=batch,compress=once", "batch-once"),
            ("pass=ends-first,compress=once", "ends-first-once"),
            ("pass=per-event,compress=once", "per-event-once"),
        ] {
            let Some(path) = shared(&format!("oracle/conservative/{log}.{file}.csv.gz")) else { continue };
            let mut expected = Vec::new();
            for line in gunzip(&path)?.lines().skip(1) {
                let (job, start) = line.split_once(',').ok_or("two columns")?;
                expected.push((job.parse::<i64>()?, Time::from_seconds(start.parse()?)));
            }
            let outcome = replay(&jobs, machine, &format!("conservative:{variant}"), "naive")?;
            let mut found: Vec<_> = jobs
                .iter()
                .zip(outcome.jobs.iter().map(|job| &job.record))
                .map(|(job, record)| (job.number, record.start))
                .collect();
            expected.sort_unstable();
            found.sort_unstable();
            assert_eq!(found.len(), expected.len(), "{log}, {file}");
            let differences = found.iter().zip(&expected).filter(|(a, b)| a != b).count();
            assert_eq!(differences, 0, "{log}, {file}");
        }
    }
    Ok(())
}
