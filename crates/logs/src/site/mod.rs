//! What the runs of a log show about their site: the size of the machine, the period that the log covers, and
//! maintenance.

mod idle;
mod levels;
mod size;
mod window;

pub(crate) use idle::idle_spans;
pub use levels::Levels;
pub use size::{SiteSize, SizeSource};
pub use window::SiteWindow;
