//! The table of a report with one row for each replay: the numbers that differ between replays, below the
//! shared values.

use super::table::{Choice, Meaning, ReportCell, ReportColumn, ReportTable};
use crate::chosen_columns::spread;
use crate::crosstab::has_unasked;
use crate::verdict::{OVERLOADED, SavedAnswer, Winners};
use meshreplay_figures::draw::capitalized;
use meshreplay_figures::{Curve, InMeans, Results};
use meshreplay_results::frame::Numbers;
use meshreplay_results::text::grouped;
use meshreplay_sim::metrics::{
    Better, Display, Group, Has, Interval, METRICS, Metric, Needs, OF_WAITS, TableColumn,
};
use meshreplay_study::study::Coordinate;

/// The least rank of a number, as in a narrow terminal, that the table shows without being asked.
const LEAST_RANK: u8 = 3;

/// The numbers of the answer, which come first.
const LEADING: [&str; 2] = ["pairwise_sum_mean", "wait_s_mean"];

/// A number that the table can show.
struct NumberColumn<'a> {
    metric: &'static Metric,
    column: TableColumn,
    /// The number of each row of the summary.
    numbers: &'a Numbers,
}

/// Returns the table of the summary. Replications of a replay are one row, with the mean and half the width
/// of its confidence interval.
///
/// The replays of a log, machine and so on are sorted by the number of the answer. Each row begins with the
/// choice whether figures highlight it, as they do at first for the names in `highlighted`.
pub(crate) fn summary(results: &Results, answer: &SavedAnswer<'_>, highlighted: &[String]) -> ReportTable {
    let curves = sorted(results);
    let winners = answer.winners(&curves);
    let (mut columns, mut cells) = names(results, &curves);
    if curves.len() > 1 {
        for (cell, curve) in cells[0].iter_mut().zip(&curves) {
            cell.choice = Some(Choice { look: curve.look, is_on: highlighted.contains(&curve.name) });
        }
    }
    let mut table = ReportTable { title: "Replays".to_owned(), ..ReportTable::default() };
    table.shared = shared_names(results);
    let (mut has_best, mut keys) = (false, vec![Vec::new(); curves.len()]);
    for number in number_columns(results) {
        let mut column = number.cells(&curves, winners.as_ref());
        if column.iter().all(|cell| cell.value.is_none()) {
            continue;
        }
        if ![Needs::Timed, Needs::Latency].contains(&number.metric.column.needs) {
            keys.iter_mut().zip(&column).for_each(|(key, cell)| key.push(cell.value.map(f64::to_bits)));
        }
        table.meanings.push(number.meaning());
        if column.len() > 1 && column.iter().all(|cell| cell.text == column[0].text) {
            table.shared.push((number.head(), column.swap_remove(0).text));
            continue;
        }
        has_best |= column.iter().any(|cell| cell.is_best);
        // Times from arrival to end follow the waits.
        let is_response = number.metric.terminal.is_some_and(|column| column.group == Group::Response);
        let is_extra = is_response || number.metric.room_rank < LEAST_RANK;
        columns.push(ReportColumn { is_extra, ..number.head() });
        cells.push(column);
    }
    let row = |i: usize| cells.iter().map(|column| column[i].clone()).collect();
    table.rows = (0..curves.len()).map(row).collect();
    table.columns = columns;
    table.caption = caption(results, &table, winners.as_ref().filter(|_| has_best)) + &equal(&curves, &keys);
    table
}

/// Returns the curves, panel by panel, from the best to the worst in the number of the answer.
fn sorted(results: &Results) -> Vec<Curve> {
    let mut curves = results.curves(&[]);
    let panels: Vec<String> = curves.iter().map(|curve| curve.panel.clone()).collect();
    let numbers = LEADING.iter().find_map(|name| results.table.numbers(name));
    let mean = |curve: &Curve| {
        let values: Vec<f64> = curve.rows.iter().filter_map(|&row| numbers?.get(row)).collect();
        Interval::of(&values).map_or(f64::INFINITY, |interval| interval.mean)
    };
    let panel = |curve: &Curve| panels.iter().position(|panel| *panel == curve.panel);
    curves.sort_by(|a, b| panel(a).cmp(&panel(b)).then(mean(a).total_cmp(&mean(b))));
    curves
}

/// Returns sentences on the curves with the same numbers, which begin with a space; empty for several panels,
/// or if no two curves have the same.
fn equal(curves: &[Curve], keys: &[Vec<Option<u64>>]) -> String {
    if curves.iter().any(|curve| curve.panel != curves[0].panel) {
        return String::new();
    }
    let mut groups: Vec<(&[Option<u64>], Vec<&str>)> = Vec::new();
    for (curve, key) in curves.iter().zip(keys) {
        match groups.iter_mut().find(|(of, _)| of == key) {
            Some((_, names)) => names.push(&curve.name),
            None => groups.push((key, vec![&curve.name])),
        }
    }
    groups.retain(|(key, names)| names.len() > 1 && !key.is_empty());
    let sentence = |(_, names): &(_, Vec<&str>)| {
        let [before @ .., last] = names.as_slice() else { return String::new() };
        format!(" {} and {last} give the same numbers, apart from measured times.", before.join(", "))
    };
    groups.iter().map(sentence).collect()
}

