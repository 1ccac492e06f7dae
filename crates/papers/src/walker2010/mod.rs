//! P. Walker, D. Bunde, V. Leung, "Faster high-quality processor allocation", 2010.

mod blocks;

use super::load::{Folder, files};

/// The data files and the code of the paper.
pub(super) const FOLDER: Folder = Folder {
    files: files![
        "paper.toml",
        "sentences.toml",
        "fig7.toml",
        "fig7.tsv",
        "fig8.toml",
        "fig9.toml",
        "fig9.tsv",
        "fig12.toml",
        "loads.toml",
        "fig17.toml",
        "fig17.tsv",
        "studies/fig7.toml",
        "studies/fig7-sums.toml",
        "studies/fig9-nasa.toml",
        "studies/fig9-cm5.toml",
        "studies/fig9-t3d.toml",
        "studies/fig9-sp2.toml",
        "studies/fig9-ubgl.toml",
        "studies/fig12-kth.toml",
        "studies/fig12-hpc2n.toml",
        "studies/fig12-sp2.toml",
        "studies/fig12-t3d.toml",
        "studies/fig12-ubgl.toml",
        "studies/fig12-kth-128.toml",
        "studies/fig13.toml",
        "studies/fig14.toml",
        "studies/fig15.toml",
        "studies/fig16.toml",
        "studies/fig17-hpc2n.toml",
        "studies/fig17-cm5.toml",
    ],
    code: &[("blocks", blocks::measure)],
};
