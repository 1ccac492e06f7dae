//! The machine at one moment of a replay.

use meshreplay::job::Time;
use meshreplay::study::{Replay, Snapshot, Study};
use pyo3::PyResult;

use crate::error::{failure, message};

/// What a node holds that runs no job.
const FREE: i64 = -1;
/// What a node holds that no job can have.
const UNAVAILABLE: i64 = -2;
/// What a node holds that is down and runs no job.
const DOWN: i64 = -3;

/// The machine at one moment: the number of nodes along each dimension, what each node holds, in the order of
/// the nodes (the number of a job, or one of the numbers below 0; 8 bytes each in the byte order of this
/// machine), the running jobs in the order of their starts, and the number of waiting jobs.
pub(crate) type State = (Vec<u32>, Vec<u8>, Vec<Running>, usize);

/// A running job: its number, its start in seconds, the processors that it asked for, and its nodes in rank
/// order.
type Running = (i64, f64, u32, Vec<u32>);

/// Returns the machine of replay `number` of `study` at a time in seconds, with all events of that instant.
pub(crate) fn state(study: &Study, number: usize, at_s: f64) -> PyResult<State> {
    let cell = study.cells.get(number);
    let Some((cell, source)) = cell.and_then(|cell| Some((cell, cell.source.clone()?))) else {
        return Err(message("the jobs of the replay are gone"));
    };
    if !at_s.is_finite() {
        return Err(message(format!("at={at_s}: expected a number of seconds")));
    }
    let at = Time::from_micros((at_s * 1e6).clamp(-9e18, 9e18) as i64);
    let replay = Replay { guests: study.guests.clone(), ..Replay::new(cell.spec.clone(), source) };
    let Snapshot { running, waiting, down } =
        replay.snapshot(at, &study.options).map_err(|error| failure(&error))?;
    let machine = &cell.spec.machine;
    let mut nodes: Vec<i64> = (0..machine.nodes())
        .map(|node| if machine.is_available(node) { FREE } else { UNAVAILABLE })
        .collect();
    for node in down {
        nodes[node as usize] = DOWN;
    }
    for job in &running {
        for &node in &job.nodes {
            nodes[node as usize] = job.job.number;
        }
    }
    let running = running.into_iter();
    let running =
        running.map(|job| (job.job.number, job.start.as_seconds(), job.job.procs, job.nodes)).collect();
    let drawn = machine.drawn();
    let nodes = nodes.into_iter().flat_map(i64::to_ne_bytes).collect();
    Ok((drawn.extents()[..drawn.dims().max(1)].to_vec(), nodes, running, waiting))
}
