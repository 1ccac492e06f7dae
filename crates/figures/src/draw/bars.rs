//! Groups of bars, drawn up or down from a base line.

use super::axis::{Scale, Ticks, ends};
use super::drawing::{Anchor, Drawing, GRID, INK, Style};
use super::legend::{Legend, Notes, Sample, draw_beside};
use super::look::Look;
use super::page::{Heading, Names, Page, some_of};
use super::text::{LINE, widest, wrapped};
use crate::span::Span;

/// A range to compare a bar with, such as a published one.
#[derive(Clone, Debug, PartialEq)]
pub struct Range {
    /// The position of its bar in the group.
    pub bar: usize,
    /// The smallest and the largest value.
    pub ends: (f64, f64),
    /// The tooltip.
    pub words: String,
}

/// A group of bars.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BarGroup {
    /// The name of the group, printed below the bars. Line feeds separate its lines.
    pub name: String,
    /// The name in the data; empty if it is that name.
    pub data_name: String,
    /// The values of the bars, one for each entry of the legend; `None` where there is no number.
    pub bars: Vec<Option<f64>>,
    /// The confidence intervals of the bars; empty, or `None` for a bar without one.
    pub intervals: Vec<Option<Span>>,
    /// Whether each bar is hatched, as it measures an overloaded replay; empty for none.
    pub hatched: Vec<bool>,
    /// Published ranges and the like, drawn as frames in front of the bars.
    pub ranges: Vec<Range>,
}

/// A bar chart.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bars {
    /// The title of the chart.
    pub title: String,
    /// The subtitle: shared properties of all bars.
    pub subtitle: String,
    /// The title of the vertical axis, with its unit.
    pub axis: String,
    /// The names and looks of the bars, equal in all groups.
    pub legend: Vec<(String, Look)>,
    /// The groups from left to right.
    pub groups: Vec<BarGroup>,
    /// The value at the base line. It is 1 for ratios, so that larger values point up and smaller values
    /// down.
    pub base: f64,
    /// Whether the bars of a group stand on each other. Values are then from the base line up, which is 0.
    pub is_stacked: bool,
    /// Values that the axis must contain in addition to the data; `None` if the data decide.
    pub shows: Option<Span>,
    /// Sentences below the bars: the meaning of frames, and a remark; empty for none.
    pub notes: [String; 2],
}

// Lengths in pixels: the largest height of bars, and the gap between groups.
const HIGH: f64 = 320.0;
const GAP: f64 = 18.0;
/// Largest width of a line of groups, in pixels.
const WIDEST: f64 = 1100.0;
/// Width of sentences below narrow charts, in pixels.
const NOTES: f64 = 420.0;

/// The part of a chart in one line: some groups of bars, on the axis that all lines share.
struct Line<'a> {
    chart: &'a Bars,
    groups: &'a [BarGroup],
    page: Page,
    has_legend: bool,
    axis: &'a Ticks,
    /// Width of a bar.
    bar: f64,
}

impl Bars {
    /// Returns the chart as a drawing for a screen, with wide charts broken into several lines of groups.
    pub fn draw(&self) -> Drawing {
        self.draw_on(Page::default())
    }

    /// Returns the chart as a drawing for a page, with the groups broken into lines.
    pub fn draw_on(&self, page: Page) -> Drawing {
        let all = self.groups.len();
        page.fitted(all, "groups of bars", &|shown| {
            let mut bars = self.clone();
            bars.groups.truncate(shown);
            let [marks, note] = &self.notes;
            let note = [note, " ", &*some_of(shown, all, "groups of bars")].concat().trim().to_owned();
            bars.notes = [marks.clone(), note];
            bars.draw_all(page)
        })
    }

    /// Returns the chart with all of its groups.
    fn draw_all(&self, page: Page) -> Drawing {
        let notes = |room: f64| Notes::new(["", &self.notes[0], &self.notes[1]], room, true);
        let below = |notes: &Notes| if notes.height() > 0.0 { notes.height() + 8.0 } else { 0.0 };
        let height = below(&notes(page.width.unwrap_or(NOTES) - 8.0));
        let drawing = self.draw_bars(page.without_height(height));
        let notes = notes(page.width.unwrap_or_else(|| drawing.width().max(NOTES)) - 8.0);
        match below(&notes) {
            none if none <= 0.0 => drawing,
            height => drawing.with_below(height, |page, top| notes.draw(page, 4.0, top + 10.0)),
        }
    }

