//! The arguments of `meshreplay replay`.

use std::io::IsTerminal;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::ValueEnum;
use clap::builder::{PossibleValuesParser, TypedValueParser};

use crate::allocator;
use crate::cli::runner::options::{Flags, OfReplay};
use crate::execution;
use crate::frame::FileFormat;
use crate::machine::Mesh;
use crate::report::summary_column;
use crate::scheduler;
use crate::spec::{Params, Spec, SpecError};
use crate::study::{ALL, Axes, Draft, LogSource, Options};
use crate::trace::ReadOptions;
use crate::workload::{
    Arrivals, Estimate, OVERRUNS, OVERSIZES, Overrun, Oversize, RULE_SETS, RuleSet, Rules, SIZES, STATUSES,
    ShapeRule, Sizes, Status,
};

/// Replay logs: every log × arrival scale × machine × scheduler × allocator, one row each.
///
/// Specs are `name` or `name:key=value,key=value`; `meshreplay list` shows the names.
///
/// A log may also be a workload model, synthetic:KEY=VALUE,…: Poisson arrivals by ratio=R (rate times mean service, 1
/// by default), rate=λ (jobs per second) or offered=L (share of what the machine can do); exponential service=S seconds
/// (5); sides=uniform, exponential or normal with mean=M, sigma=D and outside=clamp or redraw; max=AxB instead of the
/// machine's sides; jobs=N (10000). tpu-slices:offered=L (0.7): boxes in the mix of accelerator pods; see `meshreplay
/// list models`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:
  meshreplay replay traces/lublin-256-10k.swf.gz --machine 16x16 --scheduler easy --allocator hilbert+bf mc1x1
  meshreplay replay synthetic:ratio=1.5 --machine 32x32 --scheduler fcfs --allocator first-fit adaptive-scan \\
      --replications until:within=0.05")]
pub(crate) struct Args {
    /// Logs: Standard Workload Format or PReMAS, plain or gzip; - is standard input. Or workload models, see above.
    #[arg(required = true, value_name = "LOG")]
    logs: Vec<PathBuf>,

    /// Machines: 400, 16x8, 8x8x4, torus:16x8; 1 to 3 dimensions, at most 2^24 nodes.
    #[arg(short, long, required = true, value_name = "MACHINE", num_args = 1..)]
    machine: Vec<Mesh>,

    /// Schedulers, such as fcfs, easy or easy:pass=per-event.
    #[arg(short, long, default_value = "easy", value_name = "SPEC", num_args = 1.., value_parser = scheduler_spec)]
    scheduler: Vec<Spec>,

    /// Consider waiting jobs in this order; sets `order` of every scheduler given, each of which must have it.
    #[arg(long, value_name = "ORDER", value_parser = PossibleValuesParser::new(scheduler::ORDERS))]
    order: Option<String>,

    /// Allocators, such as naive, hilbert+bf, curve:order=gilbert,select=first-fit or mc1x1; all is every one.
    #[arg(short, long, required = true, value_name = "SPEC", num_args = 1.., value_parser = allocator_spec)]
    allocator: Vec<Spec>,

    /// How long jobs run: recorded, or wormhole:pattern=one-to-all,messages=20,… for the time that their messages take
    /// on a network; `meshreplay list networks` shows the parameters.
    #[arg(long, default_value = execution::RECORDED, value_name = "SPEC", num_args = 1.., value_parser = network_spec)]
    network: Vec<Spec>,

