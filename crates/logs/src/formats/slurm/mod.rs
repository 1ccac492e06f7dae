//! What Slurm writes about finished jobs: the dump of `sacct -P` ([`sacct`]), that of `sacct --json`
//! ([`json`]) and the text log of job completions ([`jobcomp`]).
//!
//! The three formats hold the same facts. Each parser collects a job's facts as a [`job::SlurmJob`], and
//! [`job::Accounting`] makes the record, so all three give the same jobs.
#![expect(clippy::arithmetic_side_effects, reason = "positions in a line and counts of lines")]

mod job;
pub(super) mod jobcomp;
pub(super) mod json;
pub(super) mod sacct;
mod tres;

pub(super) use job::{Fate, fate};

/// Where the formats are described, for their rows.
const SOURCE: &str = "A. Yoo, M. Jette, M. Grondona, \"SLURM: Simple Linux utility for resource \
     management\", JSSPP 2003; manual pages sacct(1) and slurm.conf(5)";
