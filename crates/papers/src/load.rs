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

/// The folder of a paper: its figures, its studies, and what it states.
#[derive(Clone, Copy, Debug)]
pub(super) struct Folder {
    /// The name on the command line: first authors and year.
    pub(super) name: &'static str,
    /// Authors, title, venue and year.
    pub(super) source: &'static str,
    /// Whether this paper used the versions of logs that [`super::DATASETS`] names.
    pub(super) versions: bool,
    /// The figures and tables, in the order of the paper.
    pub(super) figures: &'static [FigureEntry],
    /// The content of `sentences.toml`.
    pub(super) sentences: &'static str,
}

/// The contents of study files.
pub(super) type Studies = &'static [&'static str];

/// A figure in the list of a paper; see [`Figure`].
#[derive(Clone, Copy, Debug)]
pub(super) struct FigureEntry {
    name: &'static str,
    title: &'static str,
    is_chart: bool,
    studies: Studies,
    surveyed: &'static [&'static str],
    timed: bool,
    judge: Judge,
}

/// The code of a figure, which adds its items and marks.
pub(super) type Judge = fn(&mut Findings<'_>);

/// Returns a figure that the paper draws as a chart.
pub(super) const fn chart(
    name: &'static str,
    title: &'static str,
    studies: Studies,
    judge: Judge,
) -> FigureEntry {
    FigureEntry { is_chart: true, ..table(name, title, studies, judge) }
}

/// Returns a table, a drawing that is no chart, or a part of the text.
pub(super) const fn table(
    name: &'static str,
    title: &'static str,
    studies: Studies,
    judge: Judge,
) -> FigureEntry {
    FigureEntry { name, title, is_chart: false, studies, surveyed: &[], timed: false, judge }
}

impl FigureEntry {
    /// Adds datasets of which facts about the log are wanted.
    pub(super) const fn surveys(self, datasets: &'static [&'static str]) -> Self {
        Self { surveyed: datasets, ..self }
    }

    /// Compares run times.
    pub(super) const fn timed(self) -> Self {
        Self { timed: true, ..self }
    }
}

/// Returns the studies of these names in the folder of a paper, read when the program is compiled.
macro_rules! studies {
    ($($name:literal),+ $(,)?) => { &[$(include_str!(concat!("studies/", $name, ".toml"))),+] };
}
pub(super) use studies;

/// The reason why a file of a paper cannot be used. A test checks that the files of every paper can be used.
#[derive(Debug, thiserror::Error)]
#[error("{file} of the paper cannot be read: {problem}")]
pub struct PaperError {
    /// What is in the file: sentences or a study.
    pub file: &'static str,
    /// What is wrong, with the line.
    pub problem: String,
}

/// A paper, and how its experiments are regenerated.
#[derive(Debug)]
pub struct Paper {
    /// The name on the command line: first authors and year.
    pub name: String,
    /// Authors, title, venue and year.
    pub source: String,
    /// Whether this paper used the versions of logs that [`super::DATASETS`] names.
    pub versions: bool,
    /// The figures and tables, in the order of the paper.
    pub figures: Vec<Figure>,
    /// The sentences in which the paper states its results.
    pub sentences: Vec<Sentence>,
}

/// A figure or table of a paper.
#[derive(Debug)]
pub struct Figure {
    /// The name on the command line, such as `fig9`.
    pub name: String,
    /// A title that says what the figure shows.
    pub title: String,
    /// Whether the paper draws it as a chart; the plot then has the form of the paper's.
    pub is_chart: bool,
    /// The studies to replay. Each study uses one dataset, so that a missing log leaves out only its own
    /// study.
    pub studies: Vec<Embedded>,
    /// Datasets of which only facts about the log are wanted; no study replays them.
    pub surveyed: Vec<String>,
    /// Whether the figure compares run times. Its replays then run one at a time, and all are repeated
    /// [`ROUNDS`] times.
    pub timed: bool,
    judge: Judge,
}

/// A study file that is compiled into the program.
#[derive(Clone, Debug)]
pub struct Embedded {
    /// The name of the study and of its directory.
    pub name: String,
    /// The dataset that the study replays, or [`STREAM`], or [`MODEL`].
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
    sentence: Vec<SentenceEntry>,
}

/// A sentence, which may be about several figures.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SentenceEntry {
    section: String,
    figures: Vec<String>,
    claim: String,
    #[serde(default)]
    judged_by: Vec<String>,
    not_measurable: Option<String>,
}

/// The part of a study file that papers use.
#[derive(Deserialize)]
struct StudyFile {
    name: String,
    logs: Vec<String>,
}

impl Folder {
    /// Returns the paper in the folder.
    pub(super) fn read(&self) -> Result<Paper, PaperError> {
        let SentencesFile { sentence } = parsed("sentences.toml", self.sentences)?;
        Ok(Paper {
            name: self.name.to_owned(),
            source: self.source.to_owned(),
            versions: self.versions,
            figures: self.figures.iter().map(FigureEntry::read).collect::<Result<_, _>>()?,
            sentences: sentence.into_iter().flat_map(SentenceEntry::sentences).collect(),
        })
    }
}

impl FigureEntry {
    fn read(&self) -> Result<Figure, PaperError> {
        Ok(Figure {
            name: self.name.to_owned(),
            title: self.title.to_owned(),
            is_chart: self.is_chart,
            studies: self.studies.iter().map(|text| Embedded::read(text)).collect::<Result<_, _>>()?,
            surveyed: self.surveyed.iter().map(|dataset| (*dataset).to_owned()).collect(),
            timed: self.timed,
            judge: self.judge,
        })
    }
}

impl Embedded {
    fn read(text: &'static str) -> Result<Self, PaperError> {
        let StudyFile { name, logs } = parsed("a study", text)?;
        let dataset = match logs.first() {
            Some(log) if Model::is_spec(log) => MODEL.to_owned(),
            Some(log) if log.starts_with(STREAM) => STREAM.to_owned(),
            first => first.cloned().unwrap_or_default(),
        };
        Ok(Self { name, dataset, logs, text })
    }
}

fn parsed<T: DeserializeOwned>(file: &'static str, text: &str) -> Result<T, PaperError> {
    toml::from_str(text).map_err(|error| PaperError { file, problem: error.to_string() })
}

impl SentenceEntry {
    /// Returns one sentence for each figure that the entry names.
    fn sentences(self) -> Vec<Sentence> {
        let Self { section, figures, claim, judged_by, not_measurable } = self;
        let of = |figure: String| Sentence {
            // `{figure}` stands for the number of the figure.
            section: section.replace("{figure}", figure.trim_start_matches("fig")),
            figure,
            claim: claim.clone(),
            judged_by: judged_by.clone(),
            not_measurable: not_measurable.clone(),
        };
        figures.into_iter().map(of).collect()
    }
}

impl Paper {
    /// Returns the figure of this name; `None` if there is none.
    pub fn figure(&self, name: &str) -> Option<&Figure> {
        self.figures.iter().find(|figure| figure.name == name)
    }
}

impl Figure {
    /// Returns the findings of the figure, what was published compared with what was measured, and the
    /// published numbers that its plot shows beside the measured ones.
    pub fn judge(&self, evidence: &Evidence) -> (Vec<Finding>, Vec<Mark>) {
        let mut findings = Findings::new(evidence, self);
        (self.judge)(&mut findings);
        (findings.items, findings.marks)
    }
}
