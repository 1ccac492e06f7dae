//! The jobs of saved results by what they belong to, such as their user: a row for each group and replay.

mod columns;
mod sums;

pub use columns::group_column;

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

use self::columns::Column;
use self::sums::{Found, Sums};
use meshreplay_alloc::allocator;
use meshreplay_logs::{Partitions, status};
use meshreplay_results::frame::{FrameError, HeldJobs, Replication, Sheet, SheetColumn};
use meshreplay_results::text::{PaperCell, PaperTable};
use meshreplay_sim::metrics::{GroupNumbers, GroupedJob, Trim};
use meshreplay_study::study::Coordinate;

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
    /// Whether a group is called what one log calls it, so that another log may mean somebody else by the same name.
    is_of_log: bool,
}

/// A group: its place among the groups that have an order of their own, and its label.
type Group = (u32, String);

/// Every way to group jobs.
pub const GROUPINGS: &[Grouping] = &[
    Grouping { name: "user", column: "user", group: labelled, is_ordered: false, is_of_log: true },
    Grouping { name: "account", column: "account", group: labelled, is_ordered: false, is_of_log: true },
    Grouping { name: "partition", column: "partition", group: labelled, is_ordered: false, is_of_log: true },
    Grouping { name: "queue", column: "queue", group: labelled, is_ordered: false, is_of_log: true },
    Grouping { name: "status", column: "status", group: ending, is_ordered: false, is_of_log: false },
    Grouping { name: "size", column: "procs", group: size_class, is_ordered: true, is_of_log: false },
    Grouping { name: "hour", column: "submit_hour", group: hour, is_ordered: true, is_of_log: false },
];

/// The form of a table of groups.
#[derive(Clone, Debug)]
pub struct GroupsOptions {
    /// The row of [`GROUPINGS`].
    pub by: &'static Grouping,
    /// The number of groups that are shown, those with most node-hours; the rest is one group. `None` for all.
    pub top: Option<usize>,
    /// The names of the columns of numbers, as [`group_column`] gives them; the default ones if there are none.
    pub columns: Vec<&'static str>,
    /// The name of the column by whose numbers the groups are sorted, the best or else the highest first. `None` for the
    /// order of the grouping.
    pub sort: Option<&'static str>,
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
    /// Waits cannot be kept in a temporary file.
    #[error(
        "medians cannot be found: the temporary file that holds the waits of jobs: {0}; make room where temporary files are, or \
         set TMPDIR to another directory"
    )]
    Scratch(#[source] io::Error),
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
    /// A column has something else than numbers.
    #[error("{}: column '{column}' has a cell that is no number; replay again", .path.display())]
    NoNumbers {
        /// The file of jobs.
        path: PathBuf,
        /// The name of the column.
        column: &'static str,
    },
}

impl From<io::Error> for GroupsError {
    fn from(error: io::Error) -> Self {
        Self::Scratch(error)
    }
}

