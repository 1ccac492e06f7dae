//! The jobs of saved results by what they belong to, such as their user: a row for each group and replay.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::allocator;
use crate::frame::{FrameError, Sheet, SheetColumn};
use crate::metrics::{Display, GroupNumbers, GroupedJob, Metric, Trim, group_numbers, grouped_metrics};
use crate::study::Coordinate;
use crate::text::{PaperCell, PaperTable, grouped};
use crate::trace::Partitions;

/// What the jobs of a group have in common: a row of [`GROUPINGS`].
#[derive(Debug)]
pub struct Grouping {
    /// The name, such as `user`.
    pub name: &'static str,
    /// The column of the `jobs` frame that tells the group of a job.
    column: &'static str,
    /// Returns the group of the job in a row of the columns.
    group: fn(&JobColumns<'_>, usize) -> Group,
    /// Whether the groups have an order of their own. Otherwise those with most node-hours come first.
    is_ordered: bool,
}

/// A group: its place among the groups that have an order of their own, and its label.
type Group = (u32, String);

/// Every way to group jobs.
pub const GROUPINGS: &[Grouping] = &[
    Grouping { name: "user", column: "user", group: labelled, is_ordered: false },
    Grouping { name: "account", column: "account", group: labelled, is_ordered: false },
    Grouping { name: "partition", column: "partition", group: labelled, is_ordered: false },
    Grouping { name: "queue", column: "queue", group: labelled, is_ordered: false },
    Grouping { name: "status", column: "status", group: status, is_ordered: false },
    Grouping { name: "size", column: "procs", group: size_class, is_ordered: true },
    Grouping { name: "hour", column: "submit_hour", group: hour, is_ordered: true },
];

/// The form of a table of groups.
#[derive(Clone, Copy, Debug)]
pub struct GroupsOptions {
    /// The row of [`GROUPINGS`].
    pub by: &'static Grouping,
    /// The number of groups that are shown, those with most node-hours; the rest is one group. `None` for all.
    pub top: Option<usize>,
    /// The number of decimals; `None` for those of each number.
    pub decimals: Option<u8>,
    /// Whether numbers and labels are written without rounding or shortening, for other programs.
    pub exact: bool,
}

/// Why jobs cannot be grouped.
#[derive(Debug, thiserror::Error)]
pub enum GroupsError {
    /// The results cannot be read.
    #[error(transparent)]
    Frame(#[from] FrameError),
    /// The directory holds no jobs.
    #[error("{} holds no jobs, which --by groups; `replay -o` and `sweep --jobs` keep them", .0.display())]
    NoJobs(PathBuf),
    /// The jobs lack a column.
    #[error(
        "{}: the jobs have no column '{column}'; this version of meshreplay keeps it when the replay runs again",
        .path.display()
    )]
    NoColumn {
        /// The file of jobs.
        path: PathBuf,
        /// The name of the column.
        column: &'static str,
    },
}

/// The columns of saved jobs.
struct JobColumns<'a> {
    /// The column that tells the group.
    group: &'a SheetColumn,
    replay: &'a SheetColumn,
    seed: &'a SheetColumn,
    submit_s: &'a [Option<f64>],
    start_s: &'a [Option<f64>],
    end_s: &'a [Option<f64>],
    procs: &'a [Option<f64>],
    allocated: &'a [Option<f64>],
    pairwise_sum: &'a [Option<f64>],
}

/// The names of the columns beside the one that tells the group.
const COLUMNS: [&str; 8] =
    ["replay", "seed", "submit_s", "start_s", "end_s", "procs", "allocated", "pairwise_sum"];

