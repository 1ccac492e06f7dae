//! S. S. Chen et al., "Toward Co-adapting Machine Learning Job Shape and Cluster Topology", arXiv 2510.03891, 2025.
//!
//! Of the paper only the abstract was seen, and the simulator that its authors published (github.com/shuoshuc/RFold).
//! The policies are those of the simulator. The workload is that of its generator, whose run times come from a file that
//! was not seen; so run times and load are a choice of ours, and numbers need not agree.

use super::load::{Folder, files};

/// The data files and the code of the paper.
pub(super) const FOLDER: Folder = Folder {
    files: files![
        "paper.toml",
        "sentences.toml",
        "policies.toml",
        "studies/mix-torus.toml",
        "studies/mix-cubes.toml",
        "studies/slices-torus.toml",
        "studies/slices-cubes.toml",
    ],
    code: &[],
};
