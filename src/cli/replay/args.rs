//! The arguments of `meshreplay replay`.

use std::io::IsTerminal;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow, bail};
use clap::builder::PossibleValuesParser;
use clap::error::Error;
use clap::{Arg, ArgAction, ArgMatches, Command, FromArgMatches};

use crate::cli::one_of;
use crate::cli::reading::Zone;
use crate::cli::runner::options::{Flags, UnavailableArgs};
use crate::frame::FileFormat;
use crate::guest::Guests;
use crate::machine::Mesh;
use crate::metrics::Metric;
use crate::report::{summary_column, summary_metric};
use crate::spec::{GUEST, GivenSpec, Params, Spec, SpecError};
use crate::study::{
    ALL, Axes, AxisValues, Coordinate, Draft, LogSource, MOST_KEPT, MachineArg, MachinesWithTopology,
    NoTopology, OPTIONS, Options, ReplayOption, UNAVAILABLE_OF_AUTO, headings,
};
use crate::trace::{Columns, PartitionChoice, ReadOptions};
use crate::workload::{
    Arrivals, Estimate, OVERRUNS, OVERSIZES, Overrun, Oversize, RULE_SETS, RuleSet, Rules, SIZES, STATUSES,
    ShapeRule, Sizes, Status,
};
use crate::{execution, scheduler};

/// Replay logs: one row for each combination of log, partition, arrival scale, machine, scheduler, allocator
/// and network.
///
/// Specs are `name` or `name:key=value,key=value`; `meshreplay list` shows the names.
///
/// Workload models take the place of logs, such as lublin:jobs=10000,load=0.7, synthetic:ratio=1.5 or
/// tpu-slices; `meshreplay list models` shows their parameters.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:
  meshreplay replay traces/lublin-256-10k.swf.gz --machine 16x16 \\
    --scheduler easy --allocator hilbert+bf mc1x1
  meshreplay replay synthetic:ratio=1.5 --machine 32x32 --scheduler fcfs \\
    --allocator first-fit adaptive-scan --replications until:within=0.05")]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
pub(crate) struct Args {
    /// Logs, or workload models such as synthetic:ratio=1.5; - is standard input.
    ///
    /// Logs are plain or compressed with gzip; `meshreplay list formats` shows the formats, `meshreplay list
    /// models` the models.
    #[arg(required = true, value_name = "LOG")]
    pub(super) logs: Vec<PathBuf>,

