//! What a number of a summary is: the type of a row of [`METRICS`](super::METRICS).

use serde::{Serialize, Serializer};

use super::cost::Cost;
use super::facts::Facts;
use super::recorder::Recording;

/// The type of a column's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ColumnType {
    /// Whole numbers below 2^32.
    U32,
    /// Whole numbers below 2^64.
    U64,
    /// Whole numbers, also below 0.
    I64,
    /// Numbers.
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

/// When a table of results has a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// Always.
    Always,
    /// Unless times are not measured.
    Timed,
    /// If contention is estimated.
    Contention,
    /// If a replay has a network; null for those that have none.
    Network,
    /// If placements are kept.
    Placements,
    /// In the directory of a study, whose rows are read back and numbered.
    Study,
}

impl When {
    /// Returns the condition in words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Always => "always",
            Self::Timed => "without --no-timing",
            Self::Contention => "with --contention",
            Self::Network => "if a replay has a --network; null for those without",
            Self::Placements => "with --placements",
            Self::Study => "in the summary of a study",
        }
    }
}

impl Serialize for When {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.words())
    }
}

/// A column of a table of results, described.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct ColumnInfo {
    /// The name.
    pub name: &'static str,
    /// The type of the values.
    #[serde(rename = "type")]
    pub kind: ColumnType,
    /// What the values are measured in; empty for names and mere counts.
    pub unit: &'static str,
    /// What the values mean, in a phrase.
    pub meaning: &'static str,
    /// When tables have the column.
    pub when: When,
}

/// A number of a summary.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// A count.
    Count(u64),
    /// Any other number.
    Real(f64),
}

impl Number {
    /// Returns the number as a float, which rounds counts above 2^53.
    pub fn as_f64(self) -> f64 {
        match self {
            Self::Count(count) => count as f64,
            Self::Real(real) => real,
        }
    }
}

/// Which direction of a number is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Better {
    /// The lower the better.
    Lower,
    /// The higher the better.
    Higher,
    /// Neither is better.
    Neither,
}

/// How tables for people show a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Display {
    /// With so many decimals.
    Plain(u8),
    /// Times 100, with so many decimals and a percent sign.
    Percent(u8),
    /// A time of the replay. Reports show so many decimals; the terminal two of short times and none of long ones.
    Seconds(u8),
    /// A time that was measured, with its unit. Reports show so many decimals.
    Measured(u8),
}

impl Display {
    /// Returns what the number is multiplied by before it is shown.
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

/// Where a table shows a number. Groups stand in this order; within a group, numbers stand in the order of
/// [`METRICS`](super::METRICS).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Group {
    /// How full the machine is and how long jobs wait.
    First,
    /// How long jobs take in all.
    Response,
    /// What the network does.
    Network,
    /// How far placements fall apart.
    Placement,
    /// What jobs wait for.
    Delays,
    /// Measured times, or what takes their place. Tables show no interval with them.
    Last,
}

/// What the columns of a table for people depend on.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a condition of its own")]
pub struct Circumstances {
    /// Whether calls are timed.
    pub timed: bool,
    /// Whether replays are repeated with other seeds.
    pub replicated: bool,
    /// Whether a replay has a network.
    pub network: bool,
    /// Whether a machine is an array, where every placement is as good, or jobs were moved.
    pub delays: bool,
    /// Whether a call of an allocator was refused.
    pub refused: bool,
}

/// A condition of a column.
pub(super) type Condition = fn(&Circumstances) -> bool;

/// A column that shows a number in a table for people.
#[derive(Clone, Copy, Debug)]
pub struct TableColumn {
    /// Its title.
    pub title: &'static str,
    /// Where it stands.
    pub group: Group,
    condition: Condition,
}

impl TableColumn {
    /// Returns whether the table has the column in these circumstances.
    pub fn is_shown(&self, of: &Circumstances) -> bool {
        (self.condition)(of)
    }
}

