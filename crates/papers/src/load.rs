//! Papers and their figures, as their folders describe them.

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::evidence::Evidence;
use super::finding::{Finding, Mark};
use super::findings::Findings;
use super::sentence::Sentence;
use super::stream::STREAM;
use meshreplay_workload::Model;

/// The number of times that all replays are repeated where times are wanted. Six is the least number for
/// which the smallest and the largest ratio are the ends of a 95 % confidence interval of the median.
pub const ROUNDS: usize = 6;

/// The name that stands for a dataset where the logs of a study are workload models.
pub const MODEL: &str = "synthetic";

/// A paper, and how its experiments are regenerated.
#[derive(Debug)]
pub struct Paper {
    /// The name on the command line: first authors and year.
    pub name: &'static str,
    /// Authors, title, venue and year.
    pub source: &'static str,
    /// Whether this paper used the versions of logs that [`super::DATASETS`] names.
    pub versions: bool,
    /// The figures and tables, in the order of the paper.
    pub figures: &'static [Figure],
    /// The content of `sentences.toml`.
    pub(super) sentences: &'static str,
}

/// A figure or table of a paper.
#[derive(Debug)]
pub struct Figure {
    /// The name on the command line, such as `fig9`.
    pub name: &'static str,
    /// A title that says what the figure shows.
    pub title: &'static str,
    /// Whether the paper draws it as a chart; the plot then has the form of the paper's.
    pub is_chart: bool,
    /// Datasets of which only facts about the log are wanted; no study replays them.
    pub surveyed: &'static [&'static str],
    /// Whether the figure compares run times. Its replays then run one at a time, and all are repeated
    /// `rounds` times.
    pub timed: bool,
    /// The number of rounds where run times are compared: [`ROUNDS`], or 1 where one round takes minutes.
    pub(super) rounds: usize,
    studies: Studies,
    judge: Judge,
}

/// The contents of study files.
pub(super) type Studies = &'static [&'static str];

/// The code of a figure, which adds its items and marks.
pub(super) type Judge = fn(&mut Findings<'_>);

/// Returns a figure that the paper draws as a chart.
pub(super) const fn chart(name: &'static str, title: &'static str, studies: Studies, judge: Judge) -> Figure {
    Figure { is_chart: true, ..table(name, title, studies, judge) }
}

/// Returns a table, a drawing that is no chart, or a part of the text.
pub(super) const fn table(name: &'static str, title: &'static str, studies: Studies, judge: Judge) -> Figure {
    Figure { name, title, is_chart: false, surveyed: &[], timed: false, rounds: ROUNDS, studies, judge }
}

/// Returns the studies of these names in the folder of a paper, read when the program is compiled.
macro_rules! studies {
    ($($name:literal),+ $(,)?) => { &[$(include_str!(concat!("studies/", $name, ".toml"))),+] };
}
pub(super) use studies;

/// A study file that is compiled into the program.
#[derive(Clone, Debug)]
pub struct Embedded {
    /// The name of the study and of its directory.
    pub name: String,
    /// The dataset that the study replays, or [`STREAM`], or [`MODEL`]. Each study uses one dataset, so that a
    /// missing log leaves out only its own study.
    pub dataset: String,
    /// The logs of the study: names of the dataset or of streams, or workload models.
    pub logs: Vec<String>,
    /// The content of the study file.
    pub text: &'static str,
}

/// The content of `sentences.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SentencesFile {
    sentence: Vec<Sentence>,
}

/// The part of a study file that papers use.
#[derive(Deserialize)]
struct StudyFile {
    name: String,
    logs: Vec<String>,
}

impl Embedded {
    fn parse(text: &'static str) -> Self {
        let StudyFile { name, logs } = parsed(text);
        let dataset = match logs.first() {
            Some(log) if Model::is_spec(log) => MODEL.to_owned(),
            Some(log) if log.starts_with(STREAM) => STREAM.to_owned(),
            first => first.cloned().unwrap_or_default(),
        };
        Self { name, dataset, logs, text }
    }
}

/// Returns the content of a file that is compiled into the program.
fn parsed<T: DeserializeOwned>(text: &str) -> T {
    toml::from_str(text).expect("a test reads the files of every paper")
}

impl Paper {
    /// Returns the figure of this name; `None` if there is none.
    pub fn figure(&self, name: &str) -> Option<&'static Figure> {
        self.figures.iter().find(|figure| figure.name == name)
    }

    /// Returns the sentences in which the paper states its results.
    pub fn sentences(&self) -> Vec<Sentence> {
        parsed::<SentencesFile>(self.sentences).sentence
    }
}

impl Figure {
    /// Adds datasets of which facts about the log are wanted.
    pub(super) const fn surveys(self, datasets: &'static [&'static str]) -> Self {
        Self { surveyed: datasets, ..self }
    }

    /// Compares run times.
    pub(super) const fn timed(self) -> Self {
        Self { timed: true, ..self }
    }

    /// Compares run times of a single round.
    pub(super) const fn timed_once(self) -> Self {
        Self { timed: true, rounds: 1, ..self }
    }

    /// Returns the studies to replay.
    pub fn studies(&self) -> Vec<Embedded> {
        self.studies.iter().copied().map(Embedded::parse).collect()
    }

    /// Returns the findings of the figure, what was published compared with what was measured, and the
    /// published numbers that its plot shows beside the measured ones.
    pub fn judge(&self, evidence: &Evidence) -> (Vec<Finding>, Vec<Mark>) {
        let mut findings = Findings::new(evidence, self);
        (self.judge)(&mut findings);
        (findings.items, findings.marks)
    }
}
