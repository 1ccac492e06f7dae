//! Reports: one HTML file with everything in it, for any browser, without a network.

mod escape;
mod html;
mod schedule;

pub use html::{Report, ReportCell, ReportTable};
pub use schedule::{Schedule, ScheduledJob, ScheduledReplay};
