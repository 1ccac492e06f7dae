//! Groups of bars, drawn up or down from a base line.

use super::drawing::{Anchor, Drawing, GRID, INK};
use super::legend::{Legend, Sample};
use super::letters::{LINE, width};
use super::look::Look;
use super::notes::Notes;
use super::page::{Heading, Page, wrapped};
use super::ticks::{Scale, Ticks, ends};

/// A range of values from elsewhere, such as a published one.
#[derive(Clone, Debug, PartialEq)]
pub struct Range {
    /// The position of its bar in the group.
    pub bar: usize,
    /// The smallest and the largest value.
    pub ends: (f64, f64),
    /// What the pointer shows.
    pub words: String,
}

/// A group of bars.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BarGroup {
    /// The name of the group, printed below the bars. Line feeds separate its lines.
    pub name: String,
    /// The values of the bars, one for each entry of the legend; `None` where there is no number.
    pub bars: Vec<Option<f64>>,
    /// The ranges from elsewhere, which frames show in front of the bars.
    pub ranges: Vec<Range>,
}

/// A bar chart.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bars {
    /// The title of the chart.
    pub title: String,
    /// What all bars have in common, printed below the title.
    pub subtitle: String,
    /// The title of the vertical axis, with its unit.
    pub axis: String,
    /// The names and looks of the bars; every group has the same ones.
    pub legend: Vec<(String, Look)>,
    /// The groups from left to right.
    pub groups: Vec<BarGroup>,
    /// The value at which bars start. It is 1 for ratios, so that larger and smaller values point to
    /// different sides.
    pub base: f64,
    /// What the frames and what the reader has to know, printed below the bars; empty for nothing.
    pub notes: [String; 2],
}

// Lengths in pixels: the largest height of bars, and the gap between groups.
const HIGH: f64 = 320.0;
const GAP: f64 = 18.0;
/// The width in pixels up to which groups stand side by side.
const WIDEST: f64 = 1100.0;
/// The width in pixels of sentences below narrow charts.
const NOTES: f64 = 420.0;

impl Bars {
    /// Returns the chart as a drawing for a screen. If the groups are too wide, they stand in several lines.
    pub fn draw(&self) -> Drawing {
        self.draw_on(Page::default())
    }

    /// Returns the chart as a drawing for a page, in as many lines of groups as its width asks for.
    pub fn draw_on(&self, page: Page) -> Drawing {
        let notes = |room: f64| Notes::new(["", &self.notes[0], &self.notes[1]], room).of_frames();
        let below = |notes: &Notes| if notes.height() > 0.0 { notes.height() + 8.0 } else { 0.0 };
        let height = below(&notes(page.width.unwrap_or(NOTES) - 8.0));
        let drawing = self.draw_bars(Page { height: page.height.map(|all| all - height), ..page });
        let notes = notes(page.width.unwrap_or_else(|| drawing.width().max(NOTES)) - 8.0);
        match below(&notes) {
            none if none <= 0.0 => drawing,
            height => drawing.with_below(height, |page, top| notes.draw(page, (4.0, top + 10.0))),
        }
    }

    /// Returns the chart without the sentences below it.
    fn draw_bars(&self, page: Page) -> Drawing {
        let bars = self.groups.iter().flat_map(|group| &group.bars).flatten().copied();
        let ranges = self.groups.iter().flat_map(|group| &group.ranges);
        let finite = bars
            .chain(ranges.flat_map(|range| [range.ends.0, range.ends.1]))
            .filter(|value| value.is_finite());
        let range =
            finite.fold((self.base, self.base), |(low, high), value| (low.min(value), high.max(value)));
        let range = ends(Scale::Linear, range, Some(self.base), None);
        let groups = self.groups.len().max(1);
        let widest = page.width.map_or(WIDEST, |width| width - Self::left(range) - GAP - 6.0);
        let fitting = ((widest / self.step(page)) as usize).max(1);
        // All lines have about the same number of groups.
        let each = groups.div_ceil(groups.div_ceil(fitting));
        if groups <= each {
            return self.line_of(&self.groups, range, (page, true), self.stretched(page, (each, widest)));
        }
        let last = groups.div_ceil(each) - 1;
        let lines = self.groups.chunks(each).enumerate().map(|(i, groups)| {
            // The first line has the heading. On a page the last one has the legend.
            let page = Page { is_untitled: page.is_untitled || i > 0, height: None, ..page };
            let has_legend = page.width.is_none() || i == last;
            self.line_of(groups, range, (page, has_legend), self.stretched(page, (each, widest)))
        });
        Drawing::stacked(lines.collect())
    }

