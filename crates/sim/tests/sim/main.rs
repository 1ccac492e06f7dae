//! Networks, and the statistics of paired jobs.

mod networks;
mod paired;