    /// Machines, such as 16x16, 8x8x4, torus:16x8, or auto for the size of the log's machine.
    ///
    /// 400 is an array, 16x8:wrap=x wraps along x, ocs:8x4x4x4 has cubes behind switches; 1 to 3 dimensions,
    /// at most 2^24 nodes. tree:18x24 has 18 leaf switches of 24 nodes, tree:4x8x24 groups of 8 leaf
    /// switches. auto is nearly a square with `MaxProcs` or `MaxNodes` of the log's header, or else
    /// the most processors in use at once or asked for by one job, and at least as many nodes as the node
    /// lists name; auto:3d is nearly a cube, torus:auto a torus, and tree:auto:24 has leaf switches
    /// of 24 nodes.
    #[arg(
        short,
        long,
        required = true,
        value_name = "MACHINE",
        num_args = 1..,
        value_parser = machine_arg,
        help_heading = headings::MACHINE
    )]
    machine: Vec<MachineArg>,

    /// The tree of switches that --machine auto stands for: a topology.conf or topology.yaml of Slurm, or the
    /// output of scontrol show topology. Its names of nodes are also the node map.
    #[arg(long, value_name = "FILE", help_heading = headings::MACHINE)]
    topology: Option<PathBuf>,

    #[command(flatten, next_help_heading = headings::MACHINE)]
    unavailable: UnavailableArgs,

    /// Schedulers, such as fcfs, easy, conservative or recorded.
    ///
    /// Parameters follow a colon, as in easy:pass=per-event; `meshreplay list schedulers` shows all.
    /// exec:COMMAND is a program of your own.
    #[arg(
        short,
        long,
        default_value = "easy",
        value_name = "SPEC",
        num_args = 1..,
        value_parser = scheduler_spec,
        help_heading = headings::LOG
    )]
    scheduler: Vec<GivenSpec>,

    /// Priority order of waiting jobs. It sets the parameter `order` of every scheduler, so each of them
    /// must have one.
    #[arg(
        long,
        value_name = "ORDER",
        value_parser = PossibleValuesParser::new(scheduler::orders()),
        help_heading = headings::LOG
    )]
    order: Option<String>,

    /// Allocators, such as hilbert+bf, mc1x1, snug, first-fit or all.
    ///
    /// Parameters follow a colon, as in curve:order=gilbert,select=first-fit; `meshreplay list allocators`
    /// shows all. exec:COMMAND is a program of your own, such as 'exec:python3 mine.py'; the documentation's
    /// page on your own algorithms has its protocol.
    #[arg(
        short,
        long,
        required = true,
        value_name = "SPEC",
        num_args = 1..,
        value_parser = allocator_spec,
        help_heading = headings::LOG
    )]
    allocator: Vec<GivenSpec>,

    /// Run times of jobs: as recorded, or as long as messages take on a network, such as
    /// wormhole:pattern=one-to-all,messages=20. `meshreplay list networks` shows the parameters.
    /// exec:COMMAND is a program of your own that returns run times.
    #[arg(
        long,
        default_value = execution::RECORDED,
        value_name = "SPEC",
        num_args = 1..,
        value_parser = network_spec,
        help_heading = headings::LOG
    )]
    network: Vec<GivenSpec>,

    #[command(flatten)]
    values: AxisArgs,

    /// Number of replays that run at once [default: the number of cores]. Results do not depend on it.
    #[arg(long, value_name = "N", value_parser = crate::cli::threads, help_heading = headings::PERFORMANCE)]
    pub(in crate::cli) threads: Option<NonZeroUsize>,

    /// Directory for the results: the files `jobs`, `summary` and run.json. Or a file for the summary alone,
    /// by its ending: .csv, .parquet, .arrow, .json or .jsonl.
    #[arg(short, long, value_name = "DIR", help_heading = headings::OUTPUT)]
    pub(super) output: Option<PathBuf>,

    /// Replace the results of another run in the output directory, or such a file.
    #[arg(long, requires = "output", help_heading = headings::OUTPUT)]
    pub(super) force: bool,

    /// Begin even if the results would take more than 10 GB.
    #[arg(long, requires = "output", help_heading = headings::OUTPUT)]
    pub(super) large: bool,

    /// Format of the summary on standard output, and of the files of -o. For table, markdown and latex the
    /// files are Parquet. With parquet or arrow, -o prints a table. jsonl is one JSON object on each line.
    #[arg(long, value_parser = one_of(&FORMATS), default_value = "table", help_heading = headings::OUTPUT)]
    pub(super) format: Format,

    /// Columns of the summary that the table shows instead of its default columns, such as
    /// `wait_s_mean,moves`. `meshreplay schema summary` names all. Or, as FIELD=COLUMN,…, columns of the log,
    /// which is then read as a table: submit=Submit,start=Start,end=End,procs=NNodes, by name or by number.
    #[arg(
        long,
        value_name = "COLUMNS",
        num_args = 1..,
        value_delimiter = ',',
        value_parser = column,
        help_heading = headings::OUTPUT
    )]
    columns: Vec<String>,

    #[command(flatten, next_help_heading = headings::LOG)]
    zone: Zone,

    /// Number of the summary for sorting the table, best first, such as `pairwise_sum_mean`.
    #[arg(long, value_name = "COLUMN", value_parser = summary_metric, help_heading = headings::OUTPUT)]
    pub(super) sort: Option<&'static Metric>,

    /// Print under the table a small curve of the busy nodes and of the waiting jobs of each replay over
    /// time.
    #[arg(long, help_heading = headings::OUTPUT)]
    pub(super) sparklines: bool,

    /// Run the replays this many times in turn, one at a time, and print under the table how much the
    /// nanoseconds of allocator calls per job vary.
    #[arg(
        long,
        value_name = "N",
        value_parser = clap::value_parser!(u32).range(2..=1000),
        conflicts_with_all = ["threads", "no-timing"],
        help_heading = headings::PERFORMANCE
    )]
    pub(super) timing_rounds: Option<u32>,

    /// Rules for turning records into jobs. authors, the rules of the simulator PReMAS: allocated
    /// processors, and jobs of 0 s are kept. requested: requested processors. allocated: allocated
    /// processors. The last two leave out jobs that did not run.
    #[arg(long, default_value = "authors", value_parser = one_of(RULE_SETS), help_heading = headings::RULES)]
    rules: RuleSet,

    /// Statuses to replay. By default the rules decide: −1, 0, 1, and 5 if the job ran, for authors; every
    /// status for requested and allocated.
    #[arg(long, value_parser = one_of(STATUSES), help_heading = headings::RULES)]
    status: Option<Status>,

    /// Estimated run times: as recorded, exact (equal to the run time), or factor=F (F times the run time).
    /// predicted:user-last-two predicts the mean of the user's last two jobs that have ended, and
    /// from-file:FILE reads lines job,prediction; `meshreplay list predictors` shows more. When a job
    /// outlives its prediction, it is corrected by the rule after ,correct=: tsafrir (in steps), request (to
    /// the requested time) or error (fails).
    #[arg(long, default_value = "recorded", value_name = "ESTIMATE", help_heading = headings::RULES)]
    estimate: Estimate,

    /// Arrival times: as recorded, or uniform:max=M. The latter keeps the order of the jobs and draws the
    /// gaps between them from each seed, uniformly from 0 to M seconds; with M = 0 all jobs arrive at once.
    #[arg(long, default_value = "recorded", value_name = "ARRIVALS", help_heading = headings::LOG)]
    arrivals: Arrivals,

    /// Partitions to replay, by name or number (`meshreplay trace info` shows them): batch is one row,
    /// batch+debug one row of the jobs of both, and batch debug two rows. each is one row per partition,
    /// all one row of all jobs. With --machine auto every row has the machine of its partitions [default:
    /// all; with --machine auto, partitions without common nodes in the log's node lists have rows and
    /// machines of their own].
    #[arg(long, value_name = "NAME|each|all", num_args = 1.., help_heading = headings::LOG)]
    partition: Vec<PartitionChoice>,

    /// What happens to jobs that ran longer than estimated: extend raises the estimate to the run time, kill
    /// ends the run at the estimate, run-on keeps both times.
    #[arg(long, default_value = "extend", value_parser = one_of(OVERRUNS), help_heading = headings::RULES)]
    overrun: Overrun,

    /// Sizes to replay: all, more than one processor (parallel), or powers of two.
    #[arg(long, default_value = "all", value_parser = one_of(SIZES), help_heading = headings::RULES)]
    sizes: Sizes,

    /// Shape of jobs without a shape of their own. near-square: the submesh of fewest nodes whose longest
    /// side is at most twice the shortest. factors: a submesh of exactly that number of nodes if one fits,
    /// so that 13 nodes are a row. row: one row. pow2: near-square with sides rounded up to powers of two.
    /// list:4x4x4,8x4x4: the smallest listed shape with enough nodes, whether or not it fits the machine.
    #[arg(long, value_name = "RULE", default_value = "near-square", help_heading = headings::RULES)]
    shape: ShapeRule,

    /// Treatment of jobs that are larger than the machine, or that the allocator cannot place even on the
    /// idle machine: fail the replay (error), or leave them out and count them (skip).
    #[arg(long, default_value = "error", value_parser = one_of(OVERSIZES), help_heading = headings::RULES)]
    oversize: Oversize,

    /// Skip malformed lines of logs and count them.
    #[arg(long, help_heading = headings::LOG)]
    lenient: bool,

    #[command(flatten)]
    flags: Flags,

    /// Print neither notes nor progress on standard error.
    #[arg(short, long, help_heading = headings::OUTPUT)]
    pub(super) quiet: bool,
}

