//! What a paper's figure consists of.

use super::evidence::Evidence;
use super::item::Item;
use super::sentence::Sentence;

/// A paper whose experiments are regenerated.
#[derive(Clone, Copy, Debug)]
pub struct Paper {
    /// Its name on the command line: first authors and year.
    pub name: &'static str,
    /// Authors, title, venue, year.
    pub source: &'static str,
    /// Whether the versions of logs that [`super::DATASETS`] names are this paper's.
    pub versions: bool,
    /// Its figures and tables in their order.
    pub figures: &'static [Figure],
    /// What it says of its results, sentence by sentence.
    pub sentences: &'static [Sentence],
}

/// A figure or table.
#[derive(Clone, Copy, Debug)]
pub struct Figure {
    /// Its name on the command line, such as `fig9`.
    pub name: &'static str,
    /// What it shows.
    pub title: &'static str,
    /// How it is regenerated.
    pub experiment: Experiment,
}

/// How a figure is regenerated.
#[derive(Clone, Copy, Debug)]
pub struct Experiment {
    /// Its studies. Each is of one dataset, so that a missing log costs nothing else.
    pub studies: &'static [Embedded],
    /// Datasets that are only looked at.
    pub surveyed: &'static [&'static str],
    /// Whether times are wanted; replays then run one at a time, and all of them in each of [`ROUNDS`].
    pub timed: bool,
    /// What was published beside what was measured.
    pub judge: fn(&Evidence) -> Vec<Item>,
}

/// A study file that comes with the program.
#[derive(Clone, Copy, Debug)]
pub struct Embedded {
    /// Name of the study and of its directory.
    pub name: &'static str,
    /// The dataset that it replays, or [`STREAM`](super::STREAM), or [`MODEL`].
    pub dataset: &'static str,
    /// The study file; its logs are names of the dataset or of streams.
    pub text: &'static str,
}

/// How often all replays whose times are wanted are repeated: as often as it takes until the least and the largest of the
/// ratios are an interval of 95 % confidence for their median.
pub const ROUNDS: usize = 6;

/// What stands for a dataset where the logs of a study are workload models.
pub const MODEL: &str = "synthetic";

impl Paper {
    /// The figure of this name.
    pub fn figure(&self, name: &str) -> Option<&'static Figure> {
        self.figures.iter().find(|figure| figure.name == name)
    }
}
