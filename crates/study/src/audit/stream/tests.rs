//! The streaming audit against a naive audit that looks at all jobs at every instant.

use std::collections::BTreeSet;

use super::super::fixture::{job, stream};
use super::super::{Fits, Policy, Schedule, audit};
use super::*;
use meshreplay_machine::machine::{Machine, NodeId};

/// The result of an audit: the instants, the peak, and the decisions, promises and void promises of a policy;
/// or the time and the job of the first violation.
type Found = Result<[u64; 5], (Time, i64)>;

/// Returns a pseudo-random number below `below`.
fn noise(seed: u64, below: u64) -> i64 {
    (seed.wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29).wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 33)
        .checked_rem(below)
        .unwrap_or_default() as i64
}

/// Returns jobs in the order of arrival, mostly feasible, some with nodes.
fn jobs(seed: u64, count: u64, nodes: u64) -> Vec<ScheduledJob> {
    let mut submit = 0;
    let of = |i: u64| {
        let draw = |k: u64, below: u64| noise(seed * 1009 + i * 31 + k, below);
        submit += draw(1, 4);
        let start = submit + if draw(2, 3) == 0 { draw(3, 9) } else { 0 } - i64::from(draw(4, 400) == 0);
        let end = start + draw(5, 12) - i64::from(draw(6, 300) == 0);
        let procs = 1 + draw(7, 2) as u32;
        let first = (i * 2 % (nodes - 1)) as u32;
        let placed = (draw(8, 2) == 0).then(|| vec![(first, first + procs - 1)]);
        let estimate =
            Time::from_seconds((end - start).max(0) + if draw(9, 9) == 0 { draw(10, 5) - 2 } else { 0 });
        ScheduledJob { row: i + 1, estimate, nodes: placed, ..job(i as i64 + 1, [submit, start, end], procs) }
    };
    (0..count).map(of).collect()
}

/// Audits by looking at all jobs at every instant.
fn naive(jobs: &[ScheduledJob], nodes: u32, policy: Option<Policy>) -> Found {
    let runs = |job: &&ScheduledJob| job.end > job.start;
    let ends = jobs.iter().filter(runs).map(|job| job.end);
    let instants: BTreeSet<Time> = jobs.iter().flat_map(|job| [job.submit, job.start]).chain(ends).collect();
    let [mut peak, mut decisions, mut promises, mut voids] = [0_u64; 4];
    // The job, its deadline, and whether the promise is void.
    let mut promise: Option<(usize, Time, bool)> = None;
    for &now in &instants {
        let expected = |job: &ScheduledJob| job.start + job.estimate;
        let ran = |job: &&ScheduledJob| runs(job) && job.start < now && job.end >= now;
        if let Some((i, by, void)) = promise.filter(|(_, by, _)| *by < now) {
            if !void && !jobs.iter().filter(ran).any(|job| expected(job) < now) {
                return Err((by, jobs[i].number));
            }
            voids += 1;
            promise = Some((i, Time::MAX, void));
        }
        let outlived = jobs.iter().filter(ran).any(|job| job.end == now && job.end > expected(job));
        promise = promise.map(|(i, by, void)| (i, by, void || outlived));
        let mut running: Vec<&ScheduledJob> = jobs.iter().filter(|job| ran(job) && job.end > now).collect();
        let used = |running: &[&ScheduledJob]| running.iter().map(|job| job.allocated).sum::<u32>();
        for job in jobs.iter().filter(|job| job.start == now) {
            let taken: BTreeSet<NodeId> = running.iter().flat_map(|other| other.each_node()).collect();
            let is_possible = job.start >= job.submit && job.end >= job.start;
            let fits =
                used(&running) + job.allocated <= nodes && job.each_node().all(|node| !taken.contains(&node));
            if !is_possible || runs(&job) && !fits {
                return Err((now, job.number));
            }
            running.extend(Some(job).filter(runs));
        }
        peak = peak.max(u64::from(used(&running)));
        let Some(policy) = policy else { continue };
        promise = promise.filter(|(i, ..)| jobs[*i].start > now);
        let tie = |job: &ScheduledJob| if policy == Policy::Easy { job.submit } else { job.start };
        let waits = |job: &ScheduledJob| job.submit <= now && job.start > now;
        let queue = jobs.iter().enumerate().filter(|(_, job)| waits(job));
        let Some((i, head)) = queue.min_by_key(|(i, job)| (job.submit, tie(job), *i)) else {
            promise = None;
            continue;
        };
        let overtakes = |job: &&ScheduledJob| job.start == now && job.submit > head.submit;
        if let (Policy::Fcfs, Some(job)) = (policy, jobs.iter().find(overtakes)) {
            return Err((now, job.number));
        }
        decisions += 1;
        if used(&running) + head.allocated <= nodes {
            return Err((now, head.number));
        }
        if policy == Policy::Easy && promise.is_none_or(|(of, ..)| of != i) {
            promises += 1;
            let frees = |by: Time| {
                running
                    .iter()
                    .filter(|job| expected(job).max(now) <= by)
                    .map(|job| job.allocated)
                    .sum::<u32>()
            };
            let times: BTreeSet<Time> = running.iter().map(|job| expected(job).max(now)).collect();
            let by = times.into_iter().find(|&by| nodes - used(&running) + frees(by) >= head.allocated);
            promise = Some((i, by.unwrap_or(Time::MAX), false));
        }
    }
    Ok([instants.len() as u64, peak, decisions, promises, voids])
}