/// The arguments that say how the logs are read. A program that embeds the command has them for each log.
pub(in crate::cli) const OF_READING: [&str; 8] =
    ["cluster", "columns", "dates", "input-format", "lenient", "log-limits", "time-zone", "unit"];

/// The arguments that say what is printed and where files go, which a program that embeds the command decides
/// itself.
pub(in crate::cli) const OF_PROGRAM: [&str; 9] =
    ["logs", "output", "force", "large", "format", "sort", "sparklines", "timing-rounds", "quiet"];

/// Returns one of the texts in `--columns`: a column of the summary, or a field of the log with its column.
fn column(text: &str) -> Result<String, String> {
    if text.contains('=') {
        Ok(text.to_owned())
    } else {
        summary_column(text).map_err(|error| error.to_string())
    }
}

/// What goes to standard output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Table,
    /// The summary as a file of results.
    File(FileFormat),
    Markdown,
    Latex,
}

const FORMATS: [(&str, Format); 8] = [
    ("table", Format::Table),
    ("csv", Format::File(FileFormat::Csv)),
    ("json", Format::File(FileFormat::Json)),
    ("jsonl", Format::File(FileFormat::Jsonl)),
    ("parquet", Format::File(FileFormat::Parquet)),
    ("arrow", Format::File(FileFormat::Arrow)),
    ("markdown", Format::Markdown),
    ("latex", Format::Latex),
];