impl<'a> JobColumns<'a> {
    /// Finds the columns in the saved jobs.
    fn of(jobs: &'a Sheet, by: &Grouping) -> Result<Self, GroupsError> {
        let missing = |column| GroupsError::NoColumn { path: jobs.path.clone(), column };
        let column = |name: &'static str| jobs.column(name).ok_or_else(|| missing(name));
        let numbers = |name: &'static str| jobs.numbers(name).ok_or_else(|| missing(name));
        Ok(Self {
            group: column(by.column)?,
            replay: column("replay")?,
            seed: column("seed")?,
            submit_s: numbers("submit_s")?,
            start_s: numbers("start_s")?,
            end_s: numbers("end_s")?,
            procs: numbers("procs")?,
            allocated: numbers("allocated")?,
            pairwise_sum: numbers("pairwise_sum")?,
        })
    }

    /// Returns the job in row `i`, in a group.
    fn job(&self, i: usize, group: usize) -> GroupedJob {
        let number = |of: &[Option<f64>]| of[i].unwrap_or(0.0);
        GroupedJob {
            submit_s: number(self.submit_s),
            start_s: number(self.start_s),
            end_s: number(self.end_s),
            procs: number(self.procs) as u32,
            allocated: number(self.allocated) as u32,
            pairwise_sum: number(self.pairwise_sum) as u64,
            group,
        }
    }

    /// Returns the rows of each replay and seed.
    fn replays(&self) -> BTreeMap<(String, String), Range<usize>> {
        let (mut found, mut start) = (BTreeMap::new(), 0);
        let height = self.submit_s.len();
        while start < height {
            let is_same = |i: &usize| self.replay.is_same(start, *i) && self.seed.is_same(start, *i);
            let end = (start..height).take_while(is_same).last().unwrap_or(start) + 1;
            found.insert((self.replay.label(start), self.seed.label(start)), start..end);
            start = end;
        }
        found
    }
}

/// The label of jobs of which the log does not tell the group.
const UNKNOWN: &str = "unknown";

fn labelled(jobs: &JobColumns<'_>, i: usize) -> Group {
    let label = jobs.group.label(i);
    (0, if label.is_empty() || label == "none" { UNKNOWN.to_owned() } else { label })
}

fn status(jobs: &JobColumns<'_>, i: usize) -> Group {
    let (_, label) = labelled(jobs, i);
    let word = match label.as_str() {
        "0" => "failed",
        "1" => "completed",
        "2" | "3" | "4" => "part of a job",
        "5" => "cancelled",
        _ => return (0, label),
    };
    (0, format!("{label} ({word})"))
}

/// Returns the class of a size: 1, 2, 3–4, 5–8 and so on, up to each power of two.
fn size_class(jobs: &JobColumns<'_>, i: usize) -> Group {
    let procs = jobs.procs[i].unwrap_or(0.0) as u64;
    let most = procs.max(1).next_power_of_two();
    let label = if most < 3 { most.to_string() } else { format!("{}–{most}", most / 2 + 1) };
    (most.trailing_zeros(), label)
}

/// Returns the hour of the week of a job: by the log's date or, if the log has none, by the time since its start.
fn hour(jobs: &JobColumns<'_>, i: usize) -> Group {
    const DAYS: [&str; 7] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
    if let Some(hour) = jobs.group.numbers().and_then(|hours| hours[i]) {
        let hour = hour as usize % 168;
        return (hour as u32, format!("{} {:02}", DAYS[hour / 24], hour % 24));
    }
    let hour = (jobs.submit_s[i].unwrap_or(0.0) / 3600.0).floor().rem_euclid(168.0) as u32;
    // Hours of logs without a date come after all others.
    (168 + hour, format!("hour {hour}"))
}

/// A replay with its jobs.
struct Replayed {
    /// Its labels: the values of the columns in which replays differ.
    labels: Vec<String>,
    rows: Range<usize>,
    trim: Trim,
}

