//! The numbers of groups as columns of a table: their names, their format, the best number, and
//! numbers divided by those of the same group under another scheduler or allocator.

use std::collections::BTreeMap;

use super::{GroupsError, GroupsOptions, Members};
use crate::chosen_columns::summary_metric;
use meshreplay_alloc::allocator;
use meshreplay_base::spec::{SpecError, unknown};
use meshreplay_results::text::{PaperCell, grouped};
use meshreplay_sim::metrics::{Better, Display, GroupNumbers, Metric, Needs, grouped_metrics, metric};

/// A column of numbers.
pub(super) struct Column {
    /// The name on the command line and in files for other programs.
    pub(super) name: &'static str,
    /// The title in tables for people.
    title: String,
    /// Which of two numbers is better.
    pub(super) better: Better,
    /// Usefulness on narrow screens; the column with the lowest rank is left out first.
    room_rank: u8,
    source: Source,
}

/// The source of the numbers of a column.
#[derive(Clone, Copy)]
enum Source {
    Jobs,
    JobsInMeans,
    NodeHours,
    Median(&'static Metric),
    /// The position of the mean in [`GroupNumbers::means`].
    Mean(usize, &'static Metric),
}

/// The mean that is followed by the median of the same quantity.
const WAIT: &str = "wait_s_mean";

/// Returns all columns in their order.
fn all() -> Vec<Column> {
    let own = |name, title: &str, room_rank, source| Column {
        name,
        title: title.to_owned(),
        better: Better::Neither,
        room_rank,
        source,
    };
    let mut columns = vec![
        own("jobs", "jobs", 6, Source::Jobs),
        own("jobs_in_means", "jobs in means", 0, Source::JobsInMeans),
        own("node_hours", "node-hours", 2, Source::NodeHours),
    ];
    for (i, metric) in grouped_metrics().enumerate() {
        let Metric { better, room_rank, .. } = *metric;
        let source = Source::Mean(i, metric);
        columns.push(Column { name: metric.name(), title: metric.label(), better, room_rank, source });
        if metric.name() == WAIT {
            let median = own("wait_s_median", "median (s)", 1, Source::Median(metric));
            columns.push(Column { better, ..median });
        }
    }
    columns
}

/// The name of the columns of all causes of waiting together.
const WHY: &str = "why";

/// Returns whether the column needs causes of waiting.
pub(super) fn is_cause(name: &str) -> bool {
    metric(name).is_some_and(|metric| metric.column.needs == Needs::Why)
}

/// Returns the names of the columns of numbers that `text` names: one, or with `why` those of all causes of
/// waiting. Fails if there are none.
pub fn group_columns(text: &str) -> Result<Vec<&'static str>, SpecError> {
    let causes = grouped_metrics().map(Metric::name).filter(|name| is_cause(name));
    if text == WHY { Ok(causes.collect()) } else { Ok(vec![group_column(text)?]) }
}

/// Returns the name of the column of numbers that `text` names: by its name or by a title of tables. Fails if
/// there is none.
pub fn group_column(text: &str) -> Result<&'static str, SpecError> {
    let columns = all();
    let names = || columns.iter().map(|column| column.name);
    let own = names().find(|name| *name == text);
    let titled = || {
        columns.iter().find(|column| column.title.split(" (").next() == Some(text)).map(|column| column.name)
    };
    let elsewhere =
        || summary_metric(text).ok().and_then(|metric| names().find(|name| *name == metric.name()));
    own.or_else(titled).or_else(elsewhere).ok_or_else(|| unknown("column", text, names()))
}

impl Column {
    /// Returns the chosen columns in the order of the user, or the default columns.
    pub(super) fn chosen(options: &GroupsOptions) -> Vec<Self> {
        let mut columns = all();
        if options.columns.is_empty() {
            // People seldom weight means by the number of jobs in means.
            let is_asked = |column: &Self| options.exact || !matches!(column.source, Source::JobsInMeans);
            columns.retain(|column| is_asked(column) && !is_cause(column.name));
            return columns;
        }
        let place = |column: &Self| options.columns.iter().position(|name| *name == column.name);
        columns.retain(|column| place(column).is_some());
        columns.sort_by_key(place);
        columns
    }

    /// Returns the column with this name.
    pub(super) fn named(name: &str) -> Option<Self> {
        all().into_iter().find(|column| column.name == name)
    }