impl Args {
    /// Returns the options that all replays share, before the axes add theirs.
    fn options(&self) -> Options {
        Options { jobs: self.folder().is_some() || self.sparklines, ..self.flags.options.clone() }
    }

    /// Returns the columns of the summary that the table shows; an empty list stands for the default columns.
    pub(super) fn shown_columns(&self) -> Vec<String> {
        self.columns.iter().filter(|column| !column.contains('=')).cloned().collect()
    }

    /// Returns the spec of the format of the logs; `None` if the readers find it out.
    fn input_format(&self) -> Result<Option<Spec>> {
        let of_log: Vec<&str> =
            self.columns.iter().map(String::as_str).filter(|column| column.contains('=')).collect();
        let columns = (!of_log.is_empty()).then(|| of_log.join(",").parse::<Columns>());
        let columns =
            columns.transpose().map_err(|problem| anyhow!("--columns {}: {problem}", of_log.join(",")))?;
        self.zone.complete(self.flags.options.input_format.as_ref(), columns.as_ref())
    }

    /// Returns the machines, with the tree of the topology in place of `auto`, and notes on it.
    fn machines(&self, options: &mut Options) -> Result<MachinesWithTopology> {
        let Some(path) = &self.topology else {
            return Ok(MachinesWithTopology { machines: self.machine.clone(), notes: Vec::new() });
        };
        let read = MachinesWithTopology::read(&self.machine, path, self.allocator.iter(), options);
        read.map_err(|error| match error {
            NoTopology::Unreadable(error) => error.into(),
            error @ NoTopology::NoAuto => anyhow!("--topology: {error}"),
        })
    }

    /// Returns the draft of the study that the arguments describe. `guests` are the objects of a program that
    /// has the command in it.
    pub(in crate::cli) fn draft(&self, guests: Guests) -> Result<Draft> {
        self.check_objects(&guests)?;
        let mut options = Options { input_format: self.input_format()?, ..self.options() };
        let MachinesWithTopology { machines, notes } = self.machines(&mut options)?;
        let read = ReadOptions {
            lenient: self.lenient,
            format: options.input_format.clone(),
            ..ReadOptions::default()
        };
        let log = |path: &PathBuf| LogSource::new(&path.to_string_lossy(), path.clone(), read.clone());
        let (given, autos) = MachineArg::split(machines.into_iter());
        if !autos.is_empty() && !self.unavailable.is_empty() {
            bail!("{UNAVAILABLE_OF_AUTO}");
        }
        let machines: Result<_> = given.iter().map(|mesh| self.unavailable.removed_from(mesh)).collect();
        let axes = Axes {
            partitions: self.partitions(),
            rules: vec![self.rules()],
            machines: machines?,
            autos,
            schedulers: self.schedulers()?,
            allocators: self.allocator.clone(),
            networks: self.network.clone(),
            values: self.values.0.clone(),
            guests,
            ..Axes::default()
        };
        Ok(Draft {
            name: String::new(),
            description: None,
            options,
            logs: self.logs.iter().map(log).collect::<Result<_, _>>()?,
            axes,
            is_of_command: true,
            most_kept: MOST_KEPT,
            notes,
        })
    }

    /// Returns the partitions that are replayed, at least one choice.
    fn partitions(&self) -> Vec<PartitionChoice> {
        match &*self.partition {
            [] if self.zone.is_each_cluster() => vec![PartitionChoice::Each],
            [] => vec![PartitionChoice::default()],
            given => given.to_vec(),
        }
    }

