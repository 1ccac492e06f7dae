//! Records to numbers: dispersal of placements, delays, utilisation, cost of allocator calls. No room below looks here.

mod cost;
mod dispersal;
mod recorder;
mod replications;
mod rows;
mod summary;
mod torus_diameter;

pub use cost::{Cost, CostSummary};
pub use dispersal::{Dispersal, Meter};
pub use recorder::{Monitor, Recorder, Recording};
pub use replications::{Interval, Replications};
pub use summary::{Summary, Trim, summarize};
