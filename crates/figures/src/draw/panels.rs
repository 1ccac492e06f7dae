//! Several pictures on one page, under one heading and above one legend.

use std::collections::BTreeSet;

use super::bars::Bars;
use super::boxes::Boxes;
use super::chart::Chart;
use super::drawing::{Anchor, Drawing, INK};
use super::grid::Grid;
use super::legend::{Legend, LegendEntry, Notes, Sample};
use super::page::{Heading, Names, Page, Surroundings};
use super::text::{LINE, joined, wrapped};
use crate::span::Span;

/// One of several pictures. Its subtitle is the name of the panel, and it has no title.
#[derive(Clone, Debug, PartialEq)]
pub enum Panel {
    /// Curves or points.
    Chart(Chart),
    /// Groups of bars.
    Bars(Bars),
    /// Distributions as boxes.
    Boxes(Boxes),
    /// Coloured rectangles.
    Grid(Grid),
}

/// Pictures with a common heading and legend.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Panels {
    /// The title of the page.
    pub title: String,
    /// The subtitle: shared properties of all panels.
    pub subtitle: String,
    /// The panels.
    pub panels: Vec<Panel>,
    /// Largest number of panels in a line.
    pub columns: usize,
    /// The height of a panel, as a part of its width; `None` for one that suits its content.
    pub aspect: Option<f64>,
    /// A sentence below the panels; empty for none.
    pub note: String,
    /// Largest number of panels of a drawing; `None` for the usual 24.
    pub most: Option<usize>,
    /// A sentence on replays without a panel; empty for none.
    pub left_out: String,
}

/// The width of several panels on a screen, in pixels.
const WIDE: f64 = 960.0;

/// The least height of a panel that is not square, in pixels.
const LOWEST: f64 = 165.0;

/// The least width of a panel in units, which are 39 mm on paper.
const NARROWEST: f64 = 190.0;

/// The width of the shared title of vertical axes, and the height of the shared title of horizontal axes.
const Y_TITLE: f64 = 24.0;
const X_TITLE: f64 = 20.0;

/// The largest number of panels of curves, bars or boxes in a drawing.
const MOST_PANELS: usize = 24;

impl Panel {
    fn subtitle(&self) -> &str {
        match self {
            Self::Chart(chart) => &chart.subtitle,
            Self::Bars(bars) => &bars.subtitle,
            Self::Boxes(boxes) => &boxes.subtitle,
            Self::Grid(grid) => &grid.subtitle,
        }
    }

    /// Draws the panel as the only picture of a page.
    fn draw_alone(&self, title: &str, subtitle: String, page: Page) -> Drawing {
        let title = title.to_owned();
        match self {
            Self::Chart(chart) => Chart { title, subtitle, ..chart.clone() }.draw_on(page),
            Self::Bars(bars) => Bars { title, subtitle, ..bars.clone() }.draw_on(page),
            Self::Boxes(boxes) => Boxes { title, subtitle, ..boxes.clone() }.draw_on(page),
            Self::Grid(grid) => Grid { title, subtitle, ..grid.clone() }.draw_on(page),
        }
    }

    /// Draws the panel without its legend. A grid has the titles of its axes, unless there is a panel below
    /// that has the same horizontal axis.
    fn draw_in(&self, page: Page, is_above: bool) -> Drawing {
        match self {
            Self::Chart(chart) => chart.draw_on(page),
            Self::Bars(bars) => bars.draw_on(page),
            Self::Boxes(boxes) => boxes.draw_on(page),
            Self::Grid(grid) => {
                let mut grid = Grid { legend: Vec::new(), ..grid.clone() };
                if is_above && !grid.square {
                    grid.x.axis.title = String::new();
                }
                grid.draw_on(page)
            }
        }
    }

    /// Returns the sentence on coinciding curves in a panel of this width; empty if there are none.
    fn coincidence(&self, width: f64) -> String {
        match self {
            Self::Chart(chart) => chart.coincidence_in_panel(width),
            Self::Bars(_) | Self::Boxes(_) | Self::Grid(_) => String::new(),
        }
    }

