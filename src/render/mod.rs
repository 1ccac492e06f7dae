//! Results as people read them.

mod number;
mod table;

pub use number::{duration_ns, grouped};
pub use table::{Align, Table};
