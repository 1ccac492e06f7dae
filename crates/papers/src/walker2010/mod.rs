//! P. Walker, D. Bunde, V. Leung, "Faster high-quality processor allocation", 2010.

mod fig12;
mod fig17;
mod fig7;
mod fig9;
mod loads;

use super::load::{Paper, chart, studies, table};

const GRANULAR: &str = "granular-mbs";
const LAYERED: &str = "layered-mbs";
const OCTET: &str = "octet-mbs";
const SNAKE: &str = "column-snake+bf";

/// The paper and its figures.
pub(super) const PAPER: Paper = Paper {
    name: "walker2010",
    source: "P. Walker, D. Bunde, V. Leung, \"Faster high-quality processor allocation\", 2010",
    versions: true,
    figures: &[
        table(
            "fig7",
            "Makespans of curves on a Red Storm cabinet; here, over a network and on streams made anew",
            studies!["fig7", "fig7-routing"],
            fig7::makespans,
        ),
        table(
            "fig7-sums",
            "Mean pairwise sums of the curves of Fig. 7, on streams made anew (not in the paper)",
            studies!["fig7-sums"],
            fig7::sums,
        ),
        table("fig8", "The logs", &[], fig9::logs).surveys(&[
            "NASA-iPSC-1993",
            "LANL-CM5-1994",
            "LLNL-T3D-1996",
            "SDSC-SP2-1998",
            "LLNL-uBGL-2006",
        ]),
        table(
            "fig9",
            "Mean pairwise sum of curves and selections under EASY",
            studies!["fig9-nasa", "fig9-cm5", "fig9-t3d", "fig9-sp2", "fig9-ubgl"],
            fig9::judge,
        ),
        chart(
            "fig12",
            "Buddy strategies and the snake against MC1x1, in two and three dimensions",
            studies!["fig12-kth", "fig12-hpc2n", "fig12-sp2", "fig12-t3d", "fig12-ubgl", "fig12-kth-128"],
            fig12::judge,
        )
        .surveys(&["KTH-SP2-1996", "HPC2N-2002", "SDSC-SP2-1998", "LLNL-T3D-1996", "LLNL-uBGL-2006"]),
        chart(
            "fig13",
            "Utilization and mean pairwise sum by load, LLNL-T3D on 16x16",
            studies!["fig13"],
            |findings| loads::t3d(findings, "16x16"),
        ),
        chart(
            "fig14",
            "Utilization and mean pairwise sum by load, LLNL-T3D on 8x8x4",
            studies!["fig14"],
            |findings| loads::t3d(findings, "8x8x4"),
        ),
        chart(
            "fig15",
            "Utilization and mean pairwise sum by load, LLNL-uBGL on 16x16x8",
            studies!["fig15"],
            loads::fig15,
        ),
        chart(
            "fig16",
            "Utilization and mean pairwise sum by load, LLNL-uBGL on 64x32",
            studies!["fig16"],
            loads::fig16,
        ),
        table("fig17", "Seconds for a whole simulation", studies!["fig17-hpc2n", "fig17-cm5"], fig17::judge)
            .surveys(&["HPC2N-2002", "LANL-CM5-1994"])
            .timed(),
        table(
            "fig17-plain",
            "Seconds for a whole simulation, MC1x1 as written, one round (takes minutes)",
            studies!["fig17-plain-hpc2n", "fig17-plain-cm5"],
            fig17::judge_plain,
        )
        .surveys(&["HPC2N-2002", "LANL-CM5-1994"])
        .timed_once(),
    ],
    sentences: include_str!("sentences.toml"),
};
