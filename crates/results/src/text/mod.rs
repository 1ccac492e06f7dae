//! Text for terminals and files: numbers, tables (terminal, Markdown, LaTeX, CSV), and command lines.

mod escaped;
mod grid;
mod layout;
mod number;
mod paper_table;
mod screen;
mod shell;
mod table;

pub use escaped::{csv_line, for_terminal, from_cell, printable, to_cell, well_formed};
pub use grid::{Grid, Labelled, Side, best, decimals};
pub use layout::{ColumnClass, Layout, LayoutBlock, TooWide};
pub use number::{duration_ns, grouped};
pub use paper_table::{PaperCell, PaperTable};
pub use screen::Screen;
pub use shell::{command_line, quoted};
pub use table::{Align, LongTable, LongText, TextTable, wrapped_words};