    /// Returns the width from one group to the next, at least.
    fn step(&self, page: Page) -> f64 {
        self.bar(page) * self.bars() as f64 + GAP
    }

    /// Returns the width of a bar if `each` groups stand in a line of `room`: on a page they fill it, beside
    /// the legend if there is room for it, as far as bars do not become planks.
    fn stretched(&self, page: Page, (each, room): (usize, f64)) -> f64 {
        let least = self.bar(page);
        if page.width.is_none() {
            return least;
        }
        let filled = |room: f64| (room / each as f64 - GAP) / self.bars() as f64;
        let beside = filled(room - self.beside());
        let filled = if beside >= least.max(20.0) { beside } else { filled(room) };
        filled.clamp(least, least.max(if each == 1 { 64.0 } else { 40.0 }))
    }

    /// Returns the width of a legend beside the bars.
    fn beside(&self) -> f64 {
        self.legend.iter().map(|(name, _)| width(name)).fold(0.0, f64::max) + 44.0
    }

    /// Returns the number of bars of a group.
    fn bars(&self) -> usize {
        self.groups.iter().map(|group| group.bars.len()).max().unwrap_or(0).max(1)
    }

    /// Returns the least width of a bar in pixels. It makes room for the names of the groups, as far as the
    /// page has room; on a page names may have a line for each word.
    fn bar(&self, page: Page) -> f64 {
        let lines = self.groups.iter().flat_map(|group| group.name.lines());
        let names = if page.width.is_some() {
            let words = lines.flat_map(|line| line.split(' ').collect::<Vec<_>>());
            words.map(width).fold(0.0, f64::max)
        } else {
            lines.map(width).fold(0.0, f64::max)
        };
        let least = if page.width.is_some() { 9.0 } else { 14.0 };
        (names / self.bars() as f64).clamp(least, 40.0)
    }

    /// Returns the x of the left end of the axis.
    fn left(range: (f64, f64)) -> f64 {
        let ticks = Ticks::new(Scale::Linear, range, 6);
        ticks.at.iter().map(|(_, label)| width(label)).fold(0.0, f64::max) + 44.0
    }

