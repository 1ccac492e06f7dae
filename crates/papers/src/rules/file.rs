//! The rules of figures as data: what is measured, what was published, and what is compared.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::expr::{Expr, Field};
use super::template::Template;
use crate::finding::Drawn;

/// The content of a file of rules.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RuleFile {
    /// The machine of findings whose rule names no machine.
    #[serde(default)]
    pub(super) machine: Template,
    /// The coordinates of points, used where a column does not give them.
    #[serde(default)]
    pub(super) at: BTreeMap<Field, Template>,
    /// The sets, which give values to variables, by name.
    #[serde(default)]
    pub(super) sets: BTreeMap<String, SetSource>,
    /// The rules, in the order in which their findings are shown.
    #[serde(default, rename = "rule")]
    pub(super) rules: Vec<Rule>,
    /// The published numbers that plots show beside the measured ones.
    #[serde(default, rename = "mark")]
    pub(super) marks: Vec<MarkRule>,
}

/// A published number in a plot, for each row of some sets. Often only its ratio to another curve is printed; its value
/// is then that ratio times what was measured of the other curve, and `said` says so.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MarkRule {
    /// The figures that it is drawn in; empty for all figures with this file.
    #[serde(default)]
    pub(super) figures: Vec<String>,
    /// Names of sets. There is one mark for every element of their product.
    #[serde(default)]
    pub(super) each: Vec<String>,
    /// The curve or bar that it belongs to, and its place on the axis.
    pub(super) place: PlaceRule,
    /// The number, or the lower end of a range. Nothing is drawn if a number that it needs was not measured.
    pub(super) value: Expr,
    /// The upper end of a range; `None` for a single number.
    pub(super) to: Option<Expr>,
    /// What was printed, in words.
    pub(super) said: Template,
}

/// The values that one or several variables take, one after the other.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum SetSource {
    /// The values of one variable, which has the name of the set.
    Values(Vec<Template>),
    /// The values of several variables, one row after the other.
    Rows(Vec<BTreeMap<String, Template>>),
    /// Values that are derived from something else.
    Derived(Box<Derived>),
}

/// A set that is derived from another set, from studies, or from a printed table.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Derived {
    /// Takes the rows of this set.
    pub(super) of: Option<String>,
    /// Takes each row of this set together with the next row; variables of the next row begin with `next_`.
    pub(super) steps_of: Option<String>,
    /// Takes the loads of the workload models in these studies, in ascending order, as variables `load` and `log`.
    pub(super) loads_of: Option<Vec<Template>>,
    /// Takes the cells of a printed table, column by column. The variables are the first title of the table (the label
    /// of the row), those of `columns` (the words of the title of the column), and `printed`.
    pub(super) table: Option<String>,
    /// The variables for the words in the titles of the columns; for `table`.
    #[serde(default)]
    pub(super) columns: Vec<String>,
    /// Takes only workload models with this distribution of sides; for `loads_of`.
    pub(super) sides: Option<Template>,
    /// The index of the first row that is taken.
    #[serde(default)]
    pub(super) from: usize,
    /// The index after the last row that is taken; `None` for all the rest.
    pub(super) to: Option<usize>,
    /// Takes only rows for which this is above 0.
    pub(super) when: Option<Expr>,
    /// Whether to take only the first of the rows that are left, after sorting.
    #[serde(default)]
    pub(super) first: bool,
    /// Sorts rows by this number; rows without a number are left out.
    pub(super) by: Option<Expr>,
}

/// Variables and their values, all of which must be equal.
pub(super) type Match = BTreeMap<String, String>;

