//! Reads papers from their folders, which are compiled into the program.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::evidence::Evidence;
use super::finding::{Finding, Mark};
use super::rules::{self, PrintedTable, RuleError, RuleFile, SetSource, Subject};
use super::sentence::Sentence;
use super::stream::STREAM;
use meshreplay_workload::Model;

/// The number of times that all replays are repeated where times are wanted. Six is the least number for which the
/// smallest and the largest ratio are the ends of a 95 % confidence interval of the median.
pub const ROUNDS: usize = 6;

/// The name that stands for a dataset where the logs of a study are workload models.
pub const MODEL: &str = "synthetic";

/// The folder of a paper: its data files, and the code for what no rule can measure.
#[derive(Clone, Copy, Debug)]
pub(super) struct Folder {
    /// The files as (name, content): `paper.toml`, `sentences.toml`, rules, printed tables, `studies/*.toml`.
    pub(super) files: &'static [(&'static str, &'static str)],
    /// The functions that measure and judge by code, each with its name.
    pub(super) code: &'static [(&'static str, Code)],
}

/// The code of a figure. It may add measurements to the evidence, where the rules of the figure find them. It returns
/// findings, which stand before the findings of the rules.
pub(super) type Code = fn(&mut Evidence) -> Vec<Finding>;

/// Lists files of a folder as (name, content), read when the program is compiled.
macro_rules! files {
    ($($name:literal),+ $(,)?) => { &[$(($name, include_str!($name))),+] };
}
pub(super) use files;

/// The reason why the data of a paper cannot be used. A test checks that the data of every paper can be used.
#[derive(Debug, thiserror::Error)]
pub enum PaperError {
    /// A file that the paper names is not in its folder.
    #[error("'{file}' is not among the files of the paper")]
    NoFile {
        /// The name of the file.
        file: String,
    },
    /// A file has a wrong content.
    #[error("{file} of the paper cannot be read: {problem}")]
    Unreadable {
        /// The name of the file.
        file: String,
        /// What is wrong, with the line.
        problem: String,
    },
    /// A rule of a figure cannot be evaluated.
    #[error("the rules of {figure} cannot be followed")]
    Rules {
        /// The name of the figure.
        figure: String,
        /// The error.
        source: RuleError,
    },
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
    rules: BTreeMap<String, RuleFile>,
    tables: BTreeMap<&'static str, PrintedTable>,
    code: &'static [(&'static str, Code)],
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
    /// The studies to replay. Each study uses one dataset, so that a missing log leaves out only its own study.
    pub studies: Vec<Embedded>,
    /// Datasets of which only facts about the log are wanted; no study replays them.
    pub surveyed: Vec<String>,
    /// Whether the figure compares run times. Its replays then run one at a time, and all are repeated [`ROUNDS`]
    /// times.
    pub timed: bool,
    /// The file of its rules, and the name of its code, if it has any.
    rules: Option<String>,
    code: Option<String>,
    /// The facts about the figure that its rules use.
    subject: Subject,
}

/// A study file that is compiled into the program.
#[derive(Clone, Debug)]
pub struct Embedded {
    /// The name of the study and of its directory.
    pub name: String,
    /// The dataset that the study replays, or [`STREAM`], or [`MODEL`].
    pub dataset: String,
    /// The content of the study file. Its logs are names of the dataset or of streams.
    pub text: &'static str,
}

