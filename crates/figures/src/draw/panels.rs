//! Several grids on one page, under one heading and above one legend.

use super::drawing::Drawing;
use super::grid::Grid;
use super::legend::{Entry, Legend, Sample};
use super::page::{Heading, Page};
use super::text::joined;

/// Grids with a common heading and legend.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Panels {
    /// The title of the page.
    pub title: String,
    /// The subtitle: shared properties of all panels.
    pub subtitle: String,
    /// The panels: grids without a title, whose subtitles are their names.
    pub panels: Vec<Grid>,
    /// Largest number of panels in a line.
    pub columns: usize,
    /// The height of a panel, as a part of its width; `None` for one that suits its content.
    pub aspect: Option<f64>,
}

/// The width of several panels on a screen, in pixels.
const WIDE: f64 = 960.0;

/// The least height of a panel that is not square, in pixels.
const LOWEST: f64 = 165.0;

impl Panels {
    /// Returns the number of panels in a line of a page, and the page of one panel.
    pub fn layout(page: Page, count: usize, columns: usize, aspect: Option<f64>) -> (usize, Page) {
        if count <= 1 {
            return (1, page);
        }
        let whole = page.width.unwrap_or(WIDE);
        // A panel has at least 190 units, which are 39 mm on paper.
        let columns = columns.min((whole / 190.0) as usize).clamp(1, count);
        // All lines have about the same number of panels.
        let columns = count.div_ceil(count.div_ceil(columns));
        let width = whole / columns as f64;
        let rows = count.div_ceil(columns) as f64;
        let height = page
            .height
            .map(|height| (height - 60.0) / rows)
            .or(aspect.map(|aspect| (aspect * width).max(LOWEST)));
        (columns, Page { height, is_untitled: false, ..page.panel(width) })
    }

    /// Returns the panels as one drawing for a page. A single panel is drawn as large as the page.
    pub fn draw_on(&self, page: Page) -> Drawing {
        let (columns, panel) = Self::layout(page, self.panels.len(), self.columns, self.aspect);
        if let [only] = &self.panels[..] {
            let subtitle = joined(&[&only.subtitle, &self.subtitle]);
            return Grid { title: self.title.clone(), subtitle, ..only.clone() }.draw_on(page);
        }
        if self.panels.is_empty() {
            return Grid { title: self.title.clone(), ..Grid::default() }.draw_on(page);
        }
        let width = page.width.unwrap_or(WIDE);
        let heading = Heading::new(Page { width: Some(width), ..page }, &self.title, &self.subtitle);
        let head = Drawing::titled(&heading, 4.0, width, heading.height());
        let last = self.panels.len() - 1;
        let grid = |(i, grid): (usize, &Grid)| {
            let mut grid = Grid { legend: Vec::new(), ..grid.clone() };
            // Panels below each other share the title of their axis.
            if columns == 1 && i < last && !grid.square {
                grid.x.axis.title = String::new();
            }
            grid.draw_on(panel)
        };
        let drawn = head.tiled(self.panels.iter().enumerate().map(grid).collect(), columns);
        // The entries of all panels, each once.
        let mut entries: Vec<Entry<'_>> = Vec::new();
        for (name, colour) in self.panels.iter().flat_map(|grid| &grid.legend) {
            if !entries.iter().any(|(other, _)| other == name) {
                entries.push((name, Sample::Colour(colour)));
            }
        }
        let legend = Legend::new(entries, width - 8.0);
        drawn.with_below(legend.height() + 8.0, |page, top| legend.draw(page, 4.0, top))
    }
}
