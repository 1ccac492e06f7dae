//! Networks, and the statistics of paired jobs.
#![expect(clippy::print_stdout, reason = "a test says how often the intervals hold")]

mod networks;
mod paired;