/// Returns the caption of the table. `winners` are `None` if no number is marked.
fn caption(results: &Results, table: &ReportTable, winners: Option<&Winners>) -> String {
    let mut sentences = vec![match table.rows.len() {
        1 => "One replay.".to_owned(),
        count => format!(
            "{} replays. Press a title to sort by it, and a row to show it in the figures.",
            grouped(count as f64, 0)
        ),
    }];
    if let Some(winners) = winners {
        let places: Vec<&'static str> =
            results.varying.iter().copied().filter(|name| is_place(name)).collect();
        sentences.push(match places.as_slice() {
            [] => "★ marks the best number of a column, unless most replays share it.".to_owned(),
            names => format!(
                "★ marks the best number of a column among the replays of the same {}, unless most of them \
                 share it.",
                titles(names)
            ),
        });
        sentences.push(
            "Placements are compared apart for allocators that take any free nodes and for those that wait \
             for a place."
                .to_owned(),
        );
        if winners.leave_placements_unmarked() {
            sentences.push(
                "Replays with an internal fragmentation of 1 % or more have no ★ for placements, except in \
                 the number that decides on the best allocator."
                    .to_owned(),
            );
        }
    }
    if table.rows.iter().flatten().any(|cell| cell.text.starts_with(OVERLOADED)) {
        sentences.push(format!(
            "{OVERLOADED} marks overload: much work waited when submissions ended, so that waits grow with \
             the length of the log and are not compared."
        ));
    }
    let of_place = |curve: &Curve| (place(results, curve), InMeans::from_rows(results, &curve.rows));
    let jobs: Vec<_> = results.curves(&[]).iter().map(of_place).collect();
    if jobs.iter().any(|(place, of)| {
        jobs.iter().any(|(other, by)| other == place && !are_like(of.as_ref(), by.as_ref()))
    }) {
        sentences.push(
            "Replays with different numbers of jobs in their means (jobs_in_means in the summary) are not \
             compared, and none of these means is marked."
                .to_owned(),
        );
    }
    if table.rows.iter().flatten().any(|cell| cell.text.contains('±')) {
        sentences.push(
            "Numbers are means over replications, ± half of their 95 % confidence interval.".to_owned(),
        );
    }
    sentences.join(" ")
}

/// Returns the titles of coordinates as a list in words.
fn titles(names: &[&'static str]) -> String {
    names.iter().map(|name| title(name)).collect::<Vec<_>>().join(", ")
}

fn title(name: &'static str) -> &'static str {
    Coordinate::listed().find(|row| row.name == name).map_or(name, Coordinate::title)
}

/// Returns true unless two curves are known to have means over different numbers of jobs.
fn are_like(of: Option<&InMeans>, by: Option<&InMeans>) -> bool {
    of.zip(by).is_none_or(|(of, by)| of.is_like(by))
}

/// Returns the place of a curve: its labels in the coordinates of [`is_place`].
fn place(results: &Results, curve: &Curve) -> Vec<String> {
    let names = results.varying.iter().filter(|name| is_place(name));
    names.map(|name| results.label(curve.rows[0], name)).collect()
}

/// Returns true for coordinates other than the allocator and the scheduler. Replays that differ in a place
/// are not rivals.
fn is_place(name: &str) -> bool {
    !["allocator", "scheduler"].contains(&name)
}

/// Returns the columns that name the rows, and their cells. The first column is the allocator, unless replays
/// differ only in other things.
fn names(results: &Results, curves: &[Curve]) -> (Vec<ReportColumn>, Vec<Vec<ReportCell>>) {
    let varying = &results.varying;
    let first = ["allocator", "scheduler"].into_iter().find(|name| varying.contains(name));
    let first = first.or(varying.first().copied()).unwrap_or("allocator");
    let others = varying.iter().copied().filter(|name| *name != first);
    let names: Vec<&'static str> = std::iter::once(first).chain(others).collect();
    let cells = |name: &&str| -> Vec<ReportCell> {
        let label = |curve: &Curve| results.label(curve.rows[0], name);
        let cell =
            |curve: &Curve| ReportCell { class: class(&label(curve)), ..ReportCell::words(&label(curve)) };
        curves.iter().map(cell).collect()
    };
    let of_place = |name: &'static str| Coordinate::of_place().any(|row| row.name == name);
    let column =
        |name: &&'static str| ReportColumn { is_place: of_place(name), ..ReportColumn::words(title(name)) };
    (names.iter().map(column).collect(), names.iter().map(cells).collect())
}

/// Returns the class of a cell with this text: long texts are wrapped.
fn class(text: &str) -> &'static str {
    if text.chars().count() > 28 { "long" } else { "" }
}

/// Returns the shared coordinates of all rows, except coordinates that are named only if they differ.
fn shared_names(results: &Results) -> Vec<(ReportColumn, String)> {
    let is_shared = |row: &&Coordinate| {
        !results.varying.contains(&row.name) && row.is_named_if_shared(&results.label(0, row.name))
    };
    let names = Coordinate::listed().filter(is_shared).map(|row| row.name);
    // A table of one row names its allocator in the row.
    let is_row = |name: &&str| *name == "allocator" && results.varying.is_empty();
    let one_seed = results.table.column("seed").is_some() && !results.table.varies("seed");
    let names = names.filter(|name| !is_row(name) && (*name != "seed" || one_seed));
    let shared = names.map(|name| (ReportColumn::words(title(name)), results.label(0, name)));
    shared.filter(|(_, label)| !label.is_empty()).collect()
}

/// Returns the numbers that the table can show, in their order.
fn number_columns(results: &Results) -> Vec<NumberColumn<'_>> {
    // What was not measured has no column.
    let has = Has::EVERYTHING
        .with(Needs::Moves, results.have_delays())
        .with(Needs::Refusals, results.table.has_positive("allocate_failures"))
        .with(Needs::Unasked, has_unasked(&results.table));
    let number = |metric: &'static Metric| {
        let column = metric.in_report(has)?;
        Some(NumberColumn { metric, column, numbers: results.table.numbers(metric.name())? })
    };
    let mut shown: Vec<_> = METRICS.iter().filter_map(number).collect();
    // The sort is stable: within a group, numbers keep the order of METRICS.
    shown.sort_by_key(|number| {
        let lead = LEADING.iter().position(|name| *name == number.metric.name());
        (lead.unwrap_or(LEADING.len()), number.column.group)
    });
    shown
}

