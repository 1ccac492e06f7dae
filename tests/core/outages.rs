//! What holds for every allocator and every scheduler while nodes go down and come up, and two exact answers: one by hand,
//! one in closed form.

use std::collections::BTreeSet;

use meshreplay::allocator::{self, Built, Placement, Request, Served, Setup};
use meshreplay::engine::{self, Fate, Observer, OutagePlan, Parts, Record};
use meshreplay::execution::RecordedRunTimes;
use meshreplay::job::{Job, JobId, Shape, Time};
use meshreplay::machine::outages::{NodeChange, OutageSource, Outages, Treatment};
use meshreplay::machine::{Machine, Mesh, NodeId};
use meshreplay::scheduler;
use meshreplay::spec::Spec;
use meshreplay::stop::Stop;

use super::laws::specs;
use super::support::{Numbers, Tested};

const SCHEDULERS: [&str; 10] = [
    "fcfs",
    "easy",
    "conservative",
    "first-fit-queue",
    "easy:pass=per-event",
    "bypass-queue:threshold=40",
    "conservative:pass=per-event,compress=once",
    "easy:order=smallest",
    "bypass-queue:threshold=0,rule=literal",
    "conservative:pass=ends-first",
];

/// Follows a replay from the events that the engine reports.
struct Witness {
    nodes: u32,
    down: BTreeSet<NodeId>,
    /// The job on each node.
    holders: Vec<Option<JobId>>,
    kills: u32,
    failures: u32,
    /// The last number of available nodes that was reported.
    available: u32,
    label: String,
}

impl Witness {
    fn new(mesh: &Mesh, label: String) -> Self {
        let nodes = mesh.nodes();
        let holders = vec![None; nodes as usize];
        Self { nodes, down: BTreeSet::new(), holders, kills: 0, failures: 0, available: nodes, label }
    }
}

impl Observer for Witness {
    fn allocated(&mut self, _job: JobId, _placement: Option<&Placement>, _cost_ns: u64) {}

    fn released(&mut self, _cost_ns: u64) {}

    fn occupied(&mut self, job: JobId, nodes: &[NodeId], _now: Time) {
        for &node in nodes {
            assert!(!self.down.contains(&node), "{}: node {node} is down", self.label);
            assert_eq!(self.holders[node as usize].replace(job), None, "{}: node {node}", self.label);
        }
        let gone = self.down.iter().filter(|&&node| self.holders[node as usize].is_none()).count();
        assert_eq!(self.available, self.nodes - gone as u32, "{}", self.label);
    }

    fn vacated(&mut self, nodes: &[NodeId], _now: Time) {
        for &node in nodes {
            self.holders[node as usize] = None;
        }
    }

    fn changed(&mut self, node: NodeId, is_down: bool, _now: Time) {
        let is_new = if is_down { self.down.insert(node) } else { self.down.remove(&node) };
        assert!(is_new, "{}: the changes of node {node} alternate", self.label);
        self.failures += u32::from(is_down);
    }

    fn available(&mut self, nodes: u32, _now: Time) {
        self.available = nodes;
    }

    fn killed(&mut self, _job: JobId, _nodes: u32, _ran: Time, _now: Time) {
        self.kills += 1;
    }
}

/// Jobs for `mesh` that arrive in bursts, with estimates of which every other one is right.
fn random_jobs(mesh: &Mesh, count: i64, numbers: &mut Numbers) -> Vec<Job> {
    let mut submit_s = 50;
    let job = |number| {
        submit_s += i64::from(numbers.below(12) / 3);
        let run_s = i64::from(numbers.below(30));
        let estimate_s = if number % 2 == 0 { run_s } else { i64::from(numbers.below(60)) };
        let [submit, run, estimate] = [submit_s, run_s, estimate_s].map(Time::from_seconds);
        let largest = if numbers.below(8) == 0 { mesh.nodes() } else { mesh.nodes().div_ceil(3) };
        Job {
            number,
            submit,
            run,
            estimate,
            procs: 1 + numbers.below(largest),
            shape: Shape::NearSquare,
            ..Job::default()
        }
    };
    (1..=count).map(job).collect()
}