    /// Multiply arrival times by these factors; below 1 the load rises.
    #[arg(
        long,
        default_value = "1",
        value_name = "C",
        num_args = 1..,
        allow_negative_numbers = true,
        value_parser = positive
    )]
    arrival_scale: Vec<f64>,

    /// Seed of everything random; the same for every allocator.
    #[arg(long, default_value_t = 1)]
    seed: u64,

    /// Replays that run at once; as many as there are cores by default. Results do not depend on it.
    #[arg(long, value_name = "N", value_parser = crate::cli::threads)]
    pub(super) threads: Option<NonZeroUsize>,

    /// Put `jobs`, `summary` and run.json into this directory.
    #[arg(short, long, value_name = "DIR")]
    pub(super) output: Option<PathBuf>,

    /// Replace other results in the output directory.
    #[arg(long, requires = "output")]
    pub(super) force: bool,

    /// Format of the summary on standard output (of parquet and arrow with -o: a table), and of the files (Parquet
    /// unless this is arrow, csv, json or jsonl, one object on each line).
    #[arg(long, value_enum, default_value = "table")]
    pub(super) format: Format,

    /// Columns of the summary that the table shows instead of the usual ones, such as `wait_s_mean,moves`;
    /// `meshreplay schema summary` names them.
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',', value_parser = summary_column)]
    pub(super) columns: Vec<String>,

    /// Which fields of a record count: authors takes the processors a job got, requested what it asked for, allocated
    /// what it got if it ran at all.
    #[arg(long, default_value = "authors", value_parser = one_of(RULE_SETS))]
    rules: RuleSet,

    /// Which statuses are replayed; as the rules have it by default (authors: −1, 0, 1, and 5 if it ran; requested:
    /// all).
    #[arg(long, value_parser = one_of(STATUSES))]
    status: Option<Status>,

    /// Estimates: recorded, exact (the run time) or factor=F (F times the run time).
    #[arg(long, default_value = "recorded", value_name = "ESTIMATE")]
    estimate: Estimate,

    /// Arrivals: recorded, or uniform:max=M for gaps drawn anew from each seed, from 0 to M seconds, in the order of
    /// the log; all at once if M is 0.
    #[arg(long, default_value = "recorded", value_name = "ARRIVALS")]
    arrivals: Arrivals,

    /// Jobs that run longer than estimated: extend raises the estimate, kill cuts the run, run-on keeps both.
    #[arg(long, default_value = "extend", value_parser = one_of(OVERRUNS))]
    overrun: Overrun,

    /// Sizes of jobs that are replayed: parallel leaves out jobs of one processor, powers-of-two all that are none.
    #[arg(long, default_value = "all", value_parser = one_of(SIZES))]
    sizes: Sizes,

    /// Shape of jobs of which only the number of processors is known: near-square is the box of fewest nodes whose
    /// longest side is at most twice the shortest; factors is exactly as many nodes where such a box fits, so that 13
    /// are a row; row is one row; pow2 is near-square with sides rounded up to powers of two; list:4x4x4,8x4x4 is the
    /// smallest of these boxes that has as many nodes, whether or not it fits the machine.
    #[arg(long, value_name = "RULE", default_value = "near-square")]
    shape: ShapeRule,

    /// Jobs larger than the machine, or that the allocator does not find even if it is idle: error, or skip and count
    /// them.
    #[arg(long, default_value = "error", value_parser = one_of(OVERSIZES))]
    oversize: Oversize,

    /// Skip malformed lines of logs, and count them.
    #[arg(long)]
    lenient: bool,

    #[command(flatten)]
    flags: Flags<OfReplay>,

    /// Neither notes nor progress on standard error.
    #[arg(short, long)]
    pub(super) quiet: bool,
}

/// What goes to standard output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    Table,
    Csv,
    Json,
    Jsonl,
    Parquet,
    Arrow,
    Markdown,
    Latex,
}

impl Args {
    /// Returns the options that all replays share.
    pub(super) fn options(&self) -> Options {
        Options {
            jobs: self.output.is_some(),
            traffic: self.network.iter().any(|network| network.name != execution::RECORDED),
            ..self.flags.options.clone()
        }
    }

    /// Returns the draft of the study that the arguments describe.
    pub(super) fn draft(&self) -> Result<Draft, SpecError> {
        let format = self.flags.options.input_format.clone();
        let read = ReadOptions { lenient: self.lenient, format };
        let log = |path: &PathBuf| LogSource::new(&path.to_string_lossy(), path.clone(), read.clone());
        let axes = Axes {
            logs: Vec::new(),
            rules: vec![self.rules()],
            arrival_scales: self.arrival_scale.clone(),
            machines: self.machine.clone(),
            schedulers: self.schedulers()?,
            allocators: self.allocator.clone(),
            networks: self.network.clone(),
            seeds: vec![self.seed],
        };
        Ok(Draft {
            name: String::new(),
            description: None,
            options: self.options(),
            logs: self.logs.iter().map(log).collect::<Result<_, _>>()?,
            axes,
            is_of_command: true,
        })
    }

