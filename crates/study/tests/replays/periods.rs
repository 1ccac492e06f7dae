//! Replays of a period: the state at its beginning, and numbers inside it.

use std::sync::Arc;

use meshreplay_base::job::{Job, Origin, Period, Time};
use meshreplay_sim::metrics::{FinishedJob, Monitor};
use meshreplay_study::study::{JobSource, Options, Outcome, Replay, ReplaySpec};
use meshreplay_testing::{Numbers, Tested};

const NODES: u32 = 64;

/// Returns the outcome of a replay of these jobs on 8x8.
fn replayed(
    scheduler: &str,
    allocator: &str,
    jobs: Vec<Job>,
    period: Option<Period>,
) -> Result<Outcome, Box<dyn std::error::Error>> {
    let spec = ReplaySpec::new("8x8".parse()?, scheduler.parse()?, allocator.parse()?);
    let replay = Replay::new(ReplaySpec { period, ..spec }, JobSource::recorded(Arc::new(jobs), 0));
    let options = Options { jobs: true, audit: true, ..Options::default() };
    Ok(replay.run(&options, &Monitor::default())?.pop().ok_or("no outcome")?)
}

/// Returns a busy site's jobs, with the waits that a scheduler gave them.
fn site(scheduler: &str) -> Result<Vec<Job>, Box<dyn std::error::Error>> {
    let mut numbers = Numbers(11);
    let mut submit = 0;
    let mut job = |number: i64| {
        submit += i64::from(numbers.below(1100));
        let run = i64::from(30 + numbers.below(3600) * (1 + numbers.below(3)));
        let estimate = run + i64::from(numbers.below(2) * numbers.below(9000));
        let [submit, run, estimate] = [submit, run, estimate].map(Time::from_seconds);
        Job {
            number,
            submit,
            run,
            estimate,
            procs: 1 + numbers.below(20).min(numbers.below(20)),
            ..Job::default()
        }
    };
    let mut jobs: Vec<Job> = (1..=1500).map(&mut job).collect();
    let outcome = replayed(scheduler, "hilbert+bf", jobs.clone(), None)?;
    for (job, finished) in jobs.iter_mut().zip(&outcome.jobs) {
        job.logged.wait = Some(finished.record.start - job.submit);
    }
    Ok(jobs)
}

#[test]
fn a_period_continues_the_schedule_to_the_second() -> Tested {
    for scheduler in ["easy", "fcfs", "first-fit-queue"] {
        let jobs = site(scheduler)?;
        for (from, to) in [(700, 1200), (300, 310), (1, 1490)] {
            let [from, to] = [from, to].map(|at: usize| jobs[at].submit);
            let period = Period { from, to };
            let inside: Vec<Job> = jobs.iter().filter(|job| period.has(job)).copied().collect();
            let origins = |origin| inside.iter().filter(|job| period.origin(job) == origin).count();
            assert!(origins(Origin::Carried) > 0 && origins(Origin::Submitted) > 0);
            for replays in [scheduler, "recorded"] {
                let outcome = replayed(replays, "hilbert+bf", inside.clone(), Some(period))?;
                assert_eq!(outcome.jobs.len(), inside.len());
                assert_eq!(outcome.summary.get("carried_refused"), Some(0.0));
                let (mut waited, mut busy) = (0.0, 0.0);
                for FinishedJob { job, record, .. } in &outcome.jobs {
                    let start = job.recorded_start().ok_or("a wait")?;
                    // Later arrivals are missing, which matter only for starts after the end.
                    if start < to || record.start < to {
                        assert_eq!(record.start, start, "{replays} {period}: job {}", job.number);
                        assert_eq!(record.end, start + job.run);
                    }
                    waited += period.overlap(job.submit, start).as_seconds();
                    busy += period.overlap(start, start + job.run).as_seconds() * f64::from(job.procs);
                }
                let number = |name: &str| outcome.summary.get(name).unwrap_or(f64::NAN);
                let near = |a: f64, b: f64| (a - b).abs() < 1e-9 * b.abs().max(1.0);
                let submitted = origins(Origin::Submitted) as f64;
                assert!(near(number("wait_s_mean"), waited / submitted), "{replays} {period}");
                let length = (to - from).as_seconds();
                assert!(
                    near(number("utilization"), busy / (length * f64::from(NODES))),
                    "{replays} {period}"
                );
                assert!(near(number("jobs_in_means"), submitted));
            }
        }
    }
    Ok(())
}

#[test]
fn jobs_without_a_place_at_the_beginning_wait_at_the_head_and_are_counted() -> Tested {
    let jobs = site("easy")?;
    let period = Period { from: jobs[700].submit, to: jobs[900].submit };
    let inside: Vec<Job> = jobs.iter().filter(|job| period.has(job)).copied().collect();
    // Rectangles do not fit as recorded.
    let outcome = replayed("easy", "first-fit", inside.clone(), Some(period))?;
    let late = |FinishedJob { job, record, .. }: &&FinishedJob| {
        period.origin(job) == Origin::Carried && record.start > period.from
    };
    let late = outcome.jobs.iter().filter(late).count() as u64;
    let number = |name: &str| outcome.summary.get(name).unwrap_or(f64::NAN);
    assert!(late > 0 && number("carried_refused_share") > 0.0);
    assert_eq!(number("carried_refused") as u64, late);
    assert_eq!(outcome.jobs.len(), inside.len());
    Ok(())
}
