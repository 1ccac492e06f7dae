//! `meshreplay trace generate`: a log drawn from a workload model.

mod synthetic;

use std::io;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::anyhow;
use clap::{ValueEnum, value_parser};

use super::Failure;
use crate::job::Time;
use crate::machine::Mesh;
use crate::machine::mesh::MAX_NODES;
use crate::spec::{Spec, SpecError, unknown};
use crate::trace::{Format, Header, Record, Writer};
use crate::workload::Synthetic;
use crate::workload::lublin::{self, Lublin, LublinJob, LublinOptions};

/// Makes a log from a workload model; the same options give the same bytes.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The workload model: lublin (Lublin and Feitelson, 2003), or synthetic:KEY=VALUE,… with the keys that `meshreplay
    /// replay --help` explains; its jobs have shapes, in fields 19 to 21
    #[arg(long)]
    model: Model,

    /// How many jobs
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..=100_000_000))]
    jobs: Option<u32>,

    /// Processors of the machine (lublin)
    #[arg(long, value_name = "P", value_parser = value_parser!(u32).range(1..=i64::from(MAX_NODES)))]
    procs: Option<u32>,

    /// The machine (synthetic)
    #[arg(long, value_name = "MACHINE")]
    machine: Option<Mesh>,

    /// Seed of the random numbers
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,

    /// Types of jobs that the model tells apart (lublin) [default: batch+interactive]
    #[arg(long, value_enum)]
    types: Option<Types>,

    /// Keep the published range of sizes, up to 128 processors, instead of fitting it to the machine (lublin)
    #[arg(long)]
    published_sizes: bool,

    /// Stretch the arrivals until the jobs' work is this share of what the machine can do while they arrive (lublin)
    #[arg(long, value_name = "L", value_parser = parse_load)]
    load: Option<f64>,

    /// Where the log goes: NAME.swf, NAME.swf.gz, or - for standard output
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,

    /// Overwrite a file that is there already
    #[arg(long)]
    force: bool,
}

/// What logs can be drawn from.
#[derive(Clone, Debug)]
enum Model {
    /// Lublin and Feitelson's model of rigid jobs (2003).
    Lublin,
    /// Jobs that bring their shape.
    Synthetic(Spec),
}

impl FromStr for Model {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        match text {
            "lublin" => Ok(Self::Lublin),
            _ if Synthetic::is_spec(text) => {
                let spec: Spec = text.parse()?;
                Synthetic::new(&spec)?;
                Ok(Self::Synthetic(spec))
            }
            _ => Err(unknown("workload model", text, ["lublin", "synthetic"])),
        }
    }
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
    match &args.model {
        Model::Lublin => {
            refuse("lublin", &[("--machine", args.machine.is_some())])?;
            let needed = |value: Option<u32>, option: &str| {
                value.ok_or_else(|| Failure::Usage(anyhow!("model 'lublin' needs {option}")))
            };
            draw_lublin(args, needed(args.jobs, "--jobs N")?, needed(args.procs, "--procs P")?)
        }
        Model::Synthetic(spec) => {
            let useless = [
                ("--procs", args.procs.is_some()),
                ("--types", args.types.is_some()),
                ("--published-sizes", args.published_sizes),
                ("--load", args.load.is_some()),
            ];
            refuse("synthetic", &useless)?;
            let Some(machine) = &args.machine else {
                return Err(Failure::Usage(anyhow!(
                    "model 'synthetic' needs --machine, such as --machine 32x32"
                )));
            };
            let spec = match args.jobs {
                Some(jobs) if !spec.params.contains_key("jobs") => {
                    spec.clone().with("jobs", &jobs.to_string())
                }
                Some(_) => return Err(Failure::Usage(anyhow!("'jobs' is in --model already; give it once"))),
                None => spec.clone(),
            };
            let model = Synthetic::new(&spec).map_err(|error| Failure::Usage(error.into()))?;
            synthetic::write(create(&args.output, args.force)?, &model, machine, args.seed)
        }
    }
}

/// Refuses options that would do nothing.
fn refuse(model: &str, options: &[(&str, bool)]) -> Result<(), Failure> {
    match options.iter().find(|(_, given)| *given) {
        Some((option, _)) => Err(Failure::Usage(anyhow!("model '{model}' takes no {option}; leave it out"))),
        None => Ok(()),
    }
}

fn draw_lublin(args: &Args, jobs: u32, procs: u32) -> Result<(), Failure> {
    let mut writer = create(&args.output, args.force)?;
    let typeless = args.types == Some(Types::Typeless);
    let options = LublinOptions { typeless, published_sizes: args.published_sizes };
    let model = Lublin::new(procs, options, args.seed).map_err(|error| Failure::Usage(error.into()))?;
    let drawn = model.take(jobs as usize);
    match args.load {
        None => write(&mut writer, &header(args, (jobs, procs), None), drawn)?,
        Some(load) => {
            let mut drawn: Vec<LublinJob> = drawn.collect();
            let range_s = Time::MAX.as_seconds();
            let last_s = drawn.last().map_or(0.0, |job| job.submit_s as f64);
            if lublin::offered_load(&drawn, procs).is_some_and(|offered| last_s * (offered / load) >= range_s)
            {
                return Err(Failure::Usage(anyhow!(
                    "--load {load:?} stretches arrivals beyond the range of time, 292,000 years; a larger load helps"
                )));
            }
            let factor = lublin::scale_to_load(&mut drawn, procs, load).ok_or_else(|| {
                Failure::Usage(anyhow!("--load needs jobs that arrive at different times; make more jobs"))
            })?;
            write(&mut writer, &header(args, (jobs, procs), Some(factor)), drawn)?;
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
    header: &Header,
    jobs: impl IntoIterator<Item = LublinJob>,
) -> Result<(), Failure> {
    writer.header(header)?;
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
fn header(args: &Args, (jobs, procs): (u32, u32), factor: Option<f64>) -> Header {
    let seed = args.seed;
    let types = args.types.unwrap_or(Types::BatchAndInteractive);
    let both = types == Types::BatchAndInteractive;
    let types = types.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned());
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
    if both {
        lines.push("Queue: 0 interactive".to_owned());
        lines.push("Queue: 1 batch".to_owned());
    }
    header_of(&lines)
}

/// Lines as comments.
fn header_of(lines: &[String]) -> Header {
    let mut header = Header::default();
    for line in lines {
        header.push(format!("; {line}").as_bytes());
    }
    header
}
