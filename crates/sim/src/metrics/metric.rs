//! A row of [`METRICS`](super::METRICS): the description of a number of a summary.

use serde::{Serialize, Serializer};

use super::gather::Compute;

/// The type of a column's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ColumnType {
    /// Whole numbers below 2^64: seeds.
    U64,
    /// Whole numbers from −2^63 to below 2^63. Counts are signed, so that their differences are.
    I64,
    /// Floating-point numbers.
    F64,
    /// Text.
    Str,
}

impl ColumnType {
    /// Returns the name of the type, such as `u32`.
    pub fn name(self) -> &'static str {
        match self {
            Self::U64 => "u64",
            Self::I64 => "i64",
            Self::F64 => "f64",
            Self::Str => "str",
        }
    }
}

/// The requirement of a column. Frames, schema, tables and report check it with [`Has::has`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// Nothing: the column is in every table.
    Nothing,
    /// Measured wall-clock times.
    Timed,
    /// An estimate of contention on links.
    Contention,
    /// Measured fragmentation of free nodes.
    Fragmentation,
    /// A network in any replay of the table. Null for replays without.
    Network,
    /// The nodes of every job.
    Placements,
    /// Counts of jobs by shape.
    ByShape,
    /// Jobs stored with the coordinates of their replay.
    Tidy,
    /// Nodes that go down and come up.
    Outages,
    /// Predicted run times in any replay of the table. Null for the others.
    Predictions,
    /// A replay that starts jobs as recorded in the log.
    Recorded,
    /// A replay that is restricted to some partitions.
    Partitions,
    /// A replay that covers a period of its log.
    Period,
    /// A replay that places jobs as recorded in the log.
    RecordedNodes,
    /// A machine that is a tree of switches. Null for replays on others.
    Trees,
    /// Measured fragmentation of free nodes, and a machine that is a tree of switches.
    TreeFragmentation,
    /// The distribution of the durations of allocator calls.
    Latency,
    /// Shaken run times.
    Shaken,
    /// Causes of waiting. Null for replays without.
    Why,
    /// The summary of a study, with the number of the cell in each row.
    Study,
    /// For people only: repeated replays or a network. Tables then show turnaround instead of slowdown.
    Turnaround,
    /// For people only: a machine of one dimension, or moved jobs.
    Moves,
    /// For people only: jobs that an allocator refused.
    Refusals,
    /// For people only: jobs that hold more nodes than requested.
    Unasked,
    /// For people only: causes of waiting of simulated replays.
    SimulatedWhy,
}

impl Needs {
    /// Returns the condition in words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Nothing => "always",
            Self::Timed => "without --no-timing",
            Self::Contention => "with --contention",
            Self::Fragmentation => "with --fragmentation",
            Self::Network => "if a replay has a --network; null for those without",
            Self::Placements => "with --placements",
            Self::ByShape => "with --by-shape",
            Self::Tidy => "with --tidy",
            Self::Outages => "with --outages",
            Self::Predictions => "if run times are predicted (--estimate); null for replays without",
            Self::Recorded => "if a replay has the scheduler `recorded`",
            Self::Partitions => "with --partition",
            Self::TreeFragmentation => "with --fragmentation, if a machine is a tree of switches",
            Self::Trees => "if a machine is a tree of switches; null for others",
            Self::Period => "if a replay covers a period of its log (--period)",
            Self::RecordedNodes => "if a replay has the allocator `recorded`; null for replays without",
            Self::Latency => "with --latency",
            Self::Shaken => "with --shake",
            Self::Why => "with --why, or if the scheduler `recorded` follows a log of a site",
            Self::Study => "in the summary of a study",
            Self::Turnaround => "with --replications or a --network",
            Self::Moves => "on arrays, or if jobs are moved",
            Self::Refusals => "if jobs are refused",
            Self::Unasked => "if jobs hold more nodes than requested",
            Self::SimulatedWhy => "with --why",
        }
    }
}

impl Serialize for Needs {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.words())
    }
}

/// The requirements of columns that replays meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Has {
    /// One bit for each of [`Needs`].
    bits: u32,
}

impl Has {
    /// No requirement but [`Needs::Nothing`].
    pub const NOTHING: Self = Self { bits: 1 << Needs::Nothing as u32 };

    /// Every requirement.
    pub const EVERYTHING: Self = Self { bits: u32::MAX };

    /// Returns the set with `needs` if `met`, and without it otherwise.
    #[must_use]
    pub const fn with(self, needs: Needs, met: bool) -> Self {
        let bit = 1 << needs as u32;
        Self { bits: if met { self.bits | bit } else { self.bits & !bit } }
    }

    /// Returns whether `needs` is met.
    pub const fn has(self, needs: Needs) -> bool {
        self.bits & (1 << needs as u32) != 0
    }
}