    /// Returns the vertical axis, with about `wanted` ticks.
    fn vertical(&self, wanted: usize) -> Ticks {
        let tops = |group: &BarGroup| {
            let bars = group.bars.iter().flatten().copied();
            if self.is_stacked { vec![bars.sum()] } else { bars.collect::<Vec<f64>>() }
        };
        let bars = self.groups.iter().flat_map(tops);
        let ranges = self.groups.iter().flat_map(|group| &group.ranges);
        let intervals = self.groups.iter().flat_map(|group| group.intervals.iter().flatten());
        let values = bars.chain(ranges.flat_map(|range| [range.ends.0, range.ends.1]));
        let values = values.chain(intervals.flat_map(|span| [span.low, span.high]));
        let values = values.chain(self.shows.into_iter().flat_map(|span| [span.low, span.high]));
        let data = Span::covering(values.filter(|value| value.is_finite())).with(self.base);
        Ticks::new(Scale::Linear, ends(Scale::Linear, data, Some(self.base), None), wanted)
    }

    /// Returns the title of the vertical axis, and its ends.
    pub(super) fn vertical_title(&self) -> (String, Span) {
        (self.axis.clone(), self.vertical(6).span)
    }

    /// Returns the chart without the sentences below it.
    fn draw_bars(&self, page: Page) -> Drawing {
        let axis = self.vertical(6);
        let (last, each) = (self.lines(page) - 1, self.groups_of_line(page));
        let bar = self.bar(page, each, self.room(page));
        let lines = self.groups.chunks(each).enumerate().map(|(i, groups)| {
            // The first line has the heading. On a page the last one has the legend.
            let is_last = page.width.is_none() || i == last;
            let has_legend = !page.is_panel() && page.names == Names::Inside && is_last;
            let height = page.height.map(|height| height / (last as f64 + 1.0));
            let page = Page { is_untitled: page.is_untitled || i > 0, height, ..page };
            Line { chart: self, groups, page, has_legend, axis: &axis, bar }.draw()
        });
        Drawing::stacked(lines.collect())
    }

    /// Returns the width of the bars on a page.
    fn room(&self, page: Page) -> f64 {
        page.width.map_or(WIDEST, |width| width - left(&self.vertical(6), page) - GAP - 6.0)
    }

    /// Returns the number of groups in a line; all lines have about the same number.
    fn groups_of_line(&self, page: Page) -> usize {
        let count = self.groups.len().max(1);
        let most = (self.room(page) / (self.least_bar(page) * self.bars() as f64 + self.gap())) as usize;
        count.div_ceil(count.div_ceil(most.max(1)))
    }

    /// Returns the number of lines of groups on a page.
    pub(super) fn lines(&self, page: Page) -> usize {
        self.groups.len().max(1).div_ceil(self.groups_of_line(page))
    }

    /// Returns the least width of a panel with all groups in one line.
    pub(super) fn least_width(&self, page: Page) -> f64 {
        let step = self.least_bar(page) * self.bars() as f64 + self.gap();
        left(&self.vertical(6), page) + step * self.groups.len() as f64 + GAP + 6.0
    }

    /// Returns the width of a bar for `each` groups in a line of `room`. On a page the bars fill the line up
    /// to a maximum width, and leave room for the legend at the right if bars of 20 pixels still fit.
    fn bar(&self, page: Page, each: usize, room: f64) -> f64 {
        let least = self.least_bar(page);
        if page.width.is_none() {
            return least;
        }
        let filled = |room: f64| (room / each as f64 - self.gap()) / self.bars() as f64;
        let beside = filled(room - if page.is_panel() { 0.0 } else { self.beside() });
        let filled = if beside >= least.max(20.0) { beside } else { filled(room) };
        filled.clamp(least, least.max(if each == 1 { 64.0 } else { 40.0 }))
    }

    /// Returns the gap between groups.
    fn gap(&self) -> f64 {
        if self.is_stacked { GAP / 3.0 } else { GAP }
    }

    /// Returns the sample of a bar in a legend.
    pub(super) fn sample(&self, look: Look) -> Sample<'static> {
        if self.is_stacked { Sample::Pattern(look) } else { Sample::Marker(look) }
    }

    /// Returns the width of a legend at the right of the bars.
    fn beside(&self) -> f64 {
        widest(self.legend.iter().map(|(name, _)| &**name)) + 44.0
    }

    /// Returns the number of bars of a group beside each other.
    fn bars(&self) -> usize {
        if self.is_stacked {
            return 1;
        }
        self.groups.iter().map(|group| group.bars.len()).max().unwrap_or(0).max(1)
    }

    /// Returns the least width of a bar in pixels, with room for the names of the groups up to a limit. On a
    /// page of a given width, names may be broken at each blank.
    fn least_bar(&self, page: Page) -> f64 {
        let lines = self.groups.iter().flat_map(|group| group.name.lines());
        let (names, least) = if page.width.is_some() {
            (widest(lines.flat_map(|line| line.split(' '))), 9.0)
        } else {
            (widest(lines), 14.0)
        };
        // A name may reach over the groups without names that follow it.
        let labels = self.groups.iter().filter(|group| !group.name.is_empty()).count().max(1);
        let names = names / (self.groups.len() / labels).max(1) as f64;
        (names / self.bars() as f64).clamp(least, 40.0)
    }
}

