//! RFold's simulator (github.com/shuoshuc/RFold), job by job: starts, nodes and shapes of its five policies
//! on 8×8×8 nodes, as one torus or as eight cubes of 4×4×4.

use std::collections::BTreeMap;

use meshreplay_alloc::allocator::{self, Request, Setup};
use meshreplay_base::job::{Job, JobId, Shape, Time};
use meshreplay_base::stop::Stop;
use meshreplay_machine::machine::{Machine, Mesh, NodeId};
use meshreplay_sim::engine::{self, JobList, Observer, Parts, Placed, Record};
use meshreplay_sim::execution::{self, JobTraffic};
use meshreplay_sim::scheduler;
use meshreplay_testing::gunzip;

use super::support::{Tested, shared};

/// The longest side that fits the simulator's machine.
const LONGEST: u32 = 8;

/// The table of ../shared/oracle/rfold/README.md: the jobs, the policy, how many jobs started and were
/// skipped, the mean wait and the mean completion time in seconds, the utilization, and the last end in
/// seconds.
type Row = (&'static str, &'static str, [i64; 2], [f64; 2], f64, i64);
const TABLE: [Row; 10] = [
    ("tpu", "firstfit", [379, 21], [195_574.9, 220_051.2], 0.5199, 4_457_148),
    ("tpu", "folding", [379, 21], [195_574.9, 220_051.2], 0.5199, 4_457_148),
    ("tpu", "reconfig", [400, 0], [459_114.2, 483_408.4], 0.5214, 5_185_500),
    ("tpu", "rfold", [400, 0], [459_114.2, 483_408.4], 0.5214, 5_185_500),
    ("tpu", "slurm_hilbert", [381, 19], [187_035.2, 211_426.8], 0.5224, 4_451_969),
    ("odd", "firstfit", [300, 0], [72_018.2, 96_816.8], 0.4930, 893_871),
    ("odd", "folding", [300, 0], [81_384.4, 106_183.0], 0.4731, 931_492),
    ("odd", "reconfig", [300, 0], [67_879.2, 92_677.8], 0.4924, 894_911),
    ("odd", "rfold", [300, 0], [70_354.9, 95_153.5], 0.4953, 889_728),
    ("odd", "slurm_hilbert", [300, 0], [795.8, 25_594.4], 0.5715, 771_120),
];

/// The simulator's result for a job: start in seconds, shape used, and sorted nodes.
type Expected = (i64, [u32; 3], Vec<NodeId>);

/// An observer that keeps the nodes of every job in rank order, and its record.
struct Nodes(Vec<Vec<NodeId>>, Vec<Record>);

impl Observer for Nodes {
    fn allocated(&mut self, job: JobId, placed: Option<Placed<'_>>, _cost_ns: u64) {
        if let Some(Placed { placement, .. }) = placed {
            self.0[job as usize].clone_from(&placement.nodes);
        }
    }

    fn released(&mut self, _cost_ns: u64) {}

    fn on_job_final(&mut self, _job: &Job, record: &Record, _traffic: Option<JobTraffic>) {
        self.1.push(*record);
    }
}

/// Reads the numbers of a line of a CSV file.
fn numbers(line: &str) -> Result<Vec<i64>, std::num::ParseIntError> {
    line.split(',').map(str::parse).collect()
}

fn sides(numbers: &[i64]) -> [u32; 3] {
    [0, 1, 2].map(|d| numbers[d] as u32)
}

/// The jobs of a file.
fn jobs(text: &str) -> Result<Vec<Job>, Box<dyn std::error::Error>> {
    let job = |line: &str| -> Result<Job, Box<dyn std::error::Error>> {
        let fields = numbers(line)?;
        let Request { procs, shape, .. } = Request::sides(sides(&fields[3..]));
        let (submit, run) = (Time::from_seconds(fields[1]), Time::from_seconds(fields[2]));
        Ok(Job { number: fields[0], submit, run, estimate: run, procs, shape, ..Job::default() })
    };
    text.lines().skip(1).map(job).collect()
}

/// The results of the simulator, by job. Jobs that it skipped are absent.
fn expected(text: &str) -> Result<BTreeMap<i64, Expected>, Box<dyn std::error::Error>> {
    let mut found = BTreeMap::new();
    for line in text.lines().skip(1) {
        let (facts, nodes) = line.rsplit_once(',').ok_or("too few columns")?;
        if !nodes.is_empty() {
            let facts = numbers(facts)?;
            let mut nodes: Vec<NodeId> = nodes.split(' ').map(str::parse).collect::<Result<_, _>>()?;
            nodes.sort_unstable();
            found.insert(facts[0], (facts[1], sides(&facts[2..]), nodes));
        }
    }
    Ok(found)
}

