//! The `jobs` frame: one row per job of a replay.

use polars::prelude::{Column, DataFrame, NamedFrom, Series};

use super::{FrameError, frame, name};
use crate::execution::JobTraffic;
use crate::study::{Outcome, Plan};

/// The jobs of a replication of replay number `replay`, in the order of the log; none unless the plan wants jobs.
///
/// | column | type | unit | meaning |
/// |---|---|---|---|
/// | `replay` | u32 | | number of the replay; the same in the `summary` frame |
/// | `seed` | u64 | | its seed: replications of a replay differ in it |
/// | `job` | i64 | | the log's own number of the job |
/// | `submit_s` | f64 | s | arrival, scaled |
/// | `start_s` | f64 | s | start |
/// | `end_s` | f64 | s | end |
/// | `run_s` | f64 | s | end − start |
/// | `estimate_s` | f64 | s | how long the scheduler believed that it would run |
/// | `procs` | u32 | | processors requested |
/// | `shape` | str | | the shape that they are to have: sides such as 3x2, or a rule |
/// | `allocated` | u32 | | nodes held |
/// | `wait_s` | f64 | s | start − arrival |
/// | `queue_delay_s` | f64 | s | arrival to head of the queue, or to the start if that is before |
/// | `allocation_delay_s` | f64 | s | from there to the start |
/// | `moves` | u32 | | how often it was moved while it ran |
/// | `suspended_s` | f64 | s | how long it stood still because of that; part of `run_s` |
/// | `pairwise_sum` | u64 | hops | Σ L1 distance over unordered pairs of its nodes |
/// | `pairwise_mean` | f64 | hops | the same per pair; 0 for one node |
/// | `diameter` | u32 | hops | largest L1 distance of two of its nodes |
/// | `components` | u32 | | connected components of its nodes |
/// | `bounding_box` | u32 | nodes | size of the smallest enclosing box |
/// | `nodes` | str | | its nodes, ascending, such as `0-3 7`; the last ones of a job that was moved |
/// | `contention_own` | f64 | pairs | pairs of its messages that meet on a link if each node sends one to each other |
/// | `contention_others` | f64 | pairs | pairs of one of those and one of a job that ran as it started |
/// | `packets` | u64 | | packets that it sent |
/// | `packets_contended` | u64 | | those that waited for another job's packet |
/// | `packet_latency_cycles_mean` | f64 | cycles | mean of creation to arrival of the last flit; 0 without packets |
/// | `packet_blocked_cycles_mean` | f64 | cycles | mean time that headers waited for channels in the network |
/// | `allocate_ns` | u64 | ns | duration of the allocator call that placed it; absent if the plan is not timed |
///
/// The column of nodes is absent unless the plan keeps them, those of contention unless it estimates it. Those of packets are absent unless a cell of the plan
/// has a network, and null for cells that have none; there are no other nulls.
pub fn jobs(replay: u32, outcome: &Outcome, plan: &Plan) -> Result<DataFrame, FrameError> {
    let Outcome { jobs, records, recording, seed, .. } = outcome;
    let reals = |label: &str, value: &dyn Fn(usize) -> f64| -> Column {
        Series::new(name(label), (0..jobs.len()).map(value).collect::<Vec<f64>>()).into()
    };
    let counts = |label: &str, value: &dyn Fn(usize) -> u32| -> Column {
        Series::new(name(label), (0..jobs.len()).map(value).collect::<Vec<u32>>()).into()
    };
    let dispersal = |i: usize| &recording.dispersal[i];
    let numbers: Vec<i64> = jobs.iter().map(|job| job.number).collect();
    let sums: Vec<u64> = recording.dispersal.iter().map(|dispersal| dispersal.pairwise_sum).collect();
    let mut columns = vec![
        counts("replay", &|_| replay),
        Series::new(name("seed"), vec![*seed; jobs.len()]).into(),
        Series::new(name("job"), numbers).into(),
        reals("submit_s", &|i| jobs[i].submit.as_seconds()),
        reals("start_s", &|i| records[i].start.as_seconds()),
        reals("end_s", &|i| records[i].end.as_seconds()),
        reals("run_s", &|i| (records[i].end - records[i].start).as_seconds()),
        reals("estimate_s", &|i| jobs[i].estimate.as_seconds()),
        counts("procs", &|i| jobs[i].procs),
        Series::new(name("shape"), jobs.iter().map(|job| job.shape.to_string()).collect::<Vec<_>>()).into(),
        counts("allocated", &|i| records[i].allocated),
        reals("wait_s", &|i| (records[i].start - jobs[i].submit).as_seconds()),
        reals("queue_delay_s", &|i| (records[i].head - jobs[i].submit).as_seconds()),
        reals("allocation_delay_s", &|i| (records[i].start - records[i].head).as_seconds()),
        counts("moves", &|i| records[i].moves),
        reals("suspended_s", &|i| records[i].suspended.as_seconds()),
        Series::new(name("pairwise_sum"), sums).into(),
        reals("pairwise_mean", &|i| dispersal(i).pairwise_mean()),
        counts("diameter", &|i| dispersal(i).diameter),
        counts("components", &|i| dispersal(i).components),
        counts("bounding_box", &|i| dispersal(i).bounding_box),
    ];
    if plan.placements {
        columns.push(Series::new(name("nodes"), recording.placements.as_slice()).into());
    }
    if let Some(contention) = &recording.contention {
        columns.push(reals("contention_own", &|i| contention.jobs[i].own));
        columns.push(reals("contention_others", &|i| contention.jobs[i].others));
    }
    if plan.traffic {
        columns.extend(traffic(outcome));
    }
    if plan.timed {
        columns.push(Series::new(name("allocate_ns"), recording.allocate_ns.as_slice()).into());
    }
    frame(columns)
}

/// The columns of packets.
fn traffic(outcome: &Outcome) -> [Column; 4] {
    let found: Vec<Option<JobTraffic>> = match &outcome.traffic {
        Some(traffic) => traffic.jobs.iter().copied().map(Some).collect(),
        None => vec![None; outcome.jobs.len()],
    };
    let whole = |label: &str, value: fn(JobTraffic) -> u64| -> Column {
        let values: Vec<Option<u64>> = found.iter().map(|traffic| traffic.map(value)).collect();
        Series::new(name(label), values).into()
    };
    let mean = |label: &str, total: fn(JobTraffic) -> u64| -> Column {
        let of = |traffic: JobTraffic| total(traffic) as f64 / traffic.packets.max(1) as f64;
        let values: Vec<Option<f64>> = found.iter().map(|traffic| traffic.map(of)).collect();
        Series::new(name(label), values).into()
    };
    [
        whole("packets", |traffic| traffic.packets),
        whole("packets_contended", |traffic| traffic.contended),
        mean("packet_latency_cycles_mean", |traffic| traffic.latency),
        mean("packet_blocked_cycles_mean", |traffic| traffic.blocked),
    ]
}