/// Replays jobs with outages, and returns their records and what was seen.
fn replay(
    jobs: &[Job],
    (mesh, allocator, scheduler): (&Mesh, &Spec, &str),
    outages: Option<(Outages, Treatment)>,
) -> Result<(Vec<Record>, Witness), Box<dyn std::error::Error>> {
    let mut built = allocator::build(allocator, &Setup { mesh, seed: 3 })?;
    let (mut scheduler, resolved) = scheduler::build(&scheduler.parse()?)?;
    let treatment = outages.as_ref().map(|(_, treatment)| treatment.to_string()).unwrap_or_default();
    let mut witness = Witness::new(mesh, format!("{allocator} under {resolved} on {mesh}, {treatment}"));
    let parts = Parts {
        mesh: mesh.clone(),
        scheduler: scheduler.as_mut(),
        allocator: &mut built.strategy,
        execution: &mut RecordedRunTimes::default(),
        timed: false,
        outages: outages.map(|(changes, treatment)| OutagePlan { changes, treatment }),
        stop: Stop::default(),
    };
    let records =
        engine::replay(jobs, parts, &mut witness).map_err(|error| format!("{}: {error}", witness.label))?;
    Ok((records, witness))
}

/// The allocators that serve `mesh` and move no jobs.
fn allocators(mesh: &Mesh) -> Result<Vec<Spec>, Box<dyn std::error::Error>> {
    let mut found = Vec::new();
    for (spec, _) in specs(mesh) {
        if !allocator::build(&spec, &Setup { mesh, seed: 3 })?.strategy.moves_jobs {
            found.push(spec);
        }
    }
    Ok(found)
}

/// The jobs for which the allocator finds nodes on the idle machine.
fn placeable(jobs: &[Job], mesh: &Mesh, spec: &Spec) -> Result<Vec<Job>, Box<dyn std::error::Error>> {
    let Built { mut strategy, .. } = allocator::build(spec, &Setup { mesh, seed: 3 })?;
    let machine = Machine::new(mesh.clone());
    let fits = |job: &&Job| strategy.propose(&Request::from(*job), &machine).is_some();
    Ok(jobs.iter().filter(fits).copied().collect())
}

/// Checks what holds for every job, however it ended.
fn check_jobs(jobs: &[Job], records: &[Record], witness: &Witness, limit: Option<u32>) {
    let label = &witness.label;
    for (job, record) in jobs.iter().zip(records) {
        match record.fate {
            Fate::Completed => {
                assert!(
                    record.start >= job.submit && record.end == record.start + job.run,
                    "{label}: {job:?}"
                );
                assert!(record.allocated >= job.procs && record.head <= record.start, "{label}: {job:?}");
                assert!(record.lost <= record.start - job.submit, "{label}: {job:?}");
            }
            Fate::GivenUp => assert_eq!(Some(record.restarts), limit, "{label}: {job:?}"),
            Fate::NeverStarted => {}
        }
        assert!(limit.is_none_or(|limit| record.restarts <= limit), "{label}: {job:?}");
    }
    let restarts: u32 = records.iter().map(|record| record.restarts).sum();
    let given_up = records.iter().filter(|record| record.fate == Fate::GivenUp).count() as u32;
    assert_eq!(witness.kills, restarts + given_up, "{label}");
    assert!(witness.holders.iter().all(Option::is_none), "{label}: a job still runs");
}

#[test]
fn nothing_is_placed_on_a_node_that_is_down_and_nothing_is_lost() -> Tested {
    let (mut replays, mut kills, mut given_up) = (0, 0, 0);
    for machine in ["13", "8x5", "5x4x3", "torus:6x5", "torus:4x3x3", "6x5x2:wrap=x", "ocs:6x2x2x2"] {
        let mesh: Mesh = machine.parse()?;
        let jobs = random_jobs(&mesh, 50, &mut Numbers(17));
        for spec in allocators(&mesh)? {
            let jobs = placeable(&jobs, &mesh, &spec)?;
            for treatment in [Treatment::Drain, Treatment::Requeue { limit: 3 }, Treatment::default()] {
                // The scheduler changes with every replay, so that each meets every kind of allocator.
                let scheduler = SCHEDULERS[replays % SCHEDULERS.len()];
                let seed = replays as u64;
                let source: OutageSource = "random:mtbf=400s,repair=30s".parse()?;
                let changes = source.on(&mesh, seed, Time::from_seconds(50))?;
                let (records, witness) =
                    replay(&jobs, (&mesh, &spec, scheduler), Some((changes, treatment)))?;
                let limit = match treatment {
                    Treatment::Drain => None,
                    Treatment::Requeue { limit } => Some(limit),
                };
                check_jobs(&jobs, &records, &witness, limit);
                // Nodes always come up again, so that every job has its turn.
                let ends = |fate| records.iter().filter(|record| record.fate == fate).count();
                assert_eq!(ends(Fate::NeverStarted), 0, "{}", witness.label);
                assert!(limit.is_some() || witness.kills == 0, "{}", witness.label);
                replays += 1;
                kills += witness.kills;
                given_up += ends(Fate::GivenUp);
            }
        }
    }
    assert!(replays > 500 && kills > 5_000 && given_up > 100, "{replays} {kills} {given_up}");
    Ok(())
}