/// The content of `paper.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PaperFile {
    name: String,
    source: String,
    #[serde(default)]
    versions: bool,
    figure: Vec<FigureEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FigureEntry {
    name: String,
    title: String,
    #[serde(default)]
    chart: bool,
    #[serde(default)]
    studies: Vec<String>,
    #[serde(default)]
    surveyed: Vec<String>,
    #[serde(default)]
    timed: bool,
    rules: Option<String>,
    code: Option<String>,
    #[serde(default)]
    with: BTreeMap<String, String>,
    #[serde(default)]
    sets: BTreeMap<String, SetSource>,
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
        let PaperFile { name, source, versions, figure } = self.parsed("paper.toml")?;
        let mut rules = BTreeMap::new();
        for file in figure.iter().filter_map(|figure| figure.rules.as_ref()) {
            if !rules.contains_key(file) {
                rules.insert(file.clone(), self.parsed(file)?);
            }
        }
        let figures = figure.into_iter().map(|entry| self.figure(entry)).collect::<Result<_, _>>()?;
        let SentencesFile { sentence } = self.parsed("sentences.toml")?;
        let sentences = sentence.into_iter().flat_map(SentenceEntry::sentences).collect();
        let tables = self
            .files
            .iter()
            .filter_map(|(name, text)| Some((name.strip_suffix(".tsv")?, PrintedTable::parse(text))));
        Ok(Paper {
            name,
            source,
            versions,
            figures,
            sentences,
            rules,
            tables: tables.collect(),
            code: self.code,
        })
    }

    fn text(&self, file: &str) -> Result<&'static str, PaperError> {
        let found = self.files.iter().find(|(name, _)| *name == file);
        found.map(|(_, text)| *text).ok_or_else(|| PaperError::NoFile { file: file.to_owned() })
    }

    fn parsed<T: DeserializeOwned>(&self, file: &str) -> Result<T, PaperError> {
        let unreadable = |error: toml::de::Error| PaperError::Unreadable {
            file: file.to_owned(),
            problem: error.to_string(),
        };
        toml::from_str(self.text(file)?).map_err(unreadable)
    }

    fn figure(&self, entry: FigureEntry) -> Result<Figure, PaperError> {
        let FigureEntry { name, title, chart: is_chart, studies, surveyed, timed, rules, code, with, sets } =
            entry;
        let studies: Vec<(Embedded, Vec<String>)> =
            studies.iter().map(|study| self.study(study)).collect::<Result<_, _>>()?;
        let logs = studies.iter().map(|(study, logs)| (study.name.clone(), logs.clone())).collect();
        let subject = Subject { figure: name.clone(), with, sets, logs };
        let studies = studies.into_iter().map(|(study, _)| study).collect();
        Ok(Figure { name, title, is_chart, studies, surveyed, timed, rules, code, subject })
    }

    /// Returns the study of this name and its logs. The name is that of the study file, without folder and extension.
    fn study(&self, name: &str) -> Result<(Embedded, Vec<String>), PaperError> {
        let file = format!("studies/{name}.toml");
        let (text, StudyFile { name, logs }) = (self.text(&file)?, self.parsed(&file)?);
        let dataset = match logs.first() {
            Some(log) if Model::is_spec(log) => MODEL.to_owned(),
            Some(log) if log.starts_with(STREAM) => STREAM.to_owned(),
            first => first.cloned().unwrap_or_default(),
        };
        Ok((Embedded { name, dataset, text }, logs))
    }
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

    /// Returns the findings of a figure: what was published, compared with what was measured. The code of the figure
    /// may add to `evidence`.
    pub fn findings(&self, figure: &Figure, evidence: &mut Evidence) -> Result<Vec<Finding>, PaperError> {
        let code = self.code.iter().find(|(name, _)| figure.code.as_deref() == Some(name));
        let mut findings = code.map_or_else(Vec::new, |(_, code)| code(evidence));
        if let Some(file) = figure.rules.as_ref().and_then(|file| self.rules.get(file)) {
            let of_rules = rules::findings(evidence, &figure.subject, file, &self.tables);
            findings.extend(
                of_rules.map_err(|source| PaperError::Rules { figure: figure.name.clone(), source })?,
            );
        }
        Ok(findings)
    }

    /// Returns the published numbers that the plot of a figure shows beside the measured ones.
    pub fn marks(&self, figure: &Figure, evidence: &Evidence) -> Result<Vec<Mark>, PaperError> {
        let Some(file) = figure.rules.as_ref().and_then(|file| self.rules.get(file)) else {
            return Ok(Vec::new());
        };
        rules::marks(evidence, &figure.subject, file, &self.tables)
            .map_err(|source| PaperError::Rules { figure: figure.name.clone(), source })
    }
}