/// A column of a table of results.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct ColumnInfo {
    /// The name.
    pub name: &'static str,
    /// The type of the values.
    #[serde(rename = "type")]
    pub kind: ColumnType,
    /// The unit of the values. Empty for names and counts.
    pub unit: &'static str,
    /// The meaning of the values, in a phrase.
    pub meaning: &'static str,
    /// The requirement of the column.
    #[serde(rename = "when")]
    pub needs: Needs,
}

/// The better direction of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Better {
    /// Lower values are better.
    Lower,
    /// Higher values are better.
    Higher,
    /// Neither direction is better.
    Neither,
}

/// The format of a number in tables for people, with its decimals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Display {
    /// A plain number.
    Plain(u8),
    /// A share, shown as a percentage with a percent sign.
    Percent(u8),
    /// A simulated time in seconds. The decimals are for reports. The terminal shows two decimals of short
    /// times, and whole seconds of long ones.
    Seconds(u8),
    /// A measured wall-clock time, shown with its unit. The decimals are for reports.
    Measured(u8),
}

impl Display {
    /// Returns the factor applied before the number is shown: 100 for percentages, otherwise 1.
    pub fn factor(self) -> f64 {
        if matches!(self, Self::Percent(_)) { 100.0 } else { 1.0 }
    }

    /// Returns the number of decimals.
    pub fn decimals(self) -> usize {
        match self {
            Self::Plain(decimals)
            | Self::Percent(decimals)
            | Self::Seconds(decimals)
            | Self::Measured(decimals) => usize::from(decimals),
        }
    }
}

/// The group of columns of a number in a table. A table has the groups in this order, and within a group the
/// order of [`METRICS`](super::METRICS).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Group {
    /// Load of the machine and waits of jobs.
    First,
    /// Times from arrival to end.
    Response,
    /// Traffic and delays of the network.
    Network,
    /// Dispersal of placements.
    Placement,
    /// Parts and causes of the waiting time.
    Delays,
    /// Measured wall-clock times, or the columns in their place if times are not measured. Tables show no
    /// confidence intervals for them.
    Last,
}

/// A further condition for a column in a table for people.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shown {
    /// Wherever results have the column.
    Always,
    /// If this is met too.
    If(Needs),
    /// Unless this is met.
    Unless(Needs),
}

/// A column of a number in a table for people.
#[derive(Clone, Copy, Debug)]
pub struct TableColumn {
    /// The title of the column.
    pub title: &'static str,
    /// The group of columns that it belongs to.
    pub group: Group,
    shown: Shown,
}

impl TableColumn {
    /// Returns whether a table of such replays shows the column, provided that results have it.
    fn is_shown(&self, has: Has) -> bool {
        match self.shown {
            Shown::Always => true,
            Shown::If(needs) => has.has(needs),
            Shown::Unless(needs) => !has.has(needs),
        }
    }
}

/// A number of a summary with its complete description: a row of [`METRICS`](super::METRICS).
#[derive(Clone, Copy, Debug)]
pub struct Metric {
    /// The column of the number in the `summary` frame.
    pub column: ColumnInfo,
    pub(super) title: &'static str,
    /// The text after the unit in labels for people, such as `, median`. Empty for most numbers.
    detail: &'static str,
    /// The better direction.
    pub better: Better,
    /// The format of the number in tables for people.
    pub display: Display,
    /// The column in the table that `replay` prints. `None` if shown only on request.
    pub terminal: Option<TableColumn>,
    /// The column in the table of a report, if any.
    report: Option<TableColumn>,
    /// The position in the list of numbers whose precision replications can be asked for, if any.
    pub interval_rank: Option<u8>,
    /// The column of the `jobs` frame whose mean over jobs this is, minus a second column if there is one.
    pub of_jobs: Option<(&'static str, Option<&'static str>)>,
    /// Priority in a table that is too narrow for all columns: the lowest rank is dropped first.
    pub room_rank: u8,
    /// Whether replays store sums of the number over parts of the log, for paired comparisons. It must be a
    /// mean over jobs that a [`JobRow`](super::JobRow) is enough for.
    pub is_compared: bool,
    /// Whether the number is also shown for groups of jobs, such as the jobs of each user.
    pub is_grouped: bool,
    pub(super) compute: Compute,
}

/// Creates a row with default values, replaced by the methods below.
pub(super) const fn row(name: &'static str, compute: Compute) -> Metric {
    let kind = match compute {
        Compute::Count(_) | Compute::Sum(..) | Compute::Duration(..) => ColumnType::I64,
        _ => ColumnType::F64,
    };
    Metric {
        column: ColumnInfo { name, kind, unit: "", meaning: "", needs: Needs::Nothing },
        title: "",
        detail: "",
        better: Better::Lower,
        display: Display::Plain(0),
        terminal: None,
        report: None,
        interval_rank: None,
        of_jobs: None,
        room_rank: 0,
        is_compared: false,
        is_grouped: false,
        compute,
    }
}

