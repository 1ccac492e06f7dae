//! Tables: any sufficient subset of the five times of a job, in any unit, with any format of dates.

use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::{TWICE, bracketed, comes_twice, decimal, local};
use crate::round_trip::cluster::{Cluster, Fate, How, Job, SECOND_MS, one_of, seconds};
use crate::round_trip::truth::{Want, Written, once};

/// A time of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Time {
    Submit,
    Start,
    End,
    Wait,
    Run,
}

use Time::{End, Run, Start, Submit, Wait};

/// The subsets of the five times that determine the other times.
pub(crate) const SUBSETS: [&[Time]; 16] = [
    &[Submit, Start, End],
    &[Submit, Start, Run],
    &[Submit, End, Wait],
    &[Submit, End, Run],
    &[Submit, Wait, Run],
    &[Start, End, Wait],
    &[Start, Wait, Run],
    &[End, Wait, Run],
    &[Submit, Start, End, Wait],
    &[Submit, Start, End, Run],
    &[Submit, Start, Wait, Run],
    &[Submit, End, Wait, Run],
    &[Start, End, Wait, Run],
    &[Submit, Start, End, Wait, Run],
    &[Submit, Start, Run, Wait, End],
    &[End, Run, Submit, Start],
];

/// Formats of dates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dates {
    /// Local time in a format of `strftime`.
    Local(&'static str),
    /// The same, followed by an offset or `Z`.
    WithOffset(&'static str),
    Epoch,
    EpochMs,
    /// Seconds since an arbitrary start of the log.
    Small,
}

pub(crate) const ISO: Dates = Dates::Local("%Y-%m-%dT%H:%M:%S");
const US: Dates = Dates::Local("%m/%d/%Y %H:%M:%S");
/// Without leading zeros, as spreadsheets write them.
const US_SHORT: Dates = Dates::Local("%-m/%-d/%Y %-H:%M:%S");
const US_MINUTES: Dates = Dates::Local("%-m/%-d/%Y %-H:%M");
const US_HALVES: Dates = Dates::Local("%m/%d/%Y %I:%M:%S %p");
const DAY_FIRST: Dates = Dates::Local("%d/%m/%Y %H:%M:%S");
/// Dates with an ambiguous order of day and month.
const SLASHES: [Dates; 5] = [US, US_SHORT, US_MINUTES, US_HALVES, DAY_FIRST];
pub(crate) const DATES: [Dates; 13] = [
    ISO,
    Dates::Local("%Y-%m-%d %H:%M:%S"),
    Dates::Local("%Y/%m/%d %H:%M:%S"),
    Dates::Local("%d.%m.%Y %H:%M:%S"),
    US,
    US_SHORT,
    US_MINUTES,
    US_HALVES,
    DAY_FIRST,
    Dates::WithOffset("%Y-%m-%dT%H:%M:%S"),
    Dates::Epoch,
    Dates::EpochMs,
    Dates::Small,
];

/// Formats of durations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Durations {
    /// A number: milliseconds per unit, the unit's name in parameters, and endings of column names for it.
    Unit(i64, &'static str, [&'static str; 2]),
    /// `HH:MM:SS`, with days before it if there are any.
    Clock,
    /// `1 days 02:03:04`
    Pandas,
    /// `PT2H3M4S`
    Iso,
    /// `2h3m4s`
    Letters,
}

pub(crate) const SECONDS: Durations = Durations::Unit(SECOND_MS, "seconds", ["_s", " (s)"]);
pub(crate) const DURATIONS: [Durations; 9] = [
    SECONDS,
    Durations::Unit(1, "ms", ["_ms", " (ms)"]),
    Durations::Unit(60_000, "minutes", ["_min", " (min)"]),
    Durations::Unit(3_600_000, "hours", ["_h", " (h)"]),
    Durations::Unit(86_400_000, "days", ["_days", " (days)"]),
    Durations::Clock,
    Durations::Pandas,
    Durations::Iso,
    Durations::Letters,
];

/// The place where a table states the unit of its durations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    /// In the name of the column, with this ending of two.
    Name(usize),
    Parameter,
}

