//! A hand-made case for each cause.
#![expect(clippy::float_cmp, reason = "shares of whole seconds are exact")]

use super::{Explained, JobRun, JobWhy, WaitCause, explain};
use meshreplay_base::job::Time;

/// Returns a run of (submission, start, end, nodes, limit) in seconds. A limit of 0 is none.
fn run((submit, start, end, nodes, limit): (i64, i64, i64, u32, i64)) -> JobRun {
    let [submit, start, end] = [submit, start, end].map(Time::from_seconds);
    JobRun { submit, start, end, nodes, limit: (limit > 0).then(|| Time::from_seconds(limit)) }
}

/// Explains jobs on 10 nodes, with outages in seconds.
fn explained<const N: usize>(jobs: [(i64, i64, i64, u32, i64); N], outages: &[(i64, i64)]) -> Explained {
    let at = Time::from_seconds;
    let outages: Vec<_> = outages.iter().map(|&(begin, end)| (at(begin), at(end))).collect();
    explain(&jobs.map(run), &[(Time::ZERO, 10)], &outages, None)
}

/// Returns the times in seconds by cause, without those of 0 s.
fn seconds(why: &JobWhy) -> Vec<(WaitCause, f64)> {
    let times = WaitCause::ALL.map(|cause| (cause, why[cause].as_seconds()));
    times.into_iter().filter(|(_, seconds)| *seconds > 0.0).collect()
}

#[test]
fn a_job_larger_than_the_machine_waits_for_that() {
    let found = explained([(0, 70, 80, 11, 10), (5, 5, 9, 10, 10)], &[]);
    assert_eq!(seconds(&found.jobs[0]), [(WaitCause::TooLarge, 70.0)]);
    assert_eq!(seconds(&found.jobs[1]), []);
    // It can never start, so it is not overtaken.
    assert_eq!(found.overtaking, 0.0);
}

#[test]
fn a_job_waits_for_room_and_then_is_free_to_start() {
    let found = explained([(0, 0, 50, 6, 60), (10, 80, 90, 5, 10)], &[]);
    assert_eq!(seconds(&found.jobs[1]), [(WaitCause::NoRoom, 40.0), (WaitCause::Free, 30.0)]);
    assert_eq!(found.total.seconds(WaitCause::Free), 30.0);
    assert_eq!(found.total.share(WaitCause::NoRoom), 40.0 / 70.0);
}

#[test]
fn a_job_waits_for_the_reservation_of_the_oldest_blocked_one() {
    // Job 1 needs 8 nodes and gets them at 100 s, by the limit of job 0. Then 2 nodes are extra.
    let blocking = [(0, 0, 100, 6, 100), (1, 100, 120, 8, 20)];
    for (nodes, limit, expected) in
        [(3, 98, WaitCause::Free), (3, 99, WaitCause::Reserved), (2, 99, WaitCause::Free)]
    {
        let found = explained([blocking[0], blocking[1], (2, 90, 95, nodes, limit)], &[]);
        let first = if expected == WaitCause::Free { WaitCause::Free } else { WaitCause::Reserved };
        assert_eq!(seconds(&found.jobs[2]), [(first, 88.0)], "{nodes} {limit}");
    }
    // Without a limit a job never ends.
    let found = explained([blocking[0], blocking[1], (2, 90, 95, 3, 0)], &[]);
    assert_eq!(seconds(&found.jobs[2]), [(WaitCause::Reserved, 88.0)]);
}

#[test]
fn a_running_job_past_its_limit_ends_now() {
    // Job 0 should have ended at 10 s. At 20 s job 1 of 8 nodes is expected to start at once, with 2 extra
    // nodes, so job 2 may not take 3 of the 4 free ones for any time.
    let found = explained([(0, 0, 100, 6, 10), (20, 100, 120, 8, 20), (20, 130, 140, 3, 1)], &[]);
    assert_eq!(
        seconds(&found.jobs[2]),
        // From 100 to 120 s the first 8 nodes are in use.
        [(WaitCause::NoRoom, 20.0), (WaitCause::Reserved, 80.0), (WaitCause::Free, 10.0)]
    );
}

#[test]
fn a_job_waits_for_a_known_outage_and_delays_nobody_before_it() {
    // An outage from 100 to 200 s. Job 0 could not end before it. Job 1 could until 90 s.
    let jobs = [(0, 200, 220, 4, 110), (80, 210, 220, 4, 10)];
    let found = explained(jobs, &[(100, 200)]);
    assert_eq!(seconds(&found.jobs[0]), [(WaitCause::Outage, 200.0)]);
    // No event at 90 s: the cause at 80 s holds until the outage begins.
    let expected = [(WaitCause::Outage, 100.0), (WaitCause::Free, 30.0)];
    assert_eq!(seconds(&found.jobs[1]), expected);
}

#[test]
fn starts_that_overtake_are_counted() {
    // Job 2 starts before job 1, job 3 after it.
    let found =
        explained([(0, 0, 50, 6, 60), (10, 50, 60, 8, 10), (11, 12, 20, 2, 10), (12, 60, 70, 2, 9)], &[]);
    assert_eq!(found.overtaking, 0.25);
    assert_eq!(found.jobs[0].sum(), Time::ZERO);
}

#[test]
fn without_jobs_there_is_no_share() {
    let found = explain(&[], &[(Time::ZERO, 10)], &[], None);
    assert_eq!((found.total.share(WaitCause::Free), found.overtaking), (0.0, 0.0));
}
