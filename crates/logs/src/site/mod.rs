//! What the runs of a log show about their site: the size of the machine, and the period that the log covers.

mod levels;
mod size;
mod window;

pub use levels::Levels;
pub use size::SiteSize;
pub use window::Window;
