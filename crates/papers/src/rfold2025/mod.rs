//! S. S. Chen et al., "Toward Co-adapting Machine Learning Job Shape and Cluster Topology", arXiv 2510.03891,
//! 2025.
//!
//! Of the paper only the abstract was seen, and the simulator that its authors published
//! (github.com/shuoshuc/RFold). Policies and workload follow the simulator. Its generator reads run times
//! from a file that was not seen; so run times and load are a choice of ours, and numbers need not agree.

mod policies;

use super::load::{Paper, studies, table};

/// The paper and its figures.
pub(super) const PAPER: Paper = Paper {
    name: "rfold2025",
    source: "S. S. Chen et al., \"Toward Co-adapting Machine Learning Job Shape and Cluster Topology\", \
        arXiv 2510.03891, 2025",
    versions: false,
    figures: &[
        table(
            "mix",
            "Utilization and completion times, the mixed workload of the simulator (abstract)",
            studies!["mix-torus", "mix-cubes"],
            |findings| {
                let because = "run times and load of the paper were not seen";
                policies::judge(findings, "rfold-mix:jobs=1000,offered=0.8", because);
            },
        ),
        table(
            "slices",
            "Utilization and completion times, the slices of accelerator pods (abstract)",
            studies!["slices-torus", "slices-cubes"],
            |findings| {
                let because = "no slice of this mix takes fewer cubes when it is folded";
                policies::judge(findings, "tpu-slices:jobs=1000,offered=0.8", because);
            },
        ),
    ],
    sentences: include_str!("sentences.toml"),
};
