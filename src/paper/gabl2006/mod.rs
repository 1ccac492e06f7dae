//! S. Bani-Mohammad, M. Ould-Khaoua, I. Ababneh, L. Mackenzie, "Non-contiguous processor allocation strategy for 2D mesh
//! connected multicomputers", ICPADS 2006.
//!
//! The paper's curves are drawn without numbers, loads included; what its text says of them is what ours are compared with.
//! Of eight loads up to where the non-contiguous allocators saturate, the fifth to the eighth are medium or high here, the
//! last two of them high; a ninth is beyond.

mod loads;
mod sentences;

use super::figure::{Figure, Paper};

pub(super) const PAPER: Paper = Paper {
    name: "gabl2006",
    source: "S. Bani-Mohammad, M. Ould-Khaoua, I. Ababneh, L. Mackenzie, \"Non-contiguous processor allocation strategy \
             for 2D mesh connected multicomputers\", ICPADS 2006",
    versions: false,
    figures: &[
        Figure { name: "fig3", title: "Finish times by load", experiment: loads::FIG3 },
        Figure { name: "fig4", title: "Turnaround by load", experiment: loads::FIG4 },
        Figure { name: "fig5", title: "Utilization by load", experiment: loads::FIG5 },
        Figure {
            name: "length16",
            title: "Turnaround by load with packets of 16 flits (text of 4.2)",
            experiment: loads::LENGTH16,
        },
        Figure {
            name: "length32",
            title: "Turnaround by load with packets of 32 flits (text of 4.2)",
            experiment: loads::LENGTH32,
        },
        Figure {
            name: "length64",
            title: "Turnaround by load with packets of 64 flits (text of 4.2)",
            experiment: loads::LENGTH64,
        },
        Figure {
            name: "lengths",
            title: "Advantage of GABL by the length of packets (text of 4.2)",
            experiment: loads::LENGTHS,
        },
    ],
    sentences: sentences::SENTENCES,
};

/// A study file of this folder, whose name is that of the study.
macro_rules! study {
    ($name:literal) => {
        $crate::paper::figure::Embedded {
            name: $name,
            dataset: $crate::paper::figure::MODEL,
            text: include_str!(concat!("studies/", $name, ".toml")),
        }
    };
}
use study;
