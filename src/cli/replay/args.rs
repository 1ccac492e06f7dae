//! The arguments of `meshreplay replay`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::ValueEnum;

use super::chosen;
use crate::allocator;
use crate::cli::options::{Flags, OfReplay};
use crate::execution;
use crate::frame::FileFormat;
use crate::machine::Mesh;
use crate::scheduler;
use crate::spec::{Params, Spec, SpecError};
use crate::study::{ALL, Options};
use crate::trace::ReadOptions;
use crate::workload::{Arrivals, Estimate, Overrun, Oversize, RuleSet, Rules, ShapeRule, Sizes, Status};

/// Replay logs: every log × arrival scale × machine × scheduler × allocator, one row each.
///
/// Specs are `name` or `name:key=value,key=value`; `meshreplay list` shows the names.
///
/// A log may also be a workload model, synthetic:KEY=VALUE,…: Poisson arrivals by ratio=R (rate times mean service, 1 by
/// default), rate=λ (jobs per second) or offered=L (share of what the machine can do); exponential service=S seconds (5);
/// sides=uniform, exponential or normal with mean=M, sigma=D and outside=clamp or redraw; max=AxB instead of the machine's
/// sides; jobs=N (10000).
#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
#[command(after_help = "Example:
  meshreplay replay traces/lublin-256-10k.swf.gz --machine 16x16 --scheduler easy --allocator hilbert+bf mc1x1
  meshreplay replay synthetic:ratio=1.5 --machine 32x32 --scheduler fcfs --allocator first-fit adaptive-scan \\
      --replications until:within=0.05")]
pub(crate) struct Args {
    /// Logs: Standard Workload Format or PReMAS, plain or gzip; - is standard input. Or workload models, see above.
    #[arg(required = true, value_name = "LOG")]
    pub(super) logs: Vec<PathBuf>,

    /// Machines: 400, 16x8, 8x8x4, torus:16x8; 1 to 3 dimensions, at most 2^24 nodes.
    #[arg(short, long, required = true, value_name = "MACHINE", num_args = 1..)]
    pub(super) machine: Vec<Mesh>,

    /// Schedulers, such as fcfs, easy or easy:pass=per-event.
    #[arg(short, long, default_value = "easy", value_name = "SPEC", num_args = 1.., value_parser = scheduler_spec)]
    pub(super) scheduler: Vec<Spec>,

    /// Consider waiting jobs in this order; sets `order` of every scheduler given, each of which must have it.
    #[arg(long, value_name = "ORDER", value_parser = clap::builder::PossibleValuesParser::new(scheduler::ORDERS))]
    order: Option<String>,

    /// Allocators, such as naive, hilbert+bf, curve:order=gilbert,select=first-fit or mc1x1; all is every one.
    #[arg(short, long, required = true, value_name = "SPEC", num_args = 1.., value_parser = allocator_spec)]
    pub(super) allocator: Vec<Spec>,

    /// How long jobs run: recorded, or wormhole:pattern=one-to-all,messages=20,… for the time that their messages take on a
    /// network; `meshreplay list networks` shows the parameters.
    #[arg(long, default_value = execution::RECORDED, value_name = "SPEC", num_args = 1.., value_parser = network_spec)]
    pub(super) network: Vec<Spec>,

