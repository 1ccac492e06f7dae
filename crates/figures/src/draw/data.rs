//! The numbers of pictures as a table in long form: a row for each point, bar, mark of a box, and rectangle.

use super::axis::Axis;
use super::bars::Bars;
use super::boxes::{BOX_SHARES, Boxes};
use super::chart::Chart;
use super::grid::Grid;
use super::panels::{Panel, Panels};

/// A column of the numbers of a plot.
#[derive(Clone, Debug, PartialEq)]
pub struct PlotColumn {
    /// The name of the column.
    pub name: &'static str,
    /// The meaning, which for coordinates has the title of their axis.
    pub meaning: String,
    /// The unit of numbers; empty if there is none.
    pub unit: String,
    /// The values, one in each row.
    pub values: PlotValues,
}

/// The values of a [`PlotColumn`].
#[derive(Clone, Debug, PartialEq)]
pub enum PlotValues {
    /// Texts.
    Texts(Vec<String>),
    /// Numbers; `None` where a row has none.
    Numbers(Vec<Option<f64>>),
}

/// A row of the table.
#[derive(Default)]
struct Row<'a> {
    panel: &'a str,
    series: &'a str,
    group: String,
    label: &'a str,
    /// The ends on the horizontal axis, and on the vertical one; of a point only the first of each.
    x: [Option<f64>; 2],
    y: [Option<f64>; 2],
    /// The confidence interval of y.
    interval: Option<[f64; 2]>,
    value: Option<f64>,
}

/// A column of texts: its name, its meaning, and its value in a row.
type TextColumn = (&'static str, &'static str, for<'a> fn(&'a Row<'_>) -> &'a str);

const TEXTS: [TextColumn; 4] = [
    ("panel", "panel", |row| row.panel),
    ("series", "name in the legend or beside the curve", |row| row.series),
    (
        "group",
        "group of bars, mark of a box (percent of the values below it), or kind of rectangles",
        |row| &row.group,
    ),
    ("label", "text beside the point, or of the tooltip", |row| row.label),
];