/// The style of a table.
#[derive(Clone, Debug)]
pub(crate) struct Look {
    pub(crate) delimiter: char,
    pub(crate) times: &'static [Time],
    pub(crate) dates: Dates,
    pub(crate) durations: Durations,
    pub(crate) unit: Unit,
    /// Whether the parameter `dates` gives the order of day and month.
    pub(crate) has_order: bool,
    /// The text for a missing value. With `has_epochs`, a missing start or end is the beginning of 1970.
    pub(crate) missing: &'static str,
    pub(crate) has_epochs: bool,
    pub(crate) in_cpus: bool,
    /// Columns other than times and processors.
    pub(crate) others: Vec<&'static str>,
    /// Whether the heading begins with `#`.
    pub(crate) has_mark: bool,
    /// Seed of the order of the columns; 0 for the default order.
    pub(crate) order: u64,
}

/// Draws the style of a table.
fn look(cluster: &Cluster, rng: &mut ChaCha8Rng) -> Look {
    let mut others =
        vec!["JobID", "State", "User", "Account", "QOS", "Partition", "NodeList", "Timelimit", "JobName"];
    others.retain(|_| rng.random_range(0..4) > 0);
    // Without job numbers a repeated job cannot be recognised.
    if cluster.border_ms.is_some() && !others.contains(&"JobID") {
        others.push("JobID");
    }
    Look {
        delimiter: one_of(rng, &[',', ';', '\t', '|']),
        times: one_of(rng, &SUBSETS),
        dates: one_of(rng, &DATES),
        durations: one_of(rng, &DURATIONS),
        unit: one_of(rng, &[Unit::Name(0), Unit::Name(1), Unit::Parameter]),
        has_order: rng.random_range(0..2) == 0,
        missing: one_of(rng, &["", "Unknown", "N/A", "None", "NaN", "NaT"]),
        has_epochs: rng.random_range(0..5) == 0,
        in_cpus: cluster.is_shared || rng.random_range(0..4) == 0,
        others,
        has_mark: rng.random_range(0..5) == 0,
        order: rng.random_range(0..1000),
    }
}

pub(super) fn write(cluster: &Cluster, rng: &mut ChaCha8Rng) -> Option<Written> {
    write_as(cluster, &look(cluster, rng))
}

/// Writes a table in this style, or returns `None` if it cannot represent the cluster.
pub(crate) fn write_as(cluster: &Cluster, look: &Look) -> Option<Written> {
    if !can_hold(cluster, look) {
        return None;
    }
    // Without submissions, jobs that never started are missing.
    let is_written = |job: &Job| look.times.contains(&Submit) || job.run_ms().is_some();
    let mut columns: Vec<String> = look.times.iter().map(|time| format!("{time:?}")).collect();
    columns.push(if look.in_cpus { "cores".to_owned() } else { "nodes".to_owned() });
    columns.extend(look.others.iter().map(|&name| name.to_owned()));
    if look.order > 0 {
        columns.shuffle(&mut ChaCha8Rng::seed_from_u64(look.order));
    }
    let join = |cells: Vec<String>| cells.join(&look.delimiter.to_string()) + "\n";
    let heading = join(columns.iter().map(|column| cell_of(look, &name_of(look, column))).collect());
    let mut text = if look.has_mark { format!("#{heading}") } else { heading };
    let first_ms = cluster.jobs.iter().map(|job| job.submit_ms).min()? / 60_000 * 60_000;
    let dumps = cluster.dumps();
    for (job, _) in dumps.into_iter().flatten().filter(|(job, _)| is_written(job)) {
        let cell = |column: &String| cell_of(look, &value(cluster, job, look, column, first_ms));
        text += &join(columns.iter().map(cell).collect());
    }
    let (jobs, twice) = once(cluster, &is_written);
    let base_s = if look.dates == Dates::Small { first_ms / SECOND_MS } else { 0 };
    let wants = jobs.iter().enumerate().map(|(i, job)| want(cluster, job, look, (i as i64 + 1, base_s)));
    Some(Written {
        stated: vec![(TWICE, twice, twice)],
        has_lists: !look.in_cpus && look.others.contains(&"NodeList") && !cluster.is_shared,
        excuses: if look.others.contains(&"JobID") { &["cut after their digits"] } else { &[] },
        refusals: if look.times.contains(&Submit) { &[] } else { &["submit"] },
        may_be_misread: if is_order_open(look) { &["--dates to choose"] } else { &[] },
        ..Written::new("log.csv", format(cluster, look), text, wants.collect())
    })
}

/// Whether the order of day and month is ambiguous.
fn is_order_open(look: &Look) -> bool {
    !look.has_order && SLASHES.contains(&look.dates)
}