fn short(found: Result<AuditCounts, Violation>) -> Found {
    let counts = |found: AuditCounts| {
        [found.instants, u64::from(found.peak), found.decisions, found.promises, found.void]
    };
    found.map(counts).map_err(|violation| (violation.at, violation.number))
}

/// Schedules in order are audited as they are read, and others are sorted in many pieces. A naive audit of
/// all jobs at once gives the same result.
#[test]
fn jobs_in_any_order_give_what_a_naive_audit_finds() -> io::Result<()> {
    let (mut right, mut wrong) = ([0; 3], [0; 3]);
    for seed in 0..900 {
        let nodes = [5, 9, 64][seed as usize % 3];
        let mesh = Mesh::new(&[nodes as u32]).expect("a machine");
        let mut jobs = jobs(seed, [4, 30, 90][seed as usize / 3 % 3], nodes);
        for order in 0..2 {
            for (at, policy) in [None, Some(Policy::Fcfs), Some(Policy::Easy)].into_iter().enumerate() {
                let promised =
                    || policy.map(|policy| PolicyCheck { policy, fits: Fits::Counts, known: None });
                let found = audit_within(1 << 10, &mut || Ok(stream(&jobs)), &[], &mesh, promised(), None)?;
                let whole = audit(&Schedule { jobs: jobs.clone(), left_out: 0 }, &mesh, promised());
                assert_eq!(found, whole, "{seed} {order} {policy:?}");
                let (found, expected) = (short(found), naive(&jobs, nodes as u32, policy));
                assert_eq!(found, expected, "{seed} {order} {policy:?}");
                if found.is_ok() { right[at] += 1 } else { wrong[at] += 1 }
            }
            // The order of rows decides between jobs that arrive together.
            jobs.sort_by_key(|job| noise(job.row + seed, 1 << 20));
        }
    }
    assert!(right.iter().chain(&wrong).all(|&count| count > 60), "{right:?} {wrong:?}");
    Ok(())
}

/// Additional runs count like jobs at the end of the schedule.
#[test]
fn runs_beside_the_schedule_are_merged() -> io::Result<()> {
    let mesh = Mesh::new(&[64]).expect("a machine");
    for seed in 0..60 {
        let jobs = jobs(seed, 30, 64);
        for turned in [false, true] {
            let (mut listed, beside) = jobs.split_at(20);
            let reversed: Vec<_> = listed.iter().rev().cloned().collect();
            if turned {
                listed = &reversed;
            }
            let all = Schedule { jobs: [listed, beside].concat(), left_out: 0 };
            let found = audit_stream(&mut || Ok(stream(listed)), beside, &mesh, None, None)?;
            assert_eq!(found, audit(&all, &mesh, None));
        }
    }
    Ok(())
}

/// An error of reading takes precedence, even if it comes after a violation.
#[test]
fn errors_of_reading_come_before_violations() {
    let mesh = Mesh::new(&[4]).expect("a machine");
    let large = job(1, [0, 0, 5], 9);
    let mut read = || -> io::Result<ScheduleStream<'_, io::Error>> {
        let late = [Ok(large.clone()), Ok(job(2, [9, 9, 10], 1)), Err(io::ErrorKind::InvalidData.into())];
        Ok(Box::new(late.into_iter()))
    };
    let found = audit_stream(&mut read, &[], &mesh, None, None).map_err(|error| error.kind());
    assert_eq!(found, Err(io::ErrorKind::InvalidData));
}

/// The promise to a head that has started in time is kept, although it is unknown whether the next head fits.
#[test]
fn a_promise_ends_with_the_start() -> io::Result<()> {
    let mesh = Mesh::new(&[4]).expect("a machine");
    // Job 1 is expected to end at 9 s and ends at 5 s, when job 2 starts.
    let on_all = |job: ScheduledJob| ScheduledJob { nodes: Some(vec![(0, 3)]), ..job };
    let first = ScheduledJob { estimate: Time::from_seconds(9), ..job(1, [0, 0, 5], 4) };
    let jobs = [first, job(2, [1, 5, 50], 4), job(3, [2, 50, 60], 4)].map(on_all);
    let mut has_place =
        |job: &ScheduledJob, machine: &Machine| (job.number < 3).then(|| job.procs <= machine.free_count());
    let fits = Fits::Places(&mut has_place);
    let promised = PolicyCheck { policy: Policy::Easy, fits, known: None };
    let found = audit_stream(&mut || Ok(stream(&jobs)), &[], &mesh, Some(promised), None)?;
    assert_eq!(found.map(|checked| checked.promises), Ok(1));
    Ok(())
}
