//! Writes the jobs of workload models as logs. The header has the command that makes the same log again.

use std::sync::mpsc::sync_channel;
use std::thread;

use super::lublin::LublinJob;
use super::lublin_jobs::{LUBLIN_TYPES, LublinJobs, LublinJobsError};
use super::model::{Model, ModelError};
use meshreplay_base::job::{Shape, Time};
use meshreplay_logs::status::COMPLETED;
use meshreplay_logs::{Header, Record, SHAPES, TraceError, Writer};

/// The reason why a model gives no log.
#[derive(Debug, thiserror::Error)]
pub enum ModelLogError {
    /// The Lublin–Feitelson model gives no jobs.
    #[error(transparent)]
    Lublin(#[from] LublinJobsError),
    /// A model of jobs that bring their shape gives no jobs.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The log cannot be written.
    #[error(transparent)]
    Trace(#[from] TraceError),
}

/// A log of the Lublin–Feitelson model.
#[derive(Clone, Copy, Debug)]
pub struct LublinLog {
    /// The number of jobs.
    pub jobs: u32,
    /// The number of processors of the machine.
    pub procs: u32,
    /// The options and the load.
    pub model: LublinJobs,
    /// The seed of the random numbers.
    pub seed: u64,
}

impl LublinLog {
    /// Writes the header and the jobs, without finishing the writer. `written` reports progress in jobs.
    ///
    /// Memory holds no jobs.
    pub fn write(&self, writer: &mut Writer, written: &mut dyn FnMut(u64)) -> Result<(), ModelLogError> {
        let jobs = self.model.stretched(self.jobs, self.procs, self.seed)?;
        writer.header(&self.header(jobs.factor))?;
        Ok(write_all(writer, jobs.into_iter(), written)?)
    }

    /// Returns the header of the log. `factor` is the factor of stretched submit times.
    fn header(&self, factor: Option<f64>) -> Header {
        let Self { jobs, procs, seed, model: LublinJobs { options, load } } = self;
        let types = LUBLIN_TYPES[usize::from(options.typeless)].1;
        let published = if options.published_sizes { " --published-sizes" } else { "" };
        let load = load.map_or_else(String::new, |load| format!(" --load {load}"));
        let mut lines = head("workload model of Lublin and Feitelson (2003)", *jobs, u64::from(*procs));
        lines.push(format!(
            "Note: {MADE} --model lublin --jobs {jobs} --procs {procs} --seed {seed} --types \
                 {types}{published}{load}"
        ));
        lines.push(format!("Note: model lublin, seed {seed}"));
        lines.extend(factor.map(|factor| format!("Note: arrival times multiplied by {factor}")));
        if !options.typeless {
            lines.extend(["Queue: 0 interactive", "Queue: 1 batch"].map(str::to_owned));
        }
        header_of(&lines)
    }
}

/// The number of jobs between two reports of how many are written.
const JOBS_PER_REPORT: u64 = 1 << 16;

/// The number of jobs that are drawn at a time.
const JOBS_PER_BATCH: usize = 1 << 12;

/// Writes one record per job, numbered from 1. `written` reports progress.
fn write_all(
    writer: &mut Writer,
    jobs: impl Iterator<Item = LublinJob> + Send,
    written: &mut dyn FnMut(u64),
) -> Result<(), TraceError> {
    let record = |(number, job): (i64, LublinJob)| Record {
        queue: i64::from(!job.interactive),
        ..record_of(number, job.submit_s, job.run_s, job.procs)
    };
    let (batches, drawn) = sync_channel::<Vec<LublinJob>>(4);
    thread::scope(|scope| {
        // Drawing the jobs takes about as long as writing them, so that another thread draws.
        scope.spawn(move || {
            let mut jobs = jobs.fuse();
            loop {
                let batch: Vec<LublinJob> = jobs.by_ref().take(JOBS_PER_BATCH).collect();
                // The receiver is gone if writing failed.
                if batch.is_empty() || batches.send(batch).is_err() {
                    return;
                }
            }
        });
        (1_i64..).zip(drawn.into_iter().flatten()).try_for_each(|job| {
            if job.0.unsigned_abs() % JOBS_PER_REPORT == 0 {
                written(job.0.unsigned_abs());
            }
            writer.record(&record(job))
        })
    })
}

/// Writes a log of the jobs that a model draws from `seed`, with their shapes. Returns the mean run time in
/// seconds, before rounding. `machine` is the spelling for the header, `available` the number of nodes that
/// jobs can have.
///
/// Records have whole seconds, so times are rounded, and run times are at least 1. The writer is left
/// unfinished.
pub fn write_model(
    writer: &mut Writer,
    model: &Model,
    machine: &str,
    extents: [u32; 3],
    available: u32,
    seed: u64,
) -> Result<f64, ModelLogError> {
    let nodes: u64 = extents.into_iter().map(u64::from).product();
    let jobs = model.on_share(f64::from(available) / nodes as f64).draw(seed, extents, 1.0)?;
    let spec = model.spec();
    let mut lines = head(model.entry().title, model.jobs(), u64::from(available));
    lines.push(format!("{SHAPES}: fields 19 to 21 are the sides of the job along x, y and z"));
    lines.push(format!("Note: {MADE} --model {spec} --machine {machine} --seed {seed}"));
    lines.push("Note: times are rounded to whole seconds".to_owned());
    writer.header(&header_of(&lines))?;
    let whole_seconds = |time: Time| time.as_seconds().round() as i64;
    for job in &jobs {
        let Shape::Sides(sides) = job.shape else { continue };
        let run_s = whole_seconds(job.run).max(1);
        let record = record_of(job.number, whole_seconds(job.submit), run_s, job.procs);
        writer.record(&Record { sides: Some(sides), ..record })?;
    }
    Ok(jobs.iter().map(|job| job.run.as_seconds()).sum::<f64>() / jobs.len() as f64)
}

/// Returns the record of a completed job.
fn record_of(job: i64, submit_s: i64, run_s: i64, procs: u32) -> Record {
    let (procs, status) = (i64::from(procs), COMPLETED);
    Record { job, submit_s, run_s, allocated_procs: procs, requested_procs: procs, status, ..Record::UNKNOWN }
}

/// The beginning of the header line with the command that makes the log.
const MADE: &str = concat!("made by meshreplay ", env!("CARGO_PKG_VERSION"), ": trace generate");

/// Returns the first lines of every header.
fn head(computer: &str, jobs: u32, nodes: u64) -> Vec<String> {
    vec![
        "Version: 2.2".to_owned(),
        format!("Computer: {computer}"),
        format!("MaxJobs: {jobs}"),
        format!("MaxRecords: {jobs}"),
        "UnixStartTime: 0".to_owned(),
        format!("MaxNodes: {nodes}"),
        format!("MaxProcs: {nodes}"),
    ]
}

/// Returns a header with the lines as comments.
fn header_of(lines: &[String]) -> Header {
    let mut header = Header::default();
    for line in lines {
        header.push(format!("; {line}").as_bytes());
    }
    header
}