/// A rule, evaluated for each row of some sets: an item of a figure, or a group of further rules.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Rule {
    /// The identifier by which sentences name the findings of the rule.
    #[serde(default)]
    pub(super) id: Template,
    /// The figures that the rule is about; empty for all figures with this file.
    #[serde(default)]
    pub(super) figures: Vec<String>,
    /// Names of sets. There is one finding for every element of their product; the last set changes fastest.
    #[serde(default)]
    pub(super) each: Vec<String>,
    /// The rule is used only where one of these matches; empty for everywhere.
    #[serde(default)]
    pub(super) only: Vec<Match>,
    /// The rule is not used where one of these matches.
    #[serde(default)]
    pub(super) unless: Vec<Match>,
    /// Numbers with a name, for use in other fields. If one was not measured, the rule finds nothing.
    #[serde(default, rename = "let")]
    pub(super) numbers: BTreeMap<String, Expr>,
    /// The dataset of the rule, or a name that stands for a log; `None` for that of the group. Without a log of the
    /// dataset, the rule finds nothing. In the fields below, `{file}` is the file name of the log.
    pub(super) log: Option<Template>,
    /// The machine; `None` for that of the group or the file.
    pub(super) machine: Option<Template>,
    /// The name of the item; `None` for a group.
    pub(super) item: Option<Template>,
    /// The measured number.
    pub(super) measured: Option<Expr>,
    /// The published number, as printed.
    pub(super) published: Option<Template>,
    /// The published number, derived from printed numbers.
    pub(super) expected: Option<Expr>,
    /// The largest difference that counts as agreement, in percent. If there is neither `percent` nor `absolute`, the
    /// printed digits must be equal.
    pub(super) percent: Option<f64>,
    /// The largest difference that counts as agreement, in the unit of the number. If `percent` is also given, this is
    /// only for a published 0.
    pub(super) absolute: Option<f64>,
    /// The published range.
    pub(super) range: Option<[f64; 2]>,
    /// The largest difference, in percent, that still counts as no difference.
    pub(super) no_difference: Option<f64>,
    /// The loads at which a ratio has the published value.
    pub(super) crossing: Option<Crossing>,
    /// The comparisons of a statement.
    #[serde(default)]
    pub(super) compare: Vec<Block>,
    /// Whether the statement is about nearly all cases, so that one may fail.
    #[serde(default)]
    pub(super) nearly: bool,
    /// The words about a curve that replace its comparisons if the statement does not hold.
    pub(super) instead: Option<Instead>,
    /// An explanation that is added if the verdict is that the values differ.
    pub(super) because: Option<Template>,
    /// The numbers under other assumptions, which are added to the verdict; `None` to add none.
    pub(super) tried: Option<Tried>,
    /// The reason to show if there is no number; `None` to show nothing.
    pub(super) otherwise: Option<String>,
    /// The place of the number on a curve.
    pub(super) place: Option<PlaceRule>,
    /// The title and the label of the number below the bars of its log.
    pub(super) below_bars: Option<[String; 2]>,
    /// The rules of a group.
    #[serde(default, rename = "rule")]
    pub(super) rules: Vec<Rule>,
}

/// The place of a number in a plot or table.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PlaceRule {
    /// The name of the curve in the table.
    pub(super) curve: Template,
    /// The name of the curve in the plot; `None` if it is the same.
    pub(super) series: Option<Template>,
    /// The allocator whose colour and style the curve has; `None` for the name in the plot.
    pub(super) look: Option<Template>,
    /// The quantity along the horizontal axis.
    pub(super) axis: Template,
    /// The value on that axis.
    pub(super) at: Template,
    /// The measured quantity; empty if it needs no title.
    #[serde(default)]
    pub(super) quantity: Template,
    /// How the curve is drawn.
    #[serde(default)]
    pub(super) drawn: Drawn,
}

/// Comparisons that are made for each row of some sets.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Block {
    /// Names of sets. The comparisons are made for every element of their product.
    #[serde(default)]
    pub(super) over: Vec<String>,
    /// Numbers with a name, for use in the comparisons.
    #[serde(default, rename = "let")]
    pub(super) numbers: BTreeMap<String, Expr>,
    /// The comparisons.
    pub(super) checks: Vec<Check>,
}

/// A number and its name in words.
pub(super) type Side = (Template, Expr);

/// One comparison: that `low` and `high` are in a relation, or that a `value` is above `least`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Check {
    /// The relation that must hold.
    pub(super) is: Relation,
    /// The first number of a relation between two numbers.
    pub(super) low: Option<Side>,
    /// The second number of a relation between two numbers.
    pub(super) high: Option<Side>,
    /// The number that [`Relation::Above`] compares with `least`.
    pub(super) value: Option<Side>,
    /// The bound for `value`; 0 if not given.
    #[serde(default)]
    pub(super) least: f64,
    /// The comparison is made only where one of these matches; empty for everywhere.
    #[serde(default)]
    pub(super) only: Vec<Match>,
    /// The comparison is not made where one of these matches.
    #[serde(default)]
    pub(super) unless: Vec<Match>,
    /// The comparison is made only if this is above 0; `None` for always.
    pub(super) when: Option<Expr>,
}

/// A relation of two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Relation {
    /// The first is smaller.
    Below,
    /// The first is not larger.
    AtMost,
    /// The first differs from the second by less than 2 %.
    Near,
    /// The first is smaller over common workloads. Nothing is decided if the difference may be chance.
    ClearlyBelow,
    /// The first is not larger over common workloads, with a confidence of 95 %.
    NotAbove,
    /// A value is above a bound. Nothing is decided if the bound is within the interval of the value.
    Above,
}

/// The loads at which a ratio has a published value.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Crossing {
    /// The set of loads.
    pub(super) over: String,
    /// The ratio.
    pub(super) ratio: Expr,
    /// The published value.
    pub(super) target: Expr,
}

/// The first and the last number of a curve, each with its position in words. They stand for the comparisons that fail, unless the
/// curve as a whole goes as it should.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Instead {
    /// The position and the value of the first point.
    pub(super) from: Side,
    /// The position and the value of the last point.
    pub(super) to: Side,
    /// How the curve should go: `rises` or `falls`.
    pub(super) should: Template,
}

/// Numbers that were measured under other assumptions.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Tried {
    /// The words before the numbers.
    #[serde(default)]
    pub(super) before: String,
    /// The set of assumptions.
    pub(super) over: String,
    /// The number under an assumption; `said` names it `value`.
    pub(super) value: Expr,
    /// The words for each assumption.
    pub(super) said: Template,
}