/// Returns the table of the jobs in `folder` by group.
pub fn groups(folder: &Path, options: &GroupsOptions) -> Result<PaperTable, GroupsError> {
    let summary = Sheet::read(folder)?;
    let mut columns = COLUMNS.to_vec();
    columns.extend(Some(options.by.column).filter(|column| !COLUMNS.contains(column)));
    let jobs = Sheet::read_jobs(folder, &columns, &|_| true)?;
    let jobs = jobs.ok_or_else(|| GroupsError::NoJobs(folder.to_owned()))?;
    let columns = JobColumns::of(&jobs, options.by)?;
    let shorten = |name: &str, label: &str| match label.parse::<Partitions>() {
        _ if options.exact => label.to_owned(),
        Ok(chosen) if name == "partition" => chosen.names().join("+"),
        _ => allocator::short_label(label),
    };
    let (varying, replays) = replays(&summary, &columns, &shorten);
    let all: Vec<Group> = (0..jobs.height()).map(|i| (options.by.group)(&columns, i)).collect();
    let shown = Shown::choose(&all, &columns, &replays, options);
    let mut rows: Vec<Vec<(Vec<String>, Vec<PaperCell>)>> = vec![Vec::new(); shown.labels.len() + 1];
    for replay in &replays {
        let of_group = |i: usize| columns.job(i, shown.places[&all[i]]);
        let of_replay: Vec<GroupedJob> = replay.rows.clone().map(of_group).collect();
        let (whole, groups) = group_numbers(&of_replay, replay.trim, shown.labels.len());
        let labels = shown.labels.iter().map(String::as_str).chain(["all"]);
        for (at, (label, numbers)) in labels.zip(groups.iter().chain([&whole])).enumerate() {
            if numbers.jobs > 0 {
                let labels = [label.to_owned()].into_iter().chain(replay.labels.iter().cloned()).collect();
                rows[at].push((labels, cells(numbers, options)));
            }
        }
    }
    let mut notes: Vec<String> = jobs.missing_note().into_iter().collect();
    notes.extend(dateless_note(&all, options.by));
    // The partitions that a replay has are something else than the partition of a job.
    let title = |name: &str| if name == options.by.name { format!("replay_{name}") } else { name.to_owned() };
    let corner = [options.by.name.to_owned()].into_iter().chain(varying.into_iter().map(title)).collect();
    Ok(PaperTable {
        title: format!("jobs by {}", options.by.name),
        corner,
        columns: titles(options).into_iter().map(|title| vec![title]).collect(),
        rows: rows.into_iter().flatten().collect(),
        notes,
    })
}

/// Returns the names of the columns in which the replays with jobs differ, and these replays in the order of the summary.
/// `shown` returns a label of a column as the table shows it.
fn replays(
    summary: &Sheet,
    jobs: &JobColumns<'_>,
    shown: &dyn Fn(&str, &str) -> String,
) -> (Vec<&'static str>, Vec<Replayed>) {
    let mut rows_of = jobs.replays();
    let label = |name: &str, i: usize| summary.column(name).map(|column| column.label(i)).unwrap_or_default();
    let mut found: Vec<(usize, Range<usize>)> = Vec::new();
    for i in 0..summary.height() {
        if let Some(rows) = rows_of.remove(&(label("replay", i), label("seed", i))) {
            found.push((i, rows));
        }
    }
    let differs = |name: &&str| {
        summary.column(name).is_some_and(|column| found.iter().any(|(i, _)| !column.is_same(found[0].0, *i)))
    };
    let identity = Coordinate::listed().map(|coordinate| coordinate.name).chain(["trim_percent"]);
    let varying: Vec<&str> = identity.filter(differs).collect();
    let trims = summary.numbers("trim_percent");
    let replay = |(i, rows): (usize, Range<usize>)| Replayed {
        labels: varying.iter().map(|name| shown(name, &label(name, i))).collect(),
        rows,
        trim: Trim { percent: trims.and_then(|trims| trims[i]) },
    };
    let replays = found.into_iter().map(replay).collect();
    (varying, replays)
}

/// The groups that a table shows.
struct Shown {
    /// The labels, in their order.
    labels: Vec<String>,
    /// The place of each group among the labels. Several groups share the last place if there are more than are shown.
    places: BTreeMap<Group, usize>,
}