impl Metric {
    /// Sets the meaning of a number without a unit. Its title is its name with spaces.
    pub(super) const fn meaning(mut self, meaning: &'static str) -> Self {
        self.column.meaning = meaning;
        self
    }

    /// Sets the title, the unit and the meaning.
    pub(super) const fn describe(
        mut self,
        title: &'static str,
        unit: &'static str,
        meaning: &'static str,
    ) -> Self {
        (self.title, self.column.unit, self.column.meaning) = (title, unit, meaning);
        self
    }

    /// Sets the text after the unit in labels for people.
    pub(super) const fn detail(mut self, detail: &'static str) -> Self {
        self.detail = detail;
        self
    }

    /// Sets the requirement of the column in tables of results.
    pub(super) const fn needs(mut self, needs: Needs) -> Self {
        self.column.needs = needs;
        self
    }

    /// Sets the better direction.
    pub(super) const fn better(mut self, better: Better) -> Self {
        self.better = better;
        self
    }

    /// Sets the format in tables for people.
    pub(super) const fn shown(mut self, display: Display) -> Self {
        self.display = display;
        self
    }

    /// Shows the number in the table that `replay` prints, under a condition. If the table is too narrow, the
    /// column with the lowest rank is dropped first.
    pub(super) const fn terminal(
        mut self,
        group: Group,
        title: &'static str,
        rank: u8,
        shown: Shown,
    ) -> Self {
        self.terminal = Some(TableColumn { title, group, shown });
        self.room_rank = rank;
        self
    }

    /// Shows the number in the table of a report, under a condition.
    pub(super) const fn report(mut self, group: Group, title: &'static str, shown: Shown) -> Self {
        self.report = Some(TableColumn { title, group, shown });
        self
    }

    /// Lists the number among those whose precision replications can be asked for, at this position.
    pub(super) const fn interval(mut self, rank: u8) -> Self {
        self.interval_rank = Some(rank);
        self
    }

    /// Declares the number as the mean over jobs of this column of the `jobs` frame.
    pub(super) const fn of_jobs(mut self, column: &'static str) -> Self {
        self.of_jobs = Some((column, None));
        self
    }

    /// Declares the number as the mean over jobs of the difference of two columns of the `jobs` frame.
    pub(super) const fn of_jobs_less(mut self, column: &'static str, less: &'static str) -> Self {
        self.of_jobs = Some((column, Some(less)));
        self
    }

    /// Compares the number between replays of the same jobs.
    pub(super) const fn compared(mut self) -> Self {
        self.is_compared = true;
        self
    }

    /// Shows the number for groups of jobs too. It must be a mean over jobs.
    pub(super) const fn grouped(mut self) -> Self {
        self.is_grouped = true;
        self
    }

    /// Returns whether the number is a mean, a share or a variance over the jobs in means, or over the ones
    /// with at least two nodes. Such numbers of two replays are comparable only if the numbers of jobs agree.
    pub fn is_over_jobs_in_means(&self) -> bool {
        match self.compute {
            Compute::Mean(_)
            | Compute::MeanTime(_)
            | Compute::ParallelMean(_)
            | Compute::ParallelMeanToBound
            | Compute::TreeMean(_)
            | Compute::OfWaits(_)
            | Compute::Variance(_) => true,
            Compute::Count(_) | Compute::Real(_) | Compute::Sum(..) | Compute::Duration(..) => false,
        }
    }

    /// Returns the column in the table that `replay` prints, or `None` if replays with `has` do not show it.
    pub fn in_terminal(&self, has: Has) -> Option<TableColumn> {
        self.terminal.filter(|column| has.has(self.column.needs) && column.is_shown(has))
    }

    /// Returns the column in the table of a report, or `None` if replays with `has` do not show it.
    pub fn in_report(&self, has: Has) -> Option<TableColumn> {
        self.report.filter(|column| has.has(self.column.needs) && column.is_shown(has))
    }

    /// Returns the titles of its columns in the tables of `replay` and of a report.
    pub fn titles(&self) -> impl Iterator<Item = &'static str> {
        self.terminal.iter().chain(&self.report).map(|column| column.title)
    }

    /// Returns the name of the column.
    pub fn name(&self) -> &'static str {
        self.column.name
    }

    /// Returns the title of the number for people, such as `wait`.
    pub fn title(&self) -> String {
        if self.title.is_empty() { self.name().replace('_', " ") } else { self.title.to_owned() }
    }

    /// Returns the title with what tells it apart from others of its quantity, such as `wait, median`.
    pub fn full_title(&self) -> String {
        self.title() + self.detail
    }

    /// Returns the title with the unit, as on an axis of a plot: `wait (s)`, `allocate (ns, median)`.
    pub fn label(&self) -> String {
        match (self.column.unit, self.detail) {
            ("", _) => self.full_title(),
            (unit, detail) => format!("{} ({unit}{detail})", self.title()),
        }
    }
}
