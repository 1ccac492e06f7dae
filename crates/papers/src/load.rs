//! Papers and their figures, as their folders describe them.

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::evidence::Evidence;
use super::finding::{Finding, Mark};
use super::findings::Findings;
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
    /// Title of the figure.
    pub title: &'static str,
    /// Whether the paper draws it as a chart; the plot then has the form of the paper's.
    pub is_chart: bool,
    /// Datasets whose logs are surveyed and not replayed.
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
    /// The dataset that the study replays, or [`STREAM`], or [`MODEL`]. Each study uses one dataset, so that
    /// a missing log leaves out only its own study.
    pub dataset: String,
    /// The logs of the study: names of the dataset or of streams, or workload models.
    pub logs: Vec<String>,
    /// The content of the study file.
    pub text: &'static str,
}

/// A sentence of a paper that states a result.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sentence {
    /// The section or figure of the paper: `III-B`, `Fig. 9`. `{figure}` stands for the number of the figure.
    pub(super) section: String,
    /// The names of the figures that measure the sentence, as `reproduce` takes them.
    pub figures: Vec<String>,
    /// The claim, in our words.
    pub claim: String,
    /// The identifiers of the findings that judge the sentence; empty if nothing can judge it.
    #[serde(default)]
    pub judged_by: Vec<String>,
    /// The reason why nothing can judge the sentence; `None` if a finding judges it.
    pub not_measurable: Option<String>,
}

impl Sentence {
    /// Returns whether the figure measures the sentence.
    pub fn is_about(&self, figure: &Figure) -> bool {
        self.figures.iter().any(|name| name == figure.name)
    }

    /// Returns the section of the sentence, where it is about this figure.
    pub fn section(&self, figure: &Figure) -> String {
        self.section.replace("{figure}", figure.name.trim_start_matches("fig"))
    }

    /// Returns the reason why no finding of the figure judges the sentence; `None` if one does. `missing` are
    /// the datasets that were not found.
    pub fn not_measured(&self, findings: &[Finding], missing: &[&str]) -> Option<String> {
        if let Some(reason) = &self.not_measurable {
            return Some(reason.clone());
        }
        let judges = |finding: &Finding| finding.verdict.judges() && self.is_judged_by(finding);
        if findings.iter().any(judges) {
            return None;
        }
        Some(match missing {
            [] => "the replays that it needs did not end".to_owned(),
            _ => format!("not found: {}", missing.join(", ")),
        })
    }

    /// Returns whether the finding judges the sentence.
    pub fn is_judged_by(&self, finding: &Finding) -> bool {
        self.judged_by.contains(&finding.id)
    }
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

    /// Returns the results of the paper, sentence by sentence.
    pub fn sentences(&self) -> Vec<Sentence> {
        parsed::<SentencesFile>(self.sentences).sentence
    }
}

impl Figure {
    /// Surveys the logs of these datasets.
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

    /// Returns the findings of the figure, and the published numbers in its plot.
    pub fn judge(&self, evidence: &Evidence) -> (Vec<Finding>, Vec<Mark>) {
        let mut findings = Findings::new(evidence, self);
        (self.judge)(&mut findings);
        (findings.items, findings.marks)
    }
}

#[cfg(test)]
mod tests {
    use super::super::finding::Verdict;
    use super::*;

    #[test]
    fn a_sentence_that_no_finding_judges_says_why() {
        let sentence = Sentence {
            section: "II".to_owned(),
            figures: vec!["fig1".to_owned()],
            claim: "a is best".to_owned(),
            judged_by: vec!["below".to_owned(), "least".to_owned()],
            not_measurable: None,
        };
        let finding = |id: &str, verdict| Finding { id: id.to_owned(), verdict, ..Finding::default() };
        let least = finding("least", Verdict::OrderingHolds);
        let others = [finding("below", Verdict::None), finding("best", Verdict::Exact)];
        assert_eq!(sentence.not_measured(&[least], &["LOG"]), None);
        assert_eq!(
            sentence.not_measured(&others, &["LOG", "LOG-2"]).as_deref(),
            Some("not found: LOG, LOG-2")
        );
        let never = Sentence { not_measurable: Some("no numbers".to_owned()), ..sentence };
        assert_eq!(never.not_measured(&others, &[]).as_deref(), Some("no numbers"));
    }
}