impl Shown {
    fn choose(all: &[Group], jobs: &JobColumns<'_>, replays: &[Replayed], options: &GroupsOptions) -> Self {
        let mut hours: BTreeMap<&Group, f64> = all.iter().map(|group| (group, 0.0)).collect();
        for i in replays.iter().flat_map(|replay| replay.rows.clone()) {
            let GroupedJob { start_s, end_s, allocated, .. } = jobs.job(i, 0);
            *hours.entry(&all[i]).or_default() += (end_s - start_s) * f64::from(allocated);
        }
        let mut ranked: Vec<(&Group, f64)> = hours.into_iter().collect();
        // The sort is stable: groups with as many node-hours keep the order of their labels.
        ranked.sort_by(|a, b| b.1.total_cmp(&a.1));
        let top = options.top.unwrap_or(usize::MAX).min(ranked.len());
        let others: Vec<&Group> = ranked.drain(top..).map(|(group, _)| group).collect();
        let mut named: Vec<&Group> = ranked.into_iter().map(|(group, _)| group).collect();
        if options.by.is_ordered {
            named.sort();
        }
        let mut labels: Vec<String> = named.iter().map(|(_, label)| label.clone()).collect();
        let places = named.iter().map(|group| (*group).clone()).zip(0..);
        let places = places.chain(others.iter().map(|group| ((*group).clone(), top))).collect();
        labels.extend((!others.is_empty()).then(|| format!("{} others", others.len())));
        Self { labels, places }
    }
}

/// Returns a note if groups are hours since the start of a log that does not tell its date.
fn dateless_note(all: &[Group], by: &Grouping) -> Option<String> {
    let is_dateless = by.name == "hour" && all.iter().any(|(place, _)| *place >= 168);
    is_dateless.then(|| {
        "'hour' counts the hours since the log's start, from 0 again after each week, as the log does not tell its date \
         and time zone (UnixStartTime and TimeZoneString in its header)"
            .to_owned()
    })
}

/// Returns the titles of the numbers.
fn titles(options: &GroupsOptions) -> Vec<String> {
    let mut titles: Vec<String> = if options.exact {
        ["jobs", "jobs_in_means", "node_hours"].map(str::to_owned).to_vec()
    } else {
        ["jobs", "node-hours"].map(str::to_owned).to_vec()
    };
    for metric in grouped_metrics() {
        titles.push(if options.exact { metric.name().to_owned() } else { metric.label() });
        if metric.name() == WAIT {
            titles.push(if options.exact { "wait_s_median".to_owned() } else { "median (s)".to_owned() });
        }
    }
    titles
}

/// The number beside which the median of the same quantity stands.
const WAIT: &str = "wait_s_mean";

/// Returns the numbers of a group in the order of the titles.
fn cells(numbers: &GroupNumbers, options: &GroupsOptions) -> Vec<PaperCell> {
    let real = |value: f64, usual: usize| match (options.exact, options.decimals.map(usize::from)) {
        (true, None) => value.to_string(),
        (true, Some(decimals)) => format!("{value:.decimals$}"),
        (false, given) => grouped(value, given.unwrap_or(usual)),
    };
    let count = |value: u64| if options.exact { value.to_string() } else { grouped(value as f64, 0) };
    let mut texts = vec![count(numbers.jobs)];
    texts.extend(options.exact.then(|| count(numbers.jobs_in_means)));
    texts.push(real(numbers.node_hours, 1));
    for (metric, mean) in grouped_metrics().zip(&numbers.means) {
        let text = |value: f64| real(value, usual_decimals(metric, value));
        texts.push(mean.map(text).unwrap_or_default());
        if metric.name() == WAIT {
            texts.push(numbers.wait_s_median.map(text).unwrap_or_default());
        }
    }
    texts.into_iter().map(|text| PaperCell { text, best: false }).collect()
}

/// Returns the number of decimals with which a number is shown. Times of less than 100 s have two, as those of the
/// table of a replay.
fn usual_decimals(metric: &Metric, value: f64) -> usize {
    match metric.display {
        Display::Seconds(_) if value.abs() < 100.0 && value.fract() != 0.0 => 2,
        Display::Seconds(_) => 0,
        other => other.decimals(),
    }
}
