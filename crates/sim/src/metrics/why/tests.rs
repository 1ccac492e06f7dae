//! The accumulator against its plain twin on random events.
#![expect(clippy::float_cmp, reason = "shares of whole seconds are exact")]

use super::twin::{Event, Twin, TwinJob};
use super::{Explained, JobRun, JobWhy, WaitCause, Why, explain};
use meshreplay_base::job::Time;
use meshreplay_testing::Numbers;

/// The accumulator and its twin, which get the same events.
struct Pair {
    why: Why,
    twin: Twin,
}

impl Pair {
    fn new(nodes: u32, outages: &[(Time, Time)]) -> Self {
        Self { why: Why::new(nodes).with_outages(outages), twin: Twin::new(nodes, outages) }
    }

    /// Carries out an event in both. The times of a job that leaves must be equal.
    fn apply(&mut self, event: Event) -> Option<JobWhy> {
        let expected = self.twin.apply(event);
        match event {
            Event::Advance(to) => self.why.advance(to),
            Event::Arrive(job, submit, nodes, limit) => self.why.arrive(job, submit, nodes, limit),
            Event::Start(job) => {
                let nodes = self.twin.job(job).nodes;
                self.why.start(job, nodes);
            }
            Event::End(job) => assert_eq!(Some(self.why.remove(job)), expected, "job {job}"),
            Event::Requeue(job) => {
                self.why.end(job);
                let TwinJob { submit, nodes, limit, .. } = *self.twin.job(job);
                self.why.arrive(job, submit, nodes, limit);
            }
            Event::Refuse(job) => self.why.refuse(job),
            Event::Up(up) => self.why.set_up(up),
        }
        expected
    }
}

/// Random events, possible or not: more nodes in use than there are, starts without regard to order, limits
/// that are too short. `busy` is the number of jobs that wait before many start.
fn random_events(numbers: &mut Numbers, instants: u32, busy: u32) -> JobWhy {
    let nodes = 1 + numbers.below(40);
    let at = |seconds: u32| Time::from_seconds(i64::from(seconds));
    let outages: Vec<(Time, Time)> = (0..numbers.below(4))
        .map(|at_outage| (at_outage * 900 + 100 + numbers.below(500), 1 + numbers.below(300)))
        .map(|(begin, length)| (at(begin), at(begin + length)))
        .collect();
    let mut pair = Pair::new(nodes, &outages);
    let (mut now, mut next, mut sums) = (0, 0, JobWhy::default());
    for _ in 0..instants {
        now += 1 + numbers.below(9);
        pair.apply(Event::Advance(at(now)));
        // At least one event at each instant.
        for _ in 0..=numbers.below(3) {
            let limit = (numbers.below(8) > 0).then(|| at(numbers.below(400)));
            let most = if numbers.below(3) == 0 { nodes + 1 } else { nodes.div_ceil(4) };
            let size = 1 + numbers.below(most);
            let submit = at(now.saturating_sub(numbers.below(2) * numbers.below(30)));
            pair.apply(Event::Arrive(next, submit, size, limit));
            next += 1;
        }
        if numbers.below(20) == 0 {
            pair.apply(Event::Up(numbers.below(nodes + 1)));
        }
        let waiting = pair.twin.jobs.iter().filter(|job| job.start.is_none()).count() as u32;
        let starts_of_10 = if waiting > busy { 9 } else { 1 };
        for job in pair.twin.jobs.clone() {
            let choice = numbers.below(40);
            if job.start.is_some() && choice < 8 {
                let why = pair.apply(if choice == 0 { Event::Requeue(job.id) } else { Event::End(job.id) });
                sums += &why.unwrap_or_default();
            } else if job.start.is_none() && numbers.below(10) < starts_of_10 && numbers.below(waiting) < 5 {
                pair.apply(Event::Start(job.id));
            } else if job.start.is_none() && choice < 3 {
                pair.apply(if choice == 0 { Event::End(job.id) } else { Event::Refuse(job.id) });
            }
        }
    }
    sums
}

#[test]
fn random_events_give_the_times_of_the_twin() {
    let mut numbers = Numbers(70);
    let mut sums = JobWhy::default();
    for _ in 0..300 {
        sums += &random_events(&mut numbers, 60, 8);
    }
    // Every cause has occurred.
    assert!(WaitCause::ALL.into_iter().all(|cause| sums[cause] > Time::from_seconds(500)), "{sums:?}");
}

#[test]
fn long_queues_give_the_times_of_the_twin() {
    let mut numbers = Numbers(71);
    for _ in 0..6 {
        random_events(&mut numbers, 2_500, 300);
    }
}

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