/// A column of numbers: its name, the position of its title, the beginning of its meaning, and its value in a
/// row.
type NumberColumn = (&'static str, usize, &'static str, fn(&Row<'_>) -> Option<f64>);

const NUMBERS: [NumberColumn; 7] = [
    ("x", 0, "", |row| row.x[0]),
    ("x_end", 0, "right end: ", |row| row.x[1]),
    ("y", 1, "", |row| row.y[0]),
    ("y_end", 1, "upper end: ", |row| row.y[1]),
    ("low", 1, "lower end of the confidence interval: ", |row| row.interval.map(|ends| ends[0])),
    ("high", 1, "upper end of the confidence interval: ", |row| row.interval.map(|ends| ends[1])),
    ("value", 2, "", |row| row.value),
];

impl Panels {
    /// Returns the numbers of all panels, whatever a page has room for. A column without values is left out,
    /// but for `panel`, which is empty for a single panel. O(points).
    pub fn data(&self) -> Vec<PlotColumn> {
        let rows: Vec<Row<'_>> = self.panels.iter().flat_map(Panel::rows).collect();
        let titles = self.panels.first().map(Panel::titles).unwrap_or_default();
        let texts = TEXTS.iter().map(|(name, meaning, text)| PlotColumn {
            name,
            meaning: (*meaning).to_owned(),
            unit: String::new(),
            values: PlotValues::Texts(rows.iter().map(|row| text(row).to_owned()).collect()),
        });
        let numbers = NUMBERS.iter().map(|&(name, title, of, number)| PlotColumn {
            name,
            meaning: [of, &*titles[title][0]].concat(),
            unit: titles[title][1].clone(),
            values: PlotValues::Numbers(rows.iter().map(number).collect()),
        });
        let has_any = |column: &PlotColumn| match &column.values {
            PlotValues::Texts(texts) => column.name == "panel" || texts.iter().any(|text| !text.is_empty()),
            PlotValues::Numbers(numbers) => numbers.iter().any(Option::is_some),
        };
        texts.chain(numbers).filter(has_any).collect()
    }
}

impl Panel {
    fn rows(&self) -> Vec<Row<'_>> {
        match self {
            Self::Chart(chart) => chart.rows(),
            Self::Bars(bars) => bars.rows(),
            Self::Boxes(boxes) => boxes.rows(),
            Self::Grid(grid) => grid.rows(),
        }
    }

    /// Returns the titles of x, y and of other values, each with its unit.
    fn titles(&self) -> [[String; 2]; 3] {
        let of = |title: &str| Axis::titled(title).title_and_unit().map(str::to_owned);
        let none = <[String; 2]>::default;
        match self {
            Self::Chart(chart) => [chart.x.data_title(), chart.y.data_title(), none()],
            Self::Bars(bars) => [of("position of the group"), of(&bars.axis), none()],
            Self::Boxes(boxes) => [boxes.x.data_title(), none(), none()],
            Self::Grid(grid) => [grid.x.axis.data_title(), grid.y.axis.data_title(), of(&grid.values)],
        }
    }
}

impl Axis {
    /// Returns the title of the values in the data, and their unit.
    fn data_title(&self) -> [String; 2] {
        if !self.names.is_empty() {
            return [format!("position on the axis of names: {}", self.title), String::new()];
        }
        let title = if self.seconds.is_some() { ["time of the replay", "s"] } else { self.title_and_unit() };
        title.map(str::to_owned)
    }

    /// Returns a value of the axis for the data: a time in seconds, to the microsecond.
    fn data(&self, value: f64) -> Option<f64> {
        let seconds = |[from_s, unit_s]: [f64; 2]| ((from_s + unit_s * value) * 1e6).round() / 1e6;
        Some(self.seconds.map_or(value, seconds)).filter(|value| value.is_finite())
    }
}

impl Chart {
    fn rows(&self) -> Vec<Row<'_>> {
        let points =
            self.series.iter().flat_map(|series| series.points.iter().map(move |point| (series, point)));
        let rows = points.map(|(series, point)| {
            let here = |label: &&super::PointLabel| (label.x, label.y) == (point.x, point.y);
            let label = self.labels.iter().find(here).map_or("", |label| &*label.words);
            let interval =
                (point.half_width > 0.0).then_some([point.y - point.half_width, point.y + point.half_width]);
            let (x, y) = ([self.x.data(point.x), None], [self.y.data(point.y), None]);
            Row { panel: &self.subtitle, series: &series.name, label, x, y, interval, ..Row::default() }
        });
        rows.filter(|row| row.x[0].is_some() && row.y[0].is_some()).collect()
    }
}

impl Bars {
    fn rows(&self) -> Vec<Row<'_>> {
        let mut rows = Vec::new();
        for (i, group) in self.groups.iter().enumerate() {
            let name = if group.data_name.is_empty() { &group.name } else { &group.data_name };
            for (j, (value, (series, _))) in group.bars.iter().zip(&self.legend).enumerate() {
                let Some(value) = value.filter(|value| value.is_finite()) else { continue };
                rows.push(Row {
                    panel: &self.subtitle,
                    series,
                    group: name.replace('\n', ", "),
                    label: if group.hatched.get(j) == Some(&true) { "overloaded" } else { "" },
                    x: [Some(i as f64), None],
                    y: [Some(value), None],
                    interval: group.intervals.get(j).copied().flatten().map(|ends| [ends.low, ends.high]),
                    ..Row::default()
                });
            }
        }
        rows
    }
}

impl Boxes {
    fn rows(&self) -> Vec<Row<'_>> {
        let mut rows = Vec::new();
        for each in &self.rows {
            let shares = BOX_SHARES.map(|share| format!("{} %", (100.0 * share).round()));
            let marks =
                shares.into_iter().chain(["mean".to_owned()]).zip(each.marks.into_iter().chain([each.mean]));
            rows.extend(marks.map(|(group, value)| {
                let x = [self.x.data(value), None];
                Row { panel: &self.subtitle, series: &each.name, group, x, ..Row::default() }
            }));
        }
        rows
    }
}