    fn entries(&self) -> Vec<LegendEntry<'_>> {
        match self {
            Self::Chart(chart) => chart.samples(),
            Self::Bars(bars) => {
                bars.legend.iter().map(|(name, look)| (&**name, bars.sample(*look))).collect()
            }
            Self::Boxes(_) => Vec::new(),
            Self::Grid(grid) => {
                grid.legend.iter().map(|(name, colour)| (&**name, Sample::Colour(colour))).collect()
            }
        }
    }

    /// Returns the title of the horizontal axis and its unit, if they are outside of the panel.
    fn x_title(&self) -> [&str; 2] {
        match self {
            Self::Chart(chart) => chart.x.title_and_unit(),
            Self::Boxes(_) | Self::Bars(_) | Self::Grid(_) => [""; 2],
        }
    }

    /// Returns the number of lines of bars of a panel.
    fn lines_of_bars(&self, page: Page) -> usize {
        match self {
            Self::Bars(bars) => bars.lines(page),
            Self::Chart(_) | Self::Boxes(_) | Self::Grid(_) => 1,
        }
    }

    fn least_width(&self, page: Page) -> f64 {
        match self {
            Self::Bars(bars) => NARROWEST.max(bars.least_width(page)),
            Self::Chart(_) | Self::Boxes(_) | Self::Grid(_) => NARROWEST,
        }
    }

    /// Returns the title of the axis of values and its ends; `None` if the title is in the panel.
    fn value_title(&self) -> Option<(String, Span)> {
        match self {
            Self::Chart(chart) => Some(chart.vertical_title()),
            Self::Bars(bars) => Some(bars.vertical_title()),
            Self::Boxes(boxes) => Some(boxes.title()),
            Self::Grid(_) => None,
        }
    }
}

/// Returns the title of the axes of values, which says if their scales differ; empty if panels have their
/// own.
fn value_title(panels: &[Panel]) -> String {
    let titles: Vec<(String, Span)> = panels.iter().filter_map(Panel::value_title).collect();
    // Some axes may begin at 0, and others say that they do not.
    let by_length = |(title, _): &&(String, Span)| title.len();
    let ends = titles.iter().min_by_key(by_length).zip(titles.iter().max_by_key(by_length));
    let Some(((shortest, _), (longest, _))) = ends else { return String::new() };
    let are_mixed = shortest.len() < longest.len();
    let title = if are_mixed { format!("{shortest}, not all from 0") } else { longest.clone() };
    let is_one = titles.iter().all(|(_, span)| *span == titles[0].1);
    if is_one { title } else { format!("{title}, scales differ") }
}

/// Returns the panels, with one for all charts that differ in their names alone.
fn merged(panels: &[Panel]) -> Vec<Panel> {
    let mut charts: Vec<(Chart, usize)> = Vec::new();
    let mut merged: Vec<Panel> = Vec::new();
    for panel in panels {
        if let Panel::Chart(chart) = panel {
            let unnamed = Chart { subtitle: String::new(), ..chart.clone() };
            let same = charts.iter().find(|(other, _)| *other == unnamed).map(|(_, i)| *i);
            if let Some(Panel::Chart(first)) = same.and_then(|i| merged.get_mut(i)) {
                first.subtitle = [&*first.subtitle, " and ", &chart.subtitle].concat();
                continue;
            }
            charts.push((unnamed, merged.len()));
        }
        merged.push(panel.clone());
    }
    merged
}

/// Titles outside of the panels.
struct Titles {
    /// The title of the horizontal axes; empty if panels have their own.
    x: String,
    /// The title of the vertical axes; empty if panels have their own.
    y: String,
    /// Whether the horizontal axes have different units.
    has_x_unit: bool,
}

impl Titles {
    fn of(panels: &[Panel]) -> Self {
        let values = value_title(panels);
        if panels.iter().all(|panel| matches!(panel, Panel::Boxes(_))) {
            return Self { x: values, y: String::new(), has_x_unit: false };
        }
        let [title, unit] = panels[0].x_title();
        let has_x_unit = panels.iter().any(|panel| panel.x_title()[1] != unit);
        let x = if unit.is_empty() || has_x_unit { title.to_owned() } else { format!("{title} ({unit})") };
        Self { x, y: values, has_x_unit }
    }
}

/// The lines of text of panels.
struct Texts {
    /// The sentence on coinciding curves for all panels; empty if it differs between panels.
    coincidence: String,
    /// The most lines of a subtitle.
    subtitle_lines: usize,
    /// The height for lines after the first: of a subtitle, of the sentence below the data, and of bars.
    more: f64,
}

