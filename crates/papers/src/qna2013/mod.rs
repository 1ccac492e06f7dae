//! R. Zolfaghari, "Quick non-contiguous allocation", IJEAT 2013.
//!
//! The curves are drawn without numbers. The text gives a few ratios, each at one load. They lie where queues begin to
//! grow without limit, and change fast with the load. So the whole curve is shown, with the load at which each ratio is
//! reached.
//!
//!
//! Five packets per job barely load the network. At saturation about 1 % of the capacity of the links is used, and
//! headers wait for 5 of 47 cycles. So the positions of processors matter little, and the differences between the
//! non-contiguous allocators are small. Runs with more messages per job are among the variants.

mod fig1;
mod printed_scan;

use super::load::{Folder, files};

/// The data files and the code of the paper.
pub(super) const FOLDER: Folder = Folder {
    files: files![
        "paper.toml",
        "sentences.toml",
        "loads.toml",
        "utilization.toml",
        "lengths.toml",
        "readings.toml",
        "studies/heavy.toml",
        "studies/one-to-all-uniform.toml",
        "studies/one-to-all-uniform-printed.toml",
        "studies/one-to-all-exponential.toml",
        "studies/all-to-all-uniform.toml",
        "studies/all-to-all-uniform-printed.toml",
        "studies/all-to-all-exponential.toml",
        "studies/all-to-all-exponential-printed.toml",
        "studies/one-to-all-length-16.toml",
        "studies/one-to-all-length-32.toml",
        "studies/one-to-all-length-64.toml",
        "studies/one-to-all-32x32.toml",
        "studies/all-to-all-length-16.toml",
        "studies/all-to-all-length-32.toml",
        "studies/all-to-all-length-64.toml",
        "studies/all-to-all-32x32.toml",
        "studies/readings/readings-one-to-all.toml",
        "studies/readings/readings-all-to-all.toml",
        "studies/readings/saturation-one-to-all.toml",
        "studies/readings/saturation-all-to-all.toml",
        "studies/readings/messages-200.toml",
        "studies/readings/messages-1000.toml",
    ],
    code: &[("fig1", fig1::judge)],
};