impl Grid {
    fn rows(&self) -> Vec<Row<'_>> {
        let rows = self.cells.iter().map(|cell| {
            let [x, y, width, height] = cell.place;
            Row {
                panel: &self.subtitle,
                group: cell.name.clone(),
                label: &cell.words,
                x: [x, x + width].map(|x| self.x.axis.data(x)),
                y: [y, y + height].map(|y| self.y.axis.data(y)),
                value: cell.value,
                ..Row::default()
            }
        });
        rows.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::{BarGroup, GridAxis, GridCell, Look, Point, PointLabel, Series};
    use crate::span::Span;

    /// Returns the columns as text: names, units, and values.
    fn text(panels: Vec<Panel>) -> Vec<String> {
        let columns = Panels { panels, ..Panels::default() }.data();
        let column = |PlotColumn { name, meaning, unit, values }: PlotColumn| match values {
            PlotValues::Texts(texts) => format!("{name}: {}", texts.join("|")),
            PlotValues::Numbers(numbers) => {
                format!("{name} ({meaning}, {unit}): {numbers:?}").replace("Some", "")
            }
        };
        columns.into_iter().map(column).collect()
    }

    #[test]
    fn points_have_intervals_labels_and_seconds() {
        let point = |x, y, half_width| Point { x, y, half_width };
        let points = vec![point(0.5, 1.0, 0.25), point(1.0, f64::NAN, 0.0), point(1.5, 3.0, 0.0)];
        let series =
            Series { name: "mm".to_owned(), look: Look::default(), kind: super::super::Kind::Line, points };
        let chart = Chart {
            x: Axis { seconds: Some([100.0, 3600.0]), ..Axis::titled("date (UTC)") },
            y: Axis::titled("wait (s)"),
            series: vec![series],
            labels: vec![PointLabel { x: 1.5, y: 3.0, words: "†".to_owned() }],
            ..Chart::default()
        };
        assert_eq!(
            text(vec![Panel::Chart(chart)]),
            [
                "panel: |",
                "series: mm|mm",
                "label: |†",
                "x (time of the replay, s): [(1900.0), (5500.0)]",
                "y (wait, s): [(1.0), (3.0)]",
                "low (lower end of the confidence interval: wait, s): [(0.75), None]",
                "high (upper end of the confidence interval: wait, s): [(1.25), None]",
            ]
        );
    }

    #[test]
    fn bars_and_rectangles_have_places() {
        let group = BarGroup {
            name: "8x8\nfcfs".to_owned(),
            bars: vec![Some(1.0), None, Some(0.5)],
            intervals: vec![None, None, Some(Span::new(0.25, 0.75))],
            hatched: vec![true, false, false],
            ..BarGroup::default()
        };
        let legend = ["a", "b", "c"].map(|name| (name.to_owned(), Look::default()));
        let bars = Bars {
            axis: "ratio".to_owned(),
            groups: vec![group],
            legend: legend.to_vec(),
            ..Bars::default()
        };
        assert_eq!(
            text(vec![Panel::Bars(bars)]),
            [
                "panel: |",
                "series: a|c",
                "group: 8x8, fcfs|8x8, fcfs",
                "label: overloaded|",
                "x (position of the group, ): [(0.0), (0.0)]",
                "y (ratio, ): [(1.0), (0.5)]",
                "low (lower end of the confidence interval: ratio, ): [None, (0.25)]",
                "high (upper end of the confidence interval: ratio, ): [None, (0.75)]",
            ]
        );
        let cell = GridCell { place: [1.0, 2.0, 3.0, 4.0], value: Some(7.0), ..GridCell::default() };
        let axis = || GridAxis::to(9.0, Axis::titled("node"));
        let grid =
            Grid { x: axis(), y: axis(), cells: vec![cell], values: "job".to_owned(), ..Grid::default() };
        assert_eq!(
            text(vec![Panel::Grid(grid)]),
            [
                "panel: ",
                "x (node, ): [(1.0)]",
                "x_end (right end: node, ): [(4.0)]",
                "y (node, ): [(2.0)]",
                "y_end (upper end: node, ): [(6.0)]",
                "value (job, ): [(7.0)]",
            ]
        );
    }
}
