//! R. Zolfaghari, "Quick non-contiguous allocation", IJEAT 2013.
//!
//! The curves are drawn without numbers; the text gives a few ratios at one load each. These lie where jobs begin to
//! queue without end, and move fast with the load, so the whole curve is shown, and the load at which each ratio is
//! met.
//!
//! Five packets per job barely load the network: at saturation about 1 % of what its links could carry is used, and
//! headers wait for 5 of 47 cycles, so that it matters little where processors are, and what distinguishes the
//! non-contiguous allocators here is small. More messages per job are among the readings.

mod fig1;
mod printed_scan;

use super::load::{Folder, files};

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