/// The record of each job, and its nodes in rank order.
type Replayed = (Vec<Record>, Vec<Vec<NodeId>>);

/// Replays jobs first come, first served. Returns the records, and the nodes of each job in rank order.
fn replay(jobs: &[Job], machine: &str, allocator: &str) -> Result<Replayed, Box<dyn std::error::Error>> {
    let mesh: Mesh = machine.parse()?;
    let mut built = allocator::build(&allocator.parse()?, &Setup::new(&mesh, 0))?;
    let (mut scheduler, _) = scheduler::build(&"fcfs".parse()?)?;
    let setup = execution::Setup { mesh: &mesh, jobs: jobs.len(), seed: 0 };
    let (mut execution, _) = execution::build(&"recorded".parse()?, &setup)?;
    let mut list = JobList::new(jobs, &mesh)?;
    let parts = Parts {
        opening: None,
        mesh,
        scheduler: scheduler.as_mut(),
        allocator: &mut built.strategy,
        execution: execution.as_mut(),
        outages: None,
        timed: false,
        predictions: None,
        stop: Stop::default(),
    };
    let mut nodes = Nodes(vec![Vec::new(); jobs.len()], Vec::new());
    engine::replay(&mut list, parts, &mut nodes)?;
    Ok((nodes.1, nodes.0))
}

/// Skips the jobs that the allocator cannot place on an idle machine, as `--oversize skip` does. The
/// simulator skips them at the head of the queue, with the same result, because no job waits for them.
fn placeable(jobs: Vec<Job>, machine: &str, allocator: &str) -> Result<Vec<Job>, Box<dyn std::error::Error>> {
    let idle = Machine::new(machine.parse()?);
    let mut built = allocator::build(&allocator.parse()?, &Setup::new(idle.mesh(), 0))?;
    let fits = |job: &Job| built.strategy.propose(&Request::from(job), &idle).is_some();
    Ok(jobs.into_iter().filter(fits).collect())
}

/// Skips the jobs that the simulator skips with `slurm_hilbert`: a job with a side that is too long runs only
/// if it can start when it becomes the head of the queue. No job passes it, so earlier starts do not depend
/// on it, and such jobs are found one after the other.
fn startable(
    mut jobs: Vec<Job>,
    machine: &str,
    allocator: &str,
) -> Result<Vec<Job>, Box<dyn std::error::Error>> {
    loop {
        let (records, _) = replay(&jobs, machine, allocator)?;
        let is_long =
            |job: &Job| matches!(job.shape, Shape::Sides(sides) if sides.iter().any(|&side| side > LONGEST));
        let skipped = jobs.iter().zip(&records).position(|(job, at)| is_long(job) && at.start > at.head);
        let Some(skipped) = skipped else { return Ok(jobs) };
        jobs.remove(skipped);
    }
}

/// The simulator's number of a node: x + 8 y + 64 z. It numbers cubes with z fastest.
fn their_number(mesh: &Mesh, node: NodeId) -> NodeId {
    let [x, y, z] = mesh.coord(node);
    let Some([width, length, depth]) = mesh.cube() else { return node };
    let cube = z / depth;
    let at = [cube / 4 * width + x, cube / 2 % 2 * length + y, cube % 2 * depth + z % depth];
    at[0] + 8 * (at[1] + 8 * at[2])
}

/// Whether the nodes in rank order are a box of this shape. The box may wrap around the torus, and its parts
/// may come from different cubes.
fn is_box(mesh: &Mesh, nodes: &[NodeId], shape: [u32; 3]) -> bool {
    let (extents, cube) = (mesh.extents(), mesh.cube().unwrap_or([u32::MAX; 3]));
    // The corner of each part, by its number along x, y and z.
    let mut corners: BTreeMap<[u32; 3], [u32; 3]> = BTreeMap::new();
    let fits = |(i, &node): (u32, &NodeId)| {
        let in_box = [i % shape[0], i / shape[0] % shape[1], i / shape[0] / shape[1]];
        let (at, part) = (mesh.coord(node), [0, 1, 2].map(|d| in_box[d] / cube[d]));
        let corner = [0, 1, 2].map(|d| (at[d] + extents[d] - in_box[d] % cube[d]) % extents[d]);
        *corners.entry(part).or_insert(corner) == corner
    };
    nodes.len() as u32 == shape.iter().product::<u32>() && (0..).zip(nodes).all(fits)
}

