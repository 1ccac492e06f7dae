//! The options of replays, in one table: measurements, repetitions and kept results. The table provides the
//! flags of the command line, the lines of content keys, the entries of study.json and run.json, and the
//! commands that continue a study or repeat a replay.
//!
//! A new option is a field of [`Options`], a row of [`OPTIONS`] and the code that uses it.

mod values;

use serde_json::Value;

use super::file::StudyKey;
use super::plan::PeriodChoice;
use meshreplay_base::spec::Spec;
use meshreplay_logs::{LogLimits, formats};
use meshreplay_machine::machine::node_map::NodeMapSource;
use meshreplay_machine::machine::outages::{OutageSource, Treatment};
use meshreplay_sim::metrics::{Has, Needs, Replications, Slices, Trim};
use meshreplay_workload::Shake;

/// Options that all replays of a study, or of one command, share. [`OPTIONS`] has a row for each field.
#[derive(Clone, Debug, Default, PartialEq)]
#[expect(clippy::struct_excessive_bools, reason = "each says whether results have something")]
pub struct Options {
    /// Whether wall-clock times of allocator calls and replays are measured.
    pub timed: bool,
    /// Whether results have the distribution of these times. Requires `timed`.
    pub latency: bool,
    /// Jobs that means leave out.
    pub trim: Trim,
    /// Number of replications, each with its own seed.
    pub replications: Replications,
    /// The largest change of run times, drawn anew for each replication. `None` if run times are as in the
    /// log.
    pub shake: Option<Shake>,
    /// Whether outcomes hold the results of single jobs.
    pub jobs: bool,
    /// Whether the causes of waiting are found.
    pub why: bool,
    /// Whether contention on links is estimated.
    pub contention: bool,
    /// Slices whose fit into the free nodes is counted. `None` if fragmentation is not measured.
    pub fragmentation: Option<Slices>,
    /// Whether outcomes hold the nodes of every job. Requires `jobs`.
    pub placements: bool,
    /// Whether outcomes hold counts of the jobs by shape. Requires `jobs`.
    pub by_shape: bool,
    /// Whether jobs are also kept with the coordinates of their replay. Requires `jobs`.
    pub tidy: bool,
    /// Whether each replay is audited while it runs.
    pub audit: bool,
    /// Format of the logs. `None` if it is detected for each log from its name or its first line.
    pub input_format: Option<Spec>,
    /// Limits on the resources of a log. No result depends on them.
    pub log_limits: LogLimits,
    /// The period of the logs that replays cover. `None`: as for logs of sites by default, see
    /// [`PeriodChoice`].
    pub period: Option<PeriodChoice>,
    /// Outages of nodes. `None` if all nodes are always up.
    pub outages: Option<OutageSource>,
    /// Treatment of jobs on a node that goes down. Requires `outages`.
    pub on_outage: Treatment,
    /// Nodes of the names in the log. `None` if the names in natural order are the nodes in the order of
    /// their numbers. Affects the allocator `recorded` only.
    pub node_map: Option<NodeMapSource>,
}

/// One option: a row of [`OPTIONS`].
#[derive(Debug)]
pub struct ReplayOption {
    /// Name in content keys.
    pub name: &'static str,
    /// Whether content keys have a line for the option.
    pub keyed: Keyed,
    /// Name in study.json and run.json. `None` if they lack it.
    pub json: Option<&'static str>,
    /// Returns the value as JSON; null without one.
    value: fn(&Options) -> Value,
    /// Sets the option to a value, spelt as in content keys. The error describes the accepted values.
    pub set: fn(&mut Options, &str) -> Result<(), String>,
    /// A value other than the default, spelt as in content keys, for tests.
    pub example: &'static str,
    /// Whether replays with another value than the default need all jobs in memory.
    pub(in crate::study) needs_all_jobs: bool,
    /// Key of study files, named like the option. `None` if only the command line sets the option.
    pub key: Option<StudyKey>,
    /// The flag of the command line. `None` without one.
    pub flag: Option<Flag>,
}

/// Headings in the help of `replay`.
pub mod headings {
    /// Logs, algorithms, and how often they are replayed.
    pub const LOG: &str = "What to replay";
    /// Machines, their nodes and outages.
    pub const MACHINE: &str = "On which machine";
    /// From records to jobs.
    pub const RULES: &str = "Rules of the workload";
    /// Measurements and kept results.
    pub const RECORD: &str = "What to record";
    /// Files and tables.
    pub const OUTPUT: &str = "Output";
    /// Threads and timing.
    pub const PERFORMANCE: &str = "Performance";
}

