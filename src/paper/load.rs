//! Papers as they stand in their folders: what a folder holds, and how it is read.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::evidence::Evidence;
use super::finding::Finding;
use super::rules::{self, PrintedTable, RuleError, RuleFile, SetSource, Subject};
use super::sentence::Sentence;
use super::stream::STREAM;

/// How often all replays whose times are wanted are repeated: as often as it takes until the least and the largest of
/// the ratios are an interval of 95 % confidence for their median.
pub const ROUNDS: usize = 6;

/// What stands for a dataset where the logs of a study are workload models.
pub const MODEL: &str = "synthetic";

/// The folder of a paper: its data, and the code of figures that no rules can regenerate.
#[derive(Clone, Copy, Debug)]
pub(super) struct Folder {
    /// Names of files and what is in them: `paper.toml`, `sentences.toml`, rules, printed tables, `studies/*.toml`.
    pub(super) files: &'static [(&'static str, &'static str)],
    /// What measures and judges by code, by name.
    pub(super) code: &'static [(&'static str, Code)],
}

/// Code of a figure. What it measures itself it may add to the evidence, where rules find it; what it returns comes
/// before what they find.
pub(super) type Code = fn(&mut Evidence) -> Vec<Finding>;

/// The files of a folder, with what is in them.
macro_rules! files {
    ($($name:literal),+ $(,)?) => { &[$(($name, include_str!($name))),+] };
}
pub(super) use files;

/// Why the data of a paper cannot be used; a test holds that it can.
#[derive(Debug, thiserror::Error)]
pub enum PaperError {
    /// A file that is named is not in the folder.
    #[error("'{file}' is not among the files of the paper")]
    NoFile {
        /// Its name.
        file: String,
    },
    /// A file does not say what it should.
    #[error("{file} of the paper cannot be read: {problem}")]
    Unreadable {
        /// Its name.
        file: String,
        /// What is wrong, with the line.
        problem: String,
    },
    /// A rule cannot be followed.
    #[error("the rules of {figure} cannot be followed")]
    Rules {
        /// The figure.
        figure: String,
        /// Why.
        source: RuleError,
    },
}

/// A paper whose experiments are regenerated.
#[derive(Debug)]
pub struct Paper {
    /// Its name on the command line: first authors and year.
    pub name: String,
    /// Authors, title, venue, year.
    pub source: String,
    /// Whether the versions of logs that [`super::DATASETS`] names are this paper's.
    pub versions: bool,
    /// Its figures and tables in their order.
    pub figures: Vec<Figure>,
    /// What it says of its results, sentence by sentence.
    pub sentences: Vec<Sentence>,
    rules: BTreeMap<String, RuleFile>,
    tables: BTreeMap<&'static str, PrintedTable>,
    code: &'static [(&'static str, Code)],
}

/// A figure or table.
#[derive(Debug)]
pub struct Figure {
    /// Its name on the command line, such as `fig9`.
    pub name: String,
    /// What it shows.
    pub title: String,
    /// Its studies. Each is of one dataset, so that a missing log costs nothing else.
    pub studies: Vec<Embedded>,
    /// Datasets that are only looked at.
    pub surveyed: Vec<String>,
    /// Whether times are wanted; replays then run one at a time, and all of them in each of [`ROUNDS`].
    pub timed: bool,
    /// The file of its rules, and the name of its code, if it has any.
    rules: Option<String>,
    code: Option<String>,
    /// What rules must know of it.
    subject: Subject,
}

/// A study file that comes with the program.
#[derive(Clone, Debug)]
pub struct Embedded {
    /// Name of the study and of its directory.
    pub name: String,
    /// The dataset that it replays, or [`STREAM`], or [`MODEL`].
    pub dataset: String,
    /// The study file; its logs are names of the dataset or of streams.
    pub text: &'static str,
}

/// `paper.toml`.
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

/// `sentences.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SentencesFile {
    sentence: Vec<SentenceEntry>,
}

/// A sentence, which may be said of several figures.
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

/// What a paper needs of a study file.
#[derive(Deserialize)]
struct StudyFile {
    name: String,
    logs: Vec<String>,
}

impl Folder {
    /// Reads the paper.
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
        let FigureEntry { name, title, studies, surveyed, timed, rules, code, with, sets } = entry;
        let studies: Vec<(Embedded, Vec<String>)> =
            studies.iter().map(|study| self.study(study)).collect::<Result<_, _>>()?;
        let logs = studies.iter().map(|(study, logs)| (study.name.clone(), logs.clone())).collect();
        let subject = Subject { figure: name.clone(), with, sets, logs };
        let studies = studies.into_iter().map(|(study, _)| study).collect();
        Ok(Figure { name, title, studies, surveyed, timed, rules, code, subject })
    }

    /// Returns the study of this file, which is named without its folder and extension, and its logs.
    fn study(&self, name: &str) -> Result<(Embedded, Vec<String>), PaperError> {
        let file = format!("studies/{name}.toml");
        let (text, StudyFile { name, logs }) = (self.text(&file)?, self.parsed(&file)?);
        let dataset = match logs.first() {
            Some(log) if log.starts_with(MODEL) => MODEL.to_owned(),
            Some(log) if log.starts_with(STREAM) => STREAM.to_owned(),
            first => first.cloned().unwrap_or_default(),
        };
        Ok((Embedded { name, dataset, text }, logs))
    }
}

impl SentenceEntry {
    /// Returns the sentence of each figure of which it is said.
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
    /// Returns the figure of this name.
    pub fn figure(&self, name: &str) -> Option<&Figure> {
        self.figures.iter().find(|figure| figure.name == name)
    }

    /// What was published of a figure beside what was measured.
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
}