impl Texts {
    /// Returns the texts of panels of this width.
    fn new(panels: &[Panel], width: f64) -> Self {
        let sentences: Vec<String> = panels.iter().map(|panel| panel.coincidence(width)).collect();
        let lines = |text: &str| wrapped(text, width - 8.0).len();
        let most = |texts: &mut dyn Iterator<Item = &str>| texts.map(lines).max().unwrap_or_default();
        let subtitle_lines = most(&mut panels.iter().map(Panel::subtitle));
        let panel = Page { width: Some(width), panel: Some(Surroundings::default()), ..Page::default() };
        let bars = panels.iter().map(|one| one.lines_of_bars(panel)).max().unwrap_or(1);
        let more = LINE * subtitle_lines.saturating_sub(1) as f64 + LOWEST * (bars - 1) as f64;
        if !sentences[0].is_empty() && sentences.iter().all(|sentence| *sentence == sentences[0]) {
            let coincidence = format!("In all panels: {}", sentences[0]);
            return Self { coincidence, subtitle_lines, more };
        }
        let more = more + LINE * most(&mut sentences.iter().map(String::as_str)) as f64;
        Self { coincidence: String::new(), subtitle_lines, more }
    }
}

impl Panels {
    /// Returns the number of panels in a line of a page, and the page of one panel, which is higher by `more`
    /// than `aspect` says.
    pub fn layout(page: Page, count: usize, columns: usize, aspect: Option<f64>, more: f64) -> (usize, Page) {
        if count <= 1 {
            return (1, page);
        }
        let whole = page.width.unwrap_or(WIDE);
        let columns = columns.min((whole / NARROWEST) as usize).clamp(1, count);
        // All lines have about the same number of panels.
        let columns = count.div_ceil(count.div_ceil(columns));
        let width = whole / columns as f64;
        let rows = count.div_ceil(columns) as f64;
        // Panels have heights of whole pixels.
        let room = |height: f64| (height / rows).floor();
        let natural = aspect.map(|aspect| (aspect * width).max(LOWEST) + more);
        let height = match (page.height.map(room), natural, page.longest.map(room)) {
            (Some(given), ..) => Some(given),
            (None, Some(natural), Some(longest)) => Some(natural.min(longest)),
            (None, natural, longest) => natural.or(longest),
        };
        let panel = Some(Surroundings::default());
        // Whole panels are left out before parts of panels.
        let longest = page.longest.filter(|_| rows <= 1.0);
        let names = page.names;
        (columns, Page { width: Some(width), height, longest, names, panel, ..Page::default() })
    }

    /// Returns the panels as drawings for a page: one if the page has room for all panels, and otherwise
    /// several with about the same number of panels. A single panel is drawn as large as the page.
    pub fn draw_on(&self, page: Page) -> Vec<Drawing> {
        if !page.is_split {
            return Self { panels: merged(&self.panels), ..self.clone() }.draw_pages(page);
        }
        self.draw_pages(page)
    }

    fn draw_pages(&self, page: Page) -> Vec<Drawing> {
        let (count, columns) = (self.panels.len(), self.columns_on(page));
        let mut most = if page.is_split { 1 } else { count.min(self.most.unwrap_or(MOST_PANELS)).max(1) };
        loop {
            let pages = count.div_ceil(most);
            // Lines of panels stay whole.
            let each = count.div_ceil(pages.max(1)).next_multiple_of(columns.min(most).max(1)).min(most);
            let drawings: Vec<Drawing> =
                (0..count).step_by(each.max(1)).map(|from| self.draw_part(from, each, page)).collect();
            if most <= 1 || drawings.iter().all(|drawing| page.has_room(drawing)) {
                return drawings;
            }
            most = if each > columns { (each - 1) / columns * columns } else { 1 };
        }
    }

    /// Draws `count` panels from the panel at `from` on.
    fn draw_part(&self, from: usize, count: usize, page: Page) -> Drawing {
        let panels = &self.panels[from..self.panels.len().min(from + count)];
        let is_part = panels.len() < self.panels.len() && !page.is_split;
        let all = self.panels.len();
        let counted = match (is_part, panels.len()) {
            (false, _) => String::new(),
            (true, 1) => format!("Panel {} of {all}.", from + 1),
            (true, shown) => format!("Panels {} to {} of {all}.", from + 1, from + shown),
        };
        let note = [&*self.note, &*self.left_out, &*counted].join(" ").trim().to_owned();
        let part = Self { panels: panels.to_vec(), note, ..self.clone() };
        let drawing = match &*part.panels {
            [only] => {
                let subtitle = joined(&[only.subtitle(), &self.subtitle]);
                let page = page.without_height(Notes::height_of(&part.note, page.width.unwrap_or(WIDE)));
                let mut drawing = Notes::below(only.draw_alone(&self.title, subtitle, page), &part.note);
                only.subtitle().clone_into(&mut drawing.panel);
                drawing
            }
            _ => part.draw_all(page),
        };
        drawing.leaving_out(self.left_out.clone())
    }

