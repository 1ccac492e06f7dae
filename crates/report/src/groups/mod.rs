//! Saved jobs by group, such as their user: a table with a row for each group and replay.

mod columns;
mod sums;

pub use columns::{group_column, group_columns};

use std::collections::BTreeMap;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use self::columns::{Column, is_cause, relative};
use self::sums::{GroupIndex, Sums};
use super::crosstab::partition_label;
use meshreplay_alloc::allocator;
use meshreplay_base::disk::Scratch;
use meshreplay_base::job::Period;
use meshreplay_base::spec::SpecError;
use meshreplay_logs::status;
use meshreplay_results::frame::{
    Column as FrameColumn, FrameError, JobColumns, JobCounts, Key, Replication, SavedTable,
};
use meshreplay_results::text::{PaperCell, PaperTable};
use meshreplay_sim::metrics::{GroupNumbers, Trim, WaitCause};
use meshreplay_study::study::Coordinate;

/// A way to group jobs: a row of [`GROUPINGS`].
#[derive(Debug)]
pub struct Grouping {
    /// The name, such as `user`.
    pub name: &'static str,
    /// The column of the `jobs` frame with the group of a job.
    column: &'static str,
    /// Returns the key of the group of the job in a row.
    key: for<'a> fn(&JobGroups<'a>, usize) -> Key<'a>,
    /// Returns the group of the job in a row.
    group: fn(&JobGroups<'_>, usize) -> Group,
    /// Whether the groups have an order of their own. Otherwise they are sorted by node-hours, the most
    /// first.
    is_ordered: bool,
    /// Whether names of groups are local to a log, so that the same name in another log may mean another
    /// group.
    is_of_log: bool,
}

/// A group: its place among the groups that have an order of their own, and its label.
type Group = (u32, String);

/// Every way to group jobs.
pub const GROUPINGS: &[Grouping] = &[
    Grouping { is_of_log: true, ..by_values("user") },
    Grouping { is_of_log: true, ..by_values("account") },
    Grouping { is_of_log: true, ..by_values("partition") },
    Grouping { is_of_log: true, ..by_values("queue") },
    Grouping { group: ending, ..by_values("status") },
    by_values("reason"),
    Grouping { column: "procs", key: size_key, group: size_class, is_ordered: true, ..by_values("size") },
    Grouping { column: "submit_hour", key: hour_key, group: hour, is_ordered: true, ..by_values("hour") },
];

/// Returns the grouping of jobs by the values of a column.
const fn by_values(name: &'static str) -> Grouping {
    Grouping {
        name,
        column: name,
        key: |jobs, i| jobs.group.key(i),
        group: labelled,
        is_ordered: false,
        is_of_log: false,
    }
}

/// The form of a table of groups.
#[derive(Clone, Debug)]
pub struct GroupsOptions {
    /// The row of [`GROUPINGS`].
    pub by: &'static Grouping,
    /// The number of groups with the most node-hours to show, with all others as one group. `None` for all.
    pub top: Option<usize>,
    /// The names of the columns of numbers, as [`group_column`] gives them; the default ones if there are
    /// none.
    pub columns: Vec<&'static str>,
    /// The name of the column by whose numbers the groups are sorted, the best or else the highest first.
    /// `None` for the order of the grouping.
    pub sort: Option<&'static str>,
    /// The label by whose numbers the others are divided; `None` to show the numbers themselves.
    pub relative_to: Option<String>,
    /// The number of decimals; `None` for the usual decimals of each number.
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
        "medians cannot be found: the temporary file in {folder} that holds the waits of jobs: {0}; make \
         room there, or set TMPDIR to another directory",
        folder = Scratch::folder().display()
    )]
    Scratch(#[source] io::Error),
    /// The directory holds no jobs.
    #[error("{} holds no jobs, which --by groups; `replay -o` and `sweep --jobs` keep them", .0.display())]
    NoJobs(PathBuf),
    /// The jobs lack a column.
    #[error(
        "{}: the jobs have no column '{column}'; this version of meshreplay keeps it when the replay runs \
             again{}",
        .path.display(),
        if *column == "reason"
            || column.starts_with("wait_") && *column != "wait_s" { " with --why" } else { "" }
    )]
    NoColumn {
        /// The file of jobs.
        path: PathBuf,
        /// The name of the column.
        column: &'static str,
    },
    /// No replay has the label to divide by.
    #[error("--relative-to: {0}")]
    NoBase(SpecError),
    /// A column has something else than numbers.
    #[error("{}: column '{column}' has a cell that is no number; replay again", .path.display())]
    NoNumbers {
        /// The file of jobs.
        path: PathBuf,
        /// The name of the column.
        column: &'static str,
    },
}

