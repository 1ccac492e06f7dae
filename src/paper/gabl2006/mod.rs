//! S. Bani-Mohammad, M. Ould-Khaoua, I. Ababneh, L. Mackenzie, "Non-contiguous processor allocation strategy for 2D
//! mesh connected multicomputers", ICPADS 2006.
//!
//! The paper's curves are drawn without numbers, loads included; what its text says of them is what ours are compared
//! with.

use super::load::{Folder, files};

pub(super) const FOLDER: Folder = Folder {
    files: files![
        "paper.toml",
        "sentences.toml",
        "loads.toml",
        "studies/length-8.toml",
        "studies/length-16.toml",
        "studies/length-32.toml",
        "studies/length-64.toml",
    ],
    code: &[],
};
