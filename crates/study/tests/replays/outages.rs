//! Invariants for every allocator and every scheduler during outages, and two exact results: one by hand, one
//! in closed form.

use std::collections::BTreeSet;

use meshreplay_alloc::allocator::{self, Built, Request, Served, Setup};
use meshreplay_alloc::laws::with_holes;
use meshreplay_base::job::{Job, JobId, Shape, Time};
use meshreplay_base::spec::Spec;
use meshreplay_base::stop::Stop;
use meshreplay_machine::machine::outages::{NodeChange, OutageSource, Outages, Treatment};
use meshreplay_machine::machine::{Machine, Mesh, NodeId};
use meshreplay_sim::engine::{self, Fate, JobList, Observer, OutagePlan, Parts, Placed, Record};
use meshreplay_sim::execution::{JobTraffic, RecordedRunTimes};
use meshreplay_sim::scheduler;

use super::scheduler_laws::schedulers;
use super::support::{Numbers, Tested};
use meshreplay_alloc::laws::variants;

/// Checks the events that the engine reports during a replay.
struct Witness {
    nodes: u32,
    down: BTreeSet<NodeId>,
    /// Job on each node.
    holders: Vec<Option<JobId>>,
    kills: u32,
    failures: u32,
    /// Number of node changes, starts and ends of runs.
    events: u64,
    /// Last reported number of available nodes.
    available: u32,
    label: String,
    /// The final records.
    records: Vec<Record>,
}

impl Witness {
    fn new(mesh: &Mesh, label: String) -> Self {
        let nodes = mesh.nodes();
        let holders = vec![None; nodes as usize];
        let available = mesh.available();
        // Unavailable nodes are down from the start.
        let down = (0..nodes).filter(|&node| !mesh.is_available(node)).collect();
        Self { nodes, down, holders, kills: 0, failures: 0, events: 0, available, label, records: Vec::new() }
    }
}

