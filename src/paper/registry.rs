//! The list of all papers whose figures can be regenerated.

use std::sync::LazyLock;

use super::load::{Folder, Paper, PaperError};

/// The folder of every paper, in the order in which `reproduce list` shows them.
const FOLDERS: &[Folder] = &[
    super::walker2010::FOLDER,
    super::chang_mohapatra1998::FOLDER,
    super::diessel1996::FOLDER,
    super::gabl2006::FOLDER,
    super::qna2013::FOLDER,
    super::rfold2025::FOLDER,
];

static PAPERS: LazyLock<Result<Vec<Paper>, PaperError>> =
    LazyLock::new(|| FOLDERS.iter().map(Folder::read).collect());

/// Returns every paper, or why the data of one cannot be used. The folders are read at the first call only.
pub fn papers() -> Result<&'static [Paper], &'static PaperError> {
    PAPERS.as_deref()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::fs;
    use std::path::Path;

    use super::*;
    use crate::frame::FrameSchema;
    use crate::paper::{
        Evidence, Figure, Finding, Located, LogFacts, MODEL, ROUNDS, STREAM, Verdict, stream_logs,
        write_stream,
    };
    use crate::study::{Manifest, Options, Study};

    type Tested = Result<(), Box<dyn std::error::Error>>;

    /// Returns made-up numbers for the summary of a replay, different for each replay.
    fn numbers(replay: usize) -> BTreeMap<String, f64> {
        let names = FrameSchema::summary().columns.into_iter().map(|column| column.name.to_string());
        // By the name and not by the place, so that another column changes nothing.
        let place = |name: &str| name.bytes().map(usize::from).sum::<usize>();
        let value = |name: &str| 1.0 + ((replay * 31 + place(name) * 17) % 101) as f64 / 100.0;
        names.map(|name| (name.clone(), value(&name))).collect()
    }

    /// Returns the findings of a figure if all logs are there and every replay ends, with numbers that mean nothing.
    fn findings(
        paper: &Paper,
        figure: &Figure,
        folder: &Path,
    ) -> Result<Vec<Finding>, Box<dyn std::error::Error>> {
        let mut found = Evidence::default();
        let located = |name: &str| Located {
            path: folder.join(name),
            name: name.to_owned(),
            version: "1".to_owned(),
            used_instead_of: None,
        };
        for (i, name) in figure.surveyed.iter().enumerate() {
            fs::copy(folder.join("log.swf"), folder.join(name))?;
            let share = 0.1 * i as f64;
            let facts = LogFacts { jobs: 9, processors: Some(9), serial: share, powers: [share; 3] };
            found.add_log(name, located(name), Some(facts));
        }
        for embedded in &figure.studies {
            if ![STREAM, MODEL].contains(&embedded.dataset.as_str()) {
                found.add_log(&embedded.dataset, located(&embedded.dataset), None);
            }
            let find = |log: &str| {
                let path = folder.join(log);
                if path.exists() { path } else { folder.join("log.swf") }
            };
            let options = Options { timed: figure.timed, ..Options::default() };
            let study = Study::plan(Path::new(&embedded.name), embedded.text, options, &find)?;
            let mut manifest = Manifest::from(&study);
            // Several rounds or seeds, so that means have intervals.
            for round in 0..ROUNDS {
                let same = if figure.timed { round } else { 0 };
                found.add_made(&embedded.dataset, &manifest.cells, same, &numbers);
                found.add_reading(&embedded.dataset, 1.0);
                manifest.cells.iter_mut().for_each(|cell| cell.spec.seed += u64::from(!figure.timed));
            }
        }
        Ok(paper.findings(figure, &mut found)?)
    }

    /// Returns what is wrong with the sentences of a figure, given its findings. Each sentence must be judged or say
    /// why not. Each finding with a published number or a verdict must belong to a sentence.
    fn problems(paper: &Paper, figure: &Figure, findings: &[Finding]) -> Vec<String> {
        let mut problems = Vec::new();
        let sentences = || paper.sentences.iter().filter(|sentence| sentence.figure == figure.name);
        for sentence in sentences() {
            let is_said = !sentence.section.is_empty() && !sentence.claim.is_empty();
            let says_why = sentence.not_measurable.as_ref().is_some_and(|why| !why.is_empty());
            if !is_said || sentence.judged_by.is_empty() != says_why {
                problems.push(format!("{sentence:?}: no section, claim or reason, or a needless one"));
            }
            for rule in &sentence.judged_by {
                let judges = |finding: &Finding| finding.rule == *rule && finding.verdict != Verdict::None;
                if !findings.iter().any(judges) {
                    problems.push(format!("no finding of '{rule}' has a verdict"));
                }
            }
        }
        let judged = |finding: &&Finding| finding.verdict != Verdict::None || finding.published.is_some();
        for finding in findings.iter().filter(judged) {
            let belongs = sentences().any(|sentence| sentence.is_judged_by(finding));
            if !belongs || finding.verdict == Verdict::None {
                problems.push(format!("'{}' belongs to no sentence or has no verdict", finding.item));
            }
        }
        problems
    }

    #[test]
    fn every_sentence_is_judged_and_every_verdict_belongs_to_a_sentence() -> Tested {
        let folder = tempfile::tempdir()?;
        for (log, seed) in stream_logs() {
            write_stream(&folder.path().join(log), seed)?;
        }
        fs::write(
            folder.path().join("log.swf"),
            "; MaxProcs: 128\n1 0 1 2 3 -1 -1 3 9 -1 1 1 1 1 1 -1 -1 -1\n",
        )?;
        for paper in papers()? {
            for sentence in &paper.sentences {
                assert!(paper.figure(&sentence.figure).is_some(), "{}: {sentence:?}", paper.name);
            }
            for figure in &paper.figures {
                let findings = findings(paper, figure, folder.path())?;
                let problems = problems(paper, figure, &findings);
                assert!(problems.is_empty(), "{} {}:\n{}", paper.name, figure.name, problems.join("\n"));
            }
        }
        Ok(())
    }
}
