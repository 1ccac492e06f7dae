//! Rules of a paper's figures as they stand in its folder: what is measured, what was published, what is compared.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::expr::{Expr, Field};
use super::template::Template;
use crate::paper::finding::Drawn;

/// A file of rules.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RuleFile {
    /// The machine of every finding whose rule names none.
    #[serde(default)]
    pub(super) machine: Template,
    /// The fields of points that columns do not give.
    #[serde(default)]
    pub(super) at: BTreeMap<Field, Template>,
    /// Values of variables by name.
    #[serde(default)]
    pub(super) sets: BTreeMap<String, SetSource>,
    /// What is found, in the order in which it is shown.
    #[serde(default, rename = "rule")]
    pub(super) rules: Vec<Rule>,
}

/// Values that one or several variables take after each other.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum SetSource {
    /// Values of the variable that is called like the set.
    Values(Vec<Template>),
    /// Values of several variables.
    Rows(Vec<BTreeMap<String, Template>>),
    /// Values that follow from something else.
    Derived(Box<Derived>),
}

/// A set that follows from another one, from studies, or from a printed table.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Derived {
    /// The rows of this set.
    pub(super) of: Option<String>,
    /// Each row of this set and the next one, whose variables begin with `next_`.
    pub(super) steps_of: Option<String>,
    /// The loads of the workload models of these studies, from the lowest one on: `load` and `log`.
    pub(super) loads_of: Option<Vec<Template>>,
    /// The cells of a printed table, column by column: the variable of the table's first title, those of `columns`,
    /// whose values are the words of the column's title, and `printed`.
    pub(super) table: Option<String>,
    #[serde(default)]
    pub(super) columns: Vec<String>,
    /// Only workload models with sides of this law; for `loads_of`.
    pub(super) sides: Option<Template>,
    /// The place of the first row that is taken, and of the first that is not any more.
    #[serde(default)]
    pub(super) from: usize,
    pub(super) to: Option<usize>,
    /// Only rows for which this is above 0.
    pub(super) when: Option<Expr>,
    /// Only the first one of those.
    #[serde(default)]
    pub(super) first: bool,
    /// What rows are sorted by; those that have no such number are left out.
    pub(super) by: Option<Expr>,
}

/// Values of variables, all of which must be so.
pub(super) type Match = BTreeMap<String, String>;

/// What is found for each row of some sets: an item of a figure, or a group of further rules.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Rule {
    /// By what sentences name the findings.
    #[serde(default)]
    pub(super) id: Template,
    /// The figures that it is about; all that have these rules if there are none.
    #[serde(default)]
    pub(super) figures: Vec<String>,
    /// Sets; there is a finding for every element of their product, the last set changing fastest.
    #[serde(default)]
    pub(super) each: Vec<String>,
    /// Only where one of these is so, and where none of those is.
    #[serde(default)]
    pub(super) only: Vec<Match>,
    #[serde(default)]
    pub(super) unless: Vec<Match>,
    /// Numbers that have a name below; nothing is found where one of them was not measured.
    #[serde(default, rename = "let")]
    pub(super) numbers: BTreeMap<String, Expr>,
    /// The dataset that it is about, without which nothing is found, or what stands for a log; that of the group if
    /// there is none. `{file}` is the name of the log below.
    pub(super) log: Option<Template>,
    /// The machine that it is about.
    pub(super) machine: Option<Template>,
    /// The name of the item; a group has none.
    pub(super) item: Option<Template>,
    /// The number that was measured.
    pub(super) measured: Option<Expr>,
    /// The number that was published, as printed, or as it follows from what is printed.
    pub(super) published: Option<Template>,
    pub(super) expected: Option<Expr>,
    /// How far off it may be: in percent, or so much, which counts for 0 if there is both; as printed if there is none.
    pub(super) percent: Option<f64>,
    pub(super) absolute: Option<f64>,
    /// The range that was published.
    pub(super) range: Option<[f64; 2]>,
    /// How large a difference may be that is said to be none, in percent.
    pub(super) no_difference: Option<f64>,
    /// The loads at which a ratio is what was published.
    pub(super) crossing: Option<Crossing>,
    /// The comparisons of a fact.
    #[serde(default)]
    pub(super) compare: Vec<Block>,
    /// Whether the fact is said of nearly all cases.
    #[serde(default)]
    pub(super) nearly: bool,
    /// What is said of a curve instead of its comparisons if they differ.
    pub(super) instead: Option<Instead>,
    /// What is said if it differs.
    pub(super) because: Option<Template>,
    pub(super) tried: Option<Tried>,
    /// Why there is no number, if there is none.
    pub(super) otherwise: Option<String>,
    /// Where it lies on a curve.
    pub(super) place: Option<PlaceRule>,
    /// Under which title the number stands below the bars of its log, and what it is called there.
    pub(super) below_bars: Option<[String; 2]>,
    /// The rules of a group.
    #[serde(default, rename = "rule")]
    pub(super) rules: Vec<Rule>,
}

/// The place of a number in a plot, or in a table.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PlaceRule {
    /// The curve, as the row of the table is called.
    pub(super) curve: Template,
    /// The curve as the plot calls it, if otherwise.
    pub(super) series: Option<Template>,
    /// The allocator whose look the curve has, if the plot does not call it so.
    pub(super) look: Option<Template>,
    /// What varies along the curve.
    pub(super) axis: Template,
    /// Its value.
    pub(super) at: Template,
    /// What is measured; an empty text if nothing need be said of it.
    #[serde(default)]
    pub(super) quantity: Template,
    /// How it is drawn.
    #[serde(default)]
    pub(super) drawn: Drawn,
}

/// Comparisons for each row of some sets.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Block {
    #[serde(default)]
    pub(super) over: Vec<String>,
    #[serde(default, rename = "let")]
    pub(super) numbers: BTreeMap<String, Expr>,
    pub(super) checks: Vec<Check>,
}

/// A number with what it is called.
pub(super) type Side = (Template, Expr);

/// One comparison: `low` and `high` in a relation, or a `value` that is above `least`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Check {
    pub(super) is: Relation,
    pub(super) low: Option<Side>,
    pub(super) high: Option<Side>,
    pub(super) value: Option<Side>,
    #[serde(default)]
    pub(super) least: f64,
    #[serde(default)]
    pub(super) only: Vec<Match>,
    #[serde(default)]
    pub(super) unless: Vec<Match>,
    /// Compared only if this is above 0.
    pub(super) when: Option<Expr>,
}

/// How two numbers lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Relation {
    /// The first is smaller.
    Below,
    /// The first is not larger.
    AtMost,
    /// The first is less than 2 % from the second.
    Near,
    /// The first is smaller over common workloads, which is not decided while that may be chance.
    ClearlyBelow,
    /// The first is not larger over common workloads, with a confidence of 95 %.
    NotAbove,
    /// A value, of which an interval is known, is above a bound, which is not decided while the bound is within.
    Above,
}

/// The loads at which a ratio crosses a number.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Crossing {
    /// The set of loads.
    pub(super) over: String,
    /// The ratio.
    pub(super) ratio: Expr,
    /// The number.
    pub(super) target: Expr,
}

/// The first and the last number of a curve, each with where it is.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Instead {
    pub(super) from: Side,
    pub(super) to: Side,
}

/// What came out under other assumptions.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Tried {
    /// What stands before them.
    #[serde(default)]
    pub(super) before: String,
    /// The set of assumptions.
    pub(super) over: String,
    /// What came out, which is called `value` in what is said of it.
    pub(super) value: Expr,
    pub(super) said: Template,
}
