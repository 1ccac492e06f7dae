//! Groups of bars, drawn up or down from a base line.

use super::drawing::{Anchor, Drawing, GRID, INK, LINE, width};
use super::look::Look;
use super::ticks::{Scale, Ticks};

/// A group of bars.
#[derive(Clone, Debug, PartialEq)]
pub struct BarGroup {
    /// The name of the group, printed below the bars. Line feeds separate its lines.
    pub name: String,
    /// The values of the bars, one for each entry of the legend; `None` where there is no number.
    pub bars: Vec<Option<f64>>,
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
    /// The value at which bars start. It is 1 for ratios, so that larger and smaller values point to different sides.
    pub base: f64,
}

// Lengths in pixels: the space above the bars, their largest height, and the gap between groups.
const TOP: f64 = 56.0;
const HIGH: f64 = 320.0;
const GAP: f64 = 18.0;
/// The width in pixels up to which groups stand side by side.
const WIDEST: f64 = 1100.0;

impl Bars {
    /// Returns the chart as a drawing. If the groups are too wide for a page, they stand in several lines.
    pub fn draw(&self) -> Drawing {
        let values = self.groups.iter().flat_map(|group| &group.bars).flatten().copied();
        let finite = values.filter(|value| value.is_finite());
        let (low, high) =
            finite.fold((self.base, self.base), |(low, high), value| (low.min(value), high.max(value)));
        let groups = self.groups.len().max(1);
        let fitting = ((WIDEST / (self.bar() * self.legend.len().max(1) as f64 + GAP)) as usize).max(1);
        // All lines have about the same number of groups.
        let each = groups.div_ceil(groups.div_ceil(fitting));
        if groups <= each {
            return self.line_of(&self.groups, (low, high));
        }
        let lines = self.groups.chunks(each).map(|groups| self.line_of(groups, (low, high)));
        Drawing::stacked(lines.collect())
    }

    /// Returns the width of a bar in pixels.
    fn bar(&self) -> f64 {
        let names = self.groups.iter().flat_map(|group| group.name.lines()).map(width).fold(0.0, f64::max);
        (names / self.legend.len().max(1) as f64).clamp(14.0, 40.0)
    }

    /// Returns one line of groups as a drawing. `range` holds the smallest and the largest value of all groups, so that
    /// all lines have the same axis.
    fn line_of(&self, groups: &[BarGroup], range: (f64, f64)) -> Drawing {
        let ticks = Ticks::new(Scale::Linear, range, 6);
        let labels = ticks.at.iter().map(|(_, label)| width(label)).fold(0.0, f64::max);
        let left = labels + 44.0;
        let count = self.legend.len().max(1) as f64;
        let bar = self.bar();
        let (step, height) = (bar * count + GAP, HIGH.max(self.legend.len() as f64 * LINE));
        let right = left + step * groups.len() as f64 + GAP;
        let legend = self.legend.iter().map(|(name, _)| width(name)).fold(0.0, f64::max) + 44.0;
        let lines = groups.iter().map(|group| group.name.lines().count()).max().unwrap_or(1);
        let bottom = TOP + height;
        let size = (right + legend, bottom + 20.0 + LINE * lines as f64);
        let mut page = Drawing::titled(size, left, &self.title, &self.subtitle);
        page.upright((18.0, TOP + height / 2.0), &self.axis);
        let at = |value: f64| TOP + height * (1.0 - ticks.share(value));
        for (value, label) in &ticks.at {
            page.line((left, at(*value)), (right, at(*value)), (GRID, "grid"));
            page.text((left - 7.0, at(*value) + 4.0), Anchor::End, (INK, "ink"), label);
        }
        for (i, group) in groups.iter().enumerate() {
            let from = left + GAP + step * i as f64;
            for (j, (value, (name, look))) in group.bars.iter().zip(&self.legend).enumerate() {
                let Some(value) = value.filter(|value| value.is_finite()) else { continue };
                let (top, low) = (at(value.max(self.base)), at(value.min(self.base)));
                let words = format!("{}, {name}: {value:.4}", group.name.replace('\n', " "));
                let place = (from + bar * j as f64 + 1.0, top, bar - 2.0, (low - top).max(0.5));
                page.rectangle(place, (look.colour(), "bar"), Some(&words));
                // Colours repeat if there are many bars, and disappear in grey print. Then the markers distinguish the
                // bars.
                let end = if value < self.base { low + 7.0 } else { top - 7.0 };
                page.marker((from + bar * (j as f64 + 0.5), end), *look, None);
            }
            for (line, name) in group.name.lines().enumerate() {
                let middle = (from + bar * count / 2.0, bottom + 19.0 + LINE * line as f64);
                page.text(middle, Anchor::Middle, (INK, "ink"), name);
            }
        }
        page.line((left, at(self.base)), (right, at(self.base)), (INK, "ink"));
        for (i, (name, look)) in self.legend.iter().enumerate() {
            let y = TOP + 8.0 + LINE * i as f64;
            page.marker((right + 20.0, y - 2.0), *look, None);
            page.text((right + 32.0, y + 2.0), Anchor::Start, (INK, "ink"), name);
        }
        page
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_groups_are_drawn_in_lines_on_one_axis() {
        let bars = |count: usize| {
            let group =
                |i: usize| BarGroup { name: format!("a log of some length {i}"), bars: vec![Some(i as f64)] };
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