impl NumberColumn<'_> {
    /// Returns the unit as the table shows it.
    fn unit(&self) -> &'static str {
        if matches!(self.metric.display, Display::Percent(_)) { "%" } else { self.metric.column.unit }
    }

    /// Returns the title without its unit.
    fn title(&self) -> &'static str {
        let title = self.column.title;
        title.strip_suffix(self.unit()).and_then(|title| title.strip_suffix(' ')).unwrap_or(title)
    }

    fn head(&self) -> ReportColumn {
        ReportColumn {
            title: self.title().to_owned(),
            unit: self.unit().to_owned(),
            is_words: false,
            explained: Some(self.metric.name()),
            ..ReportColumn::default()
        }
    }

    /// Returns the meaning of the number, with its full name, its unit, and the better direction.
    fn meaning(&self) -> Meaning {
        let Metric { column, better, .. } = self.metric;
        let full = self.metric.title();
        let name = if full == self.title() || full == column.meaning { String::new() } else { full + ": " };
        let unit = if column.unit.is_empty() { String::new() } else { format!(", in {}", column.unit) };
        let direction = match better {
            Better::Lower => " Lower is better.",
            Better::Higher => " Higher is better.",
            Better::Neither => "",
        };
        let text = capitalized(&format!("{name}{}{unit}.{direction}", column.meaning));
        Meaning { name: self.metric.name(), title: self.title().to_owned(), text }
    }

    /// Returns the cells of the curves. The best ones are marked.
    fn cells(&self, curves: &[Curve], winners: Option<&Winners>) -> Vec<ReportCell> {
        let (factor, decimals) = (self.metric.display.factor(), self.metric.display.decimals());
        let cell = |curve: &Curve| {
            let values: Vec<f64> =
                curve.rows.iter().filter_map(|&row| Some(factor * self.numbers.get(row)?)).collect();
            let Some(found) = Interval::of(&values) else { return ReportCell::words("-") };
            let text = if self.column.group == Group::Last {
                grouped(found.mean, decimals)
            } else {
                spread(found, decimals)
            };
            ReportCell::number(text, found.mean / factor)
        };
        let mut cells: Vec<ReportCell> = curves.iter().map(cell).collect();
        let texts: Vec<String> = cells.iter().map(|cell| cell.text.clone()).collect();
        let values: Vec<Option<f64>> = cells.iter().map(|cell| cell.value).collect();
        if OF_WAITS.contains(&self.metric.name()) {
            let is_marked = |i: &usize| winners.is_some_and(|winners| winners.is_overloaded(*i));
            for i in (0..cells.len()).filter(is_marked) {
                cells[i].text = format!("{OVERLOADED} {}", cells[i].text);
            }
        }
        for i in winners.map(|winners| winners.best_rows(self.metric, &texts, &values)).unwrap_or_default() {
            cells[i].is_best = true;
        }
        cells
    }
}