impl GroupsError {
    /// Returns whether the command line is at fault. If false, a file is at fault.
    pub fn is_usage(&self) -> bool {
        matches!(self, Self::NoBase(_))
    }
}

impl From<io::Error> for GroupsError {
    fn from(error: io::Error) -> Self {
        Self::Scratch(error)
    }
}

/// A part of saved jobs, with the column of their groups.
struct JobGroups<'a> {
    rows: JobColumns<'a>,
    group: &'a FrameColumn,
}

impl<'a> JobGroups<'a> {
    /// Finds the columns in the saved jobs.
    fn from_table(jobs: &'a SavedTable, options: &GroupsOptions) -> Result<Self, GroupsError> {
        let missing = |column| GroupsError::NoColumn { path: jobs.path.clone(), column };
        let column = |name: &'static str| jobs.column(name).ok_or_else(|| missing(name));
        column("replay")?;
        column("seed")?;
        let group = column(options.by.column)?;
        for name in options.numbers() {
            if column(name)?.numbers().is_none() {
                return Err(GroupsError::NoNumbers { path: jobs.path.clone(), column: name });
            }
        }
        Ok(Self { rows: JobColumns::of(jobs), group })
    }
}

/// The columns of numbers that are always summed up.
const NUMBERS: [&str; 6] = ["submit_s", "start_s", "end_s", "procs", "allocated", "pairwise_sum"];

impl GroupsOptions {
    /// Returns the columns of numbers that are summed up.
    fn numbers(&self) -> Vec<&'static str> {
        let has_causes = self.columns.iter().chain(&self.sort).any(|name| is_cause(name));
        let causes = WaitCause::ALL.into_iter().filter(|_| has_causes).map(WaitCause::column);
        NUMBERS.into_iter().chain(causes).collect()
    }
}

/// The label of jobs with an unknown group.
const UNKNOWN: &str = "unknown";

fn labelled(jobs: &JobGroups<'_>, i: usize) -> Group {
    let label = jobs.group.label(i);
    (0, if label.is_empty() || label == "none" { UNKNOWN.to_owned() } else { label })
}

fn ending(jobs: &JobGroups<'_>, i: usize) -> Group {
    let (_, label) = labelled(jobs, i);
    match label.parse().ok().and_then(status::word) {
        Some(word) => (0, format!("{label} ({word})")),
        None => (0, label),
    }
}

/// Returns the class of a size: 1, 2, 3–4, 5–8 and so on, up to each power of two.
fn size_class(jobs: &JobGroups<'_>, i: usize) -> Group {
    let class = class_of(jobs, i);
    let most = 1_u64 << class;
    (class, if most < 3 { most.to_string() } else { format!("{}–{most}", most / 2 + 1) })
}

/// Returns the logarithm of the most processors in the class of a job.
fn class_of(jobs: &JobGroups<'_>, i: usize) -> u32 {
    u64::from(jobs.rows.row(i).procs).max(1).next_power_of_two().trailing_zeros()
}

fn size_key<'a>(jobs: &JobGroups<'a>, i: usize) -> Key<'a> {
    Key::Number(class_of(jobs, i).into())
}

/// Returns the hour of the week of a job: by the log's date or, if the log has none, by the time since its
/// start. Hours of logs without a date come after all others.
fn hour_of(jobs: &JobGroups<'_>, i: usize) -> u32 {
    if let Some(hour) = jobs.group.numbers().and_then(|hours| hours.get(i)) {
        return (hour as usize % WEEK_H) as u32;
    }
    WEEK_H as u32 + (jobs.rows.row(i).submit_s / 3600.0).floor().rem_euclid(WEEK_H as f64) as u32
}

/// The hours of a week.
const WEEK_H: usize = 168;