/// Whether the formats can represent all times of the jobs.
fn can_hold(cluster: &Cluster, look: &Look) -> bool {
    let instants = cluster.jobs.iter().flat_map(|job| [Some(job.submit_ms), job.start_ms(), job.end_ms()]);
    let has_ties = instants.flatten().any(|time_ms| time_ms % SECOND_MS == SECOND_MS / 2);
    let has_durations = look.times.iter().any(|time| matches!(time, Wait | Run));
    let is_exact = match look.durations {
        Durations::Unit(unit_ms, ..) => unit_ms <= SECOND_MS || cluster.grain_ms % unit_ms == 0,
        _ => true,
    };
    let has_seconds = look.dates != US_MINUTES || cluster.grain_ms % 60_000 == 0;
    // If clocks are put back during a run, local times do not give the run time.
    has_seconds && (is_exact || !has_ties || !has_durations)
}

/// The spec of the format with the parameters that the table needs.
fn format(cluster: &Cluster, look: &Look) -> String {
    let mut spec = format!("table:time-zone={}", cluster.zone);
    // Some names of jobs have two lines.
    if look.others.contains(&"JobName") {
        spec += ",quoted-newlines=yes";
    }
    if look.has_order && SLASHES.contains(&look.dates) {
        spec += if look.dates == DAY_FIRST { ",dates=day-first" } else { ",dates=month-first" };
    }
    if let (Durations::Unit(_, word, _), Unit::Parameter) = (look.durations, look.unit) {
        for (time, name) in [(Wait, "wait=Waited"), (Run, "run=Ran")] {
            if look.times.contains(&time) {
                spec += &format!(",{name}:{word}");
            }
        }
    }
    if look.dates == Dates::EpochMs {
        for time in [Submit, Start, End].into_iter().filter(|time| look.times.contains(time)) {
            let field = format!("{time:?}").to_lowercase();
            spec += &format!(",{field}={time:?}:ms");
        }
    }
    spec
}

/// The name of a column in the heading.
fn name_of(look: &Look, column: &str) -> String {
    let (plain, parameter) = match column {
        "Wait" => (["wait_time", "Wait"], "Waited"),
        "Run" => (["run_time", "Runtime"], "Ran"),
        _ => return column.to_owned(),
    };
    match (look.durations, look.unit) {
        (Durations::Unit(..), Unit::Parameter) => parameter.to_owned(),
        (Durations::Unit(unit_ms, _, ends), Unit::Name(way)) => {
            // Beside instants in milliseconds a number without a unit counts milliseconds.
            let is_plain = unit_ms == SECOND_MS && way == 0 && look.dates != Dates::EpochMs;
            let end = if is_plain { "" } else { ends[way] };
            format!("{}{end}", plain[way])
        }
        _ => plain[0].to_owned(),
    }
}

/// A cell, in quotes if it needs them.
fn cell_of(look: &Look, text: &str) -> String {
    let needs = text.contains([look.delimiter, '"', '\n']);
    if needs { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
}

/// The text of a job in a column.
fn value(cluster: &Cluster, job: &Job, look: &Look, column: &str, first_ms: i64) -> String {
    let instant = |time_ms: i64| instant(time_ms, look.dates, cluster.zone, first_ms);
    let run_ms = job.run_ms().map(|(start_ms, end_ms)| end_ms - start_ms);
    let length = |length_ms: i64| duration(length_ms, look.durations);
    let text = match column {
        "Submit" => Some(instant(job.submit_ms)),
        "Start" => job.start_ms().map(instant),
        "End" => job.end_ms().map(instant),
        "Wait" => job.start_ms().map(|start_ms| length(start_ms - job.submit_ms)),
        "Run" => run_ms.map(length),
        "nodes" => Some(job.nodes.len().to_string()),
        "cores" => Some(Cluster::cpus_of(job).to_string()),
        "JobID" => Some(match job.task {
            Some((array, task)) => format!("{array}_{task}"),
            None => job.number.to_string(),
        }),
        "State" => Some(state(job).to_owned()),
        "User" => Some(job.user.to_owned()),
        "Account" => Some(job.group.to_owned()),
        "QOS" => Some(job.queue.to_owned()),
        "Partition" => Some(cluster.partitions[job.partition].0.to_owned()),
        "JobName" => Some(job.name.to_owned()),
        "NodeList" => job.start_ms().map(|_| bracketed(&cluster.node_names(job))),
        _ => job.limit_s.map(|limit_s| format!("{:02}:{:02}:00", limit_s / 3600, limit_s / 60 % 60)),
    };
    let is_instant = column == "Start" || column == "End";
    let missing = || {
        let has_epoch = look.has_epochs && is_instant && look.dates != Dates::Small;
        if has_epoch { instant(0) } else { look.missing.to_owned() }
    };
    text.unwrap_or_else(missing)
}

fn state(job: &Job) -> &'static str {
    match job.fate {
        Fate::Ended { how, .. } => match how {
            How::Completed => "COMPLETED",
            How::Failed => "failed",
            How::TimedOut => "TIMEOUT",
            How::Cancelled => "CANCELLED",
            How::Requeued => "REQUEUED",
        },
        Fate::Cancelled { .. } => "Cancelled",
        Fate::Runs { .. } => "RUNNING",
        Fate::Waits => "PENDING",
    }
}