    /// Returns an error if an algorithm is an object that is not among `guests`.
    fn check_objects(&self, guests: &Guests) -> Result<()> {
        let mesh = Mesh::new(&[1])?;
        for given in self.scheduler.iter().filter(|given| is_object(&given.spec)) {
            guests.resolve_scheduler(&given.spec)?;
        }
        for given in self.allocator.iter().filter(|given| is_object(&given.spec)) {
            guests.find_allocator(&given.spec)?;
        }
        for given in self.network.iter().filter(|given| is_object(&given.spec)) {
            guests.resolve_network(&given.spec, &mesh)?;
        }
        Ok(())
    }

    /// Returns the schedulers, with the order of `--order`, also in their labels.
    fn schedulers(&self) -> Result<Vec<GivenSpec>, SpecError> {
        let Some(order) = &self.order else { return Ok(self.scheduler.clone()) };
        let ordered = |given: &GivenSpec| match given.spec.params.get("order") {
            Some(other) if other != order => {
                let expected = format!("{order}, as --order says, or no order of its own");
                Err(Params::new(&given.spec).bad_value("order", other, &expected))
            }
            _ if given.spec.is_guest() => {
                let known = "; a program has no parameters but those of its command".to_owned();
                Err(SpecError::NoParameter { owner: given.spec.name.clone(), key: "order".to_owned(), known })
            }
            Some(_) => Ok(given.clone()),
            None => {
                let spec = given.spec.clone().with("order", order);
                scheduler::build(&spec)?;
                Ok(spec.into())
            }
        };
        self.scheduler.iter().map(ordered).collect()
    }

    /// Returns the rules that make jobs of records.
    fn rules(&self) -> Rules {
        let default = Rules::defaults(self.rules);
        Rules {
            status: self.status.unwrap_or(default.status),
            estimate: self.estimate.clone(),
            overrun: self.overrun,
            sizes: self.sizes,
            shape: self.shape.clone(),
            oversize: self.oversize,
            arrivals: self.arrivals,
            ..default
        }
    }

    pub(super) fn file_format(&self) -> FileFormat {
        match self.format {
            Format::File(format) => format,
            Format::Table | Format::Markdown | Format::Latex => FileFormat::Parquet,
        }
    }

    /// Returns the directory for results; `None` without one.
    pub(super) fn folder(&self) -> Option<&Path> {
        self.output.as_deref().filter(|_| self.summary_file().is_none())
    }

    /// Returns the file for the summary alone, with its format; `None` without one.
    pub(super) fn summary_file(&self) -> Option<(&Path, FileFormat)> {
        summary_file(self.output.as_deref()?)
    }

    /// Returns an error if binary output would go to a terminal, or if two logs are read from standard input.
    pub(super) fn check_output(&self) -> Result<()> {
        self.output.as_deref().map_or(Ok(()), |output| check_place(output, &self.flags.options))?;
        let format = self.file_format();
        let is_file = matches!(self.format, Format::File(_));
        let binary = is_file && matches!(format, FileFormat::Parquet | FileFormat::Arrow);
        if binary && self.output.is_none() && std::io::stdout().is_terminal() {
            bail!("{format:?} is not for a terminal; give -o DIR or send standard output to a file");
        }
        let is_table = !is_file || (binary && self.output.is_some());
        if !self.shown_columns().is_empty() && !is_table {
            let name = format.extension();
            bail!("--columns chooses columns of a table; --format {name} has all of them");
        }
        if self.sort.is_some() && !is_table {
            bail!("--sort sorts the rows of a table; rows in other formats have the order of the replays");
        }
        if self.sparklines && self.format != Format::Table && !(binary && self.output.is_some()) {
            bail!("--sparklines are printed under the table that --format table prints");
        }
        if self.timing_rounds.is_some() && !is_table {
            bail!("--timing-rounds prints a range under the table that --format table prints");
        }
        if self.logs.iter().filter(|log| log.as_os_str() == "-").count() > 1 {
            bail!("standard input can be read only once; give - once");
        }
        Ok(())
    }
}

/// Returns whether an algorithm is an object of a program that has the command in it, which is checked when
/// these are known.
fn is_object(spec: &Spec) -> bool {
    spec.name == GUEST
}

