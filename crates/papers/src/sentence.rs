//! The sentences in which a paper states its results, and the findings that judge each of them.

use serde::Deserialize;

use super::finding::Finding;
use super::load::Figure;

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

    /// Returns whether the finding is one of those that judge the sentence.
    pub fn is_judged_by(&self, finding: &Finding) -> bool {
        self.judged_by.contains(&finding.id)
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