fn instant(time_ms: i64, dates: Dates, zone: &str, first_ms: i64) -> String {
    let (time_s, rest_ms) = (time_ms.div_euclid(SECOND_MS), time_ms.rem_euclid(SECOND_MS));
    let fraction = if rest_ms > 0 { decimal(rest_ms)[1..].to_owned() } else { String::new() };
    match dates {
        Dates::Local(format) => match format.strip_suffix(" %p") {
            Some(clock) => local(time_s, zone, clock) + &fraction + &local(time_s, zone, " %p"),
            None => local(time_s, zone, format) + &fraction,
        },
        Dates::WithOffset(format) => local(time_s, zone, format) + &fraction + &local(time_s, zone, "%:z"),
        Dates::Epoch => decimal(time_ms),
        Dates::EpochMs => time_ms.to_string(),
        Dates::Small => decimal(time_ms - first_ms),
    }
}

fn duration(length_ms: i64, durations: Durations) -> String {
    let (length_s, rest_ms) = (length_ms / SECOND_MS, length_ms % SECOND_MS);
    let fraction = if rest_ms > 0 { decimal(rest_ms)[1..].to_owned() } else { String::new() };
    let (days, hours) = (length_s / 86_400, length_s / 3600);
    let (minutes, seconds) = (length_s / 60 % 60, length_s % 60);
    let clock = format!("{:02}:{minutes:02}:{seconds:02}{fraction}", hours % 24);
    match durations {
        Durations::Unit(1, ..) => length_ms.to_string(),
        Durations::Unit(SECOND_MS, ..) => decimal(length_ms),
        Durations::Unit(unit_ms, ..) => {
            let digits = format!("{:.12}", length_ms as f64 / unit_ms as f64);
            digits.trim_end_matches('0').trim_end_matches('.').to_owned()
        }
        Durations::Clock if days > 0 => format!("{days}-{clock}"),
        Durations::Clock => clock,
        Durations::Pandas => format!("{days} days {clock}"),
        Durations::Iso if hours > 0 => format!("PT{hours}H{minutes}M{seconds}{fraction}S"),
        Durations::Iso => format!("PT{minutes}M{seconds}{fraction}S"),
        Durations::Letters => format!("{hours}h{minutes}m{seconds}{fraction}s"),
    }
}

/// The expected fields of a job of a table. `line` is its position, and times count from `base_s`.
fn want(cluster: &Cluster, job: &Job, look: &Look, (line, base_s): (i64, i64)) -> Want {
    let want = Want::of(cluster, job);
    let has = |column: &str| look.others.contains(&column);
    let [user, group, queue, partition] = want.names;
    let is_over = want.end_s.is_some();
    let since = |time_s: Option<i64>| time_s.filter(|_| is_over).map(|time_s| time_s - base_s);
    let times = [Some(want.submit_s), want.start_s, job.end_ms().map(seconds)];
    let twice = |time_s: &Option<i64>| time_s.is_some_and(|time_s| comes_twice(time_s, cluster.zone));
    let cpus = Cluster::cpus_of(job);
    Want {
        id: if has("JobID") { want.id } else { (line, None) },
        submit_s: want.submit_s - base_s,
        start_s: since(want.start_s),
        end_s: since(want.end_s),
        procs: want.procs.filter(|_| is_over).map(|nodes| if look.in_cpus { cpus } else { nodes }),
        limit_s: want.limit_s.filter(|_| has("Timelimit")),
        nodes: want.nodes.filter(|_| has("NodeList")),
        status: want.status.filter(|_| has("State")),
        names: [
            user.filter(|_| has("User")),
            group.filter(|_| has("Account")),
            queue.filter(|_| has("QOS")),
            partition.filter(|_| has("Partition")),
        ],
        is_ambiguous: matches!(look.dates, Dates::Local(_)) && times.iter().any(twice),
    }
}
