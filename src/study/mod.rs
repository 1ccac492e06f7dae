//! Studies: the product of logs, machines, schedulers and allocators as a flat list of cells, and how one is run.

mod cell;
mod log;

pub use cell::{Cell, CellError, Outcome, Plan};
pub use log::{LoadedLog, load};
