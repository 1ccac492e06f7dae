//! S. Bani-Mohammad, M. Ould-Khaoua, I. Ababneh, L. Mackenzie, "Non-contiguous processor allocation strategy for 2D
//! mesh connected multicomputers", ICPADS 2006.
//!
//! The curves of the paper are drawn without numbers, and its loads are not given. So only the statements in its text
//! are compared.

use super::load::{Folder, files};

/// The data files and the code of the paper.
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
