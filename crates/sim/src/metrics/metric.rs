//! A row of [`METRICS`](super::METRICS): the description of a number of a summary.

use serde::{Serialize, Serializer};

use super::gather::Compute;

/// The type of a column's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ColumnType {
    /// Whole numbers below 2^32.
    U32,
    /// Whole numbers below 2^64.
    U64,
    /// Whole numbers from −2^63 to below 2^63.
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
            Self::U32 => "u32",
            Self::U64 => "u64",
            Self::I64 => "i64",
            Self::F64 => "f64",
            Self::Str => "str",
        }
    }
}

/// The condition for a column in a table of results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// Always.
    Always,
    /// If wall-clock times are measured.
    Timed,
    /// If contention on links is estimated.
    Contention,
    /// If the fragmentation of free nodes is measured.
    Fragmentation,
    /// If any replay of the table has a network. Null for replays without.
    Network,
    /// If the nodes of every job are kept.
    Placements,
    /// If jobs are counted by shape.
    ByShape,
    /// If jobs are stored with the coordinates of their replay.
    Tidy,
    /// If nodes go down and come up.
    Outages,
    /// If run times are predicted in any replay of the table. Null for the others.
    Predictions,
    /// If any replay of the table starts jobs, or places them, as recorded in the log.
    Recorded,
    /// If a replay of the table is restricted to some partitions.
    Partitions,
    /// If a replay of the table covers a period of its log.
    Period,
    /// If a replay places jobs as recorded in the log.
    RecordedNodes,
    /// If the table is the summary of a study, with the number of the cell in each row.
    Study,
}

impl When {
    /// Returns the condition in words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Always => "always",
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
            Self::Period => "if a replay covers a period of its log (--period)",
            Self::RecordedNodes => "if a replay has the allocator `recorded`; null for replays without",
            Self::Study => "in the summary of a study",
        }
    }
}

impl Serialize for When {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.words())
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
    /// The condition under which tables have the column.
    pub when: When,
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

/// Facts about replays that decide about the columns of tables for people.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a condition of its own")]
pub struct Circumstances {
    /// Whether allocator calls are timed.
    pub timed: bool,
    /// Whether replays are repeated with further seeds.
    pub replicated: bool,
    /// Whether any replay has a network.
    pub network: bool,
    /// Whether a machine has one dimension or jobs were moved. The table then shows delays.
    pub delays: bool,
    /// Whether an allocator refused a job in any call.
    pub refused: bool,
    /// Whether nodes go down and come up.
    pub outages: bool,
    /// Whether run times are predicted in any replay.
    pub predictions: bool,
    /// Number of slices to be fitted into the free nodes, or 0 if fragmentation is not measured.
    pub slices: usize,
    /// Whether any replay starts jobs as recorded in the log.
    pub recorded: bool,
    /// Whether any replay places jobs as recorded in the log.
    pub recorded_nodes: bool,
    /// Whether any job holds more nodes than requested.
    pub unasked: bool,
}

/// Returns whether a table has a column.
pub(super) type Condition = fn(&Circumstances) -> bool;

/// A column of a number in a table for people.
#[derive(Clone, Copy, Debug)]
pub struct TableColumn {
    /// The title of the column.
    pub title: &'static str,
    /// The group of columns that it belongs to.
    pub group: Group,
    condition: Condition,
}

impl TableColumn {
    /// Returns whether the table has the column in these circumstances.
    pub fn is_shown(&self, of: &Circumstances) -> bool {
        (self.condition)(of)
    }
}

/// A number of a summary with its complete description: a row of [`METRICS`](super::METRICS).
#[derive(Clone, Copy, Debug)]
pub struct Metric {
    /// The column of the number in the `summary` frame.
    pub column: ColumnInfo,
    title: &'static str,
    /// The text after the unit in labels for people, such as `, median`. Empty for most numbers.
    detail: &'static str,
    /// The better direction.
    pub better: Better,
    /// The format of the number in tables for people.
    pub display: Display,
    /// The column in the table that `replay` prints. `None` if shown only on request.
    pub terminal: Option<TableColumn>,
    /// The column in the table of a report, if any.
    pub report: Option<TableColumn>,
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
        Compute::Count(_) | Compute::Sum(..) | Compute::Duration(..) => ColumnType::U64,
        _ => ColumnType::F64,
    };
    Metric {
        column: ColumnInfo { name, kind, unit: "", meaning: "", when: When::Always },
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

    /// Sets the condition for the column in tables of results.
    pub(super) const fn when(mut self, when: When) -> Self {
        self.column.when = when;
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
        condition: Condition,
    ) -> Self {
        self.terminal = Some(TableColumn { title, group, condition });
        self.room_rank = rank;
        self
    }

    /// Shows the number in the table of a report, under a condition.
    pub(super) const fn report(mut self, group: Group, title: &'static str, condition: Condition) -> Self {
        self.report = Some(TableColumn { title, group, condition });
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
            | Compute::MeanIf(..)
            | Compute::ParallelMean(_)
            | Compute::ParallelMeanToBound
            | Compute::Variance(_) => true,
            Compute::Count(_) | Compute::Real(_) | Compute::Sum(..) | Compute::Duration(..) => false,
        }
    }

    /// Returns the name of the column.
    pub fn name(&self) -> &'static str {
        self.column.name
    }

    /// Returns the title of the number for people, such as `wait`.
    pub fn title(&self) -> String {
        if self.title.is_empty() { self.name().replace('_', " ") } else { self.title.to_owned() }
    }

    /// Returns the title with the unit, as on an axis of a plot: `wait (s)`, `allocate (ns, median)`.
    pub fn label(&self) -> String {
        match (self.column.unit, self.detail) {
            ("", detail) => self.title() + detail,
            (unit, detail) => format!("{} ({unit}{detail})", self.title()),
        }
    }
}