    /// Returns the largest number of panels in a line of a page.
    fn columns_on(&self, page: Page) -> usize {
        let panel = Some(Surroundings::default());
        let page = Page { width: Some(page.width.unwrap_or(WIDE)), panel, ..page };
        let widest = self.panels.iter().map(|panel| panel.least_width(page)).fold(NARROWEST, f64::max);
        let room = page.width.unwrap_or(WIDE) - Y_TITLE;
        let most = self.columns.min((room / widest) as usize).max(1);
        // Panels such as `log · machine` have the machines of a log in one line, if there is room.
        let last = |panel: &Panel| panel.subtitle().rsplit(" · ").next().map(str::to_owned);
        let kinds: BTreeSet<Option<String>> = self.panels.iter().map(last).collect();
        let is_product = kinds.len() > 1
            && self.panels.len() > kinds.len()
            && self.panels.len().is_multiple_of(kinds.len());
        if is_product && kinds.len() <= most { most / kinds.len() * kinds.len() } else { most }
    }

    /// Draws several panels on a page.
    fn draw_all(&self, page: Page) -> Drawing {
        let (panels, shown) = (&*self.panels, self.panels.len());
        let width = page.width.unwrap_or(WIDE);
        let heading = Heading::new(Page { width: Some(width), ..page }, &self.title, &self.subtitle);
        let head = Drawing::titled(&heading, 4.0, width, heading.height());
        let Titles { x: x_title, y: y_title, has_x_unit } = Titles::of(panels);
        let beside = if y_title.is_empty() { 0.0 } else { Y_TITLE };
        let below = if x_title.is_empty() { 0.0 } else { X_TITLE };
        // The entries of all panels, each once.
        let mut entries: Vec<LegendEntry<'_>> = Vec::new();
        for entry in panels.iter().flat_map(Panel::entries) {
            let is_named = page.names == Names::Inside || matches!(entry.1, Sample::Colour(_));
            if is_named && !entries.iter().any(|(other, _)| *other == entry.0) {
                entries.push(entry);
            }
        }
        let legend = Legend::new(entries, width - 8.0);
        let wide = Page { width: Some(width - beside), ..page };
        let most = self.columns_on(page);
        let (_, panel) = Self::layout(wide, shown, most, self.aspect, 0.0);
        let texts = Texts::new(panels, panel.width.unwrap_or(WIDE));
        let coincidence = if page.names == Names::Inside { &*texts.coincidence } else { "" };
        let note = [coincidence, &*self.note].join(" ");
        let note = note.trim();
        let notes = Notes::height_of(note, width);
        let inner = wide.without_height(heading.height() + below + legend.height() + notes + 8.0);
        let (columns, panel) = Self::layout(inner, shown, most, self.aspect, texts.more);
        let names_coinciding = !texts.coincidence.is_empty();
        let around = Surroundings { has_x_unit, names_coinciding, subtitle_lines: texts.subtitle_lines };
        let panel = Page { panel: panel.panel.map(|_| around), ..panel };
        let is_above = |i: usize| columns == 1 && i + 1 < shown;
        let drawn = panels.iter().enumerate().map(|(i, one)| one.draw_in(panel, is_above(i))).collect();
        let mut drawn = head.tiled(drawn, columns, beside);
        let top = heading.height();
        let high = drawn.height() - top;
        drawn.upright(14.0, top + high / 2.0, high, &y_title);
        if below > 0.0 {
            let middle = beside + (width - beside) / 2.0;
            drawn = drawn.with_below(below, |page, top| {
                page.text(middle, top + 10.0, Anchor::Middle, INK, &x_title);
            });
        }
        let drawn = drawn.with_below(legend.height() + 8.0, |page, top| legend.draw(page, 4.0, top));
        Notes::below(drawn, note)
    }
}