fn hour(jobs: &JobGroups<'_>, i: usize) -> Group {
    const DAYS: [&str; 7] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
    let hour = hour_of(jobs, i);
    let label = match hour.checked_sub(WEEK_H as u32) {
        None => format!("{} {:02}", DAYS[hour as usize / 24], hour % 24),
        Some(hour) => format!("hour {hour}"),
    };
    (hour, label)
}

fn hour_key<'a>(jobs: &JobGroups<'a>, i: usize) -> Key<'a> {
    Key::Number(hour_of(jobs, i).into())
}

/// A replay with jobs.
struct ReplayWithJobs {
    key: Replication,
    /// The values of the columns that differ between replays.
    labels: Vec<String>,
    trim: Trim,
}

/// A function that takes some rows of one replay, in a part of the jobs.
type Visit<'a> = dyn FnMut(Replication, &JobGroups<'_>, Range<usize>) -> Result<(), GroupsError> + 'a;

/// Calls `visit` with the jobs in `folder`. Fails if there are none, or if they lack a column.
fn visit_jobs(folder: &Path, options: &GroupsOptions, visit: &mut Visit<'_>) -> Result<(), GroupsError> {
    let columns: Vec<&str> = options.numbers().into_iter().chain(["seed", options.by.column]).collect();
    let mut visit = |part: &SavedTable| {
        let jobs = JobGroups::from_table(part, options)?;
        part.replications().into_iter().try_for_each(|(key, rows)| visit(key, &jobs, rows))
    };
    if SavedTable::visit_details(folder, "jobs", &columns, &|_| true, &mut visit)? {
        Ok(())
    } else {
        Err(GroupsError::NoJobs(folder.to_owned()))
    }
}

/// Returns the table of the jobs in `folder` by group, of the replays in `summary`.
pub fn groups(
    folder: &Path,
    summary: &SavedTable,
    options: &GroupsOptions,
) -> Result<PaperTable, GroupsError> {
    let by = options.by;
    // With `--top` or `--trim`, or in a period, the sums depend on all jobs, so the jobs are read twice.
    let is_once =
        options.top.is_none() && !summary.has_number("trim_percent") && summary.column("period").is_none();
    let period = |row: usize| Some((summary.replication(row)?, covered(summary, row)?));
    let periods: BTreeMap<Replication, Period> = (0..summary.height()).filter_map(period).collect();
    let (mut index, mut sums) = (GroupIndex::default(), Sums::single_pass(summary));
    visit_jobs(folder, options, &mut |key, jobs, rows| {
        let grouped = index.grouped(jobs, by, rows);
        index.add(key, &grouped, periods.get(&key).copied());
        if is_once { Ok(sums.add(key, &grouped)?) } else { Ok(()) }
    })?;
    let held = JobCounts::counted(folder, index.counts())?;
    held.iter().try_for_each(|held| held.check(summary, folder))?;
    let (varying, replays) = replays(summary, &index, options);
    let shown = GroupList::choose(&index, &replays, options);
    if !is_once {
        sums = Sums::second_pass(&index, &replays);
        let places = shown.places(&index);
        visit_jobs(folder, options, &mut |key, jobs, rows| {
            let (rows, mut groups) = index.grouped(jobs, by, rows);
            // A file changed in between may have other groups.
            for group in &mut groups {
                *group = places.get(*group).copied().unwrap_or(places.len());
            }
            Ok(sums.add(key, &(rows, groups))?)
        })?;
    }
    let mut members = members(&mut sums, &replays, &shown, is_once)?;
    if let Some(base) = &options.relative_to {
        relative(&mut members, base)?;
    }
    if let Some(column) = options.sort.and_then(Column::named) {
        sort(&mut members[..shown.positions.len()], &column);
    }
    let shown_columns = Column::chosen(options);
    // The label of the group precedes the labels of the replay.
    let is_rival = |at: usize| at > 0 && ["scheduler", "allocator"].contains(&varying[at - 1]);
    let rows: Vec<_> =
        members.iter().flat_map(|rows| rows_of(rows, &shown_columns, &is_rival, options)).collect();
    let mut notes: Vec<String> = held.and_then(|held| held.missing_note()).into_iter().collect();
    notes.extend(dateless_note(&index, options.by));
    notes.extend(namesake_note(&members[..shown.positions.len()], &varying, options.by));
    // The partitions that a replay has are something else than the partition of a job.
    let title = |name: &str| if name == options.by.name { format!("replay_{name}") } else { name.to_owned() };
    let corner = [options.by.name.to_owned()].into_iter().chain(varying.into_iter().map(title)).collect();
    Ok(PaperTable {
        title: title_of(options, &replays),
        corner,
        column_names: Vec::new(),
        columns: shown_columns.iter().map(|column| vec![column.title(options)]).collect(),
        least_useful: least_useful(&shown_columns, &rows),
        rows,
        notes,
    })
}