    /// Multiply arrival times by these factors; below 1 the load rises.
    #[arg(
        long,
        default_value = "1",
        value_name = "C",
        num_args = 1..,
        allow_negative_numbers = true,
        value_parser = positive
    )]
    pub(super) arrival_scale: Vec<f64>,

    /// Seed of everything random; the same for every allocator.
    #[arg(long, default_value_t = 1)]
    pub(super) seed: u64,

    /// Replays that run at once; as many as there are cores by default. Results do not depend on it.
    #[arg(long, value_name = "N", value_parser = crate::cli::threads)]
    pub(super) threads: Option<NonZeroUsize>,

    /// Put `jobs`, `summary` and run.json into this directory.
    #[arg(short, long, value_name = "DIR")]
    pub(super) output: Option<PathBuf>,

    /// Replace other results in the output directory.
    #[arg(long, requires = "output")]
    pub(super) force: bool,

    /// Format of the summary on standard output (of parquet and arrow with -o: a table), and of the files (Parquet unless
    /// this is arrow, csv, json or jsonl, one object on each line).
    #[arg(long, value_enum, default_value = "table")]
    pub(super) format: Format,

    /// Columns of the summary that the table shows instead of the usual ones, such as `wait_s_mean,moves`;
    /// `meshreplay schema summary` names them.
    #[arg(long, value_name = "COLUMNS", value_delimiter = ',', value_parser = chosen::name)]
    pub(super) columns: Vec<String>,

    /// Which fields of a record count: authors takes the processors a job got, requested what it asked for, allocated what
    /// it got if it ran at all.
    #[arg(long, value_enum, default_value = "authors")]
    rules: RulesArg,

    /// Which statuses are replayed; as the rules have it by default (authors: −1, 0, 1, and 5 if it ran; requested:
    /// all).
    #[arg(long, value_enum)]
    status: Option<StatusArg>,

    /// Estimates: recorded, exact (the run time) or factor=F (F times the run time).
    #[arg(long, default_value = "recorded", value_name = "ESTIMATE")]
    estimate: Estimate,

    /// Arrivals: recorded, or uniform:max=M for gaps drawn anew from each seed, from 0 to M seconds, in the order of the
    /// log; all at once if M is 0.
    #[arg(long, default_value = "recorded", value_name = "ARRIVALS")]
    arrivals: Arrivals,

    /// Jobs that run longer than estimated: extend raises the estimate, kill cuts the run, run-on keeps both.
    #[arg(long, value_enum, default_value = "extend")]
    overrun: OverrunArg,

    /// Sizes of jobs that are replayed: parallel leaves out jobs of one processor, powers-of-two all that are none.
    #[arg(long, value_enum, default_value = "all")]
    sizes: SizesArg,

    /// Shape of jobs of which only the number of processors is known: near-square is the box of fewest nodes whose longest
    /// side is at most twice the shortest; factors is exactly as many nodes where such a box fits, so that 13 are a row; row
    /// is one row; pow2 is near-square with sides rounded up to powers of two; list:4x4x4,8x4x4 is the smallest of these
    /// boxes that has as many nodes, whether or not it fits the machine.
    #[arg(long, value_name = "RULE", default_value = "near-square")]
    shape: ShapeRule,

    /// Jobs larger than the machine, or that the allocator does not find even if it is idle: error, or skip and count
    /// them.
    #[arg(long, value_enum, default_value = "error")]
    oversize: OversizeArg,

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

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum RulesArg {
    Authors,
    Requested,
    Allocated,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum StatusArg {
    Authors,
    Completed,
    All,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum OverrunArg {
    Extend,
    Kill,
    RunOn,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum SizesArg {
    All,
    Parallel,
    PowersOfTwo,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum OversizeArg {
    Error,
    Skip,
}

impl Args {
    /// What all replays share.
    pub(super) fn plan(&self) -> Options {
        Options {
            jobs: self.output.is_some(),
            traffic: self.network.iter().any(|network| network.name != execution::RECORDED),
            ..self.flags.options.clone()
        }
    }

    /// The schedulers, ordered as `--order` says.
    pub(super) fn schedulers(&self) -> Result<Vec<Spec>, SpecError> {
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

    pub(super) fn read_options(&self) -> ReadOptions {
        ReadOptions { lenient: self.lenient, ..ReadOptions::default() }
    }

    pub(super) fn rules(&self) -> Rules {
        let usual = Rules::defaults(match self.rules {
            RulesArg::Authors => RuleSet::Authors,
            RulesArg::Requested => RuleSet::Requested,
            RulesArg::Allocated => RuleSet::Allocated,
        });
        let status = self.status.map_or(usual.status, |status| match status {
            StatusArg::Authors => Status::Authors,
            StatusArg::Completed => Status::Completed,
            StatusArg::All => Status::All,
        });
        let overrun = match self.overrun {
            OverrunArg::Extend => Overrun::Extend,
            OverrunArg::Kill => Overrun::Kill,
            OverrunArg::RunOn => Overrun::RunOn,
        };
        let sizes = match self.sizes {
            SizesArg::All => Sizes::All,
            SizesArg::Parallel => Sizes::Parallel,
            SizesArg::PowersOfTwo => Sizes::PowersOfTwo,
        };
        let shape = self.shape.clone();
        let oversize = match self.oversize {
            OversizeArg::Error => Oversize::Error,
            OversizeArg::Skip => Oversize::Skip,
        };
        let (estimate, arrivals) = (self.estimate, self.arrivals);
        Rules { status, estimate, overrun, sizes, shape, oversize, arrivals, ..usual }
    }

    /// The format of result files.
    pub(super) fn file_format(&self) -> FileFormat {
        match self.format {
            Format::Csv => FileFormat::Csv,
            Format::Json => FileFormat::Json,
            Format::Jsonl => FileFormat::Jsonl,
            Format::Arrow => FileFormat::Arrow,
            Format::Table | Format::Parquet | Format::Markdown | Format::Latex => FileFormat::Parquet,
        }
    }

    /// Refuses to fill a terminal with bytes, and two logs from one standard input.
    pub(super) fn check_output(&self) -> Result<()> {
        use std::io::IsTerminal;
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
    // Which machines it serves is checked when they are known.
    let setup = execution::Setup { mesh: &Mesh::new(&[1])?, jobs: 0, seed: 0 };
    execution::build(&spec, &setup)?;
    Ok(spec)
}

fn positive(text: &str) -> Result<f64> {
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() && value > 0.0 => Ok(value),
        _ => bail!("expected a number above 0"),
    }
}