#[test]
fn jobs_that_need_nodes_that_never_come_up_are_counted() -> Tested {
    let (mut replays, mut stranded) = (0, 0);
    for machine in ["13", "8x5", "torus:4x3x3"] {
        let mesh: Mesh = machine.parse()?;
        let jobs = random_jobs(&mesh, 40, &mut Numbers(23));
        let mut numbers = Numbers(29);
        // A third of the nodes goes down for good, one after the other.
        let nodes: BTreeSet<NodeId> = (0..mesh.nodes() / 3).map(|_| numbers.below(mesh.nodes())).collect();
        let change = |(i, &node): (usize, &NodeId)| NodeChange {
            time: Time::from_seconds(60 + 10 * i as i64),
            node,
            is_down: true,
        };
        let changes: Vec<NodeChange> = nodes.iter().enumerate().map(change).collect();
        let up = mesh.nodes() - nodes.len() as u32;
        for spec in allocators(&mesh)? {
            let jobs = placeable(&jobs, &mesh, &spec)?;
            let Built { promises, strategy, .. } = allocator::build(&spec, &Setup { mesh: &mesh, seed: 3 })?;
            for treatment in [Treatment::Drain, Treatment::default()] {
                let scheduler = SCHEDULERS[replays % SCHEDULERS.len()];
                let outages = (Outages::listed(changes.clone()), treatment);
                let (records, witness) = replay(&jobs, (&mesh, &spec, scheduler), Some(outages))?;
                check_jobs(&jobs, &records, &witness, (treatment != Treatment::Drain).then_some(1000));
                let never: Vec<&Job> = jobs
                    .iter()
                    .zip(&records)
                    .filter_map(|(job, record)| (record.fate == Fate::NeverStarted).then_some(job))
                    .collect();
                if promises.complete && matches!(strategy.served, Served::ByCount) {
                    let fits = |job: &&&Job| strategy.nodes_for(&Request::from(**job), &mesh).most <= up;
                    assert_eq!(never.iter().find(fits), None, "{}", witness.label);
                }
                replays += 1;
                stranded += never.len();
            }
        }
    }
    assert!(stranded > 100, "{stranded}");
    Ok(())
}

#[test]
fn without_a_change_a_replay_is_as_without_outages() -> Tested {
    let mesh: Mesh = "8x5".parse()?;
    let jobs = random_jobs(&mesh, 60, &mut Numbers(31));
    for spec in allocators(&mesh)? {
        let jobs = placeable(&jobs, &mesh, &spec)?;
        for scheduler in SCHEDULERS {
            let (plain, _) = replay(&jobs, (&mesh, &spec, scheduler), None)?;
            let none = (Outages::listed(Vec::new()), Treatment::default());
            let (found, witness) = replay(&jobs, (&mesh, &spec, scheduler), Some(none))?;
            assert_eq!(found, plain, "{}", witness.label);
        }
    }
    Ok(())
}

#[test]
fn a_large_head_waits_for_nodes_and_others_pass_it_under_backfilling() -> Tested {
    // Node 0 of 4 is down from 5 s to 100 s. Job 1 needs all four; jobs 2 and 3 fit beside each other.
    let job = |number: i64, submit_s: i64, procs: u32| {
        let [submit, run] = [submit_s, 10].map(Time::from_seconds);
        Job { number, submit, run, estimate: run, procs, shape: Shape::NearSquare, ..Job::default() }
    };
    let jobs = [job(1, 6, 4), job(2, 7, 2), job(3, 8, 1), job(4, 9, 3)];
    let change = |time_s, is_down| NodeChange { time: Time::from_seconds(time_s), node: 0, is_down };
    let outages = || (Outages::listed(vec![change(5, true), change(100, false)]), Treatment::default());
    let mesh: Mesh = "4".parse()?;
    for allocator in ["naive", "linear-first-fit", "paging:size=0"] {
        for (scheduler, expected) in [
            ("fcfs", [100, 110, 110, 120]),
            ("bypass-queue:threshold=0", [100, 110, 110, 120]),
            // Job 4 is the head of those that fit, so jobs 2 and 3 pass it only where they do not delay it.
            ("easy", [100, 7, 8, 18]),
            ("conservative", [100, 7, 8, 18]),
            ("easy:order=largest", [100, 7, 8, 18]),
        ] {
            let (records, _) = replay(&jobs, (&mesh, &allocator.parse()?, scheduler), Some(outages()))?;
            let starts: Vec<f64> = records.iter().map(|record| record.start.as_seconds()).collect();
            assert_eq!(starts, expected.map(f64::from), "{allocator} under {scheduler}");
        }
    }
    Ok(())
}