    /// Returns one line of groups as a drawing, with a legend or without. `range` holds the ends of the axis,
    /// which all lines share.
    fn line_of(
        &self,
        groups: &[BarGroup],
        range: (f64, f64),
        (on, has_legend): (Page, bool),
        bar: f64,
    ) -> Drawing {
        let heading = Heading::new(on, &self.title, &self.subtitle);
        let (ticks, left, top) = (Ticks::new(Scale::Linear, range, 6), Self::left(range), heading.height());
        let step = bar * self.bars() as f64 + GAP;
        let named = |group: &BarGroup| -> Vec<String> {
            // A sign and its number stay together.
            let line = |line: &str| wrapped(&line.replace("× ", "×\u{a0}"), step - 4.0);
            group.name.lines().flat_map(line).collect()
        };
        let below_groups: Vec<Vec<String>> = groups.iter().map(named).collect();
        let lines = below_groups.iter().map(Vec::len).max().unwrap_or(1);
        let below_bars = 20.0 + LINE * lines as f64;
        let legend = if has_legend { &self.legend[..] } else { &[] };
        let beside = if has_legend { self.beside() } else { 0.0 };
        let right = left + step * groups.len() as f64 + GAP;
        let is_beside = on.width.is_none_or(|width| width >= right + beside);
        let below = legend.iter().map(|(name, look)| (name.as_str(), Sample::Marker(*look)));
        let below = Legend::new(below.filter(|_| !is_beside).collect(), on.width.unwrap_or(right) - 8.0);
        let under = if below.height() > 0.0 { below.height() + 12.0 } else { 0.0 };
        let height = match (on.height, on.width) {
            (Some(height), _) => (height - top - below_bars - under).max(60.0),
            (None, Some(width)) => (0.5 * width).clamp(120.0, HIGH),
            (None, None) => HIGH.max(self.legend.len() as f64 * LINE),
        };
        let bottom = top + height;
        let across = on.width.unwrap_or(right + beside).max(right);
        let size = (across, bottom + below_bars + under);
        let mut page = Drawing::titled(size, left, on, &heading, &self.title);
        page.upright((18.0, top + height / 2.0), height + 10.0, &self.axis);
        let at = |value: f64| top + height * (1.0 - ticks.share(value));
        for (value, label) in &ticks.at {
            page.line((left, at(*value)), (right, at(*value)), (GRID, "grid"));
            page.text((left - 7.0, at(*value) + 4.0), Anchor::End, (INK, "ink"), label);
        }
        self.draw_groups(&mut page, groups, &at, left, (bar, step));
        for (i, lines) in below_groups.iter().enumerate() {
            let middle = left + GAP + step * i as f64 + (step - GAP) / 2.0;
            for (line, name) in lines.iter().enumerate() {
                page.text((middle, bottom + 19.0 + LINE * line as f64), Anchor::Middle, (INK, "ink"), name);
            }
        }
        page.line((left, at(self.base)), (right, at(self.base)), (INK, "ink"));
        below.draw(&mut page, (4.0, bottom + below_bars + 4.0));
        for (i, (name, look)) in legend.iter().enumerate().filter(|_| is_beside) {
            let y = top + 8.0 + LINE * i as f64;
            page.marker((right + 20.0, y - 2.0), *look, None);
            page.text((right + 32.0, y + 2.0), Anchor::Start, (INK, "ink"), name);
        }
        page
    }

    /// Draws the bars of `groups`. `at` returns the y of a value, `bar` is the width of a bar.
    fn draw_groups(
        &self,
        page: &mut Drawing,
        groups: &[BarGroup],
        at: &dyn Fn(f64) -> f64,
        left: f64,
        (bar, step): (f64, f64),
    ) {
        for (i, group) in groups.iter().enumerate() {
            let from = left + GAP + step * i as f64;
            for (j, (value, (name, look))) in group.bars.iter().zip(&self.legend).enumerate() {
                let Some(value) = value.filter(|value| value.is_finite()) else { continue };
                let (top, low) = (at(value.max(self.base)), at(value.min(self.base)));
                let of = group.name.replace('\n', " ") + if group.name.is_empty() { "" } else { ", " };
                let words = format!("{of}{name}: {value:.4}");
                let place = (from + bar * j as f64 + 1.0, top, bar - 2.0, (low - top).max(0.5));
                page.rectangle(place, (look.colour(), "bar"), Some(&words));
                // Colours repeat if there are many bars, and disappear in grey print. Then the markers
                // distinguish the bars.
                let end = if value < self.base { low + 7.0 } else { top - 7.0 };
                page.marker((from + bar * (j as f64 + 0.5), end), *look, None);
            }
            for Range { bar: at_bar, ends, words } in &group.ranges {
                let (top, low) = (at(ends.1), at(ends.0));
                page.frame((from + bar * *at_bar as f64 + 1.0, top, bar - 2.0, low - top), words);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
