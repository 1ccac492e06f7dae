//! `--audit`: replays of every scheduler with allocators of every family pass. Every distortion of the events
//! between the engine and the audit is found, with the job, the time and the rule.

use std::sync::Arc;

use meshreplay_alloc::allocator::{self, Setup};
use meshreplay_base::job::{Job, JobId, Time};
use meshreplay_base::stop::Stop;
use meshreplay_machine::machine::{Mesh, NodeId};
use meshreplay_sim::engine::{self, JobList, Observer, Parts, Placed, Record, ReplayError};
use meshreplay_sim::execution::{self, JobTraffic};
use meshreplay_sim::metrics::Monitor;
use meshreplay_sim::scheduler::{self, SCHEDULERS};
use meshreplay_study::audit::LiveAudit;
use meshreplay_study::study::{JobSource, Options, Outcome, Replay, ReplaySpec};

use crate::support::{Numbers, Tested, records};

/// Generated jobs that compete for 64 nodes. Some run for 0 s, and several arrive at the same time.
fn jobs(count: i64) -> Vec<Job> {
    let (mut numbers, mut submit) = (Numbers(5), 0);
    let job = |number| {
        submit += i64::from(numbers.below(3) * numbers.below(30));
        let run = Time::from_seconds(i64::from(numbers.below(9) * numbers.below(60)));
        let estimate = run + Time::from_seconds(i64::from(numbers.below(200)));
        let procs = 1 + numbers.below(if number % 9 == 0 { 50 } else { 12 });
        let submit = Time::from_seconds(submit);
        let mut job = Job { number: 1000 + number, submit, run, estimate, procs, ..Job::default() };
        job.logged.wait = Some(Time::ZERO);
        job
    };
    (1..=count).map(job).collect()
}

/// Replays jobs with these options.
fn replayed(
    [machine, scheduler, allocator, network]: [&str; 4],
    options: &Options,
) -> Result<Outcome, Box<dyn std::error::Error>> {
    let mut spec = ReplaySpec::new(machine.parse()?, scheduler.parse()?, allocator.parse()?);
    spec.network = Arc::new(network.parse()?);
    let replay = Replay::new(spec, JobSource::recorded(Arc::new(jobs(250)), 0));
    Ok(replay.run(options, &Monitor::default())?.remove(0))
}

#[test]
fn audited_replays_pass_and_have_the_results_of_others() -> Tested {
    let plain = Options { jobs: true, ..Options::default() };
    let mut failing = plain.clone();
    failing.outages = Some("random:mtbf=3h,repair=10min".parse()?);
    let mut draining = failing.clone();
    draining.on_outage = "drain".parse()?;
    let mut audited = 0;
    for scheduler in SCHEDULERS.iter().map(|row| row.name).filter(|name| *name != scheduler::RECORDED) {
        for (machine, allocator) in [
            ("8x8", "naive"),
            ("8x8", "hilbert+bf"),
            ("8x8", "mc1x1"),
            ("8x8", "first-fit"),
            ("8x8", "mbs"),
            ("torus:4x4x4", "random"),
            ("64", "left-compaction"),
            ("64", "snug"),
        ] {
            for (network, options) in
                [("recorded", &plain), ("wormhole", &plain), ("recorded", &failing), ("recorded", &draining)]
            {
                let is_plain = network == "recorded" && options.outages.is_none();
                if allocator.contains("compaction") && !is_plain {
                    continue;
                }
                let specs = [machine, scheduler, allocator, network];
                let expected = replayed(specs, options).map_err(|error| format!("{specs:?}: {error}"))?;
                let options = Options { audit: true, ..options.clone() };
                let found = replayed(specs, &options).map_err(|error| format!("{specs:?}: {error}"))?;
                assert_eq!(records(&found), records(&expected), "{specs:?}");
                audited += 1;
            }
        }
    }
    println!("{audited} replays audited");
    assert!(audited >= 120, "{audited}");
    Ok(())
}

/// The distortion between the engine and the audit, from a given event on.
#[derive(Clone, Copy, Debug)]
enum Wrong {
    Nothing,
    /// A job takes the first node of the previous job.
    Shared,
    /// A job keeps one of its nodes.
    Kept,
    /// A placement lacks a node.
    Short,
    /// A job gets its nodes a second late.
    Late,
    /// A record ends a second early.
    Early,
    /// A record starts before the submission.
    Before,
    /// A record has more nodes than the job had.
    More,
}

