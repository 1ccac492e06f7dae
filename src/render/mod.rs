//! Results as people read them.

mod escaped;
pub(crate) mod mark;
mod number;
mod paper;
mod pivot;
pub mod plot;
pub mod report;
mod table;

pub use mark::{MARKED, is_marked, marked_png, marked_svg};
pub use number::{duration_ns, grouped};
pub use paper::{PaperCell, PaperTable};
pub use pivot::{Best, Pivot, PivotEntry, Side};
pub use table::{Align, Table};
