//! Reports: one HTML file with everything in it, for any browser, without a network.

mod escape;
mod foreign;
mod html;
mod schedule;

pub use foreign::safe_svg;
pub use html::{Report, ReportCell, ReportTable};
pub use schedule::{Schedule, ScheduledJob, ScheduledReplay};