    /// Returns the schedulers, with the order that `--order` gives.
    fn schedulers(&self) -> Result<Vec<Spec>, SpecError> {
        let Some(order) = &self.order else { return Ok(self.scheduler.clone()) };
        let ordered = |spec: &Spec| match spec.params.get("order") {
            Some(other) if other != order => {
                let expected = format!("{order}, as --order says, or no order of its own");
                Err(Params::new(spec).bad_value("order", other, &expected))
            }
            _ => scheduler::build(&spec.clone().with("order", order)).map(|(_, spec)| spec),
        };
        self.scheduler.iter().map(ordered).collect()
    }

    /// Returns the rules by which records become jobs.
    fn rules(&self) -> Rules {
        let default = Rules::defaults(self.rules);
        Rules {
            status: self.status.unwrap_or(default.status),
            estimate: self.estimate,
            overrun: self.overrun,
            sizes: self.sizes,
            shape: self.shape.clone(),
            oversize: self.oversize,
            arrivals: self.arrivals,
            ..default
        }
    }

    /// Returns the format of the files of results.
    pub(super) fn file_format(&self) -> FileFormat {
        match self.format {
            Format::Csv => FileFormat::Csv,
            Format::Json => FileFormat::Json,
            Format::Jsonl => FileFormat::Jsonl,
            Format::Arrow => FileFormat::Arrow,
            Format::Table | Format::Parquet | Format::Markdown | Format::Latex => FileFormat::Parquet,
        }
    }

    /// Returns an error if binary output would go to a terminal, or if two logs are read from standard input.
    pub(super) fn check_output(&self) -> Result<()> {
        let binary = matches!(self.format, Format::Parquet | Format::Arrow);
        if binary && self.output.is_none() && std::io::stdout().is_terminal() {
            bail!("{:?} is not for a terminal; give -o DIR or send standard output to a file", self.format);
        }
        let is_table = matches!(self.format, Format::Table | Format::Markdown | Format::Latex)
            || (binary && self.output.is_some());
        if !self.columns.is_empty() && !is_table {
            bail!(
                "--columns chooses columns of a table; --format {} has all of them",
                self.format.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
            );
        }
        if self.logs.iter().filter(|log| log.as_os_str() == "-").count() > 1 {
            bail!("standard input can be read only once; give - once");
        }
        Ok(())
    }
}

/// Returns a parser of the names in `choices`; the help lists them.
fn one_of<T: Clone + Send + Sync + 'static>(
    choices: &'static [(&'static str, T)],
) -> impl TypedValueParser<Value = T> {
    let names = PossibleValuesParser::new(choices.iter().map(|(name, _)| *name));
    names.try_map(move |given| {
        let found = choices.iter().find(|(name, _)| *name == given);
        found.map(|(_, value)| value.clone()).ok_or("expected one of the names")
    })
}

fn scheduler_spec(text: &str) -> Result<Spec> {
    let spec: Spec = text.parse()?;
    scheduler::build(&spec)?;
    Ok(spec)
}

fn allocator_spec(text: &str) -> Result<Spec> {
    let spec: Spec = text.parse()?;
    if spec.name != ALL || !spec.params.is_empty() {
        allocator::find(&spec)?;
    }
    Ok(spec)
}

fn network_spec(text: &str) -> Result<Spec> {
    let spec: Spec = text.parse()?;
    // Whether the network fits the machine is checked when the machines are known.
    let setup = execution::Setup { mesh: &Mesh::new(&[1])?, jobs: 0, seed: 0 };
    execution::build(&spec, &setup)?;
    Ok(spec)
}

/// Returns the positive number in an argument.
fn positive(text: &str) -> Result<f64> {
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() && value > 0.0 => Ok(value),
        _ => bail!("expected a number above 0"),
    }
}
