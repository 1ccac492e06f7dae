//! `meshreplay trace generate`: generates a log from a workload model.

use std::io;
use std::path::{Path, PathBuf};

use anyhow::anyhow;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::value_parser;

use super::Failure;
use crate::cli::complain;
use crate::cli::runner::counted;
use crate::machine::Mesh;
use crate::machine::mesh::MAX_NODES;
use crate::spec::{Spec, SpecError};
use crate::trace::{Format, SWF, Writer};
use crate::workload::lublin::LublinOptions;
use crate::workload::{LUBLIN_TYPES, LublinJobs, LublinLog, MOST_LOAD, Model, ModelLogError, write_model};

/// The name of the model of Lublin and Feitelson.
const LUBLIN: &str = "lublin";

/// The mean run time in seconds below which rounding to whole seconds changes it by more than a percent.
const SHORT_S: f64 = 50.0;

/// Make a log from a workload model; the same options give the same bytes.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The workload model, one of `meshreplay list models`: lublin, or one whose jobs have shapes (in fields
    /// 19 to 21), such as synthetic:KEY=VALUE,… or tpu-slices
    #[arg(long, value_parser = parse_model)]
    model: Spec,

    /// Number of jobs
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..=100_000_000))]
    jobs: Option<u32>,

    /// Processors of the machine (lublin)
    #[arg(long, value_name = "P", value_parser = value_parser!(u32).range(1..=i64::from(MAX_NODES)))]
    procs: Option<u32>,

    /// The machine (models of jobs with shapes)
    #[arg(long, value_name = "MACHINE")]
    machine: Option<Mesh>,

    /// Seed of the random numbers
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,

    /// Job types of the model (lublin) [default: batch+interactive]
    #[arg(long, value_parser = types_parser())]
    types: Option<bool>,

    /// Keep the published range of sizes, up to 128 processors, instead of fitting it to the machine (lublin)
    #[arg(long)]
    published_sizes: bool,

    /// Stretch arrivals to this offered load: the work of the jobs as a share of the machine's capacity
    /// while they arrive
    #[arg(long, value_name = "L", value_parser = parse_load)]
    load: Option<f64>,

    /// Log to write: NAME.swf, NAME.swf.gz, or - for standard output
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,

    /// Overwrite the file if it exists
    #[arg(long)]
    force: bool,
}

/// Returns the spec of a workload model.
fn parse_model(text: &str) -> Result<Spec, SpecError> {
    let spec: Spec = text.parse()?;
    Model::new(&spec)?;
    if let (LUBLIN, Some(key)) = (spec.name.as_str(), spec.params.keys().next()) {
        let known =
            "; --jobs, --procs, --types, --published-sizes and --load are its options here".to_owned();
        return Err(SpecError::NoParameter { owner: LUBLIN.to_owned(), key: key.clone(), known });
    }
    Ok(spec)
}

/// Returns the parser of the types of jobs. Its value is whether there is only one type.
fn types_parser() -> impl TypedValueParser<Value = bool> {
    let values = LUBLIN_TYPES.map(|(_, name, help)| PossibleValue::new(name).help(help));
    PossibleValuesParser::new(values).map(|given| LUBLIN_TYPES.iter().any(|row| row.0 && row.1 == given))
}

/// Returns the offered load in an argument.
fn parse_load(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(load) if load > 0.0 && load <= MOST_LOAD => Ok(load),
        _ => Err(format!("expected a number above 0 and at most {MOST_LOAD}, such as 0.7")),
    }
}

/// Generates the jobs and writes the log.
pub(super) fn run(args: &Args) -> Result<(), Failure> {
    if args.model.name == LUBLIN { draw_lublin(args) } else { draw_shaped(args) }
}

/// Writes a log of the model of Lublin and Feitelson.
fn draw_lublin(args: &Args) -> Result<(), Failure> {
    refuse(LUBLIN, &[("--machine", args.machine.is_some())])?;
    let needed = |value: Option<u32>, option: &str| {
        value.ok_or_else(|| Failure::Usage(anyhow!("model 'lublin' needs {option}")))
    };
    let (jobs, procs) = (needed(args.jobs, "--jobs N")?, needed(args.procs, "--procs P")?);
    let typeless = args.types.unwrap_or_default();
    let options = LublinOptions { typeless, published_sizes: args.published_sizes };
    let log = LublinLog { jobs, procs, model: LublinJobs { options, load: args.load }, seed: args.seed };
    let mut writer = create(&args.output, args.force)?;
    let progress = counted(u64::from(jobs));
    let made = log.write(&mut writer, &mut |written| progress.set_position(written));
    progress.finish_and_clear();
    made.map_err(|error| match error {
        ModelLogError::Trace(_) | ModelLogError::Model(_) => Failure::Failed(error.into()),
        ModelLogError::Lublin(_) => Failure::Usage(error.into()),
    })?;
    writer.finish()?;
    complain(&format!("{}: {jobs} jobs written", args.output.display()));
    Ok(())
}

/// Writes a log of a model of jobs that bring their shape.
fn draw_shaped(args: &Args) -> Result<(), Failure> {
    let useless = [
        ("--procs", args.procs.is_some()),
        ("--types", args.types.is_some()),
        ("--published-sizes", args.published_sizes),
        ("--load", args.load.is_some()),
    ];
    let name = &args.model.name;
    refuse(name, &useless)?;
    let Some(machine) = &args.machine else {
        return Err(Failure::Usage(anyhow!("model '{name}' needs --machine, such as --machine 32x32")));
    };
    let spec = args.model.clone();
    let spec = match args.jobs {
        Some(jobs) if !spec.params.contains_key("jobs") => spec.with("jobs", &jobs.to_string()),
        Some(_) => return Err(Failure::Usage(anyhow!("'jobs' is in --model already; give it once"))),
        None => spec,
    };
    let model = Model::new(&spec).map_err(|error| Failure::Usage(error.into()))?;
    let mut writer = create(&args.output, args.force)?;
    let (label, extents, available) = (machine.to_string(), machine.extents(), machine.available());
    let mean_s = write_model(&mut writer, &model, &label, extents, available, args.seed)?;
    writer.finish()?;
    complain(&format!("{}: {} jobs written", args.output.display(), model.jobs()));
    if mean_s < SHORT_S {
        complain(&format!(
            "note: run times are rounded to whole seconds, of {mean_s:.1} s on average; with service=5000 \
             and the same ratio less is lost"
        ));
    }
    Ok(())
}

/// Returns an error if one of the options is given, because this model does not use it.
fn refuse(model: &str, options: &[(&str, bool)]) -> Result<(), Failure> {
    match options.iter().find(|(_, given)| *given) {
        Some((option, _)) => Err(Failure::Usage(anyhow!("model '{model}' takes no {option}; leave it out"))),
        None => Ok(()),
    }
}

fn create(output: &Path, force: bool) -> Result<Writer, Failure> {
    if output == Path::new("-") {
        return Ok(Writer::to(io::stdout(), "standard output", SWF)?);
    }
    if Format::of_path(output) != Some(SWF) {
        return Err(Failure::Usage(anyhow!(
            "cannot tell the format of '{}'; expected NAME.swf, NAME.swf.gz, or - for standard output",
            output.display()
        )));
    }
    Ok(Writer::create(output, SWF, force)?)
}
