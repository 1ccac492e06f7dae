//! Results as text: numbers, and tables for the terminal, Markdown, LaTeX and CSV.

mod escaped;
mod number;
mod paper_table;
mod pivot;
mod table;

pub use number::{duration_ns, grouped};
pub use paper_table::{PaperCell, PaperTable};
pub use pivot::{Best, Pivot, PivotEntry, Side};
pub use table::{Align, Table};
