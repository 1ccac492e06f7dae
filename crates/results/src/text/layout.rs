//! Tables in blocks: one panel per measure with a row per log and machine and a column per allocator.

use super::screen::Screen;
use super::{PaperTable, escaped};

/// A table in blocks, whose panels all have the same columns.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// The content of the table in a few words.
    pub title: String,
    /// The classes of adjacent columns, in order.
    pub classes: Vec<ColumnClass>,
    /// The blocks, such as one per scheduler and load.
    pub blocks: Vec<LayoutBlock>,
    /// The notes below all blocks.
    pub notes: Vec<String>,
}

/// Adjacent columns with a common heading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnClass {
    /// The heading.
    pub title: String,
    /// The number of columns.
    pub columns: usize,
}

/// A block of a [`Layout`].
#[derive(Clone, Debug, Default)]
pub struct LayoutBlock {
    /// What the block is about, such as the scheduler and the load.
    pub title: String,
    /// One table per measure, with one label per column and titles that name the measures.
    pub panels: Vec<PaperTable>,
}

impl Layout {
    /// Returns the table as lines of aligned text, with the best values in bold if the screen has bold
    /// letters.
    pub fn text(&self, screen: Screen) -> String {
        let notes: Vec<String> =
            self.notes.iter().map(|note| screen.words(&escaped::printable(note))).collect();
        self.titled().map(|panel| panel.text(screen) + "\n").chain(notes).collect()
    }

    /// Returns the table in Markdown. The best values are in bold (`**`).
    pub fn markdown(&self) -> String {
        let notes: Vec<String> = self.notes.iter().map(|note| escaped::markdown(note) + "\n").collect();
        let panels = self.titled().map(|panel| panel.markdown());
        panels.chain(notes).collect::<Vec<_>>().join("\n")
    }

    /// Returns the panels, with the titles of their blocks in front of their own.
    fn titled(&self) -> impl Iterator<Item = PaperTable> {
        self.blocks.iter().flat_map(|block| {
            let titled = |panel: &PaperTable| PaperTable {
                title: format!("{} · {}", block.title, panel.title),
                ..panel.clone()
            };
            block.panels.iter().map(titled)
        })
    }
}
