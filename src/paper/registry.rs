//! Every figure of every paper, and whether it can be regenerated.

use super::figure::{Figure, Paper, State};
use super::{chang_mohapatra1998, diessel1996, qna_fig1, walker2010};

const fn missing(name: &'static str, title: &'static str, what: &'static str) -> Figure {
    Figure { name, title, state: State::Missing(what) }
}

const NETWORK: &str = "needs the wormhole network";

/// Every paper, by the breadth of what it asks.
pub const PAPERS: &[Paper] = &[
    walker2010::PAPER,
    chang_mohapatra1998::PAPER,
    diessel1996::PAPER,
    Paper {
        name: "gabl2006",
        source: "S. Bani-Mohammad, M. Ould-Khaoua, I. Ababneh, L. Mackenzie, \"Non-contiguous processor allocation \
                 strategy for 2D mesh connected multicomputers\", ICPADS 2006",
        versions: false,
        figures: &[
            missing("fig3", "Finish times by load", NETWORK),
            missing("fig4", "Turnaround by load", NETWORK),
            missing("fig5", "Utilization by load", NETWORK),
        ],
    },
    Paper {
        name: "qna2013",
        source: "R. Zolfaghari, \"Quick non-contiguous allocation\", IJEAT 2013",
        versions: false,
        figures: &[
            Figure {
                name: "fig1",
                title: "An example of the scan for submeshes",
                state: State::Ready(qna_fig1::EXPERIMENT),
            },
            missing("fig2", "Completion times, one-to-all, uniform sides", NETWORK),
            missing("fig3", "Completion times, one-to-all, exponential sides", NETWORK),
            missing("fig4", "Completion times, all-to-all, uniform sides", NETWORK),
            missing("fig5", "Completion times, all-to-all, exponential sides", NETWORK),
            missing("fig6", "Utilization, uniform sides", NETWORK),
            missing("fig7", "Utilization, exponential sides", NETWORK),
            missing("fig8", "Waiting times, one-to-all, uniform sides", NETWORK),
            missing("fig9", "Waiting times, one-to-all, exponential sides", NETWORK),
            missing("fig10", "Waiting times, all-to-all, uniform sides", NETWORK),
            missing("fig11", "Waiting times, all-to-all, exponential sides (printed as Figure 10)", NETWORK),
        ],
    },
];