/// How a number is computed; `None` where there is no such number.
#[derive(Clone, Copy, Debug)]
pub(super) enum Compute {
    Count(fn(&Facts<'_>) -> Option<u64>),
    Real(fn(&Facts<'_>) -> Option<f64>),
    /// The mean over the jobs that means are over, each given by its position.
    Mean(fn(&Facts<'_>, usize) -> f64),
    /// The same over those of them that have at least two nodes.
    ParallelMean(fn(&Facts<'_>, usize) -> f64),
    /// A duration, in nanoseconds, of calls of one kind.
    Duration(fn(&Recording) -> &Cost, fn(&Cost) -> u64),
}

/// A row of [`METRICS`](super::METRICS): all that is known about one number of a summary.
#[derive(Clone, Copy, Debug)]
pub struct Metric {
    /// Its column in the `summary` frame.
    pub column: ColumnInfo,
    title: &'static str,
    /// What stands behind the unit where people read it, as `, median`; empty for most numbers.
    detail: &'static str,
    /// Which direction is better.
    pub better: Better,
    /// How tables for people show it.
    pub display: Display,
    /// Its column in the table that `replay` prints; `None` if that shows it only when it is asked for.
    pub terminal: Option<TableColumn>,
    /// Its column in the table of a report; `None` if there is none.
    pub report: Option<TableColumn>,
    /// Its place among the numbers that replications can be asked to make precise; `None` if it is none of them.
    pub interval_rank: Option<u8>,
    compute: Compute,
}

impl Metric {
    const fn new(name: &'static str, kind: ColumnType, compute: Compute) -> Self {
        Self {
            column: ColumnInfo { name, kind, unit: "", meaning: "", when: When::Always },
            title: "",
            detail: "",
            better: Better::Lower,
            display: Display::Plain(0),
            terminal: None,
            report: None,
            interval_rank: None,
            compute,
        }
    }

    pub(super) const fn count(name: &'static str, compute: fn(&Facts<'_>) -> Option<u64>) -> Self {
        Self::new(name, ColumnType::U64, Compute::Count(compute))
    }

    pub(super) const fn real(name: &'static str, compute: fn(&Facts<'_>) -> Option<f64>) -> Self {
        Self::new(name, ColumnType::F64, Compute::Real(compute))
    }

    pub(super) const fn mean(name: &'static str, compute: fn(&Facts<'_>, usize) -> f64) -> Self {
        Self::new(name, ColumnType::F64, Compute::Mean(compute))
    }

    pub(super) const fn parallel_mean(name: &'static str, compute: fn(&Facts<'_>, usize) -> f64) -> Self {
        Self::new(name, ColumnType::F64, Compute::ParallelMean(compute))
    }

    /// Makes a row for a duration of calls of one kind; `detail` stands behind the unit.
    pub(super) const fn duration(
        name: &'static str,
        detail: &'static str,
        calls: fn(&Recording) -> &Cost,
        compute: fn(&Cost) -> u64,
    ) -> Self {
        Self::new(name, ColumnType::U64, Compute::Duration(calls, compute))
            .detail(detail)
            .when(When::Timed)
            .shown(Display::Measured(0))
    }

    /// Sets the meaning of a number that has no unit and whose title is its name in words.
    pub(super) const fn meaning(mut self, meaning: &'static str) -> Self {
        self.column.meaning = meaning;
        self
    }

    /// Sets what people call the number, its unit and its meaning.
    pub(super) const fn is(mut self, title: &'static str, unit: &'static str, meaning: &'static str) -> Self {
        (self.title, self.column.unit, self.column.meaning) = (title, unit, meaning);
        self
    }

    /// Sets what stands behind the unit where people read it.
    pub(super) const fn detail(mut self, detail: &'static str) -> Self {
        self.detail = detail;
        self
    }

    pub(super) const fn when(mut self, when: When) -> Self {
        self.column.when = when;
        self
    }

    pub(super) const fn better(mut self, better: Better) -> Self {
        self.better = better;
        self
    }

    pub(super) const fn shown(mut self, display: Display) -> Self {
        self.display = display;
        self
    }

    pub(super) const fn terminal(mut self, group: Group, title: &'static str, condition: Condition) -> Self {
        self.terminal = Some(TableColumn { title, group, condition });
        self
    }

    pub(super) const fn report(mut self, group: Group, title: &'static str, condition: Condition) -> Self {
        self.report = Some(TableColumn { title, group, condition });
        self
    }

    pub(super) const fn interval(mut self, rank: u8) -> Self {
        self.interval_rank = Some(rank);
        self
    }

    /// Returns the name of the column.
    pub fn name(&self) -> &'static str {
        self.column.name
    }

    /// Returns what people call the number, such as `wait`.
    pub fn title(&self) -> String {
        if self.title.is_empty() { self.name().replace('_', " ") } else { self.title.to_owned() }
    }

    /// Returns the title with the unit, for an axis: `wait (s)`, `allocate (ns, median)`.
    pub fn label(&self) -> String {
        match (self.column.unit, self.detail) {
            ("", detail) => self.title() + detail,
            (unit, detail) => format!("{} ({unit}{detail})", self.title()),
        }
    }

    /// Returns the number of a replay; `None` if the replay has no such number, as the mean over no jobs.
    pub(super) fn compute(&self, facts: &Facts<'_>) -> Option<Number> {
        match self.compute {
            Compute::Count(value) => value(facts).map(Number::Count),
            Compute::Real(value) => value(facts).map(Number::Real),
            Compute::Duration(calls, value) => Some(Number::Count(value(calls(facts.replay.recording)))),
            Compute::Mean(value) => facts.mean(|job| value(facts, job)).map(Number::Real),
            Compute::ParallelMean(value) => facts.parallel_mean(|job| value(facts, job)).map(Number::Real),
        }
    }
}