/// Returns the rows of each shown group, and last those of all jobs: a row per replay with jobs in it. The
/// sums of a single pass are by group, others by place in the list of shown groups.
fn members(
    sums: &mut Sums,
    replays: &[ReplayWithJobs],
    shown: &GroupList,
    is_once: bool,
) -> Result<Vec<Members>, GroupsError> {
    let mut members: Vec<Members> = vec![Vec::new(); shown.labels.len() + 1];
    for replay in replays {
        let Some((whole, groups)) = sums.finish(replay.key)? else { continue };
        let of_place = |place: usize| groups.get(if is_once { shown.positions[place] } else { place });
        let numbers = (0..shown.labels.len()).map(of_place).chain([Some(&whole)]);
        let labels = shown.labels.iter().map(String::as_str).chain(["all"]);
        for (at, (label, numbers)) in labels.zip(numbers).enumerate() {
            if let Some(numbers) = numbers.filter(|numbers| numbers.jobs > 0) {
                let labels = [label.to_owned()].into_iter().chain(replay.labels.iter().cloned()).collect();
                members[at].push((labels, numbers.clone()));
            }
        }
    }
    Ok(members)
}

/// Returns the title of a table of these replays, with the period if all cover the same one.
fn title_of(options: &GroupsOptions, replays: &[ReplayWithJobs]) -> String {
    let periods: Vec<Option<Period>> = replays.iter().map(|replay| replay.trim.period).collect();
    let inside = match periods.first() {
        Some(Some(first)) if periods.iter().all(|period| period == &Some(*first)) => {
            format!(" · waits and node-hours inside {first} s of the log")
        }
        _ if periods.iter().any(Option::is_some) => " · waits and node-hours inside each period".to_owned(),
        _ => String::new(),
    };
    let relative =
        options.relative_to.as_ref().map_or_else(String::new, |base| format!(" relative to {base}"));
    format!("jobs by {}{relative}{inside}", options.by.name)
}

/// The rows of a group: the labels and the numbers of each replay.
type Members = Vec<(Vec<String>, GroupNumbers)>;

/// Returns the positions of the columns, in the order of leaving them out on narrow screens: columns without
/// a mark first, as the replays do not differ there.
fn least_useful(columns: &[Column], rows: &[(Vec<String>, Vec<PaperCell>)]) -> Vec<usize> {
    let mut order = Column::least_useful(columns);
    order.sort_by_key(|&i| rows.iter().any(|(_, cells)| cells[i].best));
    order
}

/// Sorts groups by the mean of a number over their replays, the best first, and those without the number
/// last.
fn sort(groups: &mut [Members], column: &Column) {
    let badness = |rows: &Members| {
        let numbers: Vec<f64> = rows.iter().filter_map(|(_, numbers)| column.value(numbers)).collect();
        let mean = numbers.iter().sum::<f64>() / numbers.len() as f64;
        column.badness(Some(mean).filter(|_| !numbers.is_empty()))
    };
    // The sort is stable: groups with the same number keep their order.
    groups.sort_by(|a, b| badness(a).total_cmp(&badness(b)));
}

/// Returns the rows of a group in the table. Rows that differ only in labels at rival positions are compared,
/// and their best number is marked.
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