    /// Returns the positions of the columns, in the order of leaving them out on narrow screens.
    pub(super) fn least_useful(columns: &[Self]) -> Vec<usize> {
        let mut order: Vec<usize> = (0..columns.len()).rev().collect();
        // The sort is stable: of columns with the same rank the last one goes first.
        order.sort_by_key(|&i| columns[i].room_rank);
        order
    }

    pub(super) fn title(&self, options: &GroupsOptions) -> String {
        match self.source {
            // A ratio has no unit.
            Source::Mean(..) | Source::Median(_) if options.exact && options.relative_to.is_some() => {
                format!("{}_ratio", self.name)
            }
            _ if options.exact => self.name.to_owned(),
            Source::Mean(_, metric) if options.relative_to.is_some() => metric.title(),
            Source::Median(_) if options.relative_to.is_some() => "median".to_owned(),
            _ => self.title.clone(),
        }
    }

    /// Returns the number of a group; `None` for a mean over no jobs.
    pub(super) fn value(&self, numbers: &GroupNumbers) -> Option<f64> {
        match self.source {
            Source::Jobs => Some(numbers.jobs as f64),
            Source::JobsInMeans => Some(numbers.jobs_in_means as f64),
            Source::NodeHours => Some(numbers.node_hours),
            Source::Median(_) => numbers.wait_s_median,
            Source::Mean(i, _) => numbers.means[i],
        }
    }

    /// Returns a sort key: lower for the better of two numbers, or for the higher number if none is better;
    /// infinite for a missing number.
    pub(super) fn badness(&self, number: Option<f64>) -> f64 {
        let sign = if self.better == Better::Lower { 1.0 } else { -1.0 };
        number.map_or(f64::INFINITY, |number| sign * number)
    }

    fn text(&self, value: f64, options: &GroupsOptions) -> String {
        let usual = match self.source {
            Source::Jobs | Source::JobsInMeans if options.exact => return value.to_string(),
            Source::Jobs | Source::JobsInMeans => return grouped(value, 0),
            Source::NodeHours => 1,
            Source::Median(_) | Source::Mean(..) if options.relative_to.is_some() => 3,
            Source::Median(metric) | Source::Mean(_, metric) => usual_decimals(metric, value),
        };
        match (options.exact, options.decimals.map(usize::from)) {
            (true, None) => value.to_string(),
            (true, Some(decimals)) => format!("{value:.decimals$}"),
            (false, given) => grouped(value, given.unwrap_or(usual)),
        }
    }

    /// Returns the cells of the column for comparable rows. The best number and equal texts are marked,
    /// unless all texts are equal.
    pub(super) fn cells(&self, rows: &[&GroupNumbers], options: &GroupsOptions) -> Vec<PaperCell> {
        let values: Vec<Option<f64>> = rows.iter().map(|numbers| self.value(numbers)).collect();
        let text = |value: &Option<f64>| value.map(|value| self.text(value, options)).unwrap_or_default();
        let texts: Vec<String> = values.iter().map(text).collect();
        let best = (0..rows.len())
            .filter(|&i| self.better != Better::Neither && values[i].is_some())
            .min_by(|&a, &b| self.badness(values[a]).total_cmp(&self.badness(values[b])));
        let best = best.map(|i| texts[i].clone()).filter(|best| texts.iter().any(|text| text != best));
        let cell = |text: String| PaperCell { best: best.as_ref() == Some(&text), text };
        texts.into_iter().map(cell).collect()
    }
}

/// Returns the number of decimals with which a number is shown. Times of less than 100 s have two, as those
/// of the table of a replay.
fn usual_decimals(metric: &Metric, value: f64) -> usize {
    match metric.display {
        Display::Seconds(_) if value.abs() < 100.0 && value.fract() != 0.0 => 2,
        Display::Seconds(_) => 0,
        other => other.decimals(),
    }
}