/// An observer that forwards events to the audit and distorts them from event number `at` on.
struct Distorted<'a> {
    audit: LiveAudit<'a>,
    wrong: Wrong,
    at: u32,
    starts: u32,
    ends: u32,
    leaves: u32,
    /// The nodes of the last start.
    last: Vec<NodeId>,
}

impl Observer for Distorted<'_> {
    fn allocated(&mut self, job: JobId, placed: Option<Placed<'_>>, cost_ns: u64) {
        self.audit.allocated(job, placed, cost_ns);
    }

    fn occupied(&mut self, job: JobId, nodes: &[NodeId], now: Time) {
        self.starts += 1;
        let (mut nodes, mut now) = (nodes.to_vec(), now);
        if self.starts >= self.at {
            match self.wrong {
                Wrong::Shared => nodes[0] = self.last.first().copied().unwrap_or(nodes[0]),
                Wrong::Short => drop(nodes.pop()),
                Wrong::Late => now = now + Time::from_seconds(1),
                _ => {}
            }
        }
        self.last.clone_from(&nodes);
        self.audit.occupied(job, &nodes, now);
    }

    fn vacated(&mut self, nodes: &[NodeId], now: Time) {
        self.ends += 1;
        let keeps = usize::from(matches!(self.wrong, Wrong::Kept) && self.ends >= self.at);
        self.audit.vacated(&nodes[keeps..], now);
    }

    fn released(&mut self, cost_ns: u64) {
        self.audit.released(cost_ns);
    }

    fn on_job_final(&mut self, job: &Job, record: &Record, traffic: Option<JobTraffic>) {
        self.leaves += 1;
        let mut record = *record;
        if self.leaves >= self.at {
            match self.wrong {
                Wrong::Early => record.end = record.end - Time::from_seconds(1),
                Wrong::Before => record.start = job.submit - Time::from_micros(1),
                Wrong::More => record.allocated += 1,
                _ => {}
            }
        }
        self.audit.on_job_final(job, &record, traffic);
    }
}

/// An observer that ignores all events.
struct Nothing;

impl Observer for Nothing {
    fn allocated(&mut self, _: JobId, _: Option<Placed<'_>>, _: u64) {}
    fn released(&mut self, _: u64) {}
}

/// Returns the error of a distorted replay, or an empty text if it succeeds.
fn distorted(wrong: Wrong, at: u32) -> Result<String, Box<dyn std::error::Error>> {
    let (mesh, jobs, stop): (Mesh, _, _) = ("8x8".parse()?, jobs(100), Stop::default());
    let setup = Setup::new(&mesh, 1);
    let mut built = allocator::build(&"hilbert+bf".parse()?, &setup)?;
    let (mut scheduler, _) = scheduler::build(&"easy".parse()?)?;
    let setup = execution::Setup { mesh: &mesh, jobs: jobs.len(), seed: 1 };
    let (mut execution, _) = execution::build(&"recorded".parse()?, &setup)?;
    let mut nothing = Nothing;
    let audit = LiveAudit::new(&mesh, &mut nothing, stop.clone());
    let mut distorted = Distorted { audit, wrong, at, starts: 0, ends: 0, leaves: 0, last: Vec::new() };
    let parts = Parts {
        opening: None,
        mesh: mesh.clone(),
        scheduler: scheduler.as_mut(),
        allocator: &mut built.strategy,
        execution: execution.as_mut(),
        timed: false,
        outages: None,
        predictions: None,
        stop,
    };
    match engine::replay(&mut JobList::new(&jobs, &mesh)?, parts, &mut distorted) {
        Ok(()) => Ok(distorted.audit.finish().err().unwrap_or_default()),
        Err(ReplayError::Failed(message)) => Ok(message),
        Err(error) => Err(error.into()),
    }
}

#[test]
fn what_is_wrong_is_found_with_job_time_and_rule() -> Tested {
    assert_eq!(distorted(Wrong::Nothing, 1)?, "");
    for (wrong, rule) in [
        (Wrong::Shared, "expected a free node"),
        (Wrong::Kept, "expected all of them"),
        (Wrong::Short, "expected its own nodes"),
        (Wrong::Late, "expected them at its start"),
        (Wrong::Early, "expected them at its end"),
        (Wrong::Before, " s or later"),
        (Wrong::More, "which it is said to hold"),
    ] {
        for at in [2, 30, 99] {
            let said = distorted(wrong, at)?;
            assert!(
                said.starts_with("the audit finds that the replay is wrong: at "),
                "{wrong:?} {at}: {said}"
            );
            assert!(said.contains(rule) && said.contains(" s, job 1"), "{wrong:?} {at}: {said}");
        }
    }
    Ok(())
}