/// Returns the names of the columns that differ between replays with jobs, and these replays in the order of
/// the summary.
fn replays(
    summary: &SavedTable,
    jobs: &GroupIndex,
    options: &GroupsOptions,
) -> (Vec<&'static str>, Vec<ReplayWithJobs>) {
    let shown = |name: &str, label: &str| match name {
        _ if options.exact => label.to_owned(),
        "partition" => partition_label(label),
        _ => allocator::short_label(label),
    };
    let mut keys = jobs.counts();
    let rows: Vec<(usize, Replication)> = (0..summary.height())
        .filter_map(|row| Some((row, summary.replication(row)?)))
        .filter(|(_, key)| keys.remove(key).is_some())
        .collect();
    let differs = |name: &&str| {
        summary.column(name).is_some_and(|column| column.varies(rows.iter().map(|(row, _)| *row)))
    };
    let identity = Coordinate::listed().map(|coordinate| coordinate.name).chain(["trim_percent"]);
    let varying: Vec<&str> = identity.filter(differs).collect();
    let replay = |&(row, key): &(usize, Replication)| ReplayWithJobs {
        key,
        labels: varying.iter().map(|name| shown(name, &summary.label(name, row))).collect(),
        trim: Trim { percent: summary.number("trim_percent", row), period: covered(summary, row) },
    };
    let replays = rows.iter().map(replay).collect();
    (varying, replays)
}

/// Returns the period that a replay covers, in the time of the replay; `None` for the whole log.
fn covered(summary: &SavedTable, row: usize) -> Option<Period> {
    let period: Period = summary.label("period", row).parse().ok()?;
    Some(period.scaled(summary.number("arrival_scale", row)?))
}

/// The groups that a table shows.
struct GroupList {
    /// The labels, in their order.
    labels: Vec<String>,
    /// The positions of the groups with labels of their own. Further groups share one more label.
    positions: Vec<usize>,
}

impl GroupList {
    fn choose(index: &GroupIndex, replays: &[ReplayWithJobs], options: &GroupsOptions) -> Self {
        let mut ranked = index.ranked(replays);
        // The sort is stable: groups with as many node-hours keep the order of their labels.
        ranked.sort_by(|a, b| b.1.total_cmp(&a.1));
        let others = ranked.split_off(options.top.unwrap_or(usize::MAX).min(ranked.len())).len();
        let mut positions: Vec<usize> = ranked.into_iter().map(|(position, _)| position).collect();
        if options.by.is_ordered {
            positions.sort_by_key(|&position| &index.groups()[position]);
        }
        let mut labels: Vec<String> =
            positions.iter().map(|&position| index.groups()[position].1.clone()).collect();
        labels.extend(match others {
            0 => None,
            1 => Some("1 other".to_owned()),
            count => Some(format!("{count} others")),
        });
        Self { labels, positions }
    }

    /// Returns the place of each group among the labels, by its position. Further groups share the last
    /// place.
    fn places(&self, index: &GroupIndex) -> Vec<usize> {
        let mut places = vec![self.positions.len(); index.groups().len()];
        for (place, &position) in self.positions.iter().enumerate() {
            places[position] = place;
        }
        places
    }
}

/// Returns a note if a group has jobs of several logs, since its name may have another meaning in each log.
fn namesake_note(groups: &[Members], varying: &[&str], by: &Grouping) -> Option<String> {
    // The first label is that of the group.
    let log = 1 + varying.iter().position(|column| *column == "log").filter(|_| by.is_of_log)?;
    let has_several = |rows: &Members| rows.iter().any(|(labels, _)| labels[log] != rows[0].0[log]);
    let group = groups.iter().find(|rows| has_several(rows))?;
    let (labels, _) = &group[0];
    Some(format!(
        "{name} '{label}' of one log need not be {name} '{label}' of another: rows with one name stand \
         together, ranked by what all logs have of it; results of a single log have no such rows",
        name = by.name,
        label = labels[0],
    ))
}

/// Returns a note if groups are hours since the start of a log without a date.
fn dateless_note(index: &GroupIndex, by: &Grouping) -> Option<String> {
    let is_dateless = by.name == "hour" && index.groups().iter().any(|(place, _)| *place as usize >= WEEK_H);
    is_dateless.then(|| {
        "'hour' counts the hours since the log's start, from 0 again after each week, as the log does not \
         tell its date and time zone (UnixStartTime and TimeZoneString in its header)"
            .to_owned()
    })
}