fn scheduler_spec(text: &str) -> Result<GivenSpec> {
    let given: GivenSpec = text.parse()?;
    if !is_object(&given.spec) {
        Guests::default().resolve_scheduler(&given.spec)?;
    }
    Ok(given)
}

fn allocator_spec(text: &str) -> Result<GivenSpec> {
    let given: GivenSpec = text.parse()?;
    let is_all = given.spec.name == ALL && given.spec.params.is_empty();
    if !is_all && !is_object(&given.spec) {
        Guests::default().find_allocator(&given.spec)?;
    }
    Ok(given)
}

fn machine_arg(text: &str) -> Result<MachineArg> {
    MachineArg::parse(text).map_err(|problem| anyhow!(problem))
}

fn network_spec(text: &str) -> Result<GivenSpec> {
    let given: GivenSpec = text.parse()?;
    // Whether the network fits the machine is checked when the machines are known.
    if !is_object(&given.spec) {
        Guests::default().resolve_network(&given.spec, &Mesh::new(&[1])?)?;
    }
    Ok(given)
}

// The options of `replay` whose values become a coordinate one by one. The rows of coordinates with an axis
// describe them.

/// The values of the options, by the names of the coordinates.
#[derive(Clone, Debug)]
struct AxisArgs(AxisValues);

impl clap::Args for AxisArgs {
    fn augment_args(command: Command) -> Command {
        Coordinate::axes().fold(command, |command, (row, axis)| {
            let parse = |text: &str| row.parsed(text).ok_or_else(|| format!("expected {}", axis.expected));
            let arg = Arg::new(row.name).long(axis.option).help(axis.help).help_heading(headings::LOG);
            let arg = arg.value_name(axis.value_name).default_value(axis.default);
            let arg = arg.allow_negative_numbers(true).value_parser(parse);
            command.arg(if row.takes_several() {
                arg.action(ArgAction::Append).num_args(1..).value_delimiter(',')
            } else {
                arg
            })
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for AxisArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let values = |name| matches.get_many::<String>(name).into_iter().flatten().cloned().collect();
        Ok(Self(Coordinate::axes().map(|(row, _)| (row.name, values(row.name))).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// Endings of files with tables in formats that are not written.
const OTHER_ENDINGS: [&str; 26] = [
    "xlsx", "xls", "ods", "tsv", "txt", "feather", "ipc", "pq", "parq", "avro", "orc", "h5", "hdf5", "pkl",
    "db", "sqlite", "md", "tex", "html", "svg", "pdf", "png", "gz", "zst", "xz", "zip",
];

/// Returns the ending of a file in a format that is not written; `None` if it is another one.
pub(crate) fn other_ending(file: &Path) -> Option<&'static str> {
    let ending = file.extension()?;
    OTHER_ENDINGS.into_iter().find(|other| ending.eq_ignore_ascii_case(other))
}

/// Returns the file for the summary alone, with its format; `None` for a directory.
pub(super) fn summary_file(output: &Path) -> Option<(&Path, FileFormat)> {
    if output.is_dir() { None } else { Some((output, FileFormat::of_path(output)?)) }
}

/// Returns an error for a file in a format that is not written, or for a file with options that keep jobs.
fn check_place(output: &Path, options: &Options) -> Result<()> {
    let path = output.display();
    if let Some((_, format)) = summary_file(output) {
        let written = output.with_extension(format.extension());
        if written != output {
            bail!("-o {path}: endings of files are in small letters; give {}", written.display());
        }
        let default = Options::default();
        let keeps_jobs = |row: &&ReplayOption| row.needed().is_some_and(|needed| needed.name == "jobs");
        let is_given = |row: &&ReplayOption| row.text(options) != row.text(&default);
        let mut flags = OPTIONS.iter().filter(keeps_jobs).filter(is_given);
        if let Some(flag) = flags.find_map(|row| row.flag.as_ref()) {
            bail!("--{} needs a directory for jobs; {path} is a file for the summary alone", flag.name);
        }
    }
    if let (false, Some(ending)) = (output.is_dir(), other_ending(output)) {
        bail!(
            "-o {path}: .{ending} files are not written; expected .csv, .parquet, .arrow, .json or .jsonl \
             for the summary, or a directory"
        );
    }
    Ok(())
}
