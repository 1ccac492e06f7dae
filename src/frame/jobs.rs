//! The `jobs` frame: one row per job of a replay.

use polars::prelude::{Column, DataFrame, NamedFrom, Series};

use super::{FrameError, frame, name};
use crate::study::Outcome;

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
/// | `allocate_ns` | u64 | ns | duration of the allocator call that placed it; absent if not `timed` |
///
/// There are no nulls.
pub fn jobs(replay: u32, outcome: &Outcome, timed: bool) -> Result<DataFrame, FrameError> {
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
    if timed {
        columns.push(Series::new(name("allocate_ns"), recording.allocate_ns.as_slice()).into());
    }
    frame(columns)
}
