//! `meshreplay trace generate`: a log drawn from a workload model.

use std::io;
use std::path::{Path, PathBuf};

use anyhow::anyhow;
use clap::{ValueEnum, value_parser};

use super::Failure;
use crate::machine::mesh::MAX_NODES;
use crate::trace::{Format, Header, Record, Writer};
use crate::workload::lublin::{self, Lublin, LublinJob, LublinOptions};

/// Makes a log from a workload model; the same options give the same bytes.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The workload model
    #[arg(long, value_enum)]
    model: Model,

    /// How many jobs
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..=100_000_000))]
    jobs: u32,

    /// Processors of the machine
    #[arg(long, value_name = "P", value_parser = value_parser!(u32).range(1..=i64::from(MAX_NODES)))]
    procs: u32,

    /// Seed of the random numbers
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,

    /// Types of jobs that the model tells apart
    #[arg(long, value_enum, default_value_t = Types::BatchAndInteractive)]
    types: Types,

    /// Keep the published range of sizes, up to 128 processors, instead of fitting it to the machine
    #[arg(long)]
    published_sizes: bool,

    /// Stretch the arrivals until the jobs' work is this share of what the machine can do while they arrive
    #[arg(long, value_name = "L", value_parser = parse_load)]
    load: Option<f64>,

    /// Where the log goes: NAME.swf, NAME.swf.gz, or - for standard output
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,

    /// Overwrite a file that is there already
    #[arg(long)]
    force: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Model {
    /// Lublin and Feitelson's model of rigid jobs (2003)
    Lublin,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Types {
    /// Queue 0 interactive, queue 1 batch
    #[value(name = "batch+interactive")]
    BatchAndInteractive,
    /// One stream fitted to both, in queue 0
    #[value(name = "typeless")]
    Typeless,
}

fn parse_load(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(load) if f64::is_finite(load) && load > 0.0 => Ok(load),
        _ => Err("expected a number above 0, such as 0.7".to_owned()),
    }
}

pub(super) fn run(args: &Args) -> Result<(), Failure> {
    let Model::Lublin = args.model;
    let mut writer = create(&args.output, args.force)?;
    let options =
        LublinOptions { typeless: args.types == Types::Typeless, published_sizes: args.published_sizes };
    let model = Lublin::new(args.procs, options, args.seed).map_err(|error| Failure::Usage(error.into()))?;
    let jobs = model.take(args.jobs as usize);
    match args.load {
        None => write(&mut writer, args, None, jobs)?,
        Some(load) => {
            let mut jobs: Vec<LublinJob> = jobs.collect();
            let factor = lublin::scale_to_load(&mut jobs, args.procs, load).ok_or_else(|| {
                Failure::Usage(anyhow!("--load needs jobs that arrive at different times; make more jobs"))
            })?;
            write(&mut writer, args, Some(factor), jobs)?;
        }
    }
    Ok(writer.finish()?)
}

fn create(output: &Path, force: bool) -> Result<Writer, Failure> {
    if output == Path::new("-") {
        return Ok(Writer::to(io::stdout(), "standard output", Format::Swf));
    }
    match Format::of_path(output) {
        Some(Format::Swf) => Ok(Writer::create(output, Format::Swf, force)?),
        _ => Err(Failure::Usage(anyhow!(
            "cannot tell the format of '{}'; expected NAME.swf, NAME.swf.gz, or - for standard output",
            output.display()
        ))),
    }
}

fn write(
    writer: &mut Writer,
    args: &Args,
    factor: Option<f64>,
    jobs: impl IntoIterator<Item = LublinJob>,
) -> Result<(), Failure> {
    writer.header(&header(args, factor))?;
    for (job, number) in jobs.into_iter().zip(1..) {
        writer.record(&Record {
            job: number,
            submit_s: job.submit_s,
            run_s: job.run_s,
            allocated_procs: i64::from(job.procs),
            requested_procs: i64::from(job.procs),
            status: 1,
            queue: i64::from(!job.interactive),
            ..Record::UNKNOWN
        })?;
    }
    Ok(())
}

/// What makes the log again, in a form that people and tools read.
fn header(args: &Args, factor: Option<f64>) -> Header {
    let Args { jobs, procs, seed, .. } = args;
    let types = args.types.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned());
    let published = if args.published_sizes { " --published-sizes" } else { "" };
    let load = args.load.map_or_else(String::new, |load| format!(" --load {load}"));
    let version = env!("CARGO_PKG_VERSION");
    let mut lines = vec![
        "Version: 2.2".to_owned(),
        "Computer: workload model of Lublin and Feitelson (2003)".to_owned(),
        format!("MaxJobs: {jobs}"),
        format!("MaxRecords: {jobs}"),
        "UnixStartTime: 0".to_owned(),
        format!("MaxNodes: {procs}"),
        format!("MaxProcs: {procs}"),
        format!(
            "Note: made by meshreplay {version}: trace generate --model lublin --jobs {jobs} --procs {procs} \
             --seed {seed} --types {types}{published}{load}"
        ),
        format!("Note: model lublin, seed {seed}"),
    ];
    if let Some(factor) = factor {
        lines.push(format!("Note: arrival times multiplied by {factor}"));
    }
    if args.types == Types::BatchAndInteractive {
        lines.push("Queue: 0 interactive".to_owned());
        lines.push("Queue: 1 batch".to_owned());
    }
    let mut header = Header::default();
    for line in lines {
        header.push(format!("; {line}").as_bytes());
    }
    header
}