#[test]
fn boxes_on_a_torus_equal_those_of_rfold() -> Tested {
    equal("firstfit", "torus:8x8x8", "rfold-first-fit")?;
    equal("folding", "torus:8x8x8", "rfold-folding")
}

#[test]
fn windows_along_the_hilbert_curve_equal_those_of_rfold() -> Tested {
    equal("slurm_hilbert", "torus:8x8x8", "hilbert+ff")
}

#[test]
fn boxes_of_parts_of_cubes_equal_those_of_rfold() -> Tested {
    equal("reconfig", "ocs:8x4x4x4", "rfold-reconfig")?;
    equal("rfold", "ocs:8x4x4x4", "rfold")
}

/// Compares a policy of the simulator with our allocator: starts, nodes and shapes of all jobs of both files.
fn equal(policy: &str, machine: &str, allocator: &str) -> Tested {
    let mesh: Mesh = machine.parse()?;
    for log in ["tpu", "odd"] {
        let Some(file) = shared(&format!("oracle/rfold/{log}.jobs.csv")) else { continue };
        let all = jobs(&std::fs::read_to_string(file)?)?;
        let asked = all.len();
        let Some(file) = shared(&format!("oracle/rfold/{log}.{policy}.csv.gz")) else { continue };
        let expected = expected(&gunzip(&file)?)?;
        let mut jobs = placeable(all, machine, allocator)?;
        if policy == "slurm_hilbert" {
            jobs = startable(jobs, machine, allocator)?;
        }
        let (records, nodes) = replay(&jobs, machine, allocator)?;
        let (mut starts, mut sets, mut shapes) = (Vec::new(), Vec::new(), Vec::new());
        for ((job, record), nodes) in jobs.iter().zip(&records).zip(&nodes) {
            let found = expected.get(&job.number);
            let (begin_s, shape, theirs) =
                found.ok_or_else(|| format!("{policy}: {job:?} is not skipped"))?;
            if record.start != Time::from_seconds(*begin_s) {
                starts.push(job.number);
            }
            let mut ours: Vec<NodeId> = nodes.iter().map(|&node| their_number(&mesh, node)).collect();
            ours.sort_unstable();
            if ours != *theirs {
                sets.push(job.number);
            }
            // Curves ignore the shape, and `rfold` may place a row along a path.
            let is_row = shape.iter().filter(|&&side| side > 1).count() == 1;
            let has_shape = policy != "slurm_hilbert" && !(policy == "rfold" && is_row);
            if has_shape && !is_box(&mesh, nodes, *shape) {
                shapes.push(job.number);
            }
        }
        assert_eq!(jobs.len(), expected.len(), "{log}, {policy}");
        let none: [Vec<i64>; 3] = Default::default();
        assert_eq!([starts, sets, shapes], none, "{log}, {policy}: starts, nodes, shapes that differ");
        numbers_equal(log, policy, &jobs, &records, asked - jobs.len());
    }
    Ok(())
}

/// Compares means, counts and utilization with a row of [`TABLE`], to the decimals of the table.
fn numbers_equal(log: &str, policy: &str, jobs: &[Job], records: &[Record], skipped: usize) {
    let row = TABLE.iter().find(|row| (row.0, row.1) == (log, policy));
    let Some(&(_, _, counts, [wait_s, completion_s], utilization, last_s)) = row else {
        panic!("{log}, {policy}: not in the table");
    };
    let both = || jobs.iter().zip(records);
    let mean = |of: &dyn Fn(&Job, &Record) -> Time| {
        both().map(|(job, record)| of(job, record).as_seconds()).sum::<f64>() / jobs.len() as f64
    };
    let end = records.iter().map(|record| record.end).max().unwrap_or_default();
    let busy_s: f64 = both().map(|(job, record)| f64::from(record.allocated) * job.run.as_seconds()).sum();
    assert_eq!([jobs.len() as i64, skipped as i64], counts, "{log}, {policy}: started and skipped");
    assert_eq!(end, Time::from_seconds(last_s), "{log}, {policy}: last end");
    for (what, found, published, half_unit) in [
        ("wait", mean(&|job, record| record.start - job.submit), wait_s, 0.05),
        ("completion", mean(&|job, record| record.end - job.submit), completion_s, 0.05),
        ("utilization", busy_s / (512.0 * end.as_seconds()), utilization, 0.000_05),
    ] {
        assert!(
            (found - published).abs() <= half_unit + 1e-9,
            "{log}, {policy}, {what}: {found}, not {published}"
        );
    }
}
