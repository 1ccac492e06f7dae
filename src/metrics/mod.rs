//! Records to numbers: dispersal of placements, delays, utilisation, cost of allocator calls. No room below looks here.

mod compactions;
mod contention;
mod cost;
mod curves;
mod dispersal;
mod recorder;
mod replications;
mod rows;
mod summary;
mod torus_diameter;
mod traffic;

pub use compactions::Compactions;
pub use contention::{Contention, JobContention};
pub use cost::{Cost, CostSummary};
pub use curves::{busy_nodes, exceeding};
pub use dispersal::{Dispersal, Meter};
pub use recorder::{ContentionRecord, Monitor, Recorder, Recording};
pub use replications::{Interval, Replications};
pub use summary::{ContentionSummary, Summary, Trim, summarize};
pub use traffic::TrafficSummary;