/// Returns the x of the left end of the bars.
fn left(axis: &Ticks, page: Page) -> f64 {
    axis.width() + if page.is_panel() { 14.0 } else { 44.0 }
}

impl Line<'_> {
    /// Returns the distance from one group to the next.
    fn step(&self) -> f64 {
        self.bar * self.chart.bars() as f64 + self.chart.gap()
    }

    fn draw(&self) -> Drawing {
        let Self { chart, page: on, has_legend, axis, .. } = *self;
        let heading = Heading::new(on, &chart.title, &chart.subtitle);
        let (left, top, step) = (left(axis, on), heading.height(), self.step());
        let room = if chart.is_stacked { f64::INFINITY } else { step - 4.0 };
        let named = |group: &BarGroup| -> Vec<String> {
            // A sign and its number stay together.
            let line = |line: &str| wrapped(&line.replace("× ", "×\u{a0}"), room);
            group.name.lines().flat_map(line).collect()
        };
        let below_groups: Vec<Vec<String>> = self.groups.iter().map(named).collect();
        let lines = below_groups.iter().map(Vec::len).max().unwrap_or(1);
        let below_bars = 20.0 + LINE * lines as f64;
        let beside = if has_legend { chart.beside() } else { 0.0 };
        let right = left + step * self.groups.len() as f64 + GAP;
        let legend = chart.legend.iter().filter(|_| has_legend);
        let entries = legend.map(|(name, look)| (name.as_str(), chart.sample(*look))).collect();
        let is_beside = on.width.is_none_or(|width| width >= right + beside);
        let (beside_entries, below_entries) =
            if is_beside { (entries, Vec::new()) } else { (Vec::new(), entries) };
        let below = Legend::new(below_entries, on.width.unwrap_or(right) - 8.0);
        let under = if below.height() > 0.0 { below.height() + 12.0 } else { 0.0 };
        let height = match (on.height, on.width) {
            (Some(height), _) => (height - top - below_bars - under).max(60.0),
            (None, Some(width)) => (0.5 * width).clamp(120.0, HIGH),
            (None, None) => HIGH.max(chart.legend.len() as f64 * LINE),
        };
        let bottom = top + height;
        let across = on.width.unwrap_or(right + beside).max(right);
        let mut page = Drawing::titled(&heading, left, across, bottom + below_bars + under);
        if !on.is_panel() {
            page.upright(18.0, top + height / 2.0, height + 10.0, &chart.axis);
        }
        let at = |value: f64| top + height * (1.0 - axis.share(value));
        let marks = chart.vertical(((height / 45.0) as usize).clamp(3, 6)).marks;
        for (value, label) in &marks {
            page.line(left, at(*value), right, at(*value), GRID);
            page.text(left - 7.0, at(*value) + 4.0, Anchor::End, INK, label);
        }
        self.draw_groups(&mut page, left + GAP, &at);
        for (i, lines) in below_groups.iter().enumerate() {
            let middle = left + GAP + step * i as f64 + (step - chart.gap()) / 2.0;
            for (line, name) in lines.iter().enumerate() {
                page.text(middle, bottom + 19.0 + LINE * line as f64, Anchor::Middle, INK, name);
            }
        }
        page.line(left, at(chart.base), right, at(chart.base), INK);
        below.draw(&mut page, 4.0, bottom + below_bars + 4.0);
        draw_beside(&mut page, right, top, &beside_entries);
        page
    }

    /// Draws the bars from x = `left` on. `at` returns the y of a value.
    fn draw_groups(&self, page: &mut Drawing, left: f64, at: &dyn Fn(f64) -> f64) {
        let (bar, base) = (self.bar, self.chart.base);
        for (i, group) in self.groups.iter().enumerate() {
            let from = left + self.step() * i as f64;
            let mut below = base;
            for (j, (value, (name, look))) in group.bars.iter().zip(&self.chart.legend).enumerate() {
                let Some(value) = value.filter(|value| value.is_finite()) else { continue };
                let is_stacked = self.chart.is_stacked;
                let (column, ends) = if is_stacked {
                    (0, [below, below + value])
                } else {
                    (j, [value.min(base), value.max(base)])
                };
                below = ends[1];
                let [low, top] = ends.map(at);
                let place = group.name.replace('\n', " ") + if group.name.is_empty() { "" } else { ", " };
                let words = format!("{place}{name}: {value:.4}");
                let class = page.class_of("bar", *look);
                let style = Style { colour: look.colour(), class: &class };
                let x = from + bar * column as f64 + 1.0;
                page.rectangle(x, top, bar - 2.0, (low - top).max(0.5), style, Some(&words));
                // Markers distinguish bars in grey print, and patterns the parts of stacked bars.
                if is_stacked {
                    page.hatch([x, top, bar - 2.0, low - top], look.marker);
                    continue;
                }
                let is_hatched = group.hatched.get(j).is_some_and(|is_hatched| *is_hatched);
                page.hatch([x, top, bar - 2.0, low - top], usize::from(is_hatched));
                let middle = from + bar * (j as f64 + 0.5);
                if let Some(Some(span)) = group.intervals.get(j) {
                    page.whisker(middle, at(span.high), at(span.low));
                }
                page.marker(middle, at(value), *look, None);
            }
            for Range { bar: position, ends, words } in &group.ranges {
                let (top, low) = (at(ends.1), at(ends.0));
                page.frame(from + bar * *position as f64 + 1.0, top, bar - 2.0, low - top, words);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The attributes of this name in a drawing.
    fn attributes(svg: &str, name: &str) -> Vec<f64> {
        let name = format!(" {name}=\"");
        let values = svg.split(&name).skip(1).filter_map(|rest| rest.split('"').next());
        values.filter_map(|value| value.parse().ok()).collect()
    }

    #[test]
    fn markers_stand_on_values_and_intervals_are_drawn() {
        let group = |bars: [f64; 3], is_hatched| BarGroup {
            bars: bars.map(Some).to_vec(),
            intervals: vec![None, Some(Span::new(0.8, 1.4)), None],
            hatched: vec![false, false, is_hatched],
            ..BarGroup::default()
        };
        let bars = |is_hatched| {
            let legend = ["a", "b", "c"].map(|name| (name.to_owned(), Look::default())).to_vec();
            let groups = vec![group([1.0, 1.2, 0.7], is_hatched)];
            Bars { groups, legend, base: 1.0, ..Bars::default() }.draw().svg()
        };
        let svg = bars(false);
        // The ticks give the scale of the axis: the base line is the last line but those of the whisker.
        let markers = &attributes(&svg, "cy")[..3];
        let bar = svg.split("<rect").filter(|rect| rect.contains("\"bar\"")).map(|rect| {
            let [y, height] = ["y", "height"].map(|name| attributes(rect, name)[0]);
            [y, y + height]
        });
        let bars_at: Vec<[f64; 2]> = bar.collect();
        let near = |a: f64, b: f64| (a - b).abs() < 0.6;
        assert!(
            near(markers[0], bars_at[0][0]) && near(markers[1], bars_at[1][0]),
            "{markers:?} {bars_at:?}"
        );
        assert!(near(markers[2], bars_at[2][1]), "{markers:?} {bars_at:?}");
        let unit = (markers[0] - markers[1]) / 0.2;
        let ends = [markers[0] - 0.4 * unit, markers[0] + 0.2 * unit];
        let lines = attributes(&svg, "y1");
        assert!(ends.iter().all(|end| lines.iter().any(|y| near(*y, *end))), "{ends:?}: {lines:?}");
        assert_eq!([&svg, &bars(true)].map(|svg| svg.matches("class=\"hatch\"").count()), [0, 1]);
    }

    #[test]
    fn many_groups_are_drawn_in_lines_on_one_axis() {
        let bars = |count: usize| {
            let group = |i: usize| BarGroup {
                name: format!("a log of some length L{i}"),
                bars: vec![Some(i as f64)],
                ..BarGroup::default()
            };
            let legend = vec![("a".to_owned(), Look::default())];
            Bars { groups: (1..=count).map(group).collect(), legend, base: 1.0, ..Bars::default() }
                .draw()
                .svg()
        };
        let (few, many) = (bars(3), bars(60));
        assert_eq!((few.matches("<g transform").count(), few.matches("\"bar\"").count()), (0, 3));
        let lines = many.matches("<g transform").count();
        assert!(lines > 1 && many.matches("\"bar\"").count() == 60, "{lines}");
        // Every line has the same ticks.
        assert_eq!(many.matches(">\n60\n<").count(), lines, "{many}");
        let wide: f64 = many
            .split("width=\"")
            .nth(1)
            .and_then(|rest| rest.split('"').next())
            .map_or(0.0, |side| side.parse().unwrap_or(0.0));
        assert!((300.0..1400.0).contains(&wide), "{wide}");
    }
}