impl Observer for Witness {
    fn allocated(&mut self, _job: JobId, _placed: Option<Placed<'_>>, _cost_ns: u64) {}

    fn released(&mut self, _cost_ns: u64) {}

    fn occupied(&mut self, job: JobId, nodes: &[NodeId], _now: Time) {
        self.events += 1;
        for &node in nodes {
            assert!(!self.down.contains(&node), "{}: node {node} is down", self.label);
            assert_eq!(self.holders[node as usize].replace(job), None, "{}: node {node}", self.label);
        }
        let gone = self.down.iter().filter(|&&node| self.holders[node as usize].is_none()).count();
        assert_eq!(self.available, self.nodes - gone as u32, "{}", self.label);
    }

    fn vacated(&mut self, nodes: &[NodeId], _now: Time) {
        self.events += 1;
        for &node in nodes {
            self.holders[node as usize] = None;
        }
    }

    fn changed(&mut self, node: NodeId, is_down: bool, _now: Time) {
        let is_new = if is_down { self.down.insert(node) } else { self.down.remove(&node) };
        assert!(is_new, "{}: the changes of node {node} alternate", self.label);
        self.failures += u32::from(is_down);
        self.events += 1;
    }

    fn on_job_final(&mut self, _job: &Job, record: &Record, _traffic: Option<JobTraffic>) {
        self.records.push(*record);
    }

    fn available(&mut self, nodes: u32, _now: Time) {
        self.available = nodes;
    }

    fn killed(&mut self, _job: JobId, _nodes: u32, _ran: Time, _now: Time) {
        self.kills += 1;
    }
}

/// Jobs for `mesh` that arrive in bursts. Every other estimate is exact.
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

/// Replays jobs with outages. Returns their records and the witness.
fn replay(
    jobs: &[Job],
    (mesh, allocator, scheduler): (&Mesh, &Spec, &Spec),
    outages: Option<(Outages, Treatment)>,
) -> Result<(Vec<Record>, Witness), Box<dyn std::error::Error>> {
    let mut built = allocator::build(allocator, &Setup::new(mesh, 3))?;
    let (mut scheduler, resolved) = scheduler::build(scheduler)?;
    let treatment = outages.as_ref().map(|(_, treatment)| treatment.to_string()).unwrap_or_default();
    let mut witness = Witness::new(mesh, format!("{allocator} under {resolved} on {mesh}, {treatment}"));
    let parts = Parts {
        opening: None,
        mesh: mesh.clone(),
        scheduler: scheduler.as_mut(),
        allocator: &mut built.strategy,
        execution: &mut RecordedRunTimes::default(),
        timed: false,
        outages: outages.map(|(changes, treatment)| OutagePlan { changes, treatment }),
        predictions: None,
        stop: Stop::default(),
    };
    engine::replay(&mut JobList::new(jobs, mesh)?, parts, &mut witness)
        .map_err(|error| format!("{}: {error}", witness.label))?;
    Ok((std::mem::take(&mut witness.records), witness))
}

/// Allocators that serve `mesh` and do not move jobs.
fn allocators(mesh: &Mesh) -> Result<Vec<Spec>, Box<dyn std::error::Error>> {
    let mut found = Vec::new();
    for (spec, _) in variants(mesh)? {
        if !allocator::build(&spec, &Setup::new(mesh, 3))?.strategy.moves_jobs {
            found.push(spec);
        }
    }
    Ok(found)
}

/// Keeps the jobs that the allocator can place on an idle machine.
fn placeable(jobs: &[Job], mesh: &Mesh, spec: &Spec) -> Result<Vec<Job>, Box<dyn std::error::Error>> {
    let Built { mut strategy, .. } = allocator::build(spec, &Setup::new(mesh, 3))?;
    let machine = Machine::new(mesh.clone());
    let fits = |job: &&Job| strategy.propose(&Request::from(*job), &machine).is_some();
    Ok(jobs.iter().filter(fits).copied().collect())
}

/// Checks the invariants of every job, whether it ended normally or not.
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

/// Totals over replays with outages.
#[derive(Default)]
struct Totals {
    replays: usize,
    events: u64,
    kills: u32,
    given_up: usize,
    never_started: usize,
}

impl Totals {
    /// Replays jobs with outages, checks the invariants and adds up the results.
    fn add(
        &mut self,
        jobs: &[Job],
        parts: (&Mesh, &Spec, &Spec),
        (changes, treatment): (Outages, Treatment),
    ) -> Tested {
        let (records, witness) = replay(jobs, parts, Some((changes, treatment)))?;
        let limit = match treatment {
            Treatment::Drain => None,
            Treatment::Requeue { limit } => Some(limit),
        };
        check_jobs(jobs, &records, &witness, limit);
        assert!(limit.is_some() || witness.kills == 0, "{}", witness.label);
        let ends = |fate| records.iter().filter(|record| record.fate == fate).count();
        self.replays += 1;
        self.events += witness.events;
        self.kills += witness.kills;
        self.given_up += ends(Fate::GivenUp);
        self.never_started += ends(Fate::NeverStarted);
        Ok(())
    }
}

const TREATMENTS: [Treatment; 3] =
    [Treatment::Drain, Treatment::Requeue { limit: 3 }, Treatment::Requeue { limit: 1000 }];

#[test]
fn nothing_is_placed_on_a_node_that_is_down_and_nothing_is_lost() -> Tested {
    let (schedulers, mut totals) = (schedulers()?, Totals::default());
    for machine in ["13", "8x5", "5x4x3", "torus:6x5", "torus:4x3x3", "6x5x2:wrap=x", "ocs:6x2x2x2"] {
        let whole: Mesh = machine.parse()?;
        // The whole machine, and machines with unavailable nodes.
        let holes = with_holes(&whole, 37);
        let hole = holes.get(totals.replays % holes.len().max(1)).cloned();
        for mesh in std::iter::once(whole).chain(hole) {
            let jobs = random_jobs(&mesh, 40, &mut Numbers(17));
            for spec in allocators(&mesh)? {
                let jobs = placeable(&jobs, &mesh, &spec)?;
                for treatment in TREATMENTS {
                    // Another scheduler for every replay, so that each scheduler runs with every kind of
                    // allocator.
                    let scheduler = &schedulers[totals.replays % schedulers.len()];
                    let source: OutageSource = "random:mtbf=400s,repair=30s".parse()?;
                    let changes = source.on(&mesh, totals.replays as u64, Time::from_seconds(50))?;
                    totals.add(&jobs, (&mesh, &spec, scheduler), (changes, treatment))?;
                }
            }
        }
    }
    let Totals { replays, events, kills, given_up, never_started } = totals;
    // Nodes always come up again, so every job starts.
    assert_eq!(never_started, 0);
    assert!(replays > 1000 && kills > 5_000 && given_up > 100, "{replays} {kills} {given_up}");
    assert!(events > 100_000, "{events}");
    Ok(())
}

/// Random changes: several nodes at the same time, outages of 0 s, nodes that are down for good, and
/// sometimes the whole machine.
fn random_changes(mesh: &Mesh, numbers: &mut Numbers) -> Vec<NodeChange> {
    let (mut changes, mut down, mut time_s) = (Vec::new(), BTreeSet::new(), 40);
    let nodes: Vec<NodeId> = (0..mesh.nodes()).filter(|&node| mesh.is_available(node)).collect();
    for _ in 0..30 {
        time_s += i64::from(numbers.below(20) / 2);
        let count = match numbers.below(12) {
            0 => nodes.len(),
            1 | 2 => nodes.len() / 3 + 1,
            _ => 1 + numbers.below(2) as usize,
        };
        let first = numbers.below(nodes.len() as u32) as usize;
        for i in 0..count {
            let node = nodes[(first + i) % nodes.len()];
            let is_down = if down.remove(&node) { false } else { down.insert(node) };
            changes.push(NodeChange { time: Time::from_seconds(time_s), node, is_down });
        }
    }
    changes
}

#[test]
fn every_scheduler_meets_every_allocator_in_random_histories_of_nodes() -> Tested {
    let (mut totals, mut numbers) = (Totals::default(), Numbers(41));
    let machines: Vec<Mesh> = ["6x5", "torus:4x3x2", "7x5:without=1,9-11,30", "ocs:2x2x2x2", "13"]
        .iter()
        .map(|machine| machine.parse())
        .collect::<Result<_, _>>()?;
    // Combinations of every scheduler, machine and allocator.
    for (i, scheduler) in schedulers()?.iter().enumerate() {
        for (j, mesh) in machines.iter().enumerate() {
            let all = random_jobs(mesh, 24, &mut Numbers(19 + i as u64));
            for (k, spec) in allocators(mesh)?.iter().enumerate() {
                // To save time, each scheduler runs with an allocator on a part of its machines only.
                if (i + j + k) % 2 == 1 && j > 0 {
                    continue;
                }
                let jobs = placeable(&all, mesh, spec)?;
                let changes = Outages::listed(random_changes(mesh, &mut numbers));
                totals.add(&jobs, (mesh, spec, scheduler), (changes, TREATMENTS[(i + k) % 3]))?;
            }
        }
    }
    let Totals { replays, events, kills, never_started, .. } = totals;
    assert!(
        events > 200_000 && kills > 5_000 && never_started > 500,
        "{replays} {events} {kills} {never_started}"
    );
    Ok(())
}

#[test]
fn jobs_that_need_nodes_that_never_come_up_are_counted() -> Tested {
    let (mut replays, mut stranded, schedulers) = (0, 0, schedulers()?);
    for machine in ["13", "8x5", "torus:4x3x3"] {
        let mesh: Mesh = machine.parse()?;
        let jobs = random_jobs(&mesh, 40, &mut Numbers(23));
        let mut numbers = Numbers(29);
        // Up to a third of the nodes go down for good, one after the other.
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
            let Built { promises, strategy, .. } = allocator::build(&spec, &Setup::new(&mesh, 3))?;
            for treatment in [Treatment::Drain, Treatment::default()] {
                let scheduler = &schedulers[replays % schedulers.len()];
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
    let (jobs, schedulers) = (random_jobs(&mesh, 60, &mut Numbers(31)), schedulers()?);
    for spec in allocators(&mesh)? {
        let jobs = placeable(&jobs, &mesh, &spec)?;
        for scheduler in &schedulers {
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
    // Node 0 of 4 is down from 5 s to 100 s. Job 1 needs all four; jobs 2 and 3 fit at the same time.
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
            // Job 1 cannot run before 100 s, and jobs 2 to 4 pass it.
            ("easy", [100, 7, 8, 18]),
            ("conservative", [100, 7, 8, 18]),
            ("easy:order=largest", [100, 7, 8, 18]),
        ] {
            let (records, _) =
                replay(&jobs, (&mesh, &allocator.parse()?, &scheduler.parse()?), Some(outages()))?;
            let starts: Vec<f64> = records.iter().map(|record| record.start.as_seconds()).collect();
            assert_eq!(starts, expected.map(f64::from), "{allocator} under {scheduler}");
        }
    }
    Ok(())
}

#[test]
fn pages_with_a_node_that_is_down_count_for_no_shadow_time() -> Tested {
    // Pages of 2x2 nodes on 6x4, row by row. Pages 2 and 3 each have a node that is down, so six free nodes
    // are useless. Jobs 1 to 3 have pages 0, 1 and 4, and page 5 is free. Job 4 needs two pages: it gets them
    // when job 2 ends at 10 s, unless job 5 takes the free page for 500 s. By node counts alone, six nodes
    // would be left for job 5.
    let job = |number: i64, submit_s: i64, procs: u32, run_s: i64| {
        let [submit, run] = [submit_s, run_s].map(Time::from_seconds);
        Job { number, submit, run, estimate: run, procs, shape: Shape::NearSquare, ..Job::default() }
    };
    let jobs = [job(1, 0, 4, 100), job(2, 0, 4, 10), job(3, 0, 4, 1000), job(4, 1, 8, 10), job(5, 2, 4, 500)];
    let changes = [4, 12].map(|node| NodeChange { time: Time::ZERO, node, is_down: true });
    let mesh: Mesh = "6x4".parse()?;
    for scheduler in ["easy", "easy:pass=per-event"] {
        let outages = (Outages::listed(changes.to_vec()), Treatment::default());
        let (records, _) =
            replay(&jobs, (&mesh, &"paging:size=1".parse()?, &scheduler.parse()?), Some(outages))?;
        let starts: Vec<f64> = records.iter().map(|record| record.start.as_seconds()).collect();
        assert_eq!(starts, [0.0, 0.0, 0.0, 10.0, 20.0], "{scheduler}");
    }
    Ok(())
}