/// Whether an option is part of content keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keyed {
    /// Always, because results depend on the option.
    Always,
    /// Only if the value differs from the default. Results depend on the option, but keys from before the
    /// option existed have no line for it.
    IfGiven,
    /// Never, because the option only selects which results are kept.
    Never,
}

/// A flag of the command line that sets an option.
#[derive(Debug)]
pub struct Flag {
    /// Name without the leading dashes.
    pub name: &'static str,
    /// Heading in the help of `replay`, one of [`headings`].
    pub heading: &'static str,
    /// The help text. The short help has its first sentence.
    pub help: &'static str,
    /// Value that the flag sets.
    pub gives: FlagValue,
    /// Another flag of `sweep` that must be given too. `None` if the flag works alone.
    pub needs: Option<&'static str>,
    /// Whether `sweep` has the flag. Otherwise only a study file can set the option, if at all.
    pub is_of_sweep: bool,
    /// Whether `show allocation` has the flag.
    pub is_of_show: bool,
    /// Arguments of `replay` with the same effect. `None` if `replay` has the flag itself.
    pub in_replay: Option<&'static [&'static str]>,
}

/// The source of a flag's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlagValue {
    /// A fixed value.
    Value(&'static str),
    /// The argument after the flag. The help text shows this name.
    Argument(&'static str),
}

/// A switch of both `sweep` and `replay`. Rows override the name and the help text.
const SWITCH: Flag = Flag {
    name: "",
    heading: headings::RECORD,
    help: "",
    gives: FlagValue::Value("true"),
    needs: None,
    is_of_sweep: true,
    is_of_show: false,
    in_replay: None,
};

/// A switch that is off by default, does not affect results and is no key of study files. Rows override the
/// name, the functions and any other difference.
const OFF: ReplayOption = ReplayOption {
    name: "",
    keyed: Keyed::Never,
    json: None,
    value: |_| Value::Null,
    set: |_, _| Ok(()),
    example: "true",
    needs_all_jobs: false,
    key: None,
    flag: None,
};

/// Every option. Content keys have lines in the order of the rows.
pub const OPTIONS: &[ReplayOption] = &[
    ReplayOption {
        name: "trim",
        keyed: Keyed::Always,
        json: Some("trim_percent"),
        value: |options| options.trim.percent.into(),
        set: |options, text| {
            let percent = text.parse().ok().filter(|percent| (0.0..50.0).contains(percent));
            options.trim.percent = Some(percent.ok_or("expected a number from 0 to below 50")?);
            Ok(())
        },
        example: "2.5",
        needs_all_jobs: true,
        flag: Some(Flag {
            name: "trim",
            heading: headings::RULES,
            help: "Leave jobs out of means: those submitted in the first and the last PERCENT of the period \
                 of submissions, the same jobs in every replay",
            gives: FlagValue::Argument("PERCENT"),
            is_of_sweep: false,
            ..SWITCH
        }),
        ..OFF
    },
    ReplayOption {
        name: "replications",
        keyed: Keyed::Always,
        json: Some("replications"),
        value: |options| options.replications.to_string().into(),
        set: |options, text| put(&mut options.replications, text.parse()),
        example: "3",
        key: Some(StudyKey {
            kind: "a whole number or a string",
            ..StudyKey::string("replications", "\"until:within=0.05,min=5,max=200\"")
        }),
        flag: Some(Flag {
            name: "replications",
            heading: headings::LOG,
            help: "Number of seeds with which each replay is repeated [default: 1]. \
                 until:within=0.05,min=5,max=200 repeats it until the 95 % confidence intervals of \
                 turnaround and utilization are within 5 % of their means; confidence=0.9 changes the 95 %. \
                 Workload models draw new jobs from each seed",
            gives: FlagValue::Argument("R"),
            is_of_sweep: false,
            ..SWITCH
        }),
        ..OFF
    },
    ReplayOption {
        name: "shake",
        keyed: Keyed::IfGiven,
        json: Some("shake"),
        value: |options| options.shake.as_ref().map(Shake::to_string).into(),
        set: |options, text| put_optional(&mut options.shake, text, str::parse),
        example: "0.1%",
        needs_all_jobs: true,
        key: Some(StudyKey::string("shake", "\"0.1%\"")),
        flag: Some(Flag {
            name: "shake",
            heading: headings::LOG,
            help: "Change each run time of a log at random by up to this percentage, such as 0.1%, anew in \
                 each of the --replications: a difference that is chance in the details of this log \
                 disappears in the mean. The scheduler `recorded` keeps the run times of the log",
            gives: FlagValue::Argument("PERCENT"),
            is_of_sweep: false,
            ..SWITCH
        }),
    },
    ReplayOption {
        name: "timed",
        keyed: Keyed::Always,
        json: Some("timed"),
        value: |options| options.timed.into(),
        set: |options, text| switch(&mut options.timed, text),
        example: "false",
        flag: Some(Flag {
            name: "no-timing",
            help: "Do not measure the time of allocator calls, so that results are the same bytes on every \
                 run",
            gives: FlagValue::Value("false"),
            ..SWITCH
        }),
        ..OFF
    },
    ReplayOption {
        name: "latency",
        keyed: Keyed::IfGiven,
        json: Some("latency"),
        value: |options| options.latency.into(),
        set: |options, text| switch(&mut options.latency, text),
        example: "true",
        flag: Some(Flag {
            name: "latency",
            help: "Keep how long allocator calls take: more quantiles of placing, refusing and releasing in \
                 the summary, and with the jobs the frame `latency`, a histogram whose counts add up over \
                 replays, seeds and parts of a study",
            ..SWITCH
        }),
        ..OFF
    },
    ReplayOption {
        name: "why",
        keyed: Keyed::IfGiven,
        json: Some("why"),
        value: |options| options.why.into(),
        set: |options, text| switch(&mut options.why, text),
        example: "true",
        key: Some(StudyKey::switch("why")),
        flag: Some(Flag {
            name: "why",
            heading: headings::RECORD,
            help: "Find out why jobs waited: split each wait into the time without room, behind the \
                 reservation of the oldest blocked job, without nodes in outages, without a place for a \
                 contiguous allocator, and free to start, when the scheduler could have started the job and \
                 delayed no other",
            ..SWITCH
        }),
        ..OFF
    },
    ReplayOption {
        name: "contention",
        keyed: Keyed::Always,
        json: Some("contention"),
        value: |options| options.contention.into(),
        set: |options, text| switch(&mut options.contention, text),
        example: "true",
        flag: Some(Flag {
            name: "contention",
            help: "Estimate contention: the number of pairs of messages that meet on links if all nodes of \
                 each running job send to each other",
            ..SWITCH
        }),
        ..OFF
    },
    ReplayOption {
        name: "fragmentation",
        keyed: Keyed::IfGiven,
        json: Some("fragmentation"),
        value: |options| options.fragmentation.as_ref().map(Slices::to_string).into(),
        set: |options, text| text.parse().map(|slices| options.fragmentation = Some(slices)),
        example: "4x4x1+2x1x1",
        flag: Some(Flag {
            name: "fragmentation",
            help: "Measure the fragmentation of the free nodes: the largest free submesh, and how many of \
                 each of these slices, such as 4x4x4,8x4x4*3, would fit, as means over time, with the share \
                 of the time in which at least so many fit (*3; 1 if left out)",
            gives: FlagValue::Argument("SLICES"),
            ..SWITCH
        }),
        ..OFF
    },
    ReplayOption {
        name: "jobs",
        value: |options| options.jobs.into(),
        set: |options, text| switch(&mut options.jobs, text),
        flag: Some(Flag {
            name: "jobs",
            help: "Keep the jobs of every cell too, in cells/KEY.jobs.parquet",
            in_replay: Some(&["--output", "rerun"]),
            ..SWITCH
        }),
        ..OFF
    },
    ReplayOption {
        name: "placements",
        keyed: Keyed::IfGiven,
        json: Some("placements"),
        value: |options| options.placements.into(),
        set: |options, text| switch(&mut options.placements, text),
        example: "true",
        flag: Some(Flag {
            name: "placements",
            help: "Keep the nodes of every job too, such as 0-3 7, in the column `nodes` of the jobs. A job \
                 that was moved has its last nodes",
            needs: Some("jobs"),
            ..SWITCH
        }),
        ..OFF
    },
    ReplayOption {
        name: "by_shape",
        keyed: Keyed::IfGiven,
        json: Some("by_shape"),
        value: |options| options.by_shape.into(),
        set: |options, text| switch(&mut options.by_shape, text),
        example: "true",
        flag: Some(Flag {
            name: "by-shape",
            help: "Count the jobs of each shape and number of nodes too: how many there are, how many never \
                 fit, how often they are refused and how long they wait, in the frame `shapes`",
            needs: Some("jobs"),
            ..SWITCH
        }),
        ..OFF
    },
    ReplayOption {
        name: "tidy",
        value: |options| options.tidy.into(),
        set: |options, text| switch(&mut options.tidy, text),
        flag: Some(Flag {
            name: "tidy",
            help: "Keep one more frame, `tidy`: the jobs with log, machine, scheduler, allocator and the \
                 other coordinates of their replay, so that nothing has to be joined",
            needs: Some("jobs"),
            ..SWITCH
        }),
        ..OFF
    },
    ReplayOption {
        // Changes no result: a replay that violates a rule fails.
        name: "audit",
        value: |options| options.audit.into(),
        set: |options, text| switch(&mut options.audit, text),
        flag: Some(Flag {
            name: "audit",
            help: "Audit each replay as it runs, by the rules of the command audit: no job starts before it \
                 arrives or ends before it starts, no node belongs to two jobs or is used while it is down, \
                 every placement has the right size, and all records are as seen. A violation is an error",
            ..SWITCH
        }),
        ..OFF
    },
    ReplayOption {
        name: "input_format",
        keyed: Keyed::IfGiven,
        json: Some("input_format"),
        value: |options| options.input_format.as_ref().map(Spec::to_string).into(),
        set: |options, text| put_optional(&mut options.input_format, text, formats::parse),
        example: "columns:procs=2,run=4,submit=3",
        key: Some(StudyKey::string("input_format", "\"columns:submit=3,run=5,procs=2\"")),
        flag: Some(Flag {
            name: "input-format",
            heading: headings::LOG,
            help: "Format of the logs, such as nas-ipsc or columns:submit=3,run=5,procs=2. By default the \
                 name of each log tells its format, or its first line, or else it is swf. `meshreplay list \
                 formats` shows the formats",
            gives: FlagValue::Argument("FORMAT"),
            is_of_sweep: false,
            ..SWITCH
        }),
        ..OFF
    },
    ReplayOption {
        // Changes no result: a log is either read as a whole or refused.
        name: "log_limits",
        value: |options| options.log_limits.to_string().into(),
        set: |options, text| put(&mut options.log_limits, text.parse()),
        example: "expansion=1000,line=16777216",
        flag: Some(Flag {
            name: "log-limits",
            heading: headings::LOG,
            help: "How much a log may ask for [default: expansion=200,line=1048576]: how many times as much \
                 text as bytes a compressed log has, the bytes of its longest line, and with memory=BYTES \
                 the memory in which Parquet and Arrow are decoded on Linux, otherwise 4 GiB",
            gives: FlagValue::Argument("LIMITS"),
            ..SWITCH
        }),
        ..OFF
    },
    ReplayOption {
        name: "period",
        keyed: Keyed::IfGiven,
        json: Some("period"),
        value: |options| options.period.as_ref().map(PeriodChoice::to_string).into(),
        set: |options, text| put_optional(&mut options.period, text, str::parse),
        example: "auto",
        key: Some(StudyKey::string("period", "\"2024-03-01..2024-04-01\"")),
        flag: Some(Flag {
            name: "period",
            heading: headings::LOG,
            help: "The period of each log that numbers cover [default: auto for accounting dumps and tables, \
                 off for others]. auto finds out whether a log is a window of a longer history, such as the \
                 dump of a month; replays then begin with the jobs that ran and waited at its beginning. off \
                 takes the whole log. FROM..TO are seconds of the log, or dates such as \
                 2024-03-01..2024-04-01 in its time zone",
            gives: FlagValue::Argument("auto|off|FROM..TO"),
            is_of_sweep: false,
            ..SWITCH
        }),
        ..OFF
    },
    ReplayOption {
        name: "outages",
        keyed: Keyed::IfGiven,
        json: Some("outages"),
        value: |options| options.outages.as_ref().map(OutageSource::to_string).into(),
        set: |options, text| put_optional(&mut options.outages, text, str::parse),
        example: "random:mtbf=30d,repair=4h",
        // How many jobs run is known at the end.
        needs_all_jobs: true,
        key: Some(StudyKey::string("outages", "\"random:mtbf=30d,repair=4h\"")),
        flag: Some(Flag {
            name: "outages",
            heading: headings::MACHINE,
            help: "Nodes that go down and come up: a file with a line time,node,down|planned|up for each \
                 change (seconds of the log as replayed; a node is a number, an interval such as 0-3, or \
                 coordinates such as (2,5)), or random:mtbf=30d,repair=4h for failures that are drawn from \
                 the seed. Schedulers know planned outages, of the whole machine, in advance: nothing starts \
                 that would run into one. recorded plans those that the log shows: 6 h or more in which \
                 nothing ran while jobs waited that fit",
            gives: FlagValue::Argument("FILE|RULE"),
            is_of_show: true,
            ..SWITCH
        }),
    },
    ReplayOption {
        name: "on_outage",
        keyed: Keyed::IfGiven,
        json: Some("on_outage"),
        value: |options| options.on_outage.to_string().into(),
        set: |options, text| put(&mut options.on_outage, text.parse()),
        example: "drain",
        key: Some(StudyKey::string("on_outage", "\"requeue:limit=3\"")),
        flag: Some(Flag {
            name: "on-outage",
            heading: headings::MACHINE,
            help: "What happens to a job when one of its nodes goes down [default: requeue:limit=1000]. \
                 requeue kills it and runs it again from the start, at most 1,000 times or as often as \
                 limit= says. drain lets it go on; the node leaves when it ends",
            gives: FlagValue::Argument("TREATMENT"),
            needs: Some("outages"),
            is_of_show: true,
            ..SWITCH
        }),
        ..OFF
    },
    ReplayOption {
        name: "node_map",
        keyed: Keyed::IfGiven,
        json: Some("node_map"),
        value: |options| options.node_map.as_ref().map(NodeMapSource::to_string).into(),
        set: |options, text| put_optional(&mut options.node_map, text, str::parse),
        example: "c{x+1}-{y:2}",
        key: Some(StudyKey::string("node_map", "\"nodes.csv\"")),
        flag: Some(Flag {
            name: "node-map",
            heading: headings::MACHINE,
            help: "Where the nodes are that the log names, for the allocator recorded: a file with rows \
                 name,x,y,z or name,number (with or without a header), or the pattern of the names, such as \
                 nid{rank}, node{rank+1} or c{x}-{y}n{z}. By default the names in natural order are the \
                 nodes in the order of their numbers",
            gives: FlagValue::Argument("FILE|PATTERN"),
            is_of_show: true,
            ..SWITCH
        }),
        ..OFF
    },
];

impl Options {
    /// Returns the requirements of columns that any replay with these options meets.
    pub fn has(&self) -> Has {
        Has::NOTHING
            .with(Needs::Timed, self.timed)
            .with(Needs::Contention, self.contention)
            .with(Needs::Fragmentation, self.fragmentation.is_some())
            .with(Needs::Placements, self.placements)
            .with(Needs::ByShape, self.by_shape)
            .with(Needs::Tidy, self.tidy)
            .with(Needs::Outages, self.take_nodes_down())
            .with(Needs::Latency, self.latency)
            .with(Needs::Why, self.why)
            .with(Needs::Shaken, self.shake.is_some())
    }
}

/// The spelling of a missing value in content keys.
const NONE: &str = "none";

/// Sets a switch from the text `true` or `false`, and fails for any other text.
fn switch(target: &mut bool, text: &str) -> Result<(), String> {
    put(target, text.parse().map_err(|_| "expected true or false"))
}

/// Stores a parsed value in `target`, or returns the message of the error.
fn put<T, E: ToString>(target: &mut T, parsed: Result<T, E>) -> Result<(), String> {
    parsed.map(|value| *target = value).map_err(|error| error.to_string())
}

/// Stores the value that `parse` reads from a text in `target`, or `None` for [`NONE`].
fn put_optional<T, E: ToString>(
    target: &mut Option<T>,
    text: &str,
    parse: impl Fn(&str) -> Result<T, E>,
) -> Result<(), String> {
    put(target, (text != NONE).then(|| parse(text)).transpose())
}

#[cfg(test)]
mod tests;