/// Divides the means and medians of all rows by those of the row of the same group that has the label `base`
/// and otherwise the same labels, and leaves out the rows with this label. Numbers without a base, or with a
/// base of 0, become unknown. Fails if no label is `base`.
pub(super) fn relative(groups: &mut [Members], base: &str) -> Result<(), GroupsError> {
    // The first label is that of the group.
    let labels = || groups.iter().flatten().flat_map(|(labels, _)| labels.iter().enumerate().skip(1));
    let short = allocator::short_label(base);
    let is_base = |label: &str| label == base || allocator::short_label(label) == short;
    let Some(at) = labels().find(|(_, label)| is_base(label)).map(|(at, _)| at) else {
        let mut known: Vec<&str> = labels().map(|(_, label)| label.as_str()).collect();
        known.sort_unstable();
        known.dedup();
        return Err(GroupsError::NoBase(unknown("label", base, known)));
    };
    for rows in groups {
        let others = |labels: &[String]| [&labels[..at], &labels[at + 1..]].concat();
        let (of_base, compared): (Members, Members) =
            std::mem::take(rows).into_iter().partition(|(labels, _)| is_base(&labels[at]));
        let bases: BTreeMap<Vec<String>, GroupNumbers> =
            of_base.into_iter().map(|(labels, numbers)| (others(&labels), numbers)).collect();
        let divided = |(labels, numbers): (Vec<String>, GroupNumbers)| {
            let base = bases.get(&others(&labels)).cloned().unwrap_or_default();
            let numbers = divided(numbers, &base);
            (labels, numbers)
        };
        *rows = compared.into_iter().map(divided).collect();
    }
    Ok(())
}

/// Returns the ratios of means and medians; counts and node-hours stay.
fn divided(mut numbers: GroupNumbers, base: &GroupNumbers) -> GroupNumbers {
    let ratio = |of: Option<f64>, base: Option<f64>| Some(of? / base.filter(|base| *base > 0.0)?);
    numbers.wait_s_median = ratio(numbers.wait_s_median, base.wait_s_median);
    for (i, mean) in numbers.means.iter_mut().enumerate() {
        *mean = ratio(*mean, base.means.get(i).copied().flatten());
    }
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::GROUPINGS;

    fn options(columns: &[&'static str]) -> GroupsOptions {
        GroupsOptions {
            by: &GROUPINGS[0],
            top: None,
            columns: columns.to_vec(),
            sort: None,
            relative_to: None,
            decimals: None,
            exact: false,
        }
    }

    #[test]
    fn the_best_text_is_marked_unless_all_are_the_same() {
        let wait = Column::named(WAIT).expect("a column");
        let with = |wait_s: Option<f64>| GroupNumbers {
            means: grouped_metrics().map(|_| wait_s).collect(),
            ..GroupNumbers::default()
        };
        let marks = |waits_s: &[Option<f64>]| {
            let rows: Vec<GroupNumbers> = waits_s.iter().map(|wait_s| with(*wait_s)).collect();
            let cells = wait.cells(&rows.iter().collect::<Vec<_>>(), &options(&[]));
            cells.iter().map(|cell| cell.best).collect::<Vec<_>>()
        };
        // 200.1 and 200.2 are both written as 200.
        assert_eq!(marks(&[Some(200.2), Some(300.0), Some(200.1), None]), [true, false, true, false]);
        assert_eq!(marks(&[Some(200.2), Some(200.1)]), [false, false]);
        assert_eq!(marks(&[Some(200.0)]), [false]);
        assert_eq!(marks(&[None, None]), [false, false]);
        let jobs = Column::named("jobs").expect("a column");
        let rows = [GroupNumbers { jobs: 1, ..with(None) }, GroupNumbers { jobs: 2, ..with(None) }];
        let cells = jobs.cells(&rows.iter().collect::<Vec<_>>(), &options(&[]));
        assert!(cells.iter().all(|cell| !cell.best), "more jobs are neither better nor worse");
        assert!(jobs.badness(Some(2.0)) < jobs.badness(Some(1.0)), "but most jobs come first");
    }

    #[test]
    fn columns_are_chosen_by_name_and_left_out_by_use() {
        let names = |columns: &[Column]| columns.iter().map(|column| column.name).collect::<Vec<_>>();
        let chosen = Column::chosen(&options(&["wait_s_median", "jobs_in_means"]));
        assert_eq!(names(&chosen), ["wait_s_median", "jobs_in_means"]);
        let usual = Column::chosen(&options(&[]));
        assert!(!names(&usual).contains(&"jobs_in_means"));
        assert!(
            names(&Column::chosen(&GroupsOptions { exact: true, ..options(&[]) })).contains(&"jobs_in_means")
        );
        let order: Vec<&str> = Column::least_useful(&usual).into_iter().map(|i| usual[i].name).collect();
        assert!(order.starts_with(&["wait_s_median", "node_hours"]) && order.ends_with(&[WAIT]), "{order:?}");
        assert!(group_column("wait_mean").is_err_and(|error| error.to_string().contains("wait_s_mean")));
    }
}
