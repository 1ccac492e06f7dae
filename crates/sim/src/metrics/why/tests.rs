//! The accumulator against its plain twin on random events.

use super::twin::{Event, Twin, TwinJob};
use super::{JobWhy, WaitCause, Why};
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