/// The columns of saved jobs.
struct JobColumns<'a> {
    /// The column that tells the group.
    jobs: &'a Sheet,
    group: &'a SheetColumn,
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
        let numbers = |name: &'static str| match column(name)?.numbers() {
            Some(numbers) => Ok(numbers),
            None => Err(GroupsError::NoNumbers { path: jobs.path.clone(), column: name }),
        };
        column("replay")?;
        column("seed")?;
        Ok(Self {
            jobs,
            group: column(by.column)?,
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
}

/// The label of jobs of which the log does not tell the group.
const UNKNOWN: &str = "unknown";

fn labelled(jobs: &JobColumns<'_>, i: usize) -> Group {
    let label = jobs.group.label(i);
    (0, if label.is_empty() || label == "none" { UNKNOWN.to_owned() } else { label })
}

fn ending(jobs: &JobColumns<'_>, i: usize) -> Group {
    let (_, label) = labelled(jobs, i);
    match label.parse().ok().and_then(status::word) {
        Some(word) => (0, format!("{label} ({word})")),
        None => (0, label),
    }
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

/// A replay with jobs.
struct Replayed {
    key: Replication,
    /// Its labels: the values of the columns in which replays differ.
    labels: Vec<String>,
    trim: Trim,
}

/// Hands the jobs in `folder` to `visit` in parts. Fails if there are none, or if they lack a column.
fn visit_jobs(
    folder: &Path,
    by: &Grouping,
    visit: &mut dyn FnMut(&JobColumns<'_>) -> Result<(), GroupsError>,
) -> Result<(), GroupsError> {
    let mut columns = COLUMNS.to_vec();
    columns.extend(Some(by.column).filter(|column| !COLUMNS.contains(column)));
    let mut visit = |part: &Sheet| visit(&JobColumns::of(part, by)?);
    if Sheet::visit_details(folder, "jobs", &columns, &|_| true, &mut visit)? {
        Ok(())
    } else {
        Err(GroupsError::NoJobs(folder.to_owned()))
    }
}

/// Returns the table of the jobs in `folder` by group.
pub fn groups(folder: &Path, options: &GroupsOptions) -> Result<PaperTable, GroupsError> {
    let summary = Sheet::read(folder)?;
    let (mut found, mut counts) = (Found::default(), BTreeMap::new());
    visit_jobs(folder, options.by, &mut |columns| {
        for (key, rows) in columns.jobs.replications() {
            *counts.entry(key).or_insert(0_u64) += rows.len() as u64;
        }
        found.add(columns, options.by);
        Ok(())
    })?;
    summary.check_jobs(folder, &|replay, seed| counts.get(&(replay.to_owned(), seed.to_owned())).copied())?;
    let shorten = |name: &str, label: &str| match label.parse::<Partitions>() {
        _ if options.exact => label.to_owned(),
        Ok(chosen) if name == "partition" => chosen.names().join("+"),
        _ => allocator::short_label(label),
    };
    let (varying, replays) = replays(&summary, &found, &shorten);
    let shown = Shown::choose(&found, &replays, options);
    let mut sums = Sums::new(&found, &replays, shown.labels.len());
    visit_jobs(folder, options.by, &mut |columns| {
        for (key, rows) in columns.jobs.replications() {
            // A file that has changed in between may have other groups, which are left out.
            let place = |i: usize| Some((i, *shown.places.get(&(options.by.group)(columns, i))?));
            let jobs = rows.len() as u64;
            sums.add(&key, jobs, rows.filter_map(place).map(|(i, group)| columns.job(i, group)).collect())?;
        }
        Ok(())
    })?;
    let mut members: Vec<Members> = vec![Vec::new(); shown.labels.len() + 1];
    for replay in &replays {
        let Some((whole, groups)) = sums.finish(&replay.key)? else { continue };
        let labels = shown.labels.iter().map(String::as_str).chain(["all"]);
        for (at, (label, numbers)) in labels.zip(groups.into_iter().chain([whole])).enumerate() {
            if numbers.jobs > 0 {
                let labels = [label.to_owned()].into_iter().chain(replay.labels.iter().cloned()).collect();
                members[at].push((labels, numbers));
            }
        }
    }
    if let Some(column) = options.sort.and_then(Column::named) {
        sort(&mut members[..shown.named], &column);
    }
    let shown_columns = Column::chosen(options);
    // Labels are those of the group and then of the replay.
    let is_rival = |at: usize| at > 0 && ["scheduler", "allocator"].contains(&varying[at - 1]);
    let rows: Vec<_> =
        members.iter().flat_map(|rows| rows_of(rows, &shown_columns, &is_rival, options)).collect();
    let held = HeldJobs::of(folder)?;
    let mut notes: Vec<String> = held.and_then(|jobs| jobs.sheet.missing_note()).into_iter().collect();
    notes.extend(dateless_note(&found, options.by));
    notes.extend(namesake_note(&members[..shown.named], &varying, options.by));
    // The partitions that a replay has are something else than the partition of a job.
    let title = |name: &str| if name == options.by.name { format!("replay_{name}") } else { name.to_owned() };
    let corner = [options.by.name.to_owned()].into_iter().chain(varying.into_iter().map(title)).collect();
    Ok(PaperTable {
        title: format!("jobs by {}", options.by.name),
        corner,
        columns: shown_columns.iter().map(|column| vec![column.title(options)]).collect(),
        least_useful: least_useful(&shown_columns, &rows),
        rows,
        notes,
    })
}

/// The rows of a group: the labels and the numbers of each replay.
type Members = Vec<(Vec<String>, GroupNumbers)>;

/// Returns the positions of the columns in the order in which they are left out where there is no room: first those in
/// which no number is marked, as the replays do not differ there, and then the others.
fn least_useful(columns: &[Column], rows: &[(Vec<String>, Vec<PaperCell>)]) -> Vec<usize> {
    let mut order = Column::least_useful(columns);
    order.sort_by_key(|&i| rows.iter().any(|(_, cells)| cells[i].best));
    order
}

/// Sorts groups by the mean of a number over their replays, the best first, and those without the number last.
fn sort(groups: &mut [Members], column: &Column) {
    let badness = |rows: &Members| {
        let numbers: Vec<f64> = rows.iter().filter_map(|(_, numbers)| column.value(numbers)).collect();
        let mean = numbers.iter().sum::<f64>() / numbers.len() as f64;
        column.badness(Some(mean).filter(|_| !numbers.is_empty()))
    };
    // The sort is stable: groups with the same number keep their order.
    groups.sort_by(|a, b| badness(a).total_cmp(&badness(b)));
}

/// Returns the rows of a group as the table has them. Rows whose labels differ in nothing but those for which `is_rival`
/// holds, by their position, are compared, and the best number of them is marked.
fn rows_of(
    members: &Members,
    columns: &[Column],
    is_rival: &dyn Fn(usize) -> bool,
    options: &GroupsOptions,
) -> Vec<(Vec<String>, Vec<PaperCell>)> {
    let mut rows: Vec<_> = members.iter().map(|(labels, _)| (labels.clone(), Vec::new())).collect();
    let mut rivals: BTreeMap<Vec<&String>, Vec<usize>> = BTreeMap::new();
    for (i, (labels, _)) in members.iter().enumerate() {
        let shared = labels.iter().enumerate().filter(|(at, _)| !is_rival(*at)).map(|(_, label)| label);
        rivals.entry(shared.collect()).or_default().push(i);
    }
    for compared in rivals.values() {
        let numbers: Vec<&GroupNumbers> = compared.iter().map(|&i| &members[i].1).collect();
        for column in columns {
            for (&i, cell) in compared.iter().zip(column.cells(&numbers, options)) {
                rows[i].1.push(cell);
            }
        }
    }
    rows
}

/// Returns the names of the columns in which the replays with jobs differ, and these replays in the order of the summary.
/// `shown` returns a label of a column as the table shows it.
fn replays(
    summary: &Sheet,
    jobs: &Found,
    shown: &dyn Fn(&str, &str) -> String,
) -> (Vec<&'static str>, Vec<Replayed>) {
    let label = |name: &str, i: usize| summary.column(name).map(|column| column.label(i)).unwrap_or_default();
    let mut keys: BTreeSet<Replication> = jobs.replays().cloned().collect();
    let mut found: Vec<(usize, Replication)> = Vec::new();
    for i in 0..summary.height() {
        if let Some(key) = keys.take(&(label("replay", i), label("seed", i))) {
            found.push((i, key));
        }
    }
    let differs = |name: &&str| {
        summary.column(name).is_some_and(|column| found.iter().any(|(i, _)| !column.is_same(found[0].0, *i)))
    };
    let identity = Coordinate::listed().map(|coordinate| coordinate.name).chain(["trim_percent"]);
    let varying: Vec<&str> = identity.filter(differs).collect();
    let trims = summary.numbers("trim_percent");
    let replay = |(i, key): (usize, Replication)| Replayed {
        key,
        labels: varying.iter().map(|name| shown(name, &label(name, i))).collect(),
        trim: Trim { percent: trims.and_then(|trims| trims[i]) },
    };
    let replays = found.into_iter().map(replay).collect();
    (varying, replays)
}

/// The groups that a table shows.
struct Shown {
    /// The labels, in their order.
    labels: Vec<String>,
    /// How many of the labels are of one group. One for all others follows them if there are more.
    named: usize,
    /// The place of each group among the labels. Several groups share the last place if there are more than are shown.
    places: BTreeMap<Group, usize>,
}

impl Shown {
    fn choose(found: &Found, replays: &[Replayed], options: &GroupsOptions) -> Self {
        let mut ranked = found.ranked(replays);
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
        labels.extend(match others.len() {
            0 => None,
            1 => Some("1 other".to_owned()),
            count => Some(format!("{count} others")),
        });
        Self { labels, named: named.len(), places }
    }
}

/// Returns a note if a group has jobs of several logs, which need not mean the same by its name.
fn namesake_note(groups: &[Members], varying: &[&str], by: &Grouping) -> Option<String> {
    // The first label is that of the group.
    let log = 1 + varying.iter().position(|column| *column == "log").filter(|_| by.is_of_log)?;
    let has_several = |rows: &Members| rows.iter().any(|(labels, _)| labels[log] != rows[0].0[log]);
    let group = groups.iter().find(|rows| has_several(rows))?;
    let (labels, _) = &group[0];
    Some(format!(
        "{name} '{label}' of one log need not be {name} '{label}' of another: rows with one name stand together, ranked by what all \
         logs have of it; results of a single log have no such rows",
        name = by.name,
        label = labels[0],
    ))
}

/// Returns a note if groups are hours since the start of a log that does not tell its date.
fn dateless_note(found: &Found, by: &Grouping) -> Option<String> {
    let is_dateless = by.name == "hour" && found.groups().any(|(place, _)| *place >= 168);
    is_dateless.then(|| {
        "'hour' counts the hours since the log's start, from 0 again after each week, as the log does not tell its date \
         and time zone (UnixStartTime and TimeZoneString in its header)"
            .to_owned()
    })
}
