//! Every figure of every paper, and whether it can be regenerated.

use super::evidence::Evidence;
use super::item::Item;
use super::walker2010;

/// A paper whose experiments are regenerated.
#[derive(Clone, Copy, Debug)]
pub struct Paper {
    /// Its name on the command line: first authors and year.
    pub name: &'static str,
    /// Authors, title, venue, year.
    pub source: &'static str,
    /// Its figures and tables in their order.
    pub figures: &'static [Figure],
}

/// A figure or table.
#[derive(Clone, Copy, Debug)]
pub struct Figure {
    /// Its name on the command line, such as `fig9`.
    pub name: &'static str,
    /// What it shows.
    pub title: &'static str,
    /// Whether it can be regenerated.
    pub state: State,
}

/// Whether a figure can be regenerated.
#[derive(Clone, Copy, Debug)]
pub enum State {
    /// It can.
    Ready(Experiment),
    /// What it needs is not built yet.
    Missing(&'static str),
}

/// How a figure is regenerated.
#[derive(Clone, Copy, Debug)]
pub struct Experiment {
    /// Its studies. Each is of one dataset, so that a missing log costs nothing else.
    pub studies: &'static [Embedded],
    /// Datasets that are only looked at.
    pub surveyed: &'static [&'static str],
    /// Whether times are wanted; replays then run one at a time.
    pub timed: bool,
    /// What was published beside what was measured.
    pub judge: fn(&Evidence) -> Vec<Item>,
}

/// A study file that comes with the program.
#[derive(Clone, Copy, Debug)]
pub struct Embedded {
    /// Name of the study and of its directory.
    pub name: &'static str,
    /// The dataset that it replays, or [`STREAM`](super::STREAM).
    pub dataset: &'static str,
    /// The study file; its logs are names of the dataset or of streams.
    pub text: &'static str,
}

impl Paper {
    /// The figure of this name.
    pub fn figure(&self, name: &str) -> Option<&'static Figure> {
        self.figures.iter().find(|figure| figure.name == name)
    }
}

const fn missing(name: &'static str, title: &'static str, what: &'static str) -> Figure {
    Figure { name, title, state: State::Missing(what) }
}

const SUBMESHES: &str = "needs submesh allocators";
const ARRAYS: &str = "needs partitionable linear arrays";
const NETWORK: &str = "needs the wormhole network";

/// Every paper, by the breadth of what it asks.
pub const PAPERS: &[Paper] = &[
    walker2010::PAPER,
    Paper {
        name: "chang-mohapatra1998",
        source: "C.-Y. Chang, P. Mohapatra, \"An integrated processor management scheme for mesh-connected \
                 multicomputer systems\", 1998",
        figures: &[
            missing("fig1", "An example of fixed orientation", SUBMESHES),
            missing("fig3", "Turnaround under the bypass queue", SUBMESHES),
            missing("fig4a", "Turnaround of FF, FO and AS, uniform sides", SUBMESHES),
            missing("fig4b", "Turnaround of FF, FO and AS, normal sides", SUBMESHES),
            missing("fig5", "Turnaround of BQ+FO and AS", SUBMESHES),
            missing("fig6", "Variance of turnaround by threshold", SUBMESHES),
        ],
    },
    Paper {
        name: "diessel1996",
        source: "O. Diessel, H. ElGindy, B. Beresford-Smith, \"Partial task compaction reduces queuing delays in \
                 partitionable-array machines\", 1996",
        figures: &[
            missing("fig3", "An example of ordered compaction", ARRAYS),
            missing("fig4", "Delays by load", ARRAYS),
            missing("fig5", "Reduction of allocation delay by array size", ARRAYS),
            missing("table1", "Tasks that finish earlier and later", ARRAYS),
        ],
    },
    Paper {
        name: "gabl2006",
        source: "S. Bani-Mohammad, M. Ould-Khaoua, I. Ababneh, L. Mackenzie, \"Non-contiguous processor allocation \
                 strategy for 2D mesh connected multicomputers\", ICPADS 2006",
        figures: &[
            missing("fig3", "Finish times by load", NETWORK),
            missing("fig4", "Turnaround by load", NETWORK),
            missing("fig5", "Utilization by load", NETWORK),
        ],
    },
    Paper {
        name: "qna2013",
        source: "R. Zolfaghari, \"Quick non-contiguous allocation\", IJEAT 2013",
        figures: &[
            missing("fig1", "An example of the scan for submeshes", SUBMESHES),
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
