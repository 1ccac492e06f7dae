//! Logs of jobs that bring their shape. The format holds whole seconds only, so times are rounded.

use super::header_of;
use crate::cli::{Failure, complain};
use crate::job::{Shape, Time};
use crate::machine::Mesh;
use crate::trace::{Record, SHAPES, Writer};
use crate::workload::Synthetic;

/// Shorter mean service times lose more than a percent to rounding.
const SHORT_S: f64 = 50.0;

/// Writes the jobs of a model.
pub(super) fn write(mut writer: Writer, model: &Synthetic, machine: &Mesh, seed: u64) -> Result<(), Failure> {
    let jobs = model.draw(seed, machine.extents(), 1.0)?;
    let (spec, count, nodes) = (model.spec(), jobs.len(), machine.nodes());
    let version = env!("CARGO_PKG_VERSION");
    writer.header(&header_of(&[
        "Version: 2.2".to_owned(),
        "Computer: synthetic workload of jobs that bring their shape".to_owned(),
        format!("MaxJobs: {count}"),
        format!("MaxRecords: {count}"),
        "UnixStartTime: 0".to_owned(),
        format!("MaxNodes: {nodes}"),
        format!("MaxProcs: {nodes}"),
        format!("{SHAPES}: fields 19 to 21 are the sides of the job along x, y and z"),
        format!(
            "Note: made by meshreplay {version}: trace generate --model {spec} --machine {machine} --seed {seed}"
        ),
        "Note: times are rounded to whole seconds".to_owned(),
    ]))?;
    for job in &jobs {
        let Shape::Sides(sides) = job.shape else { continue };
        let procs = i64::from(job.procs);
        writer.record(&Record {
            job: job.number,
            submit_s: whole(job.submit),
            run_s: whole(job.run).max(1),
            allocated_procs: procs,
            requested_procs: procs,
            status: 1,
            sides: Some(sides),
            ..Record::UNKNOWN
        })?;
    }
    writer.finish()?;
    let mean_s = jobs.iter().map(|job| job.run.as_seconds()).sum::<f64>() / count as f64;
    if mean_s < SHORT_S {
        complain(&format!(
            "note: run times are rounded to whole seconds, of {mean_s:.1} s on average; with service=5000 and the same \
             ratio less is lost"
        ));
    }
    Ok(())
}

fn whole(time: Time) -> i64 {
    time.as_seconds().round() as i64
}
